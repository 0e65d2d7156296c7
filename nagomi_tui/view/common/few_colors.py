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
LIGHT_16: Final = {
    "background": "#ffffff",
    "surface": "#ffffff",
    "panel": "#aaaaaa",
    "foreground": "#000000",
    "primary": "#0000aa",
    "secondary": "#555555",
    "accent": "#aa5500",
    "success": "#00aa00",
    "warning": "#aa5500",
    "error": "#aa0000",
    "muted": "#555555",
    "frame": "#aaaaaa",
    "scrollbar": "#aaaaaa",
    "blurred": "#aaaaaa",
}
DARK_16: Final = {
    "background": "#000000",
    "surface": "#000000",
    "panel": "#555555",
    "foreground": "#ffffff",
    "primary": "#55ffff",
    "secondary": "#aaaaaa",
    "accent": "#ffff55",
    "success": "#55ff55",
    "warning": "#ffff55",
    "error": "#ff5555",
    "muted": "#aaaaaa",
    "frame": "#555555",
    "scrollbar": "#555555",
    "blurred": "#555555",
}
