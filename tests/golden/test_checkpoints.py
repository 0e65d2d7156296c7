"""Checkpoints that workers keep for the version before: today's engines show the same from them."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from nagomi_tui.terminal.choose import open_engine, restore_engine, rewritten_engine
from tests.golden.terminals import OUTPUT, picture

if TYPE_CHECKING:
    from nagomi_tui.terminal.engine import Engine

_KINDS = ("ghostty", "ghostty_light", "pyte", "pyte_light")


def _golden(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (Path(__file__).parent / f"checkpoint_{kind}.json").read_bytes()
    )
    return found


@pytest.mark.parametrize("kind", _KINDS)
def test_a_checkpoint_gives_the_same_terminal(kind: str) -> None:
    kept = _golden(kind)
    engine = _restored(kept)
    assert picture(engine) == kept["picture"]
    engine.feed(b"\x07more")
    assert [(event.kind, event.text) for event in engine.take_events()] == [
        ("title", "a title"),
        ("status", "busy"),
        ("command", "D;7"),
    ]
    assert engine.screen()[-1].text.startswith("$ more")
    engine.close()


@pytest.mark.parametrize("kind", _KINDS)
def test_a_checkpoint_of_today_has_the_same_fields(kind: str) -> None:
    name, _, light = kind.partition("_")
    engine = open_engine(40, 8, prefer=name)
    engine.feed(OUTPUT)
    kept, data = _golden(kind), engine.snapshot(history=not light)
    assert engine.version == kept["engine_version"]
    assert _fields(data) == _fields(base64.b64decode(kept["data"]))
    engine.close()


@pytest.mark.parametrize("kind", _KINDS)
def test_another_engine_can_take_over(kind: str) -> None:
    kept = _golden(kind)
    engine = rewritten_engine(
        kept["engine_version"], base64.b64decode(kept["data"]), kept["cols"], kept["rows"]
    )
    shown = [row.text for row in engine.screen()]
    engine.close()
    before = _restored(kept)
    assert shown == [row.text for row in before.screen()]
    before.close()


def _restored(kept: dict[str, Any]) -> Engine:
    data = base64.b64decode(kept["data"])
    return restore_engine(kept["engine_version"], data, kept["cols"], kept["rows"])


def _fields(data: bytes) -> list[object]:
    """Return the plain numbers and texts of a checkpoint, and the types of all else."""
    found = msgspec.msgpack.decode(zlib.decompress(data))
    return [type(one) if isinstance(one, bytes) else one for one in found]
