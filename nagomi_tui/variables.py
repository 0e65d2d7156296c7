"""Variables of the environment that are read in more than one place.

This is read at the front end's start, and so imports nothing.
"""

from __future__ import annotations

import os


def wants_zygote() -> bool:
    """Tell whether front ends may be forked by the zygote: `NAGOMI_ZYGOTE=0` says no."""
    return os.environ.get("NAGOMI_ZYGOTE", "") != "0"
