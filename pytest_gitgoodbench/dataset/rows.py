"""One raw row of the dataset, checked and typed; rows are untrusted input."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_gitgoodbench.dataset.sample import DIFFICULTIES, LANGUAGES, Chain, Merge, Sample
from pytest_gitgoodbench.errors import UserError

REQUIRED = ("id", "name", "programming_language", "scenario", "sample_type")
SHOWN = 10
_MOST_TEXT = 1 << 20
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}/[A-Za-z0-9_.][A-Za-z0-9_.-]{0,99}")
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class _Wrong(Exception):
    """A field that breaks the rules: (field, what is wrong)."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(field, problem)
        self.field, self.problem = field, problem


def samples_of(rows: Iterable[Mapping[str, object]]) -> tuple[Sample, ...]:
    """All rows as samples.

    Raises:
        UserError: some rows break the rules: the first ten (id, field, what is wrong) and their number.
    """
    samples: list[Sample] = []
    problems: list[str] = []
    seen: set[str] = set()
    for number, row in enumerate(rows, 1):
        place = f"row {number}"
        try:
            sample = _sample_of(row)
            place = sample.id
            if sample.id in seen:
                raise _Wrong("id", "is there twice")
        except _Wrong as wrong:
            identifier = row.get("id") if isinstance(row, Mapping) else None
            if isinstance(identifier, str) and _ID.fullmatch(identifier):
                place = identifier
            problems.append(f"{place}: {wrong.field}: {wrong.problem}")
            continue
        seen.add(sample.id)
        samples.append(sample)
    if problems:
        more = f"; and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        rows_are = "1 row breaks" if len(problems) == 1 else f"{len(problems)} rows break"
        raise UserError(f"the dataset cannot be used, {rows_are} its rules: {'; '.join(problems[:SHOWN])}{more}")
    return tuple(samples)


def _sample_of(row: Mapping[str, object]) -> Sample:
    if not isinstance(row, Mapping):
        raise _Wrong("row", "is no table row")
    identifier = _text(row, "id", _ID, "letters, digits, '_', '-', '.', at most 200")
    name = _text(row, "name", _NAME, "owner/repo")
    if any(part in (".", "..") or part.endswith(".git") for part in name.split("/")):
        raise _Wrong("name", f"{_shown(name)} is not owner/repo")
    language = str(row.get("programming_language", "")).strip().lower()
    if language not in LANGUAGES:
        raise _Wrong("programming_language", f"{_shown(language)} is not one of {', '.join(LANGUAGES)}")
    kind = row.get("sample_type")
    scenario = _decoded(row.get("scenario"))
    if kind == "merge":
        detail: Merge | Chain = _merge(scenario)
    elif kind == "file_commit_chain":
        detail = _chain(scenario)
    else:
        raise _Wrong("sample_type", f"{_shown(kind)} is neither merge nor file_commit_chain")
    metadata = {
        str(key): value
        for key, value in row.items()
        if key and str(key) not in {*REQUIRED, "difficulty", "Unnamed: 0", "index"} and value not in (None, "")
    }
    return Sample(identifier, name, language, _difficulty(row.get("difficulty"), detail, scenario), detail, metadata)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _text(row: Mapping[str, object], field: str, form: re.Pattern[str], wanted: str) -> str:
    value = row.get(field)
    if not isinstance(value, str) or not form.fullmatch(value):
        raise _Wrong(field, f"{_shown(value)} is not {wanted}")
    return value


def _decoded(value: object) -> Mapping[str, Any]:
    """`scenario` as a mapping: a Python literal as published, JSON, or decoded already. Never evaluated."""
    if isinstance(value, str):
        if len(value) > _MOST_TEXT:
            raise _Wrong("scenario", f"is longer than {_MOST_TEXT} characters")
        for parse in (ast.literal_eval, json.loads):
            try:
                value = parse(value)
                break
            except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
                continue
    if not isinstance(value, Mapping):
        raise _Wrong("scenario", f"{_shown(value)} is no mapping, as a Python literal or JSON")
    return value


