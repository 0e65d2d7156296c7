"""Parses commands with the bash grammar, and checks that bash would parse them alike."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.guard.shell.source import see
from nagomi_tui.guard.shell.verdict import Writes

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_APOSTROPHE: Final = re.compile(r"[\w ,.-]+[A-Za-z]'[A-Za-z]{1,2}(?: [\w ,.-]*)?")


@cache
def parser() -> Parser:
    """Return a parser with the bash grammar."""
    import tree_sitter

    return tree_sitter.Parser(tree_sitter.Language(_grammar().language()))


def _grammar() -> Any:
    """Load the grammar's library without its package, whose imports are slow."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    package = PathFinder.find_spec("tree_sitter_bash")
    places = package.submodule_search_locations if package else None
    found = PathFinder.find_spec("tree_sitter_bash._binding", places) if places else None
    if found is None or found.loader is None:
        import tree_sitter_bash

        return tree_sitter_bash
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


def parsed(command: str) -> Node:
    """Parse a command.

    Raises:
        Writes: it cannot be parsed.
    """
    source = command.encode()
    root = parser().parse(source).root_node
    if not root.has_error:
        see(source, root)
        return root
    if _APOSTROPHE.fullmatch(command):
        # One line with an open quote: the shell refuses all of it before anything runs.
        return parsed(command + "'")
    raise Writes("bash would not understand it, or we do not", _fault(root))


def _fault(node: Node) -> int:
    for child in node.children:
        if child.is_error or child.is_missing:
            return child.start_byte
        if child.has_error:
            return _fault(child)
    return node.start_byte
