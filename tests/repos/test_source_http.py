"""Fetching over HTTP from git's own server: by hash, in one request, and through whatever servers do wrong."""

from __future__ import annotations

import csv
import hashlib
import os
import re
import subprocess
import sys

import pytest

from pytest_gitgoodbench.errors import RepositoryUnavailable
from pytest_gitgoodbench.git import Git, run
from pytest_gitgoodbench.repos import source
from pytest_gitgoodbench.repos.cache import Cache
from pytest_gitgoodbench.settings import Settings
from tests.support.git_http import Fault, git_server
from tests.support.repository import Repository
from tests.support.upstream import NAME, PROJECT, tree_of

GONE = "1" * 40
REFS = "application/x-git-upload-pack-advertisement"
PACK = "application/x-git-upload-pack-result"
LOGIN = Fault(status=401, headers={"WWW-Authenticate": 'Basic realm="acme"'})


@pytest.fixture(scope="session")
def served(upstream, tmp_path_factory):
    """The folder that is served: the project, and a small one; only to be read."""
    root = tmp_path_factory.mktemp("served")
    upstream.copy(root)
    small = Repository(root / "tiny" / "work")
    small.commit({"a": b"1"})
    small.git("clone", "-q", "--bare", ".", str(root / "tiny" / "tool.git"))
    return root


@pytest.fixture(scope="session")
def unreachable(upstream, served):
    """A commit that no ref of the served project reaches, as of a closed pull request."""
    git = Git(git_dir=served / "acme" / "anvil.git")
    return git.line("commit-tree", f"{upstream.newest}^{{tree}}", "-p", upstream.ours, "-m", "Closed")


@pytest.fixture(autouse=True)
def direct(monkeypatch):
    """No proxy of the machine, and no waiting before a request is made again."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(source, "_PAUSE", 0.0)


@pytest.fixture
def server(served):
    with git_server(served) as made:
        yield made


@pytest.fixture
def cache(server, tmp_path):
    """A cache that fetches from the server."""
    return Cache(Settings(cache_dir=tmp_path / "cache", repo_url=server.template))


@pytest.fixture
def patience(monkeypatch, tmp_path):
    """Let git wait for so many seconds, in place of a minute, for a server that says nothing."""

    def wait(seconds):
        config = run.HERMETIC_CONFIG.read_text()
        shorter, count = re.subn(r"(?m)^(\s*lowSpeedTime = )\d+$", rf"\g<1>{seconds}", config)
        assert count == 1
        (tmp_path / "gitconfig").write_text(shorter)
        monkeypatch.setattr(run, "HERMETIC_CONFIG", tmp_path / "gitconfig")

    return wait


def packet(content):
    """A line of git's protocol."""
    return b"%04x%s" % (len(content) + 4, content)


def assert_whole(cache, *commits):
    """The store has the commits with all that belongs to them, and no leftovers."""
    store = cache.store(NAME, commits)
    store.git("rev-list", "--objects", "--quiet", *commits)
    store.git("fsck", "--full", "--strict")
    assert {path.suffix for path in (store.path / "objects" / "pack").iterdir()} == {".pack", ".idx"}


def reason_of(cache, *commits):
    """Why nothing can be had: one line that can be shown."""
    (reason,) = cache.make_ready({NAME: commits}).values()
    assert reason.isprintable()
    # Nothing half-made stays.
    assert not [path for path in (cache.path / "repos").iterdir() if path.suffix != ".lock"]
    return reason.removeprefix(
        f"{NAME}: cannot be fetched from {cache.settings.repo_url}: ".format(name=NAME)
    )


# -- what is asked for ---------------------------------------------------------------------------------


@pytest.mark.parametrize("old", [False, True], ids=["protocol-2", "protocol-0"])
def test_all_commits_come_by_hash_in_one_request(server, cache, upstream, unreachable, old):
    server.old = old
    wanted = [upstream.newest, upstream.theirs, upstream.first, unreachable]
    assert cache.make_ready({NAME: [*wanted, *wanted]}) == {}
    assert server.kinds() == ["refs", "pack"]
    assert sorted(server.log[1].wants) == sorted(wanted)
    assert_whole(cache, *wanted)
    assert cache.store(NAME, wanted).missing([upstream.later]) == [upstream.later]
    assert server.kinds() == ["refs", "pack"]


