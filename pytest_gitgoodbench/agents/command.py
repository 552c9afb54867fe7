"""Agents that are command lines: run in the workspace, in the sandbox, ended with all they started."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from pytest_gitgoodbench.agents.base import Attempt
from pytest_gitgoodbench.agents.processes import run_program
from pytest_gitgoodbench.errors import InfrastructureError, UserError

PASSED = ("PATH", "LANG", "LC_ALL", "TERM", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
          "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")  # fmt: skip
"""The variables of the calling process that a command is given; besides them git's (`Attempt.env`), its own
HOME and TMPDIR, and what a preset names."""

MOST_OUTPUT = 200_000
"""Bytes of output kept in the transcript: half from the start, half from the end."""


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
                self._run(attempt, argv, home, "" if given else attempt.brief)
            except OSError as error:
                raise InfrastructureError(f"the command {argv[0]!r} cannot be run: {error}") from error

    def _run(self, attempt: Attempt, argv: list[str], home: Path, brief: str) -> None:
        attempt.transcript.add("user", attempt.brief)
        attempt.transcript.add("event", None, event="command", argv=argv)
        began = time.monotonic()
        ended = run_program(
            argv,
            cwd=attempt.workspace,
            env=scrubbed_environment(attempt, home, self.env_allow),
            stdin=brief.encode("utf-8", "replace"),
            seconds=attempt.budget.remaining(),
            most_output=MOST_OUTPUT,
        )
        if ended.status is None:
            attempt.notes["timed_out"] = True
        attempt.notes["exit_status"] = ended.status
        attempt.notes["stop_reason"] = "timeout" if ended.status is None else "ended"
        attempt.transcript.add(
            "assistant", ended.output, exit_status=ended.status, duration=round(time.monotonic() - began, 3)
        )


def scrubbed_environment(attempt: Attempt, home: Path, allow: Sequence[str] = ()) -> dict[str, str]:
    """The environment of a program of an agent.

    Args:
        attempt: whose git variables it gets.
        home: its HOME and TMPDIR.
        allow: variables of the calling process that pass besides `PASSED`.
    """
    env = {name: os.environ[name] for name in (*PASSED, *allow) if name in os.environ}
    env |= {name: value for name, value in attempt.env.items() if name.startswith("GIT_")}
    return env | {"HOME": str(home), "TMPDIR": str(home)}
