"""Files that are broken, unusual or large: each is read, or refused in one line that names the file."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from pytest_gitgoodbench.dataset.load import load
from pytest_gitgoodbench.settings import Settings
from tests.dataset.test_load import loaded, refused, rows, table
from tests.support.upstream import obeying_permissions

DEMO = load(Settings(dataset="demo"))


def parquet(entries: pyarrow.Table) -> bytes:
    written = io.BytesIO()
    pyarrow.parquet.write_table(entries, written)
    return written.getvalue()


def columns(**more: Any) -> pyarrow.Table:
    """The demo's rows with further columns, each of one value over and over."""
    entries = pyarrow.Table.from_pylist(rows())
    for name, (value, kind) in more.items():
        entries = entries.append_column(name, pyarrow.array([value] * len(entries), kind))
    return entries


# -- unusual, and read -----------------------------------------------------------------------------------


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_what_a_spreadsheet_on_windows_writes(tmp_path: Path, separator: str) -> None:
    text = table(rows(), delimiter=separator, lineterminator="\r\n") + "\r\n"
    path = tmp_path / "Tabelle 1.csv"
    path.write_bytes(text.encode("utf-8-sig"))
    assert loaded(path).fingerprint == DEMO.fingerprint


@pytest.mark.parametrize("end", ["\r", "\n\n", "\r\n\r\n"])
def test_other_line_ends_and_empty_lines_between(tmp_path: Path, end: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(table(rows(), lineterminator=end).encode())
    assert loaded(path).fingerprint == DEMO.fingerprint


def test_jsonl_with_byte_order_mark_windows_line_ends_and_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    lines = [json.dumps(row) for row in rows()]
    path.write_bytes("\r\n \t\r\n".join(lines).encode("utf-8-sig"))
    assert loaded(path).fingerprint == DEMO.fingerprint


def test_jsonl_with_what_json_itself_forbids_or_text_cannot_hold(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    row = {**rows()[0], "stargazers": float("nan"), "topics": "a \ud800 b", "license": "\u2028\x85"}
    path.write_text(json.dumps(row), "utf-8")
    (sample,) = loaded(path).samples
    json.dumps(dict(sample.metadata)).encode("utf-8")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (1, pyarrow.timestamp("us")),
        (2**62, pyarrow.duration("us")),
        (b"\xff", pyarrow.binary()),
        ({"a": [1]}, None),
        (float("nan"), pyarrow.float64()),
        (None, pyarrow.null()),
    ],
)
def test_parquet_with_columns_of_other_types(tmp_path: Path, value: object, kind: object) -> None:
    path = tmp_path / "rows.parquet"
    path.write_bytes(parquet(columns(more=(value, kind))))
    found = loaded(path).samples
    assert len(found) == len(DEMO.samples)
    json.dumps(dict(found[0].metadata))


def test_a_file_of_twenty_thousand_rows(tmp_path: Path) -> None:
    entries = rows()
    many = [{**entries[n % len(entries)], "id": f"row_{n}", "topics": "x" * 200} for n in range(20_000)]
    path = tmp_path / "large.csv"
    path.write_text(table(many), "utf-8")
    assert path.stat().st_size > 8_000_000
    assert len(loaded(path).samples) == 20_000


def test_a_file_whose_every_row_is_wrong_is_told_in_one_short_line(tmp_path: Path) -> None:
    many = [{**rows()[0], "id": f"row_{n}", "name": "x" * 300} for n in range(5000)]
    path = tmp_path / "large.csv"
    path.write_text(table(many), "utf-8")
    message = refused(path)
    assert "5000 rows break its rules" in message
    assert len(message) < 3000


# -- broken ----------------------------------------------------------------------------------------------

GOOD = table(rows())
PARQUET = parquet(columns())


def test_ids_that_are_there_twice(tmp_path: Path) -> None:
    entries = rows()
    path = tmp_path / "rows.csv"
    path.write_text(table([*entries, entries[0], entries[3]]), "utf-8")
    message = refused(path)
    assert f"{entries[0]['id']}: id: is there twice" in message
    assert f"{entries[3]['id']}: id: is there twice" in message


