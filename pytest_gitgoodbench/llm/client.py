"""One completion through litellm: one request a try, our own retries under the caller's deadline."""

from __future__ import annotations

import contextlib
import email.utils
import logging
import os
import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pytest_gitgoodbench.errors import ModelUnavailable, UserError
from pytest_gitgoodbench.llm.redact import redact, shown_parameters

MOST_TRIES = 6
_PLACEHOLDER_KEY = "none"
# Servers of one's own say it in words that litellm does not know all of (llama.cpp: "available context size").
_TOO_LONG = re.compile(
    r"(?:exceed|maximum|too long|larger).{0,80}context|context.{0,40}(?:exceed|too long)", re.I
)


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
    lib = _litellm()
    if not model.name.strip():
        raise UserError("no model is named")
    try:
        lib.get_llm_provider(model.name, api_base=model.api_base)
    except Exception:
        raise UserError(
            f"{model.name!r} is no agent, baseline, MODULE:ATTRIBUTE, cmd:COMMAND or litellm model: litellm does "
            "not know its provider (models look like openai/gpt-4o)"
        ) from None
    if model.api_base or model.params.get("api_key"):
        return
    found = lib.validate_environment(model.name)
    if not found.get("keys_in_environment") and found.get("missing_keys"):
        raise UserError(f"{model.name} needs {' or '.join(found['missing_keys'])} in the environment")


def supports_tools(model: Model) -> bool | None:
    """Whether litellm knows that the model has function calling; None when it does not know it."""
    return _knows(model, "supports_function_calling")


def supports_schema(model: Model) -> bool | None:
    """Whether litellm knows that the model has JSON-schema answers; None when it does not know it."""
    return _knows(model, "supports_response_schema")


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
    lib = _litellm()
    sent = {**model.params, **(params or {})}
    if response_format is not None:
        sent["response_format"] = dict(response_format)
    request: dict[str, Any] = {"model": model.name, "messages": [dict(entry) for entry in messages], **sent}
    if tools:
        request["tools"] = [dict(tool) for tool in tools]
    if model.api_base:
        request["api_base"] = model.api_base
        if "api_key" not in request and not _has_key(lib, model):
            request["api_key"] = _PLACEHOLDER_KEY
    for attempt in range(1, MOST_TRIES + 1):
        left = remaining()
        if left <= 0:
            raise OutOfTime
        began = time.monotonic()
        try:
            # One request a try: litellm's own retries multiply requests and repeat hopeless ones.
            answer = lib.completion(**request, timeout=max(left, 0.1), max_retries=0, num_retries=0)
            return _reply(lib, model, answer, time.monotonic() - began, attempt, sent)
        except Exception as error:
            said = _said(error, request.get("api_key"))
            fault = _fault(lib, model, error, said)
            if fault is not None:
                raise fault from None
            if remaining() <= 0:
                raise OutOfTime from None
            if attempt == MOST_TRIES:
                raise ModelUnavailable(f"{model.name}: {said} ({attempt} tries)") from None
            wait = _wait(error, attempt)
            if wait >= remaining():
                raise OutOfTime from None
            if on_retry is not None:
                on_retry(said, wait)
            time.sleep(wait)
    raise AssertionError("unreachable")


class OutOfTime(Exception):
    """The caller's time is over."""


@cache
def _litellm() -> Any:
    """litellm, imported when it is first needed: it costs seconds and wants to fetch a price list."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "openai"):
        logging.getLogger(name).setLevel(logging.ERROR)
    return litellm


def _knows(model: Model, question: str) -> bool | None:
    lib = _litellm()
    try:
        lib.get_model_info(model.name)
    except Exception:
        return None
    return bool(getattr(lib, question)(model.name))


def _has_key(lib: Any, model: Model) -> bool:
    try:
        return bool(lib.validate_environment(model.name).get("keys_in_environment"))
    except Exception:
        return False


def _fault(lib: Any, model: Model, error: Exception, said: str) -> Exception | None:
    """What to raise for an error that will not pass, None for one that may."""
    kinds = lib.exceptions
    if isinstance(error, kinds.ContextWindowExceededError):
        return ContextTooLong(said)
    if isinstance(error, kinds.AuthenticationError | kinds.PermissionDeniedError | kinds.NotFoundError):
        return ModelUnavailable(f"{model.name}: {said}")
    refused = (kinds.BadRequestError, kinds.UnsupportedParamsError, kinds.UnprocessableEntityError)
    if isinstance(error, refused) and _TOO_LONG.search(str(error)):
        return ContextTooLong(said)
    if isinstance(error, refused):
        return RequestRefused(f"{model.name}: {said}")
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and 400 <= status < 500 and status not in (408, 409, 425, 429):
        return ModelUnavailable(f"{model.name}: {said}")
    passing = (
        kinds.RateLimitError,
        kinds.Timeout,
        kinds.APIConnectionError,
        kinds.ServiceUnavailableError,
        kinds.InternalServerError,
        kinds.APIError,
    )
    return None if isinstance(error, passing) else ModelUnavailable(f"{model.name}: {said}")


def _said(error: Exception, key: str | None) -> str:
    """The first line of an error without secrets, shortened last: half a secret is not recognized."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return redact(lines[0], also=(key,) if key and key != _PLACEHOLDER_KEY else ())[:300]


def _wait(error: Exception, attempt: int) -> float:
    """Seconds until the next try: as the server says, else doubling with some chance in it."""
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", None) or getattr(error, "headers", None) or {}
    told = headers.get("retry-after") if hasattr(headers, "get") else None
    if told:
        with contextlib.suppress(ValueError, TypeError, OverflowError):
            if re.fullmatch(r"[0-9.]+", told.strip()):
                return float(told)
            return max(0.0, email.utils.parsedate_to_datetime(told).timestamp() - time.time())
    return float(min(60.0, 0.5 * 2.0**attempt) * random.uniform(0.5, 1.0))  # noqa: S311


def _reply(lib: Any, model: Model, answer: Any, seconds: float, tries: int, sent: Mapping[str, Any]) -> Reply:
    choice = answer.choices[0]
    message = choice.message
    calls = tuple(
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.function.name or "", "arguments": call.function.arguments or ""},
        }
        for call in (getattr(message, "tool_calls", None) or ())
    )
    usage = getattr(answer, "usage", None)
    prompt = int(getattr(usage, "prompt_tokens", 0) or 0)
    completion = int(getattr(usage, "completion_tokens", 0) or 0)
    return Reply(
        content=message.content or "",
        tool_calls=calls,
        finish_reason=choice.finish_reason or "stop",
        usage=Usage(prompt, completion, _cost(lib, model, answer, prompt, completion)),
        seconds=seconds,
        tries=tries,
        sent=shown_parameters(sent),
    )


def _cost(lib: Any, model: Model, answer: Any, prompt: int, completion: int) -> float | None:
    """US$ of an answer; None where nobody knows the price (a price of nothing is not believed either)."""
    if model.input_cost_per_token is not None and model.output_cost_per_token is not None:
        return prompt * model.input_cost_per_token + completion * model.output_cost_per_token
    try:
        cost = lib.completion_cost(answer, model=model.name)
    except Exception:
        return None
    return float(cost) or None
