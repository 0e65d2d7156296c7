"""The ways to play a sound file and to speak a text, as the sound helper tries them."""

from __future__ import annotations

import array
import base64
import contextlib
import io
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from nagomi_tui.alerts.surroundings import pulse_sockets, speaker, windows_folder
from nagomi_tui.system.platforms import WINDOWS

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


_EARLY_SECONDS: Final = 0.06
"""Seconds in which a player without a device ends; it is waited for that long."""
_PROBE_SECONDS: Final = 1.0
_POWERSHELL_PLAYS: Final = (
    "$b=[Convert]::FromBase64String([Console]::In.ReadLine());"
    "(New-Object Media.SoundPlayer (New-Object IO.MemoryStream(,$b))).PlaySync()"
)


class Unplayable(Exception):
    """A backend cannot be used, or not for this file; the message says why."""


class Playing:
    """A sound that has begun to play, of so many seconds, perhaps estimated."""

    def __init__(
        self, seconds: float, active: Callable[[], bool], close: Callable[[], object]
    ) -> None:
        self.seconds = seconds
        self._active = active
        self._close = close

    def is_over(self) -> bool:
        """Tell whether it has ended; if so, its resources are freed."""
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
        return lambda path, volume: _program(["aplay", "-q", "-"], packed(read(path, volume)))
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
        pcm = read(path, volume)
        sound: Any = simpleaudio.play_buffer(pcm.data, pcm.channels, SAMPLE_BYTES, pcm.rate)
        return Playing(pcm.seconds, sound.is_playing, _nothing)

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
        return Playing(float(sound.duration or 0), lambda: bool(sound.active), sound.close)

    return play


def _answers(address: str) -> bool:
    """Tell whether a server listens at a socket's path; true for host names, untested."""
    if WINDOWS or not address.startswith("/"):
        return True
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as probe:
        probe.settimeout(_PROBE_SECONDS)
        try:
            probe.connect(address)
        except OSError:
            return False
    return True


def _winsound() -> Callable[[str, float], Playing]:
    if not WINDOWS:
        raise Unplayable("this is not Windows")
    import winsound

    def play(path: str, volume: float) -> Playing:
        pcm = read(path, volume)
        data = packed(pcm)
        # From memory it only plays while one waits.
        player = threading.Thread(
            target=lambda: winsound.PlaySound(data, winsound.SND_MEMORY), daemon=True
        )
        player.start()
        return Playing(pcm.seconds, player.is_alive, _nothing)

    return play


def _powershell() -> Callable[[str, float], Playing]:
    """Play on the Windows around WSL: the sound goes there by stdin, so no path is needed."""

    def play(path: str, volume: float) -> Playing:
        pcm = read(path, volume)
        line = base64.b64encode(packed(pcm)) + b"\n"
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
    return Playing(seconds, lambda: process.poll() is None, _nothing)


def _nothing() -> None:
    return


_SECONDS: Final = 3.0
"""Most seconds for making the file; the parent waits four seconds in all."""
_SAPI: Final = (
    "$t=[Text.Encoding]::UTF8.GetString([Convert]::FromBase64String([Console]::In.ReadLine()));"
    "Add-Type -AssemblyName System.Speech;$s=New-Object System.Speech.Synthesis.SpeechSynthesizer;"
    "$m=New-Object IO.MemoryStream;$s.SetOutputToWaveStream($m);$s.Speak($t);"
    "[Convert]::ToBase64String($m.ToArray())"
)


def spoken(text: str, *, language: str, voice: str = "") -> Path:
    """Return a WAV file of the text, which the caller removes.

    Raises:
        Unplayable: nothing here can speak, or not in this language.
    """
    program = speaker(os.environ)
    handle, name = tempfile.mkstemp(prefix="nagomi-", suffix=".wav")
    os.close(handle)
    path = Path(name)
    try:
        _speak(program, text, path, language=language, voice=voice)
        read(name)
    except (OSError, ValueError, subprocess.SubprocessError) as exc:
        path.unlink(missing_ok=True)
        raise Unplayable(f"{program or 'nothing here'} did not speak: {exc}") from exc
    return path


def _speak(program: str, text: str, path: Path, *, language: str, voice: str) -> None:
    if program.startswith("espeak"):
        _run([program, "-v", voice or language, "-w", str(path), "--stdin"], text.encode())
    elif program == "say":
        chosen = ["-v", voice] if voice else []
        _run(["say", *chosen, "--data-format=LEI16@22050", "-o", str(path)], text.encode())
    elif program == "powershell.exe":
        line = base64.b64encode(text.encode()) + b"\n"
        path.write_bytes(base64.b64decode(_run(powershell(_SAPI), line), validate=False))
    else:
        raise ValueError("no program for speech is installed")


def _run(argv: list[str], data: bytes) -> bytes:
    done = subprocess.run(
        argv,
        input=data,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=_SECONDS,
        check=True,
        cwd=windows_folder() if argv[0].endswith(".exe") else None,
    )
    return done.stdout
