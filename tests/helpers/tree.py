"""The files that git tracks, as text."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]


@cache
def tracked_texts() -> tuple[tuple[Path, str], ...]:
    """Return each tracked file that is text, by its path from the root; skip without git."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, timeout=30
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    paths = [Path(name) for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    read = ((path, (ROOT / path).read_bytes()) for path in paths)
    return tuple(
        (path, data.decode("utf-8", "replace")) for path, data in read if b"\0" not in data
    )
