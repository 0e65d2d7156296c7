"""What is typed on a slow line is shown before it is echoed, but for what is not echoed at all."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import pytest

from nagomi_tui.api import messages
from tests.helpers.far_hands import add_ssh, over
from tests.helpers.outer import Outer
from tests.helpers.sshd import host
from tests.helpers.workplace import create, session, text_of, until, wait_for, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nagomi_tui.api.client import Connection

pytestmark = pytest.mark.slow


class Stage(NamedTuple):
    """A session at the end of a slow line, on the whole screen."""

    connection: Connection
    session: str
    outer: Outer
    hold: Path
    """Nothing passes the line while there is such a file."""

    def shows(self, text: str, seconds: float = 0.5) -> bool:
        """Tell whether the screen shows a text within some time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if text in self.outer.screen():
                return True
            time.sleep(0.02)
        return False


@contextmanager
def typing_into(folder: Path, cmd: str, prompt: str, **settings: str) -> Iterator[Stage]:
    hold = folder / "hold"
    env = {name: value for name, value in os.environ.items() if not name.startswith("TMUX")}
    env |= {"TERM": "xterm-256color", "NAGOMI_LANG": "en", "NAGOMI_ZYGOTE": "0"}
    nagomi = [sys.executable, "-m", "nagomi_tui"]
    with host(folder) as machine, workplace() as place, place.connect() as connection:
        env["NAGOMI_HOME"] = str(place.home)
        connection.request(messages.Settings(id=0, values=settings))
        add_ssh(place, machine, "big", over("rtt=400", f"hold={hold}"))
        made = create(connection, cmd, cwd="", worker_id="big")
        wait_for(connection, made, f"^{prompt}")
        with Outer(nagomi, env, cols=90, rows=24) as outer:
            outer.wait(prompt)
            outer.keys("C-]", "z")
            outer.wait("Ctrl+] z back")
            yield Stage(connection, made, outer, hold)


def test_keys_are_shown_underlined_while_the_line_is_held(tmp_path: Path) -> None:
    with typing_into(tmp_path, "sh -c 'printf \"ask: \"; exec cat'", "ask:") as stage:
        stage.outer.type("a")
        stage.outer.wait("ask: a")
        stage.hold.touch()
        stage.outer.type("bc")
        assert stage.shows("ask: abc")
        assert "\x1b[4mbc" in stage.outer.screen(ansi=True)
        # Nobody else is told of it, and it goes where it does not come true.
        assert "abc" not in text_of(stage.connection, stage.session)
        stage.outer.wait(lambda shown: "ask: a" in shown and "abc" not in shown)
        stage.hold.unlink()
        stage.outer.wait("ask: abc")
        assert "\x1b[4m" not in stage.outer.screen(ansi=True).split("ask:")[1]


def test_a_password_is_not_shown_and_what_follows_it_is(tmp_path: Path) -> None:
    asks = 'printf "Password: "; stty -echo; read x; stty echo; echo; echo "got $x"; exec cat'
    with typing_into(tmp_path, f"sh -c '{asks}'", "Password:") as stage:
        for letter in "secret":
            stage.outer.type(letter)
            assert not stage.shows(f"Password: {letter}", 0.1)
            assert not stage.shows("secret", 0.05)
        assert until(lambda: session(stage.connection, stage.session)["secret"])
        stage.outer.keys("Enter")
        stage.outer.wait("got secret")
        until(lambda: not session(stage.connection, stage.session)["secret"])
        stage.outer.type("a")
        stage.outer.wait(lambda shown: "\na" in shown)
        stage.hold.touch()
        stage.outer.type("b")
        assert stage.shows("\nab")


def test_it_is_never_done_where_that_is_set(tmp_path: Path) -> None:
    cmd = "sh -c 'printf \"ask: \"; exec cat'"
    with typing_into(tmp_path, cmd, "ask:", predicted_echo="never") as stage:
        stage.outer.type("a")
        stage.outer.wait("ask: a")
        stage.hold.touch()
        stage.outer.type("bc")
        assert not stage.shows("ask: ab")
