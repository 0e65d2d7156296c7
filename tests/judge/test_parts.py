"""Each part of the judge says what it said when `parts.json.xz` was last written.

The cases are what recordings and other tests show, changed at random, and screens drawn at the border
of a rule. Each is kept for a small fault in the rules that it tells; some may never come about.
`python -m tests.judge.test_parts` writes anew what is said of them, after a change that was wanted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from nagomi_tui.judge import account, choices, resolver, shapes
from nagomi_tui.judge.evidence import (
    Corrected,
    Ended,
    Event,
    Evidence,
    Foreground,
    Stopped,
    Typed,
    View,
)
from nagomi_tui.judge.judge import Judge
from nagomi_tui.judge.known import Finding, Known
from nagomi_tui.judge.screen_rules import read_screen, region
from nagomi_tui.text.rows import PLAIN, Cursor, Row, Run
from tests.helpers.judge_story import BOOK
from tests.helpers.kept import read_kept, write_kept

KEPT: Final = Path(__file__).with_name("parts.json.xz")
EVENTS: Final = {
    one.__name__: one for one in (Evidence, Foreground, View, Typed, Stopped, Ended, Corrected)
}
QUESTIONS: Final = tuple(rule for manifest in BOOK.manifests for rule in manifest.question)
INPUTS: Final = tuple(manifest.input for manifest in BOOK.manifests if manifest.input)
SHARED: Final = tuple(manifest for manifest in map(BOOK.named, ("any", "generic")) if manifest)
REGIONS: Final = ("lit:6", "top:3", "after:^.*:", "last", "full", "above:3")
MOST_TICKS: Final = 12
"""Most ticks between two events of a case."""


class Case(msgspec.Struct, frozen=True):
    """Events in a session of this command, which began at that time."""

    command: str
    at: float
    events: tuple[Event, ...]


def _time(at: float) -> float | None:
    return round(at, 6) if at != float("inf") else None


def _finding(found: Finding) -> list[object]:
    grounds = [[said.source, said.says, said.rule, said.text] for said in found.because]
    return [found.state, found.confidence, found.rule, found.until, found.confirmed, grounds]


def _of_known(known: Known) -> Iterator[object]:
    found = resolver.resolve(known, BOOK)
    yield _finding(found)
    text = "\n".join(known.view.rows) if known.view else ""
    for agent, rests in ((True, True), (False, True), (False, False)):
        yield account.gist(text, 12, agent=agent, rests=rests)
    verdict = account.verdict(found, known, BOOK, str)
    yield [verdict.summary, verdict.evidence]
    yield [_time(account.mark_at(found, known, BOOK)), account.mark(found, known, BOOK)]


def _of_case(case: Case) -> Iterator[object]:
    judge = Judge(case.command, BOOK, at=case.at)
    for event in case.events:
        changes = []
        for _ in range(MOST_TICKS):
            if judge.wake_at >= event.at:
                break
            changes.append(judge.tick(judge.wake_at))
        changes += [judge.tick(event.at), judge.feed(event)]
        for change in filter(None, changes):
            yield [change.before.state, change.after.state, change.completed, change.after.since]
        shown, known = judge.shown.finding, judge.known
        yield [shown.state, shown.rule, _time(judge.wake_at), known.question, known.own_line]
    yield from _left(judge)


def _left(judge: Judge) -> Iterator[object]:
    """Yield what is known at the end."""
    known = judge.known
    yield [judge.profile, judge.version, judge.mismatch, known.turn, known.mark]
    yield [known.marked, known.hosts_agent, known.marks_itself, known.likely, known.prompt]
    yield [known.prompted, known.typed_count, known.asked_at if known.question else None]
    yield [known.closed_at, known.closing and len(known.closing.rows), known.drawn]
    yield [len(known.rested), known.entered_under, known.changed_at, known.retries]
    for source, held in sorted(known.sources.items()):
        said = held.last
        expires = None if said.expires is None else _time(said.expires)
        yield [source, held.says, held.since, said.rule, said.kind, expires]


def _menu(menu: choices.Menu | None) -> object:
    return menu and [menu.text, *menu.options]


def _menus(view: View) -> list[object]:
    ways = [(asks, apart) for asks in (False, True) for apart in (False, True)]
    return [_menu(choices.read_menu(view.rows, asks=one, apart=other)) for one, other in ways]


def _rows(view: View) -> list[Row]:
    return [Row((Run(row, PLAIN),)) if row else Row() for row in view.rows]


def _cursor(view: View) -> Cursor:
    return Cursor(x=view.cursor_x, y=view.cursor_y)


def _told(said: Evidence | None) -> object:
    return said and [said.says, said.rule, said.text, said.kind]


PARTS: Final[dict[str, tuple[Any, Callable[[Any], object]]]] = {
    "known": (Known, lambda known: [*_of_known(known)]),
    "events": (Case, lambda case: [*_of_case(case)]),
    "has_field": (View, shapes.has_field),
    "above_field": (View, lambda view: len(shapes.above_field(view))),
    "last_block": (View, shapes.last_block),
    "draft": (View, shapes.draft),
    "said_last": (View, lambda view: shapes.said_last(view, view.sent)),
    "above_field_of": (View, lambda view: len(shapes.above_field_of(view.rows))),
    "word_prompt": (View, shapes.word_prompt),
    "role_prompt": (View, shapes.role_prompt),
    "shows_progress": (View, lambda view: shapes.shows_progress(view.rows)),
    "read_menu": (View, _menus),
    "read_lit": (View, lambda view: _menu(choices.read_lit(view))),
    "read_open": (View, lambda view: choices.read_open(view.rows, view.cursor_y)),
    "read_popup": (View, lambda view: [choices.read_popup(view, lit=lit) for lit in (False, True)]),
    "read_arrows": (View, lambda view: choices.read_arrows(_rows(view), asks=False)),
    "read_question": (
        View,
        lambda view: choices.read_question(QUESTIONS, _rows(view), _cursor(view)),
    ),
    "behind_words": (View, lambda view: choices.behind_words(_rows(view), _cursor(view))),
    "read_draft": (View, lambda view: [choices.read_draft(one, _rows(view)) for one in INPUTS]),
    "read_screen": (
        View,
        lambda view: [
            _told(read_screen(manifest, view, moves=moves))
            for manifest in SHARED
            for moves in (False, True)
        ],
    ),
    "region": (View, lambda view: [region(view, name) for name in REGIONS]),
}
"""By name: what a part reads, and what it says of it."""


def _said(part: str, case: object) -> object:
    """Return what a part says, as it comes back from JSON."""
    kind, say = PARTS[part]
    return json.loads(msgspec.json.encode(say(_read(case, kind))))


def _read(case: Any, kind: Any) -> object:
    if kind is Case:
        events: list[Any] = [msgspec.convert(event, EVENTS[name]) for name, event in case["events"]]
        return Case(case["command"], case["at"], tuple(events))
    return msgspec.convert(case, kind)


@cache
def _kept() -> list[list[Any]]:
    kept: list[list[Any]] = read_kept(KEPT)
    return kept


@pytest.mark.parametrize("part", PARTS)
def test_a_part_says_what_it_said(part: str) -> None:
    cases = [(case, said) for name, case, said in _kept() if name == part]
    assert cases
    assert [(case, said) for case, said in cases if _said(part, case) != said] == []


def _write(cases: list[tuple[str, object]]) -> None:
    write_kept(KEPT, [(part, case, _said(part, case)) for part, case in cases])


if __name__ == "__main__":
    _write([(part, case) for part, case, _ in _kept()])
