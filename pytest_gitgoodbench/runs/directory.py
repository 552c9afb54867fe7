"""A run directory: manifest, results, transcripts, marks of attempts in flight, report."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pytest_gitgoodbench.errors import InfrastructureError, UserError
from pytest_gitgoodbench.runs import results
from pytest_gitgoodbench.runs.files import file_name, make_new, safe_name, write_atomically
from pytest_gitgoodbench.runs.manifest import Manifest
from pytest_gitgoodbench.runs.record import Record, record_from

RUNS = Path("ggb-runs")
"""Where run directories are made by default, in the current folder."""


class RunDirectory:
    """The files of one run. Any number of processes may append at the same time.

    Attributes:
        shown: the folder as the user named it, for messages and commands.
        path: the same, absolute: an agent may change the current folder. It holds `manifest.json`,
            `results.jsonl`, `transcripts/`, `report.html`, and while attempts are under way `inflight/`
            and `lock`.
    """

    def __init__(self, path: Path, parent: int | None = None) -> None:
        """Args:
        parent: for a worker: the process that started it. Without that process nothing is written any more:
            the run may have been continued by another one, which has given the worker up.
        """
        self.shown = path
        self.path = path.absolute()
        self._parent = parent

    @classmethod
    def create(cls, out: Path | None, agent: str) -> RunDirectory:
        """Make a new run directory.

        Args:
            out: where; None for `ggb-runs/TIME-AGENT`, with a number where that is taken.
            agent: the agent as the user named it.

        Raises:
            UserError: there is a run already, or the folder cannot be made.
        """
        try:
            if out is None:
                return cls(make_new(RUNS / f"{time.strftime('%Y%m%d-%H%M%S')}-{_short_name(agent)}"))
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"the run directory {out or RUNS} cannot be made ({error.strerror or error}): "
                "name another with --ggb-out"
            ) from error
        run = cls(out)
        if run.manifest_file.exists() or run.results_file.exists():
            raise UserError(
                f"{out} holds a run already: continue it with --ggb-resume, or name another folder"
            )
        return run

    @classmethod
    def open(cls, path: Path) -> RunDirectory:
        """The run in a folder.

        Raises:
            UserError: there is none.
        """
        run = cls(path)
        if not run.manifest_file.is_file():
            raise UserError(f"{path} is not a run directory: it has no manifest.json")
        return run

    @property
    def manifest_file(self) -> Path:
        return self.path / "manifest.json"

    @property
    def results_file(self) -> Path:
        return self.path / "results.jsonl"

    @property
    def transcripts(self) -> Path:
        """The folder of the transcripts; made when the first is asked for by `new_transcript`."""
        return self.path / "transcripts"

    @property
    def report_file(self) -> Path:
        return self.path / "report.html"

    # -- the run as a whole ---------------------------------------------------------------------

    def manifest(self) -> Manifest:
        """What the run is about.

        Raises:
            UserError: there is no manifest, or it cannot be read.
        """
        return Manifest.read(self.manifest_file)

    def write_manifest(self, manifest: Manifest) -> None:
        """Put a manifest in the place of the one that is there, if any, in one step.

        Raises:
            InfrastructureError: it cannot be written.
        """
        write_atomically(self.manifest_file, manifest.as_text())

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Hold the run, so that no second pytest continues it at the same time. Ends with the process.

        Raises:
            UserError: another process holds it.
        """
        try:
            descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise UserError(f"{self.path} cannot be written: {error.strerror or error}") from error
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
                raise UserError(
                    f"{self.path} is in use by process {holder or 'unknown'}: wait for it, or end it"
                ) from None
            with contextlib.suppress(OSError):
                # Who it is helps people; on a full disk, what cannot do without a write says so.
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
            yield
        finally:
            os.close(descriptor)

    # -- attempts -------------------------------------------------------------------------------

    def begin(self, stub: Record) -> None:
        """Mark an attempt as under way: if its process dies, `settle` knows of it.

        Args:
            stub: the attempt's record as far as it is known; its outcome does not matter. `started`
                has to be the one of the record that follows.

        Raises:
            InfrastructureError: the mark cannot be written, or the process that started this one is gone.
        """
        self._check_parent()
        write_atomically(self._mark(stub.id), json.dumps(stub.as_json()), durable=False)

    def append(self, record: Record) -> None:
        """Write the record of an attempt, then take its mark away.

        Raises:
            InfrastructureError: it cannot be written, or the process that started this one is gone; what was
                written before is whole.
        """
        self._check_parent()
        results.append(self.results_file, [record])
        with contextlib.suppress(OSError):
            self._mark(record.id).unlink()

    def _check_parent(self) -> None:
        if self._parent not in (None, os.getppid()):
            raise InfrastructureError(f"the run that this process was a worker of has ended: {self.path}")

    def settle(self, worker: str | None = None, reason: str = "") -> list[Record]:
        """Give each attempt whose process died its record, an infrastructure error.

        Args:
            worker: only marks of this worker; None for all: then no process of the run may be alive.
            reason: what is known about the end, for the record.

        Returns:
            The records written.

        Raises:
            InfrastructureError: they cannot be written.
        """
        marks = [(file, stub) for file, stub in self._marks() if worker in (None, stub.worker)]
        lost: list[Record] = []
        if marks:
            # A process may have died between writing the record and taking the mark away.
            written = {(record.id, record.started) for record in results.read(self.results_file)}
            for _, stub in marks:
                if (stub.id, stub.started) not in written:
                    told = reason or f"the process that ran it ({stub.worker}) died during the attempt"
                    lost.append(replace(stub, outcome="error", strict=None, paper=None, reasons=[told]))
            results.append(self.results_file, lost)
        folder = self.path / "inflight"
        # Nobody is alive: what is left besides marks was being written when its process was killed.
        everything = worker is None and folder.is_dir()
        rest = list(folder.iterdir()) if everything else [file for file, _ in marks]
        for file in rest:
            with contextlib.suppress(OSError):
                file.unlink()
        return lost

    def _mark(self, id: str) -> Path:
        return self.path / "inflight" / f"{file_name(id)}.json"

    def _marks(self) -> list[tuple[Path, Record]]:
        found = []
        for file in sorted((self.path / "inflight").glob("*.json")):
            with contextlib.suppress(OSError, ValueError):
                found.append((file, record_from(json.loads(file.read_bytes()), str(file))))
        return found

    # -- records --------------------------------------------------------------------------------

    def records(self) -> list[Record]:
        """The latest record of each id, without its long parts.

        Raises:
            UserError: the results cannot be read.
        """
        return list(results.latest(self.results_file).values())

    def full_records(self) -> Iterator[Record]:
        """The latest record of each id with all its parts, one at a time.

        Raises:
            UserError: the results cannot be read.
        """
        return results.each_latest(self.results_file)

    def history(self) -> Iterator[Record]:
        """Every record ever written, oldest first, those that a later one replaced included.

        Raises:
            UserError: the results cannot be read.
        """
        return results.read(self.results_file)

    # -- transcripts ----------------------------------------------------------------------------

    def new_transcript(self, id: str) -> Path:
        """A new, empty file for the transcript of an attempt; an earlier attempt's stays as it is.

        Raises:
            InfrastructureError: it cannot be made.
        """
        name = file_name(id)
        try:
            self.transcripts.mkdir(parents=True, exist_ok=True)
            for number in range(1, 1_000_000):
                file = self.transcripts / (f"{name}.jsonl" if number == 1 else f"{name}.{number}.jsonl")
                with contextlib.suppress(FileExistsError):
                    file.touch(exist_ok=False)
                    return file
        except OSError as error:
            raise InfrastructureError(
                f"{self.transcripts} cannot be written: {error.strerror or error}"
            ) from error
        raise InfrastructureError(f"{self.transcripts} has a million transcripts of {id}")

    def transcript_of(self, record: Record) -> Path | None:
        """The transcript a record names, if it is there and inside the run directory."""
        if not record.transcript or record.transcript != os.path.basename(record.transcript):  # noqa: PTH119
            return None
        file = self.transcripts / record.transcript
        return file if file.is_file() and not file.is_symlink() else None


def _short_name(agent: str) -> str:
    """An agent's name for a folder; of a command line only the command: the rest may be long or secret."""
    if agent.startswith("cmd:"):
        agent = Path((agent[4:].split() or [""])[0]).name
    return safe_name(agent, 40)
