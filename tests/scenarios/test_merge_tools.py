"""The merge tools: every conflict can be seen and resolved, in any order, and nothing else is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_gitgoodbench.scenarios import merge_tools
from tests.support.repository import Repository, conflict
from tests.support.tools import Toolkit, merge_sample


def kit(repository: Repository) -> Toolkit:
    return Toolkit(merge_tools.tools(merge_sample(), repository.workspace))


def lines(*numbers: int, **changed: bytes) -> bytes:
    return b"".join(changed.get(f"l{n}", b"%d" % n) + b"\n" for n in numbers)


def many(*, ours: bytes, theirs: bytes, end: bytes = b"\n", last: bool = True) -> list[bytes]:
    """Three versions of a file with three conflicts, in the given form."""
    versions = []
    for word in (None, ours, theirs):
        changed = {} if word is None else {f"l{n}": word + b" %d" % n for n in (2, 10, 20)}
        text = lines(*range(1, 21), **changed).replace(b"\n", end)
        versions.append(text if last else text.removesuffix(end))
    return versions


@pytest.fixture
def three(tmp_path):
    base, ours, theirs = many(ours=b"ours", theirs=b"theirs")
    return conflict(tmp_path / "work", {"f.py": base}, {"f.py": ours}, {"f.py": theirs})


def finish(repository, call, message="Merge both"):
    heads = repository.git("rev-parse", "HEAD", "MERGE_HEAD").split()
    assert "not staged" not in call("finish_merge", message=message)
    assert repository.git("log", "-1", "--format=%P").split() == heads
    assert not (repository.path / ".git" / "MERGE_HEAD").exists()
    assert repository.git("status", "--porcelain") == ""


# -- seeing ----------------------------------------------------------------------------------------------


def test_conflicts_are_listed_with_numbers_that_stay(three):
    call = kit(three)
    listing = call("list_conflicts")
    assert "3 conflicts in 1 files, 3 unresolved" in listing
    assert "0: f.py: lines 2-6: 1 lines of ours, 1 of theirs" in listing
    call("resolve_conflict", conflict=1, text="one\ntwo\n")
    listing = call("list_conflicts")
    assert "0: f.py: lines 2-6" in listing
    assert "1: f.py: lines 14-15: 1 lines of ours, 1 of theirs  [resolved]" in listing
    assert "2: f.py: lines 25-29" in listing


def test_every_conflict_is_shown_after_each_resolution(three):
    call = kit(three)
    for resolved in range(3):
        for number in range(3):
            shown = call("show_conflict", conflict=number)
            assert ("<<<<<<< HEAD" in shown) == (number >= resolved)
        call("resolve_conflict", conflict=resolved, text=f"new {resolved}")
        assert f"new {resolved}" in call("show_conflict", conflict=resolved)


def test_a_conflict_is_shown_as_it_is_now_with_the_lines_around_it(three):
    call = kit(three)
    shown = call("show_conflict", conflict=1, context=2)
    assert [line.split("| ")[1] for line in shown.splitlines()[1:]] == [
        "8", "9", "<<<<<<< HEAD", "ours 10", "=======", "theirs 10",
        f">>>>>>> {three.git('rev-parse', 'side')}", "11", "12",
    ]  # fmt: skip
    call("resolve_conflict", conflict=1, text="both 10")
    shown = call("show_conflict", conflict=1, context=1)
    assert "resolved, it now is lines 14-14" in shown
    assert shown.splitlines()[1:] == ["13 | 9", "14 | both 10", "15 | 11"]
    assert len(call("show_conflict", conflict=0, context=500).splitlines()) > 25
    assert call.rejects("show_conflict", conflict=0, context=-1)


def test_files_are_shown_live_and_by_lines(three):
    call = kit(three)
    call("resolve_conflict", conflict=0, text="both 2")
    shown = call("show_file", path="f.py", first_line=1, last_line=3)
    assert shown.splitlines() == ["f.py, lines 1-3 of 28", "1 | 1", "2 | both 2", "3 | 3"]
    call.refused("show_file", "f.py has 28", path="f.py", first_line=29)
    call.refused("show_file", "f.py has 28", path="f.py", first_line=5, last_line=4)
    call.refused("show_file", "there is no file nosuch", path="nosuch")
    assert call.rejects("show_file", path="f.py", first_line=0)


def test_the_sides_are_compared(three):
    call = kit(three)
    assert "-ours 10\n+theirs 10" in call("show_sides", path="f.py")
    assert "-10\n+ours 10" in call("show_sides", path="f.py", compare="base-ours")
    assert "-10\n+theirs 10" in call("show_sides", path="f.py", compare="base-theirs")


def test_the_sides_of_a_file_without_conflicts(tmp_path):
    base = {"f": b"1\n", "g": b"1\n"}
    made = conflict(tmp_path / "w", base, {"f": b"2\n", "g": b"2\n"}, {"f": b"3\n"})
    call = kit(made)
    assert "-2\n+1" in call("show_sides", path="g")
    assert "the same text at nosuch, or none" in call("show_sides", path="nosuch")


def test_long_answers_are_cut_with_a_mark(tmp_path):
    huge = b"".join(b"line %d\n" % n for n in range(20_000))
    made = conflict(
        tmp_path / "w", {"f": b"0\n" + huge}, {"f": b"a\n" + huge}, {"f": b"b" * 100_000 + b"\n" + huge}
    )
    call = kit(made)
    shown = call("show_file", path="f")
    assert len(shown) < 20_000 and "left out; ask for them by first_line ...]" in shown
    shown = call("show_conflict", conflict=0)
    assert len(shown) < 20_000 and "characters of this line left out" in shown
    assert len(call("show_sides", path="f")) < 20_000


# -- resolving regions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_any_order_gives_the_same_merge(tmp_path, order):
    base, ours, theirs = many(ours=b"ours", theirs=b"theirs")
    made = conflict(tmp_path / "w", {"f": base}, {"f": ours}, {"f": theirs})
    call = kit(made)
    for number in order:
        call("resolve_conflict", conflict=number, text=f"new {number}\nmore\n")
    finish(made, call)
    assert made.blob("f") == lines(*range(1, 21), l2=b"new 0\nmore", l10=b"new 1\nmore", l20=b"new 2\nmore")


def test_resolving_again_replaces_the_first_resolution(three):
    call = kit(three)
    for text in ("first\nof many\nlines", "", "last"):
        for number in (0, 1, 2):
            call("resolve_conflict", conflict=number, text=text)
    finish(three, call)
    assert three.blob("f.py") == lines(*range(1, 21), l2=b"last", l10=b"last", l20=b"last")


def test_numbers_that_are_none(three):
    call = kit(three)
    call.refused("resolve_conflict", "there is no conflict 3: the numbers are 0 to 2", conflict=3, text="x")
    call.refused("show_conflict", "the numbers are 0 to 2", conflict=3)
    assert call.rejects("resolve_conflict", conflict=-1, text="x")
    assert call.rejects("resolve_conflict", conflict=True, text="x")
    assert call.rejects("resolve_conflict", conflict="1", text="x")
    assert call.rejects("resolve_conflict", conflict=1)
    assert call.rejects("resolve_conflict", conflict=1, text="x", reason="y")
    call("resolve_conflict", conflict=1.0, text="x")


def test_a_merge_without_conflicts_has_clear_answers(tmp_path):
    made = conflict(tmp_path / "w", {"f": b"1\n"}, {"g": b"2\n"}, {"h": b"3\n"})
    call = kit(made)
    assert call("list_conflicts") == "There are no conflicts."
    call.refused("resolve_conflict", "there are no conflicts", conflict=0, text="x")
    finish(made, call)
    assert made.blob("h") == b"3\n"


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends_and_a_missing_last_newline_stay(tmp_path, end, last):
    base, ours, theirs = many(ours=b"ours", theirs=b"theirs", end=end, last=last)
    made = conflict(tmp_path / "w", {"f": base}, {"f": ours}, {"f": theirs})
    call = kit(made)
    for number in range(3):
        call("resolve_conflict", conflict=number, text="a\nb\n")
    finish(made, call)
    expected = lines(*range(1, 21), l2=b"a\nb", l10=b"a\nb", l20=b"a\nb").replace(b"\n", end)
    assert made.blob("f") == (expected if last else expected.removesuffix(end))


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "text", "expected"),
    [
        (b"1", b"2\n", b"3", "4", b"4\n"),  # ours added the newline
        (b"1\n", b"2\n", b"3", "4", b"4"),  # theirs removed it
        (b"1\n", b"2", b"3\n", "4", b"4"),
        (b"1\n", b"2", b"3\n", "3", b"3\n"),  # exactly theirs
        (b"1", b"2", b"3\n", "2\n", b"2"),  # exactly ours
        (b"1", b"2", b"3", "", b""),
    ],
)
def test_the_last_newline_is_merged_too(tmp_path, base, ours, theirs, text, expected):
    made = conflict(tmp_path / "w", {"f": base}, {"f": ours}, {"f": theirs})
    call = kit(made)
    call("resolve_conflict", conflict=0, text=text)
    finish(made, call)
    assert made.blob("f") == expected


def test_mixed_line_ends_stay_line_by_line(tmp_path):
    made = conflict(
        tmp_path / "w", {"f": b"x\r\n1\ny\r\n"}, {"f": b"x\r\na\r\nb\ny\r\n"}, {"f": b"x\r\nc\r\ny\r\n"}
    )
    call = kit(made)
    call("resolve_conflict", conflict=0, text="a\nb\nc\nnew")
    finish(made, call)
    assert made.blob("f") == b"x\r\na\r\nb\nc\r\nnew\r\ny\r\n"


@pytest.mark.parametrize("converting", ["ours", "theirs"])
def test_line_ends_that_one_side_converted_are_converted(tmp_path, converting):
    sides = {"ours": b"1\r\nx\r\n3\r\n", "theirs": b"1\r\ny\r\n3\r\n"}
    sides[converting] = sides[converting].replace(b"\r\n", b"\n")
    made = conflict(tmp_path / "w", {"f": b"1\r\n2\r\n3\r\n"}, {"f": sides["ours"]}, {"f": sides["theirs"]})
    call = kit(made)
    call("resolve_conflict", conflict=0, text="1\nx\ny\n3\n")
    finish(made, call)
    assert made.blob("f") == b"1\nx\ny\n3\n"


def test_attributes_for_line_ends_and_encodings_are_gits_business(tmp_path):
    attributes = b"*.txt text eol=crlf\n*.utf16 working-tree-encoding=UTF-16LE\n"
    names = ("a.txt", "b.utf16")
    made = Repository(tmp_path / "w")
    made.commit({".gitattributes": attributes})

    def version(word):
        text = f"1\n{word} é\n3\n"
        return {"a.txt": text.replace("\n", "\r\n").encode(), "b.utf16": text.encode("utf-16-le")}

    made.commit(version("base"))
    made.branch("side")
    made.commit(version("theirs"))
    made.git("checkout", "-q", "main")
    made.commit(version("ours"))
    made.git("merge", "side", check=False)
    call = kit(made)
    for number in (0, 1):
        call("resolve_conflict", conflict=number, text="merged é")
    finish(made, call)
    for name in names:
        assert made.blob(name).decode() == "1\nmerged é\n3\n"
    assert (made.path / "a.txt").read_bytes().decode() == "1\r\nmerged é\r\n3\r\n"
    assert (made.path / "b.utf16").read_bytes().decode("utf-16-le") == "1\nmerged é\n3\n"


def test_a_file_that_is_not_utf_8_stays_what_it_is(tmp_path):
    made = conflict(
        tmp_path / "w", {"f": b"\xe9\xff\n1\n"}, {"f": b"\xe9\xff\n2 \xe4\n"}, {"f": b"\xe9\xff\n3 \xfc\n"}
    )
    call = kit(made)
    assert "shown as Latin-1" in call("show_conflict", conflict=0)
    call.refused("resolve_conflict", "U+20AC cannot be written", conflict=0, text="5 €")
    call("resolve_conflict", conflict=0, text="2 ä and 3 ü")
    finish(made, call)
    assert made.blob("f") == b"\xe9\xff\n2 \xe4 and 3 \xfc\n"


def test_form_feeds_and_the_like_are_no_line_ends(tmp_path):
    made = conflict(tmp_path / "w", {"f": b"1\n"}, {"f": b"2\n"}, {"f": b"3\n"})
    call = kit(made)
    text = "a\x0cb\x0bc\x1cd\u2028e\x85f\rg"
    call("resolve_conflict", conflict=0, text=text)
    finish(made, call)
    assert made.blob("f").decode() == text + "\n"


@pytest.mark.parametrize(
    "text",
    ["<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x", "a\n=======\nb", ">>>>>>> x", "a\n||||||| base\n", "<<<<<<<"],
)
def test_text_with_conflict_markers_is_refused(three, text):
    call = kit(three)
    before = (three.path / "f.py").read_bytes()
    call.refused("resolve_conflict", "conflict marker", conflict=0, text=text)
    call.refused("resolve_file", "conflict marker", path="f.py", content=text)
    assert (three.path / "f.py").read_bytes() == before
    assert "3 unresolved" in call("list_conflicts")


def test_text_that_only_reminds_of_markers_is_taken(three):
    call = kit(three)
    text = " <<<<<<< HEAD\n<<<<<<<< x\n========\n>>>>>> y\nx ======="
    for number in range(3):
        call("resolve_conflict", conflict=number, text=text)
    finish(three, call)
    assert three.blob("f.py").count(b"========\n") == 3


def test_headings_that_look_like_the_separator(tmp_path):
    made = conflict(
        tmp_path / "w",
        {"f": b"Changes\n=======\n\n1\n"},
        {"f": b"History\n=======\n\n1\n"},
        {"f": b"CHANGES\n=======\n\n1\n"},
    )
    call = kit(made)
    call("resolve_conflict", conflict=0, text="Changes\n=======" if made.blob("f") else "")
    finish(made, call)
    assert made.blob("f").startswith(b"Changes\n=======\n")


def test_a_file_about_conflict_markers_is_resolved_as_a_whole(tmp_path):
    example = b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n"
    made = conflict(tmp_path / "w", {"f": example + b"1\n"}, {"f": example + b"2\n"}, {"f": example + b"3\n"})
    call = kit(made)
    assert "look like conflict markers" in call("list_conflicts")
    call.refused("resolve_conflict", "as a whole", conflict=0, text="x")
    call("resolve_file", path="f", content=(example + b"2 and 3\n").decode())
    finish(made, call)
    assert made.blob("f") == example + b"2 and 3\n"


def test_the_attribute_for_the_marker_size_is_known(tmp_path):
    base = {".gitattributes": b"* conflict-marker-size=12\n", "f": b"<<<<<<< x\n1\n"}
    made = conflict(tmp_path / "w", base, {"f": b"<<<<<<< x\n2\n"}, {"f": b"<<<<<<< x\n3\n"})
    call = kit(made)
    assert "<<<<<<<<<<<< HEAD" in call("show_conflict", conflict=0)
    call("resolve_conflict", conflict=0, text="<<<<<<< not one here")
    finish(made, call)
    assert made.blob("f") == b"<<<<<<< x\n<<<<<<< not one here\n"


def test_diff3_style(tmp_path):
    made = conflict(tmp_path / "w", {"f": b"1\n"}, {"f": b"2\n"}, {"f": b"3\n"})
    made.git("checkout", "--conflict=diff3", "f")
    call = kit(made)
    assert "|||||||" in call("show_conflict", conflict=0)
    call("resolve_conflict", conflict=0, text="4")
    finish(made, call)
    assert made.blob("f") == b"4\n"


def test_conflicts_in_several_files_have_numbers_of_their_own(tmp_path):
    base, ours, theirs = many(ours=b"ours", theirs=b"theirs")
    names = ["b.py", "a/x.py", "a b.py", 'q"uote.py', "é.py", "-dash.py", "new\nline.py", b"\xff.py"]
    made = conflict(
        tmp_path / "w", dict.fromkeys(names, base), dict.fromkeys(names, ours), dict.fromkeys(names, theirs)
    )
    call = kit(made)
    assert "24 conflicts in 8 files" in call("list_conflicts")
    for number in range(23, -1, -1):
        call("resolve_conflict", conflict=number, text=f"n{number}")
    finish(made, call)
    texts = {made.bytes("cat-file", "blob", f"HEAD:{os.fsdecode(name)}") for name in names}
    assert len(texts) == 8


def test_names_in_quotes_are_understood(tmp_path):
    names = ["new\nline.py", b"\xff.py"]
    made = conflict(
        tmp_path / "w",
        dict.fromkeys(names, b"1\n"),
        dict.fromkeys(names, b"2\n"),
        dict.fromkeys(names, b"3\n"),
    )
    call = kit(made)
    listing = call("list_conflicts")
    for shown in (r'"new\nline.py"', r'"\377.py"'):
        assert shown in listing
        assert "<<<<<<<" in call("show_file", path=shown)
        assert "-2\n+3" in call("show_sides", path=shown)
        call("resolve_file", path=shown, choose="theirs")
    finish(made, call)


# -- whole files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("choose", ["ours", "theirs", "base", "delete"])
@pytest.mark.parametrize("deleted_by", ["ours", "theirs"])
def test_a_file_that_one_side_deleted(tmp_path, deleted_by, choose):
    sides = {"ours": {"f": b"2\n"}, "theirs": {"f": b"2\n"}} | {deleted_by: {"f": None, "other": b""}}
    made = conflict(tmp_path / "w", {"f": b"1\n"}, sides["ours"], sides["theirs"])
    call = kit(made)
    shown = call("show_conflict", conflict=0)
    assert f"deleted or renamed by {deleted_by}" in shown and f"{deleted_by}: does not have it" in shown
    call.refused("finish_merge", "unresolved: 0", message="m")
    call("resolve_file", path="f", choose=choose)
    finish(made, call)
    expected = {"base": b"1\n", "delete": None, deleted_by: None}.get(choose, b"2\n")
    assert (made.path / "f").exists() == (expected is not None)
    assert expected is None or made.blob("f") == expected


def test_the_sides_of_a_deleted_file_say_which_side_lacks_it(tmp_path):
    made = conflict(tmp_path / "w", {"f": b"1\n"}, {"f": None, "g": b""}, {"f": b"2\n"})
    call = kit(made)
    call.refused("show_sides", "ours lacks f here; base and theirs has it", path="f")
    assert "-1\n+2" in call("show_sides", path="f", compare="base-theirs")


def test_a_whole_file_resolved_again_and_again(tmp_path):
    made = conflict(tmp_path / "w", {"f": b"1\n"}, {"f": None, "g": b""}, {"f": b"2\n"})
    call = kit(made)
    steps = [{"choose": "delete"}, {"content": "3"}, {"choose": "theirs", "move_to": "d/h"}]
    for step in [*steps, {"choose": "ours"}, {"content": "4\n", "move_to": "i"}]:
        call("resolve_file", path="f", **step)
    finish(made, call)
    assert made.git("ls-tree", "-r", "--name-only", "HEAD").split() == ["g", "i"]
    assert made.blob("i") == b"4\n"
    assert not (made.path / "d").exists()


def test_a_file_renamed_differently_on_both_sides(tmp_path):
    text = lines(*range(30))
    made = conflict(tmp_path / "w", {"old": text}, {"old": None, "mine": text}, {"old": None, "yours": text})
    call = kit(made)
    listing = call("list_conflicts")
    assert "ours renamed old to mine; theirs renamed old to yours" in listing
    call("resolve_file", path="old", choose="delete")
    call("resolve_file", path="mine", choose="ours")
    call.refused("finish_merge", "unresolved", message="m")
    call("resolve_file", path="yours", choose="ours")
    finish(made, call)
    assert made.git("ls-tree", "--name-only", "HEAD") == "mine"


def test_a_rename_on_both_sides_with_other_text_has_markers_in_the_index(tmp_path):
    base = lines(*range(30))
    made = conflict(
        tmp_path / "w",
        {"old": base},
        {"old": None, "mine": base.replace(b"15\n", b"ours\n")},
        {"old": None, "yours": base.replace(b"15\n", b"theirs\n")},
    )
    call = kit(made)
    call("resolve_file", path="old", choose="delete")
    call("resolve_file", path="yours", choose="delete")
    call.refused("resolve_file", "conflict marker", path="mine", choose="ours")
    assert "<<<<<<<" in call("show_file", path="mine")
    call("resolve_file", path="mine", content=base.replace(b"15\n", b"both\n").decode())
    finish(made, call)
    assert made.blob("mine") == base.replace(b"15\n", b"both\n")


def test_a_renamed_file_with_a_conflict_inside(tmp_path):
    base = lines(*range(30))
    made = conflict(
        tmp_path / "w",
        {"old": base},
        {"old": None, "new": base.replace(b"15\n", b"ours\n")},
        {"old": base.replace(b"15\n", b"theirs\n")},
    )
    call = kit(made)
    call("resolve_conflict", conflict=0, text="both")
    finish(made, call)
    assert made.blob("new") == base.replace(b"15\n", b"both\n")


def test_binary_files(tmp_path):
    made = conflict(tmp_path / "w", {"f": b"\0\1"}, {"f": b"\0\2"}, {"f": b"\0\3"})
    call = kit(made)
    assert "binary" in call("list_conflicts")
    assert "is binary (2 bytes)" in call("show_file", path="f")
    assert "Binary files" in call("show_sides", path="f")
    call.refused("resolve_conflict", "as a whole", conflict=0, text="x")
    call("resolve_file", path="f", choose="theirs")
    finish(made, call)
    assert made.blob("f") == b"\0\3"


def test_a_binary_file_added_on_both_sides(tmp_path):
    made = conflict(tmp_path / "w", {"x": b""}, {"f": b"\0\2"}, {"f": b"\0\3"})
    call = kit(made)
    assert "added by both, binary" in call("list_conflicts")
    call.refused("resolve_file", "the merge base does not have it", path="f", choose="base")
    call("resolve_file", path="f", choose="ours")
    finish(made, call)
    assert made.blob("f") == b"\0\2"


def test_text_files_added_on_both_sides(tmp_path):
    made = conflict(tmp_path / "w", {"x": b""}, {"f": b"a\nb\n"}, {"f": b"a\nc\n"})
    call = kit(made)
    call("resolve_conflict", conflict=0, text="b\nc")
    finish(made, call)
    assert made.blob("f") == b"a\nb\nc\n"


@pytest.mark.parametrize("choose", ["ours", "theirs", None])
def test_symbolic_links(tmp_path, choose):
    made = conflict(tmp_path / "w", {"l": "one"}, {"l": "/etc/passwd"}, {"l": "three"})
    call = kit(made)
    shown = call("show_conflict", conflict=0)
    assert "a symbolic link to /etc/passwd" in shown and "root:" not in shown
    call.refused("show_file", "links are not followed", path="l")
    if choose:
        call("resolve_file", path="l", choose=choose)
    else:
        call("resolve_file", path="l", content="four\n")
    finish(made, call)
    target = {"ours": "/etc/passwd", "theirs": "three", None: "four"}[choose]
    assert str((made.path / "l").readlink()) == target
    assert made.git("ls-tree", "HEAD", "l").startswith("120000")


def test_a_file_against_a_symbolic_link(tmp_path):
    made = conflict(tmp_path / "w", {"x": b"1\n"}, {"f": b"text\n"}, {"f": "target"})
    call = kit(made)
    assert "f: the whole file: only theirs has it here (added or renamed), a symbolic link" in call(
        "list_conflicts"
    )
    call("resolve_file", path="f~HEAD", choose="delete")
    call("resolve_file", path="f", choose="theirs")
    finish(made, call)
    assert (made.path / "f").readlink() == Path("target")


def test_a_file_that_one_side_made_a_symbolic_link(tmp_path):
    made = conflict(tmp_path / "w", {"f": b"1\n"}, {"f": b"2\n"}, {"f": "target"})
    call = kit(made)
    for path in made.git("diff", "--name-only", "--diff-filter=U").split("\n"):
        call("resolve_file", path=path, choose="delete")
    finish(made, call)
    assert made.git("ls-tree", "HEAD") == ""


def test_submodules(tmp_path):
    made = Repository(tmp_path / "w")
    made.commit({"f": b"1\n"})
    names = {}
    for number, branch in enumerate(("base", "side", "main"), 1):
        if branch != "base":
            made.git("checkout", "-q", *(["-b", "side"] if branch == "side" else ["main"]))
        names[branch] = str(number) * 40
        made.git("update-index", "--add", "--cacheinfo", f"160000,{names[branch]},lib")
        made.commit_staged(branch)
        made.git("reset", "-q", "--hard")
    made.git("merge", "side", check=False)
    call = kit(made)
    assert "a submodule" in call("list_conflicts")
    assert names["side"] in call("show_sides", path="lib")
    call.refused("resolve_file", "a submodule: choose a side", path="lib", content="x")
    call("resolve_file", path="lib", choose="theirs")
    call("finish_merge", message="m")
    assert made.git("ls-tree", "HEAD", "lib").split()[:3] == ["160000", "commit", names["side"]]


def test_only_the_mode_conflicts(tmp_path):
    made = Repository(tmp_path / "w")
    made.commit({"x": b""})
    made.branch("side")
    made.write({"f": b"1\n"})
    (made.path / "f").chmod(0o755)
    made.commit({})
    made.git("checkout", "-q", "main")
    made.commit({"f": b"1\n"})
    made.git("merge", "side", check=False)
    call = kit(made)
    assert "executable in theirs only" in call("list_conflicts")
    call("resolve_file", path="f", choose="theirs")
    finish(made, call)
    assert made.git("ls-tree", "HEAD", "f").startswith("100755")


def test_a_file_in_the_place_of_a_folder(tmp_path):
    made = conflict(tmp_path / "w", {"x": b""}, {"f": b"file\n"}, {"f/g": b"inner\n"})
    call = kit(made)
    path = made.git("diff", "--name-only", "--diff-filter=U")
    assert path == "f~HEAD"
    call.refused("resolve_file", "f is a folder: it holds f/g", path=path, choose="ours", move_to="f")
    call.refused("resolve_file", "x is there already", path=path, choose="ours", move_to="x")
    call.refused("resolve_file", "x is a file", path=path, choose="ours", move_to="x/y")
    call("resolve_file", path=path, choose="ours", move_to="f/file")
    finish(made, call)
    assert made.git("ls-tree", "-r", "--name-only", "HEAD").split() == ["f/file", "f/g", "x"]
    assert not (made.path / "f~HEAD").exists()


def test_a_text_file_may_be_taken_as_a_whole_and_its_regions_after_that(three):
    call = kit(three)
    call("resolve_conflict", conflict=1, text="kept")
    call("resolve_file", path="f.py", choose="theirs")
    assert "resolved as a whole (theirs was chosen)" in call("show_conflict", conflict=0)
    call("resolve_conflict", conflict=0, text="both 2")
    assert "1 unresolved" in call("list_conflicts")
    call.refused("finish_merge", "unresolved: 2", message="m")
    call("resolve_conflict", conflict=2, text="both 20")
    finish(three, call)
    assert three.blob("f.py") == lines(*range(1, 21), l2=b"both 2", l10=b"kept", l20=b"both 20")


def test_a_whole_file_given_keeps_its_form(tmp_path):
    base, ours, theirs = many(ours=b"ours", theirs=b"theirs", end=b"\r\n", last=False)
    bom = "\ufeff".encode()
    made = conflict(tmp_path / "w", {"f": bom + base}, {"f": bom + ours}, {"f": bom + theirs})
    call = kit(made)
    call("resolve_file", path="f", content="a\nb\n")
    finish(made, call)
    assert made.blob("f") == bom + b"a\r\nb"


def test_arguments_that_contradict_each_other(three):
    call = kit(three)
    call.refused("resolve_file", "either choose or content", path="f.py")
    call.refused("resolve_file", "either choose or content", path="f.py", choose="ours", content="x")
    call.refused("resolve_file", "has no conflict", path="nosuch", choose="ours")
    assert call.rejects("resolve_file", path="f.py", choose="mine")


# -- other places ----------------------------------------------------------------------------------------


def test_what_the_merge_needs_beyond_the_conflicts_can_be_edited(tmp_path):
    base = {"f": b"1\n", "g": b"call(old)\r\nrest\r\n"}
    made = conflict(tmp_path / "w", base, {"f": b"2\n"}, {"f": b"3\n"})
    call = kit(made)
    call.refused("edit_file", "unresolved conflicts", path="f", old_text="1", new_text="2")
    call("edit_file", path="g", old_text="call(old)\nrest", new_text="call(new)\nmore\nrest")
    call.refused("edit_file", "stands 0 times", path="g", old_text="nosuch", new_text="2")
    call.refused("edit_file", "stands 2 times", path="g", old_text="re", new_text="2")
    call.refused("edit_file", "not a regular file that git tracks", path="nosuch", old_text="a", new_text="b")
    call("resolve_conflict", conflict=0, text="2 and 3")
    call("edit_file", path="f", old_text="2 and 3", new_text="2, 3")
    finish(made, call)
    assert made.blob("g") == b"call(new)\r\nmore\r\nrest\r\n"
    assert made.blob("f") == b"2, 3\n"


# -- finishing -------------------------------------------------------------------------------------------


def test_unresolved_conflicts_are_refused_one_after_the_other(three):
    call = kit(three)
    head = three.head
    for number in range(3):
        call.refused("finish_merge", "unresolved: " + ", ".join(map(str, range(number, 3))), message="m")
        call("resolve_conflict", conflict=number, text="x")
    assert three.head == head
    finish(three, call)


MESSAGES = [
    'It\'s "done"',
    "'; touch canary; '",
    "$(touch canary)",
    "--amend",
    "#7 fixed\n\n# not a comment\n\nBody",
    "Zeile é",
]


@pytest.mark.parametrize("message", MESSAGES)
def test_messages_arrive_as_they_were_given(three, message):
    call = kit(three)
    call("resolve_file", path="f.py", choose="ours")
    finish(three, call, message)
    assert three.git("log", "-1", "--format=%B").rstrip("\n") == message
    assert not list(three.path.glob("canary"))


@pytest.mark.parametrize(
    ("message", "problem"), [(" \n\n", "empty"), ("a\0b", "NUL"), ("\ud800", "surrogate")]
)
def test_messages_that_are_none(three, message, problem):
    call = kit(three)
    call("resolve_file", path="f.py", choose="ours")
    call.refused("finish_merge", problem, message=message)
    assert call.rejects("finish_merge", message="")
    finish(three, call)


def test_after_the_end_every_tool_says_so(three):
    call = kit(three)
    call("resolve_file", path="f.py", choose="ours")
    finish(three, call)
    for name, arguments in {
        "list_conflicts": {},
        "show_conflict": {"conflict": 0},
        "resolve_conflict": {"conflict": 0, "text": "x"},
        "resolve_file": {"path": "f.py", "choose": "ours"},
        "edit_file": {"path": "f.py", "old_text": "1", "new_text": "2"},
        "finish_merge": {"message": "m"},
    }.items():
        call.refused(name, "not in progress any more", **arguments)
    assert call.tools["finish_merge"].final


# -- beside a shell --------------------------------------------------------------------------------------


def test_what_was_staged_by_other_means_counts(three):
    call = kit(three)
    call("list_conflicts")
    three.write({"f.py": b"by hand\n"})
    call.refused("resolve_conflict", "changed by other means", conflict=0, text="x")
    call.refused("finish_merge", "unresolved", message="m")
    three.git("add", "f.py")
    finish(three, call)
    assert three.blob("f.py") == b"by hand\n"


def test_markers_that_were_staged_by_other_means_are_found(three):
    call = kit(three)
    call("list_conflicts")
    three.git("add", "-A")
    call.refused("finish_merge", "conflict markers are left in f.py line 2", message="m")
    call("resolve_file", path="f.py", choose="ours")
    finish(three, call)


def test_an_aborted_merge_is_noticed(three):
    call = kit(three)
    three.git("merge", "--abort")
    call.refused("finish_merge", "not in progress any more", message="m")


def test_what_is_not_staged_is_named(three):
    three.git("commit", "-q", "--allow-empty", "-m", "x", check=False)
    call = kit(three)
    call("resolve_file", path="f.py", choose="ours")
    three.write({"f.py": b"later\n"})
    assert "not staged and are not in it: f.py" in call("finish_merge", message="m")


def test_links_lead_nowhere(three, tmp_path):
    call = kit(three)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f.py").write_bytes(b"mine\n")
    (three.path / "passwd").symlink_to("/etc/passwd")
    (three.path / "out").symlink_to(outside)
    call.refused("show_file", "links are not followed", path="passwd")
    call.refused("show_file", "links are not followed", path="out/f.py")
    (three.path / "f.py").unlink()
    (three.path / "f.py").symlink_to(outside / "f.py")
    call.refused("show_file", "links are not followed", path="f.py")
    call("resolve_file", path="f.py", choose="ours", move_to="out/g.py")
    call("resolve_file", path="f.py", content="new")
    assert [path.name for path in outside.iterdir()] == ["f.py"]
    assert (outside / "f.py").read_bytes() == b"mine\n"
    assert not (three.path / "f.py").is_symlink()


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../outside", "a/../../outside", ".git/config", ".git/hooks/x"]
)
def test_paths_outside_are_refused_by_every_tool(three, tmp_path, path):
    (tmp_path / "outside").write_bytes(b"secret")
    call = kit(three)
    call.refused("show_file", path=path)
    call.refused("show_sides", path=path)
    call.refused("resolve_file", path=path, choose="ours")
    call.refused("resolve_file", path="f.py", choose="ours", move_to=path)
    call.refused("edit_file", path=path, old_text="secret", new_text="x")
    assert (tmp_path / "outside").read_bytes() == b"secret"


def test_links_in_the_repository_stop_the_tools(three, tmp_path):
    call = kit(three)
    index = three.path / ".git" / "index"
    index.rename(tmp_path / "index")
    index.symlink_to(tmp_path / "index")
    before = (tmp_path / "index").read_bytes()
    call.refused("resolve_conflict", ".git/index is neither", conflict=0, text="x")
    assert (tmp_path / "index").read_bytes() == before


def test_nothing_that_is_configured_runs(three, tmp_path):
    canary = tmp_path / "canary"
    call = kit(three)
    hooks = three.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in (
        "pre-commit",
        "commit-msg",
        "post-commit",
        "prepare-commit-msg",
        "pre-merge-commit",
        "post-index-change",
    ):
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >> {canary}\n")
        (hooks / name).chmod(0o755)
    run = f"sh -c 'echo ran >> {canary}; cat'"
    for name in ("filter.x.clean", "filter.x.smudge", "filter.x.process", "core.fsmonitor", "diff.x.textconv",
                 "diff.x.command", "gpg.program", "core.editor"):  # fmt: skip
        three.git("config", name, run)
    three.git("config", "core.hooksPath", str(hooks))
    three.git("config", "commit.gpgSign", "true")
    Path(three.path / ".gitattributes").write_text("* filter=x diff=x merge=x\n")
    call("show_sides", path="f.py")
    for number in range(3):
        call("resolve_conflict", conflict=number, text="x")
    call("finish_merge", message="m")
    assert not canary.exists()
