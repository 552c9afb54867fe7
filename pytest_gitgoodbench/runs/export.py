"""Exports: solved transcripts as training data, results as tables, a file for leaderboards."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_gitgoodbench.errors import InfrastructureError, UserError
from pytest_gitgoodbench.runs import figures
from pytest_gitgoodbench.runs.directory import RunDirectory
from pytest_gitgoodbench.runs.figures import DIMENSIONS, Group, Rate
from pytest_gitgoodbench.runs.files import write_atomically
from pytest_gitgoodbench.runs.record import Record
from pytest_gitgoodbench.runs.report.transcript import entries
from pytest_gitgoodbench.runs.resume import still_open

FORMATS = ("chat", "csv", "parquet", "leaderboard")

LEADERBOARD_VERSION = 1


def export(run: RunDirectory, form: str, out: Path | None) -> str | None:
    """Export a run.

    Args:
        form: one of `FORMATS`.
        out: the file to write; None to get the text.

    Returns:
        The text, or None when it was written to a file.

    Raises:
        UserError: the run cannot be read, or the format needs a file or a library.
        InfrastructureError: the file cannot be written.
    """
    if form == "parquet":
        if out is None:
            raise UserError("--format=parquet is no text: name a file with --out")
        _parquet(run, out)
        return None
    text = {"chat": _chat, "csv": _csv, "leaderboard": _leaderboard}[form](run)
    if out is None:
        return text
    write_atomically(out, text)
    return None


# -- training data -------------------------------------------------------------------------------


def _chat(run: RunDirectory) -> str:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in conversations(run))


def conversations(run: RunDirectory) -> Iterator[dict[str, Any]]:
    """The transcripts of solved attempts in the OpenAI chat form, one at a time.

    Each has `messages`, `tools` where the transcript tells which were offered, and `metadata`. Attempts
    that were solved without any message of a model (baselines, commands) have none.
    """
    for record in run.full_records():
        file = run.transcript_of(record)
        if record.outcome != "solved" or file is None:
            continue
        found = list(entries(file))
        messages = [message for entry in found if (message := _message(entry)) is not None]
        if not any(message["role"] == "assistant" for message in messages):
            continue
        line: dict[str, Any] = {"messages": messages}
        tools = next((entry["tools"] for entry in found if isinstance(entry.get("tools"), list)), None)
        if tools:
            line["tools"] = tools
        line["metadata"] = {
            name: getattr(record, name)
            for name in ("id", "sample", "scenario", "repository", "language", "difficulty", "trial", "score")
        }
        yield line


def _message(entry: Mapping[str, Any]) -> dict[str, Any] | None:
    """What of a transcript's entry belongs to the conversation; None for events."""
    if entry.get("role") not in ("system", "user", "assistant", "tool"):
        return None
    kept = ("role", "content", "name", "tool_calls", "tool_call_id")
    return {name: _encodable(entry[name]) for name in kept if name in entry}


def _encodable(value: Any) -> Any:
    """The value without the lone surrogates that stand for bytes that are no UTF-8."""
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


# -- tables --------------------------------------------------------------------------------------

_PLAIN = ("id", "sample", "scenario", "trial", "repository", "language", "difficulty", "outcome")
_COLUMNS: Mapping[str, str] = {
    **dict.fromkeys(_PLAIN, "string"),
    "trial": "int64",
    "strict": "bool",
    "paper": "bool",
    "score": "double",
    "judge": "string",
    "reasons": "string",
    "failed_checks": "string",
    "stop_reason": "string",
    "turns": "int64",
    "timed_out": "bool",
    "prompt_tokens": "int64",
    "completion_tokens": "int64",
    "cost": "double",
    "judge_tokens": "int64",
    "judge_cost": "double",
    "seconds_prepare": "double",
    "seconds_act": "double",
    "seconds_evaluate": "double",
    "seconds_judge": "double",
    "started": "double",
    "worker": "string",
    "transcript": "string",
}


