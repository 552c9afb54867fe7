"""Judges that are described in pyproject.toml: `[tool.gitgoodbench.judges.NAME]`, and agents' models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.judging.llm import SMALLEST_BUDGET
from pytest_gitgoodbench.judging.prompt import TOKEN_BUDGET
from pytest_gitgoodbench.llm.client import Model
from pytest_gitgoodbench.llm.tables import model_of, section


@dataclass(frozen=True)
class JudgeTable:
    """One table.

    Attributes:
        where: how it is named in messages.
        entry: a table, or a model that was registered as it is.
        as_judge: whether it describes a judge; else an agent, whose model can judge as well.
    """

    where: str
    entry: Any
    as_judge: bool

    def model(self) -> Model:
        """Which model, and how it is asked.

        Raises:
            UserError: the table says something that cannot be.
        """
        return self.entry if isinstance(self.entry, Model) else model_of(self.where, self.entry)

    def token_budget(self) -> int:
        """The budget of both histories together.

        Raises:
            UserError: it is no number, or too small.
        """
        budget = (
            TOKEN_BUDGET if isinstance(self.entry, Model) else self.entry.get("token_budget", TOKEN_BUDGET)
        )
        if isinstance(budget, bool) or not isinstance(budget, int) or budget < SMALLEST_BUDGET:
            raise UserError(
                f"{self.where}: token_budget {budget!r} is not a whole number of at least {SMALLEST_BUDGET}"
            )
        return budget

    def params_over(self) -> dict[str, Any] | None:
        """Parameters over the model's; None for those of any judge.

        What an agent is sampled with is not how a judge should be asked; a judge's own table is meant.
        """
        own = self.as_judge and not isinstance(self.entry, Model) and "temperature" in self.model().params
        return {} if own else None


def tables(pyproject: Path | None, registered: Mapping[str, Any]) -> dict[str, JudgeTable]:
    """What can be named as a judge; a judge goes before an agent of the same name.

    Args:
        pyproject: the project's pyproject.toml, if it has one.
        registered: agents by name; those that are no models are left out, as they cannot judge.

    Raises:
        UserError: the file cannot be read.
    """
    judges = section(pyproject, "judges")
    agents = {**section(pyproject, "agents"), **registered}
    models = {
        name: JudgeTable(f"agent {name}", entry, False)
        for name, entry in agents.items()
        if isinstance(entry, Model) or (isinstance(entry, Mapping) and "model" in entry)
    }
    own = {
        name: JudgeTable(f"[tool.gitgoodbench.judges.{name}]", entry, True) for name, entry in judges.items()
    }
    return {**models, **own}
