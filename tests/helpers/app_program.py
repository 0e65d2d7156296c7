"""`python -m tests.helpers.app_program SOCKET`: the real application on this terminal, before a server."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from nagomi_tui import __version__
from nagomi_tui.api.messages import Hello
from nagomi_tui.view.app.application import NagomiApp
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.driver.keyboard import DRIVER


def main() -> None:
    """Run the application until its user leaves."""
    hello = Hello(version=__version__, front_end=True, env=dict(os.environ))
    link = Link(hello, address=Path(sys.argv[1]), launch=lambda: None)
    try:
        NagomiApp(link, env=os.environ, driver_class=DRIVER).run()
    finally:
        link.stop()


if __name__ == "__main__":
    main()
