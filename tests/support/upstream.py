"""An upstream project, a gate before it, and processes that use a cache: for tests of repositories."""

from __future__ import annotations

import os
import random
import select
import shutil
import signal
import subprocess
import sys
from functools import cached_property
from pathlib import Path

from pytest_gitgoodbench.dataset.sample import Chain, Merge, Sample
from pytest_gitgoodbench.dataset.tasks import Task
from pytest_gitgoodbench.repos.cache import Cache
from pytest_gitgoodbench.settings import Settings
from tests.support.repository import Repository

NAME = "acme/anvil"
PROJECT = Path(__file__).parents[2]


class Upstream:
    """A project with a merge, a chain of three commits and work that comes later.

    Attributes:
        root: for `--ggb-repo-root`; the project is `root/acme/anvil`.
        ours, theirs, merge: a merge with a conflict, and its parents.
        base, oldest, newest: the chain, and the commit before it.
        later: a commit on top, that no sample needs.
    """

    def __init__(self, root: Path, form: str = "sha1") -> None:
        self.root = root
        made = self.repository = Repository(root / "acme" / "anvil", form)
        noise = random.Random(7).randbytes(200_000)
        self.first = made.commit({"file.txt": b"one\ntwo\n", "noise.bin": noise, "dir/ä": b"name\n"}, "Start")
        made.branch("side")
        self.theirs = made.commit({"file.txt": b"one\ntwo, theirs\n", "link": "file.txt"}, "Theirs")
        made.git("checkout", "-q", "main")
        self.ours = made.commit({"file.txt": b"one\ntwo, ours\n"}, "Ours")
        made.git("merge", "-q", "side", check=False)
        self.merge = self.base = made.commit({"file.txt": b"one\ntwo, ours and theirs\n"}, "Merge side")
        self.oldest = made.commit({"file.txt": b"one\ntwo\nthree\n"}, "Add three")
        made.commit({"file.txt": b"one\ntwo\nthree\nfour\n", "run.sh": b"true\n"}, "wip")
        self.newest = made.commit({"file.txt": b"one\ntwo\nthree\nfour\nfive\n"}, "Add five")
        self.later = made.commit({"file.txt": b"something else\n"}, "Later work")
        made.git("tag", "-a", "v1", "-m", "v1")

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """By scenario."""
        merge = Merge(self.merge, (self.ours, self.theirs))
        chain = Chain("file.txt", 3, self.newest, self.oldest)
        merge_sample = Sample("acme_anvil_merge_0000", NAME, "python", "easy", merge)
        chain_sample = Sample("acme_anvil_file_commit_chain_0000", NAME, "python", "easy", chain)
        return {
            "merge": Task(merge_sample, "merge"),
            "rebase": Task(chain_sample, "rebase"),
            "commit": Task(chain_sample, "commit"),
        }

    def cache(self, folder: Path) -> Cache:
        """A cache that fetches from here."""
        return Cache(Settings(cache_dir=folder, repo_root=self.root, offline=True))

    def copy(self, root: Path) -> Path:
        """Put a bare copy at `root/acme/anvil.git`, to be changed by a test."""
        path = root / "acme" / "anvil.git"
        path.parent.mkdir(parents=True)
        # Not by hard links to the objects of the original, which a test that damages them would damage too.
        self.repository.git("clone", "-q", "--bare", "--no-local", str(self.repository.path), str(path))
        return path


def tree_of(folder: Path) -> dict[str, bytes | None]:
    """Every path below a folder, with its content if it is a file."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


# A stand-in for ssh that serves the upstream, but stops after `CUT` bytes until somebody opens the gate.
# Each byte goes on as soon as it is there: git's two sides talk in turns.
_SSH = f"""\
#!{sys.executable}
import os, subprocess

gate = os.environ["GATE"]
with open(gate + "/asked", "a") as asked:
    print(os.getppid(), file=asked)
served = subprocess.Popen(["git", "upload-pack", os.environ["UPSTREAM"]], stdout=subprocess.PIPE)


def pass_on(most):
    while most and (some := os.read(served.stdout.fileno(), min(most, 65536))):
        most -= len(some)
        while some:
            some = some[os.write(1, some):]


pass_on(int(os.environ["CUT"]))
for name, mode in (("reached", "w"), ("gate", "r")):
    with open(gate + "/" + name, mode) as fifo:
        mode == "r" and fifo.read()
pass_on(1 << 40)
"""


class Gate:
    """Fetches by ssh stop at a place of one's choice; every use of it is a `Cache` in its own process."""

    def __init__(self, folder: Path, upstream: Upstream) -> None:
        folder.mkdir()
        self.folder = folder
        self.upstream = upstream
        for name in ("gate", "reached"):
            os.mkfifo(folder / name)
        (folder / "ssh").write_text(_SSH)
        (folder / "ssh").chmod(0o755)

    @property
    def fetches(self) -> list[int]:
        """The process ids of git fetches that came here."""
        asked = self.folder / "asked"
        return [int(line) for line in asked.read_text().split()] if asked.exists() else []

    def start(self, code: str, cache: Path, *, cut: int) -> subprocess.Popen[str]:
        """Run Python code in a process; `cache` is a `Cache` that fetches through the gate."""
        env = {
            "GIT_SSH_COMMAND": str(self.folder / "ssh"),
            "GIT_SSH_VARIANT": "ssh",
            "GATE": str(self.folder),
            "CUT": str(cut),
            "UPSTREAM": str(self.upstream.repository.path),
        }
        settings = f"Settings(cache_dir=Path({str(cache)!r}), repo_url='ssh://upstream/{{name}}')"
        return start(f"cache = Cache({settings})\n{code}", env)

    def await_fetch(self) -> None:
        """Wait until a fetch has come as far as it may."""
        with (self.folder / "reached").open("rb") as reached:
            reached.read()

    def open(self) -> None:
        """Let the fetch that waits go on."""
        with (self.folder / "gate").open("wb"):
            pass


def start(code: str, env: dict[str, str] | None = None, *before: str) -> subprocess.Popen[str]:
    """Run Python code that knows the classes for repositories.

    Args:
        before: a command line that runs it.
    """
    imports = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from pytest_gitgoodbench.repos.cache import Cache\n"
        "from pytest_gitgoodbench.repos.store import Store\n"
        "from pytest_gitgoodbench.settings import Settings\n"
    )
    return subprocess.Popen(
        [*before, sys.executable, "-c", imports + code],
        env={**os.environ, **(env or {}), "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> str:
    """What a process that must end well printed."""
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out


def kill(process: subprocess.Popen[str]) -> None:
    """End a process as `kill -9` does; what it started goes on."""
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()


def await_end(pid: int) -> None:
    """Wait until a process that is not our child has ended."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([handle], [], [], 60)[0], f"process {pid} does not end"
    finally:
        os.close(handle)


def obeying_permissions() -> list[str]:
    """A command line prefix under which file permissions bind root, too."""
    if os.geteuid() != 0:
        return []
    assert shutil.which("setpriv"), "run as another user than root, or install setpriv"
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
