"""What an attempt may use: time, turns, and the run's money."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from pytest_gitgoodbench.llm.client import OutOfTime as OutOfTime


@dataclass
class Budget:
    """Limits of one attempt.

    Attributes:
        timeout: seconds from `start()`.
        max_turns: turns of an LLM agent.
        spend: told the US$ of each model call; adds them to the run's total over all workers.
        money_left: whether the run's total is still below `--ggb-max-cost`.
    """

    timeout: float = 600.0
    max_turns: int = 50
    spend: Callable[[float], None] = lambda cost: None
    money_left: Callable[[], bool] = lambda: True
    _deadline: float | None = field(default=None, repr=False)

    def start(self) -> None:
        """Start the clock."""
        self._deadline = time.monotonic() + self.timeout

    def remaining(self) -> float:
        """Seconds left, 0 when the time is over."""
        if self._deadline is None:
            return self.timeout
        return max(0.0, self._deadline - time.monotonic())

    def check_time(self) -> None:
        """Raise OutOfTime when the time is over."""
        if self.remaining() <= 0:
            raise OutOfTime
