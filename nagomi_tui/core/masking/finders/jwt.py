"""JSON web tokens: three parts with dots are a candidate, a header that can be read is proof."""

from __future__ import annotations

import binascii
import json
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.core.masking.spans import Span

# A JSON header begins with `{"` or `{` and white space: `eyJ`, `eyA`, `ewo` … in base64url.
_CANDIDATES: Final = tuple(
    re.compile(rf"{head}(?<![A-Za-z0-9_-]{head})[A-Za-z0-9_-]{{5,}}+(?:\.[A-Za-z0-9_-]*+){{1,4}}")
    for head in ("ey", "ew")
)
_PLAIN: Final = re.compile(r"eyJ[A-Za-z0-9_-]{5,}+\.eyJ[A-Za-z0-9_-]{5,}+")
_BLANK: Final = re.compile(r"\s")
_NAMES: Final = tuple(f'{{"{name}"' for name in ("alg", "typ", "kid", "enc", "cty", "x5t", "jku"))
_HEADER_LIMIT: Final = 8192


def find_jwts(text: str) -> Iterator[Span]:
    """Yield where JSON web tokens stand; also one whose end was cut off (N-88, NB-1)."""
    for candidate in _CANDIDATES:
        for found in candidate.finditer(text):
            if _PLAIN.match(found[0]) or _has_header(found[0]):
                yield found.span()


def begins_header(token: str) -> bool:
    """Tell whether the first part of a token, as far as it goes, may be such a header."""
    head = token.partition(".")[0][:64]
    data = binascii.a2b_base64(head[: len(head) // 4 * 4].replace("-", "+").replace("_", "/"))
    said = _BLANK.sub("", data.decode("utf-8", "replace"))[:6]
    return len(said) > 2 and any(name.startswith(said) or said.startswith(name) for name in _NAMES)


def _has_header(token: str) -> bool:
    """Tell whether the first part is the JSON of a header, which names its algorithm."""
    head = token.partition(".")[0]
    if len(head) > _HEADER_LIMIT:
        return False
    try:
        data = binascii.a2b_base64(head.replace("-", "+").replace("_", "/") + "===")
        header = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(header, dict) and "alg" in header
