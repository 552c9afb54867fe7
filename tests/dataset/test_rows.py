"""Rows are untrusted: each rule refuses what breaks it, and nothing else ever comes out of the parser."""

from __future__ import annotations

import ast
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_gitgoodbench.dataset.rows import samples_of
from pytest_gitgoodbench.dataset.sample import DIFFICULTIES, LANGUAGES, Chain, Merge, Sample
from pytest_gitgoodbench.errors import UserError

A, B, C = "a" * 40, "b" * 40, "c" * 40


def merge_row(**changes: object) -> dict[str, object]:
    """A valid merge row; a change that names a field of `scenario` goes there."""
    scenario: dict[str, object] = {
        "merge_commit_hash": A,
        "parents": [B, C],
        "number_of_files_with_merge_conflict": 1,
        "total_number_of_merge_conflicts": 2,
        "files_in_merge_conflict": ["src/it's.py"],
    }
    return _row("merge", scenario, changes)


def chain_row(**changes: object) -> dict[str, object]:
    """The same for a chain."""
    scenario: dict[str, object] = {
        "file": "src/a b.py",
        "branch": "main",
        "times_seen_consecutively": 3,
        "purity": 0.8,
        "newest_commit": A,
        "oldest_commit": B,
    }
    return _row("file_commit_chain", scenario, changes)


def _row(kind: str, scenario: dict[str, object], changes: dict[str, object]) -> dict[str, object]:
    scenario.update({key: changes.pop(key) for key in list(changes) if key in scenario})
    return {
        "id": "owner_repo_0003",
        "name": "owner/repo",
        "programming_language": "python",
        "scenario": repr(scenario),
        "sample_type": kind,
        "difficulty": "easy",
        **changes,
    }


def refused(*rows: object) -> str:
    with pytest.raises(UserError) as caught:
        samples_of(rows)  # type: ignore[arg-type]
    message = str(caught.value)
    assert message.isprintable()  # one line, no terminal escapes
    assert len(message) < 4000
    return message


def test_python_literal_json_and_mapping_give_the_same_sample() -> None:
    literal = merge_row()
    decoded = {
        "merge_commit_hash": A.upper(),
        "parents": [B, C],
        "number_of_files_with_merge_conflict": 1,
        "total_number_of_merge_conflicts": 2,
        "files_in_merge_conflict": ["src/it's.py"],
    }
    as_json, as_mapping = {**literal, "scenario": json.dumps(decoded)}, {**literal, "scenario": decoded}
    (first,), (second,), (third,) = (samples_of([row]) for row in (literal, as_json, as_mapping))
    assert first == second == third
    assert first.detail == Merge(A, (B, C), ("src/it's.py",), 2)


def test_chain_and_sha256() -> None:
    newest, oldest = "d" * 64, "E" * 64
    (sample,) = samples_of([chain_row(newest_commit=newest, oldest_commit=oldest)])
    assert sample.detail == Chain("src/a b.py", 3, newest, oldest.lower(), "main", 0.8)


BAD_HASHES = ("--upload-pack=touch x", "a" * 39, "g" * 40, f"{A}\n", "HEAD", "", None, 5, [A])
BAD_PATHS = (
    "/etc/passwd", "../x", "a/../../x", "a//b", "a/", ".git/config", "x/.GIT/hooks", "a\0b", "a\x1b[2Jb", "a\nb",
    "", "x" * 5000, "\ud800", None, 7, ["a"],
)  # fmt: skip


@pytest.mark.parametrize("value", BAD_HASHES)
@pytest.mark.parametrize("field", ["merge_commit_hash", "newest_commit", "oldest_commit"])
def test_hash(field: str, value: object) -> None:
    row = (merge_row if field == "merge_commit_hash" else chain_row)(**{field: value})
    assert f"owner_repo_0003: scenario.{field}: " in refused(row)


@pytest.mark.parametrize("value", BAD_PATHS)
def test_path(value: object) -> None:
    assert "owner_repo_0003: scenario.file: " in refused(chain_row(file=value))
    assert "scenario.files_in_merge_conflict: " in refused(merge_row(files_in_merge_conflict=[value]))


