"""The files that switch the guard: its settings, and the clients' settings that hold its hook.

They are compared by what concerns the guard, as clients write their settings themselves, such as a
permission that the user has granted.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nagomi_tui import files
from nagomi_tui.core.agents.registry import AGENTS

if TYPE_CHECKING:
    from nagomi_tui.guard.files.project import Project

_KEYS: Final = ("hooks", "disableAllHooks", "allowManagedHooksOnly", "env")
"""What of a client's settings in JSON switches hooks."""


def paths(project: Project) -> dict[str, Path]:
    """Return the files by their names for people, whether they exist or not."""
    found, home = {project.config_file.name: project.config_file}, Path.home()
    for agent in (one.guarded for one in AGENTS.values() if one.guarded):
        for name in agent.protected:
            if name.endswith((".json", ".toml")):
                found[name] = project.root / name
                found[f"~/{name}"] = home / name
    return found


def digests(project: Project) -> dict[str, str]:
    """Return a digest of each file that exists, by its name."""
    found = {
        name: _told(path, whole=path == project.config_file)
        for name, path in paths(project).items()
    }
    return {
        name: hashlib.sha256(said).hexdigest() for name, said in found.items() if said is not None
    }


def _told(path: Path, *, whole: bool) -> bytes | None:
    """Return what of a file concerns the guard; None if it is not there."""
    try:
        data = files.read(path)
    except FileNotFoundError:
        return None
    except OSError as exc:
        return str(exc.errno).encode()
    if whole:
        return data
    if path.suffix == ".toml":
        return b"\n".join(line for line in data.splitlines() if b"hook" in line.lower()) or None
    try:
        given = json.loads(data)
        kept = {key: given[key] for key in _KEYS if given.get(key)}
    except (ValueError, AttributeError, RecursionError):
        return data
    return json.dumps(kept, sort_keys=True).encode() if kept else None
