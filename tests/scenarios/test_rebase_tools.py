"""The rebase tools: a plan is checked whole, run without an editor or a shell, and can be taken back."""

from __future__ import annotations

import random

import pytest

from pytest_gitgoodbench.scenarios import rebase_tools
from tests.support.repository import Repository
from tests.support.tools import Toolkit, chain_sample

SUBJECTS = ["Add one", "Add two", "wip", "Fix two"]


def kit(repository: Repository, length: int = 4) -> Toolkit:
    return Toolkit(rebase_tools.tools(chain_sample(length), repository.workspace))


def steps(*entries: tuple) -> list[dict]:
    """A todo list; an entry is a command, the commit's index and maybe a message."""
    return [dict(zip(("command", "commit", "message"), entry, strict=False)) for entry in entries]


def picks(*order: int) -> list[dict]:
    return steps(*(("pick", commit) for commit in order))


@pytest.fixture
def chain(tmp_path):
    """Four commits to different files, so that they may be in any order; each says what it does."""
    made = Repository(tmp_path / "work")
    made.commit({"f": b"base\n"}, "Base")
    for number, subject in enumerate(SUBJECTS):
        made.commit({f"file {number}": b"%d\n" % number}, f"{subject}\n\nBody {number}.\n")
    return made


@pytest.fixture
def entangled(tmp_path):
    """Four commits that change the same line, so that no other order works without conflicts."""
    made = Repository(tmp_path / "work")
    made.commit({"f": b"0\n"}, "Base")
    for number, subject in enumerate(SUBJECTS, 1):
        made.commit({"f": b"%d\n" % number}, f"{subject}\n")
    return made


def base(repository: Repository, length: int = 4) -> str:
    return repository.git("rev-parse", ":/^Base")


def run(repository: Repository, *entries: tuple) -> list[str]:
    """Run a list that needs no help; return the messages."""
    call = kit(repository)
    tree = repository.tree()
    call("set_todo", todo=steps(*entries))
    answer = call("run_rebase")
    assert "The rebase is through" in answer
    if "drop" not in [entry[0] for entry in entries]:
        assert "exactly as they were" in answer
        assert repository.tree() == tree
    assert repository.git("status", "--porcelain=v2", "--branch").split("\n")[1] == "# branch.head main"
    assert repository.git("status", "--porcelain") == ""
    return repository.messages(base(repository))


FULL = [f"{subject}\n\nBody {number}." for number, subject in enumerate(SUBJECTS)]


# -- seeing ----------------------------------------------------------------------------------------------


def test_commits_are_shown_oldest_first_with_message_files_and_changes(chain):
    shown = kit(chain)("show_commits")
    assert [line for line in shown.split("\n") if line.startswith("==")] == [
        f"== Commit {number} ==" for number in range(4)
    ]
    for number, message in enumerate(FULL):
        assert message in shown and f"+{number}" in shown and f"file {number} | 1 +" in shown


def test_long_commits_are_cut_evenly_and_can_be_read_on(tmp_path):
    made = Repository(tmp_path / "w")
    made.commit({}, "Base")
    for number in range(4):
        made.commit(
            {f"f{number}": b"".join(b"%d-%d\n" % (number, n) for n in range(9_000))}, f"Commit {number}"
        )
    call = kit(made)
    shown = call("show_commits")
    assert len(shown) < 20_000
    assert all(f"left out; show_commit {number} has all ...]" in shown for number in range(4))
    shown = call("show_commit", commit=2, first_line=8_000)
    assert "+2-8500" in shown and len(shown) < 20_000
    assert "+3-0" in call("show_commit", commit=3)
    call.refused("show_commit", "of output", commit=3, first_line=1_000_000)
    assert call.rejects("show_commit", commit=4)
    assert call.rejects("show_commit", commit=-1)


def test_the_workspace_must_have_the_chain(chain):
    with pytest.raises(Exception, match="does not have 5 commits on top"):
        kit(chain, 5)


# -- lists -----------------------------------------------------------------------------------------------


