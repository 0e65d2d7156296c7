"""Turns a `start_session` message into what is to be run, and checks it before the fork.

Each error is one sentence that says what is wrong and what to do about it.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from nagomi_worker.confine.interface import Inside
    from nagomi_worker.wire.protocol import StartSession

SESSION_MARK: Final = "NAGOMI_SESSION_ID"
DAEMON_MARK: Final = "NAGOMI_DAEMON"
COLS_LIMIT: Final = 1000
ROWS_LIMIT: Final = 500

_SHELL_SYNTAX: Final = re.compile(r"[|&;<>()$`*?\[\]{}~#!\n]|^\s*[A-Za-z_]\w*=")
_SHELL_WORDS: Final = re.compile(
    r"\s*([.:]|alias|bg|builtin|case|cd|command|declare|dirs|disown|eval|exec|exit|export|fg|for"
    r"|function|hash|history|if|jobs|let|local|popd|pushd|read|readonly|return|select|set|shift"
    r"|shopt|source|time|times|trap|type|typeset|ulimit|umask|unalias|unset|until|wait|while)"
    r"(\s|$)"
)
"""Shell builtins and keywords: a command that begins with one is run by the shell."""

_LOGIN_SHELLS: Final = frozenset({"ash", "bash", "dash", "fish", "ksh", "mksh", "sh", "zsh"})
"""Those that take `-l` and `-c` together."""


class StartError(ValueError):
    """The command cannot be started; the message is for the user."""


class Launch(NamedTuple):
    """A command ready to be run."""

    argv: tuple[str, ...]
    """The program's absolute path comes first."""
    cwd: str
    env: dict[str, str]
    cols: int
    rows: int
    inside: Inside | None = None
    """Where its project is held by the kernel."""


def launch(order: StartSession) -> Launch:
    """Return program, folder, environment and size of what `start_session` asks for.

    Raises:
        StartError: it could not be started.
    """
    check_size(order.cols, order.rows)
    env = _environment(order)
    cwd = _folder(_expanded(order.cwd, env) if order.inherit else order.cwd, env)
    argv = (_by_login if order.inherit else _arguments)(order.cmd, env)
    program = _program(argv[0], cwd, env)
    return Launch((program, *argv[1:]), cwd, env, order.cols, order.rows)


def check_size(cols: int, rows: int) -> None:
    """Refuse a size that no terminal has.

    Raises:
        StartError: it is out of bounds.
    """
    if not (1 <= cols <= COLS_LIMIT and 1 <= rows <= ROWS_LIMIT):
        raise StartError(
            f"A terminal of {cols} columns and {rows} rows cannot be made. "
            f"Use 1 to {COLS_LIMIT} columns and 1 to {ROWS_LIMIT} rows."
        )


def _environment(order: StartSession) -> dict[str, str]:
    env = {name: value for name, value in order.env.items() if name != DAEMON_MARK}
    if order.inherit:
        env = _own_environment() | env
    env[SESSION_MARK] = order.session_id
    for name, value in env.items():
        if not name or "=" in name or not _passable(name + value):
            raise StartError(
                f"The environment variable {name!r} cannot be passed on. Leave it out."
            )
    return env


def _own_environment() -> dict[str, str]:
    """Return the worker's environment as a login's, without what nagomi has put into it."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("NAGOMI_")}
    if sys.platform != "win32":
        import pwd

        with suppress(KeyError):  # a container's user may have no name
            user = pwd.getpwuid(os.getuid())
            own = {"HOME": user.pw_dir, "SHELL": user.pw_shell, "USER": user.pw_name} | own
    return own


def _expanded(cwd: str | None, env: dict[str, str]) -> str | None:
    """Return the folder with the home folder in place of `~`; None for the home folder itself."""
    first, _, rest = (cwd or "~").partition("/")
    if first != "~":
        return cwd
    return os.path.join(env.get("HOME", os.sep), rest) if rest else None


def _passable(words: str) -> bool:
    """Tell whether `exec` can take this text; else it would fail only after the fork."""
    try:
        return b"\0" not in os.fsencode(words)
    except UnicodeEncodeError:
        return False


def _folder(cwd: str | None, env: dict[str, str]) -> str:
    if cwd is None:
        home = env.get("HOME") or env.get("USERPROFILE") or ""
        return home if _may_enter(home) else os.path.abspath(os.sep)
    if not _passable(cwd) or not os.path.exists(cwd):
        raise StartError(f"The folder {cwd} does not exist. Make it, or choose another one.")
    if not os.path.isdir(cwd):
        raise StartError(f"{cwd} is not a folder. Choose a folder to start in.")
    if not _may_enter(cwd):
        raise StartError(f"The folder {cwd} may not be entered. Change its permissions.")
    return os.path.abspath(cwd)


def _may_enter(folder: str) -> bool:
    return os.path.isdir(folder) and os.access(folder, os.X_OK)


def _arguments(cmd: str, env: dict[str, str]) -> tuple[str, ...]:
    if not cmd.strip():
        raise StartError("The command is empty. Type a command, such as bash.")
    if not _passable(cmd):
        raise StartError("The command holds a character that cannot be passed on. Type it again.")
    if sys.platform == "win32":
        return _windows_arguments(cmd, env)
    try:
        words = shlex.split(cmd)
    except ValueError as exc:
        raise StartError(f"The command has a quote that is not closed: {cmd}") from exc
    if not words or not words[0] or _SHELL_WORDS.match(cmd) or _SHELL_SYNTAX.search(cmd):
        return _shell(env), "-c", cmd
    return tuple(words)


def _by_login(cmd: str, env: dict[str, str]) -> tuple[str, ...]:
    """Return the arguments for a command that is to find what its user finds after a login."""
    argv = _arguments(cmd, env)
    shell = _shell(env)
    if sys.platform == "win32" or os.path.basename(shell) not in _LOGIN_SHELLS:
        return argv
    return shell, "-l", "-c", cmd


def _windows_arguments(cmd: str, env: dict[str, str]) -> tuple[str, ...]:
    """Return the program and the rest of the line as one argument, which Windows programs split.

    A line with `%`, `|` and the like is given to cmd.exe.
    """
    if re.search(r"[|&<>%^]", cmd):
        return env.get("COMSPEC", "cmd.exe"), f"/d /c {cmd}"
    found = re.match(r'\s*(?:"([^"]*)"|(\S+))\s*(.*)', cmd, re.DOTALL)
    assert found is not None
    return found[1] or found[2], found[3]


def _shell(env: dict[str, str]) -> str:
    shell = env.get("SHELL", "")
    return shell if os.path.isabs(shell) and os.access(shell, os.X_OK) else "/bin/sh"


def _program(word: str, cwd: str, env: dict[str, str]) -> str:
    if os.path.dirname(word):
        path = os.path.join(cwd, word)
        if not os.path.exists(path):
            raise StartError(f"{word} does not exist. Check the command's path.")
        if os.path.isdir(path) or not os.access(path, os.X_OK):
            raise StartError(f"{word} is not a program that may be run. Make it executable first.")
        return path
    found = shutil.which(word, path=env.get("PATH", os.defpath))
    if found is None:
        raise StartError(f"The command {word} was not found. Install it, or check PATH.")
    return os.path.join(cwd, found)
