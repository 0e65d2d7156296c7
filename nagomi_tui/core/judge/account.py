"""Words a finding: as the verdict that is shown, and as the reason that `nagomi why` prints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.core.judge import lines
from nagomi_tui.core.judge.evidence import MESSAGE, Evidence, Says, Source, Wait
from nagomi_tui.core.judge.gist import gist
from nagomi_tui.core.judge.questions.choices import read_question
from nagomi_tui.core.judge.questions.menus import read_menu
from nagomi_tui.core.judge.resolver import (
    BY_SIGNAL,
    agent_questions,
    foreground_agent,
    in_agent,
    row_questions,
)
from nagomi_tui.core.judge.sentences import PARKED, fixed
from nagomi_tui.core.judge.steps.actions import next_actions
from nagomi_tui.core.judge.verdict import EVIDENCE_LIMIT, OVER, State, Verdict, shorten
from nagomi_tui.core.text.screen import Cursor, Row, Run, Style

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.core.judge.finding import Finding, Rulebook
    from nagomi_tui.core.judge.known import Known
    from nagomi_tui.core.session.session import Session


_GOES_ON: Final = re.compile(
    r"(?i)\b(?:continu|resum|retry)\w+ automatically (?:at|in|on) (?P<time>[^·•|()\s][^·•|()]{0,30})"
)
_PARKED_ROWS: Final = 12
_WORDED: Final = frozenset({State.FAILURE, State.ATTENTION})
_SPOKEN: Final = frozenset({Source.HOOK, Source.SCREEN, Source.TEXT, Source.NOTICE})


class Ground(msgspec.Struct, frozen=True):
    """One piece of evidence as `nagomi why` shows it; `age` is in seconds."""

    source: Source
    says: Says
    age: float
    rule: str
    text: str


class Reason(msgspec.Struct, frozen=True):
    """Why a state is shown."""

    state: State
    confidence: float
    rule: str
    since: float
    confirmed: bool
    grounds: tuple[Ground, ...]


def reason(finding: Finding, since: float, now: float) -> Reason:
    """Return the rule and the evidence behind a finding, the strongest first."""
    return Reason(
        state=finding.state,
        confidence=finding.confidence,
        rule=finding.rule,
        since=since,
        confirmed=finding.confirmed,
        grounds=tuple(_ground(said, now) for said in finding.because),
    )


def everything(known: Known) -> tuple[Ground, ...]:
    """Return the latest evidence of every source, whether or not the finding rests on it."""
    told = [held.last for held in known.sources.values()]
    if (seen := known.foreground) is not None:
        says = Says.RUNNING if seen.wait is Wait.NOTHING else Says.WAITS
        text = f"{seen.command}: {seen.wait}"
        told.append(Evidence(source=Source.PROCESS, says=says, at=seen.at, text=text))
    return tuple(_ground(said, known.now) for said in told)


def verdict(
    finding: Finding,
    known: Known,
    book: Rulebook,
    say: Callable[..., str],
    session: Session | None = None,
) -> Verdict:
    """Return a finding in the fixed form of N-85; `say` translates its fixed sentences.

    Without words of a program, the end of `session` is told as its badge is.
    """
    known = _as_it_ended(finding, known)
    spoken = known.view.lines if known.view else ()
    found = lines.hits(book.profile, spoken) if finding.state in _WORDED else ()
    told = tuple(hit.line for hit in found)
    command = (known.view.command if known.view else "") or known.command
    return Verdict(
        state=finding.state,
        confidence=finding.confidence,
        summary=_summary(finding, known, book, found, say) or fixed(finding.state, session, say),
        evidence=_evidence(finding, told),
        next_actions=next_actions(book.actions, finding.state, spoken, command, say=say),
    )


def _as_it_ended(finding: Finding, known: Known) -> Known:
    """Return what is known with the screen on which a shell's command ended, if it tells of one."""
    shell = known.marked and finding.state in OVER and known.ended is None
    closing = known.closing if shell else None
    return msgspec.structs.replace(known, view=closing) if closing is not None else known


def _parked(known: Known, book: Rulebook) -> str:
    """Return when an agent goes on by itself that has hit a limit, as its screen tells; or nothing."""
    rows = known.view.rows if known.view is not None and in_agent(known, book) else ()
    told = (found for row in rows[-_PARKED_ROWS:] if (found := _GOES_ON.search(row)))
    return next((found["time"].strip() for found in told), "")


def _summary(
    finding: Finding,
    known: Known,
    book: Rulebook,
    found: tuple[lines.Hit, ...],
    say: Callable[..., str],
) -> str:
    """Return the most telling words: what was asked or reported, then lines of the output."""
    if finding.state not in _WORDED and finding.state is not State.SUCCESS:
        return ""
    if finding.state is State.FAILURE and (until := _parked(known, book)):
        return shorten(PARKED.format(time=until) if say is str else say(PARKED, time=until))
    if finding.state is State.ATTENTION and (asked := _asked(known, book)):
        return shorten(asked)
    # A sign on the screen that a turn went well says nothing about what was done (N-79).
    told = [
        said
        for said in finding.because
        if finding.state is not State.SUCCESS or said.source is not Source.SCREEN
    ]
    reported = next((said.text for said in told if _speaks(said)), "")
    if reported:
        return shorten(_first_line(reported))
    if finding.state is State.SUCCESS:
        return ""
    if finding.state is State.ATTENTION and known.question:
        return shorten(known.question[1].strip())
    # What a signal has ended had no time to say so in its last line.
    last = () if finding.rule == BY_SIGNAL else _last_words(known, book)
    return lines.telling(found, last)


def _last_words(known: Known, book: Rulebook) -> tuple[str, ...]:
    """Return the last line of the turn that says something, for where no line tells by a pattern.

    While a command runs it is above the cursor, but on the alternate screen, where an editor tells
    below which file it has opened; of an agent's screen the last line says nothing.
    """
    view = known.view
    if view is None or in_agent(known, book):
        return ()
    above = view.rows if view.alt_screen else view.lines_above
    rests = known.ended is None
    return gist("\n".join(above if rests else view.lines), 1, rests=rests)


def _asked(known: Known, book: Rulebook) -> str:
    """Return what an agent's dialog or a program's row of choices asks, and what it is about."""
    agent, view = foreground_agent(known, book), known.view
    if view is None:
        return ""
    rules = agent_questions(agent, book) if agent else row_questions(book)
    rows = tuple(Row((Run(text, Style()),)) for text in view.rows)
    question = read_question(rules, rows, Cursor(view.cursor_x, view.cursor_y))
    if question is not None:
        return " · ".join((question.text, *question.details))
    menu = read_menu(view.rows, asks=True) if agent else None
    return menu.text if menu else ""


def _speaks(said: Evidence) -> bool:
    return (said.source in _SPOKEN or said.rule == MESSAGE) and bool(said.text.strip())


def _first_line(text: str) -> str:
    return " ".join(text.strip().split("\n", 1)[0].split())


def _evidence(finding: Finding, told: tuple[str, ...]) -> tuple[str, ...]:
    """Return at most three lines: what was read, and the output that bears it out."""
    grounds = [f"{said.source}: {_first_line(said.text)}" for said in finding.because if said.text]
    lines = (line for line in told[-EVIDENCE_LIMIT:] if not any(line in one for one in grounds))
    kept = list(dict.fromkeys([*grounds, *lines]))
    return tuple(shorten(line) for line in kept[:EVIDENCE_LIMIT])


def _ground(said: Evidence, now: float) -> Ground:
    return Ground(said.source, said.says, round(now - said.at, 3), said.rule, said.text)
