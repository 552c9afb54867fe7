"""What a run shows and decides where pytest reports: header, progress, summary, exit status."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_gitgoodbench.dataset.tasks import Task
    from pytest_gitgoodbench.runs.record import Record
    from pytest_gitgoodbench.session import BenchmarkSession


class Reporting:
    """Registered as a plugin in the controller, or in the only process.

    Attributes:
        started: whether the first test may run: repositories are ready.
    """

    def __init__(self, session: BenchmarkSession) -> None:
        """Find out everything the user could have got wrong.

        Raises:
            UserError: an option, the dataset, the agent or the judge cannot be used.
        """
        self.session = session
        self.started = False
        self.records: dict[str, Record] = {}
        self.other_failures = 0
        self._progress: Any = None
        _ = session.tasks
        if session.settings.agent is not None:
            _ = session.agent
        _ = session.judge

    # -- before the first test ------------------------------------------------------------------

    def pytest_report_header(self) -> list[str]:
        session = self.session
        settings = session.settings
        dataset = session.dataset
        lines = [f"gitgoodbench: dataset {dataset.describe()}, {len(session.tasks)} scenarios"]
        if settings.agent is not None:
            lines.append(f"gitgoodbench: agent {session.agent.describe()}")
        lines.append(
            f"gitgoodbench: judge {session.judge.describe()}, "
            f"threshold {settings.judge_threshold:g}, protocol {settings.protocol}"
        )
        if session.run is not None:
            lines.append(f"gitgoodbench: run {session.run.path}")
        return lines

    def start(self, tasks: list[Task]) -> None:
        """Make the repositories of the selection ready."""
        self.started = True
        self.session.make_repositories_ready(tasks, None)

    # -- while it runs --------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = getattr(report, "gitgoodbench", None)
        if data is not None:
            from pytest_gitgoodbench.runs.record import Record

            record = Record(**data)
            self.records[record.id] = record
            self.session.config.hook.pytest_gitgoodbench_attempt(config=self.session.config, record=record)

    # -- at the end -----------------------------------------------------------------------------

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        pass
