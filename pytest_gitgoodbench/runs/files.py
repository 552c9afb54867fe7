"""Files of a run: safe names, new folders, and writing in one step."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from pathlib import Path

from pytest_gitgoodbench.errors import InfrastructureError


def file_name(id: str) -> str:
    """A safe file name for an attempt's id; different ids have different names."""
    return f"{safe_name(id, 120)}-{hashlib.sha256(id.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def write_atomically(file: Path, text: str, *, durable: bool = True) -> None:
    """Put a text into a file in one step: whoever reads it sees the old or the new one, whole.

    Args:
        durable: return only when it is on the disk.

    Raises:
        InfrastructureError: it cannot be written.
    """
    beside = file.with_name(f".{file.name}.{os.getpid()}.new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
            if durable:
                stream.flush()
                os.fsync(stream.fileno())
        beside.replace(file)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise InfrastructureError(f"{file} cannot be written: {error.strerror or error}") from error


def safe_name(text: str, length: int) -> str:
    """The part of a text that can stand in a file name, never empty, at most so long."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text)[:length].strip("-.") or "run"


def make_new(wanted: Path) -> Path:
    """Make a folder that was not there, with a number at its end where the name is taken.

    Raises:
        OSError: it cannot be made.
    """
    for number in range(1, 10_000):
        path = wanted if number == 1 else wanted.with_name(f"{wanted.name}-{number}")
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            continue
        return path
    raise FileExistsError(f"{wanted} and 9,999 more exist")
