"""A user's pattern: found as ever, and slow for nobody but who asked."""

from __future__ import annotations

import contextlib
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from nagomi_tui.api import messages as m
from nagomi_tui.api.client import RequestFailed
from tests.helpers.waiting import until
from tests.helpers.workplace import create, wait_for, workplace

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

SLOW = r"^(a+)+$"
TEMPTS = "sh -c 'printf %s aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!; sleep 60'"


@pytest.fixture
def place(shared_place: Place) -> Place:
    """The file's workplace, without sessions."""
    return shared_place


def output(connection: Connection, session_id: str, pattern: str, timeout: float = 20) -> str:
    order = m.Wait(id=0, session=session_id, until="output", pattern=pattern, timeout=timeout)
    found = connection.request(order, timeout=timeout + 20)
    assert found.reason == "output", found
    return found.line


def matchers(place: Place) -> list[int]:
    """Matchers of the orchestrator."""
    found = []
    for child in psutil.Process(place.orchestrator).children():
        with contextlib.suppress(psutil.Error):
            if any(Path(word).name == "matcher.py" for word in child.cmdline()):
                found.append(child.pid)
    return found


def test_a_slow_pattern_hangs_nobody_else_and_is_told(place: Place, connection: Connection) -> None:
    made = create(connection, TEMPTS)
    wait_for(connection, made, "aaaa!")
    faults: list[RequestFailed] = []

    def ask() -> None:
        with place.connect() as own, pytest.raises(RequestFailed) as told:
            output(own, made, SLOW)
        faults.append(told.value)

    asker = threading.Thread(target=ask)
    asker.start()
    until(lambda: matchers(place))
    slowest = 0.0
    while asker.is_alive():
        began = time.monotonic()
        connection.request(m.Ping(id=0), timeout=30)
        slowest = max(slowest, time.monotonic() - began)
    asker.join()
    assert "takes too long" in faults[0].message and SLOW in faults[0].message
    assert slowest < 0.9, "the matcher alone works for a second"
    until(lambda: not matchers(place))


@pytest.mark.parametrize("pattern", ["(" * 6000 + ")" * 6000, "a{99999999999999}", "(?P<a>", "[a"])
def test_what_cannot_be_compiled_is_told(connection: Connection, pattern: str) -> None:
    made = create(connection, "sleep 60")
    with pytest.raises(RequestFailed, match="is no regular expression"):
        output(connection, made, pattern)


@pytest.mark.parametrize(
    ("pattern", "line"),
    [("second", "the second line"), (r"^(the|a) \w+ line$", "the first line"), ("日+本", "日日本")],
)
def test_a_line_that_matches_is_found_by_both_ways(
    connection: Connection, pattern: str, line: str
) -> None:
    said = r"sleep 0.5; echo 'the first line'; sleep 0.3; echo 'the second line'; echo 日日本; sleep 60"
    made = create(connection, f'sh -c "{said}"')
    assert output(connection, made, pattern) == line


def test_what_is_printed_last_of_all_is_seen(connection: Connection) -> None:
    for _ in range(5):
        made = create(connection, "sh -c 'seq 2000; echo the-end'")
        assert output(connection, made, "the.+end$") == "the-end"


def test_a_matcher_ends_with_whoever_waits(place: Place, connection: Connection) -> None:
    made = create(connection, "sleep 60")
    with place.connect() as own:
        own.send(m.Wait(id=1, session=made, until="output", pattern="never+", timeout=None))
        until(lambda: matchers(place))
    until(lambda: not matchers(place))


def test_a_rule_of_the_user_s_own_hangs_nobody() -> None:
    with workplace(start=False) as place:
        rules = place.home / "config" / "agents" / "mine.toml"
        rules.parent.mkdir(parents=True)
        rules.write_text(
            'name = "mine"\nkind = "program"\ncommands = ["tempt"]\n[[rule]]\nname = "slow"\n'
            f"says = 'waits'\npriority = 900\n[rule.when]\nall = ['{SLOW}']\n"
        )
        tempt = place.home / "tempt"
        tempt.write_text(
            "#!/bin/sh\nprintf %s aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!; cat\n"
        )
        tempt.chmod(0o755)
        place.start()
        with place.connect(front_end=True) as connection:
            create(connection, str(tempt), agent="mine")
            told: list[str] = []
            deadline, slowest = time.monotonic() + 30, 0.0
            while not any(SLOW in text for text in told) and time.monotonic() < deadline:
                began = time.monotonic()
                connection.request(m.Ping(id=0), timeout=30)
                slowest = max(slowest, time.monotonic() - began)
                told += [x.text for x in connection.pushed(0.05) if isinstance(x, m.Notice)]
            assert any("takes too long and is not used" in text for text in told), told
            assert slowest < 1.5
