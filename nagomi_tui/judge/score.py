"""Compares what the judge showed with the truth, by samples of a quarter of a second.

The half second after each change of the truth is not counted, and nothing before the first
label or after the end. `right_all` tells all six states apart. For `right_merged` idle and
done are one class, and so are thinking and running.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.judge.verdict import BUSY, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nagomi_tui.judge.replay import Label, Step

SAMPLE: Final = 0.25
GRACE: Final = 0.5
READABLE: Final = 1.0
"""Seconds below which a wrong state that comes and goes counts as a flicker."""

_STATES: Final = {
    "idle": State.UNKNOWN,
    "thinking": State.THINKING,
    "running": State.RUNNING,
    "needs_attention": State.ATTENTION,
    "turn_done_success": State.SUCCESS,
    "turn_done_failure": State.FAILURE,
}
_REST: Final = frozenset({State.UNKNOWN, State.SUCCESS, State.FAILURE})


class Span(msgspec.Struct, frozen=True):
    """The truth from `start` to `stop`: any of `states`."""

    start: float
    stop: float
    states: frozenset[State]
    main: State

    def accepts(self, state: State, *, merged: bool) -> bool:
        """Tell whether `state` is right here."""
        if state in self.states:
            return True
        groups = (_REST, BUSY) if merged else ()
        return any(state in group and self.states & group for group in groups)


class Score(msgspec.Struct, frozen=True):
    """How well one session was judged."""

    name: str
    samples: int
    right: int
    right_coarse: int
    worst_wrong_s: float
    worst_wrong_merged_s: float
    false_calls: int
    missed_calls: int
    flicker: int
    wrong: tuple[str, ...] = ()
    """A sentence for each wrong stretch of time."""


def score(name: str, labels: Sequence[Label], steps: Sequence[Step]) -> Score:
    """Return how well the shown `steps` match the true `labels`."""
    spans = list(_spans(labels))
    samples = [(at, span, state_at(steps, at).state) for span in spans for at in _moments(span)]
    return Score(
        name=name,
        samples=len(samples),
        right=sum(span.accepts(state, merged=False) for _, span, state in samples),
        right_coarse=sum(span.accepts(state, merged=True) for _, span, state in samples),
        worst_wrong_s=_worst(samples, merged=False),
        worst_wrong_merged_s=_worst(samples, merged=True),
        false_calls=_false_calls(spans, steps),
        missed_calls=_missed_calls(spans, steps),
        flicker=_flicker(spans, steps),
        wrong=tuple(_wrong(samples, steps)),
    )


def state_at(steps: Sequence[Step], at: float) -> Step:
    """Return what was shown at a time."""
    return next((step for step in reversed(steps) if step.at <= at), steps[0])


def _spans(labels: Sequence[Label]) -> Iterator[Span]:
    for label, following in zip(labels, labels[1:], strict=False):
        if label.label == "exited":
            return
        main = _STATES[label.label]
        states = frozenset({main, *(_STATES[other] for other in label.alt)})
        yield Span(label.t, following.t, states, main)


def _moments(span: Span) -> Iterator[float]:
    at = span.start + GRACE
    while at < span.stop:
        yield at
        at += SAMPLE


_Sampled = tuple[float, Span, State]


def _worst(samples: Sequence[_Sampled], *, merged: bool) -> float:
    """Return the longest time from a wrong sample to the next right one, in seconds."""
    worst, since, last = 0.0, None, 0.0
    for at, span, state in samples:
        if span.accepts(state, merged=merged):
            since = None
            continue
        since = at if since is None else since
        last = at
        worst = max(worst, last + SAMPLE - since)
    return round(worst, 3)


def _false_calls(spans: Sequence[Span], steps: Sequence[Step]) -> int:
    """Count calls of the user while nothing was asked, outside of the grace period."""
    true = [span for span in spans if State.ATTENTION in span.states]
    calls = [step for step in steps[1:] if step.state is State.ATTENTION]
    scored = [step for step in calls if spans and spans[0].start <= step.at < spans[-1].stop]
    return sum(
        not any(span.start - GRACE <= step.at < span.stop + GRACE for span in true)
        for step in scored
    )


def _missed_calls(spans: Sequence[Span], steps: Sequence[Step]) -> int:
    """Count the questions, long enough to be scored, at which the user was never called."""
    missed = 0
    for span in spans:
        if span.states != {State.ATTENTION} or span.stop - span.start <= GRACE:
            continue
        shown = {state_at(steps, span.start).state}
        shown |= {step.state for step in steps if span.start <= step.at < span.stop}
        missed += State.ATTENTION not in shown
    return missed


def _flicker(spans: Sequence[Span], steps: Sequence[Step]) -> int:
    """Count states that came, were not true, and gave way to what was shown before them."""
    count = 0
    for before, flash, after in zip(steps, steps[1:], steps[2:], strict=False):
        if after.at - flash.at >= READABLE or after.state is not before.state:
            continue
        around = [s for s in spans if s.start - GRACE < after.at and s.stop + GRACE > flash.at]
        count += not any(span.accepts(flash.state, merged=False) for span in around)
    return count


def _wrong(samples: Sequence[_Sampled], steps: Sequence[Step]) -> Iterator[str]:
    last = ""
    for at, span, state in samples:
        told = ""
        if not span.accepts(state, merged=False):
            told = f"{span.main} shown as {state} ({state_at(steps, at).rule})"
            if told != last:
                yield f"{at:.2f} s: {told}"
        last = told
