"""What a scenario is: start state, what the agent is told, its tools, and how the result is checked.

A scenario is one file beside this one; it is found through `scenarios.SCENARIOS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pytest_gitgoodbench.dataset.sample import Sample
from pytest_gitgoodbench.repos.result import Result
from pytest_gitgoodbench.repos.start_state import StartState
from pytest_gitgoodbench.repos.store import Store
from pytest_gitgoodbench.repos.workspace import Workspace


@dataclass(frozen=True)
class Commit:
    """One commit as a judge may see it: no hash, author or date.

    Attributes:
        message: the whole commit message.
        diff: the change against the first parent, as a unified diff.
        tree: the tree's object name; used to find out whether two histories are equal, never shown.
    """

    message: str
    diff: str
    tree: str


History = tuple[Commit, ...]
"""Commits, oldest first."""


@dataclass(frozen=True)
class Check:
    """One rule of an evaluation.

    Attributes:
        name: short, stable, e.g. `exact-match`, `committed`, `descends-from-base`.
        passed: whether the rule holds.
        detail: one line that says what was found when it does not.
        paper: whether the published protocol has the rule too.
    """

    name: str
    passed: bool
    detail: str = ""
    paper: bool = False


@dataclass(frozen=True)
class Evaluation:
    """What was found in a workspace after the agent has acted. No judge was asked yet.

    Attributes:
        checks: the rules in the order in which they are reported.
        histories: the agent's and the original history where a judge has to compare them, else None.
            An empty agent history loses without a judge, an equal one is a tie without a judge.
        metrics: further findings as JSON values (both parents kept, per-file match, similarity, ...).
        patch: the agent's result against the ground truth as a unified diff, shortened.
        log: what the agent's branch holds on top of the start state, oldest first: a message each.
    """

    checks: tuple[Check, ...]
    histories: tuple[History, History] | None = None
    metrics: Mapping[str, Any] = field(default_factory=dict)
    patch: str = ""
    log: tuple[str, ...] = ()


class ToolError(Exception):
    """A tool call cannot be carried out; the message tells the agent what is wrong with it."""


@dataclass(frozen=True)
class Tool:
    """One tool an LLM agent can call.

    Attributes:
        name: as the model calls it.
        description: for the model: what it does, what comes back.
        parameters: JSON schema (type object) of the arguments; arguments are validated against it
            before `call`.
        call: takes the arguments as keywords, returns text for the model.
            Raises ToolError for arguments that are well-formed but wrong.
        final: the scenario is finished when the call succeeds.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    call: Callable[..., str]
    final: bool = False


Baseline = Callable[[Sample, Workspace, Store], None]
"""Changes the workspace; it may read the ground truth from the store (only our baselines may)."""


class Scenario(ABC):
    """A kind of task. Instances have no state."""

    name: ClassVar[str]
    """As in `--ggb-scenario`, test names and markers."""
    sample_type: ClassVar[str]
    """The type of the samples it is made from."""
    title: ClassVar[str]
    """A few words for reports, e.g. "merge conflict resolution"."""

    @abstractmethod
    def start(self, sample: Sample, store: Store) -> StartState:
        """Say what a workspace holds: the commits the agent may see, refs, HEAD.

        Raises:
            InvalidSample: the row does not fit the repository.
        """

    @abstractmethod
    def prepare(self, sample: Sample, workspace: Workspace, start: StartState) -> Mapping[str, Any]:
        """Bring a fresh workspace's index and work tree to the start state (check out, merge).

        Returns:
            What was noticed, for the record's metrics, e.g. `{"drift": True}`.

        Raises:
            InvalidSample: the row does not fit the repository.
        """

    @abstractmethod
    def brief(self, sample: Sample, workspace: Workspace) -> str:
        """What the agent is told: the task in text, nothing that gives the ground truth away."""

    @abstractmethod
    def tools(self, sample: Sample, workspace: Workspace) -> Sequence[Tool]:
        """The tools of the published baseline for this scenario, without its faults."""

    @abstractmethod
    def baselines(self) -> Mapping[str, Baseline]:
        """The baseline agents that know this scenario, by name; `oracle` and `nop` always."""

    @abstractmethod
    def evaluate(self, sample: Sample, result: Result, store: Store) -> Evaluation:
        """Check what the agent left against the ground truth. Never runs code from the workspace."""
