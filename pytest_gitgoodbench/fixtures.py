"""The fixtures. Each hands out one thing of `session.BenchmarkSession`; none knows git or an LLM."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_gitgoodbench.session import AttemptInProgress, session_of

if TYPE_CHECKING:
    import git

    from pytest_gitgoodbench.agents.base import Agent
    from pytest_gitgoodbench.dataset.sample import Sample
    from pytest_gitgoodbench.dataset.tasks import Task
    from pytest_gitgoodbench.judging.resolve import JudgePanel
    from pytest_gitgoodbench.runs.attempts import Acted
    from pytest_gitgoodbench.runs.verdict import Verdict
    from pytest_gitgoodbench.scenarios.base import Scenario


@pytest.fixture
def ggb_task(request: pytest.FixtureRequest) -> Task:
    """The task of this test: a sample, a scenario and a trial. Parametrized by the plugin."""
    task: Task = request.param
    return task


@pytest.fixture
def ggb_sample(ggb_task: Task) -> Sample:
    """The dataset row, typed. It names the ground truth: keep it from agents."""
    return ggb_task.sample


@pytest.fixture
def ggb_scenario(ggb_task: Task) -> Scenario:
    """The kind of task: its `name` is `merge`, `rebase` or `commit`."""
    from pytest_gitgoodbench.scenarios import SCENARIOS

    return SCENARIOS[ggb_task.scenario]


@pytest.fixture
def _ggb_in_progress(request: pytest.FixtureRequest, ggb_task: Task, tmp_path: Path) -> AttemptInProgress:
    return session_of(request.config).begin(ggb_task, request.node, tmp_path)


@pytest.fixture
def ggb_workspace(_ggb_in_progress: AttemptInProgress) -> Iterator[git.Repo]:
    """The temporary repository at the scenario's start state, as a GitPython `Repo`.

    Errors:
        The test is an error, not a failure, when the upstream repository cannot be had.
    """
    path = _ggb_in_progress.prepared.workspace.path
    with _hermetic():
        import git  # it runs git when it is imported

        with git.Repo(path) as repo:
            yield repo


@contextmanager
def _hermetic() -> Iterator[None]:
    """For GitPython, which gives its commands this process's environment: `GIT_DIR`, which is set where
    pytest was started by a git hook, would make them about another repository."""
    from pytest_gitgoodbench.git import environment

    hermetic = environment()
    names = {name for name in (*os.environ, *hermetic) if name.startswith("GIT_")}
    before = {name: os.environ.get(name) for name in names}
    _set({name: hermetic.get(name) for name in names})
    try:
        yield
    finally:
        _set(before)


def _set(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@pytest.fixture
def ggb_agent(pytestconfig: pytest.Config) -> Agent:
    """The agent that is measured. Override it in a test suite to measure one's own callable."""
    agent: Agent = session_of(pytestconfig).agent.agent
    return agent


@pytest.fixture
def ggb_judge(pytestconfig: pytest.Config) -> JudgePanel:
    """The judges in force."""
    return session_of(pytestconfig).judge


@pytest.fixture
def ggb_attempt(_ggb_in_progress: AttemptInProgress, ggb_agent: Any) -> Acted | None:
    """The attempt after the agent has acted; None when it is taken over from a resumed run."""
    return _ggb_in_progress.act(ggb_agent)


@pytest.fixture
def ggb_verdict(
    _ggb_in_progress: AttemptInProgress, ggb_attempt: Acted | None, ggb_judge: JudgePanel
) -> Verdict:
    """The verdict; `assert ggb_verdict.solved, ggb_verdict.explain()`.

    Errors:
        The test is an error when something around the agent failed.
    """
    return _ggb_in_progress.conclude(ggb_judge)
