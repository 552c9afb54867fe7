"""The transcript of an attempt: one JSON object a line, in the OpenAI chat form, written at once."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from pytest_gitgoodbench.errors import InfrastructureError
from pytest_gitgoodbench.llm.redact import redacted


class Transcript:
    """Appends entries to a file; without a path they are kept in memory only.

    Every entry has `role` (`system`, `user`, `assistant`, `tool`, or `event` for what is no message)
    and `time` (seconds since the epoch). Secrets are replaced before anything is written.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.entries: list[dict[str, Any]] = []

    def add(self, role: str, content: Any = None, **fields: Any) -> None:
        """Write one entry.

        Args:
            role: who speaks.
            content: text, or None for an assistant message that only calls tools.
            fields: further JSON values (`tool_calls`, `tool_call_id`, `usage`, `duration`, ...).

        Raises:
            InfrastructureError: the file cannot be written, which is not the agent's fault.
        """
        entry = redacted({"role": role, "content": content, "time": round(time.time(), 3), **fields})
        self.entries.append(entry)
        if self.path is not None:
            try:
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(entry, ensure_ascii=True) + "\n")
            except OSError as error:
                raise InfrastructureError(
                    f"{self.path} cannot be written: {error.strerror or error}"
                ) from error
