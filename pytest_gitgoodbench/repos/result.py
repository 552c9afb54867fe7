"""Read what an agent left behind, without running or believing anything found in the workspace.

HEAD, refs and the state files are read as plain files; the objects that HEAD adds to the store are
re-packed and re-hashed into a fresh bare repository with our configuration, and all further questions
are asked there. So no hook, filter, alias or setting of the workspace can be executed, no replace ref,
graft, shallow mark or commit-graph can show another history than the one that is there, and no object
can pretend to a name that its content does not hash to.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pytest_gitgoodbench.errors import GitError
from pytest_gitgoodbench.git import Git, environment, text
from pytest_gitgoodbench.git.run import time_limit
from pytest_gitgoodbench.repos import template
from pytest_gitgoodbench.repos.start_state import StartState
from pytest_gitgoodbench.repos.store import Store

MOST_BYTES = 1 << 30
"""A result whose new objects take more than this, packed, is not read."""
SECONDS = 120.0
"""A result that takes longer than this to pack is not read."""
_USAGE = 129  # git's exit status for an option that it does not know

_OBJECT_NAME = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MOST_SYMREFS = 5  # as many as git itself follows (refs.c, SYMREF_MAXDEPTH)
_READER_CONFIG = {
    "core.commitGraph": "false",
    "core.multiPackIndex": "false",
    "core.bigFileThreshold": "16m",
    "core.fsync": "none",  # nobody reads it after this evaluation
    "pack.threads": "1",
}

# The files by which git knows that an operation is under way (wt-status.c, wt_status_get_state).
_STATE_FILES = (
    ("merge", "MERGE_HEAD"),
    ("rebase", "rebase-merge"),
    ("am", "rebase-apply/applying"),
    ("rebase", "rebase-apply"),
    ("cherry-pick", "CHERRY_PICK_HEAD"),
    ("revert", "REVERT_HEAD"),
    ("cherry-pick", "sequencer"),
    ("bisect", "BISECT_LOG"),
)


class _Unreadable(Exception):
    """Why HEAD cannot be read."""


@dataclass(frozen=True)
class Result:
    """What an agent left.

    Attributes:
        git: git bound to a fresh bare repository that holds HEAD's objects beside the store's.
        head: the commit HEAD resolves to; None when there is none that can be read.
        problem: one line that says why `head` is None.
        in_progress: the operation left under way: `merge`, `rebase`, `cherry-pick`, `revert`, `am`,
            `bisect`, or None.
        unmerged: paths with unmerged index entries.
        index: the workspace's index file, None when it cannot be read.
    """

    git: Git
    head: str | None
    problem: str = ""
    in_progress: str | None = None
    unmerged: tuple[str, ...] = ()
    index: Path | None = None

    def staged(self) -> tuple[str, ...]:
        """Paths whose index entry differs from HEAD's tree; empty when that cannot be found out."""
        if self.index is None or self.head is None:
            return ()
        git = self.git.with_env(GIT_INDEX_FILE=str(self.index))
        with contextlib.suppress(GitError):
            changed = git("diff-index", "--cached", "--name-only", "--no-renames", "-z", self.head)
            return tuple(text(path) for path in changed.split(b"\0") if path)
        return ()


def read_result(workspace: Path, store: Store, scratch: Path, start: StartState, templates: Path) -> Result:
    """Read a workspace after its agent has acted (and nothing of the agent runs any more).

    What the agent was given is taken from us, everything else must be in the workspace. Otherwise an agent that
    knows the name of the maintainers' commit or tree could claim it without having made it.

    Args:
        workspace: the work tree.
        store: the upstream's store.
        scratch: an empty folder of ours for the evaluation's repository.
        start: what the agent was given.
        templates: as for `workspace.create`.

    Raises:
        GitError: the store or the template is broken.
        OSError: a file cannot be written.
    """
    form = _object_format(store)
    result = Git(git_dir=_bare(scratch / "result.git", form), timeout=SECONDS)
    dot_git = workspace / ".git"
    try:
        _check_folders(dot_git)
        head = _resolve_head(dot_git)
        if len(head) != len(_any_name(form)):
            raise _Unreadable("HEAD names an object in another hash function than the upstream's")
        _borrow(result, template.objects(templates, store, start))
        if head not in start.visible:
            reader = Git(git_dir=_bare(scratch / "reader.git", form), config=_READER_CONFIG)
            _borrow(reader, dot_git / "objects")
            _import(reader, result, head, start.visible)
        index = _regular(dot_git / "index", MOST_BYTES)
        # Beside each other: neither needs anything of the other.
        with ThreadPoolExecutor(1) as beside:
            unmerged = beside.submit(_unmerged, result, index)
            commit = _peel(result, head, start.visible)
    except _Unreadable as problem:
        return Result(result, None, str(problem), _in_progress(dot_git))
    # Not before it is certain that all of HEAD is there without it.
    _borrow(result, store.path / "objects")
    return Result(
        git=result,
        head=commit,
        in_progress=_in_progress(dot_git),
        unmerged=unmerged.result(),
        index=index,
    )


