"""The palette finds sessions, actions, settings and what docs/ tells, by what one types of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from nagomi_tui.sessions.session import Session
from nagomi_tui.sessions.standing import badge_words
from nagomi_tui.settings.model import FIELDS
from nagomi_tui.system.pages import pages
from nagomi_tui.text.cells import SCATTERED, cells, cut, cut_left, fuzzy_score, printable
from nagomi_tui.view.common.translate import language, tr
from nagomi_tui.view.dialogs.dialog import OptionsDialog
from nagomi_tui.view.keymap import bindings
from nagomi_tui.view.keymap.actions import ACTIONS, Action
from nagomi_tui.view.screens.session_list import folder, said

_WIDTH = 78
"""Columns of a line, if the terminal is wide enough."""
_FOLDER = 24
"""Most columns of a session's folder."""
SETTING: Final = "setting:"
"""Begins the result for a setting."""
PAGE: Final = "page:"
"""Begins the result for a page's section: the page's topic, a colon, and the section's index."""
_MOST: Final = 200
"""Lines that are made at a time: with a thousand sessions one types rather than scrolls."""
_IN_THE_TEXT: Final = 99
"""The score of a section that has what was typed in its text: letters here and there have more."""
_SHORTEST: Final = 3
"""Letters that are looked for in texts, since nearly all have fewer ones."""


class _Choice(NamedTuple):
    """A line of the palette: its result, and the words that find it."""

    result: str
    found_by: str
    line: Content
    text: str = ""
    """What it is found by as well, after all that are found by their names."""


class Palette(OptionsDialog):
    """Its result is an action's name, or `session:`, `setting:` or `page:` and which one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False, priority=True),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("ctrl+p", "move(-1)", show=False, priority=True),
        Binding("ctrl+n", "move(1)", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    Palette { align: center top; }
    Palette > .box { width: 88; max-width: 96%; margin-top: 2; padding: 0 1; overflow: hidden; }
    Palette OptionList { max-height: 14; }
    """

    def __init__(
        self,
        sessions: list[Session],
        *,
        has_session: bool,
        cols: int,
        title: str = "",
        actions: bool = True,
    ) -> None:
        """Without `actions` only sessions can be chosen."""
        super().__init__()
        self._title = title or tr("Search")
        self._invitation = (
            tr("An action, a session, a setting, a page …") if actions else tr("A session …")
        )
        self._width = width = min(_WIDTH, cols - 12)
        self._of_all = actions
        self._has_pages = not actions
        """Whether the pages are among the choices, which are read when something is typed."""
        self._choices = [_session_choice(session, width) for session in sessions]
        self._choices += [
            _Choice(action.name, f"{tr(action.sentence)} {action.name}", _line(action, width))
            for action in ACTIONS
            if actions
            and not action.name.startswith("go_")
            and (has_session or not action.needs_session)
        ]

        self._choices += [
            _Choice(
                f"{SETTING}{field.name}",
                f"{field.name} {tr(field.sentence)}",
                _spread(tr(field.sentence), field.name, width),
            )
            for field in FIELDS
            if actions
        ]

    def compose(self) -> ComposeResult:
        options = OptionList()
        options.can_focus = False
        yield self.box(
            Input(placeholder=self._invitation),
            options,
            title=self._title,
            foot=tr("Enter to go · Esc to close"),
        )

    def on_mount(self) -> None:
        self._show("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what fits, best first."""
        self._show(event.value.strip())

    def _show(self, query: str) -> None:
        if query and not self._has_pages:
            self._has_pages = True
            self._choices += _sections(self._width)
        scored = ((_score(query, choice), at) for at, choice in enumerate(self._choices))
        found_at = [(score, at) for score, at in scored if score is not None]
        if len(query) >= _SHORTEST and any(score < SCATTERED for score, _ in found_at):
            found_at = [(score, at) for score, at in found_at if score < SCATTERED]
        fitting = sorted(found_at)[:_MOST]
        options = self.query_one(OptionList)
        options.clear_options()
        found = (self._choices[at] for _, at in fitting)
        options.add_options([Option(choice.line, id=choice.result) for choice in found])
        # Where all can be found, Enter right behind the key that opened it chooses nothing: the next
        # one would go to whoever it has led to.
        options.highlighted = 0 if fitting and (query or not self._of_all) else None

    def action_move(self, by: int) -> None:
        """Mark another line while the filter keeps the cursor."""
        options = self.query_one(OptionList)
        if options.option_count:
            at = options.highlighted
            first = 0 if by > 0 else options.option_count - 1
            options.highlighted = first if at is None else (at + by) % options.option_count

    def on_input_submitted(self) -> None:
        options = self.query_one(OptionList)
        if options.highlighted is not None:
            self.finish(options.get_option_at_index(options.highlighted).id)


def _score(query: str, choice: _Choice) -> int | None:
    """Return how well a choice fits: less is better, None is not at all."""
    if not choice.result.startswith((SETTING, PAGE)):
        return fuzzy_score(query, choice.found_by)
    # Letters here and there in a sentence tell nothing.
    words = query.casefold().split()
    if not words:
        return None
    if all(word in choice.found_by.casefold() for word in words):
        return fuzzy_score(query, choice.found_by)
    phrase = " ".join(words)
    return _IN_THE_TEXT if len(phrase) >= _SHORTEST and phrase in choice.text else None


def _sections(width: int) -> Iterator[_Choice]:
    """Yield a choice for each section of the pages."""
    for page in pages(language()):
        for at, section in enumerate(page.sections):
            right = page.title if at else page.topic
            known_as = f"{section.heading} {right}" if at else f"{right} {section.heading}"
            yield _Choice(
                f"{PAGE}{page.topic}:{at}",
                known_as,
                _spread(section.heading, right, width, mark="≡"),
                " ".join(section.text.casefold().split()),
            )


def _session_choice(session: Session, width: int) -> _Choice:
    """Return the choice of a session.

    What its name leaves is shared by how it stands, what it asks, and its folder.
    """
    look = session.condition
    name, place = printable(session.name), folder(session)
    says = said(session, "")[0]
    start = f"{look.shape} {session.number} "
    room = width - cells(start) - cells(name) - 2
    place_shown = cut_left(place, min(_FOLDER, max(0, room // 3)))
    asks = cut(
        f"{badge_words(session, tr)}: {says}" if says else badge_words(session, tr),
        max(0, room - cells(place_shown) - 2),
    )
    space = " " * max(1, width - cells(start) - cells(name) - 2 - cells(asks) - cells(place_shown))
    color = f"${look.color}"
    line = Content.assemble(
        (look.shape, color), " ", (str(session.number), "$muted"), f" {name}  ", (asks, color),
        space, (place_shown, "$muted"),
    )  # fmt: skip
    found_by = f"{name} {session.number} {badge_words(session, tr)} {says} {place} {printable(session.cmd)}"
    return _Choice(f"session:{session.session_id}", found_by, line)


def _line(action: Action, width: int) -> Content:
    keys = bindings.hint(action.name) if bindings.key(action.name) else ""
    return _spread(tr(action.sentence), keys, width)


def _spread(sentence: str, right: str, width: int, mark: str = " ") -> Content:
    """Return a line of a sentence and what stands at its right end."""
    right = cut(right, width // 2)
    said = cut(sentence, max(10, width - cells(right) - 2))
    space = " " * max(2, width - cells(said) - cells(right))
    return Content.assemble((mark, "$muted"), f" {said}{space}", (right, "$muted"))
