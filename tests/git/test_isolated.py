"""What somebody put into a repository's settings is neither run nor read."""

from __future__ import annotations

import os
import shutil

import pytest

from pytest_gitgoodbench.git.isolated import IsolatedGit, UnsafeRepository
from tests.support.repository import Repository


@pytest.fixture
def repository(tmp_path):
    made = Repository(tmp_path / "work")
    made.commit({"f": b"1\n", ".gitattributes": b"f filter=x diff=x merge=x\n"})
    return made


def test_settings_hooks_and_attributes_of_the_repository_are_not_run(repository, tmp_path):
    canary = tmp_path / "canary"
    isolated = IsolatedGit(repository.path)
    run = f"sh -c 'echo ran >> {canary}; cat'"
    hook = repository.path / ".git" / "hooks" / "post-commit"
    hook.parent.mkdir(exist_ok=True)
    for name in ("post-commit", "pre-commit", "post-index-change", "reference-transaction", "post-checkout"):
        hook.with_name(name).write_text(f"#!/bin/sh\necho ran >> {canary}\n")
        hook.with_name(name).chmod(0o755)
    for name in ("filter.x.clean", "filter.x.smudge", "diff.x.textconv", "diff.external", "core.fsmonitor",
                 "merge.x.driver", "core.editor", "core.pager"):  # fmt: skip
        repository.git("config", name, run)
    repository.git("config", "core.hooksPath", str(hook.parent))
    repository.git("config", "core.worktree", "/tmp")
    (repository.path / ".git" / "info").mkdir(exist_ok=True)
    (repository.path / ".git" / "info" / "attributes").write_text("* filter=x\n")
    (repository.path / ".git" / "commondir").write_text(f"{tmp_path}\n")
    (repository.path / "f").write_bytes(b"2\n")
    isolated.check()
    isolated.git("status")
    assert b"+2" in isolated.git("diff")
    isolated.git("add", "f")
    isolated.git("commit", "-q", "-m", "Change")
    isolated.git("checkout-index", "-f", "-a")
    assert not canary.exists()
    assert isolated.git("cat-file", "blob", "HEAD:f") == b"2\n"


def test_refs_are_the_repositorys_own(repository):
    repository.git("pack-refs", "--all")
    isolated = IsolatedGit(repository.path)
    isolated.git("commit", "-q", "--allow-empty", "-m", "By the tools")
    assert repository.git("log", "-1", "--format=%s", "main") == "By the tools"
    repository.git("commit", "-q", "--allow-empty", "-m", "By the agent")
    assert isolated.git.line("log", "-1", "--format=%s") == "By the agent"
    assert not (repository.path / ".git" / "refs").is_symlink()


def test_replaced_objects_are_not_believed(repository):
    other = repository.git("hash-object", "-w", "--stdin", input=b"forged\n")
    repository.git("replace", repository.git("rev-parse", "HEAD:f"), other)
    assert IsolatedGit(repository.path).git("cat-file", "blob", "HEAD:f") == b"1\n"


def test_sha256(tmp_path):
    made = Repository(tmp_path / "work", form="sha256")
    made.commit({"f": b"1\n"})
    isolated = IsolatedGit(made.path)
    assert len(isolated.git.line("rev-parse", "HEAD")) == len(isolated.null_oid) == 64


@pytest.mark.parametrize(
    "name", ["index", "HEAD", "refs/heads/main", "refs/heads", "objects", "objects/ab", "packed-refs"]
)
def test_a_link_in_the_repository_is_refused(repository, tmp_path, name):
    isolated = IsolatedGit(repository.path)
    isolated.check()
    place = repository.path / ".git" / name
    elsewhere = tmp_path / "elsewhere"
    if place.exists():
        shutil.move(place, elsewhere)
    place.symlink_to(elsewhere)
    with pytest.raises(UnsafeRepository):
        isolated.check()


def test_other_ways_out_are_refused(repository, tmp_path):
    isolated = IsolatedGit(repository.path)
    alternates = repository.path / ".git" / "objects" / "info" / "alternates"
    alternates.parent.mkdir(exist_ok=True)
    alternates.write_text(f"{tmp_path}\n")
    with pytest.raises(UnsafeRepository, match="borrowed"):
        isolated.check()
    alternates.unlink()
    os.mkfifo(repository.path / ".git" / "MERGE_MSG")
    with pytest.raises(UnsafeRepository, match="MERGE_MSG"):
        isolated.check()
    shutil.rmtree(repository.path / ".git")
    with pytest.raises(UnsafeRepository, match=r"\.git is not a folder any more"):
        isolated.check()


def test_the_folder_of_ours_goes_with_the_object(repository):
    isolated = IsolatedGit(repository.path)
    folder = isolated.scratch.parent
    assert folder.is_dir()
    del isolated
    assert not folder.exists()
