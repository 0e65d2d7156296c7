"""The `nagomi` command: reads its arguments, calls one subcommand, and ends with its code.

Nothing heavier than argparse is imported here, so that help and completion are quick; plain
`nagomi`, which opens the workplace, does without the other commands too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Final

from nagomi_tui import __version__
from nagomi_tui.api.verbs import COMMANDS
from nagomi_tui.commands import attach, completion
from nagomi_tui.commands.parser import Parser, add_verb
from nagomi_tui.commands.start import overview
from nagomi_tui.system.console import complain, flush, let_go, tr
from nagomi_tui.system.environment import terminal_width
from nagomi_tui.system.outcome import CommandError, Exit

GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "attach": ("attach",),
    "sessions": (
        "new", "ls", "stop", "restart", "rename", "character", "renumber", "remove",
    ),
    "worktrees": ("worktree",),
    "named": ("up", "down"),
    "talk": ("send", "keys", "wait", "capture"),
    "alerts.register_remind": ("remind",),
    "answer": ("next", "answer", "act", "correct"),
    "history": ("history",),
    "diff": ("diff",),
    "manage": ("detach", "reload", "quit", "uninstall"),
    "hooks": ("hooks", "hook", "event"),
    "judge": ("judge",),
    "answer.register_trace": ("trace",),
    "manage.register_doctor": ("doctor",),
    "help": ("help",),
    "guard": ("guard",),
    "guard.register_todos": ("todos",),
    "mask": ("mask",),
    "hands": ("hands", "setup"),
    "hands.register_copy": ("copy",),
    "alerts.register_sound": ("sound",),
    "characters": ("characters",),
    "agent.register_chat": ("chat",),
    "answer.register_why": ("why",),
    "agent.register_questions": ("ask", "mode"),
    "agent.register_api": ("api",),
    "agent.register_mcp": ("mcp",),
    "completion": ("completion",),
}  # fmt: skip
"""The modules in `nagomi_tui.commands`, in the order of the help, and the commands of each.

Behind a dot stands which function of the module adds them, where that is not `register`."""
PLAIN: Final = tuple(
    name for name in COMMANDS if not any(name in names for names in GROUPS.values())
)
"""The commands that the table of verbs alone describes."""
SYNONYMS: Final = {
    "daic": ("guard",),
    "status": ("ls",),
    "statusline": ("guard", "statusline"),
    "search": ("history",),
    "digest": ("history", "--turns", "--since", "1d"),
}
"""Other words for commands, which no list shows."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; every fault is one sentence on stderr."""
    try:
        return _finished(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        code = int(Exit.INTERRUPTED)
    except BrokenPipeError:
        code = int(Exit.BROKEN_PIPE)
    except CommandError as exc:
        if _debugging():
            raise
        complain(str(exc))
        code = exc.code
    except Exception as exc:
        if _debugging():
            raise
        complain(_unforeseen(exc))
        code = int(Exit.FAILED)
    let_go()
    return code


def _finished(arguments: Sequence[str]) -> int:
    """Run the command and flush its output, while an error of that can still be reported."""
    try:
        code = _run(arguments)
    except SystemExit as end:  # The parser exits after it has printed its own message.
        code = int(end.code or Exit.OK)
    flush()
    return code


def _run(arguments: Sequence[str]) -> int:
    if arguments[:1] in (["event"], ["hook"]) and arguments[1:2] not in (["-h"], ["--help"]):
        # A hook must not fail: wrong arguments would end with 2, which stops an agent.
        from nagomi_tui.commands import hooks

        hooks.event(arguments[1:])
    if completion.VARIABLE in os.environ:
        completion.complete(parser(completion.begun()))
    if not arguments:
        return attach.run()
    if arguments[0] == "worker":
        from nagomi_worker.__main__ import main as serve

        return serve(list(arguments[1:]))
    arguments = _named_here(list(arguments))
    from nagomi_tui.commands import inside

    if arguments[:2] == ["guard", "sessions"]:
        from nagomi_tui.guard.tasks.importing import translated

        arguments = ["guard", *translated(tuple(arguments[2:]))]
    if (code := inside.answered(arguments)) is not None:
        return code
    found = parser(arguments[0]).parse_args(_arranged(list(arguments)))
    return int(found.run(found) or Exit.OK)


def _named_here(arguments: list[str]) -> list[str]:
    """Return the words of a command in place of those that the requirements have for it (F-1)."""
    match arguments:
        case ["setup", option, *rest] if option.startswith("--"):
            from nagomi_tui.agents.registry import AGENTS

            if (agent := option.removeprefix("--")) in AGENTS:
                return ["hooks", "install", "--agent", agent, *rest]
        case [first, *rest] if first in SYNONYMS:
            return [*SYNONYMS[first], *rest]
    return arguments


def _arranged(arguments: list[str]) -> list[str]:
    """Return the arguments as argparse takes them, by the module of their command."""
    for module, names in GROUPS.items():
        if arguments[0] in names:
            arrange = getattr(_module(module), "arrange", None)
            return arrange(arguments) if arrange is not None else arguments
    return arguments


class _Top(Parser):
    """The parser of `nagomi` itself, whose help is also written without one."""

    def format_help(self) -> str:
        return overview.text(terminal_width())


def parser(command: str | None = None) -> Parser:
    """Return the parser of every subcommand, of one, or of their names for any other word.

    To load one command takes a fraction of what all take, and their names need none.
    """
    top = _Top(prog="nagomi", description=overview.description(), epilog=overview.exit_codes())
    top.add_argument("--version", action="version", version=f"nagomi {__version__}")
    top.set_defaults(run=lambda _: attach.run())
    commands = top.add_subparsers(metavar="COMMAND", parser_class=Parser)
    for group, names in GROUPS.items():
        if command is None or command in names:
            getattr(_module(group), group.partition(".")[2] or "register")(commands)
    for name in PLAIN if command is None else {command}.intersection(PLAIN):
        add_verb(commands, name)
    for name, sentence in () if commands.choices else overview.commands():
        commands.add_parser(name, help=sentence)
    return top


def _module(group: str) -> ModuleType:
    return import_module(f"nagomi_tui.commands.{group.partition('.')[0]}")


def _debugging() -> bool:
    return os.environ.get("NAGOMI_DEBUG", "") not in ("", "0")


def _unforeseen(exc: Exception) -> str:
    """Return a sentence for an unexpected exception: the system's message, or its type."""
    if isinstance(exc, OSError) and exc.strerror:
        place = f" ({exc.filename})" if exc.filename else ""
        return tr("the system refused: {reason}{place}.", reason=exc.strerror, place=place)
    return tr(
        "something went wrong: {kind}: {text}. NAGOMI_DEBUG=1 shows where.",
        kind=type(exc).__name__,
        text=exc,
    )
