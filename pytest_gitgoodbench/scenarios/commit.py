"""The scenario `commit`: turn one pile of changes into a history."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_gitgoodbench.dataset.sample import Sample
from pytest_gitgoodbench.git.worktree import shown
from pytest_gitgoodbench.repos.result import Result
from pytest_gitgoodbench.repos.start_state import StartState
from pytest_gitgoodbench.repos.store import Store
from pytest_gitgoodbench.repos.workspace import Workspace, settle
from pytest_gitgoodbench.scenarios import baselines, commit_tools
from pytest_gitgoodbench.scenarios.base import Baseline, Evaluation, Scenario, Tool
from pytest_gitgoodbench.scenarios.chain import chain_of, evaluate_chain, locate, locate_start

_BRIEF = """\
You are in a git repository of a {language} project. The branch `main` is checked out, and a pile of changes is staged. It
is about the file {file} in the first place; other files may have changed with it.

Turn these changes into a good history on `main`, as a careful maintainer would like it:
- each commit is one coherent change, neither a mixture nor a fragment, and of a size that can be reviewed;
- a file's changes may belong to different commits;
- each message says what was changed and why;
- the order makes sense to a reader, and no commit breaks the project.

Nothing may be lost or added: when you are done, everything is committed, and the files are exactly what they are now. The
commits will be compared with those that the project's maintainers made of the same changes.
"""


class CommitScenario(Scenario):
    """Iterative committing of staged changes."""

    name = "commit"
    sample_type = "file_commit_chain"
    title = "iterative committing of changes"

    def start(self, sample: Sample, store: Store) -> StartState:
        located = locate_start(sample, store)
        tree = store.git.line("rev-parse", f"{located.newest}^{{tree}}")
        return StartState(
            visible=(located.base, tree),
            refs={"refs/heads/main": located.base},
            head="refs/heads/main",
        )

    def prepare(self, sample: Sample, workspace: Workspace, start: StartState) -> Mapping[str, Any]:
        _, final_tree = start.visible
        workspace.git("read-tree", "--reset", "-u", final_tree)
        settle(workspace)
        return {}

    def brief(self, sample: Sample, workspace: Workspace) -> str:
        return _BRIEF.format(language=sample.language, file=shown(os.fsencode(chain_of(sample).file)))

    def tools(self, sample: Sample, workspace: Workspace) -> Sequence[Tool]:
        return commit_tools.tools(sample, workspace)

    def baselines(self) -> Mapping[str, Baseline]:
        return {"oracle": _oracle, "nop": baselines.nop, "squash": _squash, "per-hunk": _per_hunk}

    def evaluate(self, sample: Sample, result: Result, store: Store) -> Evaluation:
        return evaluate_chain(sample, result, store, only_file=True, paper_needs_no_operation=False)


def _oracle(sample: Sample, workspace: Workspace, store: Store) -> None:
    located = locate(sample, store)
    baselines.bring(workspace, store, [located.newest], [located.base])
    baselines.move_head(workspace, located.newest)


def _squash(sample: Sample, workspace: Workspace, store: Store) -> None:
    baselines.squash(workspace, workspace.git.line("rev-parse", "HEAD"), workspace.git.line("write-tree"))


def _per_hunk(sample: Sample, workspace: Workspace, store: Store) -> None:
    baselines.per_hunk(workspace, workspace.git.line("rev-parse", "HEAD"), workspace.git.line("write-tree"))
