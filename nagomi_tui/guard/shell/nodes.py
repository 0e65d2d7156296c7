"""Small functions on nodes of a command's syntax tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tree_sitter import Node


def text_of(node: Node) -> str:
    """Return the source text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def head_of(node: Node) -> list[str]:
    """Return the source texts of a command's words; empty for other kinds of nodes."""
    if node.type != "command":
        return []
    parts: Iterable[Node] = (
        child for child in node.named_children if child.type != "variable_assignment"
    )
    return [joined(child) or text_of(child).strip("'\"") for child in parts]


def joined(node: Node) -> str:
    """Return the text of an option with its value in quotes, as in `--format='%H'`; else empty."""
    parts = node.named_children
    if node.type != "concatenation" or [part.type for part in parts[:1]] != ["word"]:
        return ""
    if len(parts) != 2 or parts[1].type not in ("raw_string", "string"):
        return ""
    option, value = text_of(parts[0]), text_of(parts[1])[1:-1]
    plain = option.startswith("--") and option[-1] in "=:" and "\\" not in option + value
    return option + value if plain and not ("$" in value or "`" in value) else ""


def node_ids(nodes: Sequence[Node]) -> set[int]:
    """Return the ids of nodes, to compare them: each access creates new Python objects."""
    return {node.id for node in nodes}


def descendants(node: Node) -> list[Node]:
    """Return all nodes within a node, in no order."""
    found, stack = [], list(node.children)
    while stack:
        one = stack.pop()
        found.append(one)
        stack += one.children
    return found
