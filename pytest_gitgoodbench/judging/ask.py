"""Asking judges about two histories: both orders, votes, panels, and the mean of the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from pytest_gitgoodbench.errors import InfrastructureError, JudgeUnavailable
from pytest_gitgoodbench.judging.base import Answer, Judge, Judgement, Opinion, Preferred, Question, Side
from pytest_gitgoodbench.judging.visible import visible
from pytest_gitgoodbench.scenarios.base import History

EQUAL = "equal to the original history"
EMPTY = "no commits to compare"
TOLERANCE = 1e-9
"""A mean of a third and two thirds is no exact number."""
LONGEST_REASON = 4000

Spend = Callable[[float], None]
"""Told the US$ of each answer, so that judges count in the run's budget."""


@dataclass(frozen=True)
class _Plan:
    """One question to one judge."""

    judge: Judge
    agent_first: bool
    vote: int


def judge_histories(
    judges: Sequence[Judge],
    agent_history: History,
    original_history: History,
    *,
    language: str,
    scenario: str,
    votes: int = 1,
    trial: int = 1,
    spend: Spend | None = None,
) -> Judgement:
    """Let judges compare an agent's history with the original one (DESIGN, "Verdicts").

    An empty history loses and an equal one (same trees and messages in the same order) is a tie; neither
    costs a call. Otherwise every judge is asked in both orders, `votes` times each.

    Args:
        judges: at least one.
        votes: how often each is asked in each order.
        trial: which trial of the attempt this is; answers of one trial are not another's.
        spend: told what each answer cost.

    Raises:
        JudgeUnavailable: a judge gave no usable answer. Then there is no judgement: an attempt that a part
            of the panel has judged would not be comparable with the others.
    """
    if not agent_history:
        return Judgement(0.0, note=EMPTY)
    if same(agent_history, original_history):
        return Judgement(0.5, note=EQUAL)
    answers = []
    for plan in _plans(judges, votes):
        pair = (agent_history, original_history)
        first, second = pair if plan.agent_first else pair[::-1]
        question = Question(first, second, language, scenario, plan.vote, trial)
        opinion = _ask(plan.judge, question, spend)
        answers.append(
            Answer(
                judge=plan.judge.name,
                preferred=_side(opinion.preferred, plan.agent_first),
                reason=visible(opinion.reason)[:LONGEST_REASON],
                agent_first=plan.agent_first,
                vote=plan.vote,
                usage=opinion.usage,
            )
        )
    return Judgement(score_of(answers), tuple(answers))


def score_of(answers: Sequence[Answer]) -> float:
    """The mean over answers: agent preferred 1, tie 0.5, original 0."""
    points = {"agent": 1.0, "tie": 0.5, "original": 0.0}
    return sum(points[answer.preferred] for answer in answers) / len(answers)


def is_solved(score: float, threshold: float) -> bool:
    """Whether a score is good enough."""
    return score >= threshold - TOLERANCE


def same(one: History, other: History) -> bool:
    """Whether two histories have the same trees and messages in the same order.

    White space at the end of lines and messages does not count: git itself takes it away in most
    ways to commit, and no judge could see it.
    """
    return _identity(one) == _identity(other)


def _identity(history: History) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (commit.tree, tuple(line.rstrip() for line in commit.message.strip().split("\n")))
        for commit in history
    ]


def _plans(judges: Sequence[Judge], votes: int) -> Iterator[_Plan]:
    for judge in judges:
        for vote in range(1, votes + 1):
            for agent_first in (True, False):
                yield _Plan(judge, agent_first, vote)


def _side(preferred: Preferred, agent_first: bool) -> Side:
    if preferred == "TIE":
        return "tie"
    return "agent" if (preferred == "HISTORY-1") == agent_first else "original"


def _ask(judge: Judge, question: Question, spend: Spend | None) -> Opinion:
    try:
        opinion = judge(question)
    except InfrastructureError as error:
        _pay(getattr(error, "usage", None), spend)
        raise
    except Exception as error:
        # A judge of somebody's own that breaks says nothing about the agent.
        raise JudgeUnavailable(f"judge {judge.name}: {type(error).__name__}: {error}") from error
    if (
        not isinstance(opinion, Opinion)
        or opinion.preferred not in get_args(Preferred)
        or not isinstance(opinion.reason, str)
    ):
        raise JudgeUnavailable(f"judge {judge.name}: {opinion!r:.200} is no Opinion")
    _pay(opinion.usage, spend)
    return opinion


def _pay(usage: object, spend: Spend | None) -> None:
    cost = usage.get("cost") if isinstance(usage, Mapping) else None
    if spend is not None and isinstance(cost, int | float) and cost > 0:
        spend(float(cost))
