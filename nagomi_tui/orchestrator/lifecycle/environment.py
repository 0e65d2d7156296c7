"""The environment of a new session, and the folder with `nagomi` on its PATH.

The program's own folder holds Python and other programs, which a session's commands must not
find.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import BoundedSemaphore
from typing import Final

from nagomi_tui import event
from nagomi_tui.agents.registry import AGENTS
from nagomi_tui.system import deadlines, folders, paths
from nagomi_tui.system.platforms import WINDOWS

_NAME: Final = "nagomi"


def folder(state: Path) -> str:
    """Return the folder, which is created if missing; "" if there is no such program."""
    program = Path(sys.executable).with_name(_NAME)
    if WINDOWS or not os.access(program, os.X_OK):
        return ""
    place = state / "bin"
    try:
        _link(paths.make_private(place) / _NAME, program)
    except OSError:
        return ""
    return os.fspath(place)


def _link(link: Path, program: Path) -> None:
    if not (link.is_symlink() and os.readlink(link) == os.fspath(program)):
        _point(link, program)


def _point(link: Path, target: Path | str) -> None:
    """Create a symbolic link, or atomically replace what is there.

    Raises:
        OSError: the link cannot be created.
    """
    spare = link.with_name(f".{link.name}-{os.getpid()}")
    spare.unlink(missing_ok=True)
    spare.symlink_to(target)
    os.replace(spare, link)


def findable(env: Mapping[str, str], programs: str) -> dict[str, str]:
    """Return the variable PATH, with the folder of the program at its end."""
    path = env.get("PATH", "")
    if not (path and programs) or programs in path.split(os.pathsep):
        return {}
    return {"PATH": f"{path}{os.pathsep}{programs}"}


_DROPPED: Final = frozenset([
    "TMUX", "TMUX_PANE", "STY", "WINDOW", "LINES", "COLUMNS", "TERMCAP", "NAGOMI_SESSION_ID",
    "NAGOMI_DAEMON", "WINDOWID", "TERMINAL_EMULATOR", "WT_SESSION", "WT_PROFILE_ID", "VTE_VERSION",
    "COLORFGBG", "ZELLIJ", "LC_TERMINAL", "LC_TERMINAL_VERSION", "TERM_SESSION_ID",
    "TERMINATOR_UUID", "TILIX_ID", "GNOME_TERMINAL_SCREEN", "GNOME_TERMINAL_SERVICE",
    "INSIDE_EMACS", "XTERM_VERSION", "XTERM_SHELL", "XTERM_LOCALE", "TERM_FEATURES",
    "GUAKE_TAB_UUID", "ZED_TERM", "CURSOR_TRACE_ID", "__CFBundleIdentifier", "VSCODE_NONCE",
    "VSCODE_STABLE", "VSCODE_PATH_PREFIX", "VSCODE_ZDOTDIR", "VSCODE_PREVENT_SHELL_HISTORY",
    "NAGOMI_BIN", "NAGOMI_EVENT", "NAGOMI_INSIDE", "NAGOMI_PYTHON", "NAGOMI_SHELLS",
    "NAGOMI_SOCKET", "NAGOMI_STARTED_BY", "NAGOMI_GUARD_DOOR", "NAGOMI_GUARD_OUTSIDE"
])  # fmt: skip
_DROPPED_BEGINNINGS: Final = (
    "TERM_PROGRAM", "KITTY_", "ITERM", "WEZTERM_", "GHOSTTY_", "ALACRITTY_", "KONSOLE_",
    "VSCODE_INJECTION", "VSCODE_SHELL", "VSCODE_ENV_", "INTELLIJ_TERMINAL", "ConEmu", "WARP_",
    "WAVETERM", "PTYXIS_", "ZELLIJ_", "CMUX_", "HERDR", "TUIOS_", "BYOBU_", "ABDUCO_", "SHPOOL_",
    "ZMX_",
)  # fmt: skip
# By its marks an agent tells its children. Another agent would refuse to start, keep no transcript
# or speak to the first one, tools would ask nothing, and no sandbox is around what a worker starts.
_CHILD_OF_AGENT: Final = frozenset(
    ["AI_AGENT", *(name for agent in AGENTS.values() for name in agent.child_marks)]
)
_REFRESHED: Final = ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "WSL_INTEROP")
_PASSABLE: Final = re.compile(r"[^\x00=]+")
_LOOK_SECONDS: Final = 0.2

# ConEmu's own variable makes Claude Code, cargo and others tell their progress by OSC 9;4.
_TERMINAL: Final = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "ConEmuANSI": "ON"}


class Surroundings:
    """What sessions take from clients as these come and go: SSH agent socket, displays."""

    def __init__(self, folder: Path, programs: str = "") -> None:
        """`folder` holds the sockets; `programs` is put at the end of sessions' PATH."""
        self._link = folder / paths.SSH_AGENT
        self._programs = programs
        self._latest: dict[str, str] = {}
        self._slots = BoundedSemaphore()

    def refresh(self, env: Mapping[str, str], *, front_end: bool) -> None:
        """Take over the SSH agent, and of a front end the displays, from a client's environment."""
        agent = env.get("SSH_AUTH_SOCK", "")
        if agent and not _is_link_of_ours(agent) and self._is_there(agent):
            with contextlib.suppress(OSError):
                _point(self._link, agent)
        if front_end:
            self._latest = {name: env[name] for name in _REFRESHED if env.get(name)}

    def child_env(self, client: Mapping[str, str], added: Mapping[str, str]) -> dict[str, str]:
        """Return the whole environment of a new session."""
        env = {name: value for name, value in client.items() if _is_kept(name, value)}
        env.update(self._latest)
        if env.get("SSH_AUTH_SOCK") and self._link.is_symlink():
            env["SSH_AUTH_SOCK"] = str(self._link)
        env.update(_TERMINAL)
        env.update(self._for_hooks())
        env.update(findable(env, self._programs))
        env.update({name: value for name, value in added.items() if "\0" not in value})
        return env

    def far_env(self, passed: Mapping[str, str], added: Mapping[str, str]) -> dict[str, str]:
        """Return what a session on a hand gets beside the environment there.

        Paths and sockets of this machine mean nothing there, so hooks do not find us.
        """
        env = {**_TERMINAL, **passed}
        env.update({name: value for name, value in added.items() if "\0" not in value})
        return env

    def for_hands(self) -> dict[str, str]:
        """Return what the commands of hands get: ssh finds the agent of whoever came last."""
        return {"SSH_AUTH_SOCK": str(self._link)} if self._link.is_symlink() else {}

    def _for_hooks(self) -> dict[str, str]:
        """Return the variables by which agents' hooks find us; without them, hooks do nothing."""
        return {
            "NAGOMI_EVENT": os.path.abspath(event.__file__),
            "NAGOMI_PYTHON": sys.executable,
            "NAGOMI_SOCKET": str(self._link.with_name(paths.FRONT)),
        }

    def _is_there(self, agent: str) -> bool:
        """Return whether a client's socket exists, within a deadline."""
        try:
            return deadlines.wait(
                lambda: os.path.exists(agent), seconds=_LOOK_SECONDS, slots=self._slots
            )
        except TimeoutError:
            return False


def _is_link_of_ours(agent: str) -> bool:
    """Return whether a path is our own link, here or where the sockets were before."""
    folder, name = os.path.split(agent)
    return name == paths.SSH_AGENT and folder in folders.places()


def _is_kept(name: str, value: str) -> bool:
    if name in _DROPPED | _CHILD_OF_AGENT or name.startswith(_DROPPED_BEGINNINGS):
        return False
    return bool(_PASSABLE.fullmatch(name)) and "\0" not in value
