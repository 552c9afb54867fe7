"""Agents: what is measured. Baselines, LLMs with tools, command lines, Python callables.

Here is what an agent of one's own needs.
"""

from pytest_gitgoodbench.agents.base import Agent, Attempt
from pytest_gitgoodbench.agents.budget import Budget, OutOfTime
from pytest_gitgoodbench.agents.transcript import Transcript
from pytest_gitgoodbench.errors import InfrastructureError, ModelUnavailable, Skip

__all__ = [
    "Agent",
    "Attempt",
    "Budget",
    "InfrastructureError",
    "ModelUnavailable",
    "OutOfTime",
    "Skip",
    "Transcript",
]
