"""The report as a file: self-contained, escaped, replaced as a whole, split when it would be too large."""

from __future__ import annotations

import json
import re

import pytest

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.runs import figures, results
from pytest_gitgoodbench.runs.directory import RunDirectory
from pytest_gitgoodbench.runs.report import write_report
from pytest_gitgoodbench.runs.report.attempt import attempt
from pytest_gitgoodbench.runs.report.charts import rates
from pytest_gitgoodbench.runs.report.diff import MAX_LINES, lines_of, one_column, side_by_side
from pytest_gitgoodbench.runs.report.markup import Html, join, tag
from pytest_gitgoodbench.runs.report.transcript import MAX_TEXT, as_html
from tests.support.records import HOSTILE, a_run, many, record


def test_text_is_escaped_and_made_visible_html_is_not():
    assert tag("p", "a<b>&\"'", Html("<i>x</i>")) == "<p>a&lt;b&gt;&amp;&quot;&#x27;<i>x</i></p>"
    assert join(["\x1b[31m", None, ("\x00", "\u202e")]) == "␛[31m␀&lt;U+202E&gt;"


def test_attributes_are_escaped():
    made = tag("a", "x", href='"><script>', class_="c", data_x="1", hidden=True, open=False, title=None)
    assert made == '<a href="&quot;&gt;&lt;script&gt;" class="c" data-x="1" hidden>x</a>'


DIFF = """diff --git a/f b/f
--- a/f
+++ b/f
@@ -1,4 +1,5 @@ def f():
 same
--- looks like a header
-old
+new
++++ looks like one too
+more

@@ -9 +10 @@
-x
+y
... 5 more lines"""


def test_lines_of_a_diff_are_told_apart_by_the_hunks_counts():
    assert list(lines_of(DIFF)) == [
        ("header", "diff --git a/f b/f"),
        ("header", "--- a/f"),
        ("header", "+++ b/f"),
        ("hunk", "@@ -1,4 +1,5 @@ def f():"),
        ("same", "same"),
        ("old", "-- looks like a header"),
        ("old", "old"),
        ("new", "new"),
        ("new", "+++ looks like one too"),
        ("new", "more"),
        ("same", ""),
        ("hunk", "@@ -9 +10 @@"),
        ("old", "x"),
        ("new", "y"),
        ("header", "... 5 more lines"),
    ]


def test_side_by_side_pairs_what_was_replaced():
    made = side_by_side(DIFF, "truth", "result")
    cells = re.findall(r'<tr><td class="([a-z ]+)">([^<]*)</td><td class="([a-z ]+)">([^<]*)</td></tr>', made)
    assert cells == [
        ("same", "same", "same again", "same"),
        ("old", "-- looks like a header", "new", "new"),
        ("old", "old", "new", "+++ looks like one too"),
        ("none", "", "new", "more"),
        ("same", "", "same again", ""),
        ("old", "x", "new", "y"),
    ]


def test_a_diff_in_one_column_is_the_diff():
    assert re.sub(r"<[^>]*>", "", one_column(DIFF)) == DIFF.replace("\n\n", "\n \n") + "\n"


@pytest.mark.parametrize(
    "text", ["", "\n\n", "no diff at all", "@@ -1,900 +1,900 @@\n-only", "@@ broken", HOSTILE]
)
def test_what_is_no_diff_does_no_harm(text):
    assert side_by_side(text, "a", "b").startswith("<table")
    assert "<script>" not in side_by_side(text, "a", "b") + one_column(text)


def test_an_endless_diff_is_cut_with_a_mark():
    made = one_column("@@ -1,90000 +1,90000 @@\n" + "-x\n" * 90_000)
    assert made.count("<span") == MAX_LINES + 1
    assert "more lines" in made


def test_charts_stand_for_their_figures():
    records = [record(sample=f"s{n}", outcome="solved" if n < 5 else "unsolved") for n in range(20)]
    made = rates("all", {"all": figures.group(records)}, published=True)
    assert 'class="strict"' in made
    assert re.search(r'<rect[^>]* width="25.00%"[^>]* class="strict"', made)
    low, high = figures.group(records).strict.low, figures.group(records).strict.high
    assert f'x1="{100 * low:.2f}%" x2="{100 * high:.2f}%"' in made
    assert f'x1="{100 * 38 / 180:.2f}%"' in made
    assert 'class="published"' not in rates("all", {"all": figures.group(records)}, published=False)


