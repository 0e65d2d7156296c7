"""Tools by which the model lists, reads and searches sessions without changing anything."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Final, Literal

import msgspec
from msgspec import Meta

from nagomi_tui.agent.providers.interface import Mask
from nagomi_tui.agent.tools.granted import ContextReader
from nagomi_tui.agent.tools.interface import Given, Output, Workplace
from nagomi_tui.api import messages
from nagomi_tui.sessions.reminding import WORDS_LIMIT
from nagomi_tui.sessions.session import Session
from nagomi_tui.text.words import Said, translatable

_DAYS: Final = (
    translatable("Monday"),
    translatable("Tuesday"),
    translatable("Wednesday"),
    translatable("Thursday"),
    translatable("Friday"),
    translatable("Saturday"),
    translatable("Sunday"),
)
_NOW: Final = translatable("{here} ({day}, {zone}); UTC {utc}")
_SESSIONS: Final = translatable("{count} sessions.")
_ROWS: Final = translatable(
    "Session {number}: rows {start} to {stop} of {first} to {last}; the screen begins at {screen}. "
    "Next: since {next}."
)
_ACCOUNT: Final = translatable("The judge's account:")
_WAITED: Final = {
    "exit": translatable("The wait ended by: exit."),
    "silence": translatable("The wait ended by: silence."),
    "output": translatable("The wait ended by: output."),
    "timeout": translatable("The wait ended by: timeout."),
    "attention": translatable("The wait ended by: attention."),
    "done": translatable("The wait ended by: done."),
    "idle": translatable("The wait ended by: idle."),
    "turn": translatable("The wait ended by: turn."),
}
_EXITED: Final = translatable("The wait ended by: exit. Exit code {code}.")
_FOUND: Final = translatable("{count} lines.")
_REMINDS: Final = translatable("The reminder is set.")


class NothingGiven(Given, frozen=True, kw_only=True):
    """No input."""


class GetCurrentTime(ContextReader[NothingGiven]):
    """Tells the date, the time and the weekday, in the local time zone and in UTC."""

    name: ClassVar = "get_current_time"
    description: ClassVar = "Tell date, time and weekday, here and in UTC."
    given: ClassVar = NothingGiven

    async def read(self, given: NothingGiven) -> Output:
        """Return local time and UTC in ISO 8601, to the second."""
        moment = datetime.fromtimestamp(self._now(), UTC)
        here = moment.astimezone()
        return Output(
            Said(
                _NOW,
                {
                    "here": here.isoformat(timespec="seconds"),
                    "day": Said(_DAYS[here.weekday()], {}),
                    "zone": here.tzname(),
                    "utc": moment.isoformat(timespec="seconds"),
                },
            )
        )


SessionName = Annotated[
    str,
    Meta(min_length=1, max_length=200, description="Number, name, id or unique prefix."),
]
_ABOVE: Final = 100
"""Rows before those asked for that are masked along with them: a private key may begin there."""
_MOST_ROWS: Final = 800
_MOST_SECONDS: Final = 600.0


class ListSessions(ContextReader[NothingGiven]):
    """Lists the sessions."""

    name: ClassVar = "list_sessions"
    description: ClassVar = (
        "List all sessions of the workplace as JSON, one a line: number, name, state of the "
        "process, phase (what it is doing), whether it waits for the user, summary, command, folder."
    )
    given: ClassVar = NothingGiven

    async def read(self, given: NothingGiven) -> Output:
        """Return a line with a JSON object for each session."""
        sessions = await self._workplace.list_sessions()
        lines = [_plain(_described(session, self._now())) for session in sessions]
        return Output(Said(_SESSIONS, {"count": len(sessions)}), "\n".join(lines))


class SessionGiven(Given, frozen=True, kw_only=True):
    """A session, and the rows of it to read; by default its screen."""

    session: SessionName
    last: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=_MOST_ROWS,
                description="The last so many rows, up to the last with text; else the screen.",
            ),
        ]
        | None
    ) = None
    since: (
        Annotated[
            int,
            Meta(ge=0, description="Rows from this number on; the result tells the next number."),
        ]
        | None
    ) = None


class ReadSession(ContextReader[SessionGiven]):
    """Reads what a session shows or has printed."""

    name: ClassVar = "read_session"
    description: ClassVar = (
        "Read a session's terminal: its screen, or its last rows, or the rows since a number. "
        f"At most {_MOST_ROWS} rows. Secrets are masked."
    )
    given: ClassVar = SessionGiven

    async def read(self, given: SessionGiven) -> Output:
        """Return the lines; rows that the terminal wrapped are joined."""
        return await read_session(self._workplace, self._mask, given)


async def read_session(workplace: Workplace, mask: Mask, given: SessionGiven) -> Output:
    """Return the lines; rows that the terminal wrapped are joined."""
    session = await workplace.find(given.session)
    bounds = await workplace.lines(session.session_id, 0, 0)
    start, stop = _wanted(given, bounds)
    if given.since is None and given.last is not None:
        stop = await _text_end(workplace, session.session_id, bounds)
        start = max(bounds.first_line, stop - given.last)
    found = await workplace.lines(session.session_id, start - _ABOVE, stop)
    lines = _lines(found, start, mask)
    numbers = {
        "number": session.number,
        "start": start,
        "stop": stop - 1,
        "first": bounds.first_line,
        "last": bounds.last_line,
        "screen": bounds.screen_line,
        "next": stop,
    }
    return Output(Said(_ROWS, numbers), "\n".join(lines).rstrip())


async def _text_end(workplace: Workplace, session_id: str, bounds: messages.LineRows) -> int:
    """Return the number of the row behind the last one of the screen that has text."""
    end = bounds.last_line + 1
    screen = await workplace.lines(session_id, bounds.screen_line, end)
    rows = list(enumerate(screen.rows, screen.start + 1))
    written = (number for number, row in reversed(rows) if any(run.strip() for run, _ in row[1]))
    return next(written, bounds.screen_line or end)


def _lines(found: messages.LineRows, start: int, mask: Mask) -> list[str]:
    """Return the lines from row `start` on, masked along with those before them.

    If a wrapped line contains row `start`, the whole line is returned.
    """
    numbers: list[int] = []
    texts: list[str] = []
    goes_on = False
    for number, (wrapped, runs) in enumerate(found.rows, found.start):
        text = "".join(run for run, _ in runs)
        if goes_on:
            texts[-1] += text
        else:
            numbers.append(number)
            texts.append(text.rstrip() if not wrapped else text)
        goes_on = wrapped
    masked = mask("\n".join(texts)).split("\n")
    first = sum(number < start for number in numbers)
    if first < len(numbers) and numbers[first] == start:
        return masked[first:]
    return masked[max(0, first - 1) :]


class WhyGiven(Given, frozen=True, kw_only=True):
    """The session to tell about."""

    session: SessionName


class WhySession(ContextReader[WhyGiven]):
    """Tells the judge's verdict on a session, and the evidence for it."""

    name: ClassVar = "why_session"
    description: ClassVar = (
        "Tell how a session stands (success, failure, attention, running, thinking, unknown), "
        "which rule says so and the evidence, with possible next steps and their risk."
    )
    given: ClassVar = WhyGiven

    async def read(self, given: WhyGiven) -> Output:
        """Return the verdict, its rule, its evidence and possible next steps, one a line."""
        found = await self._workplace.request(messages.Why(id=0, session=given.session))
        return Output(Said(_ACCOUNT, {}), "\n".join(_account(found)))


