"""The rubric: symmetric for any text, and right about what everybody agrees on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_gitgoodbench.judging.base import Question
from pytest_gitgoodbench.judging.rubric import TIE_BAND, WEIGHTS, Rubric, assess_history
from pytest_gitgoodbench.scenarios.base import Commit, History
from tests.support.histories import GOOD, NOISE, PARSER, REPORT, STORE, diff, history

MIRRORED = {"HISTORY-1": "HISTORY-2", "HISTORY-2": "HISTORY-1", "TIE": "TIE"}

# Any text at all, and text that looks like what is judged.
ANY_TEXT = st.text(st.characters(exclude_categories=())) | st.sampled_from(
    ["", "\x00", "\udc80", "wip", "Add the parser\n\nIt was missing.", PARSER, STORE, PARSER + REPORT]
)
DIFF_LIKE = st.lists(
    st.sampled_from(["diff --git a/x b/x", "@@ -1 +1 @@", "@@ -1,9 +1,9 @@ f", "+a", "-a", " a", "", "\\ No"])
    | ANY_TEXT
).map("\n".join)
HISTORIES = st.lists(st.builds(Commit, ANY_TEXT, ANY_TEXT | DIFF_LIKE, st.just("t")), max_size=6).map(tuple)


def preferred(first: History, second: History, scenario: str = "rebase") -> str:
    return Rubric()(Question(first, second, "python", scenario)).preferred


@given(HISTORIES, HISTORIES, st.sampled_from(["rebase", "commit"]))
def test_swapping_the_histories_swaps_the_answer(first, second, scenario):
    assert preferred(first, second, scenario) == MIRRORED[preferred(second, first, scenario)]


@given(HISTORIES)
def test_a_history_is_as_good_as_itself(one):
    assert preferred(one, one) == "TIE"


@given(HISTORIES, st.sampled_from(["rebase", "commit"]))
def test_every_criterion_is_a_share(one, scenario):
    assessment = assess_history(one, scenario)
    assert set(assessment.criteria) == set(WEIGHTS)
    assert all(0 <= value <= 1 for value in assessment.criteria.values())


def test_weights_are_shares_of_one():
    assert sum(WEIGHTS.values()) == pytest.approx(1)


@pytest.mark.parametrize("huge", ["x" * 10_000_000, "\n" * 10**7, "\x00" * 10**7, "@@ -1 +1 @@\n" * 30_000])
def test_huge_text_is_judged(huge):
    one = (Commit(huge, huge, "t"),)
    assert preferred(GOOD, one) == "HISTORY-1"


def test_messages_that_say_something_win():
    assert preferred(GOOD, NOISE) == "HISTORY-1"


def test_repeated_messages_lose():
    again = history(*((GOOD[0].message, commit.diff) for commit in GOOD))
    assert preferred(again, GOOD) == "HISTORY-2"


def test_one_giant_commit_loses_against_three_good_ones():
    large = [
        diff(f"{name}.py", *(f"    {name}_value_{n} = {n}" for n in range(150)))
        for name in ("parser", "store", "report")
    ]
    apart = history(*((commit.message, change) for commit, change in zip(GOOD, large, strict=True)))
    together = history(("Parse dates, save orders, sum up the report's prices\n", "".join(large)))
    assert preferred(apart, together) == "HISTORY-1"


def test_crumbs_lose_against_whole_commits():
    lines = [f"    def parse_{n}(self): return self.date_{n}" for n in range(24)]
    whole = history(
        ("Parse the parts of a date\n", diff("parser.py", *lines[:12])),
        ("Parse the other parts of a date\n", diff("parser.py", *lines[12:])),
    )
    crumbs = history(
        *((f"Parse part {n} of a date\n", diff("parser.py", line)) for n, line in enumerate(lines))
    )
    assert preferred(crumbs, whole) == "HISTORY-2"


def test_mixed_commits_lose_against_focused_ones():
    def half(change: str, number: int) -> str:
        lines = change.split("\n")
        return "\n".join([*lines[:3], "@@ -10,0 +10,4 @@", *lines[4 + 4 * number : 8 + 4 * number], ""])

    focused = history((GOOD[0].message, PARSER), (GOOD[1].message, STORE), (GOOD[2].message, REPORT))
    mixed = history(
        (GOOD[0].message, half(PARSER, 0) + half(STORE, 0)),
        (GOOD[1].message, half(STORE, 1) + half(REPORT, 0)),
        (GOOD[2].message, half(REPORT, 1) + half(PARSER, 1)),
    )
    assert assess_history(focused).criteria["cohesion"] > assess_history(mixed).criteria["cohesion"]
    assert preferred(focused, mixed) == "HISTORY-1"


def test_an_empty_commit_loses_in_a_rebase_and_changes_other_files_in_a_commit_scenario():
    extra = (*GOOD, Commit("Describe how dates are parsed\n", "", "t"))
    assert preferred(GOOD, extra) == "HISTORY-1"
    assert preferred(GOOD, extra, "commit") == "TIE"


def test_taking_back_what_an_earlier_commit_added_counts_against_a_history():
    wrong = [f"def parse_day_{n}(text): return wrong({n})" for n in range(20)]
    right = [line.replace("wrong", "right") for line in wrong]
    patched = history(
        ("Parse the days of a date\n", diff("parser.py", *wrong)),
        ("Correct how the days of a date are parsed\n", diff("parser.py", *right, removed=tuple(wrong))),
    )
    clean = history(
        ("Parse the days of a date\n", diff("parser.py", *right[:10])),
        ("Parse the remaining days of a date\n", diff("parser.py", *right[10:])),
    )
    assert assess_history(patched).criteria["rework"] < assess_history(clean).criteria["rework"] == 1
    assert preferred(clean, patched) == "HISTORY-1"


def test_small_differences_are_a_tie():
    dotted = history((GOOD[0].message.strip() + ".\n", PARSER), *((c.message, c.diff) for c in GOOD[1:]))
    scores = assess_history(GOOD).score, assess_history(dotted).score
    assert 0 < scores[0] - scores[1] <= TIE_BAND
    assert preferred(GOOD, dotted) == "TIE"


def test_no_commits_lose():
    assert preferred((), GOOD) == "HISTORY-2"


def test_the_reason_says_what_is_better_and_why():
    reason = Rubric()(Question(NOISE, GOOD, "python", "rebase")).reason
    assert reason.startswith("rubric: HISTORY-1 scores 0.")
    assert "messages" in reason
    assert "'wip' is marked as unfinished" in reason
    assert "duplicates 0.67 against 1.00, better in HISTORY-2 (HISTORY-1: 1 repeated messages)" in reason


def test_the_reason_cannot_steer_a_terminal():
    hostile = (Commit("\x1b]0;owned\x07 \u202e wip", PARSER, "t"),)
    reason = Rubric()(Question(hostile, GOOD, "python", "rebase")).reason
    assert "owned" in reason
    assert not {"\x1b", "\x07", "\u202e"} & set(reason)


def test_it_is_labelled_as_not_being_the_papers_judge():
    assert Rubric.name == "rubric"
    assert "not the paper's judge" in Rubric.description
