"""No module grows long, and no class is handed more than a few things."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = (ROOT / "nagomi_tui", ROOT / "worker" / "nagomi_worker")
MOST_LINES: Final = 400
MOST_PARAMETERS: Final = 7

TABLES: Final = {
    "nagomi_tui/settings/model.py": "a field for each setting, with its unit and sentence",
}
"""Modules that may be longer, since they are tables of data, with what they hold."""


def _modules() -> Iterator[tuple[str, str]]:
    for package in PACKAGES:
        for path in package.rglob("*.py"):
            yield str(path.relative_to(ROOT)), path.read_text()


def _crowded(source: str) -> dict[str, int]:
    """Return the classes whose constructors take too much, and how much that is."""
    return {
        node.name: count
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef) and (count := _handed(node)) > MOST_PARAMETERS
    }


def _handed(node: ast.ClassDef) -> int:
    """Count what a constructor takes beside `self`; for a data class, its fields."""
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.name == "__init__":
            arguments = item.args
            each = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
            return len(each) - 1
    if any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list):
        return sum(isinstance(item, ast.AnnAssign) for item in node.body)
    return 0


def test_no_module_is_longer_than_four_hundred_lines() -> None:
    lengths = {name: len(source.splitlines()) for name, source in _modules()}
    assert len(lengths) > 400
    too_long = {name: length for name, length in lengths.items() if length > MOST_LINES}
    assert too_long.keys() == TABLES.keys(), too_long


def test_no_constructor_takes_more_than_seven_things() -> None:
    found = {name: crowded for name, source in _modules() if (crowded := _crowded(source))}
    assert found == {}


def test_the_count_sees_all_kinds_of_parameters() -> None:
    many = "class A:\n    def __init__(self, a, /, b, c, d, *, e, f, g, h): ..."
    fields = "\n".join(f"    {name}: int" for name in "abcdefgh")
    assert _crowded(many) == {"A": 8}
    assert _crowded(many.replace(", h)", ")")) == {}
    assert _crowded(f"@dataclass(frozen=True)\nclass B:\n{fields}") == {"B": 8}
