"""The conflicts of an unfinished merge, cherry-pick or rebase step, and their resolution one by one.

Conflicts are numbered once; a number keeps its meaning whatever is resolved, in whatever order, however
often. Everything happens in the form in which git stores files, so that line ends and encodings of the
work tree are git's own business, and every write goes through the index, so that no link is followed.
"""

from __future__ import annotations

from pytest_gitgoodbench.git import index, worktree
from pytest_gitgoodbench.git.conflicted import Conflict, ConflictedFile, conflicted_files
from pytest_gitgoodbench.git.conflicts import render
from pytest_gitgoodbench.git.index import Version
from pytest_gitgoodbench.git.isolated import IsolatedGit
from pytest_gitgoodbench.git.refused import Refused
from pytest_gitgoodbench.git.textform import encode, encoding_of, fit_file, lines_of, usual_end
from pytest_gitgoodbench.git.unmerged import LINK, SIDES, SUBMODULE, Sides, merged_mode, unmerged


class Conflicts:
    """All conflicts that there were when this object was made, and what was done about them.

    Attributes:
        files: by path, in the index's order.
        items: the conflicts; `items[n].index == n`.
        sides: what is merged.
    """

    def __init__(self, isolated: IsolatedGit, sides: Sides) -> None:
        self._isolated = isolated
        self._git = isolated.git
        self.sides = sides
        self.files = {file.path: file for file in conflicted_files(isolated)}
        self.items: list[Conflict] = []
        for file in self.files.values():
            for place in file.regions or (None,):
                self.items.append(Conflict(len(self.items), file, place))

    def conflict(self, number: int) -> Conflict:
        """The conflict of that number.

        Raises:
            Refused: there is none.
        """
        if not self.items:
            raise Refused("there are no conflicts")
        if not 0 <= number < len(self.items):
            raise Refused(f"there is no conflict {number}: the numbers are 0 to {len(self.items) - 1}")
        return self.items[number]

    def unresolved(self) -> list[Conflict]:
        """What is left to decide. A path that somebody staged is decided."""
        left = unmerged(self._git)
        return [
            item
            for item in self.items
            if item.file.path in left and (item.place is None or item.place not in item.file.chosen)
        ]

    # -- decisions -----------------------------------------------------------------------------------

    def resolve(self, number: int, text: str) -> Conflict:
        """Put text in the place of a conflicted region, instead of an earlier resolution if there is one.

        Raises:
            Refused: no such region, conflict markers in the text, characters that the file cannot have,
                or the file was changed by somebody else.
        """
        conflict = self.conflict(number)
        file, place = conflict.file, conflict.place
        if place is None:
            raise Refused(f"conflict {number} is about the file {file.name} as a whole ({file.whole})")
        content = encode(text, file.encoding)
        content += b"\n" if content and not content.endswith(b"\n") else b""
        self._refuse_markers(content, file)
        if not file.settled and self._on_disk(file) != file.on_disk:
            raise Refused(
                f"{file.name} was changed by other means since; resolve the file as a whole instead"
            )
        self._undo(file)
        file.chosen[place] = file.fitted(place, content)
        oid = index.write_blob(self._git, render(file.current()))
        version = Version(merged_mode(file.stages), oid)
        if set(file.regions) <= set(file.chosen):
            self._stage(file.path, version)
        else:
            self._write_unstaged(file.path, version)
        file.on_disk = self._on_disk(file)
        return conflict

    def choose(self, file: ConflictedFile, side: str, moved_to: bytes | None = None) -> None:
        """Resolve a file as a whole by taking what a side has there.

        Args:
            file: which file.
            side: `ours`, `theirs`, `base`, or `delete`; a side that lacks the file deletes it, too.
            moved_to: another path at which to put it.

        Raises:
            Refused: there is no base, the side's version has unresolved regions, or something is in the way.
        """
        version = None if side == "delete" else file.stages.get(SIDES[side])
        if side == "base" and version is None:
            raise Refused(f"{file.name}: the merge base does not have it")
        if version is not None and version.mode != SUBMODULE:
            self._refuse_markers(file.contents[SIDES[side]], file)
        self._settle(file, version, moved_to)
        file.settled = (
            f"{side} was chosen" if version is not None or side == "delete" else f"{side} has deleted it"
        )

    def write(self, file: ConflictedFile, text: str, moved_to: bytes | None = None) -> None:
        """Resolve a file as a whole by giving its content; for a symbolic link that is its target.

        Raises:
            Refused: conflict markers, characters that the file cannot have, a submodule, or something is
                in the way.
        """
        content = encode(text, file.encoding)
        self._refuse_markers(content, file)
        regular = {stage: version for stage, version in file.stages.items() if version.is_file}
        modes = {version.mode for version in file.stages.values()}
        if regular:
            mode, content = merged_mode(regular), fit_file(content, file.line_end, file.sides())
        elif modes == {LINK}:
            mode, content = LINK, content.removesuffix(b"\n")
        else:
            raise Refused(f"{file.name} is a submodule: choose a side")
        if mode == LINK and (not content or b"\n" in content):
            raise Refused(f"{file.name} is a symbolic link: its content is one path")
        self._settle(file, Version(mode, index.write_blob(self._git, content)), moved_to)
        file.settled = "its content was given"

    def edit(self, path: bytes, old: str, new: str) -> None:
        """Replace text that stands exactly once in a file without unresolved conflicts, and stage the file.

        Raises:
            Refused: no such tracked file, unresolved conflicts in it, or the text is not there just once.
        """
        name = worktree.shown(path)
        if path in unmerged(self._git):
            raise Refused(f"{name} has unresolved conflicts: resolve them first")
        entry = index.entry(self._git, path)
        if entry is None or not entry.is_file:
            raise Refused(f"{name} is not a regular file that git tracks")
        before = index.repository_form(self._git, path, worktree.read(self._isolated.path, path))
        encoding = encoding_of([before])
        end = usual_end(before) or b"\n"
        places = {old_form: before.count(old_form) for old_form in _forms(encode(old, encoding), end)}
        if not old or (count := sum(places.values())) != 1:
            raise Refused(f"the old text stands {count if old else 'everywhere'} times in {name}, not once")
        wanted = max(places, key=lambda form: places[form])
        *_, replacement = _forms(encode(new, encoding), end)
        oid = index.write_blob(self._git, before.replace(wanted, replacement))
        self._stage(path, Version(entry.mode, oid))

    # -- how it is done ------------------------------------------------------------------------------

    def _settle(self, file: ConflictedFile, version: Version | None, moved_to: bytes | None) -> None:
        target = moved_to or file.path
        present = index.paths(self._git) - {file.path, file.moved_to}
        if version is not None:
            if target in present:
                raise Refused(f"{worktree.shown(target)} is there already")
            if reason := index.in_the_way(target, present):
                raise Refused(reason)
        self._undo(file)
        if version is None or target != file.path:
            index.update(self._isolated, [(file.path, None, 0)])
            worktree.remove(self._isolated.path, file.path)
        if version is not None:
            self._stage(target, version)
        file.moved_to = target if version is not None and target != file.path else None
        file.on_disk = self._on_disk(file)

    def _undo(self, file: ConflictedFile) -> None:
        """Take back how the file as a whole was resolved."""
        if file.moved_to is not None:
            index.update(self._isolated, [(file.moved_to, None, 0)])
            worktree.remove(self._isolated.path, file.moved_to)
        if file.settled:
            stages = [(file.path, version, stage) for stage, version in file.stages.items()]
            index.update(self._isolated, [(file.path, None, 0), *stages])
        file.moved_to, file.settled = None, ""

    def _stage(self, path: bytes, version: Version) -> None:
        index.update(self._isolated, [(path, version, 0)])
        index.check_out(self._git, path)

    def _write_unstaged(self, path: bytes, version: Version) -> None:
        """Write a file in the form of the work tree, leaving its index entries alone."""
        other = self._isolated.scratch / "index"
        other.unlink(missing_ok=True)
        git = self._git.with_env(GIT_INDEX_FILE=str(other))
        index.update(self._isolated, [(path, version, 0)], git)
        index.check_out(git, path)

    def _on_disk(self, file: ConflictedFile) -> bytes | None:
        try:
            return worktree.read(self._isolated.path, file.path)
        except Refused:
            return None

    def _refuse_markers(self, content: bytes, file: ConflictedFile) -> None:
        """Refuse conflict markers that no side has committed."""
        found = file.markers(content)
        if found and (found := found - self._committed_markers(file)):
            line = min(found).decode("utf-8", "replace")[:80]
            raise Refused(
                f"{file.name}: this text holds a conflict marker ({line}); give the text that shall be there"
                " in the end, without markers"
            )

    def _committed_markers(self, file: ConflictedFile) -> set[bytes]:
        """Marker-like lines of the sides' own text: of versions that a side has committed."""
        own: set[bytes] = set()
        for stage, content in file.contents.items():
            if (lines := file.markers(content)) and self._is_committed(file.stages[stage].oid):
                own |= lines
        return own

    def _is_committed(self, oid: str) -> bool:
        commits = (self.sides.ours, self.sides.theirs, self.sides.base)
        return any(
            commit and f" {oid}\t".encode() in self._git("ls-tree", "-r", "-z", commit) for commit in commits
        )

    def leftovers(self) -> list[str]:
        """Files that are staged with conflict markers in them, with the line of the first one."""
        found = []
        for file in self.files.values():
            path = file.moved_to or file.path
            entry = index.entry(self._git, path)
            if entry is None or not entry.is_file:
                continue
            content = self._git("cat-file", "blob", entry.oid)
            # A line of equals signs alone may be a heading's.
            left = {line for line in file.markers(content) if line[:1] != b"="}
            if left and (left := left - self._committed_markers(file)):
                lines = [line.rstrip(b"\r\n") for line in lines_of(content)]
                first = next(number for number, line in enumerate(lines, 1) if line in left)
                found.append(f"{worktree.shown(path)} line {first}")
        return found


def _forms(text: bytes, end: bytes) -> list[bytes]:
    """Text as it was given, and with the file's line ends unless it has such itself."""
    return list(dict.fromkeys([text, text if b"\r\n" in text else text.replace(b"\n", end)]))
