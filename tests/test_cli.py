"""`ggb` as people and scripts use it: a process of its own, exit statuses, one line for an error."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from pytest_gitgoodbench.settings import options_table
from tests.support.records import a_run, many, record


@pytest.fixture
def ggb(tmp_path):
    """Run `ggb` in a folder of its own, with a cache of its own."""

    def run(*arguments, **options):
        env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "home-cache"), "COLUMNS": "100"}
        return subprocess.run(
            [sys.executable, "-m", "pytest_gitgoodbench.cli", *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=env,
            check=False,
            **options,
        )

    return run


@pytest.fixture
def run(tmp_path):
    return a_run(tmp_path / "run", list(many(20)), transcripts=1)


def refused(done):
    """The one line of a refusal."""
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    return done.stderr


def test_help_names_every_command_and_imports_nothing_heavy(ggb):
    assert all(
        name in ggb("--help").stdout for name in ("fetch", "report", "compare", "merge", "export", "rejudge")
    )
    script = (
        "import sys; from pytest_gitgoodbench.cli import _parser; _parser();"
        "print([name for name in ('pytest', 'litellm', 'datasets', 'git', 'rich', 'pyarrow', 'filelock',"
        " 'pytest_gitgoodbench.runs.report') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_report_writes_the_file_and_tells_the_summary(ggb, run):
    done = ggb("report", run.path)
    assert done.returncode == 0, done.stderr
    assert "solve rate in %" in done.stdout
    assert (run.path / "report.html").is_file()
    assert done.stdout.endswith("report.html\n")


@pytest.mark.parametrize(("rate", "status"), [("0.05", 0), ("0.95", 1)])
def test_report_can_be_a_gate(ggb, run, rate, status):
    done = ggb("report", run.path, f"--min-solve-rate={rate}")
    assert done.returncode == status
    assert "minimum of" in done.stdout


def test_compare_prints_or_writes_every_format(ggb, run, tmp_path):
    other = a_run(tmp_path / "other", list(many(20, seed=9)), agent="other")
    assert "against" in ggb("compare", run.path, other.path).stdout
    assert "| --- |" in ggb("compare", run.path, other.path, "--format=markdown").stdout
    done = ggb("compare", run.path, other.path, "--format=html", "--out=c.html", "--protocol=paper")
    assert (done.returncode, done.stdout) == (0, "")
    assert "solve rate (paper)" in (tmp_path / "c.html").read_text("utf-8")


def test_merge_says_what_is_missing_and_writes_the_report(ggb, tmp_path):
    for shard in (1, 3):
        a_run(tmp_path / f"s{shard}", [record(sample=f"s{shard}")], shard=(shard, 3))
    done = ggb("merge", "s1", "s3", "--out=whole")
    assert done.returncode == 0, done.stderr
    assert "shards that are missing: 2/3" in done.stdout
    assert (tmp_path / "whole" / "report.html").is_file()
    assert "holds a run already" in refused(ggb("merge", "s1", "--out=whole"))


def test_export_to_standard_output_and_to_a_file(ggb, run, tmp_path):
    assert ggb("export", run.path, "--format=csv").stdout.startswith("id,sample,scenario")
    assert ggb("export", run.path, "--format=leaderboard", "--out=l.json").returncode == 0
    assert json.loads((tmp_path / "l.json").read_text("utf-8"))["format"] == "gitgoodbench-leaderboard"
    assert "--out" in refused(ggb("export", run.path, "--format=parquet"))


def test_rejudge_makes_a_run_of_its_own(ggb, run, tmp_path):
    done = ggb("rejudge", run.path, "--judge=rubric", "--judge-threshold=0.5")
    assert done.returncode == 0, done.stderr
    assert "threshold 0.5" in done.stdout
    new = json.loads((tmp_path / "run-rubric" / "manifest.json").read_text("utf-8"))
    assert new["settings"]["judge_threshold"] == 0.5
    assert (tmp_path / "run-rubric" / "report.html").is_file()
    assert "holds a run already" in refused(ggb("rejudge", run.path, "--judge=rubric"))


def test_doctor_looks_at_what_runs_need(ggb, tmp_path):
    done = ggb("doctor", f"--cache-dir={tmp_path / 'cache'}")
    assert done.returncode == 0, done.stdout
    for what in ("Python", "git", "litellm", "sandbox", "cache"):
        assert f"\n{what}" in f"\n{done.stdout}"
    (tmp_path / "file").touch()
    done = ggb("doctor", f"--cache-dir={tmp_path / 'file'}")
    assert done.returncode == 1
    assert "FAILS" in done.stdout


def test_cache_is_listed_and_pruned(ggb, tmp_path):
    store = tmp_path / "c" / "repos" / "owner+repo" / "store.git"
    store.mkdir(parents=True)
    assert "owner/repo  not whole" in ggb("cache", "list", "--cache-dir=c").stdout
    assert "owner/repo  not whole" in ggb("cache", "--cache-dir=c").stdout
    assert "say what" in refused(ggb("cache", "prune", "--cache-dir=c"))
    assert "1 repository removed" in ggb("cache", "--cache-dir=c", "prune", "--repo=Owner/Repo").stdout
    assert "no repositories" in ggb("cache", "--cache-dir=c").stdout


def test_options_is_the_table_of_the_readme(ggb):
    assert ggb("options").stdout == options_table() + "\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["report", "nowhere"], "nowhere is not a run directory"),
        (["export", ".", "--format=csv"], "no manifest.json"),
        (["compare", "run"], "at least two"),
        (["compare", "run", "nowhere"], "nowhere"),
        (["rejudge", "run", "--judge=no.such:thing"], "no.such"),
        (["rejudge", "run", "--judge=rubric", "--judge-threshold=2"], "0 to 1"),
        (["fetch", "--ggb-dataset=no/such/file.csv"], "no/such/file.csv"),
        (["fetch", "--ggb-limit=none"], "--ggb-limit"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(ggb, run, arguments, says):
    assert says in refused(ggb(*arguments))


def test_a_run_of_a_newer_version_is_refused_by_name(ggb, run):
    data = json.loads(run.manifest_file.read_text("utf-8"))
    run.manifest_file.write_text(json.dumps({**data, "version": 99}), "utf-8")
    for arguments in (["report", run.path], ["compare", run.path, run.path], ["merge", run.path, "--out=x"]):
        assert "schema version 99" in refused(ggb(*arguments))


def test_fetch_makes_the_demo_ready_and_then_has_nothing_to_do(ggb, tmp_path):
    arguments = (
        "fetch",
        "--ggb-dataset=demo",
        "--ggb-cache-dir=c",
        "--ggb-language=python,java",
        "--ggb-shard=1/1",
    )
    first, second = ggb(*arguments), ggb(*arguments)
    assert first.returncode == second.returncode == 0, first.stderr
    assert "fetching" in first.stdout
    assert "fetching" not in second.stdout
    assert "gitgoodbench-demo/" in ggb("cache", "--cache-dir=c").stdout


def test_fetch_fails_when_a_repository_cannot_be_had(ggb, tmp_path):
    (tmp_path / "empty").mkdir()
    rows = tmp_path / "rows.jsonl"
    row = {
        "id": "owner_repo_merge_0001",
        "name": "owner/repo",
        "programming_language": "java",
        "sample_type": "merge",
        "difficulty": "easy",
        "scenario": {
            "merge_commit_hash": "a" * 40,
            "parents": ["b" * 40, "c" * 40],
            "files_in_merge_conflict": ["x"],
        },
    }
    rows.write_text(json.dumps(row) + "\n", "utf-8")
    done = ggb(
        "fetch", f"--ggb-dataset={rows}", "--ggb-repo-root=empty", "--ggb-offline", "--ggb-cache-dir=c"
    )
    assert done.returncode == 1, done.stderr
    assert "owner/repo cannot be had" in done.stdout


def test_a_reader_that_stops_reading_is_no_error(run, tmp_path):
    command = f"{sys.executable} -m pytest_gitgoodbench.cli export {run.path} --format=chat | head -c 10"
    done = subprocess.run(["/bin/bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""
