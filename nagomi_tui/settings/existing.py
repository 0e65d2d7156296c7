"""Checks that what a setting names exists: a character, a file, a program, a variable."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from functools import partial
from threading import BoundedSemaphore
from typing import Any, Final

from nagomi_tui.settings import store
from nagomi_tui.settings.checks import BadSetting, nearest
from nagomi_tui.settings.model import Settings, key_variable
from nagomi_tui.system import deadlines, paths
from nagomi_tui.text.words import translatable

_SECONDS: Final = 0.5
_slots = BoundedSemaphore(4)


def doubt_soon(name: str, value: Any, env: Mapping[str, str]) -> BadSetting | None:
    """Return what is wrong with what a setting names; None if nothing, or no quick answer."""
    try:
        return deadlines.wait(partial(doubt, name, value, env), seconds=_SECONDS, slots=_slots)
    except TimeoutError:
        return None


def doubts(settings: Settings, env: Mapping[str, str] | None = None) -> dict[str, BadSetting]:
    """Return a sentence for each setting that names what is not there, with its place in the file.

    The value stays in force. Variables and programs are looked for in `env`, without which nobody
    asks for them.
    """
    asked = ["character", "sound_folder", "llm_key_file"]
    if env is not None:
        asked += ["shell"]
    named = {name: getattr(settings, name) for name in asked}
    elsewhere = settings.llm_key_file or settings.llm_key_command or settings.llm_url
    if env is not None and settings.llm_judge and not elsewhere:
        variable = key_variable(settings.llm_key_variable, settings.llm_provider)
        named["llm_key_variable"] = variable
    found = {name: doubt(name, value, env or {}) for name, value in named.items()}
    return store.located({name: fault for name, fault in found.items() if fault is not None})


def doubt(name: str, value: Any, env: Mapping[str, str]) -> BadSetting | None:
    """Return what is wrong with what one setting names, or None."""
    if not value:
        return None
    match name:
        case "character":
            return _character(value)
        case "sound_folder" if not os.path.isdir(os.path.expanduser(value)):
            return BadSetting("`{name}`: there is no folder {path}.", name=name, path=value)
        case "llm_key_file" if not os.path.isfile(os.path.expanduser(value)):
            return BadSetting("`{name}`: there is no file {path}.", name=name, path=value)
        case "llm_key_variable" if not env.get(value):
            return _variable(value, env)
        case "shell":
            return _program(value, env)
    return None


def _character(wanted: str) -> BadSetting | None:
    folders = (paths.shipped("characters"), paths.config_folder() / "characters")
    known = sorted(
        {file.parent.name for place in folders for file in paths.listed(place, "*/character.toml")}
    )
    if wanted in known:
        return None
    if guess := nearest(wanted, known):
        sentence = translatable("There is no character `{value}`; did you mean `{guess}`?")
        return BadSetting(sentence, value=wanted, guess=guess)
    sentence = translatable("There is no character `{value}`; there are {known}.")
    return BadSetting(sentence, value=wanted, known=", ".join(known))


def _variable(wanted: str, env: Mapping[str, str]) -> BadSetting:
    if guess := nearest(wanted, env):
        sentence = translatable("No variable `{value}` is set here; did you mean `{guess}`?")
        return BadSetting(sentence, value=wanted, guess=guess)
    return BadSetting("No variable `{value}` is set here.", value=wanted)


def _program(line: str, env: Mapping[str, str]) -> BadSetting | None:
    try:
        words = shlex.split(line)
    except ValueError:
        return BadSetting("`shell`: a quotation mark is missing in {line}.", line=line)
    path = env.get("PATH", os.defpath)
    if len(words) != 1:  # a line for a shell may begin with anything
        return None
    if shutil.which(os.path.expanduser(words[0]), path=path) is None:
        return BadSetting("`shell`: there is no program {program}.", program=words[0])
    return None
