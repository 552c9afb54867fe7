"""Continuing a run: what is done, what is not, and whether the settings are the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.runs.manifest import Manifest
from pytest_gitgoodbench.runs.record import Record

SAME_SETTINGS = (
    "protocol",
    "judge_threshold",
    "judge_votes",
    "agent_protocol",
    "tools",
    "timeout",
    "max_turns",
    "sandbox",
)
"""Options that verdicts depend on, besides dataset, agent and judge. Which part of the dataset is run, how
often, and what it may cost can change when a run is continued."""


def done(records: Iterable[Record]) -> dict[str, Record]:
    """The records whose agent does not act again, by id: those with a verdict, and those that only lack a
    judge's answer (`Record.awaits_judge`).

    Other infrastructure errors and skipped attempts (no money left, for one) are run again.
    """
    return {record.id: record for record in records if record.judged or record.awaits_judge}


@dataclass(frozen=True)
class Open:
    """The attempts of a run that have no verdict, by the reason.

    Attributes:
        errors: infrastructure errors.
        skipped: skipped.
        missing: planned and without a record.
    """

    errors: tuple[str, ...]
    skipped: tuple[str, ...]
    missing: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.errors) + len(self.skipped) + len(self.missing)


def still_open(manifest: Manifest, records: Iterable[Record]) -> Open:
    """What continuing a run would run.

    Args:
        records: the latest of each id.
    """
    outcomes = {record.id: record.outcome for record in records}
    return Open(
        errors=tuple(id for id, outcome in outcomes.items() if outcome == "error"),
        skipped=tuple(id for id, outcome in outcomes.items() if outcome == "skipped"),
        missing=tuple(id for id in manifest.planned if id not in outcomes),
    )


def differences(there: Manifest, here: Manifest) -> list[str]:
    """What keeps the verdicts of two runs from standing side by side, a few words each."""
    found = []
    if there.dataset.get("fingerprint") != here.dataset.get("fingerprint"):
        found.append(_differ("dataset", there.dataset_name, here.dataset_name, "other rows"))
    found += _between("agent", there.agent, here.agent)
    found += _between("judge", there.judge, here.judge)
    for name in SAME_SETTINGS:
        before, after = there.settings.get(name), here.settings.get(name)
        if before != after:
            found.append(_differ(name.replace("_", "-"), before, after))
    return found


def check_same(there: Manifest, here: Manifest, what: str) -> None:
    """Refuse to put attempts under different settings into one run.

    Args:
        there: the run's manifest.
        here: the manifest of what shall be added.
        what: how the user named the run, for the message.

    Raises:
        UserError: they differ in dataset, agent, judge, protocol or another setting that counts.
    """
    found = differences(there, here)
    if found:
        raise UserError(f"{what} was run with other settings: {'; '.join(found)}")


def _between(what: str, there: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    names = [name for name in {**there, **here} if there.get(name) != here.get(name)]
    if "name" in names:
        return [_differ(what, there.get("name"), here.get("name"))]
    return [_differ(f"{what} {name}", there.get(name), here.get(name)) for name in names]


def _differ(what: str, there: Any, here: Any, same: str = "") -> str:
    if there == here:
        return f"{what} ({there}, {same})"
    return f"{what} (there {_short(there)}, here {_short(here)})"


def _short(value: Any) -> str:
    text = "unset" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
