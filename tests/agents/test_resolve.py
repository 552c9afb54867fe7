"""From a name to an agent, in the stated order, refused in one line before the first test."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_gitgoodbench.agents.ledger import Ledger
from pytest_gitgoodbench.agents.resolve import resolve
from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.llm.client import Model
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


class Needy:
    def __init__(self, more: str) -> None:
        """Cannot be made without more."""


def quits() -> None:
    raise SystemExit(3)


Quits = type("Quits", (), {"__init__": lambda self: quits(), "__call__": mine})


@pytest.mark.parametrize("agent", [Needy, Quits])
def test_an_agent_that_cannot_be_made_is_refused_in_one_line(agent):
    with pytest.raises(UserError, match=r"the agent mine cannot be loaded: (TypeError|SystemExit)"):
        resolve("mine", {"mine": agent}, Settings(), None)


def test_an_entry_point_that_cannot_be_imported_is_refused_in_one_line(tmp_path, monkeypatch):
    package = tmp_path / "theirs-1.0.dist-info"
    package.mkdir()
    package.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    package.joinpath("entry_points.txt").write_text("[pytest_gitgoodbench.agents]\ntheirs = no_such:agent\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UserError, match="the agent theirs cannot be loaded: ModuleNotFoundError"):
        resolve("theirs", {}, Settings(), None)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({}, "needs a model"),
        ({"model": 3}, "needs a model"),
        ({"api_base": "localhost:8000"}, "api_base 'localhost:8000' is no URL"),
        ({"input_cost_per_token": "cheap"}, "input_cost_per_token 'cheap' is no number of US\\$"),
        ({"output_cost_per_token": float("inf")}, "output_cost_per_token inf is no number of US\\$"),
        ({"params": 1}, "params 1 is no table"),
        ({"api_key_env": "NOT_SET_ANYWHERE"}, "api_key_env names 'NOT_SET_ANYWHERE', which is not set"),
        ({"api_key_env": 1}, "api_key_env names 1"),
        ({"tools": "hammer"}, "agent tools 'hammer': choose"),
        ({"protocol": "smoke"}, "agent protocol 'smoke': choose"),
    ],
)
def test_a_table_that_cannot_be_is_refused_in_one_line(table, said):
    full = table if not table or "model" in table else {"model": "openai/x", "api_key": "k" * 9, **table}
    with pytest.raises(UserError, match=said) as caught:
        resolve("mine", {"mine": full}, Settings(), None)
    assert "\n" not in str(caught.value)


def test_a_key_comes_from_the_variable_that_the_table_names(monkeypatch):
    monkeypatch.setenv("HOUSE_KEY", "sk-of-the-house")
    table = {
        "model": "openai/x",
        "api_base": "http://localhost:1/v1",
        "api_key_env": "HOUSE_KEY",
        "top_p": 0.5,
    }
    found = resolve("mine", {"mine": {**table, "system": "Be good.", "tools": "bash"}}, Settings(), None)
    assert found.model.params == {"top_p": 0.5, "api_key": "sk-of-the-house"}
    assert found.agent.system == "Be good."
    assert "sk-of" not in str(found.as_json()) + found.describe()


def test_a_model_can_be_registered_as_it_is():
    model = Model("openai/x", "http://localhost:1/v1")
    assert resolve("mine", {"mine": model}, Settings(), None).model is model


def test_all_processes_of_a_run_share_what_is_spent(tmp_path):
    one, other = Ledger(tmp_path, 1.0), Ledger(tmp_path, 1.0)
    one.spend(0.6)
    assert other.money_left()
    other.spend(0.6)
    assert not one.money_left()
    assert one.total() == pytest.approx(1.2)