# -- the repository's files, read as files -----------------------------------------------------------


def _check_folders(dot_git: Path) -> None:
    for folder in (dot_git, dot_git / "objects"):
        try:
            mode = folder.lstat().st_mode
        except OSError:
            raise _Unreadable(f"there is no {_shown(folder)} any more") from None
        if not stat.S_ISDIR(mode):
            raise _Unreadable(f"{_shown(folder)} was replaced by something that is no folder")
    for name in ("alternates", "http-alternates"):
        file = dot_git / "objects" / "info" / name
        if os.path.lexists(file) and (file.is_symlink() or not file.is_file() or file.stat().st_size):
            raise _Unreadable(f"the repository borrows objects from elsewhere (objects/info/{name})")
    if os.path.lexists(dot_git / "reftable"):
        raise _Unreadable("the refs were converted to a format that is not read here (reftable)")


def _shown(path: Path) -> str:
    return path.name if path.name == ".git" else f".git/{path.name}"


def _regular(path: Path, most: int) -> Path | None:
    """The path if it is a regular file (no link, pipe or device) of at most `most` bytes."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return path if stat.S_ISREG(found.st_mode) and found.st_size <= most else None


def _read(dot_git: Path, name: str, most: int = 4096) -> str | None:
    """Content of a small file below `.git`, None when there is none; no link is followed on the way."""
    path = dot_git
    try:
        for part in name.split("/")[:-1]:
            path = path / part
            if path.is_symlink() or not path.is_dir():
                return None
        path = dot_git / name
        if not os.path.lexists(path):
            return None
        if _regular(path, most) is None:
            raise _Unreadable(f".git/{name} is not a regular file of a sensible size")
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:  # noqa: PTH123
            return text(file.read(most))
    except OSError as error:
        raise _Unreadable(f".git/{name[:100]} cannot be read: {error.strerror}") from None


def _resolve_head(dot_git: Path) -> str:
    name = "HEAD"
    for _ in range(_MOST_SYMREFS):
        content = _read(dot_git, name)
        if content is None:
            content = _packed(dot_git).get(name)
        if content is None:
            raise _Unreadable(
                "there is no HEAD any more" if name == "HEAD" else f"HEAD is at {name}, which does not exist"
            )
        value = content.strip()
        if not value.startswith("ref:"):
            if not _OBJECT_NAME.fullmatch(value):
                raise _Unreadable(f"{name} holds no object name")
            return value
        name = value[4:].strip()
        if not name.startswith("refs/") or ".." in name or "//" in name or not name.isprintable():
            raise _Unreadable("HEAD is at something that is no ref name")
    raise _Unreadable("HEAD is a symbolic ref without an end")


def _packed(dot_git: Path) -> dict[str, str]:
    content = _read(dot_git, "packed-refs", most=64 << 20) or ""
    pairs = (line.split(" ", 1) for line in content.splitlines() if " " in line and line[0] not in "#^")
    return {name: value for value, name in pairs}


def _in_progress(dot_git: Path) -> str | None:
    # Unlike pathlib this never raises, whatever an agent has forbidden us.
    if os.path.islink(dot_git):  # noqa: PTH114
        return None
    for operation, name in _STATE_FILES:
        if os.path.lexists(dot_git / name):
            return operation
    return None


def _unmerged(result: Git, index: Path | None) -> tuple[str, ...]:
    if index is None:
        return ()
    try:
        entries = result.with_env(GIT_INDEX_FILE=str(index))("ls-files", "--unmerged", "-z")
    except GitError:
        return ()
    paths = [text(entry.partition(b"\t")[2]) for entry in entries.split(b"\0") if entry]
    return tuple(dict.fromkeys(paths))


# -- objects -----------------------------------------------------------------------------------------


def _object_format(store: Store) -> str:
    config = store.path / "config"
    found = config.read_text("utf-8", "replace").lower() if config.exists() else ""
    return "sha256" if re.search(r"objectformat\s*=\s*sha256", found) else "sha1"


def _any_name(form: str) -> str:
    return "0" * (64 if form == "sha256" else 40)


def _bare(path: Path, form: str) -> Path:
    """A bare repository of ours, made by hand, since `git init` costs a process."""
    (path / "objects" / "info").mkdir(parents=True)
    (path / "objects" / "pack").mkdir()
    (path / "refs").mkdir()
    (path / "HEAD").write_text("ref: refs/heads/none\n")
    extension = "[extensions]\n\tobjectFormat = sha256\n" if form == "sha256" else ""
    version = 1 if extension else 0
    (path / "config").write_text(f"[core]\n\trepositoryFormatVersion = {version}\n\tbare = true\n{extension}")
    return path


def _borrow(git: Git, objects: Path) -> None:
    """Let a repository find the objects of another object store instead of any that it borrowed so far."""
    assert git.git_dir is not None
    alternates = git.git_dir / "objects" / "info" / "alternates"
    alternates.write_bytes(os.fsencode(objects.resolve()) + b"\n")


def _import(reader: Git, result: Git, head: str, known: Sequence[str]) -> None:
    """Pack what HEAD adds to `known`, and hash it again into a repository of ours.

    What is added must lead to nothing that is neither added nor known, as our own copies of `known` have it: an agent
    can put a forged copy of a known commit into its object store and so make the packing leave things out.
    """
    revisions = "".join([f"{head}\n", *(f"^{name}\n" for name in known)])
    pack = reader.argv("pack-objects", "--quiet", "--revs", "--stdout", "--delta-base-offset")
    unpack = result.with_config(_READER_CONFIG).argv(
        "index-pack", "--stdin", "--check-self-contained-and-connected", f"--max-input-size={MOST_BYTES}"
    )
    env = environment({"GIT_NO_REPLACE_OBJECTS": "1", "GIT_NO_LAZY_FETCH": "1"})
    pipe = subprocess.PIPE
    with (
        # A file: nobody reads along, and a pipe would be full after a few hundred damaged files.
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            pack, stdin=pipe, stdout=pipe, stderr=errors, env=env, start_new_session=True
        ) as packer,
        subprocess.Popen(
            unpack, stdin=packer.stdout, stdout=pipe, stderr=errors, env=env, start_new_session=True
        ) as unpacker,
        time_limit(SECONDS, packer, unpacker) as too_late,
    ):
        assert packer.stdin is not None and packer.stdout is not None
        packer.stdout.close()
        try:
            with contextlib.suppress(BrokenPipeError):
                packer.stdin.write(revisions.encode())
                packer.stdin.close()
            unpacker.communicate()
            packer.wait()
        finally:
            packer.kill()
            unpacker.kill()
        errors.seek(0)
        said = text(errors.read(1 << 20))
    if too_late.is_set():
        raise _Unreadable(f"its objects could not be read within {SECONDS:.0f} s")
    for command, process in (("pack-objects", packer), ("index-pack", unpacker)):
        if process.returncode == _USAGE:
            raise GitError((command,), _USAGE, said)
    # 1: what was added leads to something known (builtin/index-pack.c: "not self contained").
    if packer.returncode or unpacker.returncode not in (0, 1):
        _check_known(result, known)
        raise _Unreadable(_why_not_imported(said))


def _why_not_imported(said: str) -> str:
    if "maximum allowed size" in said:
        return f"the objects it adds take more than {MOST_BYTES >> 20} MiB"
    if "did not receive expected object" in said:
        return "HEAD names objects that the workspace does not have"
    lines = [line for line in said.splitlines() if line.startswith(("fatal:", "error:"))]
    return f"HEAD's objects cannot be read: {(lines or ['git gave no reason'])[0][:200]}"


def _peel(result: Git, head: str, known: Sequence[str]) -> str:
    """The commit behind HEAD."""
    if head in known:
        return head
    try:
        return result.line("rev-parse", "--verify", "--quiet", f"{head}^{{commit}}")
    except GitError:
        _check_known(result, known)
        raise _Unreadable("HEAD's commit is not there, or is no commit") from None


def _check_known(result: Git, known: Sequence[str]) -> None:
    """Damage of what is ours is not the agent's fault.

    Raises:
        GitError: what the agent was given cannot be read from our own copy either.
    """
    result("rev-list", "--objects", "--no-walk", "--quiet", *known)
