"""Prints sentences and JSON of commands in the user's language, and asks before a loss."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from typing import Any, Final

from nagomi_tui.system.outcome import CommandError, Exit
from nagomi_tui.text import words
from nagomi_tui.text.cells import printable, printable_lines

_setting = "auto"


def adopt(setting: object) -> None:
    """Speak the language of the workplace's `language` setting from now on."""
    global _setting
    _setting = str(setting or "auto")


def language() -> str:
    """Return the user's language."""
    return words.language_from(os.environ, _setting)


def spoken() -> words.Words:
    """Return the translations into the user's language."""
    return words.of(language())


def tr(message: str, /, **values: object) -> str:
    """Return the sentence in the user's language with values put in by name."""
    return spoken().say(message, **values)


def failure(message: str, code: int = Exit.FAILED, /, **values: object) -> CommandError:
    """Return the error of a command that cannot go on, with its sentence in the user's language."""
    return CommandError(tr(message, **values), code)


def program() -> str:
    """Return what to type to come back here, as it is true for how this process was started."""
    import shutil

    if started := os.environ.get("NAGOMI_STARTED_BY"):
        return started
    if shutil.which("nagomi"):
        return "nagomi"
    own = sys.argv[0]
    return f"{sys.executable} -m nagomi_tui" if own.endswith("__main__.py") else own


def say(text: str) -> None:
    """Print plain text on stdout, whoever wrote it."""
    write(f"{printable_lines(text)}\n")


def say_json(value: Any) -> None:
    """Print a value as one line of JSON, in ASCII so that no locale can spoil it."""
    write(as_json(value))


def as_json(value: Any) -> str:
    """Return a value as one line of JSON, in ASCII so that no locale can spoil it."""
    import json

    import msgspec

    return f"{json.dumps(msgspec.to_builtins(value))}\n"


def write(text: str) -> None:
    """Print text on stdout as it is; characters that its encoding lacks are replaced."""
    if sys.stdout is not None:
        sys.stdout.write(_encodable(text, sys.stdout.encoding))


def complain(sentence: str) -> None:
    """Print a sentence as one line on stderr, if that can be written."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(_encodable(f"nagomi: {printable(sentence)}\n", sys.stderr.encoding))


def flush() -> None:
    """Write out what was said; what stderr cannot take is left.

    Raises:
        OSError: stdout cannot take it.
    """
    if sys.stdout is not None:
        sys.stdout.flush()
    let_go()


def let_go() -> None:
    """Drop unwritten output: Python would report it at exit, and end with 120."""
    for number, stream in enumerate((sys.stdout, sys.stderr), 1):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)


def _encodable(text: str, encoding: str | None) -> str:
    return text.encode(encoding or "utf-8", "replace").decode(encoding or "utf-8", "replace")


_YES = frozenset({"y", "yes", "はい"})
READ_SECONDS: Final = 0.4
"""For so long after a question came up a yes was typed before it could be read."""


def confirm(question: str, *, yes: bool) -> bool:
    """Ask the user unless `yes` was given, again where it came too early; all but a clear yes means no.

    Raises:
        CommandError: there is nobody to ask.
    """
    if yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise failure("there is no terminal to ask on; add --yes.", Exit.USAGE)
    with suppress(EOFError):
        asked = time.monotonic()
        while input(f"{question} [y/N] ").strip().casefold() in _YES:
            if time.monotonic() >= asked + READ_SECONDS:
                return True
            asked = time.monotonic()
    return False
