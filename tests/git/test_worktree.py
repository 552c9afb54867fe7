"""Paths stay inside the work tree, and links are never followed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given as any_of
from hypothesis import strategies as st

from pytest_gitgoodbench.git.worktree import PathError, given, read, remove, shown


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "work"
    (folder / "dir").mkdir(parents=True)
    (folder / "dir" / "file").write_bytes(b"content\r\n")
    (tmp_path / "secret").write_bytes(b"secret")
    (folder / "passwd").symlink_to("/etc/passwd")
    (folder / "etc").symlink_to("/etc")
    (folder / "up").symlink_to("..")
    os.mkfifo(folder / "pipe")
    return folder


OUTSIDE = ["/etc/passwd", "../secret", "dir/../../secret", "dir/..", ".", "./dir/file", "dir//file", "dir/"]
OWN = [".git", ".git/config", ".GIT/config", "sub/.git/config", '"..\\057secret"', '"/etc/passwd"']


@pytest.mark.parametrize("path", [*OUTSIDE, *OWN, "", "a\0b", "\ud800"])
def test_paths_that_are_refused(path):
    with pytest.raises(PathError):
        given(path)


def test_paths_of_all_sorts_are_taken():
    for path in ("dir/file", "-f", "a b", "..x", ".gitignore", "x.git/y", "é", '"'):
        assert given(path) == path.encode()


@any_of(st.binary(min_size=1).filter(lambda path: b"\0" not in path and b"/" not in path))
def test_a_shown_path_can_be_given_back(path):
    if path in (b".", b"..") or path.lower() == b".git":
        return
    text = shown(path)
    assert text.isprintable() and text.encode()
    assert given(text) == path


def test_regular_files_are_read_as_they_are(root):
    assert read(root, b"dir/file") == b"content\r\n"


@pytest.mark.parametrize(
    "path", [b"passwd", b"etc/passwd", b"up/secret", b"pipe", b"dir", b"nosuch", b"dir/file/x", b"x" * 300]
)
def test_nothing_else_is_read(root, path):
    with pytest.raises(PathError):
        read(root, path)


def test_a_removed_file_takes_empty_folders_along_and_no_more(root):
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "f").write_bytes(b"")
    (root / "a" / "other").write_bytes(b"")
    remove(root, b"a/b/f")
    assert not (root / "a" / "b").exists()
    assert (root / "a" / "other").exists()
    remove(root, b"a/nosuch")
    remove(root, b"passwd")
    assert not os.path.lexists(root / "passwd")
    assert Path("/etc/passwd").exists()
    remove(root, b"up/secret")
    assert (root.parent / "secret").exists()
