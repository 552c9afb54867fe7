"""An agent that forbids us its workspace is unsolved: else it could choose an error over a failure."""

from __future__ import annotations

import sys
from collections import Counter
from xml.etree import ElementTree

import pytest

from tests.support.upstream import obeying_permissions

AGENT = """
import json
import os

import pytest

from pytest_gitgoodbench.agents.calls import Call, carry_out

PLACES = {
    "workspace": (".", 0), "only searched": (".", 0o100), "only listed": (".", 0o400), ".git": (".git", 0),
    ".git without search": (".git", 0o600), "refs": (".git/refs", 0), "objects": (".git/objects", 0),
    "objects without search": (".git/objects", 0o600), "index": (".git/index", 0), "HEAD": (".git/HEAD", 0),
    "config": (".git/config", 0), "rebase": (".git/rebase-merge", 0),
}

ARGUMENTS = {
    "set_todo": {"todo": [{"commit": n, "command": "pick"} for n in range(20)]}, "show_conflict": {"conflict": 0},
    "resolve_conflict": {"conflict": 0, "text": "x"}, "show_hunks": {"ids": [1]},
    "commit_hunks": {"ids": [1], "message": "One"}, "commit_rest": {"message": "Rest"},
    "finish_merge": {"message": "Merge"}, "show_commit": {"commit": 0},
}


def forbids(place, first):
    def agent(attempt):
        if first:
            len(attempt.tools)
        path, mode = PLACES[place]
        path = attempt.workspace / path
        if path.name == "rebase-merge":
            path.mkdir()
        path.chmod(mode)
        try:
            tools = {tool.name: tool for tool in attempt.tools}
        except Exception as error:
            if first:
                raise
            return
        for name in tools:
            answer, _ = carry_out(tools, Call("1", name, json.dumps(ARGUMENTS.get(name, {}))))
            assert answer

    return agent


def pytest_gitgoodbench_agents(config):
    return {f"forbids {place}{' late' * late}": forbids(place, late) for place in PLACES for late in (True, False)}


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    # So that others can remove it.
    for place in session.config._tmp_path_factory.getbasetemp().glob("*/workspace"):
        place.chmod(0o755)
        if (place / ".git").is_dir():
            (place / ".git").chmod(0o755)
            for path in (place / ".git").iterdir():
                path.chmod(0o755)
"""

PLACES = (
    "workspace", "only searched", "only listed", ".git", ".git without search", "refs", "objects",
    "objects without search", "index", "HEAD", "config", "rebase",
)  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_a_workspace_that_cannot_be_read_is_unsolved(pytester, demo_cache, place):
    pytester.makeconftest(AGENT)
    xml = pytester.path / "junit.xml"
    for late in (" late", ""):
        result = pytester.run(
            *obeying_permissions(), sys.executable, "-m", "pytest", "-p", "no:randomly", "--ggb-dataset=demo",
            f"--ggb-agent=forbids {place}{late}", "--ggb-limit=3", "--ggb-language=python",
            f"--ggb-cache-dir={demo_cache}", f"--ggb-out=run{late}", f"--junitxml={xml}",
            f"--basetemp={pytester.path / f'base{late}'}",
        )  # fmt: skip
        text = result.stdout.str()
        found = Counter(child.tag for case in ElementTree.parse(xml).iter("testcase") for child in case)
        assert found["failure"] and not found["error"], text
        assert "infrastructure" not in text
