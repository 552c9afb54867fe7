"""What an agent is, and what it is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from pytest_gitgoodbench.agents.budget import Budget
from pytest_gitgoodbench.agents.sandbox import Sandbox
from pytest_gitgoodbench.agents.transcript import Transcript
from pytest_gitgoodbench.scenarios.base import Tool


@dataclass
class Attempt:
    """One agent on one scenario: everything the agent may know and use.

    Attributes:
        workspace: the folder of the temporary repository, at the scenario's start state.
        scenario: `merge`, `rebase` or `commit`.
        language: the project's programming language.
        brief: what to do, in text.
        tools: the scenario's own tools, for agents that call tools.
        budget: what the attempt may use: time, turns, money.
        transcript: where the agent writes down what it saw, said and did.
        trial: which repetition this is, from 1.
        env: environment variables in which git behaves as it did when the workspace was made.
        sandbox: how the agent's programs are to be started.
        notes: the agent's own findings (tokens, cost, stop reason, ...) for the record, JSON values.
    """

    workspace: Path
    scenario: str
    language: str
    brief: str
    tools: Sequence[Tool]
    budget: Budget
    transcript: Transcript
    trial: int = 1
    env: Mapping[str, str] = field(default_factory=dict)
    sandbox: Sandbox = field(default_factory=Sandbox)
    notes: dict[str, Any] = field(default_factory=dict)


@runtime_checkable
class Agent(Protocol):
    """Changes the workspace of an attempt; may be an `async def`.

    A raised exception is an unsolved attempt, an `InfrastructureError` an error of the attempt,
    `Skip` a skip.
    """

    def __call__(self, attempt: Attempt) -> Any: ...
