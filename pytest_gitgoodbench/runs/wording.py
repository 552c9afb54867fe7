"""How figures are written for people: shares, intervals, money, durations, tables of text."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_gitgoodbench.runs.figures import Costs, Rate
from pytest_gitgoodbench.runs.stats import Difference


def percent(share: float | None) -> str:
    """`21.1 %`, or `-` where there is nothing to take a share of."""
    return "-" if share is None else f"{100 * share:.1f} %"


def interval(rate: Rate) -> str:
    """`15.8-27.7`, in percent, or `-`."""
    return f"{100 * rate.low:.1f}-{100 * rate.high:.1f}" if rate.total else "-"


def difference(found: Difference) -> str:
    """`+3.3 points (-1.0 to +7.6)`."""
    return f"{100 * found.value:+.1f} points ({100 * found.low:+.1f} to {100 * found.high:+.1f})"


def p_value(p: float) -> str:
    """`p = 0.021`, `p < 0.001`."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def money(costs: Costs) -> str:
    """`US$ 3.20`, `at least US$ 3.20` where a price is unknown, `no known price` where all are."""
    if costs.complete:
        return f"US$ {costs.cost:.2f}"
    return f"at least US$ {costs.cost:.2f}" if costs.cost else "no known price"


def count(number: int) -> str:
    """`1,234`; large ones `1.2 M`."""
    return f"{number / 1e6:.1f} M" if number >= 1_000_000 else f"{number:,}"


def file_size(size: int) -> str:
    """`12 kB`, `12.3 MB`, `1.2 GB`."""
    if size < 1e6:
        return f"{size / 1e3:.0f} kB"
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def duration(seconds: float) -> str:
    """`12 s`, `3 min 20 s`, `2 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def many(number: int, one: str, more: str = "") -> str:
    """`1 error`, `3 errors`."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: the first column to the left, all others to the right."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    return [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (header, *rows)
    ]


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of the same table in Markdown."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return [
        "| " + " | ".join(cell.strip().replace("|", "\\|") for cell in row) + " |"
        for row in (header, rule, *rows)
    ]
