"""A shell on a PTY without anything between: what it writes, byte for byte."""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import signal
import time
from typing import TYPE_CHECKING

from tests.helpers.workplace import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SEQUENCE = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?=>]*[@-~]|\x1b[()][A-Z0-9]|\x1b[=>78]|[\x0e\x0f]"
)


class Shell:
    """Runs a command on a wide PTY; its prompt ends in `> `."""

    def __init__(self, cmd: str, env: Mapping[str, str], cwd: Path) -> None:
        words = shlex.split(cmd)
        self.output = ""
        self._raw = b""
        self._prompts = 0
        self._pid, self._fd = pty.fork()
        if not self._pid:
            os.chdir(cwd)
            os.execvpe(words[0], words, dict(env))

    def __enter__(self) -> Shell:
        return self

    def __exit__(self, *exc_info: object) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._fd)

    @property
    def screen(self) -> str:
        """The output without control sequences."""
        return _SEQUENCE.sub("", self.output).replace("\r", "")

    def prompt(self) -> str:
        """Wait for the next prompt and return what was written before it."""
        deadline = time.monotonic() + PATIENCE
        while len(found := list(re.finditer(r"ready> ", self.screen))) <= self._prompts:
            assert time.monotonic() < deadline, f"it did not happen in time: {self.output!r}"
            self._read(0.2)
        # What belongs to the prompt may come a moment after its last character.
        while self._read(0.05):
            pass
        before = found[self._prompts - 1].end() if self._prompts else 0
        self._prompts = len(found)
        return self.screen[before : found[-1].start()]

    def enter(self, line: str) -> str:
        """Type a line and return what came until the next prompt, without its echo."""
        os.write(self._fd, line.encode() + b"\r")
        shown = self.prompt()
        return shown.partition("\n")[2]

    def _read(self, seconds: float) -> bool:
        if not select.select([self._fd], [], [], seconds)[0]:
            return False
        try:
            self._raw += os.read(self._fd, 65536)
        except OSError:
            return False
        self.output = self._raw.decode("utf-8", "replace")
        return True
