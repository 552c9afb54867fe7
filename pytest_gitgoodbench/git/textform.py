"""The form of a file's text (encoding, line ends, last newline), so that new text can take it on.

What an agent writes is Unicode with `\\n`; the file may be Latin-1 with `\\r\\n`. Lines end at `\\n` and
nowhere else: form feeds and the like are content. Text that has a `\\r\\n` of its own was written with line
ends in mind and is left as it is.
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
    """Text of an agent as bytes.

    Raises:
        TextError: a character that the encoding does not have, or a NUL.
    """
    if "\0" in text:
        raise TextError("the text holds a NUL character")
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        character = text[error.start]
        raise TextError(
            f"the character U+{ord(character):04X} cannot be written: the file's encoding is {encoding}"
        ) from None


def fit(content: bytes, usual: bytes, sides: Sequence[bytes] = (), ends: Sequence[bytes] = ()) -> bytes:
    """Give whole lines their line ends; the last line gets one, too.

    A line that some side has with another end than is usual there keeps it (files with mixed ends exist).

    Args:
        content: lines that end with `\\n`; if any ends with `\\r\\n` all stay as they are.
        usual: the end of all other lines.
        sides: the texts that it replaces.
        ends: the usual end in each side's file.
    """
    if b"\r\n" in content:
        return content if content.endswith(b"\n") else content + usual
    unusual: dict[bytes, bytes] = {}
    for side, end in zip(sides, ends, strict=True):
        lines = [_split(line) for line in lines_of(side) if line.endswith(b"\n")]
        ordinary = {line for line, own in lines if own == end}
        unusual.update((line, own) for line, own in lines if line not in ordinary)
    texts = [line.removesuffix(b"\n") for line in lines_of(content)]
    return b"".join(text + unusual.get(text, usual) for text in texts)


def fit_file(content: bytes, usual: bytes, sides: Sequence[bytes]) -> bytes:
    """Give a whole file the line ends, the byte order mark and the last newline (or none) of the sides."""
    fitted = fit(content, usual, sides, [usual_end(side) or usual for side in sides])
    lacking = {not side.endswith(b"\n") for side in sides if side}
    if lacking == {True} or (lacking != {False} and not content.endswith(b"\n")):
        fitted = without_last_end(fitted)
    marked = [side.startswith(_BOM) for side in sides if side]
    if marked and all(marked) and not fitted.startswith(_BOM):
        fitted = _BOM + fitted
    return fitted


def usual_end(content: bytes) -> bytes | None:
    """The more frequent line end; None in a text without any."""
    crlf = content.count(b"\r\n")
    lf = content.count(b"\n") - crlf
    if crlf == lf == 0:
        return None
    return b"\r\n" if crlf > lf else b"\n"


def without_last_end(content: bytes) -> bytes:
    """Without the last line's end."""
    return content.removesuffix(b"\n").removesuffix(b"\r") if content.endswith(b"\n") else content


def _split(line: bytes) -> tuple[bytes, bytes]:
    if line.endswith(b"\r\n"):
        return line[:-2], b"\r\n"
    return line[:-1], b"\n"
