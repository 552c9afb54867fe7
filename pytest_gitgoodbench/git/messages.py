"""Commit messages as bytes: an agent's text made fit for a commit, a commit's own message taken out whole."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_gitgoodbench.git.refused import Refused


def given_message(text: str) -> bytes:
    """What somebody gives as a message: no blank ends, UTF-8, one newline at the end.

    Unlike git's own clean-up this leaves lines that start with `#` alone.

    Raises:
        Refused: nothing is left, a NUL, or half a surrogate pair.
    """
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    message = "\n".join(lines).strip("\n")
    if not message.strip():
        raise Refused("the commit message is empty")
    if "\0" in message:
        raise Refused("the commit message holds a NUL character")
    try:
        return message.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        raise Refused("the commit message is not Unicode text (a lone surrogate)") from None


def message_of(content: bytes) -> bytes:
    """The message in a commit object, in UTF-8 if the commit says in which encoding it is."""
    head, _, message = content.partition(b"\n\n")
    for line in head.split(b"\n"):
        name, _, value = line.partition(b" ")
        if name == b"encoding":
            try:
                return message.decode(value.decode("ascii", "replace").strip()).encode("utf-8")
            except (LookupError, ValueError):  # the name itself can hold a NUL
                return message
    return message


def subject(message: bytes) -> str:
    """A message's first line, for people to read."""
    return message.strip().partition(b"\n")[0].decode("utf-8", "replace").strip() or "(no message)"


def combined(messages: Sequence[bytes]) -> bytes:
    """Messages one after the other, as a squash has them; a single one stays as it is."""
    if len(messages) == 1:
        return messages[0]
    return b"\n\n".join(part for message in messages if (part := message.strip(b"\n"))) + b"\n"
