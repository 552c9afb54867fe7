"""Tool calls for models without function calling: each answer is one JSON object."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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
        # From the strictest to none: servers know more or less of JSON Schema.
        self._formats: list[dict[str, Any]] = [_format(_calls(tools)), _format(_any_call(tools))]
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
        return {"response_format": self._formats[0]} if self._formats else {}

    def weaker(self) -> dict[str, Any] | None:
        """What to send instead when the request was refused, from now on: a simpler response format, then none."""
        if not self._formats:
            return None
        self._formats.pop(0)
        return self.request()

    def read(self, reply: Reply) -> tuple[list[Call], dict[str, Any], str]:
        """The call in an answer, the message to send back as the model's own, and what to say without a call."""
        message = {"role": "assistant", "content": reply.content}
        self._turn += 1
        found = first_object(reply.content)
        if found is None or (reply.finish_reason == "length" and "tool" not in found):
            # Of an answer that was cut off, the first whole object is a part.
            return [], message, f"That was no JSON object. Answer with {_FORM} and nothing else."
        name = found.get("tool")
        if not isinstance(name, str):
            return [], message, f'The JSON object names no "tool". Answer with {_FORM} and nothing else.'
        arguments = json.dumps(found.get("arguments", {}))
        return [Call(f"turn_{self._turn}", name, arguments)], message, ""

    def result(self, call: Call, answer: str) -> dict[str, Any]:
        """The message that answers a call."""
        return {"role": "user", "content": f"Result of {call.name}:\n{answer}"}


def _format(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "tool_call", "schema": schema}}


def _any_call(tools: Sequence[Tool]) -> dict[str, Any]:
    """A schema of calls of any of the tools with whatever arguments."""
    return _object(
        {"tool": {"type": "string", "enum": [tool.name for tool in tools]}, "arguments": {"type": "object"}}
    )


def _calls(tools: Sequence[Tool]) -> dict[str, Any]:
    """A schema of calls whose arguments fit the tool: small models write down the tool's schema otherwise."""
    return {
        "type": "object",
        "anyOf": [
            _object({"tool": {"type": "string", "enum": [tool.name]}, "arguments": _shape(tool.parameters)})
            for tool in tools
        ],
    }


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _shape(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without its limits: servers know few of them, and long ones make grammars that they refuse."""
    shape = {
        key: schema[key] for key in ("type", "enum", "required", "additionalProperties") if key in schema
    }
    if "items" in schema:
        shape["items"] = _shape(schema["items"])
    if "properties" in schema:
        shape["properties"] = {name: _shape(value) for name, value in schema["properties"].items()}
    return shape


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
