"""Making tools: one schema form, one check before each call, git's refusals turned into answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_gitgoodbench.errors import GitError
from pytest_gitgoodbench.git import Git
from pytest_gitgoodbench.git.isolated import IsolatedGit
from pytest_gitgoodbench.git.refused import Refused
from pytest_gitgoodbench.repos.workspace import Workspace
from pytest_gitgoodbench.scenarios.base import Tool, ToolError
from pytest_gitgoodbench.scenarios.shown import bounded

Schema = Mapping[str, Any]


class ToolBox:
    """The tools of one workspace.

    Attributes:
        isolated: git on the workspace, deaf to what is configured there.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.isolated = IsolatedGit(workspace.path)

    @property
    def git(self) -> Git:
        """git, see `isolated`."""
        return self.isolated.git

    def tool(
        self,
        name: str,
        description: str,
        function: Callable[..., str],
        parameters: Mapping[str, Schema] | None = None,
        optional: Sequence[str] = (),
        *,
        final: bool = False,
    ) -> Tool:
        """A tool whose refusals (`Refused`, and git's own) are `ToolError`s.

        Args:
            name, description, final: as in `Tool`.
            function: takes the arguments as keywords.
            parameters: the schema of each argument.
            optional: those that may be left out.
        """
        properties = dict(parameters or {})

        def call(**arguments: Any) -> str:
            try:
                self.isolated.check()
                return function(**_whole(arguments))
            except Refused as reason:
                raise ToolError(bounded(str(reason))) from reason
            except PermissionError as error:
                # Only an agent that has a shell as well can have forbidden us its workspace.
                raise ToolError(f"{error.filename} cannot be read or written: permission denied") from error
            except GitError as error:
                raise ToolError(bounded(f"git says: {error.stderr or error}", 2_000)) from error

        schema = {
            "type": "object",
            "properties": properties,
            "required": [key for key in properties if key not in optional],
            "additionalProperties": False,
        }
        return Tool(name, description, schema, call, final)


def _whole(value: Any) -> Any:
    """JSON values with `2.0` as `2`: to JSON schema both are integers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole(inner) for key, inner in value.items()}
    return [_whole(inner) for inner in value] if isinstance(value, list) else value


def number(description: str, least: int, most: int = 10_000_000) -> Schema:
    """A whole number."""
    return {"type": "integer", "minimum": least, "maximum": most, "description": description}


def string(description: str, least: int = 0, most: int = 4_000_000) -> Schema:
    """Text."""
    return {"type": "string", "minLength": least, "maxLength": most, "description": description}


def choice(description: str, *values: str) -> Schema:
    """One of some words."""
    return {"type": "string", "enum": list(values), "description": description}


MESSAGE = string("The commit message: a subject line, and if need be an empty line and a body.", 1, 100_000)
PATH = string("The file, relative to the repository's root, as the lists name it.", 1, 5_000)
