"""The cache of upstream repositories: fetched by commit hash, under a lock, published by rename."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
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
_LEAST_ROOM = 1 << 16
"""Free bytes below which a disk is called full when git fails on it."""


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
        self._refused: dict[str, dict[str, str]] = {}
        self._failed: dict[str, str] = {}
        self._open()

    def _open(self) -> None:
        marker = self.path / "format"
        try:
            (self.path / "repos").mkdir(parents=True, exist_ok=True)
            (self.path / "templates").mkdir(exist_ok=True)
            if not marker.exists():
                _write(marker, f"{FORMAT}\n")
            found = marker.read_text("utf-8", "replace").strip()
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
            self._failed.pop(name.lower(), None)
            try:
                self._obtain(name, needs[name])
            except RepositoryUnavailable as error:
                failures[name] = self._failed[name.lower()] = str(error)
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
            # A server that hangs would hold up each of its samples.
            if name.lower() in self._failed:
                raise RepositoryUnavailable(self._failed[name.lower()])
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
        state = _state_of(self._folder(name))
        return state is not None and state.pins.issuperset(commits)

    def _obtain(self, name: str, commits: Collection[str]) -> None:
        folder = self._folder(name)
        try:
            with _locked(folder):
                state = _state_of(folder)
                if state is not None and state.pins.issuperset(commits):
                    return
                if state is None or name.lower() in self.builders:
                    refused = self._make(name, commits)
                else:
                    refused = self._add(name, set(commits) - state.pins, state.refused)
        except OSError as error:
            raise RepositoryUnavailable(
                f"{name}: the cache folder {self.path} cannot be written: {error.strerror or error}"
            ) from error
        except GitError as error:
            raise RepositoryUnavailable(f"{name}: {error}") from error
        self._refused[name.lower()] = refused

    def _add(self, name: str, commits: set[str], known: Mapping[str, str]) -> dict[str, str]:
        """Fetch into a store that is there.

        Args:
            known: commits that the upstream refused earlier.
        """
        folder = self._folder(name)
        store = folder / "store.git"
        _tidy(store)
        try:
            refused = self._fill(store, name, commits)
        except RepositoryUnavailable:
            # Workers have no network; that the upstream lacks a commit they learn from the controller.
            if not commits <= known.keys():
                raise
            return dict(known)
        _mark(folder, {**known, **refused})
        return refused

    def _make(self, name: str, commits: Collection[str]) -> dict[str, str]:
        """Make a store from nothing, beside its place, and put it there when it is complete."""
        folder = self._folder(name)
        _sweep(folder)
        beside = folder.with_name(f".{os.getpid()}.{folder.name}")
        made = beside / "made"
        store = made / "store.git"
        try:
            made.mkdir(parents=True)
            builder = self.builders.get(name.lower())
            if builder is not None:
                builder(store)
                refused = _not_built(Store(name, store), commits)
            else:
                form = "sha256" if any(len(commit) == 64 for commit in commits) else "sha1"
                Git()("init", "--quiet", "--bare", f"--object-format={form}", str(store))
                refused = self._fill(store, name, commits)
            _mark(made, refused)
            if folder.exists():
                folder.rename(beside / "replaced")
            made.rename(folder)
        except GitError as error:
            # Not every command of git says why it could not write.
            if shutil.disk_usage(self.path).free < _LEAST_ROOM:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
            raise
        finally:
            shutil.rmtree(beside, ignore_errors=True)
        return refused

    def _fill(self, store: Path, name: str, commits: Collection[str]) -> dict[str, str]:
        refused = fetch(Git(git_dir=store), locate(self.settings, name), name, commits)
        _tidy(store)
        return refused


def distrust(store: Store) -> None:
    """Look into a store in which git failed: if a file of it is damaged, it is made again when next asked for."""
    folder = store.path.parent
    with contextlib.suppress(OSError), _locked(folder):
        if not all(_is_intact(file) for file in _packs(store.path)):
            (folder / "ready.json").unlink(missing_ok=True)


def _packs(store: Path) -> list[Path]:
    """The packs and their indices; what else git puts beside them can be made anew or goes away by itself."""
    return [file for kind in ("pack", "idx") for file in store.glob(f"objects/pack/pack-*.{kind}")]


def _is_intact(file: Path) -> bool:
    """Whether a pack or its index ends with the hash of what is before (gitformat-pack)."""
    size = len(file.stem.partition("-")[2]) // 2
    digest = hashlib.new("sha1" if size == 20 else "sha256", usedforsecurity=False)
    left = file.stat().st_size - size
    with file.open("rb") as content:
        while left > 0:
            part = content.read(min(left, 1 << 20))
            digest.update(part)
            left -= len(part)
        return content.read() == digest.digest()


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    from filelock import FileLock

    with FileLock(folder.with_name(f"{folder.name}.lock")):
        yield


def _tidy(store: Path) -> None:
    """Remove what git leaves in a store when it is killed or its connection breaks; the lock is held."""
    packs = store / "objects" / "pack"
    for stale in (*store.rglob("*.lock"), *packs.glob("tmp_*"), *packs.glob("*.keep")):
        stale.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Remove what processes that were killed left beside a store's folder; the lock is held."""
    left = re.compile(rf"\.\d+\.{re.escape(folder.name)}")
    for path in folder.parent.iterdir():
        if left.fullmatch(path.name):
            shutil.rmtree(path, ignore_errors=True)


def _not_built(store: Store, commits: Collection[str]) -> dict[str, str]:
    reasons = {commit: f"{store.name} has no commit {commit}" for commit in store.missing(commits)}
    for commit in set(commits) - set(reasons):
        store.git("update-ref", f"refs/ggb/{commit}", commit)
    return reasons


@dataclass(frozen=True)
class _State:
    """What `ready.json` says of a complete store.

    Attributes:
        pins: the commits it was completed with.
        refused: commits that the upstream does not have, with the reason.
    """

    pins: set[str]
    refused: dict[str, str]


def _mark(folder: Path, refused: Mapping[str, str]) -> None:
    """Write down what a complete store holds."""
    store = folder / "store.git"
    pins = Git(git_dir=store)("for-each-ref", "--format=%(refname:lstrip=2)", "refs/ggb/").decode().split()
    state = {"pins": pins, "refused": dict(refused), "files": _sizes(store)}
    _write(folder / "ready.json", json.dumps(state))


def _write(file: Path, content: str) -> None:
    """Write a file at once: other processes see all of it or nothing."""
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    beside.write_text(content, "utf-8")
    beside.replace(file)


def _state_of(folder: Path) -> _State | None:
    """None when the store is not there, half-written or damaged."""
    try:
        state = json.loads((folder / "ready.json").read_text("utf-8"))
        # Further packs may be there: of a fetch that was ended before it was written down.
        if not state["files"].items() <= _sizes(folder / "store.git").items():
            return None
        return _State(set(state["pins"]), dict(state["refused"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _sizes(store: Path) -> dict[str, int]:
    """Of the files without which a store is none; a folder counts as 0."""
    files = [store / "HEAD", store / "config", *_packs(store)]
    folders = {"refs": 0} if (store / "refs").is_dir() else {}
    return folders | {file.name: file.stat().st_size for file in files}
