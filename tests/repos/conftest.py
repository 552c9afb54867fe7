"""What tests of repositories share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.upstream import Gate, Upstream


@pytest.fixture(scope="session")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Upstream:
    """The project; only to be read."""
    return Upstream(tmp_path_factory.mktemp("upstream"))


@pytest.fixture
def gate(tmp_path: Path, upstream: Upstream) -> Gate:
    return Gate(tmp_path / "gate", upstream)
