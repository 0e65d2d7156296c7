"""What the words of a command expand to, as far as the command itself tells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Protocol

from nagomi_tui.guard.shell.variables import ORDINARY, Assignments, changes_programs
from nagomi_tui.guard.shell.verdict import Writes
from nagomi_tui.guard.shell.words import NUMBER, UNKNOWN, Word, join

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tree_sitter import Node


_LITERAL: Final = frozenset(
    {"word", "number", "regex", "extglob_pattern", "string_content", "variable_name", "heredoc_content",
     "special_variable_name", "test_operator", "heredoc_start", "heredoc_end", "file_descriptor"}
)  # fmt: skip
_NUMBERS: Final = frozenset({"?", "#", "$", "!"})
_BRACES: Final = re.compile(r"\{[^}]*(?:,|\.\.)")
_PRODUCERS: Final = frozenset(["find", "pwd", "which", "realpath", "grep", "rg", "egrep", "fgrep"])
"""Programs whose lines do not begin with a dash, given operands that do not."""
_BLANK_FREE: Final = frozenset(
    ["git", "nproc", "seq", "hostname", "whoami", "id", "uname", "tty", "arch"]
)
"""Programs of which no word does."""
_GIT_PRODUCERS: Final = frozenset(["merge-base", "describe", "symbolic-ref", "tag"])
_FILTERS: Final = frozenset(
    ["head", "tail", "sort", "uniq", "wc", "grep", "rg", "egrep", "fgrep", "tac"]
)
_SEARCHES: Final = frozenset(["grep", "rg", "egrep", "fgrep", "ag", "ack"])
_NAMES_ONLY: Final = frozenset({"-l", "--files-with-matches", "--files-without-match", "-L"})
_ESCAPE: Final = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|u[0-9A-Fa-f]{1,4}|.)", re.DOTALL)
_NAMED: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b",
                 "f": "\f", "v": "\v"}  # fmt: skip
_SUBSTITUTES: Final = re.compile(r"\$\(|`|[<>]\(|\$\{")
_PATTERNS: Final = frozenset({"word", "regex", "extglob_pattern", "test_operator"})
_COMPUTES: Final = re.compile(r"\$\(|`|\[")


class Statements(Protocol):
    """Looks at the commands that are substituted in a word."""

    depth: int
    """Scripts that this command line stands within."""

    def statements(self, node: Node) -> None:
        """Look at each statement in a node.

        Raises:
            Writes: one writes.
        """


class Expansion:
    """Makes words of nodes, and has each command substitution in them looked at."""

    def __init__(self, root: Node, analysis: Statements) -> None:
        self._root = root
        self._found: Assignments | None = None
        self._analysis = analysis
        self._resolving: set[str] = set()

    def of(self, node: Node) -> list[Word]:
        """Return the words that a node expands to: one, but for a known value that splits.

        Raises:
            Writes: a substitution in it writes, or it is of a kind that is not known.
        """
        word = self._word(node, quoted=False)
        if node.type in ("simple_expansion", "expansion") and word.known and word.splits:
            return [Word(part, word.at) for part in word.text.split()]
        return [word]

    def visit(self, node: Node) -> None:
        """Look at what is substituted in a node, and nothing else."""
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
        elif kind in _PATTERNS and _SUBSTITUTES.search(_text(node)):
            raise Writes("a pattern that is not understood", node.start_byte)

    def here(self, body: Node) -> None:
        """Look at what is substituted in a here-document."""
        whole, start = body.text or b"", body.start_byte
        end = start
        for child in body.named_children:
            _inner(whole[end - start : child.start_byte - start], end)
            if child.type == "heredoc_content":
                _inner(child.text or b"", child.start_byte)
            else:
                self._word(child, quoted=True)
            end = child.end_byte
        _inner(whole[end - start :], end)

    def arithmetic(self, node: Node, but: Node | None = None) -> None:
        """See that nothing is run by computing: bash evaluates values of variables again.

        Raises:
            Writes: a value is not known to be a number.
        """
        for child in node.named_children:
            if but is None or child.id != but.id:
                self._computed(child)

    def _computed(self, child: Node) -> None:
        kind, text = child.type, _text(child)
        if kind == "variable_name" or kind == "word" and text.isidentifier():
            self._need_number(text, child)
        elif kind == "simple_expansion":
            if text[1:].isdigit() or text[1:] in ("@", "*", "_"):
                raise Writes("it computes with what is not known", child.start_byte)
            if text[1:] not in _NUMBERS:
                self._need_number(text[1:], child)
        elif kind == "command_substitution":
            self._analysis.statements(child)
            if not self._is_numeric(child):
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
                        self._need_number(_text(one), one)
                    elif _COMPUTES.search(_text(one)):
                        raise Writes("it computes with a text", child.start_byte)
        else:
            self.arithmetic(child)

    def names_only(self, nodes: Sequence[Node]) -> bool:
        """Whether a pipeline prints only lines that do not begin with a dash, such as names."""
        if not nodes or not all(_filters(node) for node in nodes[1:]):
            return False
        return self._produces(nodes[0], _PRODUCERS | _BLANK_FREE)

    # --- steps

    @property
    def _assignments(self) -> Assignments:
        if self._found is None:
            self._found = Assignments(self._root)
        return self._found

    def balanced(self, node: Node, marks: int) -> None:
        """See that bash takes a node for arithmetic, too, and not for a subshell in another one.

        Raises:
            Writes: it would not.
        """
        depth = 0
        for char in _text(node)[marks:-2]:
            depth += (char == "(") - (char == ")")
            if depth < 0:
                raise Writes("parentheses that are not understood", node.start_byte)
        if depth:
            raise Writes("parentheses that are not understood", node.start_byte)

    def _word(self, node: Node, *, quoted: bool) -> Word:
        at = node.start_byte
        kind = node.type
        if kind == "raw_string":
            return Word(_text(node)[1:-1], at)
        if kind == "ansi_c_string":
            return _decoded(_text(node)[2:-1], at)
        if kind in ("string", "translated_string"):
            return self._string(node if kind == "string" else node.named_children[0])
        if kind == "concatenation":
            return self._concatenation(node)
        if kind == "simple_expansion":
            return self._variable(_text(node)[1:], at, quoted=quoted)
        if kind == "expansion":
            return self._expansion(node, quoted=quoted)
        if kind == "command_substitution":
            self._analysis.statements(node)
            statements = node.named_children
            if len(statements) == 1 and self._is_numeric(node):
                return Word(NUMBER, at, splits=False)
            tame = len(statements) == 1 and self._tame_statement(statements[0], splits=not quoted)
            return Word(UNKNOWN, at, splits=not quoted, tame=tame)
        if kind == "process_substitution":
            self._analysis.statements(node)
            return Word("/dev/fd/63", at)
        if kind == "arithmetic_expansion":
            if _text(node).startswith("$(("):
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
            text = _text(node)
            return Word(text, at) if text.isalnum() else _plain(text, at)
        raise Writes(f"syntax that is not known ({kind})", at)

    def _parts(self, node: Node) -> Word:
        self.visit(node)
        return Word(UNKNOWN, node.start_byte, splits=True, tame=False)

    def _string(self, node: Node) -> Word:
        parts, end = [], node.start_byte + 1
        whole = node.text or b""
        for child in node.named_children:
            parts.append(
                _inner(whole[end - node.start_byte : child.start_byte - node.start_byte], end)
            )
            if child.type == "string_content":
                parts.append(_inner(child.text or b"", child.start_byte))
            else:
                parts.append(self._word(child, quoted=True)._replace(splits=False))
            end = child.end_byte
        parts.append(_inner(whole[end - node.start_byte : -1], end))
        return join(parts, node.start_byte)

    def _concatenation(self, node: Node) -> Word:
        end, parts = node.start_byte, []
        for child in node.children:
            if child.start_byte != end:
                raise Writes("words that are not understood", child.start_byte)
            parts.append(
                self._word(child, quoted=False) if child.is_named else _plain(_text(child), end)
            )
            end = child.end_byte
        word = join(parts, node.start_byte)
        bare = "".join(
            _text(child) for child in node.children if child.type not in ("string", "raw_string")
        )
        if _BRACES.search(bare):
            safe = not re.search(r"(?:^|[{,])-", bare) and not word.text.startswith("-")
            return Word(UNKNOWN, node.start_byte, splits=True, tame=safe and word.tame)
        if any(part.splits and re.search(r"\s", part.text) for part in parts):
            return Word(UNKNOWN, node.start_byte, splits=True, tame=False)
        return word

    def _variable(self, name: str, at: int, *, quoted: bool) -> Word:
        if name in _NUMBERS:
            return Word(NUMBER, at)
        known, tame = self._value(name)
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
            and name not in found.unknown
            and all(self._is_numeric_value(node) for node in nodes)
        )

    def _is_numeric_value(self, node: Node) -> bool:
        if node.type in ("number", "arithmetic_expansion"):
            return True
        if node.type == "command_substitution":
            return self._is_numeric(node)
        if node.type == "string" and node.named_child_count == 1 and _text(node)[1:2] == "$":
            return self._is_numeric_value(node.named_children[0])
        return bool(re.fullmatch(r"-?[0-9]+|\{[0-9]+\.\.[0-9]+\}", _text(node)))

    def _value(self, name: str) -> tuple[str | None, bool]:
        """Return a variable's value, if it has only one, and whether it begins with no dash."""
        found = self._assignments
        if name in self._resolving:
            return None, False
        if name not in found.values:
            computed = name in found.looped and name not in found.unknown
            ordinary = name in ORDINARY and not self._analysis.depth and name not in found.unknown
            return None, computed or ordinary
        self._resolving.add(name)
        try:
            words = [word for node in found.values[name] for word in self._quietly(node)]
        finally:
            self._resolving.discard(name)
        if name in found.unknown:
            return None, False
        if len(words) == 1 and words[0].known and name not in found.looped:
            return words[0].text, not re.search(r"(?:^|\s)-", words[0].text)
        return None, all(_is_tame(word) for word in words)

    def _quietly(self, node: Node) -> list[Word]:
        """Return the words of a value that is looked at where it is assigned."""
        return [self._word(node, quoted=False)]

    def _expansion(self, node: Node, *, quoted: bool) -> Word:
        text = _text(node)
        if re.search(r"@[PEA]\}", text) or re.match(r"\$\{!\w+(?![\w@*]|\[[@*]\])", text):
            raise Writes("an expansion that runs what a variable holds", node.start_byte)
        names = [
            child
            for child in node.named_children
            if child.type in ("variable_name", "special_variable_name")
        ]
        computes = bool(re.match(r"\$\{[^:}]+:(?![-=?+])", text))
        if re.match(r"\$\{\w+:?=", text) and changes_programs(_text(names[0]), None):
            raise Writes("an expansion that changes what programs do", node.start_byte)
        for child in node.named_children:
            if child.type == "subscript":
                index = child.child_by_field_name("index")
                if index is not None and _text(index) not in ("@", "*"):
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
                self._need_number(_text(child), child)
        if names and text == "${" + _text(names[0]) + "}" and _text(names[0]) not in ("@", "*"):
            return self._variable(_text(names[0]), node.start_byte, quoted=quoted)
        if text.startswith("${!"):
            return Word(UNKNOWN, node.start_byte, splits=not quoted, tame=False)
        tame = text.startswith("${#")
        if not tame and names and re.match(r"\$\{\w+(?:%|/|:-|:\d|,|\^)", text):
            rest = text[2 + len(_text(names[0])) :]
            tame = self._value(_text(names[0]))[1] and "-" not in rest.replace(":-", "", 1)[:-1][:2]
        if not tame and (match := re.fullmatch(r"\$\{(\w+)\[[@*]\]\}", text)):
            tame = self._value(match[1])[1]
        return Word(UNKNOWN, node.start_byte, splits=not quoted, tame=tame)

    def _tame_statement(self, node: Node, *, splits: bool) -> bool:
        if node.type == "redirected_statement":
            body = node.child_by_field_name("body")
            return body is not None and self._tame_statement(body, splits=splits)
        if node.type == "pipeline":
            parts = node.named_children
            return self.names_only(parts) and (not splits or self._produces(parts[0], _BLANK_FREE))
        if node.type == "list":
            return all(
                self._tame_statement(child, splits=splits) or _head(child)[:1] == ["cd"]
                for child in node.named_children
            )
        return self._produces(node, _BLANK_FREE if splits else _PRODUCERS | _BLANK_FREE)

    def _produces(self, node: Node, programs: frozenset[str]) -> bool:
        """Whether a command prints lines without a dash at their beginning."""
        if node.type == "redirected_statement":
            body = node.child_by_field_name("body")
            return body is not None and self._produces(body, programs)
        words = _head(node)
        if not words or words[0] not in programs:
            return False
        if words[0] == "git":
            return _prints_names(words)
        operands = [word for word in words[1:] if not word.startswith("-")]
        if words[0] in _SEARCHES:
            lists = any(
                word in _NAMES_ONLY or re.fullmatch(r"-[a-zA-Z]*[lL][a-zA-Z]*", word)
                for word in words
            )
            return (
                lists
                and len(operands) > 1
                and all(re.match(r"[\w./~]", word) for word in operands[1:])
            )
        if words[0] == "find":
            places = words[1:2]
            return not {"-printf", "-exec", "-execdir", "-ls"} & set(words) and all(
                re.match(r"[\w./~]|-[a-z]", word) for word in places
            )
        return True

    def _is_numeric(self, node: Node) -> bool:
        statements = node.named_children
        if len(statements) != 1:
            return False
        last = statements[0]
        piped = False
        while last.type in ("redirected_statement", "pipeline"):
            if last.type == "pipeline":
                last, piped = last.named_children[-1], True
            else:
                last = last.child_by_field_name("body") or last.named_children[0]
        return _prints_number(_head(last), piped=piped)

    def _need_number(self, text: str, node: Node) -> None:
        found = self._assignments
        if text in found.unknown:
            raise Writes("it computes with what is not known", node.start_byte)
        for value in found.values.get(text, ()):
            if not self._is_numeric_value(value):
                raise Writes("it computes with what is not known to be a number", node.start_byte)


