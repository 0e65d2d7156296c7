"""Secrets that a program wraps itself: what a row's end cuts goes on in the next row.

Agents break long lines on their own, with an indent or within a box, so that no terminal knows that
two rows are one. A secret that ends with its row is taken to go on in the first word below it if the
row was full; and a name or the beginning of a key is read together with that word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from nagomi_tui.masking.gate import is_named
from nagomi_tui.masking.plain import is_hex, is_path, is_said, looks_random
from nagomi_tui.masking.values import REDACTED, Span, run_end
from nagomi_tui.text.patterns import lazy

_SIDES: Final = "│┃║|▌▐▎▏▕┆┊╎"
_LEFT: Final = lazy(rf"[\s{_SIDES}⎿└╰]*(?:[#>+*-]\s[\s{_SIDES}]*)*")
_RIGHT: Final = f"{_SIDES}█░▒▓▲▼ \t\r\n\xa0\u3000"
_RIGHT_CUT: Final = _RIGHT + "\\"
_CELLS: Final = lazy(r"\s[│┃║|]\s")
_ROOM: Final = 2
"""Blanks between a full row and the border at its right."""
_NARROWEST: Final = 12
"""Columns of a row that may be full though it has no border."""
_FEW: Final = 4
"""Characters of a secret that tell nothing."""
_TOKEN: Final = lazy(r"[A-Za-z0-9_+/=.~%-]+")
_END_OF_WORD: Final = ".,;:!?)]}>"
_NAMED: Final = lazy(
    r"[A-Za-z_][\w.-]{0,60}(?:=(?!=*(?:[;&,)\]}\s]|[\"'`](?:\W|$)|$))|:(?:$|//))|[a-z]{2,12}://"
    r"|(?:[A-Z]?[a-z]+|[A-Z]{2,})(?:[-_](?:[A-Z]?[a-z]+|[A-Z]{2,}))*:\s"
)
_PLAIN: Final = lazy(
    r"[0-9]+(?:[-.,:/T][0-9]+)*[%smhdZKMGB]{0,2}|[vV]?[0-9]+(?:\.[0-9]+)+(?:[-.]?(?:rc|a|b|dev|beta)[0-9]*)?"
    r"|(?:~|\.{1,2})?/(?:[A-Za-z][a-z]+[/.])+[a-z0-9]*|[\w/-]+\.(?:[a-z]{2,4}|[chm]|py[ci]?|mp[34])"
    r"|[A-Z]?[a-z]+-?[0-9]{1,2}|[A-Z]{2,}[0-9]?"
)
_ODD: Final = lazy(
    r"(?![A-Z]?[a-z]+$|[A-Z]+$|[0-9]+$)[A-Za-z0-9!#?$%&*@^~+]+|[A-Za-z]*[-_.][0-9]{3,4}"
)
"""Letters with digits, capitals within or signs of passwords: no word, option, name of a host or path."""
_WORDS: Final = lazy(r"(?:[A-Z]?[a-z]+|[A-Z]+)(?:[._-](?:[A-Z]?[a-z]+|[A-Z]+))*")
"""A word of a language, or names joined by signs."""
_JOINTS: Final = "+/=_-%~.:@"
"""Signs that stand within keys and addresses."""
_SIGNS: Final = lazy(r"[-_+/=]")
_JOINED: Final = lazy(
    r"[A-Z]?[a-z]{2,}[A-Z][a-z]{2,}|[A-Z]?[a-z]{2,}[A-Z0-9]{1,2}|[a-z][A-Z][a-z]{3,}"
)
"""Words and names that are written as one: JavaScript, macOS, iPhone."""
_KINDS: Final = lazy(r"[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])")
_UNSAID: Final = lazy(
    r"[bcdfghjklmnpqrstvwxz]{5}|q[^u]|[jvwxz][bcdfgjkmnpqtvwxz]|[bcdfghjkmpqtvwxz][jqvwxz]|^[^aeiouy]*$"
)
_LOWER: Final = lazy(r"[a-z]+")
_AROUND: Final = ".,;:!?)]}>\"'`#$%&*@^~"
"""What may end the first word of a row, if it is the rest of a password."""
_BEHIND: Final = lazy(r"[<>\"'`(){}\[\],;&|@]")
"""Signs before which the rest of a value ends."""
_OPENING: Final = frozenset("\"'>")
"""Signs right behind which a value begins."""
_CLOSING: Final = frozenset(",;:.!?)]}>\"'")
_TAIL: Final = 72
"""Characters of a row's end that are read together with the next row."""
_HEAD: Final = 80
"""Characters of a command's beginning that are read together with its later lines."""
_SHORT: Final = 22
"""Characters of an address that may be no more than a user's name."""
_REACH: Final = 200
_PROMPTS: Final = "$%❯➜»λ"
"""Signs before a command; what it prints stands below it, however long it is."""
_ON: Final = lazy(
    r"(?:[A-Z0-9_]*=|[\w.-]{0,3}\s{0,2}[:=]|[\w.-]{0,40}[\"'](?:\]?\s{0,2}(?:[:=]|=>)\s{0,2})?|[A-Za-z]{1,16}\s(?=\(?[\"']|\S*[^\sA-Za-z]|$))\s{0,2}\(?[\"']?"
)
"""The rest of a name that a row's end cuts, or of one that may be whole, and what joins it to its value."""
_OF_NAME: Final = lazy(r"[\w.-]{0,16}\W{1,4}")

