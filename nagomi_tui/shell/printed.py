"""What a command prints, where its words alone prove its form.

Output may become an option of the program that is given it. So a form counts only if a command is
listed here, word for word: its words are all literal, and none of them reaches the output. All else
may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from nagomi_tui.shell.parsing import descendants, is_fed, literal_words, text_of
from nagomi_tui.shell.words import named

if TYPE_CHECKING:
    from tree_sitter import Node


class Form(Enum):
    """What is known of an output."""

    NUMBER = "a number without a sign"
    SIGNED = "a number that may be negative, such as a time before 1970"
    NUMBERS = "numbers without a sign, one a line"
    NAMES = "words that begin with no dash, such as hashes, with no blank or pattern in them"
    REFERENCE = "one word without a blank or pattern, which may begin with a dash"
    PATH = "text that begins with a path, which may hold blanks and newlines"
    PATHS = "paths that begin with no dash, each with a zero byte behind it"
    ANY = "nothing"


_REVISION: Final = r"[A-Za-z0-9_][\w./^~@:{}+-]*"
"""A revision; if there is no such one, git prints the word itself."""
_FILE: Final = r"[\w/.][^ ]*"
_GIT: Final = rf"git(?: -C {_FILE}| --no-pager)*"
_LISTED: Final = (
    r"-n?[0-9]+|-n [0-9]+|--max-count=[0-9]+|--all|--reverse|--merges|--no-merges|--first-parent|"
    rf"--max-parents=0|--no-patch|--(?:since|until|author|grep)=[^ ]+|\^?{_REVISION}"
)
_ONE_HASH: Final = r"--(?:format|pretty)=(?:format:)?%[hH]"
_DATE: Final = r"%[YFsmdHMSjVuy](?:[-_:.T]|%[YFsmdHMSjVuyTN])*"
_COUNTING: Final = r"(?:-[EFGPivwxs]*c[EFGPivwxs]*|--count) [\w^][^ ]*"

_FORMS: Final = {
    Form.NUMBER: (
        "nproc(?: --all)?",
        "id -[ug]",
        "tput (?:cols|lines)",
        rf"stat (?:-c ?|--format=)%[saugh] {_FILE}",
        rf"{_GIT} rev-list --count(?: (?:{_LISTED}))*",
        rf"grep {_COUNTING} {_FILE}",
        rf"date (?:-u )?\+{_DATE}",
    ),
    Form.SIGNED: (
        "tput colors",
        rf"stat (?:-c ?|--format=)%[YXZ] {_FILE}",
        rf"date (?:-u )?-d [\w@][^ ]* \+{_DATE}",
    ),
    Form.NUMBERS: (r"seq(?: [0-9]+){1,3}",),
    Form.NAMES: (
        rf"{_GIT} rev-parse(?: (?:--short(?:=[0-9]+)?|--verify|-q|--quiet))*(?: {_REVISION})+",
        rf"{_GIT} merge-base(?: {_REVISION}){{2,}}",
        rf"{_GIT} rev-list(?: (?:{_LISTED}))+",
        rf"{_GIT} log(?: (?:{_LISTED}))* {_ONE_HASH}(?: (?:{_LISTED}))*(?: -- .*)?",
        rf"{_GIT} hash-object {_FILE}",
        r"pgrep(?: -[fxno]+)* [\w^/.][^ ]*",
        r"pidof(?: -s)? [\w/.]+",
        r"lsof -ti ?(?:tcp)?:[0-9]+",
        "whoami",
        "arch",
        "uname(?: -[srm])?",
        "id -un",
        r"docker (?:ps|container ls|images)(?: (?:-a|-l|--all|--no-trunc|-n [0-9]+|--latest))* "
        r"-(?:a?qa?|a?qa?f [\w.=:/-]+)(?: (?:-a|--no-trunc|(?:-f|--filter) [\w.=:/-]+))*",
    ),
    Form.REFERENCE: (
        rf"{_GIT} branch --show-current",
        rf"{_GIT} rev-parse --abbrev-ref {_REVISION}",
        rf"{_GIT} symbolic-ref(?: --short| -q)* HEAD",
        rf"{_GIT} describe(?: (?:--tags|--always|--all|--abbrev=[0-9]+|--exact-match|{_REVISION}))*",
    ),
    Form.PATH: (
        "pwd(?: -[LP])?",
        rf"{_GIT} rev-parse --(?:show-toplevel|git-dir|git-common-dir|absolute-git-dir)",
        rf"realpath (?:-[em] )?{_FILE}",
        rf"readlink -[fem] {_FILE}",
        r"(?:command -v|which|type -p) [A-Za-z0-9_][\w.+-]*",
    ),
}  # fmt: skip
"""The commands of each form, as lines of words in which `_line` has hidden the blanks."""
_COUNTS: Final = rf"wc -[lcmw]|grep {_COUNTING}"
"""Commands that print a number if they are given no file, but read their input."""
_GREP_NAMES: Final = (
    r"grep(?: (?:-[EFGPIirRswxZ]+|--null|--include=[^ ]+|--exclude(?:-dir)?=[^ ]+))* -[EFGPIirRswxZ]*[lL][EFGPIirRswxZ]*"
    rf"(?: (?:-[EFGPIirRswxZlL]+|--null|--include=[^ ]+|--exclude(?:-dir)?=[^ ]+))* [\w^][^ ]*(?: {_FILE})+"
)
_TOP: Final = r"git rev-parse --show-toplevel(?: 2> ?/dev/null)?"
_OPERAND: Final = r"[^- ][^ ]*"
_NAMING: Final = re.compile(
    rf"find(?: (?:-(?:type|i?name|i?path|(?:max|min)depth|size|[mac](?:time|min)|newer|not|o|a|prune|print|empty|xdev|[HLP])"
    rf"|[-+][0-9]+[a-zA-Z]*|{_OPERAND}))*"
    rf"|ls(?: (?:-[1aAdrtSRpFhlLX]+|{_OPERAND}))*"
    rf"|(?:fd|fdfind)(?: (?:-[HIuegisatdELpF0-9]+|--(?:hidden|no-ignore|(?:type|extension|exclude|max-depth)(?:=[^ ]*)?)|{_OPERAND}))*"
    rf"|(?:grep|egrep|rg)(?=.* (?:-[a-zA-Z]*l[a-zA-Z]*|--files(?:-with-matches)?)(?: |$))"
    rf"(?: (?:-[a-zA-Z]+|--(?:files(?:-with-matches)?|(?:include|exclude|exclude-dir|glob|type)(?:=[^ ]*)?)|--|{_OPERAND}))*"
    rf"|{_GIT} (?:ls-files|ls-tree(?=.* --name-only)|diff(?=.* --name-only)|grep(?=.* -[a-zA-Z]*l))"
    rf"(?: (?:-[a-zA-Z]+|--(?:cached|staged|others|modified|deleted|exclude-standard|name-only|diff-filter=\w+)|--|{_OPERAND}))*"
)
"""Commands that print no more than names of files that are there."""
_KEEPS: Final = re.compile(rf"grep(?: -[vEFiPwx]+)* {_OPERAND}")
_PICKS: Final = r"(?:head|tail)(?: -[0-9]+| -n ?\+?[0-9]+)?|sort(?: -[ru]+)?|uniq|tac"
"""Commands that pass on whole lines of their input, of which each is a name for itself."""
_TRIMS: Final = r"tr -d (?:\x02|\[:space:\]|\[:blank:\]|\x02\\n)"
_FOUND: Final = named(
    "-type -name -iname -path -ipath -maxdepth -mindepth -size -mtime -mmin -newer"
)
"""Tests of `find`, each with its value."""


def form_of(node: Node, functions: AbstractSet[str]) -> Form:
    """Tell what form a statement's output has; `functions` are names that the command defines."""
    kind = node.type
    if kind in ("command_substitution", "process_substitution"):
        parts = node.named_children
        return form_of(parts[0], functions) if len(parts) == 1 else Form.ANY
    if kind == "redirected_statement":
        return _redirected(node, functions)
    if kind == "pipeline":
        return piped(node.named_children, functions)
    if kind == "list":
        return _list(node, functions)
    words = literal_words(node)
    if not words or functions & set((words[0], "chpwd")):
        return Form.ANY
    return _form(words)


