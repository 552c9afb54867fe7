"""One shell tool in the workspace, in the sandbox, with limits of time and output."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from pathlib import Path

from pytest_gitgoodbench.agents.base import Attempt
from pytest_gitgoodbench.scenarios.base import Tool

SECONDS = 60.0
"""Time limit of one command."""
MOST_CHARACTERS = 10_000
"""Of a command's output: half from the start, half from the end."""


def shell_tools(attempt: Attempt, *, with_finish: bool) -> list[Tool]:
    """The tool `bash`, and one that ends the task where no other tool does.

    Args:
        attempt: the commands run in its workspace and its sandbox, without network.
    """

    def bash(command: str) -> str:
        return run(attempt, command)

    tools = [
        Tool(
            "bash",
            f"Run a shell command in the repository. Ends after {SECONDS:.0f} s. Returns its output and exit status.",
            {
                "type": "object",
                "properties": {"command": {"type": "string", "minLength": 1, "maxLength": 100_000}},
                "required": ["command"],
                "additionalProperties": False,
            },
            bash,
        )
    ]
    if with_finish:
        nothing = {"type": "object", "properties": {}, "additionalProperties": False}
        tools.append(Tool("finish", "End the task.", nothing, lambda: "The task is ended.", final=True))
    return tools


def run(attempt: Attempt, command: str) -> str:
    """Run one command; what it printed, cut in the middle if it is long, and its exit status."""
    limit = max(0.1, min(SECONDS, attempt.budget.remaining()))
    with tempfile.TemporaryDirectory(prefix="ggb-shell-", ignore_cleanup_errors=True) as home:
        argv = attempt.sandbox.wrap(
            ["bash", "-c", command], writable=[attempt.workspace, Path(home)], network=False
        )
        env = {name: value for name, value in attempt.env.items() if name.startswith("GIT_")}
        env |= {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": home,
            "LANG": "C.UTF-8",
            "TMPDIR": home,
        }
        with (Path(home) / "output").open("w+b") as output:
            process = subprocess.Popen(
                argv,
                cwd=attempt.workspace,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                status = f"exit status {process.wait(limit)}"
            except subprocess.TimeoutExpired:
                status = f"ended after {limit:.0f} s"
            finally:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            output.seek(0)
            data = output.read(50 * MOST_CHARACTERS)
    text = data.decode("utf-8", "replace")
    if len(text) > MOST_CHARACTERS:
        half = MOST_CHARACTERS // 2
        text = f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"
    return f"{text}\n[{status}]"
