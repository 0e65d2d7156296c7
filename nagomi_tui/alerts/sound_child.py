"""The sound helper: plays what the lines on its stdin say, and answers each.

`{"id": 1, "play": PATH, "volume": 0.8}` or `{"id": 1, "say": TEXT, "language": "ja", "voice": "",
"play": PATH, "volume": 0.8}` (the file where nothing can speak) is answered by `{"id": 1,
"began": SECONDS}` and, when it is over, `{"id": 1, "ended": true}`; or by `{"id": 1, "failed":
WHY}`. The first line of all is `{"ready": BACKEND}` or `{"unavailable": WHY}`.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from nagomi_tui.alerts.back_ends import Playing, Unplayable, load

_LOOK_SECONDS: Final = 0.02
"""Seconds between checks whether a playing sound has ended."""


def run(backend: str) -> int:
    """Serve until stdin ends; return 3 where the backend cannot be used."""
    try:
        play = load(backend)
    except Exception as exc:
        emit(unavailable=f"{exc}")
        return 3
    emit(ready=backend)
    orders: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=read_orders, args=(orders,), daemon=True).start()
    playing: dict[int, tuple[Playing, Path | None]] = {}
    while True:
        with contextlib.suppress(queue.Empty):
            order = orders.get(timeout=_LOOK_SECONDS if playing else None)
            _carry_out(order, play, playing)
        _end_those_over(playing)


def read_orders(orders: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Queue every line of stdin; at its end, end the process, even while a player hangs."""
    for line in sys.stdin:
        orders.put(json.loads(line))
    os._exit(0)


def emit(**message: Any) -> None:
    """Write a message to stdout, as a line of JSON."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _carry_out(
    order: dict[str, Any],
    play: Callable[[str, float], Playing],
    playing: dict[int, tuple[Playing, Path | None]],
) -> None:
    number, spoken = order["id"], _spoken(order)
    try:
        sound = play(str(spoken or order["play"]), order["volume"])
    except Exception as exc:
        emit(id=number, failed=f"{type(exc).__name__}: {exc}")
        if spoken:
            spoken.unlink(missing_ok=True)
        return
    playing[number] = (sound, spoken)
    emit(id=number, began=round(sound.seconds, 3))


def _end_those_over(playing: dict[int, tuple[Playing, Path | None]]) -> None:
    for number, (sound, spoken) in list(playing.items()):
        if sound.is_over():
            del playing[number]
            if spoken:
                spoken.unlink(missing_ok=True)
            emit(id=number, ended=True)


def _spoken(order: dict[str, Any]) -> Path | None:
    """Return the file in which the order's text is spoken, if there is a text and a voice."""
    if not order.get("say"):
        return None
    from nagomi_tui.alerts import back_ends

    with contextlib.suppress(Unplayable):
        return back_ends.spoken(
            order["say"], language=order.get("language", "en"), voice=order.get("voice", "")
        )
    return None
