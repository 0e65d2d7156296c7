"""Loads a user's rules in a process of its own, to learn which of their patterns are too slow."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

_SECONDS: Final = 8.0


def slow_patterns(user: Path) -> list[str]:
    """Return the patterns that take too long on the samples of their own rules.

    Raises:
        OSError, subprocess.SubprocessError: they could not be tried.
    """
    done = subprocess.run(
        [sys.executable, "-m", "nagomi_tui.judging.trial", str(user)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=_SECONDS,
        check=True,
    )
    found: list[str] = json.loads(done.stdout)
    return found


def main() -> None:
    """Print the slow patterns of the rules in a folder as JSON."""
    from nagomi_tui.core.judge import patterns
    from nagomi_tui.judging import manifests

    manifests.load(Path(sys.argv[1]))
    sys.stdout.write(json.dumps(patterns.take_given_up()))


if __name__ == "__main__":
    main()
