"""おはなし: lanes over the prompt, the character in its corner beside them (N-30 … N-35)."""

from __future__ import annotations

import time
from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from nagomi_tui.agents.registry import AGENTS
from nagomi_tui.api.messages import Composing
from nagomi_tui.sessions.session import Condition, Session, has_ended
from nagomi_tui.sessions.standing import badge_words
from nagomi_tui.text.cells import cells, cut, printable
from nagomi_tui.text.layout import SIDE, Figure, figure
from nagomi_tui.view.character.character import Size
from nagomi_tui.view.character.sprite import Balloon, Sprite
from nagomi_tui.view.common.badge import happened
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.common.translate import language, tr
from nagomi_tui.view.common.widgets import Chip, SessionChosen
from nagomi_tui.view.keymap.bindings import hint
from nagomi_tui.view.pane.pane import TerminalPane
from nagomi_tui.view.screens.framed import Framed, scrolled
from nagomi_tui.view.screens.open_question import OpenQuestion, keys_of, typed_answers
from nagomi_tui.view.screens.prompt import Prompt, complete
from nagomi_tui.view.screens.state import AppState

_SUMMARY_AT_MOST = 120
"""Columns of a summary in the balloon (N-51)."""
_OWN_AT_LEAST: Final = 60
"""Columns that nagomi's own chat has before another lane is shown beside it."""
_LANE_AT_LEAST = 40
"""Columns of the narrowest lane; lanes that do not fit are not shown."""


_NAME_AT_LEAST: Final = 8
"""Cells that a name keeps in the prompt, where that is too narrow for all of its words."""
_WHO_EDGES: Final = 7
"""Columns of an edge of the prompt that belong to its frame."""
_NARROW: Final = 72
"""Columns below which the way to the program is said in fewer words."""
_TELL_SECONDS: Final = 1.0
"""Seconds after which it is told again that a text is being written."""
_BETWEEN: Final = frozenset({Condition.LISTENING, Condition.THINKING})
"""How a session stands between what was and what will be: its summary is over."""
_SAID_AT_LEAST: Final = 12
"""Columns for what a session asks, below which it stands without its face."""
_SIZES: Final = {Figure.LARGE: Size.LARGE, Figure.SMALL: Size.SMALL}


class Lane(Framed):
    """The terminal of one session; its PTY takes the lane's size."""

    DEFAULT_CSS = """
    Lane { width: 1fr; height: 1fr; }
    """

    def __init__(self, link: Link, session: Session) -> None:
        super().__init__(link, session, own_size=True, fps=20)
        self.pane.takes_words = True


class Who(Horizontal):
    """The prompt's upper edge: the session that gets the text, its phase, the way to its tail."""

    DEFAULT_CSS = """
    Who { height: 1; background: $background; color: $muted; }
    Who > .edge { width: auto; height: 1; color: $primary; }
    Who > .rule { width: 1fr; height: 1; color: $primary; text-wrap: nowrap; overflow: hidden; }
    Who > .who { width: auto; height: 1; text-wrap: nowrap; }
    Who > #tail { background: $panel; color: $accent; display: none; }
    Who > #tail.-open { display: block; }
    Who > #keys { color: $primary; }
    .-to-program Who > .edge, .-to-program Who > .rule { color: $frame; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.words = Static(classes="who")
        self.tail, self.keys = Chip("tail", id="tail"), Chip("to_program", id="keys")

    def compose(self) -> ComposeResult:
        yield Static("╭─ ", classes="edge")
        yield self.words
        yield Static(f" {'─' * 1000}", classes="rule")
        yield self.tail
        yield self.keys
        yield Static("─╮", classes="edge")

    def room(self) -> int:
        """Return how many columns there are for the session's words, beside the chips."""
        chips = [chip for chip in (self.tail, self.keys) if chip.display]
        taken = sum(cells(str(chip.content)) + 2 for chip in chips)
        return self.size.width - taken - _WHO_EDGES


class Writing(Vertical):
    """The prompt under its edge; as it grows it lies over the lanes, so that no program is resized."""


