"""How much a commit message is worth, by rules that need no LLM."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_gitgoodbench.judging.changes import words_of

LONGEST_SUBJECT = 72
LARGE_CHANGE = 80
"""A change of more lines than this deserves an explanation below the subject."""
MOST_CHARACTERS = 20_000
"""What is longer is not read to its end."""

_CONVENTIONAL = re.compile(
    r"(?:build|chore|ci|docs?|feat|fix|perf|refactor|revert|style|tests?)(?:\([^()]{1,60}\))?!?:\s+", re.I
)
_TICKET = re.compile(r"(?:\[[^\[\]]{1,40}\]|#\d{1,9}|[A-Z][A-Z0-9]{1,9}-\d{1,9})[\s:,-]*")
_REFERENCE = re.compile(r"\s*\(#\d{1,9}\)\s*$")
_UNFINISHED = re.compile(r"(?:fixup|squash|amend)!|\W*(?:wip|tmp|temp|todo|asdf\w*|xxx+)\b", re.I)
_NOT_IMPERATIVE = re.compile(
    r"(?:add|allow|chang|clean|creat|delet|fix|handl|implement|improv|introduc|mak|mov|refactor|remov|renam"
    r"|replac|simplif|support|updat|us)(?:ed|ied|es|ies|s|ing|ying)\Z",
    re.I,
)
_WORD = re.compile(r"[^\W_]+")
_FILE = re.compile(r"\S*[\w)]\.[A-Za-z]\w{0,9}\Z|\S*/\S*\Z")

# A subject of nothing but these says nothing about the change.
_EMPTY_WORDS_TEXT = """
    a address again all and another asdf bit bits bla blah branch bug bugs change changed changes clean
    cleaned cleanup code comment comments commit commits committed done edit edits everything feedback
    few file files final first fix fixed fixes fixing foo for hack i in initial it last latest little
    lol minor misc modified modify more my new nit nits now of on one oops other part please pr progress
    push refactor refactored refactoring review rework save second several small some squash squashed
    step stuff test testing tests the things this three tidy tmp to try trying tweak tweaks two typo
    typos up update updated updates various wip work working
"""
_EMPTY_WORDS = frozenset(_EMPTY_WORDS_TEXT.split())


@dataclass(frozen=True)
class MessageQuality:
    """What a message is worth.

    Attributes:
        score: 0 (says nothing) to 1.
        fault: its worst fault in a few words, "" when there is none.
    """

    score: float
    fault: str = ""


def assess(message: str, changed_lines: int, words_in_change: frozenset[str]) -> MessageQuality:
    """Assess one commit message.

    Args:
        message: the whole message; any text.
        changed_lines: how many lines its commit adds and removes.
        words_in_change: the words in the names its diff is about; empty when no diff is shown.
    """
    lines = message[:MOST_CHARACTERS].strip().split("\n")
    whole = lines[0].strip()
    subject = _REFERENCE.sub("", whole)
    prefix = _TICKET.match(subject) or _CONVENTIONAL.match(subject)
    conventional = _CONVENTIONAL.match(subject) is not None
    topic = subject[prefix.end() :] if prefix else subject
    words = [word.lower() for word in _WORD.findall(topic)]
    if not words:
        return MessageQuality(0.0, "is an empty message")
    if _UNFINISHED.match(topic):
        return MessageQuality(0.05, "is marked as unfinished")
    if all(word in _EMPTY_WORDS or word.isdigit() for word in words) or _is_mash(words):
        explained = len(_WORD.findall("\n".join(lines[1:])[:400])) > 4
        return MessageQuality(0.35 if explained else 0.1, "says nothing about the change")

    faults: list[tuple[float, str]] = []
    tokens = [token for token in topic.split() if token.lower().strip(".,:;") not in _EMPTY_WORDS]
    if all(_FILE.match(token) for token in tokens):
        faults.append((0.5, "only names files"))
    length = _extent(topic)
    if length < 3:
        faults.append((0.3 if length < 2 else 0.15, "is too short to tell"))
    if len(whole) > LONGEST_SUBJECT:
        over = min(1.0, (len(whole) - LONGEST_SUBJECT) / 60)
        faults.append((0.08 + 0.22 * over, "has a long subject line"))
    if _NOT_IMPERATIVE.match(words[0]) and topic.isascii():
        faults.append((0.05, "is not in the imperative"))
    if whole.endswith((".", "…")):
        faults.append((0.03, "ends with a full stop"))
    body = "\n".join(lines[1:]).strip()
    if len(lines) > 1 and lines[1].strip():
        faults.append((0.08, "has no blank line after the subject"))
    if changed_lines > LARGE_CHANGE and len(_WORD.findall(body[:400])) < 5:
        faults.append((0.12, "does not explain a large change"))
    if words_in_change and not _touches(message[:MOST_CHARACTERS], words_in_change):
        faults.append((0.15, "names nothing of what changed"))

    score = 1.0 - sum(weight for weight, _ in faults)
    if conventional:
        score += 0.03
    worst = max(faults, default=(0.0, ""))[1]
    return MessageQuality(min(1.0, max(0.15, score)), worst)


def _is_mash(words: list[str]) -> bool:
    """Whether a subject is keys hit at random."""
    word = words[0]
    if len(words) > 1 or not word.isascii() or not word.isalpha():
        return False
    return len(set(word)) < 2 or (len(word) > 3 and not re.search("[aeiouy]", word))


def _extent(topic: str) -> float:
    """How many words a subject has; scripts without spaces count two characters as a word."""
    spaced = len(topic.split())
    others = sum(character > "\u2e7f" for character in topic)
    return max(spaced, others / 2)


def _touches(message: str, words_in_change: frozenset[str]) -> bool:
    """Whether a message has a word of the change, by the first four letters (`parsing` is `parser`)."""
    beginnings = {word[:4] for word in words_in_change if len(word) > 2}
    return any(word[:4] in beginnings for word in words_of([message]) if len(word) > 2)
