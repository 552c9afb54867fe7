"""A git command that does not end is ended, with all that it started."""

from __future__ import annotations

import os

import pytest

from pytest_gitgoodbench.errors import GitError
from pytest_gitgoodbench.git import Git


def test_a_command_without_an_end(tmp_path):
    fifo = tmp_path / "held"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    git = Git(timeout=0.5).with_config({"alias.hang": f"!sh -c 'sleep 1000 & sleep 1000' >'{fifo}'"})
    with pytest.raises(GitError, match=r"^git hang: ran out of time: no end after 0\.5 s$"):
        git("hang")
    # Read to the end: nobody holds the other side.
    os.set_blocking(reader, True)
    with os.fdopen(reader, "rb") as left:
        assert left.read() == b""


def test_a_command_that_reads_nothing_of_its_input():
    assert Git()("--version", input=bytes(1 << 20)).startswith(b"git version")
