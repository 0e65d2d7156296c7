"""Walks the syntax tree of a shell command, and decides whether the command only reads.

Any syntax, program or option that is not known counts as a write. What words expand to is followed
as far as the command itself determines it (`expansion.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final

from nagomi_tui.shell.expansion import MATCHED, Expansion
from nagomi_tui.shell.folders import Where, asked
from nagomi_tui.shell.parsing import (
    descendants,
    is_fed,
    literal_document,
    literal_words,
    parsed,
    see_as_sh,
    text_of,
)
from nagomi_tui.shell.patterns import Patterns, is_temporary, lets_held, runs_held
from nagomi_tui.shell.printed import Form, piped
from nagomi_tui.shell.variables import changes_programs, is_certain, passes
from nagomi_tui.shell.words import Word, Writes, named, readings

if TYPE_CHECKING:
    from tree_sitter import Node


_SYSTEM: Final = (
    "/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/",
    "/opt/homebrew/bin/", "/snap/bin/", "/run/current-system/sw/bin/",
)  # fmt: skip


def program_of(head: Word) -> str:
    """Return the name of a program of the system, without its folder.

    Raises:
        Writes: the program is the project's, or of unknown origin.
    """
    folder, slash, name = head.text.rpartition("/")
    if slash and folder + "/" not in _SYSTEM:
        if head.text in ("sessions/bin/sessions", "./sessions/bin/sessions"):
            return "sessions"  # What it is, is looked at in its folder.
        raise Writes("a program that is not the system's", head.at)
    return name


_LONGEST: Final = 20
"""The most parts of a pipeline of which it is followed what comes out of them."""
_DEEPEST: Final = 60
"""The most levels of nested commands that are followed; deeper ones count as writes."""


_NO_INPUT: Final = re.compile(r"[0-9]*<\s*/dev/null|[0-9]*>.*|&>.*", re.DOTALL)
_NO_WORDS: Final = (["echo"], ["echo", ""], ["echo", "-n"], ["echo", "Q"], ["true"], [":"])
"""Commands that print nothing by which a program does more than to end."""
_HANDS_ON: Final = (["timeout"], ["env"], ["nice"], ["command"])
"""Programs that leave what they are given on stdin to the one that they run."""
_PLAIN_TARGETS: Final = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})
_DESCRIPTOR: Final = re.compile(r"[0-9]+|-")
_NAMES_STREAMS: Final = re.compile(r"/dev/(?:std|fd)|/proc/")
_READS_BY_NUMBER: Final = re.compile(r"[0-9]\s*<")
_CONNECTS: Final = re.compile(
    r"/dev(?!/(?:null|zero|u?random|std(?:in|out|err)|fd/[0-9]+)\b)|tcp|udp"
)
"""What a command says somewhere if a file that it reads may be a connection; marks of quotation are left out."""
_NO_TESTS: Final = frozenset({">", ">>", ">|", "&", "|", "|&", ";", "&>", ">&", "<>", "&&", "||"})
_TESTS: Final = named(
    "-a -b -c -d -e -f -g -h -k -n -o -p -r -s -u -w -x -z -G -L -N -O -S -t -v -R -ef -nt -ot -eq -ne -lt -le -gt -ge"
)
_PLAIN_OPERANDS: Final = {"-v": r"[A-Za-z_]\w*", "-R": r"[A-Za-z_]\w*", "-t": r"[0-9]+"}
"""Tests whose operand a shell computes, with the operands that are plain names or numbers."""
_SHOWS: Final = frozenset({"echo", "printf", "true", "false", ":", "pwd"})
"""Builtins that do the same whatever variables they are given."""
_SPLIT: Final = frozenset({"simple_expansion", "expansion", "command_substitution"})
_FLAGS: Final = re.compile(r"-[A-Za-z]+|--")
_PLAIN_FLAGS: Final = re.compile(r"-[aAgpr]+")
_SHOWING_FLAGS: Final = re.compile(r"-[aAgprft]+")
"""Options of `declare` with which no shell computes a value or sets another variable."""
_EXPORTED: Final = re.compile(r"LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|NO_COLOR")
"""Variables that may be exported; others, such as `CI`, may change what is started later."""
_FIRST: Final = named(
    "! [[ ]] { } if then else elif fi case esac for foreach select while until repeat do done end in function time "
    "coproc nocorrect noglob - : . source break continue declare typeset local readonly export float integer eval "
    "exec exit return set shift times trap unset let builtin command"
)
"""Words that some shell takes for its own syntax or builtin although there is a function of that name."""
_NUMERIC_TESTS: Final = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})


_GOING: Final = frozenset({"cd", "pushd", "git", "ruff", "npm", "pnpm", "yarn"})
"""Programs for which it counts what they are told, and where they go."""
_MOST_CHOICES: Final = 32


class Analysis:
    """Analyses one command line; implements `Analyser` for the tables of programs."""

    def __init__(self, root: Node, patterns: Patterns, where: Where, depth: int = 0) -> None:
        self.patterns = patterns
        self.where = where
        self.depth = depth
        self.piped = Form.ANY
        """What is known of the command's stdin."""
        self._functions: set[str] = set()
        self._defining = 0
        """The number of functions around the statement that is looked at."""
        self._root = root
        self._nesting = 0
        self.words = Expansion(root, self)

    # --- what the tables ask

    def run(self, words: Sequence[Word]) -> None:
        """Check a command that another one runs, such as `env`."""
        for one in readings(words):
            self._run(one)

    def _run(self, words: Sequence[Word]) -> None:
        from nagomi_tui.shell.programs import look_up

        if not words:
            return
        head = words[0]
        if self.patterns.given:
            if self.patterns.writes(words):
                raise Writes("the user has named it a write", head.at)
            if self.patterns.reads(words):
                return
        if not head.known or head.text == "":
            raise Writes("which program it runs is not known before it runs", head.at)
        if self.patterns.held and self._runs_held(words):
            return
        name = program_of(head)
        check = look_up(name)
        if check is None:
            lets = self.patterns.lets(name) and not (self.patterns.held or self.patterns.keyed)
            if "/" not in head.text and lets:
                return
            raise Writes(f"{name} is not known to only read", head.at)
        if self.patterns.keyed:
            from nagomi_tui.shell.programs.keys import see_keyless

            see_keyless(name, words[1:], head, is_piped=self._is_piped(head))
        chooses = name in _GOING or name == "openssl"
        for given in self._chosen(words[1:], globs=name == "openssl") if chooses else [words[1:]]:
            check(self, name, list(given), head)
            self.where.asked += asked(name, given, head.at)

    def _chosen(self, words: Sequence[Word], *, globs: bool) -> Iterator[Sequence[Word]]:
        """Yield words with each of the texts that those may be which a loop goes through."""
        choices = [self._choices(word, globs=globs) for word in words]
        if prod(map(len, choices)) > _MOST_CHOICES:
            choices = [[word] for word in words]
        yield from product(*choices)

    def _choices(self, word: Word, *, globs: bool) -> list[Word]:
        texts = self.words.choices(word, globs=globs)
        return [word._replace(text=text, splits=False, tame=True) for text in texts] or [word]

    def _runs_held(self, words: Sequence[Word]) -> bool:
        """Tell whether a command may run since the kernel holds all files."""
        from nagomi_tui.shell.programs import look_up

        name = words[0].text.rpartition("/")[2]
        if runs_held(name, words):
            return True
        return look_up(name) is None and self.patterns.lets(name) and lets_held(name, words)

    def is_told(self, head: Word) -> bool:
        """Whether the program at a word may be given something to read on stdin."""
        if re.search(r"\bexec\b", text_of(self._root)):
            return True
        node = self._root.descendant_for_byte_range(head.at, head.at + 1)
        while node is not None:
            parent = node.parent
            if node.type == "function_definition":
                return True
            redirects = [child for child in node.named_children if child.type.endswith("_redirect")]
            if node.type in ("command", "redirected_statement") and redirects:
                if not all(_NO_INPUT.fullmatch(text_of(child)) for child in redirects):
                    return True
                if any("<" in text_of(child) for child in redirects):
                    return False
            before = node.prev_named_sibling
            if parent is not None and parent.type == "pipeline" and before is not None:
                words = literal_words(before)
                return words not in _NO_WORDS or words[0] in self.words.functions
            node = parent
        return self.depth > 0

    def _is_piped(self, head: Word) -> bool:
        """Whether what the program at a word prints goes into a pipe, so that it has no terminal for it."""
        if re.search(r"\bexec\b", text_of(self._root)):
            return False
        node = self._root.descendant_for_byte_range(head.at, head.at + 1)
        while node is not None:
            redirects = [one for one in node.named_children if one.type == "file_redirect"]
            if not all(re.match(r"2>|<", text_of(one)) for one in redirects):
                return False
            around = node.parent
            if (
                around is not None
                and around.type == "pipeline"
                and around.named_children[-1] != node
            ):
                return True
            node = around
        return False

    def here(self, head: Word) -> str | None:
        """Return the literal here-document that is all the program at a word reads; None if it is not."""
        node = self._root.descendant_for_byte_range(head.at, head.at + 1)
        while node is not None and node.type != "command":
            node = node.parent
        if node is None or "<" in text_of(node) or re.search(r"\bexec\b", text_of(self._root)):
            return None
        if head.at != node.start_byte and literal_words(node)[:1] not in _HANDS_ON:
            return None
        around = node.parent
        while around is not None and around.type in ("list", "pipeline"):
            if around.named_children[-1] != node:
                return None
            node, around = around, around.parent
        if around is None or around.child_by_field_name("body") != node:
            return None
        reads = [
            child for child in around.named_children if child != node and "<" in text_of(child)
        ]
        is_one = len(reads) == 1 and reads[0].type == "heredoc_redirect"
        return literal_document(reads[0], self._root) if is_one else None

    def script(self, word: Word, *, as_sh: bool = False) -> None:
        """Check a script that a shell gets as an argument; with `as_sh` one that may not be bash."""
        if not word.known:
            raise Writes("a script that is not known before it runs", word.at)
        if self.depth > 3:
            raise Writes("scripts within scripts", word.at)
        root = parsed(word.text)
        try:
            if as_sh:
                see_as_sh(root)
            Analysis(root, self.patterns, self.where, self.depth + 1).statements(root)
        except Writes as found:
            raise Writes(found.reason, word.at) from None

    # --- statements

    def statements(self, node: Node) -> None:
        """Check each statement in a node."""
        for child in node.named_children:
            self.statement(child)

    def statement(self, node: Node) -> None:
        """Check one statement."""
        self._nesting += 1
        if self._nesting > _DEEPEST:
            raise Writes("nested too deeply", node.start_byte)
        kind: Callable[[Node], None] | None = getattr(self, f"_{node.type}", None)
        if kind is None:
            raise Writes(f"syntax that is not known ({node.type})", node.start_byte)
        kind(node)
        self._nesting -= 1

    _program = _list = _subshell = _negated_command = _do_group = statements
    _if_statement = _elif_clause = _else_clause = _while_statement = statements
    _variable_assignments = statements

    def _comment(self, node: Node) -> None:
        pass

    def _compound_statement(self, node: Node) -> None:
        if node.children[0].type == "((":
            self.words.balanced(node, 2)
            self.words.arithmetic(node)
        else:
            self.statements(node)

    def _pipeline(self, node: Node) -> None:
        fed = node.parent is not None and is_fed(node.parent)
        for index, child in enumerate(node.named_children):
            body = (
                child.child_by_field_name("body") if child.type == "redirected_statement" else child
            )
            plain = body is not None and body.type == "command"
            if 0 < index < _LONGEST and plain and not (fed or is_fed(child)):
                self.piped = piped(node.named_children[:index], self.words.functions)
            self.statement(child)
            self.piped = Form.ANY

    def _redirected_statement(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        behind: list[Word] = []
        for child in node.named_children:
            if child.type == "file_redirect":
                behind += self._redirected(child)
            elif child != body:
                self.statement(child)
        if body is not None and body.type == "command":
            self._command(body, behind)
            return
        if behind:
            raise Writes("words behind a redirection", behind[0].at)
        if body is not None:
            self.statement(body)

    def _file_redirect(self, node: Node) -> None:
        behind = self._redirected(node)
        if behind:
            raise Writes("words behind a redirection", behind[0].at)

    def _redirected(self, node: Node) -> list[Word]:
        """Check a redirection; return the command's words that the grammar put after it."""
        operator = next(child.type for child in node.children if not child.is_named)
        nodes = [child for child in node.named_children if child.type != "file_descriptor"]
        places = [self.words.of(child) for child in nodes]
        behind = [word for words in places[1:] for word in words]
        source = text_of(self._root)
        number = next(
            (text_of(child) for child in node.named_children if child.type == "file_descriptor"), ""
        )
        if operator in ("<&-", ">&-"):
            if _NAMES_STREAMS.search(re.sub(r"['\"\\]", "", source)):
                # What is opened next takes the closed one's number.
                raise Writes("a name for what it closes", node.start_byte)
            return [word for words in places for word in words]
        if not places or len(places[0]) != 1 or not places[0][0].single:
            raise Writes("a redirection to what is not known", node.start_byte)
        target = places[0][0]
        if operator in ("<", "<&"):
            if (
                len(number) > 1
                or number in ("1", "2")
                or operator == "<&"
                and number not in ("", "0")
            ):
                # By `/dev/stdout` a program may open for writing what was only opened for reading.
                raise Writes("it reads by a number that is for writing", node.start_byte)
            if (
                not target.known
                and not self._is_file(nodes[0])
                or re.match(r"/+dev/+(?:tcp|udp|\0)", target.text)
            ):
                raise Writes(
                    "it may open a connection: put ./ before the name, or leave out the <",
                    node.start_byte,
                )
        elif (
            self.patterns.held
            and target.known
            and is_temporary(target.text)
            or (
                operator == ">&"
                and _DESCRIPTOR.fullmatch(target.text)
                and (target.text in ("1", "2", "-") or not _READS_BY_NUMBER.search(source))
                and target.text[:1] != "0"
                or target.text in _PLAIN_TARGETS
            )
        ):
            return behind
        else:
            raise Writes("its output goes to a file", node.start_byte)
        return behind

    def _is_file(self, node: Node) -> bool:
        """Whether a redirection that is not known before it runs reads from a file, and from no connection."""
        said = re.sub(r"[\s'\"\\${}]", "", text_of(self._root))
        return self.words.names_file(node) and not _CONNECTS.search(said)

    def _heredoc_redirect(self, node: Node) -> None:
        quoted = any(
            child.type == "heredoc_start" and text_of(child)[:1] in ("'", '"', "\\")
            for child in node.named_children
        )
        for child in node.named_children:
            if child.type == "heredoc_body":
                if not quoted:
                    self.words.here(child)
            elif child.type not in ("heredoc_start", "heredoc_end", "file_descriptor"):
                if child.is_named and hasattr(self, f"_{child.type}"):
                    self.statement(child)
                else:
                    # Words of the command after the here-document's delimiter.
                    raise Writes("words behind a here-document's mark", child.start_byte)

    def _herestring_redirect(self, node: Node) -> None:
        self.words.visit(node)

    def _for_statement(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        for child in node.children_by_field_name("value"):
            self.words.of(child)
        name = node.child_by_field_name("variable")
        if name is not None:
            self._set(name, None)
        if body is not None:
            self.statement(body)

    def _c_style_for_statement(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        self.words.arithmetic(node, but=body)
        if body is not None:
            self.statement(body)

    def _case_statement(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "case_item":
                values = {one.id for one in child.children_by_field_name("value")}
                for part in child.named_children:
                    if part.id in values:
                        self.words.visit(part)
                    else:
                        self.statement(part)
            else:
                self.words.visit(child)

    def _function_definition(self, node: Node) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            raise Writes("a function without a body", node.start_byte)
        if text_of(name) in _FIRST or not re.fullmatch(r"[A-Za-z_][\w-]*", text_of(name)):
            raise Writes("a function with the name of what shells know first", name.start_byte)
        for child in node.named_children:
            if child not in (name, body):
                self.statement(child)
        self._defining += 1
        self.statement(body)
        self._defining -= 1
        # Elsewhere the function may be undefined when called, so that a program runs.
        if node.parent == self._root and not _in_background(node):
            self._functions.add(text_of(name))
        else:
            raise Writes("a function that may not be defined", node.start_byte)

    def _test_command(self, node: Node) -> None:
        opening = node.children[0].type
        if opening == "((":
            self.words.balanced(node, 2)
            self.words.arithmetic(node)
            return
        self.words.visit(node)
        for child in descendants(node):
            kind = child.type
            if (
                opening == "["
                and kind in _SPLIT
                and not _is_inside(child, node)
                and not self.words.tests_plainly(child)
            ):
                raise Writes(
                    "an argument of [ could become -v, which computes: quote it", child.start_byte
                )
            if kind in MATCHED and "\n" in text_of(child):
                raise Writes("a pattern that goes on behind its line", child.start_byte)
            if (
                not child.is_named
                and opening == "["
                and kind in _NO_TESTS
                and not _is_inside(child, node)
            ):
                raise Writes("a redirection or a command within [", child.start_byte)
            if kind == "test_operator" and text_of(child) not in _TESTS:
                raise Writes("a test that is not known", child.start_byte)
            if kind == "test_operator" and text_of(child) in _PLAIN_OPERANDS:
                after = child.next_named_sibling
                if after is None or not re.fullmatch(
                    _PLAIN_OPERANDS[text_of(child)], text_of(after)
                ):
                    raise Writes("a test that computes a subscript", child.start_byte)
            if kind == "test_operator" and opening == "[[" and text_of(child) in _NUMERIC_TESTS:
                for side in (child.prev_named_sibling, child.next_named_sibling):
                    if side is not None:
                        self.words.computed(side)

    def _variable_assignment(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            raise Writes("an assignment that is not understood", node.start_byte)
        if name.type == "subscript":
            self.words.arithmetic(name)
        if value is None:
            self._set(name, "")
        elif value.type == "array":
            for child in value.named_children:
                self.words.index(child)
                self.words.of(child)
            self._set(name, None)
        else:
            words = self.words.of(value)
            if text_of(name) == "IFS" and self.words.keeps_separators(value):
                return
            self._set(name, words[0].text if len(words) == 1 and words[0].known else None)

    def _set(self, name: Node, value: str | None) -> None:
        text = text_of(name).partition("[")[0]
        if text == "IFS" and value is not None and not value.strip(" \t\n"):
            return  # Words that blanks part are looked at one by one, and as a whole.
        if not self.patterns.held and changes_programs(text, value):
            reason = (
                "changes what programs do"
                if text.isupper()
                else "may change what programs do: use a plain word"
            )
            raise Writes(f"{text} {reason}", name.start_byte)

    def _declaration_command(self, node: Node) -> None:
        head = node.children[0].type
        assigns = [child for child in node.named_children if child.type == "variable_assignment"]
        flags = [child for child in node.named_children if child.type == "word"]
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._variable_assignment(child)
                self._declared(child, flags)
            else:
                self.words.visit(child)
        named = [child for child in node.named_children if child not in flags]
        if head == "export" and not self.patterns.held:
            for child in named:
                name = text_of(child).partition("=")[0]
                if child.type != "variable_assignment" or not _EXPORTED.fullmatch(name):
                    raise Writes("export changes the environment", node.start_byte)
                self._passed(child)
        plain = _PLAIN_FLAGS if assigns else _SHOWING_FLAGS
        if named and not all(plain.fullmatch(text_of(flag)) for flag in flags):
            raise Writes(f"{head} that computes or renames", node.start_byte)
        shows = any("p" in text_of(flag) or "f" in text_of(flag) for flag in flags)
        for child in named:
            if (
                child.type == "variable_name"
                and not shows
                and changes_programs(text_of(child), None)
            ):
                raise Writes(f"{text_of(child)} changes what programs do", child.start_byte)
        if any(
            child.type not in ("word", "variable_assignment", "variable_name")
            or child.type == "word"
            and not _FLAGS.fullmatch(text_of(child))
            for child in node.named_children
        ):
            raise Writes(f"{head} of what is not known", node.start_byte)

    def _declared(self, node: Node, flags: Sequence[Node]) -> None:
        """Refuse a text of which bash makes an array, whose subscripts it computes."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None or value.type == "array":
            return
        words = self.words.of(value)
        known = len(words) == 1 and words[0].known
        may = any(set("aA") & set(text_of(flag)) for flag in flags)
        if (
            known
            and words[0].text.startswith("(")
            or not known
            and (may or not self.words.is_scalar(text_of(name)))
        ):
            raise Writes("a text that may become an array", value.start_byte)

    def _unset_command(self, node: Node) -> None:
        self.words.visit(node)
        for child in node.named_children:
            text = text_of(child)
            changes = text != "IFS" and changes_programs(text, None)
            if changes or not text.isidentifier() or text in self.words.functions:
                raise Writes("unset changes what programs do", child.start_byte)

    def _command(self, node: Node, behind: Sequence[Word] = ()) -> None:
        words: list[Word] = []
        assigns: list[Node] = []
        for child in node.children:
            kind = child.type
            if not child.is_named:
                if kind not in ("==", "=~"):
                    raise Writes("syntax that is not known", child.start_byte)
                words.append(Word(kind, child.start_byte))
            elif kind == "variable_assignment":
                assigns.append(child)
            elif kind == "file_redirect":
                extra = self._redirected(child)
                if extra and not words:
                    raise Writes("words behind a redirection", extra[0].at)
                words += extra
            elif kind in ("herestring_redirect", "heredoc_redirect"):
                self.statement(child)
            elif kind == "command_name":
                words += self.words.of(child.children[0])
            else:
                words += self.words.of(child)
        words += behind
        is_function = bool(words) and words[0].known and words[0].text in self._functions
        is_read = bool(words) and words[0].text == "read" and not is_function
        if self._defining and words and not is_function and words[0].text in self.words.functions:
            raise Writes("a function that may call itself", words[0].at)
        for child in assigns:
            if is_read and text_of(child).startswith("IFS="):
                self.words.visit(child)  # It holds for `read` alone; what it is made of counts.
            else:
                self._variable_assignment(child)
                if words and (not words[0].known or words[0].text not in _SHOWS):
                    self._passed(child)
        if is_function:
            if self.patterns.given and self.patterns.writes(words):
                raise Writes("the user has named it a write", words[0].at)
            return
        self.run(words)
        if words and words[0].text == "cd" and not self.depth and is_certain(node, self._root):
            self.where.left = True

    def _passed(self, node: Node) -> None:
        """Check an assignment before a command, which the command gets in its environment."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if self.patterns.held:
            return
        if name is not None and not passes(text_of(name), text_of(value) if value else ""):
            raise Writes(f"{text_of(name)} may change what the program does", node.start_byte)


def _is_inside(node: Node, test: Node) -> bool:
    """Whether a part of a test is within quotes, a substitution or another expansion."""
    around = node.parent
    while around is not None and around != test:
        if around.type in ("string", *_SPLIT):
            return True
        around = around.parent
    return False


def _in_background(node: Node) -> bool:
    after = node.next_sibling
    return after is not None and after.type in ("&", "|")
