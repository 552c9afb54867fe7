"""A transcript as HTML: who said what, which tools were called, what came back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_gitgoodbench.runs.report.markup import Html, tag

MAX_TEXT = 20_000
"""Characters of one message that are shown; the whole is in the transcript's file."""
MAX_ENTRIES = 400


def entries(file: Path) -> Iterator[dict[str, Any]]:
    """The entries of a transcript; lines that are none (a killed writer's last one) are passed over."""
    with file.open("rb") as stream:
        for line in stream:
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict):
                yield entry


def as_html(file: Path) -> list[Html]:
    """A transcript's entries, each an element; the first and last ones where there are very many."""
    found = list(entries(file))
    shown = [_entry(entry) for entry in found[: MAX_ENTRIES // 2]]
    rest = found[MAX_ENTRIES // 2 :]
    if len(rest) > MAX_ENTRIES // 2:
        cut = len(rest) - MAX_ENTRIES // 2
        shown.append(tag("p", f"... {cut:,} entries are only in the transcript's file ...", class_="cut"))
        rest = rest[cut:]
    return shown + [_entry(entry) for entry in rest]


def shortened(text: str, limit: int = MAX_TEXT) -> str:
    """A text cut in its middle, with a mark that says how much is missing."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n\n[... {len(text) - 2 * half:,} characters left out ...]\n\n{text[-half:]}"


def _entry(entry: dict[str, Any]) -> Html:
    role = str(entry.get("role", "?"))
    known = role if role in ("system", "user", "assistant", "tool") else "event"
    parts: list[Html] = []
    content = entry.get("content")
    if content:
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=1)
        parts.append(tag("pre", shortened(text)))
    parts += [_call(call) for call in _calls(entry)]
    particulars = _particulars(entry)
    title = str(entry.get("event", role)) if known == "event" else role
    return tag(
        "section",
        tag("h4", title, tag("small", particulars) if particulars else None),
        parts,
        class_=f"entry {known}",
    )


def _calls(entry: dict[str, Any]) -> list[Any]:
    calls = entry.get("tool_calls")
    return calls if isinstance(calls, list) else []


def _call(call: Any) -> Html:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return tag("pre", shortened(json.dumps(call, ensure_ascii=False)), class_="call")
    arguments = function.get("arguments", "")
    try:
        arguments = json.dumps(json.loads(arguments), ensure_ascii=False, indent=1)
    except (TypeError, ValueError):
        # Models write what is no JSON, too; it is shown as it came.
        arguments = str(arguments)
    name = str(function.get("name", "?"))
    return tag("pre", tag("b", name), " ", shortened(arguments), class_="call")


def _particulars(entry: dict[str, Any]) -> str:
    usage = entry.get("usage")
    told = []
    if isinstance(usage, dict):
        told.append(f"{usage.get('prompt_tokens', 0)} + {usage.get('completion_tokens', 0)} tokens")
        if isinstance(usage.get("cost"), int | float):
            told.append(f"US$ {usage['cost']:.4f}")
    if isinstance(entry.get("duration"), int | float):
        told.append(f"{entry['duration']:.1f} s")
    shown = {"role", "content", "time", "tool_calls", "usage", "duration", "event", "tool_call_id"}
    told += [f"{key}: {str(value)[:200]}" for key, value in entry.items() if key not in shown]
    return ", ".join(told)
