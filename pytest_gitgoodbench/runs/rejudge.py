"""Judging a finished run again: the same attempts, other judges, a run directory of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_gitgoodbench.errors import InfrastructureError
from pytest_gitgoodbench.judging.base import Answer, Judgement
from pytest_gitgoodbench.llm.client import Model
from pytest_gitgoodbench.llm.redact import without_secrets
from pytest_gitgoodbench.repos.cache import Cache
from pytest_gitgoodbench.runs import results
from pytest_gitgoodbench.runs.directory import RunDirectory
from pytest_gitgoodbench.runs.manifest import Manifest, now
from pytest_gitgoodbench.runs.record import Record
from pytest_gitgoodbench.runs.verdict import rule
from pytest_gitgoodbench.scenarios.base import Check, Evaluation
from pytest_gitgoodbench.settings import Settings

Judged = Callable[[Record], dict[str, Any]]
"""Gives a record's new `score`, `judge`, `answers` and `judge_note`; empty when there is nothing to judge."""


def rejudge(run: RunDirectory, out: Path, manifest: Manifest, judged: Judged) -> Iterator[Record]:
    """Judge each attempt of a run again, and write the records to a new run directory as they come.

    Args:
        run: a finished run; it stays as it is.
        out: a folder without a run. An interrupted rejudging is begun again: answers are cached.
        manifest: the new run's, with the judge and the settings now in force.
        judged: asks the judges.

    Yields:
        Each record as it is now. An attempt whose judges gave no usable answer is an error.

    Raises:
        UserError: the run cannot be read, or there is a run in `out`.
        InfrastructureError: the new run cannot be written.
    """
    new = RunDirectory.create(out, manifest.agent_name)
    new.write_manifest(manifest)
    if run.transcripts.is_dir():
        try:
            shutil.copytree(run.transcripts, new.transcripts, symlinks=True)
        except (OSError, shutil.Error) as error:
            raise InfrastructureError(f"{run.transcripts} cannot be copied to {new.path}: {error}") from error
    for record in run.full_records():
        again = judge_again(record, judged, threshold=manifest.threshold, protocol=manifest.protocol)
        results.append(new.results_file, [again])
        yield again


def judges(manifest: Manifest, settings: Settings, given: Collection[str]) -> tuple[Manifest, Judged]:
    """Find the judges for judging a run again.

    Args:
        manifest: the run's.
        settings: the judge; also votes, threshold and protocol where they are given.
        given: the names of the settings that the user gave; all others are the run's.

    Returns:
        The manifest of the new run, and what asks the judges.

    Raises:
        UserError: a judge is unknown or cannot be used.
    """
    from pytest_gitgoodbench.judging import rejudge as judging
    from pytest_gitgoodbench.judging.resolve import resolve

    kept = [name for name in ("judge_votes", "judge_threshold", "protocol") if name not in given]
    settings = replace(
        settings, **{name: manifest.settings[name] for name in kept if name in manifest.settings}
    )
    pyproject = Path("pyproject.toml")
    panel = resolve(
        settings.judge,
        agent_kind=str(manifest.agent.get("kind", "python")),
        agent_model=_model_of(manifest.agent),
        settings=settings,
        cache_dir=Cache(settings).path / "judge",
        pyproject=pyproject if pyproject.is_file() else None,
    )
    changed = {
        name: getattr(settings, name) for name in ("judge", "judge_votes", "judge_threshold", "protocol")
    }
    new = replace(
        manifest,
        judge=without_secrets(panel.as_json()),
        settings={**manifest.settings, **without_secrets(changed)},
        rejudged=now(),
    )

    def judged(record: Record) -> dict[str, Any]:
        return judging.rejudge(record.as_json(), panel, votes=settings.judge_votes)

    return new, judged


def _model_of(agent: Mapping[str, Any]) -> Model | None:
    """The model that was measured, so that a judge that is the same model is told as such."""
    model = agent.get("model")
    if isinstance(model, Mapping):
        return Model(str(model.get("name") or model.get("model")), model.get("api_base"))
    return Model(model, agent.get("api_base")) if isinstance(model, str) else None


def judge_again(record: Record, judged: Judged, *, threshold: float, protocol: str) -> Record:
    """A record with other judges' answers, and the verdicts that follow from them.

    Args:
        threshold: the score from which a history is good enough.
        protocol: which one decides the outcome.
    """
    if not record.judged and not record.histories:
        return record
    try:
        fields = judged(record)
    except InfrastructureError as error:
        return replace(
            record, outcome="error", strict=None, paper=None, reasons=[str(error)], score=None, answers=[]
        )
    judgement = None
    if fields:
        answers = tuple(Answer(**answer) for answer in fields["answers"])
        judgement = Judgement(fields["score"], answers, fields["judge_note"])
    evaluation = Evaluation(
        checks=tuple(Check(**check) for check in record.checks),
        # Which histories they are does not matter here, only whether there are any.
        histories=None if record.histories is None else ((), ()),
    )
    rulings = {name: rule(name, evaluation, judgement, threshold) for name in ("strict", "paper")}
    deciding = rulings[protocol]
    return replace(
        record,
        outcome="solved" if deciding.solved else "unsolved",
        strict=rulings["strict"].solved,
        paper=rulings["paper"].solved,
        reasons=list(deciding.reasons),
        **fields,
    )
