"""`nagomi guard classify`: what the guard thinks of commands."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from nagomi_tui.commands.outcome import CommandError, Exit
from nagomi_tui.commands.parser import add
from nagomi_tui.commands.speech import tr

if TYPE_CHECKING:
    from argparse import Namespace

    from nagomi_tui.commands.parser import Commands

_LONGEST: Final = 1024 * 1024
"""Bytes of the longest line of JSON that is taken."""


def register(commands: Commands) -> None:
    """Add this command."""
    add(
        commands,
        "classify",
        classify,
        tr('tell for each line of JSON, {"command", "cwd"}, whether it only reads'),
    )


def classify(_: Namespace) -> int:
    """Answer each line of stdin with one line; what is no command writes."""
    import msgspec

    from nagomi_tui.decoding import decoder
    from nagomi_tui.guard.files.folder import Here
    from nagomi_tui.guard.shell import Patterns, Verdict
    from nagomi_tui.guard.shell import classify as told

    class Line(msgspec.Struct):
        command: str
        cwd: str = ""

    if sys.stdin is None or sys.stdout is None:
        raise CommandError(tr("there is no stdin to read."), Exit.USAGE)
    decode = decoder(Line).decode
    while line := sys.stdin.buffer.readline(_LONGEST):
        if not line.strip():
            continue
        try:
            given = decode(line)
            found = told(given.command, Patterns(folder=Here(given.cwd or os.curdir)))
        except (msgspec.MsgspecError, UnicodeDecodeError) as exc:
            found = Verdict("write", f"a line that is no command: {exc}")
        answer = {"verdict": found.verdict, "reason": found.reason, "at": found.at}
        sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
        sys.stdout.buffer.flush()
    return Exit.OK
