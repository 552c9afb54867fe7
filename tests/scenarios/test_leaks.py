"""No workspace of any demo scenario holds an object, ref or file that its agent may not see."""

from __future__ import annotations

import pytest

from pytest_gitgoodbench.dataset import demo
from pytest_gitgoodbench.dataset.load import load
from pytest_gitgoodbench.dataset.sample import Merge
from pytest_gitgoodbench.dataset.tasks import select
from pytest_gitgoodbench.repos.cache import Cache
from pytest_gitgoodbench.repos.workspace import forbidden_objects
from pytest_gitgoodbench.runs.attempts import prepare
from pytest_gitgoodbench.scenarios import by_sample_type
from pytest_gitgoodbench.settings import Settings

TASKS = select(load(Settings(dataset="demo")).samples, by_sample_type(), Settings())


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return Cache(Settings(cache_dir=tmp_path_factory.mktemp("cache")), demo.builders())


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.key)
def test_only_what_the_agent_may_see(task, cache, tmp_path):
    prepared = prepare(task, cache, tmp_path / "workspace")
    assert forbidden_objects(prepared.workspace, prepared.start, prepared.store) == []


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.key)
def test_the_ground_truth_is_nowhere(task, cache, tmp_path):
    """By git's own exhaustive listing, apart from what `forbidden_objects` thinks is allowed."""
    prepared = prepare(task, cache, tmp_path / "workspace")
    listing = prepared.workspace.git(
        "cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname) %(objecttype)"
    )
    commits = {line.split()[0].decode() for line in listing.splitlines() if line.endswith(b" commit")}
    detail = task.sample.detail
    hidden = prepared.store.git.line(
        "rev-list",
        *(
            [detail.merge_commit]
            if isinstance(detail, Merge)
            else [detail.newest_commit, detail.oldest_commit]
        ),
        "--not",
        *prepared.start.visible[: 1 if task.scenario == "commit" else None],
    ).split()
    if task.scenario != "rebase":
        assert hidden
    assert not commits & set(hidden)


def test_the_check_finds_a_leak(cache, tmp_path):
    task = next(task for task in TASKS if task.scenario == "merge")
    prepared = prepare(task, cache, tmp_path / "workspace")
    truth = task.sample.detail.merge_commit
    pack = prepared.store.git("pack-objects", "--revs", "--stdout", "-q", input=f"{truth}\n".encode())
    prepared.workspace.git("index-pack", "--stdin", input=pack)
    assert f"commit {truth}" in forbidden_objects(prepared.workspace, prepared.start, prepared.store)
