"""Conflict markers, todo lists and paths against git itself, and dataset files with damage."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_gitgoodbench.dataset.load import load
from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.git import environment, todo, worktree
from pytest_gitgoodbench.git.conflicts import MarkersError, Region, parse, render
from pytest_gitgoodbench.git.worktree import PathError
from pytest_gitgoodbench.scenarios import rebase_tools
from pytest_gitgoodbench.settings import Settings
from tests.dataset.test_load import rows, table
from tests.support.fuzzing import bounded, damaged
from tests.support.repository import Repository
from tests.support.tools import Toolkit, chain_sample

# -- conflict markers --------------------------------------------------------------------------------------

LINE = st.sampled_from(
    [b"a\n", b"b\n", b"c\n", b"\n", b"d\r\n", b"\xff\n", b"\x0c\n", b"====\n", b" <<<<<<< x\n"]
)
BASE = st.lists(LINE, min_size=1, max_size=10)
END = st.sampled_from([b"", b"no newline"])


@st.composite
def side(draw: st.DrawFn, base: list[bytes]) -> bytes:
    """One side's version: some lines of the base replaced, taken out, put in."""
    lines: list[bytes] = []
    for line in base:
        lines += draw(st.sampled_from([[line]] * 3 + [[], [b"new\n"], [line, b"more\n"], [b"x\n", b"y\n"]]))
    return b"".join(lines) + draw(END)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("place")


def merge_file(place: Path, versions: dict[str, bytes], *options: str) -> tuple[int, bytes]:
    for name, content in versions.items():
        (place / name).write_bytes(content)
    done = subprocess.run(
        ["git", "merge-file", "-p", *options, "ours", "base", "theirs"],
        cwd=place, env=environment(), capture_output=True,
    )  # fmt: skip
    assert 0 <= done.returncode < 128, done.stderr
    return done.returncode, done.stdout


@bounded(60)
@given(st.data(), BASE, st.sampled_from(["merge", "diff3", "zdiff3"]), st.sampled_from([7, 3, 12]))
def test_regions_are_what_git_merged(
    place: Path, data: st.DataObject, base: list[bytes], style: str, size: int
) -> None:
    """Taking a side of every region is what git makes with that side, and there are as many as git counts."""
    versions = {
        "base": b"".join(base) + data.draw(END),
        "ours": data.draw(side(base)),
        "theirs": data.draw(side(base)),
    }
    marks = [] if style == "merge" else [f"--{style}"]
    count, merged = merge_file(place, versions, f"--marker-size={size}", *marks)
    parts = parse(merged, size)
    assert render(parts) == merged
    regions = [part for part in parts if isinstance(part, Region)]
    assert len(regions) == count
    for region in regions:
        assert bool(region.base_marker) == (style != "merge")
    # git puts a newline before a marker that a last line without one would run into, and zdiff3 takes
    # what both sides have in common out of its regions.
    if style == "zdiff3" or not all(content.endswith(b"\n") for content in versions.values()):
        return
    for name in ("ours", "theirs"):
        chosen = b"".join(getattr(part, name) if isinstance(part, Region) else part for part in parts)
        assert chosen == merge_file(place, versions, f"--{name}")[1]


@bounded(150)
@given(damaged(b"x\n<<<<<<< HEAD\na\n||||||| base\nb\n=======\nc\n>>>>>>> topic\ny\n" * 2), st.integers(1, 9))
def test_damaged_markers_are_read_or_refused(content: bytes, size: int) -> None:
    try:
        parts = parse(content, size)
    except MarkersError as why:
        assert str(why).startswith("line ")
        return
    assert render(parts) == content


# -- todo lists --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Four commits to different files, which may be in any order."""
    made = Repository(tmp_path_factory.mktemp("chain") / "work")
    made.commit({"f": b"base\n"}, "Base")
    for number in range(4):
        made.commit({f"file {number}": b"%d\n" % number}, f"Commit {number}\n")
    made.git("branch", "start")
    return made


MESSAGE = st.sampled_from(
    ["New", "# a comment?\n\n#2", "exec touch canary", "Über\n\n\ttabs", "$(touch canary)", "-m"]
)


