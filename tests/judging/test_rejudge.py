"""Judging records again."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.judging.ask import EQUAL, judge_histories
from pytest_gitgoodbench.judging.rejudge import is_due, rejudge
from pytest_gitgoodbench.judging.resolve import JudgePanel
from pytest_gitgoodbench.scenarios.base import History
from tests.support.histories import GOOD, NOISE, Scripted
from tests.support.records import record


def recorded(mine: History = NOISE, **fields: Any) -> dict[str, Any]:
    histories = {
        side: [{"message": commit.message, "diff": commit.diff} for commit in history]
        for side, history in (("agent", mine), ("original", GOOD))
    }
    values: dict[str, Any] = {
        "scenario": "rebase",
        "outcome": "unsolved",
        "histories": histories,
        "score": 0.5,
        "judge": "rubric",
        "answers": [{"judge": "rubric", "preferred": "tie", "reason": "", "agent_first": True}],
        "checks": [
            {"name": "committed", "passed": True, "detail": "", "paper": True},
            {"name": "final-tree", "passed": False, "detail": "lost", "paper": False},
        ],
        "trial": 2,
        **fields,
    }
    return record(**values).as_json()


def panel(*judges: Any) -> JudgePanel:
    return JudgePanel(judges, ", ".join(judge.name for judge in judges))


def test_a_record_is_judged_as_its_histories_were():
    scripted = Scripted("HISTORY-1", "HISTORY-2", cost=0.5)
    spent: list[float] = []
    fields = rejudge(recorded(), panel(scripted), spend=spent.append)
    assert set(fields) == {"score", "judge", "answers", "judge_note"}
    assert (fields["score"], fields["judge"], fields["judge_note"]) == (1.0, "scripted", "")
    assert [answer["preferred"] for answer in fields["answers"]] == ["agent", "agent"]
    assert spent == [0.5, 0.5]

    here = Scripted("TIE")
    judge_histories([here], NOISE, GOOD, language="python", scenario="rebase", trial=2)
    shown = [
        [[(commit.message, commit.diff) for commit in side] for side in (question.first, question.second)]
        for question in (*scripted.questions, *here.questions)
    ]
    assert shown[:2] == shown[2:]
    assert {question.trial for question in scripted.questions} == {2}


def test_votes_are_asked():
    assert len(rejudge(recorded(), panel(Scripted("TIE")), votes=2)["answers"]) == 4


def test_what_was_decided_by_definition_stays():
    scripted = Scripted("HISTORY-1")
    fields = rejudge(recorded(GOOD, judge_note=EQUAL, answers=[]), panel(scripted))
    assert fields == {"score": 0.5, "judge": "scripted", "answers": [], "judge_note": EQUAL}
    assert scripted.questions == []


def test_histories_that_differ_only_in_what_was_not_shown_are_judged():
    assert len(rejudge(recorded(GOOD), panel(Scripted("TIE")))["answers"]) == 2


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"histories": None}, id="a merge"),
        pytest.param(
            {"checks": [{"name": "committed", "passed": False, "detail": "", "paper": True}]},
            id="not committed",
        ),
    ],
)
def test_what_no_judge_decides_is_left_alone(fields):
    scripted = Scripted("HISTORY-1")
    assert not is_due(recorded(**fields))
    assert rejudge(recorded(**fields), panel(scripted)) == {}
    assert scripted.questions == []


def test_a_damaged_record_is_named():
    damaged = recorded()
    del damaged["histories"]["original"]
    with pytest.raises(UserError, match=r"rebase\[.*no complete histories"):
        rejudge(damaged, panel(Scripted("TIE")))