def _prints_names(words: list[str]) -> bool:
    """Whether a command of git prints names or hashes that begin with no dash."""
    rest = [word for word in words[1:] if not word.startswith("-")]
    if rest[:1] in (["log"], ["show"], ["rev-list"]):
        return rest[0] == "rev-list" or any(
            re.fullmatch(r"--(?:format|pretty)=(?:format:)?%[hH]", word) for word in words
        )
    if rest[:1] == ["rev-parse"]:
        return all(
            word in _REV_PARSE or not word.startswith("-") for word in words[2:]
        ) and "$" not in "".join(words)
    return bool(rest[:1]) and (
        rest[0] in _GIT_PRODUCERS or words[1:] == ["branch", "--show-current"]
    )


_REV_PARSE: Final = frozenset(
    ["--short", "--abbrev-ref", "--show-toplevel", "--verify", "--git-dir", "-q", "--show-prefix"]
)


def _prints_number(words: list[str], *, piped: bool) -> bool:
    """Whether a command prints a number and nothing that it took from elsewhere."""
    name, rest = (words[0], words[1:]) if words else ("", [])
    options = all(re.fullmatch(r"-[a-zA-Z-]+", word) for word in rest)
    if name == "wc":
        return options
    if name == "nproc":
        return True
    if name == "id":
        return rest in (["-u"], ["-g"])
    if name == "date":
        return bool(rest) and all(re.fullmatch(r"-u|\+(?:%[sYmdHMSj])+", word) for word in rest)
    if name == "stat":
        return len(rest) == 3 and rest[0] in ("-c", "-f") and rest[1] in ("%s", "%Y", "%z", "%m")
    if name == "seq":
        return all(re.fullmatch(r"-?[0-9]+", word) for word in rest)
    if name == "git":
        return rest[:1] == ["rev-list"] and "--count" in rest
    if name == "grep":
        counts = any(re.fullmatch(r"--count|-[a-zA-Z]*c[a-zA-Z]*", word) for word in rest)
        mixed = any(re.fullmatch(r"-[a-zA-Z]*[rRHbn][a-zA-Z]*", word) for word in rest)
        operands = [word for word in rest if not word.startswith("-")]
        return counts and not mixed and len(operands) <= (1 if piped else 2)
    return False


