"""Unified diffs as HTML: two sides beside each other, or one column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from pytest_gitgoodbench.runs.report.markup import Html, tag

Kind = Literal["header", "hunk", "same", "old", "new"]

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
MAX_LINES = 3000
"""A longer diff is cut, with a line that says so: nobody reads it, and the page has to open."""


def lines_of(diff: str) -> Iterator[tuple[Kind, str]]:
    """What each line of a unified diff is. A diff that was shortened or is none at all does no harm.

    Lines of a hunk come without their first character.
    """
    old = new = 0
    for line in diff.split("\n"):
        hunk = _HUNK.match(line)
        first = line[:1]
        if old > 0 and first == "-":
            old -= 1
            yield "old", line[1:]
        elif new > 0 and first == "+":
            new -= 1
            yield "new", line[1:]
        elif old > 0 and new > 0 and first in (" ", ""):
            old, new = old - 1, new - 1
            yield "same", line[1:]
        elif hunk:
            old, new = (1 if size is None else int(size) for size in hunk.groups())
            yield "hunk", line
        else:
            yield "header", line


def side_by_side(diff: str, left: str, right: str) -> Html:
    """A diff with what is removed on the left and what is added on the right.

    Args:
        left, right: the sides' names.
    """
    rows = [tag("tr", tag("th", left, scope="col"), tag("th", right, scope="col"))]
    removed: list[str] = []
    added: list[str] = []

    def flush() -> None:
        for number in range(max(len(removed), len(added))):
            old = removed[number] if number < len(removed) else None
            new = added[number] if number < len(added) else None
            rows.append(tag("tr", _cell(old, "old"), _cell(new, "new")))
        removed.clear()
        added.clear()

    for kind, line in _limited(diff):
        if kind == "old":
            removed.append(line)
            continue
        if kind == "new":
            added.append(line)
            continue
        flush()
        if kind == "same":
            rows.append(tag("tr", tag("td", line, class_="same"), tag("td", line, class_="same again")))
        else:
            rows.append(tag("tr", tag("td", line, class_=kind, colspan="2")))
    flush()
    return tag("table", rows, class_="diff")


def one_column(diff: str) -> Html:
    """A diff as it is, coloured."""
    marks = {"old": "-", "new": "+", "same": " "}
    lines = [tag("span", marks.get(kind, "") + line, "\n", class_=kind) for kind, line in _limited(diff)]
    return tag("pre", lines, class_="diff")


def _cell(line: str | None, kind: str) -> Html:
    return tag("td", class_="none") if line is None else tag("td", line, class_=kind)


def _limited(diff: str) -> Iterator[tuple[Kind, str]]:
    for number, (kind, line) in enumerate(lines_of(diff.rstrip("\n"))):
        if number == MAX_LINES:
            yield "header", f"... {diff.count(chr(10)) - number:,} more lines, see results.jsonl"
            return
        yield kind, line
