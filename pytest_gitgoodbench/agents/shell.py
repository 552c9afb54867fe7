"""The bash tool: one command in the workspace, in the sandbox, with limits on time and output."""

from __future__ import annotations

import tempfile
from pathlib import Path

from pytest_gitgoodbench.agents.base import Attempt
from pytest_gitgoodbench.agents.command import scrubbed_environment
from pytest_gitgoodbench.agents.processes import run_program
from pytest_gitgoodbench.scenarios.base import Tool, ToolError

SECONDS = 60.0
"""Time limit of one command."""
MOST_OUTPUT = 20_000
"""Bytes of a command's output that are shown: half from the start, half from the end."""


def bash_tool(attempt: Attempt) -> Tool:
    """A tool that runs bash commands in an attempt's workspace, without network when there is a sandbox."""

    def run(command: str) -> str:
        return run_bash(attempt, command)

    return Tool(
        name="bash",
        description=(
            "Run a bash command in the repository's work tree. Each command is a new shell; nothing reads standard "
            f"input; it is ended after {SECONDS:.0f} s. Answers the exit status and the output."
        ),
        parameters={
            "type": "object",
            "properties": {"command": {"type": "string", "minLength": 1, "maxLength": 100_000}},
            "required": ["command"],
            "additionalProperties": False,
        },
        call=run,
    )


def finish_tool() -> Tool:
    """A tool that only says that the work is done."""
    return Tool(
        name="finish",
        description="Say that the task is done. Nothing can be changed afterwards.",
        parameters={"type": "object", "properties": {}, "additionalProperties": False},
        call=lambda: "Finished.",
        final=True,
    )


MOST_COMMAND_BYTES = 120_000
"""Of one command: Linux takes no argument of 128 KiB or more."""


def run_bash(attempt: Attempt, command: str, seconds: float = SECONDS) -> str:
    """Run a command; everything it started is ended with it.

    Returns:
        Exit status (or that its time ran out) and output.

    Raises:
        OutOfTime: the attempt's time is over.
        ToolError: the command cannot be given to a program.
    """
    attempt.budget.check_time()
    if "\0" in command:
        raise ToolError("a command cannot have a NUL character in it")
    try:
        size = len(command.encode())
    except UnicodeEncodeError:
        raise ToolError("the command has characters that are no text (lone surrogates)") from None
    if size > MOST_COMMAND_BYTES:
        raise ToolError(f"the command has {size} bytes, {MOST_COMMAND_BYTES} are possible")
    if not attempt.workspace.is_dir():
        raise ToolError("the repository's folder is not there any more")
    limit = min(seconds, attempt.budget.remaining())
    with tempfile.TemporaryDirectory(prefix="ggb-home-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        ended = run_program(
            attempt.sandbox.wrap(
                ["bash", "--noprofile", "--norc", "-c", command],
                writable=[attempt.workspace, home],
                network=False,
            ),
            cwd=attempt.workspace,
            env=scrubbed_environment(attempt, home),
            seconds=limit,
            most_output=MOST_OUTPUT,
        )
    status = (
        f"ended after {limit:.0f} s: the time limit of a command"
        if ended.status is None
        else f"exit status {ended.status}"
    )
    attempt.budget.check_time()
    return f"{status}\n{ended.output}"
