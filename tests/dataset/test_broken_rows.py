"""Rows that are wrong in one place: refused in one line that names row and field, before git sees anything."""

from __future__ import annotations

import ast
import datetime
import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from pytest_gitgoodbench.dataset.rows import samples_of
from pytest_gitgoodbench.errors import UserError
from tests.dataset.test_rows import chain_row, merge_row, refused

Row = dict[str, Any]
MAKERS: dict[str, Callable[..., Row]] = {"merge": merge_row, "chain": chain_row}

# What each kind of row cannot do without.
COLUMNS = ("id", "name", "programming_language", "sample_type", "scenario")
PARTS = {
    "merge": ("merge_commit_hash", "parents"),
    "chain": ("file", "times_seen_consecutively", "newest_commit", "oldest_commit"),
}
EVERY_PART = {
    "merge": (*PARTS["merge"], "files_in_merge_conflict", "total_number_of_merge_conflicts"),
    "chain": (*PARTS["chain"], "branch", "purity"),
}
FORMS: dict[str, Callable[[Row], object]] = {"decoded": dict, "literal": repr, "json": json.dumps}


def nested(depth: int, make: Callable[[object], object]) -> object:
    """A value far deeper than Python can print."""
    value: object = "x"
    for _ in range(depth):
        value = make(value)
    return value


DEEP_LIST = nested(100_000, lambda inner: [inner])
DEEP_MAPPING = nested(100_000, lambda inner: {"a": inner})

# None of them is a value of any field.
NEVER = {
    "an option": "--upload-pack=touch canary",
    "NUL": "a\0b",
    "a lone surrogate": "\ud800",
    "a terminal escape": "\x1b]0;owned\x07",
    "far too long": "../" * 200_000,
    "bytes": b"\xff\xfe",
    "a mapping": {"a": 1},
    "a list of lists": [[1]],
    "a deep list": DEEP_LIST,
    "a deep mapping": DEEP_MAPPING,
    "a number of 6000 digits": 10**6000,
    "a negative number": -(10**30),
    "infinity": float("inf"),
    "not a number": float("nan"),
    "a signalling NaN": Decimal("sNaN"),
    "a date": datetime.date(1, 1, 1),
}


def changed(row: Row, **parts: object) -> Row:
    """The row with its `scenario` decoded and parts of it replaced."""
    return {**row, "scenario": {**ast.literal_eval(row["scenario"]), **parts}}


@pytest.mark.parametrize("value", NEVER.values(), ids=NEVER)
@pytest.mark.parametrize("kind", MAKERS)
def test_every_part_of_the_scenario(kind: str, value: object) -> None:
    for part in EVERY_PART[kind]:
        if part in ("file", "branch") and value == NEVER["an option"]:
            continue  # a file can have this name, and a branch's is only shown
        message = refused(changed(MAKERS[kind](), **{part: value}))
        assert f"owner_repo_0003: scenario.{part}: " in message


@pytest.mark.parametrize("value", NEVER.values(), ids=NEVER)
@pytest.mark.parametrize("column", COLUMNS)
def test_every_column(column: str, value: object) -> None:
    assert f": {column}" in refused(merge_row(**{column: value}))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", MAKERS)
def test_a_part_that_is_missing_or_null(kind: str, form: str) -> None:
    for part in PARTS[kind]:
        row = MAKERS[kind]()
        whole = ast.literal_eval(row["scenario"])
        without = {name: value for name, value in whole.items() if name != part}
        for scenario in (without, {**whole, part: None}):
            message = refused({**row, "scenario": FORMS[form](scenario)})
            assert f"owner_repo_0003: scenario.{part}: None" in message


@pytest.mark.parametrize("kind", MAKERS)
def test_the_scenario_of_the_other_kind(kind: str) -> None:
    other = "chain" if kind == "merge" else "merge"
    assert "owner_repo_0003: scenario." in refused(
        {**MAKERS[kind](), "scenario": MAKERS[other]()["scenario"]}
    )


