"""Variables of the environment that are read in more than one place.

This is read at the front end's start, and so imports nothing.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def wants_zygote() -> bool:
    """Tell whether front ends may be forked by the zygote: `NAGOMI_ZYGOTE=0` says no."""
    return os.environ.get("NAGOMI_ZYGOTE", "") != "0"


def is_far(env: Mapping[str, str]) -> bool:
    """Tell whether the user sits at another machine, behind ssh."""
    return bool(env.get("SSH_CONNECTION") or env.get("SSH_TTY"))