def _form(words: Sequence[str]) -> Form:
    for form, patterns in _FORMS.items():
        if any(re.fullmatch(pattern, _line(words)) for pattern in patterns):
            return form
    ends = {"-Z", "--null"} & set(words) or re.search(r" -[a-zA-Z]*Z", _line(words))
    if ends and re.fullmatch(_GREP_NAMES, _line(words)):
        return Form.PATHS
    return Form.PATHS if words[0] == "find" and _prints_paths(words[1:]) else Form.ANY


def prints_top(node: Node, functions: AbstractSet[str]) -> bool:
    """Whether a substitution prints the path of the top of the repository around it, or nothing."""
    parts = node.named_children
    text = text_of(parts[0]) if len(parts) == 1 else ""
    return re.fullmatch(_TOP, text) is not None and "git" not in functions


def git_folder(node: Node) -> str | None:
    """Return the folder in which the one command within a node has git look, from where it runs.

    It is None where there is no such one command.
    """
    commands = [one for one in (node, *descendants(node)) if one.type == "command"]
    words = literal_words(commands[0]) if len(commands) == 1 else []
    if words[:1] != ["git"]:
        return None
    folder = ""
    for option, value in pairwise(words):
        if option == "-C":
            folder = f"{folder}/{value}" if folder and value[:1] != "/" else value
    return folder


