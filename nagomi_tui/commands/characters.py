"""`nagomi characters`: who there is, and how they look."""

from __future__ import annotations

import os
import shutil
import sys
from argparse import Namespace
from typing import TYPE_CHECKING, Final

from nagomi_tui.commands.parser import Commands, add, add_flag, add_json
from nagomi_tui.system.console import complain, failure, say, say_json, tr, write
from nagomi_tui.system.outcome import Exit
from nagomi_tui.text import words

if TYPE_CHECKING:
    from nagomi_tui.view.character.character import Character, Colors, Size
    from nagomi_tui.view.character.library import Library

_GAP: Final = 2


def register(commands: Commands) -> None:
    parser = add(commands, "characters", run, tr("list the characters, or show one"))
    parser.add_argument("--preview", metavar="ID", help=tr("show all faces of this character"))
    add_flag(parser, "--small", help=tr("show the small pictures"))
    parser.add_argument(
        "--colors",
        choices=("auto", "truecolor", "256", "none"),
        default="auto",
        help=tr("colours of the pictures; none shows faces of text"),
    )
    add_json(parser)


def run(arguments: Namespace) -> int:
    """List all characters, or show the faces of one; broken packs are named on stderr."""
    from nagomi_tui.view.character.library import library
    from nagomi_tui.view.common.translate import use_language

    use_language(words.language_from(os.environ))
    found = library()
    problems = found.problems()
    for problem in problems:
        complain(problem)
    if arguments.preview:
        _preview(_meant(found, arguments.preview), arguments)
    elif arguments.json:
        say_json([_as_json(found, character) for character in found.whole()])
    else:
        _list(found)
    return int(Exit.FAILED if problems else Exit.OK)


def check(id: str) -> None:
    """Refuse a character that nobody has drawn.

    Raises:
        CommandError: there is none of that name; the sentence names those that there are.
    """
    if id:
        from nagomi_tui.view.character.library import library

        _meant(library(), id)


def _meant(found: Library, id: str) -> Character:
    if (character := found.get(id)) is None:
        names = ", ".join(one.id for one in found.whole())
        raise failure(
            "there is no character `{id}`; there are {names}.", Exit.USAGE, id=id, names=names
        )
    return character


def _as_json(found: Library, character: Character) -> dict[str, object]:
    return {"id": character.id, "name": character.name, "own": found.is_own(character.id)}


def _list(found: Library) -> None:
    from nagomi_tui.text.cells import pad

    language = words.language_from(os.environ)
    for character in found.whole():
        own = tr("your own") if found.is_own(character.id) else ""
        name = pad(character.title(language), 12)
        say(f"{pad(character.id, 12)} {name} {pad(character.line('listening'), 14)} {own}".rstrip())
    from nagomi_tui.view.character.library import own_folder

    say(tr("Your own go into {folder}; `--preview ID` shows one.", folder=own_folder()))


def _preview(character: Character, arguments: Namespace) -> None:
    """Print every face with a word of its phase."""
    from nagomi_tui.sessions.session import PHASES
    from nagomi_tui.view.character.character import Size

    language = words.language_from(os.environ)
    say(f"{character.title(language)} ({character.id})")
    colors = _colors(arguments.colors)
    if colors is None:
        for phase in PHASES:
            said = character.words(phase, language, 0)
            say(f"{phase.value:<10} {character.line(phase)}  {said}")
        return
    size = (
        Size.SMALL if arguments.small and Size.SMALL in character.pictures.drawings else Size.LARGE
    )
    _pictures(character, size, colors, language)


def _pictures(character: Character, size: Size, colors: Colors, language: str) -> None:
    from nagomi_tui.sessions.session import PHASES
    from nagomi_tui.text.cells import pad, printable
    from nagomi_tui.view.character.character import ansi

    wide = character.pictures.drawings[size].width + _GAP
    beside = max(1, (shutil.get_terminal_size().columns + _GAP) // wide)
    phases = list(PHASES)
    for first in range(0, len(phases), beside):
        shown = phases[first : first + beside]
        pictures = [ansi(character.pictures.draw(size, phase), colors) for phase in shown]
        write("\n")
        titles = [pad(printable(f"{phase} {character.line(phase)}"), wide) for phase in shown]
        say("".join(titles).rstrip())
        for rows in zip(*pictures, strict=True):
            write(f"{(' ' * _GAP).join(rows).rstrip()}\n")
        said = [character.words(phase, language, 0) for phase in shown]
        lines = [pad(printable(text), wide - 1) + " " for text in said]
        say("".join(lines).rstrip())


def _colors(wish: str) -> Colors | None:
    """Return what the terminal shows; nothing for text where it shows no colours."""
    if wish in ("truecolor", "256"):
        return "truecolor" if wish == "truecolor" else "256"
    if wish == "none" or os.environ.get("NO_COLOR") or sys.stdout is None:
        return None
    if not sys.stdout.isatty() or os.environ.get("TERM", "") in ("", "dumb"):
        return None
    if os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return "truecolor"
    return "256" if "256" in os.environ.get("TERM", "") else None
