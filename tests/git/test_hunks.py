"""Pieces of a difference: any subset in any order is one certain tree, all of them are the final tree."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_gitgoodbench.git.hunks import Changes, parse_hunks
from pytest_gitgoodbench.git.isolated import IsolatedGit
from pytest_gitgoodbench.git.refused import Refused
from tests.support.repository import Repository


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path / "work")


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One repository for all examples of a property: they only add objects."""
    return Repository(tmp_path_factory.mktemp("shared") / "work")


def tree(repository, files):
    repository.git("rm", "-rfq", "--cached", "--ignore-unmatch", ".")
    for path in repository.path.iterdir():
        if path.name != ".git":
            repository.write({path.name: None})
    repository.write(files)
    repository.git("add", "-A")
    return repository.git("write-tree")


def changes(repository, base, final):
    return Changes(IsolatedGit(repository.path), tree(repository, base), tree(repository, final))


def pieces(made):
    """The changes as paths and pieces."""
    return [
        [(made.files[number].new_path.decode(), piece) for number, piece in change.pieces]
        for change in made.changes
    ]


def content(repository, name, path):
    return repository.bytes("cat-file", "blob", f"{name}:{path}")


def test_neighbouring_edits_can_be_committed_one_by_one(repository):
    made = changes(repository, {"f": b"a\nb\nc\nd\n"}, {"f": b"A\nb\nC\nd\ne\n"})
    assert pieces(made) == [[("f", 0)], [("f", 1)], [("f", 2)]]
    assert content(repository, made.tree({2}), "f") == b"a\nb\nC\nd\n"
    assert content(repository, made.tree({1, 3}), "f") == b"A\nb\nc\nd\ne\n"


def test_every_kind_of_change_has_a_piece(repository):
    base = {
        "gone": b"1\n",
        "text": b"1\n",
        "binary": b"\0a",
        "old name": b"".join(b"%d\n" % n for n in range(9)),
        "link": "here",
        "becomes a link": b"x\n",
        "empty": b"",
    }
    final = {
        "new": b"2\n",
        "text": b"2\n",
        "binary": b"\0b",
        "new name": b"".join(b"%d\n" % n for n in range(10)),
        "link": "there",
        "becomes a link": "x",
        "empty": b"no longer",
        "new empty": b"",
    }
    made = changes(repository, base, final)
    assert sorted(pieces(made), key=str) == sorted(
        [
            [("becomes a link", "file")],
            [("binary", "content")],
            [("empty", 0)],
            [("gone", "file")],
            [("link", "content")],
            [("new empty", "file")],
            [("new", "file")],
            [("new name", "path")],
            [("new name", 0)],
            [("text", 0)],
        ],
        key=str,
    )


def test_a_new_mode_apart_from_the_new_text(repository):
    base = tree(repository, {"run": b"a\n"})
    (repository.path / "run").write_bytes(b"b\n")
    (repository.path / "run").chmod(0o755)
    repository.git("add", "-A")
    made = Changes(IsolatedGit(repository.path), base, repository.git("write-tree"))
    assert pieces(made) == [[("run", "mode")], [("run", 0)]]
    assert repository.git("ls-tree", made.tree({1})).startswith("100755")
    assert repository.git("ls-tree", made.tree({2})).startswith("100644")


def test_hunks_of_a_renamed_file_do_not_need_the_new_name(repository):
    lines = [b"%d\n" % n for n in range(20)]
    made = changes(
        repository, {"a": b"".join(lines)}, {"dir/b": b"".join([*lines[:10], b"x\n", *lines[10:]])}
    )
    assert pieces(made) == [[("dir/b", "path")], [("dir/b", 0)]]
    assert b"x\n" in content(repository, made.tree({2}), "a")
    assert b"x\n" not in content(repository, made.tree({1}), "dir/b")


def test_names_that_begin_or_end_like_others_are_kept_apart(repository):
    base = dict.fromkeys(("a.py", "aa.py", "data.py", "lib/a.py", "@@ -1 +1 @@"), b"1\n")
    made = changes(repository, base, dict.fromkeys(base, b"2\n"))
    only = next(change.id for change in made.changes if made.files[change.pieces[0][0]].new_path == b"a.py")
    name = made.tree({only})
    assert content(repository, name, "a.py") == b"2\n"
    assert all(content(repository, name, other) == b"1\n" for other in base if other != "a.py")


@pytest.mark.parametrize("swap", [False, True])
def test_a_file_in_the_place_of_a_folder_is_one_change(repository, swap):
    trees = [{"x/a": b"1\n", "x/b": b"2\n", "x.py": b"3\n"}, {"x": b"other\n", "x.py": b"4\n"}]
    made = changes(repository, *(reversed(trees) if swap else trees))
    assert [len(group) for group in pieces(made)] == [3, 1]
    assert made.tree({1, 2}) == tree(repository, trees[0 if swap else 1])
    one, other = made.tree({1}), made.tree({2})
    names = [repository.git("ls-tree", "-r", "--name-only", name).split() for name in (one, other)]
    assert names == [sorted(trees[0 if swap else 1]), sorted(trees[1 if swap else 0])]


def test_a_submodule_is_a_change_as_a_whole(repository):
    base = tree(repository, {"f": b"1\n"})
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")
    middle = repository.git("write-tree")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'2' * 40},lib")
    final = repository.git("write-tree")
    assert pieces(Changes(IsolatedGit(repository.path), base, middle)) == [[("lib", "file")]]
    made = Changes(IsolatedGit(repository.path), middle, final)
    assert pieces(made) == [[("lib", "content")]]
    assert made.tree(set()) == middle


