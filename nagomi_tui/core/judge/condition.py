"""Words that must, may and must not be found in a part of the screen."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec


class Condition(msgspec.Struct, frozen=True, rename={"none": "not"}, forbid_unknown_fields=True):
    """Holds if all of `all`, one of `any` and none of `not` are found; an empty list holds."""

    all: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    none: tuple[str, ...] = ()

    def holds(self, text: str) -> bool:
        """Tell whether the text fulfils it; `^` and `$` match at each line."""
        return (
            all(_compiled(item).search(text) for item in self.all)
            and (not self.any or any(_compiled(item).search(text) for item in self.any))
            and not any(_compiled(item).search(text) for item in self.none)
        )


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)
