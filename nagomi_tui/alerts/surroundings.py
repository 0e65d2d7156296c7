"""Finds what could play sounds and show toasts, by variables and files alone."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from importlib import util
from pathlib import Path
from typing import Final, Literal

from nagomi_tui.system.environment import is_far
from nagomi_tui.system.platforms import LINUX, WINDOWS

CARRIED: Final = (
    "PULSE_SERVER", "PULSE_COOKIE", "PULSE_RUNTIME_PATH", "PIPEWIRE_REMOTE", "PIPEWIRE_RUNTIME_DIR",
    "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "ALSA_CONFIG_PATH", "HOME", "PATH", "DISPLAY",
    "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "WSL_INTEROP", "WSL_DISTRO_NAME", "LANG",
    "LC_ALL",
)  # fmt: skip
"""Variables that a helper needs to reach the user's sound server and desktop."""

_PLAYERS: Final = ("pw-play", "paplay", "aplay", "afplay")
_FIRST_UNSOUND: Final = (3, 12)
"""From this Python on simpleaudio crashes: it frees its buffers without the GIL."""


def is_wsl(env: Mapping[str, str]) -> bool:
    """Tell whether this is Linux inside Windows."""
    if env.get("WSL_DISTRO_NAME") or env.get("WSL_INTEROP"):
        return True
    try:
        return "microsoft" in Path("/proc/version").read_text(encoding="utf-8").lower()
    except OSError:
        return False


def carried(env: Mapping[str, str]) -> dict[str, str]:
    """Return what a helper needs of a user's environment."""
    return {name: env[name] for name in CARRIED if env.get(name)}


def sound_device(env: Mapping[str, str]) -> Literal["", "system", "pulse", "pipewire", "alsa"]:
    """Return the sound system of this machine, as far as files show it; empty if none."""
    if not LINUX:
        return "system"
    if pulse_sockets(env):
        return "pulse"
    runtime = env.get("PIPEWIRE_RUNTIME_DIR") or env.get("XDG_RUNTIME_DIR", "")
    if runtime and _is_socket(f"{runtime}/{env.get('PIPEWIRE_REMOTE') or 'pipewire-0'}"):
        return "pipewire"
    return "alsa" if _has_alsa(env) else ""


def pulse_sockets(env: Mapping[str, str]) -> list[str]:
    """Return the addresses of PulseAudio's servers: paths that exist, and hosts."""
    if named := env.get("PULSE_SERVER", ""):
        # One or several, each perhaps with the machine's id in braces before it.
        parts = [re.sub(r"^\{.*?\}", "", part) for part in named.split()]
        paths = [part.removeprefix("unix:") for part in parts]
        return [path for path in paths if not path.startswith("/") or _is_socket(path)]
    folders = (env.get("PULSE_RUNTIME_PATH", ""), f"{env.get('XDG_RUNTIME_DIR', '')}/pulse")
    paths = [f"{folder}/native" for folder in folders if folder.startswith("/")]
    return [path for path in paths if _is_socket(path)]


def _is_socket(path: str) -> bool:
    try:
        return Path(path).is_socket()
    except OSError:  # a folder of somebody else, whose variables were taken over
        return False


def _has_alsa(env: Mapping[str, str]) -> bool:
    config = env.get("XDG_CONFIG_HOME") or f"{env.get('HOME', '')}/.config"
    own = (
        env.get("ALSA_CONFIG_PATH", ""),
        f"{env.get('HOME', '')}/.asoundrc",
        f"{config}/alsa/asoundrc",
    )
    if any(os.path.isfile(path) for path in own):
        return True
    try:
        return "[" in Path("/proc/asound/cards").read_text(encoding="utf-8")
    except OSError:
        return False


def backends(env: Mapping[str, str], setting: str = "auto") -> list[str]:
    """Return the backends to try, best first; only one if the setting names it."""
    wsl = is_wsl(env)
    shell = ["powershell"] if wsl and shutil.which("powershell.exe", path=env.get("PATH")) else []
    found = [*(_local_backends(env) if sound_device(env) else []), *shell]
    if setting == "auto":
        return found
    return [setting] if setting in found else []


def _local_backends(env: Mapping[str, str]) -> list[str]:
    found = [name for name in ("simpleaudio", "just_playback") if _is_installed(name)]
    if WINDOWS:
        found.append("winsound")
    return found + [name for name in _PLAYERS if shutil.which(name, path=env.get("PATH"))]


def _is_installed(module: str) -> bool:
    if util.find_spec(module) is None:
        return False
    if module != "simpleaudio" or sys.version_info < _FIRST_UNSOUND:
        return True
    from importlib import metadata  # It takes as long to load as all else here.

    try:
        metadata.distribution("simpleaudio-patched")
    except metadata.PackageNotFoundError:
        return False
    return True


def speaker(env: Mapping[str, str]) -> str:
    """Return the program that can speak a text; empty if there is none."""
    names = ["espeak-ng", "espeak", "say"]
    if is_wsl(env) or WINDOWS:
        names.append("powershell.exe")
    return next((name for name in names if shutil.which(name, path=env.get("PATH"))), "")


def toaster(env: Mapping[str, str]) -> Literal["", "desktop", "powershell"]:
    """Return what may show toasts on the user's desktop; empty if nothing does."""
    if is_far(env):
        return ""
    if not LINUX:
        return "desktop"
    if bus_is_there(env):
        return "desktop"
    if is_wsl(env) and shutil.which("powershell.exe", path=env.get("PATH")):
        return "powershell"
    return ""


def bus_is_there(env: Mapping[str, str]) -> bool:
    """Tell whether a session bus is named and its socket exists."""
    for part in env.get("DBUS_SESSION_BUS_ADDRESS", "").split(";"):
        kind, _, options = part.partition(":")
        named = dict(pair.split("=", 1) for pair in options.split(",") if "=" in pair)
        if kind == "unix" and (path := named.get("path")):
            return Path(path).is_socket()
        if kind in ("unix", "tcp") and named:
            return True
    return False


def windows_folder() -> str:
    """Return a folder from which Windows programs start quickly, where there is one."""
    return "/mnt/c" if os.path.isdir("/mnt/c") else "/"
