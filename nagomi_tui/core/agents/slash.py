"""What an agent completes behind `/` in its own prompt; the files in `config/agents` list it."""

from __future__ import annotations

import msgspec


class Slash(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Commands of an agent, and where the user's own ones are: below the project, or at `~/`."""

    commands: str = ""
    """Names without the slash, with blanks between; what an agent does not know it says itself."""
    files: tuple[str, ...] = ()
    """Folders with a Markdown or TOML file for each command."""
    skills: tuple[str, ...] = ()
    """Folders with a folder for each skill."""
    skill_prefix: str = ""
    """What stands before the name of a skill, such as `skill:`."""

    def beside(self, other: Slash) -> Slash:
        """Return these and those of the other."""
        return Slash(
            commands=f"{self.commands} {other.commands}",
            files=(*self.files, *other.files),
            skills=(*self.skills, *other.skills),
            skill_prefix=self.skill_prefix or other.skill_prefix,
        )
