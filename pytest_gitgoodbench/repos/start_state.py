"""What a workspace holds at its start: the contract between scenarios, templates and the leak check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class StartState:
    """What a workspace's repository holds before the work tree is made.

    Attributes:
        visible: object names (commits, or trees) that the agent may see; the object store holds
            what is reachable from them and nothing else.
        refs: full ref names and the commits they point at, e.g. `refs/heads/main`.
        head: the ref HEAD points at.
        config: settings written into the workspace's own configuration, e.g.
            `branch.topic.merge`.
    """

    visible: tuple[str, ...]
    refs: Mapping[str, str]
    head: str
    config: Mapping[str, str] = field(default_factory=dict)
