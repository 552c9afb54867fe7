"""Reading a model's answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_gitgoodbench.judging.answer import Unusable, read_answer


@pytest.mark.parametrize(
    ("text", "preferred", "reason"),
    [
        ('{"reason": "clearer", "preferred": "HISTORY-1"}', "HISTORY-1", "clearer"),
        ('{"preferred": "TIE", "reason": "the same"}', "TIE", "the same"),
        (
            'Here it is:\n```json\n{"reason": "a {b} c", "preferred": "HISTORY-2"}\n```\n',
            "HISTORY-2",
            "a {b} c",
        ),
        (
            '<think>{"preferred": "HISTORY-1"} no...</think>{"reason": "r", "preferred": "HISTORY-2"}',
            "HISTORY-2",
            "r",
        ),
        ('{"reason": "line\nbreak", "preferred": "history_1"}', "HISTORY-1", "line\nbreak"),
        ('{"preferred": "tie"}', "TIE", ""),
        ('{"preferred": "TIE", "reason": null}', "TIE", ""),
        ('{not json} {"reason": "r", "preferred": "HISTORY-1"}', "HISTORY-1", "r"),
        (
            '{"reason": "r", "preferred": "HISTORY-1"} {"reason": "s", "preferred": "HISTORY-1"}',
            "HISTORY-1",
            "s",
        ),
        ("The messages are clearer.\n\n**Answer: HISTORY-2**", "HISTORY-2", "The messages are clearer."),
        ("HISTORY-1", "HISTORY-1", ""),
        ("Final answer: tie.", "TIE", ""),
    ],
)
def test_answers(text, preferred, reason):
    assert read_answer(text) == (preferred, reason)


@pytest.mark.parametrize(
    "text",
    [
        "", " \n", "<think>HISTORY-1</think>", "null", "[]", "{}", '{"preferred": "HISTORY-3"}',
        '{"preferred": ["HISTORY-1"]}', '{"reason": "cut off by the len', '{"preferred": "HISTORY-1',
        "HISTORY-1 has better messages, HISTORY-2 better sizes.", "I prefer HISTORY-1 over HISTORY-2",
        "Neither is a tie", '{"preferred": "HISTORY-1"} {"preferred": "HISTORY-2"}', "[" * 100_000,
        '{"a":' * 100_000, '<think>{"preferred": "HISTORY-1"} but', "<think>" * 100_000,
    ],
)  # fmt: skip
def test_what_is_no_answer(text):
    with pytest.raises(Unusable):
        read_answer(text)


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_read_or_refused(text):
    try:
        preferred, _ = read_answer(text)
    except Unusable:
        return
    assert preferred in {"HISTORY-1", "HISTORY-2", "TIE"}
