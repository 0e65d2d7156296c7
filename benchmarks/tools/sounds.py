"""Sound that misbehaves, and somebody who goes on asking for it while keys are typed."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from nagomi_tui.api import messages as m
from nagomi_tui.api.client import Connection
from tests.helpers import sound

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = ("none", "hung", "crash")
"""No device; a sound server that never answers; a player that crashes each time."""


@contextmanager
def trouble(kind: str) -> Iterator[dict[str, str]]:
    """Give the environment of somebody whose sound is like this; residents must start in it."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ngsound")))
        if kind == "hung":
            served = stack.enter_context(sound.deaf_server(folder / "pulse"))
            yield {"PULSE_SERVER": served["PULSE_SERVER"]}
        elif kind == "crash":
            device = sound.Tape(folder / "home")
            sound.crashing_simpleaudio(folder)
            before = os.environ.get("PYTHONPATH")
            os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), *filter(None, sys.path)])
            stack.callback(_put_back, before)
            yield {"ALSA_CONFIG_PATH": str(device.home / ".asoundrc")}
        else:
            yield {}


def _put_back(before: str | None) -> None:
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before


class Asker:
    """Asks for a sound again and again until the block ends; each time all is tried anew."""

    def __init__(self, env: dict[str, str]) -> None:
        self.asked = 0
        self.way = ""
        """What sounded in the end: `bell` where nothing else could."""
        self._env = env
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)

    def __enter__(self) -> Asker:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(20)

    def _ask(self) -> None:
        with Connection.open(timeout=20) as connection:
            while not self._over.is_set():
                told = connection.request(m.Sound(id=0, do="test", kind="failure"), timeout=20)
                self.asked, self.way = self.asked + 1, told.way
                self._over.wait(0.2)
