"""A judge's answers on disk: each kept under everything that determines it, valid ones only.

One small JSON file an answer, written whole by rename, so that any number of workers may share the folder.
Requests are not stored, only hashed: they hold other people's code, and perhaps credentials.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pytest_gitgoodbench.judging.base import Opinion, Preferred

VERSION = 1


def key_of(determinants: Mapping[str, Any]) -> str:
    """What an answer is kept under: a hash of everything that determines it, whatever its order."""
    text = json.dumps(determinants, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class AnswerCache:
    """Answers in a folder, which is made when it is first written to."""

    folder: Path

    def get(self, key: str) -> Opinion | None:
        """The answer kept under a key; None when there is none, or none that can be used.

        Its usage says `cached` and that nothing was spent now.
        """
        try:
            entry = json.loads(self._file(key).read_bytes())
            preferred, reason = entry["preferred"], entry["reason"]
            known = entry["version"] == VERSION and entry["key"] == key
            usage = dict(entry["usage"] or {})
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return None
        if not known or preferred not in get_args(Preferred) or not isinstance(reason, str):
            return None
        return Opinion(
            preferred,
            reason,
            {**usage, "prompt_tokens": 0, "completion_tokens": 0, "cost": 0.0, "cached": True},
        )

    def put(self, key: str, opinion: Opinion) -> None:
        """Keep an answer. A cache that cannot be written to (full disk, read only) costs no answer."""
        entry = {
            "version": VERSION,
            "key": key,
            "preferred": opinion.preferred,
            "reason": opinion.reason,
            "usage": opinion.usage,
        }
        file = self._file(key)
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=".", suffix=".new")
            try:
                with os.fdopen(descriptor, "wb") as out:
                    out.write(json.dumps(entry, default=repr).encode("ascii"))
                Path(name).replace(file)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise

    def _file(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
