"""Proposes a screen rule from a moment at which the judge was wrong, and shows what it would change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from nagomi_tui.judge.evidence import Key, Says, View
from nagomi_tui.judge.known import Rulebook
from nagomi_tui.judge.loading import failed_sample, view_of
from nagomi_tui.judge.patterns import multiline
from nagomi_tui.judge.questions import Condition
from nagomi_tui.judge.replay import Recording, Replay, Step, state_at
from nagomi_tui.judge.screen_rules import Manifest, Rule, Sample, faults, region
from nagomi_tui.judge.senses.observer import Observer, Senses
from nagomi_tui.judge.senses.processes import key_of
from nagomi_tui.judge.shapes import has_field
from nagomi_tui.judge.verdict import BUSY, State
from nagomi_tui.judge.versions import RESTS, TAKEN_UP
from nagomi_tui.masking import mask_lines
from nagomi_tui.terminal.choose import open_engine
from nagomi_tui.text.words import Said, translatable

EVERY: Final = 0.5
"""Seconds between two views of a recording that the rule is tried on."""
_ROWS: Final = 14
_MOST_VIEWS: Final = 400
_LONGEST: Final = 60
_MOST_WORDS: Final = 2
"""Rows of the screen that a rule asks for."""
_FRAME: Final = r"^[\s│┃|]*"
_PLACES: Final = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\S*/\S*|\d+")
"""What differs each time: words in quotes, paths and numbers."""
_TELLING: Final = re.compile(
    r"(?i)[?？]\s*$|\b(?:enter|esc|y/n|yes|no|allow|approve|proceed|confirm|select|permission)\b|[❯›▸●] "
)
_SAYS: Final = {
    State.ATTENTION: (Says.WAITS, 950),
    State.RUNNING: (Says.RUNNING, 810),
    State.THINKING: (Says.THINKING, 710),
    State.FAILURE: (Says.FAILED, 630),
    State.SUCCESS: (Says.SUCCEEDED, 620),
    State.UNKNOWN: (Says.REST, 510),
}


class Moment(msgspec.Struct, frozen=True):
    """When the judge was wrong, in seconds of a recording, and the true state."""

    at: float
    right: State


class Difference(msgspec.Struct, frozen=True):
    """A moment of a recording from which another state would be shown."""

    recording: str
    at: float
    before: State
    after: State


class NoRule(ValueError):
    """No rule can be proposed; the sentence says why."""

    def __init__(self, sentence: Said) -> None:
        super().__init__(str(sentence))
        self.sentence = sentence


def answered(recording: Recording, steps: Sequence[Step]) -> list[Moment]:
    """Return when keys made a session go on that was shown at rest, without a field to type in."""
    found = []
    keys = [at for at, kind, text in recording.stream if kind == "i" and _may_answer(text)]
    for at in keys:
        taken_up = any(step.state in BUSY and at <= step.at <= at + TAKEN_UP for step in steps)
        if state_at(steps, at).state in RESTS and taken_up:
            view = views(recording, [at])[0]
            if not has_field(view):
                found.append(Moment(at, State.ATTENTION))
    return found


def views(recording: Recording, times: Sequence[float]) -> list[View]:
    """Return the screen right before each of these times, which ascend."""
    engine = open_engine(recording.header.width, recording.header.height)
    observer = Observer(engine, lambda _event: None)
    shown, left = [], list(recording.stream)
    for time in times:
        while left and left[0][0] < time:
            _, kind, text = left.pop(0)
            if kind == "o":
                engine.feed(text.encode("utf-8", "surrogatepass"))
            elif kind == "r":
                cols, rows = text.split("x")
                engine.resize(int(cols), int(rows))
        shown.append(observer.view(time, whole=False))
    engine.close()
    return shown


def propose(recording: Recording, moment: Moment, name: str) -> Rule:
    """Return a rule that holds at this moment, and not on other views of the recording.

    Raises:
        NoRule: nothing on the screen tells this moment from others.
    """
    times = _times(recording, moment.at)
    seen = views(recording, times)
    here = times.index(moment.at)
    shown = seen[here]
    bottom = [row for row in shown.rows if row.strip()][-_ROWS:]
    patterns = {row: pattern for row in bottom if (pattern := _pattern(row))}
    apart = [row for row in patterns if _only_around(patterns[row], seen, here)]
    apart.sort(key=lambda row: (not _TELLING.search(row), -len(row.strip())))
    if not apart:
        sentence = translatable(
            "no row of the screen tells this moment from others of the recording"
        )
        raise NoRule(Said(sentence, {}))
    chosen = apart[:_MOST_WORDS]
    says, priority = _SAYS[moment.right]
    size = max(len(bottom) - bottom.index(row) for row in chosen)
    other = next(view for view in seen if not _holds(patterns[chosen[0]], view))
    samples = [Sample("\n".join(mask_lines(bottom)))]
    if any(row.strip() for row in other.rows):
        rows = [row for row in other.rows if row.strip()][-_ROWS:]
        samples.append(Sample("\n".join(mask_lines(rows)), matches=False))
    field = has_field(shown)
    rule = Rule(
        name=name,
        says=says,
        priority=priority,
        when=Condition(all=tuple(patterns[row] for row in chosen)),
        region=f"bottom:{min(size + 2, 40)}",
        field=field if has_field(view_of(samples[0])) is field else None,
        sample=tuple(samples),
    )
    return _sound(rule)


def since_version(rule: Rule, recording: Recording, book: Rulebook) -> Rule:
    """Return the rule for the version that the recording shows, and newer ones."""
    replay = Replay(recording, book, Senses(), keys=True)
    replay.run()
    version = replay.judge.version
    return msgspec.structs.replace(rule, versions=f">={version}") if version else rule


def with_rule(book: Rulebook, agent: str, rule: Rule) -> Rulebook:
    """Return the rulebook with one more rule of an agent."""
    manifests = tuple(
        msgspec.structs.replace(one, rule=(rule, *one.rule)) if one.name == agent else one
        for one in book.manifests
    )
    return Rulebook(book.profile, manifests, book.actions)


def differences(recording: Recording, before: Rulebook, after: Rulebook) -> list[Difference]:
    """Return what another rulebook would show of a recording."""
    old, new = (Replay(recording, book, Senses(), keys=True).run() for book in (before, after))
    found: list[Difference] = []
    for at in sorted({step.at for step in (*old, *new)}):
        was, would = state_at(old, at).state, state_at(new, at).state
        if was is not would:
            found.append(Difference(recording.name, at, was, would))
    return found


def as_toml(rule: Rule) -> str:
    """Return the rule as TOML for a file of rules."""
    lines = [
        "[[rule]]",
        f'name = "{rule.name}"',
        f'says = "{rule.says}"',
        f"priority = {rule.priority}",
        f'region = "{rule.region}"',
    ]
    if rule.field is not None:
        lines.append(f"field = {str(rule.field).lower()}")
    if rule.versions:
        lines.append(f'versions = "{rule.versions}"')
    patterns = ", ".join(f"'{one}'" for one in rule.when.all)
    lines += ["[rule.when]", f"all = [{patterns}]"]
    for sample in rule.sample:
        lines.append("[[rule.sample]]")
        if not sample.matches:
            lines.append("matches = false")
        lines += ["screen = '''", sample.screen.replace("'''", "'' '"), "'''"]
    return "\n".join(lines) + "\n"


def file_text(manifest: Manifest) -> str:
    """Return the beginning of a user's file whose rules stand beside the shipped ones."""
    return f'name = "{manifest.name}"\nkind = "{manifest.kind}"\nadds = true\n'


