"""`nagomi remind` and `nagomi sound`: reminders, how sound stands, a test, and quiet for a while."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from typing import Any, Final

from nagomi_tui.api.command_client import ask, carried, named
from nagomi_tui.api.messages import CancelReminder, ListReminders, Remind, Sound, SoundStanding
from nagomi_tui.commands.parser import Commands, add, add_flag, add_json, add_verb
from nagomi_tui.sessions.reminding import WORDS_LIMIT, BadWhen, split
from nagomi_tui.system.console import failure, say, say_json, tr, write
from nagomi_tui.system.outcome import Exit
from nagomi_tui.text.words import translatable

_EXAMPLES: Final = translatable(
    "`{words}` begins with neither a time nor something that a session comes to. Say for example "
    '`nagomi remind 20m "stretch"`, `nagomi remind at 17:00 "look at 3"`, '
    '`nagomi remind when 3 fails "look why"`, `nagomi remind when 3 fails twice`, '
    "`nagomi remind when 3 is done`, `… asks`, `… ends`, `… is quiet for 5m` or `… says REGEX`."
)


def register_remind(commands: Commands) -> None:
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
    add_flag(parser, "--list", help=tr("list what is open"))
    parser.add_argument(
        "--cancel", metavar="N", action="append", type=int, help=tr("drop reminder N")
    )
    add_json(parser)


def remind(arguments: Namespace) -> None:
    """Set a reminder, list them, or cancel some."""
    words: list[str] = [carried(word) for word in arguments.words]
    if arguments.cancel or words[:1] == ["cancel"]:
        _cancel([*(arguments.cancel or ()), *map(_number, words[1:])])
    elif arguments.list or words in ([], ["list"]):
        _list(as_json=arguments.json)
    else:
        _set([named(word) if word == "." else word for word in words], as_json=arguments.json)


def _set(words: list[str], *, as_json: bool) -> None:
    try:
        when, told = split(words, time.time())
    except BadWhen as exc:
        raise failure(_EXAMPLES, Exit.USAGE, words=" ".join(words)) from exc
    if len(told) > WORDS_LIMIT:
        raise failure("a reminder has at most {count} characters.", Exit.USAGE, count=WORDS_LIMIT)
    found = ask(Remind(id=0, when=when, words=told))
    if as_json:
        say_json(found)
    else:
        say(tr("Reminder {said}", said=found.said))


def _list(*, as_json: bool) -> None:
    found = ask(ListReminders(id=0))
    if as_json:
        say_json(found)
        return
    for one in found.open:
        say(one.said)
    if not found.open:
        say(tr('No reminder is open. `nagomi remind 20m "stretch"` sets one.'))


def _cancel(numbers: list[int]) -> None:
    if not numbers:
        raise failure("which one? `nagomi remind list` shows the numbers.", Exit.USAGE)
    for number in numbers:
        found = ask(CancelReminder(id=0, number=number))
        say(tr("Cancelled: reminder {said}", said=found.said))


def _number(word: str) -> int:
    try:
        return int(word)
    except ValueError as exc:
        raise failure("`{word}` is no number of a reminder.", Exit.USAGE, word=word) from exc


_KINDS = ("attention", "failure", "success")


def register_sound(commands: Commands) -> None:
    """Add the command and what it can do."""
    group = add(commands, "sound", status, tr("how sound stands, a test, quiet for a while"))
    ways = group.add_subparsers(metavar="WHAT", parser_class=type(group))
    add_json(add(ways, "status", status, tr("what plays sounds, and whether any may be heard")))
    tester = add(ways, "test", test, tr("play a sound now"))
    tester.add_argument(
        "kind", metavar="KIND", nargs="?", default="attention", choices=_KINDS,
        help=tr("attention, failure or success"),
    )  # fmt: skip
    add_json(tester)
    muter = add(ways, "mute", mute, tr("no sound for a while"))
    muter.add_argument(
        "duration", metavar="DURATION", nargs="?", default="1h", help=tr("such as 1h, 90m or 30s")
    )
    add(ways, "unmute", unmute, tr("sounds may be heard again"))


def status(arguments: Namespace) -> None:
    """Say how sound stands."""
    _show_sound(_sound(do="status"), getattr(arguments, "json", False))


def test(arguments: Namespace) -> None:
    """Play a sound, and say what played it."""
    told = _sound(do="test", kind=arguments.kind)
    if told.way == "bell" and sys.stdout is not None and sys.stdout.isatty():
        write("\a")
    _show_sound(told, arguments.json)


def mute(arguments: Namespace) -> None:
    """Have no sound for a while."""
    from nagomi_tui.alerts.calls import seconds

    wanted = seconds(arguments.duration)
    if wanted is None:
        raise failure(
            "`{text}` is no time; `1h`, `90m` or `30s` are.", Exit.USAGE, text=arguments.duration
        )
    _show_sound(_sound(do="mute", seconds=wanted), False)


def unmute(arguments: Namespace) -> None:
    """Sounds may be heard again."""
    _show_sound(_sound(do="mute", seconds=0.0), False)


def _sound(**what: Any) -> SoundStanding:
    return ask(Sound(id=0, **what))


def _show_sound(told: SoundStanding, as_json: bool) -> None:
    if as_json:
        say_json(told)
        return
    if told.way != "bell":
        say(tr("Sounds are played by {way}.", way=told.way))
    elif told.far:
        say(tr("You are at another machine: the terminal's bell rings there."))
    else:
        why = told.why or tr("The terminal's bell rings.")
        say(why)
    if told.muted_until:
        clock = time.strftime("%H:%M", time.localtime(told.muted_until))
        say(tr("No sound until {clock}; `nagomi sound unmute` ends that.", clock=clock))
    elif told.quiet:
        say(tr("These are quiet hours: no sound now."))
