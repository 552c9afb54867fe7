"""Calling tools as an agent's loop does: arguments checked against the schema, then called."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import jsonschema
import pytest

from pytest_gitgoodbench.dataset.sample import Chain, Merge, Sample
from pytest_gitgoodbench.scenarios.base import Tool, ToolError


class Toolkit:
    """Tools by name."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self.tools = {tool.name: tool for tool in tools}
        assert len(self.tools) == len(tools)
        for tool in tools:
            jsonschema.Draft202012Validator.check_schema(dict(tool.parameters))
            assert tool.parameters["additionalProperties"] is False
            assert set(tool.parameters["required"]) <= set(tool.parameters["properties"])
            json.dumps(tool.parameters)

    def __call__(self, name: str, /, **arguments: Any) -> str:
        """Call a tool with arguments that fit its schema; what it answers must be text for a model."""
        tool = self.tools[name]
        arguments = json.loads(json.dumps(arguments))
        jsonschema.validate(arguments, dict(tool.parameters))
        answer = tool.call(**arguments)
        assert answer and answer.encode("utf-8")
        return answer

    def refused(self, name: str, /, match: str | None = None, **arguments: Any) -> str:
        """Call a tool that must refuse, with these words (not a pattern)."""
        with pytest.raises(ToolError, match=match and re.escape(match)) as caught:
            self(name, **arguments)
        return str(caught.value)

    def rejects(self, name: str, /, **arguments: Any) -> bool:
        """Whether the schema has no such arguments."""
        return not jsonschema.Draft202012Validator(dict(self.tools[name].parameters)).is_valid(arguments)


def merge_sample() -> Sample:
    return Sample("a_b_merge_0000", "a/b", "python", "easy", Merge("0" * 40, ("1" * 40, "2" * 40)))


def chain_sample(length: int, file: str = "f") -> Sample:
    chain = Chain(file, length, "1" * 40, "2" * 40)
    return Sample("a_b_file_commit_chain_0000", "a/b", "python", "easy", chain)
