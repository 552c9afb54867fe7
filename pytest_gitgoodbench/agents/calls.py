"""Carry out a model's tool call: every mistake in it is answered with what is wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_gitgoodbench.errors import GitGoodBenchError, InfrastructureError
from pytest_gitgoodbench.llm.client import OutOfTime
from pytest_gitgoodbench.scenarios.base import Tool, ToolError

MOST_CHARACTERS = 40_000
"""Characters of a tool's answer that a model is shown: half from the start, half from the end."""


@dataclass(frozen=True)
class Call:
    """A tool call as the model wrote it.

    Attributes:
        id: what its answer refers to.
        name: the tool's name.
        arguments: JSON text, perhaps not even that.
    """

    id: str
    name: str
    arguments: str


def carry_out(tools: Mapping[str, Tool], call: Call) -> tuple[str, bool]:
    """Check a call and make it.

    Returns:
        The answer for the model, and whether the call succeeded.

    Raises:
        InfrastructureError: the tool itself is broken.
    """
    tool = tools.get(call.name)
    if tool is None:
        return f"Error: there is no tool {call.name[:100]!r}; there are: {', '.join(tools)}.", False
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError) as error:
        return f"Error: the arguments of {tool.name} are no valid JSON: {error}.", False
    problem = _problem(tool, arguments)
    if problem:
        return f"Error: the arguments of {tool.name} are wrong: {problem}.", False
    try:
        return bounded(tool.call(**arguments)), True
    except ToolError as error:
        return bounded(f"Error: {error}"), False
    except (GitGoodBenchError, OutOfTime):
        raise
    except Exception as error:
        # Tools are ours: an agent is not blamed for their faults.
        raise InfrastructureError(f"the tool {tool.name} failed: {type(error).__name__}: {error}") from error


def _problem(tool: Tool, arguments: object) -> str:
    from jsonschema import Draft202012Validator

    errors = sorted(
        Draft202012Validator(dict(tool.parameters)).iter_errors(arguments), key=lambda error: error.json_path
    )
    return "; ".join(
        f"{error.json_path.removeprefix('$').lstrip('.') or 'arguments'}: {error.message[:300]}"
        for error in errors[:5]
    )


def bounded(text: str, most: int = MOST_CHARACTERS) -> str:
    """A text cut in its middle, with a mark that says how much is missing."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"
