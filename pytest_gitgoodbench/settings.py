"""Every option of the plugin, declared once.

The command line, the ini file, the table in README and the manifest of a run are made from the
fields of `Settings`: field `agent` is `--ggb-agent` on the command line and `ggb_agent` in the ini file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from pytest_gitgoodbench.errors import UserError

MOST = 10**9
"""The largest number for an option; what waits for more seconds than this overflows."""
MOST_REPEATED = 1000
"""Attempts of one scenario, or answers of one judge: with more, the list of them alone fills the memory."""


def _option(
    help: str,
    *,
    default: Any = None,
    parse: Callable[[str], Any] = str,
    metavar: str | None = None,
    choices: tuple[str, ...] = (),
    flag: bool = False,
    many: bool = False,
) -> Any:
    return field(
        default=default,
        metadata={
            "help": help,
            "parse": parse,
            "metavar": metavar,
            "choices": choices,
            "flag": flag,
            "many": many,
        },
    )


def _positive_int(value: str) -> int:
    number = int(value)
    if not 1 <= number <= MOST:
        raise ValueError(f"a whole number from 1 to {MOST}")
    return number


def _repeated(value: str) -> int:
    number = int(value)
    if not 1 <= number <= MOST_REPEATED:
        raise ValueError(f"a whole number from 1 to {MOST_REPEATED}")
    return number


def _positive_float(value: str) -> float:
    number = float(value)
    if not 0 < number <= MOST:
        raise ValueError(f"a number above 0, at most {MOST}")
    return number


def _share(value: str) -> float:
    number = float(value)
    if not 0 <= number <= 1:
        raise ValueError("a number from 0 to 1")
    return number


def _shard(value: str) -> tuple[int, int]:
    index, _, count = value.partition("/")
    shard = int(index), int(count)
    if not 1 <= shard[0] <= shard[1] <= MOST:
        raise ValueError(f"i/n with 1 <= i <= n <= {MOST}")
    return shard


def _url_template(value: str) -> str:
    if "{name}" not in value:
        raise ValueError("a URL with {name} in it")
    return value


def _path(value: str) -> Path:
    if not value:
        # Of a variable that is not set, say; it would be the current folder.
        raise ValueError("a path: it is empty")
    try:
        return Path(value).expanduser()
    except RuntimeError:
        raise ValueError("a path: there is no such user's home") from None


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options in force: command line before ini file before default."""

    agent: str | None = _option(
        "the agent to measure: a registered name, a baseline (oracle, nop, ours, theirs, union, "
        "squash, per-hunk), MODULE:ATTRIBUTE, cmd:COMMAND LINE, or a litellm model name",
        metavar="AGENT",
    )
    agent_protocol: str | None = _option(
        "how an LLM agent calls tools: the API's function calling, or one JSON object a turn "
        "(default: tools where litellm knows that the model has them)",
        choices=("tools", "json"),
    )
    tools: str = _option(
        "what an LLM agent works with: the scenario's own tools, a shell, or both",
        default="structured",
        choices=("structured", "bash", "both"),
    )
    judge: str | None = _option(
        "who compares histories: rubric, MODULE:ATTRIBUTE or a litellm model name; several with "
        "commas form a panel (default: an LLM agent's own model, else rubric)",
        metavar="JUDGE",
    )
    judge_threshold: float = _option(
        "the score from which a rebase or commit scenario is solved, 0 to 1",
        default=1.0,
        parse=_share,
        metavar="SCORE",
    )
    judge_votes: int = _option(
        "how often the judge is asked in each of the two orders",
        default=1,
        parse=_repeated,
        metavar="N",
    )
    dataset: str = _option(
        "full, lite, train, demo, the id of a dataset on the Hugging Face hub, or a CSV, JSONL or "
        "Parquet file",
        default="full",
        metavar="DATASET",
    )
    revision: str | None = _option(
        "commit, tag or branch of the dataset on the hub (default: unpinned, reported as such)",
        metavar="REV",
    )
    scenario: tuple[str, ...] = _option("only these scenarios", default=(), many=True, metavar="NAME[,NAME]")
    language: tuple[str, ...] = _option(
        "only samples in these languages: python, java, kotlin",
        default=(),
        many=True,
        metavar="NAME[,NAME]",
    )
    difficulty: tuple[str, ...] = _option(
        "only samples of these difficulties: easy, medium, hard",
        default=(),
        many=True,
        metavar="NAME[,NAME]",
    )
    repo: tuple[str, ...] = _option(
        "only samples of these repositories",
        default=(),
        many=True,
        metavar="OWNER/REPO[,OWNER/REPO]",
    )
    limit: int | None = _option(
        "at most N scenarios: always the same ones, balanced over language, scenario and difficulty",
        parse=_positive_int,
        metavar="N",
    )
    shard: tuple[int, int] | None = _option(
        "run the i-th of n parts of the selection; a repository is never split over parts",
        parse=_shard,
        metavar="I/N",
    )
    trials: int = _option("attempts of each scenario", default=1, parse=_repeated, metavar="N")
    timeout: float = _option(
        "seconds an agent has for one attempt",
        default=600.0,
        parse=_positive_float,
        metavar="SECONDS",
    )
    max_turns: int = _option(
        "turns an LLM agent has for one attempt", default=50, parse=_positive_int, metavar="N"
    )
    max_cost: float | None = _option(
        "US$ the whole run may cost, all workers and the judge together; what is left then is skipped",
        parse=_positive_float,
        metavar="US$",
    )
    protocol: str = _option(
        "which verdict decides pass or fail: strict, or the published rules; both are recorded",
        default="strict",
        choices=("strict", "paper"),
    )
    cache_dir: Path | None = _option(
        "where repositories are kept (default: the user's cache folder)", parse=_path, metavar="DIR"
    )
    repo_root: Path | None = _option(
        "clones or bare repositories as OWNER/REPO or OWNER/REPO.git, used instead of the network",
        parse=_path,
        metavar="DIR",
    )
    repo_url: str = _option(
        "where repositories are fetched from",
        default="https://github.com/{name}.git",
        parse=_url_template,
        metavar="URL",
    )
    offline: bool = _option("use only what is in the caches, no network", default=False, flag=True)
    out: Path | None = _option("the run directory (default: ggb-runs/TIME-AGENT)", parse=_path, metavar="DIR")
    resume: Path | None = _option(
        "a run directory to continue: its verdicts are kept, errors and missing attempts run",
        parse=_path,
        metavar="RUN",
    )
    sandbox: str = _option(
        "run what an agent starts in bubblewrap; auto: where it works",
        default="auto",
        choices=("auto", "none", "bwrap"),
    )
    min_solve_rate: float | None = _option(
        "the run's exit status tells whether the solve rate reaches this, and single unsolved "
        "scenarios do not",
        parse=_share,
        metavar="RATE",
    )


