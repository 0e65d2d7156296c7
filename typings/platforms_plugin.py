"""Lets mypy know what `nagomi_tui.system.platforms` says on the platform that is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy.plugin import Plugin

if TYPE_CHECKING:
    from mypy.options import Options

_NAMES = {"linux": "LINUX", "darwin": "MACOS", "win32": "WINDOWS"}


class Platforms(Plugin):
    """Has each of the three names be always true, or always false."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        for platform, name in _NAMES.items():
            known = options.always_true if platform == options.platform else options.always_false
            if name not in known:
                known.append(name)


def plugin(_version: str) -> type[Plugin]:
    """Return the plugin: mypy asks for it by this name."""
    return Platforms
