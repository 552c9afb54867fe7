"""Judges of one's own: `module:attribute`, checked before the first test."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.judging.base import Judge, Opinion, Question

REFERENCE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*\Z")
"""`module:attribute`; a litellm model name with a colon has a slash, a digit or a hyphen in it as well."""


@dataclass(frozen=True)
class NamedJudge:
    """A callable with a name to show."""

    name: str
    call: Callable[[Question], Opinion]

    def __call__(self, question: Question) -> Opinion:
        return self.call(question)


def load(reference: str) -> Judge:
    """Import a judge: a callable from `Question` to `Opinion`, or a class that makes one without arguments.

    Args:
        reference: `module:attribute`; the module may also be in the current folder.

    Raises:
        UserError: it cannot be imported, is not there, or cannot be called.
    """
    module_name, _, attribute = reference.partition(":")
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)
    try:
        found: object = importlib.import_module(module_name)
        for part in attribute.split("."):
            found = getattr(found, part)
        judge = found() if isinstance(found, type) else found
    except Exception as error:
        # Whatever the user's module raises while it is imported is the user's to know about.
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise UserError(f"judge {reference!r} cannot be loaded: {why}") from error
    if not callable(judge):
        raise UserError(f"judge {reference!r} is a {type(judge).__name__}, not a callable")
    name = getattr(judge, "name", None)
    return NamedJudge(name if isinstance(name, str) and name else reference, judge)
