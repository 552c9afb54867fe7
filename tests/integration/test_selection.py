"""Choosing what runs: pytest's own ways, and the options."""

from __future__ import annotations

import re


def collected(ggb, *arguments):
    run = ggb("--ggb-agent=nop", "--collect-only", "-q", *arguments)
    return [line for line in run.result.outlines if line.startswith("gitgoodbench::")]


def test_ids_say_language_difficulty_and_sample(ggb):
    ids = collected(ggb)
    pattern = r"gitgoodbench::test_(merge|rebase|commit)\[(python|java|kotlin)-(easy|medium|hard)-[\w.-]+\]"
    assert all(re.fullmatch(pattern, test) for test in ids)
    assert len(set(ids)) == len(ids) >= 27


def test_k_and_m_select_what_they_say(ggb):
    everything = collected(ggb)
    assert collected(ggb, "-k", "kotlin") == [test for test in everything if "[kotlin-" in test]
    assert collected(ggb, "-m", "merge and hard") == [
        test for test in everything if re.search(r"test_merge\[\w+-hard-", test)
    ]


def test_options_select(ggb):
    everything = collected(ggb)
    assert collected(ggb, "--ggb-language=java", "--ggb-scenario=merge,commit") == [
        test for test in everything if "[java-" in test and "test_rebase" not in test
    ]
    assert collected(ggb, "--ggb-difficulty=easy") == [test for test in everything if "-easy-" in test]


def test_limit_is_balanced_and_a_prefix_of_a_larger_one(ggb):
    nine, ten = set(collected(ggb, "--ggb-limit=9")), set(collected(ggb, "--ggb-limit=10"))
    assert len(nine) == 9
    assert nine < ten
    assert {re.search(r"test_(\w+)\[(\w+)-", test).groups() for test in nine} == {
        (scenario, language)
        for scenario in ("merge", "rebase", "commit")
        for language in ("python", "java", "kotlin")
    }


def test_trials_give_further_ids(ggb):
    ids = collected(ggb, "--ggb-limit=2", "--ggb-trials=3")
    assert len(ids) == 6
    assert sum("-trial2]" in test for test in ids) == 2


def test_a_copied_test_id_runs_that_test(ggb):
    wanted = collected(ggb)[3]
    run = ggb("--ggb-agent=oracle", "--ggb-judge-threshold=0.5", wanted)
    assert run.result.ret == 0, run.text
    assert list(run.outcomes) == [wanted]


def test_last_failed_runs_what_failed(ggb):
    first = ggb("--ggb-agent=ours", "--ggb-scenario=merge")
    failed = {test for test, outcome in first.outcomes.items() if outcome == "failed"}
    again = ggb("--ggb-agent=ours", "--ggb-scenario=merge", "--lf")
    assert set(again.outcomes) == failed
    assert 0 < len(failed) < len(first.outcomes)


def test_stops_at_the_first_failure(ggb):
    run = ggb("--ggb-agent=nop", "--ggb-scenario=merge", "-x")
    assert list(run.outcomes.values()) == ["failed"]


def test_pyargs(ggb):
    run = ggb("--ggb-agent=nop", "--collect-only", "-q", "--pyargs", "pytest_gitgoodbench.suite")
    assert sum(line.startswith("gitgoodbench::") for line in run.result.outlines) >= 27


def test_collect_only_leaves_no_run_directory(ggb):
    run = ggb("--ggb-agent=nop", "--collect-only", "-q")
    assert not run.out.exists()
