"""HTML from Python: every text is escaped unless it is HTML already, so that none can be forgotten."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TypeAlias

from pytest_gitgoodbench.judging.visible import visible


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


Content: TypeAlias = "str | Iterable[Content] | None"
"""Text, HTML, or any nesting of both. None is nothing."""

_VOID = frozenset({"br", "hr", "input", "meta"})


def tag(name: str, /, *content: Content, **attributes: str | bool | None) -> Html:
    """An element.

    Args:
        name: of the element.
        content: what is in it; plain text is escaped, and made visible where it would steer something.
        attributes: their values are escaped. `class_` stands for `class`, `data_x` for `data-x`; True is
            an attribute without a value, False and None are none.
    """
    opening = name + "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Html(f"<{opening}>")
    return Html(f"<{opening}>{join(content)}</{name}>")


def join(content: Content) -> Html:
    """Content as HTML."""
    if content is None:
        return Html("")
    if isinstance(content, Html):
        return content
    if isinstance(content, str):
        return Html(html.escape(visible(content)))
    return Html("".join(join(part) for part in content))


def _attribute(key: str, value: str | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{html.escape(visible(value))}"'
