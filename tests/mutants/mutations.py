"""Which small faults a module could hold, and its source with one of them.

A comparison is turned or moved by one, `and` stands for `or`, a `not` is dropped, plus stands for
minus; and each the other way round.
"""

from __future__ import annotations

import ast
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_COMPARISONS: Final[dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]]] = {
    ast.Lt: (ast.GtE, ast.LtE),
    ast.LtE: (ast.Gt, ast.Lt),
    ast.Gt: (ast.LtE, ast.GtE),
    ast.GtE: (ast.Lt, ast.Gt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPERATORS: Final[dict[type[ast.AST], type[ast.AST]]] = {
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}

Key: TypeAlias = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Mutation:
    """One fault, and the module with it."""

    file: str
    """Path below the root of the tree, with slashes."""
    number: int
    """Of the line on which the expression begins, from 1."""
    line: str
    """That line of the source, without its indent."""
    before: str
    after: str
    function: str
    """The function around it; nothing outside of functions."""
    begins: int
    """Number of the line on which that function begins, its first decorator included."""
    source: str
    """The whole module with the fault in it."""

    @property
    def key(self) -> Key:
        """What `same.toml` knows it by, which lasts while the code around it moves."""
        return self.file, self.function, self.line, self.after


class _Place(NamedTuple):
    """A function, by its name and the line on which it begins."""

    function: str = ""
    begins: int = 0


def mutations(file: str, source: str) -> Iterator[Mutation]:
    """Yield every fault that `source` could hold."""
    tree = ast.parse(source)
    lines = source.splitlines()
    for node, place, before, after in _faulty(tree):
        line = lines[node.lineno - 1].strip()
        yield Mutation(file, node.lineno, line, before, after, *place, ast.unparse(tree))


def keys(file: str, source: str) -> Iterator[Key]:
    """Yield the key of every fault that `source` could hold: that is quick."""
    lines = source.splitlines()
    for node, place, _, after in _faulty(ast.parse(source)):
        yield file, place.function, lines[node.lineno - 1].strip(), after


def _faulty(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, _Place, str, str]]:
    """Put one fault after the other into `tree`; yield each with its text before and after."""
    for node, place in _with_places(tree, _Place()):
        kept, before = vars(node).copy(), ""
        for changes in _changes(node):
            before = before or ast.unparse(node)
            vars(node).update(changes)
            yield node, place, before, ast.unparse(node)
            vars(node).update(kept)


def _with_places(parent: ast.AST, place: _Place) -> Iterator[tuple[ast.expr | ast.stmt, _Place]]:
    for node in ast.iter_child_nodes(parent):
        inner = place
        if isinstance(node, (ast.expr, ast.stmt)):
            yield node, place
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = _Place(node.name, min(one.lineno for one in (node, *node.decorator_list)))
        elif isinstance(node, ast.ClassDef):
            inner = _Place()
        yield from _with_places(node, inner)


def _changes(node: ast.AST) -> Iterator[dict[str, object]]:
    """Yield the attributes that make `node` a wrong one."""
    match node:
        case ast.Compare(ops=operators):
            for at, operator in enumerate(operators):
                for other in _COMPARISONS[type(operator)]:
                    yield {"ops": [*operators[:at], other(), *operators[at + 1 :]]}
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield {"operand": ast.UnaryOp(ast.Not(), operand)}
        case ast.BoolOp(op=one) | ast.BinOp(op=one) | ast.AugAssign(op=one):
            if type(one) in _OPERATORS:
                yield {"op": _OPERATORS[type(one)]()}


def same(path: Path) -> dict[Key, str]:
    """Read the mutations that change nothing anyone could see, with the reason for each."""
    entries = tomllib.loads(path.read_text("utf-8")).get("same", [])
    return {
        (entry["file"], entry["function"], entry["line"], entry["after"]): entry["reason"]
        for entry in entries
    }
