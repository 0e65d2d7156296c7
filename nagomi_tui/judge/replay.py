"""Reads recorded sessions, and runs the judge over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from nagomi_tui.judge.evidence import Ended, Event, Typed, View
from nagomi_tui.judge.judge import Judge, Shown
from nagomi_tui.judge.known import Rulebook
from nagomi_tui.judge.senses.hooks import HookReader
from nagomi_tui.judge.senses.observer import Observer, Senses
from nagomi_tui.judge.senses.processes import ProcessReader, Sample, is_reply, key_of
from nagomi_tui.judge.verdict import BUSY, State
from nagomi_tui.system.decoding import from_json
from nagomi_tui.terminal.choose import open_engine
from nagomi_tui.terminal.cuts import LineEditing
from nagomi_tui.terminal.engine import Engine
from nagomi_tui.text.words import Said, translatable


class RecordingError(ValueError):
    """A recording cannot be read; the sentence names the file."""

    def __init__(self, sentence: Said) -> None:
        super().__init__(str(sentence))
        self.sentence = sentence


class Header(msgspec.Struct):
    """The first line of an asciicast version 2."""

    version: int
    width: int
    height: int
    command: str = ""


class HookCall(msgspec.Struct):
    """One call of a hook: when its program started, and what it was given."""

    t: float
    stdin: dict[str, Any]


class Label(msgspec.Struct, frozen=True):
    """The true state from `t` seconds on; the states in `alt` are accepted, too."""

    t: float
    label: Literal[
        "idle",
        "thinking",
        "running",
        "needs_attention",
        "turn_done_success",
        "turn_done_failure",
        "exited",
    ]
    alt: tuple[str, ...] = ()
    code: int | None = None


class Truth(msgspec.Struct):
    """The labels of a session."""

    labels: tuple[Label, ...]


class Recording(msgspec.Struct, frozen=True):
    """One recorded session, and its truth where it is labelled."""

    name: str
    header: Header
    stream: tuple[tuple[float, str, str], ...]
    samples: tuple[Sample, ...]
    hooks: tuple[HookCall, ...]
    labels: tuple[Label, ...]

    @property
    def end(self) -> Label | None:
        """The label that says that the command has ended."""
        return next((label for label in self.labels if label.label == "exited"), None)


def names(folder: Path) -> list[str]:
    """Return the recordings of a folder that have labels."""
    return sorted(path.name.removesuffix(".cast") for path in folder.glob("*.cast"))


def read(folder: Path, name: str) -> Recording:
    """Read one recording; only its `.cast` must be there.

    Raises:
        RecordingError: a file is missing or is not what its name says.
    """
    lines = _lines(folder / f"{name}.cast", needed=True)
    cast = folder / f"{name}.cast"
    if not lines:
        raise RecordingError(Said(translatable("{path} is empty"), {"path": cast}))
    return Recording(
        name=name,
        header=_decode(cast, lines[0], Header),
        stream=tuple(_decode(cast, line, tuple[float, str, str]) for line in lines[1:]),
        samples=_records(folder / f"{name}.proc.jsonl", Sample),
        hooks=_records(folder / f"{name}.hooks.jsonl", HookCall),
        labels=_labels(folder / f"{name}.labels.json"),
    )


def _labels(path: Path) -> tuple[Label, ...]:
    if not path.is_file():
        return ()
    truth: Truth = _decode(path, path.read_bytes(), Truth)
    return truth.labels


def _records(path: Path, kind: Any) -> tuple[Any, ...]:
    return tuple(_decode(path, line, kind) for line in _lines(path))


def _lines(path: Path, *, needed: bool = False) -> list[bytes]:
    if not needed and not path.is_file():
        return []
    try:
        return [line for line in path.read_bytes().splitlines() if line.strip()]
    except OSError as exc:
        sentence = translatable("{path} cannot be read: {reason}")
        raise RecordingError(Said(sentence, {"path": path, "reason": exc.strerror})) from exc


def _decode(path: Path, line: bytes, kind: Any) -> Any:
    try:
        return from_json(line, kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        sentence = translatable("{path} is not such a file: {reason}")
        raise RecordingError(Said(sentence, {"path": path, "reason": exc})) from exc


class Step(msgspec.Struct, frozen=True):
    """What was shown from `at` on (seconds of the recording), and by which rule."""

    at: float
    state: State
    rule: str


_Happening = tuple[float, int, object]


class Replay:
    """One recording under the judge."""

    def __init__(self, recording: Recording, book: Rulebook, senses: Senses, *, keys: bool) -> None:
        header = recording.header
        self._recording = recording
        self._senses = senses
        self._keys = keys
        self._hooks = HookReader()
        self._processes = ProcessReader()
        self._seen: Sample | None = None
        self.judge = Judge(header.command, book, at=0.0)
        self.engine = open_engine(header.width, header.height)
        self._observer = Observer(self.engine, self._tell, senses)
        self._printing = Printing(self.engine, self._observer)
        self._observer.tail_lines = book.profile.tail_lines
        self.steps = [_step(self.judge.shown)]

    def run(self) -> list[Step]:
        """Run the judge, and return what it showed over time."""
        for at, _, happening in sorted(self._happenings(), key=lambda item: item[:2]):
            self._pass_time(at)
            self._happen(happening, at)
        self.engine.close()
        return self.steps

    def _happenings(self) -> Iterator[_Happening]:
        recording, senses = self._recording, self._senses
        for order, (at, kind, text) in enumerate(recording.stream):
            if kind == "x":
                code = int(text) if text.lstrip("-").isdigit() else 0
                yield at, order, Ended(at, code)
            if kind == "o" or kind == "r" or (kind == "i" and self._keys):
                yield at, order, (kind, text)
        if senses.process:
            yield from ((sample.t, -1, sample) for sample in recording.samples)
        if senses.hooks:
            yield from ((call.t, -1, call.stdin) for call in recording.hooks)
        if recording.end is not None:
            yield (
                recording.end.t,
                len(recording.stream),
                Ended(recording.end.t, recording.end.code or 0),
            )

    def _happen(self, happening: object, at: float) -> None:
        match happening:
            case ("o", str(text)):
                self._printing.print(text.encode("utf-8", "surrogatepass"), at)
            case ("r", str(size)):
                cols, rows = size.split("x")
                self.engine.resize(int(cols), int(rows))
            case ("i", str(text)):
                if not is_reply(text):
                    self._observer.typed(Typed(at, key_of(text)))
            case dict():
                said = self._hooks.read(happening, at)
                if said is not None:
                    self._tell(said)
            case Ended():
                self._observer.refresh(at, last=True)
                self._tell(happening)
            case sample:
                self._sample(sample)  # type: ignore[arg-type]

    def _sample(self, sample: Sample) -> None:
        self._seen = sample
        self._observer.refresh(sample.t, last=self.judge.known.foreground is None)
        if self._observer.is_current:
            self._tell_sample(sample.t)

    def _tell_sample(self, at: float) -> None:
        """Pass a sample on; while output flows, only when the screen is looked at, as live."""
        sample, self._seen = self._seen, None
        seen = self._processes.read(msgspec.structs.replace(sample, t=at)) if sample else None
        if seen is not None:
            self._tell(seen)

    def _tell(self, event: Event) -> None:
        self.judge.feed(event)
        self._note()
        if self._seen is not None and isinstance(event, View):
            self._tell_sample(event.at)

    def _pass_time(self, until: float) -> None:
        """Let the judge's time pass, with as many looks at the screen as it would have had live."""
        while True:
            look = self._observer.due
            wake = self.judge.wake_at if look is None else min(self.judge.wake_at, look)
            if wake >= until:
                return
            if look is not None and look <= wake:
                self._observer.peek(look)
            else:
                self._observer.refresh(wake)
                self.judge.tick(wake)
            self._note()

    def _note(self) -> None:
        shown = self.judge.shown
        if shown.state is not self.steps[-1].state:
            self.steps.append(_step(shown))


class Printing:
    """Feeds output to a terminal, and has its observer hear it."""

    def __init__(self, engine: Engine, observer: Observer) -> None:
        self._engine = engine
        self._observer = observer
        self._editing = LineEditing()

    def print(self, data: bytes, at: float) -> None:
        """Print this at a time."""
        for piece in self._editing.pieces(data):
            self._engine.feed(piece.data)
            self._engine.take_replies()
            self._observer.hear(piece, self._engine.take_events(), at)
        self._observer.settle(at)


def _step(shown: Shown) -> Step:
    return Step(shown.since, shown.state, shown.finding.rule)


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
