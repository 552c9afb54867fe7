"""Asking judges: orders, votes, panels, the mean, what costs no call, who pays."""

from __future__ import annotations

import pytest

from pytest_gitgoodbench.errors import InfrastructureError, JudgeUnavailable, ModelUnavailable
from pytest_gitgoodbench.judging.ask import is_solved, judge_histories
from pytest_gitgoodbench.judging.base import Opinion, Question
from pytest_gitgoodbench.judging.custom import NamedJudge
from pytest_gitgoodbench.judging.llm import UnusableAnswer
from pytest_gitgoodbench.judging.rubric import Rubric
from pytest_gitgoodbench.scenarios.base import Commit
from tests.support.histories import GOOD, NOISE, Scripted, history


def judge(*judges, mine=NOISE, original=GOOD, **options):
    return judge_histories(judges, mine, original, language="python", scenario="rebase", **options)


def test_a_judge_is_asked_in_both_orders():
    scripted = Scripted("HISTORY-1", "HISTORY-2")
    judgement = judge(scripted, trial=3)
    assert [(question.first, question.second) for question in scripted.questions] == [
        (NOISE, GOOD),
        (GOOD, NOISE),
    ]
    assert {(question.scenario, question.language, question.trial) for question in scripted.questions} == {
        ("rebase", "python", 3)
    }
    assert [(answer.preferred, answer.agent_first) for answer in judgement.answers] == [
        ("agent", True),
        ("agent", False),
    ]
    assert judgement.score == 1
    assert judgement.position_bias is False


@pytest.mark.parametrize(
    ("answers", "score", "bias"),
    [
        (("HISTORY-1", "HISTORY-2"), 1.0, False),
        (("HISTORY-2", "HISTORY-1"), 0.0, False),
        (("TIE", "TIE"), 0.5, False),
        (("HISTORY-1", "HISTORY-1"), 0.5, True),
        (("HISTORY-2", "HISTORY-2"), 0.5, True),
        (("HISTORY-1", "TIE"), 0.75, True),
        (("TIE", "HISTORY-1"), 0.25, True),
    ],
)
def test_the_score_is_the_mean_and_disagreeing_orders_are_seen(answers, score, bias):
    judgement = judge(Scripted(*answers))
    assert judgement.score == score
    assert judgement.position_bias is bias


def test_votes_are_asked_in_each_order_and_numbered():
    scripted = Scripted("HISTORY-1", "HISTORY-2", "TIE", "HISTORY-2", "HISTORY-1", "HISTORY-2")
    judgement = judge(scripted, votes=3)
    assert [(answer.vote, answer.agent_first) for answer in judgement.answers] == [
        (1, True), (1, False), (2, True), (2, False), (3, True), (3, False),
    ]  # fmt: skip
    assert [question.vote for question in scripted.questions] == [1, 1, 2, 2, 3, 3]
    assert judgement.score == pytest.approx(5.5 / 6)


def test_a_panel_is_recorded_one_by_one_and_decided_by_the_mean():
    one, two = Scripted("HISTORY-1", "HISTORY-2", name="one"), Scripted("TIE", name="two")
    judgement = judge(one, two, Scripted("HISTORY-2", "HISTORY-1", name="three"))
    assert [(answer.judge, answer.preferred) for answer in judgement.answers] == [
        ("one", "agent"), ("one", "agent"), ("two", "tie"), ("two", "tie"),
        ("three", "original"), ("three", "original"),
    ]  # fmt: skip
    assert judgement.score == 0.5


def test_an_equal_history_is_a_tie_without_a_call():
    scripted = Scripted("HISTORY-1")
    again = history(*((commit.message.rstrip(), commit.diff) for commit in GOOD))
    equal = tuple(
        type(mine)(mine.message, mine.diff, his.tree) for mine, his in zip(again, GOOD, strict=True)
    )
    judgement = judge(scripted, mine=equal)
    assert (judgement.score, judgement.answers, judgement.note) == (0.5, (), "equal to the original history")
    assert judgement.position_bias is None
    assert scripted.questions == []


