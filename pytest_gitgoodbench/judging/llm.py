"""The LLM judge: asks a model which history is better, in the form of answer that the model can give."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pytest_gitgoodbench.errors import JudgeUnavailable, ModelUnavailable
from pytest_gitgoodbench.judging.answer import Unusable, read_answer
from pytest_gitgoodbench.judging.base import Opinion, Question
from pytest_gitgoodbench.judging.cache import AnswerCache, key_of
from pytest_gitgoodbench.judging.prompt import (
    ANSWER_SCHEMA,
    BRIEF_SCHEMA,
    PROMPT_VERSION,
    TOKEN_BUDGET,
    Prompt,
    prompt_for,
    repair_request,
)
from pytest_gitgoodbench.llm import client
from pytest_gitgoodbench.llm.client import ContextTooLong, Model, OutOfTime, Reply, RequestRefused

SECONDS = 600.0
"""One question has so long, retries and the repair round included."""
SMALLEST_BUDGET = 700
"""A model whose context is too small for so few tokens cannot judge."""


def _as_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": schema}}


_SCHEMA = _as_format(ANSWER_SCHEMA)
_JSON = {"type": "json_object"}
# What else may stand behind these names is a secret, or does not change an answer.
_NO_DETERMINANTS = frozenset({"api_key", "timeout", "max_retries"})
_ENDPOINT_VARIABLE = re.compile(r"_(API_BASE|BASE_URL|API_VERSION)\Z")


class UnusableAnswer(JudgeUnavailable):
    """A model gave no answer that says which history is better; what it used has to be paid all the same."""

    def __init__(self, message: str, usage: Mapping[str, object]) -> None:
        super().__init__(message)
        self.usage = usage


@dataclass(frozen=True)
class _Way:
    """One way to ask: parameters over the model's own, and the form of the answer."""

    params: Mapping[str, Any]
    response_format: Mapping[str, Any] | None

    @property
    def schema(self) -> bool:
        """Whether the model answers by a schema."""
        return self.response_format is _SCHEMA


