"""Scenarios: what agents are asked to do with a sample. One file each; see `base.Scenario`.

Every subclass of `Scenario` in a module of this folder is found by itself, so that a further scenario is
one new file.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping

from pytest_gitgoodbench.scenarios.base import Scenario

_FIRST = ("merge", "rebase", "commit")


def _found() -> dict[str, Scenario]:
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    kinds = {kind.name: kind for kind in _subclasses(Scenario) if hasattr(kind, "name")}  # type: ignore[type-abstract]
    rest = sorted(set(kinds) - set(_FIRST))
    return {name: kinds[name]() for name in (*_FIRST, *rest) if name in kinds}


def _subclasses(kind: type[Scenario]) -> list[type[Scenario]]:
    direct = kind.__subclasses__()
    return direct + [deeper for child in direct for deeper in _subclasses(child)]


SCENARIOS: Mapping[str, Scenario] = _found()
"""All scenarios by name, in the order in which they are run and reported."""


def by_sample_type() -> dict[str, tuple[str, ...]]:
    """The names of the scenarios that are made from each type of sample."""
    found: dict[str, tuple[str, ...]] = {}
    for name, scenario in SCENARIOS.items():
        found[scenario.sample_type] = (*found.get(scenario.sample_type, ()), name)
    return found


__all__ = ["SCENARIOS", "Scenario", "by_sample_type"]
