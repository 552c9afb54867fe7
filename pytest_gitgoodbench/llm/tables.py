"""Tables about models in pyproject.toml: `[tool.gitgoodbench.agents.NAME]`, `[tool.gitgoodbench.judges.NAME]`."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.llm.client import Model

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found,unused-ignore]

_PRICES = ("input_cost_per_token", "output_cost_per_token")
# What a table says besides how its model is asked.
_NO_PARAMETERS = {"model", "api_base", "api_key_env", "params", "token_budget", "protocol", "tools", "system"}


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


def model_of(where: str, table: Any) -> Model:
    """The model that a table describes: what has no meaning of its own here is a parameter of litellm.

    Args:
        where: how the table is named in messages.
        table: `model`; also `api_base`, `api_key_env` (the environment variable with its key), prices in
            US$ a token, and parameters, at the top or in a table `params` of their own.

    Raises:
        UserError: the table says something that cannot be.
    """
    if not isinstance(table, Mapping) or not isinstance(table.get("model"), str):
        raise UserError(f'{where} needs a model, e.g. model = "openai/gpt-4o"')
    base = table.get("api_base")
    if base is not None and not _is_url(base):
        raise UserError(f"{where}: api_base {base!r} is no URL such as http://localhost:8000/v1")
    prices = [table.get(name) for name in _PRICES]
    for name, price in zip(_PRICES, prices, strict=True):
        if price is not None and (
            isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price < math.inf
        ):
            raise UserError(f"{where}: {name} {price!r} is no number of US$")
    more = table.get("params", {})
    if not isinstance(more, Mapping):
        raise UserError(f"{where}: params {more!r} is no table")
    named = {name: value for name, value in table.items() if name not in _NO_PARAMETERS.union(_PRICES)}
    return Model(table["model"], base, {**named, **_key(where, table), **more}, *prices)


def _key(where: str, table: Mapping[str, Any]) -> dict[str, str]:
    variable = table.get("api_key_env")
    if variable is None:
        return {}
    key = os.environ.get(variable) if isinstance(variable, str) else None
    if not key:
        raise UserError(f"{where}: api_key_env names {variable!r}, which is not set in the environment")
    return {"api_key": key}


def _is_url(text: object) -> bool:
    try:
        url = urlsplit(text) if isinstance(text, str) else None
    except ValueError:
        return False
    return url is not None and url.scheme in {"http", "https"} and bool(url.netloc)
