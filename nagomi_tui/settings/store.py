"""Reads and writes `settings.json`, and says where in it a fault is."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from nagomi_tui.settings.checks import BadSetting, changed, is_known
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import files, paths
from nagomi_tui.system.decoding import from_json
from nagomi_tui.text.words import Said, translatable


class Place(NamedTuple):
    """A place in a text."""

    line: int
    column: int


def of_fault(text: bytes) -> Place | None:
    """Return where a text stops being JSON; None if it is not so broken, or no text at all."""
    try:
        json.loads(text)
    except json.JSONDecodeError as exc:
        return Place(exc.lineno, exc.colno)
    except (UnicodeDecodeError, RecursionError):
        return None
    return None


def of_setting(text: bytes, name: str) -> Place | None:
    """Return where a setting is named in a file; None if that cannot be told."""
    whole = text.decode("utf-8", "replace")
    found = re.search(rf"{re.escape(json.dumps(name, ensure_ascii=False))}\s*:", whole)
    if found is None:
        return None
    before = whole[: found.start()]
    return Place(before.count("\n") + 1, len(before) - before.rfind("\n"))


_FILE: Final = "settings.json"


class Loaded(msgspec.Struct, frozen=True):
    """The settings in force, and what was wrong with the file."""

    settings: Settings
    faults: tuple[BadSetting, ...] = ()
    whole: bool = True
    """The file could be read; without that, `settings` are all at their defaults."""
    strangers: dict[str, Any] = {}
    """What the file holds beside settings, by its name: a misspelling, or of another version."""


def settings_file() -> Path:
    """Where the settings are kept."""
    return paths.config_folder() / _FILE


def stamp() -> tuple[int, int, int]:
    """Return values that change whenever the settings file does; zeros if there is none."""
    return files.stamp(settings_file())


def load(*, aside: bool = True) -> Loaded:
    """Read the settings; what does not fit keeps its default and is named in a sentence.

    A file that cannot be understood is kept `aside`, or left to whoever is writing it.
    """
    path, text = settings_file(), b""
    try:
        text = files.read(path)
        values = from_json(text, dict[str, Any])
    except FileNotFoundError:
        return Loaded(Settings())
    except OSError as exc:
        fault = translatable("{path} cannot be read: {reason}. Settings are at their defaults.")
        named = BadSetting(fault, path=path, reason=exc.strerror)
        return Loaded(Settings(), (named,), whole=False)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        where = of_fault(text)
        named = _kept_aside(path, where) if aside else _not_understood(exc, where)
        return Loaded(Settings(), (named,), whole=False)
    return _one_by_one(values, text)


def save(settings: Settings) -> None:
    """Write all settings that differ from their defaults, atomically; strangers stay in the file.

    Raises:
        OSError: the file cannot be written, or is none of ours; what was there is whole.
        PlaceError: the folder cannot be made or used.
    """
    path = paths.make_private(paths.config_folder()) / _FILE
    before = load(aside=False)
    if not before.whole and path.is_file():
        _kept_aside(path)
    values = _differing(settings) | before.strangers
    files.write(path, msgspec.json.format(msgspec.json.encode(values), indent=2) + b"\n")


def _one_by_one(values: dict[str, Any], text: bytes) -> Loaded:
    settings, faults = Settings(), []
    for name, value in values.items():
        try:
            settings = changed(settings, {name: value})
        except BadSetting as exc:
            faults.append(_located(exc, of_setting(text, name)))
    strangers = {name: value for name, value in values.items() if not is_known(name)}
    return Loaded(settings, tuple(faults), strangers=strangers)


def located(faults: Mapping[str, BadSetting]) -> dict[str, BadSetting]:
    """Return faults, given by their settings, with the lines and columns of those in the file."""
    text = b""
    with contextlib.suppress(OSError):
        text = files.read(settings_file()) if faults else b""
    return {name: _located(fault, of_setting(text, name)) for name, fault in faults.items()}


def _located(fault: BadSetting, where: Place | None) -> BadSetting:
    """Return the fault with the line and column of the setting in the file."""
    if where is None:
        return fault
    return BadSetting(
        "{file}, line {line}, column {column}: {fault}",
        file=_FILE,
        line=where.line,
        column=where.column,
        fault=Said(fault.message, fault.values),
    )


def _kept_aside(path: Path, where: Place | None = None) -> BadSetting:
    """Rename the broken file so that a later save does not destroy it."""
    aside = path.with_name(f"settings.broken-{time.strftime('%Y%m%d-%H%M%S')}.json")
    try:
        path.rename(aside)
    except OSError:
        aside = path
    fault = BadSetting(
        "The settings file could not be understood; it is kept as {path}, and settings are at their defaults.",
        path=aside,
    )
    return _located(fault, where)


def _not_understood(reason: Exception, where: Place | None) -> BadSetting:
    sentence = translatable(
        "The settings file could not be understood: {reason}. Settings stay as they were until it is mended."
    )
    return _located(BadSetting(sentence, reason=reason), where)


def _differing(settings: Settings) -> dict[str, Any]:
    default = Settings()
    return {
        name: value
        for name, value in msgspec.structs.asdict(settings).items()
        if value != getattr(default, name)
    }
