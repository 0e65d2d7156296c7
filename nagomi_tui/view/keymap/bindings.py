"""Which key after the leader does what: the shipped keys, changed by the user's `keymap.toml`."""

from __future__ import annotations

import tomllib
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui import deadline_thread, files
from nagomi_tui.core.text.nearest_name import nearest_name
from nagomi_tui.view.common.actions import ACTIONS, BY_NAME
from nagomi_tui.view.common.translate import tr

if TYPE_CHECKING:
    from pathlib import Path

_SECONDS: Final = 1.0
NAMED: Final = frozenset(
    [
        "left",
        "right",
        "up",
        "down",
        "enter",
        "tab",
        "space",
        "escape",
        "backspace",
        "delete",
        "home",
        "end",
        "pageup",
        "pagedown",
    ]
) | {f"f{number}" for number in range(1, 25)}


class Keymap(msgspec.Struct, frozen=True):
    """Keys by action and actions by key, with sentences on what in the user's file is wrong."""

    keys: dict[str, tuple[str, ...]]
    actions: dict[str, str]
    problems: tuple[str, ...] = ()

    def action_for(self, key: str) -> str | None:
        """Return the action of a key after the leader; Ctrl with a letter equals the letter."""
        key = _canonical(key)
        return self.actions.get(key) or self.actions.get(key.removeprefix("ctrl+"))

    def first_key(self, action: str) -> str:
        """Return the key to show for an action, or ""."""
        return next(iter(self.keys.get(action, ())), "")


def _canonical(key: str) -> str:
    """Return one spelling for each key: `shift+tab`, `G`, `ctrl+a`."""
    return key.strip() if len(key.strip()) == 1 else (key.strip().lower() or "space")


def shipped() -> Keymap:
    """Return the keys as shipped."""
    keys = {action.name: action.keys for action in ACTIONS}
    return Keymap(keys, {key: name for name, listed in keys.items() for key in listed})


def load(file: Path) -> Keymap:
    """Read the user's keys over the shipped ones; what does not fit is named and left out.

    The file holds lines such as `zoom = "z"` or `rename = ["R", ","]` under `[keys]`.
    """
    try:
        text = deadline_thread.wait(partial(files.read_text, file), seconds=_SECONDS)
        found = tomllib.loads(text)
    except FileNotFoundError:
        return shipped()
    except TimeoutError:
        problem = tr("keymap.toml does not answer; is the disk there?")
        return msgspec.structs.replace(shipped(), problems=(problem,))
    except (OSError, UnicodeDecodeError, RecursionError, tomllib.TOMLDecodeError) as exc:
        problem = tr("keymap.toml could not be read: {reason}", reason=exc)
        return msgspec.structs.replace(shipped(), problems=(problem,))
    wanted = found.get("keys", {})
    return merge(wanted if isinstance(wanted, dict) else {})


def merge(wanted: dict[str, object]) -> Keymap:
    """Lay a user's keys over the shipped ones.

    A key that the user gives to one action leaves the other that had it by default; a key that
    the user gives twice stays with the first.
    """
    problems: list[str] = []
    chosen: dict[str, tuple[str, ...]] = {}
    taken: dict[str, str] = {}
    for name, value in wanted.items():
        if problem := _unknown(name):
            problems.append(problem)
            continue
        kept = []
        for key in _listed(value):
            if problem := _misfit(key, name, taken):
                problems.append(problem)
                continue
            taken[key] = name
            kept.append(key)
        chosen[name] = tuple(kept)
    keys = {
        action.name: chosen.get(action.name, tuple(key for key in action.keys if key not in taken))
        for action in ACTIONS
    }
    actions = {key: name for name, listed in keys.items() for key in listed}
    return Keymap(keys, actions, tuple(problems))


def _listed(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [_canonical(str(entry)) for entry in values]


def _unknown(name: str) -> str:
    if name in BY_NAME:
        return ""
    if near := nearest_name(name, BY_NAME):
        return tr("keymap.toml: there is no “{name}”; did you mean “{near}”?", name=name, near=near)
    return tr("keymap.toml: there is no “{name}”.", name=name)


def _misfit(key: str, name: str, taken: dict[str, str]) -> str:
    bare = key.removeprefix("ctrl+").removeprefix("alt+").removeprefix("shift+")
    if len(bare) != 1 and bare not in NAMED:
        return tr("keymap.toml: “{key}” for “{name}” is no key.", key=key, name=name)
    if key in taken:
        return tr(
            "keymap.toml: “{key}” is given to “{first}” and to “{name}”; the first keeps it.",
            key=key, first=taken[key], name=name,
        )  # fmt: skip
    return ""
