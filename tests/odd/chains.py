"""Cases of chains, and what every one of them has to go through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.odd.conftest import Entry, Files, Upstream, why
from tests.odd.merges import text

ONE, TWO, THREE, FOUR = text(), text("2 two"), text("2 two", "5 three"), text("2 two", "5 three", "8 four")


@dataclass(frozen=True)
class Case:
    """Files before the chain and after each of its commits.

    Attributes:
        shown: what the judge must see of the original history in the scenario `commit`, commit by commit.
        messages, encoding: of the chain's commits, as bytes.
        told: how the agent is told the file's name.
    """

    files: Sequence[Files]
    shown: Sequence[str]
    file: str = "a"
    messages: Sequence[bytes] = ()
    encoding: str = ""
    told: str = ""


def one_file(
    *versions: Entry,
    shown: Sequence[str],
    name: str = "a",
    told: str = "",
    **others: bytes,
) -> Case:
    given: Files = {name.replace("_", "."): content for name, content in others.items()}
    return Case([{**given, name: version} for version in versions], shown, name, told=told)


def build(upstream: Upstream, case: Case) -> list[str]:
    """The commits: one before the chain (and one before that), then the chain's."""
    commits = [upstream.commit(case.files[0], upstream.commit({"first": b"commit\n"}))]
    for number, files in enumerate(case.files[1:]):
        message = case.messages[number] if case.messages else b"Change %d\n" % number
        commits.append(upstream.commit(files, commits[-1], message=message, encoding=case.encoding))
    return commits


def try_out(upstream: Upstream, case: Case) -> None:
    """Told, without a leak, lost by doing nothing, a tie with itself, and complete piece by piece."""
    _, *chain = build(upstream, case)
    tasks = upstream.chain(case.file, len(chain), chain[-1], chain[0])
    for scenario, task in tasks.items():
        prepared = upstream.prepare(task)
        assert (case.told or case.file) in prepared.of.brief
        prepared.tools({"rebase": "show_commits", "commit": "list_hunks"}[scenario])
        # A history equal to the original is a tie: solved for whoever asks for no more.
        oracle = upstream.conclude(prepared, "oracle", threshold=0.5)
        assert oracle.outcome == "solved" and oracle.score == 0.5, why(oracle)
        assert oracle.metrics["original_commits"] == len(chain)
        assert oracle.histories["agent"] == oracle.histories["original"]
    nothing = upstream.attempt(tasks["commit"], "nop")
    assert nothing.outcome == "unsolved" and nothing.score == 0.0
    for shown, commit in zip(case.shown, oracle.histories["original"], strict=True):
        assert shown in commit["diff"] if shown else not commit["diff"]
    # Piece by piece it comes to the same files; whether that is better only a judge could say.
    if any(files != case.files[0] for files in case.files[-1:]):
        hunks = upstream.attempt(tasks["commit"], "per-hunk", judged=1.0)
        assert hunks.outcome == "solved", why(hunks)
