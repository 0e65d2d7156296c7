"""Finds named secrets that no `=` or `:` joins to their name: tags, Dockerfiles, sentences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from nagomi_tui.core.masking.names import Holds, holds
from nagomi_tui.core.masking.plain import is_plain
from nagomi_tui.core.masking.values import Value, read_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.core.masking.spans import Span


class Phrase(NamedTuple):
    """A way to give a secret: a literal in it, what leads to the value, and where it is used.

    The lead has the name as its first group; a second group is the value where it stands within.
    """

    mark: str
    lead: re.Pattern[str]
    used: str


PHRASES: Final = (
    Phrase(
        "</",
        re.compile(r"<([a-z][a-z0-9_:.\-]{1,60}+)(?: [^<>]{0,80})?>([^<>]{1,400})</"),
        "XML elements",
    ),
    Phrase(
        "value",
        re.compile(
            r"(?:key|name)[\"']?\s?[:=]\s?[\"']([a-z0-9_.\-]{2,60}+)[\"'][,;]?\s{0,4}"
            r"[\"']?value[\"']?\s?[:=]\s?"
        ),
        "XML attributes and JSON objects of a name and a value",
    ),
    Phrase(
        "env ",
        re.compile(r"(?:^|\s)env ([a-z][a-z0-9_]{2,60}+) (?=[^\s=])"),
        "Dockerfiles of old",
    ),
    Phrase(
        "set",
        re.compile(
            r"(?:config set|\bsetx|\bsetenv|\bset -g?x|\bset -xg) ([^\s=]{2,80}+)[ =](?=\S)"
        ),
        "npm and other configuration, fish, csh, Windows",
    ),
    Phrase(
        " is",
        re.compile(r"((?:pass(?:word|phrase|code)|pin code|secret|token)) is(?: now)?:? (?=\S)"),
        "sentences",
    ),
    Phrase("パスワードは", re.compile(r"(パスワード)は[:：]? ?(?=[!-~])"), "sentences in Japanese"),
    Phrase(
        "password-stdin",
        re.compile(r"(?:echo|printf)(?: -n)? (?=[^|]{1,300}\|[^|]{1,200}(password)-stdin)"),
        "a password piped into a command",
    ),
)

_SENTENCES: Final = (" is", "パスワードは")
_SAID: Final = re.compile(r"(?=.*[A-Za-z])(?=.*[0-9!#$%&*+@^]).{6,}", re.DOTALL)


def find_phrases(text: str, low: str) -> Iterator[Span]:
    """Yield where secrets stand that are given in a phrase; `low` is `text` in lower case."""
    for phrase in PHRASES:
        if phrase.mark in low:
            for found in phrase.lead.finditer(low):
                value = _value(text, found, phrase)
                if value:
                    yield value.start, value.end


def _value(text: str, found: re.Match[str], phrase: Phrase) -> Value | None:
    name = text[found.start(1) : found.end(1)]
    strength = holds(name)
    if strength < Holds.SECRET:
        return None
    if found.re.groups > 1:
        value: Value | None = Value(*found.span(2), quoted=True)
    else:
        value = read_value(text, found.end())
    if value is None:
        return None
    word = text[value.start : value.end]
    if is_plain(word, strength=strength, quoted=value.quoted, name=name):
        return None
    return value if phrase.mark not in _SENTENCES or _SAID.match(word[:200]) else None
