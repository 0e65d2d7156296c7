"""FIFOs where files belong, and folders of a dead server: everything else goes on as if they were not."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.settings import store
from nagomi_tui.system.paths import PlaceError
from tests.helpers.dead_mount import dead_mount, small_disk
from tests.helpers.workplace import PATIENCE, Place, create, session, text_of, wait_for, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nagomi_tui.api.client import Connection

pytestmark = pytest.mark.slow

CONFIG = (
    "settings.json",
    "keymap.toml",
    "agents/claude.toml",
    "agents/own.toml",
    "judge/generic.toml",
    "judge/actions.toml",
    "characters/mine/character.toml",
)


def notices(connection: Connection, seconds: float = 0.5) -> list[str]:
    return [said.text for said in connection.pushed(seconds) if isinstance(said, messages.Notice)]


def quick(connection: Connection) -> None:
    """Hold that the workplace answers at once."""
    began = time.monotonic()
    connection.request(messages.ListSessions(id=0), timeout=PATIENCE)
    assert time.monotonic() - began < 2.0


def test_a_fifo_for_gits_head_keeps_nobody(place: Place, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "HEAD")
    with place.connect() as connection:
        other = create(connection, "sh -c 'echo here; exec cat'")
        strange = create(connection, "sh -c 'echo there; exec cat'", cwd=str(tmp_path))
        for each, word in ((other, "here"), (strange, "there")):
            wait_for(connection, each, word)
        assert session(connection, strange)["branch"] == ""
    place.kill(place.orchestrator)
    with place.connect() as again:
        assert "there" in text_of(again, strange) and "here" in text_of(again, other)
        quick(again)


def test_fifos_in_the_place_of_all_that_is_configured_are_named(nagomi_home: Path) -> None:
    with workplace(start=False) as place:
        for name in CONFIG:
            path = place.home / "config" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            os.mkfifo(path)
        place.start()
        with place.connect(front_end=True) as connection:
            session_id = create(connection, "sh -c 'echo here; exec cat'")
            wait_for(connection, session_id, "here")
            said = notices(connection, 1.0)
            for name in (
                name for name in CONFIG if name.startswith(("settings", "agents", "judge"))
            ):
                assert any(name in line for line in said), name
            order = messages.Settings(id=0, values={"theme": "dark"})
            with pytest.raises(RequestFailed, match="no regular file"):
                connection.request(order, timeout=PATIENCE)
            assert store.settings_file().is_fifo()


def start(inside: list[str]) -> None:
    """Start the workplace where something is mounted."""
    program = "from nagomi_tui.api.launch import ensure_running; ensure_running()"
    subprocess.run([*inside, sys.executable, "-c", program], check=True, timeout=PATIENCE)


@contextmanager
def dead_place(*folders: str) -> Iterator[tuple[Place, Path]]:
    """Start a workplace for which a folder is dead; `folders` are linked to from its home."""
    with workplace(start=False) as place:
        dead = place.home / "dead"
        dead.mkdir()
        for folder in folders:
            (place.home / folder).symlink_to(dead)
        with dead_mount(dead) as inside:
            start(inside)
            try:
                yield place, dead
            finally:
                place.end()


def test_a_dead_folder_is_refused_and_keeps_nobody() -> None:
    with dead_place() as (place, dead), place.connect() as connection:
        other = create(connection, "sh -c 'echo here; exec cat'")
        connection.send(messages.Create(id=999, cmd="cat", cwd=str(dead / "deep")))
        wait_for(connection, other, "here")
        quick(connection)
        with pytest.raises(RequestFailed, match="does not answer"):
            create(connection, "cat", cwd=str(dead))
        env = {"PATH": f"{dead}:/usr/bin:/bin"}
        with (
            place.connect(env=env) as another,
            pytest.raises(RequestFailed, match="a folder of PATH"),
        ):
            create(another, "cat")
        quick(connection)


def test_sessions_in_a_folder_that_died_are_there_at_once() -> None:
    with workplace() as before, before.connect() as connection:
        dead = before.home / "dead"
        (dead / ".git").mkdir(parents=True)
        (dead / ".git" / "HEAD").write_text("ref: refs/heads/trunk\n")
        session_id = create(connection, "sh -c 'echo here; exec cat'", cwd=str(dead))
        wait_for(connection, session_id, "here")
        before.end_residents()
        with dead_mount(dead) as inside:
            start(inside)
            with before.connect() as after:
                assert "here" in text_of(after, session_id)
                assert session(after, session_id)["branch"] == "trunk"
                quick(after)
            before.end()


def test_settings_that_do_not_answer_are_told_and_the_rest_goes_on() -> None:
    with dead_place("config") as (place, _), place.connect(front_end=True) as connection:
        session_id = create(connection, "sh -c 'echo here; exec cat'")
        wait_for(connection, session_id, "here")
        assert any("settings.json does not answer" in line for line in notices(connection, 1.0))
        quick(connection)
        began = time.monotonic()
        place.kill(place.orchestrator)
        with place.connect() as again:
            quick(again)
        assert time.monotonic() - began < PATIENCE


def test_a_fifo_for_the_log_is_told(nagomi_home: Path) -> None:
    with workplace(start=False) as place:
        os.mkfifo(place.home / "state" / "nagomi.log")
        began = time.monotonic()
        with pytest.raises(PlaceError, match="no regular file"):
            place.start()
        assert time.monotonic() - began < 5.0


@pytest.mark.parametrize("language", ["en", pytest.param("ja", marks=pytest.mark.variant)])
def test_sessions_made_on_a_full_disk_come_back_as_they_were(
    language: str, nagomi_home: Path
) -> None:
    # Too long for sockets beside the state, which would not be seen from outside of the mount.
    with workplace(start=False, home=nagomi_home / ("long" * 25)) as place:
        state = place.home / "state"
        with small_disk(state) as inside:
            start(inside)
            fill = f"head -c 9m /dev/zero > {state}/fill; exec test -s {state}/fill"
            subprocess.run([*inside, "sh", "-c", fill], check=True, stderr=subprocess.DEVNULL)
            env = {"PATH": os.defpath, "NAGOMI_LANG": language}
            with place.connect(env=env) as before:
                named = create(before, "sh -c 'echo here; exec cat'", cwd="/usr", name="mine")
                gone = create(before, "sleep 999")
                for order in (messages.Stop, messages.Remove):
                    before.request(order(id=0, session=gone), timeout=PATIENCE)
                plain = create(before, "sleep 999", cwd="/usr/bin")
                wait_for(before, named, "here")
                before.request(messages.Rename(id=0, session=named, name="renamed"), timeout=9)
            place.end_residents()
            start(inside)
            with place.connect(env=env) as after:
                assert "here" in text_of(after, named)
                for each, *told in (
                    (named, 1, "renamed", "sh -c 'echo here; exec cat'", "/usr"),
                    (plain, 3, "bin-sleep", "sleep 999", "/usr/bin"),
                ):
                    found = session(after, each)
                    assert [found[name] for name in ("number", "name", "cmd", "cwd")] == told
            place.end()
