"""Hooks of this plugin, for `conftest.py` files and other plugins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_gitgoodbench.dataset.sample import Sample
    from pytest_gitgoodbench.runs.record import Record


@pytest.hookspec
def pytest_gitgoodbench_agents(config: pytest.Config) -> Mapping[str, Any]:  # type: ignore[empty-body]
    """Register agents: names for `--ggb-agent`, each with an agent or a table of model settings.

    Returns:
        Agents by name. An agent is a callable `(attempt) -> None`, sync or async, or a mapping such as
        `{"model": "openai/gpt-4o", "temperature": 0}`.
    """


@pytest.hookspec(firstresult=True)
def pytest_gitgoodbench_sample(config: pytest.Config, sample: Sample) -> Sample | None:
    """Adjust a sample before the selection is made, e.g. its difficulty or repository name.

    Returns:
        The sample to use instead, or None to leave it as it is.
    """


@pytest.hookspec
def pytest_gitgoodbench_attempt(config: pytest.Config, record: Record) -> None:
    """See a finished attempt. Called where pytest's reports are shown, never on an xdist worker.

    Args:
        record: without its long parts (histories, patch, brief), which are in `results.jsonl`.
    """
