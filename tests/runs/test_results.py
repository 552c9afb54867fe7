"""`results.jsonl` holds whole lines only, whatever is killed while writing, and however full the disk is."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from pytest_gitgoodbench.errors import InfrastructureError, UserError
from pytest_gitgoodbench.runs import results
from tests.support.records import record

WRITER = """
    import sys
    from pathlib import Path
    from pytest_gitgoodbench.runs import results
    from pytest_gitgoodbench.runs.record import Record

    file, worker, size = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    print("ready", flush=True)
    for number in range(1_000_000):
        one = Record(id=f"{worker}-{number}", sample="s", scenario="merge", repository="a/b", language="java",
                     difficulty="easy", outcome="solved", worker=worker, patch=worker * size)
        results.append(file, [one])
        print(number, flush=True)
"""


def start_writer(file, worker, size):
    script = textwrap.dedent(WRITER)
    return subprocess.Popen(
        [sys.executable, "-c", script, str(file), worker, str(size)], stdout=subprocess.PIPE, text=True
    )


def test_what_was_appended_is_read_in_order(tmp_path):
    file = tmp_path / "results.jsonl"
    written = [record(sample=f"s{number}") for number in range(5)]
    results.append(file, written[:2])
    for one in written[2:]:
        results.append(file, [one])
    assert list(results.read(file)) == written
    assert file.read_bytes().count(b"\n") == 5


def test_no_file_is_no_records(tmp_path):
    assert list(results.read(tmp_path / "results.jsonl")) == []


def test_the_latest_record_wins_and_the_history_is_kept(tmp_path):
    file = tmp_path / "results.jsonl"
    error, other, solved = record(outcome="error", brief="long"), record(sample="other"), record(brief="long")
    results.append(file, [error, other, solved])
    assert [entry.outcome for entry in results.read(file)] == ["error", "solved", "solved"]
    latest = results.latest(file)
    assert [entry.sample for entry in latest.values()] == [solved.sample, "other"]
    assert latest[solved.id] == solved.shortened()
    assert list(results.each_latest(file)) == [other, solved]


@pytest.mark.parametrize("rest", [b'{"id": "half', b"\xff", b'{"id": "x"}', b"\0" * 200_000])
def test_a_half_written_line_is_passed_over_and_taken_away_by_the_next_writer(tmp_path, rest):
    file = tmp_path / "results.jsonl"
    results.append(file, [record(sample="first")])
    with file.open("ab") as stream:
        stream.write(rest)
    assert [entry.sample for entry in results.read(file)] == ["first"]
    results.append(file, [record(sample="second")])
    assert [entry.sample for entry in results.read(file)] == ["first", "second"]


def test_a_file_with_nothing_but_a_half_written_line(tmp_path):
    file = tmp_path / "results.jsonl"
    file.write_bytes(b'{"id"')
    one = record()
    results.append(file, [one])
    assert list(results.read(file)) == [one]


def test_a_damaged_line_in_the_middle_is_refused_by_number(tmp_path):
    file = tmp_path / "results.jsonl"
    results.append(file, [record()])
    with file.open("ab") as stream:
        stream.write(b"{broken\n")
    results.append(file, [record()])
    with pytest.raises(UserError, match="line 2, is damaged"):
        list(results.read(file))


def test_an_older_and_a_newer_schema_are_refused_by_name(tmp_path):
    file = tmp_path / "results.jsonl"
    for version, says in [(0, "version 0"), (99, "update it")]:
        file.write_text(json.dumps({**record().as_json(), "version": version}) + "\n", "utf-8")
        with pytest.raises(UserError, match=says):
            list(results.read(file))


def test_undecodable_bytes_from_git_survive(tmp_path):
    file = tmp_path / "results.jsonl"
    strange = record(log=["caf\udce9\u2028\x00\x1b[31m\x85"])
    results.append(file, [strange])
    assert list(results.read(file)) == [strange]
    assert len(file.read_bytes().splitlines()) == 1


def test_writers_killed_at_random_moments_leave_whole_lines_and_lose_nothing_they_had_reported(tmp_path):
    file = tmp_path / "results.jsonl"
    rng = random.Random(os.getpid())
    reported: set[str] = set()
    for generation in range(4):
        writers = [
            start_writer(file, f"w{generation}.{n}", rng.choice([10, 50_000, 400_000])) for n in range(3)
        ]
        for writer in writers:
            assert writer.stdout.readline() == "ready\n"
        for n, writer in enumerate(writers):
            time.sleep(rng.uniform(0, 0.12))
            writer.send_signal(signal.SIGKILL)
            out, _ = writer.communicate()
            reported |= {f"w{generation}.{n}-{number}" for number in out.split()}
    found = list(results.read(file))
    assert reported <= {entry.id for entry in found}
    assert len({entry.id for entry in found}) == len(found)
    assert len(found) > 4
    for entry in found:
        assert set(entry.patch) == set(entry.worker), "lines of several writers got mixed"
    # Whoever writes next finds a file it can go on with.
    one = record()
    results.append(file, [one])
    assert list(results.read(file))[-1] == one


LIMITED = """
    import resource, sys
    from pathlib import Path
    from pytest_gitgoodbench.errors import InfrastructureError
    from pytest_gitgoodbench.runs import results
    sys.path.insert(0, sys.argv[2])
    from tests.support.records import record

    file = Path(sys.argv[1])
    results.append(file, [record(sample="kept")])
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    try:
        results.append(file, [record(sample="too large", patch="x" * 10_000)])
    except InfrastructureError as error:
        print(error)
    results.append(file, [record(sample="small")])
"""


def test_what_does_not_fit_on_the_disk_is_not_written_at_all(tmp_path, request):
    file = tmp_path / "results.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(LIMITED), str(file), str(request.config.rootpath)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(file) in done.stdout
    assert "--ggb-resume" in done.stdout
    assert done.stdout.count("\n") == 1
    assert [entry.sample for entry in results.read(file)] == ["kept", "small"]


def test_a_full_device_is_named(tmp_path):
    file = tmp_path / "results.jsonl"
    file.symlink_to("/dev/full")
    with pytest.raises(InfrastructureError, match="No space left on device"):
        results.append(file, [record()])
