"""Secrets known by their own form: provider keys, JWTs, what URLs carry."""

from __future__ import annotations

import binascii
import json
import re
import string
from collections.abc import Iterator
from functools import cache
from typing import Final

from nagomi_tui.masking.finders.formats import FORMATS, SHAPES
from nagomi_tui.masking.names import Holds
from nagomi_tui.masking.plain import is_numbered, is_plain, is_uuid, looks_random
from nagomi_tui.masking.values import REDACTED, Span
from nagomi_tui.text.patterns import lazy

# A JSON header begins with `{"` or `{` and white space: `eyJ`, `eyA`, `ewo` … in base64url.
_CANDIDATES: Final = tuple(
    lazy(rf"{head}(?<![A-Za-z0-9_-]{head})[A-Za-z0-9_-]{{5,}}+(?:\.[A-Za-z0-9_-]*+){{1,4}}")
    for head in ("ey", "ew")
)
_PLAIN: Final = lazy(r"eyJ[A-Za-z0-9_-]{5,}+\.eyJ[A-Za-z0-9_-]{5,}+")
_BLANK: Final = lazy(r"\s")
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


_SHORTEST: Final = 14
"""Characters of the shortest word that holds a key, passwords that are said to be plain apart."""
_START: Final = lazy(r"(?<![A-Za-z0-9])[A-Za-z0-9](?=\S{15})")
_WORD_START: Final = lazy(r"(?<![A-Za-z0-9])[A-Za-z0-9]")
_WORD_SIGNS: Final = string.ascii_letters + string.digits + "+/=_.%~-"
_MADE: Final = lazy(
    r"(?<![A-Za-z0-9_/.-])(?!(?:sha[0-9]+|md5|pk|pub|public|h1|blake[0-9a-z]+)[_-])((?:[A-Za-z][A-Za-z0-9]{1,11}[_-]){1,3})(?=[A-Za-z0-9]*[0-9])([A-Za-z0-9]{20,})(?![A-Za-z0-9_./+-])"
)
"""A key of anybody's: words, and behind them what was drawn by chance."""
_OPENS: Final = lazy(
    r"(?i)(?:^|[_-])(?:live|test|prod|production|sandbox|staging|dev|secret|sec|sk|rk|api|key|pat|tok|token|at|rt|access|refresh|auth|svc|srv|personal|admin|master|svcacct|ak|apikey)[_-]"
)
_LONG: Final = 36
"""Letters and digits of a key without such a word; what only names a thing has fewer."""
_CLASS: Final = lazy(r"\[[^\]]+\]")
_CHANGES: Final = lazy(r"[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])")
_TELLING: Final = 5
"""Characters after the beginning of a key that may be told from a word."""
_DISTINCT: Final = 4
"""Characters of a beginning that is found in few words."""
_CUT: Final = (
    ("ey", lazy(r"(?<![A-Za-z0-9_-])(e[yw][A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){0,2})\Z")),
    (":AA", lazy(r"(?<![0-9])([0-9]{8,10}:AA[A-Za-z0-9_-]{3,})\Z")),
    (
        "://",
        lazy(
            r"(?<![a-z])(?!docker|oci|image|file)[a-z][a-z+]{1,20}://[^\s:/@\"'`<>?#]{0,128}:(?!"
            r"[0-9]{1,5}[?.,;:!)\]}*_…。、，）」』】]{0,3}\Z)([^\s\"'`<>/@]{2,256})@?\Z"
        ),
    ),
    (
        "hook",
        lazy(r"hook[\w.-]*/(?:[\w.-]{1,40}/){0,3}((?=[^\s/]*[0-9])[A-Za-z0-9_/-]{5,})\Z"),
    ),
)
"""Keys without a beginning of their own, as a row's end may leave them: JSON web tokens first."""
_HEAD: Final = 2
_REACH: Final = 1024
"""Characters by which is told whether it is a key, so that no line costs more than its length."""


def _by_head() -> dict[str, list[tuple[str, str, bool]]]:
    """Return the beginnings of formats by their first characters."""
    table: dict[str, list[tuple[str, str, bool]]] = {}
    for kind in FORMATS:
        for begin in kind.begins:
            table.setdefault(begin[:_HEAD], []).append((begin, kind.follows, kind.random))
    return table


_BY_HEAD: Final = _by_head()


def find_known(text: str) -> Iterator[Span]:
    """Yield where keys of known formats stand; no letter or digit precedes them."""
    if "{" not in text and max(map(len, text.split()), default=0) < _SHORTEST:
        return
    done = 0
    for start in _START.finditer(text):
        at = start.start()
        if at >= done:
            for begin, follows, random in _BY_HEAD.get(text[at : at + _HEAD], ()):
                if text.startswith(begin, at) and (end := _end(text, at, begin, follows, random)):
                    yield at, end
                    done = max(done, end)
    yield from (found.span() for found in _MADE.finditer(text) if _is_made_key(*found.groups()))
    for mark, shape, _ in SHAPES:
        if mark in text:
            yield from (found.span() for found in _shape(shape).finditer(text))


def _is_made_key(words: str, rest: str) -> bool:
    """Tell whether what stands behind words is a key of theirs, and not the number of a thing."""
    if is_numbered(words) or rest.islower() or rest.isupper() or not looks_random(rest):
        return False
    return len(rest) >= _LONG or _OPENS.search(words) is not None


def _last_word(text: str) -> int:
    """Return where the last word begins; without a regex, which would try it at each word."""
    return len(text.rstrip(_WORD_SIGNS))


