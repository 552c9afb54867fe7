"""One attempt as HTML: brief, result, histories, judge's answers, transcript. A fragment, not a page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pytest_gitgoodbench.runs.record import Record
from pytest_gitgoodbench.runs.report import diff, transcript
from pytest_gitgoodbench.runs.report.markup import Content, Html, tag
from pytest_gitgoodbench.runs.wording import duration

OUTCOMES = {"solved": "solved", "unsolved": "not solved", "error": "error", "skipped": "skipped"}


def attempt(record: Record, transcript_file: Path | None, root: str = "") -> Html:
    """Everything known about an attempt.

    Args:
        record: with its long parts.
        transcript_file: its transcript, if there is one.
        root: the way from the page to the run directory, "" or ending with a slash.
    """
    return tag(
        "article",
        tag(
            "h2",
            badge(record.outcome),
            " ",
            record.place,
            f" (trial {record.trial})" if record.trial > 1 else None,
        ),
        tag("p", " · ".join(_facts(record)), class_="facts"),
        tag("ul", [tag("li", reason) for reason in record.reasons], class_="reasons")
        if record.reasons
        else None,
        _checks(record.checks),
        _section("What the agent was told", tag("pre", record.brief), open=False) if record.brief else None,
        _result(record),
        _histories(record),
        _answers(record),
        _messages(record),
        _transcript(record, transcript_file, root),
        _values("What was found", record.metrics),
        _values("What the agent noted", record.agent_notes),
        _section("Traceback", tag("pre", record.traceback)) if record.traceback else None,
        class_="attempt",
    )


def badge(outcome: str) -> Html:
    """An outcome as a coloured word."""
    return tag("span", OUTCOMES.get(outcome, outcome), class_=f"badge {outcome}")


def _facts(record: Record) -> list[str]:
    facts = [record.repository, record.language, record.difficulty]
    for name in ("strict", "paper"):
        solved = getattr(record, name)
        if solved is not None:
            facts.append(f"{name}: {'solved' if solved else 'not solved'}")
    if record.score is not None:
        facts.append(f"judge's score {record.score:.2f}")
    facts += [f"{step} {duration(seconds)}" for step, seconds in record.seconds.items() if seconds >= 0.5]
    return [*facts, record.worker]


def _section(title: str, *content: Content, open: bool = True) -> Html:
    return tag("details", tag("summary", title), content, open=open)


def _checks(checks: Sequence[dict[str, Any]]) -> Html | None:
    if not checks:
        return None
    rows = [
        tag(
            "tr",
            tag("td", "✓" if check.get("passed") else "✗", class_="yes" if check.get("passed") else "no"),
            tag("td", str(check.get("name"))),
            tag("td", str(check.get("detail") or "")),
            tag("td", "also in the published protocol" if check.get("paper") else "strict only"),
        )
        for check in checks
    ]
    return tag("table", rows, class_="checks")


def _result(record: Record) -> Html | None:
    if not record.patch:
        return None
    table = diff.side_by_side(record.patch, "ground truth", "the agent's result")
    return _section("Where the result differs from the ground truth", tag("div", table, class_="scroll"))


def _histories(record: Record) -> Html | None:
    if not record.histories:
        return None
    columns = []
    for side, title in (("agent", "The agent's history"), ("original", "The original history")):
        commits = record.histories.get(side, [])
        told = f"{title}, {len(commits)} commit{'' if len(commits) == 1 else 's'}, oldest first"
        columns.append(tag("div", tag("h3", told), [_commit(commit) for commit in commits]))
    return _section("Both histories as the judge saw them", tag("div", columns, class_="sides"))


def _commit(commit: dict[str, str]) -> Html:
    return tag(
        "section",
        tag("pre", commit.get("message", ""), class_="message"),
        tag("details", tag("summary", "changes"), diff.one_column(commit.get("diff", ""))),
        class_="commit",
    )


def _answers(record: Record) -> Html | None:
    if not record.answers and not record.judge_note:
        return None
    rows = [
        tag(
            "tr",
            tag("td", str(answer.get("judge"))),
            tag("td", "agent's first" if answer.get("agent_first") else "original first"),
            tag("td", _preferred(answer.get("preferred"))),
            tag("td", str(answer.get("reason") or ""), class_="text"),
        )
        for answer in record.answers
    ]
    header = [tag("th", name, scope="col") for name in ("judge", "order", "preferred", "reason")]
    return _section(
        "The judge's answers",
        tag("p", record.judge_note) if record.judge_note else None,
        tag("div", tag("table", tag("tr", header), rows, class_="answers"), class_="scroll")
        if rows
        else None,
    )


def _preferred(side: object) -> str:
    return {"agent": "the agent's", "original": "the original", "tie": "a tie"}.get(str(side), str(side))


def _messages(record: Record) -> Html | None:
    if not record.log or record.histories:
        return None
    messages = [tag("pre", transcript.shortened(message), class_="message") for message in record.log]
    return _section("Commits the agent made, oldest first", messages)


def _transcript(record: Record, file: Path | None, root: str) -> Html | None:
    if file is None:
        return None
    address = f"{root}transcripts/{quote(file.name)}"
    return _section(
        "Transcript", tag("p", tag("a", file.name, href=address)), transcript.as_html(file), open=False
    )


def _values(title: str, values: dict[str, Any]) -> Html | None:
    if not values:
        return None
    rows = [
        tag("tr", tag("th", name, scope="row"), tag("td", _shown(value), class_="text"))
        for name, value in values.items()
    ]
    return _section(title, tag("div", tag("table", rows, class_="values"), class_="scroll"), open=False)


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return transcript.shortened(text, 2_000)
