"""One pytest process's part in a run: settings, tasks, repositories, agent, judge, run directory.

The controller (or the only process) makes what is shared in a folder, the workers of pytest-xdist find
it there: the tasks, which repositories cannot be had, what was spent. Everything is made when it is first
needed, so that a session without any use of this plugin pays for nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_gitgoodbench.errors import GitGoodBenchError, InfrastructureError, Skip, UserError
from pytest_gitgoodbench.settings import Settings

if TYPE_CHECKING:
    from pytest_gitgoodbench.agents.ledger import Ledger
    from pytest_gitgoodbench.agents.resolve import ResolvedAgent
    from pytest_gitgoodbench.agents.sandbox import Sandbox
    from pytest_gitgoodbench.dataset.load import Dataset
    from pytest_gitgoodbench.dataset.tasks import Task
    from pytest_gitgoodbench.judging.resolve import JudgePanel
    from pytest_gitgoodbench.repos.cache import Cache, Progress
    from pytest_gitgoodbench.runs.attempts import Acted, Prepared
    from pytest_gitgoodbench.runs.directory import RunDirectory
    from pytest_gitgoodbench.runs.record import Record
    from pytest_gitgoodbench.runs.verdict import Verdict

SESSION = pytest.StashKey["BenchmarkSession"]()
RECORD = pytest.StashKey["Record"]()
TAKEN_OVER = pytest.StashKey[bool]()


def attempt_id(nodeid: str, task: Task) -> str:
    """The id of an attempt's record: the task's own in the shipped suite, the test's id elsewhere."""
    return task.key if nodeid.startswith("gitgoodbench::") else nodeid


def session_of(config: pytest.Config) -> BenchmarkSession:
    """The session object of a pytest process."""
    return config.stash[SESSION]


