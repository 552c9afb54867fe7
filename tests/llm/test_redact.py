"""No secret gets into what is written or shown."""

from __future__ import annotations

import pytest

from pytest_gitgoodbench.agents.transcript import Transcript
from pytest_gitgoodbench.llm.redact import redact, redacted, shown_parameters


@pytest.mark.parametrize("name", ["X_API_KEY", "X_TOKEN", "X_SECRET", "X_PASSWORD", "x_token"])
def test_values_of_secret_variables_are_hidden(name, monkeypatch):
    monkeypatch.setenv(name, "a (plain) value")
    assert redact("it is 'a (plain) value'!") == "it is '[secret]'!"


@pytest.mark.parametrize(("name", "value"), [("X_COLOUR", "vermilion"), ("X_TOKEN", "short")])
def test_other_values_stay(name, value, monkeypatch):
    monkeypatch.setenv(name, value)
    assert redact(f"it is {value}") == f"it is {value}"


def test_a_secret_inside_a_longer_one_leaves_nothing_of_it(monkeypatch):
    monkeypatch.setenv("A_TOKEN", "hunter22")
    monkeypatch.setenv("B_TOKEN", "hunter22-and-a-tail")
    assert redact("hunter22-and-a-tail, hunter22") == "[secret], [secret]"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("key sk-abcdefghijkl1234.", "key [secret]."),
        ("Authorization: Bearer abc.def-ghi", "Authorization: Bearer [secret]"),
        ("http://host/?api_key=abcd1234&n=1", "http://host/?api_key=[secret]&n=1"),
        ("risk-assessment-of-a-task-forever", "risk-assessment-of-a-task-forever"),
        ("", ""),
    ],
)
def test_what_looks_like_a_key_is_hidden(text, shown):
    assert redact(text) == shown


def test_secrets_from_elsewhere_can_be_named():
    assert redact("it is from-a-table", also=["from-a-table"]) == "it is [secret]"


def test_every_text_in_a_json_value_is_redacted(monkeypatch):
    monkeypatch.setenv("X_TOKEN", "hunter22")
    value = {"a": ["hunter22", {"hunter22": ("hunter22",)}], "n": 1, "f": 0.5, "none": None, "yes": True}
    assert redacted(value) == {
        "a": ["[secret]", {"[secret]": ["[secret]"]}],
        "n": 1,
        "f": 0.5,
        "none": None,
        "yes": True,
    }


def test_parameters_that_carry_secrets_are_not_shown():
    params = {"api_key": "a", "extra_headers": {"x": "b"}, "temperature": 0, "max_tokens": 5}
    assert shown_parameters(params) == {"temperature": 0, "max_tokens": 5}


def test_a_transcript_has_no_secret_in_memory_or_in_its_file(tmp_path, monkeypatch):
    monkeypatch.setenv("X_TOKEN", "hunter22")
    transcript = Transcript(tmp_path / "transcript.jsonl")
    transcript.add("tool", "X_TOKEN=hunter22", tool_calls=[{"function": {"arguments": '{"a": "hunter22"}'}}])
    assert "hunter22" not in str(transcript.entries)
    assert "hunter22" not in (tmp_path / "transcript.jsonl").read_text()
