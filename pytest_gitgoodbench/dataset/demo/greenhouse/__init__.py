"""greenhouse: switches heaters, vents and lamps by rules (Kotlin)."""

from __future__ import annotations

from datetime import datetime

from pytest_gitgoodbench.dataset.demo.greenhouse import (
    alarms,
    controller,
    founding,
    hysteresis,
    rules,
    schedule,
    sensors,
    timers,
)
from pytest_gitgoodbench.dataset.demo.story import Story, zone


def tell() -> Story:
    """The story: how it began, then a chapter for each thing that was worked on."""
    story = Story(
        "gitgoodbench-demo/greenhouse",
        language="kotlin",
        default_branch="main",
        created=datetime(2022, 2, 7, 8, 25, tzinfo=zone(1)),
        topics=("automation", "gardening", "kotlin"),
    )
    main = founding.tell(story)
    story.wait(days=9)
    hysteresis.tell(main)
    story.wait(days=24)
    schedule.tell(main)
    story.wait(days=41)
    sensors.tell(main)
    story.wait(days=13)
    alarms.tell(main)
    story.wait(days=33)
    controller.tell(main)
    story.wait(days=18)
    timers.tell(main)
    story.wait(days=52)
    rules.tell(main)
    return story
