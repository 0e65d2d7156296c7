"""What the words of a command expand to, as far as the command itself determines it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from nagomi_tui.shell.braces import Item, expanded, items_of, joined, lists, makes_several
from nagomi_tui.shell.folders import Asked
from nagomi_tui.shell.parsing import decoded, descendants, inner, plain, text_of
from nagomi_tui.shell.printed import Form, commands_of, form_of, git_folder, names_files, prints_top
from nagomi_tui.shell.variables import (
    ADDRESS,
    COUNTED,
    PLACES,
    SETTLED,
    Assignments,
    changes_programs,
    fills,
)
from nagomi_tui.shell.words import GLOB, NUMBER, UNKNOWN, Word, Writes, join, named

if TYPE_CHECKING:
    from tree_sitter import Node

    from nagomi_tui.shell.options import Analyser

_LITERAL: Final = frozenset(
    {"word", "number", "regex", "extglob_pattern", "string_content", "variable_name", "heredoc_content",
     "special_variable_name", "test_operator", "heredoc_start", "heredoc_end", "file_descriptor"}
)  # fmt: skip
MATCHED: Final = frozenset({"regex", "extglob_pattern"})
"""Nodes of patterns, behind operators of comparison."""
_MOST_FOLLOWED: Final = 4_000
_NAMED: Final = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})")
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_./{][A-Za-z0-9_./+{},-]*")
"""A name that is what is written; one with braces is that where a shell makes no list of them."""
_GLOB_NAME: Final = re.compile(
    r"(?:[A-Za-z0-9_.][A-Za-z0-9_.-]*/)*[A-Za-z0-9_.*?][A-Za-z0-9_.*?-]*"
)
_OWN_NUMBERS: Final = frozenset({"?", "#", "$"})
"""What is a number always; `$!` is empty before anything ran in the background."""
_KEEPS_BEGINNING: Final = re.compile(
    r"\$\{(?P<name>\w+|[?#$!])(?P<how>%%?[^%/{}$`'\"()]+|:0(?::[0-9]+)?|,,?|\^\^?|\[[@*]\]|"
    r"(?P<or>:?-(?:[\w./][\w./:@-]*)?))?\}"
)
"""Expansions to a value, its beginning, the same in another case, or a plain word in its place."""
_QUALIFIED: Final = re.compile(r"(?<![$\\])\(")
_PLACE: Final = re.compile(rb"\[-?[0-9]+(?:-[0-9]+)?\]")
"""A subscript of digits, or a pattern of them."""
_COUNTED: Final = re.compile(rb"[\w@*?$!-]*\[")
_MODIFIER: Final = re.compile(rb"\[|:[A-Za-z&]")
"""What zsh takes from a variable's value: an element, or the last part of a path (`$x:t`)."""
_SUBSTITUTES: Final = re.compile(r"\$\(|`|[<>]\(|\$\{")
_TEXTS: Final = frozenset(
    {"raw_string", "ansi_c_string", "word", "string_content", "extglob_pattern", "regex"}
)
_PATTERNS: Final = frozenset({"word", "regex", "extglob_pattern", "test_operator"})
_LOOKED_INTO: Final = _LITERAL | named(
    "raw_string ansi_c_string concatenation array brace_expression variable_assignment test_command unary_expression "
    "binary_expression ternary_expression postfix_expression parenthesized_expression herestring_redirect unset_command"
)
"""Nodes of which only the substitutions within them matter."""
_SUBSCRIPT: Final = re.compile(r"\$\w+\[[^\]]*(?:\\[$`]|'[^']*[$`])")
_COMPUTES: Final = re.compile(r"\$\(|`|\[|\\|\+\+|--|(?<![=!<>])=(?!=)|<<=|>>=")
"""What in a text that is computed may run a command, or assign."""
_NAME: Final = re.compile(r"(?<![\w#])[A-Za-z_]\w*")
_SIGNS: Final = named(
    "${ } # ## % %% / // /# /% : :- :+ :? := - + ? = ^ ^^ , ,, @ * ! Q U L K a k u"
)
"""What expansions are made of that give a value, a part of it, or it in another form."""
_NAMES_OF: Final = re.compile(r"\$\{!\w+(?:[@*]|\[[@*]\])\}")
"""Expansions to names of variables, or of the elements of one."""
_SEVERAL: Final = re.compile(r"\$@|\$\{(?:@|!?\w+\[@\]|!\w+@\})")
"""Expansions that become any number of words within double quotes, too."""


