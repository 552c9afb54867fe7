"""Short diffs for people: what an agent's result lacks or has too much, against the ground truth."""

from __future__ import annotations

from pytest_gitgoodbench.errors import GitError
from pytest_gitgoodbench.git import Git, text

MOST_BYTES = 64 << 10


def short_patch(git: Git, truth: str, result: str) -> str:
    """The ground truth (-) against the result (+) as a unified diff, cut at `MOST_BYTES`.

    Read from trees, without external diff programs, text conversion or attributes of a work tree.

    Args:
        git: a repository that has both.
        truth, result: commits or trees.
    """
    try:
        raw = git(
            "diff-tree", "-r", "-p", "-M", "--no-ext-diff", "--no-textconv", "--no-color", truth, result,
            timeout=60,
        )  # fmt: skip
    except GitError as error:
        return f"(no diff: {error})"
    if len(raw) <= MOST_BYTES:
        return text(raw)
    return text(raw[:MOST_BYTES]) + f"\n[... {len(raw) - MOST_BYTES} bytes left out ...]\n"
