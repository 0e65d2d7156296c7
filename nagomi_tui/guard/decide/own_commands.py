"""Which shell commands are the guard's own, that an agent may run in any mode, by their exact form.

Such a command is one line of plain or quoted words and nothing else, so that a shell can do no other
thing with it (DB-2). What elevates is none of them, and the commands refuse it to agents themselves.
"""

from __future__ import annotations

import re
from typing import Final

_BARE: Final = r"[\w@./:=+,-]+"
_WORD: Final = rf"(?:{_BARE}|'[^'\n]*'|\"[^\"\\$`!\n]*\")+"
_PIECE: Final = rf"{_BARE}|'([^'\n]*)'|\"([^\"\n]*)\""
_PROGRAMS: Final = ("nagomi", "sessions")
OWN_TOOLS: Final = tuple(f"mcp__nagomi__todos_{verb}" for verb in ("show", "set", "start", "done"))
"""The same as tools of nagomi's MCP server, as clients name them."""
_DISCUSS: Final = ("discussion", "no")


def words_of(command: str) -> tuple[str, ...]:
    """Return the words of a command that a shell would only hand on; none if it could do more."""
    found, at, text = [], 0, command.strip(" ")
    word = re.compile(_WORD)
    while at < len(text):
        match = word.match(text, at)
        if match is None:
            return ()
        found.append(_plain(match[0]))
        at = match.end()
        if at < len(text) and text[at] != " ":
            return ()
        at += len(text[at:]) - len(text[at:].lstrip(" "))
    return tuple(found)


def todo_command(command: str) -> tuple[str, ...]:
    """Return the words behind `nagomi todos` of a command; none if it is another one."""
    words = _own(command)
    return words[2:] if words[:2] == ("nagomi", "todos") else ()


def passes(command: str) -> bool:
    """Tell whether a command is one of those that read, report or go back to discussion."""
    words = _own(command)
    if not words:
        return False
    match [word for word in words[1:] if word != "--json"]:
        case ["todos", "set", *rest] if words[0] == "nagomi":
            return bool(rest)
        case ["todos", "start" | "done", number] if words[0] == "nagomi":
            return number.isascii() and number.isdigit()
        case ["guard", *rest] if words[0] == "nagomi":
            return _reports(rest)
        case rest:
            return words[0] != "nagomi" and _reports(rest)


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


def _plain(word: str) -> str:
    return re.sub(
        _PIECE, lambda found: found[1] or found[2] or (found[0] if _is_bare(found) else ""), word
    )


def _is_bare(found: re.Match[str]) -> bool:
    return found[1] is None and found[2] is None
