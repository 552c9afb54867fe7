"""From what the user wrote after `--ggb-agent` to an agent."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from pytest_gitgoodbench.agents.baselines import BASELINES, BaselineAgent
from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.llm.client import Model
from pytest_gitgoodbench.llm.redact import redact, shown_parameters
from pytest_gitgoodbench.llm.tables import model_of, section
from pytest_gitgoodbench.settings import Settings

GROUP = "pytest_gitgoodbench.agents"


@dataclass(frozen=True)
class ResolvedAgent:
    """An agent ready to be measured.

    Attributes:
        name: as the user named it.
        agent: a callable `(attempt) -> None`, or a baseline.
        kind: `baseline`, `llm`, `command` or `python`.
        model: the LLM behind it, if it is one.
        detail: what else has to be known, for header and manifest.
    """

    name: str
    agent: Any
    kind: str
    model: Model | None = None
    detail: str = ""

    def describe(self) -> str:
        """For the header."""
        return f"{self.name} ({self.kind}{', ' + self.detail if self.detail else ''})"

    def as_json(self) -> dict[str, Any]:
        """For the manifest; a run is only continued with the same."""
        found: dict[str, Any] = {"name": self.name, "kind": self.kind, "detail": self.detail}
        if self.model is not None:
            found["model"] = self.model.name
            found["api_base"] = self.model.api_base
            found["params"] = shown_parameters(self.model.params)
        return found


def resolve(
    name: str, registered: Mapping[str, Any], settings: Settings, pyproject: Path | None
) -> ResolvedAgent:
    """Find an agent, in the order: registered in conftest.py, in pyproject.toml, by an entry point; a
    baseline; `module:attribute`; `cmd:`; a preset; a litellm model name.

    Raises:
        UserError: there is none, or it cannot be used; before the first test.
    """
    if name in registered:
        return _given(name, registered[name], settings)
    table = section(pyproject, "agents").get(name)
    if table is not None:
        return _given(name, table, settings)
    for entry in metadata.entry_points(group=GROUP):
        if entry.name == name:
            with _loading(name):
                found = entry.load()
            return _given(name, found, settings)
    if name in BASELINES:
        return ResolvedAgent(name, BaselineAgent(name), "baseline")
    if name.startswith("cmd:"):
        return _command(name, name[4:])
    from pytest_gitgoodbench.agents.presets import PRESETS

    if name in PRESETS:
        return _command(name, PRESETS[name].command, PRESETS[name].variables)
    if _looks_like_attribute(name):
        return _given(name, _attribute(name), settings)
    return _llm(name, Model(name), {}, settings)


def _given(name: str, what: Any, settings: Settings) -> ResolvedAgent:
    if isinstance(what, Mapping):
        if "command" in what:
            variables = tuple(str(variable) for variable in what.get("variables", ()))
            return _command(name, str(what["command"]), variables, network=bool(what.get("network", True)))
        return _llm(name, model_of(f"the agent {name}", what), what, settings)
    if isinstance(what, Model):
        return _llm(name, what, {}, settings)
    if inspect.isclass(what):
        with _loading(name):
            what = what()
    if not callable(what):
        raise UserError(f"the agent {name} is no callable: it must take an attempt")
    return ResolvedAgent(name, what, "python")


def _looks_like_attribute(name: str) -> bool:
    module, separator, attribute = name.partition(":")
    return (
        bool(separator)
        and "/" not in name
        and all(part.isidentifier() for part in (*module.split("."), *attribute.split(".")))
    )


def _attribute(name: str) -> Any:
    module, _, attribute = name.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")
    with _loading(name):
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    return found


@contextmanager
def _loading(name: str) -> Iterator[None]:
    """Whatever goes wrong in the user's own code before the first test ends the run in one line."""
    try:
        yield
    except (Exception, SystemExit) as error:
        said = " ".join(str(error).split())
        raise UserError(f"the agent {name} cannot be loaded: {type(error).__name__}: {said}") from error


def _command(
    name: str, template: str, variables: tuple[str, ...] = (), *, network: bool = True
) -> ResolvedAgent:
    from pytest_gitgoodbench.agents.command import CommandAgent, check_command

    check_command(template)
    return ResolvedAgent(
        name, CommandAgent(template, env_allow=variables, network=network), "command", detail=redact(template)
    )


def _llm(name: str, model: Model, table: Mapping[str, Any], settings: Settings) -> ResolvedAgent:
    from pytest_gitgoodbench.agents.llm import LlmAgent
    from pytest_gitgoodbench.llm.client import check

    check(model)
    protocol = settings.agent_protocol or table.get("protocol")
    agent = LlmAgent(model, protocol=protocol, tools=str(table.get("tools", settings.tools)), table=table)
    detail = model.name if model.name != name else ""
    return ResolvedAgent(name, agent, "llm", model, detail)
