"""What commit messages are worth."""

from __future__ import annotations

import pytest

from pytest_gitgoodbench.judging.messages import assess

NOISE = [
    "wip", "WIP: parser", "fix", "Fixes.", "asdf", "asdfgh", "...", "fixup! Parse dates", "squash! x", "tmp",
    "more changes", "Update", "fix: typo", "chore: cleanup", "[ABC-12] wip", "ABC-12: fix", "oops", "qwrtzp",
    "aaaa", "address review comments", "123", "final fix of the fix (#12)", "🚧 wip",
]  # fmt: skip
GOOD = [
    "Parse dates with an optional offset",
    "feat(parser)!: accept dates without an offset",
    "[ABC-12] Accept dates without an offset",
    "Accept dates without an offset (#123)",
    "Correct the rounding of prices\n\nHalf a cent was lost in each order.",
    "修复日期解析中的时区偏移错误",
    "Исправить разбор дат без смещения",
    "Drop support for Python 3.9",
]


@pytest.mark.parametrize("message", NOISE)
def test_noise_is_worth_nothing(message):
    assert assess(message, 10, frozenset()).score <= 0.1


@pytest.mark.parametrize("message", GOOD)
def test_messages_that_say_something_are_worth_much(message):
    assert assess(message, 10, frozenset()).score >= 0.9


@pytest.mark.parametrize("message", ["", " \n\t", "\x00", "\udc80"])
def test_no_message_is_worth_nothing(message):
    assert assess(message, 10, frozenset()).score == 0


@pytest.mark.parametrize(
    ("worse", "fault"),
    [
        (
            "Accept dates without an offset, and with one, and some that have neither of them at all",
            "long",
        ),
        ("Accepted dates without an offset", None),
        ("Added dates without an offset", "imperative"),
        ("Accept dates without an offset.", "full stop"),
        ("Accept dates without an offset\nas users write them", "blank line"),
        ("Offset", "short"),
        ("Update src/parser.py", "names files"),
    ],
)
def test_faults_of_form_cost_a_little(worse, fault):
    best = assess("Accept dates without an offset", 10, frozenset())
    found = assess(worse, 10, frozenset())
    if fault is None:
        assert found == best
    else:
        assert 0.1 < found.score < best.score
        assert fault in found.fault


def test_a_large_change_needs_an_explanation():
    subject = "Parse dates by a table of formats"
    body = f"{subject}\n\nThe regular expression could not be read any more."
    assert assess(subject, 400, frozenset()).score < assess(body, 400, frozenset()).score
    assert assess(subject, 10, frozenset()).score == assess(body, 10, frozenset()).score


def test_a_message_should_name_something_that_changed():
    words = frozenset({"parser", "date", "offset"})
    assert assess("Make parsing faster", 10, words).score > assess("Make everything faster", 10, words).score


def test_a_body_saves_an_empty_subject_in_part():
    alone = assess("Squash", 10, frozenset()).score
    with_body = assess("Squash\n\nParse dates with an offset, save orders.", 10, frozenset()).score
    assert alone < with_body < 0.5
