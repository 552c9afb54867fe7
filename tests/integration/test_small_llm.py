"""A real small LLM as agent and as judge on the demo: the whole path, with real tokens and without errors.

What so small a model decides is of no interest, only that it is asked, understood and recorded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args

import pytest

from pytest_gitgoodbench.judging.base import Side
from tests.support import llama

pytestmark = [
    pytest.mark.llm,
    pytest.mark.timeout(900),
    pytest.mark.skipif(bool(llama.missing()), reason=llama.missing() or "all there"),
]

MOST_TURNS = 2
SAMPLES = "ledger_merge_0000 or ledger_file_commit_chain_0000"

# The judge's answer fits in whatever white space the model puts into it; a reason that does not is cut off
# and asked for again without one.
TABLES = """
[tool.gitgoodbench.agents.small]
model = "openai/gemma-3-270m"
api_base = "{url}"
temperature = 0
max_tokens = 80

[tool.gitgoodbench.judges.small]
model = "openai/gemma-3-270m"
api_base = "{url}"
max_tokens = 90
token_budget = 700
"""


@pytest.fixture(scope="module")
def server() -> Iterator[llama.LlamaServer]:
    with llama.serve() as running:
        yield running


@pytest.fixture
def small(pytester: pytest.Pytester, server: llama.LlamaServer) -> None:
    """The model is `small` for agents and judges."""
    pytester.makepyprojecttoml(TABLES.format(url=server.url))


def transcript_of(run: Any, record: dict[str, Any]) -> list[dict[str, Any]]:
    lines = (run.out / "transcripts" / record["transcript"]).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_as_agent_of_each_scenario_by_the_json_protocol(ggb, small, server):
    before = server.predicted()
    run = ggb(
        "--ggb-agent=small",
        "--ggb-agent-protocol=json",
        "--ggb-judge=rubric",
        f"--ggb-max-turns={MOST_TURNS}",
        "-k",
        SAMPLES,
    )
    assert sorted(record["scenario"] for record in run.records) == ["commit", "merge", "rebase"], run.text
    assert set(run.outcomes.values()) <= {"passed", "failed"}, run.text
    calls = made = 0
    for record in run.records:
        notes = record["agent_notes"]
        assert notes["protocol"] == "json"
        assert notes["stop_reason"] in ("finished", "max-turns", "no-tool-call")
        entries = transcript_of(run, record)
        assert [entry["role"] for entry in entries[:3]] == ["system", "user", "assistant"]
        assert [entry["event"] for entry in entries if entry["role"] == "event"] == ["stop"]
        said = [entry for entry in entries if entry["role"] == "assistant"]
        assert len(said) == notes["turns"] > 0
        for kind in ("prompt_tokens", "completion_tokens"):
            assert all(entry["usage"][kind] > 0 for entry in said)
            assert sum(entry["usage"][kind] for entry in said) == notes[kind]
        # The schema was in force: an answer that was not cut off is a call, and is carried out.
        whole = [json.loads(entry["content"])["tool"] for entry in said if entry["finish_reason"] == "stop"]
        told = [str(entry["content"]) for entry in entries[2:] if entry["role"] == "user"]
        assert [
            tool for tool in whole if any(text.startswith(f"Result of {tool}:") for text in told)
        ] == whole
        calls += len(whole)
        made += notes["completion_tokens"]
    assert calls
    assert made == server.predicted() - before


def test_as_judge_of_each_scenario_that_is_judged(ggb, small, server):
    before = server.predicted()
    run = ggb("--ggb-agent=squash", "--ggb-judge=small", "-k", "ledger_file_commit_chain_0000")
    assert sorted(record["scenario"] for record in run.records) == ["commit", "rebase"], run.text
    assert set(run.outcomes.values()) <= {"passed", "failed"}, run.text
    made = 0
    for record in run.records:
        answers = record["answers"]
        assert [answer["agent_first"] for answer in answers] == [True, False]
        assert all(answer["preferred"] in get_args(Side) for answer in answers)
        assert record["score"] in (0.0, 0.25, 0.5, 0.75, 1.0)
        assert all(answer["usage"]["prompt_tokens"] > 0 for answer in answers)
        assert all(answer["usage"]["sent"]["response_format"] == "json_schema" for answer in answers)
        made += sum(answer["usage"]["completion_tokens"] for answer in answers)
    assert made == server.predicted() - before
    assert f"at {server.url}" in run.text
