"""Masks lines one after the other: the finders together, and what is remembered between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.core.masking.blocks import CLEAR, MaskState, marks, read
from nagomi_tui.core.masking.chance import looks_random
from nagomi_tui.core.masking.gate import has_run, has_word, lowered, worth_a_look
from nagomi_tui.core.masking.headers import find_headers
from nagomi_tui.core.masking.jwt import find_jwts
from nagomi_tui.core.masking.known import find_known
from nagomi_tui.core.masking.near import find_near
from nagomi_tui.core.masking.options import find_options
from nagomi_tui.core.masking.pairs import expects, find_pairs
from nagomi_tui.core.masking.phrases import find_phrases
from nagomi_tui.core.masking.spans import REDACTED, merged, replaced, without
from nagomi_tui.core.masking.urls import find_urls

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nagomi_tui.core.masking.spans import Span

_ROUNDS: Final = 6
"""Masking may uncover another secret, so it goes on until nothing changes: two rounds mostly."""


class Masker:
    """Masks a stream of lines; a private key begun in one is masked to its end in later ones.

    Lines are rendered text without their line ends. Keep one for each stream, feed it every line
    once and in order, and cut a tail from what it returned, never from what it was given.
    """

    def __init__(self, state: MaskState = CLEAR) -> None:
        self._state = state

    @property
    def state(self) -> MaskState:
        """What is remembered; a new masker made of it goes on where this one is."""
        return self._state

    def line(self, text: str) -> str:
        """Return the line with every secret value replaced (N-92)."""
        if self._state is CLEAR and not worth_a_look(text, lowered(text)):
            return text
        return self._masked((text,))[0]

    def lines(self, texts: Iterable[str]) -> list[str]:
        """Return the lines masked, as many as there were (N-93)."""
        return [self.line(text) for text in texts]

    def rows(self, rows: Sequence[str]) -> list[str]:
        """Return the wrapped rows of one line masked, as many as there were (NB-4).

        A secret may run over rows: it is replaced where it begins, and what is left of it is
        missing from the rows after it. The rows joined are the joined line masked.
        """
        return self._masked(rows) if rows else []

    def _masked(self, pieces: Sequence[str]) -> list[str]:
        text = "".join(pieces)
        reading = read(text, self._state)
        spans = reading.spans
        if reading.whole:
            self._state = reading.state
            return replaced(pieces, merged(spans))
        if self._state.expecting:
            spans = spans + _awaited(text)
        out = _settled(pieces, spans + find(text))
        self._state = self._next(reading.state, "".join(out))
        return out

    def _next(self, state: MaskState, masked: str) -> MaskState:
        """Return what to remember; it is read from masked text, so that masking twice is once."""
        if state is not CLEAR:
            return state
        waits = expects(lowered(masked)) or (self._state.expecting and not masked.strip())
        return MaskState(expecting=True) if waits else CLEAR


def find(text: str) -> list[Span]:
    """Return where secrets stand in one line, by itself; spans may overlap."""
    low = lowered(text)
    if not worth_a_look(text, low):
        return []
    spans = [*find_options(text, low), *find_urls(text, low)]
    if has_word(low):
        spans += [*find_pairs(text, low), *find_headers(text, low), *find_near(text, low)]
        spans += find_phrases(text, low)
    if "ey" in text or "ew" in text:
        spans += find_jwts(text)
    if has_run(text):
        spans += find_known(text)
    return without(spans, marks(text)) if spans else []


def _settled(pieces: Sequence[str], spans: list[Span]) -> list[str]:
    """Return the pieces masked until masking them changes nothing more."""
    out = list(pieces)
    for _ in range(_ROUNDS):
        if not spans:
            return out
        before, out = out, replaced(out, merged(spans))
        if out == before:
            return out
        spans = find("".join(out))
    return [REDACTED, *("" for _ in out[1:])] if spans else out


def _awaited(text: str) -> list[Span]:
    """Return the only word of a line whose name stood on the line before, if it looks like one."""
    bare = text.strip().strip("\"',;`")
    if len(bare) < 8 or len(bare.split()) != 1 or not looks_random(bare):
        return []
    start = text.index(bare)
    return [(start, start + len(bare))]
