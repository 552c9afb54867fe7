"""The commands about runs: report, compare, merge, export, rejudge."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from pytest_gitgoodbench.cli.options import given, settings_of
from pytest_gitgoodbench.runs import compare as comparing
from pytest_gitgoodbench.runs import export as exporting
from pytest_gitgoodbench.runs import merge as merging
from pytest_gitgoodbench.runs import rejudge as rejudging
from pytest_gitgoodbench.runs.directory import RunDirectory
from pytest_gitgoodbench.runs.document import as_markdown, as_text
from pytest_gitgoodbench.runs.files import safe_name, write_atomically
from pytest_gitgoodbench.runs.progress import Progress
from pytest_gitgoodbench.runs.report import write_report
from pytest_gitgoodbench.runs.report.blocks import as_page
from pytest_gitgoodbench.runs.summary import gate, summary


def report(arguments: argparse.Namespace) -> int:
    """`ggb report RUN`"""
    run = RunDirectory.open(arguments.path)
    write_report(run)
    _tell(run, [f"report {run.shown / run.report_file.name}"])
    if arguments.min_solve_rate is None:
        return 0
    reached, line = gate(run.records(), run.manifest(), arguments.min_solve_rate)
    print(line)
    return 0 if reached else 1


def compare(arguments: argparse.Namespace) -> int:
    """`ggb compare RUN RUN...`"""
    runs = comparing.contestants(arguments.paths)
    protocol = comparing.protocol_of(runs, arguments.protocol, arguments.force)
    most = 20 if arguments.format == "text" else None
    blocks = comparing.comparison(runs, protocol, most=most)
    if arguments.format == "html":
        text = as_page("GitGoodBench runs compared", blocks)
    else:
        text = (as_markdown if arguments.format == "markdown" else as_text)(blocks)
    if arguments.out is None:
        sys.stdout.write(text)
    else:
        write_atomically(arguments.out, text)
    return 0


def merge(arguments: argparse.Namespace) -> int:
    """`ggb merge RUN... --out DIR`"""
    merged = merging.merge(arguments.paths, arguments.out)
    write_report(merged.run)
    missing = [f"shards that are missing: {', '.join(merged.shards)}"] if merged.shards else []
    _tell(merged.run, [*missing, f"run {merged.run.shown}"])
    return 0


def export(arguments: argparse.Namespace) -> int:
    """`ggb export RUN --format FORMAT`"""
    text = exporting.export(RunDirectory.open(arguments.path), arguments.format, arguments.out)
    if text is not None:
        sys.stdout.write(text)
    return 0


def rejudge(arguments: argparse.Namespace) -> int:
    """`ggb rejudge RUN --judge JUDGE`"""
    run = RunDirectory.open(arguments.path)
    settings = settings_of(arguments)
    manifest, judged = rejudging.judges(run.manifest(), settings, given(arguments))
    name = f"{run.path.name}-{safe_name(str(settings.judge), 40)}"
    out = arguments.out or run.shown.with_name(name)
    progress = Progress(len(run.records()), sys.stdout.isatty(), _write)
    for record in rejudging.rejudge(run, out, manifest, judged):
        progress.update(record)
    progress.close()
    new = RunDirectory(out)
    write_report(new)
    _tell(new, [f"run {new.shown}"])
    return 0


def _tell(run: RunDirectory, more: Iterable[str]) -> None:
    lines = summary(run.records(), run.manifest(), run=run.shown, history=run.history())
    print("\n".join([*lines, "", *more]))


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
