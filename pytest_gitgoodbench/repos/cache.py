"""The cache of upstream repositories: fetched by commit hash, under a lock, published by rename."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from pytest_gitgoodbench.repos.store import Store
from pytest_gitgoodbench.settings import Settings

Builder = Callable[[Path], None]
"""Makes a bare repository at a path that does not exist yet (the demo's projects)."""

Progress = Callable[[str, str], None]
"""Told `(repository, state)`: state is `waiting`, `fetching`, `ready` or `failed: REASON`."""


class Cache:
    """Stores by upstream name. Safe to use from several processes at once."""

    def __init__(self, settings: Settings, builders: Mapping[str, Builder] | None = None) -> None:
        """Args:
        settings: `cache_dir`, `repo_root`, `repo_url` and `offline` are used.
        builders: repositories that are built here instead of fetched, by `owner/repo`.
        """
        raise NotImplementedError

    def make_ready(
        self, needs: Mapping[str, Collection[str]], progress: Progress | None = None
    ) -> dict[str, str]:
        """Make the stores of several repositories hold the commits that are needed.

        Repositories are made ready several at once, each with one request for all its commits.

        Args:
            needs: commits by `owner/repo`.

        Returns:
            For every repository that could not be made ready: a one-line reason.
        """
        raise NotImplementedError

    def store(self, name: str, commits: Collection[str]) -> Store:
        """The store of one repository, made ready if it is not.

        Raises:
            RepositoryUnavailable: the repository or one of the commits cannot be had.
        """
        raise NotImplementedError

    @property
    def templates(self) -> Path:
        """The folder for workspace templates (see `workspace`)."""
        raise NotImplementedError
