"""The figures of a run, made from its records: rates by group, trials, judging, spending, reasons."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_gitgoodbench.dataset.sample import DIFFICULTIES
from pytest_gitgoodbench.runs.record import Record
from pytest_gitgoodbench.runs.stats import effective_size, pass_at_k, wilson

PROTOCOLS = ("strict", "paper")
DIMENSIONS = ("scenario", "language", "difficulty")
_ORDER = ("merge", "rebase", "commit", *DIFFICULTIES)


@dataclass(frozen=True)
class Rate:
    """A share of attempts with its 95 % Wilson interval.

    Attributes:
        count, total: how many, of how many attempts.
        low, high: the interval. Trials of one scenario do not count as independent.
    """

    count: int
    total: int
    low: float
    high: float

    @property
    def share(self) -> float | None:
        """None without attempts."""
        return self.count / self.total if self.total else None


@dataclass(frozen=True)
class Group:
    """The rates of some attempts. Skipped ones are no attempts and count nowhere else.

    Attributes:
        attempts: how many took place.
        skipped: how many did not.
        strict, paper: solved attempts over all attempts, by either protocol; an infrastructure error is
            not solved, as in the paper.
        success: attempts without an infrastructure error over all attempts.
    """

    attempts: int
    skipped: int
    strict: Rate
    paper: Rate
    success: Rate

    def solved(self, protocol: str) -> Rate:
        """The solve rate by one protocol."""
        return self.paper if protocol == "paper" else self.strict


def took_place(records: Iterable[Record]) -> list[Record]:
    """The records of attempts, without those that were skipped."""
    return [record for record in records if record.outcome != "skipped"]


def is_solved(record: Record, protocol: str) -> bool:
    """Whether an attempt is solved by a protocol; an infrastructure error never is."""
    return record.judged and bool(record.paper if protocol == "paper" else record.strict)


def group(records: Sequence[Record]) -> Group:
    """The rates of some records."""
    attempts = took_place(records)
    return Group(
        attempts=len(attempts),
        skipped=len(records) - len(attempts),
        strict=_rate(attempts, lambda record: is_solved(record, "strict")),
        paper=_rate(attempts, lambda record: is_solved(record, "paper")),
        success=_rate(attempts, lambda record: record.judged),
    )


def by(records: Iterable[Record], dimension: str) -> dict[str, Group]:
    """The rates by scenario, language or difficulty, in the order in which they are reported."""
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(getattr(record, dimension), []).append(record)
    return {name: group(found[name]) for name in sorted(found, key=_place)}


def _place(name: str) -> tuple[int, str]:
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)


def _rate(attempts: Sequence[Record], holds: Callable[[Record], bool]) -> Rate:
    clusters: dict[str, list[int]] = {}
    for record in attempts:
        cluster = clusters.setdefault(record.place, [0, 0])
        cluster[0] += holds(record)
        cluster[1] += 1
    count = sum(successes for successes, _ in clusters.values())
    size = effective_size((successes, number) for successes, number in clusters.values())
    share = count / len(attempts) if attempts else 0.0
    return Rate(count, len(attempts), *wilson(share * size, size))


@dataclass(frozen=True)
class Trials:
    """What repeating each scenario shows.

    Attributes:
        scenarios: how many were tried more than once.
        always, sometimes, never: how many of those were solved in all, some, none of their trials.
        pass_at: pass@k by k, the mean over all scenarios with at least k trials.
    """

    scenarios: int
    always: int
    sometimes: int
    never: int
    pass_at: dict[int, float]


def trials(records: Iterable[Record], protocol: str) -> Trials | None:
    """The figures of repeated trials; None when nothing was tried twice."""
    tried: dict[str, list[bool]] = {}
    for record in took_place(records):
        tried.setdefault(record.place, []).append(is_solved(record, protocol))
    repeated = [results for results in tried.values() if len(results) > 1]
    if not repeated:
        return None
    most = max(len(results) for results in repeated)
    pass_at = {}
    for k in range(1, most + 1):
        enough = [results for results in tried.values() if len(results) >= k]
        pass_at[k] = sum(pass_at_k(len(results), sum(results), k) for results in enough) / len(enough)
    return Trials(
        scenarios=len(repeated),
        always=sum(all(results) for results in repeated),
        sometimes=sum(any(results) and not all(results) for results in repeated),
        never=sum(not any(results) for results in repeated),
        pass_at=pass_at,
    )


@dataclass(frozen=True)
class Judging:
    """What the judges' answers show of the judges.

    Attributes:
        attempts: how many were judged by asking.
        answers: how many answers there are, and how many of them are ties.
        pairs: how often the same judge was asked in both orders.
        disagreements: how often the two orders gave different answers (position bias).
    """

    attempts: int
    answers: int
    ties: int
    pairs: int
    disagreements: int


def judging(records: Iterable[Record]) -> Judging | None:
    """The figures of the judges; None when none was asked."""
    asked = [record for record in records if record.answers]
    if not asked:
        return None
    pairs: dict[tuple[str, Any, Any], list[Any]] = {}
    for record in asked:
        for answer in record.answers:
            key = (record.id, answer.get("judge"), answer.get("vote"))
            pairs.setdefault(key, []).append(answer.get("preferred"))
    both = [sides for sides in pairs.values() if len(sides) > 1]
    answers = [answer for record in asked for answer in record.answers]
    return Judging(
        attempts=len(asked),
        answers=len(answers),
        ties=sum(answer.get("preferred") == "tie" for answer in answers),
        pairs=len(both),
        disagreements=sum(len(set(sides)) > 1 for sides in both),
    )


@dataclass
class Spending:
    """Tokens and US$.

    Attributes:
        complete: whether every price is known; if not, `cost` is a lower bound.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    complete: bool = True

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def add(self, usage: Any) -> None:
        """Add what an agent noted or a judge reported; a cached answer cost nothing this time."""
        if not isinstance(usage, dict) or usage.get("cached"):
            return
        prompt, completion = _number(usage.get("prompt_tokens")), _number(usage.get("completion_tokens"))
        self.prompt_tokens += int(prompt or 0)
        self.completion_tokens += int(completion or 0)
        cost = _number(usage.get("cost"))
        if cost is not None:
            self.cost += cost
        elif prompt or completion:
            self.complete = False
        if usage.get("cost_is_lower_bound"):
            self.complete = False


