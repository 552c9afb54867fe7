"""How long collecting the Train set's size takes, against a bare `parametrize` over as many ids.

    python benchmarks/collection.py [ROWS]

Prints one ratio for pytest alone and one for `-n 2`; the exit status is 1 when one is above 1.5. Both sides run alternately
in this one call and the best of three is taken of each, so that the machine's speed and load cancel out.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BOUND = 1.5
ROUNDS = 3
LANGUAGES = ("python", "java", "kotlin")
DIFFICULTIES = ("easy", "medium", "hard")


def write_rows(path: Path, count: int) -> list[str]:
    """Write a dataset in the published form; return the ids of its scenarios' tests."""
    ids = []
    with path.open("w", newline="", encoding="utf-8") as file:
        columns = "id,name,default_branch,license,stargazers,created_at,topics,programming_language"
        writer = csv.writer(file)
        writer.writerow(["", *columns.split(","), "scenario", "sample_type", "project_size", "difficulty"])
        for number in range(count):
            language = LANGUAGES[number % 3]
            difficulty = DIFFICULTIES[number // 3 % 3]
            owner, repo = f"owner{number // 20}", f"project{number // 20}"
            if number % 8 < 3:
                kind = "merge"
                detail = {
                    "merge_commit_hash": f"{number:040x}",
                    "parents": [f"{number + 1:040x}", f"{number + 2:040x}"],
                    "number_of_files_with_merge_conflict": 1,
                    "total_number_of_merge_conflicts": 2,
                    "files_in_merge_conflict": [f"src/module_{number}.py"],
                }
            else:
                kind = "file_commit_chain"
                detail = {
                    "file": f"src/module_{number}.py",
                    "branch": "main",
                    "times_seen_consecutively": 3,
                    "purity": 0.75,
                    "newest_commit": f"{number:040x}",
                    "oldest_commit": f"{number + 1:040x}",
                }
            identifier = f"{owner}_{repo}_{kind}_{number:05d}"
            writer.writerow(
                [
                    number,
                    identifier,
                    f"{owner}/{repo}",
                    *("main", "MIT License", 1000, "2020-01-01T00:00:00", "git"),
                    *(language, str(detail), kind, "small", difficulty),
                ]
            )
            scenarios = 1 if kind == "merge" else 2
            ids += [f"{language}-{difficulty}-{identifier}"] * scenarios
    return ids


def collect(folder: Path, *arguments: str) -> float:
    """Seconds that a collecting pytest takes."""
    began = time.perf_counter()
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:randomly",
            *arguments,
        ],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""},
        capture_output=True,
        text=True,
    )
    seconds = time.perf_counter() - began
    if done.returncode not in (0, 5):
        sys.exit(f"pytest {' '.join(arguments)} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return seconds


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 17_469
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n")
        ids = write_rows(folder / "rows.csv", count)
        unique = [f"{number}-{identifier}" for number, identifier in enumerate(ids)]
        (folder / "bare_ids.py").write_text(f"IDS = {unique!r}\n")
        (folder / "test_bare.py").write_text(
            "import pytest\nfrom bare_ids import IDS\n\n"
            "@pytest.mark.parametrize('task', range(len(IDS)), ids=IDS)\n"
            "def test_bare(task):\n    pass\n"
        )
        missed = False
        # With xdist there is no --collect-only: nothing is run because nothing matches the expression,
        # which every worker finds out after it has collected everything.
        ways = {"alone": ("--collect-only",), "with -n 2": ("-n", "2", "-k", "no_such_test")}
        for way, arguments in ways.items():
            bare, ours = [], []
            for _ in range(ROUNDS):
                bare.append(collect(folder, "test_bare.py", *arguments))
                ours.append(
                    collect(folder, "--ggb-agent=nop", "--ggb-dataset=rows.csv", "--ggb-out=run", *arguments)
                )
            ratio = min(ours) / min(bare)
            missed |= ratio > BOUND
            print(
                f"collecting {len(ids)} scenarios {way}: {ratio:.2f}x of a bare parametrize (bound {BOUND}x; "
                f"{min(ours):.2f} s against {min(bare):.2f} s)"
            )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
