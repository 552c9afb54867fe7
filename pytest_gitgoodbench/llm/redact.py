"""Keys and tokens never get into a transcript, a log or a report."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

HIDDEN = "[secret]"
_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTHORIZATION", re.I)
_FORMS = (
    re.compile(r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{12,}"),
    re.compile(r"(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{8,}"),
    re.compile(r"(?<=api_key=)[^\s&'\"]{4,}"),
)

_PARAMETER = re.compile(r"key|secret|password|credential|auth|headers?$|token$", re.I)


def shown_parameters(params: Mapping[str, Any]) -> dict[str, Any]:
    """A request's parameters without those that carry secrets (keys, headers)."""
    return {name: redacted(value) for name, value in params.items() if not _PARAMETER.search(name)}


def secret_values(also: Iterable[str] = ()) -> list[str]:
    """The values of environment variables with telling names, and `also`: those of 8 characters or more.

    The longest come first: what a shorter one leaves of a longer one would stay.
    """
    secrets = {value for name, value in os.environ.items() if _NAME.search(name)}.union(also)
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