@pytest.mark.parametrize("missing", ["id", "name", "programming_language", "scenario", "sample_type"])
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_column_is_missing(tmp_path: Path, form: str, missing: str) -> None:
    entries = [{name: value for name, value in row.items() if name != missing} for row in rows()]
    path = tmp_path / f"rows.{form}"
    if form == "csv":
        path.write_text(table(entries), "utf-8")
    elif form == "jsonl":
        path.write_text("\n".join(map(json.dumps, entries)), "utf-8")
    else:
        path.write_bytes(parquet(pyarrow.Table.from_pylist(entries)))
    assert f"lacks columns: {missing} " in refused(path)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (GOOD.replace("id,name", "id,id,name", 1).encode(), "the column 'id' is there twice"),
        (GOOD.encode("utf-16"), "cannot be read as CSV"),
        (GOOD.encode() + "é".encode("latin-1"), "cannot be read as CSV"),
        (GOOD.encode()[:-150], "cannot be read as CSV"),
        (GOOD.replace("owner", "ow\0ner", 1).encode() + b"\0", "break"),
        (table(rows(), delimiter="|").encode(), "cannot be read as CSV"),
        (GOOD.encode() + b"an_id\n", "an_id: name: is missing"),
        (b"id\x1b[2J\x07,name\n1,2\n", "lacks columns: id"),
        (b"\n\n\n", "has no rows"),
        (b"\xef\xbb\xbf", "has no rows"),
        (b"\0" * 5000, "rows"),
        (b"<!DOCTYPE html>\n<html><body>Sign in</body></html>\n", "lacks columns"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "lacks columns"),
    ],
)
def test_broken_csv(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(content)
    assert says in refused(path)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b'{"id": ', "line 3 is no JSON"),
        (b"null", "line 3 is no JSON object"),
        (b'{"a": 1} {"b": 2}', "line 3 is no JSON"),
        (b'{"stargazers": ' + b"9" * 6000 + b"}", "line 3 is no JSON"),
        (b'{"a":' * 100_000, "line 3 is no JSON"),
        (b"{'id': 'x'}", "line 3 is no JSON"),
        (b'{"id": "\xff"}', "cannot be read as JSONL"),
        (b"{}", "row 3: id: is missing"),
    ],
)
def test_jsonl_with_a_bad_line(tmp_path: Path, line: bytes, says: str) -> None:
    good = [json.dumps(row).encode() for row in rows()]
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\n".join([*good[:2], line, *good[2:]]))
    assert says in refused(path)


@pytest.mark.parametrize("kept", [0, 4, 8, 100, len(PARQUET) // 2, len(PARQUET) - 9, len(PARQUET) - 1])
def test_parquet_cut_short(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "rows.parquet"
    path.write_bytes(PARQUET[:kept])
    assert "cannot be read as PARQUET" in refused(path)


@pytest.mark.parametrize(
    "content",
    [
        PARQUET[:200] + b"\xff" * 200 + PARQUET[400:],
        GOOD.encode(),
        parquet(columns(seen=(2**62, pyarrow.timestamp("us")))),  # a year that Python's dates do not have
        parquet(columns(seen=(2**31 - 1, pyarrow.date32()))),
        parquet(pyarrow.table([columns()["id"], *columns().columns], ["id", *columns().column_names])),
    ],
    ids=["damaged", "CSV", "timestamp", "date", "a column twice"],
)  # fmt: skip
def test_parquet_that_cannot_be_read(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "rows.parquet"
    path.write_bytes(content)
    assert "cannot be read as PARQUET" in refused(path)


def test_parquet_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    path.write_bytes(parquet(columns().slice(0, 0)))
    assert "has no rows" in refused(path)


# -- not even a file -------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_folder_a_pipe_and_a_device(tmp_path: Path, form: str) -> None:
    folder, pipe, device = (tmp_path / f"{name}.{form}" for name in ("folder", "pipe", "device"))
    folder.mkdir()
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path in (folder, pipe, device):
        assert "is not a CSV, TSV, JSONL or Parquet file" in refused(path)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("protect", ["file", "folder"])
def test_no_permission(tmp_path: Path, form: str, protect: str) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    path = folder / f"rows.{form}"
    path.write_bytes(PARQUET if form == "parquet" else GOOD.encode())
    closed = path if protect == "file" else folder
    closed.chmod(0)
    script = (
        "import sys\nfrom pytest_gitgoodbench.cli import main\n"
        "sys.exit(main(['fetch', '--ggb-dataset', *sys.argv[1:]]))"
    )
    try:
        done = subprocess.run(
            [
                *obeying_permissions(),
                sys.executable,
                "-c",
                script,
                str(path),
                f"--ggb-cache-dir={tmp_path / 'cache'}",
            ],
            capture_output=True,
            text=True,
        )
    finally:
        closed.chmod(0o700)
    assert done.returncode == 2
    assert done.stderr.startswith("ggb: --ggb-dataset: ")
    assert done.stderr.count("\n") == 1
    assert str(path) in done.stderr