def test_more_commits_than_fit_in_a_small_request(server, cache, upstream, served):
    git = Git(git_dir=served / "acme" / "anvil.git")
    tree = git.line("rev-parse", f"{upstream.first}^{{tree}}")
    many = [git.line("commit-tree", tree, "-m", str(number)) for number in range(60)]
    assert cache.make_ready({NAME: many}) == {}
    assert server.kinds() == ["refs", "pack"]
    assert server.log[1].headers["Content-Encoding"] == "gzip"
    assert sorted(server.log[1].wants) == sorted(many)
    assert_whole(cache, *many)


def test_later_only_what_is_new_is_asked_for(server, cache, upstream, unreachable):
    cache.store(NAME, [upstream.newest])
    server.log.clear()
    assert cache.make_ready({NAME: [upstream.newest, unreachable]}) == {}
    assert server.kinds() == ["refs", "pack"]
    assert server.log[1].wants == (unreachable,)
    assert_whole(cache, upstream.newest, unreachable)


def test_a_second_run_makes_no_request(server, cache, upstream, served):
    (tool,) = Git(git_dir=served / "tiny" / "tool.git")("rev-parse", "HEAD").decode().split()
    needs = {NAME: [upstream.newest, upstream.theirs], "tiny/tool": [tool]}
    assert cache.make_ready(needs) == {}
    assert server.kinds(NAME) == server.kinds("tiny/tool") == ["refs", "pack"]
    server.log.clear()
    before = tree_of(cache.path)
    again = Cache(cache.settings)
    assert again.make_ready(needs) == {}
    again.store(NAME, [upstream.newest])
    assert server.log == []
    assert tree_of(cache.path) == before


@pytest.mark.parametrize("template", ["{name}.git", "{name}", "mirror/../{name}/"])
def test_the_template_of_urls(server, upstream, tmp_path, template):
    cache = Cache(Settings(cache_dir=tmp_path / "cache", repo_url=f"{server.url}/{template}"))
    assert cache.make_ready({NAME: [upstream.newest]}) == {}
    assert {entry.repository for entry in server.log} == {NAME}
    assert_whole(cache, upstream.newest)


# -- what is not there ---------------------------------------------------------------------------------


@pytest.mark.parametrize("old", [False, True], ids=["protocol-2", "protocol-0"])
def test_a_missing_commit_leaves_the_others_usable(server, cache, upstream, old):
    server.old = old
    assert cache.make_ready({NAME: [GONE, upstream.newest]}) == {}
    # The server refuses the whole request, so it is made once more without that commit.
    assert [entry.wants for entry in server.log if entry.kind == "pack"] == [
        tuple(sorted((GONE, upstream.newest))),
        (upstream.newest,),
    ]
    assert_whole(cache, upstream.newest)
    with pytest.raises(RepositoryUnavailable) as told:
        cache.store(NAME, [upstream.newest, GONE])
    assert str(told.value) == f"acme/anvil has no commit {GONE} any more at {server.url}/acme/anvil.git"


def test_a_server_that_hands_out_only_what_it_shows(server, cache, upstream, unreachable):
    server.old, server.config = True, {}
    tip = upstream.later
    assert cache.make_ready({NAME: [tip, unreachable]}) == {}
    assert_whole(cache, tip)
    with pytest.raises(RepositoryUnavailable, match=f"has no commit {unreachable} any more"):
        cache.store(NAME, [unreachable])


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(status=404), "fatal: repository '{url}/acme/anvil.git/' not found"),
        (
            Fault(status=403),
            "fatal: unable to access '{url}/acme/anvil.git/': The requested URL returned error: 403",
        ),
        (
            Fault(status=410),
            "fatal: unable to access '{url}/acme/anvil.git/': The requested URL returned error: 410",
        ),
    ],
    ids=lambda value: str(value.status) if isinstance(value, Fault) else "",
)
def test_a_repository_that_is_not_to_be_had_is_asked_for_once(server, cache, upstream, fault, said):
    server.always[NAME] = fault
    assert reason_of(cache, upstream.newest) == said.format(url=server.url)
    assert server.kinds() == ["refs"]


