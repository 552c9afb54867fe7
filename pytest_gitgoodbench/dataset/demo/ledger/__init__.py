"""ledger: bookkeeping for small clubs, in plain text (Python)."""

from __future__ import annotations

from datetime import datetime

from pytest_gitgoodbench.dataset.demo.ledger import bank, budgets, comments, founding, money, reports
from pytest_gitgoodbench.dataset.demo.story import Story, zone


def tell() -> Story:
    """The story: how it began, then a chapter for each thing that was worked on."""
    story = Story(
        "gitgoodbench-demo/ledger",
        language="python",
        default_branch="main",
        created=datetime(2021, 3, 1, 9, 12, tzinfo=zone(1)),
        topics=("accounting", "cli", "plain-text"),
    )
    main = founding.tell(story)
    story.wait(days=9)
    comments.tell(main)
    story.wait(days=24)
    budgets.tell(main)
    story.wait(days=41)
    reports.tell(main)
    story.wait(days=13)
    money.tell(main)
    story.wait(days=33)
    bank.tell(main)
    return story
