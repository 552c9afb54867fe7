"""`results.jsonl`: a record a line, appended by several processes, whole lines only whatever is killed."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from pytest_gitgoodbench.errors import InfrastructureError, UserError
from pytest_gitgoodbench.runs.record import Record, record_from

_CHUNK = 1 << 16


def append(file: Path, records: Iterable[Record]) -> None:
    """Write records at the end of the file; when this returns they are on the disk.

    Writers take turns by a lock that the kernel gives back when a process dies. What a killed writer
    left half-written is taken away by the next one; what cannot be written whole is not written at all.

    Raises:
        InfrastructureError: the file cannot be written (disk full, no permission).
    """
    data = b"".join(_line(record) for record in records)
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            end = _repair(descriptor)
            try:
                _write_all(descriptor, data)
                os.fsync(descriptor)
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(descriptor, end)
                raise
        finally:
            os.close(descriptor)
    except OSError as error:
        raise InfrastructureError(
            f"{file} cannot be written ({error.strerror or error}); what it holds is whole, "
            "and --ggb-resume continues this run"
        ) from error


def _line(record: Record) -> bytes:
    # ASCII: a lone surrogate (undecodable bytes from git) survives, and no reader splits at U+2028.
    return json.dumps(record.as_json(), separators=(",", ":")).encode("ascii") + b"\n"


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _repair(descriptor: int) -> int:
    """Take away an unfinished last line. Returns the file's size then."""
    size = os.fstat(descriptor).st_size
    end = size
    while end > 0:
        start = max(0, end - _CHUNK)
        newline = os.pread(descriptor, end - start, start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end < size:
        os.ftruncate(descriptor, end)
    return end


def read(file: Path) -> Iterator[Record]:
    """All records, oldest first; none when there is no file. An unfinished last line is passed over.

    Raises:
        UserError: a line is no record, or of a schema version that cannot be read.
    """
    try:
        stream = file.open("rb")
    except FileNotFoundError:
        return
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror or error}") from error
    with stream:
        for number, line in enumerate(stream, 1):
            if not line.endswith(b"\n"):
                return
            source = f"{file}, line {number},"
            try:
                data = json.loads(line)
            except ValueError:
                raise UserError(f"{source} is damaged: remove the line to go on without it") from None
            yield record_from(data, source)


def latest(file: Path, *, long: bool = False) -> dict[str, Record]:
    """The latest record of each id, in the order in which the ids were first written.

    Args:
        long: keep the long parts (histories, patch, brief, ...), which may need much memory.

    Raises:
        UserError: as for `read`.
    """
    found: dict[str, Record] = {}
    for record in read(file):
        found[record.id] = record if long else record.shortened()
    return found


def each_latest(file: Path) -> Iterator[Record]:
    """The latest record of each id with its long parts, one at a time, in the order of `latest`'s lines.

    Raises:
        UserError: as for `read`.
    """
    last = {record.id: number for number, record in enumerate(read(file))}
    for number, record in enumerate(read(file)):
        if last.get(record.id) == number:
            yield record
