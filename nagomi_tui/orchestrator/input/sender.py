"""Types, pastes, presses keys and points in sessions, keeps what comes too early, and reads what is open there."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

import anyio
import msgspec

from nagomi_tui.judge.choices import behind_words, read_arrows, read_draft, read_question
from nagomi_tui.judge.evidence import Foreground
from nagomi_tui.judge.judge import Judge
from nagomi_tui.judge.questions import Question
from nagomi_tui.judge.resolver import agent_questions, foreground_manifest, shell_rests
from nagomi_tui.judge.screen_rules import Manifest
from nagomi_tui.judge.verdict import State
from nagomi_tui.orchestrator.judging.judges import Judges
from nagomi_tui.orchestrator.judging.session_judge import SessionJudge
from nagomi_tui.orchestrator.runtime.requests import Refusal, Requester
from nagomi_tui.orchestrator.runtime.timers import Alarms
from nagomi_tui.orchestrator.sessions.audience import Tell
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.sessions.session import has_ended
from nagomi_tui.terminal.keys import encode_focus, encode_key, encode_mouse, encode_paste, parse_key
from nagomi_tui.text.rows import Cursor, Modes, Row
from nagomi_tui.text.words import translatable
from nagomi_worker.wire import protocol

LOOK_SECONDS: Final = 0.02
KEPT_SECONDS: Final = 20.0
"""A terminal that is not there again after so long is not waited for."""


class EarlyInput:
    """Makes calls in their order, for each session once its worker and its modes are known.

    A front end finds a new orchestrator before that has found the workers, and goes on typing.
    """

    def __init__(
        self, after: Callable[[float, Hashable, Callable[[], None]], None], tell: Tell
    ) -> None:
        """`after` makes a call later, as that of alarms does."""
        self._after = after
        self._tell = tell
        self._kept: dict[SessionRuntime, list[Callable[[], None]]] = {}

    def call(self, session: SessionRuntime, send: Callable[[], None]) -> None:
        """Call `send` now, or when the session runs and its terminal has been rebuilt."""
        if session in self._kept:
            self._kept[session].append(send)
        elif _is_early(session):
            self._kept[session] = [send]
            self._look(session, KEPT_SECONDS)
        else:
            send()

    def _look(self, session: SessionRuntime, left: float) -> None:
        if left > 0 and _is_early(session):
            self._after(
                LOOK_SECONDS, (session, "early"), lambda: self._look(session, left - LOOK_SECONDS)
            )
            return
        kept = self._kept.pop(session)
        if _is_early(session):
            sentence = translatable("{name} is not there again yet; what was typed was not sent.")
            self._tell("error", sentence, name=session.info.name)
            return
        for send in kept:
            send()


def _is_early(session: SessionRuntime) -> bool:
    """Tell whether the session is being started, or was not taken over from its worker yet."""
    info = session.info
    lives = not has_ended(info) and info.away_since is None
    return lives and not session.run.rebuilt.is_set()


_CATCH_UP_SECONDS: Final = 0.5
_CATCH_UP_PAUSE: Final = 0.005
_ABOVE: Final = 40
"""Lines above a small screen in which a question is looked for."""

_ENTERS: Final = re.compile(
    r"(?i)\b(?:enter|return)(?: to|:)? (?:confirm|continue|select|submit|choose|accept)\b"
)


class Open(msgspec.Struct, frozen=True):
    """What was read; `draft` is None if the program has no input field of its own."""

    question: Question | None = None
    draft: str | None = None


class Asking:
    """Reads screens by the rules for the program in the foreground."""

    def __init__(self, judged: Mapping[SessionRuntime, SessionJudge]) -> None:
        self._judged = judged

    async def look(self, session: SessionRuntime) -> Open:
        """Read the screen once all output so far is on it."""
        await session.run.rebuilt.wait()
        for _ in range(round(_CATCH_UP_SECONDS / _CATCH_UP_PAUSE)):
            if not session.run.backlog:
                break
            await anyio.sleep(_CATCH_UP_PAUSE)
        return self.read(session)

    def is_marked(self, session: SessionRuntime, key: str) -> bool:
        """Tell whether a menu's mark stands at the choice with this key, and Enter is what takes it."""
        screen = session.run.screen
        rows = [row.text for row in screen.screen()] if screen is not None else []
        marked = re.compile(rf"^[\s│┃|]*[❯›»▸▶➜→>●] *{re.escape(key)}[.)\]] ")
        return any(map(marked.match, rows)) and any(map(_ENTERS.search, rows))

    def read(self, session: SessionRuntime) -> Open:
        run = session.run
        manifest = self.manifest_of(session)
        if run.screen is None or not session.running or manifest is None:
            return Open()
        rows, cursor = run.screen.screen(), run.screen.cursor
        question = self._question(session, manifest, rows, cursor)
        if question is not None and not question.text and not run.screen.modes.alt_screen:
            # On a screen with room for the choices alone, what is asked has scrolled up.
            oldest, top, _ = run.screen.bounds
            above = run.screen.lines(max(oldest, top - _ABOVE), top)
            below = msgspec.structs.replace(cursor, y=cursor.y + len(above))
            whole = self._question(session, manifest, [*above, *rows], below)
            question = whole if whole and whole.choices == question.choices else question
        if question is not None or manifest.input is None:
            return Open(question)
        return Open(None, read_draft(manifest.input, rows))

    def _question(
        self, session: SessionRuntime, manifest: Manifest, rows: Sequence[Row], cursor: Cursor
    ) -> Question | None:
        """Return what is asked in these rows by the program's own rules, or by any where it calls."""
        question = read_question(manifest.question, rows, cursor)
        judge = self._calling(session)
        if question is None and judge is not None:
            agent = judge.agent
            rules = agent_questions(agent, judge.book) if agent else ()
            question = (
                read_question(rules, rows, cursor)
                or read_question(manifest.question, rows, behind_words(rows, cursor))
                or read_arrows(rows, asks=bool(agent))
            )
        return question

    def _calling(self, session: SessionRuntime) -> Judge | None:
        """Return the judge of a session that is shown to need its user."""
        judged = self._judged.get(session)
        calls = judged is not None and judged.judge.shown.state is State.ATTENTION
        return judged.judge if judged is not None and calls else None

    def at_prompt(self, session: SessionRuntime) -> bool:
        """Return whether a shell is at its prompt, with nothing typed."""
        judged = self._judged.get(session)
        return judged is not None and shell_rests(judged.judge.known, judged.judge.book)

    def foreground(self, session: SessionRuntime) -> Foreground | None:
        """Return the worker's last report on foreground processes, or None."""
        judged = self._judged.get(session)
        return judged.judge.known.foreground if judged is not None else None

    def was_unseen(self, session: SessionRuntime, since: float) -> bool:
        """Return whether text was typed without an echo since then, in monotonic seconds."""
        judged = self._judged.get(session)
        return judged is not None and judged.unseen_at >= since

    def manifest_of(self, session: SessionRuntime) -> Manifest | None:
        """Return the rules for the foreground program, or None while a shell is at its prompt."""
        judged = self._judged.get(session)
        if judged is None or shell_rests(judged.judge.known, judged.judge.book):
            return None
        judge = judged.judge
        found = foreground_manifest(judge.known, judge.book)
        if found is not None and (found.question or found.input):
            return found
        return judge.book.named("generic")


