"""Comparing runs: paired by scenario, honest about chance, refused where there is nothing to compare."""

from __future__ import annotations

import pytest

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.runs.compare import comparison, contestants, pair, protocol_of
from pytest_gitgoodbench.runs.document import Heading, Items, Line, Table, as_markdown, as_text
from pytest_gitgoodbench.runs.report.blocks import as_page
from pytest_gitgoodbench.runs.stats import mcnemar
from tests.support.records import HOSTILE, a_run, many, record


def outcomes(letters, **fields):
    """A record a letter: s solved, u unsolved, e error."""
    names = {"s": "solved", "u": "unsolved", "e": "error", "-": "skipped"}
    return [record(sample=f"s{n}", outcome=names[letter], **fields) for n, letter in enumerate(letters)]


def test_scenarios_are_paired_where_both_runs_have_a_verdict():
    found = pair(outcomes("sssuuuse-"), outcomes("suusuuess"), "strict")
    assert found.pairs == 6
    assert found.first_wins == ("merge of s1", "merge of s2")
    assert found.second_wins == ("merge of s3",)
    assert (found.both, found.neither) == (1, 2)
    assert found.difference.value == pytest.approx(-1 / 6)
    assert found.p == mcnemar(2, 1)


def test_each_protocol_has_its_own_pairs():
    first = [record(outcome="unsolved", strict=False, paper=True)]
    second = [record(outcome="unsolved", strict=False, paper=False)]
    assert pair(first, second, "strict").first_wins == ()
    assert pair(first, second, "paper").first_wins == ("merge of owner_repo_merge_0001",)


def test_with_trials_the_one_that_solves_it_more_often_wins():
    first = [
        record(trial=n, outcome=outcome) for n, outcome in enumerate(["solved", "solved", "unsolved"], 1)
    ]
    second = [
        record(trial=n, outcome=outcome) for n, outcome in enumerate(["solved", "error", "unsolved"], 1)
    ]
    found = pair(first, second, "strict")
    assert (found.pairs, len(found.first_wins)) == (1, 1)
    assert found.difference.value == pytest.approx(1 / 2 - 2 / 3)


@pytest.fixture
def runs(tmp_path):
    """Two runs of the same 60 samples, the second one better."""
    return [
        a_run(tmp_path / "first", list(many(60, skill=0.2)), agent="weak").path,
        a_run(tmp_path / "second", list(many(60, skill=0.7)), agent="strong").path,
    ]


def told(paths, **options):
    found = contestants(paths)
    return comparison(found, protocol_of(found, options.pop("protocol", None), False), **options)


def test_the_whole_comparison_as_text(runs):
    text = as_text(told(runs, most=3))
    assert "A: weak" in text
    assert "B (strong) against A (weak)" in text
    assert "McNemar's exact test p < 0.001" in text
    assert "... and" in text
    rows = {
        line.split()[0]: line.split() for line in text.splitlines() if " of " not in line and line.strip()
    }
    assert {"merge", "rebase", "commit", "java", "kotlin", "python", "easy", "medium", "hard"} <= set(rows)
    scenario_pairs = sum(int(rows[name][1]) for name in ("merge", "rebase", "commit"))
    whole = next(line.split() for line in text.splitlines() if line.startswith("all "))
    assert int(whole[1]) == scenario_pairs
    assert "US$" in text


def test_markdown_and_html_hold_every_scenario(runs):
    blocks = told(runs)
    wins = next(block for block in blocks if isinstance(block, Items) and "B (strong) wins" in block.title)
    markdown, page = as_markdown(blocks), as_page("compared", blocks)
    for place in wins.items:
        assert place.replace("_", "\\_") in markdown
        assert place in page
    assert "<table" in page
    assert "| ---" in markdown
    assert "<script" not in page


def test_three_runs_are_each_compared_with_the_first(runs, tmp_path):
    third = a_run(tmp_path / "third", list(many(60, skill=0.4, seed=2)), agent="weak").path
    headings = [block.text for block in told([*runs, third]) if isinstance(block, Heading)]
    assert headings == [
        "Runs",
        "B (strong) against A (weak (first))",
        "C (weak (third)) against A (weak (first))",
    ]


def test_a_run_against_itself_differs_in_nothing(runs):
    text = as_text(told([runs[0], runs[0]]))
    assert "difference +0.0 points" in text
    assert "p = 1.000" in text
    assert "wins " not in text.split("against")[1].split("\n", 4)[-1].replace("A wins  B wins", "")


def test_one_run_is_not_enough(runs):
    with pytest.raises(UserError, match="at least two"):
        contestants(runs[:1])


def test_other_datasets_are_refused_unless_forced(runs, tmp_path):
    other = a_run(tmp_path / "other", list(many(60)), dataset="lite").path
    found = contestants([runs[0], other])
    with pytest.raises(UserError, match=r"different datasets \(demo, lite\): --force"):
        protocol_of(found, None, False)
    assert protocol_of(found, None, True) == "strict"
    assert any(
        "not the same dataset" in block.text
        for block in comparison(found, "strict")
        if isinstance(block, Line)
    )


def test_other_protocols_are_refused_unless_one_is_chosen(runs, tmp_path):
    other = a_run(tmp_path / "other", list(many(60)), protocol="paper").path
    found = contestants([runs[0], other])
    with pytest.raises(UserError, match=r"different protocols \(strict, paper\): choose one with --protocol"):
        protocol_of(found, None, False)
    assert protocol_of(found, "paper", False) == "paper"


def test_runs_with_nothing_in_common_are_refused(runs, tmp_path):
    other = a_run(tmp_path / "other", [record(sample="elsewhere")]).path
    for force in (False, True):
        with pytest.raises(UserError, match="no scenario with a verdict in common"):
            protocol_of(contestants([runs[0], other]), None, force)


BLOCKS = [
    Heading(HOSTILE),
    Line(f"a_b*c {HOSTILE}"),
    Table(("x", "y"), [("a|b", HOSTILE)]),
    Items("t", [HOSTILE]),
]


def test_documents_show_hostile_text_and_do_nothing():
    for made in (as_text(BLOCKS), as_markdown(BLOCKS), as_page("t", BLOCKS)):
        assert not any(character in made for character in "\x00\x1b\x07\u202e")
    assert "<script" not in as_markdown(BLOCKS).replace("\\<script", "")
    assert "<script" not in as_page("t", BLOCKS)
    assert "a\\_b\\*c" in as_markdown(BLOCKS)
    assert "a\\|b" in as_markdown(BLOCKS)
