"""Text for a model: decoded, of bounded length, with a mark wherever something was left out."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_gitgoodbench.git.textform import encoding_of

MOST = 16_000
"""Characters of one tool's answer; some 4,000 tokens of code."""
MOST_LINE = 2_000
"""Characters of one line; minified files have one line of a megabyte."""


def decoded(content: bytes) -> str:
    """Content of a file as text: UTF-8, or else a character for each byte."""
    return content.decode(encoding_of([content]))


def bounded(text: str, most: int = MOST, how_to_see: str = "") -> str:
    """Text of at most about `most` characters.

    Args:
        text: whole lines.
        most: its length without the mark.
        how_to_see: how the reader gets to see what is left out, for the mark.
    """
    lines = [_line(line) for line in text.split("\n")]
    total = 0
    for number, line in enumerate(lines):
        total += len(line) + 1
        if total > most + 1:
            left = lines[number:]
            count = sum(map(len, left)) + len(left) - 1
            advice = f"; {how_to_see}" if how_to_see else ""
            mark = f"[... {len(left)} lines ({count} characters) left out{advice} ...]"
            return "\n".join([*lines[:number], mark])
    return "\n".join(lines)


def _line(line: str) -> str:
    if len(line) <= MOST_LINE:
        return line
    return f"{line[:MOST_LINE]}[... {len(line) - MOST_LINE} characters of this line left out ...]"


def numbered(lines: Sequence[str], first: int) -> str:
    """Lines with their numbers, the first one being `first`."""
    width = len(str(first + len(lines)))
    return "\n".join(f"{number:>{width}} | {line}" for number, line in enumerate(lines, first))


def text_lines(content: bytes, *, diff: bool = False) -> list[str]:
    """The lines of a file as text, without their ends.

    Where some lines end with a carriage return and others do not it is kept: it makes a difference then.

    Args:
        content: the file.
        diff: it is a diff; lines that are not the file's do not count.
    """
    lines = decoded(content).split("\n")
    if lines[-1] == "":
        lines.pop()
    counting = [line for line in lines if not diff or line[:1] in ("+", "-", " ")]
    if all(line.endswith("\r") for line in counting):
        return [line.removesuffix("\r") for line in lines]
    return lines


def listed(numbers: Sequence[int], most: int = 60) -> str:
    """Numbers in a sentence: `1, 2, 5`; `none`."""
    words = ", ".join(str(number) for number in numbers[:most])
    return f"{words} and {len(numbers) - most} more" if len(numbers) > most else words or "none"
