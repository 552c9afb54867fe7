"""The progress line is right at each moment, short, and leaves a terminal as it found it."""

from __future__ import annotations

import re

from pytest_gitgoodbench.runs.progress import Progress
from tests.support.records import many, record


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def plain(total, **options):
    written = []
    return Progress(total, False, written.append, clock=Clock(), **options), written


def test_the_line_tells_done_solved_errors_cost_and_time_left():
    clock = Clock()
    progress = Progress(10, False, lambda text: None, clock=clock)
    notes = {"prompt_tokens": 10, "completion_tokens": 1, "cost": 0.25}
    for outcome in ("solved", "unsolved", "error", "skipped"):
        clock.now += 30
        progress.update(record(sample=outcome, outcome=outcome, agent_notes=notes))
    assert progress.text() == "4/10 done, 1 solved (33.3 %), 1 error, 1 skipped, US$ 1.00, 3 min left"


def test_attempts_taken_over_cost_neither_time_nor_money():
    clock = Clock()
    progress = Progress(6, False, lambda text: None, clock=clock)
    notes = {"prompt_tokens": 10, "completion_tokens": 1, "cost": 5.0}
    for number in range(4):
        progress.update(record(sample=f"old{number}", agent_notes=notes), taken_over=True)
    assert progress.text() == "4/6 done, 4 solved (100.0 %)"
    clock.now += 60
    progress.update(record(sample="new"))
    assert progress.text() == "5/6 done, 5 solved (100.0 %), 1 min left"


def test_plain_lines_are_few_whole_and_end_with_the_last_attempt():
    progress, written = plain(1350)
    for number in range(1350):
        progress.update(record(sample=f"s{number}"))
    progress.close()
    assert 15 <= len(written) <= 21
    assert all(re.fullmatch(r"gitgoodbench: [^\n\x1b\r]+\n", line) for line in written)
    assert written[-1].startswith("gitgoodbench: 1,350/1,350 done")
    assert "left" not in written[-1]


def test_a_slow_run_prints_a_line_a_minute():
    clock, written = Clock(), []
    progress = Progress(1350, False, written.append, clock=clock)
    for number in range(5):
        clock.now += 61
        progress.update(record(sample=f"s{number}"))
    assert len(written) == 5


def test_a_run_that_was_cut_short_prints_where_it_stood():
    progress, written = plain(100)
    progress.update(record())
    assert not written
    progress.close()
    progress.close()
    assert written == ["gitgoodbench: 1/100 done, 1 solved (100.0 %), 0 s left\n"]


def test_on_a_terminal_one_line_is_rewritten_and_never_wraps():
    written = []
    records = list(many(40))
    progress = Progress(len(records), True, written.append, width=60, clock=Clock())
    for entry in records:
        progress.update(entry)
    assert len(written) == len(records)
    for text in written:
        assert text.startswith("\r\x1b[2K")
        assert "\n" not in text
        assert len(re.sub(r"\x1b\[[0-9;]*[mK]|\r", "", text)) < 60
    assert f"{len(records)}/{len(records)} done" in written[-1]
    progress.close()
    assert written[-1] == "\n"


def test_the_line_goes_away_for_other_output_and_comes_back():
    written = []
    progress = Progress(2, True, written.append, clock=Clock())
    progress.clear()
    assert written == []
    progress.update(record())
    progress.clear()
    assert written[-1] == "\r\x1b[2K"
    progress.close()
    assert len(written) == 2
    progress.show()
    assert "1/2 done" in written[-1]
