"""This machine: Python, engine, locale, settings, programs, folders."""

from __future__ import annotations

import locale
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from nagomi_tui.agents.hooks import files, plan
from nagomi_tui.agents.hooks.formats import Unfit
from nagomi_tui.agents.registry import AGENTS
from nagomi_tui.doctor.report import Check, check
from nagomi_tui.guard.install.fitness import probed
from nagomi_tui.settings.existing import doubts
from nagomi_tui.settings.store import load, settings_file
from nagomi_tui.system import paths, platforms
from nagomi_tui.system.console import tr
from nagomi_tui.terminal.choose import open_engine
from nagomi_tui.text.words import Said, translatable
from nagomi_worker.wire import trust

_PROBE_SECONDS: Final = 5.0
_QUICK: Final = "ghostty"


def machine_checks(engines: Sequence[str]) -> list[Check]:
    """Look at what nagomi itself runs on; `engines` are those that are known to work."""
    return [_system(), _python(), _engine(engines), _locale(), _settings()]


def _system() -> Check:
    return Check(
        key="system",
        label=tr("System"),
        result="missing" if platforms.WINDOWS else "ok",
        needed=True,
        found=platforms.described(),
        meaning=tr("Native Windows is not served yet.") if platforms.WINDOWS else "",
        remedy=tr("Use nagomi inside WSL."),
    )


def _python() -> Check:
    return check("python", "Python", f"{platform.python_version()} ({sys.executable})")


def _engine(engines: Sequence[str]) -> Check:
    version = next((one for one in engines if one.startswith(_QUICK)), "") or _opened()
    if version.startswith(_QUICK):
        return check("engine", tr("Terminal engine"), version)
    return check(
        "engine",
        tr("Terminal engine"),
        version,
        meaning=tr("The quick engine does not load here; a slower one, pyte, is used instead."),
        remedy=tr("There are wheels of pyghostty for Linux (glibc 2.28 or newer) and macOS 13."),
        well=False,
    )


def _opened() -> str:
    """Open an engine, since a library may be installed and still not load; return its version."""
    engine = open_engine(80, 24)
    version = engine.version
    engine.close()
    return version


def _locale() -> Check:
    """Tell the character set that programs in the sessions will assume."""
    named = next(
        (os.environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(name)), "C"
    )
    charset = _charset()
    utf8 = charset.upper().replace("-", "") == "UTF8"
    return check(
        "locale",
        tr("Locale"),
        f"{named} ({charset})",
        meaning=""
        if utf8
        else tr("Programs in the sessions may not show Japanese or lines; nagomi itself does."),
        remedy=tr("Put `export LANG=C.UTF-8` into your shell's start file."),
        well=bool(utf8),
    )


