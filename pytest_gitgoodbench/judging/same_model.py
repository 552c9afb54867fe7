"""Whether two model names mean the same model: a judge should know that it judges itself."""

from __future__ import annotations

import re

from pytest_gitgoodbench.llm.client import Model

_REGION = re.compile(r"(?:us|eu|apac|global|us-gov)\.")
_VENDOR = re.compile(r"(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|mistral|openai|qwen)\.")
_VERSION = re.compile(
    r"(?:[-@:](?:latest|free|default|\d{4}-\d{2}-\d{2}|\d{8}|\d{4}(?=\Z)|v\d+(?::\d+)?))+\Z", re.A
)


def same_model(one: Model, other: Model) -> bool:
    """Whether two models are one, whichever provider serves it and whichever dated version is asked for.

    Two endpoints of one's own that serve models of the same name (`local`) are two models.
    """
    if one.api_base and other.api_base and one.api_base.rstrip("/") != other.api_base.rstrip("/"):
        return False
    return plain_name(one.name) == plain_name(other.name)


def plain_name(name: str) -> str:
    """A model's name without provider, region and date.

    `openrouter/openai/gpt-4o-2024-08-06` is `gpt-4o`, `bedrock/us.anthropic.claude-3-haiku-20240307-v1:0`
    is `claude-3-haiku`.
    """
    last = name.strip().lower().rstrip("/").rpartition("/")[2]
    last = _VENDOR.sub("", _REGION.sub("", last, count=1), count=1) if _VENDOR.search(last) else last
    return _VERSION.sub("", last) or last
