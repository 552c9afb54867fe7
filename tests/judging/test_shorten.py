"""Shortening: within the budget, the same for either place, marked."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pytest_gitgoodbench.judging.shorten import CHARACTERS_PER_TOKEN, FRAME, shorten

TEXT = st.integers(0, 6000).map(lambda size: ("word " * 7 + "\n") * (size // 36) + "x" * (size % 36))
SIDE = st.lists(st.tuples(TEXT, TEXT), max_size=60)


def mark(what: str) -> str:
    return f"[0123456789abcdef0123] {what} left out"


def shown(side) -> int:
    return sum(FRAME + len(part.message) + len(part.diff) for part in side.parts)


@given(SIDE, SIDE, st.integers(700, 20_000))
def test_the_budget_is_kept(one, other, tokens):
    first, second = shorten((one, other), tokens, mark)
    assert shown(first) + shown(second) <= tokens * CHARACTERS_PER_TOKEN


@given(SIDE, SIDE, st.integers(700, 20_000))
def test_a_history_is_cut_the_same_in_either_place(one, other, tokens):
    assert shorten((one, other), tokens, mark) == shorten((other, one), tokens, mark)[::-1]


@given(SIDE, SIDE)
def test_what_fits_is_shown_whole(one, other):
    for side, history in zip(shorten((one, other), 10**7, mark), (one, other), strict=True):
        assert [(part.message, part.diff) for part in side.parts] == history
        assert [part.number for part in side.parts] == list(range(1, len(history) + 1))
        assert side.complete


@given(SIDE, SIDE, st.integers(700, 5000))
def test_whatever_is_left_out_is_marked(one, other, tokens):
    for side, history in zip(shorten((one, other), tokens, mark), (one, other), strict=True):
        assert side.length == len(history)
        whole = len(side.parts) == len(history)
        for part in side.parts:
            for text, original in zip((part.message, part.diff), history[part.number - 1], strict=True):
                assert text == original or " characters left out" in text
                whole = whole and text == original
        assert side.complete == whole


def test_two_long_histories_get_the_same_room():
    one = [("Add a", "+a\n" * 90_000)]
    other = [(f"Add {n}", "+b\n" * 9000) for n in range(5)]
    first, second = shorten((one, other), 4000, mark)
    assert abs(shown(first) - shown(second)) < 500


def test_what_a_short_history_does_not_need_the_long_one_gets():
    short = [("Add a", "+a\n")]
    long = [("Add b", "+b\n" * 90_000)]
    first, second = shorten((short, long), 4000, mark)
    assert first.complete
    assert shown(second) > 0.95 * (4000 * CHARACTERS_PER_TOKEN - shown(first))


def test_the_longest_are_cut_first_and_messages_survive():
    history = [("Add the first\n\nBecause.", "+a\n" * 50_000), ("Add the second", "+b\n" * 10)]
    side, _ = shorten((history, history), 2000, mark)
    assert [part.message for part in side.parts] == [message for message, _ in history]
    assert side.parts[1].diff == history[1][1]
    cut = side.parts[0].diff.split("\n")
    assert cut[0] == cut[-2] == "+a"
    assert sum("left out" in line for line in cut) == 1
    assert mark(f"{150_000 - 3 * (len(cut) - 2)} characters") in cut


def test_of_very_many_commits_the_middle_is_left_out():
    many = [(f"Add number {n}", "+line\n" * 40) for n in range(1000)]
    side, _ = shorten((many, []), 2000, mark)
    numbers = [part.number for part in side.parts]
    assert numbers[0] == 1 and numbers[-1] == 1000 and len(numbers) > 10
    assert sum(later != earlier + 1 for earlier, later in pairwise(numbers)) == 1
