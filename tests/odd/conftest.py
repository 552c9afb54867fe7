"""Odd histories: an upstream repository made commit by commit, and attempts of the baselines on it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_gitgoodbench.agents.base import Attempt
from pytest_gitgoodbench.agents.baselines import BaselineAgent
from pytest_gitgoodbench.agents.budget import Budget
from pytest_gitgoodbench.agents.transcript import Transcript
from pytest_gitgoodbench.dataset.sample import Chain, Merge, Sample
from pytest_gitgoodbench.dataset.tasks import Task
from pytest_gitgoodbench.git import environment
from pytest_gitgoodbench.judging.ask import judge_histories
from pytest_gitgoodbench.judging.base import Judgement
from pytest_gitgoodbench.repos.cache import Cache
from pytest_gitgoodbench.repos.workspace import forbidden_objects
from pytest_gitgoodbench.runs import attempts
from pytest_gitgoodbench.runs.record import Record
from pytest_gitgoodbench.scenarios.base import History
from pytest_gitgoodbench.settings import Settings
from tests.support.repository import Repository
from tests.support.tools import Toolkit

Entry = bytes | str | tuple[str, bytes]
"""Bytes are a file, text is a symbolic link's target, a pair is a mode and content (of a submodule: a commit)."""
Files = Mapping[str | bytes, Entry]

WHO = "Maintainer <maintainer@example.invalid> 1700000000 +0000"
SUBMODULE = "160000"
NAME = "acme/odd"


def executable(content: bytes) -> Entry:
    return "100755", content


def submodule(digit: str) -> Entry:
    """A submodule at a commit that nobody has."""
    return SUBMODULE, digit.encode() * 40


def quoted(path: bytes) -> bytes:
    """A path as fast-import reads any bytes."""
    return b'"' + b"".join(b"\\%03o" % code for code in path) + b'"'


class Workspace(Repository):
    """A workspace as an agent's shell sees it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def said(self, *args: str) -> str:
        """All that git prints, on either stream; it must succeed."""
        done = subprocess.run(["git", *args], cwd=self.path, env=environment(), capture_output=True)
        said = (done.stdout + done.stderr).decode("utf-8", "replace")
        assert not done.returncode, said
        return said


@dataclass
class Prepared:
    """A prepared attempt, with what tests look at."""

    of: attempts.Prepared

    @property
    def repository(self) -> Workspace:
        return Workspace(self.of.workspace.path)

    @property
    def tools(self) -> Toolkit:
        return Toolkit(self.of.scenario.tools(self.of.task.sample, self.of.workspace))


class Upstream:
    """A repository of odd commits; each is given by all its files, so nothing is converted on the way."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "upstream"
        self.repository = Repository(self.root / "acme" / "odd")
        self.count = 0
        self.again()

    def again(self) -> Upstream:
        """As in a later run: with nothing in memory of what could not be had."""
        self.cache = Cache(Settings(cache_dir=self.folder / "cache", repo_root=self.root, offline=True))
        return self

    def commit(
        self,
        files: Files,
        *parents: str,
        message: bytes = b"Change\n",
        encoding: str = "",
    ) -> str:
        """A commit of exactly these files."""
        stream = [b"reset refs/heads/made\n\ncommit refs/heads/made\nmark :1\n"]
        stream += [f"author {WHO}\ncommitter {WHO}\n".encode()]
        stream += [f"encoding {encoding}\n".encode()] if encoding else []
        stream += [b"data %d\n%s\n" % (len(message), message)]
        stream += [f"{'merge' if n else 'from'} {parent}\n".encode() for n, parent in enumerate(parents)]
        stream += [b"deleteall\n"]
        for name, entry in files.items():
            path = quoted(os.fsencode(name))
            mode, content = entry if isinstance(entry, tuple) else ("100644", entry)
            if isinstance(content, str):
                mode, content = "120000", content.encode()
            if mode == SUBMODULE:
                stream += [b"M 160000 %s %s\n" % (content, path)]
            else:
                stream += [b"M %s inline %s\ndata %d\n%s\n" % (mode.encode(), path, len(content), content)]
        stream += [b"get-mark :1\n"]
        return self.repository.git("fast-import", "--quiet", "--force", input=b"".join(stream))

    def merge(
        self, base: Files, ours: Files, theirs: Files, truth: Files, files: tuple[str, ...] = ()
    ) -> Task:
        """A sample of a merge of two changes of `base`."""
        start = self.commit(base)
        return self.merge_of(self.commit(ours, start), self.commit(theirs, start), truth, files)

    def merge_of(self, ours: str, theirs: str, truth: Files, files: tuple[str, ...] = ()) -> Task:
        commit = self.commit(truth, ours, theirs, message=b"Merge both\n")
        self.repository.git("update-ref", "refs/heads/main", commit)
        return self.merge_task(commit, (ours, theirs), files)

    def merge_task(self, commit: str, parents: tuple[str, str], files: tuple[str, ...] = ()) -> Task:
        detail = Merge(commit, parents, files)
        return Task(Sample("acme_odd_merge_0000", NAME, "python", "hard", detail), "merge")

    def chain(self, file: str, length: int, newest: str, oldest: str) -> dict[str, Task]:
        """A sample of a chain: its scenarios by name."""
        self.repository.git("update-ref", "refs/heads/main", newest)
        detail = Chain(file, length, newest, oldest)
        sample = Sample("acme_odd_file_commit_chain_0000", NAME, "python", "hard", detail)
        return {name: Task(sample, name) for name in ("rebase", "commit")}

    def prepare(self, task: Task) -> Prepared:
        """A workspace at the start state, which holds nothing that an agent may not see."""
        self.count += 1
        prepared = attempts.prepare(task, self.cache, self.folder / f"attempt{self.count}" / "workspace")
        assert forbidden_objects(prepared.workspace, prepared.start, prepared.store) == []
        prepared.brief.encode("utf-8")
        return Prepared(prepared)

    def attempt(self, task: Task, agent: str, threshold: float = 1.0, judged: float | None = None) -> Record:
        """One attempt of a baseline from start to verdict.

        Args:
            judged: the score that a judge gives; without it none must be needed.
        """
        return self.conclude(self.prepare(task), agent, threshold, judged)

    def conclude(
        self, prepared: Prepared, agent: str, threshold: float = 1.0, judged: float | None = None
    ) -> Record:
        """The rest of an attempt that is prepared."""
        of = prepared.of
        given = Attempt(
            workspace=of.workspace.path,
            scenario=of.scenario.name,
            language="python",
            brief=of.brief,
            tools=(),
            budget=Budget(),
            transcript=Transcript(),
            env=environment(),
        )
        acted = attempts.act(of, BaselineAgent(agent), given)
        assert not acted.traceback, acted.traceback
        scratch = of.workspace.path.parent / "scratch"
        scratch.mkdir()
        record = attempts.conclude(
            acted,
            attempts.evaluate(acted, scratch),
            judge if judged is None else lambda *histories: Judgement(judged),
            judge_label="none",
            threshold=threshold,
            protocol="strict",
            started=1.0,
        )
        json.dumps(record.as_json())
        return record


def judge(agent: History, original: History) -> Judgement:
    """Knows empty and equal histories only."""
    return judge_histories(
        [], agent, original, language="python", scenario="any"
    )  # else divides by no answers


@pytest.fixture
def upstream(tmp_path: Path) -> Upstream:
    return Upstream(tmp_path)


def why(record: Record) -> Any:
    """For the message of an assertion."""
    return record.reasons, record.patch
