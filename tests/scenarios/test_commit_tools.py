"""The commit tools: stable ids, exact content, and nothing lost whatever is committed in whatever order."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_gitgoodbench.scenarios import commit_tools
from tests.support.repository import Content, Repository
from tests.support.tools import Toolkit, chain_sample


def staged(
    repository: Repository, base: Mapping[str | bytes, Content], final: Mapping[str | bytes, Content]
) -> Toolkit:
    """The tools for a repository at `base` with everything up to `final` staged."""
    repository.commit(base, "Base")
    repository.write(dict.fromkeys(set(base) - set(final)))
    repository.write(final)
    repository.git("add", "-A")
    return Toolkit(commit_tools.tools(chain_sample(3), repository.workspace))


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path / "work")


TEXT = b"".join(b"%d\n" % n for n in range(1, 31))


def edited(*places: int) -> bytes:
    lines = TEXT.split(b"\n")
    for place in places:
        lines[place - 1] = b"new %d" % place
    return b"\n".join(lines)


@pytest.fixture
def call(repository):
    """Five hunks: three in `a.py`, a new file and a deleted one."""
    return staged(
        repository,
        {"a.py": TEXT, "gone.py": b"1\n"},
        {"a.py": edited(2, 4, 20), "new.py": b"x\ny\n"},
    )


def consistent(repository: Repository, final: str) -> None:
    """Index and work tree are at the final tree, so that what is left is staged."""
    assert repository.git("write-tree") == final
    assert repository.git("diff-files", "--name-only") == ""
    assert repository.git("ls-files", "--others") == ""


# -- seeing ----------------------------------------------------------------------------------------------


def test_all_files_are_listed_with_ids(call):
    assert call("list_hunks").split("\n") == [
        "5 hunks in 3 files, 5 of them uncommitted.",
        "a.py",
        "  1: @@ -2,1 +2,1 @@ | +new 2",
        "  2: @@ -4,1 +4,1 @@ | +new 4",
        "  3: @@ -20,1 +20,1 @@ | +new 20",
        "gone.py",
        "  4: deleted: a file",
        "new.py",
        "  5: new: a file",
    ]


def test_hunks_are_shown_with_the_lines_around_them(call):
    shown = call("show_hunks", ids=[2, 4, 5], context=1)
    assert shown.split("\n\n") == [
        "== Hunk 2 ==\na.py\n@@ -4,1 +4,1 @@\n 3\n-4\n+new 4\n 5",
        "== Hunk 4 ==\ngone.py\ndeleted: a file\n-1",
        "== Hunk 5 ==\nnew.py\nnew: a file\n+x\n+y",
    ]
    assert "\n 1\n-2\n+new 2\n 3" in call("show_hunks", ids=[1])
    assert call.rejects("show_hunks", ids=[1], context=-1)


def test_every_kind_is_named(repository):
    lines = TEXT + b"31\n"
    call = staged(
        repository,
        {"bin": b"\0a", "old": TEXT, "link": "one", "typed": b"1\n", "run": b"1\n", "x/y": b"1\n"},
        {"bin": b"\0bcd", "new": lines, "link": "two", "typed": "1", "run": b"1\n", "x": b"2\n"},
    )
    (repository.path / "run").chmod(0o755)
    repository.git("add", "-A")
    call = Toolkit(commit_tools.tools(chain_sample(3), repository.workspace))
    listing = call("list_hunks")
    for words in (
        "bin\n  1: new content of a binary file",
        "link\n  2: new content of a symbolic link",
        "old => new\n  3: the new name new (was old)\n  4: @@ -30,0 +31,1 @@ | +31",
        "run\n  5: mode 100644 becomes 100755",
        "typed\n  6: a file becomes a symbolic link",
        "only together: x (new: a file), x/y (deleted: a file)",
    ):
        assert words in listing
    shown = call("show_hunks", ids=list(range(1, 8)))
    for words in ("-[binary, 2 bytes]\n+[binary, 4 bytes]", "-one\n+two", "-1\n+1", "+31"):
        assert words in shown


def test_what_cannot_be_seen_is_told(repository):
    call = staged(repository, {"a": b"1\r\n2", "b": b"\xe9\n"}, {"a": b"1\n2\n", "b": b"\xe8\n"})
    assert "-1\r\n-2\n\\ No newline at end of file\n+1\n+2" in call("show_hunks", ids=[1])
    assert "-é\n+è" in call("show_hunks", ids=[2])


def test_long_answers_are_cut_with_a_mark(repository):
    base = {"big": b"".join(b"%d\n" % n for n in range(6_000)), **{f"f{n}": b"1\n" for n in range(600)}}
    final = {"big": b"".join(b"x%d\n\n" % n for n in range(6_000)), **{f"f{n}": b"2\n" for n in range(600)}}
    call = staged(repository, base, final)
    listing = call("list_hunks")
    assert len(listing) < 20_000 and "left out; list_hunks with first shows them" in listing
    assert "  601: " in call("list_hunks", first=500) and "  499: " not in call("list_hunks", first=500)
    call.refused("list_hunks", "there is no hunk 602: the ids are 1 to 601", first=602)
    shown = call("show_hunks", ids=[1, 2])
    assert len(shown) < 20_000 and "show fewer hunks at a time" in shown and "-1\n+2" in shown


# -- committing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [[[1], [2], [3], [4, 5]], [[5, 3], [4], [2, 1]], [[2], [4, 1], [5, 3]]])
def test_hunks_are_committed_in_any_order_under_the_ids_they_had(repository, call, order):
    final = repository.git("write-tree")
    kept = edited(2, 4, 20)
    listing = call("list_hunks").replace("5 of them", "{} of them")
    done: set[int] = set()
    for number, ids in enumerate(order):
        answer = call("commit_hunks", ids=ids, message=f"Commit {number}")
        done |= set(ids)
        left = [i for i in range(1, 6) if i not in done]
        assert answer.endswith(
            f"Uncommitted: {', '.join(map(str, left))}." if left else "Everything is committed."
        )
        consistent(repository, final)
        expected = edited(*(place for i, place in ((1, 2), (2, 4), (3, 20)) if i in done))
        assert repository.blob("a.py") == expected
        assert call("list_hunks").replace("  [committed]", "") == listing.format(len(left))
    assert repository.tree() == final and repository.blob("a.py") == kept
    assert "Nothing was left to commit" in call("commit_rest", message="Rest")
    assert repository.messages(":/^Base") == [f"Commit {number}" for number in range(len(order))]


def test_the_rest_is_all_that_is_left_in_all_files(repository, call):
    final = repository.git("write-tree")
    call("commit_hunks", ids=[2], message="One")
    assert "Committed 4 hunks: Rest. Everything is committed." in call("commit_rest", message="Rest")
    assert repository.tree() == final
    assert repository.git("status", "--porcelain") == ""
    assert repository.messages(":/^Base") == ["One", "Rest"]
    assert call.tools["commit_rest"].final


def test_ids_that_are_refused(repository, call):
    head = repository.head
    call("show_hunks", ids=[1])
    for ids, problem in (([6], "the ids are 1 to 5"), ([1, 7, 6], "there is no hunk 6, 7")):
        call.refused("commit_hunks", problem, ids=ids, message="m")
        call.refused("show_hunks", problem, ids=ids)
    for ids in ([], [0], [-1], [1, 1], ["1"], [1.5], [True], [None], 1, None):
        assert call.rejects("commit_hunks", ids=ids, message="m")
        assert call.rejects("show_hunks", ids=ids)
    assert call.rejects("commit_hunks", ids=[1])
    assert call.rejects("commit_hunks", ids=[1], message="m", reason="r")
    assert repository.head == head
    call("commit_hunks", ids=[1.0, 3], message="m")
    call.refused("commit_hunks", "committed already: 1, 3. Uncommitted: 2, 4, 5.", ids=[2, 3, 1], message="m")
    call("commit_hunks", ids=[2], message="after a refusal everything is as before")


def test_ids_are_checked_without_a_schema_too(call):
    commit = call.tools["commit_hunks"].call
    for ids, problem in (
        ([], "at least one"),
        ([1, 1], "more than once: 1"),
        ([0], "no hunk 0"),
        ([-1], "no hunk -1"),
    ):
        with pytest.raises(Exception, match=problem):
            commit(ids=ids, message="m")


MESSAGES = [
    'It\'s "done"',
    "'; touch canary; '",
    "$(touch canary)",
    "--amend",
    "-F /etc/passwd",
    "#7\n\n# no comment",
    "é",
]


@pytest.mark.parametrize("message", MESSAGES)
def test_messages_arrive_as_they_were_given(repository, call, message):
    call("commit_hunks", ids=[1], message=message)
    call("commit_rest", message=message)
    assert repository.messages(":/^Base") == [message, message]
    assert not list(repository.path.glob("canary"))


@pytest.mark.parametrize(("message", "problem"), [(" \n", "empty"), ("a\0", "NUL"), ("\udcff", "surrogate")])
def test_messages_that_are_none_change_nothing(repository, call, message, problem):
    head = repository.head
    call.refused("commit_hunks", problem, ids=[1], message=message)
    call.refused("commit_rest", problem, message=message)
    assert repository.head == head
    assert "5 of them uncommitted" in call("list_hunks")


def test_nothing_changed_at_all(repository):
    call = staged(repository, {"f": b"1\n"}, {"f": b"1\n"})
    assert "0 hunks in 0 files" in call("list_hunks")
    call.refused("commit_hunks", "nothing has changed", ids=[1], message="m")
    assert "Nothing was left" in call("commit_rest", message="m")


def test_white_space_is_content(repository):
    base = {"f": b"a \nb\t\n\n\nc\n", "g": b"x\n"}
    final = {"f": b"a\nb\t \n\n\n\nc \n\n", "g": b"x  \n"}
    call = staged(repository, base, final)
    for change in range(5, 0, -1):
        if f"  {change}: " in call("list_hunks"):
            call("commit_hunks", ids=[change], message="m")
    assert repository.blob("f") == final["f"] and repository.blob("g") == final["g"]


def test_attributes_change_nothing_that_is_committed(repository):
    base = {".gitattributes": b"* text eol=crlf -diff\n", "f": b"1\n2\n"}
    call = staged(repository, base, base | {"f": b"1\n3\n"})
    call("commit_rest", message="m")
    assert repository.blob("f") == b"1\n3\n"


def test_a_file_is_ignored_but_staged(repository):
    repository.commit({".gitignore": b"*.log\n"}, "Base")
    repository.write({"x.log": b"1\n", "junk.log": b"2\n"})
    repository.git("add", "-f", "x.log")
    call = Toolkit(commit_tools.tools(chain_sample(3), repository.workspace))
    call("commit_rest", message="m")
    assert repository.git("ls-tree", "-r", "--name-only", "HEAD").split() == [".gitignore", "x.log"]


# -- round trip ------------------------------------------------------------------------------------------

NAMES = ["f", "d/f", 'q"uote', "sp ace", "-dash", "é", b"\xe9"]
LINE = st.sampled_from(
    [b"a\n", b"b\n", b"\n", b"a\r\n", b"x\x0cy\n", b"\xe9\xff\n", b"@@ -1 +1 @@\n", b"-- a/f\n"]
)
FILE = st.builds(
    lambda lines, end: b"".join(lines) + end, st.lists(LINE, max_size=10), st.sampled_from([b"", b"z"])
)
FILES = st.dictionaries(st.sampled_from(NAMES), FILE | st.sampled_from([b"\0", b"\0\1", "link"]), max_size=4)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(FILES, FILES, st.randoms(use_true_random=False))
def test_all_hunks_in_any_order_end_in_the_final_tree(tmp_path_factory, base, final, order):
    repository = Repository(tmp_path_factory.mktemp("round") / "work")
    call = staged(repository, base, final)
    tree = repository.git("write-tree")
    count = int(call("list_hunks").split()[0])
    ids = list(range(1, count + 1))
    order.shuffle(ids)
    made = 0
    while ids and order.random() < 0.9:
        some = [ids.pop() for _ in range(order.randint(1, len(ids)))]
        call("show_hunks", ids=some)
        call("commit_hunks", ids=some, message=f"Commit {made}")
        made += 1
        consistent(repository, tree)
    call("commit_rest", message="Rest")
    assert repository.tree() == tree
    assert len(repository.messages(":/^Base")) == made + bool(ids)
    assert repository.git("status", "--porcelain") == ""


# -- beside a shell --------------------------------------------------------------------------------------


def test_a_commit_made_by_other_means_is_noticed(repository, call):
    call("commit_hunks", ids=[1], message="By the tools")
    repository.git("commit", "-q", "--amend", "--only", "-m", "Better words")
    call("commit_hunks", ids=[2], message="Next")
    assert repository.messages(":/^Base") == ["Better words", "Next"]
    repository.git("commit", "-q", "-m", "All the rest")
    call.refused("commit_hunks", "made by other means", ids=[3], message="m")
    repository.git("reset", "-q", "--soft", "HEAD~")
    call("commit_rest", message="Rest")
    assert repository.git("status", "--porcelain") == ""


def test_links_lead_nowhere(repository, tmp_path):
    (tmp_path / "secret").write_bytes(b"secret")
    call = staged(repository, {"l": "../secret"}, {"l": "/etc/passwd", "m": "../secret"})
    shown = call("show_hunks", ids=[1, 2])
    assert "-../secret\n+/etc/passwd" in shown and "root:" not in shown
    call("commit_rest", message="m")
    assert str((repository.path / "l").readlink()) == "/etc/passwd"
    assert (tmp_path / "secret").read_bytes() == b"secret"


def test_a_link_in_the_repository_stops_the_tools(repository, call, tmp_path):
    heads = repository.path / ".git" / "refs" / "heads"
    heads.rename(tmp_path / "heads")
    heads.symlink_to(tmp_path / "heads")
    before = (tmp_path / "heads" / "main").read_text()
    call.refused("commit_rest", ".git/refs/heads is neither a file nor a folder", message="m")
    assert (tmp_path / "heads" / "main").read_text() == before


def test_nothing_that_is_configured_runs(repository, call, tmp_path):
    canary = tmp_path / "canary"
    hooks = repository.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("pre-commit", "post-commit", "commit-msg", "reference-transaction", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >> {canary}\n")
        (hooks / name).chmod(0o755)
    for name in ("filter.x.clean", "core.fsmonitor", "diff.x.textconv", "diff.external", "gpg.program"):
        repository.git("config", name, f"sh -c 'echo ran >> {canary}'")
    repository.git("config", "core.hooksPath", str(hooks))
    repository.git("config", "commit.gpgSign", "true")
    (repository.path / ".gitattributes").write_text("* filter=x diff=x\n")
    call("show_hunks", ids=[1, 2, 3, 4, 5])
    call("commit_hunks", ids=[1], message="m")
    call("commit_rest", message="m")
    assert not canary.exists()
