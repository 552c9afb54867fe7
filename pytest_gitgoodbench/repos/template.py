"""Templates of workspaces: a `.git` folder with exactly the visible objects, made once, copied often."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from pytest_gitgoodbench.git import Git
from pytest_gitgoodbench.git.run import HERMETIC_CONFIG
from pytest_gitgoodbench.repos.start_state import StartState
from pytest_gitgoodbench.repos.store import Store

T = TypeVar("T")

VERSION = 2
MOST_BYTES = 20 << 30
"""All templates together; the least recently used go first."""

# So that a plain `git` of an agent, with whatever configuration it has of its own, behaves as ours does.
_CONFIG = {
    "core.bare": "false",
    "core.filemode": "true",
    "core.autocrlf": "false",
    "core.eol": "lf",
    "core.safecrlf": "false",
    "core.hooksPath": "/dev/null",
    "user.name": "GitGoodBench Agent",
    "user.email": "agent@example.invalid",
    "commit.gpgSign": "false",
    "tag.gpgSign": "false",
    "merge.conflictStyle": "merge",
    "merge.directoryRenames": "conflict",
    "merge.renameLimit": "7000",
    "rerere.enabled": "false",
    "rebase.autoSquash": "false",
    "rebase.updateRefs": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}


class _NotWhole(OSError):
    """A template is not there, or damaged."""


def copy(templates: Path, destination: Path, store: Store, start: StartState) -> None:
    """Make a `.git` folder at `destination`, from the template, which is made if it is not there.

    Args:
        store: where the objects come from.
        start: what the folder holds.

    Raises:
        GitError: the store is broken.
        OSError: a file cannot be written.
    """
    _use(templates, store, start, lambda template: _copy(template, destination))


def objects(templates: Path, store: Store, start: StartState) -> Path:
    """The object store that holds what `start` allows and nothing else, to borrow from for a moment.

    It is the template's, which is made if it is not there, and can be removed whenever another is made.

    Raises:
        GitError: the store is broken.
        OSError: a file cannot be written.
    """

    def whole(template: Path) -> Path:
        _sizes(template)
        return template / "git" / "objects"

    return _use(templates, store, start, whole)


def _use(templates: Path, store: Store, start: StartState, use: Callable[[Path], T]) -> T:
    template = _place(templates, store, start)
    with contextlib.suppress(_NotWhole):
        return use(template)
    with _locked(template):
        try:
            return use(template)
        except _NotWhole:
            _make(template, store, start)
            _make_room(templates, keep=template)
            return use(template)


def discard(templates: Path, store: Store, start: StartState) -> None:
    """Have a template made again when it is next needed."""
    template = _place(templates, store, start)
    with contextlib.suppress(OSError), _locked(template):
        shutil.rmtree(template)


def _place(templates: Path, store: Store, start: StartState) -> Path:
    determined_by = [
        VERSION,
        store.name.lower(),
        start.visible,
        sorted(start.refs.items()),
        start.head,
        sorted(start.config.items()),
        HERMETIC_CONFIG.read_text("utf-8"),
    ]
    return templates / hashlib.sha256(json.dumps(determined_by).encode()).hexdigest()[:32]


@contextlib.contextmanager
def _locked(template: Path) -> Iterator[None]:
    from filelock import FileLock

    with FileLock(template.with_name(f"{template.name}.lock")):
        yield


def _sizes(template: Path) -> dict[str, int]:
    """What a template consists of: sizes in bytes by path below its `git`, -1 for folders.

    Raises:
        _NotWhole: some of it is not there.
    """
    try:
        sizes: dict[str, int] = json.loads((template / "sizes.json").read_text("utf-8"))
        whole = all(_size(template / "git" / name) == size for name, size in sizes.items())
    except (OSError, ValueError, AttributeError) as error:
        raise _NotWhole(f"{template}: {error}") from error
    if not whole:
        raise _NotWhole(f"{template}: a file has another size")
    # For `_make_room`; a cache that others filled may be read-only.
    with contextlib.suppress(OSError):
        os.utime(template)
    return sizes


def _copy(template: Path, destination: Path) -> None:
    """Copy a template.

    Raises:
        _NotWhole: it is not; there is nothing at `destination`.
        OSError: a file cannot be written.
    """
    sizes = _sizes(template)
    destination.mkdir()
    try:
        for name, size in sizes.items():
            if size < 0:
                (destination / name).mkdir()
                continue
            shutil.copyfile(template / "git" / name, destination / name)
            if name.startswith("objects/"):
                (destination / name).chmod(0o444)
    except FileNotFoundError as error:
        shutil.rmtree(destination, ignore_errors=True)
        raise _NotWhole(f"{template}: {error}") from error


def _size(path: Path) -> int:
    return -1 if path.is_dir() else path.stat().st_size


def _make(template: Path, store: Store, start: StartState) -> None:
    # The lock is held: these are the template, if it is damaged, and what killed processes left of it.
    for left in (template, *template.parent.glob(f".{template.name}.*")):
        shutil.rmtree(left, ignore_errors=True)
    beside = template.with_name(f".{template.name}.{os.getpid()}")
    try:
        made = beside / "git"
        (made / "objects" / "pack").mkdir(parents=True)
        (made / "objects" / "info").mkdir()
        (made / "refs" / "heads").mkdir(parents=True)
        (made / "refs" / "tags").mkdir()
        store.git(
            "pack-objects",
            "--quiet",
            "--revs",
            "--delta-base-offset",
            str(made / "objects" / "pack" / "pack"),
            input="".join(f"{name}\n" for name in start.visible).encode(),
        )
        lines = [f"{commit} {ref}" for ref, commit in sorted(start.refs.items())]
        # The whole header that git writes: GitPython reads no other. All refs are at commits, nothing is to peel.
        header = "# pack-refs with: peeled fully-peeled sorted "
        (made / "packed-refs").write_text("\n".join([header, *lines, ""]), "utf-8")
        (made / "HEAD").write_text(f"ref: {start.head}\n", "utf-8")
        settings = {"core.repositoryformatversion": "0", **_CONFIG, **start.config}
        if any(len(name) == 64 for name in start.visible):
            settings |= {"core.repositoryformatversion": "1", "extensions.objectFormat": "sha256"}
        for name, value in settings.items():
            Git()("config", "--file", str(made / "config"), name, value)
        sizes = {str(path.relative_to(made)): _size(path) for path in sorted(made.rglob("*"))}
        (beside / "sizes.json").write_text(json.dumps(sizes), "utf-8")
        beside.rename(template)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _make_room(templates: Path, keep: Path) -> None:
    """Remove the least recently used templates beyond `MOST_BYTES`."""
    entries = []
    for file in templates.glob("*/sizes.json"):
        with contextlib.suppress(OSError, ValueError):
            size = sum(max(0, number) for number in json.loads(file.read_text("utf-8")).values())
            entries.append((file.parent.stat().st_mtime, size, file.parent))
    total = sum(size for _, size, _ in entries)
    for _, size, folder in sorted(entries):
        if total <= MOST_BYTES:
            break
        if folder != keep:
            shutil.rmtree(folder, ignore_errors=True)
            total -= size