@pytest.mark.parametrize(
    "name",
    [
        "ext::sh -c touch% canary", "ext::sh/x", "fd::17/x", "file:///etc/x", "git@host:owner/repo", "owner\\repo",
        "owner/re po", "owner/repo?x", "owner/repo#x", "owner/{name}", "owner/repo/", "/owner/repo", "owner/-x",
        "owner/.", "../../etc", "owner/..", "owner/repo.git", "öwner/repo", "owner/repo\x00", "owner/%2e%2e",
    ],
)  # fmt: skip
def test_names_that_git_or_a_url_would_read_otherwise(name: str) -> None:
    assert "owner_repo_0003: name: " in refused(merge_row(name=name))


@pytest.mark.parametrize(
    "path",
    [
        "..", ".", "./a", "a/.", "a/..", "../../.ssh/id", "/", "//a", "a//b", ".git", ".GIT/config", "sub/.git/hooks/x",
        "a\rb", "a\x85b", "a\x7fb",
    ],
)  # fmt: skip
def test_paths_that_leave_the_repository_or_name_its_own_files(path: str) -> None:
    assert "scenario.file: " in refused(changed(chain_row(), file=path))
    assert "scenario.files_in_merge_conflict: " in refused(
        changed(merge_row(), files_in_merge_conflict=["fine", path])
    )


@pytest.mark.parametrize(
    "path", ["-x", "--all", ":(top)x", "*", "a b", " a", "a'\"b", "ü/e\u0301", "..x", "a.git"]
)
def test_paths_that_only_look_odd_are_paths(path: str) -> None:
    (sample,) = samples_of([changed(chain_row(), file=path)])
    assert getattr(sample.detail, "file", None) == path


@pytest.mark.parametrize(
    "text", ["{'a': " * 101 + "1" + "}" * 101, '{"a":' * 5000 + "1" + "}" * 5000, "[" * 90 + "]" * 90]
)
def test_deep_nesting_as_text(text: str) -> None:
    assert "owner_repo_0003: scenario" in refused({**merge_row(), "scenario": text})


def test_deep_nesting_within_a_field_as_text() -> None:
    text = json.dumps(ast.literal_eval(chain_row()["scenario"]))  # type: ignore[arg-type]
    for depth in (50, 99, 100, 50_000):
        deep = text.replace(
            '"times_seen_consecutively": 3', f'"times_seen_consecutively": {"[" * depth}{"]" * depth}'
        )
        assert deep != text
        assert "owner_repo_0003: scenario" in refused({**chain_row(), "scenario": deep})


@pytest.mark.parametrize("digits", [400, 6000])
@pytest.mark.parametrize("write", [repr, json.dumps])
@pytest.mark.parametrize(
    ("kind", "part"), [("chain", "times_seen_consecutively"), ("merge", "total_number_of_merge_conflicts")]
)
def test_a_number_of_many_digits_as_text(
    kind: str, part: str, write: Callable[[object], str], digits: int
) -> None:
    text = write(ast.literal_eval(MAKERS[kind]()["scenario"]))
    huge = re.sub(rf"(?<={part}.: )\d+", "9" * digits, text)
    assert len(huge) > digits
    assert "owner_repo_0003: scenario" in refused({**MAKERS[kind](), "scenario": huge})


@pytest.mark.parametrize("value", NEVER.values(), ids=NEVER)
def test_other_columns_are_kept_whatever_they_hold(value: object) -> None:
    if isinstance(value, str) and len(value) > 1000:
        value = value[:1000]
    (sample,) = samples_of([merge_row(topics=value)])
    json.dumps(sample.metadata["topics"])


def test_a_row_is_refused_for_its_first_fault_only_and_other_rows_for_theirs() -> None:
    wrong = [
        merge_row(id="one", name="--x/y", programming_language="cobol"),
        chain_row(id="two", newest_commit="--exec=x"),
        merge_row(id="three"),
        merge_row(id="three"),
        ["no", "row"],
        None,
    ]
    with pytest.raises(UserError) as caught:
        samples_of(wrong)  # type: ignore[arg-type]
    problems = str(caught.value).partition(" its rules: ")[2].split("; ")
    assert [problem.split(": ")[:2] for problem in problems] == [
        ["one", "name"],
        ["two", "scenario.newest_commit"],
        ["three", "id"],
        ["row 5", "row"],
        ["row 6", "row"],
    ]
