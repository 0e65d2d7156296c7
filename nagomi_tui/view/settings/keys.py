"""Changes keys in the settings view: the leaders, and the keys of actions after them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nagomi_tui.view.common.actions import key_label
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.keymap.key_entry import command_key, leader_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.view.keymap.bindings import Keymap
    from nagomi_tui.view.settings.entries import KeysEntry, SettingEntry


class KeyChanges:
    """Assigns keys that were pressed; what is wrong with one is shown at its entry."""

    def __init__(
        self,
        *,
        change: Callable[[str, Any], None],
        remap: Callable[[str, tuple[str, ...] | None], str],
    ) -> None:
        self._change = change
        self._ask = remap
        self._claimed = ("", "")
        """The action and the key that were asked for once, where another action has the key."""

    def take_leader(self, entry: SettingEntry, pressed: str) -> None:
        """Make this key the leader."""
        if key := leader_key(pressed):
            entry.fault("")
            if key != entry.value:
                self._change(entry.key, key)
        else:
            entry.fault(tr("Take a key with Ctrl or Alt, or one of F1 to F24: others are typed."))

    def take_key(self, entry: KeysEntry, pressed: str, keys: Keymap) -> None:
        """Give the action this key; one that another action has is asked for twice."""
        key = command_key(pressed)
        if not key:
            entry.fault(tr("That key cannot follow the leader."))
            return
        owner = keys.actions.get(key, entry.action.name)
        if owner != entry.action.name and self._claimed != (entry.action.name, key):
            self._claimed = (entry.action.name, key)
            entry.fault(
                tr(
                    "{key} is for “{owner}”. Press Enter and {key} again to take it over.",
                    key=key_label(key), owner=owner,
                )
            )  # fmt: skip
            return
        self.remap(entry, (key,))

    def remap(self, entry: KeysEntry, keys: tuple[str, ...] | None) -> None:
        """Give the action these keys, or the shipped ones."""
        self._claimed = ("", "")
        entry.fault(self._ask(entry.action.name, keys))
