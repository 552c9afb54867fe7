"""What a judge is, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from pytest_gitgoodbench.scenarios.base import History

Preferred = Literal["HISTORY-1", "HISTORY-2", "TIE"]
Side = Literal["agent", "original", "tie"]


@dataclass(frozen=True)
class Question:
    """Two histories of the same change, in the order in which the judge sees them.

    Attributes:
        first: shown as HISTORY-1, oldest commit first.
        second: shown as HISTORY-2.
        language: the project's programming language.
        scenario: `rebase` or `commit`.
        vote: which repetition of the same question this is, from 1.
        trial: which trial of the attempt, from 1; part of what a cached answer is kept under.
    """

    first: History
    second: History
    language: str
    scenario: str
    vote: int = 1
    trial: int = 1


@dataclass(frozen=True)
class Opinion:
    """A judge's answer to one question.

    Attributes:
        preferred: the better history.
        reason: why, in the judge's words.
        usage: tokens and cost in US$ where it used an LLM: `prompt_tokens`, `completion_tokens`,
            `cost` (None: the model has no price), `cached` (bool).
    """

    preferred: Preferred
    reason: str
    usage: dict[str, object] | None = None


@runtime_checkable
class Judge(Protocol):
    """Decides which of two histories is better, blind.

    Raises JudgeUnavailable (or another InfrastructureError) when it has no usable answer.
    """

    @property
    def name(self) -> str:
        """Shown in header, summary and records."""

    def __call__(self, question: Question) -> Opinion: ...


@dataclass(frozen=True)
class Answer:
    """One opinion with the order undone.

    Attributes:
        judge: the judge's name.
        preferred: `agent`, `original` or `tie`.
        agent_first: whether the agent's history was shown as HISTORY-1.
        reason, vote, usage: as in `Question` and `Opinion`.
    """

    judge: str
    preferred: Side
    reason: str
    agent_first: bool
    vote: int = 1
    usage: dict[str, object] | None = None

    @property
    def explained(self) -> str:
        """The reason, with who is who where it speaks of HISTORY-1 and HISTORY-2."""
        names = ("the agent's", "the original") if self.agent_first else ("the original", "the agent's")
        text = self.reason
        for number, name in enumerate(names, 1):
            text = text.replace(f"HISTORY-{number}", f"HISTORY-{number} ({name})", 1)
        return text


@dataclass(frozen=True)
class Judgement:
    """All answers about one attempt, and their score.

    Attributes:
        score: mean over the answers: agent preferred 1, tie 0.5, original 0.
        answers: empty when no judge had to be asked.
        note: why no judge was asked, e.g. "equal to the original history".
    """

    score: float
    answers: tuple[Answer, ...] = ()
    note: str = ""

    @property
    def position_bias(self) -> bool | None:
        """Whether the two orders disagree; None without answers."""
        if not self.answers:
            return None
        by_vote: dict[tuple[str, int], set[str]] = {}
        for answer in self.answers:
            by_vote.setdefault((answer.judge, answer.vote), set()).add(answer.preferred)
        return any(len(sides) > 1 for sides in by_vote.values())
