"""What is in the cache is listed, and taken out again without harm to the rest."""

from __future__ import annotations

import json
import os

import pytest

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.repos.cache import Cache
from pytest_gitgoodbench.repos.contents import clear, contents, prune, size_of
from pytest_gitgoodbench.settings import Settings


@pytest.fixture
def cache(tmp_path):
    """A cache of two repositories, the first of them old, and one that is half-written."""
    made = Cache(Settings(cache_dir=tmp_path / "cache"))
    for name, size in (("a+old", 1000), ("b+new", 2000), ("c+broken", 10)):
        store = made.path / "repos" / name / "store.git"
        store.mkdir(parents=True)
        (store / "HEAD").write_bytes(b"x" * size)
        if name != "c+broken":
            state = store.parent / "ready.json"
            state.write_text(json.dumps({"pins": ["1" * 40, "2" * 40], "files": {}}), "utf-8")
            if name == "a+old":
                os.utime(state, (1_000_000, 1_000_000))
    return made


def test_repositories_are_listed_with_size_and_whether_they_are_whole(cache):
    found = {entry.name: entry for entry in contents(cache)}
    assert list(found) == ["a/old", "b/new", "c/broken"]
    assert found["a/old"].commits == 2
    assert found["c/broken"].commits is None
    assert found["b/new"].size > 2000
    assert found["a/old"].fetched == 1_000_000


def test_names_ages_or_everything_are_taken_out(cache):
    assert [entry.name for entry in prune(cache, before=2_000_000)] == ["a/old"]
    assert [entry.name for entry in prune(cache, names=["B/New"])] == ["b/new"]
    assert [entry.name for entry in contents(cache)] == ["c/broken"]
    assert [entry.name for entry in prune(cache, everything=True)] == ["c/broken"]
    assert contents(cache) == []
    assert not any(path.is_dir() for path in (cache.path / "repos").iterdir())


def test_an_unknown_name_takes_nothing_out(cache):
    with pytest.raises(UserError, match="no repository x/y: see ggb cache list"):
        prune(cache, names=["a/old", "x/y"])
    assert len(contents(cache)) == 3


def test_folders_are_emptied_links_are_not_followed(cache, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_bytes(b"x" * 5000)
    (cache.templates / "t").mkdir()
    (cache.templates / "t" / "file").write_bytes(b"x" * 300)
    (cache.templates / "link").symlink_to(elsewhere)
    assert 300 <= clear(cache.templates) < 1000
    assert list(cache.templates.iterdir()) == []
    assert size_of(elsewhere) == 5000
    assert clear(tmp_path / "nowhere") == 0
