"""`nagomi new`, `ls`, `stop`, `restart`, `rename`, `renumber` and `remove`."""

from __future__ import annotations

import os
import re
import sys
from argparse import SUPPRESS, Namespace
from typing import TYPE_CHECKING, Final

from nagomi_tui.api.command_client import ask, ask_if_served, carried
from nagomi_tui.api.verbs import COMMANDS
from nagomi_tui.commands import characters, new_worktree, parser, where
from nagomi_tui.system.console import complain, failure, program, say, say_json, spoken, tr, write
from nagomi_tui.system.environment import terminal_size, terminal_width
from nagomi_tui.system.outcome import CommandError, Exit

if TYPE_CHECKING:
    from nagomi_tui.api.messages import SessionNamed

_MOST_COLS: Final = 1000
_MOST_ROWS: Final = 500
_NO_TERMINAL: Final = (120, 30)
"""Columns and rows of a session that is started where no terminal is."""
_BEST: Final = "auto"
"""The guard that is meant where none is named: `strict` where the kernel can hold a project."""
GUARDS: Final = (_BEST, "strict", "hook")
LOCAL: Final = "local"


def register(commands: parser.Commands) -> None:
    _register_new(commands)
    lister = parser.add_verb(commands, "ls", show)
    lister.add_argument(
        "--worker",
        metavar="HAND",
        default="",
        help=tr("only those on this hand, or `local`; `nagomi hands` lists them"),
    )
    where.add_option(lister)
    parser.add_json(lister)
    where.add_selection(parser.add_verb(commands, "stop", stop))
    again = parser.add_verb(commands, "restart", restart)
    again.usage = "nagomi restart [OPTION…] SESSION… [-- CMD…]"
    parser.add_session(again, nargs="?", default="")
    where.add_groups(again)
    parser.add_flag(again, "--fresh", help=tr("an agent begins a new conversation"))
    parser.add_flag(again, "--literally", help=SUPPRESS)
    again.add_argument(
        "cmd",
        metavar="CMD",
        nargs="...",
        help=tr(
            "another command, needed where the one before held a secret; words that all name "
            "sessions without `--` before them are further ones"
        ),
    )
    parser.add_verb(commands, "rename", rename)
    parser.add_verb(commands, "character", character)
    parser.add_verb(commands, "renumber")
    remover = parser.add_verb(commands, "remove", remove)
    where.add_selection(remover)
    parser.add_flag(remover, "--history", help=tr("remove what is stored of its output, too"))


def _register_new(commands: parser.Commands) -> None:
    creator = parser.add_verb(commands, "new", new)
    creator.usage = "nagomi new [OPTION…] [--] [CMD…]"
    creator.add_argument("--cwd", default="", help=tr("its folder (default: this one)"))
    creator.add_argument(
        "--worker",
        metavar="HAND",
        default="",
        help=tr(
            "the hand it runs on, or `local`; `nagomi hands` lists them (default: as its folder has it)"
        ),
    )
    new_worktree.add_options(creator)
    add_options(creator)


def add_options(creator: parser.Parser) -> None:
    """Add what any command takes that starts a session."""
    creator.add_argument("--name", default="", help=tr("its name (default: a telling one)"))
    creator.add_argument(
        "--env", metavar="K=V", action="append", default=[], help=tr("a variable more")
    )
    creator.add_argument("--agent", default="", help=tr("the agent profile it is judged by"))
    creator.add_argument(
        "--character", default="", help=tr("its character; `nagomi characters` lists them")
    )
    creator.add_argument(
        "--guard",
        nargs="?",
        const=_BEST,
        choices=GUARDS,
        help=tr(
            "its agent discusses before it writes (not on a hand): by the kernel (`strict`) where that is to be "
            "had, else by the agent's hook (`hook`)"
        ),
    )
    creator.add_argument(
        "--size",
        metavar="COLSxROWS",
        default="",
        help=tr("its first size (default: that of this terminal, or 120x30 without one)"),
    )
    parser.add_json(creator)
    _add_command(creator)


def _add_command(creator: parser.Parser) -> None:
    creator.add_argument(
        "cmd",
        metavar="CMD",
        nargs="...",
        help=tr("the command; one word alone is a line for the shell (default: your shell)"),
    )


def new(arguments: Namespace) -> None:
    """Start a session, and nagomi where it does not run yet."""
    import msgspec

    if (made := begin(arguments)) is None:
        return
    begun, worktree = made
    if arguments.json:
        say_json({**msgspec.to_builtins(begun), **({"worktree": worktree} if worktree else {})})
    else:
        say(f"{begun.number} {begun.name}")


