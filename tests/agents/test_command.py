"""Command-line agents: what they are given, and that nothing of them outlives the attempt."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_gitgoodbench.agents.base import Attempt
from pytest_gitgoodbench.agents.budget import Budget
from pytest_gitgoodbench.agents.command import MOST_OUTPUT, CommandAgent, check_command
from pytest_gitgoodbench.agents.sandbox import choose
from pytest_gitgoodbench.agents.shell import run_bash
from pytest_gitgoodbench.agents.transcript import Transcript
from pytest_gitgoodbench.errors import UserError


@pytest.fixture
def attempt(tmp_path: Path) -> Attempt:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    made = Attempt(workspace, "merge", "python", "Do $HOME it.", (), Budget(60.0, 1), Transcript())
    made.budget.start()
    return made


def script(tmp_path: Path, text: str) -> str:
    file = tmp_path / "agent.py"
    file.write_text(text, "utf-8")
    return f"{sys.executable} {file}"


def said(attempt: Attempt) -> str:
    return str(attempt.transcript.entries[-1]["content"])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("", "print(sys.stdin.read())"),
        ("{brief}", "print(sys.argv[1], repr(sys.stdin.read()))"),
        ("{brief_file}", "print(open(sys.argv[1]).read(), repr(sys.stdin.read()))"),
    ],
    ids=["stdin", "argument", "file"],
)
def test_the_brief_reaches_it_as_it_is(attempt, tmp_path, arguments, code):
    CommandAgent(script(tmp_path, f"import sys; {code}") + " " + arguments)(attempt)
    assert said(attempt).strip() == ("Do $HOME it." + (" ''" if arguments else ""))


def test_it_has_its_own_home_and_no_keys_but_those_named(attempt, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-agent-1")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "key-of-another-1")
    code = (
        "import os; print(sorted(n for n in os.environ if 'KEY' in n), os.environ['HOME'] != "
        f"{os.environ['HOME']!r}, os.getcwd())"
    )
    CommandAgent(script(tmp_path, code), env_allow=["OPENAI_API_KEY"])(attempt)
    assert said(attempt).strip() == f"['OPENAI_API_KEY'] True {attempt.workspace}"


def test_a_bad_exit_status_is_noted(attempt, tmp_path):
    CommandAgent(script(tmp_path, "raise SystemExit(3)"))(attempt)
    assert (attempt.notes["exit_status"], attempt.notes["stop_reason"]) == (3, "ended")


def test_long_output_is_cut_in_its_middle(attempt, tmp_path):
    CommandAgent(script(tmp_path, "print('a' + 'x' * 500_000 + 'z')"))(attempt)
    assert len(said(attempt)) < MOST_OUTPUT + 100
    assert said(attempt).startswith("a")
    assert said(attempt).endswith("z\n")
    assert "bytes left out" in said(attempt)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
def test_one_that_hangs_is_ended_with_grandchildren_that_left_its_session(attempt, tmp_path):
    code = """
import os, signal, subprocess, sys, time
child = subprocess.Popen(["sleep", "600"], start_new_session=True)
stubborn = subprocess.Popen(
    [sys.executable, "-c", "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"],
    start_new_session=True)
print(child.pid, stubborn.pid, os.getpid(), flush=True)
open("left.txt", "w").write("work")
time.sleep(600)
"""
    attempt.budget = Budget(2.0, 1)
    attempt.budget.start()
    CommandAgent(script(tmp_path, code))(attempt)
    assert (attempt.notes["timed_out"], attempt.notes["stop_reason"]) == (True, "timeout")
    assert (attempt.workspace / "left.txt").read_text() == "work"
    for pid in said(attempt).split():
        stat = Path(f"/proc/{pid}/stat")
        assert not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.parametrize("template", ["", "no-such-program-here --flag", "'unclosed"])
def test_what_cannot_be_run_is_refused_before_the_first_test(template):
    with pytest.raises(UserError):
        check_command(template)


def test_a_shell_command_that_hangs_is_ended_and_its_output_kept(attempt):
    answer = run_bash(attempt, "echo before; sleep 600", seconds=1)
    assert answer == "ended after 1 s: the time limit of a command\nbefore\n"


def test_the_sandbox_hides_what_is_hidden_and_the_network(attempt, tmp_path):
    cache = tmp_path / "cache"
    other = tmp_path / "other"
    for folder in (cache, other):
        folder.mkdir()
        (folder / "truth").write_text("the truth")
    sandbox = choose("auto", (cache,))
    if sandbox.kind == "none":
        pytest.skip(sandbox.reason)
    attempt.sandbox = sandbox
    code = (
        f"cat {cache}/truth {other}/truth; ls -A {os.environ['HOME']}; echo x > /usr/ggb-written; "
        "echo work > done.txt; tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '"
    )
    answer = run_bash(attempt, code)
    assert "the truth" not in answer
    assert answer.splitlines()[-1] == "lo"
    assert not Path("/usr/ggb-written").exists()
    assert (attempt.workspace / "done.txt").read_text() == "work\n"


def alive(sleeping: str) -> list[str]:
    """Processes that sleep for so long, zombies left out."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if f"sleep\0{sleeping}\0" in entry.read_text("utf-8", "replace"):
                found.append(entry.parent.name)
        except OSError:
            continue
    return found


EVASIONS = {
    "drops its environment": "env -i sh -c 'trap \"\" TERM; touch started; sleep {}; true'",
    "leaves its session and drops its environment": "setsid env -i sh -c 'touch started; sleep {}; true' &",
    "is an orphan of an orphan": "setsid env -i sh -c 'setsid env -i sh -c \"touch started; sleep {}; true\" &' &",
    "forks and forks": (
        "fork() {{ [ $1 -eq 0 ] || for i in 1 2 3; do fork $(($1 - 1)) & done; touch started; exec sleep {}; }}; "
        "fork 4"
    ),
}


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
@pytest.mark.parametrize("sandbox", ["none", "auto"])
@pytest.mark.parametrize("evasion", EVASIONS)
def test_whatever_a_command_does_nothing_of_it_goes_on(attempt, evasion, sandbox):
    attempt.sandbox = choose(sandbox, ())
    # A length of sleep that nothing else on the machine has.
    sleeping = f"98{os.getpid()}{list(EVASIONS).index(evasion)}{len(sandbox)}"
    wait = "until [ -e started ]; do sleep 0.02; done"
    run_bash(attempt, f"({EVASIONS[evasion].format(sleeping)}) & {wait}", seconds=30)
    assert (attempt.workspace / "started").exists()
    assert alive(sleeping) == []


def test_other_children_of_the_calling_process_live_on(attempt):
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as other:
        run_bash(attempt, "true")
        assert other.poll() is None
        other.kill()


def test_output_without_end_takes_no_memory_and_no_disk(attempt):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answer = run_bash(attempt, "head -c 300000000 /dev/zero | tr '\\0' x; echo end")
    assert answer.endswith("xend\n")
    assert len(answer) < 30_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000
