"""The todo list of an interactive rebase: an agent's wish checked, and turned into the file git reads.

The file holds commands, object names and one fixed `exec` line; whatever an agent wrote, messages that is,
goes into files beside it. Messages are set by us and not by git's `reword` and `squash`, which need an
editor and lose lines that start with a comment character.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_gitgoodbench.git.messages import combined, given_message
from pytest_gitgoodbench.git.refused import Refused

COMMANDS = ("pick", "reword", "squash", "fixup", "fixup -C", "drop")
MELDING = ("squash", "fixup", "fixup -C")
"""Commands that put a commit's changes into the one before."""

_AMEND = (
    b"exec git commit --amend --quiet --no-verify --no-gpg-sign --allow-empty --allow-empty-message"
    b' --cleanup=verbatim --file="$GGB_MESSAGES/%d"\n'
)


class TodoError(Refused):
    """A todo list that cannot be carried out; the message says what is wrong with which entry."""


@dataclass(frozen=True)
class Step:
    """One entry of a todo list.

    Attributes:
        commit: the commit's index in the chain, 0 being the oldest; it never changes.
        command: one of `COMMANDS`.
        message: the new message, for `reword` and `squash`.
    """

    commit: int
    command: str
    message: bytes | None = None


def plan(entries: object, count: int) -> tuple[Step, ...]:
    """Check a todo list.

    Args:
        entries: mappings with `commit`, `command` and, for reword and squash, `message`, in the order in
            which the commits shall be applied.
        count: the number of commits in the chain.

    Raises:
        TodoError: not each commit exactly once, an unknown command, a message that is missing or has no
            place, nothing kept, or a first commit that has nothing to be melded into.
    """
    if not isinstance(entries, Sequence) or isinstance(entries, str | bytes):
        raise TodoError("the todo list is not a list")
    steps = tuple(_step(number, entry, count) for number, entry in enumerate(entries))
    commits = [step.commit for step in steps]
    missing = sorted(set(range(count)) - set(commits))
    twice = sorted({commit for commit in commits if commits.count(commit) > 1})
    if missing or twice:
        problems = [f"missing: {_listed(missing)}"] if missing else []
        problems += [f"more than once: {_listed(twice)}"] if twice else []
        raise TodoError(
            f"every commit from 0 to {count - 1} must be in the list exactly once ({'; '.join(problems)});"
            " use drop to leave one out"
        )
    kept = [step for step in steps if step.command != "drop"]
    if not kept:
        raise TodoError("all commits are dropped: keep at least one")
    if kept[0].command in MELDING:
        raise TodoError(
            f"commit {kept[0].commit} is the first that is kept, so there is nothing to {kept[0].command} it"
            " into: its command must be pick or reword"
        )
    return steps


def _step(number: int, entry: object, count: int) -> Step:
    if not isinstance(entry, Mapping):
        raise TodoError(f"entry {number} is not an object with commit and command")
    commit, command, message = entry.get("commit"), entry.get("command"), entry.get("message")
    if isinstance(commit, bool) or not isinstance(commit, int) or not 0 <= commit < count:
        raise TodoError(
            f"entry {number}: commit must be a whole number from 0 to {count - 1}, not {commit!r:.40}"
        )
    if command not in COMMANDS:
        raise TodoError(f"entry {number}: command must be one of {', '.join(COMMANDS)}, not {command!r:.40}")
    if message is not None and not isinstance(message, str):
        raise TodoError(f"entry {number}: message must be text")
    if not (message or "").strip():
        if command == "reword":
            raise TodoError(f"entry {number}: reword needs a message")
        return Step(commit, command)
    if command not in ("reword", "squash"):
        raise TodoError(f"entry {number}: {command} takes no message; use reword or squash for a new one")
    try:
        return Step(commit, command, given_message(str(message)))
    except Refused as reason:
        raise TodoError(f"entry {number}: {reason}") from None


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def groups(steps: Sequence[Step]) -> list[list[Step]]:
    """Steps that become one commit together, in order; dropped ones are left out."""
    found: list[list[Step]] = []
    for step in steps:
        if step.command in MELDING:
            found[-1].append(step)
        elif step.command != "drop":
            found.append([step])
    return found


def message(group: Sequence[Step], originals: Sequence[bytes]) -> bytes:
    """The message of the commit that a group becomes.

    A squash with a message gives it to all commits melded so far; without one it adds its commit's own, as
    git does. `fixup` adds nothing, `fixup -C` takes its commit's message instead (git-rebase).

    Args:
        group: from `groups`.
        originals: the chain's messages.
    """
    parts: list[bytes] = []
    for step in group:
        own = originals[step.commit] if step.message is None else step.message
        if step.command == "squash" and step.message is None:
            parts.append(own)
        elif step.command != "fixup":
            parts = [own]
    return combined(parts)


def render(
    steps: Sequence[Step], commits: Sequence[str], originals: Sequence[bytes]
) -> tuple[bytes, list[bytes]]:
    """The todo file, and the messages that it takes from `$GGB_MESSAGES/0`, `/1` and so on.

    Args:
        steps: a checked list.
        commits: the chain's object names, oldest first.
        originals: its messages.
    """
    lines: list[bytes] = []
    messages: list[bytes] = []
    untouched = True
    for group in groups(steps):
        # As long as nothing has changed git keeps the very commits, and there is no message to set.
        untouched = untouched and len(group) == 1 and group[0] == Step(len(lines), "pick")
        for step in group:
            command = "fixup" if step.command in MELDING else "pick"
            lines.append(f"{command} {commits[step.commit]}\n".encode())
        if not untouched:
            lines.append(_AMEND % len(messages))
            messages.append(message(group, originals))
    return b"".join(lines), messages


def summary(steps: Sequence[Step]) -> list[Mapping[str, Any]]:
    """The list as an agent gives it."""
    return [
        {"commit": step.commit, "command": step.command}
        | ({} if step.message is None else {"message": step.message.decode("utf-8")})
        for step in steps
    ]