def test_a_list_is_answered_with_what_it_makes(chain):
    call = kit(chain)
    assert call("show_todo") == "There is no todo list yet."
    answer = call("set_todo", todo=steps(("reword", 0, "First"), ("squash", 1), ("pick", 3), ("drop", 2)))
    assert "It makes 2 commits of 4" in answer
    assert "- First (from 0, 1)" in answer and "- Fix two (from 3)" in answer
    assert "Warning: what commits 2 changed will be lost" in answer
    assert call("show_todo") == answer


@pytest.mark.parametrize(
    ("todo", "problem"),
    [
        (picks(0, 1, 2, 2), "missing: 3; more than once: 2"),
        (steps(("fixup", 0), ("pick", 1), ("pick", 2), ("pick", 3)), "must be pick or reword"),
        (steps(("squash", 3), ("pick", 1), ("pick", 2), ("pick", 0)), "must be pick or reword"),
        (steps(("drop", 0), ("fixup", 1), ("pick", 2), ("pick", 3)), "must be pick or reword"),
        (steps(*(("drop", n) for n in range(4))), "keep at least one"),
        (steps(("reword", 0), ("pick", 1), ("pick", 2), ("pick", 3)), "reword needs a message"),
        (steps(("pick", 0, "new"), ("pick", 1), ("pick", 2), ("pick", 3)), "pick takes no message"),
    ],
)
def test_a_refused_list_leaves_the_one_before_in_force(chain, todo, problem):
    call = kit(chain)
    before = call("set_todo", todo=picks(3, 2, 1, 0))
    call.refused("set_todo", problem, todo=todo)
    assert call("show_todo") == before
    call("run_rebase")
    assert chain.messages(base(chain)) == FULL[::-1]


@pytest.mark.parametrize(
    "todo",
    [
        [],
        picks(0, 1, 2),
        picks(0, 1, 2, 3, 3),
        picks(0, 1, 2, 4),
        picks(0, 1, 2, -1),
        steps(("pick", "0"), ("pick", 1), ("pick", 2), ("pick", 3)),
        steps(("pick", 0), ("pick", 1), ("pick", 2), ("edit", 3)),
        steps(("pick", 0), ("pick", 1), ("pick", 2), ("fixup -c", 3)),
        steps(("pick", 0), ("pick", 1), ("pick", 2), ("exec touch x", 3)),
        ["pick 0", "pick 1", "pick 2", "pick 3"],
        [{"commit": 0}, *picks(1, 2, 3)],
        [{"commit": 0, "command": "pick", "extra": 1}, *picks(1, 2, 3)],
        None,
    ],
)
def test_lists_of_another_form_do_not_fit_the_schema(chain, todo):
    assert kit(chain).rejects("set_todo", todo=todo)


def test_indices_keep_their_meaning_after_a_run(chain):
    call = kit(chain)
    for order in ((3, 1, 2, 0), (1, 0, 3, 2)):
        call("set_todo", todo=picks(*order))
        call("run_rebase")
        assert chain.messages(base(chain)) == [FULL[number] for number in order]
    assert FULL[0] in call("show_commit", commit=0)


# -- running ---------------------------------------------------------------------------------------------


def test_picks_alone_change_nothing_at_all(chain):
    head = chain.head
    run(chain, *(("pick", n) for n in range(4)))
    assert chain.head == head


def test_reordered(chain):
    assert run(chain, ("pick", 2), ("pick", 0), ("pick", 3), ("pick", 1)) == [FULL[n] for n in (2, 0, 3, 1)]


def test_melded_in_every_way(chain):
    assert run(chain, ("pick", 0), ("squash", 1), ("fixup", 2), ("pick", 3)) == [
        f"{FULL[0]}\n\n{FULL[1]}",
        FULL[3],
    ]


def test_a_message_taken_from_the_melded_commit(chain):
    assert run(chain, ("pick", 2), ("fixup -C", 1), ("pick", 0), ("fixup", 3)) == [FULL[1], FULL[0]]


