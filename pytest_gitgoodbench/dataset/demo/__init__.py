"""The embedded demo dataset: three small projects, told as stories, and the rows made from them.

Every merge of a story that conflicts is a sample, and every `with branch.chain(file)` block. To add one, add
a chapter (a module with a `tell`) to a project, or a project to `PROJECTS`, and run this package as a
module: it computes the rows and writes `rows.csv`. Chapters that come last change no hash of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path

from pytest_gitgoodbench.dataset.demo.rows import table
from pytest_gitgoodbench.dataset.demo.story import Story
from pytest_gitgoodbench.dataset.demo.stream import build

ROWS_FILE = Path(__file__).with_name("rows.csv")
"""The rows, in the form of the published files. `python -m pytest_gitgoodbench.dataset.demo` writes it."""

PROJECTS = ("ledger", "parcels", "greenhouse")
"""The packages beside this file with a `tell() -> Story` each; another project is another name here."""


def tell(project: str) -> Story:
    """Tell the story of a project."""
    story: Story = import_module(f"{__name__}.{project}").tell()
    return story


def builders() -> Mapping[str, Callable[[Path], None]]:
    """For each project, by its upstream name, what makes its bare repository at a given new path."""
    return {f"gitgoodbench-demo/{project}": partial(_build, project) for project in PROJECTS}


def rows_csv() -> str:
    """The text that `ROWS_FILE` must have."""
    return table([tell(project) for project in PROJECTS])


def _build(project: str, path: Path) -> None:
    build(tell(project), path)
