"""The colours of the themes for terminals with 256 or 16 colours.

Rich takes the nearest colour that such a terminal has. Of paper and ink that are nearly grey it
makes lemon, pink and grey on grey, so that these themes name colours that the terminal has.
"""

from __future__ import annotations

from typing import Final

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
    "panel": _BLUE,
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
    "blurred": _BLUE,
}
LIGHT_CONTRAST_16: Final = LIGHT_16 | {"success": _BLUE, "frame": _BLACK, "scrollbar": _BLACK}
DARK_CONTRAST_16: Final = DARK_16 | {
    "secondary": _WHITE,
    "muted": _WHITE,
    "frame": _LIGHT_GREY,
    "scrollbar": _LIGHT_GREY,
}
LIGHT_BADGES_16: Final = {
    "success": _BLUE,
    "accent": _RED,
    "warning": _MAGENTA,
    "error": _BLACK,
}
DARK_BADGES_16: Final = {"success": _CYAN, "warning": _WHITE}
