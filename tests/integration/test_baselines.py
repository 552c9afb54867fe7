"""The whole line on the demo: rows, workspaces, baseline agents, verdicts, pytest's outcomes."""

from __future__ import annotations

from collections import Counter

import pytest

ORACLE = ("--ggb-agent=oracle", "--ggb-judge-threshold=0.5")


def test_oracle_solves_everything(ggb):
    run = ggb(*ORACLE, "-n2")
    assert run.result.ret == 0, run.text
    outcomes = run.outcomes
    assert len(outcomes) >= 27
    assert set(outcomes.values()) == {"passed"}
    assert {record["strict"] for record in run.records} == {True}
    assert {record["paper"] for record in run.records} == {True}


def test_oracle_is_a_tie_and_so_unsolved_at_the_papers_threshold(ggb):
    run = ggb("--ggb-agent=oracle")
    by_scenario = {
        scenario: {record["outcome"] for record in run.records if record["scenario"] == scenario}
        for scenario in ("merge", "rebase", "commit")
    }
    assert by_scenario == {"merge": {"solved"}, "rebase": {"unsolved"}, "commit": {"unsolved"}}
    assert run.result.ret == 1


def test_nop_solves_no_merge_and_no_commit_and_is_never_an_error(ggb):
    run = ggb("--ggb-agent=nop", "--ggb-judge-threshold=0.5")
    outcomes = Counter((record["scenario"], record["outcome"]) for record in run.records)
    assert outcomes[("merge", "solved")] == outcomes[("commit", "solved")] == 0
    assert {outcome for _, outcome in outcomes} <= {"solved", "unsolved"}
    # The original history, untouched, ties with itself.
    assert outcomes[("rebase", "unsolved")] == 0


@pytest.mark.parametrize("name", ["ours", "theirs", "union"])
def test_merge_baselines_differ_and_skip_other_scenarios(ggb, name):
    run = ggb(f"--ggb-agent={name}")
    outcomes = Counter((record["scenario"], record["outcome"]) for record in run.records)
    assert outcomes[("merge", "solved")] > 0
    assert outcomes[("merge", "unsolved")] > 0
    assert {outcome for (scenario, outcome) in outcomes if scenario != "merge"} == {"skipped"}
    assert f"the baseline {name} does not know" in run.records[-1]["reasons"][0]


@pytest.mark.parametrize("name", ["squash", "per-hunk"])
def test_chain_baselines_lose_nothing(ggb, name):
    run = ggb(f"--ggb-agent={name}", "--ggb-scenario=rebase,commit")
    for record in run.records:
        failed = [check for check in record["checks"] if not check["passed"]]
        assert not failed, (record["id"], failed)
        assert record["score"] is not None


def test_the_same_outcomes_however_many_processes(ggb):
    runs = [ggb("--ggb-agent=union", "-n", processes).outcomes for processes in ("0", "2", "8")]
    assert runs[0] == runs[1] == runs[2]
    assert len(set(runs[0].values())) > 1


@pytest.mark.parametrize("dist", ["load", "loadscope", "worksteal", "each"])
def test_every_kind_of_distribution(ggb, dist):
    run = ggb(*ORACLE, "--ggb-limit=6", "-n2", f"--dist={dist}")
    assert run.result.ret == 0, run.text
    assert set(run.outcomes.values()) == {"passed"}


def test_mymodel_of_the_root_conftest_runs(ggb, pytester, request):
    source = (request.config.rootpath / "conftest.py").read_text("utf-8")
    pytester.makeconftest(source.replace('pytest_plugins = ["pytester"]', ""))
    run = ggb("--ggb-agent=mymodel", "-n2", "--ggb-judge-threshold=0.5")
    outcomes = Counter((record["scenario"], record["outcome"]) for record in run.records)
    assert {outcome for _, outcome in outcomes} == {"solved", "unsolved"}
    for scenario in ("merge", "rebase", "commit"):
        assert outcomes[(scenario, "solved")] > 0, outcomes
    assert not any(record["traceback"] for record in run.records)