@dataclass(frozen=True)
class Option:
    """One field of `Settings` with the names it has outside.

    Attributes:
        name: the field, e.g. `max_turns`.
        flag: the command line option, e.g. `--ggb-max-turns`.
        ini: the key in the ini file, e.g. `ggb_max_turns`.
    """

    name: str
    default: Any
    help: str
    metavar: str | None
    choices: tuple[str, ...]
    is_switch: bool
    many: bool
    parse: Callable[[str], Any]

    @property
    def flag(self) -> str:
        return "--ggb-" + self.name.replace("_", "-")

    @property
    def ini(self) -> str:
        return "ggb_" + self.name

    def read(self, value: str | list[str] | bool, source: str) -> Any:
        """Turn what the user wrote into the field's value.

        Args:
            value: the text, the texts of a repeated option, or a switch.
            source: how the user named the option, for the message.

        Raises:
            UserError: the value does not fit.
        """
        if self.is_switch:
            if isinstance(value, bool):
                return value
            word = str(value).strip().lower()
            if word in {"1", "true", "yes", "on"}:
                return True
            if word in {"", "0", "false", "no", "off"}:
                return False
            raise UserError(f"{source}: {value!r} is neither true nor false")
        if self.many:
            texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
            parts = [part.strip() for entry in texts for part in str(entry).split(",")]
            return tuple(part for part in parts if part)
        entry = str(value)
        if self.choices and entry not in self.choices:
            raise UserError(f"{source}: {entry!r} is not one of {', '.join(self.choices)}")
        try:
            return self.parse(entry)
        except ValueError as error:
            detail = str(error)
            wanted = detail if detail.startswith(("a ", "i/n")) else "a number"
            raise UserError(f"{source}: {entry!r} is not {wanted}") from None


def _as_option(entry: Field[Any]) -> Option:
    meta = entry.metadata
    return Option(
        name=entry.name,
        default=entry.default,
        help=meta["help"],
        metavar=meta["metavar"],
        choices=meta["choices"],
        is_switch=meta["flag"],
        many=meta["many"],
        parse=meta["parse"],
    )


OPTIONS: tuple[Option, ...] = tuple(_as_option(entry) for entry in fields(Settings))


def settings_from(values: Mapping[str, tuple[str | list[str] | bool, str]]) -> Settings:
    """Make settings from what the user wrote.

    Args:
        values: by field name, the text(s) and how the user named the option; a field that is not
            there keeps its default.

    Raises:
        UserError: a value does not fit its option.
    """
    by_name = {option.name: option for option in OPTIONS}
    return Settings(**{name: by_name[name].read(value, source) for name, (value, source) in values.items()})


def options_table() -> str:
    """The options as a Markdown table, as it stands in README (`ggb options` prints it)."""
    rows = ["| option | ini | default | meaning |", "| --- | --- | --- | --- |"]
    for option in OPTIONS:
        value = "" if option.is_switch else f" {option.metavar or '|'.join(option.choices)}"
        default = option.default
        if option.is_switch:
            shown = "off"
        elif default in (None, ()):
            shown = ""
        else:
            shown = f"`{default:g}`" if isinstance(default, float) else f"`{default}`"
        flag = f"{option.flag}{value}".replace("|", "\\|")
        rows.append(f"| `{flag}` | `{option.ini}` | {shown} | {option.help} |")
    return "\n".join(rows)