class Expansion:
    """Turns syntax nodes into words, and has every command substitution in them checked."""

    def __init__(self, root: Node, analysis: Analyser) -> None:
        self._root = root
        self._source = root.text or b""
        self._found: Assignments | None = None
        self._analysis = analysis
        self._resolving: set[str] = set()
        self._followed = 0
        """How many values of variables were looked at, which may hold each other."""
        self._resplit = False
        """Whether a value is looked at that is used outside of quotes, where the shell splits it."""

    def of(self, node: Node) -> list[Word]:
        """Return the words that a node expands to: one, unless a known value splits into several."""
        items = self._items(node)
        if items:
            return [self._looked(_undivided(word)) for word in expanded(items, node.start_byte)]
        word = self._word(node, quoted=False)
        if node.type in ("simple_expansion", "expansion") and word.known and word.splits:
            parts = word.text.split()
            is_head = node.parent is not None and node.parent.type == "command_name"
            if len(parts) > 1 and not is_head and any(part.startswith("-") for part in parts):
                # bash makes several words of it, and zsh makes one.
                return [Word(UNKNOWN, word.at, splits=True, tame=False)]
            return [Word(part, word.at, bool(GLOB.search(part))) for part in parts]
        return [word]

    def visit(self, node: Node) -> None:
        """Check only the substitutions in a node."""
        kind = node.type
        if kind in ("command_substitution", "process_substitution"):
            self._analysis.statements(node)
        elif kind in ("arithmetic_expansion", "subscript"):
            self.arithmetic(node)
        elif kind in ("expansion", "simple_expansion", "string"):
            self._word(node, quoted=True)
        elif kind not in _LOOKED_INTO:
            raise Writes(f"syntax that is not known ({kind})", node.start_byte)
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
                self.computed(child)

    def index(self, node: Node) -> None:
        """Check the subscript of an array's element, as in `([i]=1)`, if it has one."""
        match = re.match(r"\[['\"]?([^\]]*?)['\"]?\]=", text_of(node))
        if match is None:
            return
        if not re.fullmatch(r"[\w./ -]*", match[1]):
            raise Writes("it computes with what is not known", node.start_byte)
        for name in re.findall(r"[A-Za-z_]\w*", match[1]):
            self._need_number(name, node)

    def computed(self, child: Node) -> None:
        """Check one part of what is computed.

        Raises:
            Writes: it is not known to be a number, or may set what changes programs.
        """
        kind, text = child.type, text_of(child)
        if kind == "variable_name" or kind == "word" and text.isidentifier():
            if changes_programs(text, None):
                raise Writes("arithmetic that may change what programs do", child.start_byte)
            self._need_number(text, child)
        elif kind == "simple_expansion":
            if text[1:].isdigit() or text[1:] in ("@", "*", "_"):
                raise Writes("it computes with what is not known", child.start_byte)
            if text[1:] not in COUNTED:
                self._need_number(text[1:], child)
        elif kind == "command_substitution":
            self._analysis.statements(child)
            if not self._prints_number(child):
                raise Writes("it computes with what a command prints", child.start_byte)
        elif kind == "process_substitution":
            self._analysis.statements(child)
        elif kind in _TEXTS:
            self._computed_text(child)
        elif kind == "expansion":
            self._word(child, quoted=True)
            if not text.startswith("${#"):
                for one in child.named_children:
                    if one.type not in ("variable_name", "number", "word", "regex"):
                        raise Writes("it computes with what is not known", child.start_byte)
                    if one.type == "variable_name":
                        self._need_number(text_of(one), one)
                    else:
                        self._computed_text(one)
        else:
            if kind in ("string", "concatenation"):
                self._need_one_part(child)
            self.arithmetic(child)

    def _computed_text(self, node: Node) -> None:
        text = text_of(node)
        if _COMPUTES.search(text):
            raise Writes("it computes with a text", node.start_byte)
        for name in _NAME.findall(text):
            if changes_programs(name, None):
                raise Writes("arithmetic that may change what programs do", node.start_byte)
            self._need_number(name, node)

    def _need_one_part(self, node: Node) -> None:
        """Check that a word that is computed is not a name made of several parts.

        Raises:
            Writes: it may be any variable's name.
        """
        named = [child for child in node.named_children if child.type in _TEXTS]
        letters = [child for child in named if re.search(r"[A-Za-z_]", text_of(child))]
        if letters and len(node.named_children) > 1:
            raise Writes("it computes with a name that is put together", node.start_byte)

    def tests_plainly(self, node: Node) -> bool:
        """Whether a word of `[` cannot become a test that computes a subscript, as `-v a[…]` does.

        Only a command's own values and what it reads are looked at, and not the user's environment.
        """
        name = text_of(node)[1:].strip("{}")
        found = self._assignments
        plain = node.type in ("simple_expansion", "expansion") and name.isidentifier()
        if plain and name not in found.values and name not in found.unknown and not fills(name):
            return not found.unforeseen
        words = self.of(node)
        return all(
            word.known and word.text not in ("-v", "-R", "-t") or word.text == NUMBER or word.tame
            for word in words
        )

    def is_scalar(self, name: str) -> bool:
        """Whether a command assigns no array to a variable."""
        return name not in self._assignments.looped

    def keeps_separators(self, node: Node) -> bool:
        """Whether a value is that of a variable which only ever gets what `IFS` was (`IFS=$OLD`)."""
        found, match = self._assignments, re.fullmatch(r"['\"]?\$\{?(\w+)\}?['\"]?", text_of(node))
        if match is None or match[1] in found.unknown or found.unforeseen:
            return False
        values = found.values.get(match[1], ())
        return bool(values) and all(text_of(one).strip('"') in ("$IFS", "${IFS}") for one in values)

    def names_file(self, node: Node) -> bool:
        """Whether a word is certain to be the name of a file, and none by which a shell opens a connection.

        It is if it is put together of what is written, of the user's own variables, and of names of
        files that a command finds; what is computed, or read from a file, may be anything.
        """
        node, text = _inside_quotes(node), text_of(node)
        if node.type == "command_substitution":
            nodes = commands_of(node)
            return (
                names_files(nodes, self.functions) or form_of(node, self.functions) is not Form.ANY
            )
        match = _NAMED.fullmatch(text_of(node))
        if match:
            return self._holds_names(match[1] or match[2])
        if re.fullmatch(r"\$\{?[1-9@*]\}?", text_of(node)):
            return not self._analysis.depth and all(map(self.names_file, self._arguments))
        if node.type in ("string", "concatenation"):
            parts = [child for child in node.named_children if child.type not in _LITERAL]
            return "{" not in text.replace("${", "") and all(map(self.names_file, parts))
        if node.type in ("arithmetic_expansion", "brace_expression", "raw_string"):
            return True
        return node.type in _LITERAL and not ("{" in text and "/" in text)

    @property
    def _arguments(self) -> list[Node]:
        """The arguments of all functions that the command calls, and of `set`."""
        called = self.functions | {"set", "command", "builtin"}
        found = []
        for one in descendants(self._root):
            head = one.child_by_field_name("name") if one.type == "command" else None
            if head is not None and (
                text_of(head) in called or not _PLAIN_NAME.fullmatch(text_of(head))
            ):
                found += one.children_by_field_name("argument") + [head] * ("{" in text_of(head))
        return found

    def _holds_names(self, name: str) -> bool:
        found = self._assignments
        read = found.listed.get(name)
        if name in self._resolving or found.unforeseen or fills(name):
            return False
        if read is False or name in found.unknown and not read:
            return False
        values = found.values.get(name, [])
        if not values:
            return bool(read) or name in found.forms or not self._analysis.depth
        self._follow(name, values[0].start_byte)
        try:
            return all(map(self.names_file, values))
        finally:
            self._resolving.discard(name)

    # --- steps

    def _items(self, node: Node) -> list[Item]:
        """Return the parts of a word that may be a brace expansion; none if it is not."""
        if b"{" not in (node.text or b""):
            return []
        if node.type == "word":
            found = items_of(text_of(node), node.start_byte)
        elif node.type == "concatenation":
            found = self._parts_of(node)
        else:
            found = []
        if not makes_several(found):
            return []
        if not lists(found):
            return found
        self._analysis.where.lists = True
        return found if self._analysis.where.reading.braces else []

    def _parts_of(self, node: Node) -> list[Item]:
        found: list[Item] = []
        end = node.start_byte
        for child in node.children:
            if child.start_byte != end:
                raise Writes("words that are not understood", child.start_byte)
            if (
                not child.is_named
                or child.type in ("word", "number")
                and not child.named_child_count
            ):
                found += items_of(text_of(child), end)
            else:
                found.append(self._word(child, quoted=False))
            end = child.end_byte
        return found

    @property
    def functions(self) -> frozenset[str]:
        """The names of the functions that the command defines anywhere."""
        return self._assignments.functions

    @property
    def _assignments(self) -> Assignments:
        if self._found is None:
            self._found = Assignments(self._root)
        return self._found

    def balanced(self, node: Node, marks: int) -> None:
        """Check that bash also reads a node as arithmetic, and not as nested subshells."""
        depth = 0
        for char in text_of(node)[marks:-2]:
            depth += (char == "(") - (char == ")")
            if depth < 0:
                raise Writes("parentheses that are not understood", node.start_byte)
        if depth:
            raise Writes("parentheses that are not understood", node.start_byte)

    def _word(self, node: Node, *, quoted: bool) -> Word:
        return self._looked(self._made(node, quoted=quoted))

    def _looked(self, word: Word) -> Word:
        """Have the folder looked at for names that a pattern would make options of, where that is wanted."""
        if not (word.known and word.splits and GLOB.match(word.text)):
            return word
        where = self._analysis.where
        where.unsure = True
        if not where.reading.looked:
            return word
        where.asked.append(Asked("a pattern", "names", "", word.at))
        return word._replace(looked=True)

    def _named(self, nodes: Sequence[Node], word: Word) -> Word:
        """Have the folder looked at for names of git that begin with a dash, where that is wanted."""
        where = self._analysis.where
        where.unsure = True
        if not where.reading.looked:
            return word
        for node in nodes:
            folder = git_folder(node)
            if folder is None:
                return word
            where.asked.append(Asked("a name of git's", "git-names", folder, word.at))
        return word._replace(tame=True)

    def choices(self, word: Word, *, globs: bool = False) -> list[str]:
        """Return all texts that a word may be, where its node tells them; none where it does not.

        With `globs`, these may be patterns of names in a folder that is known.
        """
        node = self._root.descendant_for_byte_range(word.at, word.at + 1)
        if word.text != UNKNOWN or node is None:
            return []
        while node.parent is not None and node.parent.start_byte == node.start_byte:
            node = node.parent
        whole = text_of(node)
        node = _inside_quotes(node)
        if whole not in (text_of(node), f'"{text_of(node)}"') or self._resplit:
            return []
        match, found = _NAMED.fullmatch(text_of(node)), self._assignments
        name = (match[1] or match[2]) if match else ""
        if not name or name in found.emptied or b"IFS" in (self._root.text or b""):
            return []
        values: list[str] = []
        for value in found.in_loop(name, word.at):
            items = self._items(value)
            values += (
                [one.text for one in expanded(items, value.start_byte)]
                if items
                else [text_of(value)]
            )
        kind = _GLOB_NAME if globs and whole[:1] == '"' else _PLAIN_NAME
        return values if all(kind.fullmatch(value) for value in values) else []

    def _made(self, node: Node, *, quoted: bool) -> Word:
        at = node.start_byte
        kind = node.type
        items = self._items(node)
        if items:
            words = expanded(items, at)
            tame = all(word.tame and not word.may_be_option for word in words)
            signed = any(word.text[:1] in ("-", "+") for word in words)
            return Word(UNKNOWN, at, splits=True, tame=tame and not signed)
        if kind == "raw_string":
            return Word(text_of(node)[1:-1], at)
        if kind == "ansi_c_string":
            return decoded(text_of(node)[2:-1], at)
        if kind in ("string", "translated_string"):
            return self._string(node if kind == "string" else node.named_children[0])
        if kind == "concatenation":
            return self._concatenation(node)
        if kind == "simple_expansion":
            return self._simple(node, quoted=quoted)
        if kind == "expansion":
            return self._expansion(node, quoted=quoted)
        if kind == "command_substitution":
            resplit, self._resplit = self._resplit, False
            self._analysis.statements(node)
            self._resplit = resplit
            form = form_of(node, self.functions)
            word = self._formed(form, at, quoted=quoted)
            if prints_top(node, self.functions):
                return word._replace(top=True)
            return self._named([node], word) if form is Form.REFERENCE else word
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
            return Word(NUMBER, at, tame=False, filled=True)
        if kind == "brace_expression":
            signed = "-" in text_of(node)
            return Word(UNKNOWN, at, splits=True, tame=not signed)
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
        if _SUBSCRIPT.search(text_of(node)):
            raise Writes("a subscript in which zsh runs a command", node.start_byte)
        return _undivided(joined(self._parts_of(node), node.start_byte))

    def _formed(self, form: Form, at: int, *, quoted: bool) -> Word:
        """Return the word for an output or a value of which only the form is known."""
        if form in (Form.NUMBER, Form.SIGNED):
            return Word(NUMBER, at, tame=form is Form.NUMBER, vanishes=not quoted)
        if form is Form.REFERENCE:
            return Word(UNKNOWN, at, tame=False, vanishes=not quoted)
        whole = quoted and not self._resplit
        tame = form in (Form.NAMES, Form.NUMBERS) or whole and form in (Form.PATH, Form.PATHS)
        return Word(UNKNOWN, at, splits=not quoted, tame=tame)

    def _simple(self, node: Node, *, quoted: bool) -> Word:
        """Return the word for `$x`.

        Raises:
            Writes: zsh takes what is behind it for a subscript, which it computes.
        """
        at, after = node.start_byte, self._source[node.end_byte - self._root.start_byte :]
        counts = text_of(node) == "$#"
        if (counts and _COUNTED.match(after)) or (after[:1] == b"[" and not _PLACE.match(after)):
            raise Writes("zsh computes what is in brackets behind a variable: write ${…}", at)
        word = self._variable(text_of(node)[1:], at, quoted=quoted)
        if _MODIFIER.match(after):
            return Word(UNKNOWN, at, splits=word.splits, tame=False)
        return word

    def _variable(self, name: str, at: int, *, quoted: bool) -> Word:
        found = self._assignments
        if name in _OWN_NUMBERS:
            return Word(NUMBER, at, filled=True)
        if fills(name) or found.unforeseen or name in self._resolving or name in found.unknown:
            return Word(UNKNOWN, at, splits=not quoted, tame=False)
        if name not in found.values:
            return self._unassigned(name, at, quoted=quoted)
        known = self._only(name) if found.has_run(name, at) else None
        if found.has_run(name, at) and name not in found.forms:
            value = _inside_quotes(found.values[name][0])
            if value.type == "command_substitution" and prints_top(value, self.functions):
                return self._formed(Form.PATH, at, quoted=quoted)._replace(top=True)
        if known is not None and (quoted or known):
            return Word(known, at, splits=not quoted and bool(re.search(r"[\s*?\[]", known)))
        if self._is_number(name):
            # Where none of its assignments was reached, it is empty.
            filled = found.is_filled(name, at)
            return Word(NUMBER, at, tame=False, vanishes=not (quoted or filled), filled=filled)
        if self._is_reference(name):
            word = self._formed(Form.REFERENCE, at, quoted=quoted)
            return self._named(found.values[name], word)
        tame = self._is_tame(name, quoted=quoted and not self._resplit)
        return Word(UNKNOWN, at, splits=not quoted, tame=tame)

    def _unassigned(self, name: str, at: int, *, quoted: bool) -> Word:
        found = self._assignments
        if name in found.forms:
            return self._formed(found.forms[name], at, quoted=quoted)
        if name in found.looped:
            return Word(NUMBER, at, tame=False, vanishes=not quoted)  # Arithmetic sets it.
        if not self._analysis.depth:
            if name in COUNTED:
                return self._formed(Form.NUMBER, at, quoted=quoted)
            if name in PLACES:
                return self._formed(Form.PATH, at, quoted=quoted)
            if name in SETTLED:
                return Word(UNKNOWN, at, vanishes=not quoted, own=True)
            if ADDRESS.fullmatch(name):
                return Word(f"http://{UNKNOWN}", at, splits=not quoted, tame=quoted)
        own = not self._analysis.depth and name.isidentifier()
        return Word(UNKNOWN, at, splits=not quoted, tame=False, own=own)

    def _is_number(self, name: str) -> bool:
        found = self._assignments
        nodes = found.values.get(name, ())
        return (
            bool(nodes)
            and not found.unforeseen
            and name not in found.unknown
            and found.forms.get(name, Form.NUMBER) is Form.NUMBER
            and all(self._is_numeric_value(node) for node in nodes)
        )

    def _is_reference(self, name: str) -> bool:
        """Whether a variable holds one word which git prints as a name."""
        found = self._assignments
        if name in found.looped or name in found.forms:
            return False
        nodes = [_inside_quotes(node) for node in found.values[name]]
        return all(form_of(node, self.functions) is Form.REFERENCE for node in nodes)

    def _is_numeric_value(self, node: Node) -> bool:
        if node.type in ("number", "arithmetic_expansion") or text_of(node) in ("$?", "$#"):
            return True
        if node.type == "command_substitution":
            return self._prints_number(node)
        if node.type == "string" and node.named_child_count == 1 and text_of(node)[1:2] == "$":
            return self._is_numeric_value(node.named_children[0])
        return bool(re.fullmatch(r"-?[0-9]+|\{[0-9]+\.\.[0-9]+\}", text_of(node)))

    def _prints_number(self, node: Node) -> bool:
        """Whether a command prints one number, or numbers that a loop goes through."""
        form = form_of(node, self.functions)
        loops = node.parent is not None and node.parent.type == "for_statement"
        return form in (Form.NUMBER, Form.SIGNED) or loops and form is Form.NUMBERS

    def _only(self, name: str) -> str | None:
        """Return a variable's value if it can have only one that is known."""
        found = self._assignments
        nodes = found.values[name]
        if len(nodes) != 1 or name in found.looped or name in found.forms:
            return None
        word = self._valued(name, nodes[0], quoted=True)
        return word.text if word.known else None

    def _is_tame(self, name: str, *, quoted: bool) -> bool:
        """Whether no value of a variable begins with a dash; outside of quotes, no word of one."""
        found = self._assignments
        loops = name in found.looped
        form = found.forms.get(name, Form.NUMBER)
        if form is not Form.NUMBER and not self._formed(form, 0, quoted=quoted).tame:
            return False
        for word in self._each_of(name, quoted=quoted):
            # The name of a file that a loop goes through may have blanks in it, where the shell parts it.
            if not quoted and (not _splits_tame(word) or loops and word.splits):
                return False
            # What is assigned is no pattern, but what a loop goes through is.
            kept = word if loops else word._replace(splits=False)
            if kept.may_be_option or word.text == "-" or word.text.startswith("+"):
                return False
        return True

    def _follow(self, name: str, at: int) -> None:
        """Note that a variable's value is looked at; with each step into others there may be twice as many."""
        self._followed += 1
        if self._followed > _MOST_FOLLOWED:
            raise Writes("too many values of variables within each other", at)
        self._resolving.add(name)

    def _each_of(self, name: str, *, quoted: bool) -> Iterator[Word]:
        """Yield all values of a variable; of a list of braces that a loop goes through, each word."""
        for node in self._assignments.values[name]:
            items = self._items(node) if name in self._assignments.looped else []
            yield from (
                expanded(items, node.start_byte)
                if items
                else [self._valued(name, node, quoted=quoted)]
            )

    def _valued(self, name: str, node: Node, *, quoted: bool) -> Word:
        """Return a value without checking it, as that is done at its assignment."""
        self._follow(name, node.start_byte)
        resplit, self._resplit = self._resplit, self._resplit or not quoted
        try:
            return self._word(node, quoted=quoted and name not in self._assignments.looped)
        finally:
            self._resolving.discard(name)
            self._resplit = resplit

    def _expansion(self, node: Node, *, quoted: bool) -> Word:
        text = text_of(node)
        signs = {child.type for child in node.children if not child.is_named}
        if not signs <= _SIGNS or "!" in signs and not _NAMES_OF.fullmatch(text):
            raise Writes("an expansion that may run what a variable holds", node.start_byte)
        if text[2:3].isspace() or text[2:3] == "|":
            raise Writes("an expansion that newer shells take for a command", node.start_byte)
        names = [
            child
            for child in node.named_children
            if child.type in ("variable_name", "special_variable_name")
        ]
        replaces = re.match(r"\$\{(?:\w+|[@*])(?:/|%|#|\^|,)", text)
        computes = not replaces and bool(re.match(r"\$\{[^:}]+:(?![-=?+])", text))
        default = re.match(r"\$\{[^-+=?}]*[-+=?]", text)
        if default and not quoted and _QUALIFIED.search(text[default.end() :]):
            raise Writes("parentheses in which zsh runs a command", node.start_byte)
        assigned = re.match(r"\$\{(\w+)", text)
        assigns = any(child.type.endswith("=") for child in node.children)
        if assigned and assigns and changes_programs(assigned[1], None):
            raise Writes("an expansion that changes what programs do", node.start_byte)
        if _is_in_quotes(node) and any(
            child.type in ("raw_string", "ansi_c_string")
            and not _PLAIN_TEXT.fullmatch(text_of(child))
            for child in descendants(node)
        ):
            raise Writes("single quotes that are none within double ones", node.start_byte)
        for child in node.named_children:
            if child.type == "subscript":
                index = child.child_by_field_name("index")
                if index is not None and text_of(index) not in ("@", "*"):
                    self.computed(index)
            elif child.type not in ("variable_name", "special_variable_name"):
                if computes:
                    self.computed(child)
                elif child.type in ("expansion", "command_substitution", "simple_expansion"):
                    self._word(child, quoted=True)
                else:
                    self.visit(child)
        if computes:
            for child in names[1:]:
                self._need_number(text_of(child), child)
        at = node.start_byte
        if re.fullmatch(r"\$\{#\w+(?:\[[@*\d]+\])?\}", text):
            return Word(NUMBER, at, filled=True)
        kept = _KEEPS_BEGINNING.fullmatch(text)
        if kept is None or kept["name"].isdigit():
            return Word(UNKNOWN, at, splits=not quoted, tame=False)
        value = self._variable(kept["name"], at, quoted=quoted)
        if not kept["how"]:
            return value
        if kept["or"] and value.text == NUMBER and kept["or"].lstrip(":-").isdecimal():
            there = kept["or"][:1] == ":"
            return value._replace(filled=True, vanishes=False) if there else value
        whole = quoted and not self._resplit
        tame = not value.may_be_option if whole else _splits_tame(value)
        return Word(UNKNOWN, at, splits=not quoted, tame=tame)

    def _need_number(self, text: str, node: Node) -> None:
        found = self._assignments
        if fills(text) and text not in COUNTED:
            raise Writes("it computes with what is not known", node.start_byte)
        if text in found.unknown or found.unforeseen and text in found.values:
            raise Writes("it computes with what is not known", node.start_byte)
        for value in found.values.get(text, ()):
            if not self._is_numeric_value(value):
                raise Writes("it computes with what is not known to be a number", node.start_byte)


