"""The `nagomi` command, also as `python -m nagomi_tui`: shows the splash, then loads the rest."""

import gc
import sys

from nagomi_tui.commands.start import splash
from nagomi_tui.system.platforms import LINUX

_INTERRUPTED = 130
_GC_THRESHOLD = 100_000
"""New objects after which one that runs for long looks for garbage; to load a command makes fewer."""


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
        if sys.argv[1] != "worker":  # it stays for months
            gc.set_threshold(_GC_THRESHOLD)
    from nagomi_tui import cli

    code = cli.main()
    gc.freeze()  # the interpreter looks for garbage at its end even so
    return code


if __name__ == "__main__":
    sys.exit(main())
