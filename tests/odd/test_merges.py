"""Merges with conflicts of every kind that git knows, and merges that are odd as a whole."""

from __future__ import annotations

import pytest

from tests.odd.conftest import executable, submodule
from tests.odd.merges import BASE, BOTH, OURS, THEIRS, Case, text, try_out

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