def row(record: Record) -> dict[str, Any]:
    """A record as a flat row; what is not known is None."""
    judge = figures.Spending()
    for answer in record.answers:
        judge.add(answer.get("usage"))
    values: dict[str, Any] = {name: getattr(record, name) for name in _PLAIN}
    values |= {
        name: getattr(record, name) for name in ("strict", "paper", "score", "judge", "started", "worker")
    }
    values |= {
        "reasons": "; ".join(record.reasons),
        "failed_checks": " ".join(str(check["name"]) for check in record.checks if not check.get("passed")),
        "judge_tokens": judge.tokens,
        "judge_cost": judge.cost if judge.complete else None,
        "transcript": record.transcript,
    }
    for name in ("stop_reason", "turns", "timed_out", "prompt_tokens", "completion_tokens", "cost"):
        values[name] = record.agent_notes.get(name)
    for step in ("prepare", "act", "evaluate", "judge"):
        values[f"seconds_{step}"] = record.seconds.get(step)
    return {name: _as(kind, values[name]) for name, kind in _COLUMNS.items()}


def _as(kind: str, value: Any) -> Any:
    """A value as its column has it; what does not fit (an agent's own notes) is None."""
    if value is None:
        return None
    if kind == "string":
        return str(value).encode("utf-8", "replace").decode("utf-8")
    if kind == "bool":
        return value if isinstance(value, bool) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if kind == "int64" else float(value)


def _csv(run: RunDirectory) -> str:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(_COLUMNS), lineterminator="\n")
    writer.writeheader()
    writer.writerows(row(record) for record in run.records())
    return stream.getvalue()


def _parquet(run: RunDirectory, out: Path) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UserError("--format=parquet needs pyarrow: pip install pyarrow") from None
    kinds = {
        "string": pyarrow.string(),
        "int64": pyarrow.int64(),
        "double": pyarrow.float64(),
        "bool": pyarrow.bool_(),
    }
    schema = pyarrow.schema([(name, kinds[kind]) for name, kind in _COLUMNS.items()])
    table = pyarrow.Table.from_pylist([row(record) for record in run.records()], schema=schema)
    try:
        parquet.write_table(table, out)
    except OSError as error:
        raise InfrastructureError(f"{out} cannot be written: {error.strerror or error}") from error


# -- leaderboards --------------------------------------------------------------------------------


def _leaderboard(run: RunDirectory) -> str:
    """One JSON object: who ran what, and every figure with its interval. Documented in docs/runs.md."""
    manifest, records = run.manifest(), run.records()
    costs = figures.costs(run.history())
    left = still_open(manifest, records)
    trials = figures.trials(records, manifest.protocol)
    judging = figures.judging(records)
    result = {
        "format": "gitgoodbench-leaderboard",
        "version": LEADERBOARD_VERSION,
        "created": manifest.created,
        "dataset": manifest.dataset,
        "agent": manifest.agent,
        "judge": manifest.judge,
        "protocol": manifest.protocol,
        "threshold": manifest.threshold,
        "settings": manifest.settings,
        "versions": manifest.versions,
        "complete": not left.errors and not left.missing,
        "errors": len(left.errors),
        "skipped": len(left.skipped),
        "missing": len(left.missing),
        "all": _rates(figures.group(records)),
        **{
            dimension: {k: _rates(v) for k, v in figures.by(records, dimension).items()}
            for dimension in DIMENSIONS
        },
        "trials": None if trials is None else vars(trials),
        "judging": None if judging is None else vars(judging),
        "tokens": costs.tokens,
        "cost": costs.cost,
        "cost_is_lower_bound": not costs.complete,
        "seconds": round(costs.seconds, 1),
    }
    return json.dumps(result, indent=1) + "\n"


def _rates(group: Group) -> dict[str, Any]:
    return {
        "attempts": group.attempts,
        "strict": _rate(group.strict),
        "paper": _rate(group.paper),
        "success": _rate(group.success),
    }


def _rate(rate: Rate) -> dict[str, Any]:
    return {"count": rate.count, "share": rate.share, "low": round(rate.low, 6), "high": round(rate.high, 6)}
