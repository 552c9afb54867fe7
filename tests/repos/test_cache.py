"""The cache: shared by processes, unharmed by kills, made again where it is damaged, clear where it cannot work."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from pytest_gitgoodbench.errors import InfrastructureError, RepositoryUnavailable, UserError
from pytest_gitgoodbench.repos import cache as cache_module
from pytest_gitgoodbench.repos.cache import Cache
from pytest_gitgoodbench.runs.attempts import Acted, evaluate, prepare
from pytest_gitgoodbench.settings import Settings
from tests.support.repository import Repository
from tests.support.upstream import (
    NAME,
    await_end,
    ended,
    kill,
    obeying_permissions,
    start,
    tree_of,
)

OBTAIN = "print(cache.store('acme/anvil', [{!r}]).path)"


def assert_sound(cache, *commits):
    """The store has the commits with all that belongs to them."""
    store = cache.store(NAME, commits)
    assert store.missing(commits) == []
    store.git("fsck", "--full", "--strict")
    store.git("rev-list", "--objects", "--quiet", *commits)
    return store


def assert_whole(cache, *commits):
    """The store is sound, and nothing lies about in the cache."""
    store = assert_sound(cache, *commits)
    left = {path.name for path in (cache.path / "repos").iterdir() if path.suffix != ".lock"}
    assert left == {"acme+anvil"}
    assert sorted(path.name for path in store.path.parent.iterdir()) == ["ready.json", "store.git"]
    pack = store.path / "objects" / "pack"
    assert not [path for path in pack.iterdir() if path.suffix not in (".pack", ".idx")]


# -- several processes -------------------------------------------------------------------------------


def test_one_process_fetches_while_others_wait_and_use_what_it_fetched(gate, upstream, tmp_path):
    code = (
        "told = lambda name, state: print(state, flush=True)\n"
        f"assert cache.make_ready({{'acme/anvil': [{upstream.merge!r}]}}, told) == {{}}\n"
        f"print(cache.store('acme/anvil', [{upstream.merge!r}]).missing([{upstream.merge!r}]))"
    )
    first = gate.start(code, tmp_path / "cache", cut=100_000)
    gate.await_fetch()
    others = [gate.start(code, tmp_path / "cache", cut=0) for _ in range(2)]
    for other in others:
        assert [other.stdout.readline() for _ in range(2)] == ["waiting\n", "fetching\n"]
    gate.open()
    for process in (first, *others):
        assert ended(process).splitlines()[-2:] == ["ready", "[]"]
    assert len(gate.fetches) == 1
    assert_whole(Cache(Settings(cache_dir=tmp_path / "cache", offline=True)), upstream.merge)


def _open_many(folder, barrier, results):
    for number in range(60):
        barrier.wait()
        try:
            Cache(Settings(cache_dir=folder / str(number)))
        except Exception as error:
            results.put(repr(error))
            barrier.abort()
            return
    results.put("")


def test_processes_that_come_first_at_once_agree_on_the_format(tmp_path):
    context = multiprocessing.get_context("fork")
    barrier, results = context.Barrier(3), context.Queue()
    processes = [context.Process(target=_open_many, args=(tmp_path, barrier, results)) for _ in range(3)]
    for process in processes:
        process.start()
    assert results.get(timeout=60) == ""
    for process in processes:
        process.join()


def test_a_name_in_another_case_is_the_same_store(upstream, tmp_path):
    cache = upstream.cache(tmp_path / "cache")
    needs = {"Acme/Anvil": [upstream.ours], "acme/anvil": [upstream.theirs], "ACME/ANVIL": [upstream.ours]}
    assert cache.make_ready(needs) == {}
    assert_whole(cache, upstream.ours, upstream.theirs)


# -- kills -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", [0, 500, 30_000, 10_000_000], ids=["first", "early", "middle", "last"])
@pytest.mark.parametrize("filled", [False, True], ids=["new", "added-to"])
def test_a_fetch_that_was_killed_is_made_again(gate, upstream, tmp_path, cut, filled):
    folder = tmp_path / "cache"
    cache = upstream.cache(folder)
    wanted = [upstream.first, upstream.newest] if filled else [upstream.newest]
    if filled:
        cache.store(NAME, [upstream.first])
    killed = gate.start(OBTAIN.format(upstream.newest), folder, cut=cut)
    gate.await_fetch()
    kill(killed)
    assert_sound(cache, *wanted)
    # git, which the killed process had started, has gone on waiting; now it does what it was to do.
    gate.open()
    await_end(gate.fetches[0])
    assert_sound(cache, *wanted)


# The moments at which files get their final names: the note of what is in the store, then the store.
@pytest.mark.parametrize("call", ["replace", "rename"])
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("damaged", [False, True], ids=["new", "in-place-of-a-damaged-one"])
def test_a_kill_while_a_store_is_put_in_its_place(upstream, tmp_path, call, moment, damaged):
    folder = tmp_path / "cache"
    cache = upstream.cache(folder)
    if damaged:
        (cache.store(NAME, [upstream.first]).path / "HEAD").unlink()
    code = (
        f"cache = Cache(Settings(cache_dir=Path({str(folder)!r}), repo_root=Path({str(upstream.root)!r})))\n"
        f"real = Path.{call}\n"
        "def die(path, target):\n"
        f"    {'pass' if moment == 'before' else 'real(path, target)'}\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        f"Path.{call} = die\n"
    )
    process = start(code + OBTAIN.format(upstream.newest))
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert_sound(cache, upstream.newest)


def test_locks_of_dead_processes_do_not_stop_anybody(upstream, tmp_path):
    cache = upstream.cache(tmp_path / "cache")
    store = cache.store(NAME, [upstream.first])
    (store.path.parent.with_name("acme+anvil.lock")).write_text("4194304\n")
    for name in (f"refs/ggb/{upstream.newest}.lock", "HEAD.lock", "packed-refs.lock", "shallow.lock"):
        (store.path / name).write_bytes(b"")
    (store.path / "objects" / "pack" / "tmp_pack_Ab12Cd").write_bytes(b"PACK")
    assert_whole(cache, upstream.first, upstream.newest)
    assert not list(store.path.rglob("*.lock"))


def test_only_leftovers_of_the_same_repository_are_removed(upstream, tmp_path):
    cache = upstream.cache(tmp_path / "cache")
    repos = cache.path / "repos"
    for name in (".12.acme+anvil", ".12.acme+anvil.js", ".12.x.acme+anvil", "acme+anvil.js"):
        (repos / name / "made").mkdir(parents=True)
    cache.store(NAME, [upstream.first])
    assert sorted(path.name for path in repos.iterdir()) == [
        ".12.acme+anvil.js",
        ".12.x.acme+anvil",
        "acme+anvil",
        "acme+anvil.js",
        "acme+anvil.lock",
    ]


# -- damage ------------------------------------------------------------------------------------------


def _truncate(path):
    os.truncate(path, path.stat().st_size // 2)


def _replace_by_file(path):
    shutil.rmtree(path)
    path.write_text("not a folder")


def _empty(path):
    path.write_bytes(b"")


DAMAGES = {
    "pack truncated": ("store.git/objects/pack/*.pack", _truncate),
    "pack gone": ("store.git/objects/pack/*.pack", os.unlink),
    "index truncated": ("store.git/objects/pack/*.idx", _truncate),
    "index gone": ("store.git/objects/pack/*.idx", os.unlink),
    "HEAD gone": ("store.git/HEAD", os.unlink),
    "HEAD empty": ("store.git/HEAD", _empty),
    "config gone": ("store.git/config", os.unlink),
    "objects gone": ("store.git/objects", shutil.rmtree),
    "objects a file": ("store.git/objects", _replace_by_file),
    "refs gone": ("store.git/refs", shutil.rmtree),
    "store gone": ("store.git", shutil.rmtree),
    "store a file": ("store.git", _replace_by_file),
    "everything a file": (".", _replace_by_file),
    "note gone": ("ready.json", os.unlink),
    "note empty": ("ready.json", _empty),
    "note truncated": ("ready.json", _truncate),
    "note no object": ("ready.json", lambda path: path.write_text("[1]")),
    "note of other types": (
        "ready.json",
        lambda path: path.write_text('{"pins": 1, "files": [], "refused": 2}'),
    ),
    "note not text": ("ready.json", lambda path: path.write_bytes(b"\xff\xfe")),
    "note a folder": ("ready.json", lambda path: (path.unlink(), path.mkdir())),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_noticed_and_made_again(upstream, tmp_path, damage):
    cache = upstream.cache(tmp_path / "cache")
    entry = cache.store(NAME, [upstream.newest]).path.parent
    pattern, harm = DAMAGES[damage]
    (path,) = entry.glob(pattern) if pattern != "." else [entry]
    harm(path)
    # The same object and a new one: nothing may be remembered that is no longer so.
    assert_whole(cache, upstream.newest)
    assert_whole(Cache(Settings(cache_dir=tmp_path / "cache", offline=True)), upstream.newest)


def flip(path, step=97):
    """Change bytes all over a file; its size stays."""
    content = bytearray(path.read_bytes())
    content[::step] = bytes(byte ^ 0x55 for byte in content[::step])
    path.chmod(0o644)
    path.write_bytes(content)


@pytest.mark.parametrize("suffix", [".pack", ".idx"])
@pytest.mark.parametrize("scenario", ["merge", "rebase", "commit"])
def test_flipped_bytes_are_noticed_when_git_fails_over_them(upstream, tmp_path, suffix, scenario):
    cache = upstream.cache(tmp_path / "cache")
    task = upstream.tasks[scenario]
    store = cache.store(NAME, task.sample.commits)
    (path,) = store.path.glob(f"objects/pack/*{suffix}")
    flip(path)
    prepared = prepare(task, cache, tmp_path / "workspace")
    assert prepared.workspace.git.line("rev-parse", "HEAD") in (upstream.ours, upstream.newest, upstream.base)
    assert_whole(cache, *task.sample.commits)


@pytest.mark.parametrize("did", ["nothing", "commit"])
def test_a_store_that_is_damaged_after_preparing_is_an_error_not_a_failure(upstream, tmp_path, did):
    cache = upstream.cache(tmp_path / "cache")
    task = upstream.tasks["merge"]
    prepared = prepare(task, cache, tmp_path / "workspace")
    if did == "commit":
        prepared.workspace.git("add", "-A")
        prepared.workspace.git("commit", "-q", "-m", "Merge")
    (path,) = prepared.store.path.glob("objects/pack/*.pack")
    flip(path)
    with pytest.raises(InfrastructureError, match="not evaluated"):
        (tmp_path / "scratch").mkdir()
        evaluate(Acted(prepared), tmp_path / "scratch")
    assert_whole(cache, *task.sample.commits)


TEMPLATE_DAMAGES = {
    "taken out": (".", shutil.rmtree),
    "emptied": ("git/objects/pack/*.pack", lambda path: (path.chmod(0o644), path.write_bytes(b""))),
    "an index gone": ("git/objects/pack/*.idx", Path.unlink),
    "its list gone": ("sizes.json", Path.unlink),
    "flipped bytes": ("git/objects/pack/*.pack", flip),
    "flipped bytes of an index": ("git/objects/pack/*.idx", flip),
}


@pytest.mark.parametrize("damage", TEMPLATE_DAMAGES)
@pytest.mark.parametrize("scenario", ["merge", "rebase", "commit"])
def test_a_template_that_is_damaged_after_preparing_is_never_the_agent_s_failure(
    upstream, tmp_path, scenario, damage
):
    cache = upstream.cache(tmp_path / "cache")
    prepared = prepare(upstream.tasks[scenario], cache, tmp_path / "workspace")
    prepared.scenario.baselines()["oracle"](prepared.task.sample, prepared.workspace, prepared.store)
    (template,) = (path for path in cache.templates.iterdir() if path.is_dir())
    pattern, harm = TEMPLATE_DAMAGES[damage]
    harm(template if pattern == "." else next(template.glob(pattern)))
    for attempt in ("first", "second"):
        scratch = tmp_path / attempt
        scratch.mkdir()
        try:
            evaluation = evaluate(Acted(prepared), scratch)
        except InfrastructureError as error:
            assert attempt == "first" and "not evaluated" in str(error)
        else:
            assert all(check.passed for check in evaluation.checks)


def test_a_store_that_was_taken_out_meanwhile_is_fetched_again(upstream, tmp_path):
    cache = upstream.cache(tmp_path / "cache")
    task = upstream.tasks["merge"]
    store = cache.store(NAME, task.sample.commits)
    shutil.rmtree(store.path.parent)
    assert prepare(task, cache, tmp_path / "workspace").brief
    assert_whole(cache, *task.sample.commits)


def test_a_whole_store_is_not_distrusted(upstream, tmp_path):
    cache = upstream.cache(tmp_path / "cache")
    store = cache.store(NAME, [upstream.first])
    before = tree_of(cache.path)
    cache_module.distrust(store)
    assert tree_of(cache.path) == before


# -- folders that do not serve as a cache -------------------------------------------------------------


@pytest.mark.parametrize("taken", [".", "repos", "templates"])
def test_a_file_where_a_folder_should_be(tmp_path, taken):
    folder = tmp_path / "cache"
    (folder / taken).parent.mkdir(exist_ok=True)
    (folder / taken).write_text("mine")
    with pytest.raises(
        UserError, match=r"^the cache folder .*cache cannot be used \(.*\): name another with"
    ):
        Cache(Settings(cache_dir=folder))
    assert (folder / taken).read_text() == "mine"


@pytest.mark.parametrize("marker", [b"2\n", b"", b"\xff\x00", b"1.5"])
def test_a_cache_of_another_format_is_refused_and_left_alone(upstream, tmp_path, marker):
    cache = upstream.cache(tmp_path / "cache")
    cache.store(NAME, [upstream.first])
    (cache.path / "format").write_bytes(marker)
    before = tree_of(cache.path)
    with pytest.raises(
        UserError, match=r"has format .*, this version knows 1: update .* --ggb-cache-dir"
    ) as told:
        upstream.cache(cache.path)
    assert str(told.value).isprintable()
    assert tree_of(cache.path) == before


# In a process without root's right to write everywhere: what a cache that cannot be written still does.
READ_ONLY = """
from pytest_gitgoodbench.dataset.sample import Chain, Merge, Sample
from pytest_gitgoodbench.dataset.tasks import Task
from pytest_gitgoodbench.errors import GitGoodBenchError
from pytest_gitgoodbench.runs.attempts import prepare
for number, task in enumerate({tasks!r}):
    try:
        cache = Cache(Settings(cache_dir=Path({cache!r}), repo_root=Path({root!r}), offline=True))
        prepare(task, cache, Path({folder!r}, str(number)))
    except GitGoodBenchError as error:
        print(f"{{type(error).__name__}}: {{error}}")
    else:
        print("made")
