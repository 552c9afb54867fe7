"""The shipped suite: one test function a scenario, parametrized by the plugin with the run's tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from pytest_gitgoodbench.scenarios import SCENARIOS

if TYPE_CHECKING:
    from pytest_gitgoodbench.runs.verdict import Verdict


def _test_of(scenario: str) -> Callable[[Verdict], None]:
    def test(ggb_verdict: Verdict) -> None:
        if not ggb_verdict.solved:
            pytest.fail(ggb_verdict.explain(), pytrace=False)

    test.__name__ = f"test_{scenario}"
    return getattr(pytest.mark, scenario)(test)  # type: ignore[no-any-return]


for _name in SCENARIOS:
    globals()[f"test_{_name}"] = _test_of(_name)
