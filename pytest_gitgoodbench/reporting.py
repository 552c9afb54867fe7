"""What a run shows and decides where pytest reports: header, progress, summary, exit status."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_gitgoodbench.errors import GitGoodBenchError

if TYPE_CHECKING:
    from pytest_gitgoodbench.dataset.tasks import Task
    from pytest_gitgoodbench.runs.manifest import Manifest
    from pytest_gitgoodbench.runs.progress import Progress
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
            UserError: an option, the dataset, git, the agent, the judge, the sandbox or the run directory
                cannot be used.
        """
        self.session = session
        self.started = False
        self._other_failures = False
        self._progress: Progress | None = None
        self._held = ExitStack()
        self._manifest: Manifest | None = None
        self._gate = ""
        _ = session.tasks
        if not session.config.option.collectonly:
            from pytest_gitgoodbench.git.version import required_version

            required_version()
        if session.settings.agent is not None:
            _ = session.agent
            _ = session.sandbox
        _ = session.judge
        if session.run is not None:
            self._held.enter_context(session.run.held())
            if session.settings.resume is not None:
                from pytest_gitgoodbench.runs.resume import check_same

                check_same(session.run.manifest(), self._manifest_of([]), str(session.run.shown))
                # A line that cannot be read is told now, not by each test.
                session.run.records()

    def _manifest_of(self, planned: list[str]) -> Manifest:
        from pytest_gitgoodbench.runs.manifest import Manifest

        session = self.session
        dataset = session.dataset
        return Manifest.of(
            replace(session.settings, resume=None, out=None),
            dataset={
                "id": dataset.id,
                "source": dataset.source,
                "revision": dataset.revision,
                "pinned": dataset.pinned,
                "fingerprint": dataset.fingerprint,
                "samples": len(dataset.samples),
            },
            agent=session.agent.as_json(),
            judge=session.judge.as_json(),
            planned=planned,
        )

    # -- before the first test ------------------------------------------------------------------

    def pytest_report_header(self) -> list[str]:
        session = self.session
        settings = session.settings
        lines = [f"dataset {session.dataset.describe()}, {len(session.tasks)} scenarios"]
        if settings.agent is not None:
            lines.append(f"agent {session.agent.describe()}, sandbox {session.sandbox.describe()}")
        lines.append(
            f"judge {session.judge.describe()}, threshold {settings.judge_threshold:g}, "
            f"protocol {settings.protocol}"
        )
        if session.run is not None:
            lines.append(f"run {session.run.shown}")
        return [f"gitgoodbench: {line}" for line in lines]

    def start(self, tasks: list[Task], planned: list[str]) -> None:
        """Write down what is going to be run, and make its repositories ready.

        Args:
            planned: the ids of the attempts, as in their records.
        """
        from pytest_gitgoodbench.runs.attempts import repository_needs
        from pytest_gitgoodbench.runs.fetching import Fetching
        from pytest_gitgoodbench.runs.progress import Progress

        self.started = True
        session = self.session
        if session.run is not None:
            manifest = self._manifest_of(planned)
            if session.settings.resume is not None:
                session.run.settle()
                manifest = session.run.manifest().continued_as(manifest)
            session.run.write_manifest(manifest)
            self._manifest = manifest
        terminal, write = self._terminal()
        with Fetching(len(repository_needs(tasks)), terminal, write) as progress:
            session.make_repositories_ready(tasks, progress)
        if session.run is not None:
            self._progress = Progress(len(planned), terminal=False, write=write)

    def _terminal(self) -> tuple[bool, Any]:
        reporter = self.session.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None:
            return False, lambda text: None

        def write(text: str) -> None:
            reporter.ensure_newline()
            reporter.write(text, flush=True)

        return bool(reporter.isatty), write

    # -- while it runs --------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = getattr(report, "gitgoodbench", None)
        if data is not None:
            from pytest_gitgoodbench.runs.record import record_from

            self._finished(record_from(data["record"], report.nodeid), taken_over=data["taken_over"])
        elif report.failed and not getattr(report, "gitgoodbench_test", False):
            self._other_failures = True

    def _finished(self, record: Record, *, taken_over: bool = False) -> None:
        if self._progress is not None:
            self._progress.update(record, taken_over=taken_over)
        config = self.session.config
        config.hook.pytest_gitgoodbench_attempt(config=config, record=record)

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any, sched: Any) -> None:
        """A worker died: its attempt is an infrastructure error, and pytest shows it as one."""
        if self.session.run is None:
            return
        lost, why = self._died(crashitem, report.node.gateway.id)
        if why:
            report.when = "setup" if lost else "teardown"
            report.longrepr = f"infrastructure: {why}"
            report.gitgoodbench_test = True
        for record in lost:
            self._finished(record)

    def _died(self, nodeid: str, worker: str) -> tuple[list[Record], str]:
        """Write down what a dead worker was at.

        Returns:
            The records written, and what there is to say; nothing about tests that are not ours.
        """
        from pytest_gitgoodbench.collection import tasks_of
        from pytest_gitgoodbench.runs.attempts import record_of
        from pytest_gitgoodbench.session import attempt_id

        run = self.session.run
        assert run is not None
        why = f"the worker {worker} died during the attempt"
        try:
            lost = run.settle(worker=worker, reason=why)
            ours = tasks_of([nodeid], self.session.tasks)
            if lost or not ours:
                return lost, why if lost else ""
            task = ours[0][1]
            id = attempt_id(nodeid, task)
            if any(record.id == id and record.judged for record in run.records()):
                return [], f"the worker {worker} died after the attempt, whose verdict is recorded"
            # It died before it had marked the attempt as begun.
            record = record_of(
                task, "error", id=id, reasons=[why], started=round(time.time(), 3), worker=worker
            )
            run.append(record)
            return [record], why
        except GitGoodBenchError as error:
            return [], f"{why}: {error}"

    # -- at the end -----------------------------------------------------------------------------

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        run = self.session.run
        if run is None or self._manifest is None:
            return
        minimum = self.session.settings.min_solve_rate
        if minimum is not None and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            from pytest_gitgoodbench.runs.summary import gate

            reached, self._gate = gate(run.records(), self._manifest, minimum)
            passed = reached and not self._other_failures
            session.exitstatus = pytest.ExitCode.OK if passed else pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        run = self.session.run
        if self._progress is not None:
            self._progress.close()
        if run is None or self._manifest is None:
            return
        from pytest_gitgoodbench.runs.report import write_report
        from pytest_gitgoodbench.runs.summary import summary

        terminalreporter.section("gitgoodbench")
        try:
            run.settle(reason="the run was ended during the attempt")
            lines = summary(
                run.records(),
                self._manifest,
                run=run.shown,
                history=run.history(),
                arguments=[str(argument) for argument in self.session.config.invocation_params.args],
            )
            lines.append(f"report: {write_report(run)}")
        except GitGoodBenchError as error:
            lines = [str(error)]
        for line in [*lines, *([self._gate] if self._gate else [])]:
            terminalreporter.write_line(line)

    def pytest_unconfigure(self) -> None:
        self._held.close()
