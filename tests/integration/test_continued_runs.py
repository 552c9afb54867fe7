"""Continuing real runs: verdicts are told again without the agent, what is missing is made, another run is refused."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

FEW = ("--ggb-agent=union", "--ggb-scenario=merge", "--ggb-limit=4")


@pytest.fixture
def first(ggb):
    run = ggb(*FEW)
    assert set(run.outcomes.values()) == {"passed", "failed"}, run.text
    return run


def resumed(ggb, first, *arguments):
    return ggb(*FEW, f"--ggb-resume={first.out}", *arguments, out=first.out)


def texts(run):
    """By test: what the JUnit XML says beside the outcome."""
    return {
        case.get("name"): [
            (child.tag, child.get("message"), child.text) for child in case if child.tag != "properties"
        ]
        + [(entry.get("name"), entry.get("value")) for entry in case.iter("property")]
        for case in ElementTree.parse(run.xml).iter("testcase")
    }


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one-process", "workers"])
def test_a_finished_run_is_told_again_as_it_was(ggb, first, workers):
    written = (first.out / "results.jsonl").read_bytes()
    transcripts = sorted(first.out.glob("transcripts/*"))
    again = resumed(ggb, first, *workers)
    assert again.result.ret == first.result.ret
    assert again.outcomes == first.outcomes
    assert texts(again) == texts(first)
    assert (first.out / "results.jsonl").read_bytes() == written
    assert sorted(first.out.glob("transcripts/*")) == transcripts


@pytest.mark.parametrize(
    "tear",
    [
        lambda lines: [*lines[:-1], lines[-1][:-1]],
        lambda lines: [*lines[:-1], lines[-1][:1000]],
        lambda lines: [*lines[:-1], b"\0" * 5000],
    ],
    ids=["without-its-end", "cut", "zeros"],
)
def test_a_torn_last_line_is_made_again_and_nothing_else(ggb, first, tear):
    file = first.out / "results.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(tear(lines)))
    again = resumed(ggb, first)
    assert again.outcomes == first.outcomes
    written = file.read_bytes().splitlines(keepends=True)
    assert written[:-1] == lines[:-1]
    assert written[-1] != lines[-1]
    assert [record["outcome"] for record in again.records] == [record["outcome"] for record in first.records]


def test_a_damaged_line_is_named_before_anything_is_run(ggb, first):
    file = first.out / "results.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([lines[0][:100] + b"\n", *lines[1:]]))
    damaged = file.read_bytes()
    again = resumed(ggb, first)
    assert again.result.ret == 4
    assert "results.jsonl, line 1, is damaged: remove the line to go on without it" in again.text
    assert "Traceback" not in again.text
    assert file.read_bytes() == damaged


def test_more_can_be_asked_of_a_run(ggb, first):
    again = resumed(ggb, first, "--ggb-limit=5")
    assert len(again.outcomes) == 5
    assert first.outcomes.items() <= again.outcomes.items()
    kept = {record["id"]: record for record in again.records}
    assert all(kept[record["id"]] == record for record in first.records)
    assert len(again.records) == 5


def test_other_settings_are_refused_in_a_line(ggb, first):
    again = resumed(ggb, first, "--ggb-agent=nop")
    assert again.result.ret == 4
    assert "was run with other settings: agent (there union, here nop)" in again.text
    assert again.records == first.records