_GOES_ON: Final = lazy(
    r"[\w.-]{0,40}[\"'`]?\]?\s{0,2}[:=：＝]|[A-Za-z0-9]*[:]?A{1,2}[A-Za-z0-9_-]{10}|\S*[0-9]\S{8}"
)
_LEADS: Final = lazy(r"--?[A-Za-z][\w-]*|.*[:=：＝]|[Bb]earer|[Bb]asic|is|.*は")
"""Ends of rows behind which a value stands, which was too long for the row."""

_LEAD: Final = lazy(r"(?=.{0,10}$)(?:[A-Za-z]{1,4} )?\S*|(?:[A-Za-z]{1,12} ){1,6}[\"'`]?")
"""What may stand in a row before the value of a name in the row above."""
_SAYABLE: Final = lazy(r"[A-Za-z]{10}|[0-9!#$%&*+@^~]")
"""What is in each password and key."""

_OPEN: Final = lazy(
    r"(?i)(?:://?(?![^\s/]*:[0-9]{2,5}[?.,;:!)\]}*_…。、，）」』】]{0,3}$)[^\s/@]*|(?:pass|secr|toke|key|pwd|cred|auth|api|bear)[a-z0-9_-]*[\"'=:?>(]{0,3}|[0-9]{8,10}:A?A?)$"
)

_LEFT_OUT: Final = lazy(r"[=:] ?[\"'`]?<[^<>]*>$")
"""A word in angle brackets that stands for a value."""
_WIDE: Final = lazy(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6"
    "\U0001f300-\U0001faff]"
)


_OPENED: Final = lazy(r"([\"'])(?:[\w.-]{2,60}=)?$")
"""The quote before a value or before its name."""


class Cut(msgspec.Struct, frozen=True):
    """The last row ended within a secret, or may have."""

    edge: int
    """The column behind it: no row below may reach farther."""
    sure: bool = False
    """The row was full for certain."""
    address: bool = False
    """It is the password of an address, and reaches to the @."""
    quote: str = ""
    """The quote that ends it, in whatever row."""
    indent: int = 0
    """Where the words of its first row begin."""


