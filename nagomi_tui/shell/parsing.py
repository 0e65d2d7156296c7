"""Parses a shell command into a syntax tree, and refuses what bash might read differently."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.shell.words import GLOB, Word, Writes, named

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_LITERAL: Final = named(
    "string_content raw_string ansi_c_string heredoc_content heredoc_body comment string regex"
)
_RAW: Final = _LITERAL - {"string", "string_content"}
_DELIMITER: Final = rb"([\w.-]+)|'([\w.-]+)'|\"([\w.-]+)\"|\\([\w.-]+)"


@cache
def _doubtful() -> re.Pattern[bytes]:
    """Return a pattern of signs beyond ASCII, bare braces, `#` and more, which may be read differently."""
    return re.compile(
        rb"(?P<zsh>\$[=~^+]+[\w{@*#?])|(?P<assigns>(?<!\$)\{[A-Za-z_][^\s{}<>]*\}[<>])|(?P<hidden>\\[ \t])|(?P<joined>\\\n)|(?P<mark>(?:^|(?<=[\s;&|()]))\#)"
        rb"|(?P<brace>(?:^|(?<=[\s;&|()]))[{}](?=[\s;&|()]|$))|(?P<translated>\$\")"
        rb"|(?P<wide>[\xc2-\xf4][\x80-\xbf]+)"
    )


def see(source: bytes, root: Node) -> None:
    """Check the places where shells and the grammar are known to differ."""
    for match in _doubtful().finditer(source):
        at = match.start()
        kind = match.lastgroup
        within = root.descendant_for_byte_range(at, at + 1)
        if kind == "joined" and _is_apart(source, at) or kind == "wide" and _is_shown(match[0]):
            continue
        literal = _RAW if kind == "zsh" else _LITERAL
        if within is not None and not within.is_named and _is_plain_token(kind, within):
            continue
        if within is None or within.type not in literal:
            _doubt(kind, source, at)
    for node in _all(root):
        kind = node.type
        if kind in _LINES:
            _on_one_line(source, node)
        elif kind in _WHOLE:
            _without_gaps(node)
        elif kind in _NO_BLANKS:
            if re.search(rb"\s", re.sub(rb"\\.", b"", node.text or b"", flags=re.DOTALL)):
                raise Writes("a blank or newline that the shell takes for an end", node.start_byte)
        elif (check := _CHECKS.get(kind)) is not None:
            check(source, node)


_LINES: Final = frozenset(
    {"command", "redirected_statement", "file_redirect", "herestring_redirect", "declaration_command", "unset_command",
     "variable_assignments", "test_command"}
)  # fmt: skip
"""Nodes whose parts stand on one line, with blanks between words."""
_WHOLE: Final = frozenset({"simple_expansion", "variable_assignment", "concatenation", "subscript"})
"""Nodes whose parts touch."""
_NO_BLANKS: Final = frozenset(
    {"word", "special_variable_name", "variable_name", "number", "file_descriptor"}
)


def _on_one_line(source: bytes, node: Node) -> None:
    """Check that a command does not go on behind its line, and that its words do not touch.

    Raises:
        Writes: the grammar takes several commands for one, or one word for several.
    """
    if node.type == "test_command":
        if node.children[0].type == "[" and b"\n" in (node.text or b"").replace(b"\\\n", b""):
            raise Writes("a test that goes on behind its line", node.start_byte)
        return
    for before, after in pairwise(node.children):
        gap = source[before.end_byte : after.start_byte]
        if b"\n" in gap.replace(b"\\\n", b""):
            raise Writes("a command that goes on behind its line", after.start_byte)
        redirects = after.type.endswith("_redirect") or not {before.type, after.type}.isdisjoint(
            _SIGNS
        )
        if not gap and not redirects:
            raise Writes("words that touch", after.start_byte)


_SIGNS: Final = frozenset(
    {"<", ">", ">>", ">|", "<>", "<&", ">&", "<&-", ">&-", "&>", "&>>", "<<<", "file_descriptor"}
)


def _without_gaps(node: Node) -> None:
    for before, after in pairwise(node.children):
        if before.end_byte != after.start_byte:
            raise Writes("parts that the shell takes for words", after.start_byte)


def _is_plain_token(kind: str | None, token: Node) -> bool:
    """Whether a brace begins or ends commands to the grammar, too, or a dollar sign ends a string."""
    within = token.parent
    return (
        kind == "brace" or kind == "translated" and within is not None and within.type == "string"
    )


def _doubt(kind: str | None, source: bytes, at: int) -> None:
    within_word = at and source[at - 1 : at].isalnum() and source[at + 1 : at + 2] == b" "
    if not (kind == "hidden" and within_word):
        raise Writes(_DOUBTS.get(kind or "", "blanks or marks that shells read differently"), at)


_DOUBTS: Final = {
    "zsh": "a dollar sign that zsh takes for an expansion",
    "brace": "a brace that ends the command for zsh: quote it",
    "translated": "a text that is looked up in a catalogue",
    "assigns": "a redirection that sets a variable",
}


def _is_shown(char: bytes) -> bool:
    """Whether a character beyond ASCII is a letter, a number or a sign, and no blank or mark that is not seen."""
    return unicodedata.category(char.decode("utf-8", "replace")[0])[0] in "LMNPS"


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
        before not in (b" ", b"\t", b"\n", b";", b"&", b"|", b"(")
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
    body = source[line_end + 1 : end.start_byte]
    if match[1] and b"\\\n" in body:
        # The lines that a backslash joins may be the delimiter, or hide it.
        lines = re.sub(rb"\\\n\t*", b"", body + mark).split(b"\n")
        if mark in [line.strip(b"\t") for line in lines[:-1]] or lines[-1].lstrip(b"\t") != mark:
            raise Writes("a here-document whose end is not certain", node.start_byte)
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
    """Parse a command."""
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


_IN_SH: Final = named("""
arithmetic_expansion binary_expression case_item case_statement command command_name command_substitution comment
compound_statement concatenation declaration_command do_group elif_clause else_clause expansion extglob_pattern
file_descriptor file_redirect for_statement function_definition heredoc_body heredoc_content heredoc_end heredoc_redirect
heredoc_start if_statement list negated_command number parenthesized_expression pipeline program raw_string
redirected_statement regex simple_expansion special_variable_name string string_content subshell ternary_expression
test_command test_operator unary_expression unset_command variable_assignment variable_assignments variable_name
while_statement word
! != " # ## $ $( $(( % %% & && ( ) )) * + , ,, - -- -a -o / // /# /% : :+ :- := :? ; ;; < <& <&- << <<- <= = == > >& >&- >= >> >| ?
[ ] ^ ^^ ` `` { | || } ~ ${ case do done elif else esac export fi for if in local readonly then unset until while
""")
"""What of the grammar a plain `sh` knows, or gives up at, and does not take for something else."""
_UNBRACED: Final = re.compile(r"(?:\\.|[^{}]|\{(?:[^{},.]|\.(?!\.))*\})*", re.DOTALL)
"""A word without a list of braces; `@{u}..` has none."""


def see_as_sh(root: Node) -> None:
    """Check that a plain `sh`, such as dash, reads a script as bash does."""
    source = root.text or b""
    for node in _all(root):
        kind = node.type
        text = text_of(node) if node.is_named else ""
        if (
            kind not in _IN_SH
            or kind == "extglob_pattern"
            and not re.fullmatch(r"[\w.*?/-]+", text)
            or kind == "string"
            and source[node.start_byte - 1 : node.start_byte] == b"$"
            or kind == "concatenation"
            and re.search(r"\$['\"]", text)
            or kind == "file_descriptor"
            and len(text) > 1
            or kind in ("word", "concatenation")
            and (node.parent is None or node.parent.type != "concatenation")
            and not _UNBRACED.fullmatch(_EXPANDED.sub("x", text))
            or kind == "expansion"
            and re.search(r"['\"\\]", text)
            or kind == "declaration_command"
            and any(_is_split(child) for child in node.named_children)
            or kind == "command_name"
            and text in ("let", "time", "coproc")
        ):
            raise Writes("sh reads this otherwise than bash does", node.start_byte)


_EXPANDED: Final = re.compile(r"\$\{[^{}]*\}|\$\([^()]*\)|'[^']*'|\"[^\"]*\"")
"""Parts of a word in which a shell looks for no braces."""


def _is_split(node: Node) -> bool:
    """Whether a plain `sh` makes several words of what is assigned in a declaration."""
    value = node.child_by_field_name("value")
    parts = (
        []
        if value is None
        else [value, *value.children]
        if value.type == "concatenation"
        else [value]
    )
    return any(part.type.endswith(("expansion", "_substitution")) for part in parts)


def text_of(node: Node) -> str:
    """Return the source text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def literal_document(node: Node, root: Node) -> str | None:
    """Return what a program gets from a here-document whose mark is quoted; None of another one."""
    parts = {child.type: child for child in node.named_children}
    start, end = parts.get("heredoc_start"), parts.get("heredoc_end")
    if start is None or end is None or "file_descriptor" in parts or node.children[0].type != "<<":
        return None
    source = root.text or b""
    mark_end = start.end_byte - root.start_byte
    line_end = source.find(b"\n", mark_end)
    if b"<" in source[mark_end:line_end] or text_of(start)[:1] not in ("'", '"', "\\"):
        return None  # The last redirection counts.
    return source[line_end + 1 : end.start_byte - root.start_byte].decode("utf-8", "replace")


def literal_words(node: Node, *, prefixed: bool = False, hidden: str = "") -> list[str]:
    """Return a command's words if each is what is written; else none.

    With `prefixed` there may be assignments before it, which are not among them; `hidden` takes the
    place of other words behind the first.
    """
    if node.type != "command":
        return []
    found: list[str] = []
    for child in node.children:
        if child.type == "variable_assignment" and prefixed:
            continue
        text = _literal(child.children[0] if child.type == "command_name" else child)
        if text is None and not (hidden and found):
            return []
        found.append(hidden if text is None else text)
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


def descendants(node: Node) -> list[Node]:
    """Return all nodes within a node, in no order."""
    return list(_all(node))[1:]


NO_TEXT: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
"""Characters that no command may hold; the placeholders of `words.py` are among them."""
_ESCAPE: Final = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_NAMED: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b",
                 "f": "\f", "v": "\v", **{char: char for char in "\\'\"?"}}  # fmt: skip
_HIDDEN_INNER: Final = re.compile(rb"(?:^|[^\\])(?:\\\\)*(?:`|\$[({\w@*#?!$-])")
_HIDDEN: Final = re.compile(r"(?:^|[^\\])(?:\\\\)*(?:[;&|<>()'\"`]|\$[({\w@*#?!$'\"-])")


def inner(text: bytes, at: int) -> Word:
    """Return the word for text in double quotes.

    Raises:
        Writes: the text has an expansion that the grammar did not find.
    """
    if b"\\" not in text and b"`" not in text and b"$" not in text:
        return Word(text.decode("utf-8", "replace"), at)
    if _HIDDEN_INNER.search(text):
        raise Writes("a string that is not understood", at)
    text = re.sub(rb"\\([$`\"\\])|\\\n", lambda match: match[1] or b"", text)
    return Word(text.decode("utf-8", "replace"), at)


def plain(text: str, at: int) -> Word:
    """Return the word for text outside quotes.

    Raises:
        Writes: bash would treat a part of the text as more than literal.
    """
    if _HIDDEN.search(text):
        raise Writes("a word that is not understood", at)
    splits = bool(GLOB.search(text))
    return Word(
        re.sub(r"\\(?:\n|(.))", lambda match: match[1] or "", text, flags=re.DOTALL), at, splits
    )


def decoded(text: str, at: int) -> Word:
    """Return the word for text in `$'…'`, with its backslash escapes decoded.

    Raises:
        Writes: shells differ in an escape, or a character is no text, as are our placeholders.
    """
    try:
        found = _ESCAPE.sub(_escape, text)
    except Writes as unknown:
        raise Writes(unknown.reason, at) from None
    if NO_TEXT.search(found):
        raise Writes("a control character", at)
    return Word(found, at)


def _escape(match: re.Match[str]) -> str:
    body = match[1]
    if body[0] in "xu" and len(body) > 1:
        return chr(int(body[1:], 16))
    if body[0] in "01234567":
        return chr(int(body, 8) & 0xFF)
    if body not in _NAMED:
        raise Writes(f"the escape \\{body} in $'…', which shells read differently")
    return _NAMED[body]
