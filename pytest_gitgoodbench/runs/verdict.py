"""The verdict: checks and judgement of one attempt put together, by both protocols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_gitgoodbench.judging.base import Judgement
from pytest_gitgoodbench.runs.record import Record
from pytest_gitgoodbench.scenarios.base import Check, Evaluation


@dataclass(frozen=True)
class Ruling:
    """What one protocol says.

    Attributes:
        solved: whether the attempt is solved.
        reasons: why not, a line each; empty when solved.
    """

    solved: bool
    reasons: tuple[str, ...]


def judge_is_due(evaluation: Evaluation) -> bool:
    """Whether the judge's score can change what either protocol says (DESIGN, "Verdicts").

    A history that fails the published protocol's own rules fails the strict ones too, so asking a judge
    about it would only cost money.
    """
    return evaluation.histories is not None and all(
        check.passed for check in evaluation.checks if check.paper
    )


def rule(protocol: str, evaluation: Evaluation, judgement: Judgement | None, threshold: float) -> Ruling:
    """Decide one protocol.

    Args:
        protocol: `strict` or `paper`; for the latter only the checks count that the published
            evaluation makes.
        judgement: None where no judge had to be asked.
        threshold: the score from which a history counts as at least as good as was asked for, 0 to 1.
    """
    checks: Sequence[Check] = [check for check in evaluation.checks if protocol == "strict" or check.paper]
    reasons = [f"{check.name}: {check.detail}" for check in checks if not check.passed]
    if evaluation.histories is not None:
        if judgement is not None:
            if judgement.score < threshold - 1e-9:
                reasons.append(_why(judgement, threshold))
        elif not reasons:
            reasons.append("judge: not asked")
    return Ruling(not reasons, tuple(reasons))


def _why(judgement: Judgement, threshold: float) -> str:
    head = f"judge: score {judgement.score:.2f} is below the threshold {threshold:.2f}"
    if judgement.note:
        return f"{head} ({judgement.note})"
    against = [answer for answer in judgement.answers if answer.preferred != "agent"]
    said = "; ".join(
        f"{answer.judge} preferred the {answer.preferred} history"
        if answer.preferred != "tie"
        else f"{answer.judge} saw a tie"
        for answer in against[:2]
    )
    reason = next((answer.reason for answer in against if answer.reason), "")
    return f"{head}: {said}" + (f": {reason[:300]}" if reason else "")


@dataclass(frozen=True)
class Verdict:
    """The outcome of an attempt and its reasons.

    Attributes:
        record: everything that is recorded of the attempt.
        protocol: which protocol decides, `strict` or `paper`.
    """

    record: Record
    protocol: str

    @property
    def solved(self) -> bool:
        """Whether the attempt is solved by the protocol in force."""
        return self.record.outcome == "solved"

    @property
    def strict(self) -> bool | None:
        """Whether it is solved by this project's rules."""
        return self.record.strict

    @property
    def paper(self) -> bool | None:
        """Whether it is solved by the published rules."""
        return self.record.paper

    def __bool__(self) -> bool:
        return self.solved

    def explain(self, lines: int = 20) -> str:
        """Why, in a few lines: the checks that failed, a short diff, what the judge said.

        Args:
            lines: how many lines of the diff to show.
        """
        record = self.record
        state = "solved" if self.solved else "not solved"
        text = [f"{record.scenario} of {record.sample} is {state} ({self.protocol})"]
        text += [f"  {reason}" for reason in record.reasons]
        if not self.solved and record.patch:
            diff = record.patch.splitlines()
            text.append("  ground truth (-) against the result (+):")
            text += [f"    {line}" for line in diff[:lines]]
            if len(diff) > lines:
                text.append(f"    ... {len(diff) - lines} more lines, see the run's report")
        return "\n".join(text)

    def __repr__(self) -> str:
        return self.explain(lines=10)
