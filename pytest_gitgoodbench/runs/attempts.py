"""One attempt from start to verdict: prepare the workspace, let the agent act, evaluate, judge."""

from __future__ import annotations

import asyncio
import inspect
import shutil
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, overload

from pytest_gitgoodbench.agents.base import Agent, Attempt
from pytest_gitgoodbench.agents.baselines import BaselineAgent
from pytest_gitgoodbench.agents.budget import Budget
from pytest_gitgoodbench.agents.ledger import Ledger
from pytest_gitgoodbench.agents.sandbox import Sandbox
from pytest_gitgoodbench.agents.transcript import Transcript
from pytest_gitgoodbench.dataset.tasks import Task
from pytest_gitgoodbench.errors import (
    GitError,
    InfrastructureError,
    Skip,
)
from pytest_gitgoodbench.git import environment
from pytest_gitgoodbench.judging.base import Judgement
from pytest_gitgoodbench.llm.client import OutOfTime
from pytest_gitgoodbench.repos.cache import Cache, distrust
from pytest_gitgoodbench.repos.result import read_result
from pytest_gitgoodbench.repos.start_state import StartState
from pytest_gitgoodbench.repos.store import Store
from pytest_gitgoodbench.repos.template import discard
from pytest_gitgoodbench.repos.workspace import Workspace, create
from pytest_gitgoodbench.runs.record import Outcome, Record
from pytest_gitgoodbench.runs.verdict import judge_is_due, rule
from pytest_gitgoodbench.scenarios import SCENARIOS
from pytest_gitgoodbench.scenarios.base import Check, Evaluation, History, Scenario, Tool
from pytest_gitgoodbench.settings import Settings

JudgeHistories = Callable[[History, History], Judgement]
"""Compares the agent's history with the original one."""


@dataclass
class Prepared:
    """A task whose workspace is at its start state.

    Attributes:
        templates: the cache's folder of workspace templates.
        seconds: how long each step took, by `prepare`, `act`, `evaluate`, `judge`.
    """

    task: Task
    scenario: Scenario
    store: Store
    workspace: Workspace
    start: StartState
    templates: Path
    brief: str
    noticed: Mapping[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass
class Acted:
    """A prepared task whose agent has acted.

    Attributes:
        notes: the agent's own findings.
        traceback: of the exception the agent raised, or "".
        exception: that exception in one line, or "".
    """

    prepared: Prepared
    notes: dict[str, Any] = field(default_factory=dict)
    traceback: str = ""
    exception: str = ""


def prepare(task: Task, cache: Cache, path: Path) -> Prepared:
    """Make the workspace of a task.

    Args:
        task: what to prepare.
        cache: where its repository is, or is put now.
        path: the work tree; must not exist yet.

    Raises:
        RepositoryUnavailable: the repository or one of its commits cannot be had.
        InvalidSample: the row does not fit the repository.
        InfrastructureError: git failed in the making, or a file cannot be written.
    """
    began = time.monotonic()
    try:
        try:
            prepared = _prepare(task, cache, path)
        except GitError:
            # Something in the cache may be damaged; what is, is made again.
            distrust(cache.store(task.sample.name, task.sample.commits))
            shutil.rmtree(path, ignore_errors=True)
            prepared = _prepare(task, cache, path, afresh=True)
    except (GitError, OSError) as error:
        raise InfrastructureError(f"{task.key}: the workspace cannot be made: {error}") from error
    prepared.seconds["prepare"] = time.monotonic() - began
    return prepared


def _prepare(task: Task, cache: Cache, path: Path, afresh: bool = False) -> Prepared:
    scenario = SCENARIOS[task.scenario]
    store = cache.store(task.sample.name, task.sample.commits)
    start = scenario.start(task.sample, store)
    workspace = create(store, start, path, cache.templates, afresh=afresh)
    noticed = scenario.prepare(task.sample, workspace, start)
    brief = scenario.brief(task.sample, workspace)
    return Prepared(task, scenario, store, workspace, start, cache.templates, brief, noticed)


def attempt_of(
    prepared: Prepared,
    settings: Settings,
    *,
    transcript: Path | None,
    sandbox: Sandbox,
    ledger: Ledger,
) -> Attempt:
    """What the agent is given.

    Args:
        transcript: the file to write its transcript to, None to keep it in memory.
        ledger: what the run has spent, all processes together.
    """
    sample = prepared.task.sample
    return Attempt(
        workspace=prepared.workspace.path,
        scenario=prepared.scenario.name,
        language=sample.language,
        brief=prepared.brief,
        tools=LazyTools(prepared),
        budget=Budget(settings.timeout, settings.max_turns, ledger.spend, ledger.money_left),
        transcript=Transcript(transcript),
        trial=prepared.task.trial,
        env=environment(),
        sandbox=sandbox,
    )


class LazyTools(Sequence[Tool]):
    """The scenario's tools, made when an agent first looks at them: most agents never do."""

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self._tools: Sequence[Tool] | None = None

    def _made(self) -> Sequence[Tool]:
        if self._tools is None:
            prepared = self._prepared
            self._tools = prepared.scenario.tools(prepared.task.sample, prepared.workspace)
        return self._tools

    def __len__(self) -> int:
        return len(self._made())

    @overload
    def __getitem__(self, index: int) -> Tool: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Tool]: ...
    def __getitem__(self, index: int | slice) -> Tool | Sequence[Tool]:
        return self._made()[index]


