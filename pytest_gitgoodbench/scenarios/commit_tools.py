"""The tools of the scenario `commit`: see what has changed hunk by hunk, and commit it bit by bit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_gitgoodbench.dataset.sample import Sample
from pytest_gitgoodbench.git.hunks import Changes
from pytest_gitgoodbench.git.messages import given_message, subject
from pytest_gitgoodbench.git.refused import Refused
from pytest_gitgoodbench.repos.workspace import Workspace
from pytest_gitgoodbench.scenarios import hunk_views
from pytest_gitgoodbench.scenarios.base import Tool
from pytest_gitgoodbench.scenarios.shown import listed
from pytest_gitgoodbench.scenarios.toolbox import MESSAGE, Schema, ToolBox, number


def tools(sample: Sample, workspace: Workspace) -> list[Tool]:
    """The tools for a workspace at the start state: everything from HEAD to the final tree is staged.

    Args:
        sample: not looked at; the workspace says it all.
        workspace: where it is.
    """
    return _Commits(ToolBox(workspace)).tools()


class _Commits:
    """What is to be committed, and which of it is.

    Neither the index nor the work tree is ever touched: both have the final tree all the time, so what is
    not committed yet stays staged.
    """

    def __init__(self, box: ToolBox) -> None:
        self._box = box
        self._tree = box.git.line("rev-parse", "HEAD^{tree}")
        self._base, self._final = self._tree, box.git.line("write-tree")
        self._found: Changes | None = None
        self._done: set[int] = set()

    @property
    def _changes(self) -> Changes:
        if self._found is None:
            self._found = Changes(self._box.isolated, self._base, self._final)
        return self._found

    def tools(self) -> list[Tool]:
        tool = self._box.tool
        ids: Schema = {
            "type": "array",
            "items": number("A hunk's id.", 1),
            "minItems": 1,
            "uniqueItems": True,
            "description": "The ids of the hunks, in any order.",
        }
        return [
            tool(
                "list_hunks",
                "List all that has changed, in all files, in the smallest pieces that can be committed by"
                " themselves: runs of changed lines, and new, deleted, renamed and binary files. The ids"
                " never change.",
                self.list_hunks,
                {"first": number("The id to start at; 1 if left out.", 1)},
                optional=["first"],
            ),
            tool(
                "show_hunks",
                "Show some hunks in full, with the lines around them.",
                self.show_hunks,
                {
                    "ids": ids,
                    "context": number("Lines to show before and after each; 3 if left out.", 0, 200),
                },
                optional=["context"],
            ),
            tool(
                "commit_hunks",
                "Make a commit of these hunks. What is not committed stays staged.",
                self.commit_hunks,
                {"ids": ids, "message": MESSAGE},
            ),
            tool(
                "commit_rest",
                "Make a commit of all that is left, if anything is. This ends the task.",
                self.commit_rest,
                {"message": MESSAGE},
                final=True,
            ),
        ]

    def list_hunks(self, first: int = 1) -> str:
        """All hunks from an id on."""
        if first > max(1, len(self._changes.changes)):
            raise Refused(f"there is no hunk {first}: {self._range()}")
        return hunk_views.list_changes(self._changes, self._done, first)

    def show_hunks(self, ids: Sequence[int], context: int = 3) -> str:
        """Some hunks."""
        self._check(ids)
        wanted = [self._changes.changes[number - 1] for number in ids]
        return hunk_views.show_changes(self._box.git, self._changes, wanted, context)

    def commit_hunks(self, ids: Sequence[int], message: str) -> str:
        """Commit some."""
        self._check(ids)
        if again := sorted(set(ids) & self._done):
            raise Refused(f"these hunks are committed already: {listed(again)}. {self._progress()}")
        self._commit(set(ids), message)
        return f"Committed: {subject(given_message(message))}. {self._progress()}"

    def commit_rest(self, message: str) -> str:
        """Commit what is left."""
        left = self._left()
        if not left:
            return "Nothing was left to commit: the history is complete."
        self._commit(set(left), message)
        return f"Committed {len(left)} hunks: {subject(given_message(message))}. {self._progress()}"

    def _commit(self, ids: set[int], message: str) -> None:
        git = self._box.git
        text = given_message(message)
        head, tree = git.line("rev-parse", "HEAD", "HEAD^{tree}").split()
        if tree != self._tree:
            raise Refused(
                "the current commit was made by other means and has not the files that it had after the last"
                " commit of these tools: go on by those means, or take the branch back to that commit"
            )
        tree = self._changes.tree(self._done | ids)
        commit = git.line("commit-tree", tree, "-p", head, "-F", "-", input=text)
        git("update-ref", "-m", "commit", "HEAD", commit, head)
        self._done |= ids
        self._tree = tree

    def _left(self) -> list[int]:
        return [change.id for change in self._changes.changes if change.id not in self._done]

    def _progress(self) -> str:
        left = self._left()
        return f"Uncommitted: {listed(left)}." if left else "Everything is committed."

    def _check(self, ids: Sequence[int]) -> None:
        if not ids:
            raise Refused("give at least one id")
        if twice := sorted(id_ for id_, count in Counter(ids).items() if count > 1):
            raise Refused(f"given more than once: {listed(twice)}")
        if unknown := sorted(set(ids) - {change.id for change in self._changes.changes}):
            raise Refused(f"there is no hunk {listed(unknown)}: {self._range()}")

    def _range(self) -> str:
        count = len(self._changes.changes)
        return f"the ids are 1 to {count}" if count else "nothing has changed"