def find_begun(text: str) -> list[Span]:
    """Return where a key of a known format begins that reaches to the end of the text."""
    first = max(0, len(text) - _REACH) + _last_word(text[-_REACH:])
    for start in _WORD_START.finditer(text, first):
        at = start.start()
        for begin, follows, _ in _BY_HEAD.get(text[at : at + _HEAD], ()):
            if (
                text.startswith(begin, at)
                and _compiled(follows).match(text, at + len(begin)) is None
            ):
                return [(at, len(text))]
    return []


def find_cut(text: str, end: int) -> list[Span]:
    """Return where a key begins that a row's end cut before it was long enough to be known."""
    reach = max(0, end - _REACH)
    first = reach + _last_word(text[reach:end])
    for mark, begun in _CUT:
        if mark not in text:
            continue
        found = begun.search(text, first if mark == "ey" else reach, end)
        if found and _is_begun(mark, found[1]):
            return [found.span(1)]
    for start in _WORD_START.finditer(text, first, end):
        at = start.start()
        for begin, follows, random in _BY_HEAD.get(text[at : at + _HEAD], ()):
            rest = text[at + len(begin) : end]
            if (
                len(rest) >= _TELLING
                and "..." not in rest
                and text.startswith(begin, at)
                and _alphabet(follows).fullmatch(rest)
                and _is_part(begin, rest, random=random)
            ):
                return [(at, end)]
    return []


def _is_begun(mark: str, word: str) -> bool:
    """Tell whether what stands at the end of a row is what it looks like."""
    if mark == "ey":
        return begins_header(word)
    if word.endswith(REDACTED):
        return False
    return mark != "hook" or looks_random(word.rpartition("/")[2])


def _is_part(begin: str, rest: str, *, random: bool) -> bool:
    """Tell whether what follows the beginning of a key looks like a part of one."""
    if len(begin) < _DISTINCT:
        return len(rest) >= 2 * _TELLING and looks_random(rest)
    changes = len(_CHANGES.findall(rest))
    return changes > random or (rest.isdigit() and len(rest) >= 2 * _TELLING)


@cache
def _alphabet(follows: str) -> re.Pattern[str]:
    """Return the pattern of any text of the characters that may follow the beginning of a key."""
    return re.compile(f"(?:{'|'.join(_CLASS.findall(follows.partition('(?!')[0]))}|[-_.])*")


def _end(text: str, at: int, begin: str, follows: str, random: bool) -> int:
    """Return where the key ends that may begin there; 0 where none does."""
    first = at + len(begin)
    found = _compiled(follows).match(text, first, first + _REACH)
    if found is None or (random and not looks_random(found[0])):
        return 0
    whole = _compiled(follows).match(text, first) if found.end() == first + _REACH else found
    return whole.end() if whole else found.end()


@cache
def _compiled(follows: str) -> re.Pattern[str]:
    return re.compile(follows)


@cache
def _shape(shape: str) -> re.Pattern[str]:
    return re.compile(shape)


# A port is told from a password by the slash or the end after its digits.
_LOGIN: Final = lazy(
    r"://([^\s:/@\"'`<>?#]{0,128}+(?:@[^\s:/@\"'`<>?#]{1,64}(?=:[^\s/@]{1,128}@))?)"
    r"(?::(?![0-9]{1,5}(?:[/?#\s,\"']|$))([^\s\"'`<>]{1,256}(?=@[\w\[$%{.-])))?@?"
)
_SIGNS: Final = ("sig", "credential=", "code=", "key=", "id=", "saml", "ticket=")
_SIGNATURE: Final = lazy(
    r"(?:(?<![\w-])(?=saml)|[?&;])(?:x-amz-|x-goog-)?(?:sig|signature|credential|code|key(?==[a-z0-9_-]{24})|app_?id|state|samlresponse|samlrequest|ticket|x-amz-security-token)="
    r"([a-z0-9%+/=_.~\-]{12,}+)"
)


def find_urls(text: str, low: str) -> Iterator[Span]:
    """Yield where passwords and signatures stand in URLs; `low` is `text` in lower case."""
    if "://" in text and "@" in text:
        yield from _logins(text)
    for link in _LINK.finditer(low) if "/" in low else ():
        if looks_random(text[slice(*link.span(1))]):
            yield link.span(1)
    if "%3d" in low or "%3a" in low:
        yield from (found.span(1) for found in _IN_ADDRESS.finditer(low))
    if "=" in low and any(map(low.__contains__, _SIGNS)):
        yield from (found.span(1) for found in _SIGNATURE.finditer(low))


_IN_ADDRESS: Final = lazy(
    r"(?:pass(?:word|wd|phrase)?|secret|token|api_?key)(?:%22)?%3[da](?:%22|%20)?([^%&\s\"'<>]{4,256})"
)
"""A pair that stands within an address, encoded for it."""
_LINK: Final = lazy(
    r"(?<!/secrets)/(?=[\w./-]{24})[\w-]{0,40}(?:reset|invit|magic|join|claim|accept|share|confirm|verify|activat|password|token|hook)[\w-]{0,40}/(?:[\w.-]{1,40}/){0,3}([a-z0-9_.-]{20,})"
)
"""An address that whoever has it may open once."""


def _logins(text: str) -> Iterator[Span]:
    for found in _LOGIN.finditer(text):
        if found[2] is not None:
            if not _is_plain(found[2]):
                yield found.span(2)
            if _is_key(found[1]):
                yield found.span(1)
        elif found[0].endswith("@") and _is_key(found[1]):
            yield found.span(1)


def _is_plain(value: str) -> bool:
    return is_plain(value, strength=Holds.PASSWORD, quoted=True, name="")


def _is_key(user: str) -> bool:
    """Tell whether the user alone is a key, as in `https://KEY@host`."""
    return len(user) >= 16 and looks_random(user) and not is_uuid(user)
