"""nagomi's own sounds: made by a script, small and soft."""

from __future__ import annotations

import array
import runpy
import wave
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.orchestrator.calling.sounds import sound_files
from nagomi_tui.system import paths
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
    shipped = str(paths.shipped("config") / "sounds" / "failure.wav")
    own = str(paths.config_folder() / "characters" / "neko" / "sounds" / "failure.ogg")
    found = sound_files("failure", own=str(tmp_path), character="neko")
    assert found[0] == str(tmp_path / "failure.wav") and found[-1] == shipped
    assert 0 < found.index(own) < len(found) - 1
    assert not [path for path in sound_files("failure", character="../neko") if ".." in path]