def test_squashes_with_messages(chain):
    assert run(chain, ("pick", 0), ("squash", 1, "Both"), ("squash", 2), ("squash", 3, "All\n\nof it")) == [
        "All\n\nof it"
    ]


def test_dropping_is_done_and_told(chain):
    call = kit(chain)
    assert "will be lost" in call("set_todo", todo=steps(("pick", 0), ("drop", 1), ("pick", 2), ("pick", 3)))
    answer = call("run_rebase")
    assert "Warning: the files differ from those at the start" in answer and "file 1" in answer
    assert chain.messages(base(chain)) == [FULL[0], FULL[2], FULL[3]]


MESSAGES = [
    'It\'s "done"',
    "'; touch canary; '",
    "$(touch canary) `touch canary`",
    "one\nexec touch canary\npick 0000",
    r"back\nslash \c %s",
    "# Heading\n\n#12 is fixed",
    "--amend",
    "Zeile é \U0001f600",
]


@pytest.mark.parametrize("message", MESSAGES)
def test_messages_arrive_as_they_were_given(chain, message):
    made = run(chain, ("reword", 0, message), ("squash", 1, message), ("pick", 2), ("reword", 3, message))
    assert made == [message, FULL[2], message]
    assert not list(chain.path.glob("canary"))


@pytest.mark.parametrize("message", ["a\0b", "\ud800"])
def test_messages_that_are_none(chain, message):
    kit(chain).refused(
        "set_todo", "entry 0", todo=steps(("reword", 0, message), ("pick", 1), ("pick", 2), ("pick", 3))
    )


def test_messages_of_the_chain_are_kept_to_the_byte(tmp_path):
    made = Repository(tmp_path / "w")
    made.commit({}, "Base")
    messages = [
        rb"C:\new \c",
        b"#1 fixed\n\n# comment?\n\n\n\ntwo empty lines  \n",
        b"\xff no utf-8\n",
        b"",
        "é\n".encode(),
    ]
    for number, message in enumerate(messages):
        made.commit({f"f{number}": b""}, message)
    latin = made.git(
        "-c",
        "i18n.commitEncoding=ISO-8859-1",
        "commit-tree",
        made.tree(),
        "-p",
        made.head,
        input=b"Gr\xfc\xdfe\n",
    )
    made.git("reset", "-q", "--hard", latin)
    call = kit(made, 6)
    call("set_todo", todo=picks(5, 4, 3, 2, 1, 0))
    call("run_rebase")
    found = [
        made.bytes("cat-file", "commit", name).partition(b"\n\n")[2]
        for name in made.git("rev-list", f"{base(made)}..HEAD").split()
    ]
    # git itself reads what is no UTF-8 as Latin-1 whenever it makes a commit (commit.c, verify_utf8).
    messages[2] = messages[2].decode("latin-1").encode()
    assert found == [*messages, "Grüße\n".encode()]


def test_authors_are_kept(chain):
    chain.git(
        "commit",
        "-q",
        "--amend",
        "--no-edit",
        "--author=A Person <a@b.invalid>",
        "--date=2001-02-03T04:05:06+0000",
    )
    run(chain, ("reword", 3, "First"), ("pick", 0), ("pick", 1), ("pick", 2))
    assert chain.git("log", "--format=%an %ad", "--date=short", "--grep=^First$") == "A Person 2001-02-03"


def test_empty_commits_stay(chain):
    chain.git("commit", "-q", "--allow-empty", "-m", "Empty")
    call = kit(chain)
    call("set_todo", todo=picks(3, 0, 1, 2))
    call("run_rebase")
    assert chain.messages(base(chain))[1:] == ["Empty", *FULL[1:]]


def test_a_commit_that_becomes_empty_stays(tmp_path):
    made = Repository(tmp_path / "w")
    made.commit({"f": b"0\n"}, "Base")
    for text, subject in ((b"1\n", "There"), (b"0\n", "and back"), (b"1\n", "again")):
        made.commit({"f": text}, subject)
    call = kit(made, 3)
    call("set_todo", todo=picks(0, 2, 1))
    call("run_rebase")
    assert made.messages(base(made))[:2] == ["There", "again"]


