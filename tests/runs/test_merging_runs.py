"""Shards become one run; what is missing is told, and what does not fit together is refused."""

from __future__ import annotations

import json

import pytest

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.runs import results
from pytest_gitgoodbench.runs.directory import RunDirectory
from pytest_gitgoodbench.runs.merge import merge
from tests.support.records import a_run, many, record


@pytest.fixture
def shards(tmp_path):
    """Three shards of a run, without errors, and all their records."""
    records = [entry for entry in many(40) if entry.judged]
    paths = [
        a_run(tmp_path / f"shard{n}", records[n - 1 :: 3], transcripts=1, shard=(n, 3)).path
        for n in (1, 2, 3)
    ]
    return paths, records


def test_all_shards_make_the_whole_run(shards, tmp_path):
    paths, records = shards
    merged = merge(paths, tmp_path / "out")
    assert merged.shards == ()
    assert len(merged.open) == 0
    whole = RunDirectory.open(tmp_path / "out")
    assert {entry.id for entry in whole.full_records()} == {entry.id for entry in records}
    assert sorted(whole.manifest().planned) == sorted(entry.id for entry in records)
    for entry in whole.records():
        first = json.loads(whole.transcript_of(entry).read_text("utf-8").splitlines()[1])
        original = next(known for known in records if known.id == entry.id)
        assert first["content"] == original.brief
    assert whole.manifest().merged == [str(path) for path in paths]
    assert "shard" not in whole.manifest().settings


def test_what_is_missing_is_told(shards, tmp_path):
    paths, _ = shards
    results.append(paths[0] / "results.jsonl", [record(id="new error", outcome="error")])
    manifest = RunDirectory(paths[0]).manifest()
    manifest.planned.append("never run")
    RunDirectory(paths[0]).write_manifest(manifest)
    merged = merge([paths[0], paths[2]], tmp_path / "out")
    assert merged.shards == ("2/3",)
    assert merged.open.errors == ("new error",)
    assert merged.open.missing == ("never run",)


@pytest.mark.parametrize("first", [0, 1])
def test_a_verdict_counts_before_an_error_whatever_the_order(tmp_path, first):
    paths = [
        a_run(tmp_path / "error", [record(outcome="error"), record(sample="b")]).path,
        a_run(tmp_path / "solved", [record(outcome="solved"), record(sample="b", outcome="error")]).path,
    ]
    merged = merge([paths[first], paths[1 - first]], tmp_path / "out")
    assert {entry.outcome for entry in merged.run.records()} == {"solved"}
    assert len(list(merged.run.history())) == 4


def test_two_verdicts_on_one_attempt_are_refused(tmp_path):
    both = [record(sample="a"), record(sample="b")]
    paths = [a_run(tmp_path / name, both).path for name in ("one", "two")]
    with pytest.raises(UserError, match=r"both have a verdict on merge\[python-easy-a\] \(and on 1 more\)"):
        merge(paths, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_other_settings_are_refused_by_name(shards, tmp_path):
    other = a_run(tmp_path / "other", [record(sample="z")], judge_threshold=0.5).path
    with pytest.raises(UserError, match=r"judge-threshold \(there 1\.0, here 0\.5\)"):
        merge([shards[0][0], other], tmp_path / "out")


def test_a_folder_with_a_run_is_not_overwritten(shards, tmp_path):
    paths, _ = shards
    before = (paths[0] / "results.jsonl").read_bytes()
    with pytest.raises(UserError, match="holds a run already"):
        merge(paths[1:], paths[0])
    assert (paths[0] / "results.jsonl").read_bytes() == before


def test_transcripts_of_several_tries_stay_apart(tmp_path):
    run = a_run(tmp_path / "run", [record(outcome="error", brief="first")], transcripts=1)
    again = run.new_transcript(record().id)
    again.write_text('{"role": "user", "content": "second"}\n', "utf-8")
    results.append(run.results_file, [record(transcript=again.name)])
    merged = merge([run.path], tmp_path / "out").run
    texts = [merged.transcript_of(entry).read_text("utf-8") for entry in merged.history()]
    assert "first" in texts[0]
    assert "second" in texts[1]
