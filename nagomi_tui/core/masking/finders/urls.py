"""Finds what URLs carry: `user:password@`, a key as the user, signatures in the query."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.masking.chance import is_uuid, looks_random
from nagomi_tui.core.masking.names import Holds
from nagomi_tui.core.masking.plain import is_plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.core.masking.spans import Span

# A port is told from a password by the slash or the end after its digits.
_LOGIN: Final = re.compile(
    r"://([^\s:/@\"'`<>?#]{0,128}+)"
    r"(?::(?![0-9]{1,5}(?:[/?#\s,\"']|$))([^\s\"'`<>]{1,256}(?=@[\w\[$%{.-])))?@?"
)
_SIGNATURE: Final = re.compile(
    r"[?&;](?:x-amz-|x-goog-)?(?:sig|signature|credential|code|x-amz-security-token)="
    r"([a-z0-9%+/=_.~\-]{12,}+)"
)


def find_urls(text: str, low: str) -> Iterator[Span]:
    """Yield where passwords and signatures stand in URLs; `low` is `text` in lower case."""
    if "://" in text and "@" in text:
        yield from _logins(text)
    if "sig" in low or "credential=" in low or "code=" in low:
        yield from (found.span(1) for found in _SIGNATURE.finditer(low))


def _logins(text: str) -> Iterator[Span]:
    for found in _LOGIN.finditer(text):
        if found[2] is not None:
            if not _is_plain(found[2]):
                yield found.span(2)
        elif found[0].endswith("@") and _is_key(found[1]):
            yield found.span(1)


def _is_plain(value: str) -> bool:
    return is_plain(value, strength=Holds.PASSWORD, quoted=True, name="")


def _is_key(user: str) -> bool:
    """Tell whether the user alone is a key, as in `https://KEY@host`."""
    return len(user) >= 16 and looks_random(user) and not is_uuid(user)