def begin(arguments: Namespace) -> tuple[SessionNamed, str] | None:
    """Start a session, and return it with the folder in a worktree that was made for it, if one was.

    Return None where it was only to be said what would be made.

    Raises:
        CommandError: it cannot be started.
    """
    from nagomi_tui.api.messages import Create

    cols, rows = _size(arguments.size) if arguments.size else _size_here()
    characters.check(arguments.character)
    worker, folder = _place(carried(arguments.worker), arguments.cwd)
    command = _command(arguments.cmd, here=worker in ("", LOCAL))
    guard = _guard(arguments.guard)
    name = carried(arguments.name)
    if in_worktree := new_worktree.check_options(arguments):
        if worker != LOCAL:
            raise failure("worktrees are made on this machine only, not on a hand.", Exit.USAGE)
        if (made := new_worktree.in_worktree(arguments, folder)) is None:
            return None
        folder, name = carried(str(made.cwd)), name or made.branch
    if guard and worker == LOCAL:
        _ask_for_hooks(command, folder, must="hook" in guard.values())
    wanted = Create(
        id=0,
        cmd=command,
        cwd=folder,
        env=dict(_variable(pair) for pair in arguments.env) | guard,
        name=name,
        agent=carried(arguments.agent),
        character=carried(arguments.character),
        worker_id=worker,
        cols=cols,
        rows=rows,
    )
    try:
        begun = ask(wanted, start=True)
    except CommandError:
        if in_worktree:
            complain(tr("The worktree {folder} was made, and stays.", folder=folder))
        raise
    return begun, folder if in_worktree else ""


def _ask_for_hooks(command: str, folder: str, *, must: bool) -> None:
    """Have hooks written into the project for agents that are started in a shell, unless they are there.

    An agent itself is given them at its start. In strict mode nothing `must` have them: the kernel
    holds the project all the same.

    Raises:
        CommandError: the user does not want that, or cannot be asked.
    """
    from nagomi_tui.agents.registry import GUARDED
    from nagomi_tui.agents.resume import agent_of
    from nagomi_tui.commands.guard.install import write_hooks
    from nagomi_tui.guard.install.hooks import guarded_in

    if agent_of(command) in GUARDED or guarded_in(folder):
        return
    can_ask = sys.stdin is not None and sys.stdin.isatty()
    if not (can_ask or must):
        return
    if not can_ask:
        raise failure(
            "no agent that is started in {folder} is guarded; `nagomi guard install` there begins that.",
            folder=folder,
        )
    say(tr("An agent that is started in a shell reads its hooks from the settings in its folder."))
    if not write_hooks(folder) and must:
        raise failure("nothing guards that folder, and nothing was started.")


def _guard(way: str | None) -> dict[str, str]:
    """Return the variable by which a session asks for its guard."""
    from nagomi_tui.sessions.session import GUARD

    if way == _BEST:
        way = _best_guard()
    return {GUARD: way} if way else {}


def _best_guard() -> str:
    """Return `strict` where the kernel can hold a project; else `hook`, and say why."""
    import subprocess

    from nagomi_tui.guard.install.fitness import probed
    from nagomi_tui.text.words import Said

    try:
        refused = probed()
    except (OSError, subprocess.SubprocessError) as exc:
        refused = Said("{fault}", {"fault": exc})
    if refused is None:
        return "strict"
    reason = tr(refused.message, **refused.values)
    complain(
        tr(
            "the kernel cannot hold this project, so the agent's hook alone guards it, which stops "
            "mistakes and not an agent that tries. {reason}",
            reason=reason,
        )
    )
    return "hook"


def arrange(arguments: list[str]) -> list[str]:
    """Write the arguments so that argparse tells all of them apart.

    It would take the command behind `--guard` or `--worktree --` for its value, and drops the `--`
    before a command.
    """
    if arguments[:1] == ["restart"] and "--" in arguments:
        return ["restart", "--literally", *arguments[1:]]
    if arguments[:1] != ["new"] and arguments[:2] != ["worktree", "open"]:
        return arguments
    end = arguments.index("--") if "--" in arguments else len(arguments)
    found = list(arguments)
    for at in range(1, end):
        follows = (arguments[at + 1 : at + 2] or ["--"])[0]
        if arguments[at] == "--guard" and follows not in GUARDS:
            found[at] = f"--guard={_BEST}"
        if arguments[at] == "--worktree" and follows.startswith("-"):
            found[at] = "--worktree="
    return found


def _command(words: list[str], *, here: bool = True) -> str:
    """Return the command as one line: several words are quoted, a single one is taken whole.

    They are quoted as this machine or, unless it runs `here`, a POSIX one reads them. No words give
    an empty line, which means the user's shell.
    """
    import shlex

    from nagomi_tui.system.environment import line_of

    if words[:1] == ["--"]:
        words = words[1:]
    if not words:
        return ""
    quoted = line_of if here else shlex.join
    line = words[0] if len(words) == 1 else quoted(words)
    if not line.strip():
        raise failure("the command is empty.", Exit.USAGE)
    return carried(line)


