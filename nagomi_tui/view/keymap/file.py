"""`keymap.toml`, changed a line at a time so that what its user wrote beside it stays."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from nagomi_tui import files, paths

if TYPE_CHECKING:
    from pathlib import Path

_TABLE: Final = "[keys]"


def keymap_file() -> Path:
    """Where the user's keys are."""
    return paths.config_folder() / "keymap.toml"


def with_keys(text: str, action: str, keys: tuple[str, ...] | None) -> str:
    """Return the file's text with other keys for an action, or with its line taken out."""
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if line.strip() == _TABLE), None)
    if start is None:
        if keys is None:
            return text
        lines += [*([""] if lines else []), _TABLE]
        start = len(lines) - 1
    end = next(
        (at for at in range(start + 1, len(lines)) if lines[at].lstrip().startswith("[")),
        len(lines),
    )
    own = re.compile(rf"\s*{re.escape(action)}\s*=")
    found = next((at for at in range(start + 1, end) if own.match(lines[at])), None)
    new = [] if keys is None else [f"{action} = {_value(keys)}"]
    if found is None:
        lines[end:end] = new
    else:
        comment = re.search(r"\s+#[^\"']*$", lines[found])
        lines[found : found + 1] = [line + (comment[0] if comment else "") for line in new]
    return "\n".join(lines) + "\n" if lines else ""


def save(action: str, keys: tuple[str, ...] | None) -> None:
    """Give an action other keys, or its shipped ones; the file is written whole or not at all.

    Raises:
        OSError: the file cannot be read or written, or is none of ours; the old one is whole.
    """
    file = keymap_file()
    text = files.read_text(file) if file.exists() else ""
    paths.make_private(file.parent)
    files.write(file, with_keys(text, action, keys).encode())


def _value(keys: tuple[str, ...]) -> str:
    shown = [json.dumps(key) for key in keys]
    return shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"
