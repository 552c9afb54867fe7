"""Comparing runs: paired by scenario, which one wins where, by how much, and whether that is chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.runs import figures
from pytest_gitgoodbench.runs.directory import RunDirectory
from pytest_gitgoodbench.runs.document import Block, Heading, Items, Line, Table
from pytest_gitgoodbench.runs.figures import DIMENSIONS, Costs
from pytest_gitgoodbench.runs.manifest import Manifest
from pytest_gitgoodbench.runs.record import Record
from pytest_gitgoodbench.runs.stats import Difference, mcnemar, paired_difference
from pytest_gitgoodbench.runs.wording import (
    count,
    difference,
    duration,
    interval,
    many,
    money,
    p_value,
    percent,
)


@dataclass(frozen=True)
class Contestant:
    """One of the runs that are compared.

    Attributes:
        label: `A`, `B`, ...
        name: the agent's, with the run's folder where two agents are called the same.
    """

    label: str
    name: str
    path: Path
    manifest: Manifest
    records: tuple[Record, ...]
    costs: Costs


@dataclass(frozen=True)
class Pairing:
    """Two runs on the same scenarios. A scenario counts when both runs have a verdict on it.

    With several trials, a run wins a scenario when it solves it more often.

    Attributes:
        pairs: how many scenarios have a verdict in both runs.
        first_wins, second_wins: where only the one solves it (or more often).
        both, neither: how many are solved in all trials of both, or in none.
        difference: of the second run's solve rate to the first's, over the pairs.
        p: of McNemar's exact test.
    """

    pairs: int
    first_wins: tuple[str, ...]
    second_wins: tuple[str, ...]
    both: int
    neither: int
    difference: Difference
    p: float


def pair(first: Iterable[Record], second: Iterable[Record], protocol: str) -> Pairing:
    """Compare two runs by one protocol."""
    one, other = _solve_rates(first, protocol), _solve_rates(second, protocol)
    places = [place for place in one if place in other]
    better = tuple(place for place in places if one[place] > other[place])
    worse = tuple(place for place in places if one[place] < other[place])
    return Pairing(
        pairs=len(places),
        first_wins=better,
        second_wins=worse,
        both=sum(one[place] == other[place] == 1 for place in places),
        neither=sum(one[place] == other[place] == 0 for place in places),
        difference=paired_difference([other[place] - one[place] for place in places]),
        p=mcnemar(len(better), len(worse)),
    )


def _solve_rates(records: Iterable[Record], protocol: str) -> dict[str, float]:
    """By scenario of a sample, over the trials that have a verdict: nobody is blamed for infrastructure."""
    tried: dict[str, list[bool]] = {}
    for record in records:
        if record.judged:
            tried.setdefault(record.place, []).append(figures.is_solved(record, protocol))
    return {place: sum(results) / len(results) for place, results in tried.items()}


def contestants(paths: Sequence[Path]) -> list[Contestant]:
    """Read the runs to compare.

    Raises:
        UserError: fewer than two, or one cannot be read.
    """
    if len(paths) < 2:
        raise UserError("ggb compare needs at least two run directories")
    runs = [RunDirectory.open(path) for path in paths]
    manifests = [run.manifest() for run in runs]
    names = [manifest.agent_name for manifest in manifests]
    return [
        Contestant(
            label=chr(ord("A") + number) if number < 26 else str(number + 1),
            name=name if names.count(name) == 1 else f"{name} ({run.path.name})",
            path=run.shown,
            manifest=manifest,
            records=tuple(run.records()),
            costs=figures.costs(run.history()),
        )
        for number, (run, manifest, name) in enumerate(zip(runs, manifests, names, strict=True))
    ]


def protocol_of(runs: Sequence[Contestant], chosen: str | None, force: bool) -> str:
    """Check that runs can be compared, and say by which protocol.

    Args:
        chosen: the protocol the user asked for, if any; every run records both.
        force: compare runs on different datasets all the same.

    Raises:
        UserError: they are on different datasets or protocols, or have nothing in common.
    """
    first = runs[0]
    for run in runs[1:]:
        there, here = first.manifest, run.manifest
        if there.dataset.get("fingerprint") != here.dataset.get("fingerprint") and not force:
            raise UserError(
                f"{first.path} and {run.path} are on different datasets "
                f"({there.dataset_name}, {here.dataset_name}): --force compares what they have in common"
            )
        if there.protocol != here.protocol and chosen is None and not force:
            raise UserError(
                f"{first.path} and {run.path} go by different protocols "
                f"({there.protocol}, {here.protocol}): choose one with --protocol"
            )
        if not pair(first.records, run.records, "strict").pairs:
            raise UserError(f"{first.path} and {run.path} have no scenario with a verdict in common")
    return chosen or first.manifest.protocol


def comparison(runs: Sequence[Contestant], protocol: str, *, most: int | None = None) -> list[Block]:
    """Everything there is to say about runs beside each other; each further run against the first.

    Args:
        most: how many scenarios to name of each run's wins; None for all.
    """
    blocks: list[Block] = [Heading("Runs")]
    blocks.append(Table(("", *(f"{run.label}: {run.name}" for run in runs)), _overview(runs, protocol)))
    blocks += [Line(note) for note in _notes(runs)]
    for run in runs[1:]:
        blocks += _against(runs[0], run, protocol, most)
    return blocks


def _overview(runs: Sequence[Contestant], protocol: str) -> list[tuple[str, ...]]:
    groups = [figures.group(run.records) for run in runs]
    rates = [group.solved(protocol) for group in groups]
    rows = [
        ("run", *(run.path.name for run in runs)),
        ("attempts", *(f"{group.attempts:,}" for group in groups)),
        (f"solve rate ({protocol})", *(percent(rate.share) for rate in rates)),
        ("95 %", *(interval(rate) for rate in rates)),
        ("success rate", *(percent(group.success.share) for group in groups)),
        ("tokens", *(count(run.costs.tokens) for run in runs)),
        ("cost", *(money(run.costs) if run.costs.tokens else "-" for run in runs)),
        ("time", *(duration(run.costs.seconds) for run in runs)),
    ]
    most = max(max((record.trial for record in run.records), default=1) for run in runs)
    if most > 1:
        trials = [figures.trials(run.records, protocol) for run in runs]
        passes = [percent(found.pass_at.get(most)) if found else "-" for found in trials]
        rows.insert(4, (f"pass@{most}", *passes))
    return rows


def _notes(runs: Sequence[Contestant]) -> list[str]:
    first = runs[0].manifest
    notes = []
    for what, values in (
        ("dataset", [run.manifest.dataset_name for run in runs]),
        ("judge", [run.manifest.judge_name for run in runs]),
        ("threshold", [f"{run.manifest.threshold:g}" for run in runs]),
    ):
        if len(set(values)) > 1:
            told = ", ".join(f"{run.label} {value}" for run, value in zip(runs, values, strict=True))
            notes.append(f"mind: not the same {what}: {told}")
        elif what == "judge":
            notes.append(
                f"dataset {first.dataset_name}, judge {first.judge_name}, threshold {first.threshold:g}"
            )
    return notes


def _against(first: Contestant, second: Contestant, protocol: str, most: int | None) -> list[Block]:
    a, b = first.label, second.label
    whole = pair(first.records, second.records, protocol)
    places = {record.place for run in (first, second) for record in figures.took_place(run.records)}
    blocks: list[Block] = [Heading(f"{b} ({second.name}) against {a} ({first.name})")]
    line = f"{many(whole.pairs, 'scenario')} with a verdict in both"
    if len(places) > whole.pairs:
        line += f"; {len(places) - whole.pairs:,} left out"
    blocks.append(Line(line))
    blocks.append(
        Line(
            f"difference {difference(whole.difference)}, McNemar's exact test {p_value(whole.p)}"
            f"; solved by both {whole.both}, by neither {whole.neither}"
        )
    )
    rows = [_row("all", whole)]
    for dimension in DIMENSIONS:
        groups = figures.by((*first.records, *second.records), dimension)
        for name in groups:
            one, other = (
                [record for record in run.records if getattr(record, dimension) == name]
                for run in (first, second)
            )
            rows.append(_row(f"  {name}", pair(one, other, protocol)))
    blocks.append(Table(("", "pairs", f"{a} wins", f"{b} wins", "difference in points (95 %)", "p"), rows))
    for run, wins in ((first, whole.first_wins), (second, whole.second_wins)):
        if wins:
            shown = wins if most is None else wins[:most]
            more = [f"... and {len(wins) - len(shown):,} more"] if len(shown) < len(wins) else []
            title = f"{run.label} ({run.name}) wins {many(len(wins), 'scenario')}"
            blocks.append(Items(title, (*shown, *more)))
    return blocks


def _row(name: str, found: Pairing) -> tuple[str, ...]:
    if not found.pairs:
        return (name, "0", "-", "-", "-", "-")
    value = found.difference
    return (
        name,
        f"{found.pairs:,}",
        str(len(found.first_wins)),
        str(len(found.second_wins)),
        f"{100 * value.value:+.1f} ({100 * value.low:+.1f} to {100 * value.high:+.1f})",
        f"{found.p:.3f}" if found.p >= 0.001 else "<0.001",
    )
