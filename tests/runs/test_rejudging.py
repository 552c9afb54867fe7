"""A finished run is judged again: no agent runs, the old run stays, verdicts follow from the new answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_gitgoodbench.errors import JudgeUnavailable, UserError
from pytest_gitgoodbench.runs.directory import RunDirectory
from pytest_gitgoodbench.runs.rejudge import judge_again, judges, rejudge
from pytest_gitgoodbench.settings import Settings
from tests.support.records import a_run, manifest, many, record


def answers(score):
    side = {1.0: "agent", 0.5: "tie", 0.0: "original"}[score]
    given = [
        {"judge": "j", "preferred": side, "reason": "so", "agent_first": first} for first in (True, False)
    ]
    return {"score": score, "judge": "j", "answers": given, "judge_note": ""}


HISTORIES = {"agent": [{"message": "a", "diff": "d"}], "original": [{"message": "b", "diff": "d"}]}
STRICT = {"threshold": 1.0, "protocol": "strict"}
LOST = [{"name": "tree-unchanged", "passed": False, "detail": "a.py is gone", "paper": False}]


@pytest.mark.parametrize(
    ("score", "threshold", "checks", "strict", "paper"),
    [
        (1.0, 1.0, [], True, True),
        (0.5, 1.0, [], False, False),
        (0.5, 0.5, [], True, True),
        (0.0, 0.5, [], False, False),
        (1.0, 1.0, LOST, False, True),
    ],
)
def test_verdicts_follow_from_checks_score_and_threshold(score, threshold, checks, strict, paper):
    before = record(scenario="rebase", outcome="unsolved", histories=HISTORIES, checks=checks)
    after = judge_again(before, lambda record: answers(score), threshold=threshold, protocol="strict")
    assert (after.strict, after.paper, after.score, after.judge) == (strict, paper, score, "j")
    assert after.outcome == ("solved" if strict else "unsolved")
    assert bool(after.reasons) is not strict
    by_paper = judge_again(before, lambda record: answers(score), threshold=threshold, protocol="paper")
    assert by_paper.outcome == ("solved" if paper else "unsolved")


def test_merges_errors_and_skipped_attempts_stay_what_they_are():
    merge = record(outcome="unsolved", checks=[{"name": "x", "passed": False, "detail": "d", "paper": True}])
    for before in (merge, record(), record(outcome="error", reasons=["x"]), record(outcome="skipped")):
        after = judge_again(before, lambda record: {}, **STRICT)
        assert after.outcome == before.outcome
        assert (after.strict, after.paper) == (before.strict, before.paper)


def test_a_judge_without_an_answer_is_an_error_of_the_attempt():
    def unavailable(record):
        raise JudgeUnavailable("the API is down")

    before = record(scenario="rebase", histories=HISTORIES)
    after = judge_again(before, unavailable, **STRICT)
    assert (after.outcome, after.strict, after.reasons) == ("error", None, ["the API is down"])
    assert after.histories == HISTORIES
    assert judge_again(after, lambda record: answers(1.0), **STRICT).outcome == "solved"


def test_a_whole_run(tmp_path):
    records = list(many(30))
    old = a_run(tmp_path / "old", records, transcripts=1)
    kept = old.results_file.read_bytes()
    new_manifest = replace(old.manifest(), judge={"name": "j"})
    told = list(
        rejudge(old, tmp_path / "new", new_manifest, lambda one: answers(1.0) if one.histories else {})
    )
    new = RunDirectory.open(tmp_path / "new")
    assert (
        [entry.id for entry in new.full_records()] == [entry.id for entry in told] == [r.id for r in records]
    )
    assert new.manifest().judge_name == "j"
    assert all(entry.outcome == "solved" for entry in told if entry.histories)
    assert all(new.transcript_of(entry) for entry in told)
    assert old.results_file.read_bytes() == kept


def test_the_rubric_judges_again_what_it_judged(tmp_path):
    settings = Settings(judge="rubric", judge_threshold=0.25, cache_dir=tmp_path)
    made, judged = judges(
        manifest(judge_threshold=0.5, judge_votes=2), settings, {"judge", "judge_threshold"}
    )
    assert made.judge["rubric"] is True
    assert (made.threshold, made.settings["judge_votes"]) == (0.25, 2)
    assert made.rejudged
    entry = next(entry for entry in many(20) if entry.histories)
    fields = judged(entry)
    assert len(fields["answers"]) == 4
    assert 0 <= fields["score"] <= 1
    assert judge_again(entry, judged, **STRICT).judge == "rubric"


def test_an_unknown_judge_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(UserError):
        judges(manifest(), Settings(judge="no.such.module:judge", cache_dir=tmp_path), {"judge"})