@pytest.mark.parametrize(
    "parents", [[B], [B, C, "d" * 40], B, None, {B: C}, [B, B], [A, B], [B, "d" * 64], [B, "--exec=x"]]
)
def test_parents(parents: object) -> None:
    assert "scenario.parents: " in refused(merge_row(parents=parents))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", None), ("id", ""), ("id", 3), ("id", "../x"), ("id", "a b"), ("id", "-x"), ("id", "x" * 201),
        ("id", "x]"), ("id", "x\n"), ("id", "x-trial2"), ("name", "ext::sh -c touch% x"), ("name", "repo"),
        ("name", "a/b/c"), ("name", "-a/b"), ("name", "../b"), ("name", "a/.."), ("name", "a/b.git"),
        ("name", "a/.GIT"), ("name", None), ("name", "a/b\n"), ("name", "x" * 101 + "/b"),
        ("name", "https://a/b"), ("programming_language", "cobol"), ("programming_language", None),
        ("programming_language", 10**5000), ("sample_type", "rebase"), ("sample_type", None),
        ("sample_type", ["merge"]), ("difficulty", "brutal"), ("difficulty", 3), ("scenario", None),
        ("scenario", ""), ("scenario", "[]"), ("scenario", 3), ("scenario", "{'a'"), ("scenario", "{" * 200_000),
        ("scenario", "-" * 100_000 + "1"), ("scenario", "1" + "+1" * 100_000), ("scenario", "'" + "\\'" * 100_000),
        ("scenario", "x" * 2_000_000), ("scenario", "__import__('os').system('touch x')"),
        ("scenario", "not " * 50_000 + "1"), ("scenario", "{'a': 1 if 1 else 2}"), ("topics", "x" * 2_000_000),
    ],
    ids=lambda value: repr(value)[:20] if not isinstance(value, int) else "number",
)  # fmt: skip
def test_column(field: str, value: object) -> None:
    assert f": {field}" in refused(merge_row(**{field: value})).replace("'topics'", "topics")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("times_seen_consecutively", value) for value in (0, -1, None, "x", 1.5, True, 10**400, float("nan"), 1001)
    ]
    + [("purity", value) for value in (-0.1, 1.1, "x", [1], 10**5000)]
    + [("branch", value) for value in (3, "a\x1bb", "x" * 1001)],
    ids=lambda value: "number" if isinstance(value, int) else None,
)  # fmt: skip
def test_chain_number(field: str, value: object) -> None:
    row = chain_row()
    scenario = {
        "file": "f",
        "times_seen_consecutively": 2,
        "newest_commit": A,
        "oldest_commit": B,
        field: value,
    }
    assert f"scenario.{field}: " in refused({**row, "scenario": scenario})


@pytest.mark.parametrize("missing", ["id", "name", "programming_language", "scenario", "sample_type"])
def test_missing_column(missing: str) -> None:
    row = merge_row()
    del row[missing]
    assert f": {missing}: " in refused(row)


def test_all_bad_rows_are_counted_and_ten_are_listed() -> None:
    rows = [merge_row(id=f"row_{number}", name="broken") for number in range(12)]
    message = refused(merge_row(), *rows, {"id": "../x"}, "no row")
    assert "14 rows break its rules" in message
    assert "row_9: name" in message
    assert "row_10" not in message
    assert "and 4 more" in message


def test_duplicate_id() -> None:
    assert "owner_repo_0003: id: is there twice" in refused(merge_row(), merge_row())


@pytest.mark.parametrize("identifier", ["NA", "None", "nan"])
def test_words_for_nothing_are_ids_like_others(identifier: str) -> None:
    assert samples_of([merge_row(id=identifier)])[0].id == identifier


@pytest.mark.parametrize("nothing", [None, "", "None", "NaN", float("nan")])
@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (merge_row(total_number_of_merge_conflicts=1), "easy"),
        (merge_row(total_number_of_merge_conflicts=2), "medium"),
        (merge_row(files_in_merge_conflict=["a", "b"]), "hard"),
        (merge_row(files_in_merge_conflict=[], number_of_files_with_merge_conflict=2), "hard"),
        (chain_row(purity=1), "easy"),
        (chain_row(purity=0.75), "medium"),
        (chain_row(purity=0.5), "hard"),
    ],
)
def test_difficulty_is_derived(row: dict[str, object], expected: str, nothing: object) -> None:
    assert samples_of([{**row, "difficulty": nothing}])[0].difficulty == expected


@pytest.mark.parametrize(
    "row",
    [
        merge_row(total_number_of_merge_conflicts=None),
        merge_row(total_number_of_merge_conflicts=0),
        merge_row(files_in_merge_conflict=["a", "b"], total_number_of_merge_conflicts=1),
        merge_row(files_in_merge_conflict=[], number_of_files_with_merge_conflict=None),
        chain_row(purity=None),
        chain_row(purity=0.4),
    ],
)
def test_difficulty_that_cannot_be_derived_is_refused(row: dict[str, object]) -> None:
    assert "owner_repo_0003: difficulty: is missing" in refused({**row, "difficulty": ""})


