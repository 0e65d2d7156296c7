"""The room's colours: washi paper and a kotatsu at night; indigo, persimmon and moss."""

from __future__ import annotations

from typing import Final

from textual.theme import Theme

LIGHT: Final = "nagomi-light"
DARK: Final = "nagomi-dark"

_LIGHT_THEME: Final = Theme(
    name=LIGHT,
    dark=False,
    background="#f6f1e7",
    surface="#efe8da",
    panel="#e6dccb",
    foreground="#3d3a36",
    primary="#44608f",
    secondary="#7a7f6a",
    accent="#bf6430",
    success="#5f7f3f",
    warning="#a07a24",
    error="#a9564e",
    variables={
        "muted": "#8f877a",
        "frame": "#cfc4b1",
        "border": "#44608f",
        "border-blurred": "#cfc4b1",
        "input-selection-background": "#44608f 25%",
        "scrollbar": "#d9cebc",
        "scrollbar-background": "#f6f1e7",
        "scrollbar-corner-color": "#f6f1e7",
        "footer-key-foreground": "#bf6430",
        "block-cursor-foreground": "#f6f1e7",
        "block-cursor-background": "#44608f",
        "block-cursor-blurred-background": "#dcd3c2",
        "block-hover-background": "#e6dccb",
    },
)

_DARK_THEME: Final = Theme(
    name=DARK,
    dark=True,
    background="#201f23",
    surface="#29272c",
    panel="#333037",
    foreground="#e4dccd",
    primary="#93abd6",
    secondary="#a2a68e",
    accent="#e39a66",
    success="#a2bd7c",
    warning="#d6b46c",
    error="#d58b80",
    variables={
        "muted": "#8d867b",
        "frame": "#47434a",
        "border": "#93abd6",
        "border-blurred": "#47434a",
        "input-selection-background": "#93abd6 30%",
        "scrollbar": "#403c44",
        "scrollbar-background": "#201f23",
        "scrollbar-corner-color": "#201f23",
        "footer-key-foreground": "#e39a66",
        "block-cursor-foreground": "#201f23",
        "block-cursor-background": "#93abd6",
        "block-cursor-blurred-background": "#3a373e",
        "block-hover-background": "#333037",
    },
)

THEMES: Final = (_LIGHT_THEME, _DARK_THEME)


def choose(setting: str, background: int) -> str:
    """Return the theme for the setting `auto`, `light` or `dark`.

    `auto` goes by the outer terminal's background (`0xRRGGBB`, or -1 where it is not known).
    """
    if setting in {"light", "dark"}:
        return LIGHT if setting == "light" else DARK
    return LIGHT if background >= 0 and _is_light(background) else DARK


def _is_light(color: int) -> bool:
    """Return whether dark text reads better on it, by its luma (ITU-R BT.601)."""
    red, green, blue = color >> 16 & 255, color >> 8 & 255, color & 255
    return 0.299 * red + 0.587 * green + 0.114 * blue > 140
