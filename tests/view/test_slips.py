"""Slips: keys too many, typed ahead or for somebody else, pastes and double clicks.

None of them approves, ends or loses anything.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from textual import events

from nagomi_tui.api import messages as m
from nagomi_tui.sessions.session import Condition, GuardStanding, State
from nagomi_tui.view.dialogs import dialog
from nagomi_tui.view.dialogs import guard as guard_dialog
from nagomi_tui.view.screens import judge_pane
from nagomi_tui.view.screens import prompt as prompts
from tests.helpers.app_pilot import Visit, visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session
from tests.view.test_judge_pane import ASKS as STANDING
from tests.view.test_judge_pane import STUMBLED

if TYPE_CHECKING:
    from collections.abc import Iterable

ONE = session(1, "one")
TWO = session(2, "two")
ASKING = session(1, "one", phase=Condition.ATTENTION, waits=True, phase_since=time.time())
FAILED = session(1, "one", phase=Condition.ERROR, phase_since=time.time() - 70)
ENDED = session(1, "one", state=State.EXITED, exit_code=1, phase=Condition.ERROR)
GUARDED = session(1, "one", guard=GuardStanding(proposed=2))
MENU: Final[dict[str, Any]] = STANDING | {
    "question": {"question_id": "m", "text": "Which?", "options": ["red", "blue"]}
}
NEXT: Final[dict[str, Any]] = STANDING | {
    "question": STANDING["question"] | {"question_id": "next", "text": "And then?"}
}
QUIET: Final[dict[str, Any]] = STANDING | {
    "verdict": {"state": "unknown", "confidence": 0.9, "summary": ""},
    "question": None,
}
HARM: Final = (
    m.Answer, m.Act, m.Stop, m.Restart, m.Remove, m.Quit, m.GuardApprove, m.GuardUndo, m.GuardStop,
    m.Reload,
)  # fmt: skip
APPROVING: Final = {"enter", "space", "1", "2", "y", "down", "escape", "ctrl+c"}
"""Keys with which a program's question may be answered, or the program broken off."""


class Slip(NamedTuple):
    """What stands there, and what is done by mistake.

    A step is a key, or `leader KEY`, `type TEXT`, `paste TEXT`, `click WHERE`, `see TEXT`, `asks`:
    a question comes up, `known`: the prompt knows of it, `next`: another one comes up.
    """

    name: str
    steps: tuple[str, ...]
    first: Any = ONE
    standing: dict[str, Any] | None = None
    sent: str | None = None
    """A text that may go to the program as a message, and nothing else may."""