def test_a_repository_that_is_not_there_stops_no_other(server, cache, upstream):
    failures = cache.make_ready({NAME: [upstream.newest], "acme/nothing": [GONE]})
    assert list(failures) == ["acme/nothing"]
    assert failures["acme/nothing"].endswith(f"fatal: repository '{server.url}/acme/nothing.git/' not found")
    assert_whole(cache, upstream.newest)


# -- passwords -----------------------------------------------------------------------------------------


def test_nobody_is_asked_for_a_password(server, upstream, tmp_path):
    """Not on the terminal, and not by any program that the user has set up for it."""
    server.always[NAME] = LOGIN
    ask = tmp_path / "ask"
    ask.write_text(f"#!/bin/sh\necho asked >> {tmp_path}/asked\necho secret\n")
    ask.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[core]\n\taskPass = {ask}\n[credential]\n\thelper = !{ask}\n")
    code = (
        "from pathlib import Path\n"
        "from pytest_gitgoodbench.repos.cache import Cache\n"
        "from pytest_gitgoodbench.settings import Settings\n"
        f"cache = Cache(Settings(cache_dir=Path({str(tmp_path / 'cache')!r}), repo_url={server.template!r}))\n"
        f"print(cache.make_ready({{{NAME!r}: [{upstream.newest!r}]}}).popitem()[1])\n"
    )
    terminal, end = os.openpty()
    process = subprocess.Popen(
        # With the terminal as its own, as in a shell.
        ["setsid", "--ctty", "--wait", sys.executable, "-c", code],
        env={
            **os.environ,
            **{name: str(ask) for name in ("GIT_ASKPASS", "SSH_ASKPASS")},
            "HOME": str(home),
            "DISPLAY": ":0",
            "GIT_TERMINAL_PROMPT": "1",
            "PYTHONPATH": str(PROJECT),
        },
        stdin=end,
        stdout=end,
        stderr=end,
    )
    os.close(end)
    try:
        assert process.wait(60) == 0
        shown = os.read(terminal, 1 << 16).decode()
    finally:
        process.kill()
        os.close(terminal)
    assert shown == (
        f"{NAME}: cannot be fetched from {server.url}/{NAME}.git: it does not exist or asks for a password\r\n"
    )
    assert not (tmp_path / "asked").exists()
    assert not [entry for entry in server.log if "Authorization" in entry.headers]


@pytest.mark.parametrize(
    ("user", "fault"),
    [("token123", LOGIN), ("me:token123", Fault(status=404)), ("me:token123", Fault("pack", status=500))],
)
def test_credentials_of_the_url_are_sent_and_not_told(server, upstream, tmp_path, user, fault):
    template = server.template.replace("://", f"://{user}@")
    cache = Cache(Settings(cache_dir=tmp_path / "cache", repo_url=template))
    server.always[NAME] = fault
    (reason,) = cache.make_ready({NAME: [upstream.newest]}).values()
    assert "token123" not in reason
    assert f" from {server.url}/acme/anvil.git: " in reason
    # Once the server lets git in, what it does not have is told, and kept, without them, too.
    server.always.clear()
    server.faults = [LOGIN]
    assert cache.make_ready({NAME: [upstream.newest, GONE]}) == {}
    assert [entry for entry in server.log if "Authorization" in entry.headers]
    with pytest.raises(RepositoryUnavailable, match="has no commit") as told:
        cache.store(NAME, [GONE])
    assert "token123" not in str(told.value)
    assert b"token123" not in b"".join(content or b"" for content in tree_of(cache.path).values())


# -- what passes ---------------------------------------------------------------------------------------

PASSING = {
    "503 at first": Fault("refs", status=503),
    "503 later": Fault("pack", status=503),
    "500 later": Fault("pack", status=500),
    "429": Fault("refs", status=429),
    "429 later": Fault("pack", status=429),
    "reset at first": Fault("refs"),
    "reset later": Fault("pack"),
    "reset in the list": Fault("refs", after=20),
    "reset in the pack": Fault("pack", after=100_000),
}


