"""The `nagomi` command, also as `python -m nagomi_tui`: shows the splash, then loads the rest."""

import sys

from nagomi_tui.commands.start import splash
from nagomi_tui.system.platforms import LINUX

_INTERRUPTED = 130


def main() -> int:
    """Run the command and return its exit code."""
    try:
        return _run()
    except KeyboardInterrupt:  # while modules were loaded
        splash.hide()
        return _INTERRUPTED


def _run() -> int:
    if len(sys.argv) == 1:
        splash.show()
        if LINUX:
            from nagomi_tui.commands.start import client

            if (code := client.attach()) is not None:
                return code
    else:
        from nagomi_tui.commands.start import quick

        if (code := quick.answered(sys.argv[1:])) is not None:
            return code
    from nagomi_tui import cli

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
