"""The closing summary of a run, as lines of text for a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from pytest_gitgoodbench.judging.visible import visible
from pytest_gitgoodbench.llm.redact import without_secrets
from pytest_gitgoodbench.runs import baseline, figures
from pytest_gitgoodbench.runs.figures import DIMENSIONS, Group
from pytest_gitgoodbench.runs.manifest import Manifest
from pytest_gitgoodbench.runs.record import Record
from pytest_gitgoodbench.runs.resume import still_open
from pytest_gitgoodbench.runs.wording import count, duration, interval, many, money, percent, text_table


def summary(
    records: Sequence[Record],
    manifest: Manifest,
    *,
    run: Path | None = None,
    history: Iterable[Record] | None = None,
    arguments: Sequence[str] | None = None,
) -> list[str]:
    """Tell how a run went.

    Args:
        records: the latest of each attempt.
        manifest: the run's.
        run: the run directory, if the run is recorded.
        history: all records, replaced ones too; what was spent is counted over them.
        arguments: how pytest was called, for the command that continues the run; None: made from the
            manifest.

    Returns:
        Lines without their ends; nothing in them steers a terminal.
    """
    lines = [*head(manifest), "", *rates(records, manifest)]
    lines += _trials(records, manifest)
    lines += ["", *_judging(records), *_spent(records if history is None else history)]
    lines += _reasons(records)
    lines += _open(records, manifest, run, arguments)
    return [visible(line) for line in lines]


def head(manifest: Manifest) -> list[str]:
    """What was run."""
    return [
        f"agent {manifest.agent_name}, dataset {manifest.dataset_name}",
        f"judge {manifest.judge_name}, threshold {manifest.threshold:g}, protocol {manifest.protocol}",
    ]


def rates(records: Sequence[Record], manifest: Manifest) -> list[str]:
    """The table of solve rates: all, by scenario, language and difficulty."""
    header = ["solve rate in %", "attempts", "strict", "95 %", "paper", "95 %", "success"]
    rows = [_row("all", figures.group(records))]
    for dimension in DIMENSIONS:
        rows += [_row(name, found, indent="  ") for name, found in figures.by(records, dimension).items()]
    if manifest.is_lite:
        header.append(baseline.NAME)
        for row in rows:
            row.append(percent(baseline.solve_rate(row[0].strip())))
    lines = text_table(header, rows)
    if manifest.is_lite:
        lines.append(f"({baseline.NAME}: published, all of Lite, paper protocol, judged by GPT-4o)")
    return lines


def _row(name: str, found: Group, indent: str = "") -> list[str]:
    return [
        indent + name,
        str(found.attempts),
        percent(found.strict.share),
        interval(found.strict),
        percent(found.paper.share),
        interval(found.paper),
        percent(found.success.share),
    ]


def _trials(records: Sequence[Record], manifest: Manifest) -> list[str]:
    found = figures.trials(records, manifest.protocol)
    if found is None:
        return []
    shares = ", ".join(f"pass@{k} {percent(share)}" for k, share in found.pass_at.items())
    return [
        "",
        f"{many(found.scenarios, 'scenario')} tried repeatedly: "
        f"always solved {found.always}, sometimes {found.sometimes}, never {found.never}",
        shares,
    ]


def _judging(records: Sequence[Record]) -> list[str]:
    found = figures.judging(records)
    if found is None:
        return []
    ties = percent(found.ties / found.answers)
    line = f"judged {many(found.attempts, 'attempt')}, ties in {ties} of the answers"
    if found.pairs:
        line += f", the two orders disagree in {percent(found.disagreements / found.pairs)} (position bias)"
    return [line]


def _spent(history: Iterable[Record]) -> list[str]:
    spent = figures.costs(history)
    lines = [f"time {duration(spent.seconds)} over all attempts"]
    if spent.tokens:
        lines.append(
            f"tokens {count(spent.agent.prompt_tokens)} in, {count(spent.agent.completion_tokens)} out"
            f", judge {count(spent.judge.tokens)}; cost {money(spent)}"
            f" (agent {spent.agent.cost:.2f}, judge {spent.judge.cost:.2f})"
        )
    return lines


def _reasons(records: Sequence[Record]) -> list[str]:
    found = figures.reasons(records)
    if not found:
        return []
    lines = ["", "most frequent reasons for not solving"]
    for reason in found:
        kind, _, particulars = reason.example.partition(": ")
        if kind == reason.name:
            lines.append(f"{reason.count:>5}  {kind}, e.g. {_first_line(particulars)}")
        else:
            lines.append(f"{reason.count:>5}  error, e.g. {_first_line(reason.example)}")
    return lines


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= 90 else f"{line[:89]}…"


def _open(
    records: Sequence[Record], manifest: Manifest, run: Path | None, arguments: Sequence[str] | None
) -> list[str]:
    left = still_open(manifest, records)
    told = [
        text
        for ids, text in (
            (left.errors, many(len(left.errors), "infrastructure error")),
            (left.skipped, f"{len(left.skipped):,} skipped"),
            (left.missing, f"{len(left.missing):,} not run"),
        )
        if ids
    ]
    if not told:
        return []
    lines = ["", ", ".join(told)]
    if run is not None and (left.errors or left.missing or _may_run_now(records)):
        lines += ["to run these:", "  " + resume_command(manifest, run, arguments)]
    return lines


def _may_run_now(records: Iterable[Record]) -> bool:
    """Whether an attempt was skipped for want of money; what an agent does not know it never will."""
    return any(record.outcome == "skipped" and "max-cost" in " ".join(record.reasons) for record in records)


def gate(records: Sequence[Record], manifest: Manifest, minimum: float) -> tuple[bool, str]:
    """Whether a run's solve rate, by the protocol in force, reaches what was asked for.

    What was planned and has not been run counts as not solved: a run that was cut short must not pass
    for the part of it that went well. Skipped attempts count neither way.

    Args:
        minimum: from 0 to 1.

    Returns:
        Whether it does, and a line that says so.
    """
    solve_rate = figures.group(records).solved(manifest.protocol)
    total = solve_rate.total + len(still_open(manifest, records).missing)
    share = solve_rate.count / total if total else 0.0
    reached = total > 0 and share >= minimum - 1e-9
    return reached, (
        f"solve rate {percent(share)} ({solve_rate.count} of {total}) "
        f"{'reaches' if reached else 'is below'} the minimum of {percent(minimum)}"
    )


def resume_command(manifest: Manifest, run: Path, arguments: Sequence[str] | None = None) -> str:
    """The command that continues a run.

    Args:
        arguments: how pytest was called; None: made from the manifest's options.
    """
    kept, skip = [], False
    for argument in manifest.options() if arguments is None else arguments:
        name, equals, _ = argument.partition("=")
        if name in ("--ggb-out", "--ggb-resume"):
            skip = not equals
        elif skip:
            skip = False
        else:
            kept.append(argument)
    return shlex.join(["pytest", *without_secrets(kept), f"--ggb-resume={run}"])
