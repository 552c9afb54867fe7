"""The tools that show conflicts and resolve them, for a merge and for each stop of a rebase."""

from __future__ import annotations

from collections.abc import Callable

from pytest_gitgoodbench.git import worktree
from pytest_gitgoodbench.git.refused import Refused
from pytest_gitgoodbench.git.resolution import Conflicts
from pytest_gitgoodbench.git.unmerged import SIDES, unmerged
from pytest_gitgoodbench.scenarios.base import Tool
from pytest_gitgoodbench.scenarios.conflict_views import PAIRS, ConflictViews
from pytest_gitgoodbench.scenarios.shown import listed
from pytest_gitgoodbench.scenarios.toolbox import PATH, ToolBox, choice, number, string


class ConflictTools:
    """The tools, over the conflicts that there are at the moment.

    Args:
        box: makes them.
        current: the conflicts; raises Refused when nothing is being merged.
        ours, theirs: what the two sides are, in a few words.
    """

    def __init__(self, box: ToolBox, current: Callable[[], Conflicts], ours: str, theirs: str) -> None:
        self._box = box
        self._current = current
        self._sides = f"ours is {ours}, theirs is {theirs}"
        self._views = ConflictViews(box.isolated, current, self._sides)

    def tools(self) -> list[Tool]:
        """All of them."""
        tool = self._box.tool
        return [
            tool(
                "list_conflicts",
                "List all conflicts with their numbers, places and state. The numbers never change. Some"
                " conflicts are about a file as a whole (deleted on one side, renamed, binary, ...).",
                self._views.list_conflicts,
            ),
            tool(
                "show_conflict",
                "Show one conflict as it is in the file now: both sides, or the text it was resolved with,"
                " and the lines around it.",
                self._views.show_conflict,
                {
                    "conflict": number("The conflict's number.", 0),
                    "context": number("Lines to show before and after it; 5 if left out.", 0, 500),
                },
                optional=["context"],
            ),
            tool(
                "show_file",
                "Show a file of the work tree as it is now, with line numbers.",
                self._views.show_file,
                {
                    "path": PATH,
                    "first_line": number("The first line to show, from 1.", 1),
                    "last_line": number("The last line to show.", 1),
                },
                optional=["first_line", "last_line"],
            ),
            tool(
                "show_sides",
                f"Show what distinguishes two versions of a file as a diff ({self._sides}, base is their"
                " common ancestor).",
                self._views.show_sides,
                {"path": PATH, "compare": choice("The two versions; ours-theirs if left out.", *PAIRS)},
                optional=["compare"],
            ),
            tool(
                "resolve_conflict",
                "Resolve a conflict in a text: its region, marker lines included, is replaced by this text."
                " In any order; resolving again replaces what was there.",
                self.resolve_conflict,
                {
                    "conflict": number("The conflict's number.", 0),
                    "text": string("Whole lines without conflict markers; empty to leave nothing."),
                },
            ),
            tool(
                "resolve_file",
                "Resolve a file with conflicts as a whole: take it from one side, delete it, or give its"
                " content. Exactly one of choose and content. Doing so again replaces what was there.",
                self.resolve_file,
                {
                    "path": PATH,
                    "choose": choice(
                        "Whose version to take (a side that deleted the file deletes it).", *SIDES, "delete"
                    ),
                    "content": string("The whole content, without conflict markers."),
                    "move_to": string("Another path at which to put it, instead of `path`.", 1, 5_000),
                },
                optional=["choose", "content", "move_to"],
            ),
            tool(
                "edit_file",
                "Change another place, in a file that has no unresolved conflicts: replace text that stands"
                " there exactly once. For what the two sides need beyond the conflicts.",
                self.edit_file,
                {
                    "path": PATH,
                    "old_text": string("The text to replace; enough of it to be there only once.", 1),
                    "new_text": string("What replaces it."),
                },
            ),
        ]

    def resolve_conflict(self, conflict: int, text: str) -> str:
        """Resolve one region."""
        item = self._current().resolve(conflict, text)
        return f"Conflict {conflict} in {item.file.name} is resolved. {self.progress()}"

    def resolve_file(
        self, path: str, choose: str | None = None, content: str | None = None, move_to: str | None = None
    ) -> str:
        """Resolve a file as a whole."""
        conflicts = self._current()
        file = conflicts.files.get(worktree.given(path))
        if file is None:
            raise Refused(f"{path} has no conflict; edit_file changes other files")
        target = None if move_to is None else worktree.given(move_to)
        if choose is not None and content is None:
            conflicts.choose(file, choose, target)
        elif content is not None and choose is None:
            conflicts.write(file, content, target)
        else:
            raise Refused("give either choose or content")
        return f"{file.name} is resolved: {file.settled}. {self.progress()}"

    def edit_file(self, path: str, old_text: str, new_text: str) -> str:
        """Replace text in a file."""
        name = worktree.given(path)
        self._current().edit(name, old_text, new_text)
        return f"{worktree.shown(name)} is changed and staged."

    def progress(self) -> str:
        """What is left, in a sentence."""
        left = [item.index for item in self._current().unresolved()]
        return f"Unresolved: {listed(left)}." if left else "All conflicts are resolved."

    def must_be_resolved(self) -> None:
        """Raises:
        Refused: something is unresolved, or staged with conflict markers in it.
        """
        conflicts = self._current()
        if left := [item.index for item in conflicts.unresolved()]:
            raise Refused(f"these conflicts are unresolved: {listed(left)}")
        if others := [worktree.shown(path) for path in unmerged(self._box.git)]:
            raise Refused(f"these files are unmerged: {', '.join(others[:20])}")
        if marked := conflicts.leftovers():
            raise Refused(f"conflict markers are left in {', '.join(marked[:20])}")
