"""Machines, shells and settings that are not as they should be: it works all the same, or one line says why."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_gitgoodbench.git import environment
from tests.integration.conftest import Run

# One merge and one chain, by an agent that needs no model.
SELECTED = ("--ggb-limit=2", "--ggb-scenario=merge,commit")
SMALL = (*SELECTED, "--ggb-agent=oracle", "--ggb-judge-threshold=0.5")


def only_line(run: Run) -> str:
    """The one line that a wrong use ends in."""
    assert run.result.ret == pytest.ExitCode.USAGE_ERROR, run.text
    assert "Traceback" not in run.text and "INTERNALERROR" not in run.text
    lines = [line for line in run.text.splitlines() if line.startswith("ERROR: ")]
    assert len(lines) == 1, run.text
    assert not run.out.exists()
    return lines[0]


def all_passed(run: Run) -> bool:
    assert run.result.ret == 0, run.text
    return len(run.outcomes) == 2 and set(run.outcomes.values()) == {"passed"}


# -- git itself ------------------------------------------------------------------------------------------


def program(folder: Path, script: str, mode: int = 0o755) -> Path:
    """A folder with a `git` of ours."""
    folder.mkdir()
    (folder / "git").write_text(script)
    (folder / "git").chmod(mode)
    return folder


def no_git(folder: Path) -> Path:
    folder.mkdir()
    return folder


GITS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "none": (no_git, "git is not on PATH"),
    "too old": (
        lambda folder: program(folder, "#!/bin/sh\necho git version 2.20.1\n"),
        "git version 2.20.1 is too old",
    ),
    "just too old": (
        lambda folder: program(folder, "#!/bin/sh\necho 'git version 2.33.9 (Apple Git-1)'\n"),
        "is too old",
    ),
    "something else": (lambda folder: program(folder, "#!/bin/sh\necho hello\n"), "hello is too old"),
    "broken": (
        lambda folder: program(folder, "#!/bin/sh\necho 'cannot load libz' >&2\nexit 127\n"),
        "git does not work (cannot load libz)",
    ),
    "not executable": (lambda folder: program(folder, "", 0o644), "the git on PATH cannot be started"),
    "no program": (lambda folder: program(folder, "\x7fELF"), "the git on PATH cannot be started"),
}


@pytest.mark.parametrize("name", GITS)
def test_without_a_git_that_will_do(ggb, tmp_path, monkeypatch, name):
    make, says = GITS[name]
    monkeypatch.setenv("PATH", str(make(tmp_path / "bin")))
    line = only_line(ggb(*SMALL))
    assert says in line
    assert "install git 2.34 or newer" in line


def test_without_git_on_workers(ggb, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(no_git(tmp_path / "bin")))
    assert "git is not on PATH" in only_line(ggb(*SMALL, "-n", "2"))


def test_without_git_in_a_suite_of_ones_own(pytester, tmp_path, monkeypatch):
    pytester.makepyfile("def test_start(ggb_workspace): pass")
    monkeypatch.setenv("PATH", str(no_git(tmp_path / "bin")))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (pytester.path / "pytest.ini").write_text("[pytest]\nggb_dataset = demo\nggb_limit = 1\n")
    result = pytester.runpytest_subprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: git is not on PATH: install git 2.34 or newer"])


@pytest.mark.parametrize("name", ["none", "too old", "not executable"])
def test_commands_without_a_git_that_will_do(tmp_path, name):
    make, says = GITS[name]
    env = {**os.environ, "PATH": str(make(tmp_path / "bin"))}

    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        script = "import sys; from pytest_gitgoodbench.cli import main; sys.exit(main(sys.argv[1:]))"
        cache = (
            f"--ggb-cache-dir={tmp_path / 'cache'}" if arguments[0] == "fetch" else f"--cache-dir={tmp_path}"
        )
        return subprocess.run(
            [sys.executable, "-c", script, *arguments, cache], env=env, capture_output=True, text=True
        )

    fetched = command("fetch", "--ggb-dataset=demo")
    assert fetched.returncode == 2
    assert fetched.stderr.startswith("ggb: ") and says in fetched.stderr and fetched.stderr.count("\n") == 1
    examined = command("doctor")
    assert examined.returncode == 1
    (line,) = (line for line in examined.stdout.splitlines() if line.startswith("git "))
    assert "FAILS" in line and says in line and "2.34" in line


@pytest.mark.parametrize(
    ("command", "option"),
    [("pack-objects", "--delta-base-offset"), ("index-pack", "--check-self-contained-and-connected")],
)
def test_a_git_that_lacks_an_option_is_no_failure_of_the_agent(ggb, tmp_path, monkeypatch, command, option):
    assert all_passed(ggb(*SMALL))  # and what is made once for all is there
    real = shutil.which("git")
    lacks = f'case " $* " in *" {command} "*" {option} "*) exec {real} "$@" --no-such-option;; esac'
    monkeypatch.setenv("PATH", str(program(tmp_path / "bin", f'#!/bin/sh\n{lacks}\nexec {real} "$@"\n')))
    run = ggb(*SMALL)
    assert set(run.outcomes.values()) == {"error"}, run.text
    assert f"not evaluated: git {command}: exit status 129" in run.text


def test_collecting_needs_no_git(ggb, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(no_git(tmp_path / "bin")))
    run = ggb(*SMALL, "--collect-only", "-q")
    assert run.result.ret == 0, run.text
    assert sum(line.startswith("gitgoodbench::") for line in run.result.outlines) == 2


# -- other people's settings -----------------------------------------------------------------------------

SUITE = """
import subprocess
from pathlib import Path

