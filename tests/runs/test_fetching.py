"""While repositories become ready, one sees how far they are, and keeps what went wrong."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from pytest_gitgoodbench.runs.fetching import Fetching


def test_plain_lines_tell_what_is_fetched_and_what_failed():
    written = []
    with Fetching(3, False, written.append) as tell:
        tell("a/ready", "ready")
        for name in ("b/new", "c/gone"):
            tell(name, "waiting")
        tell("b/new", "fetching")
        tell("b/new", "ready")
        tell("c/gone", "fetching")
        tell("c/gone", "failed: c/gone: not found: \x1b[31m404")
    assert written == [
        "gitgoodbench: fetching b/new (1 of 3 done)\n",
        "gitgoodbench: fetching c/gone (2 of 3 done)\n",
        "gitgoodbench: c/gone cannot be had: c/gone: not found: ␛[31m404\n",
        "gitgoodbench: 2 repositories ready, 1 unavailable\n",
    ]
    assert tell.failed == {"c/gone": "c/gone: not found: ␛[31m404".replace("␛", "\x1b")}


def test_nothing_is_said_where_nothing_had_to_be_fetched():
    written = []
    with Fetching(2, False, written.append) as tell:
        tell("a/a", "ready")
        tell("b/b", "ready")
    assert written == []


def test_many_threads_may_tell(capsys):
    names = [f"owner/repo{n}" for n in range(200)]
    for terminal in (False, True):
        written = []
        with Fetching(len(names), terminal, written.append) as tell, ThreadPoolExecutor(8) as pool:
            for name in names:
                tell(name, "waiting")

            def one(name, tell=tell):
                tell(name, "fetching")
                tell(name, "ready")

            list(pool.map(one, names))
        assert tell.ready == set(names)
        assert written[-1] == "gitgoodbench: 200 repositories ready\n"
        assert len(written) == (1 if terminal else 201)
    assert capsys.readouterr().out == ""
