"""`nagomi history`: searches what all sessions printed, ended and removed ones too."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from argparse import Namespace
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from nagomi_tui.api.command_client import ask, named
from nagomi_tui.api.messages import Find
from nagomi_tui.commands.parser import Commands, add_flag, add_json, add_verb, number
from nagomi_tui.judge.verdict import FIXED, State
from nagomi_tui.orchestrator.history import searching
from nagomi_tui.orchestrator.runtime.database import set_aside
from nagomi_tui.sessions.standing import HAS_FAILED, WAS_STOPPED
from nagomi_tui.system.console import complain, failure, say, say_json, tr
from nagomi_tui.system.outcome import CommandError, Exit
from nagomi_tui.system.paths import history_file
from nagomi_tui.text.cells import cells, clock, pad, printable
from nagomi_tui.text.words import LANGUAGES, of

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_FORMS: Final = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d")  # fmt: skip


def register(commands: Commands) -> None:
    searcher = add_verb(commands, "history", history)
    searcher.add_argument(
        "text", metavar="TEXT", nargs="?", default="", help=tr("what to look for (default: all)")
    )
    searcher.add_argument(
        "--session", metavar="SESSION", default="", help=tr("only this one; removed ones by name")
    )
    searcher.add_argument(
        "--since",
        metavar="WHEN",
        default="",
        help=tr("10m, 2h, 3d, 2026-11-20 or 2026-11-20 14:00"),
    )
    searcher.add_argument(
        "--limit",
        metavar="N",
        type=number(int, 1, 1_000_000, tr("number of lines")),
        default=100,
        help=tr("the newest N lines (100)"),
    )
    add_flag(searcher, "--turns", help=tr("list how turns have ended, not what was printed"))
    add_json(searcher)


def history(arguments: Namespace) -> int:
    """Print the lines or turns that fit, oldest first; end with 1 where none does."""
    since = _since(arguments.since)
    found: list[searching.Found] | list[searching.EndedTurn] = []
    stored: Sequence[tuple[str, str]] = ()
    try:
        with searching.opened(history_file()) as connection:
            stored = searching.known(connection)
            sessions = _meant(arguments.session, stored)
            query = searching.Query(arguments.text, sessions, since, limit=arguments.limit)
            found = (searching.turns if arguments.turns else searching.search)(connection, query)
    except FileNotFoundError:
        _meant(arguments.session, [])
    except (sqlite3.Error, OSError) as exc:
        raise failure("the history cannot be read: {reason}.", reason=exc) from exc
    if not found:
        _say_why()
        if stored and arguments.text and not arguments.session:
            _say_session(arguments.text, stored)
    if arguments.json:
        say_json([_plain(one) for one in found])
    elif found:
        _say_all(found)
    return int(Exit.OK if found else Exit.FAILED)


def _say_why() -> None:
    """Say on stderr what may be missing where nothing was found.

    Raises:
        CommandError: the database is damaged, and so tells less than it holds.
    """
    if fault := searching.damage(history_file()):
        raise failure(
            "the history is damaged ({reason}); a new one begins when nagomi meets it.",
            reason=fault,
        )
    if aside := set_aside(history_file()):
        complain(tr("an older history was damaged; it is kept as {path}.", path=aside[-1]))


def _say_session(text: str, stored: Sequence[tuple[str, str]]) -> None:
    """Say on stderr how a session's history is asked for, if a session was named as the text."""
    with suppress(CommandError):
        _meant(text, stored)
        sentence = tr(
            "no line holds `{text}`; all that the session printed: nagomi history --session {text}",
            text=text,
        )
        complain(sentence)


def _since(text: str) -> float:
    """Return the moment that `--since` names, in seconds since the epoch."""
    text = text.strip()
    if not text:
        return 0.0
    if ago := re.fullmatch(r"([0-9]{1,9})([smhdw])", text):
        return time.time() - int(ago[1]) * _UNITS[ago[2]]
    if clock := re.fullmatch(r"([01]?[0-9]|2[0-3]):([0-5][0-9])", text):
        today = time.localtime()
        return time.mktime((*today[:3], int(clock[1]), int(clock[2]), 0, 0, 0, -1))
    for form in _FORMS:
        try:
            return time.mktime(time.strptime(text, form))
        except (ValueError, OverflowError):
            continue
    raise failure(
        "`--since {text}` is no time; 10m, 2h, 3d or 2026-11-20 14:00 are.", Exit.USAGE, text=text
    )


def _meant(wanted: str, stored: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return the ids of the sessions that are meant: one that is listed, or those so called."""
    if not wanted:
        return ()
    try:
        return (ask(Find(id=0, session=named(wanted))).session_id,)
    except CommandError as exc:
        if exc.code not in (Exit.NOBODY, Exit.NO_SESSION):
            raise
    if found := searching.meant(stored, wanted):
        return found
    raise failure("of a session `{text}` nothing is stored.", Exit.NO_SESSION, text=wanted)


def _plain(one: searching.Found | searching.EndedTurn) -> dict[str, Any]:
    plain = one._asdict()
    if "verdict" in plain:
        plain["verdict"] = json.loads(plain["verdict"])
    elif not plain["gap"]:
        del plain["gap"]
    return plain


def _say_all(found: Sequence[searching.Found] | Sequence[searching.EndedTurn]) -> None:
    """Print time, session, and the line or how the turn has ended."""
    rows = [_row(one) for one in found]
    widths = [min(20, max(map(cells, column))) for column in zip(*rows, strict=True)][:-1]
    for *cut, text in rows:
        columns = [pad(printable(cell), width) for cell, width in zip(cut, widths, strict=True)]
        line = "  ".join([*columns, printable(text)])
        say(line)


def _row(one: searching.Found | searching.EndedTurn) -> tuple[str, ...]:
    """Return time, session and line, or time, session, badge, length and summary.

    Lines that were not kept are said in their place.
    """
    if isinstance(one, searching.Found):
        text = tr("… lines that were not kept: {count}", count=one.gap) if one.gap else one.line
        return _when(one.at), one.session, text
    verdict = json.loads(one.verdict)
    state = State(verdict["state"])
    badge = tr(state.condition.word)
    took = "" if one.started is None else clock(one.ended - one.started)
    return _when(one.ended), one.session, badge, took, _summary(verdict["summary"])


def _summary(summary: str) -> str:
    """Return a stored summary; a fixed one was stored in the language of that time."""
    for language in LANGUAGES:
        for fixed in (*FIXED, WAS_STOPPED, HAS_FAILED):
            said = re.escape(of(language).gettext(fixed)).replace(r"\{code\}", r"(?P<code>[^()]*)")
            if found := re.fullmatch(said, summary):
                return tr(fixed, **found.groupdict())
    return summary


def _when(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
