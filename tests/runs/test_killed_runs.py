"""A run whose processes are killed again and again ends as an undisturbed one, losing what was in flight."""

from __future__ import annotations

import os
import random
import signal
import time
from dataclasses import replace

from pytest_gitgoodbench.runs.resume import done, still_open
from tests.support.records import a_run, manifest, record

KILLS = 60


def outcome_of(number):
    return "solved" if number % 3 == 0 else "unsolved"


PLANNED = [
    record(sample=f"s{number}", outcome=outcome_of(number), patch="x" * 20_000) for number in range(150)
]


def start_worker(run, name, attempts):
    """A process that makes these attempts one after the other."""
    child = os.fork()
    if child == 0:
        try:
            for attempt in attempts:
                attempt = replace(attempt, worker=name, started=time.time())
                run.begin(attempt)
                run.append(attempt)
        finally:
            os._exit(0)
    return child


def test_a_run_survives_sixty_kills(tmp_path):
    run = a_run(tmp_path / "run", [])
    run.write_manifest(manifest([attempt.id for attempt in PLANNED]))
    rng = random.Random(os.getpid())
    kills = lost = 0
    while True:
        with run.held():
            told = run.settle()
            lost += len(told)
            assert all(entry.outcome == "error" and "died" in entry.reasons[0] for entry in told)
            assert len(told) <= 2, "more was lost than the two attempts in flight"
            finished = done(run.records())
            todo = [attempt for attempt in PLANNED if attempt.id not in finished]
            if not todo:
                break
            # Few attempts at a time while there are kills to come, so that there is something left to kill.
            batch = todo[:8] if kills < KILLS else todo
            workers = [start_worker(run, f"gw{n}", batch[n::2]) for n in range(2)]
            for worker in workers:
                if kills < KILLS:
                    time.sleep(rng.uniform(0, 0.008))
                    os.kill(worker, signal.SIGKILL)
                    kills += 1
            for worker in workers:
                os.waitpid(worker, 0)
        if kills < KILLS and len(todo) <= 8:
            # Faster than the killing: have the run do the same attempts again.
            run.results_file.unlink()
    records = run.records()
    assert kills >= KILLS
    assert lost > 0
    assert {entry.id: entry.outcome for entry in records} == {entry.id: entry.outcome for entry in PLANNED}
    assert len(still_open(run.manifest(), records)) == 0
    assert list((run.path / "inflight").iterdir()) == []
    verdicts = [entry.id for entry in run.history() if entry.judged]
    assert len(verdicts) == len(set(verdicts)), "an attempt with a verdict was made again"
