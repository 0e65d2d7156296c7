"""The colour themes, and their fitting to what the terminal can show.

On a terminal of few colours, Rich takes the nearest one that it has. Of paper and ink that are
nearly grey it makes lemon, pink and grey on grey, so themes for it name colours that it has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from textual.theme import Theme

LIGHT_256: Final = {
    "background": "#ffffff",
    "surface": "#f2f2f2",
    "panel": "#e8e8e8",
    "foreground": "#303030",
    "primary": "#005f87",
    "secondary": "#5f5f5f",
    "accent": "#a24f1e",
    "success": "#005f00",
    "warning": "#875f00",
    "error": "#af0000",
    "muted": "#666666",
    "frame": "#c6c6c6",
    "scrollbar": "#d0d0d0",
    "blurred": "#dadada",
}
DARK_256: Final = {
    "background": "#1c1c1c",
    "surface": "#262626",
    "panel": "#303030",
    "foreground": "#e4e4e4",
    "primary": "#87afd7",
    "secondary": "#afaf87",
    "accent": "#d7875f",
    "success": "#87af5f",
    "warning": "#d7af5f",
    "error": "#ff8787",
    "muted": "#969696",
    "frame": "#4e4e4e",
    "scrollbar": "#444444",
    "blurred": "#3a3a3a",
}

_BLACK: Final = "#000000"
_RED: Final = "#aa0000"
_BLUE: Final = "#0000aa"
_MAGENTA: Final = "#aa00aa"
_CYAN: Final = "#00aaaa"
_LIGHT_GREY: Final = "#aaaaaa"
_GREY: Final = "#555555"
_BRIGHT_RED: Final = "#ff5555"
_BRIGHT_GREEN: Final = "#55ff55"
_BRIGHT_YELLOW: Final = "#ffff55"
_BRIGHT_BLUE: Final = "#5555ff"
_BRIGHT_MAGENTA: Final = "#ff55ff"
_BRIGHT_CYAN: Final = "#55ffff"
_WHITE: Final = "#ffffff"
"""Each of these is exactly one of the 16 colours for Rich; the terminal draws its own instead.

