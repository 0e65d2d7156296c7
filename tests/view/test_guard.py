"""The guard in the front end: its badge, its dialog and the emergency stop, by keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages as m
from nagomi_tui.sessions.session import GuardStanding
from tests.helpers.app_pilot import visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session
from tests.helpers.repository import repository

if TYPE_CHECKING:
    from pathlib import Path

PROPOSED = {"proposal": ["write it", "test it"], "offered": ["write it", "test it"]}
SIZES = [(80, 24), (120, 36), (200, 50)]


def guarded(**standing: object) -> FakeOrchestrator:
    one = session(1, "one", guard=GuardStanding(**standing))  # type: ignore[arg-type]
    server = FakeOrchestrator(one, session(2, "two"))
    server.diff = ["diff --git a/x b/x", "-old line", "+new line"]
    server.guard = dict(PROPOSED)
    return server


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.requirement("F-10")
async def test_tile_and_lane_tell_the_guard(size: tuple[int, int], language: str) -> None:
    with guarded(mode="implementation", done=1, total=3) as server:
        server.settings["language"] = language
        word = "implement 1/3" if language == "en" else "実装 1/3"
        async with visit(server, size) as here:
            await here.sees(word)
            await here.leader("v")
            await here.sees(word)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.requirement("F-10")
async def test_the_dialog_shows_proposal_and_diff(size: tuple[int, int]) -> None:
    with guarded(proposed=2) as server:
        async with visit(server, size) as here:
            await here.sees("discuss ?2")
            await here.leader("G")
            await here.sees("[x] +   write it", "[x] +   test it", "-old line", "+new line")
            await here.sees("a approve", "S stop all")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("strict", "fault", "said"),
    [
        (True, "", "Strict mode: the kernel keeps"),
        (True, "files are open for writing: vim (7): /srv/x", "files are open for writing"),
        (False, "", "Strict mode is off; `nagomi new --guard strict`"),
        (False, "Strict mode is off: it needs Linux.", "Strict mode is off: it needs Linux."),
    ],
)
@pytest.mark.requirement("F-10")
async def test_the_dialog_tells_of_strict_mode(
    size: tuple[int, int], strict: bool, fault: str, said: str
) -> None:
    with guarded(proposed=2) as server:
        server.guard |= {"strict": strict, "strict_fault": fault}
        async with visit(server, size) as here:
            await here.leader("G")
            await here.sees(said, "[x] +   write it", "+new line")


@pytest.mark.requirement("F-10")
async def test_what_changes_meanwhile_is_shown() -> None:
    with guarded(proposed=2) as server:
        async with visit(server) as here:
            await here.leader("G")
            await here.sees("write it")
            server.guard = {"proposal": ["other"], "offered": ["other"]}
            server.change(session(1, "one").session_id, guard=GuardStanding(proposed=1))
            await here.sees("[x] +   other")
            await here.misses("write it")


@pytest.mark.parametrize(("key", "kind"), [("d", m.GuardDiscuss), ("s", m.GuardStop)])
@pytest.mark.requirement("D-33")
async def test_one_key_lowers_and_closes(key: str, kind: type[m.Message]) -> None:
    with guarded(mode="implementation") as server:
        async with visit(server) as here:
            await here.leader("G")
            await here.sees("write it")
            await here.press(key)
            await here.misses("write it")
            (told,) = server.told(kind)
            assert told.session == session(1, "one").session_id


@pytest.mark.parametrize("keys", [["!"], ["G", "S"]])
@pytest.mark.requirement("D-33")
async def test_all_are_stopped_at_once(keys: list[str]) -> None:
    with guarded(mode="implementation") as server:
        async with visit(server) as here:
            await here.leader(keys[0])
            if keys[1:]:
                await here.sees("write it")
                await here.press(*keys[1:])
            await here.sees("Stopped: one")
            assert [told.session for told in server.told(m.GuardStop)] == [""]


@pytest.mark.parametrize(
    ("keys", "todos"),
    [
        (["a"], ("write it", "test it")),
        (["space", "a"], ("test it",)),
        (["down", "enter", "a"], ("write it",)),
    ],
)
@pytest.mark.requirement("F-10")
async def test_all_or_a_part_is_approved_by_keys(keys: list[str], todos: tuple[str, ...]) -> None:
    with guarded(proposed=2) as server:
        async with visit(server) as here:
            await here.leader("G")
            await here.sees("test it")
            await here.press(*keys)
            await here.misses("test it")
            (told,) = server.told(m.GuardApprove)
            assert (told.todos, told.tell) == (todos, True)


@pytest.mark.requirement("F-10")
async def test_nothing_chosen_is_not_approved() -> None:
    with guarded(proposed=2) as server:
        async with visit(server) as here:
            await here.leader("G")
            await here.sees("test it")
            await here.press("space", "down", "space", "a")
            await here.sees("Choose at least one todo")
            assert server.told(m.GuardApprove) == []


@pytest.mark.requirement("F-10")
async def test_a_refusal_is_shown_in_the_dialog() -> None:
    with guarded() as server:
        server.refusals[m.GuardDiscuss] = "The disk does not answer."
        async with visit(server) as here:
            await here.leader("G")
            await here.sees("write it")
            await here.press("d")
            await here.sees("The disk does not answer.", "write it")


@pytest.mark.requirement("F-10")
async def test_what_is_not_guarded_says_how_it_would_be() -> None:
    with guarded() as server:
        async with visit(server) as here:
            await here.leader("2", "G")
            await here.sees("No guard on two; `nagomi new --guard` has one.")


@pytest.mark.requirement("F-10")
async def test_a_long_proposal_leaves_room_for_the_diff() -> None:
    with guarded(proposed=40) as server:
        todos = [f"step {number}" for number in range(40)]
        server.guard = {"proposal": todos, "offered": todos}
        async with visit(server, (80, 24)) as here:
            await here.leader("G")
            await here.sees("step 8", "+new line")
            await here.press("end")
            await here.sees("step 39", "+new line")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.requirement("F-10")
async def test_what_nobody_approved_is_shown_and_undone_by_a_key(size: tuple[int, int]) -> None:
    with guarded() as server:
        server.unapproved = {
            "change": "abc",
            "paths": ["x", "y"],
            "lines": ["diff --git a/y b/y", "+sneaked in"],
        }
        async with visit(server, size) as here:
            await here.leader("G")
            await here.sees("2 files changed without approval", "+sneaked in", "+new line")
            await here.press("u")
            await here.misses("+sneaked in")
            await here.sees("+new line")
            (told,) = server.told(m.GuardUndo)
            assert (told.session, told.change) == (session(1, "one").session_id, "abc")


@pytest.mark.requirement("F-10")
async def test_without_such_a_change_the_key_does_nothing() -> None:
    with guarded() as server:
        async with visit(server) as here:
            await here.leader("G")
            await here.sees("+new line")
            await here.press("u", "d")
            await here.misses("+new line")
            assert server.told(m.GuardUndo) == []


@pytest.mark.requirement("F-10")
async def test_where_one_approves_changes_are_folded_and_commented_on(tmp_path: Path) -> None:
    root = repository(tmp_path / "project", code="one\n")
    (root / "code").write_text("two\n")
    with guarded(proposed=2) as server:
        server.sessions = {
            one.session_id: one
            for one in [session(1, "one", cwd=str(root), guard=GuardStanding(proposed=2))]
        }
        async with visit(server) as here:
            await here.leader("G")
            await here.sees("write it", "▾ M x", "+new line")
            await here.press("tab", "z")
            await here.misses("+new line")
            await here.press("z", "c")
            await here.sees("Review of one", "+two")
            await here.press("q")
            await here.sees("write it", "+new line")
            await here.press("a")
            await here.until(lambda: server.told(m.GuardApprove))
