"""The rubric judge: deterministic, offline, no LLM. It is not the paper's judge and says so everywhere.

Each history gets a score of its own, without a look at the other one, so that swapping the two histories
swaps the answer. The criteria follow those of the paper's judge (messages, cohesion, order, size).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_gitgoodbench.judging.base import Opinion, Preferred, Question
from pytest_gitgoodbench.judging.changes import Change, read_diff
from pytest_gitgoodbench.judging.messages import MOST_CHARACTERS, MessageQuality, assess
from pytest_gitgoodbench.judging.visible import visible
from pytest_gitgoodbench.scenarios.base import History

TIE_BAND = 0.02
"""Histories whose scores are at most this far apart are equally good."""
WEIGHTS = {"messages": 0.4, "duplicates": 0.1, "cohesion": 0.2, "size": 0.2, "rework": 0.1}
MOST_DIFF_CHARACTERS = 2_000_000
"""Of one history's diffs; shared evenly by its commits, what is longer is not read to its end."""

GIANT = 150
"""From this many changed lines on a commit is hard to review; at ten times as many it is worth nothing."""
ONE_COMMIT_IS_ENOUGH = 30
"""Up to this many changed lines nothing speaks against a single commit."""


@dataclass(frozen=True)
class Assessment:
    """What one history is worth.

    Attributes:
        criteria: 0 to 1 by name, as in `WEIGHTS`.
        remarks: what was found by criterion, in words; "" where there is nothing to say.
    """

    criteria: dict[str, float]
    remarks: dict[str, str]

    @property
    def score(self) -> float:
        """The weighted mean, rounded so that no order of additions can matter."""
        return round(sum(weight * self.criteria[name] for name, weight in WEIGHTS.items()), 9)


class Rubric:
    """The judge named `rubric`."""

    name = "rubric"
    description = "rubric (offline rules, not the paper's judge)"

    def __call__(self, question: Question) -> Opinion:
        """Compare two histories. Never fails, whatever their text."""
        first, second = (
            assess_history(side, question.scenario) for side in (question.first, question.second)
        )
        difference = round(first.score - second.score, 9)
        preferred: Preferred = "TIE"
        if abs(difference) > TIE_BAND:
            preferred = "HISTORY-1" if difference > 0 else "HISTORY-2"
        return Opinion(preferred, _reason(first, second))


def assess_history(history: History, scenario: str = "rebase") -> Assessment:
    """Assess one history by itself.

    Args:
        history: commits, oldest first.
        scenario: for `commit` a commit without a diff is no empty one: it changes other files.
    """
    share = MOST_DIFF_CHARACTERS // max(1, len(history))
    changes = [read_diff(commit.diff[:share]) for commit in history]
    criteria, remarks = {}, {}
    for name, (score, remark) in {
        "messages": _messages(history, changes),
        "duplicates": _duplicates(history),
        "cohesion": _cohesion(changes),
        "size": _size(changes, empty_is_a_fault=scenario != "commit"),
        "rework": _rework(changes),
    }.items():
        criteria[name], remarks[name] = score, remark
    return Assessment(criteria, remarks)


def _reason(first: Assessment, second: Assessment) -> str:
    def apart(name: str) -> float:
        return WEIGHTS[name] * (first.criteria[name] - second.criteria[name])

    parts = [f"rubric: HISTORY-1 scores {first.score:.2f}, HISTORY-2 {second.score:.2f}"]
    for name in sorted(WEIGHTS, key=lambda name: -abs(apart(name))):
        if abs(apart(name)) < 0.005:
            continue
        better, worse, remark = ("HISTORY-1", "HISTORY-2", second.remarks[name])
        if apart(name) < 0:
            better, worse, remark = ("HISTORY-2", "HISTORY-1", first.remarks[name])
        values = f"{first.criteria[name]:.2f} against {second.criteria[name]:.2f}"
        parts.append(f"{name} {values}, better in {better}" + (f" ({worse}: {remark})" if remark else ""))
    return "; ".join(parts)


# -- criteria: each gives a score and a remark about what is wrong ------------------------------------


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 1.0


def _messages(history: History, changes: Sequence[Change]) -> tuple[float, str]:
    found = [
        assess(commit.message, change.lines, change.words)
        for commit, change in zip(history, changes, strict=True)
    ]
    if not found:
        return 0.0, "no commits"
    worst = min(range(len(found)), key=lambda index: found[index].score)
    fault = _quote(history[worst].message, found[worst])
    return _mean([quality.score for quality in found]), fault


