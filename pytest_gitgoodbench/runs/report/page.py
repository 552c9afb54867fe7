"""The frame of a page: styles and script in it, and a policy by which nothing else can load or run."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from pytest_gitgoodbench.runs.report.markup import Content, Html, tag

_HERE = Path(__file__).parent
STYLE = (_HERE / "style.css").read_text("utf-8")
SCRIPT = (_HERE / "script.js").read_text("utf-8")


def page(title: str, body: Content, *, script: bool = False, data: Content = None) -> str:
    """A whole page that needs no other file and no network.

    The content security policy allows exactly our style sheet and our script by their hashes: even if
    an agent's text got through unescaped, it could neither run nor load or send anything.

    Args:
        body: what is shown.
        script: whether the page needs the script.
        data: blocks that the script reads.
    """
    policy = f"default-src 'none'; style-src {_hash(STYLE)}; base-uri 'none'; form-action 'none'"
    if script:
        policy += f"; script-src {_hash(SCRIPT)}"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Html(STYLE)),
    )
    end = (data, tag("script", Html(SCRIPT))) if script else ()
    return f"<!doctype html>\n{tag('html', head, tag('body', body, end), lang='en')}\n"


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"
