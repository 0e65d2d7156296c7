"""The ways to play a file; they run in the helper process, where they may hang or crash."""

from __future__ import annotations

import base64
import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Final, Protocol

from nagomi_tui.cues import wav
from nagomi_tui.cues.surroundings import pulse_sockets, windows_folder

if TYPE_CHECKING:
    from collections.abc import Callable

_EARLY_SECONDS: Final = 0.06
"""Seconds in which a player without a device ends; it is waited for that long."""
_PROBE_SECONDS: Final = 1.0
_POWERSHELL_PLAYS: Final = (
    "$b=[Convert]::FromBase64String([Console]::In.ReadLine());"
    "(New-Object Media.SoundPlayer (New-Object IO.MemoryStream(,$b))).PlaySync()"
)


class Unplayable(Exception):
    """A backend cannot be used, or not for this file; the message says why."""


class Playing(Protocol):
    """A sound that has begun to play."""

    seconds: float
    """Length in seconds, perhaps estimated."""

    def is_over(self) -> bool:
        """Tell whether it has ended; if so, its resources are freed."""


class _Tracked:
    """A sound whose state is asked for."""

    def __init__(
        self, seconds: float, active: Callable[[], bool], close: Callable[[], object]
    ) -> None:
        self.seconds = seconds
        self._active = active
        self._close = close

    def is_over(self) -> bool:
        if self._active():
            return False
        self._close()
        return True


def load(name: str) -> Callable[[str, float], Playing]:
    """Return a function that plays a file at a volume of 0 to 1.

    Raises:
        Unplayable: this backend cannot be used here.
    """
    loaders = {
        "simpleaudio": _simpleaudio,
        "just_playback": _just_playback,
        "winsound": _winsound,
        "powershell": _powershell,
    }
    if name in loaders:
        return loaders[name]()
    if name in _COMMANDS:
        return lambda path, volume: _program(_COMMANDS[name](path, volume))
    if name == "aplay":
        return lambda path, volume: _program(
            ["aplay", "-q", "-"], wav.packed(wav.read(path, volume))
        )
    raise Unplayable(f"there is no backend {name}")


_COMMANDS: Final[dict[str, Callable[[str, float], list[str]]]] = {
    "pw-play": lambda path, volume: ["pw-play", f"--volume={volume:.3f}", path],
    "paplay": lambda path, volume: ["paplay", f"--volume={round(volume * 65536)}", path],
    "afplay": lambda path, volume: ["afplay", "-v", f"{volume:.3f}", path],
}


def _simpleaudio() -> Callable[[str, float], Playing]:
    try:
        import simpleaudio  # type: ignore[import-not-found,unused-ignore]
    except ImportError as exc:
        raise Unplayable(str(exc)) from exc

    def play(path: str, volume: float) -> Playing:
        pcm = wav.read(path, volume)
        sound: Any = simpleaudio.play_buffer(pcm.data, pcm.channels, wav.SAMPLE_BYTES, pcm.rate)
        return _Tracked(pcm.seconds, sound.is_playing, _nothing)

    return play


def _just_playback() -> Callable[[str, float], Playing]:
    """Play by miniaudio, which accepts its own null device, so a real one is looked for first."""
    sockets = pulse_sockets(os.environ)
    if os.environ.get("PULSE_SERVER") and sockets and not any(map(_answers, sockets)):
        raise Unplayable("the sound server cannot be reached")
    try:
        import just_playback
    except ImportError as exc:
        raise Unplayable(str(exc)) from exc

    def play(path: str, volume: float) -> Playing:
        sound: Any = just_playback.Playback()
        sound.set_volume(volume)  # before the file is loaded: later it is not heeded
        sound.load_file(path)
        sound.play()
        return _Tracked(float(sound.duration or 0), lambda: bool(sound.active), sound.close)

    return play


def _answers(address: str) -> bool:
    """Tell whether a server listens at a socket's path; true for host names, untested."""
    if sys.platform == "win32" or not address.startswith("/"):
        return True
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as probe:
        probe.settimeout(_PROBE_SECONDS)
        try:
            probe.connect(address)
        except OSError:
            return False
    return True


def _winsound() -> Callable[[str, float], Playing]:
    if sys.platform != "win32":
        raise Unplayable("this is not Windows")
    import winsound

    def play(path: str, volume: float) -> Playing:
        pcm = wav.read(path, volume)
        data = wav.packed(pcm)
        # From memory it only plays while one waits.
        player = threading.Thread(
            target=lambda: winsound.PlaySound(data, winsound.SND_MEMORY), daemon=True
        )
        player.start()
        return _Tracked(pcm.seconds, player.is_alive, _nothing)

    return play


def _powershell() -> Callable[[str, float], Playing]:
    """Play on the Windows around WSL: the sound goes there by stdin, so no path is needed."""

    def play(path: str, volume: float) -> Playing:
        pcm = wav.read(path, volume)
        line = base64.b64encode(wav.packed(pcm)) + b"\n"
        return _program(powershell(_POWERSHELL_PLAYS), line, seconds=pcm.seconds)

    return play


def powershell(script: str) -> list[str]:
    """Return the command that runs a script in Windows PowerShell."""
    return ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", script]


def _program(argv: list[str], data: bytes | None = None, *, seconds: float = 0.7) -> Playing:
    """Play by a program, which gets `data` on its stdin."""
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL if data is None else subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=windows_folder() if argv[0].endswith(".exe") else None,
        )
    except OSError as exc:
        raise Unplayable(f"{argv[0]}: {exc.strerror}") from exc
    if data is not None and process.stdin is not None:
        with contextlib.suppress(BrokenPipeError), process.stdin as stdin:
            stdin.write(data)
    deadline = time.monotonic() + _EARLY_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    if process.returncode:
        raise Unplayable(f"{argv[0]} ended with {process.returncode}")
    return _Tracked(seconds, lambda: process.poll() is None, _nothing)


def _nothing() -> None:
    return
