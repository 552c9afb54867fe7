"""Reading diffs."""

from __future__ import annotations

import subprocess

from hypothesis import given
from hypothesis import strategies as st

from pytest_gitgoodbench.judging.changes import read_diff, words_of
from tests.support.histories import PARSER, STORE, diff


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_read(text):
    assert read_diff(text).lines >= 0


def test_what_git_prints_is_read(tmp_path):
    def git(*args: str) -> str:
        return subprocess.run(
            ["git", "-C", tmp_path, *args], check=True, capture_output=True, text=True
        ).stdout

    git("init", "-q")
    (tmp_path / "list.txt").write_text("".join(f"{n}\n" for n in range(40)))
    (tmp_path / "gone.txt").write_text("-- a\n++ b\n")
    (tmp_path / "moved.txt").write_text("the same\n" * 9)
    git("add", "-A")
    before = git("write-tree").strip()
    # Content that looks like headers of a diff.
    lines = [f"{n}\n" for n in range(40)]
    lines[2], lines[30] = "@@ -1 +1 @@\n", "diff --git a/x b/x"
    (tmp_path / "list.txt").write_text("".join(lines))
    (tmp_path / "gone.txt").unlink()
    (tmp_path / "moved.txt").rename(tmp_path / "new name.txt")
    (tmp_path / "binary").write_bytes(b"\0\1\2")
    git("add", "-A")
    change = read_diff(git("diff-tree", "-r", "-p", "-M", before, git("write-tree").strip()))

    assert change.files == ("binary", "gone.txt", "list.txt", "new name.txt")
    assert [hunk.file for hunk in change.hunks] == ["gone.txt", "list.txt", "list.txt"]
    assert change.hunks[0].removed == ("-- a", "++ b")
    assert (change.hunks[1].removed, change.hunks[1].added) == (("2",), ("@@ -1 +1 @@",))
    assert (change.hunks[2].removed, change.hunks[2].added) == (("30", "31"), ("diff --git a/x b/x31",))
    assert change.lines == 2 + 2 + 3


def test_hunks_that_share_a_name_are_about_one_subject():
    first = diff("a.py", "    parse_date(text)")
    second = diff("b.py", "    return parse_date, save_order")
    third = diff("c.py", "    save_order(now)")
    other = diff("d.py", "    total = prices")
    assert read_diff(first + second + third + other).subjects() == [3, 1]
    assert read_diff(PARSER + STORE).subjects() == [1, 1]


def test_keywords_connect_nothing():
    assert read_diff(diff("a.py", "    return None") + diff("b.py", "    return None")).subjects() == [1, 1]


def test_names_are_taken_apart():
    assert words_of(["parseDate", "SAVE_ORDER", "HTTPServer"]) >= {"parse", "date", "save", "order"}
