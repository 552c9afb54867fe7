"""The closing summary says what was measured, what it cost, why it failed, and how to go on."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_gitgoodbench.runs import baseline
from pytest_gitgoodbench.runs.summary import gate, resume_command, summary
from tests.support.records import HOSTILE, manifest, many, record


def lines_of(records, **settings):
    return summary(records, manifest([entry.id for entry in records], **settings), run=Path("ggb-runs/x"))


def row(lines, name):
    return next(line.split() for line in lines if line.split()[:1] == [name])


def test_rates_by_scenario_language_and_difficulty_for_both_protocols():
    records = [
        record(sample="a", scenario="merge", language="java", difficulty="easy"),
        record(
            sample="b", scenario="merge", language="java", difficulty="hard", outcome="unsolved", paper=True
        ),
        record(sample="c", scenario="rebase", language="kotlin", difficulty="hard", outcome="error"),
        record(sample="d", scenario="rebase", language="kotlin", difficulty="hard", outcome="skipped"),
    ]
    lines = lines_of(records)
    assert " ".join(row(lines, "all")) == "all 3 33.3 % 6.1-79.2 66.7 % 20.8-93.9 66.7 %"
    assert " ".join(row(lines, "merge")) == "merge 2 50.0 % 9.5-90.5 100.0 % 34.2-100.0 100.0 %"
    assert " ".join(row(lines, "kotlin")) == "kotlin 1 0.0 % 0.0-79.3 0.0 % 0.0-79.3 0.0 %"
    names = [line.split()[0] for line in lines[3:] if line.startswith("  ")]
    assert names[:6] == ["merge", "rebase", "java", "kotlin", "easy", "hard"]


def test_columns_stay_aligned_and_fit_a_terminal():
    lines = lines_of(list(many(150)), dataset="lite")
    table = lines[3 : lines.index("", 3) - 1]
    assert len({len(line) for line in table}) == 1
    assert len(table[0]) <= 80


def test_the_published_baseline_stands_beside_lite_and_only_there():
    records = list(many(60))
    lines = lines_of(records, dataset="lite")
    for name, rate in [("all", "21.1"), ("merge", "13.3"), ("rebase", "26.7"), ("commit", "23.3")]:
        assert row(lines, name)[-2:] == [rate, "%"]
    assert any("published" in line for line in lines)
    assert not any("GPT-4o" in line for line in lines_of(records, dataset="full"))


def test_the_published_numbers_add_up():
    for names in (("merge", "rebase", "commit"), ("easy", "medium", "hard"), ("java", "kotlin", "python")):
        for part in (0, 1):
            assert sum(baseline._PUBLISHED[name][part] for name in names) == baseline._PUBLISHED["all"][part]
    assert baseline.solve_rate("all") == pytest.approx(0.2111, abs=5e-5)
    assert baseline.success_rate("merge") == pytest.approx(0.7667, abs=5e-5)
    assert baseline.solve_rate("rust") is None


def test_the_judge_is_labelled():
    made = manifest()
    assert any("rubric (not the paper's judge)" in line for line in summary([], made))
    own = replace(made, judge={"name": "openai/gpt-4o", "self_judged": True})
    assert any("openai/gpt-4o (self-judged)" in line for line in summary([], own))


def test_trials_are_told_when_there_are_some():
    repeated = lines_of([record(sample="a"), record(sample="a", trial=2, outcome="unsolved")])
    assert "1 scenario tried repeatedly: always solved 0, sometimes 1, never 0" in repeated
    assert "pass@1 50.0 %, pass@2 100.0 %" in repeated
    assert not any("pass@" in line for line in lines_of([record()]))


def test_money_is_counted_over_replaced_attempts_and_is_a_lower_bound_without_a_price():
    notes = {"prompt_tokens": 1_000_000, "completion_tokens": 2_000, "cost": 1.5}
    last = record(agent_notes=notes, seconds={"act": 60.0})
    history = [record(outcome="error", agent_notes={**notes, "cost": None}), last]
    told = "\n".join(summary([last], manifest([last.id]), history=history))
    assert "tokens 2.0 M in, 4,000 out" in told
    assert "cost at least US$ 1.50" in told
    assert "time 1 min over all attempts" in told


def test_baselines_without_tokens_are_not_told_of_money():
    assert not any("US$" in line or "tokens" in line for line in lines_of([record()]))


def test_the_most_frequent_reasons_come_first():
    records = [
        *(
            record(sample=f"a{n}", outcome="unsolved", reasons=["committed: no commit was made"])
            for n in range(3)
        ),
        *(
            record(sample=f"b{n}", outcome="unsolved", reasons=["exact-match: a.py differs"])
            for n in range(5)
        ),
        record(sample="c", outcome="error", reasons=["owner/repo: gone\nand more"]),
    ]
    lines = lines_of(records)
    start = lines.index("most frequent reasons for not solving")
    assert lines[start + 1 : start + 4] == [
        "    5  exact-match, e.g. a.py differs",
        "    3  committed, e.g. no commit was made",
        "    1  error, e.g. owner/repo: gone",
    ]


def test_a_complete_run_needs_no_command():
    assert not any(
        "--ggb-resume" in line for line in lines_of([record(), record(sample="b", outcome="unsolved")])
    )


def test_what_is_open_is_told_with_the_command_that_runs_it():
    records = [
        record(outcome="error"),
        record(sample="b", outcome="skipped", reasons=["--ggb-max-cost is used up"]),
    ]
    made = manifest(
        [*(entry.id for entry in records), "never", "ever"], judge_threshold=0.5, language=("java",)
    )
    lines = summary(records, made, run=Path("my runs/x"))
    assert "1 infrastructure error, 1 skipped, 2 not run" in lines
    assert shlex.split(lines[-1]) == [
        "pytest",
        "--ggb-agent=mymodel",
        "--ggb-judge-threshold=0.5",
        "--ggb-dataset=demo",
        "--ggb-language=java",
        "--ggb-resume=my runs/x",
    ]


def test_what_an_agent_does_not_know_is_not_offered_again():
    lines = lines_of(
        [record(outcome="skipped", reasons=["the baseline ours does not know the scenario rebase"])]
    )
    assert lines[-1] == "1 skipped"


def test_the_command_keeps_how_pytest_was_called():
    called = ["-n", "8", "--ggb-out", "old run", "--ggb-agent=x", "--ggb-resume=old", "tests/a b.py"]
    command = shlex.split(resume_command(manifest(), Path("r"), called))
    assert command == ["pytest", "-n", "8", "--ggb-agent=x", "tests/a b.py", "--ggb-resume=r"]


def test_no_secret_in_the_command():
    assert "hunter2hunter2" not in resume_command(
        manifest(), Path("r"), ["--ggb-agent=cmd:x --token hunter2hunter2"]
    )


def test_text_of_agents_cannot_steer_the_terminal():
    hostile = [record(outcome="unsolved", reasons=[f"exact-match: {HOSTILE}"]), *many(30, hostile=True)]
    for line in lines_of(hostile):
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", line)


@pytest.mark.parametrize(
    ("solved", "unsolved", "error", "missing", "minimum", "reached"),
    [
        (1, 4, 0, 0, 0.2, True),
        (1, 3, 2, 0, 0.2, False),
        (1, 0, 0, 4, 0.2, True),
        (1, 0, 0, 5, 0.2, False),
        (0, 0, 0, 0, 0.0, False),
    ],
)
def test_the_gate_counts_errors_and_what_was_not_run_as_unsolved(
    solved, unsolved, error, missing, minimum, reached
):
    records = [
        record(sample=f"{outcome}{n}", outcome=outcome)
        for outcome, number in (("solved", solved), ("unsolved", unsolved), ("error", error), ("skipped", 1))
        for n in range(number)
    ]
    planned = [*(entry.id for entry in records), *(f"missing{n}" for n in range(missing))]
    passed, line = gate(records, manifest(planned), minimum)
    assert passed is reached
    assert ("reaches" in line) is reached


def test_the_gate_goes_by_the_protocol_in_force():
    records = [record(outcome="solved", strict=False, paper=True)]
    assert gate(records, manifest(protocol="paper"), 1.0)[0]
    assert not gate(records, manifest(protocol="strict"), 1.0)[0]
