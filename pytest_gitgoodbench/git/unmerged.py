"""The unmerged part of the index: which versions of a path there are, and what its conflict is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from pytest_gitgoodbench.git.index import Version
from pytest_gitgoodbench.git.run import Git, path_text
from pytest_gitgoodbench.git.worktree import shown

BASE, OURS, THEIRS = 1, 2, 3
SIDES = {"base": BASE, "ours": OURS, "theirs": THEIRS}

FILE, EXECUTABLE, LINK, SUBMODULE = "100644", "100755", "120000", "160000"
_WHAT = {
    (1, 2): "changed by ours, deleted or renamed by theirs",
    (1, 3): "deleted or renamed by ours, changed by theirs",
    (1,): "deleted or renamed on both sides",
    (2,): "only ours has it here (added or renamed)",
    (3,): "only theirs has it here (added or renamed)",
    (2, 3): "added by both",
    (1, 2, 3): "changed by both",
}


T = TypeVar("T")

Stages = Mapping[int, Version]
"""The versions of a path by index stage: `BASE`, `OURS`, `THEIRS`; a side without the path is not there."""


def unmerged(git: Git) -> dict[bytes, dict[int, Version]]:
    """All unmerged paths of the index, in its order."""
    found: dict[bytes, dict[int, Version]] = {}
    for entry in git("ls-files", "--unmerged", "-z").split(b"\0"):
        if entry:
            head, _, path = entry.partition(b"\t")
            mode, oid, stage = head.decode().split(" ")
            found.setdefault(path, {})[int(stage)] = Version(mode, oid)
    return found


def three_way(base: T | None, ours: T | None, theirs: T | None) -> T | None:
    """What a merge makes of something that each side has or has not; ours where both changed it."""
    if ours is None or theirs is None:
        return next((side for side in (ours, theirs, base) if side is not None), None)
    return theirs if ours == base else ours


def merged_mode(stages: Stages) -> str:
    """The mode of a three-way merge."""
    return three_way(*(stages[n].mode if n in stages else None for n in (BASE, OURS, THEIRS))) or FILE


def describe(stages: Stages) -> str:
    """What the conflict is about, in a few words."""
    words = _WHAT[tuple(sorted(stages))]
    modes = {version.mode for version in stages.values()}
    if SUBMODULE in modes:
        words += ", a submodule" if modes == {SUBMODULE} else ", a submodule on some side"
    if LINK in modes:
        words += ", a symbolic link" if modes == {LINK} else ", a symbolic link on some side"
    if {FILE, EXECUTABLE} <= modes:
        executable = [name for name, n in SIDES.items() if n in stages and stages[n].mode == EXECUTABLE]
        words += f", executable in {' and '.join(executable)} only"
    return words


@dataclass(frozen=True)
class Sides:
    """The commits that are merged.

    Attributes:
        ours, theirs: commits.
        base: their merge base; None when they have none.
    """

    ours: str
    theirs: str
    base: str | None

    def renames(self, git: Git) -> dict[bytes, list[str]]:
        """What the two sides renamed, as sentences by each path that takes part."""
        found: dict[bytes, list[str]] = {}
        for side, commit in (("ours", self.ours), ("theirs", self.theirs)):
            if self.base is None:
                continue
            listing = git(
                "diff-tree", "-r", "-z", "-M", "--diff-filter=R", "--name-status", self.base, commit
            ).split(b"\0")
            for old, new in zip(listing[1::3], listing[2::3], strict=True):
                sentence = f"{side} renamed {shown(old)} to {shown(new)}"
                found.setdefault(old, []).append(sentence)
                found.setdefault(new, []).append(sentence)
        return found


def attributes(git: Git, name: str, paths: list[bytes]) -> dict[bytes, str]:
    """The value of a git attribute for each path (`unspecified` without one)."""
    listing = git("check-attr", "-z", "--stdin", name, input=b"".join(p + b"\0" for p in paths)).split(b"\0")
    return {path: path_text(value) for path, value in zip(listing[0::3], listing[2::3], strict=False)}
