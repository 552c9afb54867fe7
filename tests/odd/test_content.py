"""Merges of files with odd content, odd attributes and odd names."""

from __future__ import annotations

import unicodedata

import pytest

from tests.odd.merges import BASE, BOTH, OURS, THEIRS, Case, same_content, same_file, text, try_out

NFC, NFD = (unicodedata.normalize(form, "é.txt") for form in ("NFC", "NFD"))
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12\n"
LFS = "*.bin filter=lfs diff=lfs merge=lfs -text\n"
CRLF = {"end": "\r\n"}
MIXED = BASE.replace(b"2\n", b"2\r\n").replace(b"8\n", b"8\r\n")

CASES = {
    "binary": same_content(b"\0base", b"\0ours", b"\0theirs", b"\0both"),
    "CRLF": same_content(
        text(**CRLF), text("5 ours", **CRLF), text("5 theirs", **CRLF), text("5 ours and theirs", **CRLF)
    ),
    "CRLF against LF": same_content(BASE, text("5 ours", **CRLF), THEIRS, text("5 both", **CRLF)),
    "mixed line ends": same_content(
        MIXED, *(MIXED.replace(b"5\n", b"5 " + word + b"\r\n") for word in (b"ours", b"theirs", b"both"))
    ),
    "no newline at the end": same_content(BASE[:-1], BASE[:-1] + b" ours", BASE[:-1] + b" theirs", BASE),
    "attribute eol=crlf": same_content(BASE, OURS, THEIRS, BOTH, "*.txt text eol=crlf\n"),
    "attribute eol=crlf on committed CRLF": same_content(
        text(**CRLF),
        text("5 ours", **CRLF),
        text("5 theirs", **CRLF),
        text("5 both", **CRLF),
        "*.txt text eol=crlf\n",
    ),
    "attribute text on committed CRLF": same_content(
        text(**CRLF), text("5 ours", **CRLF), text("5 theirs", **CRLF), text("5 both", **CRLF), "* text\n"
    ),
    "attribute text=auto on committed CRLF": same_content(
        text(**CRLF),
        text("5 ours", **CRLF),
        text("5 theirs", **CRLF),
        text("5 both", **CRLF),
        "* text=auto\n",
    ),
    "attributes that differ on the two sides": Case(
        {".gitattributes": b"* text\n", "file.txt": BASE},
        {".gitattributes": b"* text eol=crlf\n", "file.txt": OURS},
        {".gitattributes": b"* -text\n", "file.txt": text("5 theirs", **CRLF)},
        {".gitattributes": b"* -text\n", "file.txt": text("5 both", **CRLF)},
        ("- .gitattributes: changed by both", "- file.txt: changed by both"),
        (".gitattributes", "file.txt"),
    ),
    "attribute working-tree-encoding": same_content(
        *(text(f"5 ä {word}") for word in ("", "ours", "theirs", "both")),
        "*.txt text working-tree-encoding=UTF-16LE eol=crlf\n",
    ),
    "attribute working-tree-encoding on what is no UTF-8": same_content(
        *(text(f"5 ä {word}", encoding="latin-1") for word in ("", "ours", "theirs", "both")),
        "*.txt text working-tree-encoding=UTF-16\n",
    ),
    "attribute ident": same_content(
        *(b"$Id$\n" + content for content in (BASE, OURS, THEIRS, BOTH)), "*.txt ident\n"
    ),
    "attribute -merge": same_content(BASE, OURS, THEIRS, BOTH, "*.txt -merge\n"),
    "a merge driver and a filter that nobody has": same_content(
        BASE, OURS, THEIRS, BOTH, "*.txt merge=mine diff=mine filter=mine\n"
    ),
    "Latin-1": same_content(*(text(f"5 ä {word}", encoding="latin-1") for word in ("", "o", "t", "both"))),
    "UTF-16": same_content(*(text(f"5 ä {word}", encoding="utf-16") for word in ("", "o", "t", "both"))),
    "Shift-JIS": same_content(*(text(f"5 表 {w}", encoding="shift-jis") for w in ("", "o", "t", "both"))),
    "conflict markers that were committed": same_content(
        *(b"<<<<<<< HEAD\n=======\n>>>>>>> x\n" + content for content in (BASE, OURS, THEIRS, BOTH))
    ),
    "LFS pointers": Case(
        *({".gitattributes": LFS.encode(), "a.bin": POINTER.format(n * 64).encode()} for n in "1234"),
        ("- a.bin: changed by both",),
        ("a.bin",),
    ),
    "LFS pointers and files that should be some": Case(
        {".gitattributes": LFS.encode(), "a.bin": POINTER.format("1" * 64).encode(), "b.bin": b"\0not one"},
        {".gitattributes": LFS.encode(), "a.bin": POINTER.format("2" * 64).encode(), "b.bin": b"\0ours"},
        {".gitattributes": LFS.encode(), "a.bin": b"\0the file itself", "b.bin": b"\0theirs"},
        {".gitattributes": LFS.encode(), "a.bin": b"\0the file itself", "b.bin": b"\0both"},
        ("- a.bin: changed by both", "- b.bin: changed by both"),
        ("a.bin", "b.bin"),
    ),
    "path with spaces": same_file(" a  b .txt", '" a  b .txt"', (" a  b .txt",)),
    "path with quotes": same_file("a\"b'c`d$e\\.txt", "a\"b'c`d$e\\.txt", ("a\"b'c`d$e\\.txt",)),
    "path with a newline": same_file("a\n- b: changed by both\n.txt", '"a\\n- b: changed by both\\n.txt"'),
    "path with a terminal escape": same_file("a\x1b[2J.txt", '"a\\033[2J.txt"'),
    "path that is no UTF-8": same_file(b"\xe4\xff.txt", '"\\344\\377.txt"', ("\udce4\udcff.txt",)),
    "path with pathspec magic": same_file(":(glob)**", ":(glob)**", (":(glob)**",)),
    "path with wildcards": same_file("[a-z]*?.txt", "[a-z]*?.txt", ("[a-z]*?.txt",)),
    "path that looks like a revision": same_file("HEAD", "HEAD", ("HEAD",)),
    "path that looks like an option": same_file("--help", "--help", ("--help",)),
    "path that starts with a dash, in a folder that does": same_file("-a/-n", "-a/-n", ("-a/-n",)),
    "names in both Unicode forms": Case(
        {NFC: BASE, NFD: text("1 nfd")},
        {NFC: OURS, NFD: text("1 nfd")},
        {NFC: THEIRS, NFD: text("1 nfd")},
        {NFC: BOTH, NFD: text("1 nfd")},
        (f"- {NFC}: changed by both",),
        (NFC,),
    ),
    "names that differ in case": Case(
        {"Read.me": BASE, "README": b"other\n"},
        {"Read.me": OURS, "README": b"other\n", "readme": b"third\n"},
        {"Read.me": THEIRS, "README": b"other\n", "ReadMe": b"fourth\n"},
        {"Read.me": BOTH, "README": b"other\n", "readme": b"third\n", "ReadMe": b"fourth\n"},
        ("- Read.me: changed by both",),
        ("Read.me",),
    ),
    "folders that differ in case": Case(
        {"src/a": BASE, "SRC/b": b"b\n"},
        {"src/a": OURS, "SRC/b": b"b\n"},
        {"src/a": THEIRS, "SRC/b": b"b\n", "Src/c": b"c\n"},
        {"src/a": BOTH, "SRC/b": b"b\n", "Src/c": b"c\n"},
        ("- src/a: changed by both",),
        ("src/a",),
    ),
    "names that only .gitignore knows": Case(
        {".gitignore": b"*\n", "a": BASE},
        {".gitignore": b"*\n", "a": OURS, "b": b"b\n"},
        {".gitignore": b"*\n", "a": THEIRS},
        {".gitignore": b"*\n", "a": BOTH, "b": b"b\n", "c": b"c\n"},
        ("- a: changed by both",),
        ("a",),
    ),
    "a file that the row does not list": Case(
        {"a": BASE}, {"a": OURS}, {"a": THEIRS}, {"a": BOTH}, ("- a: changed by both",), ("no/such",)
    ),
    "a long path": same_file("/".join(["d" * 200] * 15), "/".join(["d" * 200] * 15), ()),
}


@pytest.mark.parametrize("name", CASES)
def test_a_conflict_in(upstream, name):
    try_out(upstream, CASES[name])
