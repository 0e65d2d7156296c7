"""The judge's pane: how a session stands and why, its open question, and what could be next."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import msgspec
from textual.containers import Container, VerticalScroll
from textual.message import Message
from textual.widgets import Static

from nagomi_tui.api.messages import Act, Answer, Asks, Correct, Done, Failed
from nagomi_tui.core.judge.risk import visible
from nagomi_tui.core.judge.verdict import State
from nagomi_tui.view import judge_sheet
from nagomi_tui.view.judge_sheet import ACT, BEGIN_CORRECTING, CHOOSE, CLOSE, CORRECT, Told
from nagomi_tui.view.say import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.app import ComposeResult

    from nagomi_tui.api.messages import Request
    from nagomi_tui.core.session import Session
    from nagomi_tui.view.judge_sheet import Line
    from nagomi_tui.view.link import Link

WIDE_FROM: Final = 110
"""Columns from which the pane stands beside the view; below, it lies under it."""
AIRY_FROM: Final = 36
"""Rows from which there is room between the pane's parts."""


class Floor(Container):
    """The view, and the pane beside or below it."""

    DEFAULT_CSS = """
    Floor { width: 1fr; height: 1fr; layout: horizontal; }
    Floor.-below { layout: vertical; }
    Floor.-below JudgePane { width: 1fr; height: auto; max-height: 60%; }
    """

    def on_resize(self, event: events.Resize) -> None:
        """Put the pane where there is room for it."""
        self.set_class(event.size.width < WIDE_FROM, "-below")


class PaneLine(Static):
    """One line; a click on it does what its key does."""

    DEFAULT_CSS = """
    PaneLine { height: auto; padding: 0 1; }
    PaneLine.-does:hover { background: $panel; }
    PaneLine.-marked { background: $panel; }
    """

    class Pressed(Message):
        """It was clicked."""

        def __init__(self, act: str) -> None:
            super().__init__()
            self.act = act

    def __init__(self, line: Line) -> None:
        super().__init__(line.content)
        self.line = line
        self.set_class(bool(line.act), "-does")

    def on_click(self, event: events.Click) -> None:
        """Tell the pane."""
        event.stop()
        self.post_message(self.Pressed(self.line.act))

    def take(self, line: Line) -> None:
        """Say this from now on."""
        if line != self.line:
            if line.content != self.line.content:
                self.update(line.content)
            self.line = line
            self.set_class(bool(line.act), "-does")