def test_history_is_told(chain):
    call = kit(chain)
    call("set_todo", todo=steps(("pick", 0), ("fixup", 1), ("pick", 2), ("pick", 3)))
    answer = call("run_rebase")
    assert "The history is now 3 commits" in answer
    assert "1. Add one 2 files changed, 2 insertions(+)" in answer
    assert call("finish") in answer
    assert call.tools["finish"].final


def test_a_run_needs_a_list(chain):
    kit(chain).refused("run_rebase", "no todo list yet")


def test_no_rebase_no_conflicts(chain):
    call = kit(chain)
    call.refused("continue_rebase", "no rebase of these tools is in progress")
    call.refused("list_conflicts", "no rebase has stopped with conflicts")
    call.refused("resolve_conflict", "no rebase has stopped with conflicts", conflict=0, text="x")


# -- conflicts -------------------------------------------------------------------------------------------


def resolve_all(call: Toolkit, answer: str, text: str) -> str:
    rounds = 0
    while "with conflicts" in answer:
        assert (rounds := rounds + 1) < 10
        call("resolve_conflict", conflict=0, text=text)
        answer = call("continue_rebase")
    return answer


def test_conflicts_are_told_and_resolved(entangled):
    call = kit(entangled)
    call("set_todo", todo=picks(1, 0, 2, 3))
    answer = call("run_rebase")
    assert "stopped at commit 1 (Add two) with conflicts: 0" in answer
    assert "<<<<<<< HEAD" in call("show_conflict", conflict=0)
    assert "-0\n+2" in call("show_sides", path="f")
    assert "-1\n+2" in call("show_sides", path="f", compare="base-theirs")
    call.refused("continue_rebase", "unresolved: 0")
    call.refused("run_rebase", "in progress already")
    call.refused("set_todo", "in progress", todo=picks(0, 1, 2, 3))
    call.refused("finish", "in progress")
    call("resolve_conflict", conflict=0, text="two")
    answer = call("continue_rebase")
    assert "stopped at commit 0 (Add one)" in answer
    answer = resolve_all(call, answer, "4")
    assert "4 commits" in answer and "exactly as they were" in answer
    assert entangled.messages(base(entangled)) == [SUBJECTS[n] for n in (1, 0, 2, 3)]
    assert entangled.git("rev-parse", "--abbrev-ref", "HEAD") == "main"


def test_a_commit_left_empty_by_its_resolution_keeps_its_message(entangled):
    call = kit(entangled)
    call("set_todo", todo=steps(("reword", 1, "Now first"), ("pick", 0), ("pick", 2), ("pick", 3)))
    answer = call("run_rebase")
    call("resolve_conflict", conflict=0, text="0")  # nothing of commit 1 is left
    answer = call("continue_rebase")
    assert "The rebase is through" in resolve_all(call, answer, "4")
    assert entangled.messages(base(entangled)) == ["Now first", *[SUBJECTS[n] for n in (0, 2, 3)]]


@pytest.mark.parametrize("text", ["1", "3", "both"])
def test_conflicts_within_melded_commits(entangled, text):
    call = kit(entangled)
    todo = steps(("pick", 0), ("squash", 2, "One and wip"), ("fixup", 1), ("pick", 3))
    call("set_todo", todo=todo)
    answer = resolve_all(call, call("run_rebase"), text)
    assert "The rebase is through" in answer
    assert entangled.messages(base(entangled)) == ["One and wip", "Fix two"]


def test_conflicts_of_commits_whose_messages_look_like_comments(tmp_path):
    made = Repository(tmp_path / "w")
    made.commit({"f": b"0\n"}, "Base")
    for number in range(3):
        made.commit({"f": b"%d\n" % (number + 1)}, f"#{number}")
    call = kit(made, 3)
    call("set_todo", todo=steps(("pick", 2), ("fixup", 0), ("pick", 1)))
    assert "The rebase is through" in resolve_all(call, call("run_rebase"), "3")
    assert made.messages(base(made)) == ["#2", "#1"]


