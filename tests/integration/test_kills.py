"""Real signals at random moments of real runs: what is recorded stays, and a resumed run ends as an undisturbed one."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pytest_gitgoodbench.runs.directory import RunDirectory
from pytest_gitgoodbench.runs.resume import still_open

# Solves some of the scenarios. Each act leaves a line, so that acts can be told from records.
AGENT = """
import os, subprocess
from pathlib import Path

def act(attempt):
    with Path(__file__).with_name("acts").open("a") as acts:
        print(os.getpid(), file=acts)
    if attempt.scenario == "commit":
        git = ["git", "commit", "-q", "-m", "All at once"]
        subprocess.run(git, cwd=attempt.workspace, env=dict(attempt.env), check=True)
"""
ATTEMPTS = 18


class Bench:
    """A folder from which pytest is started on a cheap agent, in a process and session of its own."""

    def __init__(self, folder: Path, cache: Path, agent: str = AGENT) -> None:
        self.folder = folder
        self.cache = cache
        self.xml = folder / "junit.xml"
        folder.mkdir(exist_ok=True)
        (folder / "cheap.py").write_text(agent)
        self.started: list[subprocess.Popen[bytes]] = []

    def start(self, run: Path, *arguments: str, before: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
        """Start the run in a folder, or continue it there."""
        option = "--ggb-resume" if (run / "manifest.json").exists() else "--ggb-out"
        self.xml.unlink(missing_ok=True)
        with (self.folder / "output").open("wb") as output:
            process = subprocess.Popen(
                [
                    *before,
                    *(sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:cacheprovider"),
                    *("--ggb-dataset=demo", "--ggb-agent=cheap:act", "--ggb-judge-threshold=0.5"),
                    *("--ggb-limit=9", "--ggb-trials=2", f"--ggb-cache-dir={self.cache}"),
                    *(f"--junitxml={self.xml}", f"{option}={run}", *arguments),
                ],
                cwd=self.folder,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.started.append(process)
        return process

    def end(self, process: subprocess.Popen[bytes], *statuses: int) -> str:
        """Wait for pytest. Returns what it printed."""
        status = process.wait(timeout=120)
        said = (self.folder / "output").read_text("utf-8", "replace")
        assert status in statuses, f"exit status {status}:\n{said}"
        # pytest-xdist itself gives up when a worker dies before it is up (workermanage.py).
        assert "INTERNALERROR" not in said or "in setup_node" in said, said
        return said

    def close(self) -> None:
        """End what a failed test has left running."""
        for process in self.started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    @property
    def outcomes(self) -> dict[str, list[str]]:
        """By test: what is not as it should be, from the JUnit XML of the last run."""
        found: dict[str, list[str]] = {}
        for case in ElementTree.parse(self.xml).iter("testcase"):
            kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
            found.setdefault(str(case.get("name")), []).extend(kinds)
        return found

    @property
    def acts(self) -> int:
        """How often the agent has acted."""
        file = self.folder / "acts"
        return len(file.read_text().splitlines()) if file.exists() else 0


def results_of(run):
    """By attempt: scenario, verdict and reasons of its latest record."""
    return {
        record.id: (record.scenario, record.outcome, record.strict, record.paper, tuple(record.reasons))
        for record in RunDirectory(run).records()
    }


def open_in(run):
    """How many attempts a run still has to make."""
    directory = RunDirectory(run)
    return len(still_open(directory.manifest(), directory.records()))


def lines_of(run):
    """The lines of results.jsonl, each of which has to be a record; what a killed writer left is none."""
    file = run / "results.jsonl"
    *lines, _ = (file.read_bytes() if file.exists() else b"").split(b"\n")
    for line in lines:
        assert json.loads(line)["outcome"]
    return lines


def await_lines(run, number, process):
    """Wait until results.jsonl has so many lines, or the run has ended."""
    file = run / "results.jsonl"
    while process.poll() is None and (file.read_bytes().count(b"\n") if file.exists() else 0) < number:
        time.sleep(0.002)


def workers_of(pid):
    """The processes of pytest-xdist's workers that a controller has now."""
    found = []
    try:
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            if b"exec(eval(" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(int(child))
    except OSError:
        pass  # One of them has just ended.
    return found


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, demo_cache):
    """Results and outcomes of a run that nobody disturbs."""
    folder = tmp_path_factory.mktemp("undisturbed")
    bench = Bench(folder, demo_cache)
    bench.end(bench.start(folder / "run"), 1)
    results = results_of(folder / "run")
    assert Counter(outcome for _, outcome, *_ in results.values()) == {"solved": 8, "unsolved": 10}
    return results, bench.outcomes


@pytest.fixture
def bench(tmp_path, demo_cache):
    bench = Bench(tmp_path / "bench", demo_cache)
    yield bench
    bench.close()


