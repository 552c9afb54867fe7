"""The table of docs/robustness.md names tests that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", (ROOT / "docs" / "robustness.md").read_text("utf-8"))


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_it_is_there(file, test):
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_hostile_and_odd_case_is_named():
    named = set(NAMED)
    for folder in ("hostile", "odd"):
        for path in sorted((ROOT / "tests" / folder).glob("test_*.py")):
            for node in ast.parse(path.read_text("utf-8")).body:
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                    assert (str(path.relative_to(ROOT)), node.name) in named
