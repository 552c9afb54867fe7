"""Tasks: which scenarios of which samples a run consists of, in which order, under which ids."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_gitgoodbench.dataset.sample import Sample


@dataclass(frozen=True, slots=True)
class Task:
    """One scenario of one sample, and which trial of it.

    Attributes:
        sample: the sample.
        scenario: the scenario's name, `merge`, `rebase` or `commit`.
        trial: from 1.
    """

    sample: Sample
    scenario: str
    trial: int = 1

    @property
    def id(self) -> str:
        """The part in brackets of the test's id, e.g. `kotlin-easy-owner_repo_merge_0003`."""
        sample = self.sample
        trial = "" if self.trial == 1 else f"-trial{self.trial}"
        return f"{sample.language}-{sample.difficulty}-{sample.id}{trial}"

    @property
    def key(self) -> str:
        """Unique in a run: `merge[kotlin-easy-owner_repo_merge_0003]`."""
        return f"{self.scenario}[{self.id}]"
