"""Odd chains rebased for real, by the tools and by plain git: the files stay what they are, byte by byte."""

from __future__ import annotations

import pytest

from tests.odd import test_chain_files, test_chains
from tests.odd.chains import FOUR, ONE, THREE, TWO, build
from tests.odd.conftest import why
from tests.odd.merges import text

CASES = test_chains.CASES | test_chain_files.CASES
# In these git calls files changed that it has just written itself, and refuses to go on.
REFUSED = {"CRLF against the attributes"}


def chain_of(upstream, name):
    """The chain's messages, and its workspace for a rebase."""
    case = CASES[name]
    _, *chain = build(upstream, case)
    return upstream.prepare(upstream.chain(case.file, len(chain), chain[-1], chain[0])["rebase"]), len(chain)


@pytest.mark.parametrize("name", sorted(CASES.keys() - REFUSED))
def test_by_the_tools(upstream, name):
    prepared, count = chain_of(upstream, name)
    call = prepared.tools
    call("set_todo", todo=[{"commit": 0, "command": "reword", "message": "New words"}, *picks(1, count)])
    assert "The files are exactly as they were at the start." in call("run_rebase")
    call("finish")
    record = upstream.conclude(prepared, "nop", judged=1.0)
    assert record.outcome == "solved", why(record)
    assert record.log[0] == "New words\n" and record.metrics["commits"] == count
    assert prepared.repository.git("status", "--porcelain") == ""


@pytest.mark.parametrize("name", sorted(CASES.keys() - REFUSED))
def test_by_plain_git(upstream, name):
    prepared, count = chain_of(upstream, name)
    assert prepared.repository.git("status", "--porcelain") == ""
    before = prepared.repository.head
    said = prepared.repository.said("rebase", "--force-rebase", "--empty=keep", "--exec", "true", "base")
    assert "warning" not in said
    assert prepared.repository.head != before
    record = upstream.conclude(prepared, "nop", judged=1.0)
    assert record.outcome == "solved", why(record)
    assert record.metrics["commits"] == count


def picks(start, end):
    return [{"commit": number, "command": "pick"} for number in range(start, end)]


def test_what_git_refuses_can_be_taken_back(upstream):
    """A chain that changes a file which was committed with other line ends than its attributes ask for."""
    prepared, count = chain_of(upstream, "CRLF against the attributes")
    start = prepared.repository.head
    assert prepared.repository.git("status", "--porcelain") == ""
    call = prepared.tools
    call("set_todo", todo=[{"commit": 0, "command": "reword", "message": "New words"}, *picks(1, count)])
    if "stopped" in call("run_rebase"):
        assert "start" in call("abort_rebase")
        assert prepared.repository.head == start
    record = upstream.conclude(prepared, "nop")
    assert record.outcome == "unsolved" and not any("final-tree" in reason for reason in record.reasons)


@pytest.mark.parametrize("scenario", ["rebase", "commit"])
def test_a_file_with_unusual_line_ends_beside_the_chain(upstream, scenario):
    """It looks unchanged from the start, so that nothing of it is committed and a rebase is not refused."""
    others = {".gitattributes": b"* text\n", "other.txt": text(end="\r\n")}
    _, oldest, _, newest = line(upstream, [{**others, "a": content} for content in (ONE, TWO, THREE, FOUR)])
    prepared = upstream.prepare(upstream.chain("a", 3, newest, oldest)[scenario])
    repository = prepared.repository
    assert repository.git("diff", "--name-only") == ""
    if scenario == "rebase":
        repository.git("rebase", "--force-rebase", "base")
    else:
        repository.git("commit", "-q", "-a", "-m", "Everything")
    record = upstream.conclude(prepared, "nop", judged=1.0)
    assert record.outcome == "solved", why(record)


def line(upstream, versions):
    """Commits on top of one another."""
    commits = [upstream.commit(versions[0])]
    for files in versions[1:]:
        commits.append(upstream.commit(files, commits[-1]))
    return commits
