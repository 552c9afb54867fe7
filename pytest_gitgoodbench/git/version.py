"""Which git there is, and whether it can do what this project asks of it."""

from __future__ import annotations

import re

from pytest_gitgoodbench.errors import GitError, UserError
from pytest_gitgoodbench.git.run import OLDEST_GIT, Git


def required_version() -> str:
    """The version of the git on PATH, e.g. `2.39.5`.

    Raises:
        UserError: there is none, it does not run, or it is too old; the message says which is needed.
    """
    try:
        said = Git().line("version")
    except GitError as error:
        raise UserError(
            f"git does not work ({error.stderr.partition(chr(10))[0]}): install git {OLDEST_GIT} or newer"
        ) from error
    found = re.search(r"(\d{1,6})\.(\d{1,6})", said)
    needed = tuple(map(int, OLDEST_GIT.split(".")))
    if found is None or tuple(map(int, found.groups())) < needed:
        raise UserError(f"{said[:100] or 'git'} is too old: install git {OLDEST_GIT} or newer")
    return said.removeprefix("git version ")