# -- fuzz ----------------------------------------------------------------------------------------------

# A busy machine is no finding.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
_leaf = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.just(A)
_anything = st.recursive(
    _leaf, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)
_columns = ("id", "name", "programming_language", "scenario", "sample_type", "difficulty", "topics")
_parts = (
    "merge_commit_hash", "parents", "number_of_files_with_merge_conflict", "total_number_of_merge_conflicts",
    "files_in_merge_conflict", "file", "branch", "times_seen_consecutively", "purity", "newest_commit",
)  # fmt: skip


def _sample_or_problem(row: object) -> None:
    try:
        (sample,) = samples_of([row])  # type: ignore[list-item]
    except UserError as error:
        assert "1 row breaks its rules" in str(error)
        assert "\n" not in str(error)
    else:
        assert isinstance(sample, Sample)


@patient
@given(_anything | st.dictionaries(st.sampled_from(_columns) | st.text(), _anything))
def test_any_row(row: object) -> None:
    _sample_or_problem(row)


@patient
@given(
    st.sampled_from([merge_row, chain_row]), st.dictionaries(st.sampled_from(_columns + _parts), _anything)
)
def test_a_good_row_with_any_changes(make: object, changes: dict[str, object]) -> None:
    row = make()  # type: ignore[operator]
    scenario = {
        **ast.literal_eval(row["scenario"]),
        **{key: changes[key] for key in changes if key in _parts},
    }
    outer = {key: changes[key] for key in changes if key in _columns}
    _sample_or_problem({**row, "scenario": scenario, **outer})
    _sample_or_problem({**row, "scenario": repr(scenario), **outer})


@patient
@given(st.text(alphabet="{}[]()'\"\\,:+-1eE. NonetrueA", max_size=300))
def test_any_scenario_text(text: str) -> None:
    _sample_or_problem({**merge_row(), "scenario": text})


_hashes = st.lists(st.text("0123456789abcdef", min_size=40, max_size=40), min_size=3, max_size=3, unique=True)
_segment = st.text(
    st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="/"), min_size=1, max_size=20
)
_path = st.lists(
    _segment.filter(lambda part: part.lower() not in (".", "..", ".git")), min_size=1, max_size=4
).map("/".join)


@st.composite
def _samples(draw: st.DrawFn) -> Sample:
    first, second, third = draw(_hashes)
    detail = draw(
        st.builds(
            Merge, st.just(first), st.just((second, third)), st.lists(_path).map(tuple), st.none() | st.integers(0, 99)
        )
        | st.builds(
            Chain, _path, st.integers(1, 50), st.just(first), st.just(second), st.none() | _segment,
            st.none() | st.floats(0, 1),
        )
    )  # fmt: skip
    identifier = draw(st.from_regex(r"[a-z0-9][a-z0-9_]{0,20}", fullmatch=True))
    metadata = draw(
        st.dictionaries(st.sampled_from(["license", "topics"]), st.text(min_size=1) | st.integers())
    )
    return Sample(
        identifier,
        "owner/repo",
        draw(st.sampled_from(LANGUAGES)),
        draw(st.sampled_from(DIFFICULTIES)),
        detail,
        metadata,
    )


@patient
@given(_samples(), st.sampled_from([repr, json.dumps, dict]))
def test_a_sample_survives_its_row(sample: Sample, write: object) -> None:
    detail = sample.detail
    if isinstance(detail, Merge):
        scenario: dict[str, object] = {
            "merge_commit_hash": detail.merge_commit,
            "parents": list(detail.parents),
            "files_in_merge_conflict": list(detail.files),
            "total_number_of_merge_conflicts": detail.conflicts,
        }
    else:
        scenario = {
            "file": detail.file,
            "branch": detail.branch,
            "times_seen_consecutively": detail.length,
            "purity": detail.purity,
            "newest_commit": detail.newest_commit,
            "oldest_commit": detail.oldest_commit,
        }
    row = {
        "id": sample.id,
        "name": sample.name,
        "programming_language": sample.language,
        "scenario": write(scenario),  # type: ignore[operator]
        "sample_type": sample.sample_type,
        "difficulty": sample.difficulty,
        **sample.metadata,
    }
    assert samples_of([row]) == (sample,)
