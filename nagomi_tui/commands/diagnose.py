"""`nagomi doctor`: what is there, what is missing, and how to get it."""

from __future__ import annotations

import gc
import shutil
import sys
from typing import TYPE_CHECKING

from nagomi_tui.commands.outcome import Exit
from nagomi_tui.commands.parser import add, add_json
from nagomi_tui.commands.speech import say, say_json, tr

if TYPE_CHECKING:
    from argparse import Namespace

    from nagomi_tui.commands.parser import Commands


def register(commands: Commands) -> None:
    """Add the commands of this group."""
    add_json(add(commands, "doctor", doctor, tr("check what nagomi needs, and explain it")))


def doctor(arguments: Namespace) -> int:
    """Report on the machine, the terminal and the residents; fail if something needed lacks."""
    gc.disable()  # nothing that is loaded from here on becomes garbage before the process ends
    from nagomi_tui.doctor import as_json, as_text, examine

    report = examine()
    if arguments.json:
        say_json(as_json(report))
    else:
        on_screen = sys.stdout is not None and sys.stdout.isatty()
        say(as_text(report, shutil.get_terminal_size().columns if on_screen else 0))
    gc.freeze()  # the interpreter looks for garbage at its end even so: a tenth of all the time
    return int(Exit.OK if report.usable else Exit.FAILED)
