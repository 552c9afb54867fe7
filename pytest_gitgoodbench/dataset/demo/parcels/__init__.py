"""parcels: shipping rates, tracking numbers and labels for small web shops (Java)."""

from __future__ import annotations

from datetime import datetime

from pytest_gitgoodbench.dataset.demo.parcels import carriers, checkout, founding, labels, tariff, tracking
from pytest_gitgoodbench.dataset.demo.story import Story, zone


def tell() -> Story:
    """The story: how it began, then a chapter for each thing that was worked on."""
    story = Story(
        "gitgoodbench-demo/parcels",
        language="java",
        default_branch="master",
        created=datetime(2018, 9, 4, 10, 40, tzinfo=zone(2)),
        topics=("e-commerce", "shipping"),
    )
    master = founding.tell(story)
    story.wait(days=9)
    tracking.tell(master)
    story.wait(days=24)
    checkout.tell(master)
    story.wait(days=41)
    labels.tell(master)
    story.wait(days=13)
    tariff.tell(master)
    story.wait(days=33)
    carriers.tell(master)
    return story