def test_start_state(ggb_workspace, ggb_scenario, ggb_sample):
    repo = ggb_workspace
    assert repo.git.rev_parse("--show-toplevel") == str(Path(repo.working_dir).resolve())
    assert repo.git.rev_parse("HEAD") == repo.head.commit.hexsha
    said = [
        repo.head.commit.hexsha,
        repo.git.status("--porcelain=v2", "--branch"),
        repo.git.ls_files("--stage"),
        repo.git.diff("HEAD"),
        repo.git.rev_list("--all"),
        str(sorted(repo.index.entries)),
        *(f"{path.relative_to(repo.working_dir)}: {path.read_bytes()!r}"
          for path in sorted(Path(repo.working_dir).rglob("*"))
          if path.is_file() and ".git" not in path.relative_to(repo.working_dir).parts),
    ]
    out = Path(__file__).with_name("said") / f"{ggb_scenario.name}-{ggb_sample.id}"
    out.parent.mkdir(exist_ok=True)
    out.write_text("\\n".join(said))
    repo.git.commit("--allow-empty", "--no-edit" if ggb_scenario.name == "merge" else "--message=x", "-a") \\
        if ggb_scenario.name != "rebase" else repo.git.commit("--allow-empty", "-m", "x")
    assert repo.head.commit.author.name == "GitGoodBench Agent"
"""


@pytest.fixture
def start_states(ggb, pytester) -> Callable[[], dict[str, str]]:
    """What a test of one's own sees of two start states."""

    def states() -> dict[str, str]:
        (pytester.path / "test_own.py").write_text(SUITE)
        shutil.rmtree(pytester.path / "said", ignore_errors=True)
        run = ggb(*SELECTED, "test_own.py")
        assert all_passed(run)
        return {path.name: path.read_text() for path in (pytester.path / "said").iterdir()}

    return states


