"""Running an agent's program to its end or its time limit, and ending everything that it started."""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

GRACE = 3.0
"""Seconds between asking the processes to end and ending them."""
MARK = "GGB_ATTEMPT"
"""Variable of the environment by which what a program started is found again."""
_PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Ended:
    """How a program ended.

    Attributes:
        status: its exit status, negative for a signal; None when its time ran out.
        output: standard output and error, with a mark where the middle was left out.
    """

    status: int | None
    output: str


def run_program(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes = b"",
    seconds: float,
    most_output: int,
) -> Ended:
    """Run a program. When it ends, or its time does, everything that it started is ended too.

    Args:
        argv: the program and its arguments.
        cwd: where it starts.
        env: its whole environment.
        stdin: what it can read.
        seconds: its time limit.
        most_output: bytes of output that are kept: half from the start, half from the end.

    Raises:
        OSError: it cannot be started.
    """
    mark = secrets.token_hex(16)
    with _adopting_orphans(), tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        others = set(_children())
        output = _Output(most_output)
        with output.write_end() as write_end:
            process = subprocess.Popen(
                argv,
                cwd=cwd,
                env={**env, MARK: mark},
                stdin=given,
                stdout=write_end,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            status: int | None = process.wait(max(seconds, 0.01))
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _end(process, mark, others)
        return Ended(status, output.text())


class _Output(threading.Thread):
    """Reads a pipe to its end and keeps the start and the end of it: a program can write without limit."""

    def __init__(self, most: int) -> None:
        super().__init__(daemon=True)
        self._half = most // 2
        self._head = bytearray()
        self._tail = b""
        self._size = 0

    @contextlib.contextmanager
    def write_end(self) -> Iterator[int]:
        """The end of the pipe for the program; reading begins when it has been handed on."""
        self._pipe, write_end = os.pipe()
        try:
            yield write_end
        finally:
            os.close(write_end)
            self.start()

    def run(self) -> None:
        with os.fdopen(self._pipe, "rb", buffering=0) as pipe:
            while data := pipe.read(1 << 16):
                self._size += len(data)
                room = self._half - len(self._head)
                self._head += data[:room]
                self._tail = (self._tail + data[room:])[-self._half :]

    def text(self) -> str:
        """What came; what still comes from a process that cannot be ended is not waited for."""
        self.join(GRACE)
        left_out = self._size - len(self._head) - len(self._tail)
        if left_out <= 0:
            return (bytes(self._head) + self._tail).decode("utf-8", "replace")
        mark = f"\n[... {left_out} bytes left out ...]\n"
        return self._head.decode("utf-8", "replace") + mark + self._tail.decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes], mark: str, others: set[int]) -> None:
    """End a program and everything that it started.

    Args:
        process: the program, the leader of its own session and process group.
        mark: the value of `MARK` in its environment.
        others: children of this process that have nothing to do with it.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + GRACE
        while True:
            alive = _started(process.pid, mark, others)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, number)
            for pid in alive:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
            if (not alive and process.poll() is not None) or time.monotonic() > deadline:
                break
            time.sleep(0.02)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)


@contextlib.contextmanager
def _adopting_orphans() -> Iterator[None]:
    """Processes that a program leaves behind become children of this one, so that they are found even when
    they have left its session and dropped its environment (Linux, prctl(2), PR_SET_CHILD_SUBREAPER)."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None) if sys.platform == "linux" else None
    if prctl is not None:
        prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        if prctl is not None:
            prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


@dataclass(frozen=True)
class _Process:
    """A line of `/proc/PID/stat` (proc(5))."""

    pid: int
    state: str
    parent: int
    group: int
    session: int


def _processes() -> Iterator[_Process]:
    if not Path("/proc/self/stat").exists():
        return
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                # The program's name is in parentheses and may hold anything.
                fields = Path(entry.path, "stat").read_bytes().rpartition(b")")[2].split()
                yield _Process(int(entry.name), fields[0].decode(), *map(int, fields[1:4]))


def _children() -> Iterator[int]:
    return (process.pid for process in _processes() if process.parent == os.getpid())


def _started(leader: int, mark: str, others: set[int]) -> list[int]:
    """Living processes that a program started, the program included. Those of them that ended as children
    of this process are taken away."""
    own_session = os.getsid(0)
    found: dict[int, bool] = {}
    processes = list(_processes())
    for process in processes:
        adopted = (
            process.parent == os.getpid() and process.pid not in others and process.session != own_session
        )
        if process.state == "Z":
            if adopted and process.pid != leader:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(process.pid, os.WNOHANG)
        elif adopted or process.group == leader or _is_marked(process.pid, mark):
            found[process.pid] = True
    grown = True
    while grown:
        size = len(found)
        found.update((one.pid, True) for one in processes if one.parent in found and one.state != "Z")
        grown = len(found) > size
    return list(found)


def _is_marked(pid: int, mark: str) -> bool:
    try:
        return f"{MARK}={mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