They are chosen by what xterm draws: on white, only black, the two blues, red and magenta can be
read, and grey cannot; on black, grey is left out of words since some terminals draw it very dark.
"""

LIGHT_16: Final = {
    "background": _WHITE,
    "surface": _WHITE,
    "panel": _LIGHT_GREY,
    "foreground": _BLACK,
    "primary": _BLUE,
    "secondary": _BLACK,
    "accent": _MAGENTA,
    "success": _BRIGHT_BLUE,
    "warning": _BLACK,
    "error": _RED,
    "muted": _BLACK,
    "frame": _GREY,
    "scrollbar": _GREY,
    "blurred": _LIGHT_GREY,
}
DARK_16: Final = {
    "background": _BLACK,
    "surface": _BLACK,
    "panel": _BLACK,
    "foreground": _WHITE,
    "primary": _BRIGHT_CYAN,
    "secondary": _LIGHT_GREY,
    "accent": _BRIGHT_YELLOW,
    "success": _BRIGHT_GREEN,
    "warning": _BRIGHT_MAGENTA,
    "error": _BRIGHT_RED,
    "muted": _LIGHT_GREY,
    "frame": _GREY,
    "scrollbar": _GREY,
    "blurred": _GREY,
}
LIGHT_CONTRAST_16: Final = LIGHT_16 | {"success": _BLUE, "frame": _BLACK, "scrollbar": _BLACK}
DARK_CONTRAST_16: Final = DARK_16 | {
    "secondary": _WHITE,
    "muted": _WHITE,
    "frame": _LIGHT_GREY,
    "scrollbar": _LIGHT_GREY,
}
LIGHT_BADGES_16: Final = {"success": _BLUE, "accent": _RED, "warning": _MAGENTA, "error": _BLACK}
DARK_BADGES_16: Final = {"success": _CYAN, "warning": _WHITE}

LIGHT: Final = "nagomi-light"
DARK: Final = "nagomi-dark"
CONTRAST: Final = "-contrast"
EVERYONE: Final = "-everyone"
"""Ends the names of themes whose badges do not depend on telling red from green."""
INDEXED: Final = "-256"
FEW: Final = "-16"
"""Ends the names of themes for terminals with 16 colours, which look as each terminal wants."""

_LIGHT: Final = {
    "background": "#f6f1e7",
    "surface": "#efe8da",
    "panel": "#e6dccb",
    "foreground": "#3d3a36",
    "primary": "#44608f",
    "secondary": "#666a58",
    "accent": "#a24f1e",
    "success": "#547038",
    "warning": "#82631d",
    "error": "#9f5149",
    "muted": "#6e675c",
    "frame": "#cfc4b1",
    "scrollbar": "#d9cebc",
    "blurred": "#dcd3c2",
}
_DARK: Final = {
    "background": "#201f23",
    "surface": "#29272c",
    "panel": "#333037",
    "foreground": "#e4dccd",
    "primary": "#93abd6",
    "secondary": "#a2a68e",
    "accent": "#e39a66",
    "success": "#a2bd7c",
    "warning": "#d6b46c",
    "error": "#d58b80",
    "muted": "#968f85",
    "frame": "#47434a",
    "scrollbar": "#403c44",
    "blurred": "#3a373e",
}
_LIGHT_CONTRAST: Final = {
    "background": "#ffffff",
    "surface": "#f0f0f0",
    "panel": "#e0e0e0",
    "foreground": "#000000",
    "primary": "#123a8c",
    "secondary": "#3c4420",
    "accent": "#8a3200",
    "success": "#1f5200",
    "warning": "#5e4200",
    "error": "#8c1a12",
    "muted": "#4a4a4a",
    "frame": "#6a6a6a",
    "scrollbar": "#6a6a6a",
    "blurred": "#d0d0d0",
}
_DARK_CONTRAST: Final = {
    "background": "#000000",
    "surface": "#141414",
    "panel": "#262626",
    "foreground": "#ffffff",
    "primary": "#a9c8ff",
    "secondary": "#d7dcc0",
    "accent": "#ffb27a",
    "success": "#c4ee8e",
    "warning": "#ffdd7a",
    "error": "#ffb0a4",
    "muted": "#c8c8c8",
    "frame": "#9a9a9a",
    "scrollbar": "#9a9a9a",
    "blurred": "#303030",
}
_LIGHT_BADGES: Final = {
    "primary": "#1a5a96",
    "success": "#0a66a2",
    "accent": "#984b00",
    "warning": "#5c5c5c",
    "error": "#6b5200",
}
_DARK_BADGES: Final = {
    "primary": "#8db4e2",
    "success": "#56b4e9",
    "accent": "#f0a030",
    "warning": "#b8b8b8",
    "error": "#f0e070",
}
_LIGHT_CONTRAST_BADGES: Final = {
    "primary": "#185288",
    "success": "#085383",
    "accent": "#7d3e00",
    "warning": "#505050",
    "error": "#634c00",
}


def _theme(name: str, colors: dict[str, str], *, dark: bool) -> Theme:
    return Theme(
        name=name,
        dark=dark,
        background=colors["background"],
        surface=colors["surface"],
        panel=colors["panel"],
        foreground=colors["foreground"],
        primary=colors["primary"],
        secondary=colors["secondary"],
        accent=colors["accent"],
        success=colors["success"],
        warning=colors["warning"],
        error=colors["error"],
        variables={
            "muted": colors["muted"],
            "frame": colors["frame"],
            "border": colors["primary"],
            "border-blurred": colors["frame"],
            "input-selection-background": f"{colors['primary']} {30 if dark else 25}%",
            "scrollbar": colors["scrollbar"],
            "scrollbar-background": colors["background"],
            "scrollbar-corner-color": colors["background"],
            "footer-key-foreground": colors["accent"],
            "block-cursor-foreground": colors["background"],
            "block-cursor-background": colors["primary"],
            "block-cursor-blurred-background": colors["blurred"],
            "block-hover-background": colors["panel"],
            # None of 16 colours is a background on which all the colours of a line can be read, whatever
            # the terminal draws for them: what stands out has its own colours reversed.
            "row-focused": "reverse" if FEW in name else "none",
            "row-marked": "bold reverse" if FEW in name else "bold",
            # Textual reverses no option of a list.
            "option-marked": "bold underline" if FEW in name else "bold",
        },
    )


def _all() -> tuple[Theme, ...]:
    made = []
    for name, dark, colors, badges in (
        (LIGHT, False, _LIGHT, _LIGHT_BADGES),
        (LIGHT + INDEXED, False, LIGHT_256, _LIGHT_BADGES),
        (DARK + INDEXED, True, DARK_256, _DARK_BADGES),
        (LIGHT + CONTRAST, False, _LIGHT_CONTRAST, _LIGHT_CONTRAST_BADGES),
        (DARK, True, _DARK, _DARK_BADGES),
        (DARK + CONTRAST, True, _DARK_CONTRAST, _DARK_BADGES),
        (LIGHT + FEW, False, LIGHT_16, LIGHT_BADGES_16),
        (LIGHT + CONTRAST + FEW, False, LIGHT_CONTRAST_16, LIGHT_BADGES_16),
        (DARK + FEW, True, DARK_16, DARK_BADGES_16),
        (DARK + CONTRAST + FEW, True, DARK_CONTRAST_16, DARK_BADGES_16),
    ):
        made.append(_theme(name, colors, dark=dark))
        made.append(_theme(name + EVERYONE, colors | badges, dark=dark))
    return tuple(made)


THEMES: Final = _all()


def choose(
    setting: str,
    background: int,
    *,
    high_contrast: bool = False,
    colorblind: bool = False,
    colors: str | None = "truecolor",
) -> str:
    """Return the name of the theme for a setting: `auto`, `light` or `dark`.

    `auto` goes by the outer terminal's background (`0xRRGGBB`, or -1 where it is not known);
    `colors` is what Rich calls the colours that the terminal has.
    """
    light = setting == "light" or (setting == "auto" and background >= 0 and _is_light(background))
    room = LIGHT if light else DARK
    clear = CONTRAST if high_contrast else ""
    if colors not in ("truecolor", "256"):
        room += clear + FEW
    else:
        room += clear or (INDEXED if colors == "256" else "")
    return room + (EVERYONE if colorblind else "")


def _is_light(color: int) -> bool:
    """Return whether dark text is easier to read on this background, by its luma (ITU-R BT.601)."""
    red, green, blue = color >> 16 & 255, color >> 8 & 255, color & 255
    return 0.299 * red + 0.587 * green + 0.114 * blue > 140


ON_LIGHT: Final = (0x303030, 0xFFFFFF)
"""Foreground and background of a room, where the terminal tells none; `ON_DARK` as engines have them."""
ON_DARK: Final = (0xD0D0D0, 0x101010)
_WHITES: Final = ("7", "15")


def told_background(env: Mapping[str, str]) -> int:
    """Return the background that the terminal's environment tells as `0xRRGGBB`, or -1 for none.

    Terminals behind a multiplexer may not answer when they are asked; some set `COLORFGBG` to the
    numbers of two of 16 colours, the background last.
    """
    _, separator, number = env.get("COLORFGBG", "").rpartition(";")
    if not separator or not number.isdecimal():
        return -1
    return 0xFFFFFF if number in _WHITES else 0
