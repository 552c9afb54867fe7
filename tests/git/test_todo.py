"""Todo lists: only such as keep every commit in its place, and messages never in the file."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_gitgoodbench.git import todo
from pytest_gitgoodbench.git.todo import COMMANDS, TodoError, plan

NAMES = [letter * 40 for letter in "abcdef"]
MESSAGES = [f"Subject {n}\n\nBody {n}\n".encode() for n in range(6)]


def entry(commit, command="pick", message=None):
    return {"commit": commit, "command": command} | ({} if message is None else {"message": message})


def made_messages(*entries):
    return [todo.message(group, MESSAGES) for group in todo.groups(plan(entries, len(entries)))]


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ([entry(0), entry(0), entry(2)], "missing: 1; more than once: 0"),
        ([entry(0), entry(2)], "missing: 1"),
        ([], "missing: 0, 1, 2"),
        ([entry(0), entry(1), entry(3)], "from 0 to 2, not 3"),
        ([entry(0), entry(1), entry(-1)], "from 0 to 2, not -1"),
        ([entry(0), entry(1), entry("2")], "not '2'"),
        ([entry(0), entry(1), entry(True)], "not True"),
        ([entry(0), entry(1), entry(None)], "not None"),
        ([entry(0), entry(1), {"commit": 2}], "one of pick"),
        ([entry(0), entry(1), entry(2, "fixup -c")], "fixup -C, drop, not 'fixup -c'"),
        ([entry(0), entry(1), entry(2, "exec touch x")], "not 'exec"),
        ([entry(0), entry(1), entry(2, ["pick"])], "one of pick"),
        ([entry(0), entry(1), "pick 2"], "entry 2 is not an object"),
        ([entry(0), entry(1), entry(2, "reword")], "entry 2: reword needs a message"),
        ([entry(0), entry(1), entry(2, "reword", "  \n")], "reword needs a message"),
        ([entry(0), entry(1), entry(2, "pick", "New")], "pick takes no message"),
        ([entry(0), entry(1), entry(2, "squash", 5)], "message must be text"),
        ([entry(0), entry(1), entry(2, "squash", "a\0b")], "NUL"),
        ([entry(0, "fixup"), entry(1), entry(2)], "commit 0 is the first that is kept"),
        ([entry(2, "squash"), entry(1), entry(0)], "commit 2 is the first that is kept"),
        ([entry(0, "drop"), entry(1, "fixup -C"), entry(2)], "commit 1 is the first that is kept"),
        ([entry(n, "drop") for n in range(3)], "all commits are dropped"),
        ("pick", "not a list"),
        (None, "not a list"),
    ],
)
def test_lists_that_are_refused(entries, problem):
    with pytest.raises(TodoError, match=re.escape(problem)):
        plan(entries, 3)


def test_messages_of_melded_commits():
    assert made_messages(entry(0), entry(1, "squash")) == [MESSAGES[0] + b"\n" + MESSAGES[1]]
    assert made_messages(entry(0), entry(1, "fixup")) == [MESSAGES[0]]
    assert made_messages(entry(0), entry(1, "fixup -C"), entry(2)) == [MESSAGES[1], MESSAGES[2]]
    assert made_messages(entry(0, "reword", "New"), entry(1, "fixup")) == [b"New\n"]
    assert made_messages(entry(0), entry(1, "squash", "Both"), entry(2, "squash")) == [
        b"Both\n\n" + MESSAGES[2]
    ]
    assert made_messages(entry(0), entry(1, "squash"), entry(2, "squash", "All")) == [b"All\n"]
    assert made_messages(entry(0), entry(1, "squash"), entry(2, "fixup -C")) == [MESSAGES[2]]


def test_what_a_wrong_list_names_stays_short():
    with pytest.raises(TodoError) as caught:
        plan([entry(0, "x" * 10_000)], 1)
    assert len(str(caught.value)) < 300


def test_commits_before_the_first_change_are_left_alone():
    steps = plan([entry(0), entry(1), entry(2, "reword", "New"), entry(3)], 4)
    file, messages = todo.render(steps, NAMES, MESSAGES)
    assert file.splitlines()[:2] == [b"pick " + NAMES[0].encode(), b"pick " + NAMES[1].encode()]
    assert messages == [b"New\n", MESSAGES[3]]


def test_commits_after_a_change_get_their_own_messages_again():
    _, messages = todo.render(plan([entry(0, "reword", "New"), entry(2), entry(1)], 3), NAMES, MESSAGES)
    assert messages == [b"New\n", MESSAGES[2], MESSAGES[1]]


def test_the_first_commit_of_the_chain_melded_with_the_second():
    file, messages = todo.render(plan([entry(0), entry(1, "fixup")], 2), NAMES, MESSAGES)
    assert [line.split()[0] for line in file.splitlines()] == [b"pick", b"fixup", b"exec"]
    assert messages == [MESSAGES[0]]


COMMAND = st.sampled_from(COMMANDS)
MESSAGE = st.text() | st.sampled_from(["it's", "'; touch x; '", "a\nexec touch x", "\\n\\c", "#1", "$(x)"])


@st.composite
def lists(draw):
    order = draw(st.permutations(range(draw(st.integers(1, 6)))))
    return [entry(commit, draw(COMMAND), draw(MESSAGE | st.none())) for commit in order]


@given(lists())
def test_nothing_that_an_agent_wrote_is_in_the_file(entries):
    try:
        steps = plan(entries, len(entries))
    except TodoError:
        return
    assert sorted(step.commit for step in steps) == list(range(len(entries)))
    file, messages = todo.render(steps, NAMES, MESSAGES)
    amend = rb'exec git commit --amend [-a-z= ]+ --file="\$GGB_MESSAGES/\d+"'
    for line in file.splitlines():
        assert re.fullmatch(rb"(pick|fixup) ([a-f])\2{39}|" + amend, line)
    assert file.count(b"exec ") == len(messages)
    assert all(messages)


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["commit", "command", "message"]), inner),
))  # fmt: skip
def test_any_json_is_a_list_or_refused(value):
    try:
        plan(value, 2)
    except TodoError:
        return
