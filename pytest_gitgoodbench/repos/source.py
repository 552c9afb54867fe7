"""Where an upstream repository comes from, and getting commits from there by hash in one request."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection
from pathlib import Path

from pytest_gitgoodbench.errors import GitError, RepositoryUnavailable
from pytest_gitgoodbench.git import Git
from pytest_gitgoodbench.settings import Settings

# What a server says about a hash that it does not have or does not hand out.
_REFUSED = re.compile(
    r"(?:not our ref|unadvertised object|couldn't find remote ref|no such ref:?)\s+([0-9a-f]{40,64})"
)
_PASSING = re.compile(
    r"(?i)timed out|timeout|too slow|reset by peer|connection refused|early EOF|unexpected disconnect|hung up"
    r"|HTTP 5\d\d|error: 5\d\d|HTTP 429|error: 429|temporary failure|RPC failed|transfer closed"
)
_TRIES = 3
_PAUSE = 2.0
# A URL may carry a token; a reason is shown, and stays in the cache and in records.
_CREDENTIALS = re.compile(r"(?<=://)[^/\s@']+@")
# Causes that git does not tell by its last words.
_SHALLOW = "shallow roots are not allowed"
_PARTIAL = "promisor remote"
_NOT_WRITTEN = re.compile(r"No space left on device|Disk quota exceeded|File too large|Read-only file system")


def local_source(root: Path, name: str) -> Path | None:
    """The clone or bare repository of `owner/repo` under a folder, in any case, with or without `.git`.

    Args:
        root: `--ggb-repo-root`.
    """
    owner, _, repo = name.lower().partition("/")
    for owner_folder in _entries(root, {owner}):
        for found in _entries(owner_folder, {repo, f"{repo}.git"}):
            if (found / "HEAD").exists() or (found / ".git").exists():
                return found.resolve()
    return None


def _entries(folder: Path, names: set[str]) -> list[Path]:
    try:
        return sorted(Path(entry) for entry in os.scandir(folder) if entry.name.lower() in names)
    except OSError:
        return []


def locate(settings: Settings, name: str) -> str:
    """The URL or path to fetch a repository from.

    Raises:
        RepositoryUnavailable: there is no clone under `--ggb-repo-root` and the network is off limits.
    """
    if settings.repo_root is not None:
        found = local_source(settings.repo_root, name)
        if found is not None:
            return str(found)
    if settings.offline:
        raise RepositoryUnavailable(
            f"{name}: not (completely) in the cache, and --ggb-offline allows no network: "
            "run `ggb fetch` with the same selection first"
        )
    return settings.repo_url.replace("{name}", name)


def fetch(git: Git, url: str, name: str, commits: Collection[str]) -> dict[str, str]:
    """Fetch commits by hash, with their history, into `refs/ggb/HASH`: one request for all of them.

    A server refuses a whole request for one hash it does not have. That hash is then left out and
    the rest is asked for again.

    Returns:
        The commits that cannot be had, each with the reason.

    Raises:
        RepositoryUnavailable: none can be had: no such repository, no network, no permission.
    """
    wanted = sorted(set(commits))
    refused: dict[str, str] = {}
    place = _CREDENTIALS.sub("", url)
    if url.startswith("http://"):
        # Plain HTTP is off by default; whoever writes it into --ggb-repo-url asks for it.
        git = git.with_config({"protocol.http.allow": "always"})
    failures = 0
    while wanted:
        refspecs = "".join(f"+{commit}:refs/ggb/{commit}\n" for commit in wanted)
        try:
            done = git.run(
                "fetch",
                "--quiet",
                # What the server tells of its progress, for nobody to see, keeps a connection over which nothing
                # else comes while it counts objects from being too slow.
                "--progress",
                "--no-tags",
                "--no-write-fetch-head",
                "--no-recurse-submodules",
                "--stdin",
                "--",
                url,
                input=refspecs.encode(),
                timeout=3600,
            )
        except GitError as error:
            raise RepositoryUnavailable(f"{name}: fetching from {place} did not end in an hour") from error
        said = done.stderr.decode("utf-8", "replace").strip()
        if done.returncode == 0:
            # git only warns of a commit whose history is not all there.
            there = git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/ggb/").decode().split()
            for commit in set(wanted) - set(there):
                refused[commit] = f"{name}: cannot fetch commit {commit} from {place}: {_reason(said)}"
            break
        gone = set(_REFUSED.findall(said)) & set(wanted)
        if gone:
            refused.update({commit: f"{name} has no commit {commit} any more at {place}" for commit in gone})
            wanted = [commit for commit in wanted if commit not in gone]
            continue
        failures += 1
        if failures < _TRIES and _PASSING.search(said):
            time.sleep(_PAUSE * failures)
            continue
        unwritten = _NOT_WRITTEN.search(said)
        if unwritten:
            raise RepositoryUnavailable(f"{name}: the cache cannot be written: {unwritten[0]}")
        raise RepositoryUnavailable(f"{name}: cannot be fetched from {place}: {_reason(said)}")
    return refused


def _reason(said: str) -> str:
    if _SHALLOW in said:
        return "it is a shallow clone; run `git fetch --unshallow` in it"
    if _PARTIAL in said:
        return "it is a partial clone, which lacks objects; a complete one is needed"
    if "could not read Username" in said or "Authentication failed" in said or "terminal prompts" in said:
        return "it does not exist or asks for a password"
    # The first line is the cause ("curl 28 Operation too slow"), the others are what follows from it.
    lines = [line for line in said.splitlines() if line.startswith(("fatal:", "error:"))]
    reason = (lines or said.splitlines() or ["git gave no reason"])[0]
    return _CREDENTIALS.sub("", reason)[:300]
