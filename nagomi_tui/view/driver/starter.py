"""The process that the user started: this one, or another one that waits for it to end."""

from __future__ import annotations

import os
import signal
import sys

from nagomi_tui.system.platforms import WINDOWS


class Starter:
    """This process itself; see `nagomi_tui.commands.start.zygote` for the other case."""

    def stop(self) -> None:
        """Leave the terminal to the user's shell, and return when we are to go on."""
        if not WINDOWS:
            os.kill(os.getpid(), signal.SIGSTOP)

    def start_anew(self) -> None:
        """Run the program again, which may be a newer one now."""
        sys.stdout.flush()
        command = [sys.executable, *sys.orig_argv[1:]]
        if not WINDOWS:
            os.execv(sys.executable, command)
        # `execv` would let the shell go on there, which then reads the same keys.
        import subprocess

        sys.exit(subprocess.call(command))


current = Starter()
