"""Tables about models in pyproject.toml: `[tool.gitgoodbench.agents.NAME]`, `[tool.gitgoodbench.judges.NAME]`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_gitgoodbench.errors import UserError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found,unused-ignore]


def section(pyproject: Path | None, name: str) -> Mapping[str, Any]:
    """The tables of `[tool.gitgoodbench.NAME]`, by their own names; empty when there are none.

    Args:
        pyproject: the project's pyproject.toml, if it has one.
        name: `agents` or `judges`.

    Raises:
        UserError: the file cannot be read.
    """
    if pyproject is None:
        return {}
    try:
        found: Any = tomllib.loads(pyproject.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{pyproject} cannot be read: {error}") from error
    for part in ("tool", "gitgoodbench", name):
        found = found.get(part, {}) if isinstance(found, Mapping) else {}
    return found if isinstance(found, Mapping) else {}