"""


def try_without_writing(upstream, tmp_path, *tasks, workspaces="workspaces"):
    folder = tmp_path / "cache"
    subprocess.run(["chmod", "-R", "a-w", str(folder)], check=True)
    code = READ_ONLY.format(
        tasks=tasks, cache=str(folder), root=str(upstream.root), folder=str(tmp_path / workspaces)
    )
    try:
        return ended(start(code, None, *obeying_permissions())).splitlines()
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(folder)], check=True)


def test_a_read_only_cache_gives_what_it_has(upstream, tmp_path):
    merge, rebase = upstream.tasks["merge"], upstream.tasks["rebase"]
    cache = upstream.cache(tmp_path / "cache")
    prepare(merge, cache, tmp_path / "first")
    made, refused = try_without_writing(upstream, tmp_path, merge, rebase)
    assert made == "made"
    assert refused == (
        f"RepositoryUnavailable: acme/anvil: the cache folder {cache.path} cannot be written: Permission denied"
    )
    # The repository is there, the template of the workspace is not.
    cache.store(NAME, rebase.sample.commits)
    made, refused = try_without_writing(upstream, tmp_path, merge, rebase, workspaces="others")
    assert made == "made"
    assert refused.startswith(f"InfrastructureError: {rebase.key}: the workspace cannot be made: ")
    assert "Permission denied" in refused
    assert str(cache.templates) in refused


def test_a_read_only_folder_is_no_cache(upstream, tmp_path):
    (tmp_path / "cache").mkdir()
    (said,) = try_without_writing(upstream, tmp_path, upstream.tasks["merge"])
    assert said.startswith(
        f"UserError: the cache folder {tmp_path / 'cache'} cannot be used (Permission denied)"
    )


# One after the other, or it would be chance which of them finds the disk full.
ON_A_SMALL_DISK = """
import json
cache = Cache(Settings(cache_dir=Path({disk!r}, "cache"), repo_root=Path({root!r}), offline=True))
failures = {{}}
for name, commits in {needs!r}.items():
    failures |= cache.make_ready({{name: commits}})
