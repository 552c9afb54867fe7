"""Workspaces: temporary repositories that hold exactly what the agent may see.

What does not change between attempts of a scenario, the packed objects and refs, is made once as a
template in the cache; a workspace is a copy of it (never a hard link: an agent may write to its files).
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

from pytest_gitgoodbench.git import Git, text
from pytest_gitgoodbench.repos import template
from pytest_gitgoodbench.repos.start_state import StartState
from pytest_gitgoodbench.repos.store import Store


@dataclass(frozen=True)
class Workspace:
    """A temporary repository.

    Attributes:
        path: its work tree; the repository is `path/.git`.
    """

    path: Path

    @property
    def git(self) -> Git:
        """git bound to the workspace. Not for use after the agent has acted: see `result`."""
        return Git(git_dir=self.path / ".git", work_tree=self.path)


def create(
    store: Store, start: StartState, path: Path, templates: Path, *, afresh: bool = False
) -> Workspace:
    """Make a workspace: object store, refs, HEAD and configuration; index and work tree are empty.

    Args:
        store: where the objects come from.
        start: what the workspace holds.
        path: the work tree; made, must not exist or be empty.
        templates: the folder in the cache where templates are kept, under a key made from
            everything that determines them; bounded in size, least recently used go first.
        afresh: do not use the template that is there.

    Raises:
        GitError: the store is broken.
        OSError: a file cannot be written.
    """
    path.mkdir(parents=True, exist_ok=True)
    if afresh:
        template.discard(templates, store, start)
    template.copy(templates, path / ".git", store, start)
    return Workspace(path)


def settle(workspace: Workspace) -> None:
    """Let what was just checked out look unchanged to git, whenever the agent asks.

    git compares times first. A file as young as the index is compared by content in the form that git would
    commit; committed with other line ends than its attributes ask for, it looks changed although nobody has
    touched it, and a rebase is refused. With an index that is a second younger git believes the times.
    """
    index = workspace.path / ".git" / "index"
    # Paths are in it as they are (gitformat-index), and this costs no process.
    if b".gitattributes" not in index.read_bytes():
        return
    options = ("-0", "--diff-filter=M", "--name-only", "--ignore-submodules", "-z")
    if workspace.git.run("diff-files", *options).stdout:
        time.sleep(1.01 - time.time() % 1)
        os.utime(index)


def forbidden_objects(workspace: Workspace, start: StartState, store: Store) -> list[str]:
    """Everything in a workspace that its start state does not allow, by exhaustive listing.

    Allowed are the objects reachable from `start.visible`, and trees and blobs that preparing the
    workspace made (a conflicted merge writes its automatic result). Refs, reflogs, remotes and
    alternates beyond the start state are reported too. For the leak test and `ggb doctor`.

    Returns:
        A line each: what it is and its name.
    """
    git = workspace.git
    present = git(
        "cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname) %(objecttype)"
    )
    listed = git("rev-list", "--objects", "--no-object-names", *start.visible)
    allowed = set(listed.split())
    made = _made_by_preparing(workspace)
    found: list[str] = []
    unexplained: list[str] = []
    for line in present.splitlines():
        name, kind = line.split()
        if name not in allowed and (kind in (b"commit", b"tag") or name not in made):
            (found if kind in (b"commit", b"tag") else unexplained).append(f"{text(kind)} {text(name)}")
    # A merge with several bases merges these first and writes that down, too. What the upstream does not
    # have was made here and can tell nothing of the ground truth.
    names = "".join(f"{entry.split()[1]}\n" for entry in unexplained)
    known = store.git("cat-file", "--batch-check", input=names.encode()).splitlines() if names else []
    found += [entry for entry, line in zip(unexplained, known, strict=True) if not line.endswith(b" missing")]
    refs = git("for-each-ref", "--format=%(refname) %(objectname)").decode().splitlines()
    expected = {f"{ref} {commit}" for ref, commit in start.refs.items()}
    found += [f"ref {ref}" for ref in refs if ref not in expected]
    dot_git = workspace.path / ".git"
    if git("remote").strip():
        found.append("a remote")
    for file in (
        "logs",
        "objects/info/alternates",
        "FETCH_HEAD",
        "ORIG_HEAD",
        "packed-refs.lock",
        "rr-cache",
    ):
        if (dot_git / file).exists():
            found.append(f"file {file}")
    return found


def _made_by_preparing(workspace: Workspace) -> set[bytes]:
    """Trees and blobs of the index and of a merge's automatic result."""
    git = workspace.git
    made = {line.split()[1] for line in git("ls-files", "--stage", "-z").split(b"\0") if line}
    auto_merge = workspace.path / ".git" / "AUTO_MERGE"
    with contextlib.suppress(OSError):
        tree = auto_merge.read_text("ascii").strip()
        made.update(git("rev-list", "--objects", "--no-object-names", tree).split())
    return made
