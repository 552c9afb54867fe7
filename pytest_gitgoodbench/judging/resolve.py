"""From what the user wrote to the judges in force."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.judging import custom
from pytest_gitgoodbench.judging.base import Judge
from pytest_gitgoodbench.judging.cache import AnswerCache
from pytest_gitgoodbench.judging.llm import LlmJudge
from pytest_gitgoodbench.judging.prompt import PROMPT_VERSION
from pytest_gitgoodbench.judging.rubric import Rubric
from pytest_gitgoodbench.judging.same_model import same_model
from pytest_gitgoodbench.judging.tables import JudgeTable, tables
from pytest_gitgoodbench.llm import client
from pytest_gitgoodbench.llm.client import Model
from pytest_gitgoodbench.llm.redact import shown_parameters
from pytest_gitgoodbench.settings import Settings


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
                    "api_base": judge.endpoint,
                    "token_budget": judge.token_budget,
                    "params": shown_parameters({**judge.model.params, **judge.params}),
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
        agent_kind: what the agent is; an agent of any kind that has a model is judged by that.
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
    known = tables(pyproject, registered or {})
    judges = tuple(_judge(name, known, cache) for name in names)
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


def _judge(name: str, known: Mapping[str, JudgeTable], cache: AnswerCache) -> Judge:
    if name == Rubric.name:
        return Rubric()
    if name in known:
        table = known[name]
        return _llm_judge(
            name, table.model(), cache, token_budget=table.token_budget(), params=table.params_over()
        )
    if custom.REFERENCE.match(name):
        return custom.load(name)
    return _llm_judge(name, Model(name), cache)


def _llm_judge(name: str, model: Model, cache: AnswerCache, **more: Any) -> LlmJudge:
    client.check(model)
    return LlmJudge(model, name=name, cache=cache, **more)
