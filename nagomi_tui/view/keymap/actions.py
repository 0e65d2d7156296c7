"""The registry of user actions: leader keys, menu, hints, help and palette are derived from it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from nagomi_tui.text.words import translatable


class Scope(StrEnum):
    """What an action is about; help groups by it."""

    SESSION = "session"
    MOVE = "move"
    AGENT = "agent"
    VIEW = "view"
    APPLICATION = "application"


SCOPE_TITLES: Final = {
    Scope.SESSION: translatable("Sessions"),
    Scope.MOVE: translatable("Going"),
    Scope.AGENT: translatable("Agents"),
    Scope.VIEW: translatable("Looking"),
    Scope.APPLICATION: translatable("Workplace"),
}


class Action(msgspec.Struct, frozen=True):
    """A user action: its name in `keymap.toml`, its default keys after the leader, and its texts."""

    name: str
    keys: tuple[str, ...]
    scope: Scope
    label: str
    """One or two words, for the menu and the hints."""
    sentence: str
    """What it does, for help and palette."""
    needs_session: bool = False


# Those of every day stand first in their scope: the menu begins with them.
# fmt: off
ACTIONS: Final = (
    Action("new", ("c",), Scope.SESSION, translatable("new"), translatable("Start a new session")),
    Action("restart", ("r",), Scope.SESSION, translatable("restart"), translatable("Start the session's command again"), needs_session=True),
    Action("stop", ("x",), Scope.SESSION, translatable("stop"), translatable("Stop the session and all it started"), needs_session=True),
    Action("rename", ("R", ","), Scope.SESSION, translatable("rename"), translatable("Give the session another name"), needs_session=True),
    Action("restart_fresh", ("F",), Scope.SESSION, translatable("afresh"), translatable("Start it again; an agent begins a new conversation"), needs_session=True),
    Action("remove", ("X",), Scope.SESSION, translatable("remove"), translatable("Take an ended session off the list"), needs_session=True),
    Action("ended", ("E",), Scope.SESSION, translatable("all ended"), translatable("Show, remove or restart all sessions that have ended")),
    Action("mark", ("*",), Scope.SESSION, translatable("mark"), translatable("Mark the session in the list: stop, restart and remove take all marked ones"), needs_session=True),
    Action("earlier", ("-",), Scope.SESSION, translatable("move earlier"), translatable("Move the session one place earlier"), needs_session=True),
    Action("later", ("+",), Scope.SESSION, translatable("move later"), translatable("Move the session one place later"), needs_session=True),
    Action("renumber", ("#",), Scope.SESSION, translatable("renumber"), translatable("Number the sessions anew, by their order on screen"), needs_session=True),
    Action("next_waiting", ("tab",), Scope.MOVE, translatable("next waiting"), translatable("Go to the session that has waited longest for you")),
    Action("called", ("g",), Scope.MOVE, translatable("who called"), translatable("Go to the session that called last")),
    Action("last", (";",), Scope.MOVE, translatable("last"), translatable("Go to the session that was in front before")),
    Action("back", ("backspace",), Scope.MOVE, translatable("back"), translatable("Go back to before the jump to who waits, with the lanes as they were")),
    Action("next", ("n",), Scope.MOVE, translatable("next"), translatable("Go to the next session")),
    Action("previous", ("p",), Scope.MOVE, translatable("previous"), translatable("Go to the previous session")),
    Action("left", ("left", "h"), Scope.MOVE, translatable("left"), translatable("Go to the session on the left")),
    Action("down", ("down", "j"), Scope.MOVE, translatable("down"), translatable("Go to the session below")),
    Action("up", ("up", "k"), Scope.MOVE, translatable("up"), translatable("Go to the session above")),
    Action("right", ("right", "l"), Scope.MOVE, translatable("right"), translatable("Go to the session on the right")),
    *(Action(f"go_{n}", (str(n),), Scope.MOVE, translatable("go to"), translatable("Go to the session with this number; two digits reach 10 to 99")) for n in range(1, 10)),
    Action("review", ("D",), Scope.VIEW, translatable("review"), translatable("Review what has changed in the session's folder: comment, discard, commit"), needs_session=True),
    Action("worktrees", ("W",), Scope.VIEW, translatable("worktrees"), translatable("List the repository's worktrees: open, review, merge, rebase, remove")),
    Action("guard", ("G",), Scope.AGENT, translatable("guard"), translatable("What the agent proposes and what has changed: approve, discuss, stop"), needs_session=True),
    Action("guard_stop_all", ("!",), Scope.AGENT, translatable("stop all"), translatable("Send all guarded agents back to discussion at once")),
    Action("agent_chat", ("t",), Scope.AGENT, translatable("talk"), translatable("Talk to the agent, in a lane of its own")),
    Action("hooks", ("H",), Scope.AGENT, translatable("tell state"), translatable("Let the agent tell its state by hooks; shows first what that writes"), needs_session=True),
    Action("agent_mode", ("o",), Scope.AGENT, translatable("agent mode"), translatable("Choose what the agent may do by itself")),
    Action("zoom", ("z",), Scope.VIEW, translatable("zoom"), translatable("Show one session on the whole screen, or go back"), needs_session=True),
    Action("judge", ("y",), Scope.VIEW, translatable("why"), translatable("How the session stands and why, its question, and what could be next"), needs_session=True),
    Action("copy", ("[", "pageup", "shift+pageup"), Scope.VIEW, translatable("look back"), translatable("Look back through what was printed"), needs_session=True),
    Action("find", ("/",), Scope.VIEW, translatable("search back"), translatable("Search through what was printed"), needs_session=True),
    Action("switch_view", ("v",), Scope.VIEW, translatable("switch view"), translatable("Switch between overview and chat")),
    Action("list", ("S",), Scope.VIEW, translatable("list/tiles"), translatable("Show the overview as a list, as tiles, or as the room allows")),
    Action("tail", ("e",), Scope.VIEW, translatable("to the end"), translatable("Go to the end and follow new lines")),
    Action("to_program", ("i",), Scope.VIEW, translatable("prompt/program"), translatable("Send keys to the prompt, or straight to the program")),
    Action("add_lane", ("a",), Scope.VIEW, translatable("add lane"), translatable("Show another session in a lane of its own; you choose which")),
    Action("close_lane", ("w",), Scope.VIEW, translatable("close lane"), translatable("Close this lane; the session goes on")),
    Action("align", ("enter",), Scope.VIEW, translatable("align"), translatable("Give all tiles the same size again")),
    Action("keep_size", ("=",), Scope.VIEW, translatable("keep size"), translatable("Bind the session's size: no view changes it"), needs_session=True),
    Action("free_size", ("_",), Scope.VIEW, translatable("free size"), translatable("Have the session take the size at which it is shown again"), needs_session=True),
    Action("bars", ("b",), Scope.VIEW, translatable("bars"), translatable("Hide or show the thin line while zoomed")),
    Action("palette", (":", "space"), Scope.APPLICATION, translatable("search"), translatable("Search sessions, keys, settings and pages")),
    Action("help", ("?", "f1"), Scope.APPLICATION, translatable("help"), translatable("Show all keys")),
    Action("notices", ("N",), Scope.APPLICATION, translatable("notices"), translatable("Read again what was told; Enter goes to its session")),
    Action("reminders", ("T",), Scope.APPLICATION, translatable("reminders"), translatable("Look at the reminders that are open; x cancels one")),
    Action("settings", ("s",), Scope.APPLICATION, translatable("settings"), translatable("Open the settings")),
    Action("detach", ("d",), Scope.APPLICATION, translatable("leave"), translatable("Leave; everything goes on running")),
    Action("mute", ("m",), Scope.APPLICATION, translatable("mute"), translatable("No sound for an hour, or sounds again")),
    Action("sound_test", ("M",), Scope.APPLICATION, translatable("test sound"), translatable("Play the sound that calls you")),
    Action("reload", ("L",), Scope.APPLICATION, translatable("reload"), translatable("Load the installed version; sessions run on")),
    Action("quit", ("q",), Scope.APPLICATION, translatable("quit"), translatable("Quit nagomi and stop everything")),
)
# fmt: on

CLICKED_ONLY: Final = frozenset({"view_run", "view_chat", "hooks_later", "hooks_never"})
"""Actions without keys, which only words on screen ask for."""

BY_NAME: Final = {action.name: action for action in ACTIONS}

KEY_MARKS: Final = {
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
"""How the keys are written that have a name."""


def key_label(key: str) -> str:
    """Return a key as it is written for a user: `ctrl+]` becomes `Ctrl+]`, `left` an arrow."""
    *mods, last = key.split("+") if key != "+" else ["+"]
    shown = KEY_MARKS.get(last, last.upper() if len(last) > 1 and last[0] == "f" else last)
    return "+".join([*(mod.capitalize() for mod in mods), shown])
