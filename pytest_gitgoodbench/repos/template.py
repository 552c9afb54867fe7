"""Templates of workspaces: a `.git` folder with exactly the visible objects, made once, copied often."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from pathlib import Path

from pytest_gitgoodbench.git import Git
from pytest_gitgoodbench.git.run import HERMETIC_CONFIG
from pytest_gitgoodbench.repos.start_state import StartState
from pytest_gitgoodbench.repos.store import Store

VERSION = 1
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


def copy(templates: Path, destination: Path, store: Store, start: StartState) -> None:
    """Make a `.git` folder at `destination`, from the template, which is made if it is not there.

    Args:
        store: where the objects come from.
        start: what the folder holds.

    Raises:
        GitError: the store is broken.
    """
    determined_by = [
        VERSION,
        store.name.lower(),
        start.visible,
        sorted(start.refs.items()),
        start.head,
        sorted(start.config.items()),
        HERMETIC_CONFIG.read_text("utf-8"),
    ]
    key = hashlib.sha256(json.dumps(determined_by).encode()).hexdigest()[:32]
    template = templates / key
    if not _copied(template, destination):
        from filelock import FileLock

        with FileLock(templates / f"{key}.lock"):
            if not _copied(template, destination):
                shutil.rmtree(template, ignore_errors=True)
                _make(template, store, start)
                _make_room(templates, keep=template)
                if not _copied(template, destination):
                    raise OSError(f"{template}: the template vanished while it was copied")


def _copied(template: Path, destination: Path) -> bool:
    """Copy a template; False when it is not there or not whole (any more)."""
    try:
        sizes: dict[str, int] = json.loads((template / "sizes.json").read_text("utf-8"))
        os.utime(template)
        for name, size in sizes.items():
            source, target = template / "git" / name, destination / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if size < 0:
                target.mkdir(exist_ok=True)
                continue
            shutil.copyfile(source, target)
            if target.stat().st_size != size:
                raise OSError(f"{source}: not whole")
            if name.startswith("objects/"):
                target.chmod(0o444)
    except (OSError, ValueError):
        shutil.rmtree(destination, ignore_errors=True)
        return False
    return True


def _make(template: Path, store: Store, start: StartState) -> None:
    beside = template.with_name(f".{template.name}.{os.getpid()}")
    shutil.rmtree(beside, ignore_errors=True)
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
        (made / "packed-refs").write_text("\n".join(["# pack-refs with: sorted ", *lines, ""]), "utf-8")
        (made / "HEAD").write_text(f"ref: {start.head}\n", "utf-8")
        settings = {"core.repositoryformatversion": "0", **_CONFIG, **start.config}
        if any(len(name) == 64 for name in start.visible):
            settings |= {"core.repositoryformatversion": "1", "extensions.objectFormat": "sha256"}
        for name, value in settings.items():
            Git()("config", "--file", str(made / "config"), name, value)
        sizes = {
            str(path.relative_to(made)): path.stat().st_size if path.is_file() else -1
            for path in sorted(made.rglob("*"))
        }
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
