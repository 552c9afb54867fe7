"""The configuration that agents and we have in common lets git do its ordinary work."""

from __future__ import annotations

from tests.support.repository import Repository


def test_differences_are_shown(tmp_path):
    repository = Repository(tmp_path / "work")
    repository.commit({"f": b"1\n"})
    repository.write({"f": b"2\n"})
    assert "+2" in repository.git("diff")


def test_messages_keep_lines_that_look_like_comments(tmp_path):
    repository = Repository(tmp_path / "work")
    base = repository.commit({"f": b"1\n"})
    repository.commit({"g": b"1\n"}, "#7 in the middle")
    repository.commit({"h": b"1\n"}, "#8 at the end")
    first, second = repository.git("log", "--reverse", "--format=%H", f"{base}..").split()
    repository.git("reset", "-q", "--hard", base)
    repository.git("cherry-pick", second, first)
    assert repository.messages(base) == ["#8 at the end", "#7 in the middle"]
