"""The first dialog in a new workplace: language, character, sound, and the leader key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from nagomi_tui.sessions.session import Condition
from nagomi_tui.view.character.character import Size
from nagomi_tui.view.character.library import Library
from nagomi_tui.view.character.sprite import Sprite
from nagomi_tui.view.common.badge import hooks_offer
from nagomi_tui.view.common.translate import language, tr
from nagomi_tui.view.common.widgets import Choice, WordButton, is_whole
from nagomi_tui.view.dialogs.dialog import Dialog
from nagomi_tui.view.keymap import bindings

_HEARD: tuple[str, ...] = ("sound_failure", "sound_attention")
"""The settings that the question about sound changes together."""


_HIGH: Final = 32
_WIDE: Final = 76
"""Rows and columns from which there is room for the large picture."""


class WelcomeView(Dialog[str]):
    """A few questions, each of which can be skipped; its result is `new` for a session, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h", "hooks", show=False),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]
    DEFAULT_CSS = """
    WelcomeView > .box { width: 76; }
    WelcomeView .middle { height: 9; margin-top: 1; }
    WelcomeView .says { height: auto; }
    WelcomeView.-tight .middle { margin-top: 0; }
    WelcomeView.-large > .box { width: 88; padding: 1 3; }
    WelcomeView.-large .middle { height: 12; margin: 1 0; }
    WelcomeView.-large .questions { height: 12; padding: 1 0 0 2; }
    WelcomeView Sprite { margin-right: 2; }
    WelcomeView.-narrow Sprite { margin-right: 1; }
    WelcomeView .questions { width: 1fr; height: 9; }
    WelcomeView .label { height: 1; color: $muted; }
    WelcomeView .questions Choice { margin-bottom: 1; }
    WelcomeView.-four .middle, WelcomeView.-four .questions { height: 12; }
    WelcomeView .hooks { height: 1; }
    WelcomeView .hooks WordButton { margin: 0; padding: 0; }
    WelcomeView .leader { height: auto; color: $accent; }
    WelcomeView .leader.-done { color: $success; }
    """

    def __init__(
        self,
        values: dict[str, Any],
        library: Library,
        change: Callable[[dict[str, Any], Callable[[str], None]], None],
        *,
        asks_theme: bool = False,
        agents: Sequence[str] = (),
        ask_hooks: Callable[[Sequence[str], Callable[[], object]], object] | None = None,
    ) -> None:
        """With `asks_theme` it asks for light or dark, since nothing tells what the terminal is.

        For `agents`, which tell nothing so far, `ask_hooks` opens the dialog that offers their hooks.
        """
        super().__init__()
        self._agents = agents
        self._ask_hooks = ask_hooks
        self._asks_theme = asks_theme
        self._values = dict(values)
        self._library = library
        self._ask = change
        self._leader_came = False
        self._spoken = language()

    def compose(self) -> ComposeResult:
        """The character beside the questions; below, the leader and what comes next."""
        yield self.box(
            Static(tr("Welcome. Here your sessions sit side by side."), classes="says"),
            Horizontal(
                Sprite(), Vertical(*self._questions(), classes="questions"), classes="middle"
            ),
            Static(classes="leader"),
            *self._hooks_question(),
            Horizontal(
                WordButton(tr("New session …"), id="new"),
                WordButton(tr("Begin"), id="begin"),
                classes="buttons",
            ),
            title="nagomi",
            foot=tr("↑↓ Enter move · ←→ change · Esc skips this for ever"),
        )

    def _questions(self) -> list[Static]:
        titles = {one.id: one.title(language()) for one in self._library.whole()}
        return [
            Static(tr("Language"), classes="label"),
            Choice(("ja", "en"), language(), id="language"),
            Static(tr("Who sits beside you"), classes="label"),
            Choice(tuple(titles), self._character, id="character", names=titles),
            Static(tr("A soft sound when a session needs you"), classes="label"),
            Choice((True, False), self._sound, id="sound"),
            *(self._theme_question() if self._asks_theme else ()),
        ]

    def _hooks_question(self) -> tuple[Horizontal, ...]:
        if not self._agents or self._ask_hooks is None:
            return ()
        named = self._agents[0] if len(self._agents) == 1 else ""
        return (Horizontal(WordButton(f"{hooks_offer(named)} (h)", id="hooks"), classes="hooks"),)

    def action_hooks(self) -> None:
        """Offer the agents' hooks; they are not asked for here again."""
        if self._agents and self._ask_hooks is not None:
            self._ask_hooks(self._agents, self._hooks_asked)

    def _hooks_asked(self) -> None:
        self._agents = ()
        for widget in self.query(".hooks"):
            widget.remove()
        self.query_one("#begin").focus()

    def _theme_question(self) -> tuple[Static, Static]:
        names = {"dark": tr("dark"), "light": tr("light")}
        chosen = "light" if self._values.get("theme") == "light" else "dark"
        label = Static(tr("Your terminal"), classes="label")
        return label, Choice(tuple(names), chosen, id="theme", names=names)

    @property
    def _character(self) -> str:
        return str(self._values.get("character", ""))

    @property
    def _sound(self) -> bool:
        return any(self._values.get(name, "sound_file") != "off" for name in _HEARD)

    def on_mount(self) -> None:
        self.set_class(self._asks_theme, "-four")
        self._show()
        self.query_one("#language").focus()

    def _show(self) -> None:
        for sprite in self.query(Sprite):
            phase = Condition.SUCCESS if self._leader_came else Condition.LISTENING
            sprite.follow(self._library.one(self._character), phase, self._picture())
        key = bindings.leader()
        told = (
            tr("✓ {key} arrives. A command of nagomi begins with it.", key=key)
            if self._leader_came
            else tr("Try it: press {key}, the key that commands begin with.", key=key)
        )
        for line in self.query(".leader").results(Static):  # none while the view is being closed
            line.update(told)
            line.set_class(self._leader_came, "-done")

    def _picture(self) -> Size:
        cols, rows = self.app.size
        return Size.LARGE if rows >= _HIGH and cols >= _WIDE else Size.SMALL

    def on_resize(self) -> None:
        """Choose the character's size by that of the screen."""
        self.set_class(self._picture() is Size.LARGE, "-large")
        if self.is_mounted:
            self._show()

    def leader_seen(self) -> None:
        """Show that the leader key arrives."""
        self._leader_came = True
        if is_whole(self):
            self._show()

    async def take(self, values: dict[str, Any]) -> None:
        """Show changed settings; in another language all texts change."""
        self._values = dict(values)
        if self._spoken != language():
            self._spoken = language()
            focused = self.focused.id if self.focused else None
            await self.recompose()
            for widget in self.query(f"#{focused}") if focused else ():
                widget.focus()
        self._show()

    def on_choice_entered(self) -> None:
        """Go on to the next question: the first key of a newcomer is to change nothing."""
        self.focus_next()

    def on_choice_changed(self, event: Choice.Changed) -> None:
        name, value = event.choice.id or "", event.value
        values = {name: value}
        if name == "sound":
            values = dict.fromkeys(_HEARD, "sound_file" if value else "off")
        self._values |= values
        self._ask(values, lambda _fault: None)
        self._show()

    def on_word_button_pressed(self, event: WordButton.Pressed) -> None:
        """Close the welcome, and go on to the sessions or to a new one; or offer hooks."""
        if event.button.id == "hooks":
            self.action_hooks()
            return
        self.finish("new" if event.button.id == "new" else "")
