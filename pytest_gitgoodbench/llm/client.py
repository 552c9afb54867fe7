"""One completion through litellm: one request a try, our own retries under the caller's deadline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_gitgoodbench.errors import ModelUnavailable


@dataclass(frozen=True)
class Model:
    """Which model, where, and how it is asked.

    Attributes:
        name: litellm's model name, e.g. `openai/gpt-4o`.
        api_base: the endpoint, None for the provider's.
        params: further litellm parameters (temperature, reasoning_effort, extra_body, ...).
        input_cost_per_token, output_cost_per_token: US$, for models without a known price.
    """

    name: str
    api_base: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    input_cost_per_token: float | None = None
    output_cost_per_token: float | None = None


@dataclass(frozen=True)
class Usage:
    """Tokens and US$ of one completion; cost is None when no price is known."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True)
class Reply:
    """A model's answer.

    Attributes:
        content: its text, "" when there is none.
        tool_calls: in the OpenAI form: `{id, type, function: {name, arguments}}`.
        finish_reason: `stop`, `length`, `tool_calls`, ...
        usage: tokens and cost.
        seconds: how long the successful try took.
        tries: how many requests were made.
        sent: the parameters that went with the request (temperature, response_format, ...), without
            messages, tools and keys; what the model does not take is not there.
    """

    content: str
    tool_calls: tuple[dict[str, Any], ...] = ()
    finish_reason: str = "stop"
    usage: Usage = Usage()
    seconds: float = 0.0
    tries: int = 1
    sent: Mapping[str, Any] = field(default_factory=dict)


class RequestRefused(ModelUnavailable):
    """The API refused the request as it is (status 400 or 422, an unsupported parameter): asking for the
    same again is hopeless, asking with fewer parameters may work."""


class ContextTooLong(Exception):
    """The model refused the request because it is too long."""


def check(model: Model) -> None:
    """Find out before the first test whether a model can be asked at all.

    Raises:
        UserError: litellm does not know the provider, or its key is missing.
    """
    raise NotImplementedError


def supports_tools(model: Model) -> bool | None:
    """Whether litellm knows that the model has function calling; None when it does not know it."""
    raise NotImplementedError


def supports_schema(model: Model) -> bool | None:
    """Whether litellm knows that the model has JSON-schema answers; None when it does not know it."""
    raise NotImplementedError


def complete(
    model: Model,
    messages: Sequence[Mapping[str, Any]],
    *,
    tools: Sequence[Mapping[str, Any]] | None = None,
    response_format: Mapping[str, Any] | None = None,
    params: Mapping[str, Any] | None = None,
    remaining: Callable[[], float] = lambda: 600.0,
    on_retry: Callable[[str, float], None] | None = None,
) -> Reply:
    """Ask a model once, trying again while the fault is a passing one and time remains.

    Args:
        model: which model.
        messages: in the OpenAI chat form.
        tools: in the OpenAI form.
        response_format: `{"type": "json_schema", ...}` or `{"type": "json_object"}`.
        params: parameters of this request, over the model's.
        remaining: seconds left; asked before each try and used as its time limit.
        on_retry: told the fault and the seconds until the next try.

    Raises:
        RequestRefused: the API does not take this request (a parameter, a response format).
        ModelUnavailable: the API stayed broken, or refused (key, permission, unknown model).
        ContextTooLong: the request is too long for the model.
        OutOfTime: the time is over (`agents.budget.OutOfTime` is this class).
    """
    raise NotImplementedError


class OutOfTime(Exception):
    """The caller's time is over."""
