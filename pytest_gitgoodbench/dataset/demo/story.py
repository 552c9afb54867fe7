"""Tell the history of a project: people commit to branches and merge them, one edit after another.

Nothing here runs git. A story is a list of commits with whole trees; `stream` hands it to git. Merges are
written down, not computed: a file that only one side changed is that side's, every other file must be
settled by an edit, so that the same story is the same history with every version of git.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from itertools import cycle

from pytest_gitgoodbench.dataset.demo import hunks
from pytest_gitgoodbench.dataset.demo.edits import Edit, Settling, Tree, put


@dataclass(frozen=True)
class Person:
    """Somebody who commits."""

    name: str
    mail: str


@dataclass(frozen=True, eq=False)
class Commit:
    """One commit; `number` counts from 1 in the order of the story and is its mark in the stream."""

    number: int
    branch: str
    author: Person
    date: datetime
    message: str
    parents: tuple[Commit, ...]
    tree: Mapping[str, str]


@dataclass(frozen=True)
class Chain:
    """A run of commits on one branch that all touch `file`, oldest first: a sample."""

    file: str
    commits: tuple[Commit, ...]


# How long after the commit before: people commit in bursts, sleep, and have other things to do.
_PAUSES = (
    timedelta(minutes=23),
    timedelta(hours=1, minutes=52),
    timedelta(days=1, hours=2, minutes=7, seconds=41),
    timedelta(minutes=9, seconds=18),
    timedelta(hours=3, minutes=31, seconds=5),
    timedelta(days=3, minutes=47, seconds=33),
    timedelta(minutes=41, seconds=12),
    timedelta(days=1, minutes=3, seconds=59),
)


class Story:
    """A project's history while it is told.

    Attributes:
        name: the upstream name, `owner/repo`.
        language: `python`, `java` or `kotlin`.
        default_branch: where HEAD is.
        created: when the project began; the first commit follows at once.
        topics: what the project is about, as on a forge.
        commits: every commit, in the order in which they were made.
        chains: the chain samples.
        heads: the branches that exist in the end, and their tips.
        kept: the tips of deleted branches.
    """

    def __init__(
        self, name: str, *, language: str, default_branch: str, created: datetime, topics: tuple[str, ...]
    ) -> None:
        self.name = name
        self.language = language
        self.default_branch = default_branch
        self.created = created
        self.topics = topics
        self.commits: list[Commit] = []
        self.chains: list[Chain] = []
        self.heads: dict[str, Commit] = {}
        self.kept: list[Commit] = []
        self._clock = created
        self._pauses = cycle(_PAUSES)

    def start(self, author: Person, message: str, *edits: Edit) -> Branch:
        """The default branch, with the project's first commit."""
        branch = Branch(self, self.default_branch)
        branch.commit(author, message, *edits)
        return branch

    def record(
        self, branch: str, author: Person, message: str, parents: tuple[Commit, ...], tree: Tree
    ) -> Commit:
        """Add a commit at the next moment of the story's clock."""
        if parents and parents[0].tree == tree and len(parents) == 1:
            raise ValueError(f"{self.name}: the commit {message!r} changes nothing")
        self._clock = _working_hours(self._clock + next(self._pauses))
        message = hunks.block(message)
        commit = Commit(len(self.commits) + 1, branch, author, self._clock, message, parents, tree)
        self.commits.append(commit)
        self.heads[branch] = commit
        return commit

    def wait(self, **pause: float) -> None:
        """Let time go by (`days=`, `hours=`, ...)."""
        self._clock += timedelta(**pause)


@dataclass
class Branch:
    """A branch of a story: where its next commit goes."""

    story: Story
    name: str
    commits: list[Commit] = field(default_factory=list)

    @property
    def tip(self) -> Commit | None:
        """The commit it is at."""
        return self.story.heads.get(self.name)

    def branch(self, name: str) -> Branch:
        """Start another branch here."""
        assert self.tip is not None
        self.story.heads[name] = self.tip
        return Branch(self.story, name)

    def commit(self, author: Person, message: str, *edits: Edit) -> Commit:
        """Commit edits."""
        tree = dict(self.tip.tree) if self.tip else {}
        for one in edits:
            one.change(Settling(tree, {}))
        parents = (self.tip,) if self.tip else ()
        commit = self.story.record(self.name, author, message, parents, tree)
        self.commits.append(commit)
        return commit

    @contextmanager
    def chain(self, file: str) -> Iterator[None]:
        """The commits made on this branch inside the `with` block are a chain sample on `file`.

        Raises:
            ValueError: they are no valid chain.
        """
        first = len(self.commits)
        yield
        run = tuple(self.commits[first:])
        for commit in run:
            if len(commit.parents) != 1:
                raise ValueError(f"{commit.message!r} is a merge or a root commit")
            if commit.parents[0].tree.get(file) == commit.tree.get(file):
                raise ValueError(f"{commit.message!r} does not touch {file}")
        if not 3 <= len(run) <= 6:
            raise ValueError(f"a chain has 3 to 6 commits, not {len(run)}")
        if file not in run[0].parents[0].tree:
            raise ValueError(f"{file} is added by the oldest commit of its chain")
        self.story.chains.append(Chain(file, run))

    def merge(self, other: Branch, author: Person, message: str, *edits: Edit) -> Commit:
        """Merge another branch, as its maintainers did.

        Args:
            other: the branch to merge.
            author: who merged.
            message: the merge commit's message.
            edits: how the files that both sides changed were settled (`ours`, `theirs`, `edit` on
                top of ours, `edit` after `theirs`), and whatever else went into the merge.

        Raises:
            ValueError: a file that both sides changed is not settled.
        """
        mine, their = self.tip, other.tip
        assert mine is not None
        assert their is not None
        base = _fork_point(mine, their).tree
        tree = dict(mine.tree)
        settled = {path for one in edits for path in (one.path, *one.also)}
        for path in sorted({*base, *their.tree}):
            theirs_now = their.tree.get(path)
            if theirs_now in (base.get(path), mine.tree.get(path)):
                continue
            if mine.tree.get(path) == base.get(path):
                put(tree, path, theirs_now)
            elif path not in settled:
                raise ValueError(
                    f"{message!r}: both sides changed {path}, and the merge does not say what is right"
                )
        for one in edits:
            one.change(Settling(tree, their.tree))
        commit = self.story.record(self.name, author, message, (mine, their), tree)
        self.commits.append(commit)
        return commit

    def delete(self) -> None:
        """Delete the branch: what was not merged is reachable from no branch any more."""
        self.story.kept.append(self.story.heads.pop(self.name))


def _fork_point(mine: Commit, theirs: Commit) -> Commit:
    """The newest common ancestor. Stories have no criss-cross merges, so there is one best."""
    return max(_ancestors(mine) & _ancestors(theirs), key=lambda commit: commit.number)


def _ancestors(commit: Commit) -> set[Commit]:
    """A commit and everything it is built on."""
    found: set[Commit] = set()
    left = [commit]
    while left:
        commit = left.pop()
        if commit not in found:
            found.add(commit)
            left += commit.parents
    return found


def _working_hours(moment: datetime) -> datetime:
    """The same moment, or the next one at which these people work."""
    if moment.hour >= 21:
        moment += timedelta(hours=11)
    elif moment.hour < 8:
        moment += timedelta(hours=8 - moment.hour)
    while moment.weekday() >= 5:
        moment += timedelta(days=1)
    return moment


def zone(hours: int) -> timezone:
    """A fixed offset from UTC; time zone data differs between machines."""
    return timezone(timedelta(hours=hours))
