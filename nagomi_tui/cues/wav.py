"""WAV files of 16 bits: read, made softer, and put together again."""

from __future__ import annotations

import array
import io
import sys
import wave
from typing import Final

import msgspec

SAMPLE_BYTES: Final = 2


class Pcm(msgspec.Struct, frozen=True):
    """Samples of 16 bits, little-endian, as a device takes them."""

    data: bytes
    channels: int
    rate: int

    @property
    def seconds(self) -> float:
        """Length in seconds."""
        return len(self.data) / (SAMPLE_BYTES * self.channels * self.rate)


def read(path: str, volume: float = 1.0) -> Pcm:
    """Return a file's samples at a volume of 0 to 1.

    Raises:
        ValueError: it is no WAV file of 16 bits.
        OSError: it cannot be read.
    """
    try:
        with wave.open(path, "rb") as file:
            if file.getsampwidth() != SAMPLE_BYTES:
                raise ValueError(f"{path} has no samples of 16 bits")
            data = file.readframes(file.getnframes())
            return Pcm(softer(data, volume), file.getnchannels(), file.getframerate())
    except (wave.Error, EOFError) as exc:
        raise ValueError(f"{path} is no WAV file: {exc}") from exc


def softer(data: bytes, volume: float) -> bytes:
    """Return 16-bit samples scaled by a volume of 0 to 1."""
    if volume >= 1.0:
        return data
    samples = array.array("h", data)
    if sys.byteorder == "big":
        samples.byteswap()
    samples = array.array("h", (int(sample * volume) for sample in samples))
    if sys.byteorder == "big":
        samples.byteswap()
    return samples.tobytes()


def packed(pcm: Pcm) -> bytes:
    """Return the samples as a whole WAV file."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(pcm.channels)
        file.setsampwidth(SAMPLE_BYTES)
        file.setframerate(pcm.rate)
        file.writeframes(pcm.data)
    return out.getvalue()
