"""One line of progress that people look at: done, solved, errors, cost, time left."""

from __future__ import annotations

import io
import time
from collections.abc import Callable

from pytest_gitgoodbench.runs.figures import Costs
from pytest_gitgoodbench.runs.record import Record
from pytest_gitgoodbench.runs.wording import duration, many, money, percent

PLAIN_STEPS = 20
"""How many plain lines a run prints, if it has as many attempts and is not slow."""
PLAIN_SECONDS = 60.0
"""How long a plain line may be in coming when something has happened."""


class Progress:
    """Told each finished attempt, shows how the run stands.

    On a terminal it keeps one line and rewrites it; `clear` takes it away before something else is
    printed, the next `update` or `show` brings it back. Elsewhere it prints a line now and then.
    """

    def __init__(
        self,
        total: int,
        terminal: bool,
        write: Callable[[str], None],
        *,
        width: int = 80,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Args:
        total: how many attempts the run has.
        terminal: whether `write` leads to a terminal.
        write: prints text as it is, and flushes.
        width: of the terminal, in columns.
        clock: seconds.
        """
        self.total = total
        self.done = self.solved = self.errors = self.skipped = self.taken_over = 0
        self._spent = Costs()
        self._terminal = terminal
        self._write = write
        self._width = width
        self._clock = clock
        self._began = clock()
        self._shown = False
        self._last_step = 0
        self._last_time = self._began

    def update(self, record: Record, *, taken_over: bool = False) -> None:
        """Count one finished attempt.

        Args:
            taken_over: it is from the record of a resumed run: it took no time and no money now.
        """
        self.done += 1
        self.solved += record.outcome == "solved"
        self.errors += record.outcome == "error"
        self.skipped += record.outcome == "skipped"
        if taken_over:
            self.taken_over += 1
        else:
            self._spent.add(record)
        if self._terminal:
            self.show()
        else:
            self._print_now_and_then()

    def text(self) -> str:
        """How the run stands, in a line."""
        parts = [f"{self.done:,}/{self.total:,} done", f"{self.solved:,} solved"]
        attempts = self.done - self.skipped
        if attempts:
            parts[-1] += f" ({percent(self.solved / attempts)})"
        if self.errors:
            parts.append(many(self.errors, "error"))
        if self.skipped:
            parts.append(f"{self.skipped:,} skipped")
        if self._spent.tokens:
            parts.append(money(self._spent))
        left = self._seconds_left()
        if left is not None:
            parts.append(f"{duration(left)} left")
        return ", ".join(parts)

    def _seconds_left(self) -> float | None:
        run_now = self.done - self.taken_over
        if not run_now or self.done >= self.total:
            return None
        return (self._clock() - self._began) / run_now * (self.total - self.done)

    def show(self) -> None:
        """Show the line on a terminal, in the place of the one before."""
        if self._terminal:
            self._write("\r\x1b[2K" + self._styled())
            self._shown = True

    def clear(self) -> None:
        """Take the line away, if it is there."""
        if self._shown:
            self._write("\r\x1b[2K")
            self._shown = False

    def close(self) -> None:
        """End the line; elsewhere than on a terminal, print the last one if it was not."""
        if self._terminal:
            if self._shown:
                self._write("\n")
                self._shown = False
        elif self._last_step != self.done:
            self._print()

    def _print_now_and_then(self) -> None:
        step = -(-self.total // PLAIN_STEPS)
        if (
            self.done == self.total
            or self.done - self._last_step >= step
            or self._clock() - self._last_time >= PLAIN_SECONDS
        ):
            self._print()

    def _print(self) -> None:
        self._last_step, self._last_time = self.done, self._clock()
        self._write(f"gitgoodbench: {self.text()}\n")

    def _styled(self) -> str:
        """The line with a bar and colours, cut to the terminal's width."""
        from rich.console import Console
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        line = Table.grid(padding=(0, 1))
        line.add_column(width=max(5, min(20, self._width // 5)))
        line.add_column(no_wrap=True, overflow="ellipsis")
        text = Text(self.text(), no_wrap=True, overflow="ellipsis")
        text.highlight_regex(r"[\d,]+ solved \([^)]*\)", "green")
        text.highlight_regex(r"[\d,]+ errors?", "bold red")
        line.add_row(ProgressBar(total=max(1, self.total), completed=self.done), text)
        console = Console(
            file=io.StringIO(),
            width=max(20, self._width - 1),
            force_terminal=True,
            color_system="standard",
            legacy_windows=False,
        )
        with console.capture() as capture:
            console.print(line, end="")
        return capture.get().rstrip("\n")
