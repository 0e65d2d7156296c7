"""Whether the client runs in continuous integration, where the guard is off (D-29, D-57)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLES: Final = ("GITHUB_ACTIONS", "GITHUB_WORKFLOW", "CI", "CONTINUOUS_INTEGRATION")
_NO: Final = ("", "0", "false", "no", "off", "n", "f")


def is_bypassed(variables: Mapping[str, str]) -> bool:
    """Tell by the environment that the client was started with whether the guard is bypassed.

    In a session of the workplace a user is present, so that these variables do not count.
    """
    if variables.get("NAGOMI_SESSION_ID"):
        return False
    return any(variables.get(name, "").strip().casefold() not in _NO for name in VARIABLES)
