"""Finds secrets by the name before them: `password=…`, `"api_key": "…"`, `token: …` (N-89, NB-2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.masking.names import Holds, holds
from nagomi_tui.core.masking.plain import is_plain
from nagomi_tui.core.masking.spans import REDACTED
from nagomi_tui.core.masking.values import Value, read_rest, read_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.core.masking.spans import Span

_NAME_CHARACTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_NAME_REACH: Final = 48

_TERM: Final = (
    r"(?:(?:api|access|private|secret|account|license|signing|auth|encryption|seed|recovery|service)"
    r"[ ]?(?:key|phrase)|pass(?:w|phrase|code)|pass(?=[\"'\\\]]{0,3}\s{0,8}[:=])|pwd|secret|token"
    r"|cred(?=s|ent)|key|auth|sessionid|sessid|\.sid|otp|mnemonic|passwort"
    r"|パスワード|パスフレーズ|トークン|シークレット|キー|秘密鍵|暗証番号)"
)
_ASSIGNED: Final = re.compile(
    _TERM + r"[a-z0-9_\-]{0,48}+"
    r"(?:\\{0,3}[\"'`])?\]?(?: \[[^\[\]]{0,24}\])?[ \t\u3000]{0,40}+"
    r"(?::=|=>|[?+]?=(?![=~>])|:(?![:=])|[：＝])[ \t\u3000]{0,40}+",
)
_END_OF_NAME: Final = re.compile(
    r"(?:\\{0,3}[\"'`])?\]?[ \t\u3000]*(?::=|=>|[?+]?=|[:：＝])[ \t\u3000]*$"
)
_PARSED: Final = re.compile(
    r"(?i)(?:unexpected|invalid|unknown|bad|illegal|expected|reserved|next) $"
)
_YAML_LEAD: Final = re.compile(r"[\s\-+|>│┃*#]*[\"']?$")
_EXPECTING: Final = re.compile(_TERM + r"[a-z0-9_\- ]{0,24}+[\"']?\s?[:：=]\s?[|>]?[-+]?\s*$")


def find_pairs(text: str, low: str) -> Iterator[Span]:
    """Yield where the values of names stand that hold a secret; `low` is `text` in lower case."""
    at = 0
    while found := _ASSIGNED.search(low, at):
        at = found.end()
        value = _value(text, found)
        if value:
            yield value.start, value.end
            at = value.end


def expects(low: str) -> bool:
    """Tell whether the line ends in a name whose value is still to come on the next one."""
    return low.rstrip().endswith((":", "：", "=", "|", ">", "|-", ">-")) and bool(
        _EXPECTING.search(low[-80:])
    )


def _value(text: str, found: re.Match[str]) -> Value | None:
    if text.startswith(REDACTED, found.end()) or text.startswith(REDACTED, found.end() + 1):
        return None
    start, name = _name(text, found)
    strength = holds(name)
    if strength is Holds.NOTHING:
        return None
    if strength is Holds.SECRET and _PARSED.search(text[max(0, start - 12) : start]):
        strength = Holds.PERHAPS
    value = read_value(text, found.end())
    if value is None or _is_plain(text, value, strength, name):
        return None
    if strength is Holds.PASSWORD and not value.quoted and _is_yaml(text, start, found):
        return read_rest(text, value.start)
    return value


def _is_plain(text: str, value: Value, strength: Holds, name: str) -> bool:
    return is_plain(
        text[value.start : value.end], strength=strength, quoted=value.quoted, name=name
    )


def _name(text: str, found: re.Match[str]) -> tuple[int, str]:
    """Return where the whole name begins, and the name in its own case."""
    start = found.start()
    before = text[max(0, start - _NAME_REACH) : start]
    start -= len(before) - len(before.rstrip(_NAME_CHARACTERS))
    return start, text[start : found.start()] + _END_OF_NAME.sub(
        "", text[found.start() : found.end()]
    )


def _is_yaml(text: str, start: int, found: re.Match[str]) -> bool:
    """Tell whether the name begins its line and a colon ends it: a value may then hold blanks."""
    if not found[0].rstrip().endswith((":", "：")) or start > 120:
        return False
    return _YAML_LEAD.fullmatch(text[:start]) is not None
