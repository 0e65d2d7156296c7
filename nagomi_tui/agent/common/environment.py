"""The environment of sessions that are started for nobody in particular."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_PLAIN: Final = frozenset(
    ["HOME", "LANG", "LANGUAGE", "LOGNAME", "NAGOMI_HOME", "NAGOMI_LANG", "PATH", "SHELL", "TMPDIR",
     "TZ", "USER"]
)  # fmt: skip
_PLAIN_BEGINNINGS: Final = ("LC_", "XDG_")


def plain(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what any program needs, and no key: who the user is, where programs are, the language."""
    return {
        name: value
        for name, value in environment.items()
        if name in _PLAIN or name.startswith(_PLAIN_BEGINNINGS)
    }
