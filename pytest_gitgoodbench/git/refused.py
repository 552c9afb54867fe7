"""The one kind of error by which this folder says no to whoever asked for a change."""

from __future__ import annotations

from pytest_gitgoodbench.errors import GitGoodBenchError


class Refused(GitGoodBenchError):
    """What is asked for cannot be done with the repository as it is; the message says why, and what can.

    It is the answer to an agent's wrong request, so neither our fault nor the infrastructure's.
    """
