"""The scenario `rebase`: clean up a chain of commits by interactive rebase."""

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
from pytest_gitgoodbench.scenarios import baselines, rebase_tools
from pytest_gitgoodbench.scenarios.base import Baseline, Evaluation, Scenario, Tool
from pytest_gitgoodbench.scenarios.chain import chain_of, evaluate_chain, locate_start

_BRIEF = """\
You are in a git repository of a {language} project. The branch `topic` is checked out. Its last {count} commits, those
after the branch `base` (its upstream), are work that grew bit by bit, around the file {file}.

Clean up this history by an interactive rebase onto `base`: reorder, squash, fix up, split or reword the commits until the
history is as good as a careful maintainer would like it:
- each commit is one coherent change, neither a mixture nor a fragment;
- commits that only repair or continue an earlier one are folded into it;
- each message says what was changed and why;
- the order makes sense to a reader.
Do not simply squash everything into one commit unless it really is one change.

The content must not change: when you are done, the files are exactly what they are now, no rebase is in progress and
`topic` is checked out. The new history will be compared with the present one, and has to be the better of the two.
"""


class Rebase(Scenario):
    """Interactive rebase of a chain of commits."""

    name = "rebase"
    sample_type = "file_commit_chain"
    title = "interactive rebase"

    def start(self, sample: Sample, store: Store) -> StartState:
        located = locate_start(sample, store)
        return StartState(
            visible=(located.newest,),
            refs={"refs/heads/topic": located.newest, "refs/heads/base": located.base},
            head="refs/heads/topic",
            config={"branch.topic.remote": ".", "branch.topic.merge": "refs/heads/base"},
        )

    def prepare(self, sample: Sample, workspace: Workspace, start: StartState) -> Mapping[str, Any]:
        workspace.git("read-tree", "--reset", "-u", "HEAD")
        settle(workspace)
        return {}

    def brief(self, sample: Sample, workspace: Workspace) -> str:
        chain = chain_of(sample)
        return _BRIEF.format(
            language=sample.language, count=chain.length, file=shown(os.fsencode(chain.file))
        )

    def tools(self, sample: Sample, workspace: Workspace) -> Sequence[Tool]:
        return rebase_tools.tools(sample, workspace)

    def baselines(self) -> Mapping[str, Baseline]:
        # The original history is where the work starts, so the ground truth is doing nothing.
        return {
            "oracle": baselines.nop,
            "nop": baselines.nop,
            "squash": _squash,
            "per-hunk": _per_hunk,
        }

    def evaluate(self, sample: Sample, result: Result, store: Store) -> Evaluation:
        return evaluate_chain(sample, result, store, only_file=False, paper_needs_no_operation=True)


def _squash(sample: Sample, workspace: Workspace, store: Store) -> None:
    subjects = workspace.git.line("log", "--reverse", "--format=%s", "base..HEAD").splitlines()
    base, tree = (workspace.git.line("rev-parse", name) for name in ("base", "HEAD^{tree}"))
    baselines.squash(workspace, base, tree, list(dict.fromkeys(subjects)))


def _per_hunk(sample: Sample, workspace: Workspace, store: Store) -> None:
    base, tree = (workspace.git.line("rev-parse", name) for name in ("base", "HEAD^{tree}"))
    baselines.per_hunk(workspace, base, tree)
