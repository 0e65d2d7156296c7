"""The application under a real terminal, with clipboard and desktop programs that keep what they got."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from nagomi_tui.api import messages
from tests.helpers.outer import Outer
from tests.helpers.workplace import PATIENCE, create, session, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

REPOSITORY = Path(__file__).resolve().parents[2]
_KEEP = """\
cat > "$0.part.$$" && mkdir -p "$0.each" && cp "$0.part.$$" "$0.part.$$.each" &&
  mv "$0.part.$$" "$0.got" && mv "$0.part.$$.each" "$0.each/$$"
"""
_KEEP_ARGUMENT = 'printf %s "$1" > "$0.part" && mv "$0.part" "$0.got"\n'


def fake(folder: Path, name: str, body: str = _KEEP) -> Path:
    """Put a program into a folder that keeps its input in `NAME.got`, and each in `NAME.each`."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\n{body}")
    program.chmod(0o755)
    return program


class Desk(Outer):
    """The front end in a terminal, on one session that fills it."""

    def __init__(self, place: Place, bin_folder: Path, *, cols: int, rows: int, **env: str) -> None:
        self.bin_folder = bin_folder
        self.session_id = ""
        known = {name: os.environ[name] for name in ("HOME",) if name in os.environ}
        super().__init__(
            [sys.executable, "-m", "nagomi_tui"],
            {
                "PATH": f"{bin_folder}:/usr/bin:/bin",
                "LANG": "C.UTF-8",
                "TERM": "tmux-256color",
                "COLORTERM": "truecolor",
                "NAGOMI_HOME": str(place.home),
                "NAGOMI_LANG": "en",
                "PYTHONPATH": f"{REPOSITORY}:{REPOSITORY / 'worker'}",
                **known,
                **env,
            },
            cols=cols,
            rows=rows,
        )
        self._tmux("set", "-g", "set-clipboard", "on")

    def got(self, program: str) -> str:
        """Return, once, what a program got last."""
        kept = self.bin_folder / f"{program}.got"
        until(kept.exists)
        text = kept.read_text()
        kept.unlink()
        return text

    def got_each(self, program: str) -> dict[str, str]:
        """Return all that runs of a program which have ended got, by their processes."""
        return {
            kept.name: kept.read_text() for kept in (self.bin_folder / f"{program}.each").glob("*")
        }

    def buffer(self) -> str:
        """Return what the terminal itself has on its clipboard."""
        return self._tmux("show-buffer")

    def leader(self, *keys: str) -> None:
        """Press keys after the leader."""
        for key in keys:
            self.keys("C-]")
            self.type(key)

    def find(self, text: str) -> tuple[int, int]:
        """Return column and row where the screen shows a text of narrow characters."""
        lines = self.wait(text).split("\n")
        row = next(n for n, line in enumerate(lines) if text in line)
        return lines[row].index(text), row

    def drag(self, start: tuple[int, int], end: tuple[int, int], *, mods: int = 0) -> None:
        """Drag with the left button from cell to cell; `mods` as in SGR reports."""
        self.mouse(*start, button=mods, release=False)
        self.mouse(*end, button=32 + mods, release=False)
        self.send(f"\x1b[<{mods};{end[0] + 1};{end[1] + 1}m")

    def clicks(self, cell: tuple[int, int], times: int, *, mods: int = 0) -> None:
        """Click several times, quickly."""
        press = f"\x1b[<{mods};{cell[0] + 1};{cell[1] + 1}"
        self.send(f"{press}M{press}m" * times)


@contextmanager
def desk(
    place: Place, connection: Connection, cmd: str, *, wait: str, bin_folder: Path,
    cols: int = 80, rows: int = 24, **env: str,
) -> Iterator[Desk]:  # fmt: skip
    """Open the application, zoomed on a new session that has printed a text."""
    session_id = create(connection, cmd)
    try:
        with Desk(place, bin_folder, cols=cols, rows=rows, **env) as app:
            app.session_id = session_id
            app.wait("keys →")
            app.leader(str(session(connection, session_id)["number"]))
            app.leader("z")
            app.wait(lambda shown: "keys →" not in shown, what="the session alone")
            app.wait(wait)
            yield app
    finally:
        connection.request(messages.Stop(id=0, session=session_id), timeout=PATIENCE)
        connection.request(messages.Remove(id=0, session=session_id), timeout=PATIENCE)
