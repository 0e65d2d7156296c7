"""`settings.json`: read with every fault named, written whole or not at all."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, Final

import msgspec

from nagomi_tui import paths
from nagomi_tui.settings.model import BadSetting, Settings, changed
from nagomi_tui.words import mark

if TYPE_CHECKING:
    from pathlib import Path

_FILE: Final = "settings.json"


class Loaded(msgspec.Struct, frozen=True):
    """The settings in force, and what was wrong with the file."""

    settings: Settings
    faults: tuple[BadSetting, ...] = ()


def settings_file() -> Path:
    """Where the settings are kept."""
    return paths.config_folder() / _FILE


def load() -> Loaded:
    """Read the settings; what does not fit keeps its default and is named in a sentence."""
    path = settings_file()
    try:
        values = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except FileNotFoundError:
        return Loaded(Settings())
    except OSError as exc:
        fault = mark("{path} cannot be read: {reason}. Settings are at their defaults.")
        return Loaded(Settings(), (BadSetting(fault, path=path, reason=exc.strerror),))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Loaded(Settings(), (_kept_aside(path),))
    return _one_by_one(values)


def save(settings: Settings) -> None:
    """Write all settings that differ from their defaults, atomically.

    Raises:
        OSError: the file cannot be written; the old one is whole.
        PlaceError: the folder cannot be made or used.
    """
    path = paths.make_private(paths.config_folder()) / _FILE
    spare = path.with_name(f".{_FILE}.{os.getpid()}")
    try:
        with open(spare, "wb") as file:
            file.write(
                msgspec.json.format(msgspec.json.encode(_differing(settings)), indent=2) + b"\n"
            )
            file.flush()
            os.fsync(file.fileno())
        os.replace(spare, path)
    except OSError:
        spare.unlink(missing_ok=True)
        raise


def _one_by_one(values: dict[str, Any]) -> Loaded:
    settings, faults = Settings(), []
    for name, value in values.items():
        try:
            settings = changed(settings, {name: value})
        except BadSetting as exc:
            faults.append(exc)
    return Loaded(settings, tuple(faults))


def _kept_aside(path: Path) -> BadSetting:
    """Rename the broken file so that a later save does not destroy it."""
    aside = path.with_name(f"settings.broken-{time.strftime('%Y%m%d-%H%M%S')}.json")
    try:
        path.rename(aside)
    except OSError:
        aside = path
    return BadSetting(
        mark(
            "The settings file could not be understood; it is kept as {path}, and settings are at their defaults."
        ),
        path=aside,
    )


def _differing(settings: Settings) -> dict[str, Any]:
    default = Settings()
    return {
        name: value
        for name, value in msgspec.structs.asdict(settings).items()
        if value != getattr(default, name)
    }
