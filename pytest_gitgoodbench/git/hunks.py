"""The difference of two trees in the smallest pieces that can be committed by themselves.

A piece is a run of changed lines, or what is no text: a new, deleted, binary or linked file, a new name, a
new mode. Pieces are cut from the two versions of a file by line numbers, never applied as patches, so any
subset of them gives one certain tree, whatever the order, and all of them give exactly the second one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from pytest_gitgoodbench.git import index
from pytest_gitgoodbench.git.index import Version
from pytest_gitgoodbench.git.isolated import IsolatedGit
from pytest_gitgoodbench.git.objects import read_objects
from pytest_gitgoodbench.git.refused import Refused
from pytest_gitgoodbench.git.textform import is_binary, lines_of

_HEADER = re.compile(rb"@@ -(\d{1,12})(?:,(\d{1,12}))? \+(\d{1,12})(?:,(\d{1,12}))? @@ ?(.*)")


@dataclass(frozen=True)
class Hunk:
    """Lines `old_start:old_end` of the old version become `new_start:new_end` of the new one (from 0).

    Attributes:
        heading: the line, such as a function's first, that git shows with it.
    """

    old_start: int
    old_end: int
    new_start: int
    new_end: int
    heading: bytes = b""


@dataclass(frozen=True)
class FileChange:
    """What becomes of one file.

    Attributes:
        status: git's letter: `A`dded, `D`eleted, `M`odified, `R`enamed, `T`ype changed.
        old_path, new_path: equal unless it is renamed.
        old, new: None where there is no file.
        old_lines, new_lines: of a text whose lines change; else empty.
        hunks: of that text, in order.
    """

    status: str
    old_path: bytes
    new_path: bytes
    old: Version | None
    new: Version | None
    old_lines: tuple[bytes, ...] = ()
    new_lines: tuple[bytes, ...] = ()
    hunks: tuple[Hunk, ...] = ()

    @property
    def pieces(self) -> list[str | int]:
        """`file` for a file that comes, goes or changes its type; else what applies of `path`, `mode`,
        `content` (no text) and the numbers of the hunks."""
        if self.status not in ("M", "R") or self.old is None or self.new is None:
            return ["file"]
        found: list[str | int] = ["path"] if self.old_path != self.new_path else []
        found += ["mode"] if self.old.mode != self.new.mode else []
        if self.old.oid != self.new.oid:
            found += list(range(len(self.hunks))) or ["content"]
        return found

    def lines(self, done: Collection[str | int]) -> bytes:
        """The text with some of its hunks."""
        parts: list[bytes] = []
        position = 0
        for number, hunk in enumerate(self.hunks):
            parts += self.old_lines[position : hunk.old_start]
            if number in done:
                parts += self.new_lines[hunk.new_start : hunk.new_end]
            else:
                parts += self.old_lines[hunk.old_start : hunk.old_end]
            position = hunk.old_end
        return b"".join([*parts, *self.old_lines[position:]])


Piece = tuple[int, "str | int"]
"""The number of a file and one of its pieces."""


@dataclass(frozen=True)
class Change:
    """What can be committed by itself: one piece, or several that exclude each other's half (a file that
    becomes a folder).

    Attributes:
        id: its number, from 1; it never changes.
    """

    id: int
    pieces: tuple[Piece, ...]


class Changes:
    """The difference of two trees.

    Args:
        isolated: where the trees are.
        base, final: names of trees.

    Attributes:
        files: what becomes of each file, sorted by path.
        changes: what can be committed; `changes[n].id == n + 1`.
    """

    def __init__(self, isolated: IsolatedGit, base: str, final: str) -> None:
        self._isolated = isolated
        self._base, self._final = base, final
        self._index = isolated.git.with_env(GIT_INDEX_FILE=str(isolated.scratch / f"{base}-{final}"))
        self._read = False
        self._written: dict[bytes, str] = {}
        self.files = tuple(_file_changes(isolated, base, final))
        pieces = [(number, piece) for number, file in enumerate(self.files) for piece in file.pieces]
        self.changes = tuple(
            Change(number, tuple(joined)) for number, joined in enumerate(self._joined(pieces), 1)
        )

    def _joined(self, pieces: Sequence[Piece]) -> list[list[Piece]]:
        """Pieces, those together of which one needs the place that another one leaves."""
        comes: list[tuple[bytes, Piece]] = []
        goes: list[tuple[bytes, Piece]] = []
        for number, name in pieces:
            file = self.files[number]
            if name == "path" or (name == "file" and file.old is None):
                comes.append((file.new_path, (number, name)))
            if name == "path" or (name == "file" and file.new is None):
                goes.append((file.old_path, (number, name)))
        sets: dict[Piece, list[Piece]] = {piece: [piece] for piece in pieces}
        gone = dict(goes)
        for path, piece in comes:
            ends = [end for end, code in enumerate(path) if code == ord("/")]
            rivals = [gone[path[:end]] for end in ends if path[:end] in gone]
            rivals += [rival for other, rival in goes if other.startswith(path + b"/")]
            for rival in rivals:
                if sets[rival] is not sets[piece]:
                    together = sorted(sets[rival] + sets[piece], key=pieces.index)
                    sets.update(dict.fromkeys(together, together))
        return [group for piece, group in sets.items() if group[0] == piece]

    def tree(self, done: Collection[int]) -> str:
        """The name of the tree that has the changes with these ids and no others.

        Raises:
            Refused: there is no such id.
        """
        if unknown := sorted(set(done) - {change.id for change in self.changes}):
            raise Refused(f"there is no hunk {unknown[0]}: the ids are 1 to {len(self.changes)}")
        if len(set(done)) == len(self.changes):
            return self._final
        if not self._read:
            self._index("read-tree", self._base)
            self._read = True
        pieces: dict[int, set[str | int]] = {}
        for change in self.changes:
            if change.id in done:
                for number, piece in change.pieces:
                    pieces.setdefault(number, set()).add(piece)
        entries: dict[bytes, Version | None] = {}
        for file in self.files:
            entries.setdefault(file.old_path, None)
            entries.setdefault(file.new_path, None)
        for number, file in enumerate(self.files):
            entries.update(self._entry(file, pieces.get(number, set())))
        index.update(self._isolated, [(*entry, 0) for entry in entries.items()], self._index)
        return self._index.line("write-tree")

    def _entry(self, file: FileChange, done: AbstractSet[str | int]) -> dict[bytes, Version]:
        if "file" in done:
            return {} if file.new is None else {file.new_path: file.new}
        if file.old is None:
            return {}
        assert file.new is not None or not done
        mode, oid = file.old.mode, file.old.oid
        if file.new is not None and done:
            mode = file.new.mode if "mode" in done else mode
            if "content" in done:
                oid = file.new.oid
            elif file.hunks and not done.isdisjoint(range(len(file.hunks))):
                oid = self._blob(file.lines(done))
        return {file.new_path if "path" in done else file.old_path: Version(mode, oid)}

    def _blob(self, content: bytes) -> str:
        if content not in self._written:
            self._written[content] = index.write_blob(self._isolated.git, content)
        return self._written[content]


def _file_changes(isolated: IsolatedGit, base: str, final: str) -> Iterator[FileChange]:
    git = isolated.git
    options = (
        "diff-tree",
        "-r",
        "-M",
        "-l1000",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--ignore-submodules=none",
    )
    listing = [
        _entry(fields) for fields in _entries(git(*options, "--raw", "-z", "--no-abbrev", base, final))
    ]
    # Of a file that is there before and after, git prints one section, in the order of the listing.
    patch = git(*options, "-p", "-U0", "--text", "--diff-filter=MR", base, final)
    sections = iter(parse_hunks(patch))
    texts = [file for file in listing if file.status in ("M", "R")]
    contents = iter(read_objects(git, [v.oid for file in texts for v in (file.old, file.new) if v]))
    for file in listing:
        if file.status not in ("M", "R"):
            yield file
            continue
        hunks = next(sections)
        old, new = next(contents), next(contents)
        if old is None or new is None or is_binary(old[1]) or is_binary(new[1]) or not _is_text(file):
            yield file
        else:
            lines = tuple(lines_of(old[1])), tuple(lines_of(new[1]))
            yield FileChange(
                file.status, file.old_path, file.new_path, file.old, file.new, *lines, tuple(hunks)
            )


def _is_text(file: FileChange) -> bool:
    return all(version is not None and version.is_file for version in (file.old, file.new))


def _entries(raw: bytes) -> Iterator[list[bytes]]:
    """The records of `diff-tree --raw -z`: header, path, and the new path of a rename."""
    fields = iter(raw.split(b"\0")[:-1])
    for header in fields:
        renamed = header.split(b" ")[4][:1] in (b"R", b"C")
        yield [header, next(fields), *([next(fields)] if renamed else [])]


def _entry(fields: list[bytes]) -> FileChange:
    old_mode, new_mode, old, new, status = fields[0].decode().lstrip(":").split(" ")
    return FileChange(
        status[0],
        fields[1],
        fields[-1],
        None if set(old_mode) == {"0"} else Version(old_mode, old),
        None if set(new_mode) == {"0"} else Version(new_mode, new),
    )


def parse_hunks(patch: bytes) -> list[list[Hunk]]:
    """The hunks of each file in what `git diff -p` printed.

    Only headers are read. They are told from content by their first character: every line of content has a
    sign before it.
    """
    files: list[list[Hunk]] = []
    for line in patch.split(b"\n"):
        if line.startswith(b"diff --git "):
            files.append([])
        elif files and (match := _HEADER.match(line)):
            old, new = (
                _range(int(match[n]), 1 if match[n + 1] is None else int(match[n + 1])) for n in (1, 3)
            )
            files[-1].append(Hunk(*old, *new, match[5].strip()))
    return files


def _range(start: int, count: int) -> tuple[int, int]:
    """From a header's numbers; an empty range is named by the line before it."""
    first = max(0, start - 1) if count else start
    return first, first + count
