"""Sessions as a list: new, ls, stop, restart, rename, renumber, remove."""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, Final

from nagomi_tui.commands import characters
from nagomi_tui.commands.outcome import CommandError, Exit
from nagomi_tui.commands.parser import add, add_json, add_session
from nagomi_tui.commands.resident import ask, carried, named
from nagomi_tui.commands.speech import program, say, say_json, tr

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from nagomi_tui.api.messages import WholeSession
    from nagomi_tui.commands.parser import Commands, Parser
    from nagomi_tui.core.session.session import GuardStanding

_MOST_COLS: Final = 1000
_MOST_ROWS: Final = 500


def register(commands: Commands) -> None:
    """Add the commands of this group."""
    _register_new(commands)
    add_json(add(commands, "ls", show, tr("list the sessions")))
    add_session(add(commands, "stop", stop, tr("end a session and all that it started")))
    again = add(commands, "restart", restart, tr("start a session's command again"))
    again.usage = "nagomi restart [OPTION…] SESSION [--] [CMD…]"
    add_session(again)
    again.add_argument(
        "--fresh", action="store_true", help=tr("an agent begins a new conversation")
    )
    again.add_argument(
        "cmd",
        metavar="CMD",
        nargs="...",
        help=tr("another command; needed where the one before held a secret"),
    )
    namer = add(commands, "rename", rename, tr("give a session another name"))
    add_session(namer)
    namer.add_argument("name", metavar="NAME", help=tr("its new name"))
    add(
        commands,
        "renumber",
        renumber,
        tr("number the sessions 1, 2, 3 … anew, by their order on screen"),
    )
    remover = add(commands, "remove", remove, tr("take an ended session off the list"))
    add_session(remover)
    remover.add_argument(
        "--history", action="store_true", help=tr("remove what is stored of its output, too")
    )


def _register_new(commands: Commands) -> None:
    creator = add(commands, "new", new, tr("start a session"))
    creator.usage = "nagomi new [OPTION…] [--] [CMD…]"
    creator.add_argument("--name", default="", help=tr("its name (default: a telling one)"))
    creator.add_argument("--cwd", default="", help=tr("its folder (default: this one)"))
    creator.add_argument(
        "--env", metavar="K=V", action="append", default=[], help=tr("a variable more")
    )
    creator.add_argument("--agent", default="", help=tr("the agent profile it is judged by"))
    creator.add_argument(
        "--character", default="", help=tr("its character; `nagomi characters` lists them")
    )
    creator.add_argument("--worker", default="local", help=tr("the worker it runs on"))
    creator.add_argument("--size", metavar="COLSxROWS", default="120x30", help=tr("its first size"))
    add_json(creator)
    _add_command(creator)


def _add_command(creator: Parser) -> None:
    creator.add_argument(
        "cmd",
        metavar="CMD",
        nargs="...",
        help=tr("the command; one word alone is a line for the shell (default: your shell)"),
    )


def new(arguments: Namespace) -> None:
    """Start a session, and nagomi where it does not run yet."""
    from nagomi_tui.api.messages import Create

    cols, rows = _size(arguments.size)
    characters.check(arguments.character)
    wanted = Create(
        id=0,
        cmd=_command(arguments.cmd),
        cwd=_folder(arguments.cwd),
        env=dict(_variable(pair) for pair in arguments.env),
        name=carried(arguments.name),
        agent=carried(arguments.agent),
        character=carried(arguments.character),
        worker_id=carried(arguments.worker),
        cols=cols,
        rows=rows,
    )
    made = ask(wanted, start=True)
    if arguments.json:
        say_json(made)
    else:
        say(f"{made.number} {made.name}")


def _command(words: list[str]) -> str:
    """Return the command as one line: several words are quoted, a single one is taken whole.

    No words give an empty line, which means the user's shell.
    """
    import shlex

    if words[:1] == ["--"]:
        words = words[1:]
    if not words:
        return ""
    line = words[0] if len(words) == 1 else shlex.join(words)
    if not line.strip():
        raise CommandError(tr("the command is empty."), Exit.USAGE)
    return carried(line)


def _folder(named: str) -> str:
    """Return the session's folder as a whole path; whether it can be entered is seen later."""
    try:
        return carried(os.path.abspath(os.path.expanduser(named or ".")))
    except FileNotFoundError:
        raise CommandError(tr("the folder you are in does not exist any more.")) from None


