"""Sound, speech and notices: what would call the user from here."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING, Final

from nagomi_tui.alerts import surroundings
from nagomi_tui.alerts.outer_terminal import outer, way_of
from nagomi_tui.api.messages import Sound
from nagomi_tui.doctor.report import Check
from nagomi_tui.system.console import tr
from nagomi_tui.system.environment import is_far

if TYPE_CHECKING:
    from nagomi_tui.api.messages import SoundStanding
    from nagomi_tui.doctor.report import Residents


_TMUX_SECONDS: Final = 2.0


def checks(found: Residents) -> list[Check]:
    """Look at what this environment has, and at how sound stands; nothing is played or shown."""
    standing = _standing() if found.orchestrator.pid else None
    return [_sound(standing), *_hushed(standing), _speech(), _notices()]


def _standing() -> SoundStanding | None:
    """Ask the orchestrator what it can play with, if it says."""
    from nagomi_tui.api.command_client import ask
    from nagomi_tui.system.outcome import CommandError

    try:
        return ask(Sound(id=0, do="status"))
    except CommandError:
        return None


def _sound(standing: SoundStanding | None) -> Check:
    env = os.environ
    if standing is not None and standing.why:
        again = tr("`nagomi sound test` tries again.")
        bell = tr("the terminal's bell rings")
        return _check("sound", tr("Sound"), bell, meaning=standing.why, remedy=again, well=False)
    if is_far(env):
        return _check("sound", tr("Sound"), tr("the bell of your terminal, since you came by ssh"))
    if found := surroundings.backends(env):
        test = tr("`nagomi sound test` plays one.")
        return _check("sound", tr("Sound"), ", ".join(found), meaning=test)
    return _check(
        "sound",
        tr("Sound"),
        tr("no sound device; the terminal's bell rings"),
        meaning=tr("PulseAudio, PipeWire and ALSA were looked for."),
        well=False,
    )


def _hushed(standing: SoundStanding | None) -> list[Check]:
    """Say that no sound may be heard now, since that is easily forgotten."""
    if standing is None or not standing.quiet:
        return []
    until = standing.muted_until
    clock = time.strftime("%H:%M", time.localtime(until)) if until else ""
    return [
        Check(
            key="hushed",
            label=tr("Quiet"),
            result="ok",
            found=tr("no sound until {clock}", clock=clock)
            if until
            else tr("these are quiet hours"),
            meaning=tr("`nagomi sound unmute` ends that.") if until else "",
        )
    ]


def _speech() -> Check:
    found = surroundings.speaker(os.environ)
    return Check(
        key="speech",
        label=tr("Speech"),
        result="ok" if found else "missing",
        found=found or tr("none; optional: espeak-ng reads aloud"),
    )


def _notices() -> Check:
    terminal = outer(os.environ)
    way = way_of(terminal, "auto")
    label = tr("Notices")
    if surroundings.toaster(os.environ):
        return _check("notices", label, tr("by the desktop, else by the terminal ({way})", way=way))
    found = tr("by the terminal ({way})", way=way)
    if terminal.between != "tmux" or way in ("bell", "off") or _passes():
        return _check("notices", label, found)
    return _check(
        "notices",
        label,
        found,
        meaning=tr("tmux holds notices back; its bell comes through."),
        remedy=tr("In tmux.conf: `set -g allow-passthrough on`."),
        well=False,
    )


def _passes() -> bool:
    """Tell whether tmux lets through what is meant for the terminal around it."""
    command = ["tmux", "show-options", "-gv", "allow-passthrough"]
    try:
        told = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_TMUX_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return told.stdout.strip() in ("on", "all")


def _check(
    key: str, label: str, found: str, *, meaning: str = "", remedy: str = "", well: bool = True
) -> Check:
    return Check(
        key=key,
        label=label,
        result="ok" if well else "warning",
        found=found,
        meaning=meaning,
        remedy=remedy,
    )
