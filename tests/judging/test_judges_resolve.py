"""From `--ggb-judge` to judges: what each spelling gives, and what is refused before the first test."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.judging.llm import LlmJudge
from pytest_gitgoodbench.judging.prompt import TOKEN_BUDGET
from pytest_gitgoodbench.judging.resolve import JudgePanel, resolve
from pytest_gitgoodbench.judging.rubric import Rubric
from pytest_gitgoodbench.llm.client import Model
from pytest_gitgoodbench.settings import Settings

TABLES = """
[tool.gitgoodbench.judges.strict]
model = "openai/local"
api_base = "http://127.0.0.1:9/v1"
token_budget = 5000
temperature = 0.3
reasoning_effort = "low"
input_cost_per_token = 0.001
output_cost_per_token = 0.002

[tool.gitgoodbench.judges.nothing]
api_base = "http://127.0.0.1:9/v1"

[tool.gitgoodbench.judges.tiny]
model = "openai/local"
token_budget = 5

[tool.gitgoodbench.judges]
text = "openai/gpt-4o"
lost = { model = "openai/local", api_base = "localhost" }
gift = { model = "openai/local", input_cost_per_token = -1 }
flat = { model = "openai/local", params = 3 }

[tool.gitgoodbench.agents.mine]
model = "openai/mine"
api_base = "http://127.0.0.1:9/v1"
temperature = 0.9

