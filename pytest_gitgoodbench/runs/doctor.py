"""Finds out whether everything a run needs works on this machine."""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata

from pytest_gitgoodbench.errors import GitGoodBenchError, UserError
from pytest_gitgoodbench.git.version import required_version
from pytest_gitgoodbench.repos.cache import Cache
from pytest_gitgoodbench.repos.contents import contents, size_of
from pytest_gitgoodbench.runs.manifest import PACKAGES
from pytest_gitgoodbench.runs.wording import file_size, many
from pytest_gitgoodbench.settings import Settings


@dataclass(frozen=True)
class Finding:
    """What was found out about one thing.

    Attributes:
        what: the thing.
        works: None when runs go without it.
        detail: a line.
    """

    what: str
    works: bool | None
    detail: str


def examine(settings: Settings) -> Iterator[Finding]:
    """Look at this machine, one thing after the other."""
    yield Finding("Python", True, f"{platform.python_version()} on {platform.platform()}")
    yield _git()
    yield from _packages()
    yield _bubblewrap()
    yield _cache(settings)


def _git() -> Finding:
    try:
        return Finding("git", True, required_version())
    except UserError as error:
        return Finding("git", False, str(error))


def _packages() -> Iterator[Finding]:
    for package in PACKAGES:
        try:
            yield Finding(package, True, metadata.version(package))
        except metadata.PackageNotFoundError:
            yield Finding(package, False, f"not installed: pip install {package}")


def _bubblewrap() -> Finding:
    path = shutil.which("bwrap")
    if path is None:
        return Finding("sandbox", None, "bubblewrap is not installed: agents run without a sandbox")
    command = [path, "--ro-bind", "/", "/", "--unshare-all", "--die-with-parent", "true"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding("sandbox", None, f"bubblewrap does not work: {error}")
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        return Finding("sandbox", None, f"bubblewrap does not work here: {said}")
    return Finding("sandbox", True, "bubblewrap works")


def _cache(settings: Settings) -> Finding:
    try:
        cache = Cache(settings)
    except GitGoodBenchError as error:
        return Finding("cache", False, str(error))
    entries = contents(cache)
    broken = [entry.name for entry in entries if entry.commits is None]
    detail = (
        f"{cache.path}: {many(len(entries), 'repository', 'repositories')}, {file_size(size_of(cache.path))}"
    )
    if broken:
        detail += f"; not whole, and made again when needed: {', '.join(broken)}"
    return Finding("cache", True, detail)
