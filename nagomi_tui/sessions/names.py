"""How sessions are called, and which one a user means."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from nagomi_tui.sessions.session import Session
from nagomi_tui.text.cells import printable

NAME_LENGTH: Final = 60
_WORDS_BEFORE: Final = frozenset({"env", "exec", "sudo", "nohup", "time", "nice", "command"})
_ASSIGNMENT: Final = re.compile(r"\w+=")
_INTERPRETER: Final = re.compile(r"python[\d.]*")
_SHORT_ID: Final = 8


class Found(msgspec.Struct, frozen=True):
    """Who was meant: one session, several candidates, or nobody with the nearest names."""

    session: Session | None = None
    candidates: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()


def propose(*, cwd: str, cmd: str, session_id: str, taken: Collection[str]) -> str:
    """Return a telling name such as `repo-agent` that is not taken (N-59 where none is told)."""
    parts = (_last_part(cwd), _program(cmd))
    told = tidy("-".join(part for part in parts if part))
    return unique(told or f"つくり-{session_id[:_SHORT_ID]}", taken)


def unique(name: str, taken: Collection[str]) -> str:
    """Return the name, with `-2`, `-3` … behind it where it is taken."""
    if name not in taken:
        return name
    number = 2
    while f"{name}-{number}" in taken:
        number += 1
    return f"{name}-{number}"


def tidy(name: str) -> str:
    """Return the name on one line, of characters that can be seen, at most 60 of them."""
    return " ".join(printable(name).split())[:NAME_LENGTH]


def find(sessions: Sequence[Session], text: str) -> Found:
    """Return the session meant by a number, an id, a name, or a unique prefix of those."""
    wanted = text.strip()
    for matches in (
        [s for s in sessions if s.session_id == wanted],
        [s for s in sessions if s.name == wanted],
        [s for s in sessions if str(s.number) == wanted],
        [s for s in sessions if s.name.lower() == wanted.lower()],
        [s for s in sessions if _has_prefix(s, wanted)],
    ):
        if len(matches) == 1:
            return Found(matches[0])
        if matches:
            return Found(candidates=tuple(s.name for s in matches))
    names = [s.name for s in sessions]
    return Found(nearest=tuple(difflib.get_close_matches(wanted, names, n=3, cutoff=0.4)))


def _has_prefix(session: Session, wanted: str) -> bool:
    if not wanted:
        return False
    lower = wanted.lower()
    return session.name.lower().startswith(lower) or (
        len(wanted) >= 4 and session.session_id.startswith(lower)
    )


def _last_part(path: str) -> str:
    return tidy(path.rstrip("/\\").replace("\\", "/").rpartition("/")[2])


def _program(cmd: str) -> str:
    """Return the name of the program that a command line starts, or of what an interpreter runs."""
    words = cmd.split()
    for at, word in enumerate(words):
        if _ASSIGNMENT.match(word) or word in _WORDS_BEFORE:
            continue
        name = tidy(_last_part(word.strip("\"'"))).lstrip("-")
        return (_run_by(words[at + 1 :]) or name) if _INTERPRETER.fullmatch(name) else name
    return ""


def _run_by(words: Sequence[str]) -> str:
    """Return the module or script that Python is told to run, without its extension."""
    if words[:1] == ["-m"] and len(words) > 1:
        return tidy(words[1].strip("\"'"))
    script = _last_part(words[0].strip("\"'")) if words else ""
    return script.removesuffix(".py") if script.endswith(".py") else ""
