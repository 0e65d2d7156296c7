"""Masks line after line by all finders, lines with escapes and lines that still grow too."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from nagomi_tui.masking import blocks, wrapped
from nagomi_tui.masking.finders import given, pairs
from nagomi_tui.masking.finders.known import find_begun, find_cut, find_jwts, find_known, find_urls
from nagomi_tui.masking.finders.options import find_headers, find_options
from nagomi_tui.masking.finders.phrases import find_near, find_phrases
from nagomi_tui.masking.finders.tables import find_inserted, find_rows
from nagomi_tui.masking.gate import Look, has_joint, look_at
from nagomi_tui.masking.plain import find_encoded, has_long_word, has_odd_word, is_torn
from nagomi_tui.masking.values import REDACTED, Span, bare_span, merged, replaced, without
from nagomi_tui.text.patterns import lazy

_WIDEST: Final = 64
"""Columns of a terminal of which a row must fill half to count as full: programs leave margins, and sizes change."""

_TOKEN: Final = f"{string.ascii_letters}{string.digits}+/_-"
_BEFORE: Final = frozenset(" \"'`=(")
_SHORTEST: Final = 5
"""Characters of a piece of a key that may be told from a word."""
_TOLD: Final = 72
"""Characters in which the words stand that tell it."""
_MORE: Final = "7q2w4z"

_SPENT: Final = lazy(
    rf"(?:-{{1,2}}[\w-]{{1,40}}[ =])?(?:(?<![\w.-])[\w.-]{{1,24}}[\"']?\s?(?:[:=]|=>)\s?)?[\"'`]?{re.escape(REDACTED)}[\"'`]?"
)
"""What is masked, with the option before it, or a name that is too short to be a key."""

_ROUNDS: Final = 6
"""Masking may uncover another secret, so it goes on until nothing changes: two rounds mostly."""


class Masker:
    """Masks a stream of lines; a private key begun in one is masked to its end in later ones.

    Lines are rendered text without their line ends. Keep one for each stream, feed it every line
    once and in order, and cut a tail from what it returned, never from what it was given.
    """

    def __init__(self, state: blocks.MaskState = blocks.CLEAR, *, width: int = 0) -> None:
        """Begin where the state is; a `width` of the terminal in columns, if it is known, tells rows that end early."""
        self._last: str | None = None
        self._least = min(width, _WIDEST) // 2
        self._slow = state.before is not None
        self._before = state.before
        self._begun_above = 0
        bare = msgspec.structs.replace(state, before=None)
        self._state = blocks.CLEAR if bare == blocks.CLEAR else bare

    @property
    def state(self) -> blocks.MaskState:
        """What is remembered; a new masker made of it goes on where this one is."""
        before = self._before_next()
        return msgspec.structs.replace(self._state, before=before) if before else self._state

    def line(self, text: str) -> str:
        """Return the line with every secret value replaced (N-92)."""
        look = look_at(text)
        if look is None and self._state is blocks.CLEAR and not self._may_be_cut(text):
            self._last, self._before, self._slow = text, None, False
            return text
        return self._masked((text,), text, look)[0]

    def lines(self, texts: Iterable[str]) -> list[str]:
        """Return the lines masked, as many as there were (N-93)."""
        out: list[str] = []
        for text in texts:
            out.append(self.line(text))
            self.cover(out)
        return out

    def cover(self, masked: list[str], count: int = 1) -> None:
        """Mask in rows that were returned before what the last line told to be of its secret.

        A row's end may look like a word until the rest of it is seen in the row below. `masked` ends
        in that last line, of `count` rows; what was written already stays as it is.
        """
        if not self._begun_above:
            return
        left, self._begun_above = self._begun_above, 0
        nearest = len(masked) - count - 1
        for at in range(nearest, -1, -1):
            parts, shown = _parted(masked[at])
            text = "".join(shown)
            first, last = wrapped.body(text)
            start = max(first, last - left)
            word = text[start:last]
            if not wrapped.goes_on_below(word) or (word.isalpha() and at < nearest):
                return
            masked[at] = "".join(_joined(parts, shown, replaced(shown, [(start, last)])))
            left -= last - start

    def rows(self, rows: Sequence[str]) -> list[str]:
        """Return the wrapped rows of one line masked, as many as there were (NB-4).

        A secret may run over rows: it is replaced where it begins, and what is left of it is
        missing from the rows after it. The rows joined are the joined line masked.
        """
        text = "".join(rows)
        return self._masked(rows, text, look_at(text)) if rows else []

    def _masked(self, pieces: Sequence[str], text: str, look: Look | None) -> list[str]:
        above = self._before_next()
        reading = blocks.read(text, self._state, above.text if above else "")
        spans = reading.spans
        if reading.whole:
            self._state, self._last, self._before = reading.state, None, None
            return replaced(pieces, merged(spans))
        if self._state.ahead:
            spans = spans + blocks.awaited(text, self._state.ahead)
        rest = full = None
        anew = blocks.gathered(text) > 0
        if self._state.cut and not anew and (rest := wrapped.resumed(text, self._state.cut)):
            spans.append(rest)
            full = self._state.cut if wrapped.fills(text, rest, self._state.cut) else None
        public = self._state.ahead is not None and self._state.ahead.kind == "public"
        before = None if public or anew else above
        headless = None
        if not self._state.ahead and not rest:
            headless = blocks.body_of(text, before.text if before else "")
        if headless and headless.kind == "base64":
            spans = spans + bare_span(text)
        begun = _find_torn(text)
        spans += _found(text, look) if look else []
        if before:
            known = bool(spans or begun)
            joined, self._begun_above = wrapped.find_joined(text, before, _find_begun, known=known)
            spans += joined
        out = _settled(pieces, spans + begun, before)
        masked = "".join(out)
        self._state = self._next(
            reading.state,
            masked,
            wrapped.cut(text, spans + begun, short=bool(begun), full=full),
            named=look is not None and look.named,
        )
        self._before, self._last, self._slow = before, masked, True
        if headless or blocks.begins_encoded(text):
            self._state = blocks.MaskState(ahead=headless or blocks.Ahead("base64"))
        return out

    def _may_be_cut(self, text: str) -> bool:
        """Tell whether a row that holds nothing by itself may begin or end within a secret."""
        if (
            self._slow
            and (before := self._before_next())
            and (before.is_open() or wrapped.may_go_on(before, text.strip()))
        ):
            return True
        if text.endswith(("\\", "--")) or blocks.body_of(text, ""):
            return True
        return len(text) >= self._least and wrapped.ends_in_token(text) and _ends_open(text)

    def _before_next(self) -> wrapped.Before | None:
        """Return the end of the last row, which is not read before it is asked for."""
        if self._last is not None:
            last, self._last = self._last, None
            full = len(last) >= self._least or REDACTED in last or not last.isascii()
            self._before = (
                wrapped.before_of(last, self._before) if full or last.endswith("\\") else None
            )
        return self._before

    def _next(
        self, state: blocks.MaskState, masked: str, ended: wrapped.Cut | None, *, named: bool
    ) -> blocks.MaskState:
        """Return what to remember; it is read from masked text, so that masking twice is once."""
        if state is not blocks.CLEAR:
            return state
        ahead = blocks.told(masked, self._state.ahead, named=named)
        return blocks.MaskState(ahead=ahead, cut=ended) if ahead or ended else blocks.CLEAR


def find(text: str) -> list[Span]:
    """Return where secrets stand in one line, by itself; spans may overlap."""
    look = look_at(text)
    return _found(text, look) if look else []


def _ends_open(text: str) -> bool:
    end = wrapped.ends(text)
    return "://" in text[-100:end] or bool(_find_torn(text))


def _find_torn(text: str) -> list[Span]:
    """Return where a key begins that the row's end cuts: one known by its form, or by the words before it.

    These tell it if what cannot be said would be a secret were it longer.
    """
    end = wrapped.ends(text)
    start = len(text[:end].rstrip(_TOKEN))
    if cut := find_cut(text, end):
        return cut
    if (
        end - start < _SHORTEST
        or text[start - 1 : start] not in _BEFORE
        or not is_torn(text[start:end])
    ):
        return []
    if "://" not in text[:start] and not ((look := look_at(text)) and look.named):
        return []
    first = max(0, start - _TOLD)
    spans = find(text[first:end] + _MORE)
    return [(a + first, end) for a, b in spans if a + first <= start and b > end - first]


def _find_begun(text: str) -> list[Span]:
    return [*find(text), *find_cut(text, wrapped.ends(text))]


def _find_left(text: str) -> list[Span]:
    """Return where secrets stand in a masked line, which next to always has none besides what is masked."""
    cut = _find_torn(text)
    left = _SPENT.sub(" ", text)
    return [*cut, *find(text)] if look_at(left) or has_long_word(left) else cut


_GIVES: Final = lazy(
    r"[0-9:=|<>\"'`(\[{@!#$%&*+^~]|[^\x00-\x7f]|\w-\w|[a-z][A-Z]|[jqxz][bcdfghjkmnqvwxz]|[bcdfghjkmqvwxz][jqxz]"
)
"""What is in each line that gives a secret, but for commands and phrases: a joint, a digit, a sign, an odd word."""


def _found(text: str, look: Look) -> list[Span]:
    low = look.low
    joined = has_joint(text)
    spans = [*find_options(text, low), *find_urls(text, low)]
    spans += find_phrases(text, low, joined=joined)
    if not _GIVES.search(text):
        return spans
    if "code" in low or any(map(str.isdigit, text)):
        spans += given.find_codes(text, low)
    if joined or look.run or look.url or "pass" in low or has_odd_word(text):
        spans += _found_beside(text, look, joined=joined)
    return without(spans, blocks.marks(text)) if spans else []


def _found_beside(text: str, look: Look, *, joined: bool) -> list[Span]:
    """Return where made-up words stand near others, and what a sign joins to a name."""
    low = look.low
    spans: list[Span] = []
    if look.named:
        spans += [*find_headers(text, low), *find_rows(text)]
        spans += given.find_given(text, low, joined=joined)
    long = has_long_word(text)
    if long:
        spans += find_near(text, low) if look.named else ()
        spans += given.find_arguments(text, low)
    if look.named and joined:
        spans += [*pairs.find_pairs(text, low), *pairs.find_calls(text, low)]
        spans += [*pairs.find_defaults(text, low), *find_inserted(text, low)]
    spans += given.find_beside_user(text, low)
    spans += given.find_strong(text, run=look.run, long=long)
    if "ey" in text or "ew" in text:
        spans += find_jwts(text)
    if look.run or look.url:
        spans += find_known(text)
    if look.run:
        spans += [*pairs.find_beside_key_id(text), *find_encoded(text, find)]
    return spans


def _settled(pieces: Sequence[str], spans: list[Span], last: wrapped.Before | None) -> list[str]:
    """Return the pieces masked until masking them changes nothing more."""
    out = list(pieces)
    for _ in range(_ROUNDS):
        if not spans:
            return out
        before, out = out, replaced(out, merged(spans))
        if out == before:
            return out
        text = "".join(out)
        spans = _find_left(text)
        spans += wrapped.find_joined(text, last, _find_begun)[0] if last else []
    return [REDACTED, *("" for _ in out[1:])] if spans else out


_ESCAPE: Final = lazy(
    r"(\x1b\[[0-?]*+[ -/]*+[@-~]"  # CSI: colours, cursor moves
    r"|\x1b\][^\x07\x1b]*+(?:\x07|\x1b\\)?"  # OSC: titles, links
    r"|\x1b[PX^_][^\x1b]*+(?:\x1b\\)?"
    r"|\x1b[ -/]*+[0-~])"
)
_CARRIES_TEXT: Final = ("\x1b]", "\x1bP", "\x1bX", "\x1b^", "\x1b_")


def mask_styled(masker: Masker, text: str) -> str:
    """Return a line masked with its escape sequences kept where they were.

    A secret that colours split is one; a step of the cursor to the right stands for a blank.
    """
    if "\x1b" not in text:
        return masker.line(text)
    parts, shown = _parted(text)
    masked = masker.rows(shown)
    return "".join(_joined(parts, shown, masked))


def _parted(text: str) -> tuple[list[str], list[str]]:
    """Return text and escape sequences in turn, and what the terminal shows of each."""
    parts = _ESCAPE.split(text)
    return parts, [_shown(part) if index % 2 else part for index, part in enumerate(parts)]


def _shown(escape: str) -> str:
    return " " if escape.endswith("C") and escape.startswith("\x1b[") else ""


def _escape(escape: str) -> str:
    """Return an escape sequence with the text it carries masked."""
    text = escape[2:].removesuffix("\x07").removesuffix("\x1b\\")
    return escape[:2] + Masker().line(text) + escape[2 + len(text) :]


def _joined(parts: Sequence[str], shown: Sequence[str], masked: Sequence[str]) -> list[str]:
    """Return text masked and escape sequences as they were, those with text in them masked too."""
    out: list[str] = []
    for index, part in enumerate(parts):
        if index % 2 == 0:
            out.append(masked[index])
        else:
            out.append(_escape(part) if part.startswith(_CARRIES_TEXT) else part)
            out.append(masked[index].removeprefix(shown[index]))
    return out


_REST: Final = "aB3dE5fG7_" + "hI9jK1lM2nO4pQ6"
_ENDS: Final = (_REST, f"{_REST}@host/")
_CONTINUATIONS: Final = (*_ENDS, f"{_REST} is the API key", " | docker login --password-stdin")
"""Texts that are tried as a continuation, to recognise the beginning of a secret."""

_LAST_WORD: Final = lazy(r"\S+$")
_FIRST_WORD: Final = lazy(r"\A\S+")
_WORDY: Final = lazy(r"\W*[^\W\d_]?[^\W\dA-Z_]*\W*|\W*[A-Z]*\W*|\W*[0-9.,:%/]{0,8}\W*|\S{1,3}")
_REACH: Final = 4096
"""Characters at the end of a line that are tried with a continuation."""


def mask_growing(
    before: Sequence[str], after: Sequence[str] = (), state: blocks.MaskState = blocks.CLEAR
) -> list[str]:
    """Return the rows of a line masked that may go on between those `before` and those `after`.

    There are as many as there were. A last word that is one of a language stays.
    """
    whole = Masker(state).rows([*before, *after])
    kept = len(before)
    head, tail = whole[:kept], whole[kept:]
    last = _LAST_WORD.search("".join(head)[-_REACH:])
    if last is None or _WORDY.fullmatch(last[0]):
        return whole
    for more in _CONTINUATIONS:
        masked = Masker(state).rows([*head, more, *tail])
        head, tail = masked[:kept], masked[kept + 1 :]
    text = "".join(head)
    head = replaced(head, find_begun(text))
    if "".join(head) != text or text.endswith(REDACTED):
        tail = [
            _FIRST_WORD.sub("", piece, count=1) if at == 0 else piece
            for at, piece in enumerate(tail)
        ]
    return [*head, *tail]


def may_grow(text: str, *, grew: bool) -> bool:
    """Tell whether a line ends in what could be the beginning of a secret.

    Of a line that was not seen to grow, only the beginning of a known key says so.
    """
    last = _LAST_WORD.search(text[-_REACH:])
    if last is None or _WORDY.fullmatch(last[0]):
        return False
    if find_begun(text):
        return True
    masked = Masker().line(text)
    return grew and any(Masker().rows([masked, more])[0] != masked for more in _ENDS)


def mask_screen(lines: Sequence[str]) -> list[str]:
    """Return lines masked of which any may still grow, as those of a screen may."""
    masked = Masker().lines(lines)
    return [
        _LAST_WORD.sub(REDACTED, line) if may_grow(line, grew=True) else line for line in masked
    ]
