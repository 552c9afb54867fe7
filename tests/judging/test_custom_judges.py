"""Judges of one's own."""

from __future__ import annotations

import sys

import pytest

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.judging.base import Judge, Question
from pytest_gitgoodbench.judging.custom import REFERENCE, load
from tests.support.histories import GOOD, NOISE

MODULE = """
from pytest_gitgoodbench.judging.base import Opinion

def shorter(question):
    return Opinion("HISTORY-1" if len(question.first) < len(question.second) else "HISTORY-2", "shorter")

class Strict:
    name = "my strict judge"
    def __call__(self, question):
        return Opinion("TIE", "never satisfied")
    @classmethod
    def again(cls, question):
        return Opinion("TIE", "again")

class Needy:
    def __init__(self, key):
        pass

class Silent:
    pass

number = 3
"""


@pytest.fixture
def module(tmp_path, monkeypatch) -> str:
    name = f"judges_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text(MODULE)
    (tmp_path / f"{name}_broken.py").write_text("raise RuntimeError('no\\nlicence')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    return name


def test_a_function_is_a_judge(module):
    judge = load(f"{module}:shorter")
    assert isinstance(judge, Judge)
    assert judge.name == f"{module}:shorter"
    assert judge(Question(GOOD[:1], NOISE, "python", "rebase")).preferred == "HISTORY-1"


def test_a_class_is_made_and_may_name_itself(module):
    judge = load(f"{module}:Strict")
    assert judge.name == "my strict judge"
    assert judge(Question(GOOD, NOISE, "python", "rebase")).reason == "never satisfied"
    assert load(f"{module}:Strict.again")(Question(GOOD, NOISE, "python", "rebase")).reason == "again"


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ("no_such_module_at_all:judge", "No module named"),
        ("{module}:nothing", "no attribute 'nothing'"),
        ("{module}:number", "is a int, not a callable"),
        ("{module}:Silent", "is a Silent, not a callable"),
        ("{module}:Needy", "missing 1 required positional argument"),
        ("{module}_broken:judge", "RuntimeError: no licence"),
    ],
)
def test_what_cannot_be_a_judge_is_said_in_one_line(module, reference, why):
    with pytest.raises(UserError) as caught:
        load(reference.format(module=module))
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)
    assert reference.format(module=module) in str(caught.value)


@pytest.mark.parametrize("text", ["a:b", "my_pkg.judges:Strict", "a.b:c.d"])
def test_references(text):
    assert REFERENCE.match(text)


@pytest.mark.parametrize(
    "text",
    [
        "gpt-4o",
        "openai/gpt-4o",
        "ollama/llama3:latest",
        "gemma3:270m",
        "cmd:ls -l",
        "a:",
        ":b",
        "a:b\n",
        "a b:c",
    ],
)
def test_model_names_are_no_references(text):
    assert not REFERENCE.match(text)
