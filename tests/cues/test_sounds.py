"""nagomi's own sounds: made by a script, small and soft."""

from __future__ import annotations

import array
import runpy
import wave
from typing import TYPE_CHECKING

import pytest

from nagomi_tui import paths
from nagomi_tui.orchestrator.sound_files import sound_file
from tests.helpers.calling import SOUNDS

if TYPE_CHECKING:
    from pathlib import Path

KINDS = ("attention", "failure", "success")


def test_the_script_makes_the_sounds_that_are_shipped(tmp_path: Path) -> None:
    runpy.run_path(str(SOUNDS / "make_sounds.py"))["write"](tmp_path)
    for kind in KINDS:
        assert (tmp_path / f"{kind}.wav").read_bytes() == (SOUNDS / f"{kind}.wav").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_sounds_are_small_soft_and_begin_and_end_in_silence(kind: str) -> None:
    path = SOUNDS / f"{kind}.wav"
    assert path.stat().st_size <= 61_000
    with wave.open(str(path), "rb") as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 44_100)
        levels = array.array("h", file.readframes(file.getnframes()))
    assert 3000 < max(map(abs, levels)) <= 32767 * 10 ** (-6 / 20)
    assert max(map(abs, levels[:20])) < 200
    assert max(map(abs, levels[-20:])) < 200


def test_a_users_own_sound_comes_first_then_the_characters(tmp_path: Path) -> None:
    shipped = sound_file("failure", character="mochi")
    assert shipped == paths.shipped("config") / "sounds" / "failure.wav"
    folder = paths.config_folder() / "characters" / "neko" / "sounds"
    folder.mkdir(parents=True)
    (folder / "failure.ogg").touch()
    assert sound_file("failure", character="neko") == folder / "failure.ogg"
    assert sound_file("failure", character="../neko").parent == shipped.parent
    (tmp_path / "failure.wav").touch()
    assert sound_file("failure", own=str(tmp_path), character="neko").parent == tmp_path
