"""Shows how repositories become ready: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from pytest_gitgoodbench.judging.visible import visible
from pytest_gitgoodbench.runs.wording import many


class Fetching:
    """A `repos.cache.Progress`: told `(repository, state)` from any thread.

    Use it as a context manager; what it showed on a terminal is gone at the end, failures stay.
    """

    def __init__(self, total: int, terminal: bool, write: Callable[[str], None]) -> None:
        """Args:
        total: how many repositories there are.
        terminal: whether there is a terminal, on standard error, for a bar.
        write: prints text as it is, for plain lines.
        """
        self.total = total
        self.ready: set[str] = set()
        self.failed: dict[str, str] = {}
        self._waited = False
        self._terminal = terminal
        self._write = write
        self._lock = threading.Lock()
        self._bar: Any = None

    def __enter__(self) -> Fetching:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        if self._waited or self.failed:
            self._line(self._state())

    def __call__(self, name: str, state: str) -> None:
        """One repository is `waiting`, `fetching`, `ready` or `failed: REASON`."""
        with self._lock:
            kind, _, reason = state.partition(": ")
            if kind == "ready":
                self.ready.add(name)
            elif kind == "failed":
                self.failed[name] = reason
                self._line(f"{name} cannot be had: {reason}")
            elif kind == "fetching":
                if not self._terminal:
                    self._line(f"fetching {name} ({len(self.ready) + len(self.failed)} of {self.total} done)")
                self._waited = True
            if self._terminal and self._waited:
                self._show(name, kind)

    def _state(self) -> str:
        text = f"{many(len(self.ready), 'repository', 'repositories')} ready"
        return f"{text}, {len(self.failed)} unavailable" if self.failed else text

    def _line(self, text: str) -> None:
        self._write(f"gitgoodbench: {visible(text)}\n")

    def _show(self, name: str, kind: str) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            self._bar = Progress(
                TextColumn("repositories"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.fields[now]}", markup=False),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task("", total=self.total, now="")
            self._bar.start()
        done = len(self.ready) + len(self.failed)
        self._bar.update(self._task, completed=done, **({"now": visible(name)} if kind == "fetching" else {}))