def _number(value: Any) -> float | None:
    return None if isinstance(value, bool) or not isinstance(value, int | float) else max(0.0, value)


@dataclass
class Costs:
    """What a run used, all its attempts included, also those that were run again later."""

    agent: Spending = field(default_factory=Spending)
    judge: Spending = field(default_factory=Spending)
    seconds: float = 0.0

    @property
    def cost(self) -> float:
        return self.agent.cost + self.judge.cost

    @property
    def complete(self) -> bool:
        return self.agent.complete and self.judge.complete

    @property
    def tokens(self) -> int:
        return self.agent.tokens + self.judge.tokens

    def add(self, record: Record, *, judge_only: bool = False) -> None:
        """Add what one attempt used; `judge_only`: what its agent did is counted already."""
        for answer in record.answers:
            self.judge.add(answer.get("usage"))
        if not judge_only:
            self.agent.add(record.agent_notes)
            self.seconds += sum(_number(seconds) or 0.0 for seconds in record.seconds.values())


def costs(history: Iterable[Record]) -> Costs:
    """What all the records of a run used, replaced ones included."""
    total = Costs()
    counted = set()
    for record in history:
        # An attempt that was only judged again has its start unchanged.
        attempt = (record.id, record.started)
        total.add(record, judge_only=attempt in counted)
        counted.add(attempt)
    return total


@dataclass(frozen=True)
class Reason:
    """A kind of reason: what it is called, how often it was the first one, and one of them in full."""

    name: str
    count: int
    example: str


def reasons(records: Iterable[Record], most: int = 5) -> list[Reason]:
    """The most frequent first reasons why attempts are not solved (or are errors)."""
    counts: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for record in took_place(records):
        if record.outcome == "solved" or not record.reasons:
            continue
        first = record.reasons[0]
        name = _kind(first) if record.judged else f"error: {_kind(first)}"
        counts[name] += 1
        examples.setdefault(name, first)
    return [Reason(name, count, examples[name]) for name, count in counts.most_common(most)]


def _kind(reason: str) -> str:
    """What reasons of the same kind have in common: a check's name, or the text without particulars."""
    name, colon, _ = reason.partition(":")
    if colon and re.fullmatch(r"[a-z][a-z-]*", name):
        return name
    text = re.sub(r"\b[\w.-]+/[\w./-]+", "…", reason)
    return re.sub(r"\b(?:[0-9a-f]{7,64}|\d+(?:\.\d+)?)\b", "…", text)[:100]
