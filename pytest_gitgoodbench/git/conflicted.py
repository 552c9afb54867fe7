"""Files with conflicts: what the sides have, and which regions, or which whole files, are to decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pytest_gitgoodbench.errors import GitError
from pytest_gitgoodbench.git import worktree
from pytest_gitgoodbench.git.conflicts import MARKER_SIZE, MarkersError, Region, marker_lines, parse
from pytest_gitgoodbench.git.index import repository_form
from pytest_gitgoodbench.git.isolated import IsolatedGit
from pytest_gitgoodbench.git.objects import read_objects
from pytest_gitgoodbench.git.refused import Refused
from pytest_gitgoodbench.git.textform import encoding_of, fit, is_binary, usual_end, without_last_end
from pytest_gitgoodbench.git.unmerged import (
    BASE,
    OURS,
    SUBMODULE,
    THEIRS,
    Stages,
    attributes,
    describe,
    three_way,
    unmerged,
)


@dataclass
class ConflictedFile:
    """A path with unmerged index entries.

    Attributes:
        path, stages: as the index has them.
        contents: what the sides have there, by stage; submodules have no content.
        marker_size: length of the conflict markers in this file.
        parts: the merged text taken apart; None when the conflict is about the file as a whole.
        whole: why there are no parts.
        chosen: the resolutions of regions by their place in `parts`.
        settled: how the file as a whole was resolved, "" when it was not.
        moved_to: the path at which a resolution of the whole file put it.
        on_disk: the work tree file as it was found or last written here; None when there is none to read.
    """

    path: bytes
    stages: Stages
    contents: Mapping[int, bytes]
    marker_size: int = MARKER_SIZE
    parts: list[bytes | Region] | None = None
    whole: str = ""
    chosen: dict[int, bytes] = field(default_factory=dict)
    settled: str = ""
    moved_to: bytes | None = None
    on_disk: bytes | None = None

    def markers(self, content: bytes) -> set[bytes]:
        """Lines of a text that look like conflict markers of this file.

        A file that both sides renamed is merged before its paths are: a version can hold markers itself,
        which are one longer (merge-ort.c, process_renames).
        """
        sizes = {self.marker_size}
        if any(
            line[:1] == b"<" for data in self.contents.values() for line in marker_lines([data], self._inner)
        ):
            sizes.add(self._inner)
        return {line for size in sizes for line in marker_lines([content], size)}

    @property
    def _inner(self) -> int:
        return self.marker_size + 1

    @property
    def name(self) -> str:
        """The path as text."""
        return worktree.shown(self.path)

    @property
    def regions(self) -> list[int]:
        """The places of the regions in `parts`."""
        return [place for place, part in enumerate(self.parts or ()) if isinstance(part, Region)]

    @property
    def encoding(self) -> str:
        """Of its text, see `textform.encoding_of`."""
        return encoding_of(content for stage, content in self.contents.items() if self.stages[stage].is_file)

    @property
    def line_end(self) -> bytes:
        """The usual line end, merged from the sides' usual ones."""
        ends = (usual_end(self.contents.get(stage, b"")) for stage in (BASE, OURS, THEIRS))
        return three_way(*ends) or b"\n"

    def sides(self) -> list[bytes]:
        """Content of the sides that have a regular file here, ours first."""
        return [self.contents[n] for n in (OURS, THEIRS) if n in self.contents and self.stages[n].is_file]

    def current(self) -> list[bytes | Region]:
        """The parts with the resolutions in the regions' places."""
        return [self.chosen.get(place, part) for place, part in enumerate(self.parts or ())]

    def fitted(self, place: int, content: bytes) -> bytes:
        """A region's resolution in the file's form: line ends, no last newline where the file has none."""
        assert self.parts is not None
        region = self.parts[place]
        assert isinstance(region, Region)
        texts = {OURS: region.ours, THEIRS: region.theirs, BASE: region.base}
        ends = [usual_end(self.contents.get(stage, b"")) or self.line_end for stage in texts]
        fitted = fit(content, self.line_end, list(texts.values()), ends)
        if place + 1 < len(self.parts) or not fitted:
            return fitted
        # git adds the newline that a side lacks, to put its marker on a line of its own.
        lacks = {n: not data.endswith(b"\n") for n, data in self.contents.items() if data}
        if fitted in (region.ours, region.theirs):
            bare = lacks.get(OURS if fitted == region.ours else THEIRS)
        else:
            bare = three_way(*(lacks.get(stage, False) for stage in (BASE, OURS, THEIRS)))
        return without_last_end(fitted) if bare else fitted


@dataclass(frozen=True)
class Conflict:
    """One thing to decide.

    Attributes:
        index: its number, from 0.
        file: where it is.
        place: of its region in the file's parts; None when it is about the file as a whole.
    """

    index: int
    file: ConflictedFile
    place: int | None

    @property
    def region(self) -> Region | None:
        """The region as git left it."""
        if self.place is None or self.file.parts is None:
            return None
        part = self.file.parts[self.place]
        return part if isinstance(part, Region) else None


def conflicted_files(isolated: IsolatedGit) -> list[ConflictedFile]:
    """All files with conflicts, in the index's order."""
    git = isolated.git
    found = unmerged(git)
    sizes = attributes(git, "conflict-marker-size", list(found))
    wanted = [
        (path, stage, version.oid)
        for path, stages in found.items()
        for stage, version in stages.items()
        if version.mode != SUBMODULE
    ]
    contents: dict[bytes, dict[int, bytes]] = {path: {} for path in found}
    objects = read_objects(git, [oid for _, _, oid in wanted])
    for (path, stage, oid), found_object in zip(wanted, objects, strict=True):
        if found_object is None:
            raise Refused(f"{worktree.shown(path)}: its version {oid} is not in the repository")
        contents[path][stage] = found_object[1]
    files = []
    for path, stages in found.items():
        size = sizes.get(path, "")
        number = int(size) if size.isdecimal() and 0 < int(size) < 1000 else MARKER_SIZE
        file = ConflictedFile(path, stages, contents[path], number, whole=describe(stages))
        _find_regions(file, isolated)
        files.append(file)
    return files


def _find_regions(file: ConflictedFile, isolated: IsolatedGit) -> None:
    """Take the work tree file apart, or say why its conflict is about the whole file."""
    both = OURS in file.stages and THEIRS in file.stages
    regular = both and len(file.sides()) == 2
    try:
        file.on_disk = worktree.read(isolated.path, file.path)
    except Refused as reason:
        file.whole += f"; {reason}" if regular else ""
        return
    if not regular:
        return
    if any(is_binary(side) for side in file.sides()):
        file.whole += ", binary"
        return
    if any(line[:1] != b"=" for content in file.contents.values() for line in file.markers(content)):
        file.whole += "; its own text has lines that look like conflict markers"
        return
    try:
        parts = parse(repository_form(isolated.git, file.path, file.on_disk), file.marker_size)
    except MarkersError as reason:
        file.whole += f"; the conflict markers cannot be told apart: {reason}"
        return
    except GitError:
        file.whole += "; it is not in the encoding that its attribute working-tree-encoding says"
        return
    if any(isinstance(part, Region) for part in parts):
        file.parts = parts
    else:
        file.whole += "; no conflict markers in it"
