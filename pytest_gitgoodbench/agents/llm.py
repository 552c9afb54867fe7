"""The LLM agent: a model that calls tools, turn by turn, until it is finished or its budget is gone."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_gitgoodbench.agents.base import Attempt
from pytest_gitgoodbench.agents.calls import carry_out
from pytest_gitgoodbench.agents.conversation import Conversation
from pytest_gitgoodbench.agents.json_protocol import JsonProtocol
from pytest_gitgoodbench.agents.shell import bash_tool, finish_tool
from pytest_gitgoodbench.agents.tools_protocol import ToolsProtocol
from pytest_gitgoodbench.errors import Skip, UserError
from pytest_gitgoodbench.llm.client import (
    ContextTooLong,
    Model,
    OutOfTime,
    Reply,
    RequestRefused,
    complete,
    supports_tools,
)
from pytest_gitgoodbench.scenarios.base import Tool

MOST_IDLE = 3
"""Answers in a row without a tool call after which an attempt ends."""

SYSTEM = (
    "You are an expert in git and work alone: nobody answers questions. You act by calling tools only. "
    "Every answer must call a tool; text alone changes nothing. When the task is done, call the tool that "
    "finishes it."
)
CUT_OFF = " Your answer was cut off because it was too long: be shorter."


class LlmAgent:
    """A model with tools.

    Its attempts end with one of these in `notes["stop_reason"]`: `finished`, `max-turns`, `timeout`,
    `no-tool-call` (it kept answering without one), `context` (too long even after cutting), `cost`.
    """

    def __init__(
        self,
        model: Model,
        *,
        protocol: str | None = None,
        tools: str = "structured",
        table: Mapping[str, Any] | None = None,
    ) -> None:
        """Args:
        model: who is asked.
        protocol: `tools` (function calling), `json` (one JSON object a turn), or None: `json` where
            litellm knows that the model has no function calling.
        tools: `structured` (the scenario's own), `bash`, or `both`.
        table: the agent's settings; `system` replaces the system prompt.

        Raises:
            UserError: there is no such protocol or choice of tools.
        """
        if protocol not in (None, "tools", "json"):
            raise UserError(f"agent protocol {protocol!r}: choose tools or json")
        if tools not in ("structured", "bash", "both"):
            raise UserError(f"agent tools {tools!r}: choose structured, bash or both")
        self.model = model
        self.protocol = protocol
        self.tools = tools
        self.system = str((table or {}).get("system", SYSTEM))

    def __call__(self, attempt: Attempt) -> None:
        """Act. The reason why it stopped, its turns, tokens and cost are put into the attempt's notes.

        Raises:
            ModelUnavailable: the API stayed broken.
        """
        _Episode(self, attempt).run()

    def tools_for(self, attempt: Attempt) -> list[Tool]:
        """What the model can call; a tool that finishes is always among them."""
        found = [] if self.tools == "bash" else list(attempt.tools)
        if self.tools != "structured":
            found.append(bash_tool(attempt))
        if not any(tool.final for tool in found):
            found.append(finish_tool())
        return found

    def protocol_for(self, tools: Sequence[Tool]) -> ToolsProtocol | JsonProtocol:
        """How the model calls tools."""
        chosen = self.protocol or ("json" if supports_tools(self.model) is False else "tools")
        return JsonProtocol(tools) if chosen == "json" else ToolsProtocol(tools)


class _Episode:
    """One attempt of an LLM agent."""

    def __init__(self, agent: LlmAgent, attempt: Attempt) -> None:
        self.agent = agent
        self.attempt = attempt
        self.tools = {tool.name: tool for tool in agent.tools_for(attempt)}
        self.protocol = agent.protocol_for(list(self.tools.values()))
        self.talk = Conversation(attempt.transcript)
        self.notes = attempt.notes
        self.notes.update(
            protocol=self.protocol.name, turns=0, prompt_tokens=0, completion_tokens=0, cost=None
        )

    def run(self) -> None:
        self.talk.say("system", self.agent.system + self.protocol.instructions())
        self.talk.say("user", self.attempt.brief)
        try:
            reason = self._turns()
        except OutOfTime:
            reason = "timeout"
            self.notes["timed_out"] = True
        self.notes["stop_reason"] = reason
        self.attempt.transcript.add("event", None, event="stop", reason=reason)

    def _turns(self) -> str:
        idle = 0
        while self.notes["turns"] < self.attempt.budget.max_turns:
            if not self.attempt.budget.money_left():
                if self.notes["turns"] == 0:
                    raise Skip("the run's money (--ggb-max-cost) is spent")
                return "cost"
            try:
                reply = self._ask()
            except ContextTooLong:
                if self.talk.shorten():
                    continue
                return "context"
            self.notes["turns"] += 1
            self._count(reply)
            calls, said, problem = self.protocol.read(reply)
            self.talk.assistant(said, reply)
            if not calls:
                idle += 1
                if idle >= MOST_IDLE:
                    return "no-tool-call"
                self.talk.say("user", problem + (CUT_OFF if reply.finish_reason == "length" else ""))
                continue
            idle = 0
            finished = False
            for call in calls:
                self.attempt.budget.check_time()
                began = time.monotonic()
                answer, succeeded = carry_out(self.tools, call)
                if not succeeded and reply.finish_reason == "length":
                    answer += CUT_OFF
                self.talk.result(self.protocol.result(call, answer), time.monotonic() - began)
                finished = finished or (succeeded and self.tools[call.name].final)
            if finished:
                return "finished"
        return "max-turns"

    def _ask(self) -> Reply:
        request = self.protocol.request()
        while True:
            try:
                return self._complete(request)
            except RequestRefused as refusal:
                weaker = self.protocol.weaker()
                if weaker is None:
                    raise
                self.attempt.transcript.add("event", str(refusal), event="asked-with-weaker-format")
                request = weaker

    def _complete(self, request: Mapping[str, Any]) -> Reply:
        return complete(
            self.agent.model,
            self.talk.messages,
            remaining=self.attempt.budget.remaining,
            on_retry=lambda said, wait: self.attempt.transcript.add(
                "event", said, event="retry", wait=round(wait, 3)
            ),
            **request,
        )

    def _count(self, reply: Reply) -> None:
        usage = reply.usage
        self.notes["prompt_tokens"] += usage.prompt_tokens
        self.notes["completion_tokens"] += usage.completion_tokens
        if usage.cost is None:
            self.notes["cost_is_lower_bound"] = True
        else:
            self.attempt.budget.spend(usage.cost)
            self.notes["cost"] = (self.notes["cost"] or 0.0) + usage.cost
