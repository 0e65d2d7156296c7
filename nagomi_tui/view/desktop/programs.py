"""Programs on the user's PATH, of which a folder may lie on a disk that does not answer."""

from __future__ import annotations

import shutil
from functools import partial
from typing import Final

from nagomi_tui.aside import Aside

_SECONDS: Final = 0.5
_aside = Aside(most=4)


def find(name: str) -> str | None:
    """Return a program's path as `shutil.which` does; None too where no answer comes soon."""
    try:
        return _aside.wait(partial(shutil.which, name), seconds=_SECONDS)
    except TimeoutError:
        return None