def test_an_abort_is_back_at_the_start_and_another_list_can_be_tried(entangled):
    head = entangled.head
    call = kit(entangled)
    call("set_todo", todo=picks(3, 2, 1, 0))
    call("run_rebase")
    call("resolve_conflict", conflict=0, text="x")
    call("abort_rebase")
    assert entangled.head == head
    assert entangled.git("rev-parse", "--abbrev-ref", "HEAD") == "main"
    assert entangled.git("status", "--porcelain=v2") == ""
    assert not (entangled.path / ".git" / "rebase-merge").exists()
    assert "You are currently" not in entangled.git("status")
    call.refused("continue_rebase", "no rebase")
    call("set_todo", todo=steps(("pick", 0), ("fixup", 1), ("fixup", 2), ("fixup", 3)))
    assert "1 commits" in call("run_rebase")
    call("abort_rebase")
    assert entangled.head == head


def test_whole_file_conflicts_of_a_rebase(tmp_path):
    made = Repository(tmp_path / "w")
    made.commit({"f": b"1\n"}, "Base")
    made.commit({"f": b"2\n"}, "Change")
    made.commit({"f": None}, "Remove")
    call = kit(made, 2)
    call("set_todo", todo=picks(1, 0))
    assert "with conflicts" in call("run_rebase")
    assert "changed by ours, deleted or renamed by theirs" in call("list_conflicts")
    call("resolve_file", path="f", choose="delete")
    answer = call("continue_rebase")
    assert "deleted or renamed by ours, changed by theirs" in call("list_conflicts")
    call("resolve_file", path="f", choose="ours")
    answer = call("continue_rebase")
    assert "exactly as they were" in answer
    assert made.messages(base(made)) == ["Remove", "Change"]


def test_any_plan_with_any_resolution_makes_the_commits_it_says(tmp_path):
    """Random plans over entangled commits: the messages are always those of the plan, in its order."""
    made = Repository(tmp_path / "w")
    made.commit({"f": b"0\n", "g": b"0\n"}, "Base")
    subjects = [f"Subject {number}" for number in range(5)]
    for number, subject in enumerate(subjects):
        made.commit({"f": b"%d\n" % (number + 1), f"new {number}": b"", "g": b"0\n" * (number + 2)}, subject)
    tree = made.tree()
    order = random.Random(7)
    call = kit(made, 5)
    for _ in range(12):
        commits = order.sample(range(5), 5)
        commands = ["pick", *order.choices(["pick", "reword", "squash", "fixup", "fixup -C"], k=4)]
        todo, expected = [], []
        for commit, command in zip(commits, commands, strict=True):
            entry = {"commit": commit, "command": command}
            if command == "reword":
                entry["message"] = f"New {commit}"
            todo.append(entry)
            own = entry.get("message", subjects[commit])
            if command in ("pick", "reword"):
                expected.append(own)
            elif command == "squash":
                expected[-1] += f"\n\n{own}"
            elif command == "fixup -C":
                expected[-1] = own
        call("set_todo", todo=todo)
        answer = call("run_rebase")
        while "with conflicts" in answer:
            while "All conflicts are resolved" not in answer:
                numbers = (
                    answer.split("onflicts: " if "with" in answer else "Unresolved: ")[1]
                    .split(".")[0]
                    .split(", ")
                )
                file = call("show_conflict", conflict=int(numbers[0])).split(", ")[1]
                final = {"f": "5\n", "g": "0\n" * 6}[file]
                answer = call(
                    "resolve_file",
                    path=file,
                    **order.choice([{"content": final}, {"choose": "ours"}, {"choose": "theirs"}]),
                )
            answer = call("continue_rebase")
        assert "The rebase is through" in answer
        assert made.messages(base(made)) == expected
        assert ("exactly as they were" in answer) == (made.tree() == tree)
        assert made.git("merge-base", base(made), "HEAD") == base(made)


