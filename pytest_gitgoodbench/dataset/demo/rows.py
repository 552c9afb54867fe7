"""Rows of the demo dataset, computed from its repositories by the paper's rules."""

from __future__ import annotations

import csv
import io
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_gitgoodbench.dataset.demo.story import Chain, Commit, Story
from pytest_gitgoodbench.dataset.demo.stream import build
from pytest_gitgoodbench.errors import GitError
from pytest_gitgoodbench.git import Git, text

FIELDS = (
    "id",
    "name",
    "default_branch",
    "license",
    "stargazers",
    "created_at",
    "topics",
    "programming_language",
    "scenario",
    "sample_type",
    "project_size",
    "difficulty",
)


def table(stories: list[Story]) -> str:
    """The dataset as the published files have it: CSV, an unnamed index, `scenario` a Python literal."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["", *FIELDS])
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for story in stories for row in rows_of(story, Path(folder, story.name))]
    for index, row in enumerate(rows):
        writer.writerow([index, *(row[field] for field in FIELDS)])
    return out.getvalue()


def rows_of(story: Story, folder: Path) -> Iterator[dict[str, Any]]:
    """The rows of one project: every merge that conflicts, then every chain.

    Args:
        story: the project.
        folder: scratch space; made.
    """
    folder.mkdir(parents=True)
    names = build(story, folder / "project.git")
    git = Git(git_dir=folder / "project.git")
    slug = re.sub(r"\W+", "_", story.name).strip("_")
    found: list[tuple[str, dict[str, Any], str]] = []
    for number, commit in enumerate(commit for commit in story.commits if len(commit.parents) == 2):
        scenario = merge_scenario(git, commit, names, folder / f"merge-{number}")
        if scenario is not None:
            found.append(("merge", scenario, merge_difficulty(scenario)))
    for chain in story.chains:
        scenario = chain_scenario(git, story, chain, names)
        found.append(("file_commit_chain", scenario, chain_difficulty(scenario["purity"])))
    numbers: Counter[str] = Counter()
    for sample_type, scenario, difficulty in found:
        yield {
            "id": f"{slug}_{sample_type}_{numbers[sample_type]:04}",
            "name": story.name,
            "default_branch": story.default_branch,
            "license": "Apache License 2.0",
            "stargazers": 0,
            "created_at": story.created.replace(tzinfo=None).isoformat(),
            "topics": ";".join(story.topics),
            "programming_language": story.language,
            "scenario": str(scenario),
            "sample_type": sample_type,
            "project_size": "tiny",
            "difficulty": difficulty,
        }
        numbers[sample_type] += 1


def merge_scenario(git: Git, merge: Commit, names: dict[Commit, str], work: Path) -> dict[str, Any] | None:
    """What merging the parents again gives; None when it does not conflict.

    A conflict is a region between markers, or a whole file that is unmerged without any (deleted on one
    side, changed on the other).
    """
    ours, theirs = (names[parent] for parent in merge.parents)
    work.mkdir()
    merging = Git(git_dir=work / ".git", work_tree=work)
    merging("init", "--quiet", "--object-format=sha1")
    alternates = work / ".git" / "objects" / "info" / "alternates"
    alternates.write_text(f"{git.git_dir}/objects\n")
    merging("checkout", "--quiet", "--detach", ours)
    merged = merging.run("merge", "--quiet", "--no-commit", "--no-ff", theirs)
    if merged.returncode not in (0, 1):
        raise GitError(("merge", theirs), merged.returncode, text(merged.stderr))
    files = unmerged(merging)
    if not files:
        return None
    return {
        "merge_commit_hash": names[merge],
        "parents": [ours, theirs],
        "number_of_files_with_merge_conflict": len(files),
        "total_number_of_merge_conflicts": sum(max(1, marked(work / file)) for file in files),
        "files_in_merge_conflict": files,
    }


def unmerged(git: Git) -> list[str]:
    """The paths that have conflict stages in the index."""
    entries = text(git("ls-files", "--unmerged", "-z")).split("\0")
    return sorted({entry.partition("\t")[2] for entry in entries if entry})


def marked(file: Path) -> int:
    """The number of conflicts that are marked in a file; none when the file is not there."""
    return len(re.findall(rb"^<{7} ", file.read_bytes(), re.MULTILINE)) if file.exists() else 0


def merge_difficulty(scenario: dict[str, Any]) -> str:
    """The paper's rule: one conflict; several in one file; several files."""
    if scenario["number_of_files_with_merge_conflict"] > 1:
        return "hard"
    return "medium" if scenario["total_number_of_merge_conflicts"] > 1 else "easy"


def chain_scenario(git: Git, story: Story, chain: Chain, names: dict[Commit, str]) -> dict[str, Any]:
    """What a row says about a chain."""
    newest, oldest = chain.commits[-1], chain.commits[0]
    on_main = newest.branch == story.default_branch
    return {
        "file": chain.file,
        "branch": newest.branch if on_main else f"origin/{newest.branch}",
        "times_seen_consecutively": len(chain.commits),
        "purity": purity(git, chain.file, [names[commit] for commit in chain.commits]),
        "newest_commit": names[newest],
        "oldest_commit": names[oldest],
    }


def purity(git: Git, file: str, commits: list[str]) -> float:
    """The share of a chain's changed lines that are in its file, by the paper's formula.

    Lines are summed over the commits; files that are in the end as they were before do not count.

    Args:
        git: the repository.
        file: the chain's file.
        commits: the chain, oldest first.
    """
    lasting = _changed_lines(git, f"{commits[0]}^", commits[-1]).keys()
    lines: Counter[str] = Counter()
    for commit in commits:
        lines.update(_changed_lines(git, f"{commit}^", commit))
    total = sum(count for path, count in lines.items() if path in lasting)
    return round(lines[file] / total, 2) if total else 0.0


def _changed_lines(git: Git, before: str, after: str) -> dict[str, int]:
    """Added and removed lines by path."""
    stat = text(git("diff-tree", "-r", "--no-renames", "--numstat", "-z", before, after))
    entries = (entry.split("\t") for entry in stat.split("\0") if entry)
    return {path: int(added) + int(removed) for added, removed, path in entries}


def chain_difficulty(purity: float) -> str:
    """The paper's rule: nothing but the file; at least three quarters; at least half.

    Raises:
        ValueError: below half the paper has no such sample.
    """
    if purity < 0.5:
        raise ValueError(f"a chain's purity is at least 0.5, not {purity}")
    return "easy" if purity == 1 else "medium" if purity >= 0.75 else "hard"
