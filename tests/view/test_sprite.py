"""The character and its balloon: what they show, when they move, and that they give way."""

from __future__ import annotations

import pytest

from nagomi_tui.api.messages import Speaking
from nagomi_tui.sessions.session import Condition
from nagomi_tui.view.character import sprite as sprites
from nagomi_tui.view.character.sprite import Balloon, Sprite, balloon_lines
from nagomi_tui.view.screens.chat_view import Lane
from tests.helpers.app_pilot import Visit, visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session

ONE, TWO = session(1, "one"), session(2, "two")


async def chat(here: Visit) -> Sprite:
    await here.leader("v")
    await here.until(lambda: here.app.query(Sprite))
    return here.app.query_one(Sprite)


@pytest.mark.parametrize(
    ("size", "rows"),
    [((120, 40), 12), ((108, 40), 8), ((120, 24), 8), ((80, 24), 0), ((60, 24), 0), ((120, 20), 0)],
)
@pytest.mark.requirement("N-31")
async def test_the_character_gives_way_to_the_lanes(size: tuple[int, int], rows: int) -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, size) as here:
            sprite = await chat(here)
            lane = here.app.query_one(Lane)
            side = {0: 0, 8: 20, 12: 28}[rows]
            await here.until(lambda: lane.region.width == size[0] - side)
            await here.until(lambda: sprite.region.height == rows)
            # Two bars, and the prompt with its edges, are all that the lane lacks.
            await here.until(lambda: lane.region.height == size[1] - 2 - 3)
            assert not sprite.region.overlaps(lane.region)
            assert not here.app.query_one(Balloon).region.overlaps(lane.region)
            if not rows:
                await here.sees("(˘ω˘)")


@pytest.mark.requirement("N-31", "N-139")
async def test_the_balloon_has_the_summary_and_kind_words() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 40)) as here:
            await chat(here)
            server.change(
                ONE.session_id,
                phase=Condition.ERROR,
                summary="2 tests failed",
                phase_since=1.0,
            )
            await here.sees("2 tests failed", "┬")
            words = here.app.parts.state.library.one("mochi").words(Condition.ERROR, "en", 1)
            await here.sees(words)


async def test_character_and_balloon_can_be_switched_off() -> None:
    with FakeOrchestrator(ONE, balloon=False, tile_faces=False) as server:
        async with visit(server, (120, 40)) as here:
            sprite = await chat(here)
            await here.until(lambda: sprite.region.height)
            assert not here.app.query_one(Balloon).display
    with FakeOrchestrator(ONE, character_size="off", tile_faces=False) as server:
        async with visit(server, (120, 40)) as here:
            await chat(here)
            await here.sees("idle")
            assert not here.app.query_one(Sprite).display
            assert "ω" not in here.text()


@pytest.mark.requirement("N-41")
async def test_each_tile_has_the_face_of_its_character() -> None:
    cat = session(2, "two", character_id="koneko")
    with FakeOrchestrator(ONE, cat) as server:
        async with visit(server, (120, 30)) as here:
            await here.sees("(˘ω˘)", "(=˘ω˘=)")
            server.change(cat.session_id, phase=Condition.SUCCESS, phase_since=1.0)
            await here.sees("(=＾▽＾=)")


@pytest.mark.requirement("N-46")
async def test_a_news_leaves_face_and_tile_by_itself() -> None:
    with FakeOrchestrator(ONE, face_hold=0.5) as server:
        async with visit(server, (120, 40)) as here:
            sprite = await chat(here)
            shown: list[Condition] = []
            here.app.watch(sprite, "phase", lambda now: shown.append(now), init=False)
            server.change(ONE.session_id, phase=Condition.ERROR, phase_since=1.0)
            await here.until(lambda: shown == [Condition.ERROR, Condition.IDLE])
            server.change(ONE.session_id, phase=Condition.ERROR, phase_since=1.0, title="x")
            await here.sees("failed")
            assert shown == [Condition.ERROR, Condition.IDLE]


@pytest.mark.requirement("N-46")
async def test_no_face_sleeps_or_smiles_beside_a_failure_that_was_not_seen() -> None:
    with FakeOrchestrator(ONE, TWO, face_hold=0.5) as server:
        async with visit(server, (120, 30)) as here:
            server.change(TWO.session_id, phase=Condition.ERROR, phase_since=1.0, waits=True)
            await here.sees("(´・ω・`)")
            faces = here.app.parts.state.faces
            await here.until(lambda: faces.next_change() is None)
            assert "(´・ω・`)" in here.text()
            server.change(TWO.session_id, waits=False)
            await here.until(lambda: "(´・ω・`)" not in here.text())


@pytest.mark.requirement("N-47")
async def test_the_lips_move_while_a_sound_plays() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 40)) as here:
            sprite = await chat(here)
            server.push(Speaking(session=ONE.session_id, on=True, seconds=60.0))
            await here.until(lambda: sprite._mouth_open)
            await here.until(lambda: not sprite._mouth_open)
            server.push(Speaking(session=ONE.session_id, on=False))
            await here.until(lambda: not sprite.speaking and not sprite._mouth_open)


async def test_it_blinks_only_where_somebody_looks_and_motion_is_wanted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sprites, "BLINK_EVERY", (0.01, 0.02))

    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 40)) as here:
            sprite = await chat(here)
            await here.until(lambda: sprite._eyes_shut)
            await here.until(lambda: not sprite._eyes_shut)
            here.app.app_focus = False
            await here.until(lambda: sprite._blink is None and not sprite._eyes_shut)
            here.app.app_focus = True
            await here.until(lambda: sprite._eyes_shut)
    with FakeOrchestrator(ONE, reduced_motion=True) as server:
        async with visit(server, (120, 40)) as here:
            sprite = await chat(here)
            await here.until(lambda: sprite.region.height)
            assert sprite.still and sprite._blink is None
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 40), SSH_CONNECTION="far away") as here:
            sprite = await chat(here)
            await here.until(lambda: sprite.region.height)
            assert sprite.still and sprite._blink is None


async def test_it_keeps_still_after_a_while_without_news(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sprites, "BLINK_EVERY", (0.01, 0.02))
    monkeypatch.setattr(sprites, "BLINK_SECONDS", 0.01)

    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 40)) as here:
            sprite = await chat(here)
            await here.until(lambda: not sprite._blinks_left)
            assert sprite._blink is None and not sprite._eyes_shut


@pytest.mark.parametrize(
    ("said", "summary", "width", "height", "lines"),
    [
        ("Oh.", "it broke", 20, 1, [("said", "Oh.  it broke")]),
        ("Oh, it failed.", "it broke", 12, 1, [("said", "it broke")]),
        ("Oh.", "", 20, 3, [("said", "Oh.")]),
        ("Oh.", "one two three", 7, 3, [("said", "Oh."), ("summary", "one two"), ("summary", "three")]),
        ("Oh.", "one two three four", 7, 2, [("said", "Oh."), ("summary", "one tw…")]),
        ("Oh, one two.", "", 7, 5, [("said", "Oh, one"), ("said", "two.")]),
        ("あれ", "テストがとまりました", 8, 3, [("said", "あれ"), ("summary", "テストが"), ("summary", "とまり…")]),
        ("", "", 20, 3, []),
        ("Oh.", "it", 3, 3, []),
        ("Oh.", "it", 20, 0, []),
    ],
)  # fmt: skip
def test_the_balloons_lines_fit(
    said: str, summary: str, width: int, height: int, lines: list[tuple[str, str]]
) -> None:
    assert balloon_lines(said, summary, width, height) == lines
