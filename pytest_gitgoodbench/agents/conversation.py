"""What a model and its tools have said so far, and how it is cut when it grows too long."""

from __future__ import annotations

from typing import Any

from pytest_gitgoodbench.agents.transcript import Transcript
from pytest_gitgoodbench.llm.client import Reply

MARK = (
    "[This earlier result was removed because the conversation grew too long. Call the tool again if needed.]"
)


class Conversation:
    """The messages as they are sent; everything is written to the transcript as it was said.

    Too long a conversation is cut like this: of the tool results that are still whole, the older half (at least
    one, never the newest) is replaced by `MARK`, and the transcript says which.
    """

    def __init__(self, transcript: Transcript) -> None:
        self.messages: list[dict[str, Any]] = []
        self._transcript = transcript
        self._results: list[int] = []

    def say(self, role: str, content: str) -> None:
        """Add a message of ours."""
        self.messages.append({"role": role, "content": content})
        self._transcript.add(role, content)

    def assistant(self, message: dict[str, Any], reply: Reply) -> None:
        """Add the model's answer: `message` is what is sent from now on."""
        self.messages.append(message)
        fields: dict[str, Any] = {"tool_calls": list(reply.tool_calls)} if reply.tool_calls else {}
        usage = reply.usage
        self._transcript.add(
            "assistant",
            reply.content or None,
            **fields,
            usage={
                "prompt_tokens": usage.prompt_tokens,
                "completion_tokens": usage.completion_tokens,
                "cost": usage.cost,
            },
            duration=round(reply.seconds, 3),
            finish_reason=reply.finish_reason,
            tries=reply.tries,
            sent=dict(reply.sent),
        )

    def result(self, message: dict[str, Any], seconds: float) -> None:
        """Add a tool's answer."""
        self._results.append(len(self.messages))
        self.messages.append(message)
        fields = {key: value for key, value in message.items() if key not in ("role", "content")}
        self._transcript.add(message["role"], message["content"], duration=round(seconds, 3), **fields)

    def shorten(self) -> bool:
        """Cut the conversation; False when there is nothing left to cut."""
        whole = [index for index in self._results[:-1] if len(self.messages[index]["content"]) > len(MARK)]
        chosen = whole[: (len(whole) + 1) // 2]
        for index in chosen:
            self.messages[index] = {**self.messages[index], "content": MARK}
        if chosen:
            self._transcript.add("event", None, event="context-cut", messages=chosen, replaced_by=MARK)
        return bool(chosen)
