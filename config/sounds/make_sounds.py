"""Makes nagomi's own sounds (CC0): `python make_sounds.py` writes them beside itself.

Small, soft and plain: sines with a wooden touch, gentle at both ends, never loud. The standard
library suffices, and the same bytes come out everywhere.
"""

from __future__ import annotations

import array
import math
import sys
import wave
from pathlib import Path
from typing import NamedTuple

RATE = 44_100
"""Samples a second; 16 bits each, one channel."""
ATTACK = 0.012
"""Seconds in which a note swells, so that nothing clicks."""
RELEASE = 0.08
"""Seconds in which a sound fades at its very end."""


class Note(NamedTuple):
    """One note: when it begins and how fast it fades (seconds), and how strong it is."""

    hertz: float
    at: float
    fade: float
    strength: float = 1.0


class Sound(NamedTuple):
    """A sound: its notes, its length in seconds, its peak, and how much wood is in it."""

    notes: tuple[Note, ...]
    seconds: float
    peak: float
    """Of full scale; a half is -6 dBFS."""
    wood: float


SOUNDS = {
    # Two notes that rise, like "hm?".
    "attention": Sound((Note(659.26, 0.0, 0.16), Note(880.0, 0.15, 0.22)), 0.66, 0.40, 0.30),
    # Two low notes that sink, like a breath out.
    "failure": Sound((Note(392.0, 0.0, 0.20, 0.9), Note(311.13, 0.17, 0.26)), 0.68, 0.36, 0.12),
    # Three light ones, like a small bell.
    "success": Sound(
        (Note(1046.5, 0.0, 0.12, 0.7), Note(1318.51, 0.08, 0.14, 0.8), Note(1567.98, 0.16, 0.22)),
        0.62, 0.28, 0.22,
    ),
}  # fmt: skip


def samples(sound: Sound) -> array.array[int]:
    """Return the sound as 16-bit samples."""
    count = int(sound.seconds * RATE)
    drawn = [
        sum(_level(note, at / RATE, sound.wood) for note in sound.notes) for at in range(count)
    ]
    fading = int(RELEASE * RATE)
    for at in range(fading):
        drawn[count - 1 - at] *= at / fading
    loudest = max(abs(level) for level in drawn)
    scale = sound.peak * 32767 / loudest
    return array.array("h", (round(level * scale) for level in drawn))


def _level(note: Note, now: float, wood: float) -> float:
    """Return a note's level: its tone, and a fourth harmonic that fades at once, as of a bar."""
    age = now - note.at
    if age < 0:
        return 0.0
    swell = min(1.0, age / ATTACK)
    angle = 2 * math.pi * note.hertz * age
    tone = math.sin(angle) * math.exp(-age / note.fade)
    knock = wood * math.sin(4 * angle) * math.exp(-age / (note.fade / 6))
    return note.strength * swell * swell * (tone + knock)


def write(folder: Path) -> None:
    """Write every sound into the folder."""
    for name, sound in SOUNDS.items():
        data = samples(sound)
        if sys.byteorder == "big":
            data.byteswap()
        with wave.open(str(folder / f"{name}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes(data.tobytes())


if __name__ == "__main__":
    write(Path(__file__).resolve().parent)
