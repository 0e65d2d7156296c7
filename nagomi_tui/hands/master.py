"""The ssh that a user has logged in by, and that what goes to that host goes over (ControlMaster).

ssh itself asks for what it wants, on the terminal that it is given: nothing of that passes here.
"""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from nagomi_tui.api.launch import resident_env
from nagomi_tui.hands.hand import BadHand, Hand, not_started
from nagomi_tui.system import paths
from nagomi_tui.system.platforms import LINUX, WINDOWS
from nagomi_tui.text.words import translatable

_PREFIX: Final = "ssh-"
_IDLE: Final = "8h"
"""For how long it stays while nothing goes over it."""
_PATH_BYTES: Final = (107 if LINUX else 103) - len(".0123456789abcdef")
"""Most bytes of a socket's path, which ssh makes under a longer name first."""
_CONNECT_SECONDS: Final = 0.5
_CLOSE_SECONDS: Final = 5.0


def through(hand: Hand) -> Hand:
    """Return the hand as it is reached now: over the ssh that has logged in, where there is one.

    Hands with the same command share it.
    """
    if hand.kind != "ssh" or not is_open(hand):
        return hand
    return _with(hand, "-oControlMaster=no", "-S", _escaped(_socket(hand)))


def is_open(hand: Hand) -> bool:
    """Tell whether somebody is logged in."""
    return _answers(_socket(hand))


def check(hand: Hand) -> None:
    """Check that a hand can be logged in to.

    Raises:
        BadHand: it cannot; the sentence says why.
    """
    if hand.kind != "ssh":
        sentence = translatable(
            "{name} is reached by `{program}`; only hands of the kind ssh are logged in to."
        )
        raise BadHand(sentence, name=hand.name, program=hand.command[0])
    if WINDOWS:
        sentence = translatable(
            "The ssh of Windows cannot stay logged in; load a key by `ssh-add`."
        )
        raise BadHand(sentence)
    if len(os.fsencode(_socket(hand))) > _PATH_BYTES:
        sentence = translatable(
            "The path {path} is too long for a socket of ssh; set NAGOMI_HOME to a shorter one."
        )
        raise BadHand(sentence, path=_socket(hand))


def log_in(hand: Hand) -> bool:
    """Have ssh ask on this terminal for what it wants, and stay; tell whether somebody is logged in.

    Raises:
        BadHand: the hand cannot be logged in to; the sentence says why.
    """
    check(hand)
    if is_open(hand):
        return True
    place = _socket(hand)
    paths.make_private(place.parent)
    asking = _with(
        hand,
        *("-oBatchMode=no", "-oControlMaster=auto", f"-oControlPersist={_IDLE}", "-fN"),
        *("-S", _escaped(place)),
    )
    try:
        # It is no part of the session in whose pane it asks, and outlives that.
        code = subprocess.call(asking.command, env=resident_env())
    except OSError as exc:
        raise not_started(hand.command[0], exc) from exc
    return code == 0 and is_open(hand)


def close_all() -> None:
    """Log out of all hosts; what goes over those lines ends."""
    with suppress(OSError):
        for place in list(paths.socket_folder().glob(f"{_PREFIX}*")):
            _close(place)


def close(hand: Hand) -> bool:
    """Log out of a hand's host; tell whether somebody was logged in."""
    was_open = is_open(hand)
    _close(_socket(hand))
    return was_open


def _close(place: Path) -> None:
    if _answers(place):
        command = ["ssh", "-S", _escaped(place), "-O", "exit", "any"]
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                command, capture_output=True, stdin=subprocess.DEVNULL, timeout=_CLOSE_SECONDS
            )


def _socket(hand: Hand) -> Path:
    """Return where the ssh of this command listens."""
    told = hashlib.sha256("\0".join(hand.command).encode()).hexdigest()
    return paths.socket_folder() / f"{_PREFIX}{told[:8]}"


def _answers(place: Path) -> bool:
    """Tell whether an ssh listens; what one has left that was killed is removed."""
    if WINDOWS or not place.exists():
        return False
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(_CONNECT_SECONDS)
        try:
            probe.connect(str(place))
        except ConnectionRefusedError:
            place.unlink(missing_ok=True)
            return False
        except OSError:
            return False
    return True


def _with(hand: Hand, *options: str) -> Hand:
    """Return the hand with options before its own, which ssh goes by then."""
    program, *words = hand.command
    return replace(hand, command=(program, *options, *words))


def _escaped(place: Path) -> str:
    """Return a path as ssh reads it, which replaces what stands behind a percent sign."""
    return str(place).replace("%", "%%")
