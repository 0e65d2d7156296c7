"""What a line announces for the next ones: a value, a table's columns, a block of text."""

from __future__ import annotations

import re
from typing import Final, Literal

import msgspec

from nagomi_tui.core.masking.chance import is_hex, looks_random
from nagomi_tui.core.masking.finders import tables
from nagomi_tui.core.masking.finders.encoded import decoded
from nagomi_tui.core.masking.finders.pairs import expects
from nagomi_tui.core.masking.gate import lowered
from nagomi_tui.core.masking.names import Holds, holds
from nagomi_tui.core.masking.plain import is_plain
from nagomi_tui.core.masking.spans import REDACTED, Span, bare_span

Kind = Literal["value", "text", "bytes", "base64", "codes", "netrc", "table"]


class Ahead(msgspec.Struct, frozen=True):
    """What is expected of the next line."""

    kind: Kind
    indent: int = 0
    """Indentation of the name whose value follows below it, indented more."""
    table: tables.Header | None = None


_TEXT: Final = re.compile(r"(\s*(?:- )?)[\"']?([\w.-]{2,60})[\"']?\s?:\s?[|>][-+]?[0-9]?\s*")
_BYTES: Final = re.compile(
    r"\s*(?:priv|privateexponent|prime[0-9]?|exponent[0-9]|coefficient|private-key|x):\s*"
)
_SOME_BYTES: Final = re.compile(r"\s*(?:[0-9a-f]{2}:){0,40}[0-9a-f]{2}:?\s*", re.IGNORECASE)
_NETRC: Final = re.compile(
    r"\s*(?:default|(?:machine|login|account|port|password)\s+\S+)"
    r"(?:\s+(?:login|account|port|password)\s+\S+){0,5}\s*"
)
_NETRC_PASSWORD: Final = re.compile(r"(?:^|\s)password\s+(\S+)")
_BASE64: Final = re.compile(r"\s*(?:[A-Za-z0-9+/]{60,76}|[A-Za-z0-9+/]{1,75}=)={0,2}\s*")
_ENCODED: Final = re.compile(r"\s*LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,}\s*")
_CODES: Final = re.compile(r"(?:recovery|backup|scratch|emergency|one-time) codes?\b")
_CODE: Final = r"(?=[a-z0-9-]*[0-9-])[a-z0-9]{4,12}(?:-[a-z0-9]{4,12}){0,5}"
_SOME_CODES: Final = re.compile(
    rf"\s*(?:[0-9]{{1,2}}[.)]\s+)?{_CODE}(?:\s+{_CODE}){{0,3}}\s*", re.IGNORECASE
)
_OPEN: Final = frozenset(":：=|>-+0123456789")
"""Last characters of lines after which a value may follow."""

_SUM: Final = 24
"""Hexadecimal characters that are a key where one was announced."""


def awaited(text: str, ahead: Ahead) -> list[Span]:
    """Return where the secrets stand that an earlier line announced."""
    match ahead.kind:
        case "value":
            return _value(text)
        case "text":
            return _text(text, ahead.indent)
        case "bytes":
            return bare_span(text) if _SOME_BYTES.fullmatch(text) else []
        case "base64":
            return bare_span(text) if _BASE64.fullmatch(text) else []
        case "codes":
            return bare_span(text) if _SOME_CODES.fullmatch(text) else []
        case "netrc":
            netrc = _NETRC.fullmatch(lowered(text)) is not None
            return [found.span(1) for found in _NETRC_PASSWORD.finditer(text)] if netrc else []
        case "table":
            return tables.find_cells(text, ahead.table) if ahead.table else []


def begins_encoded(text: str) -> bool:
    """Tell whether a line is the first of a private key in base64 that goes on in the next."""
    return (
        "LS0tLS1CRUdJTi" in text
        and _ENCODED.fullmatch(text) is not None
        and "PRIVATE" in decoded(text.strip())
    )


def told(text: str, before: Ahead | None) -> Ahead | None:
    """Return what a line, masked, and what was awaited before it say of the next one."""
    if before and before.table and not before.table.ruled:
        table = tables.ruled(text, before.table)
        return Ahead("table", table=table) if table else told(text, None)
    if before and _goes_on(text, before):
        return before
    if text.rstrip()[-1:] in _OPEN and (ahead := _opened(text)):
        return ahead
    if "code" in text and _CODES.search(lowered(text)):
        return Ahead("codes")
    if ("machine" in text or "login" in text) and _NETRC.fullmatch(text):
        return Ahead("netrc")
    table = tables.header(text)
    return Ahead("table", table=table) if table else None


def _opened(text: str) -> Ahead | None:
    """Return what a line announces that ends in a name and a colon, or the like."""
    if found := _TEXT.fullmatch(text):
        return Ahead("text", len(found[1])) if holds(found[2]) >= Holds.SECRET else None
    low = lowered(text)
    if _BYTES.fullmatch(low):
        return Ahead("bytes")
    return Ahead("value") if expects(low) and not _CODES.search(low) else None


def _goes_on(text: str, before: Ahead) -> bool:
    match before.kind:
        case "value":
            return not text.strip()
        case "text":
            return not text.strip() or _indent(text) > before.indent
        case "bytes":
            bare = text.strip()
            return bare == REDACTED or bool(
                _SOME_BYTES.fullmatch(bare) or _BYTES.fullmatch(lowered(text))
            )
        case "base64":
            return text.strip() == REDACTED
        case "codes":
            bare = text.strip()
            return bare in ("", REDACTED) or _SOME_CODES.fullmatch(bare) is not None
        case "netrc":
            return _NETRC.fullmatch(lowered(text)) is not None
        case "table":
            return before.table is not None and tables.belongs(text, before.table)


def _value(text: str) -> list[Span]:
    """Return the only word of a line whose name stood before it, if it looks like a secret."""
    bare = text.strip().strip("\"',;`")
    if len(bare) < 8 or len(bare.split()) != 1:
        return []
    if not looks_random(bare) and not (len(bare) >= _SUM and is_hex(bare)):
        return []
    start = text.index(bare)
    return [(start, start + len(bare))]


def _text(text: str, indent: int) -> list[Span]:
    bare = text.strip()
    if _indent(text) <= indent or bare.startswith("-----"):
        return []
    plain = is_plain(bare, strength=Holds.PASSWORD, quoted=False, name="")
    return [] if plain else bare_span(text)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
