"""What is stored of sessions is masked, and a command that masking changed is never run (N-86)."""

from __future__ import annotations

import logging
import shlex
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.judge.verdict import State as Judgement
from nagomi_tui.masking import REDACTED
from nagomi_tui.orchestrator.judging.corrections import Correction
from nagomi_tui.orchestrator.runtime import log
from nagomi_tui.sessions.session import State
from tests.helpers.secrets import LINES, PEM, VALUES, leaks
from tests.helpers.workplace import create, session, until, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

SECRET = VALUES[0]
ID = "0123abcd-0000-4000-8000-000000000000"


def restart(connection: Connection, session_id: str, cmd: str = "") -> None:
    connection.request(messages.Restart(id=0, session=session_id, cmd=cmd), timeout=30)


def stored(place: Place) -> str:
    with closing(sqlite3.connect(place.home / "state" / "sessions.db")) as reading, reading:
        return str(reading.execute("SELECT group_concat(record) FROM sessions").fetchone()[0])


def recalled(place: Place) -> str:
    with closing(sqlite3.connect(place.home / "state" / "sessions.db")) as reading, reading:
        return str(reading.execute("SELECT group_concat(value) FROM facts").fetchone()[0])


@pytest.mark.requirement("N-86")
def test_after_a_reboot_a_masked_command_is_asked_for_again(place: Place) -> None:
    run = f"sh -c 'echo up; exec sleep 60' {shlex.quote(SECRET)}"
    with place.connect() as before:
        made = create(before, run, name=f"with {SECRET}")
        plain = create(before, "sh -c 'echo plain; exec sleep 60'")
        wait_for(before, made, "up")
        assert session(before, made)["cmd"] == run
        until(lambda: REDACTED in stored(place) and "echo plain" in recalled(place))
    place.end()
    assert leaks(place.home) == []
    place.start()
    with place.connect() as after:
        until(lambda: session(after, made)["state"] == State.SAVED)
        found = session(after, made)
        assert found["cmd_masked"] and SECRET not in str(found)
        assert after.welcome.recent == (session(after, plain)["cmd"],)
        with pytest.raises(RequestFailed, match="held a secret.*nagomi restart 1 -- COMMAND"):
            restart(after, made)
        with pytest.raises(RequestFailed, match="still holds"):
            restart(after, made, found["cmd"])
        assert session(after, made)["state"] == State.SAVED
        restart(after, made, run)
        wait_for(after, made, "up")
        assert session(after, made)["cmd"] == run
        assert not session(after, made).get("cmd_masked")
        restart(after, plain)


@pytest.mark.requirement("N-86")
def test_the_live_command_outlives_the_orchestrator(place: Place) -> None:
    run = f"sh -c 'echo up; exec sleep 60' --token={SECRET}"
    with place.connect() as before:
        made = create(before, run)
        wait_for(before, made, "up")
    place.kill(place.orchestrator)
    with place.connect() as after:
        until(lambda: session(after, made)["cmd"] == run)
        restart(after, made)
        wait_for(after, made, "up")


@pytest.mark.requirement("N-86")
def test_a_fault_of_the_worker_carries_no_secret(place: Place) -> None:
    with place.connect(front_end=True) as connection:
        with pytest.raises(RequestFailed) as refused:
            create(connection, f"echo 'open --token={SECRET}")
        assert SECRET not in str(refused.value)
    place.end()
    assert leaks(place.home) == []


@pytest.mark.requirement("N-86")
def test_the_log_masks_lines_values_and_tracebacks(tmp_path: Path) -> None:
    handler = logging.FileHandler(tmp_path / "log", encoding="utf-8")
    handler.setFormatter(log.MaskingFormatter("%(levelname)s %(message)s"))
    logger = logging.Logger("test")
    logger.addHandler(handler)
    for line in LINES:
        logger.info("told: %s", line)
        try:
            raise ValueError(line)
        except ValueError:
            logger.exception("it failed")
    logger.info("%s", "\n".join(PEM))
    handler.close()
    text = (tmp_path / "log").read_text()
    assert leaks(tmp_path) == []
    assert text.count("Traceback") == len(LINES) and text.count(REDACTED) >= 2 * len(LINES) + 2


@pytest.mark.requirement("N-86")
def test_half_a_token_on_the_screen_is_not_kept_with_a_correction() -> None:
    half = SECRET[:14]
    said = Correction(
        at=0.0, session_id=ID, turn=1, cmd="x", shown=Judgement.RUNNING, right=Judgement.ATTENTION,
        rule="r", confidence=0.5, lines=("Paste your key:", f"> {half}"),
    )  # fmt: skip
    assert said.masked().lines == ("Paste your key:", f"> {REDACTED}")