# -- beside a shell --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["git-rebase-todo", "strategy", "message", "new"])
def test_a_rebase_changed_by_others_is_not_continued(entangled, tmp_path, name):
    canary = tmp_path / "canary"
    call = kit(entangled)
    call("set_todo", todo=picks(1, 0, 2, 3))
    call("run_rebase")
    call("resolve_conflict", conflict=0, text="x")
    file = entangled.path / ".git" / "rebase-merge" / name
    file.write_text(f"exec touch {canary}\n" + (file.read_text() if file.exists() else ""))
    call.refused("continue_rebase", "changed by other means: abort it")
    assert not canary.exists()
    call("abort_rebase")
    call("set_todo", todo=steps(("pick", 0), ("fixup", 1), ("pick", 2), ("pick", 3)))
    assert "3 commits" in call("run_rebase")


def test_a_rebase_started_by_others_is_not_continued(entangled):
    call = kit(entangled)
    entangled.git("rebase", "--interactive", "--exec", "false", "HEAD~2", check=False)
    call.refused("continue_rebase", "no rebase of these tools")
    call.refused("list_conflicts", "no rebase has stopped")
    call("abort_rebase")
    assert entangled.messages(base(entangled)) == SUBJECTS


def test_a_branch_moved_by_others_is_not_rebased(chain):
    call = kit(chain)
    start = chain.head
    call("set_todo", todo=picks(1, 0, 2, 3))
    chain.git("commit", "-q", "--amend", "-m", "Other")
    call.refused("run_rebase", "moved by other means")
    chain.git("reset", "-q", "--hard", start)
    chain.git("checkout", "-q", "--detach")
    call.refused("run_rebase", "moved by other means")
    call("abort_rebase")
    assert "4 commits" in call("run_rebase")


def test_work_that_is_not_committed_is_not_thrown_away(chain):
    call = kit(chain)
    call("set_todo", todo=picks(1, 0, 2, 3))
    chain.write({"f": b"changed\n"})
    assert "unstaged changes" in call.refused("run_rebase")
    assert (chain.path / "f").read_bytes() == b"changed\n"


def test_a_file_in_the_way_stops_the_rebase_without_conflicts(entangled):
    entangled.commit({"new": b""}, "Add a file")
    call = kit(entangled, 5)
    call("set_todo", todo=picks(1, 0, 2, 3, 4))
    answer = call("run_rebase")
    entangled.write({"new": b"in the way\n"})
    answer = resolve_all(call, answer, "4")
    assert "without conflicts" in answer and "untracked working tree files would be overwritten" in answer
    call.refused("list_conflicts", "no rebase has stopped with conflicts")
    entangled.write({"new": None})
    assert "exactly as they were" in call("continue_rebase")
    assert entangled.messages(base(entangled))[-1] == "Add a file"


def test_nothing_that_is_configured_runs(entangled, tmp_path):
    canary = tmp_path / "canary"
    call = kit(entangled)
    hooks = entangled.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    names = "pre-rebase post-rewrite pre-commit post-commit commit-msg post-checkout post-index-change"
    names += " reference-transaction prepare-commit-msg"
    for name in names.split():
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >> {canary}\n")
        (hooks / name).chmod(0o755)
    run = f"sh -c 'echo ran >> {canary}'"
    settings = (
        "core.editor sequence.editor core.fsmonitor gpg.program filter.x.clean filter.x.smudge merge.x.driver"
    )
    for name in settings.split():
        entangled.git("config", name, run)
    entangled.git("config", "core.hooksPath", str(hooks))
    entangled.git("config", "commit.gpgSign", "true")
    info = entangled.path / ".git" / "info"
    info.mkdir(exist_ok=True)
    (info / "attributes").write_text("* filter=x merge=x\n")
    call("set_todo", todo=steps(("reword", 1, "x"), ("pick", 0), ("squash", 2), ("pick", 3)))
    answer = resolve_all(call, call("run_rebase"), "4")
    assert "The rebase is through" in answer
    assert not canary.exists()
