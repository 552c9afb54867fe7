"""Tasks: which scenarios of which samples a run consists of, in which order, under which ids."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_gitgoodbench.dataset.sample import DIFFICULTIES, LANGUAGES, Chain, Merge, Sample, as_fields
from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.settings import Settings


@dataclass(frozen=True, slots=True)
class Task:
    """One scenario of one sample, and which trial of it.

    Attributes:
        sample: the sample.
        scenario: the scenario's name, `merge`, `rebase` or `commit`.
        trial: from 1.
    """

    sample: Sample
    scenario: str
    trial: int = 1

    @property
    def id(self) -> str:
        """The part in brackets of the test's id, e.g. `kotlin-easy-owner_repo_merge_0003`."""
        sample = self.sample
        trial = "" if self.trial == 1 else f"-trial{self.trial}"
        return f"{sample.language}-{sample.difficulty}-{sample.id}{trial}"

    @property
    def key(self) -> str:
        """Unique in a run: `merge[kotlin-easy-owner_repo_merge_0003]`."""
        return f"{self.scenario}[{self.id}]"


def select(
    samples: Sequence[Sample], scenarios: Mapping[str, Sequence[str]], settings: Settings
) -> tuple[Task, ...]:
    """The tasks of a run: by scenario, then in the dataset's order, then by trial.

    Args:
        scenarios: the names of the scenarios by the sample type they are made from.
        settings: `scenario`, `language`, `difficulty`, `repo`, `limit`, `shard` and `trials` are used.

    Raises:
        UserError: a name that selects nothing because it does not exist.
    """
    names = [name for group in scenarios.values() for name in group]
    wanted = {
        "scenario": _known("--ggb-scenario", settings.scenario, names),
        "language": _known("--ggb-language", settings.language, LANGUAGES),
        "difficulty": _known("--ggb-difficulty", settings.difficulty, DIFFICULTIES),
        "repo": _known("--ggb-repo", settings.repo, {sample.name.lower() for sample in samples}),
    }
    fitting = [
        sample
        for sample in samples
        if (not wanted["language"] or sample.language in wanted["language"])
        and (not wanted["difficulty"] or sample.difficulty in wanted["difficulty"])
        and (not wanted["repo"] or sample.name.lower() in wanted["repo"])
    ]
    chosen = [
        Task(sample, scenario)
        for scenario in names
        if not wanted["scenario"] or scenario in wanted["scenario"]
        for sample in fitting
        if scenario in scenarios.get(sample.sample_type, ())
    ]
    if settings.limit is not None:
        chosen = _limited(chosen, settings.limit, names)
    if settings.shard is not None:
        chosen = _shard(chosen, *settings.shard)
    if settings.trials == 1:
        return tuple(chosen)
    return tuple(
        Task(task.sample, task.scenario, trial) for task in chosen for trial in range(1, settings.trials + 1)
    )


def _known(option: str, values: Sequence[str], existing: Iterable[str]) -> set[str]:
    known = list(existing)
    for value in values:
        if value.lower() not in known:
            shown = ", ".join(sorted(known)[:10]) + (", ..." if len(known) > 10 else "")
            raise UserError(f"{option}: there is no {value!r} (there are {shown})")
    return {value.lower() for value in values}


def _limited(tasks: Sequence[Task], limit: int, scenarios: Sequence[str]) -> list[Task]:
    """The first `limit` tasks of a fixed order that goes round the strata.

    Within a stratum (language, scenario, difficulty) the order is that of a hash, so that neither other
    rows nor their order matter; a smaller limit always gives a part of a larger one.
    """
    strata: dict[tuple[str, str, str], list[tuple[str, Task]]] = {}
    for task in tasks:
        key = (task.sample.language, task.scenario, task.sample.difficulty)
        rank = hashlib.sha256(f"{task.scenario}/{task.sample.id}".encode()).hexdigest()
        strata.setdefault(key, []).append((rank, task))
    ordered: list[tuple[int, int, int, str]] = []
    places: dict[str, Task] = {}
    for (language, scenario, difficulty), entries in strata.items():
        # Fixed places, whatever the dataset has. Each pair of scenario and language starts at another
        # difficulty, so that a small limit has all of them too.
        first, second = scenarios.index(scenario), LANGUAGES.index(language)
        pair = first * len(LANGUAGES) + second
        turn = (DIFFICULTIES.index(difficulty) - first - second) % len(DIFFICULTIES)
        for position, (rank, task) in enumerate(sorted(entries, key=lambda entry: entry[0])):
            ordered.append((position * len(DIFFICULTIES) + turn, pair, position, rank))
            places[rank] = task
    kept = {places[rank].key for *_, rank in sorted(ordered)[:limit]}
    return [task for task in tasks if task.key in kept]


def _shard(tasks: Sequence[Task], index: int, count: int) -> list[Task]:
    """One of `count` parts: whole repositories, the largest first to the part that has the least."""
    sizes: dict[str, int] = {}
    for task in tasks:
        name = task.sample.name.lower()
        sizes[name] = sizes.get(name, 0) + 1
    # Further parts have nothing in them.
    loads = [0] * min(count, len(sizes))
    part: dict[str, int] = {}
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        part[name] = loads.index(min(loads))
        loads[part[name]] += sizes[name]
    return [task for task in tasks if part[task.sample.name.lower()] == index - 1]


def write_tasks(path: Path, tasks: Sequence[Task]) -> None:
    """Write a run's tasks for its other processes, in one step; each sample is written once."""
    numbers: dict[str, int] = {}
    lines: list[str] = []
    plan: list[list[object]] = []
    for task in tasks:
        if task.sample.id not in numbers:
            numbers[task.sample.id] = len(lines)
            lines.append(json.dumps(task.sample, default=as_fields))
        plan.append([numbers[task.sample.id], task.scenario, task.trial])
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.write_text("\n".join([json.dumps(plan), *lines]) + "\n", "utf-8")
    beside.replace(path)


def read_tasks(path: Path) -> tuple[Task, ...]:
    """Read what `write_tasks` wrote."""
    with path.open(encoding="utf-8") as file:
        plan = json.loads(file.readline())
        samples = [_sample(json.loads(line)) for line in file]
    return tuple(Task(samples[number], scenario, trial) for number, scenario, trial in plan)


def _sample(data: dict[str, object]) -> Sample:
    detail = data.pop("detail")
    assert isinstance(detail, dict)
    if "merge_commit" in detail:
        parents, files = detail.pop("parents"), detail.pop("files")
        data["detail"] = Merge(parents=tuple(parents), files=tuple(files), **detail)
    else:
        data["detail"] = Chain(**detail)
    return Sample(**data)  # type: ignore[arg-type]
