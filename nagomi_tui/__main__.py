"""`python -m nagomi_tui` is the `nagomi` command."""

from __future__ import annotations

import sys

from nagomi_tui.cli import main

if __name__ == "__main__":
    sys.exit(main())
