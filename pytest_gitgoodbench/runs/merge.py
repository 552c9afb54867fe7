"""Making one run of several: the shards of a CI matrix, or parts that were run one after the other."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from pytest_gitgoodbench.errors import InfrastructureError, UserError
from pytest_gitgoodbench.runs import results
from pytest_gitgoodbench.runs.directory import RunDirectory
from pytest_gitgoodbench.runs.manifest import Manifest
from pytest_gitgoodbench.runs.record import Record
from pytest_gitgoodbench.runs.resume import Open, check_same, still_open

AT_ONCE = 50
"""How many records are held in memory and written at a time."""


@dataclass(frozen=True)
class Merged:
    """What a merge made.

    Attributes:
        run: the new run directory.
        shards: shards of the same partition that were not among the runs, as `i/n`.
        open: attempts without a verdict in any of the runs.
    """

    run: RunDirectory
    shards: tuple[str, ...]
    open: Open


def merge(paths: Sequence[Path], out: Path) -> Merged:
    """Put the attempts of several runs into a new run directory, transcripts and history included.

    Where two runs have the same attempt, the one with a verdict counts; two verdicts on one attempt are
    refused, for choosing between them would be choosing a result.

    Args:
        paths: run directories under the same settings, whatever part of the dataset each ran.
        out: a folder without a run.

    Raises:
        UserError: a run cannot be read, settings differ, or two runs have a verdict on one attempt.
        InfrastructureError: the new run cannot be written.
    """
    runs = [RunDirectory.open(path) for path in paths]
    manifests = [run.manifest() for run in runs]
    for run, manifest in zip(runs[1:], manifests[1:], strict=True):
        check_same(manifests[0], manifest, f"{runs[0].shown}, unlike {run.shown},")
    _check_disjoint(runs)
    merged = RunDirectory.create(out, manifests[0].agent_name)
    manifest = _manifest(manifests, runs)
    merged.write_manifest(manifest)
    # Verdicts come last: of several records of one attempt, the last one counts.
    for judged in (False, True):
        for run in runs:
            last = {record.id: record.judged for record in run.records()}
            chosen = (record for record in run.history() if last[record.id] is judged)
            while chunk := [_with_transcript(record, run, merged) for record in islice(chosen, AT_ONCE)]:
                results.append(merged.results_file, chunk)
    return Merged(
        run=merged,
        shards=_missing_shards(manifests),
        open=still_open(manifest, merged.records()),
    )


def _check_disjoint(runs: Sequence[RunDirectory]) -> None:
    owners: dict[str, RunDirectory] = {}
    twice: list[tuple[str, RunDirectory, RunDirectory]] = []
    for run in runs:
        for record in run.records():
            if record.judged:
                other = owners.setdefault(record.id, run)
                if other is not run:
                    twice.append((record.id, other, run))
    if twice:
        id, one, other = twice[0]
        more = f" (and on {len(twice) - 1:,} more)" if len(twice) > 1 else ""
        raise UserError(
            f"{one.shown} and {other.shown} both have a verdict on {id}{more}: leave one of them out"
        )


def _manifest(manifests: Sequence[Manifest], runs: Sequence[RunDirectory]) -> Manifest:
    planned = {id: None for manifest in manifests for id in manifest.planned}
    first = manifests[0]
    # What was chosen for one part says nothing about the whole any more.
    settings = {
        name: value
        for name, value in first.settings.items()
        if name not in ("out", "resume") and all(other.settings.get(name) == value for other in manifests)
    }
    return replace(
        first,
        planned=list(planned),
        settings=settings,
        created=min(manifest.created for manifest in manifests),
        merged=[str(run.shown) for run in runs],
    )


def _with_transcript(record: Record, run: RunDirectory, merged: RunDirectory) -> Record:
    file = run.transcript_of(record)
    if file is None:
        return replace(record, transcript=None)
    copy = merged.new_transcript(record.id)
    try:
        shutil.copyfile(file, copy)
    except OSError as error:
        raise InfrastructureError(f"{file} cannot be copied to {copy}: {error.strerror or error}") from error
    return replace(record, transcript=copy.name)


def _missing_shards(manifests: Sequence[Manifest]) -> tuple[str, ...]:
    """The shards that would make the partition whole, where all runs are shards of the same one."""
    shards = [manifest.settings.get("shard") for manifest in manifests]
    if not all(isinstance(shard, list) and len(shard) == 2 for shard in shards):
        return ()
    pairs = {(int(index), int(count)) for index, count in (shard for shard in shards if shard)}
    counts = {count for _, count in pairs}
    return tuple(
        f"{index}/{count}"
        for count in sorted(counts)
        for index in range(1, count + 1)
        if (index, count) not in pairs
    )
