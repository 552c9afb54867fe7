"""Sessions that have nothing to do with the benchmark pay nothing for the plugin."""

from __future__ import annotations

import pytest

SHOW = """
import sys

def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        own = [name for name in sys.modules if name.partition(".")[0] == "pytest_gitgoodbench"]
        heavy = {"litellm", "datasets", "git", "rich", "filelock", "jsonschema", "pyarrow"}
        print("LOADED", *sorted({*own, *(heavy & set(sys.modules))}))
"""
# Its options, its hooks and its fixtures' definitions.
OWN = {
    "pytest_gitgoodbench",
    "pytest_gitgoodbench.collection",
    "pytest_gitgoodbench.errors",
    "pytest_gitgoodbench.fixtures",
    "pytest_gitgoodbench.hookspecs",
    "pytest_gitgoodbench.plugin",
    "pytest_gitgoodbench.session",
    "pytest_gitgoodbench.settings",
}


@pytest.mark.parametrize(
    "arguments", [(), ("-n", "2"), ("--collect-only",)], ids=["alone", "xdist", "collect"]
)
def test_only_its_own_options_are_loaded(pytester, arguments):
    pytester.makeconftest(SHOW)
    pytester.makepyfile("def test_something(): pass")
    done = pytester.runpytest_subprocess("-q", *arguments)
    assert done.ret == 0
    (line,) = [line for line in done.outlines if line.startswith("LOADED")]
    assert set(line.split()[1:]) <= OWN
    assert not any("gitgoodbench" in line for line in done.outlines if not line.startswith("LOADED"))
    left = {path.name for path in pytester.path.iterdir()}
    assert not any(name.startswith("ggb") for name in left)