class WaitGiven(Given, frozen=True, kw_only=True):
    """A session, and the event to wait for, for at most `seconds`."""

    session: SessionName
    until: Annotated[
        Literal["exit", "silence", "output", "attention", "done", "idle", "turn"],
        Meta(
            description="The command has ended, nothing was printed for a while, a line fits, it needs "
            "its user, its turn is over, nothing goes on in it, or its turn is over or it needs its user."
        ),
    ] = "silence"
    pattern: Annotated[
        str, Meta(max_length=500, description="Regular expression for `output`.")
    ] = ""
    before: Annotated[
        bool,
        Meta(description="For `output`: lines since the last input count that are there already."),
    ] = False
    seconds: Annotated[float, Meta(gt=0, le=_MOST_SECONDS)] = 60.0


class WaitForSession(ContextReader[WaitGiven]):
    """Waits until a session has ended, is silent, prints a matching line, or stands so."""

    name: ClassVar = "wait_for_session"
    description: ClassVar = (
        "Wait until a session has ended, was silent for a few seconds, printed a line that fits "
        "a pattern, needs its user, or is done; or until the time is over."
    )
    given: ClassVar = WaitGiven
    seconds: ClassVar = _MOST_SECONDS + 20.0

    async def read(self, given: WaitGiven) -> Output:
        """Return why the wait ended, with the exit code and the line found, if any."""
        order = messages.Wait(
            id=0,
            session=given.session,
            until=given.until,
            pattern=given.pattern,
            new=not given.before,
            timeout=given.seconds,
        )
        waited = await self._workplace.request(order, timeout=given.seconds + 10.0)
        ended = waited.reason == "exit" and waited.exit_code is not None
        said = _EXITED if ended else _WAITED[waited.reason]
        return Output(Said(said, {"code": waited.exit_code}), waited.line or None)