@st.composite
def plans(draw: st.DrawFn) -> list[dict[str, object]]:
    entries: list[dict[str, object]] = []
    for commit in draw(st.permutations(range(4))):
        command = draw(st.sampled_from(todo.COMMANDS))
        entry: dict[str, object] = {"commit": commit, "command": command}
        if command == "reword" or (command == "squash" and draw(st.booleans())):
            entry["message"] = draw(MESSAGE)
        entries.append(entry)
    kept = next((entry for entry in entries if entry["command"] != "drop"), entries[0])
    if kept["command"] not in ("pick", "reword"):
        kept["command"] = "pick"  # the first one that is kept has none to be melded into
        kept.pop("message", None)
    return entries


@bounded(20)
@given(plans())
def test_git_makes_of_a_plan_what_it_says(chain: Repository, entries: list[dict[str, object]]) -> None:
    """One commit for each group, with that group's files and message."""
    steps = todo.plan(entries, 4)
    chain.git("reset", "-q", "--hard", "start")
    call = Toolkit(rebase_tools.tools(chain_sample(4), chain.workspace))
    call("set_todo", todo=entries)
    call("run_rebase")
    groups = todo.groups(steps)
    originals = [f"Commit {number}\n".encode() for number in range(4)]
    assert chain.messages(":/^Base") == [
        todo.message(group, originals).decode().strip("\n") for group in groups
    ]
    commits = chain.git("rev-list", "--reverse", ":/^Base..HEAD").split()
    for commit, group in zip(commits, groups, strict=True):
        changed = chain.git("diff-tree", "-r", "--no-commit-id", "--name-only", commit).split("\n")
        assert changed == sorted(f"file {step.commit}" for step in group)
    assert chain.git("status", "--porcelain") == ""
    assert not list(chain.path.glob("canary"))


# -- paths -------------------------------------------------------------------------------------------------

PATH = st.lists(
    st.binary(min_size=1, max_size=12).filter(lambda part: not set(part) & {0, 47}), min_size=1, max_size=3
).map(b"/".join)


@bounded(200)
@given(PATH)
def test_a_path_that_is_shown_is_the_one_that_is_given(path: bytes) -> None:
    text = worktree.shown(path)
    assert text.isprintable()
    try:
        assert worktree.given(text) == path
    except PathError:
        parts = [part.lower() for part in path.split(b"/")]
        assert {b".", b"..", b".git"} & set(parts)


@bounded(200)
@given(st.text(st.characters(exclude_categories=()), max_size=30) | PATH.map(lambda path: f'"{path!r}"'))
def test_any_text_is_a_path_inside_or_refused(text: str) -> None:
    try:
        path = worktree.given(text)
    except PathError:
        return
    parts = path.split(b"/")
    assert b"\0" not in path
    assert all(part not in (b"", b".", b"..") and part.lower() != b".git" for part in parts)


# -- dataset files -----------------------------------------------------------------------------------------

SOME = rows()[:2] + rows()[-2:]


def as_jsonl() -> bytes:
    return b"\n".join(json.dumps(row).encode() for row in SOME)


@bounded(120)
@given(
    st.sampled_from(["csv", "tsv"]).flatmap(
        lambda form: st.tuples(st.just(form), damaged(table(SOME).encode()))
    )
    | st.tuples(st.just("jsonl"), damaged(as_jsonl()))
    | st.tuples(st.sampled_from(["csv", "tsv", "jsonl"]), st.binary(max_size=200))
)
def test_damaged_dataset_files_are_read_or_refused_in_one_line(place: Path, file: tuple[str, bytes]) -> None:
    form, content = file
    path = place / f"rows.{form}"
    path.write_bytes(content)
    try:
        found = load(Settings(dataset=str(path)))
    except UserError as error:
        assert str(error).isprintable()
        assert len(str(error)) < 3000
        return
    assert len({sample.id for sample in found.samples}) == len(found.samples) > 0


@bounded(60)
@given(
    st.lists(st.dictionaries(st.sampled_from([*SOME[0], "x"]), st.text(max_size=30), max_size=4), max_size=4)
)
def test_any_table_of_texts(place: Path, entries: list[dict[str, str]]) -> None:
    written = io.StringIO()
    writer = csv.DictWriter(written, [*SOME[0], "x"])
    writer.writeheader()
    writer.writerows(entries)
    path = place / "table.csv"
    path.write_bytes(written.getvalue().encode("utf-8", "surrogatepass"))
    with pytest.raises(UserError) as caught:
        load(Settings(dataset=str(path)))
    assert str(caught.value).isprintable()
