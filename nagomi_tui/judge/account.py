"""The judge's finding in words: its verdict, the reason, and the last lines that say something."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Final

import msgspec

from nagomi_tui.judge import line_rules, resolver
from nagomi_tui.judge.choices import read_menu, read_question
from nagomi_tui.judge.evidence import MESSAGE, Evidence, Says, Source, Wait
from nagomi_tui.judge.known import Finding, Known, Retries, Rulebook
from nagomi_tui.judge.next_steps import next_actions
from nagomi_tui.judge.program_rules import AWAITS_EVENTS
from nagomi_tui.judge.shapes import above_field_of
from nagomi_tui.judge.verdict import (
    BUSY,
    EVIDENCE_LIMIT,
    FAILED_QUIETLY,
    OVER,
    PARKED,
    RETRIES,
    SUMMARY_LIMIT,
    State,
    Verdict,
    fixed,
    shorten,
)
from nagomi_tui.sessions.session import Session
from nagomi_tui.sessions.standing import exit_words
from nagomi_tui.text.cells import cells
from nagomi_tui.text.rows import Cursor, Row, Run, Style

_FRAME: Final = " \t│┃║|▌▐▎█"
_PROMPT: Final = re.compile(r"^.{0,60}[$#%>❯➜»›]\s*$")
_TELLS: Final = re.compile(r"\w.*\w")
_FOOTER: Final = re.compile(
    r"^[^\w\s]\s+\w+ for <?\d+[hms]\b|^Worked for <?\d+[hms](?: \d+[ms])*(?: [•·].*)?$"
    r"|^[Tt]okens?: ?\d|^▣ |^(?:[⎿└]\s+)?Tip: "
    r"|^(?:(?i:shift|ctrl|alt|esc|tab|enter)\b\S*|\?) (?:to|for) \w"
    r"|^[\u2801-\u28ff◐-◓] *\S|^[·✢✳✶✻✽✺✹✦∴*] \S.{0,80}(?:…|\.\.\.) ?(?:\(.*)?$"
)
"""What an agent's turn took in time or tokens, by which model, a tip, a key and what it does, or a
sign that turns while it works."""

_KEYS: Final = re.compile(r"^\^\S +\w.* \^\S +\w")
"""The keys that nano and its like tell below the text."""
_RULE: Final = re.compile(r"\s*[─━═]{3,}$")
"""The rest of a row that is a rule, as behind the count in fzf."""

_LINED: Final = re.compile(r"[^│┃]+(?=[│┃])")
"""What stands before a vertical line, where no frame or table begins the row."""
_BEGINS: Final = re.compile(r"\s*(?:[^\w\s(`'\"“「（/~.]|\d+[.)] |$)")
"""A row that begins something: a mark of a list or of whoever speaks, a frame, a number."""
_FRAMED: Final = re.compile(r"[│┃║|]")
_MARGIN: Final = 4
"""Cells at the right edge that agents leave free as they break a sentence."""
_PANEL_AT: Final = 40
"""The first column at which a panel may stand beside an agent's words."""
_ASIDE: Final = re.compile(rf" {{{_PANEL_AT},}}")
"""What begins a row that stands at the right edge, such as Claude Code's hint above its field."""
_ART: Final = re.compile(r"\s*[▀-█▐]*[▖-▟]")
"""What begins a row of a banner's picture: quarters of a cell, which no bar of progress has."""
_PANEL_ROWS: Final = 6
"""The fewest rows of such a panel."""


def gist(text: str, count: int, *, agent: bool = False, rests: bool = True) -> tuple[str, ...]:
    """Return the last `count` lines of a screen's text that say something, the newest last.

    Frames and rules are left out; so are the prompt at the end where the program `rests`, and where
    it stands above with no command behind it, and rows of keys at the bottom. Of an `agent` the
    field to type in with all that is below it, a picture and what stands beside it, what stands at
    the right edge, what its turn took or keys do, and the row that turns while it works are left out,
    too, and what it has broken over rows is one line again.
    """
    rows = tuple(text.rstrip().split("\n"))
    if agent:
        width = max(map(cells, rows))
        rows = _without_panel(above_field_of(rows))
        rows = tuple(row for row in rows if not (_ASIDE.match(row) or _ART.match(row)))
        rows = tuple(_joined(rows, width)) if width >= _PANEL_AT else rows
    lines = [line for row in rows if _TELLS.search(line := _RULE.sub("", row.strip(_FRAME)))]
    if agent:
        lines = [line for line in lines if not _FOOTER.match(line)]
    prompt = lines[-1] if rests and lines and _PROMPT.match(lines[-1]) else ""
    said = [line for line in lines if line != prompt and not _KEYS.match(line)]
    return tuple(said[-count:])


