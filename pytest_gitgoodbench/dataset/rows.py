"""One raw row of the dataset, checked and typed; rows are untrusted input."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_gitgoodbench.dataset.sample import DIFFICULTIES, LANGUAGES, Chain, Merge, Sample
from pytest_gitgoodbench.errors import UserError

# What spreadsheets and pandas write where there is nothing.
_NOTHING = ("", "none", "na", "nan", "null")
REQUIRED = ("id", "name", "programming_language", "scenario", "sample_type")
SHOWN = 10
_MOST_TEXT = 1 << 20
# Nothing but strings, numbers, constants and brackets is left to the parsers, few of them nested: operators
# and deep nesting make `ast.literal_eval` recurse until the interpreter itself crashes.
_TOKEN = re.compile(
    r"""'[^'\\]*(?:\\.[^'\\]*)*'?|"[^"\\]*(?:\\.[^"\\]*)*"?|[+-]?\d[\d_.]*(?:[eE][+-]?\d+)?"""
    r"""|None|True|False|null|true|false""",
    re.DOTALL,
)
_BETWEEN = frozenset(" \t\r\n,:[](){}")
_MOST_BRACKETS = 100
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_NOT_METADATA = {*REQUIRED, "difficulty", "Unnamed: 0", "index"}
_TRIAL = re.compile(r"-trial[0-9]+$")
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
        raise UserError(
            f"the dataset cannot be used, {rows_are} its rules: {'; '.join(problems[:SHOWN])}{more}"
        )
    return tuple(samples)


def _sample_of(row: Mapping[str, object]) -> Sample:
    if not isinstance(row, Mapping):
        raise _Wrong("row", "is no table row")
    identifier = _text(row, "id", _ID, "letters, digits, '_', '-', '.', at most 200")
    if _TRIAL.search(identifier):
        raise _Wrong("id", f"{_shown(identifier)} ends like the name of a trial")
    name = _text(row, "name", _NAME, "owner/repo")
    if any(part in (".", "..") or part.lower().endswith(".git") for part in name.split("/")):
        raise _Wrong("name", f"{_shown(name)} is not owner/repo")
    language = row.get("programming_language")
    language = language.strip().lower() if isinstance(language, str) else language
    if not isinstance(language, str) or language not in LANGUAGES:
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
        key: _json(key, value)
        for key, value in row.items()
        if isinstance(key, str) and key and key not in _NOT_METADATA and value is not None and value != ""
    }
    return Sample(
        identifier, name, language, _difficulty(row.get("difficulty"), detail, scenario), detail, metadata
    )


def _json(key: str, value: object) -> object:
    """A metadata cell as a JSON value; what JSON has no word for (a date) becomes text."""
    if isinstance(value, str):
        if len(value) > _MOST_TEXT:
            raise _Wrong(_shown(key), f"is longer than {_MOST_TEXT} characters")
        return value
    try:
        return json.loads(json.dumps(value, default=str))
    except (ValueError, TypeError, RecursionError):
        return _shown(value)


def _shown(value: object) -> str:
    """A value for a message: one short line, whatever it is."""
    try:
        text = " ".join(repr(value).split())
    except (ValueError, RecursionError):  # a number of too many digits, too deep a nesting
        return f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _text(row: Mapping[str, object], field: str, form: re.Pattern[str], wanted: str) -> str:
    value = row.get(field)
    if value is None or value == "":
        raise _Wrong(field, f"is missing, wanted: {wanted}")
    if not isinstance(value, str) or not form.fullmatch(value):
        raise _Wrong(field, f"{_shown(value)} is not {wanted}")
    return value


def _decoded(value: object) -> Mapping[str, Any]:
    """`scenario` as a mapping: a Python literal as published, JSON, or decoded already. Never evaluated."""
    if isinstance(value, str):
        if len(value) > _MOST_TEXT:
            raise _Wrong("scenario", f"is longer than {_MOST_TEXT} characters")
        quick = _plain_literal(value)
        if quick is not None:
            return quick
        text, rest = value, _TOKEN.sub("", value)
        brackets = sum(map(rest.count, "[({"))
        if not _BETWEEN.issuperset(rest) or brackets > _MOST_BRACKETS:
            raise _Wrong("scenario", f"{_shown(value)} is neither a Python literal nor JSON")
        # JSON first: both read most of it, but a Python literal reads its surrogate pairs as two characters.
        for parse in (json.loads, ast.literal_eval):
            try:
                value = parse(text)
                break
            except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
                continue
    if not isinstance(value, Mapping):
        raise _Wrong("scenario", f"{_shown(value)} is no mapping, as a Python literal or JSON")
    return value


def _plain_literal(text: str) -> dict[str, Any] | None:
    """The usual published form, much faster than as a Python literal; None if it is another one.

    Without double quotes and backslashes a Python literal of strings, numbers, lists and dictionaries
    differs from JSON only in its quotes.
    """
    if '"' in text or "\\" in text:
        return None
    try:
        value = _PLAIN.decode(text.replace("'", '"'))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _not_a_literal(constant: str) -> object:
    raise ValueError(f"{constant} is JSON's alone")


_PLAIN = json.JSONDecoder(parse_constant=_not_a_literal)


def _hash(value: object, field: str) -> str:
    lowered = value.lower() if isinstance(value, str) else ""
    if not _HASH.fullmatch(lowered):
        raise _Wrong(field, f"{_shown(value)} is not 40 or 64 hex digits")
    return lowered


def _same_form(field: str, *hashes: str) -> None:
    if len({len(value) for value in hashes}) > 1:
        raise _Wrong(field, "mixes SHA-1 and SHA-256")


def _path(value: object, field: str) -> str:
    parts = value.split("/") if isinstance(value, str) else []
    if (
        not isinstance(value, str)
        or not 0 < len(value) <= 4096
        or _CONTROL.search(value)
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
    except (ValueError, OverflowError, RecursionError):
        raise _Wrong(field, f"{_shown(value)} is not a whole number") from None
    if not least <= number <= most:
        raise _Wrong(field, f"{_shown(value)} is not from {least} to {most}")
    return number


def _merge(scenario: Mapping[str, Any]) -> Merge:
    parents = scenario.get("parents")
    if not isinstance(parents, list | tuple):
        raise _Wrong("scenario.parents", f"{_shown(parents)} is not a list of two hashes")
    found = [_hash(parent, "scenario.parents") for parent in parents[:3]]
    if len(found) != 2:
        raise _Wrong("scenario.parents", "are not two")
    merged = _hash(scenario.get("merge_commit_hash"), "scenario.merge_commit_hash")
    _same_form("scenario.parents", merged, *found)
    if len({merged, *found}) != 3:
        raise _Wrong("scenario.parents", "are not two commits that differ from each other and the merge")
    files = scenario.get("files_in_merge_conflict", ())
    files = () if files is None else files
    if not isinstance(files, list | tuple):
        raise _Wrong("scenario.files_in_merge_conflict", f"{_shown(files)} is not a list of paths")
    count = scenario.get("total_number_of_merge_conflicts")
    return Merge(
        merged,
        (found[0], found[1]),
        tuple(_path(path, "scenario.files_in_merge_conflict") for path in files),
        None if count is None else _whole(count, "scenario.total_number_of_merge_conflicts", 0, 1_000_000),
    )


def _chain(scenario: Mapping[str, Any]) -> Chain:
    purity = scenario.get("purity")
    try:
        share = None if purity is None else float(purity)
        if share is not None and not 0 <= share <= 1:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise _Wrong("scenario.purity", f"{_shown(purity)} is not a number from 0 to 1") from None
    branch = scenario.get("branch")
    if branch is not None and (
        not isinstance(branch, str) or len(branch) > 1000 or _CONTROL.search(branch) or not _encodable(branch)
    ):
        raise _Wrong("scenario.branch", f"{_shown(branch)} is not the name of a branch")
    newest = _hash(scenario.get("newest_commit"), "scenario.newest_commit")
    oldest = _hash(scenario.get("oldest_commit"), "scenario.oldest_commit")
    _same_form("scenario.oldest_commit", newest, oldest)
    return Chain(
        _path(scenario.get("file"), "scenario.file"),
        _whole(scenario.get("times_seen_consecutively"), "scenario.times_seen_consecutively", 1, 1000),
        newest,
        oldest,
        branch,
        share,
    )


def _difficulty(value: object, detail: Merge | Chain, scenario: Mapping[str, Any]) -> str:
    """As the row says; where it says nothing, by the paper's rules.

    A merge: one file with one conflict is easy, with more medium, several files with several conflicts hard.
    A chain: by its purity, rounded to two digits as published: 1 easy, from 0.75 medium, from 0.5 hard.
    """
    word = value.strip().lower() if isinstance(value, str) else value
    if isinstance(word, str) and word in DIFFICULTIES:
        return word
    nothing = word is None or (isinstance(word, str) and word in _NOTHING)
    if not nothing and not (isinstance(word, float) and word != word):
        raise _Wrong("difficulty", f"{_shown(value)} is not one of {', '.join(DIFFICULTIES)}")
    if isinstance(detail, Merge):
        count = scenario.get("number_of_files_with_merge_conflict")
        field = "scenario.number_of_files_with_merge_conflict"
        files = len(detail.files) or (0 if count is None else _whole(count, field, 0, 1_000_000))
        if files == 1 and detail.conflicts:
            return "easy" if detail.conflicts == 1 else "medium"
        if files > 1 and detail.conflicts and detail.conflicts > 1:
            return "hard"
        raise _Wrong("difficulty", "is missing, and the numbers of files and conflicts do not give it")
    if detail.purity is None:
        raise _Wrong("difficulty", "is missing, and so is the purity that it is derived from")
    purity = round(detail.purity, 2)
    if purity < 0.5:
        raise _Wrong("difficulty", f"is missing, and a purity of {purity:g} (below 0.5) has none")
    return "easy" if purity == 1 else "medium" if purity >= 0.75 else "hard"