class Before(msgspec.Struct, frozen=True):
    """The end of the last row, masked, to be read together with the next one."""

    text: str
    edge: int
    joined: bool = False
    """The row ends in a backslash: the next one is of the same command."""
    indent: int = 0
    """Where its words begin: a row that begins farther right hangs below it."""

    def is_open(self) -> bool:
        """Tell whether the row ends within a name of secrets, an address, or the beginning of a key."""
        last = self.text[-48:].rpartition(" ")[2]
        opens = _OPEN.search(last) is not None and not _LEFT_OUT.search(self.text[-48:])
        return self.joined or opens


def columns(text: str) -> int:
    """Return how many columns a text takes in a terminal."""
    return len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))


def body(text: str) -> Span:
    """Return where the words of a row stand, without its indent and borders."""
    start = _LEFT.match(text)
    first = start.end() if start else 0
    return first, max(first, len(text.rstrip(_RIGHT)))


def room(text: str, last: int) -> int | None:
    """Return how many blanks there are between the words of a row and its border; None without one."""
    rest = text[last:].rstrip()
    border = rest.lstrip()
    if not border or (border[0] == "|" and text.lstrip()[:1] != "|"):
        return None
    return len(rest) - len(border)


def ends(text: str) -> int:
    """Return where the last word of a row ends, without borders and a backslash."""
    last = len(text.rstrip(_RIGHT))
    return last - text.endswith("\\", 0, last)


def cut(text: str, spans: Sequence[Span], *, short: bool, full: Cut | None) -> Cut | None:
    """Return how a row ends within a secret, of which the places are given; None if it does not.

    A secret that is too `short` is not whole; a row is `full` like the one before it, which was cut.
    """
    if not spans:
        return None
    first, last = body(text)
    joined = last > first and text[last - 1] == "\\"
    last -= joined
    starts = [start for start, end in spans if end >= last > start]
    left = None if joined else room(text, last)
    if not starts or (left is not None and (left > _ROOM or _CELLS.search(text, first, last))):
        return None
    sure = joined or full is not None or left is not None
    edge = columns(text[:last])
    if not sure and not short and edge < _NARROWEST:
        return None
    begin, start = min(starts), max(starts)
    address = "://" in text[max(0, start - _REACH) : start] and text[start - 1 : start] == ":"
    opened = _OPENED.search(text, 0, begin)
    quote = full.quote if full else opened[1] if opened else ""
    within = quote and text.find(quote, begin, last) < 0
    indent = full.indent if full else first
    return Cut(edge, sure, address, quote if within else "", indent)


def fills(text: str, span: Span, before: Cut) -> bool:
    """Tell whether what goes on of a secret fills its row as the row before was filled."""
    return span == body(text) and columns(text[: span[1]]) >= before.edge - 1


def resumed(text: str, before: Cut) -> Span | None:
    """Return where a secret goes on that the row before cut; None where it does not."""
    first, last = body(text)
    if first >= last or not text[first].isascii() or _NAMED.match(text, first, last):
        return None
    if room(text, last) is None and columns(text[:last]) > before.edge + 1:
        return None
    end = min(run_end(text, first), last)
    if before.address and (at := text.rfind("@", first, end)) > 0:
        return (first, at) if at > first else None
    if before.quote:
        closing = text.find(before.quote, first, last)
        if closing > first and not text[closing + 1 : closing + 2].isalnum():
            return first, closing
        if closing < 0 and columns(text[:last]) >= before.edge - 1:
            return first, last
    token = _TOKEN.match(text, first, end)
    alone = end == last
    hangs = first > before.indent
    if token is None or not (before.sure or hangs or token.end() >= end - 1 or alone):
        return None
    end = first + len(text[first:end].rstrip(_END_OF_WORD))
    word = text[first:end]
    odd = hangs and _ODD.fullmatch(word)
    return (first, end) if word and (before.sure or odd or is_piece(word, alone=alone)) else None


def is_piece(word: str, *, alone: bool) -> bool:
    """Tell whether a word looks like a piece of a key: no number, name, path or word of a language."""
    if _PLAIN.fullmatch(word):
        return False
    changes = len(_KINDS.findall(word))
    if changes == 0:
        letters = _SIGNS.sub("", word)
        unsaid = len(word) > _FEW and letters.isalpha() and _UNSAID.search(letters.lower())
        return bool(unsaid) or looks_random(word)
    if not alone and len(word) <= _FEW:
        return False
    return changes > 1 or _JOINED.fullmatch(word) is None


