"""A reason names the files that differ from the ground truth."""

from __future__ import annotations

import pytest

from pytest_gitgoodbench.runs.attempts import Acted, evaluate, prepare
from pytest_gitgoodbench.scenarios.diffs import MOST_BYTES, difference
from tests.support.repository import Repository
from tests.support.upstream import Upstream

LINES = b"".join(b"line %d\n" % number for number in range(30))
CASES = {
    "changed": ({"a": b"1\n"}, "a"),
    "added": ({"b": b"1\n"}, "b"),
    "removed": ({"a": None}, "a"),
    "renamed": ({"a": None, "b": LINES}, "a, b"),
    "many": ({f"new/{number}": b"1\n" for number in range(5)}, "new/0, new/1, new/2 and 2 more"),
    "spaces and umlauts": ({"an ä": b"1\n"}, "an ä"),
    "a tab": ({"a\tb": b"1\n"}, '"a\\tb"'),
    "a newline": ({"a\nb": b"1\n"}, '"a\\nb"'),
    "binary": ({"a": bytes(range(256))}, "a"),
    "a mode": ({"a": "target"}, "a"),
    "a long patch": ({"b": b"1\n" * MOST_BYTES}, "b"),
}


@pytest.mark.parametrize("case", CASES)
def test_files_are_named(tmp_path, case):
    files, named = CASES[case]
    repository = Repository(tmp_path / "work")
    truth = repository.commit({"a": LINES})
    result = repository.commit(files)
    found = difference(repository.workspace.git, truth, result)
    assert str(found) == named
    assert found.patch.startswith("diff --git ") and len(found.patch) < MOST_BYTES + 100


def test_trees_that_cannot_be_compared(tmp_path):
    repository = Repository(tmp_path / "work")
    commit = repository.commit({"a": LINES})
    found = difference(repository.workspace.git, commit, "1" * 40)
    assert str(found) == "files that git could not compare"
    assert found.patch.startswith("(no diff: git diff-tree")


@pytest.mark.parametrize(
    ("scenario", "reason"),
    [
        ("merge", "differs from the maintainers' merge in extra.txt, file.txt"),
        ("rebase", "content was lost, changed or added on the way in extra.txt, file.txt"),
        ("commit", "content was lost, changed or added on the way in extra.txt, file.txt"),
    ],
)
def test_the_reason(tmp_path, scenario, reason):
    upstream = Upstream(tmp_path / "upstream")
    prepared = prepare(upstream.tasks[scenario], upstream.cache(tmp_path / "cache"), tmp_path / "workspace")
    for name in ("file.txt", "extra.txt"):
        (prepared.workspace.path / name).write_text("mine\n")
    prepared.workspace.git("add", "-A")
    prepared.workspace.git("commit", "-q", "-m", "Mine")
    (tmp_path / "scratch").mkdir()
    evaluation = evaluate(Acted(prepared), tmp_path / "scratch")
    assert reason in [check.detail for check in evaluation.checks if not check.passed]
    assert "-mine" not in evaluation.patch and "+mine" in evaluation.patch
