"""The keys after the leader: shipped ones, the user's changes, and their names."""

from __future__ import annotations

import json
import re
import tomllib
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore
from typing import Final

import msgspec

from nagomi_tui.settings.model import Settings
from nagomi_tui.system import deadlines, files, paths
from nagomi_tui.text.words import nearest_name
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.keymap.actions import ACTIONS, BY_NAME, KEY_MARKS, key_label

_SECONDS: Final = 1.0
NAMED: Final = KEY_MARKS.keys() | {f"f{number}" for number in range(1, 25)}
"""Keys that have a name; any other is a character."""


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
    return merge({})


def load(file: Path) -> Keymap:
    """Read the user's keys over the shipped ones; what does not fit is named and left out.

    The file holds lines such as `zoom = "z"` or `rename = ["R", ","]` under `[keys]`.
    """
    try:
        text = deadlines.wait(partial(files.read_text, file), seconds=_SECONDS)
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
            if problem := _problem_with(key, name, taken):
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


def _problem_with(key: str, name: str, taken: dict[str, str]) -> str:
    bare = key.removeprefix("ctrl+").removeprefix("alt+").removeprefix("shift+")
    if len(bare) != 1 and bare not in NAMED:
        return tr("keymap.toml: “{key}” for “{name}” is no key.", key=key, name=name)
    if key in taken:
        return tr(
            "keymap.toml: “{key}” is given to “{first}” and to “{name}”; the first keeps it.",
            key=key, first=taken[key], name=name,
        )  # fmt: skip
    return ""


_TABLE: Final = "[keys]"


def keymap_file() -> Path:
    """Where the user's keys are."""
    return paths.config_folder() / "keymap.toml"


def with_keys(text: str, action: str, keys: tuple[str, ...] | None) -> str:
    """Return the file's text with other keys for an action, or with its line taken out."""
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if line.strip() == _TABLE), None)
    if start is None:
        if keys is None:
            return text
        lines += [*([""] if lines else []), _TABLE]
        start = len(lines) - 1
    end = next(
        (at for at in range(start + 1, len(lines)) if lines[at].lstrip().startswith("[")),
        len(lines),
    )
    own = re.compile(rf"\s*{re.escape(action)}\s*=")
    found = next((at for at in range(start + 1, end) if own.match(lines[at])), None)
    new = [] if keys is None else [f"{action} = {_value(keys)}"]
    if found is None:
        lines[end:end] = new
    else:
        comment = re.search(r"\s+#[^\"']*$", lines[found])
        lines[found : found + 1] = [line + (comment[0] if comment else "") for line in new]
    return "\n".join(lines) + "\n" if lines else ""


def save(action: str, keys: tuple[str, ...] | None) -> None:
    """Give an action other keys, or its shipped ones; the file is written whole or not at all.

    Raises:
        OSError: the file cannot be read or written, or is none of ours; the old one is whole.
    """
    file = keymap_file()
    text = files.read_text(file) if file.exists() else ""
    paths.make_private(file.parent)
    files.write(file, with_keys(text, action, keys).encode())


def _value(keys: tuple[str, ...]) -> str:
    shown = [json.dumps(key) for key in keys]
    return shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"


_WATCH_SECONDS: Final = 0.2


class KeymapWatch:
    """Reads the file again when its stamp is another one."""

    def __init__(self) -> None:
        self._slots = BoundedSemaphore()
        self._seen = (0, 0, 0)
        self._seen = self._look()

    def changed(self) -> Keymap | None:
        """Return the keys in the file, or None if the file has not changed."""
        seen = self._look()
        if seen == self._seen:
            return None
        self._seen = seen
        return load(keymap_file())

    def _look(self) -> tuple[int, int, int]:
        look = partial(files.stamp, keymap_file())
        try:
            return deadlines.wait(look, seconds=_WATCH_SECONDS, slots=self._slots)
        except TimeoutError:
            return self._seen


_keys = shipped()
_leader = Settings().leader


def use(keys: Keymap, leader: str) -> None:
    """Write keys by this keymap and leader from now on."""
    global _keys, _leader
    _keys, _leader = keys, leader


def leader() -> str:
    """Return the leader as it is written."""
    return key_label(_leader)


def key(action: str) -> str:
    """Return the action's first key after the leader, as it is written."""
    return key_label(_keys.first_key(action))


def hint(action: str) -> str:
    """Return the leader and the action's key."""
    return f"{leader()} {key(action)}"
