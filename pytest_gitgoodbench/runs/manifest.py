"""`manifest.json`: what a run is about and what it ran with, without secrets."""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from pytest_gitgoodbench.errors import GitError, UserError
from pytest_gitgoodbench.git import Git
from pytest_gitgoodbench.llm.redact import without_secrets
from pytest_gitgoodbench.runs.record import SCHEMA_VERSION, check_version
from pytest_gitgoodbench.settings import OPTIONS, Settings

PACKAGES = (
    "pytest-gitgoodbench",
    "pytest",
    "pytest-xdist",
    "datasets",
    "GitPython",
    "litellm",
    "filelock",
    "platformdirs",
    "rich",
    "jsonschema",
)

LITE = "JetBrains/git_good_bench-lite"


@dataclass(frozen=True)
class Manifest:
    """A run, as plain JSON values.

    Attributes:
        dataset: `id` as the user named it, `source` (hub id or path), `revision`, `pinned`,
            `fingerprint` (a hash of its rows), `samples` (how many).
        agent: `name`, and whatever else determines it (kind, model, parameters, command).
        judge: `name` as shown, `self_judged`, `rubric` (whether it is the offline one), and whatever
            else determines it.
        settings: every option in force, by field name.
        planned: the ids of all attempts the run consists of.
        seeds: whatever random choice was seeded with.
        created: when, ISO 8601 in UTC.
        resumed: when it was continued.
        merged: the run directories it was merged from.
        rejudged: when its attempts, of an earlier run, were judged again.
        versions: of git, Python and packages.
        platform: the machine's kind.
        version: the schema's version, the same as of records.
    """

    dataset: dict[str, Any]
    agent: dict[str, Any]
    judge: dict[str, Any]
    settings: dict[str, Any]
    planned: list[str] = field(default_factory=list)
    seeds: dict[str, Any] = field(default_factory=dict)
    created: str = ""
    resumed: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    rejudged: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    platform: str = ""
    version: int = SCHEMA_VERSION

    @classmethod
    def of(
        cls,
        settings: Settings,
        *,
        dataset: Mapping[str, Any],
        agent: Mapping[str, Any],
        judge: Mapping[str, Any],
        planned: Iterable[str],
        seeds: Mapping[str, Any] | None = None,
    ) -> Manifest:
        """The manifest of a run that starts now; secrets are replaced."""
        return cls(
            dataset=without_secrets(dataset),
            agent=without_secrets(agent),
            judge=without_secrets(judge),
            settings=without_secrets(vars(settings)),
            planned=list(planned),
            seeds=without_secrets(seeds or {}),
            created=now(),
            versions=versions(),
            platform=platform.platform(),
        )

    @classmethod
    def read(cls, file: Path) -> Manifest:
        """Read a manifest.

        Raises:
            UserError: there is none, it is damaged, or of a schema version that cannot be read.
        """
        try:
            data = json.loads(file.read_bytes())
        except OSError as error:
            raise UserError(f"{file} cannot be read: {error.strerror or error}") from error
        except ValueError:
            raise UserError(f"{file} is damaged: it is no JSON") from None
        if not isinstance(data, dict):
            raise UserError(f"{file} is no manifest of a run")
        check_version(data.get("version"), str(file))
        wrong = [name for name in _MAPPINGS if not isinstance(data.get(name), dict)]
        if wrong:
            raise UserError(f"{file} is no manifest of a run: no {', '.join(wrong)}")
        return cls(**{name: value for name, value in data.items() if name in _NAMES})

    def as_text(self) -> str:
        """The manifest as JSON."""
        return json.dumps(asdict(self), indent=1) + "\n"

    def continued_as(self, other: Manifest) -> Manifest:
        """This run's manifest when it is continued as `other` says: more attempts, perhaps other limits."""
        known = set(self.planned)
        added = [id for id in other.planned if id not in known]
        return replace(
            other,
            planned=[*self.planned, *added],
            created=self.created,
            resumed=[*self.resumed, other.created],
            merged=self.merged,
        )

    @property
    def is_lite(self) -> bool:
        """Whether the dataset is the one the published baseline was measured on."""
        return self.dataset.get("id") == "lite" or self.dataset.get("source") == LITE

    @property
    def dataset_name(self) -> str:
        """The dataset for people: name, revision, whether that is pinned."""
        name, revision = str(self.dataset.get("id", "?")), self.dataset.get("revision")
        if revision is None:
            return name
        pinned = "" if self.dataset.get("pinned") else ", unpinned"
        return f"{name} at {str(revision)[:12]}{pinned}"

    @property
    def agent_name(self) -> str:
        """The agent for people."""
        return str(self.agent.get("name", "?"))

    @property
    def judge_name(self) -> str:
        """The judge for people, with what has to be known of it."""
        name = str(self.judge.get("name", "?"))
        if self.judge.get("rubric") or name == "rubric":
            return f"{name} (not the paper's judge)"
        return f"{name} (self-judged)" if self.judge.get("self_judged") else name

    @property
    def protocol(self) -> str:
        """Which verdict decides: `strict` or `paper`."""
        return str(self.settings.get("protocol", "strict"))

    @property
    def threshold(self) -> float:
        """The score from which a history is good enough."""
        return float(self.settings.get("judge_threshold", 1.0))

    def options(self) -> list[str]:
        """The command line options that differ from their defaults, to run the same again."""
        chosen = []
        for option in OPTIONS:
            value = self.settings.get(option.name, option.default)
            if value == option.default or value in (None, [], ()):
                continue
            if option.is_switch:
                chosen.append(option.flag)
            elif isinstance(value, list | tuple):
                separator = "," if option.many else "/"
                chosen.append(f"{option.flag}={separator.join(str(part) for part in value)}")
            else:
                chosen.append(
                    f"{option.flag}={value:g}" if isinstance(value, float) else f"{option.flag}={value}"
                )
        return chosen


_NAMES = frozenset(entry.name for entry in fields(Manifest))
_MAPPINGS = ("dataset", "agent", "judge", "settings")


def now() -> str:
    """This moment, ISO 8601 in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def versions() -> dict[str, str]:
    """Versions of git, Python and the packages that matter; none of them is imported."""
    found = {"python": platform.python_version(), "implementation": sys.implementation.name}
    try:
        found["git"] = Git().line("version").removeprefix("git version ")
    except (GitError, UserError) as error:
        found["git"] = f"unknown ({error})"
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found