def test_attributes_do_not_hide_lines(repository):
    base = {"f": b"1\n", ".gitattributes": b"* -diff -text\n"}
    assert pieces(changes(repository, base, base | {"f": b"2\n"})) == [[("f", 0)]]


def test_unknown_ids_are_refused(repository):
    made = changes(repository, {"f": b"1\n"}, {"f": b"2\n"})
    for number in (0, -1, 2):
        with pytest.raises(Refused, match="the ids are 1 to 1"):
            made.tree({number})


LINES = [b"a\n", b"b\n", b"\n", b"a\r\n", b"\x0c\n", b"x\x0cy\n", b"\xe9\xff\n", "\u2028\n".encode()]
HEADERS = [b"@@ -1 +1 @@\n", b"--- a/f\n", b"diff --git a/f b/f\n", b"\\ No newline\n"]
TEXT = st.builds(
    lambda lines, end: b"".join(lines) + end,
    st.lists(st.sampled_from(LINES + HEADERS), max_size=12),
    st.sampled_from([b"", b"end"]),
)
NAMES = ["f", "g.py", "d/f", "d/e/f", "d", 'q"uote\t', "sp ace", "-dash", "é", b"\xe9", "new\nline"]
FILE = TEXT | st.sampled_from([b"\0binary", b"\0other", "link", "other link"])
FILES = st.dictionaries(st.sampled_from(NAMES), FILE, max_size=6).filter(
    lambda files: not ("d" in files and files.keys() & {"d/f", "d/e/f"})
)


@st.composite
def edits(draw):
    """Two sets of files, the second made from the first more often than not."""
    base = draw(FILES)
    final = dict(draw(FILES))
    for name, before in base.items():
        action = draw(st.sampled_from(["keep", "edit", "rename", "other"]))
        if action == "keep":
            final[name] = before
        elif action == "edit" and isinstance(before, bytes):
            lines = before.split(b"\n")
            place = draw(st.integers(0, len(lines)))
            final[name] = b"\n".join(
                [*lines[:place], *draw(st.lists(st.just(b"new"), max_size=2)), *lines[place + 1 :]]
            )
        elif action == "rename":
            final[draw(st.sampled_from(NAMES))] = before
    if "d" in final:
        final = {name: value for name, value in final.items() if name not in ("d/f", "d/e/f")}
    return base, final


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(edits(), st.randoms(use_true_random=False))
def test_any_subsets_in_any_order_end_in_exactly_the_final_tree(shared, trees, order):
    made = changes(shared, *trees)
    final = shared.git("write-tree")
    base = tree(shared, trees[0])
    assert made.tree(()) == base
    ids = [change.id for change in made.changes]
    order.shuffle(ids)
    done: set[int] = set()
    seen = [base]
    while ids:
        count = order.randint(1, len(ids))
        done |= set(ids[:count])
        ids = ids[count:]
        seen.append(made.tree(done))
        assert seen[-1] not in seen[:-1], "a commit without changes"
    assert seen[-1] == final
    # Not by way of the short cut for all of them: from pieces, but for one, and that one.
    if len(made.changes) > 1:
        last = made.changes[-1]
        made.changes = (*made.changes, last)
        assert made.tree({change.id for change in made.changes}) == final


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d"]), max_size=10), st.randoms(use_true_random=False)
)
def test_a_subset_of_hunks_has_the_other_lines_as_they_were(shared, lines, order: random.Random):
    new = [line for line in lines for _ in range(order.choice([0, 1, 1, 1, 2]))]
    made = changes(shared, {"f": b"".join(lines)}, {"f": b"".join(new)})
    for file in made.files:
        for number, hunk in enumerate(file.hunks):
            text = file.lines({number})
            expected = [*file.old_lines]
            expected[hunk.old_start : hunk.old_end] = file.new_lines[hunk.new_start : hunk.new_end]
            assert text == b"".join(expected)
        assert file.lines(()) == b"".join(lines)
        assert file.lines(range(len(file.hunks))) == b"".join(new)


PRINTED = [
    b"diff --git a/f b/f",
    b"@@ -1 +1 @@",
    b"@@ -0,0 +1,2 @@ x",
    b"@@ -3,0 +4 @@",
    b"-x",
    b"+x",
    b" x",
    b"",
]
ODD = [b"\\ No newline at end of file", b"@@ -9999999999999999999 +1 @@"]
PATCH = st.lists(st.sampled_from(PRINTED + ODD))


@given(st.binary() | PATCH.map(b"\n".join))
def test_any_bytes_are_hunks_or_not(patch):
    for file in parse_hunks(patch):
        for hunk in file:
            assert hunk.old_end >= hunk.old_start and hunk.new_end >= hunk.new_start


def test_content_that_looks_like_a_header_is_content():
    patch = b"diff --git a/f b/f\n@@ -1,2 +1,2 @@ def f():\n--- a/f\n-@@ -7 +7 @@\n+++ b/f\n+@@ -8 +8 @@\n"
    patch += b"@@ -9 +9 @@\n-a\n+b"
    (hunks,) = parse_hunks(patch)
    found = [(hunk.old_start, hunk.old_end, hunk.heading) for hunk in hunks]
    assert found == [(0, 2, b"def f():"), (8, 9, b"")]
