"""README says what is true: its options table and its example files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_gitgoodbench.settings import OPTIONS, options_table

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_options_table_is_the_settings():
    assert options_table() in README, "run `ggb options` and paste its table into README.md"


def test_every_option_named_anywhere_exists():
    known = {option.flag for option in OPTIONS}
    documents = [ROOT / "README.md", *ROOT.glob("docs/*.md"), ROOT / "SECURITY.md", ROOT / ".ci" / "run"]
    for document in documents:
        named = set(re.findall(r"--ggb-[a-z-]*[a-z]", document.read_text("utf-8")))
        assert named <= known, f"{document.name}: {sorted(named - known)}"


def test_links_lead_somewhere():
    for document in [ROOT / "README.md", *ROOT.glob("docs/*.md")]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text("utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, re.S))
def test_python_examples_compile(code):
    compile(code, "README.md", "exec")