@pytest.mark.parametrize("name", PASSING)
@pytest.mark.parametrize("filled", [False, True], ids=["new", "added-to"])
def test_a_fault_that_passes_is_outlived(server, cache, upstream, name, filled):
    wanted = [upstream.newest, upstream.theirs]
    if filled:
        # The large file of the project comes with the rest, so that there is something to break off.
        cache.store(
            NAME, [Git(git_dir=server.root / f"{NAME}.git").line("commit-tree", "-m", "x", _empty(server))]
        )
    server.faults = [PASSING[name]]
    server.log.clear()
    assert cache.make_ready({NAME: wanted}) == {}
    assert server.faults == []
    assert server.kinds()[-2:] in (["refs", "pack"], ["pack", "pack"])
    assert_whole(cache, *wanted)


def _empty(server):
    return Git(git_dir=server.root / f"{NAME}.git").line(
        "hash-object", "-t", "tree", "-w", "--stdin", input=b""
    )


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault("refs", status=503), "returned error: 503"),
        (Fault("pack", status=503), "error: RPC failed; HTTP 503"),
        (Fault("refs"), "reset by peer|Empty reply"),
        (Fault("pack", after=100_000), "error: RPC failed; curl "),
    ],
)
def test_a_fault_that_stays_is_tried_three_times_and_named(server, cache, upstream, fault, said):
    server.always[NAME] = fault
    assert re.search(said, reason_of(cache, upstream.newest))
    assert server.kinds().count("refs") == 3
    server.always.clear()
    assert_whole(Cache(cache.settings), upstream.newest)


def test_what_was_there_before_a_fault_stays_usable(server, cache, upstream, unreachable):
    cache.store(NAME, [upstream.theirs])
    server.always[NAME] = Fault("pack", after=1000)
    assert list(cache.make_ready({NAME: [upstream.theirs, upstream.newest]})) == [NAME]
    server.log.clear()
    cache.store(NAME, [upstream.theirs]).git("fsck", "--full", "--strict")
    assert server.log == []
    server.always.clear()
    assert_whole(Cache(cache.settings), upstream.theirs, upstream.newest)


@pytest.mark.parametrize(
    "fault",
    [Fault("refs", hang=True), Fault("pack", after=100_000, hang=True)],
    ids=["at first", "in the pack"],
)
def test_a_server_that_hangs_is_given_up_and_asked_again(server, cache, upstream, patience, fault):
    patience(1)
    server.faults = [fault]
    assert cache.make_ready({NAME: [upstream.newest]}) == {}
    assert server.kinds().count("refs") == 2
    assert_whole(cache, upstream.newest)


def test_a_server_that_hangs_each_time_is_named(server, cache, upstream, patience, monkeypatch):
    patience(1)
    monkeypatch.setattr(source, "_TRIES", 1)
    server.always[NAME] = Fault(hang=True)
    assert "too slow" in reason_of(cache, upstream.newest)


def test_a_server_that_takes_its_time_is_waited_for(server, cache, upstream, patience, tmp_path):
    """Counting the objects of a large project takes minutes, in which the server only tells how far it is."""
    patience(1)
    slow = tmp_path / "slow"
    slow.write_text(
        "#!/bin/sh\n"
        f'echo " $* " > {tmp_path}/asked\n'
        "for number in 1 2 3 4 5; do\n"
        "    printf 'Counting objects: %s\\r' $number >&2\n"
        "    sleep 0.5\n"
        "done\n"
        'exec "$@"\n'
    )
    slow.chmod(0o755)
    server.config["uploadpack.packObjectsHook"] = str(slow)
    assert cache.make_ready({NAME: [upstream.newest]}) == {}
    assert server.kinds() == ["refs", "pack"]
    # The real one tells that only to those who want to know.
    assert " --progress " in (tmp_path / "asked").read_text()


# -- what is not git -----------------------------------------------------------------------------------

