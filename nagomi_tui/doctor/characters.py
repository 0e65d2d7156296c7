"""How many cells characters take in the outer terminal, and whether its fonts have them."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Final

from nagomi_tui.commands.speech import tr
from nagomi_tui.core.text.text import cells
from nagomi_tui.cues import surroundings
from nagomi_tui.doctor.check import Check
from nagomi_tui.doctor.probe import SAMPLES
from nagomi_tui.variables import is_far
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.doctor.probe import Abilities

_FAULTS: Final = {
    "wide": (
        translatable(
            "Japanese takes {found} cells for {wanted} here, so words lie over each other."
        ),
        translatable(
            "Choose another terminal, or in tmux and screen a UTF-8 locale before they start."
        ),
    ),
    "ambiguous": (
        translatable(
            "Signs such as ○ ◆ … take {found} cells for {wanted}, so lines and frames are shifted."
        ),
        translatable("In the terminal's settings, let ambiguous characters be one cell wide."),
    ),
    "blocks": (
        translatable("Half-blocks take {found} cells for {wanted}, so characters look torn."),
        translatable(
            "Let ambiguous characters be one cell wide, or set `character_size` to `line`."
        ),
    ),
    "lines": (
        translatable("Lines of frames take {found} cells for {wanted}, so frames are torn."),
        translatable("In the terminal's settings, let ambiguous characters be one cell wide."),
    ),
    "face": (
        translatable(
            "Small faces take {found} cells for {wanted}, so what follows them is shifted."
        ),
        translatable("In the terminal's settings, let ambiguous characters be one cell wide."),
    ),
    "kana": (
        translatable("Kana with a sign of its own take {found} cells for {wanted}."),
        translatable("File names from macOS may be shifted; nagomi's own words are not."),
    ),
}
"""What follows where a sample takes other widths than nagomi's own words count on, and a remedy."""
_CLUSTERS: Final = ("emoji", "emoji_sign", "family", "flag")
"""Terminals differ here, and nagomi places the cursor anew after each of them."""
_FONT_SECONDS: Final = 3.0
_FONT_SAMPLES: Final = {"ja": "3042", "signs": "25c6", "blocks": "2580"}


def checks(told: Abilities) -> list[Check]:
    """Compare what the terminal did with what nagomi counts on."""
    if not told.widths:
        return unasked(tr("not told"))
    wrong = [name for name in _FAULTS if told.widths[name] != cells(SAMPLES[name])]
    unlike = [name for name in _CLUSTERS if told.widths[name] != cells(SAMPLES[name])]
    meanings = [
        tr(_FAULTS[name][0], found=told.widths[name], wanted=cells(SAMPLES[name])) for name in wrong
    ]
    if unlike:
        parts = " ".join(SAMPLES[name] for name in unlike)
        meanings.append(
            tr("Emoji differ ({signs}); nagomi sets what follows them right.", signs=parts)
        )
    return [
        Check(
            key="widths",
            label=tr("Character widths"),
            result="warning" if wrong else "ok",
            found=tr("other than nagomi counts on") if wrong else tr("as nagomi counts on"),
            meaning=" ".join(meanings),
            remedy=" ".join(dict.fromkeys(tr(_FAULTS[name][1]) for name in wrong)),
        ),
        _fonts(),
    ]


def unasked(why: str) -> list[Check]:
    """Return the same checks where no terminal can be asked."""
    return [Check(key="widths", label=tr("Character widths"), result="ok", found=why), _fonts()]


def _fonts() -> Check:
    """Show what the fonts must have; where the screen is at this machine, look for them too."""
    sample = f"あ漢 ○●◆▲✓ ▀▄█▌ ╭─╯ (˘ω˘) {SAMPLES['emoji']}"
    lacking = _lacking()
    return Check(
        key="fonts",
        label=tr("Fonts"),
        result="warning" if lacking else "ok",
        found=sample,
        meaning=tr("No font here has these: {names}.", names=", ".join(lacking))
        if lacking
        else tr(
            "Boxes or gaps here mean that your terminal's font lacks them; no Nerd Font is needed."
        ),
        remedy=tr("Install Noto Sans Mono CJK JP and DejaVu Sans Mono, and choose one of them."),
    )


def _lacking() -> list[str]:
    """Ask fontconfig, whose answer counts only where its desktop draws the terminal."""
    env = os.environ
    desktop = env.get("DISPLAY") or env.get("WAYLAND_DISPLAY")
    program = shutil.which("fc-list")
    if not desktop or not program or is_far(env) or surroundings.is_wsl(env):
        return []
    names = {"ja": tr("Japanese"), "signs": "◆", "blocks": "▀"}
    return [names[key] for key, code in _FONT_SAMPLES.items() if not _has(program, code)]


def _has(program: str, code: str) -> bool:
    """Tell whether some font has the character; one that cannot be asked has it."""
    try:
        told = subprocess.run(
            [program, "-q", f":charset={code}"],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=_FONT_SECONDS,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return True
    return told.returncode == 0
