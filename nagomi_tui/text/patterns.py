"""Regular expressions that are compiled when they are first searched for, not when they are imported."""

from __future__ import annotations

import re
from typing import Any, AnyStr, Final, cast

_USED: Final = (
    "findall", "finditer", "fullmatch", "groupindex", "groups", "match", "search", "split", "sub", "subn",
)  # fmt: skip


class _Lazy:
    """Stands for a pattern; once that is compiled, its methods are found here without a detour."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        made = re.compile(self.pattern, self.flags)
        vars(self).update({used: getattr(made, used) for used in _USED})
        return getattr(made, name)


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern; it is another object than the `re` of its matches."""
    return cast("re.Pattern[AnyStr]", _Lazy(pattern, flags))
