"""Conflict markers are found where git writes them and nowhere else."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_gitgoodbench.git.conflicts import MarkersError, Region, marker, parse, render


def regions(content: bytes, size: int = 7) -> list[tuple[bytes, bytes, bytes]]:
    return [(part.ours, part.base, part.theirs) for part in parse(content, size) if isinstance(part, Region)]


def test_regions_and_the_text_around_them():
    content = (
        b"a\n<<<<<<< HEAD\nb\n=======\nc\nd\n>>>>>>> topic\ne\n<<<<<<< HEAD\n=======\nf\n>>>>>>> topic\n"
    )
    parts = parse(content)
    assert [part for part in parts if isinstance(part, bytes)] == [b"a\n", b"e\n"]
    assert regions(content) == [(b"b\n", b"", b"c\nd\n"), (b"", b"", b"f\n")]
    assert render(parts) == content


def test_the_base_of_diff3():
    content = b"<<<<<<< o\nb\n||||||| 1234\nx\n=======\nc\n>>>>>>> t\n"
    assert regions(content) == [(b"b\n", b"x\n", b"c\n")]
    assert render(parse(content)) == content


def test_windows_line_ends():
    content = b"<<<<<<< HEAD\r\nb\r\n=======\r\nc\r\n>>>>>>> topic\r\n"
    assert regions(content) == [(b"b\r\n", b"", b"c\r\n")]


@pytest.mark.parametrize(
    "line",
    [
        b"x <<<<<<< HEAD\n",  # not at the line's start
        b" <<<<<<< HEAD\n",
        b"<<<<<< HEAD\n",  # too short
        b"<<<<<<<< HEAD\n",  # too long, as in a merge base that had conflicts itself
        b"<<<<<<<HEAD\n",
        b"=======  \n",  # a heading's underline with blanks
        b"======= x\n",
        b"=========\n",
        b">>>>>>>\tx\n",
    ],
)
def test_lines_that_are_no_markers(line):
    assert marker(line) == ""
    assert parse(line) == [line]


@pytest.mark.parametrize("line", [b"=======\n", b">>>>>>> x\n", b"||||||| x\n"])
def test_other_markers_outside_of_a_region_are_text(line):
    content = b"Heading\n" + line + b"text\n"
    assert parse(content) == [content]


def test_an_underline_within_a_region_is_text():
    content = b"<<<<<<< HEAD\nChanges\n=======\nCHANGES\n=======\n>>>>>>> topic\n"
    (part,) = parse(content)
    assert isinstance(part, Region) and part.raw == content


@pytest.mark.parametrize(
    "content",
    [
        b"<<<<<<< HEAD\na\n",
        b"<<<<<<< HEAD\na\n=======\nb\n",
        b"<<<<<<< HEAD\na\n>>>>>>> x\n",
        b"<<<<<<< HEAD\n<<<<<<< HEAD\n=======\n>>>>>>> x\n",
        b"<<<<<<< HEAD\n=======\n<<<<<<< x\n>>>>>>> x\n",
        b"<<<<<<< HEAD\n=======\n||||||| x\n>>>>>>> x\n",
    ],
)
def test_markers_that_git_does_not_write_are_an_error_that_names_the_line(content):
    with pytest.raises(MarkersError, match=r"line \d"):
        parse(content)


def test_another_marker_size():
    content = b"<<<<<<<<<< HEAD\n<<<<<<< x\n==========\n>>>>>>>>>> t\n"
    assert regions(content, 10) == [(b"<<<<<<< x\n", b"", b"")]


def test_form_feeds_and_other_line_ends_of_unicode_are_content():
    content = "a\x0cb\x85\u2028\x0b\x1cc\n".encode()
    assert parse(content) == [content]


LINES = st.sampled_from(
    [
        b"<<<<<<< a",
        b"<<<<<<<",
        b"||||||| b",
        b"=======",
        b">>>>>>> c",
        b">>>>>>>\r",
        b"text",
        b"",
        b"\xff\0",
        b"\r",
    ]
)


@given(st.binary() | st.lists(LINES).map(b"\n".join), st.integers(1, 9))
def test_any_bytes_are_taken_apart_and_put_together_or_refused(content, size):
    try:
        parts = parse(content, size)
    except MarkersError:
        return
    assert render(parts) == content
    assert all(parts)
    assert not any(isinstance(a, bytes) and isinstance(b, bytes) for a, b in pairwise(parts))


TEXT = st.lists(st.sampled_from([b"x\n", b"\n", b"=======x\n", b"\xe9\r\n"])).map(b"".join)


@given(st.lists(st.tuples(TEXT, TEXT, TEXT | st.none(), TEXT), max_size=4), TEXT)
def test_what_git_writes_is_read_back(blocks, end):
    content = b""
    for before, ours, base, theirs in blocks:
        middle = b"" if base is None else b"||||||| base\n" + base
        content += before + b"<<<<<<< o\n" + ours + middle + b"=======\n" + theirs + b">>>>>>> t\n"
    content += end
    assert regions(content) == [(ours, base or b"", theirs) for _, ours, base, theirs in blocks]
    assert render(parse(content)) == content