[tool.gitgoodbench.agents.script]
command = "run-my-agent"
"""


@pytest.fixture
def find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    pyproject = tmp_path / "pyproject.toml"
    pyproject.write_text(TABLES)

    def find(spec: str | None, agent_model: Model | None = None, votes: int = 1, **more: Any) -> JudgePanel:
        return resolve(
            spec,
            agent_kind="llm" if agent_model else "python",
            agent_model=agent_model,
            settings=Settings(judge=spec, judge_votes=votes),
            cache_dir=tmp_path / "judge",
            pyproject=pyproject,
            **more,
        )

    return find


def test_no_judge_is_the_rubric_for_an_agent_that_is_no_llm(find):
    panel = find(None)
    assert [type(judge) for judge in panel.judges] == [Rubric]
    assert (panel.label, panel.self_judged, panel.rubric_only) == ("rubric", False, True)
    assert "not the paper's judge" in panel.describe()
    assert panel.as_json() == {"name": "rubric", "self_judged": False, "rubric": True, "votes": 1}


def test_no_judge_is_an_llm_agents_own_model(find):
    panel = find(None, Model("openai/gpt-4o", params={"temperature": 0.7}))
    assert panel.label == "openai/gpt-4o"
    assert panel.self_judged
    assert "self-judged" in panel.describe()
    # What it is sampled with as an agent is not how it judges.
    assert panel.judges[0].params == {"temperature": 0}


def test_a_model_name(find):
    panel = find("openai/gpt-4o", Model("openrouter/anthropic/claude-sonnet-4"))
    assert isinstance(panel.judges[0], LlmJudge)
    assert panel.judges[0].model == Model("openai/gpt-4o")
    assert not panel.self_judged


def test_an_agents_model_by_another_name_is_self_judged(find):
    panel = find("rubric,openai/gpt-4o", Model("openrouter/openai/gpt-4o-2024-08-06"))
    assert panel.self_judged
    assert panel.describe() == "rubric (offline rules, not the paper's judge), openai/gpt-4o (self-judged)"


def test_a_table_of_judges(find):
    panel = find("strict", votes=3)
    (judge,) = panel.judges
    assert judge.name == "strict"
    assert judge.model == Model(
        "openai/local", "http://127.0.0.1:9/v1", {"temperature": 0.3, "reasoning_effort": "low"}, 0.001, 0.002
    )
    assert judge.params == {}
    assert judge.token_budget == 5000
    assert panel.describe() == "strict (openai/local) at http://127.0.0.1:9/v1, 3 votes in each order"
    assert panel.as_json()["models"]["strict"]["model"] == "openai/local"


def test_no_secret_is_shown(find):
    table = {
        "model": "openai/house",
        "api_base": "https://me:pass-word@example.com/v1?key=query-key",
        "api_key": "sk-table",
        "aws_secret_access_key": "aws-secret",
        "extra_headers": {"Authorization": "Bearer header-token"},
        "max_tokens": 500,
    }
    panel = find("house", registered={"house": table})
    assert panel.judges[0].model.params["api_key"] == "sk-table"
    shown = panel.describe() + json.dumps(panel.as_json())
    for secret in ("pass-word", "query-key", "sk-table", "aws-secret", "header-token"):
        assert secret not in shown
    assert panel.as_json()["models"]["house"] == {
        "model": "openai/house",
        "api_base": "https://example.com/v1",
        "token_budget": TOKEN_BUDGET,
        "params": {"max_tokens": 500, "temperature": 0},
    }


def test_a_table_of_agents_judges_at_temperature_0(find):
    (judge,) = find("mine").judges
    assert judge.model.name == "openai/mine"
    assert judge.params == {"temperature": 0}
    assert judge.token_budget == TOKEN_BUDGET


def test_a_registered_model(find):
    (judge,) = find("house", registered={"house": {"model": "openai/house", "temperature": 1}}).judges
    assert (judge.name, judge.model.name, judge.params) == ("house", "openai/house", {"temperature": 0})
    (judge,) = find("house", registered={"house": Model("openai/house")}).judges
    assert judge.model == Model("openai/house")


def test_a_panel(find):
    panel = find(" rubric , strict,openai/gpt-4o ")
    assert [judge.name for judge in panel.judges] == ["rubric", "strict", "openai/gpt-4o"]
    assert panel.label == "rubric, strict, openai/gpt-4o"
    assert not panel.rubric_only


def test_a_judge_of_ones_own(find, tmp_path, monkeypatch):
    (tmp_path / "my_judges_here.py").write_text("def never(question): ...")
    monkeypatch.syspath_prepend(tmp_path)
    assert find("my_judges_here:never").judges[0].name == "my_judges_here:never"


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("", "lacks a name"),
        ("rubric,", "lacks a name"),
        (" , ", "lacks a name"),
        ("rubric,rubric", "'rubric' is named twice"),
        ("openai/gpt-4o,strict,openai/gpt-4o", "--ggb-judge-votes"),
        ("no_such_module_here:judge", "cannot be loaded"),
        ("nosuch/model", "nosuch/model"),
        ("script", "script"),
        ("nothing", "judges.nothing] needs a model"),
        ("tiny", "token_budget 5 "),
        ("text", "judges.text] needs a model"),
        ("lost", "api_base 'localhost' is no URL"),
        ("gift", "input_cost_per_token -1 "),
        ("flat", "params 3 "),
    ],
)
def test_nonsense_is_refused_in_one_line(find, spec, why):
    with pytest.raises(UserError) as caught:
        find(spec)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_model_without_its_key_is_refused(find, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(UserError, match="OPENAI_API_KEY"):
        find("openai/gpt-4o")


def test_a_broken_pyproject_is_named(find, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool")
    with pytest.raises(UserError, match=r"pyproject\.toml cannot be read"):
        find("openai/gpt-4o")


def test_the_rubric_needs_no_llm_library(tmp_path):
    code = f"""
import sys
from pathlib import Path
from pytest_gitgoodbench.judging.ask import judge_histories
from pytest_gitgoodbench.judging.resolve import resolve
from pytest_gitgoodbench.settings import Settings
from tests.support.histories import GOOD, NOISE
panel = resolve(
    None, agent_kind="python", agent_model=None, settings=Settings(), cache_dir=Path({str(tmp_path)!r})
)
assert judge_histories(panel.judges, GOOD, NOISE, language="python", scenario="rebase").score == 1
print(sorted({{"litellm", "openai", "httpx", "jsonschema"}} & set(sys.modules)))
"""
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
