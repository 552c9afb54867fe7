"""The cache of upstream repositories: fetched by commit hash, under a lock, published by rename."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pytest_gitgoodbench.errors import GitError, RepositoryUnavailable, UserError
from pytest_gitgoodbench.git import Git
from pytest_gitgoodbench.repos.source import fetch, locate
from pytest_gitgoodbench.repos.store import Store
from pytest_gitgoodbench.settings import Settings

Builder = Callable[[Path], None]
"""Makes a bare repository at a path that does not exist yet (the demo's projects)."""

Progress = Callable[[str, str], None]
"""Told `(repository, state)`: state is `waiting`, `fetching`, `ready` or `failed: REASON`."""

FORMAT = 1
AT_ONCE = 8


class Cache:
    """Stores by upstream name. Safe to use from several processes at once.

    Attributes:
        path: the cache folder.
    """

    def __init__(self, settings: Settings, builders: Mapping[str, Builder] | None = None) -> None:
        """Args:
            settings: `cache_dir`, `repo_root`, `repo_url` and `offline` are used.
            builders: repositories that are built here instead of fetched, by `owner/repo`.

        Raises:
            UserError: the cache folder cannot be used.
        """
        self.settings = settings
        self.builders = {name.lower(): builder for name, builder in (builders or {}).items()}
        if settings.cache_dir is not None:
            self.path = settings.cache_dir.absolute()
        else:
            from platformdirs import user_cache_path

            self.path = user_cache_path("pytest-gitgoodbench")
        if settings.repo_root is not None and not settings.repo_root.is_dir():
            raise UserError(f"--ggb-repo-root: {settings.repo_root} is not a folder")
        self._known: dict[str, set[str]] = {}
        self._refused: dict[str, dict[str, str]] = {}
        self._open()

    def _open(self) -> None:
        marker = self.path / "format"
        try:
            (self.path / "repos").mkdir(parents=True, exist_ok=True)
            (self.path / "templates").mkdir(exist_ok=True)
            if not marker.exists():
                marker.write_text(f"{FORMAT}\n", "utf-8")
            found = marker.read_text("utf-8").strip()
        except OSError as error:
            raise UserError(
                f"the cache folder {self.path} cannot be used ({error.strerror}): name another with --ggb-cache-dir"
            ) from error
        if found != str(FORMAT):
            raise UserError(
                f"the cache folder {self.path} has format {found!r}, this version knows {FORMAT}: "
                "update pytest-gitgoodbench or name another folder with --ggb-cache-dir"
            )

    @property
    def templates(self) -> Path:
        """The folder for workspace templates (see `workspace`)."""
        return self.path / "templates"

    def make_ready(
        self, needs: Mapping[str, Collection[str]], progress: Progress | None = None
    ) -> dict[str, str]:
        """Make the stores of several repositories hold the commits that are needed.

        Repositories are made ready several at once, each with one request for all its commits.

        Args:
            needs: commits by `owner/repo`.

        Returns:
            For every repository that could not be made ready at all: a one-line reason. A repository
            that only lacks some commits is not among them; `store` says which samples that concerns.
        """
        tell = progress or (lambda name, state: None)
        failures: dict[str, str] = {}

        def one(name: str) -> None:
            tell(name, "fetching")
            try:
                self._obtain(name, needs[name])
            except RepositoryUnavailable as error:
                failures[name] = str(error)
                tell(name, f"failed: {error}")
            else:
                tell(name, "ready")

        todo = []
        for name in sorted(needs):
            if self._is_ready(name, needs[name]):
                tell(name, "ready")
            else:
                tell(name, "waiting")
                todo.append(name)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for _ in pool.map(one, todo):
                pass
        return failures

    def store(self, name: str, commits: Collection[str]) -> Store:
        """The store of one repository, made ready if it is not.

        Raises:
            RepositoryUnavailable: the repository or one of the commits cannot be had.
        """
        if not self._is_ready(name, commits):
            self._obtain(name, commits)
            refused = self._refused.get(name.lower(), {})
            for commit in commits:
                if commit in refused:
                    raise RepositoryUnavailable(refused[commit])
        return Store(name, self._folder(name) / "store.git")

    def _folder(self, name: str) -> Path:
        return self.path / "repos" / name.lower().replace("/", "+")

    def _is_ready(self, name: str, commits: Collection[str]) -> bool:
        """Whether a store has the commits, without starting git: its marker lists pins and packs."""
        known = self._known.get(name.lower())
        if known is not None and known.issuperset(commits):
            return True
        pins = _pins_of(self._folder(name))
        if pins is None or not pins.issuperset(commits):
            return False
        self._known[name.lower()] = pins
        return True

    def _obtain(self, name: str, commits: Collection[str]) -> None:
        folder = self._folder(name)
        with self._locked(folder):
            self._known.pop(name.lower(), None)
            if self._is_ready(name, commits):
                return
            pins = _pins_of(folder)
            if pins is None:
                self._make(name, commits)
            else:
                git = Git(git_dir=folder / "store.git")
                self._refused[name.lower()] = self._fill(git, name, set(commits) - pins)
                _mark(folder)

    def _make(self, name: str, commits: Collection[str]) -> None:
        """Make a store from nothing, beside its place, and put it there when it is complete."""
        folder = self._folder(name)
        beside = folder.with_name(f".{folder.name}.{os.getpid()}")
        shutil.rmtree(beside, ignore_errors=True)
        try:
            beside.mkdir(parents=True)
            git = Git(git_dir=beside / "store.git")
            builder = self.builders.get(name.lower())
            if builder is not None:
                builder(beside / "store.git")
                self._refused[name.lower()] = _not_built(Store(name, beside / "store.git"), commits)
            else:
                form = "sha256" if any(len(commit) == 64 for commit in commits) else "sha1"
                Git()("init", "--quiet", "--bare", f"--object-format={form}", str(beside / "store.git"))
                self._refused[name.lower()] = self._fill(git, name, commits)
            _mark(beside)
            if folder.exists():
                broken = folder.with_name(f".{folder.name}.broken.{os.getpid()}")
                folder.rename(broken)
                shutil.rmtree(broken, ignore_errors=True)
            beside.rename(folder)
        except OSError as error:
            raise RepositoryUnavailable(
                f"{name}: the cache folder {self.path} cannot be written: {error.strerror or error}"
            ) from error
        except GitError as error:
            raise RepositoryUnavailable(f"{name}: {error}") from error
        finally:
            shutil.rmtree(beside, ignore_errors=True)

    def _fill(self, git: Git, name: str, commits: Collection[str]) -> dict[str, str]:
        return fetch(git, locate(self.settings, name), name, commits)

    @contextlib.contextmanager
    def _locked(self, folder: Path) -> Iterator[None]:
        from filelock import FileLock

        try:
            lock = FileLock(folder.with_name(f"{folder.name}.lock"))
            lock.acquire()
        except OSError as error:
            raise RepositoryUnavailable(
                f"the cache folder {self.path} cannot be written: {error.strerror or error}"
            ) from error
        try:
            yield
        finally:
            lock.release()


def _not_built(store: Store, commits: Collection[str]) -> dict[str, str]:
    reasons = {commit: f"{store.name} has no commit {commit}" for commit in store.missing(commits)}
    for commit in set(commits) - set(reasons):
        store.git("update-ref", f"refs/ggb/{commit}", commit)
    return reasons


def _mark(folder: Path) -> None:
    """Write down what a complete store holds."""
    store = folder / "store.git"
    listing = Git(git_dir=store)("for-each-ref", "--format=%(refname:lstrip=2)", "refs/ggb/")
    state = {"pins": listing.decode().split(), "files": _sizes(store)}
    beside = folder / "ready.json.new"
    beside.write_text(json.dumps(state), "utf-8")
    beside.replace(folder / "ready.json")


def _pins_of(folder: Path) -> set[str] | None:
    """The commits a store was completed with; None when it is not there, half-written or damaged."""
    try:
        state = json.loads((folder / "ready.json").read_text("utf-8"))
        # Further packs may be there: of a fetch that was ended before it was written down.
        if not state["files"].items() <= _sizes(folder / "store.git").items():
            return None
        return set(state["pins"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _sizes(store: Path) -> dict[str, int]:
    packs = {path.name: path.stat().st_size for path in (store / "objects" / "pack").glob("pack-*.*")}
    return {**packs, "HEAD": (store / "HEAD").stat().st_size}
