"""The record of an attempt: one line of `results.jsonl`. The schema is documented here and versioned."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

SCHEMA_VERSION = 1

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
            `{message, diff}`; None for merges.
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

    def as_json(self) -> dict[str, Any]:
        """The record as one JSON object."""
        return asdict(self)
