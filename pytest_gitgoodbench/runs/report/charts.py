"""Charts of solve rates with their intervals: inline SVG that keeps its text readable on a phone."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_gitgoodbench.runs import baseline
from pytest_gitgoodbench.runs.figures import Group, Rate
from pytest_gitgoodbench.runs.report.markup import Html, tag
from pytest_gitgoodbench.runs.wording import interval, percent


def rates(title: str, groups: Mapping[str, Group], *, published: bool) -> Html:
    """A chart with a row a group: both protocols' solve rates, each with its interval.

    Args:
        groups: by name.
        published: mark the published baseline's rate.
    """
    rows = [
        tag(
            "div",
            tag("span", name, class_="name"),
            _bars(group, baseline.solve_rate(name) if published else None),
            tag("span", percent(group.strict.share), class_="value"),
            class_="row",
            title=_told(name, group),
        )
        for name, group in groups.items()
    ]
    return tag("figure", tag("figcaption", title), rows, class_="chart")


def _told(name: str, group: Group) -> str:
    return (
        f"{name}: strict {_rate(group.strict)}; paper {_rate(group.paper)}; "
        f"success {percent(group.success.share)}; {group.attempts} attempts"
    )


def _rate(rate: Rate) -> str:
    return f"{percent(rate.share)} ({interval(rate)})"


def _bars(group: Group, published: float | None) -> Html:
    # Without a view box, positions in percent follow the width of the page and nothing is distorted.
    parts = [_line(f"{at}%", f"{at}%", "0", "34", "grid") for at in (0, 25, 50, 75, 100)]
    for rate, y, height, kind in ((group.strict, 3, 15, "strict"), (group.paper, 22, 7, "paper")):
        if rate.share is None:
            continue
        middle = f"{y + height / 2:g}"
        width = f"{100 * rate.share:.2f}%"
        low, high = f"{100 * rate.low:.2f}%", f"{100 * rate.high:.2f}%"
        parts.append(tag("rect", x="0", y=str(y), width=width, height=str(height), class_=kind))
        parts.append(_line(low, high, middle, middle, "reach"))
        parts += [
            _line(end, end, f"{y + height / 2 - 3:g}", f"{y + height / 2 + 3:g}", "reach")
            for end in (low, high)
        ]
    if published is not None:
        at = f"{100 * published:.2f}%"
        parts.append(_line(at, at, "0", "34", "published"))
    return tag("svg", parts, width="100%", height="34", role="img", aria_label=_told("chart", group))


def _line(x1: str, x2: str, y1: str, y2: str, kind: str) -> Html:
    return tag("line", x1=x1, x2=x2, y1=y1, y2=y2, class_=kind)
