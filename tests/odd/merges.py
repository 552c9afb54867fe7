"""Cases of merges, and what every one of them has to go through."""

from __future__ import annotations

from dataclasses import dataclass

from tests.odd.conftest import Files, Upstream, why


def text(*changes: str, end: str = "\n", encoding: str = "utf-8") -> bytes:
    """Nine lines; `3 ours` is put in the place of line 3."""
    lines = [str(number) for number in range(1, 10)]
    for change in changes:
        lines[int(change[0]) - 1] = change
    return "".join(line + end for line in lines).encode(encoding)


BASE, OURS, THEIRS, BOTH = text(), text("5 ours"), text("5 theirs"), text("5 ours and theirs")


@dataclass(frozen=True)
class Case:
    """Two changes, the maintainers' result, and what the agent must be told about it.

    Attributes:
        files: what the row lists.
    """

    base: Files
    ours: Files
    theirs: Files
    truth: Files
    told: tuple[str, ...]
    files: tuple[str, ...] = ()


def same_file(name: str | bytes, told: str, files: tuple[str, ...] = ()) -> Case:
    """A conflict in one file of an odd name."""
    return Case(
        {name: BASE}, {name: OURS}, {name: THEIRS}, {name: BOTH}, (f"- {told}: changed by both",), files
    )


def same_content(base: bytes, ours: bytes, theirs: bytes, truth: bytes, attributes: str = "") -> Case:
    """A conflict in one file of odd content."""
    given: Files = {".gitattributes": attributes.encode()} if attributes else {}
    versions = [{**given, "file.txt": content} for content in (base, ours, theirs, truth)]
    return Case(*versions, ("- file.txt: changed by both",), ("file.txt",))


def try_out(upstream: Upstream, case: Case) -> None:
    """The agent is told, nothing leaks, doing nothing solves nothing, and doing as the maintainers did solves it."""
    task = upstream.merge(case.base, case.ours, case.theirs, case.truth, case.files)
    prepared = upstream.prepare(task)
    for told in case.told:
        assert told in prepared.of.brief
    assert prepared.of.noticed == {"drift": False}
    assert "\n0: " in prepared.tools("list_conflicts")
    nothing = upstream.conclude(prepared, "nop")
    assert nothing.outcome == "unsolved" and not nothing.strict and not nothing.paper
    oracle = upstream.attempt(task, "oracle")
    assert oracle.outcome == "solved" and oracle.strict and oracle.paper, why(oracle)
    assert oracle.metrics["both_parents_kept"] is True
    assert upstream.attempt(task, "union").outcome in ("solved", "unsolved")
