"""Opens the line to a hand: from the start of its command until the worker there speaks."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

from nagomi_tui import files, paths
from nagomi_tui.hands.line import start

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyio.abc import TaskGroup

    from nagomi_tui.hands.hand import Hand
    from nagomi_tui.hands.line import Line

_FILE: Final = "workplace"
_WORKER: Final = ("nagomi-worker",)


async def open_line(hand: Hand, env: Mapping[str, str], tasks: TaskGroup) -> Line:
    """Return the line to the worker there, whose hello is the next that is read from its socket.

    The command gets `env` beside our own environment; its last words are kept by one of `tasks`.
    The worker is started where none runs, and outlives the line.

    Raises:
        BadHand: no worker was reached; the sentence says why.
    """
    words = [*(hand.program or _WORKER), "--stdio", "--resident", "--workplace", _mark(hand)]
    line = await start(hand, words, env)
    tasks.start_soon(line.listen)
    try:
        await line.greeted()
    except BaseException:
        await line.close()
        raise
    return line


def _mark(hand: Hand) -> str:
    """Return what tells the hand's worker from others: of other workplaces, and of other hands."""
    return f"{workplace_mark()}-{hand.mark}"


def workplace_mark() -> str:
    """Return what tells this workplace from all others that reach the same host."""
    path = paths.make_private(paths.state_folder()) / _FILE
    try:
        if found := files.read_text(path).strip():
            return found
    except FileNotFoundError:
        pass
    made = secrets.token_hex(4)
    files.write(path, made.encode() + b"\n")
    return made
