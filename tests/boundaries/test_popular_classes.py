"""No class but a value is imported whole by more than ten modules; for types only neither.

A value is what cannot be changed or only names something: a frozen struct, a named tuple, an enum,
an exception, a protocol.
"""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = (ROOT / "nagomi_tui", ROOT / "worker" / "nagomi_worker")
MOST: Final = 10

VALUES: Final = frozenset(
    {"Enum", "StrEnum", "IntEnum", "Flag", "IntFlag", "NamedTuple", "TypedDict", "Protocol"}
)
"""Bases whose classes are values; exceptions are known by being such of Python's own."""

Name = tuple[str, str]
"""A module, and what it defines or imports."""


class Tree:
    """The modules of nagomi: what each defines, and what it imports from where."""

    def __init__(self, *packages: Path) -> None:
        self.classes: dict[Name, ast.ClassDef] = {}
        self.imports: dict[str, set[Name]] = {}
        for package in packages:
            for path in package.rglob("*.py"):
                parts = path.relative_to(package.parent).with_suffix("").parts
                is_package = parts[-1] == "__init__"
                self.read(".".join(parts[:-1] if is_package else parts), path.read_text())

    def read(self, module: str, source: str) -> None:
        """Add a module."""
        tree = ast.parse(source)
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                self.classes[module, node.name] = node
        self.imports[module] = {
            (node.module, alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }

    def definition(self, name: Name) -> Name | None:
        """Return where a class is defined that a module may only hand on."""
        if name in self.classes:
            return name
        origins = self.imports.get(name[0], set()) - {name}
        found = (self.definition(origin) for origin in origins if origin[1] == name[1])
        return next((known for known in found if known), None)

    def is_value(self, name: Name) -> bool:
        """Tell whether a class is a value, by what it says of itself or inherits."""
        node = self.classes[name]
        frozen = any(
            keyword.arg == "frozen" and ast.unparse(keyword.value) == "True"
            for keyword in node.keywords
        )
        return frozen or any(self._is_value(name[0], base) for base in _bases(node))

    def _is_value(self, module: str, base: str) -> bool:
        known = self.definition((module, base))
        if known is not None:
            # What fulfils a protocol is no protocol for that.
            return "Protocol" not in _bases(self.classes[known]) and self.is_value(known)
        python = getattr(builtins, base, None)
        return base in VALUES or (isinstance(python, type) and issubclass(python, BaseException))

    def importers(self) -> dict[Name, set[str]]:
        """Return the modules that import each class, but for those that only hand it on."""
        found = defaultdict(set)
        for module, names in self.imports.items():
            for name in names:
                if (known := self.definition(name)) and not known[0].startswith(module + "."):
                    found[known].add(module)
        return found


def _bases(node: ast.ClassDef) -> Iterator[str]:
    """Yield the names of a class's bases, without modules and parameters."""
    for base in node.bases:
        yield ast.unparse(base).partition("[")[0].rpartition(".")[2]


def _popular(tree: Tree) -> dict[Name, int]:
    return {
        name: len(modules)
        for name, modules in tree.importers().items()
        if len(modules) > MOST and not tree.is_value(name)
    }


def test_only_values_are_imported_by_many_modules() -> None:
    tree = Tree(*PACKAGES)
    assert tree.is_value(("nagomi_tui.core.session.session", "Session"))
    assert not tree.is_value(("nagomi_tui.orchestrator.sessions.session", "SessionRuntime"))
    assert _popular(tree) == {}


def test_the_count_sees_through_other_modules_and_bases() -> None:
    tree = Tree()
    tree.read(
        "core", "class Desk: ...\nclass Fault(OSError): ...\nclass At(Struct, frozen=True): ..."
    )
    tree.read("package", "from core import Desk, Fault, At")
    tree.read("more", "from core import At\nclass Place(At): ...\nclass Seen(Protocol): ...")
    for number in range(MOST):
        tree.read(f"user{number}", "from package import Desk, Fault, At\nfrom more import Place")
    assert _popular(tree) == {("core", "Desk"): MOST + 1}
    assert tree.is_value(("more", "Place")) and tree.is_value(("more", "Seen"))
    tree.read("desk", "from more import Seen\nclass Shown(Seen): ...")
    assert not tree.is_value(("desk", "Shown"))
