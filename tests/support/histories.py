"""Histories to judge, and a judge that answers as it is told."""

from __future__ import annotations

import zlib

from pytest_gitgoodbench.judging.base import Opinion, Question
from pytest_gitgoodbench.scenarios.base import Commit, History


def diff(file: str, *added: str, removed: tuple[str, ...] = (), heading: str = "") -> str:
    """A diff of one hunk as git prints it."""
    return "\n".join(
        [
            f"diff --git a/{file} b/{file}",
            f"--- a/{file}",
            f"+++ b/{file}",
            f"@@ -10,{len(removed)} +10,{len(added)} @@ {heading}".rstrip(),
            *(f"-{line}" for line in removed),
            *(f"+{line}" for line in added),
            "",
        ]
    )


def history(*commits: tuple[str, str]) -> History:
    """Commits; each tree is named after all changes up to it."""
    trees = [f"{zlib.crc32(repr(commits[: n + 1]).encode()):08x}" for n in range(len(commits))]
    return tuple(
        Commit(message, change, tree) for (message, change), tree in zip(commits, trees, strict=True)
    )


PARSER = diff("src/parser.py", *(f"def parse_date_{n}(text): return text[{n}]" for n in range(8)))
STORE = diff("src/store.py", *(f"    def save_order_{n}(self): self.orders[{n}] = None" for n in range(8)))
REPORT = diff("src/report.py", *(f"    total_{n} = sum(prices[{n}:])" for n in range(8)))

GOOD = history(
    ("Parse dates with an optional offset\n", PARSER),
    ("Save orders under their number\n", STORE),
    ("Sum up the prices in the report's total\n", REPORT),
)
NOISE = history(("wip\n", PARSER), ("wip\n", STORE), ("fix\n", REPORT))


class Scripted:
    """A judge that answers as told, over and over, and remembers what it was asked."""

    def __init__(self, *answers: str, name: str = "scripted", **usage: object) -> None:
        self.name = name
        self.answers = answers
        self.usage = usage or None
        self.questions: list[Question] = []

    def __call__(self, question: Question) -> Opinion:
        self.questions.append(question)
        preferred = self.answers[(len(self.questions) - 1) % len(self.answers)]
        return Opinion(preferred, f"because {preferred}", self.usage)  # type: ignore[arg-type]
