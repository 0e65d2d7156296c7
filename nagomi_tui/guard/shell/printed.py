"""Whether a command is known to print a number, or lines that cannot become options."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from nagomi_tui.guard.shell.nodes import head_of, joined, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

_PRODUCERS: Final = frozenset(["find", "pwd", "which", "realpath", "grep", "rg", "egrep", "fgrep"])
"""Programs whose output lines begin with no dash if their operands do not."""
_PLAIN_PARTS: Final = frozenset({"command_name", "word", "number", "raw_string", "string"})
_BLANK_FREE: Final = frozenset(
    ["git", "nproc", "seq", "hostname", "whoami", "id", "uname", "tty", "arch", "pgrep", "pidof"]
)
"""Programs of whose output no word begins with a dash."""
_GIT_PRODUCERS: Final = frozenset(["merge-base", "describe", "symbolic-ref", "tag"])
_GIT_OPTIONS: Final = re.compile(
    r"-[0-9]+|-n[0-9]*|-l|--list|--tags|--always|--all|--abbrev=\d+|--merges|--no-merges|--reverse|--first-parent|"
    r"--max-count=\d+|--max-parents=0|--count|--(?:format|pretty)=(?:format:)?%[hH]|--sort=-?[\w:]+|"
    r"--exact-match|--short|--show-current|--author=\S+|--since=\S+|--(?:diff-filter|grep)=\S+|--|-q|"
    r"--fork-point|--contains|--merged|--points-at|--match|--no-commit-header"
)
"""Options that let git print names or hashes only."""
_FILTERS: Final = frozenset(
    ["head", "tail", "sort", "uniq", "wc", "grep", "rg", "egrep", "fgrep", "tac"]
)
_SEARCHES: Final = frozenset(["grep", "rg", "egrep", "fgrep", "ag", "ack"])
_NAMES_ONLY: Final = frozenset({"-l", "--files-with-matches", "--files-without-match", "-L"})
_REV_PARSE: Final = frozenset(
    ["--short", "--abbrev-ref", "--show-toplevel", "--verify", "--git-dir", "-q", "--show-prefix"]
)


def names_only(nodes: Sequence[Node]) -> bool:
    """Whether a pipeline prints only lines that do not begin with a dash, such as names."""
    if not nodes or not all(_filters(node) for node in nodes[1:]):
        return False
    return _produces(nodes[0], _PRODUCERS | _BLANK_FREE)


def prints_tame(node: Node, *, splits: bool) -> bool:
    """Whether no word of a statement's output begins with a dash.

    `splits` is True if bash splits the output at blanks, not only at line ends.
    """
    if node.type == "redirected_statement":
        body = node.child_by_field_name("body")
        return body is not None and prints_tame(body, splits=splits)
    if node.type == "pipeline":
        parts = node.named_children
        return names_only(parts) and (not splits or _produces(parts[0], _BLANK_FREE))
    if node.type == "list":
        return all(
            prints_tame(child, splits=splits) or head_of(child)[:1] == ["cd"]
            for child in node.named_children
        )
    return _produces(node, _BLANK_FREE if splits else _PRODUCERS | _BLANK_FREE)


def read_from(node: Node) -> Literal["words", "lines"] | None:
    """Tell whether the variable of a loop's `read` gets something that cannot become an option.

    Returns:
        "words" if no word of a line begins with a dash, "lines" if no line does, else None.
    """
    words, loop = head_of(node), node.parent
    if words[:1] != ["read"] or words[1:-1] not in ([], ["-r"]) or not words[-1].isidentifier():
        return None
    if any(text_of(child) != "IFS=" for child in node.named_children if "assign" in child.type):
        return None
    if loop is None or loop.type != "while_statement" or loop.named_children[0] != node:
        return None
    around = loop.parent
    if around is not None and around.type == "pipeline" and around.named_children[-1] == loop:
        sources = around.named_children[:-1]
    elif around is not None and around.type == "redirected_statement":
        sources = _substituted(around)
    else:
        return None
    if not names_only(sources):
        return None
    return "words" if _produces(sources[0], _BLANK_FREE) else "lines"


def _substituted(node: Node) -> list[Node]:
    """Return the parts of a pipeline that a statement reads by `< <(…)` alone."""
    if len(node.named_children) != 2 or len(node.named_children[1].named_children) != 1:
        return []
    place = node.named_children[1].named_children[0]
    if place.type != "process_substitution" or place.children[0].type != "<(":
        return []
    parts = place.named_children
    return (
        parts[0].named_children if parts[0].type == "pipeline" else parts if len(parts) == 1 else []
    )


def prints_number(node: Node) -> bool:
    """Whether a command substitution always expands to a number."""
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
    return _is_count(head_of(last), piped=piped)


def _produces(node: Node, programs: frozenset[str]) -> bool:
    """Whether the lines that a command prints begin with no dash."""
    if node.type == "redirected_statement":
        body = node.child_by_field_name("body")
        return body is not None and _produces(body, programs)
    words = head_of(node)
    if not words or words[0] not in programs or not _is_plain(node):
        return False
    if words[0] == "realpath" and any(word.startswith("--rel") for word in words):
        return False
    if words[0] == "seq" and any(not re.fullmatch(r"-?[0-9]+|-w", word) for word in words[1:]):
        return False
    if words[0] == "git":
        return _prints_names(words)
    if words[0] in ("pgrep", "pidof"):
        return not any("$" in word or re.match(r"-(?![fxnoisc]+$)", word) for word in words)
    operands = [word for word in words[1:] if not word.startswith("-")]
    if words[0] in _SEARCHES:
        lists = any(
            word in _NAMES_ONLY or re.fullmatch(r"-[a-zA-Z]*[lL][a-zA-Z]*", word) for word in words
        )
        return (
            not any(
                word.startswith(("--l", "--hyp", "--path-s"))
                for word in words
                if "files" not in word
            )
            and lists
            and len(operands) > 1
            and all(re.match(r"[\w./~]", word) for word in operands[1:])
        )
    if words[0] == "find":
        places = words[1:2]
        return not _FIND_PRINTS & set(words) and all(
            re.match(r"[\w./~]|-[a-z]", word) for word in places
        )
    return True


_FIND_PRINTS: Final = frozenset(["-printf", "-exec", "-execdir", "-ok", "-okdir", "-ls"])


def _is_plain(node: Node) -> bool:
    """Whether all words mean what is written, apart from values in quotes and of variables.

    A word that is put together of parts may be an option that is not seen in the text.
    """
    for child in node.named_children:
        text = text_of(child)
        if child.type in ("simple_expansion", "expansion"):
            before = child.prev_named_sibling
            if before is None or before.type != "command_name":
                return False
        elif (
            (child.type not in _PLAIN_PARTS and not joined(child))
            or re.search(r"\\[\w-]", text)
            or child.type not in ("word", "concatenation")
            and re.match(r"['\"]-", text)
        ):
            return False
        elif child.type == "string" and re.match(r'"[$`]', text):
            before = child.prev_named_sibling
            if before is None or before.type != "command_name" and text_of(before) not in _TESTS:
                return False
    return True


_TESTS: Final = frozenset(
    ["-name", "-iname", "-path", "-ipath", "-l", "-rl", "-e", "-type", "-d", "-f"]
)


def _filters(node: Node) -> bool:
    """Whether a command passes on lines of its input, or a count, and reads no other file."""
    if node.type == "redirected_statement":
        return False
    words = head_of(node)
    if not words or words[0] not in _FILTERS or not _is_plain(node):
        return False
    operands = [word for word in words[1:] if not re.match(r"[-+]?[0-9]+$|-", word)]
    if words[0] in _SEARCHES:
        shows = any(
            re.match(r"-[a-zA-Z]*[oefr]|--(?:only|file|regexp|replace|label|color)", word)
            for word in words[1:]
        )
        return len(operands) == 1 and not shows
    return not operands and not any(word.startswith("--files") for word in words)


def _prints_names(words: list[str]) -> bool:
    """Whether a git command prints only names or hashes, which begin with no dash."""
    rest = [word for word in words[1:] if not word.startswith("-")]
    options = [word for word in words[1:] if word.startswith("-")]
    if rest[:1] != ["rev-parse"] and not all(_GIT_OPTIONS.fullmatch(word) for word in options):
        return False
    if rest[:1] == ["tag"] and any(word.startswith("-n") for word in options):
        return False
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


def _is_count(words: list[str], *, piped: bool) -> bool:
    """Whether a command prints a count only, and no text from its input."""
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
        flags = [word for word in rest if word.startswith("-")]
        counts = any(re.fullmatch(r"--count|-[a-zA-Z]*c[a-zA-Z]*", word) for word in flags)
        mixed = any(not re.fullmatch(r"--count|-[cEFGPiwxvse]+|--", word) for word in flags)
        operands = [word for word in rest if not word.startswith("-")]
        return counts and not mixed and len(operands) <= (1 if piped else 2)
    return False
