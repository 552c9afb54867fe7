"""`report.html`: one file that shows a run, or that and a file an attempt where one would be too large."""

from __future__ import annotations

import base64
import contextlib
import gzip
from pathlib import Path

from pytest_gitgoodbench.runs import figures
from pytest_gitgoodbench.runs.directory import RunDirectory
from pytest_gitgoodbench.runs.files import file_name, write_atomically
from pytest_gitgoodbench.runs.record import Record
from pytest_gitgoodbench.runs.report.attempt import attempt
from pytest_gitgoodbench.runs.report.markup import Content, Html, tag
from pytest_gitgoodbench.runs.report.overview import overview
from pytest_gitgoodbench.runs.report.page import page

MAX_EMBEDDED = 16_000_000
"""Characters of packed details that one file may hold; with more, the attempts are files beside it."""

FOLDER = "attempts"


def write_report(run: RunDirectory, *, max_embedded: int = MAX_EMBEDDED) -> Path:
    """Write a run's report, in the place of an earlier one.

    Args:
        max_embedded: see `MAX_EMBEDDED`.

    Returns:
        The report's file.

    Raises:
        UserError: the run cannot be read.
        InfrastructureError: the report cannot be written.
    """
    manifest = run.manifest()
    records: list[Record] = []
    packed: list[bytes] = []
    size = 0
    beside = False
    for record in run.full_records():
        records.append(record.shortened())
        if not beside:
            packed.append(_pack(attempt(record, run.transcript_of(record))))
            size += len(packed[-1])
            beside = size > max_embedded
    if beside:
        packed.clear()
    _clear(run.path / FOLDER)
    if beside:
        for record in run.full_records():
            details = attempt(record, run.transcript_of(record), root="../")
            back = tag("p", tag("a", "all attempts", href=f"../{run.report_file.name}"))
            write_atomically(
                run.path / FOLDER / f"{file_name(record.id)}.html",
                page(f"{record.place}: {record.outcome}", tag("main", back, details)),
                durable=False,
            )
    body = overview(
        records,
        manifest,
        figures.costs(run.history()),
        lambda number, record: f"{FOLDER}/{file_name(record.id)}.html" if beside else f"#a{number}",
    )
    title = f"{manifest.agent_name} on GitGoodBench"
    write_atomically(run.report_file, page(title, (body, _dialog()), script=True, data=_blocks(packed)))
    return run.report_file


def _pack(details: Html) -> bytes:
    return base64.b64encode(gzip.compress(details.encode("utf-8", "replace"), 6, mtime=0))


def _blocks(packed: list[bytes]) -> Content:
    """The attempts' details, packed: a browser passes over them until one is opened."""
    return [
        tag("script", Html(data.decode("ascii")), type="text/plain", id=f"d{number}")
        for number, data in enumerate(packed)
    ]


def _dialog() -> Html:
    buttons = [
        tag("button", label, type="button", value=value, aria_label=told)
        for label, value, told in (
            ("←", "previous", "previous attempt"),
            ("→", "next", "next attempt"),
            ("✕", "close", "close"),
        )
    ]
    return tag("dialog", tag("nav", buttons), tag("div", id="details"), id="attempt")


def _clear(folder: Path) -> None:
    for file in folder.glob("*.html"):
        with contextlib.suppress(OSError):
            file.unlink()
    with contextlib.suppress(OSError):
        folder.rmdir()
