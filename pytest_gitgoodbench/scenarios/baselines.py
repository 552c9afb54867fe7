"""What the baseline agents do, beside what belongs to one scenario alone. They may read the ground truth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_gitgoodbench.dataset.sample import Sample
from pytest_gitgoodbench.git import fixed_dates, path_text
from pytest_gitgoodbench.git.hunks import Changes
from pytest_gitgoodbench.repos.store import Store
from pytest_gitgoodbench.repos.workspace import Workspace
from pytest_gitgoodbench.scenarios.toolbox import ToolBox


def nop(sample: Sample, workspace: Workspace, store: Store) -> None:
    """Do nothing."""


def bring(workspace: Workspace, store: Store, wanted: Iterable[str], known: Iterable[str]) -> None:
    """Copy objects of the ground truth from the store into a workspace.

    Args:
        wanted: commits or trees, brought with all they need.
        known: what the workspace has already.
    """
    revisions = [f"{name}\n" for name in wanted] + [f"^{name}\n" for name in known]
    pack = store.git("pack-objects", "--quiet", "--revs", "--stdout", input="".join(revisions).encode())
    workspace.git("index-pack", "--stdin", input=pack)


def commit_tree(workspace: Workspace, tree: str, parent: str, message: str) -> str:
    """Make a commit with our identity and dates; return its name."""
    git = workspace.git.with_env(**fixed_dates())
    return git.line("commit-tree", tree, "-p", parent, input=message.encode("utf-8", "replace"))


def move_head(workspace: Workspace, commit: str) -> None:
    """Put the current branch, the index and the work tree at a commit."""
    workspace.git("reset", "--quiet", "--hard", commit)


def squash(workspace: Workspace, base: str, tree: str, subjects: Sequence[str] = ()) -> None:
    """One commit of everything, with what is known about it as its message."""
    message = f"Update {_names(workspace, base, tree)}\n"
    if subjects:
        message += "\n" + "".join(f"- {subject}\n" for subject in subjects)
    move_head(workspace, commit_tree(workspace, tree, base, message))


def per_hunk(workspace: Workspace, base: str, tree: str) -> None:
    """One commit of each piece that can be committed by itself."""
    box = ToolBox(workspace)
    base_tree = workspace.git.line("rev-parse", f"{base}^{{tree}}")
    changes = Changes(box.isolated, base_tree, tree)
    parent = base
    done: set[int] = set()
    for change in changes.changes:
        done.add(change.id)
        names = {path_text(changes.files[number].new_path) for number, _ in change.pieces}
        message = f"Change part {change.id} of {', '.join(sorted(names))}\n"
        parent = commit_tree(workspace, changes.tree(done), parent, message)
    move_head(workspace, parent)


def _names(workspace: Workspace, base: str, tree: str) -> str:
    changed = workspace.git("diff-tree", "-r", "--name-only", "--no-renames", "-z", base, tree)
    names = [path_text(path).rpartition("/")[2] for path in changed.split(b"\0") if path]
    more = f" and {len(names) - 3} more files" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
