"""Programs with subcommands, of which some only read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from nagomi_tui.guard.shell import options
from nagomi_tui.guard.shell.options import Options
from nagomi_tui.guard.shell.verdict import Writes

if TYPE_CHECKING:
    from nagomi_tui.guard.shell.programs.interface import Analyser, Check
    from nagomi_tui.guard.shell.words import Word


class Tool(NamedTuple):
    """What is known of a program with subcommands; lists are separated by spaces.

    Options before the subcommand are only allowed if it is known whether they take a value, as
    otherwise a value could be taken for the subcommand.
    """

    commands: dict[str, Options]
    """The options of each subcommand, by its words; "" is the program without a subcommand."""
    before: str = ""
    """The options before the subcommand, written as in `Options.known`."""
    always: str = ""
    """The options behind every subcommand, likewise."""
    alone: str = "--version --help -V -h"
    """Options that only read if they are the only argument."""


def plain(names: str, *shared: Options) -> dict[str, Options]:
    """Return subcommands, separated by commas in `names`, that share the same options."""
    known = shared[0] if shared else Options()
    return {name.strip(): known for name in names.split(",")}


def see(name: str, words: list[Word], tool: Tool) -> tuple[str, list[Word]]:
    """Check that a subcommand only reads; return its name and its arguments.

    Raises:
        Writes: the subcommand may do more.
    """
    if len(words) == 1 and words[0].text in tool.alone.split():
        return "", []
    rest = without_flags(words, tool)
    named = []
    for word in rest[:4]:
        if word.splits or not word.known or word.text.startswith("-"):
            break
        named.append(word.text)
    for count in range(len(named), -1, -1):
        command = " ".join(named[:count])
        if command in tool.commands and (count or not rest):
            title = f"{name} {command}".strip()
            options.check(title, rest[count:], tool.commands[command].also(tool.always))
            return command, rest[count:]
    at = rest[0].at if rest else 0
    raise Writes(f"{' '.join([name, *named[:2]])} is not known to only read", at)


def without_flags(words: list[Word], tool: Tool) -> list[Word]:
    """Return the words without the options before the subcommand.

    Raises:
        Writes: such an option is not known.
    """
    known = options.arities(tool.before)
    rest = list(words)
    while rest and rest[0].text.startswith("-"):
        word = rest.pop(0)
        name, sign, _ = word.text.partition("=")
        arity = known.get(name)
        if arity is None or word.splits or sign and not arity:
            raise Writes(f"an option before the command that is not known ({name})", word.at)
        if arity.startswith("=") and not sign:
            value = rest.pop(0) if rest else None
            if value is None or value.splits or value.text[:1] == "-":
                raise Writes(f"{name} with a value that is not known", word.at)
    return rest


def checks(tools: dict[str, Tool]) -> dict[str, Check]:
    """Return a check for each of these programs."""

    def check(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
        try:
            see(name, words, tools[name])
        except Writes as found:
            raise Writes(found.reason, found.at or head.at) from None

    return dict.fromkeys(tools, check)
