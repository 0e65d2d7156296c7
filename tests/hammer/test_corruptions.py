"""50 damaged files of settings and state: nagomi starts, sessions live, and what is lost is told."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from nagomi_tui.api import messages as m
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.system.paths import PlaceError
from tests.hammer import damage
from tests.hammer.front_end import front_end, leave, reacts
from tests.hammer.sockets import all_echo, echoing
from tests.hammer.vitals import answers, states
from tests.helpers.waiting import until
from tests.helpers.workplace import Place, create

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from tests.hammer.damage import Way

    Seen = Callable[[str], None]

OLD, NEW = "an-old-line", "a-new-line"
CASES: Final = [
    (name, kind)
    for name, ways in (
        ("sessions.db", damage.DATABASE), ("history.db", damage.DATABASE),
        ("corrections.db", damage.DATABASE), ("settings.json", damage.SETTINGS),
        ("feeding", damage.MARK), ("nagomi.log", damage.LOG),
    )
    for kind in ways
]  # fmt: skip
IN_THE_WAY: Final = ("supervisor.lock", "orchestrator.lock", "launch.lock", "nagomi.log")
WAYS: Final[dict[str, Way]] = {
    **damage.DATABASE, **damage.SETTINGS, **damage.MARK, **damage.LOG, **damage.KEYMAP,
}  # fmt: skip


def test_there_are_50() -> None:
    assert len(CASES) + len(damage.KEYMAP) + len(IN_THE_WAY) >= 50


@pytest.fixture
def names(place: Place) -> list[str]:
    """Sessions with a story, kept on disk."""
    with place.connect() as connection:
        names = echoing(connection, 2)
        connection.request(m.Send(id=0, session=names[0], text=OLD), timeout=10)
        connection.request(m.Correct(id=0, session=names[0], state="failure"), timeout=10)
        connection.request(m.Settings(id=0, values={"other_fps": 9}), timeout=10)
    return names


def history(text: str) -> subprocess.CompletedProcess[str]:
    """Run `nagomi history`; it never shows a traceback."""
    return nagomi("history", text)


def nagomi(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command, which ends in time and with at most a sentence."""
    done = subprocess.run(
        [sys.executable, "-m", "nagomi_tui", *arguments],
        capture_output=True, text=True, timeout=40, env=os.environ | {"NAGOMI_LANG": "en"},
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done


def break_it(place: Place, name: str, kind: str, dice: random.Random) -> None:
    """Damage the file while no resident has it; workers and sessions run on."""
    path = place.home / ("config" if name in ("settings.json", "keymap.toml") else "state") / name
    place.end_residents()
    if name.endswith(".db") and kind != "garbage as its log":
        damage.settle(path)
    WAYS[kind](path, dice)


def notices(place: Place) -> list[str]:
    """Return what a front end is told when it comes."""
    with place.connect(front_end=True, env={"NAGOMI_LANG": "en"}) as connection:
        return [one.text for one in connection.pushed(1.0) if isinstance(one, m.Notice)]


def again(place: Place) -> None:
    place.end_residents()
    place.start()


@pytest.mark.parametrize(("name", "kind"), CASES, ids=[f"{name}, {kind}" for name, kind in CASES])
def test_file(
    place: Place, names: list[str], name: str, kind: str, dice: random.Random, seen: Seen
) -> None:
    if name == "history.db":
        until(lambda: OLD in history(OLD).stdout, "the line is kept")
    break_it(place, name, kind, dice)
    place.start()
    seen(f"answers after {answers(place):.2f} s")
    all_echo(place, names, NEW)
    told = " / ".join(notices(place))
    seen(f"told: {told[:90]}" if told else "nothing told")
    _AFTER.get(name, lambda *_: None)(place, told, seen)
    all_echo(place, names, "in the end")


def _sessions(place: Place, told: str, seen: Seen) -> None:
    """The list is whole, or its loss is told; what is new is kept again."""
    assert told or set(states(place)) >= {"echo-0", "echo-1"}, "names are lost without a word"
    with place.connect() as connection:
        create(connection, "cat", name="new")
    again(place)
    kept = until(
        lambda: sorted((found := states(place)).values()) == ["running"] * 3 and found,
        "three sessions run",
    )
    assert "new" in kept or notices(place), "a new session's name is lost without a word"


def _history(place: Place, told: str, seen: Seen) -> None:
    """The old line is there, or its loss is told; new lines are kept again, or that is told."""
    old = history(OLD)
    assert told or old.stderr or OLD in old.stdout, "old lines are lost without a word"
    seen("old lines are there" if OLD in old.stdout else f"history: {old.stderr.strip()[:60]}")
    new = until(lambda: NEW in (done := history(NEW)).stdout or "cannot be" in done.stderr)
    assert new


def _corrections(place: Place, told: str, seen: Seen) -> None:
    """A correction is kept, or refused with a sentence; the list of them is, too."""
    with place.connect() as connection:
        try:
            connection.request(m.Correct(id=0, session="echo-1", state="failure"), timeout=10)
        except RequestFailed as exc:
            seen(f"refused: {exc.message[:60]}")
            assert exc.code != "internal" or exc.message
    listed = nagomi("judge", "corrections")
    assert listed.returncode == 0 or listed.stderr.count("\n") == 1, listed.stderr


def _settings(place: Place, told: str, seen: Seen) -> None:
    """A setting can be changed and kept, or that is refused with a sentence."""
    with place.connect() as connection, contextlib.suppress(RequestFailed):
        connection.request(m.Settings(id=0, values={"other_fps": 7}), timeout=10)
        again(place)
        with place.connect() as after:
            assert after.welcome.settings["other_fps"] == 7
            seen("written again")


_AFTER: Final[dict[str, Callable[[Place, str, Seen], None]]] = {
    "sessions.db": _sessions,
    "history.db": _history,
    "corrections.db": _corrections,
    "settings.json": _settings,
}


@pytest.mark.parametrize("kind", damage.KEYMAP)
def test_keymap(place: Place, kind: str, dice: random.Random) -> None:
    (place.home / "config").mkdir(exist_ok=True)
    break_it(place, "keymap.toml", kind, dice)
    place.start()
    with place.connect() as connection:
        names = echoing(connection, 1)
    with front_end() as outer:
        outer.wait("echo-0")
        reacts(outer)
        leave(outer)
    all_echo(place, names, NEW)


@pytest.mark.parametrize("name", IN_THE_WAY)
def test_a_directory_in_the_way(place: Place, name: str, dice: random.Random, seen: Seen) -> None:
    """Nothing can start then: a command says so in a sentence, in time; and later all is well."""
    with place.connect() as connection:
        names = echoing(connection, 1)
    break_it(place, name, "a directory", dice)
    done = nagomi("new", "--", "cat")
    seen(f"ended with {done.returncode}: {done.stderr.strip()[:110]}")
    state = place.home / "state"
    assert done.returncode == 0 or (done.stderr.count("\n") == 1 and str(state) in done.stderr)
    (state / name / "within").rmdir()
    (state / name).rmdir()
    until(lambda: _starts(place), "it starts", patience=45)
    all_echo(place, names, NEW)


def _starts(place: Place) -> bool:
    """Try; the supervisor may be waiting before it tries again itself."""
    with contextlib.suppress(PlaceError):
        place.start()
        return True
    return False
