"""Make the README's pictures: a real workplace with real programs, seen in a terminal of its own.

`python docs/make_pictures.py [NAME ...]`, from anywhere; needs tmux, vim, htop and git, and the
fonts that `pictures.py` names. All that it starts ends with it, also when it fails.
"""

from __future__ import annotations

import json
import os
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

from tests.helpers.outer import Outer  # noqa: E402
from tests.helpers.workplace import Place, create, wait_for, workplace  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.api.client import Connection

QUIET_SECONDS: Final = 1.2
"""A screen that did not change for so long is as it should be."""


class Room(Outer):
    """The front end in a terminal, as somebody at home in the demo folder has it."""

    def __init__(self, stay: Stay, *, cols: int, rows: int) -> None:
        self._cols, self._theme = cols, stay.theme
        super().__init__(
            [sys.executable, "-m", "nagomi_tui"], stay.env | {"TERM": "tmux-256color"},
            cols=cols, rows=rows,
        )  # fmt: skip

    def __enter__(self) -> Room:
        try:
            self.wait("kotatsu")
        except BaseException:
            self.close()
            raise
        return self

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

    def _still(self) -> str:
        end = time.monotonic() + 10
        shown, since = self._cells(), time.monotonic()
        while time.monotonic() < end and time.monotonic() - since < QUIET_SECONDS:
            time.sleep(0.1)
            if (now := self._cells()) != shown:
                shown, since = now, time.monotonic()
        return shown

    def _cells(self) -> str:
        return self._tmux("capture-pane", "-e", "-p", "-N")


class Stay:
    """One workplace with the demo folder, in one theme and language."""

    def __init__(self, place: Place, home: Path, theme: str, language: str) -> None:
        self.place, self.home, self.theme = place, home, theme
        self.folder = str(home / "kotatsu")
        self.env = {
            "PATH": f"{home}/.local/bin:/usr/bin:/bin",
            "HOME": str(home),
            "USER": "hana",
            "SHELL": "/bin/bash",
            "LANG": "C.UTF-8",
            "COLORTERM": "truecolor",
            "NAGOMI_HOME": str(place.home),
            "NAGOMI_LANG": language,
            "PYTHONPATH": f"{ROOT}:{ROOT / 'worker'}",
        }
        self.connection: Connection = place.connect(env=self._session_env())

    def start(self, cmd: str, name: str, *, until_seen: str = "", typed: str = "") -> str:
        """Start a session, type into it, and wait for what it prints."""
        session = create(self.connection, cmd, cwd=self.folder, name=name)
        if typed:
            self.command("send", name, typed)
        if until_seen:
            wait_for(self.connection, session, until_seen)
        return session

    def command(self, *arguments: str) -> None:
        """Give a command as a user does."""
        subprocess.run(
            [sys.executable, "-m", "nagomi_tui", *arguments],
            env=self.env, check=True, stdout=subprocess.DEVNULL, timeout=20,
        )  # fmt: skip

    def _session_env(self) -> dict[str, str]:
        quiet = {
            "PYTHONPATH": ".",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONSTARTUP": str(self.home / ".pyrc"),
        }
        return {k: v for k, v in self.env.items() if k != "PYTHONPATH"} | quiet


@contextmanager
def stay(theme: str, language: str) -> Iterator[Stay]:
    """Give a workplace with the demo folder; end and remove both afterwards."""
    home = Path(tempfile.mkdtemp(prefix="hana", dir="/tmp"))
    config = Path(tempfile.mkdtemp(prefix="ng", dir="/tmp"))
    try:
        subprocess.run(["sh", DOCS / "demo.sh", home, theme], check=True)
        (home / ".local/bin/pytest").symlink_to(Path(sys.executable).with_name("pytest"))
        (home / ".pyrc").write_text("import sys; sys.ps1 = '>>> '\n")
        (config / "config").mkdir()
        settings = {"theme": theme, "language": language, "reduced_motion": True}
        (config / "config/settings.json").write_text(json.dumps(settings))
        with workplace(home=config) as place:
            yield Stay(place, home, theme, language)
    finally:
        shutil.rmtree(home, ignore_errors=True)
        shutil.rmtree(config, ignore_errors=True)


