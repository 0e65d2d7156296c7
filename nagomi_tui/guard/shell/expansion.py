"""What the words of a command expand to, as far as the command itself determines it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Protocol

from nagomi_tui.guard.shell.literals import BRACES, decoded, inner, plain
from nagomi_tui.guard.shell.nodes import text_of
from nagomi_tui.guard.shell.printed import prints_number, prints_tame
from nagomi_tui.guard.shell.variables import ORDINARY, Assignments, changes_programs
from nagomi_tui.guard.shell.verdict import Writes
from nagomi_tui.guard.shell.words import GLOB, NUMBER, UNKNOWN, Word, join

if TYPE_CHECKING:
    from tree_sitter import Node


_LITERAL: Final = frozenset(
    {"word", "number", "regex", "extglob_pattern", "string_content", "variable_name", "heredoc_content",
     "special_variable_name", "test_operator", "heredoc_start", "heredoc_end", "file_descriptor"}
)  # fmt: skip
MATCHED: Final = frozenset({"regex", "extglob_pattern"})
"""Nodes of patterns, behind operators of comparison."""
_NUMBERS: Final = frozenset({"?", "#", "$", "!"})
_SUBSTITUTES: Final = re.compile(r"\$\(|`|[<>]\(|\$\{")
_PATTERNS: Final = frozenset({"word", "regex", "extglob_pattern", "test_operator"})
_SUBSCRIPT: Final = re.compile(r"\$\w+\[[^\]]*(?:\\[$`]|'[^']*[$`])")
_COMPUTES: Final = re.compile(r"\$\(|`|\[")
_SEVERAL: Final = re.compile(r"\$@|\$\{(?:@|!?\w+\[@\]|!\w+@\})")
"""Expansions that become any number of words within double quotes, too."""


class Statements(Protocol):
    """Checks the commands that are substituted in a word."""

    depth: int
    """The number of scripts around this command line, as in `bash -c 'bash -c …'`."""

    def statements(self, node: Node) -> None:
        """Check each statement in a node.

        Raises:
            Writes: a statement writes.
        """


class Expansion:
    """Turns syntax nodes into words, and has every command substitution in them checked."""

    def __init__(self, root: Node, analysis: Statements) -> None:
        self._root = root
        self._found: Assignments | None = None
        self._analysis = analysis
        self._resolving: set[str] = set()

    def of(self, node: Node) -> list[Word]:
        """Return the words that a node expands to: one, unless a known value splits into several.

        Raises:
            Writes: a substitution in the node writes, or the node is of an unknown kind.
        """
        word = self._word(node, quoted=False)
        if node.type in ("simple_expansion", "expansion") and word.known and word.splits:
            parts = word.text.split()
            return [Word(part, word.at, bool(GLOB.search(part))) for part in parts]
        return [word]

    def visit(self, node: Node) -> None:
        """Check only the substitutions in a node."""
        kind = node.type
        if kind in ("command_substitution", "process_substitution"):
            self._analysis.statements(node)
        elif kind in ("arithmetic_expansion", "subscript"):
            self.arithmetic(node)
        elif kind in ("expansion", "string"):
            self._word(node, quoted=True)
        elif node.named_child_count:
            for child in node.named_children:
                self.visit(child)
        elif kind in _PATTERNS and _SUBSTITUTES.search(text_of(node)):
            raise Writes("a pattern that is not understood", node.start_byte)

    def here(self, body: Node) -> None:
        """Check the substitutions in a here-document."""
        whole, start = body.text or b"", body.start_byte
        end = start
        for child in body.named_children:
            inner(whole[end - start : child.start_byte - start], end)
            if child.type == "heredoc_content":
                inner(child.text or b"", child.start_byte)
            else:
                self._word(child, quoted=True)
            end = child.end_byte
        inner(whole[end - start :], end)

    def arithmetic(self, node: Node, but: Node | None = None) -> None:
        """Check that arithmetic runs no command: bash evaluates variables' values as expressions.

        Raises:
            Writes: a value is not known to be a number.
        """
        for child in node.named_children:
            if but is None or child.id != but.id:
                self._computed(child)

    def index(self, node: Node) -> None:
        """Check the subscript of an array's element, as in `([i]=1)`, if it has one."""
        match = re.match(r"\[['\"]?([^\]]*?)['\"]?\]=", text_of(node))
        if match is None:
            return
        if not re.fullmatch(r"[\w./ -]*", match[1]):
            raise Writes("it computes with what is not known", node.start_byte)
        for name in re.findall(r"[A-Za-z_]\w*", match[1]):
            self._need_number(name, node)

    def _computed(self, child: Node) -> None:
        kind, text = child.type, text_of(child)
        if kind == "variable_name" or kind == "word" and text.isidentifier():
            if changes_programs(text, None):
                raise Writes("arithmetic that may change what programs do", child.start_byte)
            self._need_number(text, child)
        elif kind == "simple_expansion":
            if text[1:].isdigit() or text[1:] in ("@", "*", "_"):
                raise Writes("it computes with what is not known", child.start_byte)
            if text[1:] not in _NUMBERS:
                self._need_number(text[1:], child)
        elif kind == "command_substitution":
            self._analysis.statements(child)
            if not prints_number(child):
                raise Writes("it computes with what a command prints", child.start_byte)
        elif kind == "process_substitution":
            self._analysis.statements(child)
        elif kind in (
            "raw_string",
            "ansi_c_string",
            "word",
            "string_content",
            "extglob_pattern",
            "regex",
        ):
            if _COMPUTES.search(text):
                raise Writes("it computes with a text", child.start_byte)
        elif kind == "expansion":
            self._word(child, quoted=True)
            if not text.startswith("${#"):
                for one in child.named_children:
                    if one.type not in ("variable_name", "number", "word", "regex"):
                        raise Writes("it computes with what is not known", child.start_byte)
                    if one.type == "variable_name":
                        self._need_number(text_of(one), one)
                    elif _COMPUTES.search(text_of(one)):
                        raise Writes("it computes with a text", child.start_byte)
        else:
            self.arithmetic(child)

    # --- steps

    @property
    def _assignments(self) -> Assignments:
        if self._found is None:
            self._found = Assignments(self._root)
        return self._found

    def balanced(self, node: Node, marks: int) -> None:
        """Check that bash also reads a node as arithmetic, and not as nested subshells.

        Raises:
            Writes: bash may read nested subshells.
        """
        depth = 0
        for char in text_of(node)[marks:-2]:
            depth += (char == "(") - (char == ")")
            if depth < 0:
                raise Writes("parentheses that are not understood", node.start_byte)
        if depth:
            raise Writes("parentheses that are not understood", node.start_byte)

    def _word(self, node: Node, *, quoted: bool) -> Word:
        at = node.start_byte
        kind = node.type
        if kind == "raw_string":
            return Word(text_of(node)[1:-1], at)
        if kind == "ansi_c_string":
            return decoded(text_of(node)[2:-1], at)
        if kind in ("string", "translated_string"):
            return self._string(node if kind == "string" else node.named_children[0])
        if kind == "concatenation":
            return self._concatenation(node)
        if kind == "simple_expansion":
            return self._variable(text_of(node)[1:], at, quoted=quoted)
        if kind == "expansion":
            return self._expansion(node, quoted=quoted)
        if kind == "command_substitution":
            self._analysis.statements(node)
            statements = node.named_children
            if len(statements) == 1 and prints_number(node):
                return Word(NUMBER, at, splits=False)
            tame = len(statements) == 1 and prints_tame(statements[0], splits=not quoted)
            return Word(UNKNOWN, at, splits=not quoted, tame=tame)
        if kind == "process_substitution":
            self._analysis.statements(node)
            return Word("/dev/fd/63", at)
        if kind in MATCHED and re.search(r"\s", text_of(node)):
            # Behind `==` and `=~`, the grammar takes all words and lines up to a bracket for one.
            raise Writes("a word that is not understood", at)
        if kind == "arithmetic_expansion":
            if text_of(node).startswith("$(("):
                self.balanced(node, 3)
            self.arithmetic(node)
            return Word(NUMBER, at)
        if kind == "brace_expression":
            numbers = all(child.type == "number" for child in node.named_children)
            return Word(NUMBER if numbers else UNKNOWN, at, splits=True, tame=numbers)
        if kind == "array":
            raise Writes("an array where a word belongs", at)
        if kind in _LITERAL:
            if node.named_child_count:
                return self._parts(node)
            text = text_of(node)
            return Word(text, at) if text.isalnum() else plain(text, at)
        raise Writes(f"syntax that is not known ({kind})", at)

    def _parts(self, node: Node) -> Word:
        self.visit(node)
        return Word(UNKNOWN, node.start_byte, splits=True, tame=False)

    def _string(self, node: Node) -> Word:
        parts, end = [], node.start_byte + 1
        whole = node.text or b""
        for child in node.named_children:
            parts.append(
                inner(whole[end - node.start_byte : child.start_byte - node.start_byte], end)
            )
            if child.type == "string_content":
                parts.append(inner(child.text or b"", child.start_byte))
            else:
                word = self._word(child, quoted=True)
                parts.append(word._replace(splits=bool(_SEVERAL.match(text_of(child)))))
            end = child.end_byte
        parts.append(inner(whole[end - node.start_byte : -1], end))
        return join(parts, node.start_byte)

    def _concatenation(self, node: Node) -> Word:
        end, parts = node.start_byte, []
        if _SUBSCRIPT.search(text_of(node)):
            raise Writes("a subscript in which zsh runs a command", node.start_byte)
        for child in node.children:
            if child.start_byte != end:
                raise Writes("words that are not understood", child.start_byte)
            parts.append(
                self._word(child, quoted=False) if child.is_named else plain(text_of(child), end)
            )
            end = child.end_byte
        word = join(parts, node.start_byte)
        bare = "".join(
            text_of(child) for child in node.children if child.type not in ("string", "raw_string")
        )
        if BRACES.search(bare):
            safe = not re.search(r"(?:^|[{,])-", bare) and not word.text.startswith("-")
            return Word(UNKNOWN, node.start_byte, splits=True, tame=safe and word.tame)
        if any(part.splits and re.search(r"\s", part.text) for part in parts):
            return Word(UNKNOWN, node.start_byte, splits=True, tame=False)
        return word

    def _variable(self, name: str, at: int, *, quoted: bool) -> Word:
        if name in _NUMBERS:
            return Word(NUMBER, at)
        known, tame = self._value(name, quoted=quoted)
        if known is not None and (quoted or name in self._assignments.certain and known):
            return Word(known, at, splits=not quoted and bool(re.search(r"[\s*?\[]", known)))
        if known is None and self._is_number(name):
            return Word(NUMBER, at, splits=not quoted)
        return Word(UNKNOWN, at, splits=not quoted, tame=tame)

    def _is_number(self, name: str) -> bool:
        found = self._assignments
        nodes = found.values.get(name, ())
        return (
            bool(nodes)
            and not found.unforeseen
            and name not in found.unknown
            and all(self._is_numeric_value(node) for node in nodes)
        )

    def _is_numeric_value(self, node: Node) -> bool:
        if node.type in ("number", "arithmetic_expansion") or text_of(node) in ("$?", "$#"):
            return True
        if node.type == "command_substitution":
            return prints_number(node)
        if node.type == "string" and node.named_child_count == 1 and text_of(node)[1:2] == "$":
            return self._is_numeric_value(node.named_children[0])
        return bool(re.fullmatch(r"-?[0-9]+|\{[0-9]+\.\.[0-9]+\}", text_of(node)))

    def _value(self, name: str, *, quoted: bool = False) -> tuple[str | None, bool]:
        """Return a variable's only value, else None; and whether it cannot begin with a dash.

        Outside of quotes, no word of it may.
        """
        found = self._assignments
        if name in self._resolving:
            return None, False
        if found.unforeseen:
            return None, False
        if name not in found.values:
            computed = name in found.looped and name not in found.unknown
            known = name in ORDINARY or name.lower().endswith(("pid", "_url", "_uri"))
            ordinary = known and not self._analysis.depth and name not in found.unknown
            return None, computed or ordinary
        self._resolving.add(name)
        try:
            words = [word for node in found.values[name] for word in self._quietly(node)]
        finally:
            self._resolving.discard(name)
        if name in found.unknown or name in found.lines:
            return None, quoted and name not in found.unknown and all(map(_is_tame, words))
        if len(words) == 1 and words[0].known and name not in found.looped:
            return words[0].text, not re.search(r"(?:^|\s)[-*?\[]", words[0].text)
        return None, all(_is_tame(word) for word in words)

    def _quietly(self, node: Node) -> list[Word]:
        """Return the words of a value without checking it, as that is done at its assignment."""
        return [self._word(node, quoted=False)]

    def _expansion(self, node: Node, *, quoted: bool) -> Word:
        text = text_of(node)
        if re.search(r"@[PEA]\}", text) or re.match(r"\$\{!\w+(?![\w@*]|\[[@*]\])", text):
            raise Writes("an expansion that runs what a variable holds", node.start_byte)
        names = [
            child
            for child in node.named_children
            if child.type in ("variable_name", "special_variable_name")
        ]
        computes = bool(re.match(r"\$\{[^:}]+:(?![-=?+])", text))
        if re.match(r"\$\{\w+:?=", text) and changes_programs(text_of(names[0]), None):
            raise Writes("an expansion that changes what programs do", node.start_byte)
        for child in node.named_children:
            if child.type == "subscript":
                index = child.child_by_field_name("index")
                if index is not None and text_of(index) not in ("@", "*"):
                    self._computed(index)
            elif child.type not in ("variable_name", "special_variable_name"):
                if computes:
                    self._computed(child)
                elif child.type in ("expansion", "command_substitution", "simple_expansion"):
                    self._word(child, quoted=True)
                else:
                    self.visit(child)
        if computes:
            for child in names[1:]:
                self._need_number(text_of(child), child)
        if names and text == "${" + text_of(names[0]) + "}" and text_of(names[0]) not in ("@", "*"):
            return self._variable(text_of(names[0]), node.start_byte, quoted=quoted)
        if text.startswith("${!"):
            return Word(UNKNOWN, node.start_byte, splits=not quoted, tame=False)
        tame = text.startswith("${#")
        if not tame and names and re.match(r"\$\{\w+(?:%|:-|:0[:}]|,|\^)", text):
            rest = text[2 + len(text_of(names[0])) :]
            tame = (
                self._value(text_of(names[0]))[1] and "-" not in rest.replace(":-", "", 1)[:-1][:2]
            )
        if not tame and (match := re.fullmatch(r"\$\{(\w+)\[[@*]\]\}", text)):
            tame = self._value(match[1])[1]
        return Word(UNKNOWN, node.start_byte, splits=not quoted, tame=tame)

    def _need_number(self, text: str, node: Node) -> None:
        found = self._assignments
        if text in found.unknown or found.unforeseen and text in found.values:
            raise Writes("it computes with what is not known", node.start_byte)
        for value in found.values.get(text, ()):
            if not self._is_numeric_value(value):
                raise Writes("it computes with what is not known to be a number", node.start_byte)


def _is_tame(word: Word) -> bool:
    if word.splits and GLOB.match(word.text):
        return False  # A file may have any name.
    pieces = word.text.split() or [""]
    return not any(piece.lstrip(UNKNOWN).startswith("-") for piece in pieces) and (
        word.known or word.tame
    )
