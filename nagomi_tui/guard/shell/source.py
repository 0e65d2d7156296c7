"""Checks a command's text for places that bash and our grammar would parse differently."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from nagomi_tui.guard.shell.verdict import Writes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_LITERAL: Final = frozenset(
    {
        "string_content",
        "raw_string",
        "ansi_c_string",
        "heredoc_content",
        "heredoc_body",
        "comment",
        "string",
        "regex",
    }
)
_RAW: Final = _LITERAL - {"string", "string_content"}
_DELIMITER: Final = rb"([\w.-]+)|'([\w.-]+)'|\"([\w.-]+)\"|\\([\w.-]+)"


@cache
def _doubtful() -> re.Pattern[bytes]:
    """Return a pattern of unusual blanks, escaped blanks and `#`, which may be read differently."""
    return re.compile(
        rb"(?P<zsh>\$[=~^+]+[\w{@*#?])|(?P<assigns>(?<!\$)\{[A-Za-z_][^\s{}<>]*\}[<>])|(?P<hidden>\\[ \t])|(?P<joined>\\\n)|(?P<mark>(?:^|(?<=[\s;&|()]))\#)"
        rb"|(?P<wide>\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8b\xa8-\xaf]|\xe2\x81\x9f|\xe3\x80\x80|\xef\xbb\xbf)"
    )


def see(source: bytes, root: Node) -> None:
    """Check the places where shells and the grammar are known to differ.

    Raises:
        Writes: the meaning of such a place is not certain.
    """
    for match in _doubtful().finditer(source):
        at = match.start()
        kind = match.lastgroup
        within = root.descendant_for_byte_range(at, at + 1)
        if kind == "joined" and _is_apart(source, at):
            continue
        literal = _RAW if kind == "zsh" else _LITERAL
        if within is None or within.type not in literal:
            _doubt(kind, source, at)
    if b"`" in source or b"#" in source or b"<<" in source:
        for node in _all(root):
            check = _CHECKS.get(node.type)
            if check is not None:
                check(source, node)


def _doubt(kind: str | None, source: bytes, at: int) -> None:
    if (
        kind == "hidden"
        and at
        and source[at - 1 : at].isalnum()
        and source[at + 1 : at + 2] == b" "
    ):
        return
    if kind == "zsh":
        raise Writes("a dollar sign that zsh takes for an expansion", at)
    if kind == "assigns":
        raise Writes("a redirection that sets a variable", at)
    raise Writes("blanks or marks that shells read differently", at)


def _is_apart(source: bytes, at: int) -> bool:
    """Whether a backslash and newline are next to a blank, so that no word is joined by them."""
    before, after = source[at - 1 : at], source[at + 2 : at + 3]
    return before in (b" ", b"\t") or after in (b" ", b"\t")


def _all(root: Node) -> Iterator[Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack += node.children


def _comment(source: bytes, node: Node) -> None:
    at = node.start_byte
    before = source[at - 1 : at] if at else b"\n"
    if (
        before not in (b" ", b"\t", b"\n", b";", b"&", b"|", b"(", b")")
        or source[at - 2 : at - 1] == b"\\"
    ):
        raise Writes("a comment that may be none", at)


def _substitution(source: bytes, node: Node) -> None:
    text = source[node.start_byte : node.end_byte]
    if text.startswith(b"`") and b"\\" in text:
        raise Writes("backslashes within backticks", node.start_byte)


def _heredoc(source: bytes, node: Node) -> None:
    """Check that a here-document ends at the first line that equals its delimiter."""
    start = next((child for child in node.children if child.type == "heredoc_start"), None)
    end = next((child for child in node.children if child.type == "heredoc_end"), None)
    match = re.fullmatch(_DELIMITER, start.text or b"") if start is not None else None
    if start is None or end is None or match is None:
        raise Writes("a here-document that is not understood", node.start_byte)
    mark = next(filter(None, match.groups()))
    line_end = source.find(b"\n", start.end_byte)
    rest = source[start.end_byte : line_end]
    if (
        b"<<" in rest
        or rest.count(b"'") % 2
        or rest.count(b'"') % 2
        or b"\\" in rest
        or b"#" in rest
    ):
        raise Writes("a here-document that is not understood", node.start_byte)
    strips = node.children[0].type == "<<-" or b"<<-" in source[node.start_byte : start.start_byte]
    at = line_end + 1
    for line in source[at:].split(b"\n"):
        if (line.lstrip(b"\t") if strips else line) == mark:
            break
        at += len(line) + 1
    if (
        not at <= end.start_byte <= at + 40
        or source[at : end.start_byte].strip(b"\t")
        or end.end_byte < at + len(mark)
    ):
        raise Writes("a here-document whose end is not certain", node.start_byte)


_CHECKS: Final = {
    "comment": _comment,
    "command_substitution": _substitution,
    "heredoc_redirect": _heredoc,
}
