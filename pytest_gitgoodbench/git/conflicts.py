"""Conflict markers: a merged text taken apart into plain text and conflicted regions, and put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_gitgoodbench.git.refused import Refused
from pytest_gitgoodbench.git.textform import lines_of

MARKER_SIZE = 7
"""git's own, unless the attribute `conflict-marker-size` says otherwise (gitattributes)."""


class MarkersError(Refused):
    """Marker lines in an order that git does not write; the message names the line."""


@dataclass(frozen=True)
class Region:
    """One conflicted region; every part consists of whole lines.

    Attributes:
        start, ours, base_marker, base, separator, theirs, end: in this order they are the region.
            `base_marker` and `base` are empty unless the conflict style is diff3 or zdiff3.
    """

    start: bytes
    ours: bytes
    base_marker: bytes
    base: bytes
    separator: bytes
    theirs: bytes
    end: bytes

    @property
    def raw(self) -> bytes:
        """The region as it is in the file."""
        return b"".join(
            (self.start, self.ours, self.base_marker, self.base, self.separator, self.theirs, self.end)
        )


def parse(content: bytes, size: int = MARKER_SIZE) -> list[bytes | Region]:
    """Take a merged file apart.

    A marker is at the start of a line, exactly `size` characters long, and followed by the line's end or,
    but for the separator, by a blank and a label. A separator or an end outside of a region is text, and
    so is a further separator in a region.

    Returns:
        Texts (never empty, never two in a row) and regions; `render` gives `content` again.

    Raises:
        MarkersError: a start in a region, an end before the separator, a region without an end.
    """
    parts: list[bytes | Region] = []
    text: list[bytes] = []
    fields: dict[str, list[bytes]] = {}
    where = ""
    started = 0
    for number, line in enumerate(lines_of(content), 1):
        kind = marker(line, size)
        if not where:
            if kind != "<":
                text.append(line)
                continue
            if text:
                parts.append(b"".join(text))
                text = []
            fields = {name: [] for name in ("ours", "base_marker", "base", "separator", "theirs")}
            fields["start"] = [line]
            where, started = "ours", number
        elif kind == "<":
            raise MarkersError(f"line {number}: a conflict starts within the one from line {started}")
        elif kind == "|" and where == "ours":
            fields["base_marker"], where = [line], "base"
        elif kind == "=" and where in ("ours", "base"):
            fields["separator"], where = [line], "theirs"
        elif kind == ">" and where == "theirs":
            parts.append(Region(**{k: b"".join(v) for k, v in fields.items()}, end=line))
            where = ""
        elif kind == ">" or (kind == "|" and where == "theirs"):
            raise MarkersError(f"line {number}: unexpected in the conflict from line {started}")
        else:
            fields[where].append(line)
    if where:
        raise MarkersError(f"line {started}: a conflict that does not end")
    if text:
        parts.append(b"".join(text))
    return parts


def render(parts: Iterable[bytes | Region]) -> bytes:
    """The reverse of `parse`."""
    return b"".join(part.raw if isinstance(part, Region) else part for part in parts)


def marker(line: bytes, size: int = MARKER_SIZE) -> str:
    """Which marker a line is: `<`, `|`, `=` or `>`; "" when it is none."""
    kind = line[:1]
    if kind not in (b"<", b"|", b"=", b">") or line[:size] != kind * size:
        return ""
    rest = line[size:]
    bare = rest in (b"", b"\n", b"\r\n")
    return kind.decode() if bare or (rest[:1] == b" " and kind != b"=") else ""


def marker_lines(contents: Sequence[bytes], size: int = MARKER_SIZE) -> Iterator[bytes]:
    """All lines that are markers, without their line ends."""
    for content in contents:
        for line in lines_of(content):
            if marker(line, size):
                yield line.rstrip(b"\r\n")
