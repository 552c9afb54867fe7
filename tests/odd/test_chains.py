"""Chains of odd commits, and rows that do not fit the repository."""

from __future__ import annotations

import pytest

from pytest_gitgoodbench.errors import InvalidSample
from tests.odd.chains import FOUR, ONE, THREE, TWO, Case, build, one_file, try_out
from tests.odd.conftest import why

CASES = {
    "empty commits": one_file(ONE, TWO, TWO, THREE, shown=["+2 two", "", "+5 three"]),
    "there and back": one_file(ONE, TWO, ONE, shown=["+2 two", "-2 two"]),
    "one commit": one_file(ONE, TWO, shown=["+2 two"]),
    "a file that comes with the chain": Case(
        [{"b": b"b\n"}, {"a": ONE, "b": b"b\n"}, {"a": TWO, "b": b"b\n"}], ["+1", "+2 two"]
    ),
    "all files come with the chain": Case([{}, {"a": ONE}, {"a": TWO}], ["+1", "+2 two"]),
    "renamed on the way, the new name in the row": Case(
        [{"old": ONE}, {"old": TWO}, {"new": TWO}, {"new": THREE}],
        ["+2 two", "rename from old", "+5 three"],
        "new",
    ),
    "renamed on the way, the old name in the row": Case(
        [{"old": ONE}, {"old": TWO}, {"new": TWO}, {"new": THREE}],
        ["+2 two", "rename to new", "+5 three"],
        "old",
    ),
    "renamed twice": Case(
        [{"a": ONE}, {"b": ONE}, {"c": TWO}, {"c": THREE}], ["rename to b", "rename to c", "+5 three"], "c"
    ),
    "swapped with another file": Case(
        [{"a": ONE, "b": b"b\n"}, {"a": b"b\n", "b": ONE}, {"a": TWO, "b": ONE}], ["+b", "+2 two"]
    ),
    "deleted in the end": Case(
        [{"a": ONE, "b": b"b\n"}, {"a": TWO, "b": b"b\n"}, {"b": b"b\n"}], ["+2 two", "deleted file"]
    ),
    "deleted on the way": Case([{"a": ONE}, {"a": TWO}, {}, {"a": THREE}], ["+2 two", "deleted", "+5 three"]),
    "everything deleted": Case([{"a": ONE, "b": b"b\n"}, {"a": TWO}, {}], ["+2 two", "deleted file"]),
    "a folder in the place of the file": Case(
        [{"a": ONE}, {"a": TWO}, {"a/b": TWO}], ["+2 two", "rename to a/b"]
    ),
    "the file in the place of a folder": Case([{"a/b": ONE}, {"a": ONE}, {"a": TWO}], ["a", "+2 two"]),
    "Latin-1 messages with their encoding": Case(
        [{"a": ONE}, {"a": TWO}, {"a": THREE}],
        ["+2 two", "+5 three"],
        messages=["Für alle\n".encode("latin-1"), "Und für mich\n".encode("latin-1")],
        encoding="ISO-8859-1",
    ),
    "messages that are no UTF-8": Case(
        [{"a": ONE}, {"a": TWO}, {"a": THREE}], ["+2 two", "+5 three"], messages=[b"F\xfcr\n", b"\xff\n"]
    ),
    "messages in an encoding that nobody knows": Case(
        [{"a": ONE}, {"a": TWO}, {"a": THREE}],
        ["+2 two", "+5 three"],
        messages=[b"One\n", b"Two\n"],
        encoding="x-martian",
    ),
    "no messages": Case([{"a": ONE}, {"a": TWO}, {"a": THREE}], ["+2 two", "+5 three"], messages=[b"", b""]),
    "messages that look like comments and diffs": Case(
        [{"a": ONE}, {"a": TWO}, {"a": THREE}],
        ["+2 two", "+5 three"],
        messages=[b"#1\n\n# all\n", b"diff --git a/a b/a\n\n---\n+++ b/a\n"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_chain(upstream, name):
    try_out(upstream, CASES[name])


def test_doing_nothing_in_a_rebase_is_a_tie(upstream):
    _, *chain = build(upstream, CASES["empty commits"])
    nothing = upstream.attempt(upstream.chain("a", len(chain), chain[-1], chain[0])["rebase"], "nop")
    assert nothing.outcome == "unsolved" and nothing.score == 0.5


def test_a_message_is_read_in_its_own_encoding(upstream):
    _, *chain = build(upstream, CASES["Latin-1 messages with their encoding"])
    oracle = upstream.attempt(upstream.chain("a", 2, chain[1], chain[0])["commit"], "oracle")
    assert oracle.log == ["Für alle\n", "Und für mich\n"]


def three(upstream):
    """A root commit, and a chain of three."""
    root = upstream.commit({"a": ONE})
    first = upstream.commit({"a": TWO}, root)
    second = upstream.commit({"a": THREE}, first)
    return root, first, second, upstream.commit({"a": FOUR}, second)


def test_the_ends_swapped(upstream):
    """As the released miner writes them: the same workspace comes of it."""
    root, oldest, _, newest = three(upstream)
    for ends in ((newest, oldest), (oldest, newest)):
        tasks = upstream.chain("a", 3, *ends)
        assert upstream.prepare(tasks["rebase"]).repository.head == newest
        assert upstream.prepare(tasks["commit"]).repository.head == root
        oracle = upstream.attempt(tasks["commit"], "oracle", threshold=0.5)
        assert oracle.outcome == "solved" and oracle.metrics["commits"] == 3


def refused(upstream, *row):
    """In one line, the same for both scenarios."""
    said = []
    for task in upstream.chain(*row).values():
        with pytest.raises(InvalidSample) as caught:
            upstream.prepare(task)
        said.append(str(caught.value))
    assert said[0] == said[1] and "\n" not in said[0]
    assert said[0].startswith("acme_odd_file_commit_chain_0000: ")
    return said[0]


@pytest.mark.parametrize("length", [1, 2, 4, 5, 1000])
def test_a_length_that_does_not_fit(upstream, length):
    _, oldest, _, newest = three(upstream)
    wanted = f"{length} first parents from {newest[:12]} do not end at {oldest[:12]}"
    assert wanted in refused(upstream, "a", length, newest, oldest)


def test_a_chain_from_the_root(upstream):
    root, _, second, _ = three(upstream)
    assert "starts with a root commit" in refused(upstream, "a", 3, second, root)
    assert "starts with a root commit" in refused(upstream, "a", 1, root, root)


def test_a_merge_in_the_chain(upstream):
    root, oldest, second, _ = three(upstream)
    side = upstream.commit({"a": ONE, "b": b"b\n"}, root)
    merge = upstream.commit({"a": THREE, "b": b"b\n"}, second, side)
    newest = upstream.commit({"a": FOUR, "b": b"b\n"}, merge)
    for length, end in ((4, newest), (3, merge)):
        assert "one of the chain's commits is a merge" in refused(upstream, "a", length, end, oldest)
    # The second parent's side is no part of a chain.
    assert "first parents" in refused(upstream, "b", 3, newest, side)
    # To start after a merge is as good as anywhere.
    after = upstream.chain("a", 1, newest, newest)
    assert upstream.attempt(after["commit"], "oracle", threshold=0.5).outcome == "solved"
    assert upstream.prepare(after["rebase"]).repository.git("rev-list", "--count", "HEAD") == "6"


def test_ends_that_are_not_connected(upstream):
    _, oldest, _, newest = three(upstream)
    other = upstream.commit({"a": TWO}, upstream.commit({"a": b"another root\n"}))
    upstream.repository.git("update-ref", "refs/heads/other", other)
    assert "first parents" in refused(upstream, "a", 3, newest, other)
    assert "first parents" in refused(upstream, "a", 3, other, oldest)


@pytest.mark.parametrize("file", ["b", "A", "a/b", "*"])
def test_a_file_that_no_commit_of_the_chain_changes(upstream, file):
    _, oldest, _, newest = three(upstream)
    assert f"none of the chain's commits changes {file}" in refused(upstream, file, 3, newest, oldest)


def test_nothing_but_empty_commits(upstream):
    _, *chain = build(upstream, one_file(ONE, ONE, ONE, shown=[]))
    assert "none of the chain's commits changes a" in refused(upstream, "a", 2, chain[-1], chain[0])


def grow(upstream, count, tip):
    """Commits on top of one another, by one process; returns their names, oldest first."""
    stream = []
    for number in range(count):
        stream.append("commit refs/heads/long\ncommitter M <m@example.invalid> 1700000000 +0000\n")
        stream.append(f"data <<E\nStep {number}\nE\n")
        stream.append(f"from {tip}\n" if number == 0 and tip else "")
        stream.append(f"M 644 inline a\ndata <<E\n{number}\nE\n\n")
    upstream.repository.git("fast-import", "--quiet", "--force", input="".join(stream).encode())
    return upstream.repository.git("rev-list", "--reverse", f"--max-count={count}", "refs/heads/long").split()


def test_a_very_long_chain(upstream):
    chain = grow(upstream, 200, upstream.commit({"a": b"start\n"}))
    for scenario, task in upstream.chain("a", 200, chain[-1], chain[0]).items():
        prepared = upstream.prepare(task)
        prepared.tools({"rebase": "show_commits", "commit": "list_hunks"}[scenario])
        oracle = upstream.conclude(prepared, "oracle", threshold=0.5)
        assert oracle.outcome == "solved", why(oracle)
        assert oracle.metrics["commits"] == len(oracle.histories["original"]) == 200
        assert [commit["message"] for commit in oracle.histories["original"]][::199] == [
            "Step 0\n",
            "Step 199\n",
        ]
    assert (
        upstream.attempt(upstream.chain("a", 200, chain[-1], chain[0])["commit"], "nop").outcome == "unsolved"
    )


def test_a_very_long_history(upstream):
    """The agent has all that came before, and nothing of what comes after."""
    commits = grow(upstream, 2000, None)
    oldest, newest = commits[-13], commits[-11]
    for scenario, task in upstream.chain("a", 3, newest, oldest).items():
        prepared = upstream.prepare(task)
        seen = prepared.repository.git("rev-list", "--all", "--count")
        assert seen == {"rebase": "1990", "commit": "1987"}[scenario]
        assert upstream.conclude(prepared, "oracle", threshold=0.5).outcome == "solved"
    assert upstream.attempt(task, "nop").outcome == "unsolved"
