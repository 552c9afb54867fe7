"""Datasets of the hub, loaded for real by the `datasets` library from a hub on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_gitgoodbench.dataset.demo import ROWS_FILE
from tests.support.hub import COMMIT, ID, hub

_LOAD = """
import json, sys
from pytest_gitgoodbench.dataset.load import load
from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.settings import Settings
try:
    found = load(Settings(**json.loads(sys.argv[1])))
except UserError as error:
    print(json.dumps({"error": str(error)}))
else:
    print(json.dumps({
        "source": found.source, "revision": found.revision, "pinned": found.pinned,
        "fingerprint": found.fingerprint, "samples": len(found.samples), "shown": found.describe(),
    }))
"""
Load = Callable[..., dict[str, object]]


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    def run(endpoint: str, **options: object) -> dict[str, object]:
        """Load in a process of its own: the libraries read their environment once."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
        environment |= {"HF_ENDPOINT": endpoint, "HF_HOME": str(tmp_path / "hf"), "NO_PROXY": "127.0.0.1"}
        done = subprocess.run(
            [sys.executable, "-c", _LOAD, json.dumps(options)],
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
        return found

    return run


def test_unpinned_pinned_then_cached(load: Load) -> None:
    with hub(ROWS_FILE.read_bytes()) as address:
        unpinned = load(address, dataset=ID)
        assert (unpinned.get("revision"), unpinned.get("pinned")) == (COMMIT, False), unpinned
        assert "unpinned" in str(unpinned["shown"])
        pinned = load(address, dataset=ID, revision=COMMIT)
        assert (pinned.get("revision"), pinned.get("pinned")) == (COMMIT, True), pinned
        assert "unpinned" not in str(pinned["shown"])
    local = load(address, dataset=str(ROWS_FILE))
    assert unpinned["fingerprint"] == pinned["fingerprint"]
    assert unpinned["samples"] == local["samples"]
    cached = load(address, dataset=ID, revision=COMMIT, offline=True)
    assert cached.get("fingerprint") == pinned["fingerprint"], cached
    cached = load(address, dataset=ID, offline=True)
    assert cached.get("fingerprint") == pinned["fingerprint"], cached
    assert (cached["revision"], cached["pinned"]) == (COMMIT, False)
    other = load(address, dataset=ID, revision="f" * 40, offline=True)
    assert f"the cache has {COMMIT} of it, not {'f' * 40}" in str(other.get("error")), other


def test_what_cannot_be_loaded_says_what_to_try(load: Load) -> None:
    with hub(ROWS_FILE.read_bytes()) as address:
        failures = [
            load(address, dataset="nobody/nothing"),
            load(address, dataset=ID, revision="no-such-branch"),
            load(address, dataset=ID, offline=True),
        ]
    failures.append(load(address, dataset=ID))  # the hub is gone
    for failure in failures:
        message = str(failure.get("error"))
        assert "cannot be loaded from the hub" in message
        assert "--ggb-revision" in message
        assert "\n" not in message
