"""A run's figures follow the paper's definitions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_gitgoodbench.runs import figures
from pytest_gitgoodbench.runs.stats import wilson
from tests.support.records import many, record


def attempts(**outcomes):
    """Records of that many samples of each outcome."""
    made = []
    for outcome, count in outcomes.items():
        made += [record(sample=f"{outcome}{number}", outcome=outcome) for number in range(count)]
    return made


def test_errors_are_attempts_that_are_not_solved_and_skipped_ones_are_none():
    found = figures.group(attempts(solved=3, unsolved=4, error=2, skipped=5))
    assert (found.attempts, found.skipped) == (9, 5)
    assert (found.strict.count, found.strict.total) == (3, 9)
    assert (found.strict.low, found.strict.high) == wilson(3, 9)
    assert (found.success.count, found.success.total) == (7, 9)


def test_both_protocols_are_counted_whichever_decides():
    records = [record(sample="a", outcome="unsolved", strict=False, paper=True), record(sample="b")]
    found = figures.group(records)
    assert (found.solved("strict").count, found.solved("paper").count) == (1, 2)


def test_nothing_at_all_has_no_rate():
    assert figures.group([]).strict.share is None


def test_groups_come_in_the_order_of_reports_and_add_up():
    records = list(many(200))
    for dimension, order in [
        ("scenario", ["merge", "rebase", "commit"]),
        ("language", ["java", "kotlin", "python"]),
        ("difficulty", ["easy", "medium", "hard"]),
    ]:
        groups = figures.by(records, dimension)
        assert list(groups) == order
        assert sum(found.strict.count for found in groups.values()) == figures.group(records).strict.count
        assert sum(found.attempts for found in groups.values()) == figures.group(records).attempts


def test_intervals_do_not_shrink_when_trials_only_repeat_themselves():
    once = [record(sample=f"s{n}", outcome="solved" if n < 10 else "unsolved") for n in range(20)]
    fivefold = [
        record(sample=r.sample, outcome=r.outcome, trial=trial) for r in once for trial in range(1, 6)
    ]
    one, five = figures.group(once).strict, figures.group(fivefold).strict
    assert (five.total, five.share) == (100, one.share)
    assert (five.low, five.high) == (pytest.approx(one.low), pytest.approx(one.high))


def test_trials_are_solved_always_sometimes_or_never():
    outcomes = {"a": ["solved"] * 3, "b": ["solved", "unsolved", "error"], "c": ["unsolved"] * 3}
    records = [
        record(sample=sample, outcome=outcome, trial=trial)
        for sample, results in outcomes.items()
        for trial, outcome in enumerate(results, 1)
    ]
    found = figures.trials(records, "strict")
    assert (found.scenarios, found.always, found.sometimes, found.never) == (3, 1, 1, 1)
    assert found.pass_at == {
        1: pytest.approx(4 / 9),
        2: pytest.approx((1 + 2 / 3) / 3),
        3: pytest.approx(2 / 3),
    }
    assert found.pass_at[1] == pytest.approx(figures.group(records).strict.share)


def test_single_trials_have_no_figures_of_trials():
    assert figures.trials(attempts(solved=2), "strict") is None


def answer(preferred, first, vote=1, judge="j", **usage):
    return {
        "judge": judge,
        "preferred": preferred,
        "agent_first": first,
        "vote": vote,
        "usage": usage or None,
    }


def test_judges_ties_and_position_bias():
    steady = [answer("agent", True), answer("agent", False)]
    biased = [
        answer("agent", True),
        answer("original", False),
        answer("tie", True, 2),
        answer("tie", False, 2),
    ]
    records = [record(sample="a", answers=steady), record(sample="b", answers=biased), record(sample="c")]
    found = figures.judging(records)
    assert (found.attempts, found.answers, found.ties, found.pairs, found.disagreements) == (2, 6, 2, 3, 1)
    assert figures.judging([record()]) is None


def test_costs_add_up_over_replaced_attempts_too_and_cached_answers_are_free():
    history = [
        record(outcome="error", agent_notes={"prompt_tokens": 100, "completion_tokens": 10, "cost": 0.5}),
        record(
            agent_notes={"prompt_tokens": 50, "completion_tokens": 5, "cost": 0.25},
            answers=[
                answer("agent", True, prompt_tokens=7, completion_tokens=1, cost=0.125),
                answer("agent", False, prompt_tokens=7, completion_tokens=1, cost=9.0, cached=True),
            ],
            seconds={"act": 2.0, "judge": 1.0},
        ),
    ]
    found = figures.costs(history)
    assert (found.agent.prompt_tokens, found.agent.completion_tokens) == (150, 15)
    assert (found.agent.cost, found.judge.cost, found.cost) == (0.75, 0.125, 0.875)
    assert found.complete
    assert found.seconds == 3.0


def test_an_attempt_that_was_only_judged_again_costs_its_agent_once():
    acted = record(outcome="error", seconds={"act": 3.0}, agent_notes={"prompt_tokens": 100, "cost": 0.5})
    asked = [answer("agent", True, prompt_tokens=7, cost=0.125)]
    found = figures.costs([acted, replace(acted, outcome="solved", answers=asked)])
    assert (found.agent.cost, found.judge.cost, found.tokens, found.seconds) == (0.5, 0.125, 107, 3.0)


def test_an_unknown_price_makes_the_cost_a_lower_bound():
    priced = record(agent_notes={"prompt_tokens": 100, "completion_tokens": 10, "cost": 0.5})
    unpriced = record(agent_notes={"prompt_tokens": 100, "completion_tokens": 10, "cost": None})
    found = figures.costs([priced, unpriced])
    assert found.cost == 0.5
    assert not found.complete


@pytest.mark.parametrize("notes", [{}, {"cost": "much"}, {"prompt_tokens": True, "cost": -5}, {"cost": []}])
def test_what_agents_note_cannot_break_the_sums(notes):
    found = figures.costs([record(agent_notes=notes)])
    assert (found.agent.tokens, found.cost, found.complete) == (0, 0, True)


def test_the_most_frequent_reasons_are_grouped_by_kind():
    records = [
        *(
            record(sample=f"a{n}", outcome="unsolved", reasons=[f"exact-match: f{n} differs", "x"])
            for n in range(3)
        ),
        *(
            record(sample=f"b{n}", outcome="unsolved", reasons=["judge: score 0.50 is below 1"])
            for n in range(2)
        ),
        *(
            record(sample=f"c{n}", outcome="error", reasons=[f"owner/repo{n} has no commit {n}{'a' * 39}"])
            for n in range(4)
        ),
        record(sample="d", outcome="skipped", reasons=["no money"]),
    ]
    found = figures.reasons(records)
    assert [(reason.name, reason.count) for reason in found] == [
        ("error: … has no commit …", 4),
        ("exact-match", 3),
        ("judge", 2),
    ]
    assert found[1].example == "exact-match: f0 differs"
    assert len(figures.reasons(records, most=1)) == 1