@dataclass
class _Bill:
    """What the rounds of one question used."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    rounds: int = 0
    sent: Mapping[str, Any] = field(default_factory=dict)

    def add(self, reply: Reply) -> None:
        usage = reply.usage
        self.rounds += 1
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        # One round without a price makes the sum unknown, not smaller.
        self.cost = None if self.cost is None or usage.cost is None else self.cost + usage.cost
        self.sent = reply.sent

    def as_usage(self, **more: object) -> dict[str, object]:
        sent = {
            name: value.get("type") if isinstance(value, Mapping) and name == "response_format" else value
            for name, value in self.sent.items()
        }
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cost": self.cost,
            "cached": False,
            "rounds": self.rounds,
            "sent": sent,
            **more,
        }


class LlmJudge:
    """A judge that is a model.

    Attributes:
        name: shown in header, summary and records.
        model: which model.
        token_budget: both histories together, in tokens of four characters.
        params: parameters over the model's own: temperature 0 unless the user set one for the judge.
    """

    def __init__(
        self,
        model: Model,
        *,
        name: str | None = None,
        cache: AnswerCache | None = None,
        token_budget: int = TOKEN_BUDGET,
        params: Mapping[str, Any] | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self.name = name or model.name
        self.model = model
        self.token_budget = token_budget
        self.params: Mapping[str, Any] = {"temperature": 0} if params is None else params
        self._cache = cache
        self._seconds = seconds
        self._way: _Way | None = None

    @property
    def description(self) -> str:
        """For the header: the name, and the model behind it where that is another."""
        shown = self.name if self.name == self.model.name else f"{self.name} ({self.model.name})"
        return f"{shown} at {self.endpoint}" if self.endpoint else shown

    @property
    def endpoint(self) -> str | None:
        """Where the model is, as it may be shown: no password or key in the URL; None: the provider's."""
        if not self.model.api_base:
            return None
        url = urlsplit(self.model.api_base)
        return urlunsplit((url.scheme, url.netloc.rpartition("@")[2], url.path, "", ""))

    def __call__(self, question: Question) -> Opinion:
        """Ask, or take the answer from the cache.

        Raises:
            UnusableAnswer: the model's answer and its repair say nothing.
            JudgeUnavailable: the model cannot be asked.
        """
        prompt = prompt_for(question, self.token_budget)
        key = self._key(question, prompt)
        known = None if self._cache is None else self._cache.get(key)
        if known is not None:
            return known
        opinion = self._ask(question, prompt)
        if self._cache is not None:
            self._cache.put(key, opinion)
        return opinion

    def _key(self, question: Question, prompt: Prompt) -> str:
        """Everything that determines an answer: model, endpoint, full request, prompt, order, vote, trial."""
        base = self.model.api_base
        endpoint: object = base
        if base is None:
            endpoint = {name: os.environ[name] for name in os.environ if _ENDPOINT_VARIABLE.search(name)}
        params = {**self.model.params, **self.params}
        return key_of(
            {
                "model": self.model.name,
                "endpoint": endpoint,
                "params": {name: params[name] for name in params if name not in _NO_DETERMINANTS},
                "schema": ANSWER_SCHEMA,
                "prompt_version": PROMPT_VERSION,
                "messages": prompt.messages,
                "token_budget": self.token_budget,
                # The whole histories, in their order: what is left out of the request counts as well.
                "histories": [
                    [(commit.message, commit.diff) for commit in side]
                    for side in (question.first, question.second)
                ],
                "vote": question.vote,
                "trial": question.trial,
            }
        )

    def _ask(self, question: Question, prompt: Prompt) -> Opinion:
        deadline = time.monotonic() + self._seconds
        bill = _Bill()
        tokens = self.token_budget
        try:
            while True:
                try:
                    return self._two_rounds(prompt, bill, deadline, tokens)
                except ContextTooLong as error:
                    # Both sides are cut alike, so neither gains by it.
                    tokens //= 2
                    if tokens < SMALLEST_BUDGET:
                        raise ModelUnavailable(f"its context is too small: {error}") from error
                    prompt = prompt_for(question, tokens)
        except OutOfTime as error:
            raise self._unusable(f"no answer within {self._seconds:g} s", bill) from error
        except ModelUnavailable as error:
            raise self._unusable(str(error), bill) from error

    def _two_rounds(self, prompt: Prompt, bill: _Bill, deadline: float, tokens: int) -> Opinion:
        messages: list[Mapping[str, Any]] = list(prompt.messages)
        said: list[str] = []
        cut_off = False
        for repaired in (False, True):
            reply = self._complete(messages, deadline, brief=cut_off)
            bill.add(reply)
            said.append(reply.content)
            try:
                preferred, reason = read_answer(reply.content)
            except Unusable as error:
                cut_off = reply.finish_reason == "length"
                problem = f"{error}, and it was cut off" if cut_off else str(error)
                messages += [
                    {"role": "assistant", "content": reply.content[:2000] or "(nothing)"},
                    {"role": "user", "content": repair_request(problem, brief=cut_off)},
                ]
            else:
                usage = bill.as_usage(repaired=repaired, shortened=not prompt.complete, budget=tokens)
                return Opinion(preferred, reason or " ".join(said[0].split())[:500], usage)
        limit = " (cut off by the limit of tokens: raise max_tokens)" if cut_off else ""
        last = " ".join(said[-1].split())[:200]
        raise self._unusable(f"no usable answer in two rounds{limit}; the last one: {last!r}", bill)

    def _unusable(self, problem: str, bill: _Bill) -> UnusableAnswer:
        return UnusableAnswer(f"judge {self.name}: {problem}", bill.as_usage())

    def _complete(self, messages: Sequence[Mapping[str, Any]], deadline: float, *, brief: bool) -> Reply:
        """Ask in the best way that the model takes, which is found out once.

        Providers refuse what they do not have (temperature: o3, gpt-5; schemas: many), and what litellm
        knows of them is not what they do, so a refused request is tried with less.
        """
        refusal: RequestRefused | None = None
        for way in [self._way] if self._way is not None else list(self._ways()):
            if refusal is not None and _still_refused(refusal, way):
                continue
            try:
                reply = client.complete(
                    self.model,
                    messages,
                    response_format=_as_format(BRIEF_SCHEMA) if brief and way.schema else way.response_format,
                    params=way.params,
                    remaining=lambda: max(0.0, deadline - time.monotonic()),
                )
            except RequestRefused as error:
                refusal = error
                continue
            self._way = way
            return reply
        assert refusal is not None
        raise refusal

    def _ways(self) -> Iterator[_Way]:
        known = client.supports_schema(self.model)
        formats = [_JSON, None] if known is False else [_SCHEMA, _JSON, None]
        without = {name: value for name, value in self.params.items() if name != "temperature"}
        for params in [self.params, without] if "temperature" in self.params else [self.params]:
            for response_format in formats:
                yield _Way(params, response_format)


def _still_refused(refusal: RequestRefused, way: _Way) -> bool:
    """Whether another way only repeats what was refused: the message names the temperature."""
    return "temperature" in str(refusal).lower() and "temperature" in way.params
