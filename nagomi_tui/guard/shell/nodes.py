"""Small functions on nodes of a command's syntax tree."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node


def text_of(node: Node) -> str:
    """Return the source text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def literal_words(node: Node, *, prefixed: bool = False) -> list[str]:
    """Return a command's words if each is what is written; else none.

    With `prefixed` there may be assignments before it, which are not among them.
    """
    if node.type != "command":
        return []
    found = []
    for child in node.named_children:
        if child.type == "variable_assignment" and prefixed:
            continue
        text = _literal(child.children[0] if child.type == "command_name" else child)
        if text is None:
            return []
        found.append(text)
    return found


def _literal(node: Node) -> str | None:
    text = text_of(node)
    if node.type in ("word", "number"):
        return text if _BARE.fullmatch(text) else None
    if node.type == "raw_string":
        return text[1:-1]
    if node.type == "string":
        return None if re.search(r"[$`\\]", text) else text[1:-1]
    if node.type == "concatenation":
        parts = [_literal(part) for part in node.named_children]
        touching = sum(len(text_of(part)) for part in node.named_children) == len(text)
        return "".join(map(str, parts)) if touching and None not in parts else None
    return None


_BARE: Final = re.compile(r"[\w./,:=@%+^-][\w./,:=@%+^~-]*|!")
"""A word outside of quotes of which no character is special to a shell."""


def is_fed(node: Node) -> bool:
    """Whether a redirection of a statement says what it reads."""
    return any(
        child.type in ("heredoc_redirect", "herestring_redirect")
        or child.type == "file_redirect"
        and "<" in text_of(child)
        for child in node.named_children
    )


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
