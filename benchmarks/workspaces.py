"""How long a warm workspace takes, against the bare git commands, a clone, and the evaluation.

    python benchmarks/workspaces.py [COMMITS]

On a generated repository of 10,000 commits and 2,500 files, in one run, best of nine each: preparation over the bare
checkout and merge (bound 1.3x), clone + checkout + merge over preparation (at least 10x), evaluation over preparation (below
a tenth). In memory where that can be had, since a disk writes as it pleases. The exit status is 1 when a bound is missed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from pytest_gitgoodbench.agents.base import Attempt
from pytest_gitgoodbench.agents.baselines import BaselineAgent
from pytest_gitgoodbench.agents.budget import Budget
from pytest_gitgoodbench.agents.transcript import Transcript
from pytest_gitgoodbench.dataset.sample import Merge, Sample
from pytest_gitgoodbench.dataset.tasks import Task
from pytest_gitgoodbench.git import Git
from pytest_gitgoodbench.repos.cache import Cache
from pytest_gitgoodbench.runs import attempts
from pytest_gitgoodbench.settings import Settings

# In mockito/mockito (10,605 commits with all branches) a commit changes 6 of 1,045 files on average. Files make a
# preparation longer and an evaluation hardly: its time is that of starting git.
FILES = 2500
CHANGED = 6
ROUNDS = 9
WHO = "Somebody <somebody@example.invalid>"


def write_history(path: Path, commits: int) -> tuple[str, str, str]:
    """A repository with a conflicting merge at the end of a long history: (merge, first, second parent)."""
    Git()("init", "--quiet", "--bare", str(path))
    stream: list[str] = []

    def commit(ref: str, number: int, name: str, text: str, *parents: str) -> None:
        stream.append(
            f"commit refs/heads/{ref}\ncommitter {WHO} {1600000000 + number} +0000\ndata 5\nStep\n\n"
        )
        for kind, parent in zip(("from", "merge"), parents, strict=False):
            stream.append(f"{kind} {parent}\n")
        stream.append(f"M 100644 inline {name}\ndata {len(text)}\n{text}\n")

    def content(file: int, step: int) -> str:
        lines = [
            f"    value_{line} = compute({file * 7919 + line * 104729}, {line})\n" for line in range(100)
        ]
        for line in range(step % 60, step % 60 + 40):
            lines[line] = f"    value_{line} = compute({file * 15485863 ^ step * 32452843}, {step})\n"
        return "".join(lines)

    def change(file: int, step: int) -> None:
        text = content(file, step)
        stream.append(f"M 100644 inline src/package{file % 60}/file{file}.py\ndata {len(text)}\n{text}\n")

    commit("main", 0, "README", "An anvil.\n")
    for file in range(FILES):
        change(file, 0)
    for number in range(1, commits):
        commit("main", number, "VERSION", f"{number}\n")
        for file in range(CHANGED - 1):
            change((number * 7 + file * 31) % FILES, number)
    for side in ("ours", "theirs"):
        commit(side, commits, "src/package0/file0.py", f"{side}\n" * 10, "refs/heads/main")
    commit(
        "merge",
        commits + 1,
        "src/package0/file0.py",
        "both\n" * 10,
        "refs/heads/ours",
        "refs/heads/theirs",
    )
    Git(git_dir=path)("fast-import", "--quiet", input="".join(stream).encode())
    first, second, merge = (Git(git_dir=path).line("rev-parse", ref) for ref in ("ours", "theirs", "merge"))
    return merge, first, second


def best_of(actions: Sequence[Callable[[Path], object]], folder: Path) -> list[float]:
    """Seconds of the best of some rounds for each action, by turns, so that a busy moment meets all of them."""
    seconds: list[list[float]] = [[] for _ in actions]
    for number in range(ROUNDS):
        for action, took in zip(actions, seconds, strict=True):
            place = folder / f"{action.__name__}{number}"
            began = time.perf_counter()
            action(place)
            took.append(time.perf_counter() - began)
            shutil.rmtree(place)
    return [min(took) for took in seconds]


def main() -> int:
    commits = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        folder = Path(name)
        upstream = folder / "root" / "acme" / "anvil.git"
        upstream.parent.mkdir(parents=True)
        merge, first, second = write_history(upstream, commits)
        sample = Sample(
            "acme_anvil_merge_0000", "acme/anvil", "python", "easy", Merge(merge, (first, second))
        )
        task = Task(sample, "merge")
        cache = Cache(Settings(cache_dir=folder / "cache", repo_root=folder / "root"))
        attempts.prepare(task, cache, folder / "cold")
        # A wrong merge, which takes longest: it is compared with the maintainers'.
        ready = attempts.prepare(task, cache, folder / "workspace")
        attempt = Attempt(ready.workspace.path, "merge", "python", ready.brief, (), Budget(), Transcript())
        acted = attempts.act(ready, BaselineAgent("ours"), attempt)

        def bare(place: Path) -> None:
            git = Git(git_dir=place / ".git", work_tree=place)
            git("checkout", "--quiet", "--force", first)
            git.run("merge", "--no-commit", second)

        def prepared(place: Path) -> None:
            attempts.prepare(task, cache, place)

        def cloned(place: Path) -> None:
            Git()("clone", "--quiet", "--no-checkout", f"file://{upstream}", str(place))
            bare(place)

        def evaluated(place: Path) -> None:
            place.mkdir()
            attempts.evaluate(acted, place)

        for number in range(ROUNDS):
            place = folder / f"bare{number}"
            place.mkdir()
            subprocess.run(["cp", "-r", str(folder / "cold" / ".git"), str(place / ".git")], check=True)
            for state in ("MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "index"):
                (place / ".git" / state).unlink(missing_ok=True)
        with_git, warm, clone, evaluation = best_of((bare, prepared, cloned, evaluated), folder)
        figures = (
            ("preparation over bare checkout and merge", warm / with_git, "at most", 1.3),
            ("clone, checkout and merge over preparation", clone / warm, "at least", 10.0),
            ("evaluation over preparation", evaluation / warm, "at most", 0.1),
        )
        for what, ratio, bound, limit in figures:
            print(f"{what}: {ratio:.2f}x ({bound} {limit}x)")
        print(f"({warm * 1000:.0f} ms a preparation, {evaluation * 1000:.0f} ms an evaluation)")
        return int(any(r > limit if b == "at most" else r < limit for _, r, b, limit in figures))


if __name__ == "__main__":
    sys.exit(main())
