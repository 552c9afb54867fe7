"""How near a wrong merge comes to the maintainers': by file, by conflict, by similarity of lines."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any

from pytest_gitgoodbench.dataset.sample import Merge

_MARKER = re.compile(rb"^(?:<{7}|>{7})(?: |$)", re.M)
_MOST_LINES = 5000  # difflib is quadratic


def paths_of(merge: Merge) -> list[str]:
    """The paths that are compared: git reads names of objects by the line."""
    return [path for path in merge.files if "\n" not in path]


def likeness(paths: Sequence[str], truth: Sequence[bytes], result: Sequence[bytes]) -> dict[str, Any]:
    """Compare the conflicting files of a result with the maintainers'.

    Args:
        paths: of these files.
        truth, result: their contents, in the same order; empty where there is no such file.

    Returns:
        `files`: by path `match`, `whitespace` (equal but for white space) or `different`;
        `files_matched`: their share, 0 to 1; `whitespace_match`: whether all match but for white space;
        `similarity`: mean over the files of the share of equal lines, 0 to 1;
        `conflict_markers`: how many are left.
    """
    files: dict[str, str] = {}
    ratios: list[float] = []
    markers = 0
    for path, theirs, mine in zip(paths, truth, result, strict=True):
        markers += len(_MARKER.findall(mine))
        same = theirs == mine
        files[path] = "match" if same else "whitespace" if theirs.split() == mine.split() else "different"
        ratios.append(1.0 if same else _ratio(theirs, mine))
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
