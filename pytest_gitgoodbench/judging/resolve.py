"""From what the user wrote to the judges in force."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.judging import custom
from pytest_gitgoodbench.judging.base import Judge
from pytest_gitgoodbench.judging.cache import AnswerCache
from pytest_gitgoodbench.judging.llm import SMALLEST_BUDGET, LlmJudge
from pytest_gitgoodbench.judging.prompt import PROMPT_VERSION, TOKEN_BUDGET
from pytest_gitgoodbench.judging.rubric import Rubric
from pytest_gitgoodbench.judging.same_model import same_model
from pytest_gitgoodbench.llm import client
from pytest_gitgoodbench.llm.client import Model
from pytest_gitgoodbench.settings import Settings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found,unused-ignore]

# An agent's table may say more than how its model is asked.
_NOT_PARAMETERS = frozenset(
    (
        "model",
        "api_base",
        "params",
        "input_cost_per_token",
        "output_cost_per_token",
        "token_budget",
        "protocol",
        "tools",
    )
)


@dataclass(frozen=True)
class JudgePanel:
    """The judges in force.

    Attributes:
        judges: at least one; their names differ.
        label: their names, for records.
        self_judged: whether one of them is the model that is measured.
        votes: how often each is asked in each order.
    """

    judges: tuple[Judge, ...]
    label: str
    self_judged: bool = False
    votes: int = 1
    _own: tuple[str, ...] = field(default=(), repr=False)

    @property
    def rubric_only(self) -> bool:
        """Whether nobody but the offline rubric judges."""
        return all(isinstance(judge, Rubric) for judge in self.judges)

    def describe(self) -> str:
        """For the header: who judges, and what has to be known of them."""
        text = ", ".join(
            str(getattr(judge, "description", judge.name))
            + (" (self-judged)" if judge.name in self._own else "")
            for judge in self.judges
        )
        return text if self.votes == 1 else f"{text}, {self.votes} votes in each order"

    def as_json(self) -> dict[str, Any]:
        """For the manifest: what determines the judgements, as plain JSON values."""
        models = [judge for judge in self.judges if isinstance(judge, LlmJudge)]
        values: dict[str, Any] = {
            "name": self.label,
            "self_judged": self.self_judged,
            "rubric": self.rubric_only,
            "votes": self.votes,
        }
        if models:
            values["prompt_version"] = PROMPT_VERSION
            values["models"] = {
                judge.name: {
                    "model": judge.model.name,
                    "api_base": judge.model.api_base,
                    "token_budget": judge.token_budget,
                    "params": sorted({**judge.model.params, **judge.params}),
                }
                for judge in models
            }
        return values


def resolve(
    spec: str | None,
    *,
    agent_kind: str,
    agent_model: Model | None,
    settings: Settings,
    cache_dir: Path,
    pyproject: Path | None = None,
    registered: Mapping[str, Any] | None = None,
) -> JudgePanel:
    """Find the judges that `--ggb-judge` asks for, and check that each can be asked.

    Args:
        spec: names with commas between: `rubric`, a name from pyproject's `[tool.gitgoodbench.judges.NAME]`
            or `[tool.gitgoodbench.agents.NAME]` or from `registered`, `module:attribute`, else a litellm
            model name. None: an LLM agent's own model, for any other agent the rubric.
        agent_kind: for messages only.
        agent_model: the model that is measured, None when the agent is no LLM.
        settings: of the run.
        cache_dir: where answers are kept.
        pyproject: the project's pyproject.toml, if it has one.
        registered: models by name, each a `Model` or a table as in pyproject.

    Raises:
        UserError: a judge is unknown or cannot be used. No test has run then.
    """
    cache = AnswerCache(cache_dir)
    if spec is None:
        if agent_model is None:
            return JudgePanel((Rubric(),), Rubric.name, votes=settings.judge_votes)
        judge = _llm_judge(agent_model.name, agent_model, cache)
        return JudgePanel((judge,), judge.name, True, settings.judge_votes, (judge.name,))
    names = [name.strip() for name in spec.split(",")]
    if not all(names):
        raise UserError(f"--ggb-judge: {spec!r} lacks a name: give rubric, MODULE:ATTRIBUTE or a model name")
    tables = _tables(pyproject, registered or {})
    judges = tuple(_judge(name, tables, cache) for name in names)
    shown = [judge.name for judge in judges]
    twice = sorted({name for name in shown if shown.count(name) > 1})
    if twice:
        raise UserError(
            f"--ggb-judge: {twice[0]!r} is named twice; to ask a judge several times give --ggb-judge-votes"
        )
    own = tuple(
        judge.name
        for judge in judges
        if isinstance(judge, LlmJudge) and agent_model is not None and same_model(judge.model, agent_model)
    )
    return JudgePanel(judges, ", ".join(shown), bool(own), settings.judge_votes, own)


def _judge(name: str, tables: Mapping[str, tuple[Any, bool]], cache: AnswerCache) -> Judge:
    if name == Rubric.name:
        return Rubric()
    if name in tables:
        return _from_table(name, *tables[name], cache)
    if custom.REFERENCE.match(name):
        return custom.load(name)
    return _llm_judge(name, Model(name), cache)


def _llm_judge(name: str, model: Model, cache: AnswerCache, **more: Any) -> LlmJudge:
    client.check(model)
    return LlmJudge(model, name=name, cache=cache, **more)


def _tables(pyproject: Path | None, registered: Mapping[str, Any]) -> dict[str, tuple[Any, bool]]:
    """Models by name, each with whether it is there as a judge; a judge goes before an agent of that name."""
    own: Any = {}
    if pyproject is not None:
        try:
            own = tomllib.loads(pyproject.read_text("utf-8")).get("tool", {}).get("gitgoodbench", {})
        except (OSError, ValueError) as error:
            raise UserError(f"{pyproject} cannot be read: {error}") from error
    agents = {**own.get("agents", {}), **registered}
    return {
        **{name: (table, False) for name, table in agents.items() if _is_model(table)},
        **{name: (table, True) for name, table in own.get("judges", {}).items()},
    }


def _is_model(entry: object) -> bool:
    """Whether an agent's entry names a model: other agents cannot judge."""
    return isinstance(entry, Model) or (isinstance(entry, Mapping) and "model" in entry)


def _from_table(name: str, table: Any, as_judge: bool, cache: AnswerCache) -> LlmJudge:
    """A judge from a table: `model`, `api_base`, prices, `token_budget`; all else are litellm parameters."""
    if isinstance(table, Model):
        return _llm_judge(name, table, cache)
    if not isinstance(table, Mapping) or not isinstance(table.get("model"), str):
        raise UserError(f'[tool.gitgoodbench.judges.{name}] needs a model, e.g. model = "openai/gpt-4o"')
    rest = {key: value for key, value in table.items() if key not in _NOT_PARAMETERS}
    params = {**rest, **table.get("params", {})}
    model = Model(
        table["model"],
        table.get("api_base"),
        params,
        table.get("input_cost_per_token"),
        table.get("output_cost_per_token"),
    )
    budget = table.get("token_budget", TOKEN_BUDGET)
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < SMALLEST_BUDGET:
        raise UserError(
            f"[tool.gitgoodbench.judges.{name}]: token_budget {budget!r} is not a whole number of "
            f"at least {SMALLEST_BUDGET}"
        )
    # What an agent is sampled with is not how a judge should be; a judge's own table is meant.
    over: dict[str, Any] | None = {} if as_judge and "temperature" in params else None
    return _llm_judge(name, model, cache, token_budget=budget, params=over)
