"""New text takes on the encoding, the line ends and the last newline of the file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_gitgoodbench.git.textform import (
    TextError,
    encode,
    encoding_of,
    fit,
    fit_file,
    lines_of,
    usual_end,
)


def test_lines_get_the_usual_end_but_for_those_that_had_another():
    side = b"a\r\nb\r\nmixed\n"
    assert fit(b"new\nmixed\nb\n", b"\r\n", [side], [b"\r\n"]) == b"new\r\nmixed\nb\r\n"


def test_a_line_that_had_the_usual_end_somewhere_gets_that():
    side = b"\r\na\r\n\n"
    assert fit(b"a\n\n", b"\r\n", [side], [b"\r\n"]) == b"a\r\n\r\n"


def test_the_ends_of_a_side_that_is_converted_are_not_kept():
    assert fit(b"a\nb\n", b"\n", [b"a\r\n", b"b\n"], [b"\r\n", b"\n"]) == b"a\nb\n"


def test_only_newlines_end_lines():
    text = "a\x0cb\x0bc\u2028d\x85e\rf\n"
    assert fit(text.encode(), b"\r\n") == text.encode().replace(b"\n", b"\r\n")


@pytest.mark.parametrize(
    ("content", "sides", "expected"),
    [
        (b"a\n", [b"x", b"y"], b"a"),
        (b"a", [b"x\n", b"y\n"], b"a\n"),
        (b"a", [b"x\n", b"y"], b"a"),
        (b"a\n", [b"x\n", b"y"], b"a\n"),
        (b"a", [], b"a"),
        (b"a\nb", [b"x\r\n"], b"a\r\nb\r\n"),
        (b"", [b"x\n"], b""),
        (b"a\n", ["\ufeffx\n".encode()], "\ufeffa\n".encode()),
    ],
)
def test_a_whole_file_keeps_what_the_sides_agree_on(content, sides, expected):
    usual = usual_end(b"".join(sides)) or b"\n"
    assert fit_file(content, usual, sides) == expected


def test_a_file_that_is_not_utf_8_is_read_and_written_byte_by_byte():
    content = bytes(range(256))
    assert encoding_of([b"plain", content]) == "latin-1"
    assert encode(content.decode("latin-1").replace("\0", ""), "latin-1") == content.replace(b"\0", b"")
    with pytest.raises(TextError, match=r"U\+20AC"):
        encode("5 €", "latin-1")


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_text_that_no_file_can_have(text):
    with pytest.raises(TextError):
        encode(text, "utf-8")


@given(st.binary())
def test_lines_join_to_the_content(content):
    assert b"".join(lines_of(content)) == content
    assert all(line.count(b"\n") <= 1 for line in lines_of(content))


@given(st.lists(st.sampled_from([b"a\n", b"b\r\n", b"\n", b"c\r\n"]), unique=True).map(b"".join))
def test_a_side_given_with_plain_newlines_comes_out_as_it_was(side):
    end = usual_end(side) or b"\n"
    assert fit(side.replace(b"\r\n", b"\n"), end, [side], [end]) == side


def test_text_with_windows_line_ends_of_its_own_is_left_alone():
    assert fit(b"a\r\nb\n", b"\n") == b"a\r\nb\n"
    assert fit(b"a\nb\r\nc", b"\n") == b"a\nb\r\nc\n"
