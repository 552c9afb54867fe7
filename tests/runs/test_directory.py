"""A run directory is made without collisions, held by one run, and knows of attempts whose process died."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_gitgoodbench.errors import InfrastructureError, UserError
from pytest_gitgoodbench.runs.directory import RunDirectory
from pytest_gitgoodbench.runs.files import file_name, write_atomically
from tests.support.records import HOSTILE, a_run, manifest, record


@pytest.fixture
def run(tmp_path):
    return a_run(tmp_path / "run", [])


def test_default_folders_are_named_after_time_and_agent_and_never_collide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = [RunDirectory.create(None, "openai/gpt-4o").shown for _ in range(3)]
    assert len(set(made)) == 3
    for path in made:
        assert path.is_dir()
        assert re.fullmatch(r"ggb-runs/\d{8}-\d{6}-openai-gpt-4o(-\d)?", str(path))


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("../../etc/passwd", "etc-passwd"),
        ("cmd:/opt/my agent --key sk-secret", "my"),
        ("cmd:", "run"),
        ("\x1b[31m\0", "31m"),
        ("a" * 300, "a" * 40),
    ],
)
def test_default_folders_have_safe_names(tmp_path, monkeypatch, agent, name):
    monkeypatch.chdir(tmp_path)
    path = RunDirectory.create(None, agent).path
    assert path.parent.name == "ggb-runs"
    assert re.fullmatch(rf"\d{{8}}-\d{{6}}-{re.escape(name)}", path.name)


def test_a_folder_with_a_run_is_not_used_for_another(run):
    with pytest.raises(UserError, match="--ggb-resume"):
        RunDirectory.create(run.path, "nop")


def test_an_empty_folder_is_used_and_a_file_refused(tmp_path):
    assert RunDirectory.create(tmp_path, "nop").path == tmp_path
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="--ggb-out"):
        RunDirectory.create(tmp_path / "file", "nop")


def test_an_agent_that_changes_the_current_folder_moves_no_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = RunDirectory.create(Path("here"), "nop")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    run.append(record())
    assert (tmp_path / "here" / "results.jsonl").exists()
    assert run.shown == Path("here")


def test_what_is_no_run_is_not_opened(tmp_path):
    with pytest.raises(UserError, match=r"no manifest\.json"):
        RunDirectory.open(tmp_path)
    with pytest.raises(UserError, match="not a run directory"):
        RunDirectory.open(tmp_path / "nowhere")


def test_a_manifest_is_read_as_it_was_written(run):
    again = RunDirectory.open(run.path)
    assert again.manifest().agent == {"name": "mymodel", "kind": "python"}
    changed = replace(again.manifest(), planned=["a"])
    again.write_manifest(changed)
    assert run.manifest() == changed


def test_only_one_process_holds_a_run(run):
    with (
        run.held(),
        pytest.raises(UserError, match=r"in use by process \d+"),
        RunDirectory.open(run.path).held(),
    ):
        pass
    with RunDirectory.open(run.path).held():
        pass


def test_a_killed_process_holds_nothing(run):
    script = """
        import sys, time
        from pathlib import Path
        from pytest_gitgoodbench.runs.directory import RunDirectory
        with RunDirectory(Path(sys.argv[1])).held():
            print("held", flush=True)
            time.sleep(60)
    """
    holder = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), str(run.path)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(UserError, match=f"process {holder.pid}"), run.held():
        pass
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    with run.held():
        pass


def test_a_finished_attempt_leaves_no_mark(run):
    begun = record(started=5.0, worker="gw1")
    run.begin(begun)
    run.append(begun)
    assert run.settle() == []
    assert run.records() == [begun]


def test_an_attempt_whose_worker_died_becomes_an_error(run):
    run.begin(record(sample="a", started=1.0, worker="gw0"))
    run.begin(record(sample="b", started=1.0, worker="gw1"))
    (lost,) = run.settle(worker="gw1")
    assert (lost.sample, lost.outcome, lost.strict) == ("b", "error", None)
    assert "gw1" in lost.reasons[0]
    (other,) = run.settle(reason="killed by the user")
    assert other.reasons == ["killed by the user"]
    assert run.settle() == []
    assert [entry.sample for entry in run.records()] == ["b", "a"]


def test_a_worker_that_died_after_writing_its_record_lost_nothing(run):
    begun = record(started=5.0)
    run.begin(begun)
    mark = next((run.path / "inflight").iterdir())
    kept = mark.read_text("utf-8")
    run.append(begun)
    mark.write_text(kept, "utf-8")
    assert run.settle() == []
    assert not list((run.path / "inflight").iterdir())
    assert [entry.outcome for entry in run.records()] == ["solved"]


def test_a_mark_of_a_later_try_is_not_taken_for_the_earlier_record(run):
    run.append(record(started=5.0))
    run.begin(record(started=6.0))
    assert [entry.started for entry in run.settle()] == [6.0]


def test_transcripts_of_further_tries_are_files_of_their_own(run):
    first, second = run.new_transcript("merge[x]"), run.new_transcript("merge[x]")
    assert first != second
    assert first.parent == second.parent == run.transcripts
    assert run.transcript_of(record(transcript=first.name)) == first


@pytest.mark.parametrize("name", ["../manifest.json", "/etc/passwd", "missing.jsonl", "", None])
def test_a_record_cannot_name_a_transcript_elsewhere(run, name):
    assert run.transcript_of(record(transcript=name)) is None


def test_a_linked_transcript_is_not_read(run):
    run.transcripts.mkdir()
    (run.transcripts / "link.jsonl").symlink_to("/etc/passwd")
    assert run.transcript_of(record(transcript="link.jsonl")) is None


@pytest.mark.parametrize("id", ["a/b::test_x[1]", "..", "", HOSTILE, "\udce9", "x" * 5000, "ÄÖ"])
def test_file_names_are_safe_and_their_own(id):
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,140}", file_name(id))
    assert file_name(id) != file_name(id + "]")


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path):
    file = tmp_path / "file"
    write_atomically(file, "old")
    file.with_name(f".file.{__import__('os').getpid()}.new").mkdir()
    with pytest.raises(InfrastructureError, match="cannot be written"):
        write_atomically(file, "new")
    assert file.read_text("utf-8") == "old"


def test_the_manifest_is_plain_json(run):
    run.write_manifest(manifest(["merge[x]"], limit=3, shard=(1, 2), language=("java",)))
    data = json.loads(run.manifest_file.read_text("utf-8"))
    assert data["version"] == 1
    assert data["planned"] == ["merge[x]"]
    assert data["settings"]["shard"] == [1, 2]
    assert {"git", "python", "pytest"} <= set(data["versions"])
