"""The widget of the judge's pane."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import msgspec
from textual import events
from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll
from textual.message import Message
from textual.widgets import Static

from nagomi_tui.api import messages as m
from nagomi_tui.judge.verdict import State, Verdict
from nagomi_tui.sessions.session import Condition, Session
from nagomi_tui.settings.model import Settings
from nagomi_tui.system.decoding import from_builtins
from nagomi_tui.text.cells import printable
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.common.timers import SETTLE_SECONDS, HeldKey, TerminalFocus
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.common.widgets import LaidOut
from nagomi_tui.view.keymap.actions import BY_NAME
from nagomi_tui.view.screens import judge_rows as rows

WIDE_FROM: Final = 110
"""Columns from which the pane stands beside the view; below, it lies over it."""


class ViewAndPane(Container):
    """A container of the view, with the pane beside it, or over its lower part.

    Lying over the view, the pane leaves every session its size: a program that gets a few rows
    for a moment draws itself anew, and its question is gone. With the class `-over-list` it lies
    over the list above a session instead.
    """

    DEFAULT_CSS = """
    ViewAndPane { width: 1fr; height: 1fr; layout: horizontal; layers: base over; }
    ViewAndPane.-over JudgePane {
        layer: over; dock: bottom; width: 100%; height: auto; max-height: 75%;
    }
    ViewAndPane.-over.-over-list JudgePane { dock: top; }
    """

    def on_resize(self, event: events.Resize) -> None:
        """Put the pane where there is room for it."""
        self.set_class(event.size.width < WIDE_FROM, "-over")


class PaneLine(Static):
    """One line of the pane; a click on it does the same as its key."""

    DEFAULT_CSS = """
    PaneLine {
        height: auto; padding: 0 1;
        link-style: $row-marked; link-color: $accent; link-color-hover: $primary; link-style-hover: bold;
        link-background: $panel; link-background-hover: $surface;
    }
    PaneLine.-does:hover { background: $panel; text-style: $row-focused; }
    PaneLine.-marked { background: $panel; text-style: $row-focused; }
    """

    @dataclass
    class Pressed(Message):
        """The line was clicked."""

        act: str

    def __init__(self, line: rows.Line) -> None:
        super().__init__(line.content)
        self.line = line
        self.set_class(bool(line.act), "-does")

    def on_click(self, event: events.Click) -> None:
        event.stop()
        if not self.line.beside:
            self.post_message(self.Pressed(self.line.act))

    def action_press(self, key: str) -> None:
        """Do what a key in the line does, since the key was clicked."""
        self.post_message(self.Pressed(dict(self.line.acts)[key]))

    def take(self, line: rows.Line) -> None:
        """Show another line from now on."""
        if line != self.line:
            if line.content != self.line.content:
                self.update(line.content)
            self.line = line
            self.set_class(bool(line.act), "-does")


AIRY_FROM: Final = 36
"""Rows from which there is room between the pane's parts."""


