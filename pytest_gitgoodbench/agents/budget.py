"""What an attempt may use: time, turns, and the run's money."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn

from pytest_gitgoodbench.llm.client import OutOfTime as OutOfTime

GRACE = 15.0
"""Seconds an agent may go on after its time: to end a model's request or a command in an orderly way."""


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

    @contextmanager
    def enforced(self) -> Iterator[None]:
        """End what does not look at its time itself, by raising OutOfTime in it, again each second.

        Only in the main thread, where signals arrive, and only where nobody else uses the alarm.
        """
        usable = (
            hasattr(signal, "setitimer")
            and threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, signal.SIG_IGN)
        )
        if not usable:
            yield
            return
        previous = signal.signal(signal.SIGALRM, _out_of_time)
        signal.setitimer(signal.ITIMER_REAL, self.remaining() + GRACE, 1.0)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)


def _out_of_time(number: int, frame: object) -> NoReturn:
    raise OutOfTime