def _hash(value: object, field: str) -> str:
    lowered = value.lower() if isinstance(value, str) else ""
    if not _HASH.fullmatch(lowered):
        raise _Wrong(field, f"{_shown(value)} is not 40 or 64 hex digits")
    return lowered


def _path(value: object, field: str) -> str:
    parts = value.split("/") if isinstance(value, str) else []
    if (
        not isinstance(value, str)
        or not 0 < len(value) <= 4096
        or "\0" in value
        or any(part in ("", ".", "..") or part.lower() == ".git" for part in parts)
        or not _encodable(value)
    ):
        raise _Wrong(field, f"{_shown(value)} is not a relative path inside the repository")
    return value


def _encodable(value: str) -> bool:
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _whole(value: object, field: str, least: int, most: int) -> int:
    try:
        number = int(value) if isinstance(value, int | str) else int(float(str(value)))
        if isinstance(value, bool) or float(str(value)) != number:
            raise ValueError
    except (ValueError, OverflowError):
        raise _Wrong(field, f"{_shown(value)} is not a whole number") from None
    if not least <= number <= most:
        raise _Wrong(field, f"{_shown(value)} is not from {least} to {most}")
    return number


def _merge(scenario: Mapping[str, Any]) -> Merge:
    parents = scenario.get("parents")
    if isinstance(parents, str) or not isinstance(parents, Iterable):
        raise _Wrong("scenario.parents", f"{_shown(parents)} is not a list of two hashes")
    found = [_hash(parent, "scenario.parents") for parent in list(parents)[:3]]
    if len(found) != 2:
        raise _Wrong("scenario.parents", "are not two")
    files = scenario.get("files_in_merge_conflict", ())
    files = () if files is None else files
    if isinstance(files, str | Mapping) or not isinstance(files, Iterable):
        raise _Wrong("scenario.files_in_merge_conflict", f"{_shown(files)} is not a list of paths")
    count = scenario.get("total_number_of_merge_conflicts")
    return Merge(
        _hash(scenario.get("merge_commit_hash"), "scenario.merge_commit_hash"),
        (found[0], found[1]),
        tuple(_path(path, "scenario.files_in_merge_conflict") for path in files),
        None if count is None else _whole(count, "scenario.total_number_of_merge_conflicts", 0, 1_000_000),
    )


def _chain(scenario: Mapping[str, Any]) -> Chain:
    purity = scenario.get("purity")
    try:
        purity = None if purity is None else float(purity)
        if purity is not None and not 0 <= purity <= 1:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise _Wrong("scenario.purity", f"{_shown(purity)} is not a number from 0 to 1") from None
    branch = scenario.get("branch")
    return Chain(
        _path(scenario.get("file"), "scenario.file"),
        _whole(scenario.get("times_seen_consecutively"), "scenario.times_seen_consecutively", 1, 1000),
        _hash(scenario.get("newest_commit"), "scenario.newest_commit"),
        _hash(scenario.get("oldest_commit"), "scenario.oldest_commit"),
        branch if isinstance(branch, str) else None,
        purity,
    )


def _difficulty(value: object, detail: Merge | Chain, scenario: Mapping[str, Any]) -> str:
    """As the row says; where it says nothing, by the paper's rules (conflicts and files; purity)."""
    word = str(value).strip().lower() if isinstance(value, str) else ""
    if word in DIFFICULTIES:
        return word
    if word or value not in (None, ""):
        raise _Wrong("difficulty", f"{_shown(value)} is not one of {', '.join(DIFFICULTIES)}")
    if isinstance(detail, Merge):
        if not detail.files or detail.conflicts is None:
            raise _Wrong("difficulty", "is empty, and the row has not what it is derived from")
        if len(detail.files) > 1:
            return "hard"
        return "easy" if detail.conflicts <= 1 else "medium"
    if detail.purity is None:
        raise _Wrong("difficulty", "is empty, and so is the purity that it is derived from")
    return "easy" if detail.purity >= 1 else "medium" if detail.purity >= 0.75 else "hard"
