"""The pytest plugin: hooks only. What they do is in `session`, `collection`, `fixtures` and `reporting`."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from pytest_gitgoodbench import hookspecs
from pytest_gitgoodbench.errors import InfrastructureError, UserError
from pytest_gitgoodbench.fixtures import (
    _ggb_in_progress,
    ggb_agent,
    ggb_attempt,
    ggb_judge,
    ggb_sample,
    ggb_scenario,
    ggb_task,
    ggb_verdict,
    ggb_workspace,
)
from pytest_gitgoodbench.session import SESSION, BenchmarkSession, session_of
from pytest_gitgoodbench.settings import OPTIONS, settings_from

if TYPE_CHECKING:
    from pytest_gitgoodbench.reporting import Reporting

__all__ = [
    "_ggb_in_progress",
    "ggb_agent",
    "ggb_attempt",
    "ggb_judge",
    "ggb_sample",
    "ggb_scenario",
    "ggb_task",
    "ggb_verdict",
    "ggb_workspace",
]

MARKERS = ("merge", "rebase", "commit", "python", "java", "kotlin", "easy", "medium", "hard")
REPORTING: pytest.StashKey[Reporting] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gitgoodbench", "GitGoodBench: AI agents on git")
    for option in OPTIONS:
        keywords: dict[str, Any] = {"dest": option.ini, "default": None, "help": option.help}
        if option.is_switch:
            keywords["action"] = "store_true"
        else:
            keywords["metavar"] = option.metavar or "|".join(option.choices)
            if option.many:
                keywords["action"] = "append"
        group.addoption(option.flag, **keywords)
        parser.addini(option.ini, f"{option.help} ({option.flag})", default=None)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    for marker in MARKERS:
        config.addinivalue_line("markers", f"{marker}: GitGoodBench tests of this kind")
    on_command_line = [option for option in OPTIONS if config.getoption(option.ini) is not None]
    values = {}
    for option in OPTIONS:
        given = config.getoption(option.ini)
        if given is not None:
            values[option.name] = (given, option.flag)
        elif config.getini(option.ini) not in (None, ""):
            values[option.name] = (config.getini(option.ini), f"{option.ini} (ini file)")
    with _usage_errors():
        session = BenchmarkSession(config, settings_from(values), getattr(config, "workerinput", None))
    config.stash[SESSION] = session
    _choose_paths(config, session)
    if session.worker is None and on_command_line:
        from pytest_gitgoodbench.reporting import Reporting

        with _usage_errors():
            # Whatever the user got wrong ends the run here, before any worker or test is started.
            reporting = Reporting(session)
        config.stash[REPORTING] = reporting
        config.pluginmanager.register(reporting, "gitgoodbench-reporting")


def _choose_paths(config: pytest.Config, session: BenchmarkSession) -> None:
    """Collect the shipped suite where the user asked for a run and named no paths.

    An agent in the ini file means the same unless that file has `testpaths`: then it only says which
    agent those tests are about.
    """
    from pytest_gitgoodbench.collection import SUITE_FILE, suite_argument

    source = config.args_source
    if source is config.ArgsSource.ARGS:
        named = [suite_argument(argument) for argument in config.args]
        session.collects_suite = any(named)
        config.args = [mine or given for mine, given in zip(named, config.args, strict=True)]
    elif config.getoption("ggb_agent") is not None or (
        session.settings.agent is not None and source is not config.ArgsSource.TESTPATHS
    ):
        session.collects_suite = True
        config.args = [str(SUITE_FILE)]


def pytest_unconfigure(config: pytest.Config) -> None:
    session = config.stash.get(SESSION, None)
    if session is not None:
        session.close()


@pytest.hookimpl(tryfirst=True)
def pytest_collect_directory(path: Any, parent: pytest.Collector) -> pytest.Collector | None:
    if not session_of(parent.config).collects_suite:
        return None
    from pytest_gitgoodbench.collection import Passage, leads_to_suite

    if not leads_to_suite(path, parent.config):
        return None
    with _usage_errors():
        return Passage.at(path, parent, {task.scenario for task in session_of(parent.config).tasks})


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(module_path: Any, parent: pytest.Collector) -> pytest.Module | None:
    if module_path.name != "suite.py":
        return None
    from pytest_gitgoodbench.collection import SUITE_FILE, Suite

    if module_path != SUITE_FILE:
        return None
    session = session_of(parent.config)
    with _usage_errors():
        return Suite.under(parent, {task.scenario for task in session.tasks})


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "ggb_task" not in metafunc.fixturenames:
        return
    from pytest_gitgoodbench.collection import parametrize

    session = session_of(metafunc.config)
    with _usage_errors():
        parametrize(metafunc, session.tasks, session.scenario_names)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Without xdist: make the repositories of what was selected ready."""
    config = session.config
    ggb = session_of(config)
    if ggb.worker is None and not config.option.collectonly and not _distributes(config):
        tasks = [
            (item.nodeid, item.callspec.params["ggb_task"])
            for item in session.items
            if isinstance(item, pytest.Function)
            and "ggb_task" in getattr(getattr(item, "callspec", None), "params", {})
        ]
        if tasks:
            _start(config, tasks)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: Sequence[str]) -> None:
    """With xdist: the controller does so when the first worker has said what it selected."""
    config = node.config
    ggb = session_of(config)
    if REPORTING not in config.stash or config.stash[REPORTING].started:
        return
    from pytest_gitgoodbench.collection import tasks_of

    if selected := tasks_of(ids, ggb.tasks):
        _start(config, selected)


def _start(config: pytest.Config, selected: list[tuple[str, Any]]) -> None:
    """Args:
    selected: the tests that will be run: id and task.
    """
    from pytest_gitgoodbench.session import attempt_id

    reporting = config.stash.get(REPORTING, None)
    tasks = [task for _, task in selected]
    with _usage_errors():
        if reporting is not None:
            reporting.start(tasks, [attempt_id(nodeid, task) for nodeid, task in selected])
        else:
            session_of(config).make_repositories_ready(tasks, None)


def _distributes(config: pytest.Config) -> bool:
    return config.getoption("dist", "no") != "no" and config.pluginmanager.hasplugin("dsession")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """With xdist: tell a worker where the run's shared files are."""
    node.workerinput["gitgoodbench"] = session_of(node.config).to_worker()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    from pytest_gitgoodbench.session import RECORD, TAKEN_OVER

    record = item.stash.get(RECORD, None)
    if record is not None:
        # Reports travel from workers to the controller as JSON; the long parts are in results.jsonl.
        report.gitgoodbench = {  # type: ignore[attr-defined]
            "record": record.brief_json(),
            "taken_over": item.stash.get(TAKEN_OVER, False),
        }
        del item.stash[RECORD]
    if "ggb_task" in getattr(item, "fixturenames", ()):
        report.gitgoodbench_test = True  # type: ignore[attr-defined]
    return report


@contextmanager
def _usage_errors() -> Iterator[None]:
    """What the user got wrong, or a disk that is full before the first test, is pytest's usage error: one line,
    no traceback."""
    try:
        yield
    except (UserError, InfrastructureError) as error:
        raise pytest.UsageError(str(error)) from None