KeyAction: TypeAlias = Literal["press", "repeat", "release"]
MouseAction: TypeAlias = Literal["press", "release", "move"]

_PIECE: Final = 64 * 1024
"""Characters in one `send_input`: six bytes each at worst, well below the limit of a line."""
ENTER_PAUSE: Final = 0.06
"""Seconds between text and Enter: programs that detect pastes by speed then see Enter as a key."""

_TOLD_SECONDS: Final = 5.0
_AWAY: Final = translatable(
    "{worker} cannot be reached, so nothing was typed into {name}; it runs on there."
)
_MISSED: Final = translatable(
    "The worker of {name} cannot be reached, so nothing was typed into it; "
    "nagomi goes on looking for it."
)


class InputSender:
    """Types into sessions, in the order of the calls."""

    def __init__(self, alarms: Alarms, judges: Judges, tell: Tell) -> None:
        self._alarms = alarms
        self._judges = judges
        self._tell = tell
        self.asking = Asking(judges.active)
        """For what is read before something is typed."""
        self.early = EarlyInput(alarms.after, tell)
        """For what is typed before a session's terminal was rebuilt."""
        self._enters: dict[SessionRuntime, str] = {}
        """Sessions in which Enter is still to come after a text, and what that is named."""

    def _check_reached(self, session: SessionRuntime) -> None:
        """Refuse to type into a session whose worker cannot be reached.

        Raises:
            Refusal: it is away, or looked for.
        """
        if sentence := _unreached(session):
            values = {"worker": session.info.worker_id, "name": session.info.name}
            raise Refusal("refused", sentence, **values)

    def type_text(
        self, who: Requester | None, session: SessionRuntime, text: str, *, part: str = ""
    ) -> None:
        """Send text exactly as it is; nothing of a `part` that was typed already."""
        self._owed_enter(session)
        self._send(session, text, part)
        # The worker goes on meanwhile; nothing that it answers is taken in before this is noted.
        self._noted(who, session, text)

    def press(
        self,
        who: Requester | None,
        session: SessionRuntime,
        key: str,
        *,
        mods: int = 0,
        text: str = "",
        action: KeyAction = "press",
        base: str = "",
    ) -> None:
        """Send a key, encoded for the child's modes at this moment.

        `key` is a name such as `up`, `f5` or `a`; `mods` adds shift 1, alt 2, ctrl 4, super 8;
        `text` is what the key types, and `base` what a US layout has at its place, where the
        terminal told it.
        """
        data = encode_key(key, mods, text, action, modes_of(session), base=base)
        if data:
            self.type_text(who, session, data.decode("utf-8", "replace"))

    def press_named(self, who: Requester, session: SessionRuntime, names: tuple[str, ...]) -> None:
        """Press keys by name, one after the other.

        Raises:
            Refusal: one has no such name, or its worker is away; nothing was pressed then.
        """
        self._check_reached(session)
        keys = [_parsed(name) for name in names]
        for key, mods in keys:
            data = encode_key(key, mods, "", "press", modes_of(session))
            self.type_text(who, session, data.decode("utf-8", "replace"))

    def composing(self, session: SessionRuntime) -> None:
        """Note that the user writes a text for a session, which is sent later (N-45)."""
        self._judges.composing(session)

    def paste(
        self, who: Requester | None, session: SessionRuntime, text: str, *, part: str = ""
    ) -> None:
        """Send pasted text, bracketed where the child asked for it."""
        typed = encode_paste(text, modes_of(session).bracketed_paste)
        self.type_text(who, session, typed, part=part)

    def send_text(
        self,
        who: Requester,
        session: SessionRuntime,
        text: str,
        *,
        enter: bool,
        pause: float | None = None,
        once: str = "",
    ) -> None:
        """Type a text as a user would: several lines are pasted, and Enter follows after a pause.

        Of a text that is named `once` only what was not typed yet is typed.

        Raises:
            Refusal: its worker is away; nothing was typed.
        """
        self._check_reached(session)
        if "\n" in text or "\r" in text:
            self.paste(who, session, text, part=once)
        elif text:
            self.type_text(who, session, text, part=once)
        last = f"{once} enter" if once else ""
        if not enter or (last and last in session.run.inputs.parts):
            return
        self._enters[session] = last
        if text:
            pause = ENTER_PAUSE if pause is None else pause
            self._alarms.after(pause, (session, "enter"), lambda: self._owed_enter(session))
        else:
            self._owed_enter(session)

    def owes_enter(self, session: SessionRuntime) -> bool:
        """Return whether the Enter after a text is still to come."""
        return session in self._enters

    def point(
        self,
        session: SessionRuntime,
        at: tuple[int, int],
        *,
        button: int,
        action: MouseAction,
        mods: int = 0,
    ) -> None:
        """Send what the mouse does where the child asked for it.

        `at` is the column and row of the cell, from the screen's top left; `button` is 0 left,
        1 middle, 2 right, 3 none, 4 to 7 wheel up, down, left, right.
        """
        x, y = at
        data = encode_mouse(x, y, button, action, mods, modes_of(session))
        if data:
            session.run.warm()
            try:
                self._send(session, data.decode())
            except UnicodeDecodeError:
                self._send(session, data.decode("latin-1"), raw=True)

    def focus(self, session: SessionRuntime, gained: bool) -> None:
        """Report the focus to the child, if it asked for that."""
        if data := encode_focus(gained, modes_of(session)):
            self._send(session, data.decode("ascii"))

    # --- steps

    def _owed_enter(self, session: SessionRuntime) -> None:
        if (part := self._enters.pop(session, None)) is not None:
            self._alarms.cancel((session, "enter"))
            data = encode_key("enter", 0, "", "press", modes_of(session)).decode("ascii")
            self._noted(None, session, "\r", keep_text=True)
            self._send(session, data, part)

    def _noted(
        self, who: Requester | None, session: SessionRuntime, text: str, *, keep_text: bool = False
    ) -> None:
        """Note the input: when, what, and at which line the cursor was."""
        run = session.run
        now = time.time()
        run.warm()
        run.typed_at = run.seen_at = now
        if who is not None:
            session.typed_by = who.identity
        if not keep_text and not session.info.secret:
            run.typed_text = text[-4096:] if len(text) > 1 else (run.typed_text + text)[-4096:]
        if run.screen is not None and not keep_text:
            run.turn_line = run.screen.bounds[1] + run.screen.cursor.y
        if "\r" in text or "\n" in text:
            run.called_at = run.noticed_at = None
            run.notice = ""
        self._judges.typed(session, text)

    def _tell_away(self, session: SessionRuntime, sentence: str) -> None:
        """Say, now and then, that nothing is typed while a worker is away."""
        key = session, "told away"
        if not self._alarms.pending(key):
            self._alarms.after(_TOLD_SECONDS, key, lambda: None)
            values = {"worker": session.info.worker_id, "name": session.info.name}
            self._tell("error", sentence, **values)

    def _send(
        self, session: SessionRuntime, text: str, part: str = "", *, raw: bool = False
    ) -> None:
        run = session.run
        if run.link is None or not session.running:
            if sentence := _unreached(session):
                self._tell_away(session, sentence)
            return
        if not run.link.takes_input:
            sentence = translatable("{name} does not read what is typed; the rest was not sent.")
            self._tell("error", sentence, name=session.info.name)
            return
        for at in range(0, len(text), _PIECE):
            piece = text[at : at + _PIECE]
            name = f"{part} {at}" if part and at else part
            if name:
                if name in run.inputs.parts:
                    continue
                run.inputs.parts.append(name)
            if run.link.resumes:
                run.link.send(run.inputs.kept(session.session_id, piece, name, raw=raw))
            else:
                order = protocol.SendInput(
                    session_id=session.session_id, text=piece, part=name, raw=raw
                )
                run.link.send(order)


def _unreached(session: SessionRuntime) -> str:
    """Return the sentence on why nothing can be typed into a session that runs; empty if it can."""
    if not session.running:
        return ""
    if session.info.away_since is not None:
        return _AWAY
    return _MISSED if session.run.link is None else ""


def modes_of(session: SessionRuntime) -> Modes:
    """Return the modes that the child has set; the default ones while it is being rebuilt."""
    return session.run.screen.modes if session.run.screen is not None else Modes()


def _parsed(name: str) -> tuple[str, int]:
    try:
        return parse_key(name)
    except ValueError as exc:
        raise Refusal("bad_request", "There is no key `{name}`.", name=name) from exc
