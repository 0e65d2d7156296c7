"""The file of hands beside the settings, read and written.

It is not one of the settings: each of those is one value with one field in a form, and a hand has
several.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from nagomi_tui.hands.hand import BadHand, Hand, check_name
from nagomi_tui.sessions.session import LOCAL
from nagomi_tui.system import files, paths
from nagomi_tui.system.decoding import from_builtins, from_json
from nagomi_tui.text.words import nearest_name, translatable

_FILE: Final = "hands.json"


class Hands(msgspec.Struct, frozen=True):
    """All hands, in the order in which they were added, and what was wrong with the file."""

    all: tuple[Hand, ...] = ()
    faults: tuple[BadHand, ...] = ()

    def get(self, name: str) -> Hand | None:
        return next((hand for hand in self.all if hand.name == name), None)

    def meant(self, name: str) -> Hand:
        """Return the hand of this name.

        Raises:
            BadHand: there is none; the sentence names the nearest.
        """
        if hand := self.get(name):
            return hand
        raise unknown(name, [hand.name for hand in self.all])


def unknown(name: str, known: Sequence[str], *, or_local: bool = False) -> BadHand:
    """Return the fault of a hand that does not exist, with the one that is spelt most like it.

    With `or_local`, this machine could have been meant as well as a hand.
    """
    meant = [LOCAL, *known] if or_local else known
    if near := nearest_name(name, meant):
        return BadHand("There is no hand `{name}`; did you mean `{near}`?", name=name, near=near)
    if known:
        sentence = translatable("There is no hand `{name}`, only {known}.")
        return BadHand(sentence, name=name, known=", ".join(meant))
    return BadHand("There is no hand `{name}`; `nagomi hands add` makes one.", name=name)


def hands_file() -> Path:
    """Where the hands are kept."""
    return paths.config_folder() / _FILE


def load() -> Hands:
    """Read the hands; one that cannot be understood is named in a sentence, the others count.

    Raises:
        BadHand: the file as a whole cannot be read.
    """
    path = hands_file()
    try:
        told = from_json(files.read(path), dict[str, Any])
        each = from_builtins(told.get("hands", []), list[Any])
    except (FileNotFoundError, NotADirectoryError):
        return Hands()
    except OSError as exc:
        raise BadHand("{path} cannot be read: {reason}.", path=path, reason=exc.strerror) from exc
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        sentence = translatable("{path} could not be understood: {reason}. Mend it, or remove it.")
        raise BadHand(sentence, path=path, reason=exc) from exc
    found: list[Hand] = []
    faults: list[BadHand] = []
    for number, values in enumerate(each, 1):
        try:
            hand = from_builtins(values, Hand)
        except msgspec.ValidationError as exc:
            sentence = translatable("{path}: hand {number} could not be understood: {reason}.")
            faults.append(BadHand(sentence, path=path, number=number, reason=exc))
            continue
        if hand.name in (one.name for one in found):
            sentence = translatable("{path}: there are two hands `{name}`; the first one counts.")
            faults.append(BadHand(sentence, path=path, name=hand.name))
            continue
        found.append(hand)
    return Hands(tuple(found), tuple(faults))


def stamp() -> tuple[int, int, int]:
    """Return values that change whenever the file does; zeros if there is none."""
    return files.stamp(hands_file())


def add(hand: Hand) -> Hand:
    """Keep one hand more, and return it with an id of its own.

    Raises:
        BadHand: there is one of this name, or the file is not in order.
        OSError: the file cannot be written.
    """
    hands = _whole()
    if hands.get(hand.name):
        raise BadHand(
            "There is a hand `{name}` already; choose another name with --name.",
            name=hand.name,
        )
    made = msgspec.structs.replace(hand, id=os.urandom(4).hex())
    _save((*hands.all, made))
    return made


def remove(name: str) -> None:
    """Take a hand off the file.

    Raises:
        BadHand: there is none of this name, or the file is not in order.
        OSError: the file cannot be written.
    """
    hands = _whole()
    gone = hands.meant(name)
    _save([hand for hand in hands.all if hand is not gone])


def rename(name: str, new: str) -> None:
    """Give a hand another name.

    Raises:
        BadHand: there is none, the name is taken or unfit, or the file is not in order.
        OSError: the file cannot be written.
    """
    hands = _whole()
    meant = hands.meant(name)
    check_name(new)
    if hands.get(new):
        raise BadHand("There is a hand `{name}` already.", name=new)
    renamed = msgspec.structs.replace(meant, name=new, id=meant.mark)
    _save([renamed if hand is meant else hand for hand in hands.all])


def lay(name: str, folder: str, there: str | None) -> None:
    """Have sessions of a folder of this machine begin on a hand, in the folder `there`.

    With None they begin on this machine again. A folder leads to one hand.

    Raises:
        BadHand: there is no such hand, or the file is not in order.
        OSError: the file cannot be written.
    """
    hands = _whole()
    meant = hands.meant(name)
    laid: list[Hand] = []
    for hand in hands.all:
        folders = {here: far for here, far in hand.folders.items() if here != folder}
        if hand is meant and there is not None:
            folders[folder] = there
        elif hand is not meant and there is None:
            folders = hand.folders
        laid.append(msgspec.structs.replace(hand, folders=folders))
    _save(laid)


def _whole() -> Hands:
    """Return what the file holds, unless writing it again would lose something.

    Raises:
        BadHand: something in it cannot be understood.
    """
    hands = load()
    if hands.faults:
        raise hands.faults[0]
    return hands


def _save(hands: Sequence[Hand]) -> None:
    path = paths.make_private(paths.config_folder()) / _FILE
    told = msgspec.json.encode({"hands": hands})
    files.write(path, msgspec.json.format(told, indent=2) + b"\n")