def _undivided(word: Word) -> Word:
    """Return a word; nothing of it is known if it is a pattern with blanks in it."""
    if word.splits and re.search(r"\s", word.text):
        return Word(UNKNOWN, word.at, splits=True, tame=False)
    return word


_PLAIN_TEXT: Final = re.compile(r"\$?'(?:[\w ./:,@%+=-]|\\[nt])*'")
_QUOTING: Final = frozenset(
    {"string", "heredoc_body", "arithmetic_expansion", "subscript", "compound_statement", "c_style_for_statement"}
)  # fmt: skip


def _is_in_quotes(node: Node) -> bool:
    """Whether shells take quotes in an expansion for plain characters, as within double quotes."""
    around = node.parent
    while around is not None and not around.type.endswith(
        ("command", "_substitution", "_assignment")
    ):
        if around.type in _QUOTING:
            return True
        around = around.parent
    return False


def _inside_quotes(node: Node) -> Node:
    alone = node.type == "string" and node.named_child_count == 1 and text_of(node)[1:2] == "$"
    return node.named_children[0] if alone else node


def _splits_tame(word: Word) -> bool:
    """Whether a value that the shell splits has only words that are no option and no pattern."""
    pieces = word.text.split() or [""]
    if any(piece.lstrip(UNKNOWN)[:1] in ("-", "+") or GLOB.match(piece) for piece in pieces):
        return False  # A file may have any name.
    return word.known or word.tame