def before_of(text: str, last: Before | None) -> Before | None:
    """Return what of a masked row is read together with the next one; None if nothing is."""
    first, end = body(text)
    if end <= first:
        return None
    if text[end - 1] == "\\":
        said = text[first : end - 1]
        if last and last.joined:
            said = last.text + said
        if len(said) > _HEAD + _TAIL:
            said = f"{said[:_HEAD].rpartition(' ')[0]} {said[-_TAIL:].partition(' ')[2]}"
        return Before(said, 0, joined=True)
    if text.endswith(REDACTED, first, end):
        return None
    edge = columns(text[:end])
    if (room(text, end) or 0) > _ROOM or edge < _NARROWEST:
        return None
    said = text[max(first, end - _TAIL) : end]
    if last and not last.joined and " " not in said:
        said = (last.text + said)[-_TAIL:]
    return Before(said, 0 if REDACTED in text else edge, indent=first)


def ends_in_token(text: str) -> bool:
    """Tell quickly whether a row may end within a key or an address."""
    if text[-1:] in _CLOSING and "://" not in text[-2 * _TAIL :]:
        return False
    if "://" in text:
        address = text.rpartition("://")[2].rstrip(_RIGHT_CUT)
        if " " not in address and (len(address) < _SHORT or ":" in address):
            return True
    end = text[-_TAIL:].rstrip(_RIGHT_CUT)
    last = end[-2 * _FEW :].rpartition(" ")[2]
    if len(last) <= _FEW or not (last[-1].isalnum() or last[-1] in "+/=_-%~"):
        return False
    return not last.isdigit() and not (last.isalpha() and (last[1:].islower() or last.isupper()))


def find_joined(
    text: str, before: Before, find: Callable[[str], list[Span]], *, known: bool = False
) -> tuple[list[Span], int]:
    """Return where secrets stand in a row that only the row before it tells.

    Beside it, how many characters at that row's end are of the secret that goes on here; `known`
    says that there is a secret in this row without them.
    """
    first, last = body(text)
    if first >= last or not text[first].isascii() or text.startswith(REDACTED, first):
        return [], 0
    if before.joined:
        return _shifted(find(before.text + text[first:]), len(before.text), first), 0
    said = text[first : min(last, first + _REACH)]
    spans: list[Span] = []
    word = before.text.rpartition(" ")[2]
    wider = before.edge and room(text, last) is None and columns(text[:last]) > before.edge + 1
    head, at = said.partition(" ")[0], len(before.text)
    if word and not wider:
        alone = len(head) > len(said) - 2
        opened = before.is_open() and not is_path(word.rpartition("=")[2])
        torn = (opened and _follows_open(before.text, said)) or (
            not (before.text[0] in _PROMPTS and (alone or is_hex(head)))
            and _is_torn(word, head, alone=alone)
        )
        on = _ON if opened else _OF_NAME
        if torn or (on.match(said) and (opened or is_named(word + head, len(word)))):
            whole = before.text + said
            cut = at + (whole[at - 1] in _OPENING)
            spans = [
                (a, b)
                for a, b in find(whole)
                if b > at and (torn if a < cut else on.fullmatch(whole, at, a))
            ]
    moved = not wider or before.edge + 1 + len(head) >= columns(text[:last])
    leads = moved and _LEADS.fullmatch(word) is not None
    hangs = first > before.indent or _flows(word, said)
    apart = moved and (leads or hangs or may_be_given(said)) and not looks_random(word)
    if (
        not spans
        and apart
        and not (
            _NAMED.match(said)
            or (not leads and _is_path_cut(word, said, before.edge - columns(text[:last])))
        )
    ):
        whole = f"{before.text} {said}"
        spans = [
            (a - 1, b - 1)
            for a, b in find(whole)
            if at < a < at + 48
            and _is_given(whole, at, a, b)
            and (leads or hangs or _is_alone(whole, a, b, word))
        ]
    return _shifted(spans, at, first), _begun_above(spans, before.text, said, find, known=known)


