"""A terminal that draws what it shows, and a workplace with a demo folder to be seen in it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

DOCS: Final = Path(__file__).resolve().parent
ROOT: Final = DOCS.parent
sys.path[:0] = [str(ROOT), str(DOCS)]

from pictures import picture, save  # noqa: E402

from nagomi_tui.api import messages  # noqa: E402
from tests.helpers.outer import Outer  # noqa: E402
from tests.helpers.workplace import Place, create, wait_for, workplace  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.api.client import Connection

PROGRAM: Final = (sys.executable, "-m", "nagomi_tui")
QUIET_SECONDS: Final = 1.2
"""A screen that did not change for so long is as it should be."""
_CLOCK: Final = re.compile(r"\d\d:\d\d")
"""How long a session has stood so, which changes every second."""


class FrontEnd(Outer):
    """The front end in a terminal."""

    def __init__(
        self, argv: list[str], env: dict[str, str], *, theme: str, cols: int, rows: int
    ) -> None:
        self._cols, self._theme = cols, theme
        super().__init__(argv, env | {"TERM": "tmux-256color"}, cols=cols, rows=rows)

    def leader(self, *keys: str) -> None:
        """Press keys after the leader."""
        for key in keys:
            self.keys("C-]")
            self.keys(key)

    def draw(self, name: str) -> None:
        """Draw what is seen once it is still."""
        shown = self._still()
        save(picture(shown, self._cols, self._theme), DOCS / f"{name}.png")
        size = (DOCS / f"{name}.png").stat().st_size
        sys.stdout.write(f"docs/{name}.png {size // 1024} KiB\n")
        sys.stdout.flush()

    def _still(self) -> str:
        end = time.monotonic() + 10
        shown, since = self._cells(), time.monotonic()
        while time.monotonic() < end and time.monotonic() - since < QUIET_SECONDS:
            time.sleep(0.1)
            before, shown = shown, self._cells()
            if _CLOCK.sub("", shown) != _CLOCK.sub("", before):
                since = time.monotonic()
        return shown

    def _cells(self) -> str:
        return self._tmux("capture-pane", "-e", "-p", "-N")


class DemoWorkplace:
    """One workplace with the demo folder, in one theme and language."""

    def __init__(self, place: Place, home: Path, theme: str, language: str) -> None:
        self.place, self.home, self.theme, self.language = place, home, theme, language
        self.folder = str(home / "kotatsu")
        self.env = outside(home, place.home, language)
        self.connection: Connection = place.connect(env=self._session_env())

    def start(
        self, cmd: str, name: str, *, until_seen: str = "", typed: str = "", **env: str
    ) -> str:
        """Start a session, type into it, and wait for what it prints."""
        session = create(
            self.connection, cmd, cwd=self.folder, name=name,
            **({"env": self._session_env() | env} if env else {}),
        )  # fmt: skip
        if typed:
            self.command("send", name, typed)
        if until_seen:
            wait_for(self.connection, session, until_seen)
        return session

    def command(self, *arguments: str) -> None:
        """Give a command as a user does."""
        subprocess.run(
            [*PROGRAM, *arguments], env=self.env, check=True, stdout=subprocess.DEVNULL, timeout=20
        )

    def set(self, **values: object) -> None:
        """Change settings as the settings view does."""
        self.connection.request(messages.Settings(id=0, values=values), timeout=20)

    @contextmanager
    def front_end(self, cols: int, rows: int, *, until_seen: str = "kotatsu") -> Iterator[FrontEnd]:
        """Open the front end in a terminal of this size, as if none had been here before."""
        shutil.rmtree(Path(self.env["NAGOMI_HOME"]) / "state" / "front-ends", ignore_errors=True)
        front_end = FrontEnd(list(PROGRAM), self.env, theme=self.theme, cols=cols, rows=rows)
        try:
            front_end.wait(until_seen)
            yield front_end
        finally:
            front_end.close()

    def _session_env(self) -> dict[str, str]:
        quiet = {
            "PYTHONPATH": ".",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONSTARTUP": str(self.home / ".pyrc"),
        }
        return {k: v for k, v in self.env.items() if k != "PYTHONPATH"} | quiet


def outside(home: Path, config: Path, language: str) -> dict[str, str]:
    """Return the environment of somebody at home in the demo folder."""
    return {
        "PATH": f"{home}/.local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "USER": "hana",
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "COLORTERM": "truecolor",
        "NAGOMI_HOME": str(config),
        "NAGOMI_LANG": language,
        "PYTHONPATH": f"{ROOT}:{ROOT / 'worker'}",
    }


@contextmanager
def demo_workplace(theme: str, language: str) -> Iterator[DemoWorkplace]:
    """Give a workplace with the demo folder; end and remove both afterwards."""
    with _folders(theme) as (home, config):
        (config / "config").mkdir()
        settings = {"theme": theme, "language": language, "reduced_motion": True}
        (config / "config/settings.json").write_text(json.dumps(settings))
        with workplace(home=config) as place:
            yield DemoWorkplace(place, home, theme, language)


@contextmanager
def newcomer(theme: str, language: str, cols: int, rows: int) -> Iterator[FrontEnd]:
    """Open nagomi for somebody who never did; end and remove all of it afterwards."""
    with _folders(theme) as (home, config):
        env = outside(home, config, language) | {"NAGOMI_WELCOME": "1"}
        env["COLORFGBG"] = "0;15" if theme == "light" else "15;0"
        begin = f"cd {home}/kotatsu && exec {shlex.join(PROGRAM)}"
        front_end = FrontEnd(["sh", "-c", begin], env, theme=theme, cols=cols, rows=rows)
        before = os.environ.get("NAGOMI_HOME")
        os.environ["NAGOMI_HOME"] = str(config)
        try:
            front_end.wait("nagomi ─")
            _set(theme=theme, reduced_motion=True)
            yield front_end
        finally:
            end = [*PROGRAM, "quit", "--yes"]
            subprocess.run(end, env=env, check=False, stdout=subprocess.DEVNULL, timeout=30)
            front_end.close()
            if before is None:
                del os.environ["NAGOMI_HOME"]
            else:
                os.environ["NAGOMI_HOME"] = before


def _set(**values: object) -> None:
    from nagomi_tui.api.client import Connection

    with Connection.open(timeout=10) as connection:
        connection.request(messages.Settings(id=0, values=values), timeout=20)


@contextmanager
def _folders(theme: str) -> Iterator[tuple[Path, Path]]:
    """Give a furnished home and an empty folder for nagomi's own files; remove both afterwards."""
    home = Path(tempfile.mkdtemp(prefix="hana", dir="/tmp"))
    config = Path(tempfile.mkdtemp(prefix="ng", dir="/tmp"))
    try:
        subprocess.run(["sh", DOCS / "demo.sh", home, theme], check=True)
        (home / ".local/bin/pytest").symlink_to(Path(sys.executable).with_name("pytest"))
        (home / ".pyrc").write_text("import sys; sys.ps1 = '>>> '\n")
        yield home, config
    finally:
        shutil.rmtree(home, ignore_errors=True)
        shutil.rmtree(config, ignore_errors=True)