class Side(Vertical):
    """Beside the lanes and the prompt: the character, with its balloon over it."""

    DEFAULT_CSS = """
    Side { height: 1fr; padding: 0 1; align: center bottom; background: $background; }
    Side > Sprite { margin: 0 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.balloon, self.sprite = Balloon(), Sprite()

    def compose(self) -> ComposeResult:
        yield self.balloon
        yield self.sprite


class ChatView(Container):
    """One or several lanes, and one prompt for the lane in front."""

    DEFAULT_CSS = """
    ChatView { width: 1fr; height: 1fr; layout: horizontal; background: $background; }
    ChatView > .talk { width: 1fr; height: 1fr; layers: base over; }
    ChatView .lanes { height: 1fr; margin-bottom: 3; }
    ChatView Writing { layer: over; dock: bottom; width: 100%; height: auto; }
    ChatView Prompt {
        height: auto; min-height: 2; border-top: none;
        &:focus, &:ansi { border-top: none; }
    }
    ChatView.-own-input .lanes { margin-bottom: 0; }
    ChatView.-own-input Writing { display: none; }
    ChatView.-to-program Prompt { color: $muted; border: round $frame; border-top: none; }
    """

    class Ready(Message):
        """The prompt is there and can take keys."""

    def __init__(self, link: Link, state: AppState) -> None:
        super().__init__()
        self._link = link
        self._state = state
        self._writing_for = ""
        self._told_at = float("-inf")
        """When the orchestrator was told last that a text is being written."""
        self._figure = Figure.OFF
        self._open = OpenQuestion(link, self._show_question)
        # Held, and not looked for: a view that is being removed loses its parts one by one.
        self._lanes, self._writing = Horizontal(classes="lanes"), Writing()
        self._who, self._prompt, self._side = Who(), Prompt(), Side()

    def compose(self) -> ComposeResult:
        with Vertical(classes="talk"):
            yield self._lanes
            with self._writing:
                yield self._who
                yield self._prompt
        yield self._side

    # --- what it shows

    def on_mount(self) -> None:
        if self.display:  # else it is being removed already
            self.show()
            self.post_message(self.Ready())

    def on_resize(self, event: events.Resize) -> None:
        """Give the character the columns that the lanes can spare."""
        if self.display:
            most = max(2, event.size.height // 3)
            self._prompt.styles.max_height = most
            self._writing.styles.max_height = most + 1
            self.show()

    def show(self) -> None:
        """Show lanes, prompt and character as things are now."""
        self._show_side()
        self._show_lanes()
        self.set_class(self._state.keys_to_program, "-to-program")
        self.set_class(self._state.has_own_input, "-own-input")
        session = self._state.current
        if session is None:
            return
        self._show_prompt(session)
        self.show_faces()

    def _show_side(self) -> None:
        """Show the character beside the lanes, or its face in a line where they need the room."""
        settings = self._state.settings
        shown = lanes_shown(self._state, self.size.width)
        self._figure = figure(
            self.size.width,
            self.size.height,
            lanes=len(shown),
            wish=settings.character_size,
            pictures=self.app.console.color_system in ("truecolor", "256"),
        )
        side = self._side
        side.display = self._figure in _SIZES
        side.styles.width = SIDE.get(self._figure, 0)
        side.balloon.display = settings.balloon
        side.sprite.display = side.display

    def show_faces(self) -> None:
        """Show the character's face and what it says."""
        session = self._state.current
        if session is None:
            return
        session = self._state.answering(session)
        sprite = self._side.sprite
        sprite.still = self._state.still
        if self._figure in _SIZES:
            character = self._state.library.one(session.character_id)
            sprite.follow(character, self._state.pose(session), _SIZES[self._figure])
            sprite.speaking = self._state.faces.speaks(session.session_id, time.monotonic())
        said, summary = self._words(session)
        self._side.balloon.show_text(said, summary)
        self._show_who(session)

    def _show_lanes(self) -> None:
        lanes = {lane.session.session_id: lane for lane in self.query(Lane)}
        for session_id in lanes.keys() - set(self._state.lanes):
            lanes.pop(session_id).remove()
        shown = lanes_shown(self._state, self.size.width)
        for session_id in self._state.lanes:
            session = self._state.answering(self._state.sessions[session_id])
            lane = lanes.get(session_id)
            if lane is None:
                lane = Lane(self._link, session)
                self._lanes.mount(lane)
            lane.show(
                session,
                focused=session_id == self._state.focused,
                fps=self._state.fps(session_id),
                face="" if session_id == self._state.focused else self._state.face_line(session),
            )
            lane.display = session_id in shown

    def focus_prompt(self) -> None:
        """Give the prompt the keys, once the draft is loaded that would replace what is typed."""
        if self._writing_for:
            self._prompt.focus()

    def _show_prompt(self, session: Session) -> None:
        prompt = self._prompt
        if session.session_id != self._writing_for:
            self._keep_draft()
            self._writing_for = session.session_id
            prompt.begin(
                self._state.drafts.get(session.session_id, ""),
                self._state.history.setdefault(session.session_id, []),
            )
        prompt.hide(session.secret and not has_ended(session))
        self._keep_draft()
        prompt.enter_sends = self._state.settings.enter_sends
        prompt.answers_alone = self._state.settings.prompt_answers == "pause"
        prompt.passes = self._state.settings.prompt_passes and not has_ended(session)
        prompt.complete = lambda before: complete(before, session)
        self._open.follow(session)
        self._show_question()

    def _show_question(self) -> None:
        """Hand the keys of the open question on, and name them."""
        session, prompt = self._state.current, self._prompt
        if session is None:
            return
        question = self._open.question if prompt.passes else None
        prompt.expect(keys_of(question))
        prompt.at_rest = tr(
            "More than zoom: drafts, ↑ history, Tab, lanes ({key}), a face", key=hint("add_lane")
        )
        if cells(prompt.at_rest) + _WHO_EDGES > prompt.outer_size.width:
            prompt.at_rest = tr("More than zoom: drafts, ↑ history, Tab, lanes")
        prompt.show_rest()
        keys = typed_answers(question) if question else ""
        prompt.placeholder = _invitation(session, keys, prompt.size.width)

    def _keep_draft(self) -> None:
        if self._writing_for in self._state.sessions:
            self._state.drafts[self._writing_for] = self._prompt.draft

    def on_text_area_changed(self, event: Prompt.Changed) -> None:
        """Keep the draft, so that nothing typed is lost when the view changes, and tell of typing."""
        draft = self._prompt.draft
        self._prompt.show_rest()
        typed = draft and draft != self._state.drafts.get(self._writing_for, "")
        self._keep_draft()
        if typed and time.monotonic() >= self._told_at + _TELL_SECONDS:
            self._told_at = time.monotonic()
            self._link.send(Composing(session=self._writing_for))

    def _show_who(self, session: Session) -> None:
        lane = self.lane_in_front()
        who = self._who
        words = scrolled(lane.pane, width=max(12, who.size.width // 3)) if lane else ""
        who.tail.set_class(bool(words), "-open")
        who.tail.update(words)
        target = tr("program") if self._state.to_program else tr("prompt")
        keys = tr("keys → {target}", target=target)
        narrow = self.size.width < _NARROW
        who.keys.update(f"→ {target}" if narrow else f"{keys} ({hint('to_program')})")
        who.words.update(self._words_of(session, who.room()))

    def _words_of(self, session: Session, room: int) -> Content:
        look = session.condition
        face = self._state.face_line(session) if self._figure is Figure.LINE else ""
        heard = self._figure in _SIZES and self._state.settings.balloon
        said = "" if heard or look in _BETWEEN else happened(session)
        said = said or badge_words(session, tr)
        if self._prompt.hidden:
            said = tr("hidden, and not kept")
        start = f"{face} {look.shape} ".lstrip()
        if room < cells(start) + _SAID_AT_LEAST:
            face, start = "", f"{look.shape} "
        said = cut(printable(said), max(0, room - cells(start)))
        rest = start.removeprefix(face) + said
        return Content.assemble((face, "$foreground"), (rest, f"${look.color}"))

    def _words(self, session: Session) -> tuple[str, str]:
        """Return the character's words, and the judge's summary of what happened."""
        character = self._state.library.one(session.character_id)
        number = int(session.phase_since or session.turn or 0)
        said = character.words(session.condition.face, language(), number) if character else ""
        said = printable(self._state.agent_says(time.time())) or said
        return said, cut(printable(happened(session)), _SUMMARY_AT_MOST)

    def lane_in_front(self) -> Lane | None:
        """Return the lane of the focused session."""
        found = [
            lane for lane in self.query(Lane) if lane.session.session_id == self._state.focused
        ]
        return found[0] if found else None

    def tick(self) -> None:
        for lane in self._lanes.children:
            if isinstance(lane, Lane):
                lane.tick()
        self._open.ask()

    # --- what happens in it

    def on_terminal_pane_clicked(self, event: TerminalPane.Clicked) -> None:
        """Bring the clicked lane to the front."""
        event.stop()
        self.post_message(SessionChosen(event.pane.session_id))

    def on_terminal_pane_scrolled(self, event: TerminalPane.Scrolled) -> None:
        """Show the way to the tail while the lane does not follow it."""
        event.stop()
        if self._state.current is not None:
            self._show_who(self._state.current)


def _invitation(session: Session, keys: str, width: int) -> str:
    """Return the placeholder of an empty prompt, with as much of the name as there is room for."""
    name, room = printable(session.name), max(width, _LANE_AT_LEAST)
    whole = _invited(session, name, keys)
    if (over := cells(whole) - room) <= 0:
        return whole
    name = cut(name, max(_NAME_AT_LEAST, cells(name) - over))
    shorter = _invited(session, name, keys)
    return shorter if cells(shorter) <= room else _invited(session, name, keys, briefly=True)


def _invited(session: Session, name: str, keys: str, *, briefly: bool = False) -> str:
    """Return the placeholder with this name of the session; of an agent's own field not `briefly`."""
    if has_ended(session):
        return tr("{name} has ended; what you write waits for a restart.", name=name)
    if session.secret:
        return tr("{name} reads a secret: what you write stays hidden.", name=name)
    if keys:
        return tr("{name} asks: {keys} answers. Or write …", name=name, keys=keys)
    if not briefly and (agent := AGENTS.get(session.agent_name)) is not None:
        return tr(
            "Write to {name} here; the field above is {agent}'s own ({key}) …",
            name=name, agent=agent.title, key=hint("to_program"),
        )  # fmt: skip
    return tr("Write to {name} …", name=name)


def lanes_shown(state: AppState, width: int) -> list[str]:
    """Return the lanes that are wide enough side by side, the focused one among them.

    nagomi's own chat is alone on a narrow screen.
    """
    if state.has_own_input and width < 2 * _OWN_AT_LEAST:
        return [state.focused]
    room, lanes = max(1, width // _LANE_AT_LEAST), state.lanes
    at = lanes.index(state.focused) if state.focused in lanes else 0
    first = max(0, min(at - room + 1, len(lanes) - room))
    return lanes[first : first + room]
