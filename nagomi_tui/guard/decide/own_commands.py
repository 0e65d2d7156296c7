"""Which shell commands are the guard's own, that an agent may run in any mode, by their exact form.

Such a command is one line of plain or quoted words and nothing else, so that a shell can do no other
thing with it (DB-2). What elevates is none of them, and the commands refuse it to agents themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_WORD: Final = r"(?:[\w@./:=+,-]|'[^'\n]*'|\"[^\"\\$`!\n]*\")+"
_WORDS: Final = re.compile(f"{_WORD}(?: +{_WORD})*")
_PROGRAMS: Final = ("nagomi", "sessions")
OWN_TOOLS: Final = tuple(f"mcp__nagomi__todos_{verb}" for verb in ("show", "set", "start", "done"))
"""The commands on todos as tools of nagomi's MCP server, as clients name them."""
_DISCUSS: Final = ("discussion", "no")
_PARTS: Final = ("show", "task", "todos", "flags", "mode")


def words_of(command: str) -> tuple[str, ...]:
    """Return the words of a command that a shell would only hand on; none if it could do more."""
    text = command.strip(" ")
    if _WORDS.fullmatch(text) is None:
        return ()
    import shlex

    return tuple(shlex.split(text))


def todo_command(command: str) -> tuple[str, ...]:
    """Return the words behind `nagomi todos` of a command; none if it is another one."""
    words = _own(command)
    return words[2:] if words[:2] == ("nagomi", "todos") else ()


def passes(command: str) -> bool:
    """Tell whether a command is one of those that read, report or go back to discussion."""
    words = _own(command)
    if not words:
        return False
    rest = _plain_words(words[1:])
    return _is_report(rest) if words[0] == "nagomi" else _reports(rest)


def is_answered_outside(arguments: Sequence[str]) -> bool:
    """Tell whether a command of nagomi's in a strict session is run outside of it.

    Those are the ones that an agent may run in any mode, and others that tell how the guard stands.
    """
    words = _plain_words(arguments)
    if _is_report(words):
        return True
    match words:
        case ["todos"] | ["todos", "show"] | ["guard", "mode" | "flags" | "todos" | "statusline"]:
            return True
        case (
            ["guard", "flags" | "todos" | "tasks", "show" | "list"]
            | ["guard", "todos", "clear"]
            | ["guard", "tasks" | "protocol"]
        ):
            return True
        case ["guard", "state", *parts]:
            return all(part in _PARTS for part in parts)
        case ["guard", "config", *rest] if len(rest) <= 2:
            return not rest or rest[-1] in ("show", "list", "validate")
        case _:
            return False


def _plain_words(arguments: Sequence[str]) -> list[str]:
    return [word for word in arguments if word != "--json"]


def _is_report(words: list[str]) -> bool:
    match words:
        case ["todos", "set", *rest]:
            return bool(rest)
        case ["todos", "start" | "done", number]:
            return number.isascii() and number.isdigit()
        case ["guard", *rest]:
            return _reports(rest)
        case _:
            return False


def _own(command: str) -> tuple[str, ...]:
    """Return the words of a command of ours; none of others, which are not even taken apart."""
    if not command.lstrip(" ").startswith(_PROGRAMS):
        return ()
    words = words_of(command)
    return words if words and words[0] in _PROGRAMS else ()


def _reports(words: list[str]) -> bool:
    match words:
        case ["mode", mode] | ["state", "mode", mode]:
            return mode in _DISCUSS
        case ["protocol", "startup-load", file]:
            return bool(file)
        case ["kickstart", "next"]:
            return True
        case _:
            return False