def _joined(rows: tuple[str, ...], width: int) -> Iterator[str]:
    """Yield the rows of a screen this wide, those of one sentence that goes on in the next as one."""
    line = before = ""
    for row in rows:
        word = row.split(maxsplit=1)[0] if row.strip() else ""
        full = cells(before.rstrip()) + 1 + cells(word) > width - _MARGIN
        begins = _BEGINS.match(row) or _FRAMED.search(f"{before}{row}")
        if word and full and not begins and _TELLS.search(before):
            line = f"{line.rstrip()}{'' if cells(word[0]) > 1 else ' '}{row.strip()}"
        else:
            if line:
                yield line
            line = row
        before = row
    yield line


def _without_panel(rows: tuple[str, ...]) -> tuple[str, ...]:
    """Cut off the panel that an agent shows beside its words, such as Claude Code's of changes."""
    words = [found[0] if (found := _LINED.match(row)) else "" for row in rows]
    places = [cells(before) for before in words]
    lines = Counter(place for place in places if place >= _PANEL_AT)
    at, count = max(lines.items(), key=itemgetter(1), default=(0, 0))
    if count < _PANEL_ROWS:
        return rows
    return tuple(
        before if place == at else row
        for row, before, place in zip(rows, words, places, strict=True)
    )


_GOES_ON: Final = re.compile(
    r"(?i)\b(?:continu|resum|retry)\w+ automatically (?:at|in|on) (?P<time>[^·•|()\s][^·•|()]{0,30})"
)
_PARKED_ROWS: Final = 12
_TOLD_BY_LINES: Final = frozenset({State.FAILURE, State.ATTENTION})
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
    found = line_rules.hits(book.profile, spoken) if finding.state in _TOLD_BY_LINES else ()
    told = tuple(hit.line for hit in found)
    command = (known.view.command if known.view else "") or known.command
    return Verdict(
        state=finding.state,
        confidence=finding.confidence,
        summary=_summary(finding, known, book, say) or fixed(finding.state, session, say),
        evidence=_evidence(finding, told),
        next_actions=next_actions(book.actions, finding.state, spoken, command, say=say),
    )


def _as_it_ended(finding: Finding, known: Known) -> Known:
    """Return what is known with the screen on which a shell's command ended, if it tells of one.

    The lines of the prompt that stands below a failure are none of it.
    """
    shell = known.marked and finding.state in OVER and known.ended is None
    view = (known.closing if shell else None) or known.view
    if view is not None and view.prompt_lines and finding.state is State.FAILURE:
        view = msgspec.structs.replace(view, lines=view.output, prompt_lines=0)
    return known if view is known.view else msgspec.structs.replace(known, view=view)


def _parked(known: Known, book: Rulebook) -> str:
    """Return when an agent goes on by itself that has hit a limit, as its screen tells; or nothing."""
    rows = known.view.rows if known.view is not None and resolver.in_agent(known, book) else ()
    told = (found for row in rows[-_PARKED_ROWS:] if (found := _GOES_ON.search(row)))
    return next((found["time"].strip() for found in told), "")


_TRIES: Final = re.compile(
    r"(?i)\b(?:re-?try(?:ing)?|re-?connecting|re-?attempting|try(?:ing)? again|next try|waiting for (?:the )?network"
    r"|attempt \d+)\b|再(?:試行|接続)"
)
_TRIES_ROWS: Final = 10
"""Rows at the screen's end that are not empty, in which an agent tells that it tries again."""
TRIES_PAUSE: Final = 45.0
"""Most seconds between two such words that belong together."""
TRIES_LONG: Final = 60.0
"""Seconds of trying again after which that is told."""

QUIET: Final = 10.0
"""Least seconds of quiet after a sign of failure that are told; `silence_timeout` may make it more."""
_QUIET_RULES: Final = frozenset({"process-works", AWAITS_EVENTS})
_LATEST: Final = 12
"""Last lines of a turn in which a sign of failure counts while it goes on."""


def note_retries(known: Known, *, works: bool) -> None:
    """See whether an agent at work tells that it tries again, and since when."""
    before, turn = known.retries, known.turn.number
    if not works or known.view is None or (before is not None and before.turn != turn):
        known.retries = None
        return
    rows = [row for row in known.view.rows if row.strip()][-_TRIES_ROWS:]
    line = next((row for row in reversed(rows) if _TRIES.search(row)), "")
    if not line:
        if before is not None and known.now > before.until + TRIES_PAUSE:
            known.retries = None
        return
    since = before.since if before is not None else known.now
    known.retries = Retries(turn, since, known.now, line.strip(_FRAME))


def mark_at(finding: Finding, known: Known, book: Rulebook) -> float:
    """Return when `mark` may have something to say; infinity if it never has."""
    if finding.state not in BUSY:
        return float("inf")
    if known.retries is not None:
        return known.retries.since + TRIES_LONG
    if finding.rule not in _QUIET_RULES:
        return float("inf")
    since = max(known.changed_at, known.worked_at, known.turn.started_at)
    return since + max(QUIET, book.profile.silence_seconds)


