"""Files in `.git` that an agent can write and we read: any bytes in them end in a verdict, never in a crash.

A crash would be an infrastructure error, and an agent that is about to fail could choose it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_gitgoodbench.git.messages import message_of, subject
from pytest_gitgoodbench.git.objects import parse_commit
from pytest_gitgoodbench.repos.result import read_result
from pytest_gitgoodbench.runs import attempts
from pytest_gitgoodbench.scenarios.base import ToolError
from tests.hostile.conftest import Arena, Workspace
from tests.support.fuzzing import bounded, damaged

FILES = (
    "index", "HEAD", "packed-refs", "refs/heads/main", "config", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE",
    "ORIG_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD", "BISECT_LOG", "shallow", "commondir", "gitdir", "config.worktree",
    "info/attributes", "info/exclude", "info/grafts", "info/sparse-checkout", "objects/info/commit-graph",
    "objects/info/packs", "objects/info/alternates", "objects/pack/multi-pack-index", "rebase-merge/git-rebase-todo",
    "rebase-merge/onto", "rebase-merge/done", "rebase-apply/applying", "sequencer/todo", "logs/HEAD", "index.lock",
    "packed-refs.lock", "refs/replace/x", "reftable/tables.list", "rr-cache/x/preimage", "worktrees/x/gitdir",
)  # fmt: skip
LINES = st.sampled_from(
    [
        b"ref: refs/heads/main", b"ref: HEAD", b"ref: refs/heads/", b"ref:", b"ref: refs/../../x", b"ref: refs/heads/\0",
        b"a" * 40, b"0" * 40, b"b" * 64, b"A" * 40, b"# pack-refs with: peeled fully-peeled sorted ", b"^" + b"c" * 40,
        b"d" * 40 + b" refs/heads/main", b" ", b" refs/heads/main", b"[core]", b"\tbare = true", b"\tworktree = /",
        b"[extensions]\n\tobjectFormat = sha256\n\trefStorage = reftable", b"[include]\n\tpath = /dev/zero",
        b"DIRC\0\0\0\2\0\0\0\1", b"DIRC\0\0\0\4\xff\xff\xff\xff", b"* filter=x", b"\xff\xfe", b"\r", b"pick " + b"e" * 40,
    ]
)  # fmt: skip
CONTENT = st.binary(max_size=200) | st.lists(LINES | st.binary(max_size=20), max_size=8).map(b"\n".join)


class Bench:
    """One prepared and one solved workspace of each scenario, copied for each example."""

    def __init__(self, folder: Path) -> None:
        self.arena = Arena(folder)
        self.prepared = {}
        self.kept: dict[str, list[Path]] = {}
        for scenario in ("merge", "rebase", "commit"):
            made = attempts.prepare(
                self.arena.task(scenario), self.arena.cache, folder / scenario / "workspace"
            )
            fresh, done = folder / scenario / "fresh", folder / scenario / "done"
            shutil.copytree(made.workspace.path, fresh)
            workspace = Workspace(made.workspace.path)
            if scenario == "merge":
                workspace.solve()
            elif scenario == "commit":
                workspace.git("commit", "-q", "-m", "All")
            else:
                workspace.git("commit", "-q", "--amend", "-m", "Another message")
            shutil.copytree(made.workspace.path, done)
            self.prepared[scenario] = made
            self.kept[scenario] = [fresh, done]
        self.folder = folder

    def restored(self, scenario: str, done: bool) -> Workspace:
        path = self.prepared[scenario].workspace.path
        _remove(path)
        shutil.copytree(self.kept[scenario][done], path)
        return Workspace(path)

    def evaluation(self, scenario: str) -> Any:
        made = self.prepared[scenario]
        scratch = self.folder / "scratch"
        _remove(scratch)
        scratch.mkdir()
        result = read_result(made.workspace.path, made.store, scratch, made.start, made.templates)
        found = made.scenario.evaluate(made.task.sample, result, made.store)
        assert found.checks
        # All of it goes into results.jsonl and the report.
        told = [
            [(check.name, check.passed, check.detail) for check in found.checks],
            dict(found.metrics),
            found.patch,
        ]
        json.dumps([told, list(found.log), result.staged(), result.unmerged, result.in_progress]).encode(
            "utf-8"
        )
        return found


def _remove(path: Path) -> None:
    if path.exists():
        shutil.rmtree(path)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    yield Bench(tmp_path_factory.mktemp("bench"))


def write(workspace: Workspace, name: str, content: bytes) -> None:
    path = workspace.dot_git / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


SCENARIOS = st.sampled_from(["merge", "rebase", "commit"])


def test_what_is_not_touched_has_its_verdict(bench: Bench) -> None:
    """Else the tests below would show nothing."""
    for scenario in ("merge", "rebase", "commit"):
        bench.restored(scenario, True)
        assert all(check.passed for check in bench.evaluation(scenario).checks)
    for scenario in ("merge", "commit"):
        bench.restored(scenario, False)
        assert not all(check.passed for check in bench.evaluation(scenario).checks)


@bounded(40)
@given(SCENARIOS, st.booleans(), st.dictionaries(st.sampled_from(FILES), CONTENT, min_size=1, max_size=3))
def test_any_bytes_in_any_file(bench: Bench, scenario: str, done: bool, files: dict[str, bytes]) -> None:
    workspace = bench.restored(scenario, done)
    for name, content in files.items():
        write(workspace, name, content)
    found = bench.evaluation(scenario)
    if not done and scenario != "rebase":
        assert not all(check.passed for check in found.checks), "nothing was done"


@bounded(40)
@given(st.data(), SCENARIOS, st.booleans())
def test_files_that_are_nearly_right(bench: Bench, data: st.DataObject, scenario: str, done: bool) -> None:
    workspace = bench.restored(scenario, done)
    there = sorted(
        str(path.relative_to(workspace.dot_git)) for path in workspace.dot_git.rglob("*") if path.is_file()
    )
    name = data.draw(st.sampled_from(there))
    path = workspace.dot_git / name
    content = data.draw(damaged(path.read_bytes()))
    path.unlink()
    path.write_bytes(content)
    found = bench.evaluation(scenario)
    if not done and scenario != "rebase":
        assert not all(check.passed for check in found.checks), "nothing was done"


HEADERS = st.sampled_from(
    [
        b"tree " + b"0" * 40, b"tree x", b"parent " + b"1" * 40, b"parent", b"author A <a@b> 1 +0000", b"author",
        b"committer A <a@b> 99999999999999999999 +9999", b"encoding utf-16", b"encoding idna", b"encoding undefined",
        b"encoding a\0b", b"encoding unicode_escape", b"encoding utf-7", b"encoding rot13", b"encoding \xff", b"encoding",
        b"gpgsig -----BEGIN\n x\n -----END", b"mergetag x", b"HG:extra x", b"\0",
    ]
)  # fmt: skip
BODIES = st.binary(max_size=60) | st.sampled_from(
    [b"\\ud800", b"+2AA-", b"a\0b", b"\xff\xfe\x00\xd8", b"xn--\xff"]
)
COMMITS = st.binary(max_size=200) | st.builds(
    lambda headers, body: b"\n".join(headers) + b"\n\n" + body, st.lists(HEADERS, max_size=8), BODIES
)


@bounded(300)
@given(COMMITS)
def test_any_bytes_are_a_commit_whose_message_can_be_shown(content: bytes) -> None:
    found = parse_commit(content)
    found.message.encode("utf-8")
    assert "\0" not in found.message
    message_of(content)
    subject(message_of(content)).encode("utf-8")


@bounded(20)
@given(st.lists(HEADERS.filter(lambda line: not line.startswith((b"tree", b"parent"))), max_size=5), BODIES)
def test_commits_with_odd_headers_get_a_verdict(bench: Bench, headers: list[bytes], body: bytes) -> None:
    workspace = bench.restored("commit", False)
    tree, head = workspace.git("write-tree"), workspace.git("rev-parse", "HEAD")
    who = b"A <a@example.invalid> 1735689600 +0000"
    standard = [b"tree " + tree.encode(), b"parent " + head.encode(), b"author " + who, b"committer " + who]
    text = b"\n".join([*standard, *headers]) + b"\n\n" + body
    commit = workspace.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", text=text)
    write(workspace, "refs/heads/main", commit.encode() + b"\n")
    found = bench.evaluation("commit")
    for history in found.histories or ():
        for entry in history:
            entry.message.encode("utf-8")


# -- the tools, beside an agent that writes there ----------------------------------------------------------

CALLS: dict[str, list[tuple[str, dict[str, object]]]] = {
    "merge": [
        ("list_conflicts", {}),
        ("show_conflict", {"conflict": 0}),
        ("resolve_conflict", {"conflict": 0, "text": "two\n"}),
        ("finish_merge", {"message": "Merge"}),
    ],
    "rebase": [
        ("show_commits", {}),
        ("set_todo", {"todo": [{"commit": n, "command": "pick"} for n in (0, 1, 2)]}),
        ("run_rebase", {}),
    ],
    "commit": [
        ("list_hunks", {}),
        ("show_hunks", {"ids": [1]}),
        ("commit_hunks", {"ids": [1], "message": "One"}),
        ("commit_rest", {"message": "Rest"}),
    ],
}


@bounded(30)
@given(
    SCENARIOS,
    st.dictionaries(st.sampled_from(FILES), CONTENT, min_size=1, max_size=2),
    st.integers(0, 3),
)
def test_tools_refuse_what_they_cannot_read(
    bench: Bench, scenario: str, files: dict[str, bytes], when: int
) -> None:
    workspace = bench.restored(scenario, False)
    made = bench.prepared[scenario]
    tools = {tool.name: tool for tool in made.scenario.tools(made.task.sample, made.workspace)}
    for step, (name, arguments) in enumerate(CALLS[scenario]):
        if step == when:
            for file, content in files.items():
                write(workspace, file, content)
        try:
            answer = tools[name].call(**arguments)
        except ToolError as why:
            answer = str(why)
        assert answer.encode("utf-8")
    bench.evaluation(scenario)


def test_the_calls_are_right(bench: Bench) -> None:
    """Without anything written in between, the calls above do their work."""
    for scenario, calls in CALLS.items():
        bench.restored(scenario, False)
        made = bench.prepared[scenario]
        tools = {tool.name: tool for tool in made.scenario.tools(made.task.sample, made.workspace)}
        for name, arguments in calls:
            tools[name].call(**arguments)
        assert os.path.lexists(made.workspace.path / ".git")
