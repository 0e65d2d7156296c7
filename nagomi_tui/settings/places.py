"""Where in the settings file something is: lines and columns, both counted from 1."""

from __future__ import annotations

import json
import re
from typing import NamedTuple


class Place(NamedTuple):
    """A place in a text."""

    line: int
    column: int


def of_fault(text: bytes) -> Place | None:
    """Return where a text stops being JSON; None if it is not so broken, or no text at all."""
    try:
        json.loads(text)
    except json.JSONDecodeError as exc:
        return Place(exc.lineno, exc.colno)
    except (UnicodeDecodeError, RecursionError):
        return None
    return None


def of_setting(text: bytes, name: str) -> Place | None:
    """Return where a setting is named in a file; None if that cannot be told."""
    whole = text.decode("utf-8", "replace")
    found = re.search(rf"{re.escape(json.dumps(name, ensure_ascii=False))}\s*:", whole)
    if found is None:
        return None
    before = whole[: found.start()]
    return Place(before.count("\n") + 1, len(before) - before.rfind("\n"))
