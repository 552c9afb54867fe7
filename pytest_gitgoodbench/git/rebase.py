"""An interactive rebase of a chain by a checked todo list: run, stopped, continued, taken back.

It is git's own rebase, so what is under way is visible to everybody who looks. But git believes what it
finds in `.git/rebase-merge`, `exec` lines included, and somebody else may write there: while a rebase is
stopped we remember these files, and go on only if they are as we left them.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_gitgoodbench.errors import GitError
from pytest_gitgoodbench.git.isolated import IsolatedGit
from pytest_gitgoodbench.git.messages import message_of
from pytest_gitgoodbench.git.objects import read_objects
from pytest_gitgoodbench.git.refused import Refused
from pytest_gitgoodbench.git.resolution import Conflicts
from pytest_gitgoodbench.git.run import Git, text
from pytest_gitgoodbench.git.todo import MELDING, Step, render
from pytest_gitgoodbench.git.unmerged import Sides, unmerged

_STATE = ("rebase-merge", "rebase-apply", "sequencer")
_LEFT_BEHIND = ("CHERRY_PICK_HEAD", "REBASE_HEAD", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE")


@dataclass(frozen=True)
class Stop:
    """Where a rebase has stopped.

    Attributes:
        commit: the index of the commit that is being applied; None when git stopped elsewhere.
        conflicts: None when there are none and it can go on.
        head: HEAD at that moment.
        said: what git said.
    """

    commit: int | None
    conflicts: Conflicts | None
    head: str
    said: str


class Rebase:
    """A chain of commits and what becomes of it.

    Attributes:
        commits: object names, oldest first.
        messages: theirs.
        base: the commit before the chain.
        start: the newest commit, at which the branch was.
        steps: the todo list, None before there is one.
        stop: where the rebase has stopped, None when none is under way.
        result: what the branch was at when the last rebase was through, None before.
    """

    def __init__(self, isolated: IsolatedGit, length: int) -> None:
        """Find the chain: the last `length` commits of the current branch.

        Raises:
            Refused: HEAD is not on a branch, or has fewer commits.
        """
        self._isolated = isolated
        git = isolated.git
        self._branch = self._head()
        names = git.line("rev-list", "--first-parent", f"--max-count={length + 1}", "HEAD").split()[::-1]
        if not self._branch or len(names) != length + 1:
            raise Refused(f"the current branch does not have {length} commits on top of another one")
        self.base, *self.commits = names
        self.start = names[-1]
        objects = read_objects(git, self.commits)
        self.messages = [message_of(found[1]) if found else b"" for found in objects]
        self.steps: Sequence[Step] | None = None
        self.stop: Stop | None = None
        self.result: str | None = None
        self._folder: Path | None = None
        self._left: Mapping[str, bytes] = {}

    @property
    def under_way(self) -> bool:
        """Whether git has a rebase, or the like, in progress."""
        return any((self._isolated.dot_git / name).exists() for name in _STATE)

    def run(self) -> Stop | None:
        """Carry out the todo list from the start state.

        Returns:
            Where it stopped; None when it is through.

        Raises:
            Refused: there is no list, a rebase is under way, or the branch was moved by somebody else.
            GitError: git did not even start.
        """
        if self.steps is None:
            raise Refused("there is no todo list yet")
        if self.under_way:
            raise Refused("a rebase is in progress already: continue or abort it")
        head = self._isolated.git.line("rev-parse", "HEAD")
        if head not in (self.start, self.result) or self._head() != self._branch:
            raise Refused("the branch was moved by other means; aborting takes it back to its start")
        if head != self.start:
            self.take_back()
        todo, messages = render(self.steps, self.commits, self.messages)
        self._folder = self._isolated.scratch / "rebase"
        shutil.rmtree(self._folder, ignore_errors=True)
        (self._folder / "messages").mkdir(parents=True)
        (self._folder / "todo").write_bytes(todo)
        for number, message in enumerate(messages):
            (self._folder / "messages" / str(number)).write_bytes(message)
        return self._outcome(
            "rebase", "--interactive", "--no-autosquash", "--empty=keep", "--reschedule-failed-exec",
            "--no-verify", "--no-gpg-sign", "--no-fork-point", "--no-stat", "--no-autostash", self.base,
        )  # fmt: skip

    def go_on(self) -> Stop | None:
        """Go on after the conflicts of a stop are resolved and staged.

        Raises:
            Refused: nothing has stopped here, something is unmerged, or the rebase was changed by others.
        """
        if self.stop is None or not self.under_way:
            raise Refused("no rebase of these tools is in progress")
        if self._state() != self._left:
            raise Refused("the rebase in progress was changed by other means: abort it")
        git = self._git()
        if unmerged(git):
            raise Refused("there are unresolved conflicts")
        stop = self.stop
        picked = stop.commit is not None and not self._is_melded(stop.commit)
        if picked and stop.conflicts and git.line("rev-parse", "HEAD") == stop.head:
            # git would skip a commit that has become empty, and give its message to the one before.
            git(
                "commit", "--quiet", "--no-verify", "--no-gpg-sign", "--allow-empty", "--allow-empty-message",
                f"--reuse-message={self.commits[stop.commit or 0]}",
            )  # fmt: skip
        return self._outcome("rebase", "--continue")

    def take_back(self) -> None:
        """Put branch, index and work tree back to the start state, whatever is under way."""
        dot_git = self._isolated.dot_git
        for name in _STATE:
            shutil.rmtree(dot_git / name, ignore_errors=True)
        for name in _LEFT_BEHIND:
            with contextlib.suppress(OSError):
                (dot_git / name).unlink()
        git = self._isolated.git
        git("symbolic-ref", "HEAD", self._branch)
        git("reset", "--quiet", "--hard", self.start)
        self.stop, self.result = None, None

    def _head(self) -> str:
        """The ref HEAD is at, "" when it is detached."""
        return text(self._isolated.git.run("symbolic-ref", "--quiet", "HEAD").stdout).strip()

    def _is_melded(self, commit: int) -> bool:
        return any(step.commit == commit and step.command in MELDING for step in self.steps or ())

    def _git(self) -> Git:
        folder = self._folder or self._isolated.scratch
        return self._isolated.git.with_env(
            GGB_TODO=str(folder / "todo"),
            GGB_MESSAGES=str(folder / "messages"),
            # git appends the name of the file to edit and gives the line to a shell.
            GIT_SEQUENCE_EDITOR='cp "$GGB_TODO"',
            GIT_EDITOR="true",
        )

    def _outcome(self, *command: str) -> Stop | None:
        done = self._git().run(*command)
        said = text(done.stdout + done.stderr).strip()
        git = self._isolated.git
        head = git.line("rev-parse", "HEAD")
        if not self.under_way:
            self.stop = None
            if done.returncode:
                raise GitError(command, done.returncode, said)
            self.result = head
            return None
        self._left = self._state()
        applied = text(git.run("rev-parse", "--verify", "--quiet", "REBASE_HEAD").stdout).strip()
        commit = self.commits.index(applied) if applied in self.commits else None
        conflicts = None
        if unmerged(git):
            before = text(git.run("rev-parse", "--verify", "--quiet", f"{applied}^").stdout).strip()
            conflicts = Conflicts(self._isolated, Sides(head, applied or head, before or None))
        self.stop = Stop(commit, conflicts, head, said)
        return self.stop

    def _state(self) -> dict[str, bytes]:
        """Every file by which git knows what is under way."""
        dot_git = self._isolated.dot_git
        files = [path for name in _STATE for path in (dot_git / name).rglob("*") if path.is_file()]
        return {str(path.relative_to(dot_git)): path.read_bytes() for path in files}
