"""Help: every key and word, filtered as one types; and the pages of docs/, as `nagomi help` shows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from nagomi_tui.sessions.session import PHASES
from nagomi_tui.system.pages import Page
from nagomi_tui.text.cells import cells, fold, fuzzy_score
from nagomi_tui.text.markdown import Piece, Renderer
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.dialogs.dialog import Dialog
from nagomi_tui.view.keymap import bindings
from nagomi_tui.view.keymap.actions import ACTIONS, SCOPE_TITLES, Scope, key_label
from nagomi_tui.view.keymap.bindings import Keymap

_INDENT: Final = {0: 14, 64: 22}
"""Columns before the sentences, for the keys, by the least width of the list."""
_EDGES: Final = 8
"""Columns of the dialog's frame, padding and scrollbar."""
_WIDTH: Final = 88


class Help(Dialog[bool]):
    """A list of all keys under one line to filter it by."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll(-1)", show=False, priority=True),
        Binding("down", "scroll(1)", show=False, priority=True),
        Binding("pageup", "scroll(-10)", show=False, priority=True),
        Binding("pagedown", "scroll(10)", show=False, priority=True),
        Binding("enter", "close", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    Help > .box { width: 88; height: 90%; }
    Help VerticalScroll { height: 1fr; margin-top: 1; }
    Help.-tight VerticalScroll { margin-top: 0; }
    """

    def __init__(self, keys: Keymap) -> None:
        super().__init__()
        self._keys = keys

    def compose(self) -> ComposeResult:
        yield self.box(
            Input(placeholder=tr("Type to filter …")),
            VerticalScroll(Static(id="list"), can_focus=False),
            title=tr("Help"),
            foot=tr("↑↓ to scroll · Esc to close"),
        )

    def on_mount(self) -> None:
        self._show("")

    def on_input_changed(self, event: Input.Changed) -> None:
        self._show(event.value.strip())

    def on_resize(self) -> None:
        """Break lines for the new width."""
        self._show(self.query_one(Input).value.strip())

    def _show(self, query: str) -> None:
        width = min(_WIDTH, self.app.size.width) - _EDGES
        parts = [] if query else [*_words(), *_how()]
        for scope, title in SCOPE_TITLES.items():
            parts += _section(tr(title), self._entries(scope, query), width)
        parts += _section(tr("In the prompt"), _fitting(_prompt_keys(), query), width)
        parts += _section(tr("Signs"), _fitting(_signs(), query), width)
        shown = Content("\n").join(parts) if parts else Content(tr("Nothing fits."))
        self.query_one("#list", Static).update(shown)

    def _entries(self, scope: Scope, query: str) -> list[tuple[str, str]]:
        entries = []
        for action in ACTIONS:
            if action.scope is not scope or (
                action.name.startswith("go_") and action.name != "go_1"
            ):
                continue
            keys = " ".join(key_label(key) for key in self._keys.keys[action.name])
            keys = "1 – 99" if action.name == "go_1" else keys
            known_as = f"{keys} {tr(action.sentence)} {tr(action.label)} {action.name}"
            if fuzzy_score(query, known_as) is not None:
                entries.append((keys, tr(action.sentence)))
        return entries


def _fitting(entries: list[tuple[str, str]], query: str) -> list[tuple[str, str]]:
    return [entry for entry in entries if fuzzy_score(query, " ".join(entry)) is not None]


def _section(title: str, entries: list[tuple[str, str]], width: int) -> list[Content]:
    if not entries:
        return []
    lines = [Content.styled(title, "$primary bold")]
    indent = max(_INDENT[least] for least in _INDENT if width >= least)
    for key, sentence in entries:
        taken = max(indent, cells(key) + 4)
        first, *more = fold(sentence, max(20, width - taken))
        space = " " * (taken - 2 - cells(key))
        lines.append(Content.assemble("  ", (key, "$accent"), space + first))
        lines += [Content(" " * taken + line) for line in more]
    return [*lines, Content("")]


def _words() -> list[Content]:
    text = tr("A session is one command in its own terminal; a worker process holds it.")
    return [Content(text), Content("")]


def _how() -> list[Content]:
    text = tr(
        "Press {leader}, then a key. Pressed twice, it goes to the program. "
        "Every other key belongs to the session.",
        leader=bindings.leader(),
    )
    pages = tr(
        "{key} finds sessions, keys, settings and pages; `nagomi help` shows pages, too.",
        key=bindings.hint("palette"),
    )
    return [Content(text), Content(pages), Content("")]


def _prompt_keys() -> list[tuple[str, str]]:
    return [
        ("Enter", tr("Send")),
        ("Shift+Enter", tr("Begin a new line; where the terminal cannot tell it, the next two")),
        ("Ctrl+J Alt+Enter", tr("Begin a new line")),
        ("↑ ↓", tr("What was sent before, from the text's first and last line")),
    ]


def _signs() -> list[tuple[str, str]]:
    return [(look.shape, tr(look.word)) for look in PHASES]


_PAGE_WIDTH = 100
"""Columns of the dialog, if the terminal has as many."""


class PageDialog(Dialog[bool]):
    """A page to scroll through."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll(-1)", show=False, priority=True),
        Binding("down,j", "scroll(1)", show=False, priority=True),
        Binding("pageup,b", "turn(-1)", show=False, priority=True),
        Binding("pagedown,space", "turn(1)", show=False, priority=True),
        Binding("home,g", "scroll(-100000)", show=False, priority=True),
        Binding("end,G", "scroll(100000)", show=False, priority=True),
        Binding("enter,q", "close", show=False, priority=True),
    ]
    DEFAULT_CSS = f"""
    PageDialog > .box {{ width: {_PAGE_WIDTH}; height: 94%; }}
    PageDialog VerticalScroll {{ height: 1fr; }}
    """

    def __init__(self, page: Page, at: int) -> None:
        """Begin with the section of this index."""
        super().__init__()
        self._page = page
        self._at = at
        self._drawn_for = 0
        """The terminal's width for which the page was drawn."""

    def compose(self) -> ComposeResult:
        """The whole page in one widget: a page may have a hundred sections."""
        yield self.box(
            VerticalScroll(Static()),
            title=self._page.title,
            foot=tr("↑↓ PgUp PgDn to scroll · Esc to close"),
        )

    def on_resize(self) -> None:
        """Break lines for the new width, and go to the section that was looked for."""
        if self.app.size.width != self._drawn_for:
            self._drawn_for = self.app.size.width
            drawn = list(self._drawn())
            self.query_one(VerticalScroll).query_one(Static).update(Text("\n").join(drawn))
            above = sum(len(text.plain.split("\n")) for text in drawn[: self._at])
            self.call_after_refresh(self._go, above)

    def _go(self, line: int) -> None:
        scroll = self.query_one(VerticalScroll)
        if scroll.query_one(Static).size.height:
            scroll.scroll_to(y=line, animate=False)
        else:  # It has not been laid out yet.
            self.call_after_refresh(self._go, line)

    def _drawn(self) -> Iterator[Text]:
        """Yield the sections, drawn for the terminal's width."""
        width = min(_PAGE_WIDTH, self._drawn_for) - _EDGES
        renderer = Renderer(color=False)
        for section in self._page.sections:
            yield Text.from_ansi(renderer.render(Piece(section.text), width) + "\n")
