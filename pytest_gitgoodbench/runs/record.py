"""The record of an attempt: one line of `results.jsonl`. The schema is documented here and versioned."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

from pytest_gitgoodbench.errors import UserError

SCHEMA_VERSION = 1
"""Raised when a field changes its meaning or goes away; a new field with a default needs no new version."""

Outcome = Literal["solved", "unsolved", "error", "skipped"]


@dataclass(frozen=True)
class Record:
    """One attempt and its verdict, as plain JSON values.

    Attributes:
        id: unique in a run: the test's parameter, e.g. `merge[kotlin-easy-owner_repo_merge_0003]`,
            with `-trial2` before the bracket's end for further trials.
        sample: the sample's id.
        scenario: `merge`, `rebase` or `commit`.
        trial: from 1.
        repository: `owner/repo`.
        language, difficulty: of the sample.
        outcome: by the protocol in force; `error` is an infrastructure error.
        strict, paper: whether the attempt is solved by either protocol; None without a verdict.
        reasons: why it is not solved (or is an error, or skipped), a line each, most telling first.
        checks: `{name, passed, detail, paper}` of each rule.
        score: the judge's score, None where no judgement was due.
        judge: the judges' names, None where no judgement was due.
        answers: `{judge, preferred, reason, agent_first, vote, usage}` of each answer.
        judge_note: why no judge was asked, or "".
        histories: the agent's and the original history as the judge saw them: lists of
            `{message, diff}` under `agent` and `original`; None for merges.
        log: messages of the commits the agent added, oldest first.
        patch: the result against the ground truth, a shortened unified diff.
        metrics: further findings of the scenario.
        agent_notes: the agent's own findings: `stop_reason`, `turns`, `prompt_tokens`,
            `completion_tokens`, `cost` (US$; None: no price known), `timed_out`, ...
        seconds: `{prepare, act, evaluate, judge}`.
        started: when, seconds since the epoch.
        worker: xdist's worker id, or "main".
        transcript: file name in `transcripts/`, or None.
        brief: what the agent was told.
        traceback: of an agent's own exception, or of an infrastructure error.
        version: the schema's version.
    """

    id: str
    sample: str
    scenario: str
    repository: str
    language: str
    difficulty: str
    outcome: Outcome
    trial: int = 1
    strict: bool | None = None
    paper: bool | None = None
    reasons: list[str] = field(default_factory=list)
    checks: list[dict[str, Any]] = field(default_factory=list)
    score: float | None = None
    judge: str | None = None
    answers: list[dict[str, Any]] = field(default_factory=list)
    judge_note: str = ""
    histories: dict[str, list[dict[str, str]]] | None = None
    log: list[str] = field(default_factory=list)
    patch: str = ""
    metrics: dict[str, Any] = field(default_factory=dict)
    agent_notes: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    started: float = 0.0
    worker: str = "main"
    transcript: str | None = None
    brief: str = ""
    traceback: str = ""
    version: int = SCHEMA_VERSION

    @property
    def place(self) -> str:
        """The scenario of the sample, the same for all its trials: `merge of owner_repo_merge_0003`."""
        return f"{self.scenario} of {self.sample}"

    @property
    def judged(self) -> bool:
        """Whether there is a verdict: neither an infrastructure error nor skipped."""
        return self.outcome in ("solved", "unsolved")

    @property
    def awaits_judge(self) -> bool:
        """Whether the agent has acted and all that is missing is a usable answer of a judge."""
        return self.outcome == "error" and self.histories is not None

    def as_json(self) -> dict[str, Any]:
        """The record as one JSON object, whatever an agent has put into its notes."""
        return {name: _plain(value) for name, value in vars(self).items()}

    def brief_json(self) -> dict[str, Any]:
        """The record as one JSON object without its long parts; `Record(**...)` makes it a record again."""
        return self.shortened().as_json()

    def shortened(self) -> Record:
        """The record without its long parts, which are only in `results.jsonl` and the report."""
        return replace(self, histories=None, patch="", brief="", traceback="", log=[])


def _plain(value: Any, depth: int = 20) -> Any:
    """The nearest JSON value: no NaN, text for objects of any other type and for what is nested too deep."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str):
        return str(value)
    if depth and isinstance(value, Mapping):
        return {str(key): _plain(entry, depth - 1) for key, entry in value.items()}
    if depth and isinstance(value, list | tuple | set | frozenset):
        return [_plain(entry, depth - 1) for entry in value]
    return f"{type(value).__name__} object"


_NAMES = frozenset(entry.name for entry in fields(Record))
_TEXTS = ("id", "sample", "scenario", "repository", "language", "difficulty", "outcome")


def record_from(data: object, source: str) -> Record:
    """Read one JSON value as a record.

    Fields that this version does not know are dropped: the same schema version may have gained some.

    Args:
        data: the decoded JSON value.
        source: where it is from, for the message.

    Raises:
        UserError: it is no record, or of a schema version that cannot be read.
    """
    if not isinstance(data, Mapping):
        raise UserError(f"{source} is not a record of an attempt")
    check_version(data.get("version"), source)
    wrong = [name for name in _TEXTS if not isinstance(data.get(name), str)]
    if wrong:
        raise UserError(f"{source} is not a record of an attempt: no {', '.join(wrong)}")
    if data["outcome"] not in get_args(Outcome):
        raise UserError(f"{source} has an unknown outcome {data['outcome']!r}")
    return Record(**{name: value for name, value in data.items() if name in _NAMES})


def check_version(version: object, source: str) -> None:
    """Refuse what another schema version wrote and this one cannot read.

    Raises:
        UserError: the version is newer, older than the first one, or no number.
    """
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise UserError(f"{source} has schema version {version!r}, which never was: it cannot be read")
    if version > SCHEMA_VERSION:
        raise UserError(
            f"{source} has schema version {version}, this pytest-gitgoodbench reads up to "
            f"{SCHEMA_VERSION}: update it"
        )
