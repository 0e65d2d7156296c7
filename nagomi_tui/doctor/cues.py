"""Sound, speech and notices: what would call the user from here."""

from __future__ import annotations

import os

from nagomi_tui.commands.speech import tr
from nagomi_tui.core.outer_terminal import outer, way_of
from nagomi_tui.cues import surroundings
from nagomi_tui.doctor.check import Check


def checks() -> list[Check]:
    """Look at what this environment has; nothing is played or shown."""
    return [_sound(), _speech(), _notices()]


def _sound() -> Check:
    env = os.environ
    if surroundings.is_far(env):
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
    if terminal.between != "tmux":
        return _check("notices", label, found)
    return _check(
        "notices",
        label,
        found,
        meaning=tr("tmux holds notices back; its bell comes through."),
        remedy=tr("In tmux.conf: `set -g allow-passthrough on`."),
        well=False,
    )


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