HOSTILE_CONFIG = """
[core]
    hooksPath = {hooks}
    fsmonitor = {trap}
    sshCommand = {trap}
    pager = {trap}
    editor = {trap}
    autocrlf = true
    eol = crlf
    attributesFile = {attributes}
    excludesFile = {ignore}
    quotePath = true
    logAllRefUpdates = always
    commentChar = G
    abbrev = 4
[init]
    templateDir = {template}
    defaultBranch = hostile
[user]
    name = Somebody Else
    email = else@example.invalid
    useConfigOnly = true
[commit]
    gpgSign = true
    template = /nowhere
    cleanup = scissors
[gpg]
    program = {trap}
[merge]
    conflictStyle = diff3
    ff = only
    tool = trap
[diff]
    external = {trap}
    noprefix = true
    renames = false
    algorithm = patience
[rerere]
    enabled = true
    autoUpdate = true
[pull]
    rebase = true
[rebase]
    autoSquash = true
    autoStash = true
    instructionFormat = hostile
[alias]
    commit = !{trap}
    status = !{trap}
[filter "trap"]
    clean = {trap}
    smudge = {trap}
    required = true
[merge "trap"]
    driver = {trap}
[url "ext::{trap} "]
    insteadOf = /
[protocol]
    allow = always
[transfer]
    hideRefs = refs
[include]
    path = {more}
"""

WANTED_HOOKS = (
    "pre-commit",
    "post-commit",
    "post-checkout",
    "commit-msg",
    "post-merge",
    "reference-transaction",
)


def settings_of_somebody_else(folder: Path) -> tuple[dict[str, str], Path]:
    """A home full of traps, variables that lead there too, and the file that a trap would leave."""
    canary = folder / "canary"
    trap = folder / "trap"
    trap.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}\nexit 1\n')
    trap.chmod(0o755)
    template = folder / "template"
    for place in (folder / "hooks", template / "hooks"):
        place.mkdir(parents=True)
        for hook in WANTED_HOOKS:
            shutil.copy(trap, place / hook)
    home = folder / "home"
    xdg = home / ".config" / "git"
    xdg.mkdir(parents=True)
    (xdg / "attributes").write_text("* filter=trap merge=trap diff=trap text eol=crlf\n")
    (xdg / "ignore").write_text("*\n")
    text = HOSTILE_CONFIG.format(
        hooks=folder / "hooks",
        trap=trap,
        attributes=xdg / "attributes",
        ignore=xdg / "ignore",
        template=template,
        more=home / "more",
    )
    (home / "more").write_text("[i18n]\n\tcommitEncoding = UTF-16\n")
    for file in (home / ".gitconfig", xdg / "config", folder / "system"):
        file.write_text(text)
    (home / ".gitconfig.broken").write_text("[core\n")
    return {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "GIT_CONFIG_SYSTEM": str(folder / "system"),
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": str(trap),
        "GIT_CONFIG_PARAMETERS": f"'diff.external'='{trap}'",
        "GIT_TEMPLATE_DIR": str(template),
        "GIT_EXTERNAL_DIFF": str(trap),
        "GIT_EDITOR": str(trap),
        "GIT_SEQUENCE_EDITOR": str(trap),
        "GIT_PAGER": str(trap),
        "GIT_ASKPASS": str(trap),
        "GIT_AUTHOR_NAME": "Somebody Else",
        "GIT_COMMITTER_DATE": "yesterday",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_TRACE": str(folder / "trace"),
        "GIT_DEFAULT_HASH": "sha256",
        "EDITOR": str(trap),
        "PAGER": str(trap),
        "LESSOPEN": f"|{trap} %s",
    }, canary


