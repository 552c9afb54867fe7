"""Merges with conflicts of every kind that git knows, and merges that are odd as a whole."""

from __future__ import annotations

import pytest

from pytest_gitgoodbench.errors import InvalidSample, RepositoryUnavailable
from tests.odd.conftest import executable, submodule
from tests.odd.merges import BASE, BOTH, OURS, THEIRS, Case, text, try_out
from tests.support.repository import Repository
from tests.support.upstream import tree_of

CASES = {
    "rename/rename of one file to two": Case(
        {"a": BASE},
        {"b": BASE},
        {"c": BASE},
        {"b": BASE, "c": BASE},
        ("- a: deleted or renamed on both sides", "- b: only ours has it", "- c: only theirs has it"),
        ("a", "b", "c"),
    ),
    "rename/rename of two files to one": Case(
        {"a": BASE, "b": text("1 b", "2 b", "3 b", "4 b", "5 b", "6 b", "7 b")},
        {"c": BASE, "b": text("1 b", "2 b", "3 b", "4 b", "5 b", "6 b", "7 b")},
        {"a": BASE, "c": text("1 b", "2 b", "3 b", "4 b", "5 b", "6 b", "7 b")},
        {"c": BOTH},
        ("- c: added by both",),
        ("c",),
    ),
    "rename/delete": Case(
        {"a": BASE, "b": b"b\n"},
        {"c": BASE, "b": b"b\n"},
        {"b": b"b\n"},
        {"c": BASE, "b": b"b\n"},
        ("- c: ",),
        ("a",),
    ),
    "rename with changes/delete": Case(
        {"a": BASE, "b": b"b\n"},
        {"b": b"b\n"},
        {"c": THEIRS, "b": b"b\n"},
        {"b": b"b\n"},
        ("- c: ",),
        ("a",),
    ),
    "rename of a folder against a new file in it": Case(
        {"old/a": BASE, "old/b": text("1 b"), "x": b"x\n"},
        {"new/a": BASE, "new/b": text("1 b"), "x": b"x\n"},
        {"old/a": BASE, "old/b": text("1 b"), "old/c": b"c\n", "x": b"x\n"},
        {"new/a": BASE, "new/b": text("1 b"), "new/c": b"c\n", "x": b"x\n"},
        ("- new/c: ",),
        ("old/c",),
    ),
    "modify/delete": Case(
        {"a": BASE, "b": b"b\n"},
        {"a": OURS, "b": b"b\n"},
        {"b": b"b\n"},
        {"a": OURS, "b": b"b\n"},
        ("- a: changed by ours, deleted or renamed by theirs",),
        ("a",),
    ),
    "delete/modify, all files gone": Case(
        {"a": BASE}, {}, {"a": THEIRS}, {}, ("- a: deleted or renamed by ours, changed by theirs",), ("a",)
    ),
    "add/add": Case(
        {"a": BASE},
        {"a": BASE, "b": OURS},
        {"a": BASE, "b": THEIRS},
        {"a": BASE, "b": BOTH},
        ("- b: added by both",),
        ("b",),
    ),
    "a file in the place of a folder": Case(
        {"a": b"a\n"},
        {"a": b"a\n", "x": b"file\n"},
        {"a": b"a\n", "x/y": b"in a folder\n", "x/z": b"in a folder\n"},
        {"a": b"a\n", "x/file": b"file\n", "x/y": b"in a folder\n", "x/z": b"in a folder\n"},
        ("- x~HEAD: only ours has it",),
        ("x",),
    ),
    "a folder in the place of a file": Case(
        {"x/y": b"y\n", "x/z": b"z\n"},
        {"x/y": b"y\n", "x/z": b"z, ours\n"},
        {"x": b"file\n"},
        {"x": b"file\n"},
        ("- x/z: changed by ours, deleted or renamed by theirs", "x~incoming"),
        ("x/z",),
    ),
    "submodule": Case(
        {"sub": submodule("1")},
        {"sub": submodule("2")},
        {"sub": submodule("3")},
        {"sub": submodule("4")},
        ("- sub: changed by both, a submodule",),
        ("sub",),
    ),
    "submodule added by both, with .gitmodules": Case(
        {"a": b"a\n"},
        {"a": b"a\n", ".gitmodules": b'[submodule "o"]\n\tpath = s\n\turl = /nowhere\n', "s": submodule("2")},
        {"a": b"a\n", ".gitmodules": b'[submodule "t"]\n\tpath = s\n\turl = /nowhere\n', "s": submodule("3")},
        {"a": b"a\n", ".gitmodules": b'[submodule "t"]\n\tpath = s\n\turl = /nowhere\n', "s": submodule("3")},
        ("- .gitmodules: added by both", "- s: added by both, a submodule"),
    ),
    "a submodule in the place of a file": Case(
        {"x": BASE},
        {"x": OURS},
        {"x": submodule("3")},
        {"x": submodule("3")},
        ("a submodule",),
        ("x",),
    ),
    "symbolic link": Case(
        {"to": "1", "a": b"a\n"},
        {"to": "2", "a": b"a\n"},
        {"to": "a", "a": b"a\n"},
        {"to": "../outside", "a": b"a\n"},
        ("- to: changed by both, a symbolic link",),
        ("to",),
    ),
    "a symbolic link in the place of a file": Case(
        {"x": BASE},
        {"x": OURS},
        {"x": "/etc/passwd"},
        {"x": "/etc/passwd"},
        ("a symbolic link",),
        ("x",),
    ),
    "mode and content": Case(
        {"a": BASE, "b": b"b\n"},
        {"a": executable(OURS), "b": b"b\n"},
        {"a": THEIRS, "b": b"b\n"},
        {"a": executable(BOTH), "b": b"b\n"},
        ("- a: changed by both, executable in ours only",),
        ("a",),
    ),
    "mode, added by both": Case(
        {"a": b"a\n"},
        {"a": b"a\n", "b": executable(BASE)},
        {"a": b"a\n", "b": BASE},
        {"a": b"a\n", "b": executable(BASE)},
        ("- b: added by both, executable in ours only",),
        ("b",),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_kind_of_conflict(upstream, name):
    try_out(upstream, CASES[name])


# -- merges that are odd as a whole -----------------------------------------------------------------


def test_several_merge_bases(upstream):
    """A criss-cross merge: git merges the bases first, here with a conflict of their own."""
    start = upstream.commit({"a": BASE})
    left = upstream.commit({"a": text("5 left")}, start)
    right = upstream.commit({"a": text("5 right")}, start)
    both, back = (upstream.commit({"a": text("5 both")}, *pair) for pair in ((left, right), (right, left)))
    ours = upstream.commit({"a": text("5 both", "2 ours"), "b": OURS}, both)
    theirs = upstream.commit({"a": text("5 right", "2 theirs")}, back)
    assert len(upstream.repository.git("merge-base", "--all", ours, theirs).split()) == 2
    task = upstream.merge_of(ours, theirs, {"a": BOTH, "b": OURS}, ("a",))
    assert "- a: changed by both" in upstream.prepare(task).of.brief
    assert upstream.attempt(task, "nop").outcome == "unsolved"
    assert upstream.attempt(task, "oracle").outcome == "solved"


def test_histories_without_a_common_ancestor(upstream):
    """The maintainers did merge them, so the agent is given the conflicts that they had."""
    ours, theirs = upstream.commit({"a": OURS}), upstream.commit({"a": THEIRS, "b": b"b\n"})
    task = upstream.merge_of(ours, theirs, {"a": BOTH, "b": b"b\n"}, ("a",))
    prepared = upstream.prepare(task)
    assert "- a: added by both" in prepared.of.brief
    assert "5 theirs" in prepared.tools("show_sides", path="a")
    assert upstream.conclude(prepared, "nop").outcome == "unsolved"
    assert upstream.attempt(task, "oracle").outcome == "solved"


@pytest.mark.parametrize("truth", [text("2 ours", "8 theirs"), BOTH], ids=["the same", "another"])
def test_drift(upstream, truth):
    """git resolves what the row calls a conflict: recorded, and whoever concludes as the maintainers did has it."""
    task = upstream.merge({"a": BASE}, {"a": text("2 ours")}, {"a": text("8 theirs")}, {"a": truth}, ("a",))
    prepared = upstream.prepare(task)
    assert prepared.of.noticed == {"drift": True}
    assert "no conflicts" in prepared.of.brief
    assert "no conflicts" in prepared.tools("list_conflicts")
    nothing = upstream.conclude(prepared, "nop")
    assert nothing.outcome == "unsolved" and nothing.metrics["drift"] is True
    oracle = upstream.attempt(task, "oracle")
    assert oracle.outcome == "solved" and oracle.metrics["drift"] is True
    finishing = upstream.prepare(task)
    finishing.tools("finish_merge", message="Merge both")
    assert (upstream.conclude(finishing, "nop").outcome == "solved") == (truth != BOTH)


def test_a_merge_that_takes_one_side_as_it_is(upstream):
    task = upstream.merge({"a": BASE}, {"a": OURS}, {"a": THEIRS}, {"a": OURS}, ("a",))
    nothing = upstream.attempt(task, "nop")
    assert nothing.outcome == "unsolved"
    assert not nothing.strict
    assert upstream.attempt(task, "oracle").outcome == "solved"


def test_one_parent_contains_the_other(upstream):
    """Made with `--no-ff`, where there is nothing to resolve and nothing that git could stop at."""
    older = upstream.commit({"a": BASE})
    newer = upstream.commit({"a": THEIRS}, older)
    task = upstream.merge_of(newer, older, {"a": OURS})
    with pytest.raises(InvalidSample, match="cannot merge its parents: Already up to date") as caught:
        upstream.prepare(task)
    assert "\n" not in str(caught.value)
    forward = upstream.merge_of(older, newer, {"a": THEIRS})
    assert upstream.prepare(forward).of.noticed == {"drift": True}
    assert upstream.attempt(forward, "nop").outcome == "unsolved"
    assert upstream.attempt(forward, "oracle").outcome == "solved"


def test_parents_that_are_not_the_merge_s(upstream):
    start = upstream.commit({"a": BASE})
    ours, theirs = upstream.commit({"a": OURS}, start), upstream.commit({"a": THEIRS}, start)
    third = upstream.commit({"a": BASE, "b": b"b\n"}, start)
    merge = upstream.commit({"a": BOTH}, ours, theirs, third)
    upstream.repository.git("update-ref", "refs/heads/main", merge)
    for parents in ((ours, theirs), (theirs, ours), (ours, third)):
        with pytest.raises(InvalidSample, match="the parents are not those of its merge commit"):
            upstream.prepare(upstream.merge_task(merge, parents))


@pytest.mark.parametrize("message", [b"", b"\n \n", b"# Not a comment\n\n#12\n", b"Caf\xe9\n"])
def test_messages_of_the_maintainers(upstream, message):
    start = upstream.commit({"a": BASE})
    ours, theirs = upstream.commit({"a": OURS}, start), upstream.commit({"a": THEIRS}, start)
    merge = upstream.commit({"a": BOTH}, ours, theirs, message=message)
    upstream.repository.git("update-ref", "refs/heads/main", merge)
    assert upstream.attempt(upstream.merge_task(merge, (ours, theirs)), "oracle").outcome == "solved"


# -- sources that are not whole ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "option, told",
    [
        ("--depth=1", "it is a shallow clone; run `git fetch --unshallow` in it"),
        ("--filter=blob:none", "it is a partial clone, which lacks objects; a complete one is needed"),
    ],
)
@pytest.mark.parametrize("origin", ["there", "gone"])
def test_a_clone_that_is_not_whole(upstream, option, told, origin):
    """Nothing is fetched into somebody's clone, not even from where it came from."""
    task = upstream.merge({"a": BASE}, {"a": OURS}, {"a": THEIRS}, {"a": BOTH}, ("a",))
    upstream.repository.git("config", "uploadpack.allowFilter", "true")
    whole = upstream.repository.path.rename(upstream.folder / "whole")
    upstream.repository.path.parent.mkdir(exist_ok=True)
    clone = ["clone", "-q", option, "--no-checkout", whole.as_uri(), str(upstream.repository.path)]
    Repository(upstream.folder / "elsewhere").git(*clone)
    if origin == "gone":
        whole = whole.rename(upstream.folder / "away")
    before = tree_of(upstream.repository.path)
    with pytest.raises(RepositoryUnavailable) as caught:
        upstream.prepare(task)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    assert tree_of(upstream.repository.path) == before
    # Whoever completes the clone can go on.
    upstream.repository.path.rename(upstream.folder / "partial")
    whole.rename(upstream.repository.path)
    assert upstream.again().attempt(task, "oracle").outcome == "solved"


# -- what the agent's own git says of the start state -----------------------------------------------


def test_files_with_unusual_line_ends_look_unchanged(upstream):
    """Committed with CRLF against their attributes: git would call them changed while they are young."""
    crlf = text(end="\r\n")
    rest = {".gitattributes": b"* text\n", "other.txt": crlf}
    files = ({**rest, "a": content} for content in (BASE, OURS, THEIRS, BOTH))
    prepared = upstream.prepare(upstream.merge(*files, ("a",)))
    assert prepared.repository.git("status", "--porcelain") == "UU a"
