"""Repositories as tests tell them: write files, commit, merge, by plain git in a folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from pytest_gitgoodbench.git import environment
from pytest_gitgoodbench.repos.workspace import Workspace

Content = bytes | str | None
"""Bytes are a file, text is a symbolic link's target, None removes."""


class Repository:
    """A repository with a work tree; `main` is its first branch."""

    def __init__(self, path: Path, form: str = "sha1") -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", f"--object-format={form}")

    @property
    def workspace(self) -> Workspace:
        return Workspace(self.path)

    def git(self, *args: str | bytes, input: bytes | None = None, check: bool = True) -> str:
        """Run git as an agent or a maintainer would; return what it printed, without the last newline."""
        return self.bytes(*args, input=input, check=check).decode("utf-8", "surrogateescape").rstrip("\n")

    def bytes(self, *args: str | bytes, input: bytes | None = None, check: bool = True) -> bytes:
        # The same commits have the same names whatever the clock says.
        dates = {f"GIT_{who}_DATE": "1700000000 +0000" for who in ("AUTHOR", "COMMITTER")}
        done = subprocess.run(
            ["git", *args],
            cwd=self.path,
            env={**environment(), **dates},
            input=input,
            capture_output=True,
        )
        if check and done.returncode:
            raise AssertionError(f"git {args}: {done.stderr.decode()}")
        return done.stdout

    def write(self, files: Mapping[str | bytes, Content]) -> None:
        """Put files into the work tree."""
        for name, content in files.items():
            path = self.path / os.fsdecode(name)
            if path.is_symlink() or path.is_file():
                path.unlink()
            elif path.is_dir():
                shutil.rmtree(path)
            if content is None:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                path.symlink_to(content)
            else:
                path.write_bytes(content)

    def commit(self, files: Mapping[str | bytes, Content], message: str | bytes = "Change") -> str:
        """Write files and commit everything; return the commit's name."""
        self.write(files)
        self.git("add", "-A")
        return self.commit_staged(message)

    def commit_staged(self, message: str | bytes = "Change") -> str:
        text = message if isinstance(message, bytes) else message.encode()
        self.git(
            "commit",
            "-q",
            "--allow-empty",
            "--allow-empty-message",
            "--cleanup=verbatim",
            "-F",
            "-",
            input=text,
        )
        return self.head

    def branch(self, name: str, at: str = "HEAD") -> None:
        """Make a branch and switch to it."""
        self.git("checkout", "-q", "-b", name, at)

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    def tree(self, revision: str = "HEAD") -> str:
        return self.git("rev-parse", f"{revision}^{{tree}}")

    def blob(self, path: str, revision: str = "HEAD") -> bytes:
        return self.bytes("cat-file", "blob", f"{revision}:{path}")

    def messages(self, since: str) -> list[str]:
        """Of the commits after `since`, oldest first."""
        listing = self.git("log", "--reverse", "--format=%B%x00", f"{since}..HEAD")
        return [message.strip("\n") for message in listing.split("\0")[:-1]]


def conflict(
    path: Path,
    base: Mapping[str | bytes, Content],
    ours: Mapping[str | bytes, Content],
    theirs: Mapping[str | bytes, Content],
) -> Repository:
    """A repository in which merging two changes of `base` has stopped (or not, if they do not conflict)."""
    made = Repository(path)
    made.commit(base, "Base")
    made.branch("side")
    made.commit(theirs, "Theirs")
    made.git("checkout", "-q", "main")
    made.commit(ours, "Ours")
    made.git("merge", "--no-commit", "--no-ff", made.git("rev-parse", "side"), check=False)
    return made
