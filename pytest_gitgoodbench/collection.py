"""Collecting: the shipped suite as a pytest module of its own, and tasks as test parameters."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_gitgoodbench.dataset.tasks import Task

SUITE_NAME = "gitgoodbench"
SUITE_FILE = Path(__file__).with_name("suite.py")


@contextmanager
def without_garbage() -> Iterator[None]:
    """Make many objects that all stay, without looking for garbage among them again and again.

    They are left out of later searches, too: tens of thousands of tests make each of them slow.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if enabled:
            gc.enable()


class Suite(pytest.Module):
    """The shipped suite; its tests' ids start with `gitgoodbench::` wherever it is installed."""

    wanted: frozenset[str] = frozenset()

    @classmethod
    def under(cls, parent: pytest.Collector, scenarios: Iterable[str]) -> Suite:
        """Args:
        scenarios: those that have tasks; others give no tests at all (not skipped ones).
        """
        suite: Suite = cls.from_parent(parent, path=SUITE_FILE, nodeid=SUITE_NAME)
        suite.wanted = frozenset(f"test_{name}" for name in scenarios)
        return suite

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        with without_garbage():
            nodes = list(super().collect())
        for node in nodes:
            function = getattr(node, "originalname", node.name)
            if function in self.wanted:
                # Where the file lies says nothing to a reader of reports; what is shown is the suite.
                node.__dict__["location"] = (SUITE_NAME, None, node.name)
                yield node


class Passage(pytest.Collector):
    """A folder on the way to the suite's file, wherever it is installed.

    pytest collects a file through its folders. Those of an installation are none of the user's: their
    other files, and a `conftest.py` among them, must not be looked at.
    """

    @classmethod
    def at(cls, path: Path, parent: pytest.Collector, scenarios: Iterable[str]) -> Passage:
        passage: Passage = cls.from_parent(parent, path=path, name=path.name or path.root)
        passage.scenarios = frozenset(scenarios)
        return passage

    scenarios: frozenset[str] = frozenset()

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        step = self.path / SUITE_FILE.relative_to(self.path).parts[0]
        if step == SUITE_FILE:
            yield Suite.under(self, self.scenarios)
        else:
            yield Passage.at(step, self, self.scenarios)


def leads_to_suite(path: Path, config: pytest.Config) -> bool:
    """Whether a folder is collected only because the suite's file is below it."""
    if path not in SUITE_FILE.parents:
        return False
    only_suite = all(argument.startswith(str(SUITE_FILE)) for argument in config.args)
    return only_suite or (path != config.rootpath and config.rootpath not in path.parents)


def suite_argument(argument: str) -> str | None:
    """The path argument that stands for `gitgoodbench` or `gitgoodbench::test_...[...]`.

    Args:
        argument: as given on the command line, e.g. a test's id copied from a report.

    Returns:
        The argument with the suite's file in the place of its name, or None if it is another path.
    """
    name, separator, rest = argument.partition("::")
    if name != SUITE_NAME or Path(name).exists():
        return None
    return f"{SUITE_FILE}{separator}{rest}"


def parametrize(metafunc: pytest.Metafunc, tasks: Sequence[Task], scenarios: Sequence[str]) -> None:
    """Give a test that asks for a `ggb_` fixture one call a task.

    A test that carries scenario markers gets those scenarios' tasks, any other all of them, with the
    scenario in its ids.

    Args:
        tasks: the run's.
        scenarios: the names of all scenarios.
    """
    own = {mark.name for mark in metafunc.definition.iter_markers()} & set(scenarios)
    chosen = [task for task in tasks if not own or task.scenario in own]
    single = len(own) == 1
    marks: dict[tuple[str, str, str], list[pytest.MarkDecorator]] = {}
    parameters = []
    for task in chosen:
        names = (task.sample.language, task.sample.difficulty, "" if single else task.scenario)
        if names not in marks:
            marks[names] = [getattr(pytest.mark, name) for name in names if name]
        identifier = task.id if single else f"{task.scenario}-{task.id}"
        parameters.append(pytest.param(task, id=identifier, marks=marks[names]))
    metafunc.parametrize("ggb_task", parameters, indirect=True)


def tasks_of(ids: Iterable[str], tasks: Sequence[Task]) -> list[tuple[str, Task]]:
    """The tasks behind the ids of collected tests, as xdist's workers report them.

    Args:
        ids: of any tests; those without a task are passed over.
        tasks: the run's.

    Returns:
        Id and task of each test that has one.
    """
    by_parameter: dict[str, Task] = {}
    for known in tasks:
        by_parameter[f"test_{known.scenario}[{known.id}]"] = known
        by_parameter[known.id] = by_parameter[f"{known.scenario}-{known.id}"] = known
    found: dict[str, Task] = {}
    for identifier in ids:
        test, _, rest = identifier.rpartition("::")[2].partition("[")
        parameter = rest.removesuffix("]")
        if not parameter:
            continue
        task: Task | None = by_parameter.get(f"{test}[{parameter}]") or by_parameter.get(parameter)
        if task is None:
            # The test has further parameters around the task's.
            task = next((by_parameter[key] for key in by_parameter if key in parameter), None)
        if task is not None:
            found[identifier] = task
    return list(found.items())
