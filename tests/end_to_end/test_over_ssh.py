"""Over a real ssh: start, log out, come back from a terminal of another size."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from tests.helpers.outer import Outer
from tests.helpers.sshd import host
from tests.helpers.workplace import Place, create, session, text_of, until, workplace

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


def nagomi(place: Place) -> str:
    """Return the remote command line: ssh hands on no environment."""
    env = {
        "PATH": os.environ["PATH"],
        "NAGOMI_HOME": str(place.home),
        "NAGOMI_LANG": "en",
        "LANG": "C.UTF-8",
        "SHELL": "/bin/sh",
    }
    names = [f"{name}={value}" for name, value in env.items()]
    return shlex.join(["env", *names, sys.executable, "-m", "nagomi_tui"])


def local_env() -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": os.environ["HOME"],
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }


def test_sessions_outlive_the_ssh_login(tmp_path: Path) -> None:
    with workplace(start=False) as place, host(tmp_path) as machine:
        argv = machine.argv(nagomi(place))
        with Outer(argv, local_env(), cols=200, rows=50) as first:
            first.wait("keys", timeout=25, what="the workplace over ssh")
            first.type("echo still-$((40+2))")
            first.keys("Enter")
            first.wait("still-42")
            with place.connect() as connection:
                shell = next(iter(connection.welcome.sessions)).session_id
                before = session(connection, shell)
            first.close()  # the line drops: sshd hangs up the front end
        until(lambda: not place.pids_of("nagomi_tui"))
        with place.connect() as connection:  # now that nobody looks, and it keeps the size
            wide = create(connection, "sh -c 'printf \"%0170d\\n\" 7; cat'", cols=180, rows=40)
            until(lambda: "7" in text_of(connection, wide))
        with (
            place.connect() as connection,
            Outer(argv, local_env(), cols=60, rows=20) as second,
        ):
            second.wait("still-42", timeout=25)
            after = session(connection, shell)
            assert (after["pid"], after["state"]) == (before["pid"], "running")
            untouched = session(connection, wide)
            assert (untouched["cols"], untouched["rows"]) == (180, 40)
            assert len(text_of(connection, wide).split("\n")[0]) == 170
            with Outer(argv, local_env(), cols=200, rows=50) as third:
                third.wait("still-42", timeout=25)
                third.wait("0" * 60)
                until(lambda: session(connection, wide)["cols"] < 100)  # the width of a tile there
                fitted = session(connection, wide)["cols"]
                second.keys("C-]", "2")
                second.wait("keys → tmp-sh")
                assert "keys → tmp-sh" not in third.screen()
                assert session(connection, wide)["cols"] == fitted
