"""Run git hermetically: bytes in, bytes out, no configuration but ours, no prompts, a time limit."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_gitgoodbench.errors import GitError, UserError

HERMETIC_CONFIG = Path(__file__).with_name("hermetic.gitconfig")

OLDEST_GIT = "2.34"

# Dates of whatever we create ourselves: any fixed instant does, so that object names repeat.
FIXED_DATE = "2025-01-01T00:00:00+00:00"

# How git reaches a server is the user's business; every other GIT_* variable could move the
# repository, the index or the identity (a pytest that runs in a git hook has several of them set).
_TRANSPORT_VARIABLES = frozenset(
    {
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_SSH_VARIANT",
        "GIT_SSL_CAINFO",
        "GIT_SSL_CAPATH",
        "GIT_SSL_CERT",
        "GIT_SSL_KEY",
        "GIT_PROXY_SSL_CAINFO",
        "GIT_EXEC_PATH",
    }
)


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment in which git (and whatever an agent starts) runs.

    It is the calling process's, without any `GIT_*` variable that is not about transport, plus the
    hermetic configuration, a fixed identity and fixed dates, and no way to prompt.

    Args:
        extra: variables to add, last.
    """
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _TRANSPORT_VARIABLES
    }
    env.update(
        {
            "GIT_CONFIG_GLOBAL": str(HERMETIC_CONFIG),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "true",
            "SSH_ASKPASS": "true",
            "GIT_LFS_SKIP_SMUDGE": "1",
            "GIT_PAGER": "cat",
            "GIT_EDITOR": "true",
            "GIT_SEQUENCE_EDITOR": "true",
            "GIT_MERGE_AUTOEDIT": "no",
            "LC_ALL": "C",
            "TZ": "UTC",
        }
    )
    env.setdefault("GIT_SSH_COMMAND", "ssh -oBatchMode=yes")
    env.update(extra or {})
    return env


def fixed_dates() -> dict[str, str]:
    """Environment variables that pin author and committer dates, for deterministic commits."""
    return {"GIT_AUTHOR_DATE": FIXED_DATE, "GIT_COMMITTER_DATE": FIXED_DATE}


@dataclass(frozen=True)
class Git:
    """git bound to one repository.

    Attributes:
        git_dir: the repository (`--git-dir`), or None for commands that need none.
        work_tree: the work tree; commands run there. None for bare repositories.
        env: variables added to `environment()`.
        config: `-c name=value` settings of every command.
        timeout: seconds after which a command, with its children, is ended.
    """

    git_dir: Path | None = None
    work_tree: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 600.0

    def with_env(self, **env: str) -> Git:
        """The same repository with variables added."""
        return replace(self, env={**self.env, **env})

    def with_config(self, config: Mapping[str, str]) -> Git:
        """The same repository with settings added."""
        return replace(self, config={**self.config, **config})

    def argv(self, *args: str) -> list[str]:
        """The whole command line for `args`, for callers that start the process themselves."""
        command = ["git"]
        for name, value in self.config.items():
            command += ["-c", f"{name}={value}"]
        if self.git_dir is not None:
            command.append(f"--git-dir={self.git_dir}")
        if self.work_tree is not None:
            command.append(f"--work-tree={self.work_tree}")
        return [*command, *args]

    def run(
        self, *args: str, input: bytes | None = None, timeout: float | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command, whatever its exit status.

        Raises:
            GitError: it did not end within its time limit.
            UserError: there is no git on this machine, or none that can be started.
        """
        try:
            process = subprocess.Popen(
                self.argv(*args),
                stdin=subprocess.DEVNULL if input is None else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment(self.env),
                cwd=self.work_tree or self.git_dir,
                start_new_session=True,
            )
        except OSError as error:
            if error.filename != "git":
                if error.filename is not None:  # the folder to run in
                    raise GitError(args, 128, f"{error.filename}: {error.strerror}") from error
                raise
            if isinstance(error, FileNotFoundError):
                raise UserError(f"git is not on PATH: install git {OLDEST_GIT} or newer") from error
            if error.errno in (errno.EACCES, errno.ENOEXEC, errno.ENOTDIR):
                raise UserError(
                    f"the git on PATH cannot be started ({error.strerror}): install git {OLDEST_GIT} or newer"
                ) from error
            raise
        seconds = timeout or self.timeout
        with process, time_limit(seconds, process) as too_late:
            try:
                out, err = process.communicate(input)
            except BaseException:
                _kill_group(process)
                raise
        if too_late.is_set():
            raise GitError(args, None, f"no end after {seconds:g} s")
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def __call__(self, *args: str, input: bytes | None = None, timeout: float | None = None) -> bytes:
        """Run a command that must succeed, and return its standard output.

        Raises:
            GitError: exit status other than 0, or out of time.
        """
        done = self.run(*args, input=input, timeout=timeout)
        if done.returncode:
            raise GitError(args, done.returncode, text(done.stderr))
        return done.stdout

    def line(self, *args: str, input: bytes | None = None) -> str:
        """Standard output of a command that prints one line (an object name, a ref), decoded."""
        return text(self(*args, input=input)).strip()


@contextlib.contextmanager
def time_limit(seconds: float, *processes: subprocess.Popen[bytes]) -> Iterator[threading.Event]:
    """End processes that lead their own sessions, with their children, if they have not ended in time.

    The time limits of `subprocess` look again after a sleep of a millisecond, as long as most git commands take.

    Yields:
        What is set when the time is over.
    """
    too_late = threading.Event()

    def end() -> None:
        too_late.set()
        for process in processes:
            _kill_group(process)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield too_late
    finally:
        timer.cancel()


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def text(data: bytes) -> str:
    """Decode what git printed, for people to read: UTF-8, replacement characters for the rest."""
    return data.decode("utf-8", "replace")


def path_text(data: bytes) -> str:
    """Decode a path so that it can be encoded back (`os.fsencode`)."""
    return os.fsdecode(data)
