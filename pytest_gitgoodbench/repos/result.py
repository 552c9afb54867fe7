"""Read what an agent left behind, without running or believing anything found in the workspace.

HEAD, refs and the state files are read as plain files; the objects that HEAD adds to the store are
re-packed and re-hashed into a fresh bare repository with our configuration, and all further questions
are asked there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pytest_gitgoodbench.git import Git
from pytest_gitgoodbench.repos.store import Store


@dataclass(frozen=True)
class Result:
    """What an agent left.

    Attributes:
        git: git bound to a fresh bare repository that holds HEAD's objects beside the store's.
        head: the commit HEAD resolves to; None when there is none that can be read.
        problem: one line that says why `head` is None.
        in_progress: the operation left under way: `merge`, `rebase`, `cherry-pick`, `revert`, `am`,
            `bisect`, or None.
        unmerged: paths with unmerged index entries.
        staged: paths whose index entry differs from HEAD's tree, None when the index is unreadable.
    """

    git: Git
    head: str | None
    problem: str = ""
    in_progress: str | None = None
    unmerged: tuple[str, ...] = ()
    staged: tuple[str, ...] | None = None


def read_result(workspace: Path, store: Store, scratch: Path) -> Result:
    """Read a workspace after its agent has acted (and nothing of the agent runs any more).

    Args:
        workspace: the work tree.
        store: the upstream's store; its objects need not be copied.
        scratch: an empty folder of ours for the evaluation's repository.
    """
    raise NotImplementedError
