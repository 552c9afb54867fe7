"""git on a repository that somebody else may have written to, without reading their settings.

Tools work in the workspace while an agent that also has a shell can write to its `.git`: a filter, an
`fsmonitor`, a hook or a merge driver configured there would run outside of the agent's sandbox. git takes
configuration, hooks, `info/attributes` and grafts from the *common* directory of a repository; here that
is a folder of ours (`GIT_COMMON_DIR`, gitrepository-layout), whose refs lead back to the workspace.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import weakref
from pathlib import Path

from pytest_gitgoodbench.git.refused import Refused
from pytest_gitgoodbench.git.run import Git, fixed_dates

_CORE = "[core]\n\trepositoryFormatVersion = {}\n\tbare = false\n\tlogAllRefUpdates = false\n"
_CONFIG = {
    False: _CORE.format(0),
    True: _CORE.format(1) + "[extensions]\n\tobjectFormat = sha256\n",
}


class UnsafeRepository(Refused):
    """The repository holds something through which git could be led out of it; the message says what."""


class IsolatedGit:
    """git bound to `path` and `path/.git`, with our settings only.

    Attributes:
        git: runs commands. Call `check` first whenever somebody else may have acted since.
        path: the work tree.
        dot_git: the repository.
        scratch: a folder of ours outside of the workspace, removed with this object.
        null_oid: the object name that stands for nothing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.dot_git = self.path / ".git"
        common = Path(tempfile.mkdtemp(prefix="ggb-tools-"))
        self._remove = weakref.finalize(self, shutil.rmtree, common, ignore_errors=True)
        self.scratch = common / "scratch"
        self.scratch.mkdir()
        for name in ("refs", "packed-refs"):
            (common / name).symlink_to(self.dot_git / name)
        is_sha256 = self._is_sha256()
        (common / "config").write_text(_CONFIG[is_sha256], "utf-8")
        self.null_oid = "0" * (64 if is_sha256 else 40)
        self.git = Git(
            git_dir=self.dot_git,
            work_tree=self.path,
            env={
                "GIT_COMMON_DIR": str(common),
                "GIT_OBJECT_DIRECTORY": str(self.dot_git / "objects"),
                "GIT_NO_REPLACE_OBJECTS": "1",
                "GIT_NO_LAZY_FETCH": "1",
                **fixed_dates(),
            },
        )

    def _is_sha256(self) -> bool:
        """The hash function: the only setting of the workspace's own that counts."""
        own = self.dot_git / "config"
        try:
            return own.is_file() and "objectformat = sha256" in own.read_text("utf-8", "replace").lower()
        except OSError:
            return False

    def check(self) -> None:
        """Make sure that whatever git reads or writes below `.git` is there and nowhere else.

        git itself never puts a link there, and it would follow one when it replaces the index or a ref.

        Raises:
            UnsafeRepository: a link, pipe or device below `.git`, objects borrowed from elsewhere, or
                no repository any more.
        """
        for folder in (self.dot_git, self.dot_git / "objects", self.dot_git / "refs"):
            if not _is_folder(folder):
                raise UnsafeRepository(f"{folder.relative_to(self.path)} is not a folder any more")
        for name in ("alternates", "http-alternates"):
            if os.path.lexists(self.dot_git / "objects" / "info" / name):
                raise UnsafeRepository(f"objects are borrowed from elsewhere (.git/objects/info/{name})")
        folders = [self.dot_git]
        while folders:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        # Loose objects are never replaced, only added, by a name that git makes.
                        if len(entry.name) != 2 or Path(entry.path).parent.name != "objects":
                            folders.append(Path(entry.path))
                    elif not entry.is_file(follow_symlinks=False):
                        shown = Path(entry.path).relative_to(self.path)
                        raise UnsafeRepository(f"{shown} is neither a file nor a folder")


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False