def _line(words: Sequence[str]) -> str:
    """Return words as a line; blanks within a word are hidden, so that it stays one."""
    return " ".join(re.sub(r"\s", "\x02", word) for word in words)


def _prints_paths(words: Sequence[str]) -> bool:
    """Whether `find` has plain places and tests, and prints names with a zero byte behind each."""
    rest = list(words)
    while rest and re.match(r"[\w/.]", rest[0]):
        rest.pop(0)
    while len(rest) > 1 and rest[0] in (*_FOUND, "-not", "!", "-o"):
        rest = rest[2:] if rest[0] in _FOUND else rest[1:]
    return rest == ["-print0"]


def _redirected(node: Node, functions: AbstractSet[str]) -> Form:
    body = node.child_by_field_name("body")
    places = [child for child in node.named_children if child != body]
    if body is None or any(place.type == "herestring_redirect" for place in places):
        return Form.ANY
    reads = False
    for place in places:
        text = text_of(place)
        if re.fullmatch(r"2>\s*/dev/null|2>&-", text):
            continue
        if place.type != "file_redirect" or not re.match(r"<\s*[^<>&(\s]", text):
            return Form.ANY
        reads = True
    words = literal_words(body)
    if reads and words and words[0] not in functions:
        return Form.NUMBER if re.fullmatch(_COUNTS, _line(words)) else Form.ANY
    return Form.ANY if reads else form_of(body, functions)


def _list(node: Node, functions: AbstractSet[str]) -> Form:
    """Take a list such as `git rev-parse … || pwd` for the weaker of its forms.

    `cd` prints a path, or nothing.
    """
    forms = []
    for child in node.named_children:
        moves = text_of(child).split()[:1] == ["cd"] and child.type == "command"
        plain = not functions & {"cd", "chpwd"}
        forms.append(Form.PATH if moves and plain else form_of(child, functions))
    if any(child.type not in ("&&", "||") for child in node.children if not child.is_named):
        return Form.ANY
    if set(forms) <= {Form.NUMBER, Form.NUMBERS, Form.NAMES}:
        return Form.NAMES if len(forms) > 1 else forms[0]
    return (
        Form.PATH if set(forms) <= {Form.NUMBER, Form.NUMBERS, Form.NAMES, Form.PATH} else Form.ANY
    )


