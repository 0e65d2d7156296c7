"""The settings view, made from the model of the settings."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Static

from nagomi_tui.settings.existing import doubt_soon
from nagomi_tui.settings.field import SECTIONS
from nagomi_tui.settings.model import FIELDS
from nagomi_tui.text.words import translatable
from nagomi_tui.view.character.library import Library
from nagomi_tui.view.common.translate import language, tr
from nagomi_tui.view.common.widgets import Choice, WordButton, is_whole
from nagomi_tui.view.dialogs.dialog import Dialog, DialogBox
from nagomi_tui.view.dialogs.setting_entries import (
    KeyEntry,
    KeysEntry,
    SettingEntry,
    command_key,
    fits,
    leader_key,
)
from nagomi_tui.view.keymap.actions import ACTIONS, key_label
from nagomi_tui.view.keymap.bindings import Keymap

if TYPE_CHECKING:
    Then = Callable[[str], None]


class Sections(Static):
    """The names of all sections; a click goes there."""

    DEFAULT_CSS = """
    Sections { width: 18; height: auto; color: $muted; }
    """

    @dataclass
    class Chosen(Message):
        """A section was clicked."""

        section: str

    section = next(iter(SECTIONS))
    narrow = False

    def show(self, section: str, *, narrow: bool) -> None:
        """Mark the open section; "" for none, while everything is searched."""
        self.section, self.narrow = section, narrow
        self.refresh(layout=True)

    def render(self) -> Content:
        """One name a line, or the open one alone."""
        if self.narrow:
            at = list(SECTIONS).index(self.section) + 1 if self.section else 0
            title = tr(SECTIONS[self.section]) if self.section else tr("Found")
            return Content.assemble("‹ ", (title, "$primary bold"), f" ›  {at}/{len(SECTIONS)}")
        lines = [
            Content.styled(f"▌ {tr(title)}", "$primary bold")
            if name == self.section
            else Content(f"  {tr(title)}")
            for name, title in SECTIONS.items()
        ]
        return Content("\n").join(lines)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        names = list(SECTIONS)
        at = (names.index(self.section) + 1) % len(names) if self.section else 0
        at = at if self.narrow else event.y
        if at < len(names):
            self.post_message(self.Chosen(names[at]))


_FOOT: Final = translatable("↑↓ move · ←→ change · PgUp PgDn section · Ctrl+R default · Esc")
_WIDE: Final = 72
"""Columns of the terminal from which the sections are beside the settings."""
_TYPING_SECONDS: Final = 0.1
"""Seconds without typing after which the filter is applied."""
_SOUND_TEST: Final = "sound-test"


class SettingsActions(NamedTuple):
    """Functions of the application that the view calls."""

    change: Callable[[dict[str, Any], Then], None]
    """Changes settings, and calls its second argument with "" or with what is wrong."""
    remap: Callable[[str, tuple[str, ...] | None], str]
    """Gives an action other keys, or the shipped ones if None; returns "" or what is wrong."""
    try_sound: Callable[[Then], None]
    """Plays a sound, and calls its argument with what played it, or with what is wrong."""


class SettingsView(Dialog[bool]):
    """All settings and keys, each with its sentence; what is refused is said at its place."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
        Binding("pagedown", "section(1)", show=False, priority=True),
        Binding("pageup", "section(-1)", show=False, priority=True),
        Binding("ctrl+r", "reset", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    SettingsView > .box { width: 104; height: 94%; }
    SettingsView .box > Input { margin-bottom: 1; }
    SettingsView.-tight .box > Input { margin-bottom: 0; border: none; height: 1; background: $surface; }
    SettingsView .body { height: 1fr; }
    SettingsView.-narrow .body { layout: vertical; }
    SettingsView.-narrow Sections { width: 1fr; height: 1; }
    SettingsView #pane { width: 1fr; height: 1fr; scrollbar-size-vertical: 1; padding-right: 1; }
    SettingsView .heading { color: $primary; text-style: bold; height: 1; margin-bottom: 1; }
    SettingsView .told { color: $muted; height: auto; margin-top: 1; }
    SettingsView WordButton { margin-left: 0; }
    """

    def __init__(
        self,
        values: dict[str, Any],
        keys: Keymap,
        library: Library,
        actions: SettingsActions,
        *,
        query: str = "",
    ) -> None:
        """`query` is what the filter holds at first."""
        super().__init__()
        self._values = dict(values)
        self._keys = keys
        self._library = library
        self._actions = actions
        self._section = next(iter(SECTIONS))
        self._query = query
        self._filling: Timer | None = None
        self._spoken = language()
        self._claimed = ("", "")
        """The action and the key that were asked for once, where another action has the key."""

    def compose(self) -> ComposeResult:
        yield self.box(
            Input(self._query, placeholder=tr("Type to filter …"), id="filter"),
            Horizontal(Sections(), VerticalScroll(id="pane", can_focus=False), classes="body"),
            title=tr("Settings"),
            foot=tr(_FOOT),
        )

    async def on_mount(self) -> None:
        await self._fill()

    def on_resize(self) -> None:
        """Show the sections on one line in a narrow terminal."""
        self.set_class(self.app.size.width < _WIDE, "-narrow")
        self._show_sections()

    # --- what it shows

    def _show_sections(self) -> None:
        shown = "" if self._query else self._section
        for sections in self.query(Sections):
            sections.show(shown, narrow=self.app.size.width < _WIDE)

    async def _fill(self) -> None:
        """Show the open section, or everything that fits what was typed."""
        self._show_sections()
        pane = self.query_one("#pane", VerticalScroll)
        with self.app.batch_update():
            await pane.remove_children()
            await pane.mount(*self._entries())
            pane.scroll_home(animate=False)

    def _entries(self) -> list[Widget]:
        if self._query:
            found = [entry for name in SECTIONS for entry in self._of(name, titled=True)]
            return found or [Static(tr("Nothing fits."), classes="told")]
        return self._of(self._section) or [Static(tr("Nothing to set here yet."), classes="told")]

    def _of(self, section: str, *, titled: bool = False) -> list[Widget]:
        entries: list[Widget] = [
            SettingEntry(field, self._values.get(field.name, field.default), self._library)
            for field in FIELDS
            if field.section == section and fits(field, self._query)
        ]
        if section == "keys":
            entries += [
                KeysEntry(action, self._keys.keys[action.name])
                for action in ACTIONS
                if fits(action, self._query)
            ]
        if section == "sound" and not self._query:
            entries += [
                WordButton(tr("Play a sound"), id=_SOUND_TEST),
                Static(id="heard", classes="told"),
            ]
        if titled and entries:
            heading = Static(tr(SECTIONS[section]), classes="heading")
            return [heading, *entries]
        return entries

    async def take(self, values: dict[str, Any]) -> None:
        """Show settings that were changed here or elsewhere; what is being typed stays."""
        self._values = dict(values)
        if not is_whole(self):
            return
        if self._spoken != language():
            self._spoken = language()
            await self._speak()
            return
        for entry in self.query(SettingEntry):
            value = values.get(entry.field.name, entry.field.default)
            if value != entry.value and not any(line.has_focus for line in entry.query(Input)):
                entry.take(value)

    async def _speak(self) -> None:
        """Show all texts in another language; the focus stays."""
        focused = self.focused.id if self.focused else None
        box = self.query_one(DialogBox)
        box.border_title, box.foot = tr("Settings"), tr(_FOOT)
        box.fit_foot()
        self.query_one("#filter", Input).placeholder = tr("Type to filter …")
        await self._fill()
        for widget in self.query(f"#{focused}") if focused else ():
            widget.focus()

    # --- going about

    async def action_section(self, by: int) -> None:
        names = list(SECTIONS)
        await self._open(names[(names.index(self._section) + by) % len(names)])

    async def on_sections_chosen(self, event: Sections.Chosen) -> None:
        await self._open(event.section)

    async def _open(self, section: str) -> None:
        self._section = section
        self._query = self.query_one("#filter", Input).value = ""
        await self._fill()
        for entry in self.query("#pane Choice, #pane Input, #pane KeyEntry"):
            entry.focus()
            break

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what fits."""
        if event.input.id == "filter" and event.value.strip() != self._query:
            self._query = event.value.strip()
            if self._filling is not None:
                self._filling.stop()
            self._filling = self.set_timer(_TYPING_SECONDS, self._fill)

    def action_close(self) -> None:
        """Drop the filter first, then close."""
        line = self.query_one("#filter", Input)
        if line.value:
            line.value = ""
            line.focus()
        else:
            super().action_close()

    # --- changing settings

    def on_choice_entered(self, event: Choice.Entered) -> None:
        """Take the next value."""
        event.choice.action_move(1)

    def on_choice_changed(self, event: Choice.Changed) -> None:
        self._change(event.choice.id or "", event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Change the setting to what was typed; from the filter, go to what was found, if anything.

        An Enter too many, after the key that opened the settings, so changes none.
        """
        if event.input.id == "filter":
            if self._query:
                self.focus_next()
        else:
            self._typed(event.input)

    def on_input_blurred(self, event: Input.Blurred) -> None:
        """Change the setting to what was typed in the line that is left."""
        if event.input.id != "filter":
            self._typed(event.input)

    def _typed(self, line: Input) -> None:
        entry = self._entry(line.id or "")
        if entry is None or line.value == str(entry.value):
            return
        try:
            value = entry.typed(line.value)
        except ValueError:
            entry.fault(tr("This needs a number."))
            return
        self._change(entry.key, value)

    def action_reset(self) -> None:
        """Put the setting or the keys in front back to their default."""
        for entry in self.focused.ancestors if self.focused else ():
            if isinstance(entry, SettingEntry):
                self._change(entry.key, entry.field.default)
            elif isinstance(entry, KeysEntry):
                self._remap(entry, None)

    def _change(self, name: str, value: Any) -> None:
        self._actions.change({name: value}, lambda fault: self._answered(name, value, fault))

    def _answered(self, name: str, value: Any, fault: str) -> None:
        if not fault:
            self._values[name] = value
        if not self.is_attached or (entry := self._entry(name)) is None:
            return
        if not fault and entry.value != value:
            entry.take(value)
        doubted = None if fault else doubt_soon(name, value, os.environ)
        entry.fault(tr(doubted.message, **doubted.values) if doubted else fault)

    def _entry(self, name: str) -> SettingEntry | None:
        return next((entry for entry in self.query(SettingEntry) if entry.key == name), None)

    # --- changing keys

    def on_key_entry_pressed(self, event: KeyEntry.Pressed) -> None:
        """Assign the key to the leader or to an action."""
        for entry in event.entry.ancestors:
            if isinstance(entry, SettingEntry):
                self._take_leader(entry, event.key)
            elif isinstance(entry, KeysEntry):
                self._take_key(entry, event.key)

    def on_key_entry_cleared(self, event: KeyEntry.Cleared) -> None:
        """Go back to the default keys; a second leader is removed."""
        if event.entry.id == "second_leader":
            self._change("second_leader", "")
        else:
            self.action_reset()

    def _take_leader(self, entry: SettingEntry, pressed: str) -> None:
        """Make this key the leader."""
        if key := leader_key(pressed):
            entry.fault("")
            if key != entry.value:
                self._change(entry.key, key)
        else:
            entry.fault(tr("Take a key with Ctrl or Alt, or one of F1 to F24: others are typed."))

    def _take_key(self, entry: KeysEntry, pressed: str) -> None:
        """Give the action this key; one that another action has is asked for twice."""
        key = command_key(pressed)
        if not key:
            entry.fault(tr("That key cannot follow the leader."))
            return
        owner = self._keys.actions.get(key, entry.action.name)
        if owner != entry.action.name and self._claimed != (entry.action.name, key):
            self._claimed = (entry.action.name, key)
            entry.fault(
                tr(
                    "{key} is for “{owner}”. Press Enter and {key} again to take it over.",
                    key=key_label(key), owner=owner,
                )
            )  # fmt: skip
            return
        self._remap(entry, (key,))

    def _remap(self, entry: KeysEntry, keys: tuple[str, ...] | None) -> None:
        """Give the action these keys, or the shipped ones."""
        self._claimed = ("", "")
        entry.fault(self._actions.remap(entry.action.name, keys))

    def take_keys(self, keys: Keymap) -> None:
        """Show keys that were changed here or in the file."""
        self._keys = keys
        for entry in self.query(KeysEntry):
            entry.take(keys.keys[entry.action.name])

    # --- hearing

    def on_word_button_pressed(self, event: WordButton.Pressed) -> None:
        """Play a sound."""
        if event.button.id == _SOUND_TEST:
            self._actions.try_sound(self._heard)

    def _heard(self, told: str) -> None:
        for line in self.query("#heard").results(Static):
            line.update(told)
