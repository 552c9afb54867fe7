"""The errors of this project: one root, and a class for each way a caller has to react.

`UserError` becomes `pytest.UsageError` or one line on the command line, `InfrastructureError` a pytest
*error* (never a failure: agents are not blamed for infrastructure), `Skip` a skip.
"""

from __future__ import annotations

from collections.abc import Sequence


class GitGoodBenchError(Exception):
    """Root of every error this project raises on purpose."""


class UserError(GitGoodBenchError):
    """What was asked for cannot be; the message is one line that names the input and what to do."""


class InfrastructureError(GitGoodBenchError):
    """Something around the agent failed; the attempt is an error, neither solved nor unsolved.

    Agents raise it (or a subclass) themselves to say "not my fault".
    """


class RepositoryUnavailable(InfrastructureError):
    """An upstream repository, or a commit of it, cannot be had."""


class InvalidSample(InfrastructureError):
    """A row does not fit its repository, e.g. a chain whose ends are not connected."""


class ModelUnavailable(InfrastructureError):
    """An LLM API stayed broken after retries, or refused for reasons that are not the agent's."""


class JudgeUnavailable(InfrastructureError):
    """A judge gave no usable answer."""


class SandboxUnavailable(InfrastructureError):
    """The sandbox that was asked for does not work on this machine."""


class Skip(GitGoodBenchError):
    """The attempt does not take place, e.g. a baseline that does not know the scenario."""


class GitError(GitGoodBenchError):
    """A git command failed.

    Attributes:
        argv: the command without the path of git and global options.
        returncode: git's exit status, or None when it was ended by its time limit.
        stderr: what git said, decoded with replacement characters.
    """

    def __init__(self, argv: Sequence[str], returncode: int | None, stderr: str) -> None:
        self.argv = tuple(argv)
        self.returncode = returncode
        self.stderr = stderr.strip()
        status = "ran out of time" if returncode is None else f"exit status {returncode}"
        super().__init__(f"git {' '.join(self.argv)}: {status}: {self.stderr or 'no message'}")
