"""A small document of headings, lines, tables and lists, written as text or Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pytest_gitgoodbench.judging.visible import visible
from pytest_gitgoodbench.runs.wording import markdown_table, text_table


@dataclass(frozen=True)
class Heading:
    """What follows is about this."""

    text: str


@dataclass(frozen=True)
class Line:
    """A sentence of its own."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table; its first column is text, all others are figures."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Items:
    """A list under a title."""

    title: str
    items: Sequence[str]


Block: TypeAlias = Heading | Line | Table | Items


def as_text(blocks: Iterable[Block]) -> str:
    """The document for a terminal; nothing in it steers one."""
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, Heading):
            lines += ["", block.text, "=" * len(block.text)]
        elif isinstance(block, Line):
            lines.append(block.text)
        elif isinstance(block, Table):
            lines += ["", *text_table(block.header, block.rows), ""]
        else:
            lines += ["", block.title, *(f"  {item}" for item in block.items)]
    return visible("\n".join(lines).strip("\n") + "\n")


def as_markdown(blocks: Iterable[Block]) -> str:
    """The document in Markdown, for a pull request or a wiki."""
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, Heading):
            lines += ["", f"## {_plain(block.text)}", ""]
        elif isinstance(block, Line):
            lines += [_plain(block.text), ""]
        elif isinstance(block, Table):
            rows = [[_plain(cell) for cell in row] for row in block.rows]
            lines += [*markdown_table([_plain(cell) for cell in block.header], rows), ""]
        else:
            lines += [f"**{_plain(block.title)}**", "", *(f"- {_plain(item)}" for item in block.items), ""]
    return visible("\n".join(lines).strip("\n") + "\n")


def _plain(text: str) -> str:
    """Text in which nothing is taken for Markdown or HTML."""
    for mark in "\\`*_[]<>":
        text = text.replace(mark, f"\\{mark}")
    return text
