"""Chains of files that are odd by kind, content, attributes or name."""

from __future__ import annotations

import pytest

from tests.odd.chains import FOUR, ONE, THREE, TWO, Case, one_file, try_out
from tests.odd.conftest import executable, submodule
from tests.odd.merges import text

CRLF = {"end": "\r\n"}
LATIN = {"encoding": "latin-1"}

CASES = {
    "mode": one_file(ONE, executable(ONE), executable(TWO), shown=["new mode 100755", "+2 two"]),
    "symbolic link": one_file("1", "2", "../outside", ONE, shown=["+2", "+../outside", "new file mode"]),
    "submodule": one_file(
        submodule("1"), submodule("2"), submodule("3"), shown=["commit 2222", "commit 3333"]
    ),
    "submodule beside the file": Case(
        [{"a": ONE}, {"a": TWO, "s": submodule("1")}, {"a": THREE, "s": submodule("2")}, {"a": FOUR}],
        ["+2 two", "+5 three", "+8 four"],
    ),
    "a submodule in the place of the file": one_file(
        ONE, TWO, submodule("3"), shown=["+2 two", "+Subproject"]
    ),
    "binary": one_file(b"\0one", b"\0two", b"\0three", shown=["Binary files", "Binary files"]),
    "CRLF": one_file(text(**CRLF), text("2 two", **CRLF), text("2 3", **CRLF), shown=["+2 two\r", "+2 3\r"]),
    "from CRLF to LF": one_file(text(**CRLF), text("2 two", **CRLF), TWO, shown=["+2 two\r", "+1\n"]),
    "CRLF against the attributes": one_file(
        text(**CRLF),
        text("2 two", **CRLF),
        text("2 3", **CRLF),
        shown=["+2 two\r", "+2 3\r"],
        _gitattributes=b"* text\n",
    ),
    "working-tree-encoding": one_file(
        text("2 ä"),
        text("2 ö"),
        text("2 ü"),
        shown=["+2 ö", "+2 ü"],
        _gitattributes=b"a working-tree-encoding=UTF-16LE\n",
    ),
    "a filter, a driver and a text conversion that nobody has": one_file(
        ONE, TWO, THREE, shown=["+2 two", "+5 three"], _gitattributes=b"* filter=lfs diff=x merge=y\n"
    ),
    "diff switched off": one_file(ONE, TWO, THREE, shown=["2 two", "5 three"], _gitattributes=b"* -diff\n"),
    "Latin-1": one_file(text(**LATIN), text("2 ä", **LATIN), text("2 ö", **LATIN), shown=["+2 ", "+2 "]),
    "path with spaces": one_file(ONE, TWO, THREE, shown=["+2 two", "+5 three"], name=" a b ", told='" a b "'),
    "path that is no UTF-8": one_file(
        ONE, TWO, THREE, shown=["+2 two", "+5 three"], name="\udce4.py", told='"\\344.py"'
    ),
    "path with pathspec magic": one_file(ONE, TWO, THREE, shown=["+2 two", "+5 three"], name=":!a*", b=b"b"),
    "path that looks like an option": one_file(ONE, TWO, THREE, shown=["+2 two", "+5 three"], name="--root"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_chain_of(upstream, name):
    try_out(upstream, CASES[name])
