"""What a run has spent, over all its processes: one line a payment in a file that all of them append to."""

from __future__ import annotations

import os
from pathlib import Path


class Ledger:
    """Money of one run.

    Attributes:
        limit: US$ that may be spent, None for any amount.
    """

    def __init__(self, folder: Path, limit: float | None) -> None:
        """Args:
        folder: one that all processes of the run share.
        """
        self._file = folder / "spent"
        self.limit = limit

    def spend(self, cost: float) -> None:
        """Write down US$ that were spent. One short append: whole lines, whoever else is writing."""
        if cost > 0:
            descriptor = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                os.write(descriptor, f"{cost:.9f}\n".encode())
            finally:
                os.close(descriptor)

    def total(self) -> float:
        """US$ spent so far, by all processes."""
        try:
            return sum(float(line) for line in self._file.read_text("ascii").split())
        except FileNotFoundError:
            return 0.0

    def money_left(self) -> bool:
        """Whether anything may still be spent."""
        return self.limit is None or self.total() < self.limit
