"""`python -m tests.helpers.short_wait SECONDS`: nagomi, which holds typed keys for a shorter time."""

from __future__ import annotations

import os
import sys

from nagomi_tui import cli
from nagomi_tui.view.driver import keyboard


def main() -> None:
    """Open the workplace."""
    os.environ["NAGOMI_ZYGOTE"] = "0"
    keyboard.AWAIT_SECONDS = float(sys.argv[1])  # type: ignore[misc]
    sys.exit(cli.main([]))


if __name__ == "__main__":
    main()
