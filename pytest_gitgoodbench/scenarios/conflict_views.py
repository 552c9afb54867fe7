"""Conflicts, files and the two sides of a merge as text for a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pytest_gitgoodbench.git import path_text, worktree
from pytest_gitgoodbench.git.conflicted import Conflict
from pytest_gitgoodbench.git.conflicts import render
from pytest_gitgoodbench.git.index import Version
from pytest_gitgoodbench.git.isolated import IsolatedGit
from pytest_gitgoodbench.git.refused import Refused
from pytest_gitgoodbench.git.resolution import Conflicts
from pytest_gitgoodbench.git.textform import is_binary, lines_of
from pytest_gitgoodbench.git.unmerged import SIDES, SUBMODULE
from pytest_gitgoodbench.scenarios.shown import bounded, decoded, numbered, text_lines

PAIRS = ("ours-theirs", "base-ours", "base-theirs")
_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color")


class ConflictViews:
    """What there is to see.

    Args:
        isolated: the repository.
        current: the conflicts; raises Refused when nothing is being merged.
        sides: what ours and theirs are, in a few words.
    """

    def __init__(self, isolated: IsolatedGit, current: Callable[[], Conflicts], sides: str) -> None:
        self._git = isolated.git
        self._root = isolated.path
        self._current = current
        self._sides = sides

    def list_conflicts(self) -> str:
        """All conflicts, a line each."""
        conflicts = self._current()
        if not conflicts.items:
            return "There are no conflicts."
        left = {item.index for item in conflicts.unresolved()}
        whole = any(item.place is None for item in conflicts.items)
        renames = conflicts.sides.renames(self._git) if whole else {}
        lines = [
            f"{len(conflicts.items)} conflicts in {len(conflicts.files)} files, {len(left)} unresolved"
            f" ({self._sides})."
        ]
        for item in conflicts.items:
            state = "" if item.index in left else "  [resolved]"
            lines.append(f"{item.index}: {item.file.name}: {_what(item, renames)}{state}")
        return bounded("\n".join(lines))

    def show_conflict(self, conflict: int, context: int = 5) -> str:
        """One conflict with the lines around it."""
        conflicts = self._current()
        item = conflicts.conflict(conflict)
        file = item.file
        if item.place is None:
            return bounded(self._whole(item, conflicts))
        if file.settled:
            return f"Conflict {conflict}, {file.name}: the file was resolved as a whole ({file.settled})."
        resolved = item.place in file.chosen or item not in conflicts.unresolved()
        first, last = _span(item)
        lines = text_lines(render(file.current()))
        start, end = max(1, first - context), min(len(lines), last + context)
        body = bounded(numbered(lines[start - 1 : end], start), how_to_see="show_file has all lines")
        state = "resolved, it now is" if resolved else "unresolved,"
        place = f"lines {first}-{last}" if last >= first else f"nothing before line {first}"
        latin = "" if file.encoding == "utf-8" else " The file is not UTF-8; it is shown as Latin-1."
        return f"Conflict {conflict}, {file.name}, {state} {place} ({self._sides}).{latin}\n{body}"

    def _whole(self, item: Conflict, conflicts: Conflicts) -> str:
        file = item.file
        what = _what(item, conflicts.sides.renames(self._git))
        lines = [f"Conflict {item.index}, {file.name}: {what} ({self._sides})."]
        for name, stage in SIDES.items():
            version = file.stages.get(stage)
            if version is None:
                lines.append(f"{name}: does not have it.")
            elif version.mode == SUBMODULE:
                lines.append(f"{name}: a submodule at {version.oid}.")
            elif not version.is_file:
                lines.append(f"{name}: a symbolic link to {decoded(file.contents[stage])}")
            else:
                content = file.contents[stage]
                kind = "binary" if is_binary(content) else f"{len(text_lines(content))} lines"
                lines.append(f"{name}: mode {version.mode}, {len(content)} bytes, {kind}.")
        return "\n".join([*lines, "Resolve it by resolve_file; show_sides and show_file show content."])

    def show_file(self, path: str, first_line: int = 1, last_line: int | None = None) -> str:
        """Lines of a file of the work tree."""
        name = worktree.given(path)
        content = worktree.read(self._root, name)
        if is_binary(content):
            return f"{worktree.shown(name)} is binary ({len(content)} bytes)."
        lines = text_lines(content)
        last = min(len(lines), last_line or len(lines))
        if not lines:
            return f"{worktree.shown(name)} is empty."
        if first_line > last:
            raise Refused(f"there are no lines {first_line} to {last_line or last}: {path} has {len(lines)}")
        body = numbered(lines[first_line - 1 : last], first_line)
        text = bounded(body, how_to_see="ask for them by first_line")
        return f"{worktree.shown(name)}, lines {first_line}-{last} of {len(lines)}\n{text}"

    def show_sides(self, path: str, compare: str = "ours-theirs") -> str:
        """What distinguishes two versions of a file."""
        name = worktree.given(path)
        shown = worktree.shown(name)
        conflicts = self._current()
        old, new = compare.split("-")
        file = conflicts.files.get(name)
        if file is None:
            body = self._of_commits(getattr(conflicts.sides, old), getattr(conflicts.sides, new), name)
        elif lacking := [side for side in (old, new) if SIDES[side] not in file.stages]:
            having = [side for side, stage in SIDES.items() if stage in file.stages]
            raise Refused(f"{' and '.join(lacking)} lacks {shown} here; {' and '.join(having)} has it")
        else:
            body = self._of_versions(file.stages[SIDES[old]], file.stages[SIDES[new]])
        if not body:
            return f"{old} and {new} have the same text at {shown}, or none."
        text = bounded("\n".join(text_lines(body, diff=True)), how_to_see="show_file has the merged text")
        return f"--- {shown} in {old}\n+++ {shown} in {new}\n{text}"

    def _of_versions(self, old: Version, new: Version) -> bytes:
        if SUBMODULE in (old.mode, new.mode):
            return f"mode {old.mode}, {old.oid} became mode {new.mode}, {new.oid}\n".encode()
        return _after_header(self._git("diff", *_PLAIN, old.oid, new.oid))

    def _of_commits(self, old: str | None, new: str | None, path: bytes) -> bytes:
        if old is None or new is None:
            raise Refused("the two sides have no common ancestor")
        only = f":(top,literal){path_text(path)}"
        return _after_header(self._git("diff-tree", "-r", "-p", *_PLAIN, old, new, "--", only))


def _what(item: Conflict, renames: Mapping[bytes, list[str]]) -> str:
    file, region = item.file, item.region
    settled = f" ({file.settled})" if file.settled else ""
    if region is None:
        return f"the whole file: {'; '.join([file.whole, *renames.get(file.path, [])])}{settled}"
    if file.settled:
        return f"in a file that was resolved as a whole{settled}"
    first, last = _span(item)
    ours, theirs = (side.count(b"\n") for side in (region.ours, region.theirs))
    return f"lines {first}-{last}: {ours} lines of ours, {theirs} of theirs"


def _span(item: Conflict) -> tuple[int, int]:
    """First and last line of a region or its resolution, from 1, in the file as it is now."""
    assert item.place is not None
    parts = item.file.current()
    first = render(parts[: item.place]).count(b"\n") + 1
    return first, first + len(lines_of(render([parts[item.place]]))) - 1


def _after_header(diff: bytes) -> bytes:
    """A diff of one file from its first hunk on; what has no hunks says so itself."""
    lines = diff.split(b"\n")
    for place, line in enumerate(lines):
        if line.startswith((b"@@ ", b"Binary files")):
            return b"\n".join(lines[place:])
    return b""
