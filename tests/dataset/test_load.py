"""Datasets from files: the forms that tables come in, and one line for each way in which one cannot be read."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from pytest_gitgoodbench.dataset.demo import ROWS_FILE
from pytest_gitgoodbench.dataset.load import Dataset, load
from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.settings import Settings


def rows() -> list[dict[str, str]]:
    with ROWS_FILE.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    for row in found:
        row.pop("", None)
    return found


def table(entries: list[dict[str, str]], **form: str) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, list(entries[0]), **form)  # type: ignore[arg-type]
    writer.writeheader()
    writer.writerows(entries)
    return file.getvalue()


def loaded(path: Path) -> Dataset:
    return load(Settings(dataset=str(path)))


def refused(name: Path | str) -> str:
    with pytest.raises(UserError) as caught:
        load(Settings(dataset=str(name)))
    message = str(caught.value)
    assert message.isprintable()
    return message


def test_demo_is_embedded_and_always_the_same() -> None:
    found = load(Settings(dataset="demo"))
    assert found.source == "embedded"
    assert found.samples == loaded(ROWS_FILE).samples
    assert found.fingerprint == loaded(ROWS_FILE).fingerprint
    assert len(found.fingerprint) == 64


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_csv_of_every_form_is_the_same_dataset(
    tmp_path: Path, separator: str, end: str, encoding: str
) -> None:
    path = tmp_path / "räume und rows.CSV"
    path.write_bytes(table(rows(), delimiter=separator, lineterminator=end).encode(encoding))
    assert loaded(path).fingerprint == load(Settings(dataset="demo")).fingerprint


def test_jsonl_and_parquet(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    entries = rows()
    lines, columns = tmp_path / "rows.jsonl", tmp_path / "rows.parquet"
    lines.write_text("\n\n".join(json.dumps(entry) for entry in entries), "utf-8")
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(entries), columns)
    assert loaded(lines).samples == loaded(columns).samples == load(Settings(dataset="demo")).samples


def test_words_for_nothing_stay_text_and_order_and_content_decide_the_fingerprint(tmp_path: Path) -> None:
    entries = [{**row, "topics": "NA"} for row in rows()]
    entries[0]["id"] = "NA"
    path = tmp_path / "rows.csv"
    path.write_text(table(entries), "utf-8")
    found = loaded(path)
    assert found.samples[0].id == "NA"
    assert found.samples[0].metadata["topics"] == "NA"
    path.write_text(table(entries[::-1]), "utf-8")
    assert loaded(path).fingerprint != found.fingerprint


def test_a_cell_larger_than_the_csv_module_allows_by_default(tmp_path: Path) -> None:
    entries = [{**row, "topics": "x" * 200_000} for row in rows()[:1]]
    path = tmp_path / "rows.csv"
    path.write_text(table(entries), "utf-8")
    assert len(str(loaded(path).samples[0].metadata["topics"])) == 200_000


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("rows.csv", b"", "has no rows"),
        ("rows.csv", b"id,name\n", "has no rows"),
        ("rows.csv", b"id,name\nx,a/b\n", "lacks columns: programming_language, scenario, sample_type"),
        ("rows.csv", bytes(range(256)), "cannot be read as CSV"),
        ("rows.csv", b'id,name\n"x,a/b\n', "cannot be read as CSV"),
        ("rows.csv", b"id,name\nx,a/b,more\n", "row 1 has more cells than the header"),
        ("rows.jsonl", b"{}\n[1]\n", "line 2 is no JSON object"),
        ("rows.jsonl", b"{}\nid: 3\n", "line 2 is no JSON"),
        ("rows.jsonl", b"[" * 100_000, "line 1 is no JSON"),
        ("rows.jsonl", b"\xff\xfe", "cannot be read as JSONL"),
        ("rows.jsonl", b"", "has no rows"),
        ("rows.parquet", b"PAR1 no more", "cannot be read as PARQUET"),
        ("rows.parquet", b"", "cannot be read as PARQUET"),
        ("rows.xlsx", b"PK", "is not a CSV, TSV, JSONL or Parquet file"),
    ],
)
def test_broken_file(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(content)
    message = refused(tmp_path / name)
    assert says in message
    assert name in message


def test_a_folder_and_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    assert "is not a CSV" in refused(tmp_path / "folder.csv")
    assert "is no file, and neither full, lite, train, demo nor a hub id" in refused(tmp_path / "none.csv")
    assert "is no file" in refused("fulll")
    assert "is no file" in refused("owner/rows.CSV")
    for odd in ("a\0b", "x" * 5000, "~nobody-of-that-name/rows.csv", ""):
        assert refused(odd).startswith("--ggb-dataset: ")


def test_a_link_to_itself(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").symlink_to("rows.csv")
    assert "rows.csv" in refused(tmp_path / "rows.csv")
