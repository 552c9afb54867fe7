"""Chains of commits: finding them in the repository, reading histories, and what both chain scenarios share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_gitgoodbench.dataset.sample import Chain, Sample
from pytest_gitgoodbench.errors import GitError, InvalidSample
from pytest_gitgoodbench.git import Git, path_text, text
from pytest_gitgoodbench.git.objects import CommitObject, read_commits
from pytest_gitgoodbench.git.worktree import shown
from pytest_gitgoodbench.repos.result import Result
from pytest_gitgoodbench.repos.store import Store
from pytest_gitgoodbench.scenarios.base import Check, Commit, Evaluation, History
from pytest_gitgoodbench.scenarios.diffs import difference

MOST_COMMITS = 1000
"""A history of more commits than this on top of the base is not compared."""
MOST_DIFF_BYTES = 1 << 20
"""Of one commit's diff; what is longer is cut with a mark. The judge has a smaller budget of its own."""


@dataclass(frozen=True)
class Located:
    """A chain as it is in the repository.

    Attributes:
        base: the parent of the oldest commit.
        commits: object names, oldest first.
    """

    base: str
    commits: tuple[str, ...]

    @property
    def newest(self) -> str:
        return self.commits[-1]


def chain_of(sample: Sample) -> Chain:
    """The chain part of a sample of that type."""
    assert isinstance(sample.detail, Chain)
    return sample.detail


def locate(sample: Sample, store: Store) -> Located:
    """Find a chain: first parents from the newest commit reach the oldest in `length` commits.

    Which end is which is decided here: the released miner swaps them.

    Raises:
        InvalidSample: the row does not fit the repository.
    """
    chain = chain_of(sample)
    problems = []
    for newest, oldest in (
        (chain.newest_commit, chain.oldest_commit),
        (chain.oldest_commit, chain.newest_commit),
    ):
        lines = store.git.line(
            "rev-list", "--first-parent", "--parents", f"--max-count={chain.length}", newest
        ).splitlines()
        commits = [line.split() for line in lines]
        if len(commits) < chain.length or commits[-1][0] != oldest:
            problems.append(f"{chain.length} first parents from {newest[:12]} do not end at {oldest[:12]}")
        elif any(len(commit) > 2 for commit in commits):
            raise InvalidSample(f"{sample.id}: one of the chain's commits is a merge")
        elif len(commits[-1]) == 1:
            raise InvalidSample(
                f"{sample.id}: the chain starts with a root commit, so there is no commit to start from"
            )
        else:
            names = tuple(commit[0] for commit in reversed(commits))
            return Located(commits[-1][1], names)
    raise InvalidSample(f"{sample.id}: {problems[0]}")


def locate_start(sample: Sample, store: Store) -> Located:
    """Find a chain for a workspace, and make sure that it is about its file.

    Raises:
        InvalidSample: the row does not fit the repository.
    """
    located = locate(sample, store)
    file = chain_of(sample).file
    span = f"{located.base}..{located.newest}"
    only = f":(top,literal){file}"
    if not store.git("rev-list", "--first-parent", "--max-count=1", span, "--", only):
        raise InvalidSample(f"{sample.id}: none of the chain's commits changes {shown(os.fsencode(file))}")
    return located


def names_of_file(git: Git, base: str, newest: str, file: str) -> list[str]:
    """The sample's file with the other names it has between two commits (it may be renamed on the way)."""
    names = [file]
    log = git("log", "--first-parent", "--format=", "--name-status", "-z", "-M", f"{base}..{newest}")
    fields = [path_text(part) for part in log.split(b"\0")]
    position = 0
    pairs: list[tuple[str, str]] = []
    while position < len(fields):
        status = fields[position].strip()
        if status[:1] in {"R", "C"}:
            pairs.append((fields[position + 1], fields[position + 2]))
            position += 3
        else:
            position += 2 if status else 1
    for _ in pairs:
        for old, new in pairs:
            if (old in names) != (new in names):
                names.append(new if old in names else old)
    return names


def read_history(git: Git, names: Sequence[str], only: Sequence[str] | None = None) -> History:
    """Commits as a judge may see them.

    Args:
        git: where they are.
        names: object names, oldest first.
        only: paths; other changes are left out of the diffs.
    """
    commits = read_commits(git, names)
    paths = () if only is None else ("--", *(f":(top,literal){path}" for path in only))
    return tuple(
        Commit(commit.message, _diff(git, name, commit, paths), commit.tree)
        for name, commit in zip(names, commits, strict=True)
    )


def _diff(git: Git, name: str, commit: CommitObject, paths: Iterable[str]) -> str:
    against = (commit.parents[0], name) if commit.parents else ("--root", name)
    raw = git(
        "diff-tree", "-r", "-p", "-M", "--no-ext-diff", "--no-textconv", "--no-color", "--no-commit-id",
        "--full-index", *against, *paths,
    )  # fmt: skip
    cut = raw[:MOST_DIFF_BYTES]
    # Object names tell nothing about quality, and could tell whose commit it is.
    lines = [line for line in text(cut).split("\n") if not line.startswith("index ")]
    mark = f"\n[... {len(raw) - len(cut)} bytes of this diff left out ...]\n" if len(cut) < len(raw) else ""
    return "\n".join(lines) + mark


def evaluate_chain(
    sample: Sample, result: Result, store: Store, *, only_file: bool, paper_needs_no_operation: bool
) -> Evaluation:
    """The rules of both chain scenarios (DESIGN, "Verdicts").

    Args:
        only_file: whether the judge sees only the changes to the sample's file.
        paper_needs_no_operation: whether the published protocol looks for an operation in progress
            (for rebase it does, for commit it does not).
    """
    located = locate(sample, store)
    under_way = result.in_progress
    checks = [
        Check("readable", result.head is not None, result.problem, paper=True),
        Check(
            "no-operation-in-progress",
            under_way is None,
            f"a {under_way} was left in progress",
            paper=paper_needs_no_operation,
        ),
    ]
    if result.head is None:
        return Evaluation(checks=tuple(checks))
    git = result.git
    mine: list[str] = []
    try:
        git("merge-base", "--is-ancestor", located.base, result.head)
        listing = git.line("rev-list", "--topo-order", "--reverse", result.head, "--not", located.base)
        mine = listing.split()
        descends = Check("descends-from-base", True)
    except GitError as error:
        if error.returncode != 1:
            raise
        detail = "HEAD does not descend from the commit the work started from"
        descends = Check("descends-from-base", False, detail, paper=True)
    checks.append(descends)
    wanted, found = read_commits(git, [located.newest, result.head])
    patch = detail = ""
    if wanted.tree != found.tree:
        differs = difference(git, located.newest, result.head)
        patch = differs.patch
        detail = f"content was lost, changed or added on the way in {differs}"
    checks.append(Check("final-tree", wanted.tree == found.tree, detail))
    if len(mine) > MOST_COMMITS:
        checks.append(Check("length", False, f"{len(mine)} commits are not compared", paper=True))
        mine = []
    names = (
        names_of_file(store.git, located.base, located.newest, chain_of(sample).file) if only_file else None
    )
    original = read_history(store.git, located.commits, names)
    agent = read_history(git, mine, names)
    return Evaluation(
        checks=tuple(checks),
        histories=(agent, original),
        metrics={
            "commits": len(mine),
            "original_commits": len(located.commits),
            "unchanged_history": [c.tree for c in agent] == [c.tree for c in original]
            and [c.message for c in agent] == [c.message for c in original],
            "staged": list(result.staged()[:20]),
        },
        patch=patch,
        log=tuple(commit.message for commit in agent),
    )
