"""The report's first page as HTML: figures, charts, reasons, the table of attempts, how it was run."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict

from pytest_gitgoodbench.runs import baseline, figures
from pytest_gitgoodbench.runs.figures import DIMENSIONS, Costs
from pytest_gitgoodbench.runs.manifest import Manifest
from pytest_gitgoodbench.runs.record import Record
from pytest_gitgoodbench.runs.report import charts
from pytest_gitgoodbench.runs.report.attempt import OUTCOMES, badge
from pytest_gitgoodbench.runs.report.markup import Content, Html, tag
from pytest_gitgoodbench.runs.resume import still_open
from pytest_gitgoodbench.runs.wording import count, duration, interval, many, money, percent


def overview(
    records: Sequence[Record], manifest: Manifest, costs: Costs, address: Callable[[int, Record], str]
) -> Html:
    """What is shown before anybody opens an attempt.

    Args:
        records: the latest of each attempt.
        costs: over the run's whole history.
        address: where an attempt's details are, by its number and record.
    """
    return tag(
        "main",
        tag("h1", manifest.agent_name, tag("small", " on GitGoodBench")),
        tag(
            "p",
            f"dataset {manifest.dataset_name} · judge {manifest.judge_name} · "
            f"threshold {manifest.threshold:g} · protocol {manifest.protocol} · "
            f"{manifest.created[:16].replace('T', ' ')}",
            class_="facts",
        ),
        _cards(records, manifest, costs),
        _charts(records, manifest),
        _notes(records, manifest),
        _table(records, address),
        tag(
            "details",
            tag("summary", "How it was run"),
            tag("pre", json.dumps({**asdict(manifest), "planned": len(manifest.planned)}, indent=1)),
        ),
    )


def _cards(records: Sequence[Record], manifest: Manifest, costs: Costs) -> Html:
    whole = figures.group(records)
    rate = whole.solved(manifest.protocol)
    cards = [
        ("solve rate", percent(rate.share), f"95 %: {interval(rate)}"),
        ("success rate", percent(whole.success.share), f"{many(whole.attempts, 'attempt')}"),
        ("time", duration(costs.seconds), "over all attempts"),
    ]
    if costs.tokens:
        cards.append(("cost", money(costs), f"{count(costs.tokens)} tokens"))
    return tag(
        "div",
        [tag("div", tag("b", value), tag("span", name), tag("small", more)) for name, value, more in cards],
        class_="cards",
    )


def _charts(records: Sequence[Record], manifest: Manifest) -> Html:
    lite = manifest.is_lite
    shown = []
    for dimension in DIMENSIONS:
        groups = figures.by(records, dimension)
        if dimension == "scenario":
            groups = {"all": figures.group(records), **groups}
        shown.append(charts.rates(f"by {dimension}", groups, published=lite))
    key = [tag("span", "strict", class_="key strict"), tag("span", "paper", class_="key paper")]
    if lite:
        key.append(tag("span", f"{baseline.NAME} as published", class_="key published"))
    return tag(
        "section",
        tag("h2", "Solve rates"),
        tag("p", key, " with 95 % intervals; the axis goes from 0 to 100 %", class_="legend"),
        tag("div", shown, class_="charts"),
    )


def _notes(records: Sequence[Record], manifest: Manifest) -> list[Html]:
    notes = []
    trials = figures.trials(records, manifest.protocol)
    if trials:
        passes = ", ".join(f"pass@{k} {percent(share)}" for k, share in trials.pass_at.items())
        notes.append(
            f"{many(trials.scenarios, 'scenario')} tried repeatedly: always solved {trials.always}, "
            f"sometimes {trials.sometimes}, never {trials.never}; {passes}"
        )
    judging = figures.judging(records)
    if judging:
        note = (
            f"{many(judging.attempts, 'attempt')} judged, ties in {percent(judging.ties / judging.answers)}"
        )
        if judging.pairs:
            bias = percent(judging.disagreements / judging.pairs)
            note += f"; the two orders disagree in {bias} (position bias)"
        notes.append(note)
    left = still_open(manifest, records)
    for ids, what in ((left.errors, "ended in errors"), (left.skipped, "skipped"), (left.missing, "not run")):
        if ids:
            notes.append(f"{len(ids):,} {what}")
    shown = [tag("ul", [tag("li", note) for note in notes])] if notes else []
    found = figures.reasons(records)
    if found:
        rows = [
            tag(
                "tr",
                tag("td", f"{reason.count:,}", class_="number"),
                tag("td", reason.name),
                tag("td", reason.example),
            )
            for reason in found
        ]
        shown.append(tag("h2", "Most frequent reasons for not solving"))
        shown.append(tag("div", tag("table", rows, class_="why"), class_="scroll"))
    return shown


_COLUMNS: tuple[tuple[str, str, Callable[[Record], Content]], ...] = (
    ("outcome", "", lambda record: badge(record.outcome)),
    ("scenario", "", lambda record: record.scenario),
    ("sample", "sample", lambda record: record.sample),
    ("language", "wide", lambda record: record.language),
    ("difficulty", "wide", lambda record: record.difficulty),
    ("trial", "wide number", lambda record: str(record.trial)),
    ("strict", "wide", lambda record: _yes(record.strict)),
    ("paper", "wide", lambda record: _yes(record.paper)),
    ("score", "wide number", lambda record: _number(record.score, 2)),
    ("seconds", "wide number", lambda record: _number(record.seconds.get("act"), 1)),
    ("US$", "wide number", lambda record: _number(record.agent_notes.get("cost"), 4)),
    ("reason", "text", lambda record: record.reasons[0].partition("\n")[0][:200] if record.reasons else ""),
)


def _yes(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"


def _number(value: object, digits: int) -> str:
    return f"{value:.{digits}f}" if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _table(records: Sequence[Record], address: Callable[[int, Record], str]) -> Html:
    columns = [
        column for column in _COLUMNS if column[0] != "trial" or any(record.trial > 1 for record in records)
    ]
    header = [
        tag("th", tag("button", name, type="button"), class_=kind or None, scope="col")
        for name, kind, _ in columns
    ]
    rows = [
        tag(
            "tr",
            [
                tag(
                    "td",
                    tag("a", cell(record), href=address(number, record))
                    if name == "sample"
                    else cell(record),
                    class_=kind or None,
                )
                for name, kind, cell in columns
            ],
            data_outcome=record.outcome,
            data_scenario=record.scenario,
            data_language=record.language,
            data_difficulty=record.difficulty,
        )
        for number, record in enumerate(records)
    ]
    return tag(
        "section",
        tag("h2", "Attempts"),
        tag("div", _filters(records), class_="filters"),
        tag(
            "table",
            tag("thead", tag("tr", header)),
            tag("tbody", rows),
            class_="attempts",
            id="attempts",
        ),
        class_="all",
    )


def _filters(records: Sequence[Record]) -> Content:
    choices = []
    for name in ("outcome", *DIMENSIONS):
        values = list(OUTCOMES) if name == "outcome" else list(figures.by(records, name))
        options = [tag("option", f"any {name}", value="")]
        options += [tag("option", value, value=value) for value in values]
        choices.append(tag("select", options, name=name, aria_label=name))
    box = tag("input", type="search", name="text", placeholder="filter by text", aria_label="filter by text")
    return [box, choices, tag("output", f"{len(records):,} attempts")]
