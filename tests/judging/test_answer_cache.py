"""The cache of answers: valid ones only, whole or not at all."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path

import pytest

from pytest_gitgoodbench.judging.base import Opinion
from pytest_gitgoodbench.judging.cache import AnswerCache, key_of

OPINION = Opinion(
    "HISTORY-1", "clearer \udc80 ü", {"prompt_tokens": 9, "completion_tokens": 2, "cost": 0.1, "sent": {}}
)
KEY = key_of({"a": 1})


@pytest.fixture
def cache(tmp_path) -> AnswerCache:
    return AnswerCache(tmp_path / "judge")


def entry(**fields: object) -> bytes:
    valid = {"version": 1, "key": KEY, "preferred": "TIE", "reason": "", "usage": None}
    return json.dumps({**valid, **fields}).encode()


def files(cache: AnswerCache) -> list[Path]:
    return [file for file in cache.folder.rglob("*") if file.is_file()]


def test_an_answer_is_found_again_and_costs_nothing(cache):
    assert cache.get(KEY) is None
    cache.put(KEY, OPINION)
    found = cache.get(KEY)
    assert (found.preferred, found.reason) == (OPINION.preferred, OPINION.reason)
    assert found.usage == {
        "prompt_tokens": 0,
        "completion_tokens": 0,
        "cost": 0.0,
        "cached": True,
        "sent": {},
    }
    assert len(files(cache)) == 1


def test_keys_do_not_depend_on_the_order_of_names():
    assert key_of({"a": 1, "b": [2]}) == key_of({"b": [2], "a": 1})
    assert len({key_of(value) for value in ({"a": 1}, {"a": "1"}, {"a": None}, {"b": 1}, {})}) == 5


def test_an_entry_without_usage_is_valid(cache):
    cache.put(KEY, OPINION)
    files(cache)[0].write_bytes(entry())
    assert cache.get(KEY).preferred == "TIE"


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"\xff\x00", b"[]", b"null", b"{}", b"[" * 100_000,
        entry(preferred="HISTORY-3"), entry(preferred=["TIE"]), entry(reason=None), entry(usage=3),
        entry(version=2), entry(key="other"),
    ],
)  # fmt: skip
def test_a_broken_entry_is_none_and_is_replaced(cache, content):
    cache.put(KEY, OPINION)
    (file,) = files(cache)
    file.write_bytes(content)
    assert cache.get(KEY) is None
    cache.put(KEY, OPINION)
    assert cache.get(KEY).preferred == "HISTORY-1"


@pytest.mark.parametrize(
    "make", [lambda path: path.write_text("a file"), lambda path: path.symlink_to("/dev/null")]
)
def test_a_cache_that_cannot_be_written_costs_no_answer(tmp_path, make):
    make(tmp_path / "judge")
    cache = AnswerCache(tmp_path / "judge")
    cache.put(KEY, OPINION)
    assert cache.get(KEY) is None


def hammer(folder: Path, number: int) -> int:
    cache = AnswerCache(folder)
    bad = 0
    for n in range(200):
        key = key_of({"n": n % 5})
        cache.put(key, Opinion("TIE", f"{number} " + "x" * 5000))
        found = cache.get(key)
        bad += found is None or len(found.reason) != 5002
    return bad


def test_many_processes_share_it(cache):
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        assert pool.starmap(hammer, [(cache.folder, number) for number in range(3)]) == [0, 0, 0]
    assert len(files(cache)) == 5
