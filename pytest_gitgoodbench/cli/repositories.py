"""The commands about this machine: fetch, cache, doctor."""

from __future__ import annotations

import argparse
import sys
import time

from pytest_gitgoodbench.cli.options import settings_of
from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.judging.visible import visible
from pytest_gitgoodbench.repos.cache import Cache
from pytest_gitgoodbench.repos.contents import clear, contents, size_of
from pytest_gitgoodbench.repos.contents import prune as take_out
from pytest_gitgoodbench.runs.doctor import examine
from pytest_gitgoodbench.runs.wording import file_size, many, text_table

MADE_AGAIN = ("templates", "judge")
"""Folders of the cache whose content is made again when it is needed."""


def fetch(arguments: argparse.Namespace) -> int:
    """`ggb fetch`: 1 when a repository cannot be had."""
    settings = settings_of(arguments)
    from pytest_gitgoodbench.dataset import demo
    from pytest_gitgoodbench.dataset.load import load
    from pytest_gitgoodbench.dataset.tasks import select
    from pytest_gitgoodbench.git.version import required_version
    from pytest_gitgoodbench.runs.attempts import repository_needs
    from pytest_gitgoodbench.runs.fetching import Fetching
    from pytest_gitgoodbench.scenarios import by_sample_type

    required_version()
    cache = Cache(settings, demo.builders())
    dataset = load(settings)
    needs = repository_needs(select(dataset.samples, by_sample_type(), settings))
    print(f"dataset {dataset.describe()}: {many(len(needs), 'repository', 'repositories')} into {cache.path}")
    with Fetching(len(needs), sys.stderr.isatty(), _write) as progress:
        failures = cache.make_ready(needs, progress)
    return 1 if failures else 0


def doctor(arguments: argparse.Namespace) -> int:
    """`ggb doctor`: 1 when something does not work that runs need."""
    healthy = True
    for finding in examine(settings_of(arguments)):
        healthy = healthy and finding.works is not False
        mark = {True: "ok", False: "FAILS", None: "-"}[finding.works]
        print(f"{finding.what:<22}{mark:<7}{visible(finding.detail)}")
    return 0 if healthy else 1


def cache(arguments: argparse.Namespace) -> int:
    """`ggb cache list`"""
    cache = Cache(settings_of(arguments))
    rows = [
        (
            entry.name,
            "not whole" if entry.commits is None else str(entry.commits),
            file_size(entry.size),
            time.strftime("%Y-%m-%d", time.localtime(entry.fetched)),
        )
        for entry in contents(cache)
    ]
    print(cache.path, end="\n\n")
    print(
        "\n".join(text_table(("repository", "commits", "size", "fetched"), rows))
        if rows
        else "no repositories"
    )
    for name in MADE_AGAIN:
        print(f"{name}: {file_size(size_of(cache.path / name))}")
    return 0


def prune(arguments: argparse.Namespace) -> int:
    """`ggb cache prune`"""
    chosen = (arguments.repo, arguments.templates, arguments.judge, arguments.all)
    if not any(chosen) and arguments.older_than is None:
        raise UserError("ggb cache prune: say what: --repo, --older-than, --templates, --judge or --all")
    cache = Cache(settings_of(arguments))
    before = None if arguments.older_than is None else time.time() - arguments.older_than * 86_400
    removed = take_out(cache, names=arguments.repo, before=before, everything=arguments.all)
    freed = sum(entry.size for entry in removed)
    for name in MADE_AGAIN:
        if arguments.all or getattr(arguments, name):
            freed += clear(cache.path / name)
    print(f"{many(len(removed), 'repository', 'repositories')} removed, {file_size(freed)} freed")
    return 0


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
