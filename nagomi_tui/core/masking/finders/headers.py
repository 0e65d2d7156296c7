"""Finds what HTTP headers carry: Authorization, cookies, and a bare `Bearer …` (N-90)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.masking.chance import looks_random
from nagomi_tui.core.masking.lists import listed
from nagomi_tui.core.masking.names import Holds
from nagomi_tui.core.masking.plain import WORDS, is_plain
from nagomi_tui.core.masking.values import read_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.core.masking.spans import Span

_SEPARATED: Final = (
    r"\\{0,3}[\"'`]?\]?[ \t]{0,8}(?::|=>|=(?!=)"
    r"|(?<=[\"']),(?=\s?[\"'](?:bearer|basic|token|digest|apikey|bot) ))[ \t]{0,8}(?:\\{0,3}[fbr]?[\"'`])?"
)
_AUTHORIZATION: Final = re.compile(rf"authorization{_SEPARATED}")
_SCHEME: Final = re.compile(r"([A-Za-z][\w-]{1,30})[ \t]+(?=\S)")
_ONE_WORD: Final = listed("bearer basic token apikey api-key key ssws negotiate bot jwt")
_CREDENTIALS: Final = re.compile(r"[^\s\"'`,;\\<>]++")
_REST: Final = re.compile(r"[^\"'`\r\n\\]++")
_PARAMETERS: Final = re.compile(r"[^'`\r\n]++")
_BEARER: Final = re.compile(r"bearer[ \t]{1,4}([a-z0-9._~+/=\-]{8,}+)")
_COOKIE: Final = re.compile(rf"(?:set-)?cookie[0-9s]?{_SEPARATED}")
_CRUMB: Final = re.compile(
    r"[ \t]{0,4}([!#$%&*+.^_|~A-Za-z0-9\-\[\]]{1,80}+)=([^\s;,\"'`\\]*+)[ \t]?;?"
)

_TASTE: Final = re.compile(
    r"(?i)(?:\w*_)?(?:theme|lang(?:uage)?|locale|i18n\w*|colou?r[-_]?(?:mode|scheme)?|dark[-_]?mode|mode|\w*consent|tz|timezone"
    r"|currency|country|region|layout|sidebar\w*|view|font\w*|seen\w*|banner\w*|variant|gdpr|units?|path|domain|expires)"
)
"""Cookies that hold what a user likes, and open nothing."""


def find_headers(text: str, low: str) -> Iterator[Span]:
    """Yield where credentials and cookie values stand; `low` is `text` in lower case."""
    if "authorization" in low:
        yield from _authorizations(text, low)
    if "bearer" in low:
        for found in _BEARER.finditer(low):
            if _is_credential(text[found.start(1) : found.end(1)]):
                yield found.span(1)
    if "cookie" in low:
        yield from _cookies(text, low)


def _authorizations(text: str, low: str) -> Iterator[Span]:
    for found in _AUTHORIZATION.finditer(low):
        at = found.end()
        scheme = _SCHEME.match(text, at)
        pattern = _CREDENTIALS
        if scheme:
            at = scheme.end()
            if scheme[1].lower() not in _ONE_WORD:
                pattern = _PARAMETERS if "=" in text[at : at + 80] else _REST
        value = pattern.match(text, at)
        if value and not _is_template(value[0].rstrip()):
            yield at, at + len(value[0].rstrip())


def _is_template(value: str) -> bool:
    return is_plain(value, strength=Holds.PASSWORD, quoted=False, name="authorization")


def _is_credential(word: str) -> bool:
    """Tell a credential after a bare `Bearer` from prose such as `bearer authentication`."""
    return (
        word.lower() not in WORDS
        and (len(word) >= 24 or looks_random(word))
        and any(char.isdigit() for char in word)
    )


def _cookies(text: str, low: str) -> Iterator[Span]:
    for found in _COOKIE.finditer(low):
        only_first = found[0].startswith("set-")
        at = found.end()
        while crumb := _CRUMB.match(text, at):
            at = crumb.end()
            if crumb[2] and not _is_template(crumb[2]) and not _TASTE.fullmatch(crumb[1]):
                yield crumb.span(2)
            if only_first:
                break


def find_given_cookies(text: str, at: int) -> Iterator[Span]:
    """Yield the values of the cookies that a command line gives at `at`."""
    value = read_value(text, at)
    if value is None:
        return
    at = value.start
    while at < value.end and (crumb := _CRUMB.match(text, at, value.end)):
        at = crumb.end()
        if crumb[2] and not _is_template(crumb[2]):
            yield crumb.span(2)