def piped(nodes: Sequence[Node], functions: AbstractSet[str]) -> Form:
    """Tell what form the output of a pipeline of these statements has."""
    if any(node.next_sibling is not None and node.next_sibling.type == "|&" for node in nodes):
        return Form.ANY  # What it complains of is quoted in what comes out.
    lines = [_line(literal_words(node)) for node in nodes]
    heads = {line.partition(" ")[0] for line in lines}
    if not nodes or functions & set(heads):
        return Form.ANY
    counts = lines[:-1] if re.fullmatch(_TRIMS, lines[-1]) else lines
    if len(counts) > 1 and re.fullmatch(_COUNTS, counts[-1]):
        return Form.NUMBER
    first = form_of(nodes[0], functions)
    if len(nodes) == 1:
        return first
    picked = all(re.fullmatch(_PICKS, line) for line in lines[1:])
    return Form.NAMES if picked and first in (Form.NAMES, Form.NUMBER, Form.NUMBERS) else Form.ANY


def names_files(nodes: Sequence[Node], functions: AbstractSet[str]) -> bool:
    """Tell whether a pipeline of these statements prints names of files that are there, and nothing else."""
    lines = []
    for node in nodes:
        body = node.child_by_field_name("body") if node.type == "redirected_statement" else node
        if body is None or body.type != "command" or (body is not node and is_fed(node)):
            return False
        words = literal_words(body, hidden="\3")
        if not words or words[0] in functions:
            return False
        lines.append(_line(words))
    picked = all(re.fullmatch(_PICKS, one) or _KEEPS.fullmatch(one) for one in lines[1:])
    return bool(lines) and _NAMING.fullmatch(lines[0]) is not None and picked


def reads_names(node: Node, functions: AbstractSet[str]) -> bool:
    """Tell whether a loop's `read` gets names of files that are there."""
    loop = node.parent
    around = loop.parent if loop is not None and loop.type == "while_statement" else None
    if loop is None or around is None or _takes_other_input(around):
        return False
    nodes = around.named_children
    if around.type == "pipeline" and nodes[-1] == loop:
        return names_files(nodes[:-1], functions)
    place = _substitution(around)
    return place is not None and names_files(commands_of(place), functions)


def commands_of(node: Node) -> Sequence[Node]:
    """Return the commands of the one pipeline in a substitution; none where there is more in it."""
    parts = node.named_children
    if len(parts) != 1:
        return ()
    return parts[0].named_children if parts[0].type == "pipeline" else parts


def read_from(node: Node, functions: AbstractSet[str]) -> Form:
    """Tell what form the variable of a loop's `read` gets, which is its last word."""
    loop = node.parent
    words = literal_words(node, prefixed=True)
    whole = words[1:-1] in (["-r", "-d", ""], ["-rd", ""], ["-d", "", "-r"])
    if words[:1] != ["read"] or not (whole or words[1:-1] in ([], ["-r"])):
        return Form.ANY
    if any(text_of(child) != "IFS=" for child in node.named_children if "assign" in child.type):
        return Form.ANY
    if loop is None or loop.type != "while_statement" or loop.named_children[0] != node:
        return Form.ANY
    around = loop.parent
    if around is None or _takes_other_input(around):
        return Form.ANY
    if around.type == "pipeline" and around.named_children[-1] == loop:
        form = piped(around.named_children[:-1], functions)
    elif (place := _substitution(around)) is not None:
        form = form_of(place, functions)
    else:
        return Form.ANY
    if whole:
        return Form.PATH if form is Form.PATHS else Form.ANY
    if form is Form.NUMBERS:
        return Form.NUMBER
    return form if form in (Form.NAMES, Form.NUMBER) else Form.ANY


def _takes_other_input(node: Node) -> bool:
    """Whether something may have a loop read from elsewhere."""
    if node.type == "pipeline" and node.parent is not None and is_fed(node.parent):
        return True
    while node.parent is not None:
        node = node.parent
    return re.search(r"\bexec\b", re.sub(r"['\"\\]", "", text_of(node))) is not None


def _substitution(node: Node) -> Node | None:
    """Return the process from which a statement reads by `< <(…)` alone; None if it does otherwise."""
    nodes = node.named_children
    if node.type != "redirected_statement" or len(nodes) != 2 or len(nodes[1].named_children) != 1:
        return None
    place = nodes[1].named_children[0]
    is_read = place.type == "process_substitution" and place.children[0].type == "<("
    return place if is_read else None
