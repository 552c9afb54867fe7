"""A store: the bare repository in the cache that holds what the samples of one upstream need."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from pytest_gitgoodbench.git import Git


@dataclass(frozen=True)
class Store:
    """One upstream repository in the cache; the ground truth is in here, workspaces never see it.

    Attributes:
        name: `owner/repo` as the dataset has it.
        path: the bare repository.
    """

    name: str
    path: Path

    @property
    def git(self) -> Git:
        """git bound to the store."""
        return Git(git_dir=self.path)

    def missing(self, commits: Collection[str]) -> list[str]:
        """Those of `commits` that the store does not have as commits."""
        wanted = list(commits)
        listing = self.git("cat-file", "--batch-check", input="\n".join(wanted).encode() + b"\n")
        lines = listing.splitlines()
        return [
            commit for commit, line in zip(wanted, lines, strict=True) if line.split(b" ")[1:2] != [b"commit"]
        ]