CHAT = ("leader v", "see →")
SLIPS: Final = (
    # Typed ahead into a question, or for somebody else.
    Slip("a message that begins with a choice", (*CHAT, "see answers", "type 1 more thing"), ASKING, STANDING),
    Slip("a message that begins with yes", (*CHAT, "see answers", "type y but first", "enter"), ASKING, STANDING, "y but first"),
    Slip("a digit alone", (*CHAT, "see answers", "type 1"), ASKING, STANDING),
    Slip("a digit taken back", (*CHAT, "see answers", "type 1", "backspace", "enter"), ASKING, STANDING),
    Slip("two digits", (*CHAT, "see answers", "type 12", "enter"), ASKING, STANDING, "12"),
    Slip("enter at a question", (*CHAT, "see answers", "enter", "enter"), ASKING, STANDING),
    Slip("space and enter at a question", (*CHAT, "see answers", "space", "enter"), ASKING, STANDING),
    Slip("a digit that was begun before the question", (*CHAT, "type 1", "asks", "known", "enter"), ONE, STANDING),
    Slip("a word that was begun before the question", (*CHAT, "type y", "asks", "known", "type es", "enter"), ONE, STANDING),
    Slip("enter as a menu comes up", (*CHAT, "asks", "see ↑ ↓ Enter", "enter", "enter"), ONE, MENU),
    Slip("an arrow and enter as a menu comes up", (*CHAT, "asks", "see ↑ ↓ Enter", "down", "enter"), ONE, MENU),
    Slip("space as a menu comes up", (*CHAT, "asks", "see ↑ ↓ Enter", "space"), ONE, MENU),
    Slip("a digit as a question comes up", (*CHAT, "asks", "see answers", "type 1", "enter"), ONE, STANDING),
    Slip("a choice nobody offers", (*CHAT, "see answers", "type 7", "enter"), ASKING, STANDING, "7"),
    Slip("enter twice", (*CHAT, "see ↑ ↓ Enter", "type more", "enter", "enter"), ASKING, MENU, "more"),
    Slip("escape once too often", (*CHAT, "type words", "escape", "escape", "escape", "escape")),
    Slip("ctrl+c that is held", (*CHAT, "type words", "ctrl+c", "ctrl+c", "ctrl+c")),
    # Pastes.
    Slip("a digit pasted with its line's end", (*CHAT, "see answers", "paste 1\n"), ASKING, STANDING),
    Slip("lines pasted at a question", (*CHAT, "see answers", "paste 1\n2\n1\n"), ASKING, STANDING),
    Slip("a paste into a menu", (*CHAT, "asks", "see ↑ ↓ Enter", "paste \n\n"), ONE, MENU),
    Slip("a paste into the judge's pane", ("leader y", "see touch made.txt", "paste 1\n"), ASKING, STANDING),
    Slip("a paste into the question whether to quit", ("leader q", "see Quit nagomi?", "paste y\ny\n")),
    Slip("a paste into the question whether to stop", ("leader x", "see Stop this session?", "paste yes\n")),
    Slip("a paste into the guard", ("leader G", "see test it", "paste a\n"), GUARDED),
    # Enter in each dialog.
    *(
        Slip(f"enter after {key}", (f"leader {key}", f"see {said}", "enter", "enter"), first)
        for key, said, first in (
            ("q", "Quit nagomi?", ONE), ("x", "Stop this session?", ONE), ("r", "Start again?", ONE),
            ("F", "Start again?", ONE), ("G", "test it", GUARDED), ("E", "ended", ENDED),
            ("N", "Notices", ONE), ("?", "Help", ONE), ("s", "Settings", ONE),
        )
    ),
    Slip("quit found in the search", ("leader :", "type quit nagomi", "enter", "see Quit nagomi?", "enter")),
    Slip("stop found in the search", ("leader :", "type stop the session", "enter", "see Stop this session?", "enter")),
    Slip("space and arrows in a question", ("leader q", "see Quit nagomi?", "down", "up", "enter")),
    Slip("remove of what runs", ("leader X", "see stop it first", "enter", "type y")),
    # The judge's pane.
    Slip("a digit as a question comes up in the pane", ("leader y", "see sure, 90", "asks", "see touch made.txt", "type 1"), ONE, STANDING),
    Slip("a digit as the pane opens over a question that has just come up", ("asks", "see waits for you", "leader y", "see touch made.txt", "type 1"), ONE, STANDING),
    Slip("enter in the pane with nothing marked", ("leader y", "see touch made.txt", "enter", "space"), ASKING, STANDING),
    Slip("a choice as another question comes up", ("leader y", "see touch made.txt", "down", "next", "see And then?", "enter", "type 1"), ASKING, STANDING),
    Slip("small letters at next steps", ("leader y", "see Install rich", "type abc", "enter"), FAILED, STUMBLED),
    Slip("digits at next steps", ("leader y", "see Install rich", "type 123", "space"), FAILED, STUMBLED),
    # The guard, typed ahead.
    Slip("approved before it is shown", ("guard is slow", "leader G", "type aa", "enter"), GUARDED),
    Slip("approved as it changes", ("leader G", "see test it", "guard changes", "see other", "type a"), GUARDED),
    Slip("approved where nothing is proposed", ("guard is empty", "leader G", "see Nothing is proposed", "type a"), GUARDED),
    # Double clicks.
    Slip("two clicks on no", ("leader q", "see Quit nagomi?", "click #no", "click #no")),
    Slip("two clicks on Close", ("leader c", "see New session", "click #close", "click #close")),
)  # fmt: skip


def harm(heard: Iterable[Any]) -> list[Any]:
    """Return what would have approved, ended or changed something."""
    return [
        one
        for one in heard
        if isinstance(one, HARM)
        or (
            isinstance(one, m.Press)
            and "+".join(["ctrl"] * (one.mods & 4 > 0) + [one.key]) in APPROVING
        )
    ]


async def do(here: Visit, server: FakeOrchestrator, step: str, slip: Slip) -> None:
    """Do one step."""
    word, _, rest = step.partition(" ")
    one = ONE.session_id
    if word == "leader":
        await here.leader(rest)
    elif word == "see":
        await here.sees(rest)
    elif word == "type":
        await here.type(rest)
    elif word == "paste":
        here.app.screen.post_message(events.Paste(rest))
        if (focused := here.app.screen.focused) is not None:
            focused.post_message(events.Paste(rest))
        await here.pilot.pause(0.05)
    elif word == "click":
        if here.app.screen.query(rest):
            await here.pilot.click(rest)
    elif word in ("asks", "next"):
        server.asked[one] = NEXT if word == "next" else slip.standing or {}
        asks = {"phase": Condition.ATTENTION, "waits": True, "phase_since": time.time()}
        server.change(one, **asks, summary=word)
    elif step == "known":
        await here.until(lambda: here.app.query_one(prompts.Prompt)._keys.question)
    elif step == "guard is slow":
        server.refusals[m.GuardShow] = "later"
    elif step == "guard is empty":
        server.guard = {"proposal": [], "offered": []}
    elif step == "guard changes":
        server.guard = {"proposal": ["other"], "offered": ["other"]}
        server.change(one, guard=GuardStanding(proposed=1))
    else:
        await here.press(step)


