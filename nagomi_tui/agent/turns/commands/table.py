"""The table of slash commands, and the parsing of a line that begins with `/`."""

from __future__ import annotations

import unicodedata
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from nagomi_tui.agent.talk.events import Reply
from nagomi_tui.agent.talk.interface import TalkFault
from nagomi_tui.agent.turns.commands import conversations, model, work
from nagomi_tui.agent.turns.commands.desk import Desk
from nagomi_tui.core.text.nearest_name import nearest_name
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.words import Words

Run: TypeAlias = Callable[[Desk, str], Awaitable[Reply]]


class Command(msgspec.Struct, frozen=True):
    """A slash command: its name, its arguments, a sentence for the help, and its function."""

    name: str
    takes: str
    sentence: str
    run: Run

    @property
    def usage(self) -> str:
        """The command as it is typed, with its arguments."""
        return f"/{self.name} {self.takes}".rstrip()


def is_command(line: str) -> bool:
    """Tell whether a line is a slash command, known or not; a path like `/etc/hosts` is not."""
    name, _ = _split(line)
    return name.startswith("/") and "/" not in name[1:] and "\n" not in line.strip()


def is_end(line: str) -> bool:
    """Tell whether a line is one of the bare words that end the program (SB-21)."""
    name, argument = _split(line)
    return not argument and name.casefold() in ("quit", "exit")


async def answer(desk: Desk, line: str) -> Reply:
    """Carry out a line for which `is_command` holds; a fault becomes the answer's only line."""
    name, argument = _split(line)
    command = _BY_NAME.get(name[1:].casefold())
    if command is None:
        return Reply(lines=(unknown(desk.words, name[1:]),), failed=True)
    try:
        return await command.run(desk, argument)
    except TalkFault as exc:
        return Reply(lines=(str(exc),), failed=True)


def unknown(words: Words, name: str) -> str:
    """Return the sentence for an unknown command, which names the nearest one (SB-21)."""
    if near := nearest_name(name.casefold(), _BY_NAME, likeness=0.5):
        return words.say(
            "There is no command /{name}. Was /{near} meant? /help lists all.",
            name=name,
            near=near,
        )
    return words.say("There is no command /{name}; /help lists all.", name=name)


def _split(line: str) -> tuple[str, str]:
    """Return the first word with full-width letters made ASCII (WB-5), and the rest unchanged."""
    name, *rest = line.split(maxsplit=1) or [""]
    return unicodedata.normalize("NFKC", name), "".join(rest).strip()


async def _help(desk: Desk, argument: str) -> Reply:
    """List the commands in two columns."""
    width = max(len(command.usage) for command in _SHOWN)
    say = desk.words.gettext
    return Reply(
        lines=tuple(f"  {command.usage:<{width}}  {say(command.sentence)}" for command in _SHOWN)
    )


async def _leave(desk: Desk, argument: str) -> Reply:
    return Reply(ends=True)


COMMANDS: Final = (
    Command("new", "[LABEL]", translatable("begin another conversation"), conversations.new),
    Command(
        "list", "", translatable("list the conversations, the latest first"), conversations.list_all
    ),
    Command(
        "switch",
        "NAME",
        translatable("go to a conversation, by the beginning of its id or label"),
        conversations.switch,
    ),
    Command(
        "context",
        "[--show]",
        translatable("how full the model's window is; --show: what would be sent"),
        model.context,
    ),
    Command("compact", "", translatable("have the older half summed up"), model.compact),
    Command(
        "work",
        "[N|status|off]",
        translatable("work mode for N turns (8), how many are left, or off"),
        work.work,
    ),
    Command("normal", "", translatable("work mode off"), work.normal),
    Command(
        "mode",
        "[MODE]",
        translatable("the agent mode: calm, reserved or autonomous"),
        work.mode,
    ),
    Command("tools", "", translatable("what the model may use"), model.tools),
    Command("model", "[NAME]", translatable("show the model, or ask another one"), model.model),
    Command("cost", "", translatable("tokens and cost so far"), model.cost),
    Command(
        "export",
        "[FILE]",
        translatable("the conversation as Markdown, shown or into a file"),
        conversations.export,
    ),
    Command("retry", "", translatable("say the latest message again"), conversations.retry),
    Command("help", "", translatable("this list"), _help),
    Command("quit", "", translatable("end; so do quit, exit and Ctrl+D"), _leave),
    Command("exit", "", translatable("end; so do quit, exit and Ctrl+D"), _leave),
)
"""All commands, in the order of the help."""

_SHOWN: Final = tuple(command for command in COMMANDS if command.name != "exit")
_BY_NAME: Final = {command.name: command for command in COMMANDS}