class JudgePane(VerticalScroll, can_focus=True, inherit_bindings=False):
    """The judge's pane; it has the keys only while the user has entered it."""

    DEFAULT_CSS = """
    JudgePane {
        display: none; width: 50; height: 1fr; background: $background;
        border: round $frame; border-title-color: $muted; border-subtitle-color: $muted;
        scrollbar-size-vertical: 1;
    }
    JudgePane.-open { display: block; }
    JudgePane.-keys { border: round $accent; border-title-color: $accent; border-title-style: bold; }
    """

    class KeysMoved(Message):
        """The pane wants the keys, or gives them back."""

    @dataclass
    class Asked(Message):
        """An answer, a correction or a next step is to be sent, or the model asked."""

        pane: JudgePane
        request: m.Answer | m.Correct | m.Act | m.AskJudge

    def __init__(self, link: Link, settings: Callable[[], Settings]) -> None:
        super().__init__()
        self._link = link
        self._settings = settings
        self._session: Session | None = None
        self._report = rows.JudgeReport()
        self._advice: dict[str, tuple[int, Verdict]] = {}
        """What the model said, with the turn that it is about."""
        self._proposed: dict[str, m.Proposed] = {}
        """What the resident agent proposes, by session."""
        self.asking: set[str] = set()
        """Ids of sessions that the model is being asked about."""
        self._correcting = False
        self._unfolded = False
        """Whether the user wants to read all of why, where it is folded."""
        self._marked: int | None = None
        self._asked_at = float("-inf")
        """When a question came up, on the monotonic clock, while the user looked at something else."""
        self._came_to_answer = False
        """Whether the session asked when the user entered the pane."""
        self._held = HeldKey()
        self._terminal_focus: TerminalFocus | None = None
        self.open_now = False
        self.has_keys = False
        """Whether the user has entered the pane, so that it has the keys."""

    def compose(self) -> ComposeResult:
        """Yield nothing: lines are mounted when there is something to show."""
        yield from ()

    def on_mount(self) -> None:
        """Notice when the terminal gets the focus."""
        self._terminal_focus = TerminalFocus(self)

    # --- coming and going

    def enter(self, session: Session) -> None:
        """Open the pane for a session, with the keys in it."""
        self.open_now = self.has_keys = True
        self._marked, self._unfolded = None, False
        self._came_to_answer = _has_asked(session)
        self._held.begin(*BY_NAME["judge"].keys)
        self.add_class("-open")
        self.follow(session)
        self.scroll_home(animate=False)

    def release(self) -> None:
        self.has_keys = False
        self._show()

    def leave(self) -> None:
        self.open_now = self.has_keys = self._correcting = False
        self.remove_class("-open", "-keys")
        self.post_message(self.KeysMoved())

    def follow(self, session: Session | None) -> None:
        """Show this session from now on."""
        if not self.open_now:
            return
        if session is None:
            self.leave()
            return
        before, self._session = self._session, session
        if before is None or before.session_id != session.session_id:
            self._report, self._correcting, self._marked = rows.JudgeReport(), False, None
            self._came_to_answer, self._unfolded = _has_asked(session), False
        self._show()
        if session != before:
            self.ask()

    def tick(self) -> None:
        """Update ages, and ask again: a question may have come or gone."""
        if self.open_now:
            self.ask()

    # --- what it knows

    def ask(self) -> None:
        """Ask the orchestrator for the session's state and question."""
        session = self._session
        if session is None:
            return
        session_id = session.session_id

        def answered(answer: m.OpenStanding | m.Failed) -> None:
            current = self._session
            if isinstance(answer, m.Failed) or current is None or current.session_id != session_id:
                return
            self._take(answer)

        self._link.request(m.Asks(id=0, session=session_id), answered)

    def _take(self, standing: m.OpenStanding) -> None:
        before = self._report
        self._report = report = from_builtins(standing, rows.JudgeReport, from_attributes=True)
        asked = report.question.question_id if report.question else ""
        if asked and asked != (before.question.question_id if before.question else ""):
            # The first report of a session that asked is what the user came for.
            seen = before.verdict is None and self._came_to_answer
            self._asked_at = float("-inf") if seen else time.monotonic()
        self._show()

    def advise(self, message: m.Advice) -> None:
        """Show the model's verdict on a session."""
        self._advice[message.session] = message.turn, message.verdict
        self._show()

    def propose(self, message: m.Proposed) -> None:
        """Show the next steps that the resident agent proposes for a session."""
        self._proposed[message.session] = message
        self._show()

    def _knows(self) -> rows.JudgeReport:
        session = self._session
        if session is None:
            return self._report
        proposed = self._proposed.get(session.session_id)
        turn, advice = self._advice.get(session.session_id, (-1, None))
        return msgspec.structs.replace(
            self._report,
            advice=advice if turn == session.turn else self._report.advice,
            proposed=proposed.steps if proposed and proposed.turn == session.turn else (),
            asking=session.session_id in self.asking,
        )

    # --- showing

    def lines(self) -> list[rows.Line]:
        if self._session is None:
            return []
        settings = self._settings()
        return rows.lines_of(
            self._session,
            self._knows(),
            width=max(20, self.scrollable_content_region.width - 2),
            now=time.time(),
            correcting=self._correcting,
            airy=self.app.size.height >= AIRY_FROM,
            model=settings.llm_judge and settings.llm_consent,
            folded=self.app.size.width < WIDE_FROM and not self._unfolded,
        )

    def _show(self) -> None:
        if self._session is None or not self.open_now:
            return
        self.set_class(self.has_keys, "-keys")
        self.border_title = f"{self._session.number} {printable(self._session.name)}"
        self.border_subtitle = "" if self.has_keys else tr("keys are with the session")
        wanted = self.lines()
        shown = list(self.query(PaneLine))
        for line, widget in zip(wanted, shown, strict=False):
            widget.take(line)
        for widget in shown[len(wanted) :]:
            widget.remove()
        if extra := wanted[len(shown) :]:
            self.mount_all(PaneLine(line) for line in extra)
        doing = [at for at, line in enumerate(wanted) if line.act]
        if self._marked is not None and self._marked not in doing:
            self._marked = None
        for at, widget in enumerate(self.query(PaneLine)):
            widget.set_class(at == self._marked, "-marked")

    def on_resize(self) -> None:
        """Headings reach from edge to edge."""
        self._show()
        self.post_message(LaidOut())

    # --- keys and mouse

    def on_key(self, event: events.Key) -> None:
        """Do what the line with this key says; one that says nothing is passed on to the application."""
        event.prevent_default()
        held = self._held.repeats(event.key)
        if event.key in ("up", "down", "tab", "shift+tab"):
            self._mark(-1 if event.key in ("up", "shift+tab") else 1)
        elif event.key in ("pageup", "pagedown"):
            self.scroll_relative(y=-6 if event.key == "pageup" else 6, animate=False)
        elif held:
            pass
        elif event.key == "enter" and self._marked is not None:
            self._do(self.lines()[self._marked].act)
        else:
            keys = dict(pair for line in self.lines() for pair in line.acts)
            typed = event.character or ""
            act = next((keys[one] for one in (event.key, typed, typed.lower()) if one in keys), "")
            # nano offers Y and N, and takes y and n; the pane's own keys are capitals, too.
            large = keys.get(typed.upper(), "")
            act = act or (large if large.startswith(rows.CHOOSE) else "")
            if not act:
                return
            self._do(act)
        event.stop()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self._take_keys()

    def on_pane_line_pressed(self, event: PaneLine.Pressed) -> None:
        """Do what the clicked line says; a click that gave the terminal its focus only takes the keys."""
        event.stop()
        self._take_keys()
        if self._terminal_focus is None or not self._terminal_focus.came_now:
            self._do(event.act)

    def _take_keys(self) -> None:
        if not self.has_keys:
            self.has_keys = True
            self.post_message(self.KeysMoved())

    def _mark(self, by: int) -> None:
        doing = [at for at, line in enumerate(self.lines()) if line.act]
        if not doing:
            return
        if self._marked in doing:
            self._marked = doing[(doing.index(self._marked) + by) % len(doing)]
        else:
            self._marked = doing[0 if by > 0 else -1]
        self._show()
        self.query(PaneLine)[self._marked].scroll_visible(animate=False)

    # --- doing

    def _do(self, act: str) -> None:
        session = self._session
        if not act or session is None:
            return
        session_id, question = session.session_id, self._report.question
        if act == rows.CLOSE:
            self.leave()
        elif act == rows.BEGIN_CORRECTING:
            self._correcting, self._marked = not self._correcting, None
        elif act == rows.UNFOLD:
            self._unfolded, self._marked = True, None
        elif act == rows.ASK_MODEL:
            self.asking.add(session_id)
            self._send(m.AskJudge(id=0, session=session_id))
        elif act.startswith(rows.CHOOSE) and question is not None:
            if time.monotonic() < self._asked_at + SETTLE_SECONDS:
                return
            choice, asked = act.removeprefix(rows.CHOOSE), question.question_id
            self._send(m.Answer(id=0, session=session_id, choice=choice, question=asked))
        elif act.startswith(rows.CORRECT):
            self._correcting = False
            state = State(act.removeprefix(rows.CORRECT))
            self._send(m.Correct(id=0, session=session_id, state=state))
        elif act.startswith(rows.ACT):
            action = self._knows().steps[int(act.removeprefix(rows.ACT))]
            self._send(m.Act(id=0, session=session_id, command=action.command))
        self._show()

    def _send(self, request: m.Answer | m.Correct | m.Act | m.AskJudge) -> None:
        self.post_message(self.Asked(self, request))


def _has_asked(session: Session) -> bool:
    """Tell whether a session has asked for long enough that the user can have come to answer it."""
    since = session.phase_since or 0.0
    return session.condition is Condition.ATTENTION and time.time() >= since + SETTLE_SECONDS
