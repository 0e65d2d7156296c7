"""What was found when a file of a test was last written: JSON, compressed."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any


def read_kept(path: Path) -> Any:
    """Return what a file keeps."""
    return json.loads(lzma.decompress(path.read_bytes()))


def write_kept(path: Path, value: object) -> None:
    """Keep a value in a file."""
    path.write_bytes(lzma.compress(json.dumps(value, ensure_ascii=False).encode(), preset=9))
