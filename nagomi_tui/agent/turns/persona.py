"""Who the agent is: the character of the workplace, unless the settings name it."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Final

from nagomi_tui import files, paths
from nagomi_tui.agent.turns.prompt import Persona

if TYPE_CHECKING:
    from nagomi_tui.settings.model import Settings

_UNNAMED: Final = {"ja": "和み", "en": "Nagomi"}


def persona_of(settings: Settings, language: str) -> Persona:
    """Return who speaks with whom, by the settings and the character's own name."""
    agent = settings.agent_name.strip() or _name_of(settings.character, language)
    return Persona(
        agent=agent or _UNNAMED.get(language, _UNNAMED["en"]),
        user=settings.agent_user.strip() or "the user",
        language=language,
    )


def _name_of(character: str, language: str) -> str:
    """Return what a character is called in a language; empty where that cannot be found out."""
    for folder in (paths.config_folder() / "characters", paths.shipped("characters")):
        try:
            found = tomllib.loads(files.read(folder / character / "character.toml").decode())
            return str(found["name"][language])
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return ""
