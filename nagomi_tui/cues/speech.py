"""Text to speech into a WAV file, by the system's programs; runs in the helper process."""

from __future__ import annotations

import base64
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from nagomi_tui.cues import wav
from nagomi_tui.cues.backends import Unplayable, powershell
from nagomi_tui.cues.surroundings import speaker, windows_folder

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
        wav.read(name)
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
