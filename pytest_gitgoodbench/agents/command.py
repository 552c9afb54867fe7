"""Agents that are command lines: run in the workspace, in the sandbox, ended with all they started."""

from __future__ import annotations

import contextlib
import os
import secrets
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from pytest_gitgoodbench.agents.base import Attempt
from pytest_gitgoodbench.errors import InfrastructureError, UserError

PASSED = ("PATH", "LANG", "LC_ALL", "TERM", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
          "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")  # fmt: skip
"""The variables of the calling process that a command is given; besides them git's (`Attempt.env`), its own
HOME and TMPDIR, and what a preset names."""

MOST_OUTPUT = 200_000
"""Bytes of output kept in the transcript: half from the start, half from the end."""
GRACE = 3.0
"""Seconds between asking the processes to end and ending them."""
MARK = "GGB_ATTEMPT"


def check_command(template: str) -> None:
    """Find out before the first test whether a command line can be run.

    Raises:
        UserError: it is empty, not well-formed, or its program does not exist.
    """
    try:
        argv = shlex.split(template)
    except ValueError as error:
        raise UserError(f"the command {template!r} is not well-formed: {error}") from None
    if not argv:
        raise UserError("the command is empty: write cmd:PROGRAM ARGUMENTS")
    if shutil.which(argv[0]) is None:
        raise UserError(f"the command {argv[0]!r} does not exist or is not on PATH")


class CommandAgent:
    """Runs a command line for each attempt.

    The brief takes the place of `{brief}`, a file with it that of `{brief_file}`; where neither is there, it
    is given on standard input. No shell is involved.
    """

    def __init__(self, template: str, *, env_allow: Sequence[str] = (), network: bool = True) -> None:
        """Args:
        template: the command line.
        env_allow: further variables of the calling process that it is given (keys of its API).
        network: whether it may use the network when it runs in the sandbox; most need their API.
        """
        self.template = template
        self.env_allow = tuple(env_allow)
        self.network = network

    def __call__(self, attempt: Attempt) -> None:
        """Run it. Whatever it leaves is evaluated: a bad exit status or the end of time is only noted."""
        with tempfile.TemporaryDirectory(prefix="ggb-home-", ignore_cleanup_errors=True) as folder:
            home = Path(folder)
            brief_file = home / "brief.txt"
            brief_file.write_text(attempt.brief, "utf-8")
            parts = shlex.split(self.template)
            argv = [
                part.replace("{brief_file}", str(brief_file)).replace("{brief}", attempt.brief)
                for part in parts
            ]
            given = any("{brief" in part for part in parts)
            program = shutil.which(argv[0])
            if program is None:
                raise InfrastructureError(f"the command {argv[0]!r} does not exist any more")
            # The command starts in the workspace: a relative path would be looked for there.
            argv[0] = str(Path(program).absolute())
            argv = attempt.sandbox.wrap(argv, writable=[attempt.workspace, home], network=self.network)
            try:
                self._run(attempt, argv, home, None if given else attempt.brief)
            except OSError as error:
                raise InfrastructureError(f"the command {argv[0]!r} cannot be run: {error}") from error

    def _run(self, attempt: Attempt, argv: list[str], home: Path, brief: str | None) -> None:
        mark = secrets.token_hex(16)
        attempt.transcript.add("user", attempt.brief)
        attempt.transcript.add("event", None, event="command", argv=argv)
        began = time.monotonic()
        with (home / "stdin").open("w+b") as given, (home / "output").open("w+b") as output:
            given.write((brief or "").encode("utf-8", "replace"))
            given.seek(0)
            process = subprocess.Popen(
                argv,
                cwd=attempt.workspace,
                env=scrubbed_environment(attempt, home, mark, self.env_allow),
                stdin=given,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                status: int | None = process.wait(max(attempt.budget.remaining(), 0.01))
            except subprocess.TimeoutExpired:
                status = None
                attempt.notes["timed_out"] = True
            finally:
                end_processes(process.pid, mark)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(GRACE)
            said = bounded_output(output)
        attempt.notes["exit_status"] = status
        attempt.notes["stop_reason"] = "timeout" if status is None else "ended"
        attempt.transcript.add(
            "assistant", said, exit_status=status, duration=round(time.monotonic() - began, 3)
        )


def scrubbed_environment(
    attempt: Attempt, home: Path, mark: str, allow: Sequence[str] = ()
) -> dict[str, str]:
    """The environment of a program of an agent.

    Args:
        attempt: whose git variables it gets.
        home: its HOME and TMPDIR.
        mark: by which everything that it starts is found again.
        allow: variables of the calling process that pass besides `PASSED`.
    """
    env = {name: os.environ[name] for name in (*PASSED, *allow) if name in os.environ}
    env |= {name: value for name, value in attempt.env.items() if name.startswith("GIT_")}
    return env | {"HOME": str(home), "TMPDIR": str(home), MARK: mark}


def bounded_output(output: IO[bytes], most: int = MOST_OUTPUT) -> str:
    """What a program wrote to a file, cut in its middle when it is longer than `most` bytes."""
    size = output.seek(0, os.SEEK_END)
    output.seek(0)
    if size <= most:
        data: bytes = output.read()
        return data.decode("utf-8", "replace")
    half = most // 2
    head: bytes = output.read(half)
    output.seek(size - half)
    tail: bytes = output.read(half)
    mark = f"\n[... {size - 2 * half} bytes left out ...]\n"
    return head.decode("utf-8", "replace") + mark + tail.decode("utf-8", "replace")


def end_processes(group: int, mark: str) -> None:
    """End a process group and every process that carries a mark in its environment, wherever it went.

    Args:
        group: the process group.
        mark: the value of `GGB_ATTEMPT` in the environment of what was started.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + GRACE
        while True:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)
            alive = _marked(mark)
            for pid in alive:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
            if not alive or time.monotonic() > deadline:
                break
            time.sleep(0.05)
    # A program that dropped its environment carries no mark: the group is ended all the same.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _marked(mark: str) -> list[int]:
    """Living processes that carry the mark (zombies have no environment any more)."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for entry in os.scandir("/proc") if Path("/proc").is_dir() else ():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if wanted in Path(entry.path, "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found
