"""Tool calls by the API's own function calling."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pytest_gitgoodbench.agents.calls import Call
from pytest_gitgoodbench.llm.client import Reply
from pytest_gitgoodbench.scenarios.base import Tool


class ToolsProtocol:
    """How tools are offered, calls read and results given, with function calling."""

    name = "tools"

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": dict(tool.parameters),
                },
            }
            for tool in tools
        ]

    def instructions(self) -> str:
        """What is added to the system prompt."""
        return ""

    def request(self) -> dict[str, Any]:
        """What goes with each request."""
        return {"tools": self._tools}

    def weaker(self) -> dict[str, Any] | None:
        """What to send instead when the request was refused."""
        return None

    def read(self, reply: Reply) -> tuple[list[Call], dict[str, Any], str]:
        """The calls in an answer, the message to send back as the model's own, and what to say without calls."""
        calls = [
            Call(call["id"] or f"call_{n}", call["function"]["name"], call["function"]["arguments"])
            for n, call in enumerate(reply.tool_calls)
        ]
        message: dict[str, Any] = {
            "role": "assistant",
            "content": reply.content or ("" if not calls else None),
        }
        if calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name or "unnamed", "arguments": _sendable(call.arguments)},
                }
                for call in calls
            ]
        return (
            calls,
            message,
            "You called no tool. Call one; when the task is done, call the one that finishes it.",
        )

    def result(self, call: Call, answer: str) -> dict[str, Any]:
        """The message that answers a call."""
        return {"role": "tool", "tool_call_id": call.id, "name": call.name or "unnamed", "content": answer}


def _sendable(arguments: str) -> str:
    # Several APIs refuse a conversation with a call whose arguments are no JSON object.
    try:
        return arguments if isinstance(json.loads(arguments or "{}"), dict) and arguments else "{}"
    except ValueError:
        return "{}"
