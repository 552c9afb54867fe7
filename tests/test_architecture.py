"""The shape of the package: imports point one way, pytest stays outside, heavy libraries are imported late."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import pytest_gitgoodbench

PACKAGE = Path(pytest_gitgoodbench.__file__).parent
FILES = sorted(path for path in PACKAGE.rglob("*.py"))

# A module may import from its own layer and from those that follow.
LAYERS = (
    {"plugin", "fixtures", "collection", "reporting", "session", "suite", "hookspecs", "cli", "__init__"},
    {"runs"},
    {"scenarios", "agents", "judging"},
    {"repos", "dataset", "llm"},
    {"git", "settings", "errors"},
)
OUTER = LAYERS[0] - {"cli", "__init__"}
HEAVY = {"litellm", "datasets", "pyarrow", "pandas", "huggingface_hub", "rich", "git", "openai", "jsonschema"}


def layer(module: str) -> int:
    return next(number for number, names in enumerate(LAYERS) if module in names)


def own_name(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path, *, only_at_start: bool = False) -> Iterator[str]:
    """Names of modules imported in a file; with `only_at_start` those that importing it imports."""
    tree = ast.parse(path.read_text("utf-8"))
    nodes: list[ast.AST] = list(tree.body) if only_at_start else list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    mine = layer(own_name(path))
    for module in imports(path):
        parts = module.split(".")
        if (
            parts[0] == "pytest_gitgoodbench"
            and len(parts) > 1
            and (PACKAGE / parts[1]).exists() | (PACKAGE / f"{parts[1]}.py").exists()
        ):
            assert layer(parts[1]) >= mine, f"{own_name(path)} imports {module}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_the_outermost_layer_knows_pytest(path):
    if own_name(path) not in OUTER:
        assert not {"pytest", "_pytest", "xdist"} & {module.split(".")[0] for module in imports(path)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_heavy_libraries_are_imported_where_they_are_used(path):
    assert not HEAVY & {module.split(".")[0] for module in imports(path, only_at_start=True)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_each_file_starts_by_saying_what_it_is_for(path):
    assert ast.get_docstring(ast.parse(path.read_text("utf-8"))), path
