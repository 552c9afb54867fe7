"""What a commit's diff says about its change: which files, which hunks, which lines, about what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@ ?(.*)")
_WORD = re.compile(r"[^\W\d]\w{3,60}")
_PART = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}|[^\W\d_a-zA-Z]{2,}")

# Words of Python, Java and Kotlin that connect nothing with nothing.
_COMMON_TEXT = """
    abstract assert boolean break case catch class companion const continue data default double elif
    else except extends false final finally float from global implements import instanceof interface
    internal lambda list long native none null object open override package pass private protected
    public raise return self short static string super switch test this throw throws true type until
    void when where while with yield
"""
_COMMON = frozenset(_COMMON_TEXT.split())


@dataclass(frozen=True)
class Hunk:
    """One hunk.

    Attributes:
        file: the path it is in, as git shows it.
        heading: what git shows behind the `@@`, mostly the enclosing function.
        added, removed: lines without their first character.
    """

    file: str
    heading: str
    added: tuple[str, ...]
    removed: tuple[str, ...]

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """The names it is about."""
        found = {word for line in (*self.added, *self.removed, self.heading) for word in _WORD.findall(line)}
        return frozenset(word for word in found if word.lower() not in _COMMON)


@dataclass(frozen=True)
class Change:
    """What one commit changes.

    Attributes:
        files: paths, each once, in the order of the diff.
        hunks: of all files; a binary or mode change has none.
    """

    files: tuple[str, ...]
    hunks: tuple[Hunk, ...]

    @cached_property
    def lines(self) -> int:
        """How many lines it adds and removes; at least 1 for each file."""
        return max(len(self.files), sum(len(hunk.added) + len(hunk.removed) for hunk in self.hunks))

    @cached_property
    def words(self) -> frozenset[str]:
        """Words that names and paths are made of, lower-cased: `parseDate` gives `parse` and `date`."""
        names = [*self.files, *(name for hunk in self.hunks for name in hunk.identifiers)]
        return words_of(names)

    def subjects(self) -> list[int]:
        """How many hunks each thing it is about has: hunks that share a name are about the same thing."""
        leader: dict[str, int] = {}
        group = list(range(len(self.hunks)))

        def root(index: int) -> int:
            while group[index] != index:
                group[index] = group[group[index]]
                index = group[index]
            return index

        for index, hunk in enumerate(self.hunks):
            for name in hunk.identifiers:
                group[root(index)] = root(leader.setdefault(name, index))
        counts: dict[int, int] = {}
        for index in group:
            counts[root(index)] = counts.get(root(index), 0) + 1
        return sorted(counts.values(), reverse=True)


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """The words in texts, lower-cased, names taken apart at capitals and underscores."""
    return frozenset(part.lower() for text in texts for part in _PART.findall(text))


def read_diff(diff: str) -> Change:
    """Read a unified diff as git prints it. What is no diff is passed over: any text gives a change."""
    files: dict[str, None] = {}
    hunks: list[Hunk] = []
    lines = diff.split("\n")
    file = ""
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if line.startswith("diff --git "):
            file = line.rpartition(" b/")[2] or line
            files[file] = None
        elif match := _HUNK.match(line):
            old, new, heading = match.groups()
            hunk, position = _read_hunk(lines, position, file, heading, int(old or 1), int(new or 1))
            hunks.append(hunk)
            files.setdefault(file)
    return Change(tuple(files), tuple(hunks))


def _read_hunk(
    lines: Sequence[str], position: int, file: str, heading: str, old: int, new: int
) -> tuple[Hunk, int]:
    """Read as many lines as the header promises, so that content that looks like a header stays content."""
    added, removed = [], []
    while position < len(lines) and (old > 0 or new > 0):
        mark, text = lines[position][:1], lines[position][1:]
        if mark == "+":
            added.append(text)
            new -= 1
        elif mark == "-":
            removed.append(text)
            old -= 1
        elif mark == " ":
            old, new = old - 1, new - 1
        elif mark != "\\":
            break
        position += 1
    return Hunk(file, heading, tuple(added), tuple(removed)), position
