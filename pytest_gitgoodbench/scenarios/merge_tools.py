"""The tools of the scenario `merge`: see the conflicts, resolve them in any order, commit the merge."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.sample import Sample
from pytest_gitgoodbench.git import text, worktree
from pytest_gitgoodbench.git.messages import given_message, subject
from pytest_gitgoodbench.git.refused import Refused
from pytest_gitgoodbench.git.resolution import Conflicts
from pytest_gitgoodbench.git.unmerged import Sides
from pytest_gitgoodbench.repos.workspace import Workspace
from pytest_gitgoodbench.scenarios.base import Tool
from pytest_gitgoodbench.scenarios.conflict_tools import ConflictTools
from pytest_gitgoodbench.scenarios.toolbox import MESSAGE, ToolBox


def tools(sample: Sample, workspace: Workspace) -> list[Tool]:
    """The tools for a workspace at the start state: a merge has stopped with conflicts.

    Args:
        sample: not looked at; the workspace says it all.
        workspace: where the merge is.
    """
    return _Merge(ToolBox(workspace)).tools()


class _Merge:
    """A merge in progress: which one, and the conflicts once they were asked for."""

    def __init__(self, box: ToolBox) -> None:
        self._box = box
        self._heads = self._now()
        self._conflicts: Conflicts | None = None
        self._shared = ConflictTools(
            box, self._current, "the branch you are on", "the branch that is merged into it"
        )

    def tools(self) -> list[Tool]:
        return [
            *self._shared.tools(),
            self._box.tool(
                "finish_merge",
                "Commit the merge, once every conflict is resolved. This ends the task.",
                self.finish,
                {"message": MESSAGE},
                final=True,
            ),
        ]

    def _now(self) -> tuple[str, ...]:
        """HEAD and the commit that is being merged into it."""
        names = ("HEAD", "MERGE_HEAD")
        found = [self._box.git.run("rev-parse", "--verify", "--quiet", name).stdout for name in names]
        return tuple(name for output in found if (name := text(output).strip()))

    def _current(self) -> Conflicts:
        if len(self._heads) != 2 or self._now() != self._heads:
            raise Refused("the merge is not in progress any more: it was committed or aborted")
        if self._conflicts is None:
            ours, theirs = self._heads
            bases = text(self._box.git.run("merge-base", ours, theirs).stdout).split()
            self._conflicts = Conflicts(self._box.isolated, Sides(ours, theirs, bases[0] if bases else None))
        return self._conflicts

    def finish(self, message: str) -> str:
        """Commit."""
        self._current()
        self._shared.must_be_resolved()
        git = self._box.git
        git(
            "commit", "--quiet", "--no-verify", "--no-gpg-sign", "--cleanup=verbatim", "--file=-",
            input=given_message(message),
        )  # fmt: skip
        changed = git("diff-files", "--name-only", "-z").split(b"\0")[:-1]
        note = ""
        if changed:
            names = ", ".join(worktree.shown(path) for path in changed[:20])
            note = f" These files have changes that were not staged and are not in it: {names}."
        return f"The merge is committed: {subject(given_message(message))}.{note}"
