"""The form of a file's text (encoding, line ends, last newline), so that new text can take it on.

What an agent writes is Unicode with `\\n`; the file may be Latin-1 with `\\r\\n`. Lines end at `\\n` and
nowhere else: form feeds and the like are content.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_gitgoodbench.git.refused import Refused

_BOM = "\ufeff".encode()


class TextError(Refused):
    """Text that cannot be written to the file; the message says why."""


def lines_of(content: bytes) -> list[bytes]:
    """The lines with their ends; the last one may have none. They join to `content`."""
    lines = content.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


def is_binary(content: bytes) -> bool:
    """Whether git takes it for binary: a NUL within the first 8000 bytes (xdiff-interface.c)."""
    return b"\0" in content[:8000]


def encoding_of(contents: Iterable[bytes]) -> str:
    """`utf-8` if all are that; else `latin-1`, which has a character for every byte and back."""
    try:
        for content in contents:
            content.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def encode(text: str, encoding: str) -> bytes:
    """Text of an agent as bytes, with `\\n` line ends.

    Raises:
        TextError: a character that the encoding does not have, or a NUL.
    """
    if "\0" in text:
        raise TextError("the text holds a NUL character")
    try:
        return text.replace("\r\n", "\n").encode(encoding)
    except UnicodeEncodeError as error:
        character = text.replace("\r\n", "\n")[error.start]
        raise TextError(
            f"the character U+{ord(character):04X} cannot be written: the file's encoding is {encoding}"
        ) from None


def fit(content: bytes, sides: Sequence[bytes], surroundings: bytes = b"") -> bytes:
    """Give whole lines the line ends that the sides have.

    A line that a side has too gets that side's end (files with mixed ends exist); any other the most
    frequent end of the sides, or of the surroundings when the sides are empty. The last line gets one too.

    Args:
        content: lines that end with `\\n`.
        sides: the texts that it replaces, the more important first.
        surroundings: the text around it.
    """
    ends: dict[bytes, bytes] = {}
    for side in sides:
        for line in lines_of(side):
            if line.endswith(b"\n"):
                ends.setdefault(*_split(line))
    usual = _usual_end(b"".join(sides)) or _usual_end(surroundings) or b"\n"
    fitted = [line.removesuffix(b"\n") for line in lines_of(content)]
    return b"".join(line + ends.get(line, usual) for line in fitted)


def fit_file(content: bytes, sides: Sequence[bytes]) -> bytes:
    """Give a whole file the line ends, the byte order mark and the last newline (or none) of the sides."""
    fitted = fit(content, sides)
    lacking = {not side.endswith(b"\n") for side in sides if side}
    if lacking == {True} or (lacking != {False} and not content.endswith(b"\n")):
        fitted = without_last_end(fitted)
    marked = [side.startswith(_BOM) for side in sides if side]
    if marked and all(marked) and not fitted.startswith(_BOM):
        fitted = _BOM + fitted
    return fitted


def without_last_end(content: bytes) -> bytes:
    """Without the last line's end."""
    return content.removesuffix(b"\n").removesuffix(b"\r") if content.endswith(b"\n") else content


def _split(line: bytes) -> tuple[bytes, bytes]:
    if line.endswith(b"\r\n"):
        return line[:-2], b"\r\n"
    return line[:-1], b"\n"


def _usual_end(content: bytes) -> bytes | None:
    crlf = content.count(b"\r\n")
    lf = content.count(b"\n") - crlf
    if crlf == lf == 0:
        return None
    return b"\r\n" if crlf > lf else b"\n"
