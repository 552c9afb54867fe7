"""Exports can be read by the programs they are for, and hold what the run holds."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from pytest_gitgoodbench.errors import InfrastructureError, UserError
from pytest_gitgoodbench.runs import figures
from pytest_gitgoodbench.runs.export import conversations, export
from tests.support.records import HOSTILE, a_run, many, record


@pytest.fixture
def run(tmp_path):
    return a_run(tmp_path / "run", list(many(30, trials=2)), transcripts=2)


def test_conversations_are_the_solved_transcripts_in_chat_form(run):
    lines = [json.loads(line) for line in export(run, "chat", None).splitlines()]
    solved = [entry.id for entry in run.records() if entry.outcome == "solved"]
    assert [line["metadata"]["id"] for line in lines] == solved
    for line in lines:
        roles = [message["role"] for message in line["messages"]]
        assert roles == ["system", "user", "assistant", "tool", "assistant", "tool"]
        for message in line["messages"]:
            assert set(message) <= {"role", "content", "tool_calls", "tool_call_id", "name"}
        assert line["messages"][2]["tool_calls"][0]["function"]["name"] == "show_file"


def test_offered_tools_go_with_the_conversation_and_runs_without_a_model_give_none(tmp_path):
    run = a_run(tmp_path / "run", [record(sample="llm"), record(sample="command")], transcripts=1)
    llm, command = (run.transcript_of(entry) for entry in run.records())
    tools = [{"type": "function", "function": {"name": "commit"}}]
    with llm.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"role": "event", "event": "start", "tools": tools}) + "\n")
    command.write_text('{"role": "event", "event": "output", "content": "done"}\n', "utf-8")
    (line,) = conversations(run)
    assert line["metadata"]["sample"] == "llm"
    assert line["tools"] == tools


def test_undecodable_text_does_not_break_training_data(tmp_path):
    run = a_run(tmp_path / "run", [record()], transcripts=1)
    (entry,) = run.records()
    run.transcript_of(entry).write_text('{"role": "assistant", "content": "caf\\udce9"}\n', "utf-8")
    out = tmp_path / "chat.jsonl"
    assert export(run, "chat", out) is None
    assert json.loads(out.read_bytes().decode("utf-8"))["messages"][0]["content"] == "caf?"


def test_csv_has_a_row_an_attempt(run):
    rows = list(csv.DictReader(io.StringIO(export(run, "csv", None))))
    records = run.records()
    assert [row["id"] for row in rows] == [entry.id for entry in records]
    assert sum(row["strict"] == "True" for row in rows) == figures.group(records).strict.count
    assert sum(float(row["cost"]) for row in rows) == pytest.approx(figures.costs(records).agent.cost)


def test_csv_quotes_whatever_agents_write(tmp_path):
    odd = record(
        outcome="unsolved", reasons=[f'exact-match: "a",\n{HOSTILE}\udce9'], agent_notes={"turns": "many"}
    )
    (row,) = csv.DictReader(io.StringIO(export(a_run(tmp_path / "run", [odd]), "csv", None)))
    assert '"a",\n' in row["reasons"]
    assert row["turns"] == ""


def test_parquet_has_types(run, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "results.parquet"
    export(run, "parquet", out)
    table = parquet.read_table(out)
    assert table.num_rows == len(run.records())
    assert str(table.schema.field("strict").type) == "bool"
    assert str(table.schema.field("trial").type) == "int64"
    assert table.column("id").to_pylist() == [entry.id for entry in run.records()]
    with pytest.raises(UserError, match="--out"):
        export(run, "parquet", None)


def test_a_leaderboard_entry_tells_all_rates_and_whether_it_is_complete(run):
    entry = json.loads(export(run, "leaderboard", None))
    records = run.records()
    whole = figures.group(records)
    assert entry["all"]["strict"]["count"] == whole.strict.count
    assert entry["all"]["strict"]["share"] == pytest.approx(whole.strict.share)
    assert entry["all"]["strict"]["low"] < entry["all"]["strict"]["share"] < entry["all"]["strict"]["high"]
    assert sum(group["attempts"] for group in entry["scenario"].values()) == whole.attempts
    assert entry["trials"]["pass_at"]["2"] > entry["trials"]["pass_at"]["1"]
    assert entry["complete"] is False
    assert entry["agent"]["name"] == "mymodel"
    assert entry["dataset"]["fingerprint"]


def test_a_run_without_errors_is_complete(tmp_path):
    records = [replace(entry, outcome="unsolved") for entry in many(9)]
    entry = json.loads(export(a_run(tmp_path / "run", records), "leaderboard", None))
    assert entry["complete"] is True
    assert entry["judging"] is None or entry["judging"]["answers"] > 0


@pytest.mark.parametrize("form", ["chat", "csv", "leaderboard", "parquet"])
def test_a_file_that_cannot_be_written_is_named(run, tmp_path, form):
    (tmp_path / "file").touch()
    with pytest.raises(InfrastructureError, match="cannot be written"):
        export(run, form, tmp_path / "file" / "out")
