"""Tool calls for models without function calling: each answer is one JSON object."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pytest_gitgoodbench.agents.calls import Call
from pytest_gitgoodbench.llm.client import Reply
from pytest_gitgoodbench.scenarios.base import Tool

_FORM = '{"tool": NAME, "arguments": {...}}'
_MOST_STARTS = 1000
"""Braces at which an object is looked for: a model that repeats one without end would take minutes to read."""


class JsonProtocol:
    """How tools are offered, calls read and results given, in plain messages under a JSON schema."""

    name = "json"

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = tools
        self._format: dict[str, Any] | None = {
            "type": "json_schema",
            "json_schema": {
                "name": "tool_call",
                "schema": {
                    "type": "object",
                    "properties": {
                        "tool": {"type": "string", "enum": [tool.name for tool in tools]},
                        "arguments": {"type": "object"},
                    },
                    "required": ["tool", "arguments"],
                    "additionalProperties": False,
                },
            },
        }
        self._turn = 0

    def instructions(self) -> str:
        """What is added to the system prompt."""
        listed = "\n".join(
            f"- {tool.name}: {tool.description} Arguments: {json.dumps(dict(tool.parameters))}"
            for tool in self._tools
        )
        return (
            f"\n\nEach of your answers is exactly one JSON object {_FORM} and nothing else.\nTools:\n{listed}"
        )

    def request(self) -> dict[str, Any]:
        """What goes with each request."""
        return {"response_format": self._format} if self._format else {}

    def weaker(self) -> dict[str, Any] | None:
        """What to send instead when the request was refused: no response format, from now on."""
        if self._format is None:
            return None
        self._format = None
        return {}

    def read(self, reply: Reply) -> tuple[list[Call], dict[str, Any], str]:
        """The call in an answer, the message to send back as the model's own, and what to say without a call."""
        message = {"role": "assistant", "content": reply.content}
        self._turn += 1
        found = first_object(reply.content)
        if found is None:
            return [], message, f"That was no JSON object. Answer with {_FORM} and nothing else."
        name = found.get("tool")
        if not isinstance(name, str):
            return [], message, f'The JSON object names no "tool". Answer with {_FORM} and nothing else.'
        arguments = json.dumps(found.get("arguments", {}))
        return [Call(f"turn_{self._turn}", name, arguments)], message, ""

    def result(self, call: Call, answer: str) -> dict[str, Any]:
        """The message that answers a call."""
        return {"role": "user", "content": f"Result of {call.name}:\n{answer}"}


def first_object(text: str) -> dict[str, Any] | None:
    """The first JSON object in a text (fences and words around it are passed over), None without one."""
    decoder = json.JSONDecoder()
    start = -1
    for _ in range(_MOST_STARTS):
        start = text.find("{", start + 1)
        if start < 0:
            break
        try:
            found, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            return found
    return None
