"""Reading a judge's answer out of a model's text: strict about the answer, forgiving about the rest."""

from __future__ import annotations

import json
import re
from typing import Any

from pytest_gitgoodbench.judging.base import Preferred

_THOUGHTS = re.compile(r"</?(?:think|thinking|reasoning|thought)>", re.I)
_NAMES: dict[str, Preferred] = {
    "history1": "HISTORY-1",
    "history2": "HISTORY-2",
    "tie": "TIE",
}
_LAST_LINE = re.compile(
    r"[\s*_#>`-]*(?:(?:final\s+)?(?:answer|verdict|preferred|preference|winner)[\s*_`:]+(?:is[\s*_`:]+)?)?"
    r"(history[-_ ]?[12]|tie)[\s*_`.!]*\Z",
    re.I,
)
MOST_CHARACTERS = 20_000
"""An answer stands at the end; what is before its last so many characters is not read."""


class Unusable(Exception):
    """A text without an answer; the message is told to the model."""


def read_answer(text: str) -> tuple[Preferred, str]:
    """Which history a model prefers, and why.

    Taken are, in this order: the JSON objects with `preferred` in the text, which must agree; a last line
    that is nothing but an answer.

    Args:
        text: the model's whole answer.

    Raises:
        Unusable: there is no answer, or more than one.
    """
    text = _without_thoughts(text)[-MOST_CHARACTERS:].strip()
    if not text:
        raise Unusable("it is empty")
    answers = [(name, str(found.get("reason") or "").strip()) for found, name in _objects(text)]
    if answers:
        if len({name for name, _ in answers}) > 1:
            raise Unusable("it holds several answers that contradict each other")
        return answers[-1]
    match = _LAST_LINE.match(text.rpartition("\n")[2])
    if match:
        return _NAMES[_plain(match.group(1))], text.rpartition("\n")[0].strip()
    raise Unusable('it is no JSON object with "preferred" being HISTORY-1, HISTORY-2 or TIE')


def _without_thoughts(text: str) -> str:
    """What follows the last thought; nothing when that was not brought to its end."""
    tags = list(_THOUGHTS.finditer(text))
    if not tags:
        return text
    return text[tags[-1].end() :] if tags[-1].group().startswith("</") else ""


def _plain(name: str) -> str:
    return re.sub(r"[-_ ]", "", name.strip().lower())


def _objects(text: str) -> list[tuple[dict[str, Any], Preferred]]:
    """The JSON objects in a text that say which history is preferred."""
    decoder = json.JSONDecoder(strict=False)
    found: list[tuple[dict[str, Any], Preferred]] = []
    position = text.find("{")
    while position >= 0:
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            name = _NAMES.get(_plain(str(value.get("preferred")))) if isinstance(value, dict) else None
            if name is not None:
                found.append((value, name))
        position = text.find("{", end)
    return found