class JudgePane(VerticalScroll, can_focus=True, inherit_bindings=False):
    """It has keys only while the user is in it; every other key belongs to the session."""

    DEFAULT_CSS = """
    JudgePane {
        display: none; width: 50; height: 1fr; background: $background;
        border: round $frame; border-title-color: $muted; border-subtitle-color: $muted;
        scrollbar-size-vertical: 1;
    }
    JudgePane.-open { display: block; }
    JudgePane.-keys { border: round $accent; border-title-color: $accent; border-title-style: bold; }
    """

    class Left(Message):
        """The pane was closed, or has given the keys back."""

    class Entered(Message):
        """The pane wants the keys."""

    class Said(Message):
        """A sentence for the user."""

        def __init__(self, text: str, *, fault: bool = False) -> None:
            super().__init__()
            self.text = text
            self.fault = fault

    class Made(Message):
        """An action runs in a new session."""

        def __init__(self, session_id: str) -> None:
            super().__init__()
            self.session_id = session_id

    class Confirm(Message):
        """Something is done only if the user says so once more."""

        def __init__(self, title: str, question: str, yes: str, go_on: Callable[[], None]) -> None:
            super().__init__()
            self.title = title
            self.question = question
            self.yes = yes
            self.go_on = go_on

    def __init__(self, link: Link) -> None:
        super().__init__()
        self._link = link
        self._session: Session | None = None
        self._told = Told()
        self._correcting = False
        self._marked: int | None = None
        self.open_now = False
        self.has_keys = False
        """The user is in the pane."""

    def compose(self) -> ComposeResult:
        """Lines come as there is something to say."""
        yield from ()

    # --- coming and going

    def enter(self, session: Session) -> None:
        """Open the pane for a session, with the keys in it."""
        self.open_now = self.has_keys = True
        self._marked = None
        self.add_class("-open")
        self.follow(session)
        self.scroll_home(animate=False)

    def release(self) -> None:
        """Give the keys back; what is said stays."""
        self.has_keys = False
        self._show()

    def leave(self) -> None:
        """Close the pane."""
        self.open_now = self.has_keys = self._correcting = False
        self.remove_class("-open", "-keys")
        self.post_message(self.Left())

    def follow(self, session: Session | None) -> None:
        """Show this session from now on."""
        if not self.open_now:
            return
        if session is None:
            self.leave()
            return
        before, self._session = self._session, session
        if before is None or before.session_id != session.session_id:
            self._told, self._correcting, self._marked = Told(), False, None
        self._show()
        if session != before:
            self.ask()

    def tick(self) -> None:
        """Look again: ages go on, and a question may have come or gone."""
        if self.open_now:
            self.ask()

    # --- what it knows

    def ask(self) -> None:
        """Ask how the session stands now."""
        session = self._session
        if session is None:
            return
        session_id = session.session_id

        def told(answer: Done | Failed) -> None:
            current = self._session
            if isinstance(answer, Done) and current and current.session_id == session_id:
                self._take(answer.result)

        self._link.request(Asks(id=0, session=session_id), told)

    def _take(self, result: dict[str, Any]) -> None:
        self._told = msgspec.convert(result, Told)
        self._show()

    # --- showing

    def lines(self) -> list[Line]:
        """Return what is said now."""
        if self._session is None:
            return []
        return judge_sheet.sheet(
            self._session,
            self._told,
            width=max(20, self.scrollable_content_region.width - 2),
            now=time.time(),
            correcting=self._correcting,
            airy=self.app.size.height >= AIRY_FROM,
        )

    def _show(self) -> None:
        if self._session is None or not self.open_now:
            return
        self.set_class(self.has_keys, "-keys")
        self.border_title = judge_sheet.headed(self._session)
        self.border_subtitle = "" if self.has_keys else say("keys are with the session")
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

    # --- keys and mouse

    def on_key(self, event: events.Key) -> None:
        """Do what the key's line says."""
        event.stop()
        event.prevent_default()
        if event.key in ("up", "down", "tab", "shift+tab"):
            self._mark(-1 if event.key in ("up", "shift+tab") else 1)
        elif event.key in ("pageup", "pagedown"):
            self.scroll_relative(y=-6 if event.key == "pageup" else 6, animate=False)
        elif event.key == "enter" and self._marked is not None:
            self._do(self.lines()[self._marked].act)
        else:
            keys = {line.key: line.act for line in self.lines() if line.act}
            known = (event.key, event.character or "", (event.character or "").lower())
            act = next((keys[name] for name in known if name in keys), "")
            self._do(act)

    def on_click(self, event: events.Click) -> None:
        """A click takes the keys."""
        event.stop()
        self._take_keys()

    def on_pane_line_pressed(self, event: PaneLine.Pressed) -> None:
        """A click on a line does what it says."""
        event.stop()
        self._take_keys()
        self._do(event.act)

    def _take_keys(self) -> None:
        if not self.has_keys:
            self.has_keys = True
            self.post_message(self.Entered())

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
        if act == CLOSE:
            self.leave()
        elif act == BEGIN_CORRECTING:
            self._correcting, self._marked = not self._correcting, None
            self._show()
        elif act.startswith(CHOOSE) and self._told.question is not None:
            question = self._told.question.question_id
            choice = act.removeprefix(CHOOSE)
            self._send(Answer(id=0, session=session.session_id, choice=choice, question=question))
        elif act.startswith(CORRECT):
            self._correcting = False
            state = State(act.removeprefix(CORRECT))
            self._send(Correct(id=0, session=session.session_id, state=state))
        elif act.startswith(ACT) and self._told.verdict is not None:
            action = self._told.verdict.next_actions[int(act.removeprefix(ACT))]
            self._run(Act(id=0, session=session.session_id, command=action.command))

    def _run(self, order: Act) -> None:
        """Run an action; a risky one is asked for once more, a busy session leaves for a new one."""

        def answered(answer: Done | Failed) -> None:
            if isinstance(answer, Failed):
                self._refused(order, answer)
            elif answer.result.get("new"):
                self.post_message(self.Made(str(answer.result["session_id"])))
            self.ask()

        self._link.request(order, answered)

    def _refused(self, order: Act, answer: Failed) -> None:
        command = visible(order.command)
        if answer.code == "risky":
            sure = msgspec.structs.replace(order, sure=True)
            title, yes = say("The risk is high"), say("Run it")
            question = f"{command}\n\n{say('It may change or delete more than it says.')}"
            self.post_message(self.Confirm(title, question, yes, lambda: self._run(sure)))
        elif answer.code == "busy":
            anew = msgspec.structs.replace(order, anew=True)
            title, yes = say("A program is in front"), say("Run it there")
            question = f"{command}\n\n{say('It can run in a new session in the same folder.')}"
            self.post_message(self.Confirm(title, question, yes, lambda: self._run(anew)))
        else:
            self.post_message(self.Said(answer.message, fault=True))

    def _send(self, request: Request) -> None:
        def answered(answer: Done | Failed) -> None:
            if isinstance(answer, Failed):
                self.post_message(self.Said(answer.message, fault=True))
            self.ask()

        self._link.request(request, answered)
