"""`nagomi copy`: one small file from this machine to a hand, from there, or between two."""

from __future__ import annotations

import os
import re
import sys
from argparse import Namespace
from collections.abc import Callable

from nagomi_tui.api.command_client import carried
from nagomi_tui.commands.parser import Commands, add, add_flag
from nagomi_tui.hands import copying, registry
from nagomi_tui.hands.copying import End
from nagomi_tui.hands.hand import BadHand
from nagomi_tui.sessions.session import LOCAL
from nagomi_tui.system.console import failure, say, tr
from nagomi_tui.system.outcome import Exit
from nagomi_tui.text.cells import printable

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def register(commands: Commands) -> None:
    parser = add(commands, "copy", copy, tr("copy a small file to a hand, or from there"))
    parser.add_argument(
        "source",
        metavar="HAND:FILE",
        help=tr("what to copy; without HAND, a file of this machine"),
    )
    parser.add_argument(
        "target", metavar="HAND:PATH", help=tr("the file that it becomes, or a folder for it")
    )
    add_flag(parser, "--force", help=tr("replace a file that is there"))


def copy(arguments: Namespace) -> None:
    """Copy a file, whole or not at all."""
    try:
        source, target = _end(carried(arguments.source)), _end(carried(arguments.target), bare=".")
        name = source.path.replace("\\", "/").rstrip("/").rpartition("/")[2]
        copied = copying.fetch(source, _progress(str(source)))
        copying.put(
            target, copied, name=name, force=arguments.force, progress=_progress(str(target))
        )
    except BadHand as exc:
        raise failure(exc.message, **exc.values) from exc
    finally:
        _clear()
    told = {"source": source, "target": target, "count": len(copied.data)}
    say(tr("{source} → {target}: {count} bytes.", **told))


def _end(named: str, *, bare: str = "") -> End:
    """Return what is meant by `HAND:PATH`, `:PATH` or `PATH`; a path begins with `./` to hold a colon.

    `bare` is the path where only the hand is named.
    """
    name, colon, path = named.partition(":")
    if not colon or "/" in name or _DRIVE.match(named):
        name, path = LOCAL, named
    path = path or colon and bare
    if not path:
        raise failure("`{named}` names no file.", Exit.USAGE, named=named)
    if name in ("", LOCAL):
        return End(None, os.path.expanduser(path))
    return End(registry.load().meant(name), path)


def _progress(name: str) -> Callable[[int, int], None]:
    """Return what shows how far a copy is, where somebody can see it."""
    shown = -1

    def tell(done: int, size: int) -> None:
        nonlocal shown
        percent = 100 * done // max(size, 1)
        if percent != shown and sys.stderr.isatty():
            shown = percent
            sys.stderr.write(f"\r\x1b[K{printable(name)} {percent} %")
            sys.stderr.flush()

    return tell


def _clear() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