def _times(recording: Recording, at: float) -> list[float]:
    last = recording.stream[-1][0] if recording.stream else at
    step = max(EVERY, last / _MOST_VIEWS)
    return sorted({at, *(round(number * step, 3) for number in range(1, int(last / step) + 1))})


def _may_answer(text: str) -> bool:
    return key_of(text) in (Key.TEXT, Key.ENTER)


def _pattern(row: str) -> str:
    """Return a pattern for a row: its words, with wildcards for what differs each time."""
    words = row.strip().strip("│┃|").strip()[:_LONGEST]
    if sum(char.isalpha() for char in words) < 3:
        return ""
    parts, at = [], 0
    for place in _PLACES.finditer(words):
        parts += [
            re.escape(words[at : place.start()]),
            r"\d+" if place[0].isdigit() else ".{1,80}?",
        ]
        at = place.end()
    parts.append(re.escape(words[at:]))
    return _FRAME + "".join(parts).replace("\\ ", " ").replace("'", ".")


def _only_around(pattern: str, seen: Sequence[View], here: int) -> bool:
    """Return whether the rule holds only on this view and its neighbours in time."""
    held = [at for at, view in enumerate(seen) if _holds(pattern, view)]
    return here in held and len(held) == held[-1] - held[0] + 1 and len(held) < len(seen)


def _holds(pattern: str, view: View) -> bool:
    return multiline(pattern).search(region(view, f"bottom:{_ROWS}")) is not None


def _sound(rule: Rule) -> Rule:
    """Return the rule if it passes its own samples; a sample that it cannot tell is left out.

    Raises:
        NoRule: it does not hold where it was made.
    """
    alone = Manifest(name="learned", kind="agent", rule=(rule,))
    fault = next(iter(faults(rule)), None) or failed_sample(alone, rule)
    if fault is not None:
        sentence = translatable("the rule that was found does not hold: {reason}")
        raise NoRule(Said(sentence, {"reason": fault}))
    return rule