def mark(finding: Finding, known: Known, book: Rulebook) -> str:
    """Return what is told beside a state of work, with a sign before it; mostly nothing.

    That is an agent's words for trying again, for a minute or more, or the sign of failure of a
    program that has neither worked nor printed anything since.
    """
    if known.now < mark_at(finding, known, book):
        return ""
    if known.retries is not None:
        return shorten(f"{RETRIES} {known.retries.line}")
    spoken = known.view.lines[-_LATEST:] if known.view is not None else ()
    command = (known.view.command if known.view else "") or known.command
    if line_rules.only_reads(book.profile, command):
        spoken = line_rules.own_words(command, spoken)
    told = line_rules.telling(book.profile, line_rules.after_tally(book.profile, spoken))
    return shorten(f"{FAILED_QUIETLY} {told}") if told else ""


def _summary(
    finding: Finding,
    known: Known,
    book: Rulebook,
    say: Callable[..., str],
) -> str:
    """Return the most telling words: what was asked or reported, then lines of the output."""
    if finding.state not in _TOLD_BY_LINES and finding.state is not State.SUCCESS:
        return known.mark if finding.state in BUSY else ""
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
    said = next((said for said in told if _speaks(said)), None) or _on_screen(finding, known)
    if said is not None:
        asks = finding.state is State.ATTENTION and said.source is Source.TEXT
        return (_shorten_question if asks else shorten)(_first_line(said.text))
    if finding.state is State.SUCCESS:
        return ""
    if finding.state is State.ATTENTION and known.question:
        return _shorten_question(known.question[1].strip())
    # What a signal has ended had no time to say so in its last line.
    last = () if finding.rule == resolver.BY_SIGNAL else _last_words(known, book)
    failed = finding.state is State.FAILURE
    command, status = _ending(known)
    spoken = known.view.lines if known.view else ()
    words = line_rules.telling(book.profile, spoken, last, command if failed else "")
    if not failed:
        return words
    words = line_rules.time_limit(book.profile, command, status) or words
    # The status that an agent marks its own turns with says nothing.
    is_program = known.shell and not known.marks_itself and not resolver.in_agent(known, book)
    return words or (_status(finding) if is_program else "")


def _on_screen(finding: Finding, known: Known) -> Evidence | None:
    """Return what an agent's screen tells of a failure that it reported without words."""
    screen = known.held(Source.SCREEN)
    tells = screen is not None and screen.says is Says.FAILED and _speaks(screen.last)
    return screen.last if screen is not None and tells and finding.state is State.FAILURE else None


_STATUS: Final = re.compile(r"^D;(\d{1,9})$")


def _ending(known: Known) -> tuple[str, int]:
    """Return the command line that has failed, and its status; 0 if that is not known."""
    if known.ended is not None:
        return known.command, known.ended.code if known.ended.signal is None else 0
    marks = known.held(Source.SHELL)
    found = _STATUS.match(marks.last.text) if marks else None
    return known.view.command if known.view else "", int(found[1]) if found else 0


def _status(finding: Finding) -> str:
    """Return the status that a shell has told of a command which said nothing itself."""
    told = (_STATUS.match(said.text) for said in finding.because if said.source is Source.SHELL)
    return next((f"exit {exit_words(int(found[1]), None)}" for found in told if found), "")


def _shorten_question(text: str) -> str:
    """Return the end of a long question, which is where it asks."""
    return text if len(text) <= SUMMARY_LIMIT else f"…{text[1 - SUMMARY_LIMIT :].lstrip()}"


def _last_words(known: Known, book: Rulebook) -> tuple[str, ...]:
    """Return the lines of the turn that say something, for where none tells by a pattern.

    While a command runs it is above the cursor, but on the alternate screen, where an editor tells
    below which file it has opened; of an agent's screen the last line says nothing.
    """
    view = known.view
    if view is None or resolver.in_agent(known, book):
        return ()
    above = view.rows if view.alt_screen else view.lines_above
    rests = known.ended is None
    count = 1 if view.alt_screen else len(above)
    return gist("\n".join(above if rests else view.lines), count, rests=rests)


def _asked(known: Known, book: Rulebook) -> str:
    """Return what an agent's dialog or a program's row of choices asks, and what it is about."""
    agent, view = resolver.foreground_agent(known, book), known.view
    if view is None:
        return ""
    rules = resolver.agent_questions(agent, book) if agent else resolver.row_questions(book)
    cursor = Cursor(view.cursor_x, view.cursor_y)
    for texts in (view.rows, view.lines):
        question = read_question(rules, [Row((Run(text, Style()),)) for text in texts], cursor)
        if question is not None and question.text:
            return " · ".join((question.text, *question.details))
        if question is None:
            break
        # On a screen with room for the choices alone, what is asked stands in the lines above it.
    menu = read_menu(view.rows, asks=True) if agent else None
    return menu.text if menu else ""


def _speaks(said: Evidence) -> bool:
    return (said.source in _SPOKEN or said.rule == MESSAGE) and bool(_TELLS.search(said.text))


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
