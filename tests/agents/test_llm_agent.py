"""The LLM agent through the real litellm over real HTTP: what it is told, and how each attempt ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pytest_gitgoodbench.agents.base import Attempt
from pytest_gitgoodbench.agents.budget import Budget
from pytest_gitgoodbench.agents.conversation import MARK
from pytest_gitgoodbench.agents.llm import MOST_IDLE, LlmAgent
from pytest_gitgoodbench.agents.transcript import Transcript
from pytest_gitgoodbench.errors import InfrastructureError, ModelUnavailable, Skip
from pytest_gitgoodbench.scenarios.base import Tool, ToolError
from tests.support.openai_server import Answer, call, serve

DONE = call("finish_up")


@pytest.fixture
def attempt(tmp_path: Path) -> Attempt:
    """An attempt at writing `done.txt`, with tools that write, refuse, break, and finish."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()

    def write(text: str) -> str:
        (workspace / "done.txt").write_text(text, "utf-8")
        return f"written: {text}"

    def refuse() -> str:
        raise ToolError("not like this")

    def broken() -> str:
        raise OSError("disk full")

    def schema(**properties: Any) -> dict[str, Any]:
        return {"type": "object", "properties": properties, "required": [*properties],
                "additionalProperties": False}  # fmt: skip

    tools = [
        Tool("write", "Writes.", schema(text={"type": "string"}), write),
        Tool("refuse", "Refuses.", schema(), refuse),
        Tool("broken", "Is broken.", schema(), broken),
        Tool("finish_up", "Finishes.", schema(), lambda: "ok", final=True),
    ]
    made = Attempt(
        workspace, "merge", "python", "Write it.", tools, Budget(60.0, 10), Transcript(tmp_path / "t.jsonl")
    )
    made.budget.start()
    return made


def written(attempt: Attempt) -> str:
    return (attempt.workspace / "done.txt").read_text("utf-8")


def told(server: Any, number: int) -> str:
    return str(server.requests[number]["messages"][-1]["content"])


def test_a_model_acts_by_function_calls_and_finishes(attempt):
    with serve(call("write", text="x"), DONE) as server:
        LlmAgent(server.model())(attempt)
    assert written(attempt) == "x"
    assert attempt.notes["stop_reason"] == "finished"
    assert (attempt.notes["turns"], attempt.notes["prompt_tokens"]) == (2, 20)
    assert (attempt.notes["cost"], attempt.notes["cost_is_lower_bound"]) == (None, True)
    assert told(server, 1) == "written: x"
    lines = [json.loads(line) for line in attempt.transcript.path.read_text("utf-8").splitlines()]
    assert [line["role"] for line in lines] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "event",
    ]


def test_a_model_acts_by_json_objects(attempt):
    answers = (
        Answer("Let me think."),
        Answer('```json\n{"tool": "write", "arguments": {"text": "x"}}\n```'),
        Answer('{"tool": "finish_up", "arguments": {}}'),
    )
    with serve(*answers) as server:
        LlmAgent(server.model(), protocol="json")(attempt)
    assert written(attempt) == "x"
    assert attempt.notes["stop_reason"] == "finished"
    assert "no JSON object" in told(server, 1)
    assert "tools" not in server.requests[0]
    assert server.requests[0]["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    ("answer", "fits"),
    [
        ({"tool": "write", "arguments": {"text": "x"}}, True),
        ({"tool": "finish_up", "arguments": {}}, True),
        ({"tool": "write", "arguments": {}}, False),
        ({"tool": "finish_up", "arguments": {"text": "x"}}, False),
        ({"tool": "erase", "arguments": {}}, False),
    ],
)
def test_the_response_format_knows_each_tools_arguments(attempt, answer, fits):
    with serve(Answer('{"tool": "finish_up", "arguments": {}}')) as server:
        LlmAgent(server.model(), protocol="json")(attempt)
    schema = server.requests[0]["response_format"]["json_schema"]["schema"]
    assert Draft202012Validator(schema).is_valid(answer) is fits


def test_a_part_of_an_answer_that_was_cut_off_is_not_taken_for_the_answer(attempt):
    cut = Answer('{"tool": "refuse", "arguments": {}', finish_reason="length")
    with serve(cut, Answer('{"tool": "finish_up", "arguments": {}}')) as server:
        LlmAgent(server.model(), protocol="json")(attempt)
    assert "no JSON object" in told(server, 1)
    assert "cut off" in told(server, 1)


def test_a_server_that_refuses_the_response_format_is_asked_with_a_simpler_one_then_without(attempt):
    wrong = '{"tool": "erase", "arguments": {}}'
    with serve(
        Answer(status=400), Answer(status=400), Answer(wrong), Answer('{"tool": "finish_up"}')
    ) as server:
        LlmAgent(server.model(), protocol="json")(attempt)
    assert attempt.notes["stop_reason"] == "finished"
    assert attempt.notes["turns"] == 2
    formats = [request.get("response_format") for request in server.requests]
    assert "anyOf" in formats[0]["json_schema"]["schema"]
    assert "anyOf" not in formats[1]["json_schema"]["schema"]
    assert formats[2:] == [None, None]


