"""A sample: one row of the dataset, checked and typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

LANGUAGES = ("python", "java", "kotlin")
DIFFICULTIES = ("easy", "medium", "hard")
SAMPLE_TYPES = ("merge", "file_commit_chain")


@dataclass(frozen=True, slots=True)
class Merge:
    """What a row of type `merge` says.

    Attributes:
        merge_commit: the maintainers' merge commit, the ground truth.
        parents: its first and second parent.
        files: the paths that conflict, as the row lists them (may be empty).
        conflicts: the number of conflicts, as the row says; None when it does not.
    """

    merge_commit: str
    parents: tuple[str, str]
    files: tuple[str, ...] = ()
    conflicts: int | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """What a row of type `file_commit_chain` says.

    Attributes:
        file: the path that every commit of the chain touches.
        length: the number of commits (`times_seen_consecutively`).
        newest_commit: the chain's last commit. The released miner swaps the two ends; which is
            which is decided in the repository, see `scenarios.chain`.
        oldest_commit: the chain's first commit.
        branch: the branch the chain was mined from, if the row says.
        purity: share of the chain's changed lines that are in `file`, 0 to 1, if the row says.
    """

    file: str
    length: int
    newest_commit: str
    oldest_commit: str
    branch: str | None = None
    purity: float | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """One place in a real repository's history.

    Attributes:
        id: unique in its dataset, e.g. `owner_repo_merge_0003`.
        name: the upstream repository, `owner/repo`.
        language: `python`, `java` or `kotlin`.
        difficulty: `easy`, `medium` or `hard`.
        detail: the part that depends on the sample type.
        metadata: the row's other fields (license, stargazers, project_size, ...), as JSON values.
    """

    id: str
    name: str
    language: str
    difficulty: str
    detail: Merge | Chain
    metadata: Mapping[str, object] = field(default_factory=dict)

    @property
    def sample_type(self) -> str:
        """`merge` or `file_commit_chain`."""
        return "merge" if isinstance(self.detail, Merge) else "file_commit_chain"

    @property
    def commits(self) -> tuple[str, ...]:
        """The commits that the sample names; with their ancestors they are all it needs."""
        if isinstance(self.detail, Merge):
            return (self.detail.merge_commit, *self.detail.parents)
        return (self.detail.newest_commit, self.detail.oldest_commit)


def as_fields(part: object) -> dict[str, object]:
    """A sample, or its detail, for `json.dumps(default=)`; `dataclasses.asdict` takes three times as long."""
    assert isinstance(part, Sample | Merge | Chain)
    return {entry.name: getattr(part, entry.name) for entry in fields(part)}
