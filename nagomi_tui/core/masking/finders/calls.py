"""Finds secrets in calls: `define('DB_PASSWORD', '…')`, `setPassword("…")`, `auth=("me", "…")`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.masking.chance import looks_random
from nagomi_tui.core.masking.names import Holds, holds
from nagomi_tui.core.masking.plain import is_plain, is_said, is_sentence
from nagomi_tui.core.masking.values import Value, read_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.core.masking.spans import Span

_NEXT: Final = re.compile(r",\s{0,16}[\"']")
_QUOTED: Final = re.compile(r"\(\s{0,4}[\"']")
_ARGUMENTS: Final = re.compile(
    r"(?:([a-z_]{3,40})[ ]?\(\s{0,4})?([\"']?)([a-z_][a-z0-9_.\-]{1,60}+)\2,\s{0,16}(?=[\"'])"
)
_GIVES: Final = ("set", "put", "define", "add", "append", "insert", "header", "replace", "update")
"""How functions begin, and end, that take a name and a value."""

_SETTER: Final = re.compile(
    r"(?:set|with|use|new|::)_?([a-z_]{0,40}?(?:pass(?:word|wd|phrase|code)?|secret|token|key|pwd))"
    r"(?:::new)?\(\s{0,4}(?=[\"'])"
)
_TYPED: Final = re.compile(r"([a-z_]{0,40}(?:secret|token|key|password))::(?:new|from)\((?=[\"'])")
_LOGIN: Final = re.compile(
    r"(?<![a-z])(?:auth|basicauth|httpbasicauth|set_?basic_?auth|credentials?)\s?=?\s?\(\s{0,4}"
    r"[\"'][^\"']{1,80}[\"'],\s{0,8}(?=[\"'])"
)
_AFTER_KEY_ID: Final = re.compile(
    r"(?:A[KS]IA[A-Z0-9]{16})(?=[^A-Za-z0-9]).{0,80}?(?<![A-Za-z0-9/+=])"
    r"([A-Za-z0-9/+]{39}[A-Za-z0-9/+=])(?![A-Za-z0-9/+])"
)


def find_calls(text: str, low: str) -> Iterator[Span]:
    """Yield where arguments stand that are secrets; `low` is `text` in lower case."""
    if _NEXT.search(text):
        yield from _named(text, low)
    if _QUOTED.search(text):
        for lead in (_SETTER, _TYPED, _LOGIN):
            for found in lead.finditer(low):
                if value := _given(text, found):
                    yield value.start, value.end


def find_beside_key_id(text: str) -> Iterator[Span]:
    """Yield the secret access keys that stand beside their id, as in a CSV of AWS."""
    if "KIA" in text or "SIA" in text:
        for found in _AFTER_KEY_ID.finditer(text):
            if looks_random(found[1]):
                yield found.span(1)


def _named(text: str, low: str) -> Iterator[Span]:
    """Yield values that follow their quoted name as the next argument."""
    for found in _ARGUMENTS.finditer(low):
        name = text[found.start(3) : found.end(3)]
        strength = holds(name)
        if strength is Holds.NOTHING or not (found[2] or name.rpartition(".")[2].isupper()):
            continue
        value = read_value(text, found.end())
        if value is None or not value.quoted:
            continue
        word = text[value.start : value.end]
        verb = (found[1] or "").lstrip("_")
        gives = verb.startswith(_GIVES) or verb.endswith(_GIVES)
        if gives:
            kept = strength is Holds.PASSWORD or _is_made(word)
        else:
            kept = strength is Holds.PASSWORD and is_said(word)
        if kept and not _is_plain(word, Holds.PASSWORD, name):
            yield value.start, value.end


def _is_made(word: str) -> bool:
    """Tell a key from the words that stand for one in tests: it is long, and not of one case."""
    head = word[:80]
    return is_said(head.replace(" ", "")) or (
        len(head) >= 10 and not (head.islower() or head.isupper())
    )


def _given(text: str, found: re.Match[str]) -> Value | None:
    """Return the quoted argument that the match leads to, if it may be a secret."""
    name = found[1] if found.re.groups else "password"
    value = read_value(text, found.end())
    if holds(name) < Holds.SECRET or value is None or not value.quoted:
        return None
    plain = _is_plain(text[value.start : value.end], Holds.PASSWORD, name)
    return None if plain else value


def _is_plain(word: str, strength: Holds, name: str) -> bool:
    return is_plain(word, strength=strength, quoted=True, name=name) or is_sentence(word, strength)
