"""The agent's persona: its name from the settings, or else that of the workplace's character."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Final

from nagomi_tui import files, paths
from nagomi_tui.agent.turns.prompt import Persona

if TYPE_CHECKING:
    from nagomi_tui.settings.model import Settings

_UNNAMED: Final = {"ja": "和み", "en": "Nagomi"}


def persona_of(settings: Settings, language: str) -> Persona:
    """Return the names of agent and user, and the language that the agent speaks."""
    agent = settings.agent_name.strip() or _name_of(settings.character, language)
    return Persona(
        agent=agent or _UNNAMED.get(language, _UNNAMED["en"]),
        user=settings.agent_user.strip() or "the user",
        language=language,
    )


def _name_of(character: str, language: str) -> str:
    """Return a character's name in a language; empty if its file does not give one."""
    for folder in (paths.config_folder() / "characters", paths.shipped("characters")):
        try:
            found = tomllib.loads(files.read(folder / character / "character.toml").decode())
            return str(found["name"][language])
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return ""
