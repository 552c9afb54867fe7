"""A record survives JSON, whatever an agent notes; other schema versions are read or refused clearly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.runs.record import SCHEMA_VERSION, Record, record_from
from tests.support.records import many, record


def test_every_record_survives_json():
    for before in many(60, trials=2, hostile=True):
        assert record_from(json.loads(json.dumps(before.as_json())), "x") == before


def test_whatever_an_agent_notes_becomes_json():
    class Number(int):
        pass

    endless: list[object] = []
    endless.append(endless)
    notes = {
        "path": Path("/x"),
        "nan": float("nan"),
        "set": {1},
        ("a", 1): b"bytes",
        "endless": endless,
        "number": Number(3),
        "truth": True,
    }
    written = json.loads(json.dumps(record(agent_notes=notes).as_json(), allow_nan=False))["agent_notes"]
    assert written["nan"] is None
    assert written["set"] == [1]
    assert written["('a', 1)"] == "bytes object"
    assert written["number"] == 3
    assert written["truth"] is True
    assert isinstance(written["endless"], list)


def test_the_brief_form_makes_a_record_again_and_leaves_out_what_is_long():
    full = next(entry for entry in many(50) if entry.histories)
    brief = Record(**full.brief_json())
    assert (brief.histories, brief.patch, brief.brief, brief.log) == (None, "", "", [])
    assert (brief.id, brief.answers, brief.checks) == (full.id, full.answers, full.checks)


def test_fields_of_a_later_release_with_the_same_schema_are_passed_over():
    one = record()
    assert record_from({**one.as_json(), "colour": "green"}, "x") == one


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"version": SCHEMA_VERSION + 1}, "update it"),
        ({"version": 0}, "schema version 0, which never was"),
        ({"version": None}, "schema version None"),
        ({"version": True}, "schema version True"),
        ({"outcome": "won"}, "unknown outcome 'won'"),
        ({"sample": 5}, "no sample"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(change, says):
    with pytest.raises(UserError) as caught:
        record_from({**record().as_json(), **change}, "results.jsonl, line 3,")
    assert says in str(caught.value)
    assert "results.jsonl, line 3" in str(caught.value)


@pytest.mark.parametrize("data", [None, [], "text", 3])
def test_other_json_is_no_record(data):
    with pytest.raises(UserError, match="not a record"):
        record_from(data, "x")
