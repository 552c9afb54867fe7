"""Continuing a run: verdicts stay, the rest runs, and other settings are refused by name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.runs.resume import check_same, differences, done, still_open
from tests.support.records import manifest, record

RECORDS = [
    record(sample="a", outcome="solved"),
    record(sample="b", outcome="unsolved"),
    record(sample="c", outcome="error"),
    record(sample="d", outcome="skipped"),
]


def test_done_means_a_verdict():
    assert [entry.sample for entry in done(RECORDS).values()] == ["a", "b"]


def test_what_is_open_is_told_by_reason():
    planned = [*(entry.id for entry in RECORDS), "never run"]
    found = still_open(manifest(planned), RECORDS)
    assert found.errors == (RECORDS[2].id,)
    assert found.skipped == (RECORDS[3].id,)
    assert found.missing == ("never run",)
    assert len(found) == 3


def test_the_same_settings_go_together_whatever_part_is_run():
    check_same(
        manifest(["a"]), manifest(["b"], trials=3, limit=5, max_cost=2.0, shard=(2, 4), offline=True), "x"
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"protocol": "paper"}, "protocol (there strict, here paper)"),
        ({"judge_threshold": 0.5}, "judge-threshold (there 1.0, here 0.5)"),
        ({"judge_votes": 3}, "judge-votes (there 1, here 3)"),
        ({"dataset": "lite"}, "dataset (there demo, here lite)"),
        ({"agent": "nop"}, "agent (there mymodel, here nop)"),
        ({"timeout": 60.0}, "timeout (there 600.0, here 60.0)"),
        ({"max_turns": 5}, "max-turns (there 50, here 5)"),
        ({"tools": "bash"}, "tools (there structured, here bash)"),
        ({"sandbox": "none"}, "sandbox (there auto, here none)"),
    ],
)
def test_other_settings_are_refused_by_name(change, says):
    assert says in differences(manifest(), manifest(**change))
    with pytest.raises(UserError) as caught:
        check_same(manifest(), manifest(**change), "ggb-runs/x")
    assert str(caught.value).startswith("ggb-runs/x was run with other settings: ")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_other_rows_under_the_same_name_are_refused():
    there = manifest()
    here = replace(there, dataset={**there.dataset, "fingerprint": "changed"})
    assert differences(there, here) == ["dataset (demo, other rows)"]


def test_other_parameters_of_an_agent_or_a_judge_are_refused():
    there = replace(manifest(), agent={"name": "m", "temperature": 0}, judge={"name": "j", "prompt": 1})
    here = replace(there, agent={"name": "m", "temperature": 1}, judge={"name": "j", "prompt": 2})
    assert differences(there, here) == [
        "agent temperature (there 0, here 1)",
        "judge prompt (there 1, here 2)",
    ]