class Disturbed:
    """Runs that are sent signals and continued until enough signals have met a living process.

    Attributes:
        rng: chooses after which line of the results, and how long after it, a signal comes.
        sent: how many signals have met a process.
        at_once: how many attempts a signal can meet.
        lost: how many attempts the signals have met.
        spare: how many more may have been lost.
    """

    def __init__(self, bench, undisturbed, seed, at_once, *arguments):
        self.bench = bench
        self.undisturbed = undisturbed
        self.rng = random.Random(seed)
        self.sent = 0
        self.at_once = at_once
        self.arguments = arguments
        self.lost = self.spare = 0

    def repeat(self, signals: int, disturb: Callable[..., None], check: Callable[..., None]) -> None:
        """Args:
        disturb: sends signals to a run: given its process, its folder and the number of its lines.
        check: looks at what the run left, given how it ended.
        """
        count = 0
        while self.sent < signals:
            count += 1
            run = self.bench.folder / f"run{count}"
            acts = self.bench.acts
            finished = False
            while not finished:
                before = lines_of(run)
                process = self.bench.start(run, *self.arguments)
                if self.sent < signals:
                    disturb(process, run, len(before))
                said = self.bench.end(process, 1, 2, 3, *(-number for number in signal.Signals))
                assert lines_of(run)[: len(before)] == before, "what was recorded has changed"
                check(run, process.returncode, said)
                finished = process.returncode == 1 and not open_in(run) and self.nothing_died
            assert (results_of(run), self.bench.outcomes) == self.undisturbed
            self.nothing_more_was_lost(run, self.bench.acts - acts)

    @property
    def nothing_died(self):
        """Whether every test has been told without an error: a worker may die after its attempt."""
        return not any("error" in kinds for kinds in self.bench.outcomes.values())

    def nothing_more_was_lost(self, run, acts):
        records = list(RunDirectory(run).history())
        verdicts = [record.id for record in records if record.judged]
        assert len(verdicts) == len(set(verdicts)) == ATTEMPTS, "an attempt with a verdict was made again"
        lost = len(records) - ATTEMPTS
        self.lost += lost
        assert self.lost <= self.sent * self.at_once + self.spare
        # Every act has its record; an attempt may have been ended before its agent acted.
        assert ATTEMPTS <= acts <= len(records)

    def send(self, process, run, lines, number, to=None):
        """Send one signal at a random moment, if the run has not ended before."""
        left = ATTEMPTS - len({json.loads(line)["id"] for line in lines_of(run)})
        more = self.rng.randint(0, max(0, min(3, left - 1)))
        await_lines(run, lines + more, process)
        time.sleep(self.rng.uniform(0, 0.1 if more else 0.6))
        if process.poll() is None:
            (to or os.kill)(process.pid, number)
            self.sent += 1


ENDING = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)


def no_check(run, status, said):
    pass


def test_a_run_in_one_process_is_ended_again_and_again(bench, undisturbed):
    runs = Disturbed(bench, undisturbed, 28, 1)

    def disturb(process, run, lines):
        runs.send(process, run, lines, runs.rng.choice(ENDING))

    runs.repeat(28, disturb, no_check)
    assert runs.lost > 0


def test_the_controller_of_workers_is_ended_again_and_again(bench, undisturbed):
    runs = Disturbed(bench, undisturbed, 6, 2, "-n", "2")

    def disturb(process, run, lines):
        number = runs.rng.choice(ENDING)
        # Ctrl-C in a terminal reaches all processes.
        everybody = number == signal.SIGINT and runs.rng.random() < 0.5
        runs.send(process, run, lines, number, os.killpg if everybody else os.kill)

    runs.repeat(6, disturb, no_check)


def test_workers_are_killed_and_the_run_goes_on(bench, undisturbed):
    runs = Disturbed(bench, undisturbed, 16, 1, "-n", "2", "--max-worker-restart=100")

    def kill_one(pid, number):
        workers = workers_of(pid)
        if workers:
            os.kill(runs.rng.choice(workers), number)
        else:
            runs.sent -= 1

    def disturb(process, run, lines):
        for n in range(6):
            runs.send(process, run, lines + n, signal.SIGKILL, kill_one)

    def check(run, status, said):
        if status == 3:
            # With the worker that could not be replaced, the other one ends, too.
            runs.spare += 1
            return
        assert status == 1, said
        results = results_of(run)
        assert len(results) == ATTEMPTS
        errors = {id for id, (_, outcome, *_) in results.items() if outcome == "error"}
        assert all("died during the attempt" in results[id][4][0] for id in errors)
        for test, kinds in bench.outcomes.items():
            outcome = results[test.removeprefix("test_")][1]
            # A worker may also die after it has recorded a verdict: no agent's failure, either.
            assert ("failure" in kinds) <= (outcome == "unsolved")
            assert ("error" in kinds) >= (outcome == "error")

    runs.repeat(16, disturb, check)
    assert runs.lost > 0


FEW = ("--ggb-limit=3", "--ggb-trials=1")


