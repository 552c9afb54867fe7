"""Hunks and other changes that can be committed by themselves, as text for a model."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pytest_gitgoodbench.git import Git
from pytest_gitgoodbench.git.hunks import Change, Changes, FileChange, Hunk
from pytest_gitgoodbench.git.index import Version
from pytest_gitgoodbench.git.objects import read_objects
from pytest_gitgoodbench.git.textform import is_binary, lines_of
from pytest_gitgoodbench.git.unmerged import LINK, SUBMODULE
from pytest_gitgoodbench.git.worktree import shown
from pytest_gitgoodbench.scenarios.shown import MOST, bounded, decoded, text_lines

_GLIMPSE = 80


def list_changes(changes: Changes, done: Collection[int], first: int) -> str:
    """A line each, under the names of their files, from an id on."""
    left = len(changes.changes) - len(done)
    lines = [f"{len(changes.changes)} hunks in {len(changes.files)} files, {left} of them uncommitted."]
    current = -1
    for change in changes.changes[first - 1 :]:
        number, piece = change.pieces[0]
        file = changes.files[number]
        if number != current:
            lines.append(_name(file))
            current = number
        if len(change.pieces) > 1:
            what = "only together: " + ", ".join(
                f"{_name(changes.files[n])} ({_what(changes.files[n], p)})" for n, p in change.pieces
            )
        else:
            what = _what(file, piece)
        lines.append(f"  {change.id}: {what}{'  [committed]' if change.id in done else ''}")
    return bounded("\n".join(lines), how_to_see="list_hunks with first shows them")


def show_changes(git: Git, changes: Changes, wanted: Sequence[Change], context: int) -> str:
    """Some changes in full, each with an even share of the room."""
    shares = []
    for change in wanted:
        texts = [_text(git, changes.files[number], piece, context) for number, piece in change.pieces]
        text = f"== Hunk {change.id} ==\n" + "\n".join(texts)
        shares.append(bounded(text, MOST // len(wanted), "show fewer hunks at a time to see more of each"))
    return "\n\n".join(shares)


def _name(file: FileChange) -> str:
    new, old = shown(file.new_path), shown(file.old_path)
    return new if new == old else f"{old} => {new}"


def _what(file: FileChange, piece: str | int) -> str:
    if isinstance(piece, int):
        hunk = file.hunks[piece]
        heading = f" {decoded(hunk.heading)}" if hunk.heading else ""
        sample = [
            *file.new_lines[hunk.new_start : hunk.new_end],
            *file.old_lines[hunk.old_start : hunk.old_end],
        ]
        mark = "+" if hunk.new_end > hunk.new_start else "-"
        glimpse = next((line for line in sample if line.strip()), b"")
        return f"{_header(hunk)}{heading[:_GLIMPSE]} | {mark}{decoded(glimpse).strip()[:_GLIMPSE]}"
    if piece == "path":
        return f"the new name {shown(file.new_path)} (was {shown(file.old_path)})"
    old, new = file.old, file.new
    if piece == "mode":
        assert old is not None and new is not None
        return f"mode {old.mode} becomes {new.mode}"
    if piece == "content":
        return f"new content of {'a binary file' if new and new.is_file else _kind(new)}"
    if old is not None and new is not None:
        return f"{_kind(old)} becomes {_kind(new)}"
    return f"new: {_kind(new)}" if old is None else f"deleted: {_kind(old)}"


def _kind(version: Version | None) -> str:
    kinds = {LINK: "a symbolic link", SUBMODULE: "a submodule"}
    return "nothing" if version is None else kinds.get(version.mode, "a file")


def _header(hunk: Hunk) -> str:
    old, new = hunk.old_end - hunk.old_start, hunk.new_end - hunk.new_start
    return f"@@ -{hunk.old_start + bool(old)},{old} +{hunk.new_start + bool(new)},{new} @@"


def _text(git: Git, file: FileChange, piece: str | int, context: int) -> str:
    if isinstance(piece, int):
        return f"{_name(file)}\n{_hunk(file, file.hunks[piece], context)}"
    text = f"{_name(file)}\n{_what(file, piece)}"
    if piece in ("path", "mode"):
        return text
    for mark, version in (("-", file.old), ("+", file.new)):
        if version is None:
            continue
        found = None if version.mode == SUBMODULE else read_objects(git, [version.oid])[0]
        if found is None:
            text += f"\n{mark}{version.oid}"
        elif is_binary(found[1]):
            text += f"\n{mark}[binary, {len(found[1])} bytes]"
        else:
            text += "".join(f"\n{mark}{line}" for line in text_lines(found[1]))
            text += _no_newline(found[1]) if version.is_file else ""
    return text


def _hunk(file: FileChange, hunk: Hunk, context: int) -> str:
    before = file.old_lines[max(0, hunk.old_start - context) : hunk.old_start]
    after = file.old_lines[hunk.old_end : hunk.old_end + context]
    marked = [
        (" ", before),
        ("-", file.old_lines[hunk.old_start : hunk.old_end]),
        ("+", file.new_lines[hunk.new_start : hunk.new_end]),
        (" ", after),
    ]
    # As one text, so that carriage returns are kept or left out in all of it.
    whole = b"".join(line if line.endswith(b"\n") else line + b"\n" for _, lines in marked for line in lines)
    texts = iter(text_lines(whole))
    lines = [_header(hunk)]
    for mark, block in marked:
        for line in block:
            lines.append(mark + next(texts))
            if not line.endswith(b"\n"):
                lines.append("\\ No newline at end of file")
    return "\n".join(lines)


def _no_newline(content: bytes) -> str:
    lines = lines_of(content)
    return "\n\\ No newline at end of file" if lines and not lines[-1].endswith(b"\n") else ""
