"""From a name to an agent, in the stated order, refused in one line before the first test."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_gitgoodbench.agents.ledger import Ledger
from pytest_gitgoodbench.agents.resolve import resolve
from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.settings import Settings


def mine(attempt: object) -> None:
    """An agent."""


@pytest.fixture
def pyproject(tmp_path: Path) -> Path:
    file = tmp_path / "pyproject.toml"
    file.write_text(
        f"""
[tool.gitgoodbench.agents.local]
model = "openai/small"
api_base = "http://127.0.0.1:1/v1"
api_key = "sk-secret-of-this-table"
temperature = 0.5
protocol = "json"
[tool.gitgoodbench.agents.script]
command = "{sys.executable} -c pass"
[tool.gitgoodbench.agents.empty]
""",
        "utf-8",
    )
    return file


def test_a_registered_name_comes_first():
    assert resolve("oracle", {"oracle": mine}, Settings(), None).kind == "python"
    assert resolve("oracle", {}, Settings(), None).kind == "baseline"


def test_a_table_makes_a_model_and_its_key_is_not_described(pyproject):
    found = resolve("local", {}, Settings(), pyproject)
    assert (found.kind, found.model.name, found.agent.protocol) == ("llm", "openai/small", "json")
    assert found.model.params["temperature"] == 0.5
    assert "sk-secret" not in str(found.as_json()) + found.describe()


def test_a_table_makes_a_command(pyproject):
    assert resolve("script", {}, Settings(), pyproject).kind == "command"
    with pytest.raises(UserError, match="empty"):
        resolve("empty", {}, Settings(), pyproject)


@pytest.mark.parametrize(
    "name", ["nosuch/model", "cmd:no-such-program", "no_such_module:agent", "json:nothing"]
)
def test_what_cannot_be_is_refused_in_one_line(name):
    with pytest.raises(UserError) as caught:
        resolve(name, {}, Settings(), None)
    assert "\n" not in str(caught.value)


def test_all_processes_of_a_run_share_what_is_spent(tmp_path):
    one, other = Ledger(tmp_path, 1.0), Ledger(tmp_path, 1.0)
    one.spend(0.6)
    assert other.money_left()
    other.spend(0.6)
    assert not one.money_left()
    assert one.total() == pytest.approx(1.2)
