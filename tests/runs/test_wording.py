"""Figures are written so that people read them right."""

from __future__ import annotations

import pytest

from pytest_gitgoodbench.runs import wording
from pytest_gitgoodbench.runs.figures import Costs, Spending
from pytest_gitgoodbench.runs.stats import Difference


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (wording.percent(0.2111), "21.1 %"),
        (wording.percent(None), "-"),
        (wording.p_value(0.0215), "p = 0.021"),
        (wording.p_value(0.0004), "p < 0.001"),
        (wording.difference(Difference(0.033, -0.01, 0.076)), "+3.3 points (-1.0 to +7.6)"),
        (wording.count(1234), "1,234"),
        (wording.count(1_250_000), "1.2 M"),
        (wording.duration(11.6), "12 s"),
        (wording.duration(59.7), "1 min"),
        (wording.duration(200), "3 min 20 s"),
        (wording.duration(3599.6), "1 h 0 min"),
        (wording.duration(7500), "2 h 5 min"),
        (wording.file_size(12_300), "12 kB"),
        (wording.file_size(12_300_000), "12.3 MB"),
        (wording.file_size(1_200_000_000), "1.2 GB"),
        (wording.many(1, "repository", "repositories"), "1 repository"),
        (wording.many(2000, "repository", "repositories"), "2,000 repositories"),
        (wording.money(Costs(agent=Spending(cost=3.0), judge=Spending(cost=0.2))), "US$ 3.20"),
        (wording.money(Costs(agent=Spending(cost=3.0, complete=False))), "at least US$ 3.00"),
        (wording.money(Costs(agent=Spending(complete=False))), "no known price"),
    ],
)
def test_a_figure(made, text):
    assert made == text


def test_tables():
    header, rows = ("name", "n"), [("a|b", "10"), ("c", "9")]
    assert wording.text_table(header, rows) == ["name   n", "a|b   10", "c      9"]
    assert wording.markdown_table(header, rows) == [
        "| name | n |",
        "| --- | ---: |",
        "| a\\|b | 10 |",
        "| c | 9 |",
    ]
