"""The sandbox of what agents start: bubblewrap, with nothing writable but the workspace."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.git.run import HERMETIC_CONFIG

_SCRATCH = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108


@dataclass(frozen=True)
class Sandbox:
    """How a program of an agent is started.

    Attributes:
        kind: `none` or `bwrap`.
        hidden: folders that a program in the sandbox finds empty: caches, the run directory, other workspaces.
        reason: why there is none, for the header.
    """

    kind: str = "none"
    hidden: tuple[Path, ...] = ()
    reason: str = ""

    def describe(self) -> str:
        """For the header."""
        return self.kind + (f" ({self.reason})" if self.reason else "")

    def wrap(self, argv: Sequence[str], *, writable: Sequence[Path], network: bool) -> list[str]:
        """The command line that runs `argv` in the sandbox.

        Args:
            writable: folders it may write to; the first is where it starts.
            network: whether it may use the network.
        """
        if self.kind == "none":
            return list(argv)
        command = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
        homes = {Path("~").expanduser(), Path("/root"), Path("/home"), Path("/tmp"), Path("/var/tmp")}  # noqa: S108
        # Shorter paths first: a folder inside a hidden one must be bound after the hiding.
        for folder in sorted({path.resolve() for path in (*homes, *self.hidden)}, key=lambda p: len(p.parts)):
            if folder.is_dir():
                command += ["--tmpfs", str(folder)]
                for program in _programs(argv):
                    if kept := _kept(folder, program):
                        command += ["--ro-bind", str(kept), str(kept)]
        # git needs our configuration, which is in a hidden folder where the package is installed in a home.
        command += ["--ro-bind", str(HERMETIC_CONFIG), str(HERMETIC_CONFIG)]
        for folder in writable:
            command += ["--bind", str(folder.resolve()), str(folder.resolve())]
        command += ["--unshare-all", "--die-with-parent", "--new-session"]
        if network:
            command.append("--share-net")
        return [*command, "--chdir", str(writable[0].resolve()), "--", *argv]


def _programs(argv: Sequence[str]) -> list[Path]:
    found = shutil.which(argv[0]) if argv else None
    return [Path(found), Path(found).resolve()] if found else []


def _kept(folder: Path, program: Path) -> Path | None:
    """What of a hidden folder a program in it needs: where it is installed, e.g. `~/.local`, `~/.pyenv`."""
    if folder not in program.parents:
        return None
    if folder in _SCRATCH:
        return program.parent
    return folder / program.relative_to(folder).parts[0]


@cache
def _probe() -> str:
    """Why bubblewrap does not work here; "" when it does."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    argv = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "true"]
    try:
        done = subprocess.run(argv, capture_output=True, timeout=20, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap cannot be run: {error}"
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return (
        "" if done.returncode == 0 else f"bubblewrap does not work here: {(said or ['no reason given'])[-1]}"
    )


def choose(wanted: str, hidden: tuple[Path, ...]) -> Sandbox:
    """The sandbox for `--ggb-sandbox`.

    Args:
        wanted: `auto` (bubblewrap where it works), `none` or `bwrap`.
        hidden: folders to hide.

    Raises:
        UserError: `bwrap` was asked for and does not work.
    """
    if wanted == "none":
        return Sandbox(reason="agents' programs can read and write whatever you can")
    problem = _probe()
    if not problem:
        return Sandbox("bwrap", hidden)
    if wanted == "bwrap":
        raise UserError(f"--ggb-sandbox=bwrap: {problem}; install bubblewrap or use --ggb-sandbox=none")
    return Sandbox(reason=problem)