PAGE = b"<!DOCTYPE html>\n<html><head><title>Log in</title></head>\n<body>\n\t<form></form></body></html>\n"
NOTHING = b"PACK\0\0\0\2\0\0\0\0"
NOTHING += hashlib.sha1(NOTHING, usedforsecurity=False).digest()
GARBAGE = {
    "a page": (Fault(status=200, body=PAGE, kind="text/html"), "not valid: is this a git repository?"),
    "an empty page": (Fault(status=200, kind="text/html"), "error: "),
    "bytes at first": (Fault("refs", status=200, body=b"\x1b[31mx\0y\nz", kind=REFS), "bad line length"),
    "nothing at first": (Fault("refs", status=200, kind=REFS), "fatal: "),
    "bytes later": (Fault("pack", status=200, body=b"\x1b[31mx\0y\nz", kind=PACK), "bad line length"),
    "nothing later": (Fault("pack", status=200, kind=PACK), "fatal: expected 'packfile'"),
    "a page later": (Fault("pack", status=200, body=PAGE, kind="text/html"), "fatal: "),
    "an error with escapes": (
        Fault("pack", status=200, body=packet(b"ERR \x1b]0;mine\x07go\nERR away"), kind=PACK),
        "remote error: ?]0;mine?go",
    ),
    "messages with escapes": (
        Fault(
            "pack",
            status=200,
            body=packet(b"packfile\n") + packet(b"\x02\x1b[2Jhello\n") + packet(b"\x03\x1b[2Jdead\n"),
            kind=PACK,
        ),
        "fatal: ",
    ),
    "a pack of garbage": (
        Fault(
            "pack",
            status=200,
            body=packet(b"packfile\n") + packet(b"\x01" + NOTHING[:11] + b"\1" + b"x" * 40) + b"0000",
            kind=PACK,
        ),
        "inflate: data stream error",
    ),
    "a pack of nothing": (
        Fault(
            "pack", status=200, body=packet(b"packfile\n") + packet(b"\x01" + NOTHING) + b"0000", kind=PACK
        ),
        "bad object",
    ),
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_an_error_and_leaves_nothing(server, cache, upstream, name):
    server.always[NAME], said = GARBAGE[name]
    assert said in reason_of(cache, upstream.newest)
    server.always.clear()
    assert_whole(Cache(cache.settings), upstream.newest)


# -- redirects -----------------------------------------------------------------------------------------

QUERY = "/info/refs?service=git-upload-pack"


@pytest.mark.parametrize(("status", "whole"), [(301, False), (302, True), (307, True), (308, False)])
def test_a_repository_that_has_moved_is_followed(server, upstream, tmp_path, status, whole):
    target = f"{server.url if whole else ''}/{NAME}.git{QUERY}"
    server.always["old/name"] = Fault(status=status, headers={"Location": target})
    cache = Cache(Settings(cache_dir=tmp_path / "cache", repo_url=server.template))
    assert cache.make_ready({"old/name": [upstream.newest]}) == {}
    assert [(entry.repository, entry.kind) for entry in server.log] == [
        ("old/name", "refs"),
        (NAME, "refs"),
        (NAME, "pack"),
    ]
    assert cache.store("old/name", [upstream.newest]).missing([upstream.newest]) == []


@pytest.mark.parametrize("on", ["refs", "pack"])
@pytest.mark.parametrize("scheme", ["file", "ext", "ftp", "gopher", "ssh", "relative"])
def test_redirects_lead_nowhere_else(server, cache, upstream, served, tmp_path, scheme, on):
    """Not into the file system, not to a command; nor, in the middle of a fetch, to anywhere."""
    target = {
        "file": f"file://{served}/{NAME}.git{QUERY}",
        "ext": f"ext::touch% {tmp_path}/touched",
        "relative": f"/tiny/tool.git{QUERY}" if on == "pack" else "?",
    }.get(scheme, f"{scheme}://127.0.0.1/{NAME}.git{QUERY}")
    server.always[NAME] = Fault(on, status=302, headers={"Location": target})
    assert reason_of(cache, upstream.newest).startswith(("fatal: ", "error: "))
    assert not (tmp_path / "touched").exists()
    assert {entry.repository for entry in server.log} == {NAME}


def test_redirects_in_a_circle_end(server, cache, upstream):
    server.always[NAME] = Fault(status=302, headers={"Location": f"/{NAME}.git{QUERY}"})
    assert "redirects followed" in reason_of(cache, upstream.newest)


def test_plain_http_is_used_only_by_those_who_ask_for_it(server, upstream, tmp_path):
    """git itself refuses it; only a `--ggb-repo-url` that begins with it lets a fetch use it."""
    Git()("init", "--quiet", "--bare", str(tmp_path / "store.git"))
    done = Git(git_dir=tmp_path / "store.git").run("fetch", "--quiet", f"{server.url}/{NAME}.git")
    assert b"transport 'http' not allowed" in done.stderr
    assert server.log == []


# -- whole runs ----------------------------------------------------------------------------------------


@pytest.fixture
def rows(upstream, unreachable, tmp_path):
    """A dataset of the served project: a merge, a chain, a chain that is lost, and a project behind a login."""
    merge = {
        "merge_commit_hash": upstream.merge,
        "parents": [upstream.ours, upstream.theirs],
        "number_of_files_with_merge_conflict": 1,
        "total_number_of_merge_conflicts": 1,
        "files_in_merge_conflict": ["file.txt"],
    }
    chain = {
        "file": "file.txt",
        "branch": "main",
        "times_seen_consecutively": 3,
        "purity": 1.0,
        "newest_commit": upstream.newest,
        "oldest_commit": upstream.oldest,
    }
    samples = [
        ("acme_anvil_merge_0000", NAME, merge),
        ("acme_anvil_file_commit_chain_0000", NAME, chain),
        ("acme_anvil_file_commit_chain_0001", NAME, {**chain, "newest_commit": GONE}),
        ("shut_away_merge_0000", "shut/away", merge),
    ]
    common = {
        "default_branch": "main",
        "license": "MIT",
        "stargazers": 1,
        "created_at": "2020-01-01T00:00:00",
        "topics": "",
        "programming_language": "python",
        "project_size": "tiny",
        "difficulty": "easy",
    }
    file = tmp_path / "rows.csv"
    with file.open("w", newline="") as stream:
        names = ["id", "name", "scenario", "sample_type", *common]
        writer = csv.DictWriter(stream, names)
        writer.writeheader()
        for name, repository, scenario in samples:
            kind = "merge" if scenario is merge else "file_commit_chain"
            writer.writerow(
                {"id": name, "name": repository, "scenario": repr(scenario), "sample_type": kind, **common}
            )
    return file


def ggb_fetch(*options):
    return subprocess.run(
        [sys.executable, "-m", "pytest_gitgoodbench.cli", "fetch", *options],
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_fetched_ahead_a_run_needs_no_network(server, rows, pytester, tmp_path):
    common = [f"--ggb-dataset={rows}", f"--ggb-cache-dir={tmp_path / 'cache'}"]
    common += [f"--ggb-repo-url={server.template}", f"--ggb-repo={NAME}", "--ggb-scenario=merge"]
    done = ggb_fetch(*common)
    assert (done.returncode, done.stderr) == (0, "")
    assert server.kinds() == ["refs", "pack"]
    server.log.clear()
    result = pytester.runpytest_subprocess(*common, "--ggb-offline", "--ggb-agent=oracle", "--ggb-out=run")
    result.assert_outcomes(passed=1)
    assert server.log == []
    # Nothing is asked for again where the network may be used, either.
    pytester.runpytest_subprocess(*common, "--ggb-agent=oracle", "--ggb-out=again").assert_outcomes(passed=1)
    assert server.log == []


@pytest.mark.parametrize("workers", [0, 2])
def test_what_cannot_be_had_makes_errors_of_its_own_samples_only(server, rows, pytester, tmp_path, workers):
    server.always["shut/away"] = LOGIN
    result = pytester.runpytest_subprocess(
        f"--ggb-dataset={rows}",
        f"--ggb-cache-dir={tmp_path / 'cache'}",
        f"--ggb-repo-url={server.template}",
        "--ggb-agent=oracle",
        "--ggb-judge-threshold=0.5",
        "--ggb-out=run",
        f"-n{workers}",
        "-rE",
    )
    result.assert_outcomes(passed=3, errors=3)
    result.stdout.fnmatch_lines_random(
        [
            f"*acme/anvil has no commit {GONE} any more at {server.url}/acme/anvil.git*",
            f"*shut/away: cannot be fetched from {server.url}/shut/away.git: it does not exist or asks for a password*",
        ]
    )
    # A repository that cannot be had is not asked for again by each of its samples (git knocks twice at a login).
    assert server.kinds("shut/away") == ["refs", "refs"]
    if workers:
        assert server.kinds(NAME) == ["refs", "pack"] * 2
