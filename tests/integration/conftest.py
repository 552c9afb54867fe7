"""Driving pytest with the plugin, as a user does: a process of its own on the embedded demo."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest


@dataclass
class Run:
    """What one run of pytest left."""

    result: pytest.RunResult
    out: Path
    xml: Path

    @property
    def outcomes(self) -> dict[str, str]:
        """By test id, from the JUnit XML: passed, failed, error or skipped."""
        found = {}
        for case in ElementTree.parse(self.xml).iter("testcase"):
            kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
            outcome = {"failure": "failed"}.get(kinds[0], kinds[0]) if kinds else "passed"
            found[f"{case.get('classname')}::{case.get('name')}"] = outcome
        return found

    @property
    def records(self) -> list[dict[str, Any]]:
        """The lines of results.jsonl."""
        lines = (self.out / "results.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]

    @property
    def text(self) -> str:
        """What pytest printed."""
        return self.result.stdout.str() + self.result.stderr.str()


@pytest.fixture(scope="session")
def demo_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository cache for all tests of one process."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def ggb(pytester: pytest.Pytester, demo_cache: Path) -> Callable[..., Run]:
    """Run pytest with `--ggb-` options on the demo; options given win over these."""
    count = 0

    def run(*arguments: str, out: Path | None = None) -> Run:
        nonlocal count
        count += 1
        folder = out or pytester.path / f"run{count}"
        xml = pytester.path / f"junit{count}.xml"
        result = pytester.runpytest_subprocess(
            "--ggb-dataset=demo",
            f"--ggb-cache-dir={demo_cache}",
            f"--ggb-out={folder}",
            f"--junitxml={xml}",
            "-p",
            "no:randomly",
            *arguments,
        )
        return Run(result, folder, xml)

    return run
