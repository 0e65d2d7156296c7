"""`nagomi remind`: sets reminders, lists them, and cancels them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from nagomi_tui.api.command_client import ask, carried, named
from nagomi_tui.commands.parser import add_json, add_verb
from nagomi_tui.system.console import say, say_json, tr
from nagomi_tui.system.outcome import CommandError, Exit
from nagomi_tui.text.words import translatable

if TYPE_CHECKING:
    from argparse import Namespace

    from nagomi_tui.commands.parser import Commands

_EXAMPLES: Final = translatable(
    "`{words}` begins with neither a time nor something that a session comes to. Say for example "
    '`nagomi remind 20m "stretch"`, `nagomi remind at 17:00 "look at 3"`, '
    '`nagomi remind when 3 fails "look why"`, `nagomi remind when 3 fails twice`, '
    "`nagomi remind when 3 is done`, `… asks`, `… ends`, `… is quiet for 5m` or `… says REGEX`."
)


def register(commands: Commands) -> None:
    """Add the command."""
    parser = add_verb(commands, "remind", remind)
    parser.add_argument(
        "words",
        metavar="WHEN … TEXT",
        nargs="*",
        help=tr(
            "`20m`, `at 17:00`, `tomorrow 9:00`, `when 3 fails` (twice, 3 times), `succeeds`, "
            "`is done`, `asks`, `ends`, `is idle`, `is quiet for 5m` or `says REGEX`; then what you "
            "want to be told. `list` and `cancel N` do as the options; without anything: list"
        ),
    )
    parser.add_argument("--list", action="store_true", help=tr("list what is open"))
    parser.add_argument(
        "--cancel", metavar="N", action="append", type=int, help=tr("drop reminder N")
    )
    add_json(parser)


def remind(arguments: Namespace) -> int:
    """Set a reminder, list them, or cancel some."""
    words: list[str] = [carried(word) for word in arguments.words]
    if arguments.cancel or words[:1] == ["cancel"]:
        return _cancel([*(arguments.cancel or ()), *map(_number, words[1:])])
    if arguments.list or words in ([], ["list"]):
        return _list(as_json=arguments.json)
    return _set([named(word) if word == "." else word for word in words], as_json=arguments.json)


def _set(words: list[str], *, as_json: bool) -> int:
    from nagomi_tui.api.messages import Remind
    from nagomi_tui.sessions.reminding import WORDS_LIMIT, BadWhen, split

    try:
        when, told = split(words, time.time())
    except BadWhen as exc:
        raise CommandError(tr(_EXAMPLES, words=" ".join(words)), Exit.USAGE) from exc
    if len(told) > WORDS_LIMIT:
        sentence = tr("a reminder has at most {count} characters.", count=WORDS_LIMIT)
        raise CommandError(sentence, Exit.USAGE)
    found = ask(Remind(id=0, when=when, words=told))
    if as_json:
        say_json(found)
    else:
        say(tr("Reminder {said}", said=found.said))
    return int(Exit.OK)


def _list(*, as_json: bool) -> int:
    from nagomi_tui.api.messages import ListReminders

    found = ask(ListReminders(id=0))
    if as_json:
        say_json(found)
        return int(Exit.OK)
    for one in found.open:
        say(one.said)
    if not found.open:
        say(tr('No reminder is open. `nagomi remind 20m "stretch"` sets one.'))
    return int(Exit.OK)


def _cancel(numbers: list[int]) -> int:
    from nagomi_tui.api.messages import CancelReminder

    if not numbers:
        raise CommandError(tr("which one? `nagomi remind list` shows the numbers."), Exit.USAGE)
    for number in numbers:
        found = ask(CancelReminder(id=0, number=number))
        say(tr("Cancelled: reminder {said}", said=found.said))
    return int(Exit.OK)


def _number(word: str) -> int:
    try:
        return int(word)
    except ValueError as exc:
        sentence = tr("`{word}` is no number of a reminder.", word=word)
        raise CommandError(sentence, Exit.USAGE) from exc