def _variable(pair: str) -> tuple[str, str]:
    name, equals, value = pair.partition("=")
    if not (name and equals) or "\0" in pair:
        raise CommandError(
            tr("`--env {pair}` is not of the form NAME=VALUE.", pair=pair), Exit.USAGE
        )
    return carried(name), carried(value)


def _size(text: str) -> tuple[int, int]:
    """Return columns and rows of `120x30`, which have an upper bound."""
    found = re.fullmatch(r"(\d{1,9})x(\d{1,9})", text, re.ASCII)
    cols, rows = (int(number) for number in found.groups()) if found else (0, 0)
    if not (1 <= cols <= _MOST_COLS and 1 <= rows <= _MOST_ROWS):
        raise CommandError(
            tr(
                "the size `{size}` is not COLSxROWS within 1x1 and {cols}x{rows}.",
                size=text,
                cols=_MOST_COLS,
                rows=_MOST_ROWS,
            ),
            Exit.USAGE,
        )
    return cols, rows


def show(arguments: Namespace) -> None:
    """List the sessions; where nagomi does not run there are none."""
    from nagomi_tui.api.messages import ListSessions

    try:
        found = ask(ListSessions(id=0)).sessions
    except CommandError as exc:
        if exc.code != Exit.NOBODY:
            raise
        _miss_residents()
        found = ()
    if arguments.json:
        say_json(found)
    else:
        _say_table(found)


def _miss_residents() -> None:
    """Nothing serves; say so where workers, with their sessions, live on.

    Raises:
        CommandError: they do.
    """
    from nagomi_tui.api.launch import workers_left

    if count := workers_left():
        raise CommandError(
            tr(
                "nagomi is not running, but {count} of its workers are, with their sessions; "
                "`{program}` brings them back.",
                count=count,
                program=program(),
            ),
            Exit.NOBODY,
        )


def _say_table(found: Sequence[WholeSession]) -> None:
    """Print one line for each session: number, name, state, time, guard, folder, command."""
    from nagomi_tui.core.text.text import cells, pad, printable

    widest = max((cells(session.name) for session in found), default=0)
    guards = [guard_words(session.guard) for session in found]
    guarded = max(map(cells, guards), default=0)
    for session, guard in zip(found, guards, strict=True):
        line = (
            f"{session.number:>3}  {pad(session.name, widest)}  {_state(session):<11}"
            f"{_elapsed(session):>8}  {pad(guard, guarded) + '  ' if guarded else ''}"
            f"{session.cwd}  {session.cmd}"
        )
        say(printable(line))


def _state(session: WholeSession) -> str:
    code = session.exit_code
    return str(session.state) if code is None else f"{session.state} {code}"


def guard_words(guard: GuardStanding | None) -> str:
    """Return how a guard stands: its mode, and how many todos are done; nothing without a guard."""
    if guard is None:
        return ""
    words = {"discussion": tr("discuss"), "implementation": tr("implement")}
    mode = tr("unguarded") if guard.bypassed else words.get(guard.mode, guard.mode)
    return f"{mode} {guard.done}/{guard.total}" if guard.total else mode


def _elapsed(session: WholeSession) -> str:
    """Return how long the session has run, or ran."""
    from nagomi_tui.core.text.text import clock

    if session.started_at is None:
        return "-"
    return clock((session.ended_at or time.time()) - session.started_at)


def stop(arguments: Namespace) -> None:
    """End a session's whole process tree."""
    from nagomi_tui.api.messages import Stop

    ask(Stop(id=0, session=named(arguments.session)))


def restart(arguments: Namespace) -> None:
    """Start a session's command again under the same name."""
    from nagomi_tui.api.messages import Restart

    words = arguments.cmd
    # Behind the session argparse takes the option for a part of the command.
    fresh = arguments.fresh or words[:1] == ["--fresh"]
    command = _command(words[words[:1] == ["--fresh"] :])
    ask(Restart(id=0, session=named(arguments.session), cmd=command, fresh=fresh))


def rename(arguments: Namespace) -> None:
    """Give a session another name."""
    from nagomi_tui.api.messages import Rename

    if not arguments.name.strip():
        raise CommandError(tr("the name is empty."), Exit.USAGE)
    ask(Rename(id=0, session=named(arguments.session), name=carried(arguments.name)))


def renumber(arguments: Namespace) -> None:
    """Number all sessions by their order."""
    from nagomi_tui.api.messages import Renumber

    ask(Renumber(id=0))


def remove(arguments: Namespace) -> None:
    """Take an ended session off the list."""
    from nagomi_tui.api.messages import Remove

    ask(Remove(id=0, session=named(arguments.session), history=arguments.history))