def act(prepared: Prepared, agent: Agent | BaselineAgent, attempt: Attempt) -> Acted:
    """Let an agent act on a prepared workspace.

    Raises:
        InfrastructureError: the agent says that it is not its fault.
        Skip: the agent does not take part in this scenario.
    """
    acted = Acted(prepared, attempt.notes)
    began = time.monotonic()
    attempt.budget.start()
    try:
        if isinstance(agent, BaselineAgent):
            _act_as_baseline(prepared, agent.name)
        else:
            with attempt.budget.enforced():
                outcome = agent(attempt)
                if inspect.isawaitable(outcome):
                    asyncio.run(_within(outcome, attempt.budget.remaining()))
    except (InfrastructureError, Skip):
        raise
    except (OutOfTime, TimeoutError):
        attempt.notes["timed_out"] = True
    except (Exception, SystemExit) as error:
        acted.traceback = traceback.format_exc()
        acted.exception = f"{type(error).__name__}: {error}"
        attempt.transcript.add("event", acted.traceback, event="agent-exception")
    finally:
        prepared.seconds["act"] = time.monotonic() - began
    return acted


def _act_as_baseline(prepared: Prepared, name: str) -> None:
    baselines = prepared.scenario.baselines()
    if name not in baselines:
        raise Skip(f"the baseline {name} does not know the scenario {prepared.scenario.name}")
    try:
        baselines[name](prepared.task.sample, prepared.workspace, prepared.store)
    except GitError as error:
        # A baseline is ours: when it fails, nothing is learnt about anybody's agent.
        raise InfrastructureError(f"the baseline {name} failed: {error}") from error


async def _within(awaitable: Any, seconds: float) -> Any:
    return await asyncio.wait_for(awaitable, seconds)


