"""Registers `mymodel`, an example of an agent of one's own, and what this project's tests need.

`pytest --ggb-agent=mymodel -n 8` measures the function below. It is honest work without an LLM: it looks
at the workspace only, as any agent has to, and is right now and then.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from pytest_gitgoodbench.agents.base import Attempt

pytest_plugins = ["pytester"]


def pytest_gitgoodbench_agents(config: pytest.Config) -> Mapping[str, object]:
    return {"mymodel": mymodel}


def mymodel(attempt: Attempt) -> None:
    """Resolve a merge line by line, fold "wip" commits, or commit file by file."""
    work = {"merge": resolve_merge, "rebase": fold_commits, "commit": commit_files}
    work[attempt.scenario](attempt)


def git(attempt: Attempt, *args: str, text: str | None = None) -> str:
    """Run git in the workspace; what it did is in the transcript."""
    done = subprocess.run(
        ["git", *args],
        cwd=attempt.workspace,
        env=dict(attempt.env),
        input=text,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
    )
    attempt.transcript.add("event", done.stdout[-2000:] + done.stderr[-2000:], command=["git", *args])
    if done.returncode:
        raise RuntimeError(f"git {' '.join(args)}: {done.stderr.strip()}")
    return done.stdout


# -- merge ------------------------------------------------------------------------------------------


def resolve_merge(attempt: Attempt) -> None:
    """Settle each conflict by looking at its two sides, then conclude the merge."""
    for name in git(attempt, "diff", "--name-only", "--diff-filter=U", "-z").split("\0")[:-1]:
        file = attempt.workspace / name
        if file.is_file() and not file.is_symlink():
            file.write_bytes("".join(settle(file)).encode("utf-8", "surrogateescape"))
        # A file that only one side deleted is kept: losing work is the worse mistake.
    git(attempt, "add", "--all")
    git(attempt, "commit", "--no-edit")


def settle(file: Path) -> Iterator[str]:
    """The lines of a file with every conflict decided."""
    ours: list[str] = []
    theirs: list[str] = []
    side: list[str] | None = None
    for line in re.findall(r"[^\n]*\n|[^\n]+", file.read_bytes().decode("utf-8", "surrogateescape")):
        if line.startswith("<<<<<<< "):
            ours, theirs = [], []
            side = ours
        elif line.startswith("=======") and side is ours:
            side = theirs
        elif line.startswith(">>>>>>> ") and side is theirs:
            yield from choose(ours, theirs)
            side = None
        elif side is not None:
            side.append(line)
        else:
            yield line


def choose(ours: list[str], theirs: list[str]) -> list[str]:
    """Both sides' imports; else the side that contains the other; else the one that says more."""
    if all(re.match(r"\s*(import|from|#|$)", line) for line in ours + theirs):
        return ours + [line for line in theirs if line not in ours]
    if set(ours) <= set(theirs):
        return theirs
    return ours if len(ours) >= len(theirs) else theirs


# -- rebase -----------------------------------------------------------------------------------------


def fold_commits(attempt: Attempt) -> None:
    """Fold commits whose message says nothing, or the same again, into the one before."""
    base = git(attempt, "rev-parse", "@{upstream}").strip()
    commits = git(attempt, "rev-list", "--reverse", f"{base}..HEAD").split()
    kept: list[tuple[str, str]] = []
    for commit in commits:
        message = git(attempt, "log", "-1", "--format=%B", commit).strip()
        empty = re.match(r"(?i)(wip|fix(up|es)?!?|typo|tmp|oops|\.+)\b.{0,20}$", message)
        if kept and (empty or message == kept[-1][1]):
            kept[-1] = (commit, kept[-1][1])
        else:
            kept.append((commit, message))
    parent = base
    for commit, message in kept:
        tree = git(attempt, "rev-parse", f"{commit}^{{tree}}").strip()
        parent = git(attempt, "commit-tree", tree, "-p", parent, text=message + "\n").strip()
    git(attempt, "reset", "--hard", parent)


# -- commit -----------------------------------------------------------------------------------------


def commit_files(attempt: Attempt) -> None:
    """Make one commit of each folder's changes."""
    names = git(attempt, "diff", "--cached", "--name-only", "--no-renames", "-z").split("\0")[:-1]
    folders: dict[str, list[str]] = {}
    for name in names:
        folders.setdefault(str(Path(name).parent), []).append(name)
    final = git(attempt, "write-tree").strip()
    for folder, files in folders.items():
        git(attempt, "read-tree", "HEAD")
        # Everything of this folder as it is in the final tree, whether changed, added or gone.
        for name in files:
            entry = git(attempt, "ls-tree", "-z", final, "--", name).rstrip("\0")
            if entry:
                mode, _, rest = entry.partition(" ")
                git(
                    attempt,
                    "update-index",
                    "--add",
                    "--cacheinfo",
                    mode,
                    rest.split()[1].split("\t")[0],
                    name,
                )
            else:
                git(attempt, "update-index", "--force-remove", "--", name)
        subject = f"Update {', '.join(Path(name).name for name in files[:3])}"
        git(attempt, "commit", "-m", subject if folder == "." else f"{subject} in {folder}")
    git(attempt, "read-tree", final)