def _begun_above(
    spans: Iterable[Span],
    before: str,
    said: str,
    find: Callable[[str], list[Span]],
    *,
    known: bool,
) -> int:
    """Return how many characters at a row's end are of the secret that goes on in the row below."""
    at = len(before)
    start = min([at, *(start for start, _ in spans)])
    above = before[max(start, at - len(before.rpartition(REDACTED)[2])) :]
    if len(above) < 2 or not goes_on_below(above):
        return 0
    head = said.partition(" ")[0]
    # A word, and another one or a key of its own below it.
    apart = _WORDS.fullmatch(above) and (
        known
        or looks_random(head)
        or _WORDS.fullmatch(head)
        or any(start == at + 1 for start, _ in find(f"{before} {said}"))
    )
    return 0 if apart else len(above)


def goes_on_below(word: str) -> bool:
    """Tell whether the end of a row may be of a word that goes on in the next row."""
    return bool(word) and " " not in word and (word[-1].isalnum() or word[-1] in _JOINTS)


def may_be_given(said: str) -> bool:
    """Tell quickly whether a row may hold nothing but a password, with a word before it at most."""
    return len(said) > 5 and said.count(" ") < 2 and _SAYABLE.search(said) is not None


def may_go_on(before: Before, said: str) -> bool:
    """Tell quickly whether a row may begin with a password or key, or the rest of one."""
    head = said.partition(" ")[0]
    last = before.text.rpartition(" ")[2]
    return may_be_given(said) or _flows(last, said) or _is_torn(last, head, alone=head == said)


def _flows(word: str, said: str) -> bool:
    """Tell whether a sentence goes on in a row, which has something in it that cannot be said."""
    return word.isalpha() and said[:1].islower() and _SAYABLE.search(said) is not None


def _follows_open(above: str, said: str) -> bool:
    """Tell whether a row may go on with the name or the address at the end of the row above."""
    if "://" in above[-48:]:
        return "@" in said
    return above[-1] in "\"'=:" or above[-1].isdigit() or _GOES_ON.match(said) is not None


def _is_torn(word: str, head: str, *, alone: bool) -> bool:
    """Tell whether the last word of a row may go on in the first one below it, which is none by itself."""
    head = _BEHIND.split(head, 1)[0].rstrip(_AROUND)
    if not goes_on_below(word) or _LOWER.fullmatch(head):
        return False
    return not head.isupper() and bool(_TOKEN.fullmatch(head)) and is_piece(head, alone=alone)


def _is_path_cut(word: str, said: str, narrower: int) -> bool:
    """Tell whether a path or an address at a row's end goes on below it, most often in a row as wide."""
    cut = word[-1:] == "/" or said[0] == "-" or (narrower == 0 and " " not in said)
    return cut and "/" in word


def _is_given(whole: str, at: int, start: int, end: int) -> bool:
    """Tell whether the first word of a row is a secret whose name ends the row above."""
    return _LEAD.fullmatch(whole, at + 1, start) is not None and is_said(whole[start:end])


def _is_alone(whole: str, start: int, end: int, above: str) -> bool:
    """Tell whether a secret is all that its row holds, and no sum unless the name of a secret is right `above`."""
    alone = whole[0] not in _PROMPTS and not whole[end:].strip("\"'`.,;:)]}")
    named = _OPEN.search(above) is not None or "uthorization" in whole
    return alone and (named or not is_hex(whole[start:end]))


def _shifted(spans: Iterable[Span], at: int, first: int) -> list[Span]:
    return [(max(a, at) - at + first, b - at + first) for a, b in spans if b > at]
