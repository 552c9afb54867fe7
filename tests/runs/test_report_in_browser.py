"""The report in a real browser: opens, filters, sorts, shows attempts, prints, and runs nobody's script."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_gitgoodbench.runs.report import write_report
from tests.support.browser import CHROMIUM, Browser
from tests.support.records import a_run, many, record

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
    # One browser for all tests of this file.
    pytest.mark.xdist_group("browser"),
]

ATTACK = (
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "</pre></details><style>body{display:none}</style><a href=\"javascript:document.title='owned'\">x</a>"
    "<iframe src='file:///etc/passwd'></iframe><meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@pytest.fixture(autouse=True)
def _a_quiet_page(browser):
    browser.size(1280)
    browser.media()
    browser.complaints.clear()
    browser.requests.clear()
    yield
    assert browser.complaints == []
    assert [url for url in browser.requests if not url.startswith(("file:", "about:", "data:"))] == []


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    records = list(many(40, hostile=True))
    return write_report(
        a_run(tmp_path_factory.mktemp("runs") / "run", records, transcripts=4, dataset="lite")
    )


def rows(browser):
    return browser.js("document.querySelectorAll('#attempts tbody tr:not([hidden])').length")


def test_it_opens_and_tells_the_rates(browser, report):
    browser.open(report)
    assert browser.js("document.title") == "mymodel on GitGoodBench"
    assert rows(browser) == browser.js("document.querySelectorAll('#attempts tbody tr').length") > 60
    assert browser.js("document.querySelectorAll('.chart svg').length") == 1 + 3 + 3 + 3
    assert browser.js("document.querySelectorAll('svg line.published').length") == 10
    assert browser.js("Array.from(document.querySelectorAll('svg rect')).every(r => r.getBBox().width >= 0)")


def test_it_fits_a_phone_and_a_desktop(browser, report):
    for width in (360, 1280):
        browser.size(width)
        browser.open(report)
        assert browser.js("document.documentElement.scrollWidth") <= width
        browser.open(report, "#a5")
        browser.wait("document.querySelector('#attempt').open")
        assert browser.js("document.querySelector('#attempt').scrollWidth") <= width


def test_filters_choose_rows_and_count_them(browser, report):
    browser.open(report)
    everything = rows(browser)
    browser.js(
        "document.querySelector('select[name=scenario]').value = 'rebase';"
        "document.querySelector('.filters').dispatchEvent(new Event('input', {bubbles: true}))"
    )
    chosen = rows(browser)
    assert 0 < chosen < everything
    assert browser.js(
        "Array.from(document.querySelectorAll('#attempts tbody tr:not([hidden])'))"
        ".every(row => row.cells[1].textContent === 'rebase')"
    )
    assert browser.js("document.querySelector('output').value").startswith(
        f"{chosen} of {everything} attempts, "
    )
    browser.js(
        "document.querySelector('input[name=text]').value = 'no such text';"
        "document.querySelector('.filters').dispatchEvent(new Event('input', {bubbles: true}))"
    )
    assert rows(browser) == 0


def test_columns_sort_both_ways_numbers_as_numbers(browser, report):
    browser.open(report)
    column = browser.js(
        "Array.from(document.querySelectorAll('#attempts th')).findIndex(th => th.textContent === 'seconds')"
    )
    read = (
        "Array.from(document.querySelectorAll('#attempts tbody tr'))"
        f".map(row => row.cells[{column}].textContent).filter(text => text).map(Number)"
    )
    click = f"document.querySelectorAll('#attempts th button')[{column}].click()"
    browser.js(click)
    up = browser.js(read)
    browser.js(click)
    assert up == sorted(up)
    assert browser.js(read) == up[::-1]


def test_an_attempt_opens_from_its_row_its_address_and_its_neighbour(browser, report):
    browser.open(report)
    browser.js("document.querySelector('#attempts tbody tr:nth-child(2) td').click()")
    browser.wait("document.querySelector('#attempt').open && document.querySelector('#details h2')")
    first = browser.js("document.querySelector('#details h2').textContent")
    browser.js("document.querySelector('#attempt button[value=next]').click()")
    browser.wait(f"document.querySelector('#details h2').textContent !== {first!r}")
    second = browser.js("document.querySelector('#details h2').textContent")
    browser.js("document.querySelector('#attempt button[value=close]').click()")
    browser.wait("!document.querySelector('#attempt').open && location.hash === ''")
    browser.open(report, "#a2")
    browser.wait(f"document.querySelector('#details h2')?.textContent === {second!r}")


def test_an_attempt_shows_all_its_parts(browser, report):
    browser.open(report)
    number = browser.js(
        "Array.from(document.querySelectorAll('#attempts tbody tr')).findIndex("
        "row => row.dataset.outcome === 'unsolved' && row.dataset.scenario === 'commit')"
    )
    browser.open(report, f"#a{number}")
    browser.wait("document.querySelector('#details summary')")
    parts = browser.js(
        "Array.from(document.querySelectorAll('article > details > summary')).map(s => s.textContent)"
    )
    assert parts == [
        "What the agent was told",
        "Where the result differs from the ground truth",
        "Both histories as the judge saw them",
        "The judge's answers",
        "Transcript",
        "What the agent noted",
    ]
    assert browser.js("document.querySelectorAll('#details table.diff td.new').length") > 0
    assert browser.js("document.querySelectorAll('#details .entry.tool').length") == 4
    assert browser.js("document.querySelectorAll('#details .answers tr').length") == 3


def test_text_of_agents_is_shown_and_does_nothing(browser, tmp_path):
    attack = record(
        sample="attack",
        outcome="unsolved",
        reasons=[ATTACK],
        checks=[{"name": ATTACK, "passed": False, "detail": ATTACK, "paper": True}],
        log=[ATTACK],
        patch=f"diff --git a/{ATTACK}\n@@ -1 +1 @@ {ATTACK}\n-{ATTACK}\n+{ATTACK}",
        brief=ATTACK,
        traceback=ATTACK,
        judge_note=ATTACK,
        answers=[{"judge": ATTACK, "preferred": ATTACK, "reason": ATTACK, "agent_first": True, "vote": 1}],
        histories={side: [{"message": ATTACK, "diff": ATTACK}] for side in ("agent", "original")},
        metrics={ATTACK: ATTACK},
        agent_notes={ATTACK: [ATTACK]},
        worker=ATTACK,
    )
    merge = replace(attack, id="merge[2]", histories=None)
    run = a_run(tmp_path / "run", [attack, merge], transcripts=1)
    for file in run.transcripts.iterdir():
        file.write_text(
            '{"role": "%s", "content": "%s", "x": "%s"}\n' % ((ATTACK.replace('"', "'"),) * 3), "utf-8"
        )
    report = write_report(run)
    for fragment in ("", "#a0", "#a1"):
        browser.open(report, fragment)
        if fragment:
            browser.wait("document.querySelector('#details article')")
            assert (
                browser.js("document.querySelector('#details').innerText").count("<script>document.title") > 5
            )
        assert browser.js("document.title") == "mymodel on GitGoodBench"
        assert (
            browser.js(
                "document.querySelectorAll('img, iframe, main style, #details style, #details script').length"
            )
            == 0
        )
        assert browser.js("document.querySelectorAll('a[href^=javascript]').length") == 0
        assert browser.js("getComputedStyle(document.body).display") == "block"


def test_scripts_would_not_run_even_unescaped(browser, report):
    browser.open(report, "#a1")
    browser.wait("document.querySelector('#details article')")
    browser.js(
        "document.querySelector('#details').innerHTML = `<img src=x onerror=\"document.title='owned'\">`;"
        "const own = document.createElement('script'); own.textContent = \"document.title='owned'\";"
        "document.body.append(own)"
    )
    browser.wait("document.title === 'mymodel on GitGoodBench'")
    assert any("Content Security Policy" in complaint for complaint in browser.complaints)
    browser.complaints.clear()


def test_files_beside_the_report_show_the_same(browser, tmp_path):
    run = a_run(tmp_path / "run", list(many(12)), transcripts=2)
    report = write_report(run, max_embedded=1000)
    browser.open(report)
    browser.js("document.querySelector('#attempts tbody tr td').click()")
    browser.wait("location.pathname.includes('/attempts/') && document.querySelector('article h2')")
    assert browser.js("document.querySelectorAll('article .entry').length") > 2
    browser.js("document.querySelector('main a').click()")
    browser.wait("location.pathname.endsWith('/report.html')")


def test_it_prints(browser, report):
    browser.open(report)
    assert browser.pdf().startswith(b"%PDF")
    browser.media("print")
    assert browser.js("getComputedStyle(document.querySelector('.filters')).display") == "none"
    assert rows(browser) > 60
    browser.open(report, "#a3")
    browser.wait("document.querySelector('#details article')")
    assert browser.js("getComputedStyle(document.querySelector('main')).display") == "none"


def test_it_is_dark_where_the_reader_wants_that(browser, report):
    browser.media(scheme="dark")
    browser.open(report)
    assert browser.js("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 29)"


def test_1350_attempts_open(browser, tmp_path):
    records = list(many(810))
    assert len(records) == 1350
    report = write_report(a_run(tmp_path / "run", records))
    browser.open(report, "#a1349")
    browser.wait("document.querySelector('#details article')")
    assert rows(browser) == 1350
    assert records[1349].sample in browser.js("document.querySelector('#details h2').textContent")