def strict_mode() -> Check:
    """Try whether the kernel would hold a guarded project, in a process of its own."""
    try:
        refused = probed(_PROBE_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as exc:
        refused = Said("{fault}", {"fault": exc})
    return check(
        "strict_mode",
        tr("Strict mode"),
        tr("off") if refused else tr("the kernel can hold guarded projects"),
        meaning=tr(refused.message, **refused.values) if refused else "",
        well=not refused,
    )


def _charset() -> str:
    """Return the locale's character set as C programs see it, not Python's own choice."""
    try:
        locale.setlocale(locale.LC_CTYPE, "")
    except locale.Error:
        return "ANSI_X3.4-1968"
    if platforms.WINDOWS:
        return locale.getpreferredencoding(False)
    return locale.nl_langinfo(locale.CODESET)


def _settings() -> Check:
    loaded = load(aside=False)
    wrong = (*loaded.faults, *doubts(loaded.settings, os.environ).values())
    faults = [tr(fault.message, **fault.values) for fault in wrong]
    return check(
        "settings",
        tr("Settings"),
        str(settings_file()),
        meaning=" ".join(faults),
        remedy=tr("Correct the file, or choose in the settings view and save."),
        well=not faults,
    )


_PROGRAMS: Final = {
    "git": translatable("shows the branch of a session's folder"),
    "ssh": translatable("reaches other machines"),
}

_WITHOUT_HOOKS: Final = translatable(
    "Without its hooks, nagomi reads its state from title and screen, and a restart begins a "
    "new conversation."
)


def program_checks() -> list[Check]:
    """Look for each program on the path."""
    purposes = {name: tr(purpose) for name, purpose in _PROGRAMS.items()}
    for agent in AGENTS.values():
        if agent.in_doctor:
            purposes[agent.name] = tr("{agent}, an agent", agent=agent.title)
    return [_program(name, purpose) for name, purpose in purposes.items()] + _hooks()


def _program(name: str, purpose: str) -> Check:
    found = shutil.which(name)
    return Check(
        key=f"program_{name}",
        label=name,
        result="ok" if found else "missing",
        found=found or tr("not installed; optional: {purpose}", purpose=purpose),
    )


def _hooks() -> list[Check]:
    """Tell for each agent that is there whether it tells us how it stands."""
    found = []
    for agent in plan.AGENTS.values():
        path = agent.path(project=False)
        if not (shutil.which(agent.name) or path.exists()):
            continue
        try:
            status: str = files.status(agent, project=False)
            meaning = "" if status == "installed" else tr(_WITHOUT_HOOKS)
        except Unfit as exc:
            status, meaning = "broken", tr(exc.sentence, **{**exc.values, "path": path})
        found.append(
            check(
                f"hooks_{agent.name}",
                tr("Hooks of {agent}", agent=agent.title),
                tr("{path} (installed)", path=path)
                if status == "installed"
                else tr("{path} (not installed)", path=path),
                meaning=meaning,
                remedy="nagomi hooks install",
                well=status == "installed",
            )
        )
    return found


_LEAST_BYTES: Final = 100 * 1024 * 1024


def folder_checks() -> list[Check]:
    """Look at each folder, without making one."""
    return [
        _folder("config_folder", tr("Settings folder"), paths.config_folder()),
        _folder("state_folder", tr("State folder"), paths.state_folder()),
        _sockets(),
        _socket(),
        _log(),
    ]


def _sockets() -> Check:
    """Look at the sockets' folder, and whether anybody else could be listening there."""
    label, folder = tr("Socket folder"), paths.socket_folder()
    try:
        trust.check_place(str(folder / paths.FRONT))
    except trust.Untrusted as exc:
        told = paths.untrusted(exc)
        return Check(
            key="socket_folder",
            label=label,
            result="missing",
            needed=True,
            found=str(folder),
            meaning=tr(told.sentence, **told.values),
        )
    except OSError:
        pass  # it is made by the first start
    return _folder("socket_folder", label, folder)


def _folder(key: str, label: str, folder: Path) -> Check:
    """Look at the folder, or at the nearest one above it that exists."""
    nearest = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    if not os.access(nearest, os.W_OK | os.X_OK):
        return Check(
            key=key,
            label=label,
            result="missing",
            needed=True,
            found=str(folder),
            meaning=tr("{path} cannot be written to.", path=nearest),
            remedy=tr("Set NAGOMI_HOME to a folder that you can write to."),
        )
    free = shutil.disk_usage(nearest).free
    room = tr("{path} ({size} MiB free)", path=folder, size=free // 1024 // 1024)
    if free < _LEAST_BYTES:
        return check(
            key,
            label,
            room,
            meaning=tr("There is little room; records of sessions may be lost."),
            remedy=tr("Make room there, or set NAGOMI_HOME to another folder."),
            well=False,
        )
    return check(key, label, room)


def _socket() -> Check:
    """Tell whether the socket's path fits into what the system allows."""
    length = len(os.fsencode(paths.front_end_socket()))
    fits = length <= 103
    return Check(
        key="socket",
        label=tr("Socket"),
        result="ok" if fits else "missing",
        needed=True,
        found=str(paths.front_end_socket()),
        meaning="" if fits else tr("Its path has {count} bytes, which is too long.", count=length),
        remedy=tr("Set TMPDIR to a shorter folder."),
    )


def _log() -> Check:
    log = paths.log_file()
    size = log.stat().st_size if log.exists() else 0
    return check("log", tr("Log"), tr("{path} ({size} KiB)", path=log, size=-(-size // 1024)))