@pytest.mark.parametrize("slip", SLIPS, ids=[slip.name for slip in SLIPS])
async def test_a_slip_approves_ends_and_loses_nothing(
    slip: Slip, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks_from_the_start = slip.first is ASKING
    for module in (prompts, judge_pane, guard_dialog):
        monkeypatch.setattr(module, "SETTLE_SECONDS", 0.0 if asks_from_the_start else 1000.0)
    monkeypatch.setattr(prompts, "BEHIND_SECONDS", 1000.0)
    with FakeOrchestrator(slip.first, TWO) as server:
        server.guard = {"proposal": ["write it", "test it"], "offered": ["write it", "test it"]}
        if slip.standing is not None:
            asks = slip.first is not ONE
            server.asked[ONE.session_id] = slip.standing if asks else QUIET
        async with visit(server) as here:
            for step in slip.steps:
                if step == "next":
                    monkeypatch.setattr(judge_pane, "SETTLE_SECONDS", 1000.0)
                await do(here, server, step, slip)
            await here.rests(server)
            assert harm(server.heard) == []
            assert [told.text for told in server.told(m.Send)] == ([slip.sent] if slip.sent else [])
            assert len(server.sessions) == 2


@pytest.mark.parametrize(
    "keys", ["9", "B", "a a", "Tab", "g", ";", "Backspace", "*", "E", "X", "G", "H", "v w"]
)
async def test_what_is_typed_right_behind_a_refused_key_is_for_nobody(keys: str) -> None:
    """It was meant for what the key was to open, or for the session that it was to go to."""
    refused: list[str] = []
    with FakeOrchestrator(ONE, TWO) as server:
        async with visit(server) as here:
            here.app.parts.typed_ahead.refuse = lambda: refused.append(here.text())  # type: ignore[method-assign]
            await here.leader("S", "S", *keys.split())
            assert len(refused) == 1
            assert here.app.parts.state.message_is_error


@pytest.mark.parametrize(
    ("leader", "keys", "refused"),
    [
        ("q", "n", 0), ("q", "yes", 2), ("x", "y1", 1), ("r", "y ", 0), ("o", "3 more", 5),
        ("G", "all fine", 6), ("G", "sorry", 2), ("G", "undo", 2),
        ("q", "ualit", 5), ("x", "1", 1), ("y", "wx", 2), ("c", "ls x", 0), (":", "quit y", 0),
        ("N", "jkl", 3), ("v", "quality", 0), ("T", "z", 1), ("[", "hjkl", 0),
    ],
)  # fmt: skip
async def test_what_is_typed_right_behind_a_key_without_meaning_is_for_nobody(
    leader: str, keys: str, refused: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ "quality" behind the leader key ended all sessions by its last letter."""
    monkeypatch.setattr(dialog, "BEHIND_SECONDS", 1000.0)
    monkeypatch.setattr(dialog, "ALONE_SECONDS", 1.0)
    found: list[str] = []
    with FakeOrchestrator(GUARDED, TWO) as server:
        server.guard = {"proposal": ["write it"], "offered": ["write it"]}
        async with visit(server) as here:
            here.app.parts.typed_ahead.refuse = lambda: found.append(here.text())  # type: ignore[method-assign]
            await here.leader(leader)
            await here.pilot.pause(0.05)
            await here.type(keys)
            await here.rests(server)
            assert len(found) == refused and harm(server.heard) == []


async def test_no_command_overtakes_what_was_typed_before_it() -> None:
    """ "abc", the leader and "c" in one go: "bc" became the command of a new session."""
    with FakeOrchestrator(ONE, TWO) as server:
        async with visit(server) as here:
            await here.leader("v")
            prompt = here.app.query_one(prompts.Prompt)
            await here.until(lambda: prompt.has_focus)
            for letter in "abc":
                here.app.post_message(events.Key(letter, letter))
            here.app.parts._led("c")
            await here.sees("New session", "Command")
            assert prompt.text == "abc"


async def test_what_is_typed_as_its_session_goes_is_for_no_other() -> None:
    refused: list[str] = []
    three = session(3, "three")
    with FakeOrchestrator(ONE, TWO, three) as server:
        async with visit(server) as here:
            state = here.app.parts.state
            here.app.parts.typed_ahead.refuse = lambda: refused.append(state.focused)  # type: ignore[method-assign]
            for gone in (three, ONE):
                server.push(m.SessionRemoved(session_id=gone.session_id))
                await here.until(lambda one=gone: one.session_id not in state.sessions)
            assert refused == [TWO.session_id]


async def test_two_clicks_on_a_choice_answer_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_pane, "SETTLE_SECONDS", 0.0)
    with FakeOrchestrator(ASKING, TWO) as server:
        server.asked[ONE.session_id] = STANDING
        async with visit(server) as here:
            await here.leader("y")
            await here.sees("touch made.txt")
            (line,) = (
                one for one in here.app.query(judge_pane.PaneLine) if "Yes" in str(one.content)
            )
            monkeypatch.setattr(judge_pane, "SETTLE_SECONDS", 1000.0)
            here.app.parts.main.judge_pane._asked_at = float("-inf")
            await here.pilot.click(line)
            server.asked[ONE.session_id] = NEXT
            server.change(ONE.session_id, phase_since=time.time(), summary="And then?")
            await here.sees("And then?")
            await here.pilot.click(line)
            await here.rests(server)
            assert [told.question for told in server.told(m.Answer)] == ["abc"]
