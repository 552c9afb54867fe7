"""What is in the cache, and taking it out again."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.repos.cache import Cache


@dataclass(frozen=True)
class Entry:
    """One repository in the cache.

    Attributes:
        name: `owner/repo`, in lower case.
        path: its folder.
        size: in bytes.
        commits: how many commits it was fetched for; None when it is not whole.
        fetched: when it was last added to, seconds since the epoch.
    """

    name: str
    path: Path
    size: int
    commits: int | None
    fetched: float


def contents(cache: Cache) -> list[Entry]:
    """The repositories in the cache, by name."""
    found = []
    for path in sorted((cache.path / "repos").iterdir()):
        if path.is_dir() and not path.name.startswith("."):
            state = path / "ready.json"
            try:
                commits = len(json.loads(state.read_text("utf-8"))["pins"])
                fetched = state.stat().st_mtime
            except (OSError, ValueError, LookupError, TypeError):
                commits, fetched = None, path.stat().st_mtime
            found.append(Entry(path.name.replace("+", "/", 1), path, size_of(path), commits, fetched))
    return found


def size_of(path: Path) -> int:
    """The bytes of all files under a folder; 0 when there is none."""
    total = 0
    for file in path.rglob("*"):
        # Other processes may be at work here.
        with contextlib.suppress(OSError):
            if file.is_symlink() or not file.is_dir():
                total += file.lstat().st_size
    return total


def remove(cache: Cache, entry: Entry) -> None:
    """Take a repository out of the cache, when no process is adding to it.

    Raises:
        UserError: it cannot be removed.
    """
    from filelock import FileLock

    aside = entry.path.with_name(f".{entry.path.name}.removed")
    try:
        with FileLock(entry.path.with_name(f"{entry.path.name}.lock")):
            shutil.rmtree(aside, ignore_errors=True)
            entry.path.rename(aside)
        shutil.rmtree(aside)
    except OSError as error:
        raise UserError(f"{entry.path} cannot be removed: {error.strerror or error}") from error


def prune(
    cache: Cache, *, names: Collection[str] = (), before: float | None = None, everything: bool = False
) -> list[Entry]:
    """Take repositories out of the cache.

    Args:
        names: these, by `owner/repo`.
        before: those last added to before this moment, seconds since the epoch.
        everything: all.

    Returns:
        What was removed.

    Raises:
        UserError: there is no repository of such a name, or one cannot be removed.
    """
    entries = contents(cache)
    wanted = {name.lower() for name in names}
    unknown = sorted(wanted - {entry.name for entry in entries})
    if unknown:
        raise UserError(f"{cache.path} has no repository {unknown[0]}: see ggb cache list")
    removed = [
        entry
        for entry in entries
        if everything or entry.name in wanted or (before is not None and entry.fetched < before)
    ]
    for entry in removed:
        remove(cache, entry)
    return removed


def clear(folder: Path) -> int:
    """Empty a folder of things that are made again when they are needed (templates, judges' answers).

    Returns:
        How many bytes that freed.

    Raises:
        UserError: something in it cannot be removed.
    """
    freed = size_of(folder)
    try:
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    except OSError as error:
        raise UserError(f"{folder} cannot be emptied: {error.strerror or error}") from error
    return freed
