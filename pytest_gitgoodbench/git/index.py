"""Index entries and blobs, changed by name: no filter, pattern or file of the work tree interferes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_gitgoodbench.git.isolated import IsolatedGit
from pytest_gitgoodbench.git.run import Git, path_text
from pytest_gitgoodbench.git.worktree import shown


@dataclass(frozen=True)
class Version:
    """What a tree or the index has at a path: the file mode and the object name."""

    mode: str
    oid: str

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file."""
        return self.mode.startswith("100")


Entry = tuple[bytes, "Version | None", int]
"""A path, what to put there (None: remove the path), and at which stage."""


def update(isolated: IsolatedGit, entries: Iterable[Entry], git: Git | None = None) -> None:
    """Change entries of the index, one after the other; a file takes the place of a folder and vice versa.

    Args:
        isolated: the repository.
        entries: what to change.
        git: bound to another index file, if not the repository's own is meant.
    """
    nothing = Version("0", isolated.null_oid)
    lines = [
        f"{(version or nothing).mode} {(version or nothing).oid} {stage}\t".encode() + path + b"\0"
        for path, version, stage in entries
    ]
    (git or isolated.git)("update-index", "-z", "--index-info", input=b"".join(lines))


def check_out(git: Git, path: bytes) -> None:
    """Write a path of the index into the work tree, whatever is there; links on the way are replaced."""
    git("checkout-index", "--force", "--index", "-z", "--stdin", input=path + b"\0")


def write_blob(git: Git, content: bytes) -> str:
    """Store content as it is; return the blob's name."""
    return git.line("hash-object", "-w", "--stdin", input=content)


def repository_form(git: Git, path: bytes, content: bytes) -> bytes:
    """A work tree file's content as git stores it (attributes `text`, `eol`, `working-tree-encoding`)."""
    oid = git.line("hash-object", "-w", f"--path={path_text(path)}", "--stdin", input=content)
    return git("cat-file", "blob", oid)


def entry(git: Git, path: bytes) -> Version | None:
    """What the index has at a path; None when that is nothing, or unmerged."""
    for line in git("ls-files", "--stage", "-z", "--", f":(top,literal){path_text(path)}").split(b"\0"):
        head, _, name = line.partition(b"\t")
        if name == path and head.endswith(b" 0"):
            return Version(*head.decode().split(" ")[:2])
    return None


def paths(git: Git) -> set[bytes]:
    """All paths of the index."""
    return set(git("ls-files", "-z").split(b"\0")) - {b""}


def in_the_way(path: bytes, present: Iterable[bytes]) -> str:
    """Why a file cannot be put at a path beside those that are present; "" when it can."""
    for other in present:
        if other.startswith(path + b"/"):
            return f"{shown(path)} is a folder: it holds {shown(other)}"
        if path.startswith(other + b"/"):
            return f"{shown(other)} is a file, so {shown(path)} cannot be"
    return ""
