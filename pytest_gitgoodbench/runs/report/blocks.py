"""A document of headings, lines, tables and lists as a page of its own."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_gitgoodbench.runs.document import Block, Heading, Line, Table
from pytest_gitgoodbench.runs.report.markup import Html, tag
from pytest_gitgoodbench.runs.report.page import page


def as_page(title: str, blocks: Iterable[Block]) -> str:
    """The document as HTML, one self-contained file."""
    return page(title, tag("main", tag("h1", title), [_block(block) for block in blocks]))


def _block(block: Block) -> Html:
    if isinstance(block, Heading):
        return tag("h2", block.text)
    if isinstance(block, Line):
        return tag("p", block.text)
    if isinstance(block, Table):
        head = tag("tr", [tag("th", cell, class_=_kind(column)) for column, cell in enumerate(block.header)])
        rows = [
            tag("tr", [tag("td", cell, class_=_kind(column)) for column, cell in enumerate(row)])
            for row in block.rows
        ]
        return tag("div", tag("table", head, rows), class_="scroll")
    return tag(
        "details",
        tag("summary", block.title),
        tag("ul", [tag("li", item, class_="text") for item in block.items]),
    )


def _kind(column: int) -> str | None:
    return "number" if column else None
