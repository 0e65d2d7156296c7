"""Everything a user can do, said once: leader keys, menu, hints, help and palette come from here."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from nagomi_tui.words import mark


class Scope(StrEnum):
    """What an action is about; help groups by it."""

    SESSION = "session"
    MOVE = "move"
    VIEW = "view"
    CHAT = "chat"
    APPLICATION = "application"


SCOPE_TITLES: Final = {
    Scope.SESSION: mark("Sessions"),
    Scope.MOVE: mark("Moving about"),
    Scope.VIEW: mark("Views"),
    Scope.CHAT: mark("Chat"),
    Scope.APPLICATION: mark("The room"),
}


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to do: its name in `keymap.toml`, its default keys after the leader, its words."""

    name: str
    keys: tuple[str, ...]
    label: str
    """One or two words, for the menu and the hints."""
    sentence: str
    """What it does, for help and palette."""
    scope: Scope
    needs_session: bool = False


def _action(
    name: str, keys: str, scope: Scope, label: str, sentence: str, *, needs_session: bool = False
) -> Action:
    return Action(
        name=name,
        keys=tuple(keys.split()),
        scope=scope,
        label=label,
        sentence=sentence,
        needs_session=needs_session,
    )


# fmt: off
ACTIONS: Final = (
    _action("new", "c", Scope.SESSION, mark("new"), mark("Start a new session")),
    _action("rename", "R ,", Scope.SESSION, mark("rename"), mark("Give the session another name"), needs_session=True),
    _action("restart", "r", Scope.SESSION, mark("restart"), mark("Start the session's command again"), needs_session=True),
    _action("restart_fresh", "F", Scope.SESSION, mark("afresh"), mark("Start it again; an agent begins a new conversation"), needs_session=True),
    _action("stop", "x", Scope.SESSION, mark("stop"), mark("Stop the session and all it started"), needs_session=True),
    _action("remove", "X", Scope.SESSION, mark("remove"), mark("Take an ended session off the list"), needs_session=True),
    _action("earlier", "-", Scope.SESSION, mark("earlier"), mark("Move the session one place earlier"), needs_session=True),
    _action("later", "+", Scope.SESSION, mark("later"), mark("Move the session one place later"), needs_session=True),
    _action("renumber", "#", Scope.SESSION, mark("renumber"), mark("Number the sessions anew, by their order on screen"), needs_session=True),
    _action("copy", "[ pageup shift+pageup", Scope.SESSION, mark("look back"), mark("Look back through what was printed"), needs_session=True),
    _action("find", "/", Scope.SESSION, mark("search back"), mark("Search through what was printed"), needs_session=True),
    _action("judge", "y", Scope.SESSION, mark("why"), mark("How the session stands and why, its question, and what could be next"), needs_session=True),
    _action("next", "n", Scope.MOVE, mark("next"), mark("Go to the next session")),
    _action("previous", "p", Scope.MOVE, mark("previous"), mark("Go to the previous session")),
    _action("next_waiting", "tab", Scope.MOVE, mark("next waiting"), mark("Go to the session that has waited longest for you")),
    _action("called", "g", Scope.MOVE, mark("who called"), mark("Go to the session that called last")),
    _action("left", "left h", Scope.MOVE, mark("left"), mark("Go to the session on the left")),
    _action("down", "down j", Scope.MOVE, mark("down"), mark("Go to the session below")),
    _action("up", "up k", Scope.MOVE, mark("up"), mark("Go to the session above")),
    _action("right", "right l", Scope.MOVE, mark("right"), mark("Go to the session on the right")),
    *(_action(f"go_{n}", str(n), Scope.MOVE, mark("go to"), mark("Go to the session with this number; two digits reach 10 to 99")) for n in range(1, 10)),
    _action("zoom", "z", Scope.VIEW, mark("zoom"), mark("Show one session on the whole screen, or go back"), needs_session=True),
    _action("align", "enter", Scope.VIEW, mark("align"), mark("Give all tiles the same size again")),
    _action("switch_view", "v", Scope.VIEW, mark("switch view"), mark("Switch between overview and chat")),
    _action("bars", "b", Scope.VIEW, mark("bars"), mark("Hide or show the thin line while zoomed")),
    _action("to_program", "i", Scope.CHAT, mark("prompt/program"), mark("Send keys to the prompt, or straight to the program")),
    _action("add_lane", "a", Scope.CHAT, mark("add lane"), mark("Show the next session in a lane of its own")),
    _action("close_lane", "w", Scope.CHAT, mark("close lane"), mark("Close this lane; the session goes on")),
    _action("tail", "e", Scope.CHAT, mark("to the end"), mark("Go to the end and follow new lines")),
    _action("palette", ": space", Scope.APPLICATION, mark("search"), mark("Search actions and sessions by name")),
    _action("help", "? f1", Scope.APPLICATION, mark("help"), mark("Show all keys")),
    _action("settings", "s", Scope.APPLICATION, mark("settings"), mark("Open the settings")),
    _action("mute", "m", Scope.APPLICATION, mark("mute"), mark("No sound for an hour, or sounds again")),
    _action("sound_test", "M", Scope.APPLICATION, mark("test sound"), mark("Play the sound that calls you")),
    _action("reload", "L", Scope.APPLICATION, mark("reload"), mark("Load the installed version; sessions run on")),
    _action("detach", "d", Scope.APPLICATION, mark("leave"), mark("Leave; everything goes on running")),
    _action("quit", "q", Scope.APPLICATION, mark("quit"), mark("Quit nagomi and stop everything")),
)
# fmt: on

CLICKED_ONLY: Final = frozenset({"view_run", "view_chat"})
"""Actions without keys, which only words on screen ask for."""

BY_NAME: Final = {action.name: action for action in ACTIONS}

_KEY_MARKS: Final = {
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "enter": "Enter",
    "tab": "Tab",
    "space": "Space",
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "backspace": "Backspace",
    "delete": "Del",
    "home": "Home",
    "end": "End",
}


def key_label(key: str) -> str:
    """Return a key as it is written for a user: `ctrl+]` becomes `Ctrl+]`, `left` an arrow."""
    *mods, last = key.split("+") if key != "+" else ["+"]
    shown = _KEY_MARKS.get(last, last.upper() if len(last) > 1 and last[0] == "f" else last)
    return "+".join([*(mod.capitalize() for mod in mods), shown])
