"""An arena for hostile agents: one small upstream repository, and a way to run a few lines in a workspace."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_gitgoodbench.agents.base import Attempt
from pytest_gitgoodbench.agents.budget import Budget
from pytest_gitgoodbench.agents.transcript import Transcript
from pytest_gitgoodbench.dataset.sample import Chain, Merge, Sample
from pytest_gitgoodbench.dataset.tasks import Task
from pytest_gitgoodbench.git import environment
from pytest_gitgoodbench.repos.cache import Cache
from pytest_gitgoodbench.runs import attempts
from pytest_gitgoodbench.scenarios.base import Evaluation
from pytest_gitgoodbench.settings import Settings

# The one file of the upstream project; both sides of the merge change its middle line.
BASE = b"one\ntwo\nthree\n"
RIGHT = b"one\ntwo, ours and theirs\nthree\nfour\n"


class Workspace:
    """What a hostile agent works with: files and git, as in a shell."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.dot_git = path / ".git"

    def git(self, *args: str, text: bytes | None = None, check: bool = True) -> str:
        done = subprocess.run(
            ["git", *args], cwd=self.path, env=environment(), input=text, capture_output=True
        )
        if check and done.returncode:
            raise AssertionError(f"git {args}: {done.stderr.decode()}")
        return done.stdout.decode("utf-8", "replace").strip()

    def resolve(self, content: bytes = RIGHT) -> None:
        """Write the maintainers' resolution into the work tree."""
        (self.path / "file.txt").write_bytes(content)

    def solve(self) -> None:
        """Do what the maintainers did."""
        self.resolve()
        self.git("add", "file.txt")
        self.git("commit", "-q", "-m", "Merge both changes")


@dataclass
class Ended:
    """How an attempt of a hostile agent ended."""

    evaluation: Evaluation
    workspace: Path

    @property
    def solved(self) -> bool:
        """Whether every rule of the strict protocol holds (no judge is asked here)."""
        return all(check.passed for check in self.evaluation.checks)

    @property
    def reasons(self) -> str:
        return "\n".join(f"{c.name}: {c.detail}" for c in self.evaluation.checks if not c.passed)


class Arena:
    """Runs hostile agents; `canary` must never come to exist."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.canary = folder / "canary"
        self.cache_dir = folder / "cache"
        self.upstream = folder / "upstream" / "acme" / "anvil"
        self._history()
        self.cache = Cache(Settings(cache_dir=self.cache_dir, repo_root=folder / "upstream"))
        self.count = 0

    def _history(self) -> None:
        self.upstream.mkdir(parents=True)
        made = Workspace(self.upstream)
        made.git("init", "-q", "-b", "main")
        file = self.upstream / "file.txt"

        def commit(content: bytes, message: str) -> str:
            file.write_bytes(content)
            made.git("add", "-A")
            made.git("commit", "-q", "-m", message)
            return made.git("rev-parse", "HEAD")

        commit(BASE, "Start")
        self.base = commit(BASE + b"four\n", "Add a line")
        made.git("checkout", "-q", "-b", "side")
        theirs = commit(BASE.replace(b"two", b"two, theirs") + b"four\n", "Change it here")
        made.git("checkout", "-q", "main")
        ours = commit(BASE.replace(b"two", b"two, ours") + b"four\n", "Change it there")
        made.git("merge", "-q", "side", check=False)
        self.truth = commit(RIGHT, "Merge side")
        oldest = commit(RIGHT + b"five\n", "Add five")
        commit(RIGHT + b"five\nsix\n", "wip")
        newest = commit(RIGHT + b"five\nsix\nseven\n", "Add seven")

        self.samples = {
            "merge": Sample(
                "acme_anvil_merge_0000", "acme/anvil", "python", "easy", Merge(self.truth, (ours, theirs))
            ),
            "chain": Sample(
                "acme_anvil_file_commit_chain_0000",
                "acme/anvil",
                "python",
                "easy",
                Chain("file.txt", 3, newest, oldest),
            ),
        }

    def task(self, scenario: str) -> Task:
        return Task(self.samples["merge" if scenario == "merge" else "chain"], scenario)

    def run(self, scenario: str, agent: Callable[[Workspace], None]) -> Ended:
        """One attempt: prepare, let `agent` do its worst, evaluate."""
        self.count += 1
        folder = self.folder / f"attempt{self.count}"
        folder.mkdir()
        prepared = attempts.prepare(self.task(scenario), self.cache, folder / "workspace")
        before = self.fingerprint()
        attempt = Attempt(
            workspace=prepared.workspace.path,
            scenario=scenario,
            language="python",
            brief=prepared.brief,
            tools=(),
            budget=Budget(),
            transcript=Transcript(),
            env=environment(),
        )
        acted = attempts.act(prepared, lambda given: agent(Workspace(given.workspace)), attempt)
        assert not acted.traceback, acted.traceback
        scratch = folder / "evaluation"
        scratch.mkdir()
        evaluation = attempts.evaluate(acted, scratch)
        assert not self.canary.exists(), f"evaluating ran {self.canary.read_text()}"
        assert self.fingerprint() == before, "the cache was changed"
        return Ended(evaluation, prepared.workspace.path)

    def fingerprint(self) -> str:
        """Of every file in the cache that holds repositories or templates: name, content."""
        digest = hashlib.sha256()
        for root, folders, files in os.walk(self.cache_dir):
            folders.sort()
            for name in sorted(files):
                path = Path(root, name)
                if not name.endswith(".lock"):
                    digest.update(str(path).encode() + b"\0" + path.read_bytes())
        return digest.hexdigest()

    def trap(self, name: str) -> str:
        """A shell command that leaves the canary behind when it is run."""
        return f"sh -c 'echo {name} >> {self.canary}; cat'"


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    return Arena(tmp_path)
