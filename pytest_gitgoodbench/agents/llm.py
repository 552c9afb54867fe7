"""The LLM agent: a loop of model calls and tool calls, over litellm."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_gitgoodbench.agents.base import Attempt
from pytest_gitgoodbench.agents.shell import shell_tools
from pytest_gitgoodbench.errors import Skip
from pytest_gitgoodbench.llm.client import (
    ContextTooLong,
    Model,
    OutOfTime,
    Reply,
    complete,
    supports_tools,
)
from pytest_gitgoodbench.scenarios.base import Tool, ToolError

MOST_IDLE = 3
"""Turns in a row without a usable tool call, after which the attempt ends."""

_SYSTEM = (
    "You are a software engineer who works with git. You work by calling tools; nothing else you write has an "
    "effect. Work step by step, and call the tool that ends the task when everything is done."
)
_JSON_SYSTEM = (
    "Each of your answers is one JSON object and nothing else: "
    '{"tool": NAME, "arguments": {...}}. These are the tools, with the JSON schemas of their arguments:\n'
)
_NUDGE = "Nothing was done: call a tool, or the one that ends the task if everything is done."


class LlmAgent:
    """An LLM with tools.

    Attributes:
        model: which one.
        protocol: `tools` (function calling) or `json` (one JSON object a turn); None: chosen by what litellm
            knows of the model.
        tools: `structured`, `bash` or `both`.
    """

    def __init__(
        self, model: Model, *, protocol: str | None, tools: str = "structured", table: Mapping[str, Any] = {}
    ) -> None:
        self.model = model
        self.protocol = protocol
        self.tools = tools

    def __call__(self, attempt: Attempt) -> None:
        """Work on an attempt until it is finished or a limit is reached; `attempt.notes` say which."""
        if not attempt.budget.money_left():
            raise Skip("the run's budget is spent")
        protocol = self.protocol or ("json" if supports_tools(self.model) is False else "tools")
        _Conversation(self.model, protocol, _tools_of(attempt, self.tools), attempt).run()


def _tools_of(attempt: Attempt, which: str) -> list[Tool]:
    own = [] if which == "bash" else list(attempt.tools)
    return own if which == "structured" else [*own, *shell_tools(attempt, with_finish=which == "bash")]


class _Conversation:
    """One attempt's messages and what they cost."""

    def __init__(self, model: Model, protocol: str, tools: Sequence[Tool], attempt: Attempt) -> None:
        self._model = model
        self._json = protocol == "json"
        self._tools = {tool.name: tool for tool in tools}
        self._attempt = attempt
        self._messages: list[dict[str, Any]] = []
        self._notes = attempt.notes
        self._notes.update(
            protocol=protocol,
            turns=0,
            prompt_tokens=0,
            completion_tokens=0,
            cost=0.0,
            stop_reason="max-turns",
        )
        system = _SYSTEM
        if self._json:
            listing = [
                {"tool": t.name, "description": t.description, "arguments": t.parameters} for t in tools
            ]
            system += "\n\n" + _JSON_SYSTEM + "\n".join(json.dumps(entry) for entry in listing)
        self._say("system", system)
        self._say("user", attempt.brief)

    def _say(self, role: str, content: str | None, **fields: Any) -> None:
        self._messages.append({"role": role, "content": content, **fields})
        self._attempt.transcript.add(role, content, **fields)

    def run(self) -> None:
        """Turn after turn, until an end."""
        idle = 0
        try:
            for _ in range(self._attempt.budget.max_turns):
                if not self._attempt.budget.money_left():
                    self._notes["stop_reason"] = "cost"
                    return
                reply = self._ask()
                if reply is None:
                    return
                calls = self._calls(reply)
                if calls:
                    idle = 0
                    if self._carry_out(calls):
                        self._notes["stop_reason"] = "finished"
                        return
                    continue
                idle += 1
                if idle >= MOST_IDLE:
                    self._notes["stop_reason"] = "no-tool-call"
                    return
                cut = " Your answer was cut off by its length." if reply.finish_reason == "length" else ""
                self._say("user", _NUDGE + cut)
        except OutOfTime:
            self._notes.update(stop_reason="timeout", timed_out=True)

    def _ask(self) -> Reply | None:
        """One turn of the model; None when the context is too long and nothing is left to cut."""
        tools = None
        form = None
        if self._json:
            form = _answer_schema(list(self._tools.values()))
        else:
            tools = [
                {
                    "type": "function",
                    "function": {"name": t.name, "description": t.description, "parameters": t.parameters},
                }
                for t in self._tools.values()
            ]
        while True:
            try:
                reply = complete(
                    self._model,
                    self._messages,
                    tools=tools,
                    response_format=form,
                    remaining=self._attempt.budget.remaining,
                    on_retry=lambda fault, wait: self._attempt.transcript.add(
                        "event", fault, event="retry", wait=round(wait, 3)
                    ),
                )
                break
            except ContextTooLong:
                if not self._cut():
                    self._notes["stop_reason"] = "context"
                    return None
        self._count(reply)
        return reply

    def _cut(self) -> bool:
        """Leave out the oldest half of what the tools answered, with a mark; False when nothing is left."""
        mark = "[left out: "
        long = [
            entry
            for entry in self._messages[2:]
            if entry["role"] in ("tool", "user") and len(entry["content"] or "") > 200
            and not entry["content"].startswith(mark)
        ]  # fmt: skip
        for entry in long[: (len(long) + 1) // 2]:
            entry["content"] = f"{mark}{len(entry['content'])} characters, the context was too long]"
        self._attempt.transcript.add(
            "event",
            f"{(len(long) + 1) // 2} answers of tools left out: the context was too long",
            event="cut",
        )
        return bool(long)

    def _count(self, reply: Reply) -> None:
        notes, usage = self._notes, reply.usage
        notes["turns"] += 1
        notes["prompt_tokens"] += usage.prompt_tokens
        notes["completion_tokens"] += usage.completion_tokens
        if usage.cost is None:
            notes["cost_is_lower_bound"] = True
        else:
            notes["cost"] = round(notes["cost"] + usage.cost, 9)
            self._attempt.budget.spend(usage.cost)
        fields: dict[str, Any] = {"tool_calls": list(reply.tool_calls)} if reply.tool_calls else {}
        self._messages.append({"role": "assistant", "content": reply.content or None, **fields})
        if not fields and not reply.content:
            self._messages[-1]["content"] = ""
        self._attempt.transcript.add(
            "assistant",
            reply.content,
            **fields,
            usage={"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens, "cost": usage.cost},
            finish_reason=reply.finish_reason,
            duration=round(reply.seconds, 3),
        )  # fmt: skip

    def _calls(self, reply: Reply) -> list[dict[str, Any]]:
        if not self._json:
            return list(reply.tool_calls)
        text = reply.content.strip().removeprefix("```json").removeprefix("```").removesuffix("```")
        if not text:
            return []
        try:
            found = json.loads(text)
            name, arguments = str(found["tool"]), found.get("arguments", {})
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            name, arguments = "", None
        return [{"id": "json", "function": {"name": name, "arguments": json.dumps(arguments)}}]

    def _carry_out(self, calls: Sequence[Mapping[str, Any]]) -> bool:
        """Answer each call; whether one ended the task."""
        finished = False
        for call in calls:
            name = call["function"]["name"]
            answer, done = self._answer(name, call["function"]["arguments"])
            finished |= done
            if self._json:
                self._say("user", f"Result of {name or 'your answer'}:\n{answer}")
            else:
                self._say("tool", answer, tool_call_id=call["id"], name=name)
        return finished

    def _answer(self, name: str, arguments: str) -> tuple[str, bool]:
        import jsonschema

        if not name and self._json:
            return 'Error: that is no JSON object of the form {"tool": NAME, "arguments": {...}}.', False
        tool = self._tools.get(name)
        if tool is None:
            return f"Error: there is no tool {name!r}; there are {', '.join(self._tools)}.", False
        try:
            given = json.loads(arguments or "{}")
            jsonschema.validate(given, dict(tool.parameters))
        except (ValueError, RecursionError) as error:
            return f"Error: the arguments are no JSON: {error}.", False
        except jsonschema.ValidationError as error:
            return f"Error: wrong arguments at {error.json_path}: {error.message}.", False
        try:
            return tool.call(**given), tool.final
        except ToolError as error:
            return f"Error: {error}", False


def _answer_schema(tools: Sequence[Tool]) -> dict[str, Any]:
    """A JSON schema that any answer of the JSON protocol fits."""
    variants = [
        {
            "type": "object",
            "properties": {"tool": {"const": tool.name}, "arguments": tool.parameters},
            "required": ["tool", "arguments"],
            "additionalProperties": False,
        }
        for tool in tools
    ]
    return {"type": "json_schema", "json_schema": {"name": "tool_call", "schema": {"anyOf": variants}}}
