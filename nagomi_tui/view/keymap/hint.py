"""How the keys for an action are written, wherever a text names them."""

from __future__ import annotations

from nagomi_tui.settings.model import Settings
from nagomi_tui.view.common.actions import key_label
from nagomi_tui.view.keymap import bindings

_in_force: dict[str, object] = {}


def use(keys: bindings.Keymap, leader: str) -> None:
    """Write keys by this keymap and leader from now on."""
    _in_force.update(keys=keys, leader=leader)


def leader() -> str:
    """Return the leader as it is written."""
    return key_label(str(_in_force.get("leader", Settings().leader)))


def key(action: str) -> str:
    """Return the action's first key after the leader, as it is written."""
    keys = _in_force.get("keys")
    if not isinstance(keys, bindings.Keymap):
        keys = bindings.shipped()
    return key_label(keys.first_key(action))


def hint(action: str) -> str:
    """Return the leader and the action's key."""
    return f"{leader()} {key(action)}"
