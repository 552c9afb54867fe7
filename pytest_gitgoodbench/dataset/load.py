"""Loading a dataset: from the Hugging Face hub, a file, or the embedded demo."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_gitgoodbench.dataset.rows import REQUIRED, samples_of
from pytest_gitgoodbench.dataset.sample import Sample, as_fields
from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.settings import Settings

HUB = {
    "full": "JetBrains/git_good_bench",
    "lite": "JetBrains/git_good_bench-lite",
    "train": "JetBrains/git_good_bench-train",
}
FILES = (".csv", ".tsv", ".jsonl", ".parquet")
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True)
class Dataset:
    """A dataset as it was loaded.

    Attributes:
        id: as the user named it.
        source: the hub id or path.
        revision: the hub's commit, None where there is none.
        pinned: whether the user asked for that very revision.
        fingerprint: SHA-256 of the samples in order, 64 hex digits.
        samples: all rows.
    """

    id: str
    source: str
    revision: str | None
    pinned: bool
    fingerprint: str
    samples: tuple[Sample, ...]

    def describe(self) -> str:
        """For the header: name, source, revision and whether it is pinned."""
        where = "" if self.source == self.id else f" ({self.source})"
        revision = ""
        if self.source != "embedded" and Path(self.source).suffix not in FILES:
            revision = f" at {self.revision[:12]}" if self.revision else ""
            revision += "" if self.pinned else ", unpinned"
        return f"{self.id}{where}{revision}, {len(self.samples)} samples"


def load(settings: Settings) -> Dataset:
    """Load the dataset that the settings name.

    Raises:
        UserError: it cannot be read, or rows break the rules; one line that says what to try.
    """
    name = settings.dataset
    if name == "demo":
        from pytest_gitgoodbench.dataset import demo

        return _dataset(name, "embedded", None, True, _csv(demo.ROWS_FILE))
    try:
        path = Path(name).expanduser()
        exists = path.exists()
    except (OSError, ValueError, RuntimeError):  # too long, a NUL, the home of nobody, no permission
        raise UserError(
            f"--ggb-dataset: {name[:200]!r} is no path that can be read; check its spelling"
        ) from None
    if name in HUB or (_HUB_ID.fullmatch(name) and path.suffix.lower() not in FILES and not exists):
        rows, revision = _hub(HUB.get(name, name), settings)
        pinned = bool(settings.revision and re.fullmatch(r"[0-9a-f]{40}", settings.revision))
        return _dataset(name, HUB.get(name, name), revision, pinned, rows)
    return _dataset(name, name, None, True, _file(path))


def _dataset(
    name: str, source: str, revision: str | None, pinned: bool, rows: Iterable[Mapping[str, object]]
) -> Dataset:
    found = list(rows)
    if not found:
        raise UserError(f"the dataset {name!r} has no rows; give one that has some (--ggb-dataset)")
    missing = [column for column in REQUIRED if not any(column in row for row in found)]
    if missing:
        raise UserError(f"the dataset {name!r} lacks columns: {', '.join(missing)} (see docs/datasets.md)")
    samples = samples_of(found)
    digest = hashlib.sha256()
    encode = json.JSONEncoder(sort_keys=True, default=as_fields).encode
    for sample in samples:
        digest.update(encode(sample).encode("utf-8", "surrogatepass"))
    return Dataset(name, source, revision, pinned, digest.hexdigest(), samples)


# -- files ---------------------------------------------------------------------------------------------


def _file(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        raise UserError(
            f"--ggb-dataset: {str(path)!r} is no file, and neither full, lite, train, demo nor a hub id "
            "(owner/name); check its spelling"
        )
    readers = {".csv": _csv, ".tsv": _csv, ".jsonl": _jsonl, ".parquet": _parquet}
    reader = readers.get(path.suffix.lower())
    if reader is None or not path.is_file():
        raise UserError(f"--ggb-dataset: {str(path)!r} is not a CSV, TSV, JSONL or Parquet file; give one")
    try:
        return reader(path)
    except UserError:
        raise
    except (OSError, ValueError, OverflowError, csv.Error) as error:  # overflow: a date that Python has not
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(
            f"--ggb-dataset: {str(path)!r} cannot be read as {path.suffix[1:].upper()}: {reason}; check the file"
        ) from error


def _csv(path: Path) -> list[dict[str, Any]]:
    csv.field_size_limit((1 << 31) - 1)
    with path.open(encoding="utf-8-sig", newline="") as file:
        head = file.readline()
        delimiter = max(",;\t", key=head.count)
        file.seek(0)
        # Strict: an open quote is an error instead of swallowing the rest of the file.
        reader = csv.DictReader(file, delimiter=delimiter, strict=True)
        names = list(filter(None, reader.fieldnames or ()))
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"the column {twice[0][:60]!r} is there twice")
        rows = list(reader)
    for number, row in enumerate(rows, 1):
        if None in row:
            raise ValueError(f"row {number} has more cells than the header")
        row.pop("", None)  # the published files have an unnamed index column first
    return rows


def _jsonl(path: Path) -> list[dict[str, Any]]:
    rows = []
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):
                    raise ValueError(f"line {number} is no JSON") from None
                if not isinstance(row, dict):
                    raise ValueError(f"line {number} is no JSON object")
                rows.append(row)
    return rows


def _parquet(path: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet

    try:
        rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    except pyarrow.ArrowException as error:
        raise ValueError(str(error)) from error
    return rows


# -- the hub -------------------------------------------------------------------------------------------


def _hub(source: str, settings: Settings) -> tuple[list[dict[str, Any]], str | None]:
    """Rows and commit of a dataset of the hub, through the `datasets` library."""
    if settings.offline:
        # Both libraries read these when they are imported.
        os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"
    try:
        import datasets

        datasets.disable_progress_bars()
        revision = settings.revision
        if not settings.offline:
            from huggingface_hub import HfApi

            # Without a pin, what is loaded is still one certain commit, and is recorded.
            revision = HfApi().dataset_info(source, revision=revision).sha or revision
        loaded = datasets.load_dataset(source, revision=revision)
        splits = list(loaded.values())
        if settings.offline:
            # Offline, the library takes what it loaded last, whatever revision was asked for.
            cached = _cached_commit(splits)
            if revision not in (None, cached):
                raise ValueError(f"the cache has {cached or 'an unknown commit'} of it, not {revision}")
            revision = cached
        return [row for split in splits for row in split.to_list()], revision
    except UserError:
        raise
    except Exception as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
        raise UserError(
            f"the dataset {source} cannot be loaded from the hub: {reason}; check its name and --ggb-revision, "
            "the network (--ggb-offline takes what was loaded last), or give a CSV, JSONL or Parquet file "
            "(--ggb-dataset=demo needs no network)"
        ) from error


def _cached_commit(splits: Iterable[Any]) -> str | None:
    """The commit that a dataset of the cache was made from: the library names the folder after it."""
    folders = {Path(file["filename"]).parent.name for split in splits for file in split.cache_files}
    found = [folder for folder in folders if re.fullmatch(r"[0-9a-f]{40}", folder)]
    return found[0] if len(found) == len(folders) == 1 else None