@pytest.mark.parametrize(
    "mine",
    [
        pytest.param(GOOD[:-1], id="one less"),
        pytest.param((GOOD[1], GOOD[0], GOOD[2]), id="other order"),
        pytest.param(history(*((f"{c.message}!", c.diff) for c in GOOD)), id="other messages"),
        pytest.param(tuple(Commit(c.message, c.diff, f"{c.tree}0") for c in GOOD), id="other trees"),
    ],
)
def test_what_differs_in_anything_is_judged(mine):
    scripted = Scripted("TIE")
    judge(scripted, mine=mine)
    assert len(scripted.questions) == 2


def test_no_commits_lose_without_a_call():
    scripted = Scripted("HISTORY-1")
    judgement = judge(scripted, mine=())
    assert (judgement.score, judgement.answers) == (0.0, ())
    assert judgement.note
    assert scripted.questions == []


def test_the_rubric_has_no_position_bias():
    judgement = judge(Rubric(), votes=2)
    assert judgement.score == 0
    assert judgement.position_bias is False


def test_a_third_and_two_thirds_reach_their_threshold():
    scripted = Scripted("HISTORY-1", "HISTORY-2", "HISTORY-2", "HISTORY-1", "HISTORY-1", "HISTORY-1")
    score = judge(scripted, votes=3).score
    assert is_solved(score, 0.5)
    assert is_solved(0.1 + 0.2, 0.3) and is_solved(0.3, 0.1 + 0.2)
    assert not is_solved(0.999, 1.0)


def test_what_answers_cost_is_told():
    spent = []
    judgement = judge(
        Scripted("TIE", cost=0.25, prompt_tokens=7), Scripted("TIE", name="free"), spend=spent.append
    )
    assert spent == [0.25, 0.25]
    assert judgement.answers[0].usage == {"cost": 0.25, "prompt_tokens": 7}
    judge(Scripted("TIE", cost=None), spend=spent.append)
    judge(Scripted("TIE", cost=0.0, cached=True), spend=spent.append)
    assert spent == [0.25, 0.25]


def test_what_a_useless_answer_cost_is_told_as_well():
    def useless(question: Question) -> Opinion:
        raise UnusableAnswer("no verdict", {"cost": 0.5})

    spent = []
    with pytest.raises(UnusableAnswer):
        judge(NamedJudge("useless", useless), spend=spent.append)
    assert spent == [0.5]


@pytest.mark.parametrize(
    "answer", [None, "HISTORY-1", Opinion("HISTORY-3", "why"), Opinion("TIE", None), ("TIE", "why")]
)
def test_a_judge_that_answers_something_else_is_an_error(answer):
    with pytest.raises(JudgeUnavailable, match=r"judge odd: .* is no Opinion"):
        judge(NamedJudge("odd", lambda question: answer))


def test_a_judge_that_breaks_is_an_error_and_not_a_lost_attempt():
    with pytest.raises(JudgeUnavailable, match="judge broken: ZeroDivisionError"):
        judge(NamedJudge("broken", lambda question: 1 / 0))


def test_infrastructure_errors_of_a_judge_keep_their_kind():
    def down(question: Question) -> Opinion:
        raise ModelUnavailable("down")

    with pytest.raises(ModelUnavailable, match="down") as caught:
        judge(NamedJudge("down", down))
    assert isinstance(caught.value, InfrastructureError)


def test_one_judge_without_an_answer_leaves_no_judgement():
    with pytest.raises(JudgeUnavailable):
        judge(Scripted("TIE"), NamedJudge("broken", lambda question: 1 / 0))


def test_reasons_are_harmless_to_show():
    opinion = Opinion("TIE", "\x1b[31mred" + "x" * 10_000)
    answer = judge(NamedJudge("loud", lambda question: opinion)).answers[0]
    assert answer.reason.startswith("␛[31mred")
    assert len(answer.reason) == 4000


def test_reasons_can_be_read_without_knowing_the_order():
    one, two = judge(Scripted("HISTORY-1")).answers
    assert one.explained == "because HISTORY-1 (the agent's)"
    assert two.explained == "because HISTORY-1 (the original)"
