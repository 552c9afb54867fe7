"""Keys and tokens never get into a transcript, a log or a report."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

HIDDEN = "[secret]"
SECRET_NAME = re.compile(
    r"key|token(?!s|_?budget)|secret|passw(?:or)?d|credential|auth(?!or(?!i)|_sock)|cookie|headers?$", re.I
)
"""The name of an environment variable, a parameter or an option whose value is a secret."""
_FORMS = (
    re.compile(r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{12,}"),
    re.compile(r"\b(?:ghp|gho|ghs|hf|xox[abp]|AKIA|AIza)[-_A-Za-z0-9]{16,}"),
    re.compile(r"(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{8,}"),
    re.compile(r"(?<=api_key=)[^\s&'\"]{4,}"),
    re.compile(r"(?<=://)[^/@\s:]*:[^/@\s]+(?=@)"),
)
# Of what users write on command lines and in tables; in a transcript `token = next(tokens)` is code.
_GIVEN = (
    re.compile(r"((?:api[-_]?key|token|secret|password|passwd)[\"']?[=: ]\s*[\"']?)[^\s\"']+", re.I),
    re.compile(r"(\bBearer\s+)\S+", re.I),
    re.compile(r"(://)[^/@\s]+(?=@)"),
)


def shown_parameters(params: Mapping[str, Any]) -> dict[str, Any]:
    """A request's parameters without those that carry secrets (keys, headers)."""
    return {name: redacted(value) for name, value in params.items() if not SECRET_NAME.search(name)}


def secret_values(also: Iterable[str] = ()) -> list[str]:
    """The values of environment variables with telling names, and `also`: those of 8 characters or more.

    The longest come first: what a shorter one leaves of a longer one would stay.
    """
    secrets = {value for name, value in os.environ.items() if SECRET_NAME.search(name)}.union(also)
    return sorted((value for value in secrets if len(value) >= 8), key=len, reverse=True)


def redact(text: str, also: Iterable[str] = ()) -> str:
    """A text without the values of secret environment variables and what else looks like a key.

    Args:
        text: what is going to be shown or written.
        also: further secrets, e.g. a key from a configuration table.
    """
    for value in secret_values(also):
        text = text.replace(value, HIDDEN)
    for form in _FORMS:
        text = form.sub(HIDDEN, text)
    return text


def redacted(value: Any) -> Any:
    """The same for every text in a JSON value, names of an object's members included."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {redacted(key): redacted(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [redacted(entry) for entry in value]
    return value


def without_secrets(value: Any, name: str = "") -> Any:
    """A copy of settings, as plain JSON values, with what looks like a secret hidden.

    Args:
        value: mappings and sequences of anything.
        name: what the value is called; the value of a secret's name is replaced whole.
    """
    if isinstance(value, Mapping):
        return {str(key): without_secrets(entry, str(key)) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [without_secrets(entry, name) for entry in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(value)
    if text and SECRET_NAME.search(name):
        return HIDDEN
    text = redact(text)
    for form in _GIVEN:
        text = form.sub(rf"\1{HIDDEN}", text)
    return text
