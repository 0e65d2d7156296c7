"""Devices for sound that tests can look into, and sound servers that misbehave."""

from __future__ import annotations

import array
import os
import socket
import struct
import wave
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_DEVICE = """
pcm.!default { type plug; slave.pcm tape }
pcm.tape { type file; slave.pcm null; file "%s"; format raw }
"""


class Tape:
    """A home whose ALSA device writes what is played into a file, byte for byte."""

    def __init__(self, home: Path) -> None:
        home.mkdir(exist_ok=True)
        self.home = home
        self._file = home / "played.raw"
        (home / ".asoundrc").write_text(_DEVICE % self._file)

    @property
    def env(self) -> dict[str, str]:
        """The environment of somebody who sits at this device."""
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}

    def played(self) -> bytes:
        """Return what was played, without the silence after it."""
        return self._file.read_bytes().rstrip(b"\0") if self._file.exists() else b""

    def rewind(self) -> None:
        """Forget what was played."""
        self._file.unlink(missing_ok=True)


def samples(path: Path, volume: float) -> bytes:
    """Return a file's samples at a volume, as a device gets them, without silence at the end."""
    with wave.open(str(path), "rb") as file:
        whole = array.array("h", file.readframes(file.getnframes()))
    # Players multiply by a number of single precision, and leave the fraction away.
    (single,) = struct.unpack("f", struct.pack("f", volume))
    return array.array("h", (int(level * single) for level in whole)).tobytes().rstrip(b"\0")


@contextmanager
def deaf_server(path: Path) -> Iterator[dict[str, str]]:
    """Give the environment of a PulseAudio server that takes connections and never answers."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(16)
        yield {
            "PULSE_SERVER": f"unix:{path}", "HOME": str(path.parent), "PATH": os.environ["PATH"],
        }  # fmt: skip


def crashing_simpleaudio(folder: Path) -> None:
    """Put a simpleaudio into a folder that crashes when it plays, as the real one can."""
    (folder / "simpleaudio.py").write_text(
        "import os, signal\n\n\ndef play_buffer(*_):\n    os.kill(os.getpid(), signal.SIGSEGV)\n"
    )
    info = folder / "simpleaudio_patched-1.0.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: simpleaudio-patched\nVersion: 1\n")
