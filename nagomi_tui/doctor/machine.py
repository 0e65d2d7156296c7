"""Python, the terminal engine, the locale and the settings file."""

from __future__ import annotations

import locale
import os
import platform
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from nagomi_tui.commands.speech import tr
from nagomi_tui.doctor.check import Check
from nagomi_tui.words import Said

if TYPE_CHECKING:
    from collections.abc import Sequence

_PROBE_SECONDS: Final = 5.0
_QUICK: Final = "ghostty"


def checks(engines: Sequence[str]) -> list[Check]:
    """Look at what nagomi itself runs on; `engines` are those that are known to work."""
    return [_system(), _python(), _engine(engines), _locale(), _settings()]


def _system() -> Check:
    windows = sys.platform == "win32"
    return Check(
        key="system",
        label=tr("System"),
        result="missing" if windows else "ok",
        needed=True,
        found=f"{platform.system()} {platform.release()} {platform.machine()}",
        meaning=tr("Native Windows is not served yet.") if windows else "",
        remedy=tr("Use nagomi inside WSL."),
    )


def _python() -> Check:
    return Check(
        key="python",
        label="Python",
        result="ok",
        found=f"{platform.python_version()} ({sys.executable})",
    )


def _engine(engines: Sequence[str]) -> Check:
    version = next((one for one in engines if one.startswith(_QUICK)), "") or _opened()
    if version.startswith(_QUICK):
        return Check(key="engine", label=tr("Terminal engine"), result="ok", found=version)
    return Check(
        key="engine",
        label=tr("Terminal engine"),
        result="warning",
        found=version,
        meaning=tr("The quick engine does not load here; a slower one, pyte, is used instead."),
        remedy=tr("There are wheels of pyghostty for Linux (glibc 2.28 or newer) and macOS 13."),
    )


def _opened() -> str:
    """Open an engine, since a library may be installed and still not load; return its version."""
    from nagomi_tui.terminal.choose import open_engine

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
    return Check(
        key="locale",
        label=tr("Locale"),
        result="ok" if utf8 else "warning",
        found=f"{named} ({charset})",
        meaning=""
        if utf8
        else tr("Programs in the sessions may not show Japanese or lines; nagomi itself does."),
        remedy=tr("Put `export LANG=C.UTF-8` into your shell's start file."),
    )


def strict_mode() -> Check:
    """Try whether the kernel would hold a guarded project, in a process of its own."""
    from nagomi_tui.orchestrator.guard.probing import probed

    try:
        refused = probed(_PROBE_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as exc:
        refused = Said("{fault}", {"fault": exc})
    return Check(
        key="strict_mode",
        label=tr("Strict mode"),
        result="warning" if refused else "ok",
        found=tr("off") if refused else tr("the kernel can hold guarded projects"),
        meaning=tr(refused.message, **refused.values) if refused else "",
    )


def _charset() -> str:
    """Return the locale's character set as C programs see it, not Python's own choice."""
    try:
        locale.setlocale(locale.LC_CTYPE, "")
    except locale.Error:
        return "ANSI_X3.4-1968"
    if sys.platform == "win32":
        return locale.getpreferredencoding(False)
    return locale.nl_langinfo(locale.CODESET)


def _settings() -> Check:
    from nagomi_tui.settings.existing import doubts
    from nagomi_tui.settings.loading import load, settings_file

    loaded = load(aside=False)
    wrong = (*loaded.faults, *doubts(loaded.settings, os.environ).values())
    faults = [tr(fault.message, **fault.values) for fault in wrong]
    return Check(
        key="settings",
        label=tr("Settings"),
        result="warning" if faults else "ok",
        found=str(settings_file()),
        meaning=" ".join(faults),
        remedy=tr("Correct the file, or choose in the settings view and save."),
    )
