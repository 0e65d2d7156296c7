"""What could end the sessions: a logout, closing the last WSL window, a lost SSH connection."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Final

from nagomi_tui.doctor.report import Check
from nagomi_tui.system.console import program, tr
from nagomi_tui.system.platforms import WINDOWS

_LOGIND: Final = (
    "busctl", "get-property", "org.freedesktop.login1", "/org/freedesktop/login1",
    "org.freedesktop.login1.Manager", "KillUserProcesses",
)  # fmt: skip


def checks() -> list[Check]:
    """Explain what a logout and a closed window do here."""
    return [_logout(), *_wsl(), *_ssh()]


def _logout() -> Check:
    """systemd-logind may be told to kill what a user leaves behind; lingering spares it."""
    label = tr("Logout")
    if not Path("/run/systemd/system").is_dir():
        return Check(
            key="logout",
            label=label,
            result="ok",
            found=tr("no systemd here"),
            meaning=tr("The sessions run on after a logout."),
        )
    lingers = (Path("/var/lib/systemd/linger") / _user()).exists()
    kills = _kills_on_logout()
    found = tr("systemd, lingering is on") if lingers else tr("systemd, lingering is off")
    if lingers or kills is False:
        return Check(
            key="logout",
            label=label,
            result="ok",
            found=found,
            meaning=tr("The sessions run on after a logout."),
        )
    return Check(
        key="logout",
        label=label,
        result="warning",
        found=found,
        meaning=tr("A logout ends all sessions (KillUserProcesses is on).")
        if kills
        else tr("A logout may end all sessions; what systemd is set to could not be read."),
        remedy=tr("`loginctl enable-linger`, then `nagomi quit` and `nagomi`."),
    )


def _user() -> str:
    if WINDOWS:
        return os.environ.get("USERNAME", "")
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _kills_on_logout() -> bool | None:
    """Ask logind; None where it does not say."""
    if shutil.which("busctl") is None:
        return None
    try:
        told = subprocess.run(
            _LOGIND, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return {"b true": True, "b false": False}.get(told.stdout.strip())


def in_wsl() -> bool:
    """Tell whether this is Windows Subsystem for Linux: its kernel names its maker."""
    return "microsoft" in platform.release().lower() or "WSL_DISTRO_NAME" in os.environ


def _wsl() -> list[Check]:
    if not in_wsl():
        return []
    return [
        Check(
            key="wsl",
            label="WSL",
            result="warning",
            found=os.environ.get("WSL_DISTRO_NAME", platform.release()),
            meaning=tr(
                "Some time after its last window was closed, Windows may stop WSL with all sessions."
            ),
            remedy=tr(
                "In %UserProfile%\\.wslconfig: instanceIdleTimeout=-1 under [general] and "
                "vmIdleTimeout=-1 under [wsl2], then `wsl --shutdown`."
            ),
        )
    ]


def _ssh() -> list[Check]:
    line = os.environ.get("SSH_CONNECTION", "").split()
    if not line:
        return []
    return [
        Check(
            key="ssh",
            label="SSH",
            result="ok",
            found=tr("from {host}", host=line[0]),
            meaning=tr(
                "A lost connection only detaches; `{program}` brings you back.", program=program()
            ),
        )
    ]