def _inner(text: bytes, at: int) -> Word:
    """Return text that stands between double quotes.

    Raises:
        Writes: it holds what bash would expand and our grammar did not see.
    """
    if b"\\" not in text and b"`" not in text and b"$" not in text:
        return Word(text.decode("utf-8", "replace"), at)
    if _HIDDEN_INNER.search(text):
        raise Writes("a string that is not understood", at)
    plain = re.sub(rb"\\([$`\"\\])|\\\n", lambda match: match[1] or b"", text)
    return Word(plain.decode("utf-8", "replace"), at)


_HIDDEN_INNER: Final = re.compile(rb"(?:^|[^\\])(?:\\\\)*(?:`|\$[({\w@*#?!$-])")
_HIDDEN: Final = re.compile(r"(?:^|[^\\])(?:\\\\)*(?:[;&|<>()'\"`]|\$[({\w@*#?!$'\"-])")


def _plain(text: str, at: int) -> Word:
    """Return text that stands outside quotes.

    Raises:
        Writes: it holds what bash would take for more than text.
    """
    if _HIDDEN.search(text):
        raise Writes("a word that is not understood", at)
    if "{" in text and _BRACES.search(text):
        return Word(UNKNOWN, at, splits=True, tame=not re.search(r"(?:^|[{,])-", text))
    splits = bool(re.search(r"[*?\[]", text))
    return Word(
        re.sub(r"\\(?:\n|(.))", lambda match: match[1] or "", text, flags=re.DOTALL), at, splits
    )


def _decoded(text: str, at: int) -> Word:
    if "\\c" in text or "\\U" in text:
        return Word(UNKNOWN, at, tame=False)
    return Word(_ESCAPE.sub(_escape, text), at)


def _escape(match: re.Match[str]) -> str:
    body = match[1]
    if body[0] in "xu" and len(body) > 1:
        return chr(int(body[1:], 16))
    if body[0] in "01234567":
        return chr(int(body, 8) & 0xFF)
    return _NAMED.get(body, body if body in "\\'\"?" else "\\" + body)


def _is_tame(word: Word) -> bool:
    pieces = word.text.split() or [""]
    return not any(piece.startswith("-") for piece in pieces) and (word.known or word.tame)


def _head(node: Node) -> list[str]:
    """Return the texts of a command's words as they are written."""
    if node.type != "command":
        return []
    parts: Iterable[Node] = (
        child for child in node.named_children if child.type != "variable_assignment"
    )
    return [_text(child).strip("'\"") for child in parts]


def _filters(node: Node) -> bool:
    if node.type == "redirected_statement":
        body = node.child_by_field_name("body")
        return body is not None and _filters(body)
    return _head(node)[:1] != [] and _head(node)[0] in _FILTERS


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
