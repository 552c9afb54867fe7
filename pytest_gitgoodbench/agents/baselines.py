"""The baseline agents: reference points that every report can be read against."""

from __future__ import annotations

from dataclasses import dataclass

BASELINES = ("oracle", "nop", "ours", "theirs", "union", "squash", "per-hunk")


@dataclass(frozen=True)
class BaselineAgent:
    """A built-in agent. What it does is defined by each scenario (`Scenario.baselines`), since it may read
    the ground truth, which no other agent is ever given.

    Attributes:
        name: one of `BASELINES`.
    """

    name: str

    def __call__(self, attempt: object) -> None:
        raise TypeError(f"the baseline {self.name} is run by the scenario")