class BenchmarkSession:
    """What one pytest process knows of the run.

    Attributes:
        settings: the options in force.
        worker: xdist's worker id, None for the controller or the only process.
        collects_suite: whether the shipped suite is collected.
    """

    def __init__(
        self, config: pytest.Config, settings: Settings, worker_input: Mapping[str, Any] | None
    ) -> None:
        """Args:
        worker_input: on an xdist worker, what the controller sent; else None.
        """
        self.config = config
        self.settings = settings
        self.worker = None if worker_input is None else str(worker_input["workerid"])
        self._sent: Mapping[str, str] = (worker_input or {}).get("gitgoodbench", {})
        self._parent = os.getppid()
        self._temporary: Path | None = None
        self.collects_suite = False

    # -- what is shared between the processes of a run ------------------------------------------

    @cached_property
    def shared(self) -> Path:
        """The folder that all processes of this run see."""
        if "shared" in self._sent:
            return Path(self._sent["shared"])
        self._temporary = Path(tempfile.mkdtemp(prefix="gitgoodbench-"))
        return self._temporary

    def to_worker(self) -> dict[str, str]:
        """What a worker has to be sent."""
        file = self.shared / "tasks.jsonl"
        if "tasks" in self.__dict__ and not file.exists():
            from pytest_gitgoodbench.dataset.tasks import write_tasks

            write_tasks(file, self.tasks)
        sent = {"shared": str(self.shared)}
        if self.run is not None:
            sent["run"] = str(self.run.path)
        return sent

    def close(self) -> None:
        """Remove what was only for this process and its workers."""
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)
        run = self.__dict__.get("run")
        if run is not None and self.worker is None and not run.manifest_file.exists():
            # Nothing was selected, or wrong usage ended the run: no empty folder is left behind.
            for name in ("lock", ""):
                with suppress(OSError):
                    (run.path / name).unlink() if name else run.path.rmdir()

    # -- the tasks ------------------------------------------------------------------------------

    @cached_property
    def dataset(self) -> Dataset:
        """The dataset as loaded in this process; workers read `tasks` instead.

        Raises:
            UserError: it cannot be read, or has bad rows.
        """
        from pytest_gitgoodbench.dataset.load import load

        dataset = load(self.settings)
        hook = self.config.hook.pytest_gitgoodbench_sample
        if hook.get_hookimpls():
            samples = [hook(config=self.config, sample=sample) or sample for sample in dataset.samples]
            dataset = replace(dataset, samples=tuple(samples))
        return dataset

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The run's tasks, the same in every process: loaded once, read from a file by all others."""
        from filelock import FileLock

        from pytest_gitgoodbench.collection import without_garbage
        from pytest_gitgoodbench.dataset.tasks import read_tasks, select, write_tasks
        from pytest_gitgoodbench.scenarios import by_sample_type

        file = self.shared / "tasks.jsonl"
        if self.worker is None:
            with without_garbage():
                return select(self.dataset.samples, by_sample_type(), self.settings)
        with without_garbage(), FileLock(f"{file}.lock"):
            if file.exists():
                return read_tasks(file)
            tasks = select(self.dataset.samples, by_sample_type(), self.settings)
            write_tasks(file, tasks)
            return tasks

    @property
    def scenario_names(self) -> tuple[str, ...]:
        """The names of all scenarios, in the order in which they are run."""
        from pytest_gitgoodbench.scenarios import SCENARIOS

        return tuple(SCENARIOS)

    # -- repositories ---------------------------------------------------------------------------

    @cached_property
    def cache(self) -> Cache:
        """The repositories. Workers never fetch: the controller has done so for the selection."""
        from pytest_gitgoodbench.dataset import demo
        from pytest_gitgoodbench.repos.cache import Cache

        fetched = (self.shared / "unavailable.json").exists() and self.worker is not None
        settings = replace(self.settings, offline=True) if fetched else self.settings
        return Cache(settings, demo.builders())

    def make_repositories_ready(self, tasks: Sequence[Task], progress: Progress | None) -> None:
        """Fetch what tasks need, before the first test. What cannot be had is kept as a reason."""
        from pytest_gitgoodbench.git.version import required_version
        from pytest_gitgoodbench.runs.attempts import repository_needs

        required_version()
        failures = self.cache.make_ready(repository_needs(tasks), progress)
        (self.shared / "unavailable.json").write_text(json.dumps(failures), "utf-8")

    @cached_property
    def unavailable(self) -> Mapping[str, str]:
        """Repositories that could not be made ready, with the reason. Asked for by tests only."""
        file = self.shared / "unavailable.json"
        found: dict[str, str] = json.loads(file.read_text("utf-8")) if file.exists() else {}
        return found

    # -- agent and judge ------------------------------------------------------------------------

    @cached_property
    def agent(self) -> ResolvedAgent:
        """The agent in force.

        Raises:
            UserError: there is none, or it cannot be used.
        """
        from pytest_gitgoodbench.agents.resolve import resolve

        if self.settings.agent is None:
            raise UserError("no agent: give one with --ggb-agent or override the ggb_agent fixture")
        return resolve(self.settings.agent, self.registered, self.settings, self.pyproject)

    @cached_property
    def registered(self) -> dict[str, Any]:
        """Agents registered by `conftest.py` files and plugins, by name."""
        registered: dict[str, Any] = {}
        for agents in self.config.hook.pytest_gitgoodbench_agents(config=self.config):
            registered.update(agents or {})
        return registered

    @cached_property
    def sandbox(self) -> Sandbox:
        """What agents' programs run in.

        Raises:
            UserError: the one that was asked for does not work here.
        """
        from pytest_gitgoodbench.agents.sandbox import choose

        hidden = [self.cache.path, self.shared]
        if self.run is not None:
            hidden.append(self.run.path)
        return choose(self.settings.sandbox, tuple(hidden))

    @cached_property
    def ledger(self) -> Ledger:
        """What the run has spent, all processes together."""
        from pytest_gitgoodbench.agents.ledger import Ledger

        return Ledger(self.shared, self.settings.max_cost)

    @property
    def pyproject(self) -> Path | None:
        """The project's pyproject.toml, if there is one."""
        file = self.config.rootpath / "pyproject.toml"
        return file if file.is_file() else None

    @cached_property
    def judge(self) -> JudgePanel:
        """The judges in force.

        Raises:
            UserError: a judge cannot be used.
        """
        from pytest_gitgoodbench.judging.resolve import resolve

        agent = self.agent if self.settings.agent is not None else None
        return resolve(
            self.settings.judge,
            registered=self.registered,
            agent_kind=agent.kind if agent else "python",
            agent_model=agent.model if agent else None,
            settings=self.settings,
            cache_dir=self.cache.path / "judge",
            pyproject=self.pyproject,
        )

    # -- the run directory ----------------------------------------------------------------------

    @cached_property
    def run(self) -> RunDirectory | None:
        """The run directory; None when nothing is recorded (no agent, or only collecting)."""
        agent = self.settings.agent
        if agent is None or self.config.option.collectonly or (self.worker and "run" not in self._sent):
            return None
        from pytest_gitgoodbench.runs.directory import RunDirectory

        if self.worker is not None:
            return RunDirectory(Path(self._sent["run"]), self._parent)
        if self.settings.resume is not None:
            return RunDirectory.open(self.settings.resume)
        return RunDirectory.create(self.settings.out, agent)

    @cached_property
    def finished(self) -> Mapping[str, Record]:
        """Records of a resumed run whose agent does not act again, by id."""
        if self.settings.resume is None or self.run is None:
            return {}
        from pytest_gitgoodbench.runs.resume import done

        return done(self.run.full_records())

    def begin(self, task: Task, item: pytest.Item, folder: Path) -> AttemptInProgress:
        """Start the attempt of one test.

        Args:
            folder: the test's own temporary folder.
        """
        return AttemptInProgress(self, task, item, folder)


