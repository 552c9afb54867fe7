"""Records and run directories as real runs leave them, made from a seed."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_gitgoodbench.runs import results
from pytest_gitgoodbench.runs.directory import RunDirectory
from pytest_gitgoodbench.runs.manifest import Manifest
from pytest_gitgoodbench.runs.record import Record
from pytest_gitgoodbench.settings import Settings

SCENARIOS = ("merge", "rebase", "commit")
LANGUAGES = ("python", "java", "kotlin")
DIFFICULTIES = ("easy", "medium", "hard")
SUFFIX = {"python": "py", "java": "java", "kotlin": "kt"}

# What is to be shown as text and never to act: script, terminal escapes, NUL, reversed direction.
HOSTILE = "<script>a(1)</script><img src=x onerror=a()>\x1b[31mred\x1b]0;title\x07 \x00 \u202egnirts </pre>"


_STARTS = itertools.count(1.0)


def record(**fields: Any) -> Record:
    """A record of a solved merge that started later than all before; fields given win."""
    values: dict[str, Any] = {
        "sample": "owner_repo_merge_0001",
        "scenario": "merge",
        "repository": "owner/repo",
        "language": "python",
        "difficulty": "easy",
        "outcome": "solved",
        "trial": 1,
        "started": next(_STARTS),
        **fields,
    }
    outcome = values["outcome"]
    if outcome in ("solved", "unsolved"):
        values.setdefault("strict", outcome == "solved")
        values.setdefault("paper", outcome == "solved")
    trial = "" if values["trial"] == 1 else f"-trial{values['trial']}"
    key = f"{values['language']}-{values['difficulty']}-{values['sample']}{trial}"
    values.setdefault("id", f"{values['scenario']}[{key}]")
    return Record(**values)


def manifest(planned: list[str] | None = None, **settings: Any) -> Manifest:
    """The manifest of a run of `mymodel` on the demo."""
    options = Settings(**{"agent": "mymodel", "dataset": "demo", **settings})
    return Manifest.of(
        options,
        dataset={
            "id": options.dataset,
            "source": options.dataset,
            "revision": None,
            "pinned": True,
            "fingerprint": f"rows of {options.dataset}",
            "samples": 18,
        },
        agent={"name": options.agent, "kind": "python"},
        judge={"name": "rubric", "rubric": True, "self_judged": False},
        planned=planned or [],
    )


def many(
    samples: int, *, seed: int = 1, skill: float = 0.4, trials: int = 1, hostile: bool = False
) -> Iterator[Record]:
    """Records of all scenarios of that many samples, of all kinds and outcomes.

    Args:
        samples: how many; they are the same ones whatever the other arguments are.
        seed: of what the agent does with them.
        skill: the share of solved attempts, about.
        hostile: put text into commits and diffs that would like to act.
    """
    doing = random.Random(seed)
    for number in range(samples):
        rng = random.Random(number)
        kind = "merge" if number % 3 == 0 else "file_commit_chain"
        language, difficulty = rng.choice(LANGUAGES), rng.choice(DIFFICULTIES)
        repository = f"owner{number % 17}/{rng.choice(['ort', 'zulip', 'detekt', 'gson'])}-{number % 17}"
        sample = f"{repository.replace('/', '_')}_{kind}_{number:04d}"
        for scenario in ("merge",) if kind == "merge" else ("rebase", "commit"):
            for trial in range(1, trials + 1):
                place = {
                    "sample": sample,
                    "scenario": scenario,
                    "repository": repository,
                    "language": language,
                    "difficulty": difficulty,
                    "trial": trial,
                }
                yield _attempt(doing, number, place, skill, hostile)


def _attempt(rng: random.Random, number: int, place: dict[str, Any], skill: float, hostile: bool) -> Record:
    language, scenario, repository = place["language"], place["scenario"], place["repository"]
    folder, stem = rng.choice(["core", "api", "model"]), rng.choice(["Parser", "Session", "Ledger"])
    file = f"src/{folder}/{stem}.{SUFFIX[language]}"
    fate = rng.random()
    shares = {"error": 0.04, "skipped": 0.05, "solved": 0.05 + skill, "unsolved": 1.0}
    outcome = next(name for name, below in shares.items() if fate < below)
    common: dict[str, Any] = {
        **place,
        "outcome": outcome,
        "brief": f"You are in a git repository of a {language} project. " + _BRIEFS[scenario],
        "started": 1_750_000_000.0 + number * 7 + place["trial"],
        "worker": f"gw{number % 8}",
        "seconds": {"prepare": 0.2, "act": round(rng.uniform(5, 180), 2), "evaluate": 0.05, "judge": 2.5},
        "agent_notes": {
            "stop_reason": "finished",
            "turns": rng.randint(3, 30),
            "prompt_tokens": rng.randint(4_000, 90_000),
            "completion_tokens": rng.randint(300, 6_000),
            "cost": round(rng.uniform(0.01, 0.4), 4),
        },
    }
    if outcome == "error":
        return record(
            **common,
            reasons=[f"{repository}: the server closed the connection"],
            traceback="Traceback (most recent call last): ...",
        )
    if outcome == "skipped":
        return record(**common, reasons=["the budget of US$ 20.00 (--ggb-max-cost) is used up"])
    solved = outcome == "solved"
    text = HOSTILE if hostile else "keep both branches' imports"
    log = [f"{_verb(rng)} {file.rsplit('/', 1)[1]}\n\n{text}" for _ in range(rng.randint(1, 4))]
    common.update(log=log, patch="" if solved else _diff(rng, file, hostile))
    if scenario == "merge":
        common.update(
            strict=solved,
            paper=solved,
            checks=[
                {"name": "nothing-unmerged", "passed": True, "detail": "", "paper": True},
                {"name": "committed", "passed": True, "detail": "", "paper": False},
                {
                    "name": "exact-match",
                    "passed": solved,
                    "detail": "" if solved else f"{file} differs",
                    "paper": True,
                },
            ],
            reasons=[] if solved else [f"exact-match: {file} differs"],
            metrics={"both_parents": True, "similarity": round(rng.uniform(0.5, 1), 3)},
        )
        return record(**common)
    first = "agent" if solved else rng.choice(["original", "tie"])
    second = "agent" if solved else rng.choice(["original", "tie", "agent"])
    score = sum({"agent": 1.0, "tie": 0.5, "original": 0.0}[side] for side in (first, second)) / 2
    common.update(
        strict=solved,
        paper=solved or rng.random() < 0.1,
        checks=[{"name": "tree-unchanged", "passed": True, "detail": "", "paper": False}],
        reasons=[]
        if solved
        else [f"judge: score {score:.2f} is below the threshold 1.00: rubric preferred the original"],
        score=score,
        judge="rubric",
        answers=[
            {
                "judge": "rubric",
                "preferred": side,
                "reason": f"its messages say why {HOSTILE if hostile else ''}",
                "agent_first": agent_first,
                "vote": 1,
                "usage": {"prompt_tokens": 900, "completion_tokens": 60, "cost": 0.002, "cached": False},
            }
            for side, agent_first in ((first, True), (second, False))
        ],
        histories={
            "agent": [{"message": message, "diff": _diff(rng, file, hostile)} for message in log],
            "original": [{"message": f"wip {n}", "diff": _diff(rng, file)} for n in range(rng.randint(3, 6))],
        },
    )
    return record(**common)


def a_run(
    path: Path, records: list[Record], *, transcripts: int | None = None, **settings: Any
) -> RunDirectory:
    """A run directory with these records.

    Args:
        transcripts: how many turns each transcript has; None for no transcripts.
    """
    run = RunDirectory.create(path, "mymodel")
    run.write_manifest(manifest([entry.id for entry in records], **settings))
    if transcripts is not None:
        records = [
            Record(**{**entry.as_json(), "transcript": _transcript(run, entry, transcripts)})
            for entry in records
        ]
    results.append(run.results_file, records)
    return run


def _transcript(run: RunDirectory, entry: Record, turns: int) -> str:
    rng = random.Random(entry.id)
    lines: list[dict[str, Any]] = [
        {"role": "system", "content": "You work with git."},
        {"role": "user", "content": entry.brief},
    ]
    for turn in range(turns):
        call = {
            "id": f"call{turn}",
            "type": "function",
            "function": {"name": "show_file", "arguments": '{"path": "a"}'},
        }
        lines.append(
            {
                "role": "assistant",
                "content": "Let me look." if turn % 2 else None,
                "tool_calls": [call],
                "usage": {"prompt_tokens": 900 + turn, "completion_tokens": 40, "cost": 0.003},
                "duration": 1.25,
            }
        )
        lines.append({"role": "tool", "tool_call_id": f"call{turn}", "content": _diff(rng, "src/a.py") * 3})
    lines.append({"role": "event", "content": None, "event": "stop", "stop_reason": "finished"})
    file = run.new_transcript(entry.id)
    stamped = ({**line, "time": 1_750_000_000.0 + n} for n, line in enumerate(lines))
    file.write_text("".join(json.dumps(line) + "\n" for line in stamped), "utf-8")
    return file.name


_BRIEFS = {
    "merge": "A merge is in progress and has conflicts. Resolve and conclude it.\n\n  src/a.py: 2 conflicts",
    "rebase": "Clean up the last 4 commits by an interactive rebase, without changing the final tree.",
    "commit": "All changes are staged. Commit them as a history that a reviewer can follow.",
}


def _verb(rng: random.Random) -> str:
    return rng.choice(["Add tests to", "Split", "Rename things in", "Fix rounding in", "Document"])


def _diff(rng: random.Random, file: str, hostile: bool = False) -> str:
    lines = [f"diff --git a/{file} b/{file}", f"--- a/{file}", f"+++ b/{file}"]
    for start in sorted(rng.sample(range(1, 400), rng.randint(1, 3))):
        name = rng.choice(["total", "ledger", "session", "names"])
        lines += [
            f"@@ -{start},5 +{start},6 @@ def {name}(self):",
            f"     {name} = self.{name}",
            "     if not entries:",
        ]
        lines += [f"-        return {name}[{rng.randint(0, 9)}]"] * rng.randint(0, 2)
        lines += [f"+        return sorted({name}, key=str)[{rng.randint(0, 9)}]"] * rng.randint(1, 2)
        if hostile:
            lines.append(f"+        # {HOSTILE}")
        lines += ["     return entries", ""]
    return "\n".join(lines).replace("\n\n", "\n \n") + "\n"