def test_a_group_without_attempts_has_no_bar():
    made = rates("all", {"all": figures.group([])}, published=False)
    assert "<rect" not in made
    assert ">-<" in made


def test_transcripts_are_shown_with_calls_usage_and_events(tmp_path):
    file = tmp_path / "t.jsonl"
    call = {"id": "1", "function": {"name": "bash", "arguments": '{"command": "git log"}'}}
    broken = {"id": "2", "function": {"name": "bash", "arguments": '{"command": '}}
    lines = [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [call, broken, "odd"],
            "usage": {"prompt_tokens": 5, "cost": 0.5},
        },
        {"role": "tool", "content": "<b>out</b>" + "x" * (MAX_TEXT + 10), "tool_call_id": "1"},
        {"role": "user", "content": [{"type": "text", "text": "parts"}]},
        {"role": "event", "event": "retry", "fault": "429", "content": None},
        {"role": 5, "content": 7},
        ["no entry"],
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"role": "cut', "utf-8")
    made = "".join(as_html(file))
    assert made.count("<section") == 5
    for part in (
        "<b>bash</b>",
        "git log",
        "{&quot;command&quot;: ",
        "5 + 0 tokens, US$ 0.5000",
        "retry",
        "fault: 429",
        "parts",
    ):
        assert part in made
    assert "&lt;b&gt;out" in made
    assert "20 characters left out" in made


def test_a_very_long_transcript_is_cut_in_its_middle(tmp_path):
    file = tmp_path / "t.jsonl"
    file.write_text(
        "".join(json.dumps({"role": "user", "content": f"n{n}."}) + "\n" for n in range(1000)), "utf-8"
    )
    made = "".join(as_html(file))
    assert "n0." in made
    assert "n999." in made
    assert "n500." not in made
    assert "600 entries are only in the transcript" in made


def test_every_kind_of_attempt_is_shown(tmp_path):
    for entry in many(60, hostile=True):
        made = attempt(entry, None)
        assert entry.sample in made
        assert "<script" not in made
        assert all(part not in made for part in ("\x00", "\x1b", "\u202e"))


def test_the_report_needs_no_other_file_and_names_no_address(tmp_path):
    report = write_report(a_run(tmp_path / "run", list(many(30)), transcripts=2))
    text = report.read_text("utf-8")
    assert sorted(path.name for path in report.parent.iterdir()) == [
        "manifest.json",
        "report.html",
        "results.jsonl",
        "transcripts",
    ]
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", text)
    assert not re.search(r"@import|url\(", text)
    assert "default-src 'none'" in text.replace("&#x27;", "'")


def test_undecodable_text_does_not_keep_it_from_being_written(tmp_path):
    odd = record(outcome="unsolved", reasons=["caf\udce9"], brief="\ud800", agent_notes={"x": "\udfff"})
    assert "caf&lt;E9&gt;" in write_report(a_run(tmp_path / "run", [odd])).read_text("utf-8")


def test_only_the_latest_record_of_an_attempt_is_shown_but_all_are_paid(tmp_path):
    notes = {"prompt_tokens": 10, "completion_tokens": 1, "cost": 2.0}
    first = record(outcome="error", reasons=["gone"], agent_notes=notes)
    run = a_run(tmp_path / "run", [first])
    results.append(run.results_file, [record(agent_notes=notes)])
    text = write_report(run).read_text("utf-8")
    assert text.count("data-outcome=") == 1
    assert "US$ 4.00" in text


def test_too_large_a_report_has_its_attempts_beside_it_until_it_is_small_again(tmp_path):
    records = list(many(10))
    run = a_run(tmp_path / "run", records, transcripts=1)
    text = write_report(run, max_embedded=100).read_text("utf-8")
    files = sorted((run.path / "attempts").iterdir())
    assert len(files) == len(records)
    assert 'type="text/plain"' not in text
    for file in files:
        assert f'href="attempts/{file.name}"' in text
        assert "<script" not in file.read_text("utf-8")
        assert 'href="../transcripts/' in file.read_text("utf-8")
    again = write_report(run).read_text("utf-8")
    assert not (run.path / "attempts").exists()
    assert again.count('type="text/plain"') == len(records)


def test_a_run_without_attempts_has_a_report(tmp_path):
    assert "0 attempts" in write_report(a_run(tmp_path / "run", [])).read_text("utf-8")


def test_what_is_no_run_has_none(tmp_path):
    with pytest.raises(UserError):
        write_report(RunDirectory(tmp_path))
    assert not list(tmp_path.iterdir())
