"""Judging a recorded attempt again, from what its record holds: no repository, no agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.judging.ask import Spend, judge_histories
from pytest_gitgoodbench.judging.resolve import JudgePanel
from pytest_gitgoodbench.scenarios.base import Commit, History


def is_due(record: Mapping[str, Any]) -> bool:
    """Whether a record has something to judge: histories, and no failed rule of the published protocol."""
    return bool(record.get("histories")) and all(
        check["passed"] for check in record.get("checks", ()) if check.get("paper")
    )


def rejudge(
    record: Mapping[str, Any], panel: JudgePanel, *, votes: int = 1, spend: Spend | None = None
) -> dict[str, Any]:
    """Ask judges about a recorded attempt.

    Args:
        record: one line of `results.jsonl` (see `runs.record`).
        panel: who is asked.
        votes: how often each judge is asked in each order.
        spend: told what each answer cost.

    Returns:
        The record's fields `score`, `judge`, `answers` and `judge_note` as they are now; the verdicts of
        both protocols follow from `score` and `checks`. Empty when there is nothing to judge.

    Raises:
        UserError: the record does not hold what it should.
        JudgeUnavailable: a judge gave no usable answer.
    """
    if not is_due(record):
        return {}
    if record.get("judge_note") and not record.get("answers"):
        # It was decided by definition, which no judge can change.
        fields = ("score", "judge_note")
        return {**{name: record[name] for name in fields}, "judge": panel.label, "answers": []}
    try:
        mine, original = (_history(record["histories"][side], side) for side in ("agent", "original"))
        language, scenario = record["language"], record["scenario"]
    except (LookupError, TypeError) as error:
        raise UserError(f"record {record.get('id')!r} has no complete histories: {error}") from error
    judgement = judge_histories(
        panel.judges,
        mine,
        original,
        language=language,
        scenario=scenario,
        votes=votes,
        trial=int(record.get("trial", 1)),
        spend=spend,
    )
    return {
        "score": judgement.score,
        "judge": panel.label,
        "answers": [asdict(answer) for answer in judgement.answers],
        "judge_note": judgement.note,
    }


def _history(commits: Sequence[Mapping[str, str]], side: str) -> History:
    # Trees are not recorded. Whether the histories are equal was found out in the run: here they are not.
    return tuple(
        Commit(commit["message"], commit["diff"], f"{side}-{number}") for number, commit in enumerate(commits)
    )
