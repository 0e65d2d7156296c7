"""No module imports, by whatever way round, a module that imports it; for types only neither."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT: Final = Path(__file__).resolve().parents[2]

FREE_OF_CIRCLES: Final = ("nagomi_tui", "worker/nagomi_worker")


def _modules(folder: str) -> dict[str, Path]:
    """Return the modules under a folder by their dotted names."""
    found = {}
    for path in (ROOT / folder).rglob("*.py"):
        parts = path.relative_to((ROOT / folder).parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _imported(source: str, modules: Iterable[str]) -> Iterator[str]:
    """Return the modules that a module's text imports, anywhere in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from names
            if not names <= set(modules):
                yield node.module


def _graph(folder: str) -> dict[str, set[str]]:
    modules = _modules(folder)
    return {
        name: set(_imported(path.read_text(), modules)) & modules.keys() - {name}
        for name, path in modules.items()
    }


@pytest.mark.parametrize("folder", FREE_OF_CIRCLES)
def test_no_module_imports_itself_by_way_of_others(folder: str) -> None:
    graph = _graph(folder)
    assert sum(map(len, graph.values())) > len(graph)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))
