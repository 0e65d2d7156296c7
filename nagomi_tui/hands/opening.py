"""Opens the line to a hand: from the start of its command until the worker there speaks."""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING, Final

from nagomi_tui import files, paths
from nagomi_tui.hands.hand import BadHand
from nagomi_tui.hands.line import start
from nagomi_tui.hands.packing.bring import Ended, bring
from nagomi_tui.hands.packing.command import far_command
from nagomi_tui.words import Said, translatable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anyio.abc import TaskGroup

    from nagomi_tui.hands.hand import Hand
    from nagomi_tui.hands.line import Line

_FILE: Final = "workplace"
_log = logging.getLogger(__name__)


async def open_line(hand: Hand, env: Mapping[str, str], tasks: TaskGroup) -> Line:
    """Return the line to the worker there, whose hello is the next that is read from its socket.

    The command gets `env` beside our own environment; its last words are kept by one of `tasks`.
    The worker is started where none runs, and outlives the line.

    Raises:
        BadHand: no worker was reached; the sentence says why.
    """
    arguments = ["--stdio", "--resident", "--workplace", _mark(hand)]
    words = [*hand.program, *arguments] if hand.program else far_command()
    line = await start(hand, words, env)
    tasks.start_soon(line.listen)
    try:
        if not hand.program:
            await _bring(line, arguments)
        await line.greeted()
    except BaseException:
        await line.close()
        raise
    return line


async def _bring(line: Line, arguments: Sequence[str]) -> None:
    """Have the worker run that goes over the line itself where no cache there has it.

    Raises:
        BadHand: it cannot.
    """
    try:
        running = await bring(line.socket, arguments)
    except Ended as exc:
        raise await line.fault(exc.said) from exc
    except BadHand as exc:
        sentence = translatable("{name}: {fault}")
        fault = Said(exc.message, exc.values)
        raise BadHand(sentence, name=line.hand.name, fault=fault) from exc
    line.plain = running.plain
    _log.info("%s: %s", line.hand.name, running)


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