def test_hostile_configuration_of_user_and_system(ggb, start_states, tmp_path, monkeypatch):
    usual = start_states()
    hostile, canary = settings_of_somebody_else(tmp_path)
    for name, value in hostile.items():
        monkeypatch.setenv(name, value)
    # Their settings do work where nothing is done against them: else this shows nothing.
    subprocess.run(["git", "init", "-q", "probe"], cwd=tmp_path, check=False)
    subprocess.run(["git", "commit", "--allow-empty", "-m", "x"], cwd=tmp_path / "probe", capture_output=True)
    assert canary.exists()
    canary.unlink()
    (tmp_path / "trace").unlink()

    assert start_states() == usual
    fresh = f"--ggb-cache-dir={tmp_path / 'cache'}"
    assert all_passed(ggb(*SMALL, fresh))
    committing = ggb(*SELECTED, "--ggb-agent=cmd:sh -c 'git add -A && git commit -qm x; git status'", fresh)
    assert not {"error"} & set(committing.outcomes.values()), committing.text
    assert not canary.exists(), canary.read_text()
    assert not (tmp_path / "trace").exists()


def test_broken_configuration_of_the_user(ggb, tmp_path, monkeypatch):
    (tmp_path / ".gitconfig").write_text("[core\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "no quotes")
    assert subprocess.run(["git", "status"], capture_output=True, cwd=tmp_path).returncode
    assert all_passed(ggb(*SMALL, f"--ggb-cache-dir={tmp_path / 'cache'}"))


def test_started_by_a_git_hook(pytester, demo_cache):
    """A repository whose `pre-commit` runs pytest, on tests of its own and on the shipped ones."""
    project = pytester.path / "project"
    project.mkdir()
    (project / "test_own.py").write_text(SUITE)
    (project / "pytest.ini").write_text(
        f"[pytest]\nggb_dataset = demo\nggb_limit = 2\nggb_scenario = merge,commit\nggb_cache_dir = {demo_cache}\n"
    )
    (project / ".gitignore").write_text("*\n!test_own.py\n!pytest.ini\n!.gitignore\n")

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-c", f"core.hooksPath={project / 'hooks'}", *arguments],
            cwd=project, env=environment(), capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    hook = project / "hooks" / "pre-commit"
    hook.parent.mkdir()
    pytest_line = f"{sys.executable} -m pytest -p no:randomly -p no:cacheprovider -q"
    hook.write_text(
        "#!/bin/sh\nset -e\nenv > hook-env\n"
        f"{pytest_line} test_own.py\n"
        f"{pytest_line} {' '.join(SMALL)} --ggb-out=run\n"
    )
    hook.chmod(0o755)
    git("init", "-q")
    git("add", "-A")
    said = git("commit", "-q", "-m", "With a hook", "-a")
    assert said.count("2 passed") == 2, said
    variables = (project / "hook-env").read_text()
    assert "GIT_INDEX_FILE=" in variables and "GIT_PREFIX=" in variables
    assert sorted(git("ls-tree", "--name-only", "HEAD").split()) == [
        ".gitignore",
        "pytest.ini",
        "test_own.py",
    ]
    assert git("rev-list", "--count", "HEAD").strip() == "1"
    assert git("status", "--porcelain") == ""
    git("fsck", "--strict")


def test_variables_that_lead_to_another_repository(ggb, start_states, tmp_path, monkeypatch):
    usual = start_states()
    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", str(other)], env=environment(), check=True)
    before = sorted(path.relative_to(other) for path in other.rglob("*"))
    for name, place in {
        "GIT_DIR": ".git",
        "GIT_WORK_TREE": ".",
        "GIT_INDEX_FILE": ".git/index",
        "GIT_OBJECT_DIRECTORY": ".git/objects",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": ".git/objects",
        "GIT_COMMON_DIR": ".git",
        "GIT_SHALLOW_FILE": ".git/shallow",
        "GIT_GRAFT_FILE": ".git/grafts",
        "GIT_CEILING_DIRECTORIES": "..",
        "GIT_NAMESPACE": "other",
        "GIT_QUARANTINE_PATH": ".git/objects",
    }.items():
        monkeypatch.setenv(name, str(other / place) if name != "GIT_NAMESPACE" else place)
    assert start_states() == usual
    assert all_passed(ggb(*SMALL, f"--ggb-cache-dir={tmp_path / 'cache'}"))
    assert sorted(path.relative_to(other) for path in other.rglob("*")) == before


def test_a_test_of_ones_own_gets_its_variables_back(pytester, demo_cache, monkeypatch):
    pytester.makepyfile(
        """
        import os, pytest
        before = {name: value for name, value in os.environ.items() if name.startswith("GIT_")}

        def test_with(ggb_workspace):
            assert "GIT_DIR" not in os.environ

        def test_after():
            assert {name: value for name, value in os.environ.items() if name.startswith("GIT_")} == before
            assert before["GIT_DIR"] == "/nowhere"
        """
    )
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    result = pytester.runpytest_subprocess(
        "--ggb-dataset=demo", "--ggb-limit=1", f"--ggb-cache-dir={demo_cache}", "-p", "no:randomly"
    )
    result.assert_outcomes(passed=2)


# -- places ----------------------------------------------------------------------------------------------


def test_home_unset(ggb, monkeypatch):
    for name in ("HOME", "USERPROFILE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME", "LANG"):
        monkeypatch.delenv(name, raising=False)
    assert all_passed(ggb(*SMALL))


def test_home_that_is_not_there(ggb, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere"))
    assert all_passed(ggb(*SMALL))
    assert not (tmp_path / "nowhere").exists()


@pytest.fixture
def elsewhere(tmp_path):
    """A folder on another file system than `tmp_path`."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK) or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second file system to write to")
    folder = memory / f"gitgoodbench-{os.getpid()}-{tmp_path.name}"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("what", ["TMPDIR", "basetemp", "cache and run"])
def test_places_on_another_file_system(ggb, elsewhere, monkeypatch, what):
    if what == "TMPDIR":
        monkeypatch.setenv("TMPDIR", str(elsewhere))
        assert all_passed(ggb(*SMALL))
        assert not any(elsewhere.iterdir()), "something was left behind"
    elif what == "basetemp":
        assert all_passed(ggb(*SMALL, f"--basetemp={elsewhere / 'tmp'}"))
        assert (elsewhere / "tmp").is_dir()
    else:
        assert all_passed(ggb(*SMALL, f"--ggb-cache-dir={elsewhere / 'cache'}", out=elsewhere / "run"))
        assert (elsewhere / "cache" / "repos").is_dir() and (elsewhere / "run" / "report.html").is_file()


@pytest.mark.parametrize("name", ["-dash it's ümläut-ぎっと %41 {name} #1", 'a\u0308 $HOME "quoted" `x`; *?'])
def test_paths_of_every_kind(ggb, pytester, monkeypatch, name):
    place = pytester.path / name
    (place / "tmp").mkdir(parents=True)
    monkeypatch.setenv("TMPDIR", str(place / "tmp"))
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.chdir(place)
    places = (f"--basetemp={place / 'base'}", f"--ggb-cache-dir={place / 'cache'}")
    agent = ("--ggb-agent=cmd:git commit -qm All", "--ggb-judge-threshold=0", "--ggb-protocol=paper")
    run = ggb("--ggb-limit=1", "--ggb-scenario=commit", *places, *agent, out=place / "run")
    assert set(run.outcomes.values()) == {"passed"}, run.text
    assert (place / "run" / "report.html").is_file()


def test_clones_in_a_folder_of_every_kind(ggb, pytester, demo_cache):
    """`--ggb-repo-root` and a dataset file below a name that a shell and a URL would read otherwise."""
    from pytest_gitgoodbench.dataset.demo import ROWS_FILE, builders

    root = pytester.path / "clönes & {name} #1"
    for name, build in builders().items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        build(root / f"{name}.git")
    rows = root / "röws & more.csv"
    shutil.copy(ROWS_FILE, rows)
    run = ggb(
        *SMALL,
        f"--ggb-dataset={rows}",
        f"--ggb-repo-root={root}",
        f"--ggb-cache-dir={root / 'cache'}",
        "--ggb-offline",
    )
    assert all_passed(run)