def _place(worker: str, named: str) -> tuple[str, str]:
    """Return the worker of a session, which its folder may have, and its folder there."""
    from nagomi_tui.hands import registry
    from nagomi_tui.hands.hand import BadHand
    from nagomi_tui.sessions.places import HandFolders, beginning_of

    if worker not in ("", LOCAL):
        return worker, _far_folder(named)
    folder = _folder(named)
    if not worker:
        try:
            known = registry.load().all
        except BadHand as exc:
            complain(tr(exc.message, **exc.values))
            known = ()
        hands = [HandFolders(one.name, one.kind, one.folders) for one in known]
        if found := beginning_of(folder, hands):
            return found.hand, found.folder
    return LOCAL, folder


def _folder(named: str) -> str:
    """Return the session's folder as a whole path; whether it can be entered is seen later."""
    try:
        return carried(os.path.abspath(os.path.expanduser(named or ".")))
    except FileNotFoundError:
        raise failure("the folder you are in does not exist any more.") from None


def _far_folder(named: str) -> str:
    """Return a folder on a hand, whose paths are not this machine's; nothing for the hand's own."""
    if named.startswith(("/", "~")) or not named:
        return carried(named)
    return carried(f"~/{named}")


def _variable(pair: str) -> tuple[str, str]:
    name, equals, value = pair.partition("=")
    if not (name and equals) or "\0" in pair:
        raise failure("`--env {pair}` is not of the form NAME=VALUE.", Exit.USAGE, pair=pair)
    return carried(name), carried(value)


def _size_here() -> tuple[int, int]:
    """Return columns and rows of the terminal that the command is typed into, if there is one."""
    size = terminal_size()
    if size is None or not all(size):
        return _NO_TERMINAL
    return min(size.columns, _MOST_COLS), min(size.lines, _MOST_ROWS)


def _size(text: str) -> tuple[int, int]:
    """Return columns and rows of `120x30`, which have an upper bound."""
    found = re.fullmatch(r"(\d{1,9})x(\d{1,9})", text, re.ASCII)
    cols, rows = (int(number) for number in found.groups()) if found else (0, 0)
    if not (1 <= cols <= _MOST_COLS and 1 <= rows <= _MOST_ROWS):
        raise failure(
            "the size `{size}` is not COLSxROWS within 1x1 and {cols}x{rows}.",
            Exit.USAGE,
            size=text,
            cols=_MOST_COLS,
            rows=_MOST_ROWS,
        )
    return cols, rows


def show(arguments: Namespace) -> None:
    """List the sessions; where nagomi does not run there are none."""
    from nagomi_tui.api.messages import ListSessions

    if (served := ask_if_served(ListSessions(id=0))) is None:
        _miss_residents()
    on_hand = [f"on:{arguments.worker}"] if arguments.worker else []
    found = where.filtered(served.sessions if served else (), [*on_hand, *arguments.where])
    if arguments.json:
        say_json(found)
    else:
        from nagomi_tui.api.printing import table

        width = terminal_width() if os.isatty(1) else 0
        write(table(found, spoken(), width=width, home=os.path.expanduser("~")))


def _miss_residents() -> None:
    """Nothing serves; say so where workers, with their sessions, live on.

    Raises:
        CommandError: they do.
    """
    from nagomi_tui.api.launch import workers_left

    if count := workers_left():
        raise failure(
            "nagomi is not running, but {count} of its workers are, with their sessions; "
            "`{program}` brings them back.",
            Exit.NOBODY,
            count=count,
            program=program(),
        )


def stop(arguments: Namespace) -> int:
    """End the whole process tree of one or more sessions."""
    from nagomi_tui.api.messages import Stop

    return where.each(arguments, lambda session: ask(Stop(id=0, session=session)))


def restart(arguments: Namespace) -> int:
    """Start the command of one or more sessions again under the same name."""
    from nagomi_tui.api.messages import Restart

    words = arguments.cmd
    # Behind the session argparse takes the option for a part of the command.
    fresh = arguments.fresh or words[:1] == ["--fresh"]
    words = words[words[:1] == ["--fresh"] :]
    if not arguments.literally and words and all(map(where.is_session, words)):
        arguments.session, words = [arguments.session, *words], []
    command = _command(words)
    return where.each(
        arguments, lambda one: ask(Restart(id=0, session=one, cmd=command, fresh=fresh))
    )


def rename(arguments: Namespace) -> None:
    """Give a session another name."""
    if not arguments.name.strip():
        raise failure("the name is empty.", Exit.USAGE)
    parser.make_request(COMMANDS["rename"], arguments)


def character(arguments: Namespace) -> None:
    """Give a session another character."""
    characters.check(arguments.character)
    parser.make_request(COMMANDS["character"], arguments)


def remove(arguments: Namespace) -> int:
    """Take one or more ended sessions off the list."""
    from nagomi_tui.api.messages import Remove

    return where.each(
        arguments, lambda one: ask(Remove(id=0, session=one, history=arguments.history))
    )
