"""Names of sessions, their order, and which one is meant."""

from __future__ import annotations

import pytest

from nagomi_tui.sessions.names import find, propose, tidy
from nagomi_tui.sessions.order import digest, moved
from nagomi_tui.sessions.places import telling
from nagomi_tui.sessions.session import Condition, Session, State
from nagomi_tui.text.layout import followed

ID = "0123abcd-0000-4000-8000-000000000000"


def session(number: int, name: str, **more: object) -> Session:
    session_id = f"{number:04d}abcd-0000-4000-8000-000000000000"
    return Session(session_id=session_id, number=number, name=name, cmd="x", cwd="/", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cwd", "cmd", "name"),
    [
        ("/home/ren/shop", "claude --continue", "shop-claude"),
        ("/home/ren/shop/", "/usr/bin/bash -l", "shop-bash"),
        ("/srv", "env A=1 B=2 'npm' run dev", "srv-npm"),
        ("/srv", "FOO=bar make test", "srv-make"),
        ("/", "htop", "htop"),
        ("/srv", "python3 -m pytest --last-failed -x", "srv-pytest"),
        ("/srv", ".venv/bin/python3.11 -m pip install x", "srv-pip"),
        ("/srv", "python3 tools/serve.py --port 1", "srv-serve"),
        ("/srv", "python3 -c pass", "srv-python3"),
        ("/srv", "python3 -m", "srv-python3"),
        ("/", "", "つくり-0123abcd"),
    ],
)
@pytest.mark.requirement("N-59")
def test_a_name_tells_folder_and_command(cwd: str, cmd: str, name: str) -> None:
    assert propose(cwd=cwd, cmd=cmd, session_id=ID, taken=()) == name


@pytest.mark.requirement("N-59")
def test_a_taken_name_gets_a_number() -> None:
    taken = {"srv-make", "srv-make-2"}
    assert propose(cwd="/srv", cmd="make", session_id=ID, taken=taken) == "srv-make-3"


def test_names_are_one_short_line() -> None:
    assert tidy("  a\x1b[31m\n b\t") == "a [31m b"
    assert len(tidy("x" * 500)) == 60


SESSIONS = [session(1, "shop-claude"), session(2, "shop-bash"), session(3, "7"), session(4, "test")]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("1", "shop-claude"),
        ("shop-bash", "shop-bash"),
        ("7", "7"),
        ("te", "test"),
        ("TEST", "test"),
        ("shop-c", "shop-claude"),
        ("0002a", "shop-bash"),
        ("0002", "shop-bash"),
        (SESSIONS[0].session_id, "shop-claude"),
    ],
)
def test_a_session_is_found_by_number_name_id_or_prefix(text: str, name: str) -> None:
    found = find(SESSIONS, text).session
    assert found is not None and found.name == name


def test_an_ambiguous_prefix_names_the_candidates() -> None:
    assert find(SESSIONS, "shop").candidates == ("shop-claude", "shop-bash")


def test_nobody_found_names_the_nearest() -> None:
    assert find(SESSIONS, "shop-bsh").nearest[0] == "shop-bash"
    assert find(SESSIONS, "").session is None
    assert find(SESSIONS, "000").candidates == ()  # too little of an id


@pytest.mark.parametrize(
    ("item", "number", "order"),
    [("c", 1, "cab"), ("a", 3, "bca"), ("b", 99, "acb"), ("b", -5, "bac"), ("a", 1, "abc")],
)
@pytest.mark.requirement("N-12")
def test_sessions_are_put_in_another_order(item: str, number: int, order: str) -> None:
    assert "".join(moved("abc", item, number)) == order


@pytest.mark.parametrize(
    ("start", "size", "total", "cursor", "found"),
    [
        (0, 10, 30, 5, 0),
        (0, 10, 30, 9, 0),
        (0, 10, 30, 10, 1),
        (20, 10, 30, 15, 10),
        (20, 10, 30, 3, 0),
        (20, 10, 30, 25, 20),
        (0, 40, 30, 29, 0),
        (25, 10, 30, 29, 20),
        (5, 10, 30, 5, 5),
        (5, 10, 30, 15, 6),
        (-3, 10, 30, 2, 0),
    ],
)
def test_a_small_view_moves_only_when_the_cursor_would_leave_it(
    start: int, size: int, total: int, cursor: int, found: int
) -> None:
    assert followed(start, size=size, total=total, cursor=cursor) == found


def test_the_digest_tells_what_happened_since_the_last_front_end_left() -> None:
    sessions = [
        session(1, "old", state=State.EXITED, phase=Condition.SUCCESS, ended_at=5.0),
        session(2, "done", state=State.EXITED, phase=Condition.SUCCESS, ended_at=15.0),
        session(3, "bad", state=State.EXITED, phase=Condition.ERROR, ended_at=15.0),
        session(4, "gone", state=State.LOST, phase=Condition.ERROR, ended_at=15.0),
        session(7, "then", state=State.EXITED, phase=Condition.ERROR, ended_at=10.0),
        session(8, "saved", state=State.SAVED, phase=Condition.ERROR, ended_at=15.0),
        session(9, "lost before", state=State.LOST, phase=Condition.ERROR, ended_at=5.0),
        session(5, "asks", state=State.RUNNING, phase=Condition.ATTENTION),
        session(6, "works", state=State.RUNNING, phase=Condition.RUNNING),
    ]
    told = (
        ("done", "ended_well"), ("bad", "ended_early"), ("gone", "lost"), ("asks", "attention"),
    )  # fmt: skip
    assert digest(sessions, since=10.0) == told
    assert digest(sessions, since=None) == ()


def test_in_a_hand_s_home_a_name_tells_the_hand() -> None:
    assert telling("~", "gpu") == "gpu"
    assert telling("/srv/shop", "gpu") == "/srv/shop"
