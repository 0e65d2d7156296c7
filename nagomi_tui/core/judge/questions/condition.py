"""Words that must, may and must not be found in a part of the screen."""

from __future__ import annotations

import msgspec

from nagomi_tui.core.judge.patterns import given_up, multiline


class Condition(msgspec.Struct, frozen=True, rename={"none": "not"}, forbid_unknown_fields=True):
    """Holds if all of `all`, one of `any` and none of `not` are found; an empty list holds."""

    all: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    none: tuple[str, ...] = ()

    def holds(self, text: str) -> bool:
        """Tell whether the text fulfils it; `^` and `$` match at each line."""
        return (
            all(multiline(item).search(text) for item in self.all)
            and (not self.any or any(multiline(item).search(text) for item in self.any))
            and not any(multiline(item).search(text) or given_up(item) for item in self.none)
        )
