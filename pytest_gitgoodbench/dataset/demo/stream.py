"""From a story to a bare repository, by one `git fast-import`: the same hashes with every git."""

from __future__ import annotations

from pathlib import Path

from pytest_gitgoodbench.dataset.demo.story import Commit, Story
from pytest_gitgoodbench.git import Git

KEPT = "refs/ggb/"
"""Commits that no branch reaches stay in the repository under refs named after them."""


def build(story: Story, path: Path) -> dict[Commit, str]:
    """Make the bare, packed repository of a story.

    Args:
        story: the history.
        path: where; must not exist.

    Returns:
        The object names of the commits.

    Raises:
        GitError: git refused.
    """
    first = f"--initial-branch={story.default_branch}"
    # Later versions of git will make SHA-256 repositories unless told otherwise.
    Git()("init", "--quiet", "--bare", "--object-format=sha1", first, str(path))
    git = Git(git_dir=path)
    marks = path / "fast-import.marks"
    git.with_config({"fastimport.unpackLimit": "0"})(
        "fast-import", "--quiet", f"--export-marks={marks}", input=_stream(story)
    )
    by_mark = dict(line.split() for line in marks.read_text("ascii").splitlines())
    marks.unlink()
    names = {commit: by_mark[f":{commit.number}"] for commit in story.commits}
    refs = [f"create refs/heads/{branch} {names[tip]}" for branch, tip in story.heads.items()]
    refs += [f"create {KEPT}{names[tip]} {names[tip]}" for tip in story.kept]
    refs.append(f"delete {_BUILDING}")
    git("update-ref", "--stdin", input="".join(f"{line}\n" for line in refs).encode())
    git("pack-refs", "--all")
    return names


_BUILDING = "refs/building"
"""Where fast-import puts each commit; parents are always given, so the ref's own past does not matter."""


def _stream(story: Story) -> bytes:
    out = bytearray()
    for commit in story.commits:
        # Without this, a commit without parents would get what the ref points at as its parent.
        out += b"reset %s\n" % _BUILDING.encode()
        out += b"commit %s\nmark :%d\n" % (_BUILDING.encode(), commit.number)
        who = f"{commit.author.name} <{commit.author.mail}>"
        when = f"{int(commit.date.timestamp())} {commit.date.strftime('%z')}"
        out += f"author {who} {when}\ncommitter {who} {when}\n".encode()
        out += _data(commit.message)
        for word, parent in zip(("from", "merge"), commit.parents, strict=False):
            out += b"%s :%d\n" % (word.encode(), parent.number)
        before = commit.parents[0].tree if commit.parents else {}
        for path in sorted(before.keys() - commit.tree.keys()):
            out += f"D {path}\n".encode()
        for path, content in sorted(commit.tree.items()):
            if before.get(path) != content:
                out += f"M 100644 inline {path}\n".encode() + _data(content)
        out += b"\n"
    return bytes(out)


def _data(text: str) -> bytes:
    data = text.encode()
    return b"data %d\n%s\n" % (len(data), data)
