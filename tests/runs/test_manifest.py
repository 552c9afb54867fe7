"""A manifest tells what a run was, gives no secret away, and is read or refused clearly."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.llm.redact import HIDDEN, without_secrets
from pytest_gitgoodbench.runs.manifest import Manifest, versions
from pytest_gitgoodbench.settings import Settings
from tests.support.records import manifest


@pytest.mark.parametrize(
    ("value", "secret"),
    [
        ({"agent": "cmd:run --api-key abc123def {brief_file}"}, "abc123def"),
        ({"agent": "cmd:run --token=abc123def"}, "abc123def"),
        ({"agent": "cmd:env OPENAI_API_KEY='abc123def' run"}, "abc123def"),
        ({"repo_url": "https://me:abc123def@example.com/{name}.git"}, "abc123def"),
        ({"repo_url": "https://abc123def@example.com/{name}.git"}, "abc123def"),
        ({"params": [["x", "bearer  abc1"]]}, "abc1"),
        ({"params": {"api_key": "abc123def"}}, "abc123def"),
        ({"params": {"extra_headers": {"Authorization": "abc123def"}}}, "abc123def"),
        ({"params": [["x", "Bearer abc123def"]]}, "abc123def"),
        ({"agent": "use sk-proj-0123456789abcdefghij now"}, "0123456789"),
        ({"agent": "use ghp_0123456789abcdefghij now"}, "0123456789"),
        ({"agent": "cmd:run my-environment-secret"}, "my-environment-secret"),
    ],
)
def test_secrets_are_replaced(value, secret, monkeypatch):
    monkeypatch.setenv("SOME_SERVICE_API_KEY", "my-environment-secret")
    written = json.dumps(without_secrets(value))
    assert secret not in written
    assert HIDDEN in written


def test_what_is_no_secret_stays(monkeypatch):
    monkeypatch.setenv("SOME_TOKEN", "short")
    value = {
        "agent": "cmd:my-agent --task {brief_file} short",
        "repo_url": "https://github.com/{name}.git",
        "params": {"max_tokens": 100, "temperature": 0.0, "flags": [True, None]},
        "file": Path("rows.csv"),
    }
    assert without_secrets(value) == {**value, "file": "rows.csv"}


def test_options_run_the_same_again():
    settings = {
        "agent": "cmd:agent {brief}",
        "language": ("java", "kotlin"),
        "shard": (1, 4),
        "judge_threshold": 0.5,
        "offline": True,
        "trials": 3,
        "cache_dir": Path("my cache"),
    }
    made = Manifest.of(Settings(**settings), dataset={}, agent={}, judge={}, planned=[])
    again = json.loads(made.as_text())
    assert replace(made, **again) == made
    assert shlex.join(made.options()) == (
        "'--ggb-agent=cmd:agent {brief}' --ggb-judge-threshold=0.5 --ggb-language=java,kotlin "
        "--ggb-shard=1/4 --ggb-trials=3 '--ggb-cache-dir=my cache' --ggb-offline"
    )


def test_a_continued_run_keeps_its_start_and_gains_attempts():
    first, second = manifest(["a", "b"], trials=1), replace(manifest(["b", "c"], trials=2), created="later")
    both = first.continued_as(second)
    assert both.planned == ["a", "b", "c"]
    assert (both.created, both.resumed) == (first.created, ["later"])
    assert both.settings["trials"] == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "no JSON"),
        ("[]", "no manifest"),
        ("{}", "schema version None"),
        ('{"version": 7}', "update it"),
        ('{"version": 1, "dataset": {}, "agent": {}, "judge": 3}', "no judge, settings"),
        ("\xff", "no JSON"),
    ],
)
def test_what_is_no_manifest_is_refused(tmp_path, text, says):
    file = tmp_path / "manifest.json"
    file.write_text(text, "latin-1")
    with pytest.raises(UserError, match=says):
        Manifest.read(file)


@pytest.mark.parametrize(
    ("judge", "name"),
    [
        ({"name": "rubric"}, "rubric (not the paper's judge)"),
        ({"name": "openai/gpt-4o", "self_judged": True}, "openai/gpt-4o (self-judged)"),
        ({"name": "openai/gpt-4o"}, "openai/gpt-4o"),
    ],
)
def test_people_are_told_what_has_to_be_known_of_a_judge(judge, name):
    assert replace(manifest(), judge=judge).judge_name == name


@pytest.mark.parametrize(
    ("dataset", "name"),
    [
        ({"id": "demo", "revision": None}, "demo"),
        ({"id": "lite", "revision": "a" * 40, "pinned": True}, "lite at aaaaaaaaaaaa"),
        ({"id": "lite", "revision": "a" * 40, "pinned": False}, "lite at aaaaaaaaaaaa, unpinned"),
    ],
)
def test_people_are_told_which_revision_and_whether_it_is_pinned(dataset, name):
    assert replace(manifest(), dataset=dataset).dataset_name == name


def test_versions_name_git_and_python():
    found = versions()
    assert found["git"][0].isdigit()
    assert found["pytest"] == pytest.__version__