print(json.dumps(failures))
"""


def bubblewrap(size, folder):
    """A command line prefix that puts a file system of `size` bytes over a folder."""
    prefix = ["bwrap", "--dev-bind", "/", "/", "--size", str(size), "--tmpfs", str(folder)]
    if not shutil.which("bwrap") or subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("bubblewrap does not work here")
    return prefix


@pytest.fixture
def two_upstreams(upstream, tmp_path):
    """A large project and a small one, and what is needed of them."""
    root = tmp_path / "root"
    upstream.copy(root)
    small = Repository(root / "tiny" / "tool").commit({"a": b"1"})
    return root, {NAME: [upstream.newest], "tiny/tool": [small]}


def test_a_full_disk_is_named_and_stops_only_what_does_not_fit(two_upstreams, tmp_path):
    root, needs = two_upstreams
    (tmp_path / "disk").mkdir()
    code = ON_A_SMALL_DISK.format(disk=str(tmp_path / "disk"), root=str(root), needs=needs)
    failures = json.loads(ended(start(code, None, *bubblewrap(150_000, tmp_path / "disk"))))
    assert list(failures) == [NAME]
    assert failures[NAME].endswith("cannot be written: No space left on device")


@pytest.mark.parametrize("pages", [3, 12, 14, 20, 30])
def test_wherever_a_disk_gets_full_there_is_a_reason(two_upstreams, tmp_path, pages):
    root, needs = two_upstreams
    (tmp_path / "disk").mkdir()
    code = ON_A_SMALL_DISK.format(disk=str(tmp_path / "disk"), root=str(root), needs={NAME: needs[NAME]})
    process = start(code, None, *bubblewrap(pages * 4096, tmp_path / "disk"))
    out, err = process.communicate(timeout=60)
    said = json.loads(out)[NAME] if process.returncode == 0 else err.splitlines()[-1]
    assert "No space left on device" in said
    assert process.returncode == 0 or "UserError: the cache folder" in said


def test_a_limit_on_the_size_of_files(upstream, tmp_path):
    (tmp_path / "disk").mkdir()
    needs = {NAME: [upstream.newest]}
    code = ON_A_SMALL_DISK.format(disk=str(tmp_path / "disk"), root=str(upstream.root), needs=needs)
    before = ["prlimit", "--fsize=50000"]
    failures = json.loads(ended(start(code, None, *before)))
    assert list(failures) == [NAME]
    assert "\n" not in failures[NAME]
    # Nothing of it is in the way later.
    assert_whole(upstream.cache(tmp_path / "disk" / "cache"), upstream.newest)


def test_no_room_for_a_workspace(upstream, tmp_path):
    cache = upstream.cache(tmp_path / "cache")
    task = upstream.tasks["merge"]
    prepare(task, cache, tmp_path / "first")
    before = tree_of(cache.path)
    (tmp_path / "workspaces").mkdir()
    code = READ_ONLY.format(
        tasks=(task,), cache=str(cache.path), root="/", folder=str(tmp_path / "workspaces")
    )
    said = ended(start(code, None, *bubblewrap(100_000, tmp_path / "workspaces")))
    assert said.startswith(f"InfrastructureError: {task.key}: the workspace cannot be made: ")
    assert "No space left on device" in said
    assert tree_of(cache.path) == before


# -- where repositories come from ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "place",
    ["Acme/Anvil.git", "acme/anvil", "ACME/ANVIL.GIT", "aCmE/anvil.git/"],
)
@pytest.mark.parametrize("bare", [True, False])
def test_clones_are_found_in_any_case(upstream, tmp_path, place, bare):
    root = tmp_path / "root"
    (root / place).parent.mkdir(parents=True)
    kind = ["--bare"] if bare else []
    upstream.repository.git("clone", "-q", *kind, str(upstream.repository.path), str(root / place))
    cache = Cache(Settings(cache_dir=tmp_path / "cache", repo_root=root, offline=True))
    for name in ("acme/anvil", "Acme/Anvil"):
        assert cache.make_ready({name: [upstream.newest]}) == {}
    assert_whole(cache, upstream.newest)


def test_a_worktree_and_an_owner_in_two_cases(upstream, tmp_path):
    (tmp_path / "root" / "Acme" / "anvil").mkdir(parents=True)  # not a repository
    repository = upstream.copy(tmp_path / "elsewhere")
    (tmp_path / "root" / "acme").mkdir(exist_ok=True)
    worktree = tmp_path / "root" / "acme" / "Anvil"
    subprocess.run(["git", "-C", str(repository), "worktree", "add", "-q", str(worktree)], check=True)
    cache = Cache(Settings(cache_dir=tmp_path / "cache", repo_root=tmp_path / "root", offline=True))
    assert_whole(cache, upstream.newest)


def test_a_root_that_is_no_folder(tmp_path):
    with pytest.raises(UserError, match=r"--ggb-repo-root: .*nowhere is not a folder"):
        Cache(Settings(cache_dir=tmp_path / "cache", repo_root=tmp_path / "nowhere"))


def test_offline_with_nothing_cached_others_are_ready(upstream, tmp_path):
    cache = upstream.cache(tmp_path / "cache")
    told = []
    needs = {NAME: [upstream.newest], "some/other": ["1" * 40]}
    failures = cache.make_ready(needs, lambda name, state: told.append((name, state)))
    assert failures == {
        "some/other": "some/other: not (completely) in the cache, and --ggb-offline allows no network: "
        "run `ggb fetch` with the same selection first"
    }
    assert ("some/other", f"failed: {failures['some/other']}") in told
    assert (NAME, "ready") in told
    with pytest.raises(RepositoryUnavailable, match="--ggb-offline"):
        cache.store("some/other", ["1" * 40])
    assert_whole(cache, upstream.newest)


def test_a_commit_that_the_source_lacks_costs_only_its_own_samples(upstream, tmp_path):
    cache = upstream.cache(tmp_path / "cache")
    gone = "1" * 40
    reason = f"acme/anvil has no commit {gone} any more at {upstream.repository.path}"
    assert cache.make_ready({NAME: [upstream.newest, gone]}) == {}
    assert_whole(cache, upstream.newest)
    with pytest.raises(RepositoryUnavailable) as told:
        cache.store(NAME, [upstream.newest, gone])
    assert str(told.value) == reason
    # A worker, which has no network, gives the same reason.
    worker = Cache(Settings(cache_dir=tmp_path / "cache", offline=True))
    with pytest.raises(RepositoryUnavailable) as told:
        worker.store(NAME, [gone])
    assert str(told.value) == reason
    with pytest.raises(RepositoryUnavailable, match="--ggb-offline"):
        worker.store(NAME, [gone, "2" * 40])


def test_a_shallow_clone_is_no_source_for_what_it_cuts_off(upstream, tmp_path):
    path = tmp_path / "root" / "acme" / "anvil"
    path.parent.mkdir(parents=True)
    url = upstream.repository.path.as_uri()
    upstream.repository.git("clone", "-q", "--depth=2", url, str(path))
    cache = Cache(Settings(cache_dir=tmp_path / "cache", repo_root=tmp_path / "root", offline=True))
    cache.make_ready({NAME: [upstream.newest]})
    with pytest.raises(RepositoryUnavailable, match="shallow clone; run `git fetch --unshallow` in it"):
        cache.store(NAME, [upstream.newest])
    with pytest.raises(RepositoryUnavailable, match="shallow"):
        prepare(upstream.tasks["rebase"], cache, tmp_path / "workspace")
    subprocess.run(["git", "-C", str(path), "fetch", "-q", "--unshallow"], check=True)
    assert_whole(cache, upstream.newest)


def test_a_partial_clone_is_no_source(upstream, tmp_path):
    served = upstream.copy(tmp_path / "served")
    subprocess.run(["git", "-C", str(served), "config", "uploadpack.allowFilter", "true"], check=True)
    path = tmp_path / "root" / "acme" / "anvil.git"
    command = ["git", "clone", "-q", "--bare", "--filter=blob:none", served.as_uri(), str(path)]
    subprocess.run(command, check=True)
    cache = Cache(Settings(cache_dir=tmp_path / "cache", repo_root=tmp_path / "root", offline=True))
    (reason,) = cache.make_ready({NAME: [upstream.newest]}).values()
    assert reason == f"{NAME}: cannot be fetched from {path}: " + (
        "it is a partial clone, which lacks objects; a complete one is needed"
    )


def test_a_damaged_source_and_odd_names_are_told_apart(upstream, tmp_path):
    """A folder called shallow is not a shallow clone, and braces in a path are just braces."""
    root = tmp_path / "{root}"
    path = upstream.copy(root)
    (root / "acme" / "shallow").mkdir()
    (root / "acme" / "shallow" / "HEAD").write_text("ref: refs/heads/main\n")
    cache = Cache(Settings(cache_dir=tmp_path / "cache", repo_root=root, offline=True))
    gone = "1" * 40
    with pytest.raises(RepositoryUnavailable, match=f"has no commit {gone} any more at "):
        cache.store(NAME, [gone])
    for pack in path.glob("objects/pack/*.pack"):
        flip(pack)
    for name, commit in ((NAME, upstream.newest), ("acme/shallow", gone)):
        with pytest.raises(RepositoryUnavailable) as told:
            cache.store(name, [commit])
        assert "shallow clone" not in str(told.value)
        assert "\n" not in str(told.value)


def test_what_is_built_here_is_built_again_when_it_has_changed(tmp_path):
    """A demo of another version has other commits: they are not looked for on the network."""
    told = []

    def built(content):
        def build(path):
            told.append(content)
            made = Repository(tmp_path / f"made{len(told)}")
            made.commit({"a": content})
            made.git("clone", "-q", "--bare", str(made.path), str(path))

        return build

    commits = []
    for content in (b"old", b"new"):
        commits.append(Repository(tmp_path / content.decode()).commit({"a": content}))
        cache = Cache(Settings(cache_dir=tmp_path / "cache"), {NAME: built(content)})
        for _ in range(2):
            assert cache.store(NAME, commits[-1:]).missing(commits[-1:]) == []
    assert told == [b"old", b"new"]
    with pytest.raises(RepositoryUnavailable, match=f"acme/anvil has no commit {'1' * 40}"):
        cache.store(NAME, ["1" * 40])


def test_sha256_repositories(tmp_path):
    made = Repository(tmp_path / "root" / "acme" / "anvil", "sha256")
    first = made.commit({"a": b"1"})
    second = made.commit({"a": b"2"})
    cache = Cache(Settings(cache_dir=tmp_path / "cache", repo_root=tmp_path / "root", offline=True))
    cache.store(NAME, [first])
    assert_whole(cache, first, second)
    cache_module.distrust(cache.store(NAME, [second]))
    assert (cache.path / "repos" / "acme+anvil" / "ready.json").exists()