def evaluate(acted: Acted, scratch: Path) -> Evaluation:
    """Check what the agent left.

    Args:
        acted: whose agent has acted.
        scratch: an empty folder for the evaluation's own repository.

    Raises:
        InfrastructureError: the store or the workspace's template is broken, or a file cannot be written.
    """
    prepared = acted.prepared
    began = time.monotonic()
    try:
        result = read_result(
            prepared.workspace.path, prepared.store, scratch, prepared.start, prepared.templates
        )
        evaluation = prepared.scenario.evaluate(prepared.task.sample, result, prepared.store)
    except GitError as error:
        distrust(prepared.store)
        discard(prepared.templates, prepared.store, prepared.start)
        raise InfrastructureError(f"{prepared.task.key}: not evaluated: {error}") from error
    except OSError as error:
        raise InfrastructureError(f"{prepared.task.key}: not evaluated: {error}") from error
    finally:
        prepared.seconds["evaluate"] = time.monotonic() - began
    if acted.exception:
        raised = Check("agent-finished", False, f"the agent raised {acted.exception}", paper=True)
        evaluation = replace(evaluation, checks=(raised, *evaluation.checks))
    return evaluation


def conclude(
    acted: Acted,
    evaluation: Evaluation,
    judge: JudgeHistories,
    *,
    judge_label: str,
    threshold: float,
    protocol: str,
    **fields: Any,
) -> Record:
    """Ask the judge where that is due, rule by both protocols, and write everything down.

    Args:
        judge: compares two histories.
        judge_label: the judges' names.
        threshold: the score from which a history is good enough.
        protocol: which one decides the outcome.
        fields: further fields of the record (`id`, `started`, `worker`, ...).

    Returns:
        The record. It is an error when the judge had no usable answer: then it holds all that a judge has to
        see, so that it can be asked again without the agent.
    """
    prepared = acted.prepared
    judgement: Judgement | None = None
    unjudged = ""
    if evaluation.histories is not None and judge_is_due(evaluation):
        began = time.monotonic()
        try:
            judgement = judge(*evaluation.histories)
        except InfrastructureError as error:
            unjudged = str(error)
        finally:
            prepared.seconds["judge"] = time.monotonic() - began
    rulings = {name: rule(name, evaluation, judgement, threshold) for name in ("strict", "paper")}
    histories = None
    if evaluation.histories is not None:
        histories = {
            side: [{"message": commit.message, "diff": commit.diff} for commit in history]
            for side, history in zip(("agent", "original"), evaluation.histories, strict=True)
        }
    outcome: Outcome = "error" if unjudged else "solved" if rulings[protocol].solved else "unsolved"
    return record_of(
        prepared.task,
        outcome,
        strict=None if unjudged else rulings["strict"].solved,
        paper=None if unjudged else rulings["paper"].solved,
        reasons=[unjudged] if unjudged else list(rulings[protocol].reasons),
        checks=[asdict(check) for check in evaluation.checks],
        score=None if judgement is None else judgement.score,
        judge=None if judgement is None else judge_label,
        answers=[] if judgement is None else [asdict(answer) for answer in judgement.answers],
        judge_note="" if judgement is None else judgement.note,
        histories=histories,
        log=list(evaluation.log),
        patch=evaluation.patch,
        metrics={**prepared.noticed, **evaluation.metrics},
        agent_notes=acted.notes,
        seconds={step: round(seconds, 4) for step, seconds in prepared.seconds.items()},
        brief=prepared.brief,
        traceback=acted.traceback,
        **fields,
    )


def record_of(task: Task, outcome: Outcome, **fields: Any) -> Record:
    """A record with the task's own fields filled in."""
    sample = task.sample
    values: dict[str, Any] = {
        "id": task.key,
        "sample": sample.id,
        "scenario": task.scenario,
        "repository": sample.name,
        "language": sample.language,
        "difficulty": sample.difficulty,
        "trial": task.trial,
    }
    return Record(outcome=outcome, **{**values, **fields})


def repository_needs(tasks: Iterable[Task]) -> dict[str, set[str]]:
    """The commits that tasks need, by upstream repository."""
    needs: dict[str, set[str]] = {}
    for task in tasks:
        needs.setdefault(task.sample.name, set()).update(task.sample.commits)
    return needs


__all__ = [
    "Acted",
    "Prepared",
    "act",
    "attempt_of",
    "conclude",
    "evaluate",
    "prepare",
    "record_of",
    "repository_needs",
]
