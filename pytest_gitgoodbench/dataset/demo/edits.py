"""The edits that commits of a story are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pytest_gitgoodbench.dataset.demo import hunks

Tree = dict[str, str]
"""Text of the files by path. Paths are written into git's stream as they are: no quotes, no line ends."""


@dataclass(frozen=True)
class Settling:
    """What an edit sees: the tree it changes and, in a merge, the other side's."""

    tree: Tree
    theirs: Mapping[str, str]


@dataclass(frozen=True)
class Edit:
    """A change of one path. Made by `new`, `edit`, `move`, `delete`, `ours`, `theirs`."""

    path: str
    change: Callable[[Settling], None]
    also: tuple[str, ...] = ()


def new(path: str, text: str, *, crlf: bool = False, last_line_open: bool = False) -> Edit:
    """Add a file (or write it anew).

    Args:
        path: where.
        text: its content, as a triple-quoted block.
        crlf: with Windows line ends.
        last_line_open: without a line end after the last line.
    """
    content = hunks.block(text)
    if last_line_open:
        content = content.removesuffix("\n")
    if crlf:
        content = content.replace("\n", "\r\n")
    return Edit(path, lambda at: at.tree.update({path: content}))


def edit(path: str, diff: str) -> Edit:
    """Change a file by a diff without line numbers (see `hunks.apply`)."""

    def change(at: Settling) -> None:
        if path not in at.tree:
            raise ValueError(f"{path}: no such file")
        try:
            at.tree[path] = hunks.apply(at.tree[path], diff)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    return Edit(path, change)


def append(path: str, text: str, *, blank: int = 2) -> Edit:
    """Add a triple-quoted block at the end of a file, after some blank lines."""

    def change(at: Settling) -> None:
        at.tree[path] += "\n" * blank + hunks.block(text)

    return Edit(path, change)


def move(path: str, to: str) -> Edit:
    """Rename a file."""
    return Edit(path, lambda at: at.tree.update({to: at.tree.pop(path)}), also=(to,))


def delete(path: str) -> Edit:
    """Remove a file."""
    return Edit(path, lambda at: put(at.tree, path, None))


def ours(path: str) -> Edit:
    """In a merge: keep what the branch has."""
    return Edit(path, lambda at: None)


def theirs(path: str) -> Edit:
    """In a merge: take what the merged branch has. Edits that follow start from it."""
    return Edit(path, lambda at: put(at.tree, path, at.theirs.get(path)))


def put(tree: Tree, path: str, text: str | None) -> None:
    """Write a file; None removes it."""
    if text is None:
        tree.pop(path, None)
    else:
        tree[path] = text
