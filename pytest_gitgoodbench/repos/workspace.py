"""Workspaces: temporary repositories that hold exactly what the agent may see.

What does not change between attempts of a scenario, the packed objects and refs, is made once as a
template in the cache; a workspace is a copy of it (never a hard link: an agent may write to its files).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_gitgoodbench.git import Git
from pytest_gitgoodbench.repos.store import Store


@dataclass(frozen=True)
class StartState:
    """What a workspace's repository holds before the work tree is made.

    Attributes:
        visible: object names (commits, or trees) that the agent may see; the object store holds
            what is reachable from them and nothing else.
        refs: full ref names and the commits they point at, e.g. `refs/heads/main`.
        head: the ref HEAD points at.
        config: settings written into the workspace's own configuration, e.g.
            `branch.topic.merge`.
    """

    visible: tuple[str, ...]
    refs: Mapping[str, str]
    head: str
    config: Mapping[str, str] = field(default_factory=dict)


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


def create(store: Store, start: StartState, path: Path, templates: Path) -> Workspace:
    """Make a workspace: object store, refs, HEAD and configuration; index and work tree are empty.

    Args:
        store: where the objects come from.
        start: what the workspace holds.
        path: the work tree; made, must not exist or be empty.
        templates: the folder in the cache where templates are kept, under a key made from
            everything that determines them; bounded in size, least recently used go first.

    Raises:
        GitError: the store is broken.
    """
    raise NotImplementedError


def forbidden_objects(workspace: Workspace, start: StartState, store: Store) -> list[str]:
    """Every object in a workspace that its start state does not allow, by exhaustive listing.

    Allowed is what is reachable from `start.visible`, and trees and blobs made by preparing the
    workspace (a conflicted merge writes its automatic result). For the leak test and `ggb doctor`.
    """
    raise NotImplementedError