class HistoryGiven(Given, frozen=True, kw_only=True):
    """The text to search for in the output of sessions."""

    text: Annotated[str, Meta(max_length=500, description="Text, not a pattern; empty for all.")]
    session: Annotated[
        str, Meta(max_length=200, description="Only this one, by number, name or id; or all.")
    ] = ""
    hours: Annotated[
        float, Meta(ge=0, le=100_000, description="Of the last so many hours; 0 is all.")
    ] = 0.0
    limit: Annotated[int, Meta(ge=1, le=500)] = 100


class SearchHistory(ContextReader[HistoryGiven]):
    """Searches the stored output of all sessions."""

    name: ClassVar = "search_history"
    description: ClassVar = (
        "Search the stored output of all sessions, ended and removed ones too. "
        "The newest lines that fit come back, oldest first."
    )
    given: ClassVar = HistoryGiven
    seconds: ClassVar = 20.0

    async def read(self, given: HistoryGiven) -> Output:
        """Return each line found with its local time and its session."""
        since = self._now() - given.hours * 3600 if given.hours else 0.0
        order = messages.SearchHistory(
            id=0, text=given.text, session=given.session, since=since, limit=given.limit
        )
        found = (await self._workplace.request(order)).lines
        return Output(Said(_FOUND, {"count": len(found)}), "\n".join(map(_stored, found)))


# --- wording


def _described(session: Session, now: float) -> dict[str, Any]:
    since = session.phase_since
    told = {
        "number": session.number,
        "name": session.name,
        "state": str(session.state),
        "phase": str(session.phase),
        "for_seconds": None if since is None else max(0, round(now - since)),
        "waits_for_user": session.waits,
        "reads_a_secret": session.secret,
        "summary": session.summary,
        "agent": session.agent_name,
        "command": session.cmd,
        "folder": session.cwd,
        "branch": session.branch,
        "title": session.title,
        "exit_code": session.exit_code,
        "turn": session.turn,
        "id": session.session_id,
    }
    return {key: value for key, value in told.items() if value not in ("", None)}


def _plain(told: dict[str, Any]) -> str:
    return msgspec.json.encode(told).decode()


def _wanted(given: SessionGiven, bounds: messages.LineRows) -> tuple[int, int]:
    """Return the number of the first row, and that after the last."""
    end = bounds.last_line + 1
    if given.since is not None:
        start = min(max(given.since, bounds.first_line), end)
        return start, min(end, start + _MOST_ROWS)
    return bounds.screen_line, end


def _account(found: messages.Standing) -> Iterator[str]:
    verdict = found.verdict
    yield f"{found.name}: {verdict.state}, certainty {verdict.confidence:.0%}, for {found.age_s:.0f} s"
    yield verdict.summary
    yield f"rule {found.rule}: {' '.join(found.meaning)}"
    for ground in found.evidence_detail:
        yield f"evidence from {ground.source}, {ground.age_s:.0f} s ago: {ground.text or ground.says}"
    for action in verdict.next_actions:
        yield f"next step ({action.risk} risk): {action.title}: {action.command}"


def _stored(line: messages.StoredLine) -> str:
    when = datetime.fromtimestamp(line.at, UTC).astimezone()
    text = f"[{line.gap} lines were not kept]" if line.gap else line.line
    return f"{when:%Y-%m-%d %H:%M:%S} {line.session}: {text}"


class RemindGiven(Given, frozen=True, kw_only=True):
    """When to tell what."""

    when: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=400,
            description=(
                "`20m`, `at 17:00`, `tomorrow 9:00`, `2026-11-30 09:00`; or of a session by number "
                "or name: `3 fails`, `3 fails twice`, `3 succeeds`, `3 is done`, `3 asks`, `3 ends`, "
                "`3 is idle`, `3 is quiet for 5m`, `3 says REGEX`."
            ),
        ),
    ]
    words: Annotated[
        str, Meta(max_length=WORDS_LIMIT, description="What the user is told then; in their words.")
    ] = ""


class Remind(ContextReader[RemindGiven]):
    """Sets a reminder; the user is not asked, since it does no more than tell them something."""

    name: ClassVar = "remind"
    description: ClassVar = (
        "Have the user told something at a time, or when a session fails, is done, asks, ends, is "
        "quiet or prints a line. nagomi watches by itself, in every mode, also while the chat is "
        "closed, and tells it once, here too. Use it for all that is to be watched or told later."
    )
    given: ClassVar = RemindGiven

    async def read(self, given: RemindGiven) -> Output:
        asked = messages.Remind(
            id=0, when=given.when, words=given.words, conversation=self._conversation()
        )
        found = await self._workplace.request(asked)
        return Output(Said(_REMINDS, {}), found.said)
