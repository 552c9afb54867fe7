"""The published baseline: the paper's GPT-4o agent on Lite, 180 attempts, judged by GPT-4o.

Solve rates as in the paper (table of results by scenario) and in the notebook that came with it (by
difficulty and language), by the published protocol.
"""

from __future__ import annotations

NAME = "GPT-4o"

# Solved and without a system error, of how many.
_PUBLISHED = {
    "all": (38, 158, 180),
    "merge": (8, 46, 60),
    "rebase": (16, 56, 60),
    "commit": (14, 56, 60),
    "java": (14, 53, 60),
    "kotlin": (12, 53, 60),
    "python": (12, 52, 60),
    "easy": (12, 55, 61),
    "medium": (14, 50, 57),
    "hard": (12, 53, 62),
}


def solve_rate(name: str) -> float | None:
    """The published solve rate of a scenario, language or difficulty, or of `all`; None if there is none."""
    found = _PUBLISHED.get(name)
    return None if found is None else found[0] / found[2]


def success_rate(name: str) -> float | None:
    """The published success rate, likewise."""
    found = _PUBLISHED.get(name)
    return None if found is None else found[1] / found[2]
