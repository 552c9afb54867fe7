"""How near a wrong merge comes to the maintainers': by file, by conflict, by similarity of lines."""

from __future__ import annotations

import difflib
import re
from typing import Any

from pytest_gitgoodbench.dataset.sample import Merge
from pytest_gitgoodbench.git import Git
from pytest_gitgoodbench.git.objects import read_objects

_MARKER = re.compile(rb"^(?:<{7}|>{7})(?: |$)", re.M)
_MOST_LINES = 5000  # difflib is quadratic


def likeness(git: Git, merge: Merge, head: str) -> dict[str, Any]:
    """Compare the conflicting files of a result with the maintainers'.

    Args:
        git: a repository that has both.
        head: the result's commit.

    Returns:
        `files`: by path `match`, `whitespace` (equal but for white space) or `different`;
        `files_matched`: their share, 0 to 1; `whitespace_match`: whether all match but for white space;
        `similarity`: mean over the files of the share of equal lines, 0 to 1;
        `conflict_markers`: how many are left.
    """
    paths = [path for path in merge.files if "\n" not in path]
    names = [f"{commit}:{path}" for path in paths for commit in (merge.merge_commit, head)]
    contents = [found[1] if found else b"" for found in read_objects(git, names)]
    files: dict[str, str] = {}
    ratios: list[float] = []
    markers = 0
    for number, path in enumerate(paths):
        truth, mine = contents[2 * number], contents[2 * number + 1]
        markers += len(_MARKER.findall(mine))
        same = truth == mine
        files[path] = "match" if same else "whitespace" if truth.split() == mine.split() else "different"
        ratios.append(1.0 if same else _ratio(truth, mine))
    matched = sum(state == "match" for state in files.values())
    return {
        "files": files,
        "files_matched": round(matched / len(files), 4) if files else None,
        "whitespace_match": bool(files) and "different" not in files.values(),
        "similarity": round(sum(ratios) / len(ratios), 4) if ratios else None,
        "conflict_markers": markers,
    }


def _ratio(truth: bytes, mine: bytes) -> float:
    left, right = truth.split(b"\n"), mine.split(b"\n")
    if len(left) + len(right) > _MOST_LINES:
        common = len(set(left) & set(right))
        return common / max(len(set(left)), len(set(right)), 1)
    return difflib.SequenceMatcher(None, left, right, autojunk=False).ratio()
