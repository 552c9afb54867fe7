"""Paths and files of a work tree: checked, quoted for text, reached without following symbolic links."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from pytest_gitgoodbench.git.refused import Refused

MOST_BYTES = 64 << 20
"""A larger file is not read."""

_SHORT = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_LONG = {ord(letter): code for code, letter in _SHORT.items()}
_REASONS = {
    errno.ELOOP: "it is a symbolic link, and links are not followed",
    errno.ENOTDIR: "a part of the path is a file or a symbolic link, and links are not followed",
}
_ESCAPE = re.compile(rb"\\([0-3][0-7]{2}|.)", re.DOTALL)


class PathError(Refused):
    """A path that cannot be used; the message names it and says why."""


def shown(path: bytes) -> str:
    """A path as text: as it is when that is unmistakable, else quoted with C escapes, as git does."""
    try:
        text = path.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if text.isprintable() and text.strip() == text != "" and text[0] != '"':
        return text
    quoted = "".join(
        f"\\{_SHORT[code]}" if code in _SHORT else chr(code) if 32 <= code < 127 else f"\\{code:03o}"
        for code in path
    )
    return f'"{quoted}"'


def given(text: str) -> bytes:
    """The path that somebody names: the reverse of `shown`, checked.

    Raises:
        PathError: it is absolute, leaves the work tree, is in `.git`, or is no path at all.
    """
    try:
        path = text.encode("utf-8")
    except UnicodeEncodeError:
        raise PathError(f"{text!r} is not a path") from None
    if len(path) > 1 and path.startswith(b'"') and path.endswith(b'"'):
        path = _ESCAPE.sub(_unescaped, path[1:-1])
    parts = path.split(b"/")
    if path.startswith(b"/"):
        raise PathError(f"{text}: give the path relative to the repository's root")
    if not path or b"\0" in path or any(part in (b"", b".", b"..") for part in parts):
        raise PathError(f"{text!r} is not a path of a file in the repository")
    if any(part.lower() == b".git" for part in parts):
        raise PathError(f"{text}: git's own files are not for the tools")
    return path


def _unescaped(match: re.Match[bytes]) -> bytes:
    code = match[1]
    if len(code) == 3:
        return bytes([int(code, 8)])
    return bytes([_LONG.get(code[0], code[0])])


def read(root: Path, path: bytes) -> bytes:
    """Content of a regular file.

    Args:
        root: the work tree.
        path: a checked path (`given`, or from git).

    Raises:
        PathError: there is no such file, it is no regular file, or a symbolic link is on the way.
    """
    with _parent(root, path) as (folder, name), _explained(path):
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        with open(descriptor, "rb") as file:  # noqa: PTH123
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise PathError(f"{shown(path)} is not a regular file")
            if found.st_size > MOST_BYTES:
                raise PathError(f"{shown(path)} has {found.st_size} bytes, which is too much to read")
            return file.read()


def remove(root: Path, path: bytes) -> None:
    """Remove a file or link, if it is there, and the folders that are empty without it."""
    with contextlib.suppress(PathError):
        with _parent(root, path) as (folder, name), _explained(path):
            os.unlink(name, dir_fd=folder)
        for end in reversed([i for i, code in enumerate(path) if code == ord("/")]):
            with _parent(root, path[:end]) as (folder, name), _explained(path):
                os.rmdir(name, dir_fd=folder)


@contextlib.contextmanager
def _parent(root: Path, path: bytes) -> Iterator[tuple[int, bytes]]:
    """The folder of a path, opened step by step so that no link is followed, and the path's last part."""
    *folders, name = path.split(b"/")
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for folder in folders:
            with _explained(path):
                inner = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor, name
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _explained(path: bytes) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise PathError(f"there is no file {shown(path)}") from None
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, error.strerror)
        raise PathError(f"{shown(path)}: {reason}") from None
