"""Masks lines one after the other, by all finders, with a state between the lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.core.masking.ahead import Ahead, awaited, begins_encoded, body_of, told
from nagomi_tui.core.masking.blocks import CLEAR, MaskState, marks, read
from nagomi_tui.core.masking.finders.calls import find_beside_key_id, find_calls
from nagomi_tui.core.masking.finders.encoded import find_encoded
from nagomi_tui.core.masking.finders.headers import find_headers
from nagomi_tui.core.masking.finders.jwt import find_jwts
from nagomi_tui.core.masking.finders.known import find_cut, find_known
from nagomi_tui.core.masking.finders.near import find_near
from nagomi_tui.core.masking.finders.options import find_options
from nagomi_tui.core.masking.finders.pairs import find_pairs
from nagomi_tui.core.masking.finders.phrases import find_phrases
from nagomi_tui.core.masking.finders.tables import find_rows
from nagomi_tui.core.masking.finders.urls import find_urls
from nagomi_tui.core.masking.gate import Look, look_at
from nagomi_tui.core.masking.spans import REDACTED, bare_span, merged, replaced, without
from nagomi_tui.core.masking.wrapped import (
    before_of,
    cut,
    ends,
    ends_in_token,
    fills,
    find_joined,
    resumed,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nagomi_tui.core.masking.spans import Span
    from nagomi_tui.core.masking.wrapped import Before, Cut

_GLANCE: Final = 4
"""Lines that are checked together by `gate`, since most hold no secret."""

_ROUNDS: Final = 6
"""Masking may uncover another secret, so it goes on until nothing changes: two rounds mostly."""


class Masker:
    """Masks a stream of lines; a private key begun in one is masked to its end in later ones.

    Lines are rendered text without their line ends. Keep one for each stream, feed it every line
    once and in order, and cut a tail from what it returned, never from what it was given.
    """

    def __init__(self, state: MaskState = CLEAR) -> None:
        self._last: str | None = None
        self._slow = state.before is not None
        self._before = state.before
        bare = msgspec.structs.replace(state, before=None)
        self._state = CLEAR if bare == CLEAR else bare

    @property
    def state(self) -> MaskState:
        """What is remembered; a new masker made of it goes on where this one is."""
        before = self._before_next()
        return msgspec.structs.replace(self._state, before=before) if before else self._state

    def line(self, text: str) -> str:
        """Return the line with every secret value replaced (N-92)."""
        look = look_at(text)
        if look is None and self._state is CLEAR and not self._may_be_cut(text):
            self._last, self._before, self._slow = text, None, False
            return text
        return self._masked((text,), text, look)[0]

    def lines(self, texts: Iterable[str]) -> list[str]:
        """Return the lines masked, as many as there were (N-93)."""
        out: list[str] = []
        every = list(texts)
        for at in range(0, len(every), _GLANCE):
            some = every[at : at + _GLANCE]
            plain = self._state is CLEAR and look_at("\n".join(some)) is None
            if plain and not any(map(self._may_be_cut, some)):
                self._last, self._before, self._slow = some[-1], None, False
                out += some
            else:
                out += map(self.line, some)
        return out

    def rows(self, rows: Sequence[str]) -> list[str]:
        """Return the wrapped rows of one line masked, as many as there were (NB-4).

        A secret may run over rows: it is replaced where it begins, and what is left of it is
        missing from the rows after it. The rows joined are the joined line masked.
        """
        text = "".join(rows)
        return self._masked(rows, text, look_at(text)) if rows else []

    def _masked(self, pieces: Sequence[str], text: str, look: Look | None) -> list[str]:
        reading = read(text, self._state)
        spans = reading.spans
        if reading.whole:
            self._state, self._last, self._before = reading.state, None, None
            return replaced(pieces, merged(spans))
        if self._state.ahead:
            spans = spans + awaited(text, self._state.ahead)
        full = False
        if self._state.cut and (rest := resumed(text, self._state.cut)):
            spans, full = [*spans, rest], fills(text, rest, self._state.cut)
        before = self._before_next()
        headless = None
        if not self._state.ahead and not self._state.cut:
            headless = body_of(text, before.text if before else "")
        if headless and headless.kind == "base64":
            spans = spans + bare_span(text)
        begun = find_cut(text, ends(text))
        spans += _found(text, look) if look else []
        spans += find_joined(text, before, _find_begun) if before else []
        out = _settled(pieces, spans + begun, before)
        masked = "".join(out)
        self._state = self._next(
            reading.state, masked, cut(text, spans + begun, short=bool(begun), full=full)
        )
        self._before, self._last, self._slow = before, masked, True
        if headless or begins_encoded(text):
            self._state = MaskState(ahead=headless or Ahead("base64"))
        return out

    def _may_be_cut(self, text: str) -> bool:
        """Tell whether a row that holds nothing by itself may begin or end within a secret."""
        if self._slow and (before := self._before_next()) and before.is_open():
            return True
        return text.endswith("\\") or (ends_in_token(text) and _ends_open(text))

    def _before_next(self) -> Before | None:
        """Return the end of the last row, which is not read before it is asked for."""
        if self._last is not None:
            self._before, self._last = before_of(self._last, self._before), None
        return self._before

    def _next(self, state: MaskState, masked: str, ended: Cut | None) -> MaskState:
        """Return what to remember; it is read from masked text, so that masking twice is once."""
        if state is not CLEAR:
            return state
        ahead = told(masked, self._state.ahead)
        return MaskState(ahead=ahead, cut=ended) if ahead or ended else CLEAR


def find(text: str) -> list[Span]:
    """Return where secrets stand in one line, by itself; spans may overlap."""
    look = look_at(text)
    return _found(text, look) if look else []


def _ends_open(text: str) -> bool:
    end = ends(text)
    return "://" in text[-100:end] or bool(find_cut(text, end))


def _find_begun(text: str) -> list[Span]:
    return [*find(text), *find_cut(text, ends(text))]


def _found(text: str, look: Look) -> list[Span]:
    low = look.low
    spans = [*find_options(text, low), *find_urls(text, low)]
    if look.named:
        spans += [*find_pairs(text, low), *find_headers(text, low), *find_near(text, low)]
        spans += [*find_calls(text, low), *find_rows(text)]
    spans += find_phrases(text, low)
    if "ey" in text or "ew" in text:
        spans += find_jwts(text)
    if look.run or look.url:
        spans += find_known(text)
    if look.run:
        spans += [*find_beside_key_id(text), *find_encoded(text, find)]
    return without(spans, marks(text)) if spans else []


def _settled(pieces: Sequence[str], spans: list[Span], last: Before | None) -> list[str]:
    """Return the pieces masked until masking them changes nothing more."""
    out = list(pieces)
    for _ in range(_ROUNDS):
        if not spans:
            return out
        before, out = out, replaced(out, merged(spans))
        if out == before:
            return out
        text = "".join(out)
        spans = _find_begun(text)
        spans += find_joined(text, last, _find_begun) if last else []
    return [REDACTED, *("" for _ in out[1:])] if spans else out