def _quote(message: str, quality: MessageQuality) -> str:
    if not quality.fault:
        return ""
    subject = message[:MOST_CHARACTERS].strip().split("\n")[0].strip()
    return f"'{visible(subject[:50])}' {quality.fault}" if subject else quality.fault


def _duplicates(history: History) -> tuple[float, str]:
    if not history:
        return 0.0, "no commits"
    counts = Counter(" ".join(commit.message[:MOST_CHARACTERS].lower().split()) for commit in history)
    again = len(history) - len(counts)
    return 1 - again / len(history), f"{again} repeated messages" if again else ""


def _cohesion(changes: Sequence[Change]) -> tuple[float, str]:
    shown = [change for change in changes if change.files]
    if not shown:
        return 1.0, ""
    scores = [_focus(change) for change in shown]
    lines = [change.lines for change in shown]
    # The plain mean alone could be raised by a few tiny commits beside one that does everything.
    weighted = math.fsum(score * size for score, size in zip(scores, lines, strict=True)) / sum(lines)
    worst = min(zip(scores, (len(change.subjects()) for change in shown), strict=True))
    remark = f"a commit about {worst[1]} unrelated things" if worst[0] < 0.8 and worst[1] > 1 else ""
    return (_mean(scores) + weighted) / 2, remark


def _focus(change: Change) -> float:
    """How much a commit is about one thing: names its hunks share, how many files and folders."""
    subjects = change.subjects()
    related = subjects[0] / sum(subjects) if subjects else 1.0
    folders = {file.rpartition("/")[0] for file in change.files}
    return 0.6 * related + 0.2 / math.sqrt(len(change.files)) + 0.2 / math.sqrt(len(folders))


def _size(changes: Sequence[Change], *, empty_is_a_fault: bool) -> tuple[float, str]:
    sizes = [change.lines for change in changes if change.files]
    empty = len(changes) - len(sizes) if empty_is_a_fault else 0
    penalty = empty / len(changes) if changes else 0.0
    if not sizes:
        return 1.0 - penalty, f"{empty} empty commits" if empty else ""
    total = sum(sizes)
    # The giants' share of the lines counts, and how many of the commits are crumbs.
    reviewable = math.fsum(size * _falling(size, GIANT) for size in sizes) / total
    substantial = _mean([0.5 if size <= 2 else 0.8 if size <= 5 else 1.0 for size in sizes])
    if len(sizes) == 1:
        even = _falling(total, ONE_COMMIT_IS_ENOUGH)
    else:
        even = -math.fsum(size / total * math.log(size / total) for size in sizes) / math.log(len(sizes))
    score = max(0.0, 0.35 * reviewable + 0.3 * substantial + 0.35 * even - penalty)
    if empty:
        remark = f"{empty} empty commits"
    elif len(sizes) == 1:
        remark = f"one commit of {total} lines"
    elif max(sizes) > GIANT:
        remark = f"a commit of {max(sizes)} lines"
    else:
        remark = f"{len(sizes)} commits of {min(sizes)} to {max(sizes)} lines"
    return score, remark


def _falling(size: int, limit: int) -> float:
    """1 up to the limit, 0 from ten times as much, logarithmic between."""
    return 1.0 if size <= limit else max(0.0, 1 - math.log10(size / limit))


def _rework(changes: Sequence[Change]) -> tuple[float, str]:
    """Order and progression: a later commit that takes back lines of an earlier one patches it up."""
    added: Counter[str] = Counter()
    again = total = 0
    for change in changes:
        new: Counter[str] = Counter()
        for hunk in change.hunks:
            total += len(hunk.added) + len(hunk.removed)
            for line in map(str.strip, hunk.removed):
                if added[line] > 0:
                    added[line] -= 1
                    again += 1
            # A closing brace or an `else` is no trace of anything.
            new.update(line for line in map(str.strip, hunk.added) if len(line) > 8)
        added.update(new)
    if not again:
        return 1.0, ""
    # In a small change a few lines weigh less: a version that is set twice is no mess.
    return max(0.0, 1 - 3 * again / max(total, 30)), f"{again} added lines taken back later"
