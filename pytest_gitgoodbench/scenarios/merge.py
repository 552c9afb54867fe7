"""The scenario `merge`: resolve the conflicts of a merge as the maintainers did."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pytest_gitgoodbench.dataset.sample import Merge, Sample
from pytest_gitgoodbench.errors import GitError, InvalidSample
from pytest_gitgoodbench.git import fixed_dates, text
from pytest_gitgoodbench.git.index import Version
from pytest_gitgoodbench.git.objects import commit_of, read_commits, read_objects
from pytest_gitgoodbench.git.unmerged import BASE, OURS, THEIRS, Stages, describe, unmerged
from pytest_gitgoodbench.git.worktree import shown
from pytest_gitgoodbench.repos.result import Result
from pytest_gitgoodbench.repos.start_state import StartState
from pytest_gitgoodbench.repos.store import Store
from pytest_gitgoodbench.repos.workspace import Workspace, settle
from pytest_gitgoodbench.scenarios import baselines, merge_tools
from pytest_gitgoodbench.scenarios.base import Baseline, Check, Evaluation, Scenario, Tool
from pytest_gitgoodbench.scenarios.diffs import difference
from pytest_gitgoodbench.scenarios.likeness import likeness, paths_of

_BRIEF = """\
You are in a git repository of a {language} project. The branch `main` is checked out and a merge of the branch `incoming`
into it is in progress. git could not complete it by itself:

{conflicts}

Resolve every conflict as the project's maintainers would: understand what both sides wanted to achieve and keep it, without
adding anything of your own. Leave no conflict markers behind. Then conclude the merge with a commit.

It counts as solved when the merge is committed and the content of every file is exactly what the maintainers made of it.
"""


def merge_of(sample: Sample) -> Merge:
    """The merge part of a sample of that type."""
    assert isinstance(sample.detail, Merge)
    return sample.detail


class MergeScenario(Scenario):
    """Resolution of a merge's conflicts."""

    name = "merge"
    sample_type = "merge"
    title = "merge conflict resolution"

    def start(self, sample: Sample, store: Store) -> StartState:
        ours, theirs = merge_of(sample).parents
        (truth,) = read_commits(store.git, [merge_of(sample).merge_commit])
        if truth.parents != (ours, theirs):
            raise InvalidSample(f"{sample.id}: the parents are not those of its merge commit")
        return StartState(
            visible=(ours, theirs),
            refs={"refs/heads/main": ours, "refs/heads/incoming": theirs},
            head="refs/heads/main",
        )

    def prepare(self, sample: Sample, workspace: Workspace, start: StartState) -> Mapping[str, Any]:
        git = workspace.git.with_env(**fixed_dates())
        git("read-tree", "--reset", "-u", "HEAD")
        dot_git = workspace.path / ".git"
        # Nobody has written to the files since. But git, where it cannot know, looks whether they are as it would
        # commit them, and would refuse to merge what was committed with other line ends than attributes ask for.
        later = time.time() + 3600
        os.utime(dot_git / "index", (later, later))
        # The maintainers have merged them, with a common ancestor or without.
        done = git.run("merge", "--no-ff", "--no-commit", "--allow-unrelated-histories", "incoming")
        (dot_git / "ORIG_HEAD").unlink(missing_ok=True)
        if done.returncode not in (0, 1) or not (dot_git / "MERGE_HEAD").exists():
            said = text(done.stdout + done.stderr).strip().splitlines()
            raise InvalidSample(
                f"{sample.id}: git cannot merge its parents: {(said or ['no reason given'])[-1]}"
            )
        settle(workspace)
        return {"drift": done.returncode == 0}

    def brief(self, sample: Sample, workspace: Workspace) -> str:
        conflicts = [
            f"- {shown(path)}: {describe(stages)}" for path, stages in unmerged(workspace.git).items()
        ]
        return _BRIEF.format(
            language=sample.language,
            conflicts="\n".join(conflicts) or "- (no conflicts: only the commit is missing)",
        )

    def tools(self, sample: Sample, workspace: Workspace) -> Sequence[Tool]:
        return merge_tools.tools(sample, workspace)

    def baselines(self) -> Mapping[str, Baseline]:
        return {
            "oracle": _oracle,
            "nop": baselines.nop,
            "ours": _resolver(_side(OURS, THEIRS)),
            "theirs": _resolver(_side(THEIRS, OURS)),
            "union": _resolver(_union),
        }

    def evaluate(self, sample: Sample, result: Result, store: Store) -> Evaluation:
        merge = merge_of(sample)
        unmerged_paths = ", ".join(result.unmerged[:5])
        checks = [
            Check("readable", result.head is not None, result.problem, paper=True),
            Check("nothing-unmerged", not result.unmerged, f"unmerged: {unmerged_paths}", paper=True),
            Check(
                "committed",
                result.in_progress is None,
                f"a {result.in_progress} is still in progress, nothing was concluded",
            ),
        ]
        if result.head is None:
            return Evaluation(checks=tuple(checks))
        commits = (result.head, merge.merge_commit)
        paths = paths_of(merge)
        files = [f"{commit}:{path}" for commit in commits for path in paths]
        # Beside each other, although a solved merge needs no comparison: it is the longer half of an evaluation.
        with ThreadPoolExecutor(1) as beside:
            differs = beside.submit(difference, result.git, merge.merge_commit, result.head)
            found = read_objects(result.git, [*commits, *files])
        mine, truth = map(commit_of, commits, found)
        exact = mine.tree == truth.tree
        metrics: dict[str, Any] = {"both_parents_kept": mine.parents == merge.parents}
        patch = ""
        detail = ""
        if not exact:
            contents = [file[1] if file else b"" for file in found[2:]]
            metrics.update(likeness(paths, contents[len(paths) :], contents[: len(paths)]))
            patch = differs.result().patch
            detail = f"differs from the maintainers' merge in {differs.result()}"
        checks.append(Check("exact-match", exact, detail, paper=True))
        started_from = merge.parents[0]
        log = () if result.head == started_from else (mine.message,)
        return Evaluation(checks=tuple(checks), metrics=metrics, patch=patch, log=log)


