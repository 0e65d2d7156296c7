"""Which names may become part of a path."""

from __future__ import annotations

import re
from typing import Final

from nagomi_tui.agent.conversations.faults import BadName

_PLAIN: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
_BESIDE: Final = ".meta"
"""An id must not end like this, as its file would be named like another's side-car."""


def is_plain(name: str) -> bool:
    """Tell whether a name is safe in a path (SB-18)."""
    return bool(_PLAIN.fullmatch(name)) and ".." not in name and not name.endswith(_BESIDE)


def checked(name: str) -> str:
    """Return the name.

    Raises:
        BadName: it is not safe in a path.
    """
    if not is_plain(name):
        raise BadName(name)
    return name