class AttemptInProgress:
    """The attempt of one test, as far as its fixtures have got."""

    def __init__(self, session: BenchmarkSession, task: Task, item: pytest.Item, folder: Path) -> None:
        self.session = session
        self.task = task
        self.item = item
        self.folder = folder
        self.started = time.time()
        self.id = attempt_id(item.nodeid, task)
        self.acted: Acted | None = None
        self.transcript: Path | None = None

    @property
    def _taken_over(self) -> Record | None:
        return self.session.finished.get(self.id)

    @cached_property
    def prepared(self) -> Prepared:
        """The task with its workspace made."""
        from pytest_gitgoodbench.errors import RepositoryUnavailable
        from pytest_gitgoodbench.runs.attempts import prepare

        with self._recording():
            try:
                return prepare(self.task, self.session.cache, self.folder / "workspace")
            except RepositoryUnavailable as error:
                reason = self.session.unavailable.get(self.task.sample.name)
                raise RepositoryUnavailable(reason or str(error)) from None

    def act(self, agent: Any) -> Acted | None:
        """Let the agent act, unless a resumed run has a verdict already."""
        if self._taken_over is not None:
            return None
        from pytest_gitgoodbench.runs.attempts import act, attempt_of

        session = self.session
        with self._recording():
            self._mark()
        prepared = self.prepared
        with self._recording():
            if not session.ledger.money_left():
                raise Skip(f"the run's budget of US$ {session.settings.max_cost:g} is spent")
            if session.run is not None:
                self.transcript = session.run.new_transcript(self.id)
            attempt = attempt_of(
                prepared,
                session.settings,
                transcript=self.transcript,
                sandbox=session.sandbox,
                ledger=session.ledger,
            )
            self.acted = act(prepared, agent, attempt)
        return self.acted

    def _mark(self) -> None:
        """Say that the attempt is under way: if this process dies, its record says so."""
        from pytest_gitgoodbench.runs.attempts import record_of

        if self.session.run is not None:
            self.session.run.begin(record_of(self.task, "error", **self._fields()))

    def conclude(self, panel: JudgePanel) -> Verdict:
        """Evaluate, judge, record."""
        from pytest_gitgoodbench.judging.ask import judge_histories
        from pytest_gitgoodbench.judging.rejudge import rejudge
        from pytest_gitgoodbench.runs.attempts import conclude, evaluate
        from pytest_gitgoodbench.runs.rejudge import judge_again
        from pytest_gitgoodbench.runs.verdict import Verdict

        settings = self.session.settings
        earlier = self._taken_over
        with self._recording():
            if earlier is None:
                acted = self.acted
                assert acted is not None
                scratch = self.folder / "evaluation"
                scratch.mkdir()
                record = conclude(
                    acted,
                    evaluate(acted, scratch),
                    lambda mine, original: judge_histories(
                        panel.judges,
                        mine,
                        original,
                        language=self.task.sample.language,
                        scenario=self.task.scenario,
                        votes=settings.judge_votes,
                        trial=self.task.trial,
                        spend=self.session.ledger.spend,
                    ),
                    judge_label=panel.label,
                    threshold=settings.judge_threshold,
                    protocol=settings.protocol,
                    **self._fields(),
                )
            elif earlier.awaits_judge:
                record = judge_again(
                    earlier,
                    lambda record: rejudge(
                        record.as_json(), panel, votes=settings.judge_votes, spend=self.session.ledger.spend
                    ),
                    threshold=settings.judge_threshold,
                    protocol=settings.protocol,
                )
            else:
                record = earlier
        self._keep(record, new=record is not earlier)
        if not record.judged:
            pytest.fail(f"infrastructure: {record.reasons[0]}", pytrace=False)
        return Verdict(record, settings.protocol)

    def _fields(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "started": round(self.started, 3),
            "worker": self.session.worker or "main",
            "transcript": self.transcript.name if self.transcript is not None else None,
        }

    @contextmanager
    def _recording(self) -> Iterator[None]:
        """Write down an attempt that ends in an error or is skipped, then let pytest see it."""
        import traceback

        from pytest_gitgoodbench.runs.attempts import record_of

        try:
            yield
        except Skip as skip:
            self._keep(record_of(self.task, "skipped", reasons=[str(skip)], **self._fields()))
            pytest.skip(str(skip))
        except UserError:
            raise
        except Exception as error:
            known = isinstance(error, GitGoodBenchError)
            reason = str(error) if known else f"{type(error).__name__}: {error}"
            self._keep(
                record_of(
                    self.task,
                    "error",
                    reasons=[reason],
                    traceback=traceback.format_exc(),
                    **self._fields(),
                )
            )
            if isinstance(error, InfrastructureError):
                # Without what led to it: the record has that.
                raise pytest.fail.Exception(f"infrastructure: {reason}", pytrace=False) from None
            raise

    def _keep(self, record: Record, new: bool = True) -> None:
        unwritten = ""
        if new and self.session.run is not None:
            try:
                self.session.run.append(record)
            except InfrastructureError as error:
                # What is not in the results does not count: continuing the run makes the attempt again.
                unwritten = str(error)
                record = replace(record, outcome="error", strict=None, paper=None, reasons=[unwritten])
        self.item.stash[RECORD] = record
        self.item.stash[TAKEN_OVER] = not new
        for name, value in properties(record).items():
            self.item.user_properties.append((name, value))
        if unwritten:
            raise pytest.fail.Exception(f"infrastructure: {unwritten}", pytrace=False) from None


def properties(record: Record) -> dict[str, str | float | bool]:
    """What JUnit XML carries of a record, as plain values."""
    values: dict[str, str | float | bool | None] = {
        "ggb_sample": record.sample,
        "ggb_scenario": record.scenario,
        "ggb_language": record.language,
        "ggb_difficulty": record.difficulty,
        "ggb_repository": record.repository,
        "ggb_trial": record.trial,
        "ggb_verdict": record.outcome,
        "ggb_strict": record.strict,
        "ggb_paper": record.paper,
        "ggb_score": record.score,
        "ggb_judge": record.judge,
        "ggb_reasons": "; ".join(record.reasons),
    }
    return {name: value for name, value in values.items() if value is not None}
