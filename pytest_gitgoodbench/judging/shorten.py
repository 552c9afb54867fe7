"""Cutting two histories to a token budget by one rule for both sides, with marks where text is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English and code; no tokenizer is at hand for every model."""
FRAME = 160
"""Characters counted for the lines around each commit."""
ROOM_FOR_A_COMMIT = 480
"""A commit that needs them gets so many characters; of a history too long for that the middle is left out."""
_MARK = 64
"""Characters kept free for one mark."""


@dataclass(frozen=True)
class Part:
    """A commit as it is shown.

    Attributes:
        number: its place in the whole history, from 1.
        message, diff: text, cut where it did not fit.
    """

    number: int
    message: str
    diff: str


@dataclass(frozen=True)
class Shortened:
    """A history as it is shown.

    Attributes:
        parts: the commits shown, oldest first; a gap in the numbers is where others are left out.
        length: how many commits the whole history has.
        complete: whether nothing at all was left out.
    """

    parts: tuple[Part, ...]
    length: int
    complete: bool


Mark = Callable[[str], str]
"""Makes the line that stands where something is left out; given what, e.g. "1200 characters"."""


def shorten(
    histories: tuple[Sequence[tuple[str, str]], Sequence[tuple[str, str]]], tokens: int, mark: Mark
) -> tuple[Shortened, Shortened]:
    """Cut two histories so that both together keep to a budget.

    The room is divided evenly: what the shorter side does not need the longer one gets, and if both need
    more than half, each gets half. Within a side it is divided by the same rule over its messages and diffs,
    so that the longest are cut first. The result for a history does not depend on its place.

    Args:
        histories: message and diff of each commit, oldest first.
        tokens: the budget, at `CHARACTERS_PER_TOKEN`.
        mark: makes the marks.
    """
    sizes = [sum(FRAME + len(message) + len(diff) for message, diff in history) for history in histories]
    room = _level(sizes, tokens * CHARACTERS_PER_TOKEN)
    first, second = (
        _whole(history) if size <= room else _cut_side(history, room, mark)
        for history, size in zip(histories, sizes, strict=True)
    )
    return first, second


def _whole(history: Sequence[tuple[str, str]]) -> Shortened:
    parts = tuple(Part(number, message, diff) for number, (message, diff) in enumerate(history, 1))
    return Shortened(parts, len(history), True)


def _cut_side(history: Sequence[tuple[str, str]], room: int, mark: Mark) -> Shortened:
    needs = [min(ROOM_FOR_A_COMMIT, FRAME + len(message) + len(diff)) for message, diff in history]
    shown = _both_ends(len(history), max(2, room * len(needs) // sum(needs)))
    texts = [text for index in shown for text in history[index]]
    limit = _level([len(text) for text in texts], room - FRAME * len(shown))
    cut = [_cut(text, limit, mark) for text in texts]
    parts = tuple(
        Part(index + 1, message, diff)
        for index, message, diff in zip(shown, cut[::2], cut[1::2], strict=True)
    )
    return Shortened(parts, len(history), False)


def _both_ends(length: int, most: int) -> list[int]:
    """Which of so many commits are shown: all, or as many from the beginning as from the end."""
    if length <= most:
        return list(range(length))
    head = most // 2
    return [*range(head), *range(length - (most - head), length)]


def _level(sizes: Sequence[int], room: int) -> int:
    """The limit to cut all sizes to so that their sum is at most `room`: the longest give first."""
    rest = room
    for position, size in enumerate(sorted(sizes)):
        share = rest // (len(sizes) - position)
        if size > share:
            return share
        rest -= size
    return max(sizes, default=0)


def _cut(text: str, limit: int, mark: Mark) -> str:
    """A text of at most `limit` characters: its beginning (two thirds) and its end, at line ends if near."""
    if len(text) <= limit:
        return text
    keep = max(0, limit - _MARK)
    head = text[: keep - keep // 3]
    tail = text[len(text) - keep // 3 :] if keep // 3 else ""
    if (end := head.rfind("\n")) > len(head) // 2:
        head = head[: end + 1]
    if 0 <= (begin := tail.find("\n")) < len(tail) // 2:
        tail = tail[begin + 1 :]
    left_out = len(text) - len(head) - len(tail)
    line_end = "" if not head or head.endswith("\n") else "\n"
    return f"{head}{line_end}{mark(f'{left_out} characters')}\n{tail}"
