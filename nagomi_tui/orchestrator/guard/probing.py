"""Tries in a process of its own whether the kernel would hold a project here.

It imports little: `nagomi doctor` is to be quick.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Final

from nagomi_tui.words import Said

SECONDS: Final = 3.0
"""How long that may take."""


def probed(seconds: float = SECONDS) -> Said | None:
    """Try it now, for so long at most; return why it would not, or None if it would.

    Raises:
        OSError: no process can be started.
        subprocess.SubprocessError: it takes too long.
    """
    done = subprocess.run(
        [sys.executable, "-P", "-m", "nagomi_worker.confine.probe"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds, check=False,
    )  # fmt: skip
    if done.returncode:
        return Said("{fault}", {"fault": done.stderr.strip()})
    return Said(*json.loads(done.stdout)) if done.stdout else None
