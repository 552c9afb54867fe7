"""What an agent's result lacks or has too much, against the ground truth, for people."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_gitgoodbench.errors import GitError
from pytest_gitgoodbench.git import Git, text

MOST_BYTES = 64 << 10
_MOST_NAMES = 3


@dataclass(frozen=True)
class Difference:
    """How two trees differ.

    Attributes:
        paths: what differs, both names of what was renamed; quoted as git does where a name needs it;
            none if git could not compare them.
        patch: the ground truth (-) against the result (+) as a unified diff, cut at `MOST_BYTES`.
    """

    paths: tuple[str, ...]
    patch: str

    def __str__(self) -> str:
        """The first paths, and how many more there are."""
        if not self.paths:
            return "files that git could not compare"
        more = len(self.paths) - _MOST_NAMES
        return ", ".join(self.paths[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def difference(git: Git, truth: str, result: str) -> Difference:
    """Compare two trees, without external diff programs, text conversion or attributes of a work tree.

    Args:
        git: a repository that has both.
        truth, result: commits or trees.
    """
    try:
        out = git(
            "diff-tree", "-r", "--raw", "-p", "-M", "--no-ext-diff", "--no-textconv", "--no-color", truth, result,
            timeout=60,
        )  # fmt: skip
    except GitError as error:
        return Difference((), f"(no diff: {error})")
    # A line for each file (git-diff-tree, "Raw output format"), an empty one, the patch.
    raw, _, patch = out.partition(b"\n\n")
    paths = (path for line in raw.split(b"\n") for path in line.split(b"\t")[1:])
    left_out = len(patch) - MOST_BYTES
    mark = f"\n[... {left_out} bytes left out ...]\n" if left_out > 0 else ""
    return Difference(tuple(map(text, paths)), text(patch[:MOST_BYTES]) + mark)
