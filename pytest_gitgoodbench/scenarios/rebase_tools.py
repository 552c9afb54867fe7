"""The tools of the scenario `rebase`: see the commits, plan a todo list, run it, deal with conflicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_gitgoodbench.dataset.sample import Chain, Sample
from pytest_gitgoodbench.git import text
from pytest_gitgoodbench.git.messages import subject
from pytest_gitgoodbench.git.rebase import Rebase, Stop
from pytest_gitgoodbench.git.refused import Refused
from pytest_gitgoodbench.git.resolution import Conflicts
from pytest_gitgoodbench.git.todo import COMMANDS, groups, message, plan
from pytest_gitgoodbench.repos.workspace import Workspace
from pytest_gitgoodbench.scenarios.base import Tool
from pytest_gitgoodbench.scenarios.conflict_tools import ConflictTools
from pytest_gitgoodbench.scenarios.shown import MOST, bounded, decoded, listed
from pytest_gitgoodbench.scenarios.toolbox import ToolBox, choice, number, string


def tools(sample: Sample, workspace: Workspace) -> list[Tool]:
    """The tools for a workspace at the start state: a branch at the newest commit of the chain.

    Args:
        sample: says how long the chain is.
        workspace: where it is.

    Raises:
        Refused: the workspace has no such chain.
    """
    assert isinstance(sample.detail, Chain)
    box = ToolBox(workspace)
    return _Rebase(box, Rebase(box.isolated, sample.detail.length)).tools()


class _Rebase:
    """The answers of the tools."""

    def __init__(self, box: ToolBox, rebase: Rebase) -> None:
        self._box = box
        self._rebase = rebase
        self._shared = ConflictTools(
            box, self._current, "the new history up to here", "the commit that is being applied"
        )

    def tools(self) -> list[Tool]:
        tool = self._box.tool
        last = len(self._rebase.commits) - 1
        entry = {
            "type": "object",
            "properties": {
                "commit": number("The commit's index.", 0, last),
                "command": choice("What to do with it.", *COMMANDS),
                "message": string("The new message; for reword (required) and squash only.", 0, 100_000),
            },
            "required": ["commit", "command"],
            "additionalProperties": False,
        }
        todo = {
            "type": "array",
            "items": entry,
            "minItems": last + 1,
            "maxItems": last + 1,
            "description": f"Every commit from 0 to {last} exactly once, in the new order.",
        }
        return [
            tool(
                "show_commits",
                f"Show the commits of the chain, index 0 (the oldest) to {last}: message, files, changes."
                " The indices never change.",
                self.show_commits,
            ),
            tool(
                "show_commit",
                "Show one commit, or more of it if it is long.",
                self.show_commit,
                {
                    "commit": number("The commit's index.", 0, last),
                    "first_line": number("The line of the output to start at, from 1.", 1),
                },
                optional=["first_line"],
            ),
            tool(
                "set_todo",
                "Set the todo list of the interactive rebase. pick keeps a commit, reword gives it a new"
                " message, squash melds it into the commit before and joins the messages (or takes the given"
                " one), fixup melds it and drops its message, 'fixup -C' melds it and takes its message, drop"
                " leaves it out. Nothing is changed before run_rebase.",
                self.set_todo,
                {"todo": todo},
            ),
            tool("show_todo", "Show the todo list as it is now.", self.show_todo),
            tool(
                "run_rebase",
                "Carry out the todo list from the start. It may stop with conflicts: then resolve them and"
                " call continue_rebase, or call abort_rebase and set another list. May be run again with"
                " another list when it is through.",
                self.run,
            ),
            tool("continue_rebase", "Go on after all conflicts of a stop are resolved.", self.go_on),
            tool(
                "abort_rebase",
                "Give up a rebase, under way or through: everything is back at the start.",
                self.abort,
            ),
            *self._shared.tools(),
            tool("finish", "End the task with the history as it is now.", self.finish, final=True),
        ]

    # -- the chain and the list ----------------------------------------------------------------------

    def show_commits(self) -> str:
        """All commits, each with an even share of the room."""
        count = len(self._rebase.commits)
        shares = [
            bounded(self._commit(index), MOST // count, f"show_commit {index} has all")
            for index in range(count)
        ]
        return "\n\n".join(shares)

    def show_commit(self, commit: int, first_line: int = 1) -> str:
        """One commit from a line on."""
        if not 0 <= commit < len(self._rebase.commits):
            raise Refused(
                f"there is no commit {commit}: the indices are 0 to {len(self._rebase.commits) - 1}"
            )
        lines = self._commit(commit).split("\n")
        if first_line > len(lines):
            raise Refused(f"there is no line {first_line}: commit {commit} has {len(lines)} lines of output")
        return bounded("\n".join(lines[first_line - 1 :]), how_to_see="ask for them by first_line")

    def _commit(self, index: int) -> str:
        rebase = self._rebase
        parent = rebase.commits[index - 1] if index else rebase.base
        diff = self._box.git(
            "diff-tree", "-r", "-M", "--stat=100", "-p", "--no-ext-diff", "--no-textconv", "--no-color",
            parent, rebase.commits[index],
        )  # fmt: skip
        lines = [line for line in decoded(diff).split("\n") if not line.startswith("index ")]
        shown = text(rebase.messages[index]).rstrip("\n") or "(no message)"
        changes = "\n".join(lines).rstrip("\n") or "(no changes)"
        return f"== Commit {index} ==\n{shown}\n--\n{changes}"

    def set_todo(self, todo: Sequence[Mapping[str, Any]]) -> str:
        """Check and remember a list."""
        if self._rebase.under_way:
            raise Refused("a rebase is in progress: continue or abort it first")
        # A list that is refused leaves the earlier one in force.
        self._rebase.steps = plan(todo, len(self._rebase.commits))
        return self.show_todo()

    def show_todo(self) -> str:
        """The list and what it will lead to."""
        rebase = self._rebase
        if rebase.steps is None:
            return "There is no todo list yet."
        lines = ["The todo list, the first one first:"]
        lines += [
            f"{step.command} {step.commit} ({subject(rebase.messages[step.commit])})" for step in rebase.steps
        ]
        made = groups(rebase.steps)
        lines.append(f"It makes {len(made)} commits of {len(rebase.commits)}:")
        lines += [
            f"- {subject(message(group, rebase.messages))} (from {listed([step.commit for step in group])})"
            for group in made
        ]
        if dropped := [step.commit for step in rebase.steps if step.command == "drop"]:
            lines.append(
                f"Warning: what commits {listed(dropped)} changed will be lost; the result must not lose any."
            )
        return bounded("\n".join(lines))

    # -- running -------------------------------------------------------------------------------------

    def run(self) -> str:
        """Start."""
        return self._told(self._rebase.run())

    def go_on(self) -> str:
        """Continue."""
        if self._rebase.stop is not None and self._rebase.stop.conflicts is not None:
            self._shared.must_be_resolved()
        return self._told(self._rebase.go_on())

    def abort(self) -> str:
        """Back to the start."""
        self._rebase.take_back()
        return (
            "Everything is back at the start. The todo list is kept; set another one if it shall not be that."
        )

    def finish(self) -> str:
        """End."""
        if self._rebase.under_way:
            raise Refused("a rebase is in progress: continue or abort it first")
        return self._history()

    def _current(self) -> Conflicts:
        stop = self._rebase.stop
        if stop is None or stop.conflicts is None or not self._rebase.under_way:
            raise Refused("no rebase has stopped with conflicts")
        return stop.conflicts

    def _told(self, stop: Stop | None) -> str:
        if stop is None:
            return f"The rebase is through.\n{self._history()}"
        where = ""
        if stop.commit is not None:
            where = f" at commit {stop.commit} ({subject(self._rebase.messages[stop.commit])})"
        if stop.conflicts is not None:
            left = listed([item.index for item in stop.conflicts.items])
            return (
                f"The rebase stopped{where} with conflicts: {left}. See list_conflicts and show_conflict;"
                " resolve them and call continue_rebase, or call abort_rebase."
            )
        said = bounded(stop.said, 2_000)
        return (
            f"The rebase stopped{where} without conflicts: continue_rebase or abort_rebase. git says: {said}"
        )

    def _history(self) -> str:
        git = self._box.git
        base, start = self._rebase.base, self._rebase.start
        if git.run("merge-base", "--is-ancestor", base, "HEAD").returncode:
            return "Warning: the branch does not descend from the commit before the chain any more."
        log = decoded(
            git("log", "--reverse", "--topo-order", "--format=%x00%s", "--shortstat", f"{base}..HEAD")
        )
        commits = [" ".join(part.split()) for part in log.split("\0")[1:]]
        lines = [f"The history is now {len(commits)} commits, the oldest first:"]
        lines += [f"{number}. {line}" for number, line in enumerate(commits, 1)]
        if git.line("rev-parse", "HEAD^{tree}") == git.line("rev-parse", f"{start}^{{tree}}"):
            lines.append("The files are exactly as they were at the start.")
        else:
            stat = decoded(
                git("diff-tree", "-r", "--stat=100", "--no-ext-diff", "--no-textconv", start, "HEAD")
            )
            lines.append(
                "Warning: the files differ from those at the start, but the result must have the same:\n"
                + bounded(stat.rstrip("\n"), 4_000)
            )
        return bounded("\n".join(lines))
