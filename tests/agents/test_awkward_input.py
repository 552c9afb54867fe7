"""What a model writes is answered, whatever it is; it never breaks the attempt."""

from __future__ import annotations

import json
import shutil

import pytest

from pytest_gitgoodbench.agents import Attempt, Budget, Transcript
from pytest_gitgoodbench.agents.shell import run_bash
from pytest_gitgoodbench.scenarios.base import ToolError


@pytest.fixture
def attempt(tmp_path):
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    return Attempt(workspace, "merge", "python", "", (), Budget(), Transcript(tmp_path / "transcript.jsonl"))


@pytest.mark.parametrize("command", ["echo \ud800", "€" * 90_000, "a\0b"])
def test_a_command_that_no_program_can_be_given(attempt, command):
    with pytest.raises(ToolError):
        run_bash(attempt, command)


def test_a_workspace_that_the_agent_deleted(attempt):
    shutil.rmtree(attempt.workspace)
    with pytest.raises(ToolError):
        run_bash(attempt, "ls")


def test_text_that_is_no_unicode_gets_into_the_transcript(attempt):
    attempt.transcript.add("assistant", "a \ud800 b")
    assert json.loads(attempt.transcript.path.read_text("utf-8"))["content"] == "a \ud800 b"