def test_a_model_acts_by_bash(attempt):
    with serve(call("bash", command="echo hi > done.txt; pwd; exit 3"), call("finish")) as server:
        LlmAgent(server.model(), tools="bash")(attempt)
    assert written(attempt) == "hi\n"
    assert told(server, 1) == f"exit status 3\n{attempt.workspace}\n"
    assert {tool["function"]["name"] for tool in server.requests[0]["tools"]} == {"bash", "finish"}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (call("write", text=1), "text: 1 is not of type 'string'"),
        (call("write"), "'text' is a required property"),
        (Answer(calls=[("write", '{"text": ')]), "no valid JSON"),
        (Answer(calls=[("write", "[]")]), "[] is not of type 'object'"),
        (call("erase"), "there is no tool 'erase'"),
        (call("refuse"), "not like this"),
    ],
    ids=["type", "missing", "invalid-json", "no-object", "unknown", "refused"],
)
def test_a_wrong_call_is_answered_with_what_is_wrong_and_is_a_turn(attempt, wrong, said):
    with serve(wrong, DONE) as server:
        LlmAgent(server.model())(attempt)
    assert said in told(server, 1)
    assert (attempt.notes["turns"], attempt.notes["stop_reason"]) == (2, "finished")
    for message in server.requests[1]["messages"]:
        for made in message.get("tool_calls", ()):
            assert isinstance(json.loads(made["function"]["arguments"]), dict)


def test_every_call_of_a_turn_is_answered(attempt):
    both = Answer(calls=[("write", {"text": "a"}), ("erase", {})])
    with serve(both, DONE) as server:
        LlmAgent(server.model())(attempt)
    answers = [m for m in server.requests[1]["messages"] if m["role"] == "tool"]
    assert [m["tool_call_id"] for m in answers] == ["call_0", "call_1"]


def test_an_endless_loop_ends_with_its_turns(attempt):
    with serve(call("write", text="again")) as server:
        LlmAgent(server.model())(attempt)
    assert len(server.requests) == attempt.notes["turns"] == 10
    assert attempt.notes["stop_reason"] == "max-turns"


def test_empty_answers_are_nudged_and_then_end(attempt):
    with serve(Answer(None)) as server:
        LlmAgent(server.model())(attempt)
    assert len(server.requests) == MOST_IDLE
    assert "no tool" in told(server, 1)
    assert attempt.notes["stop_reason"] == "no-tool-call"


def test_an_answer_cut_off_by_length_is_told_so(attempt):
    with serve(Answer("Well, first", finish_reason="length"), DONE) as server:
        LlmAgent(server.model())(attempt)
    assert "cut off" in told(server, 1)
    assert attempt.notes["stop_reason"] == "finished"


def test_a_slow_answer_ends_with_the_time(attempt):
    attempt.budget = Budget(1.0, 10)
    attempt.budget.start()
    with serve(Answer("late", slow=60)) as server:
        LlmAgent(server.model())(attempt)
    assert (attempt.notes["stop_reason"], attempt.notes["timed_out"]) == ("timeout", True)


def test_too_long_a_conversation_is_cut_as_stated(attempt):
    long = "x" * 500
    full = Answer(status=400, error="This model's maximum context length is 10 tokens")
    with serve(call("write", text=long), call("write", text="b"), full, DONE) as server:
        LlmAgent(server.model())(attempt)
    contents = [m["content"] for m in server.requests[3]["messages"] if m["role"] == "tool"]
    assert contents == [MARK, "written: b"]
    assert any(entry.get("event") == "context-cut" for entry in attempt.transcript.entries)
    assert attempt.notes["stop_reason"] == "finished"


def test_what_cannot_be_cut_ends_the_attempt(attempt):
    with serve(Answer(status=400, error="This model's maximum context length is 10 tokens")) as server:
        LlmAgent(server.model())(attempt)
    assert attempt.notes["stop_reason"] == "context"


def test_the_money_of_the_run_ends_an_attempt_and_skips_the_next(attempt):
    spent: list[float] = []
    attempt.budget = Budget(60.0, 10, spent.append, lambda: not spent)
    attempt.budget.start()
    with serve(call("write", text="x")) as server:
        agent = LlmAgent(server.model(input_cost_per_token=0.1, output_cost_per_token=0.2))
        agent(attempt)
        assert (attempt.notes["stop_reason"], attempt.notes["cost"], spent) == ("cost", 2.0, [2.0])
        with pytest.raises(Skip, match="max-cost"):
            agent(attempt)


def test_a_broken_api_and_a_broken_tool_are_not_the_agents_fault(attempt):
    with serve(Answer(status=401)) as server, pytest.raises(ModelUnavailable):
        LlmAgent(server.model())(attempt)
    with serve(call("broken")) as server, pytest.raises(InfrastructureError, match="disk full"):
        LlmAgent(server.model())(attempt)


def test_a_secret_that_a_tool_shows_is_not_written_down(attempt, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "very-secret-value-1")
    with serve(call("write", text="very-secret-value-1"), DONE) as server:
        LlmAgent(server.model())(attempt)
    assert "very-secret" not in attempt.transcript.path.read_text("utf-8")