# -- baselines -----------------------------------------------------------------------------------------

Choose = Callable[[Workspace, Stages], "Version | None"]


def _conclude(workspace: Workspace, message: str | None = None) -> None:
    git = workspace.git.with_env(**fixed_dates())
    how = ("--no-edit",) if message is None else ("-F", "-")
    git(
        "commit", "--quiet", "--no-verify", "--allow-empty", *how,
        input=None if message is None else message.encode("utf-8", "replace"),
    )  # fmt: skip
    # What the conflict left in the work tree beside the index (`file~HEAD`, ...) is put right.
    git("read-tree", "--reset", "-u", "HEAD")


def _oracle(sample: Sample, workspace: Workspace, store: Store) -> None:
    merge = merge_of(sample)
    truth = f"{merge.merge_commit}^{{tree}}"
    baselines.bring(workspace, store, [store.git.line("rev-parse", truth)], merge.parents)
    (commit,) = read_commits(store.git, [merge.merge_commit])
    workspace.git("read-tree", "--reset", "-u", commit.tree)
    _conclude(workspace, commit.message.strip() or "Merge")


def _side(wanted: int, other: int) -> Choose:
    def choose(workspace: Workspace, stages: Stages) -> Version | None:
        # Renames leave a path with one side only; taking nothing there would lose the file.
        return stages.get(wanted) or (stages.get(other) if BASE not in stages else None)

    return choose


def _union(workspace: Workspace, stages: Stages) -> Version | None:
    """Both sides' lines where both have a text, else the side that still has the file."""
    ours, theirs = stages.get(OURS), stages.get(THEIRS)
    if ours is None or theirs is None or not (ours.is_file and theirs.is_file):
        return ours or theirs
    git = workspace.git
    with tempfile.TemporaryDirectory(prefix="ggb-union-") as folder:
        names = []
        for stage in (OURS, BASE, THEIRS):
            version = stages.get(stage)
            content = git("cat-file", "blob", version.oid) if version is not None else b""
            name = Path(folder) / str(stage)
            name.write_bytes(content)
            names.append(str(name))
        try:
            merged = git("merge-file", "-p", "--union", *names)
        except GitError:
            return ours
    return Version(ours.mode, git.line("hash-object", "-w", "--stdin", input=merged))


def _resolver(choose: Choose) -> Baseline:
    def resolve(sample: Sample, workspace: Workspace, store: Store) -> None:
        git = workspace.git
        lines: list[bytes] = []
        for path, stages in unmerged(git).items():
            chosen = choose(workspace, stages)
            null = "0" * len(next(iter(stages.values())).oid)
            lines.append(f"0 {null}\t".encode() + path)
            if chosen is not None:
                lines.append(f"{chosen.mode} {chosen.oid} 0\t".encode() + path)
        git("update-index", "-z", "--index-info", input=b"".join(line + b"\0" for line in lines))
        _conclude(workspace)

    return resolve
