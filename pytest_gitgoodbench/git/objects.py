"""Reading objects: many in one call, commits taken apart."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_gitgoodbench.errors import GitError
from pytest_gitgoodbench.git.run import Git


@dataclass(frozen=True)
class CommitObject:
    """A commit taken apart.

    Attributes:
        tree, parents: object names.
        message: decoded by the commit's own encoding header (UTF-8 without one), replacement
            characters for what does not fit, and no NUL.
    """

    tree: str
    parents: tuple[str, ...]
    message: str


def read_objects(git: Git, names: Iterable[str]) -> list[tuple[str, bytes] | None]:
    """Type and content of objects, in one call.

    Args:
        names: object names, or anything git resolves (`abc^{tree}`, `abc:path`).

    Returns:
        For each name: (type, content), or None when there is no such object.
    """
    wanted = list(names)
    data = git("cat-file", "--batch", input=os.fsencode("".join(f"{name}\n" for name in wanted)))
    found: list[tuple[str, bytes] | None] = []
    position = 0
    for _ in wanted:
        end = data.index(b"\n", position)
        header = data[position:end].split(b" ")
        position = end + 1
        if len(header) < 3 or not header[-1].isdigit():
            found.append(None)
            continue
        size = int(header[-1])
        found.append((header[-2].decode(), data[position : position + size]))
        position += size + 1
    return found


def parse_commit(content: bytes) -> CommitObject:
    """Take a commit object apart (gitformat: headers, an empty line, the message)."""
    head, _, message = content.partition(b"\n\n")
    tree = ""
    parents: list[str] = []
    encoding = "utf-8"
    for line in head.split(b"\n"):
        name, _, value = line.partition(b" ")
        if name == b"tree" and not tree:
            tree = value.decode("ascii", "replace")
        elif name == b"parent":
            parents.append(value.decode("ascii", "replace"))
        elif name == b"encoding":
            encoding = value.decode("ascii", "replace").strip()
    try:
        # Some codecs give halves of surrogate pairs, which no file or model can be given.
        decoded = message.decode(encoding, "replace").encode("utf-8", "replace").decode("utf-8")
    except (LookupError, ValueError):  # unknown, not for texts, or a codec that always fails
        decoded = message.decode("utf-8", "replace")
    # git itself ends a message at its first NUL.
    return CommitObject(tree, tuple(parents), decoded.partition("\0")[0])


def commit_of(name: str, found: tuple[str, bytes] | None) -> CommitObject:
    """What `read_objects` found for `name`, as a commit.

    Raises:
        GitError: it is not there or no commit.
    """
    if found is None or found[0] != "commit":
        raise GitError(("cat-file", "commit", name), 128, f"{name} is not a commit")
    return parse_commit(found[1])


def read_commits(git: Git, names: Iterable[str]) -> list[CommitObject]:
    """Commits taken apart, in one call.

    Raises:
        GitError: one of them is not there or no commit.
    """
    wanted = list(names)
    return [commit_of(name, found) for name, found in zip(wanted, read_objects(git, wanted), strict=True)]