def assert_as_undisturbed(bench, run, undisturbed):
    """The results of a run, of whatever part of the dataset, are those of the undisturbed one."""
    results, outcomes = undisturbed
    assert not open_in(run)
    found = results_of(run)
    assert found == {id: results[id] for id in found}
    assert bench.outcomes == {test: outcomes[test] for test in bench.outcomes}
    assert len(bench.outcomes) == len(found)


# Dies once in the first phase of its test, once after the verdict, once after pytest has told the verdict.
DYING = """
import os, signal
from pathlib import Path

def die(item, language):
    died = Path(__file__).with_name(language)
    if language in item.keywords and "PYTEST_XDIST_WORKER" in os.environ and not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGKILL)

def pytest_runtest_setup(item):
    die(item, "java")

def pytest_runtest_call(item):
    die(item, "python")

def pytest_runtest_teardown(item):
    die(item, "kotlin")
"""


def test_a_worker_that_dies_beside_its_attempt_is_no_failure(bench, undisturbed):
    (bench.folder / "dying.py").write_text(DYING)
    run = bench.folder / "run"
    said = bench.end(bench.start(run, *FEW, "-n", "2", "-p", "dying"), 1)
    outcomes = {record.language: record.outcome for record in RunDirectory(run).records()}
    assert outcomes == {"python": "unsolved", "java": "error", "kotlin": "unsolved"}
    kinds = {test[len("test_merge[") :].partition("-")[0]: kinds for test, kinds in bench.outcomes.items()}
    assert kinds == {"python": ["error"], "java": ["error"], "kotlin": ["failure", "error"]}
    # On CI pytest's summary repeats the whole messages.
    told = said.partition("short test summary info")[0]
    assert told.count("died after the attempt, whose verdict is recorded") == 2
    acts = bench.acts
    bench.end(bench.start(run, *FEW, "-n", "2", "-p", "dying"), 1)
    assert bench.acts == acts + 1
    assert_as_undisturbed(bench, run, undisturbed)


# Waits in the runs that were started while there was a file `hold`, whoever asks it to stop.
WAITING = """
import os, time
from pathlib import Path

HERE = Path(__file__).parent
HOLD = (HERE / "hold").exists()

def act(attempt):
    (HERE / f"acted-{os.getpid()}").touch()
    while HOLD and not (HERE / "go").exists():
        try:
            time.sleep(0.01)
        except KeyboardInterrupt:
            pass
"""


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def test_workers_without_a_controller_write_no_more(tmp_path, demo_cache):
    bench = Bench(tmp_path / "bench", demo_cache, WAITING)
    run = bench.folder / "run"
    (bench.folder / "hold").touch()
    first = bench.start(run, *FEW, "-n", "2")
    while len(acting := list(bench.folder.glob("acted-*"))) < 2:
        assert first.poll() is None
        time.sleep(0.01)
    first.kill()
    first.wait()
    (bench.folder / "hold").unlink()
    bench.end(bench.start(run, *FEW), 1)
    lines = lines_of(run)
    assert Counter(json.loads(line)["outcome"] == "error" for line in lines) == {True: 2, False: 3}
    # Now they end their attempts, before pytest-xdist's patience does.
    (bench.folder / "go").touch()
    while any(alive(int(file.name.partition("-")[2])) for file in acting):
        time.sleep(0.05)
    assert lines_of(run) == lines
    assert not list((run / "inflight").iterdir())


TALKING = (
    AGENT
    + """
    for _ in range(4):
        attempt.transcript.add("assistant", "x" * 2000)
"""
)


@pytest.mark.parametrize(("pages", "workers"), [(0, ()), (4, ()), (14, ("-n", "2"))])
def test_a_full_disk_loses_nothing_that_was_written(bench, undisturbed, pages, workers):
    disk, kept = bench.folder / "disk", bench.folder / "kept"
    for folder in (disk, kept):
        folder.mkdir()
    prefix = ["bwrap", "--dev-bind", "/", "/", "--size", str(4096 * pages or 1), "--tmpfs", str(disk)]
    if not shutil.which("bwrap") or subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("bubblewrap does not work here")
    # The file system is gone when the command ends.
    prefix += ["sh", "-c", f'"$@"; status=$?; cp -r {disk}/. {kept}; exit $status', "sh"]
    (bench.folder / "cheap.py").write_text(TALKING)
    said = bench.end(bench.start(disk / "run", *FEW, *workers, before=tuple(prefix)), 1, 4)
    assert "cannot be written" in said
    assert "No space left on device" in said
    assert "Error:" not in said, said
    run = kept / "run"
    written = results_of(run)
    outcomes = bench.outcomes if bench.xml.exists() else {}
    assert outcomes == {
        f"test_{id}": ["failure"] if written.get(id, ("", "error"))[1] == "unsolved" else ["error"]
        for id in (test.removeprefix("test_") for test in outcomes)
    }
    bench.end(bench.start(run, *FEW), 1)
    assert_as_undisturbed(bench, run, undisturbed)
    assert len(results_of(run)) == 3