def furnish(here: Stay) -> None:
    """Start the programs that the pictures show."""
    here.start("vim kotatsu/timer.py", "timer.py", until_seen="QUIET_MINUTES")
    here.start(
        "pytest -q --no-header --color=yes --tb=short -p no:cacheprovider", "tests",
        until_seen="1 failed",
    )  # fmt: skip
    here.start("make build", "build", until_seen="warming")
    shell = here.start("bash", "shell", typed="clear; ls -w 56; git log --oneline --graph -6")
    wait_for(here.connection, shell, "Begin with")
    here.start("python3 serve.py", "server", until_seen="mikan")
    here.start("sh ask.sh", "deploy", until_seen="y/N")
    here.start("python3 -q", "python", typed="from kotatsu.heater import LEVELS; LEVELS")
    here.command("send", "python", "sum(len(level) for level in LEVELS)")
    pids = ",".join(str(pid) for pid in here.place.pids())
    here.start(f"htop -p {pids}", "htop", until_seen="Load average")


def run_view(here: Stay) -> None:
    """The run view with one tile enlarged, and a session that waits."""
    with Room(here, cols=160, rows=45) as room:
        room.mouse(20, 8)
        room.draw("run" if here.theme == "dark" else "run-light-ja")


def chat_view(here: Stay) -> None:
    """The chat view: two lanes, a prompt with some words, the character."""
    with Room(here, cols=130, rows=38) as room:
        room.leader("4", "v", "a", "h")
        room.type("git switch main && pytest -q")
        room.draw("chat")


def narrow(here: Stay) -> None:
    """A narrow terminal, as on a phone."""
    with Room(here, cols=60, rows=22) as room:
        room.leader("4")
        room.draw("narrow")


def copy_mode(here: Stay) -> None:
    """Copy mode with a search."""
    with Room(here, cols=124, rows=18) as room:
        room.leader("2", "z", "/")
        room.type("timer")
        room.keys("Enter")
        room.type("n")
        room.draw("copy")


def settings_view(here: Stay) -> None:
    """The settings: a character shows itself, in a large and in a small terminal."""
    cols, rows = (200, 50) if here.theme == "dark" else (80, 24)
    with Room(here, cols=cols, rows=rows) as room:
        room.leader("s")
        room.wait("theme")
        room.keys("NPage")
        room.draw("settings" if here.theme == "dark" else "settings-light-ja")


def small_chat(here: Stay) -> None:
    """The chat view in a small terminal, in Japanese."""
    with Room(here, cols=80, rows=24) as room:
        room.leader("4", "v")
        room.draw("chat-light-ja")


def characters() -> None:
    """Every character with all its faces, on both backgrounds."""
    for name, theme in (("mochi", "light"), ("koneko", "dark"), ("kyusu", "light")):
        shown = subprocess.run(
            [sys.executable, "-m", "nagomi_tui", "characters", "--preview", name, "--colors", "truecolor"],
            env=os.environ | {"COLUMNS": "104", "NAGOMI_LANG": "ja" if theme == "light" else "en"},
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        save(picture(shown, 104, theme), DOCS / f"{name}.png")
        sys.stdout.write(f"docs/{name}.png\n")


def main() -> None:
    wanted = set(sys.argv[1:])
    os.environ.pop("NAGOMI_SESSION_ID", None)
    dark = {"run": run_view, "chat": chat_view, "narrow": narrow, "copy": copy_mode}
    dark["settings"] = settings_view
    light = {
        "run-light-ja": run_view,
        "chat-light-ja": small_chat,
        "settings-light-ja": settings_view,
    }
    if not wanted or "characters" in wanted:
        characters()
    for theme, language, scenes in (
        ("dark", "en", dark),
        ("light", "ja", light),
    ):
        chosen = [scene for name, scene in scenes.items() if not wanted or name in wanted]
        if chosen:
            with stay(theme, language) as here:
                furnish(here)
                for scene in chosen:
                    scene(here)


if __name__ == "__main__":
    main()
