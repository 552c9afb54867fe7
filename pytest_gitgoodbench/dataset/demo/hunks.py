"""Edits as people read them: a diff without line numbers, applied where its old lines stand."""

from __future__ import annotations

import textwrap

CUT = "@@"
"""A line that starts with this begins another hunk."""


def block(text: str) -> str:
    """A triple-quoted block as the file it stands for: no common indentation, one line end at the end."""
    return textwrap.dedent(text).strip("\n") + "\n"


def apply(before: str, diff: str) -> str:
    """Apply a diff without line numbers.

    Lines start with a blank (context), `-` or `+`; an empty line is an empty context line; lines
    starting with `@@` separate hunks. The old lines (context and `-`) must stand in the file exactly
    once after the hunk before.

    Args:
        before: the file.
        diff: the edits, as a triple-quoted block.

    Raises:
        ValueError: old lines that the file does not have, or has more than once; it shows them.
    """
    lines = before.splitlines(keepends=True)
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    start = 0
    for hunk in _hunks(diff):
        old = [line + end for mark, line in hunk if mark != "+"]
        new = [line + end for mark, line in hunk if mark != "-"]
        places = [at for at in range(start, len(lines) + 1) if _stands(lines, at, old)]
        if len(places) != 1:
            found = "not in the file" if not places else f"in the file {len(places)} times"
            raise ValueError(f"these lines are {found}:\n{''.join(old)}")
        at = places[0]
        lines[at : at + len(old)] = new
        start = at + len(new)
    return "".join(lines)


def _stands(lines: list[str], at: int, old: list[str]) -> bool:
    """Whether `old` is at this place; a last line may lack its line end."""
    here = lines[at : at + len(old)]
    return [line.rstrip("\r\n") for line in here] == [line.rstrip("\r\n") for line in old]


def _hunks(diff: str) -> list[list[tuple[str, str]]]:
    hunks: list[list[tuple[str, str]]] = [[]]
    for line in block(diff).splitlines():
        if line.startswith(CUT):
            hunks.append([])
        elif line and line[0] not in " +-":
            raise ValueError(f"a line of a diff starts with a blank, + or -, not: {line}")
        else:
            hunks[-1].append((line[:1] or " ", line[1:]))
    return hunks
