"""Whatever a model answers is read, or answered: tool calls as JSON, their arguments, and judges' answers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_gitgoodbench.agents.calls import Call, carry_out
from pytest_gitgoodbench.agents.json_protocol import JsonProtocol, first_object
from pytest_gitgoodbench.agents.tools_protocol import ToolsProtocol
from pytest_gitgoodbench.judging.answer import MOST_CHARACTERS, Unusable, read_answer
from pytest_gitgoodbench.llm.client import Reply
from pytest_gitgoodbench.scenarios.base import Tool
from pytest_gitgoodbench.scenarios.toolbox import MESSAGE, choice, number
from tests.support.fuzzing import bounded

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=10,
)
PIECES = st.sampled_from(
    [
        "{", "}", "[", "]", '"', "\\", ",", ":", "```json\n", "```", "<think>", "</think>", "\n", "\0", "\ud800",
        '{"tool": "echo", "arguments": {}}', '"tool"', '"arguments": {', '{"preferred": "HISTORY-1"}',
        '"preferred": "TIE"', "HISTORY-1", "HISTORY-2", "TIE", "Answer: ", "NaN", "1e999", "9" * 5000, "\\ud800",
    ]
)  # fmt: skip
TEXTS = ANY_TEXT | st.lists(PIECES | ANY_TEXT, max_size=20).map("".join)

calls: list[dict[str, object]] = []


def echo(**arguments: object) -> str:
    calls.append(arguments)
    return "done"


TOOL = Tool(
    "echo",
    "Echo.",
    {
        "type": "object",
        "properties": {"message": MESSAGE, "count": number("How often.", 1, 9), "side": choice("Which.", "a", "b")},
        "required": ["message"],
        "additionalProperties": False,
    },
    echo,
)  # fmt: skip


@bounded(200)
@given(TEXTS)
def test_a_json_answer_is_a_call_or_is_answered(text):
    protocol = JsonProtocol([TOOL])
    found, message, otherwise = protocol.read(Reply(text))
    assert message == {"role": "assistant", "content": text}
    assert bool(found) != bool(otherwise)
    for call in found:
        answer, _ = carry_out({"echo": TOOL}, call)
        assert answer
        json.dumps(protocol.result(call, answer))


@bounded(150)
@given(st.dictionaries(ANY_TEXT, JSON, max_size=4), ANY_TEXT.filter(lambda text: "{" not in text), ANY_TEXT)
def test_the_first_object_is_found_whatever_stands_around_it(value, before, after):
    found = first_object(f"{before}{json.dumps(value)}{after}")
    assert json.dumps(found) == json.dumps(json.loads(json.dumps(value)))


@bounded(200)
@given(
    TEXTS
    | JSON.map(json.dumps)
    | st.dictionaries(st.sampled_from(["message", "count", "side"]), JSON).map(json.dumps)
)
def test_arguments_that_do_not_fit_never_reach_the_tool(arguments):
    calls.clear()
    protocol = ToolsProtocol([TOOL])
    raw = {"id": "", "type": "function", "function": {"name": "echo", "arguments": arguments}}
    (call,), message, _ = protocol.read(Reply("", tool_calls=[raw]))
    answer, went_well = carry_out({"echo": TOOL}, call)
    assert went_well == bool(calls)
    if not went_well:
        assert answer.startswith("Error: ")
    for given_arguments in calls:
        assert isinstance(given_arguments["message"], str)
        assert given_arguments.get("side", "a") in ("a", "b")
        assert 1 <= given_arguments.get("count", 1) <= 9  # type: ignore[operator]
    # What is sent back is an object for every API, whatever the model wrote.
    (sent,) = message["tool_calls"]
    assert isinstance(json.loads(sent["function"]["arguments"]), dict)
    json.dumps([message, protocol.result(call, answer)])


@bounded(60)
@given(ANY_TEXT)
def test_a_tool_of_any_name_is_answered(name):
    answer, went_well = carry_out({"echo": TOOL}, Call("1", name, "{}"))
    assert not went_well
    assert answer.startswith("Error: ")


@bounded(300)
@given(TEXTS)
def test_a_judges_answer_is_read_or_refused(text):
    try:
        preferred, reason = read_answer(text)
    except Unusable as why:
        assert str(why)
        return
    assert preferred in ("HISTORY-1", "HISTORY-2", "TIE")
    assert isinstance(reason, str)


@bounded(150)
@given(
    st.sampled_from(["HISTORY-1", "HISTORY-2", "TIE"]),
    ANY_TEXT,
    ANY_TEXT.filter(lambda text: "{" not in text and "<" not in text),
)
def test_a_judges_answer_survives_what_stands_before_it(preferred, reason, before):
    answer = json.dumps({"reason": reason, "preferred": preferred})
    if "<" in reason:  # a tag of thoughts within a reason would be taken for one
        answer = answer.replace("<", "(")
    assert read_answer(f"{before}\n{answer}\n")[0] == preferred


@pytest.mark.parametrize(
    "piece", ["{", "[", '{"a":', "<think>", '{"preferred": "TIE"', "HISTORY-1 ", " \n", "`"]
)
def test_long_answers_of_one_piece_over_and_over(piece):
    """Quadratic reading would take hours here; the test's time limit ends it."""
    text = piece * (MOST_CHARACTERS * 10 // len(piece))
    assert first_object(text) is None
    with pytest.raises(Unusable):
        read_answer(text)
