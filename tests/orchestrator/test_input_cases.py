"""Typing, pressing, pointing, sending and answering, with a terminal but without a socket."""

from __future__ import annotations

import os
import subprocess
import sys
import tty
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import anyio
import pytest

from nagomi_tui.judge.questions import Choice, Question
from nagomi_tui.orchestrator.input.answering import Answering
from nagomi_tui.orchestrator.input.sender import KEPT_SECONDS, InputSender, Open
from nagomi_tui.orchestrator.input.sending import Sending, _Kept
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.sessions.session import State
from nagomi_worker.wire import protocol
from tests.helpers.moved_clock import MovedClock
from tests.helpers.use_cases import ASKER, FakeLink, Log, held
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.orchestrator.sessions.session import SessionRuntime


MENU = Question(
    question_id="q1", text="Do it?", choices=(Choice("1", "Yes"), Choice("escape", "No"))
)
LINE = Question(question_id="q2", text="Go on?", choices=(Choice("y"), Choice("n")), by_line=True)


class Screen:
    """Stands for what reads screens: one thing stands open, until something was typed."""

    def __init__(self, open_now: Open, *, goes: bool = True) -> None:
        self.open = open_now
        self.goes = goes

    async def look(self, _session: Any) -> Open:
        return self.open

    def read(self, session: SessionRuntime) -> Open:
        typed = cast("FakeLink", session.run.link).sent
        return Open() if typed and self.goes else self.open

    def manifest_of(self, _session: Any) -> None:
        return None

    def foreground(self, _session: Any) -> None:
        return None

    def was_unseen(self, _session: Any, _since: float) -> bool:
        return False


class Typing:
    """A sender with a clock that a test moves."""

    def __init__(self) -> None:
        self.clock = MovedClock()
        self.judges = Log()
        self.told: list[str] = []
        self.sender = InputSender(self.clock.alarms, cast("Any", self.judges), self.tell)

    def tell(self, _kind: str, sentence: str, /, **values: object) -> None:
        self.told.append(sentence.format(**values))

    def seeing(self, stands: Open, *, goes: bool = True) -> InputSender:
        """Return the sender, for whom this stands open."""
        self.sender.asking = cast("Any", Screen(stands, goes=goes))
        return self.sender


@pytest.fixture
def typing() -> Typing:
    return Typing()


def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at screens, and give up, at once."""
    for module in ("answering", "sending"):
        monkeypatch.setattr(f"nagomi_tui.orchestrator.input.{module}._LOOK_PAUSE", 0.001)
        monkeypatch.setattr(f"nagomi_tui.orchestrator.input.{module}._TAKEN_SECONDS", 0.02)
    monkeypatch.setattr("nagomi_tui.orchestrator.input.answering._SEEN_SECONDS", 0.002)


# --- keys and the mouse, as values


@pytest.mark.parametrize(
    ("modes", "sent"), [(b"", "\x1b[A"), (b"\x1b[?1h", "\x1bOA"), (b"\x1b[?1h\x1b[?1l", "\x1b[A")]
)
def test_a_key_is_encoded_for_the_modes_of_the_moment(
    typing: Typing, tmp_path: Path, modes: bytes, sent: str
) -> None:
    one, link = held(tmp_path, modes)
    typing.sender.press(ASKER, one, "up")
    assert link.typed == sent and one.typed_by == ASKER.identity
    assert typing.judges.names == ["typed"] and one.run.hot


@pytest.mark.requirement("N-141")
def test_what_is_typed_before_a_terminal_is_rebuilt_is_sent_once_it_is(
    typing: Typing, tmp_path: Path
) -> None:
    """A new orchestrator serves before it has found the workers; keys need the terminal's modes."""
    early = typing.sender.early
    one, link = held(tmp_path)
    one.run.rebuilt, one.run.link, there = anyio.Event(), None, one.run.link
    early.call(one, lambda: typing.sender.type_text(ASKER, one, "ls"))
    early.call(one, lambda: typing.sender.press(ASKER, one, "up"))
    typing.clock.move(3)
    assert link.sent == []
    one.run.link = there
    assert one.run.screen is not None
    one.run.screen.feed(b"\x1b[?1h")
    one.run.rebuilt.set()
    early.call(one, lambda: typing.sender.type_text(ASKER, one, "!"))
    typing.clock.move(0.1)
    assert link.typed == "ls\x1bOA!"
    early.call(one, lambda: typing.sender.type_text(ASKER, one, "?"))
    assert link.typed == "ls\x1bOA!?"


def test_what_is_typed_while_a_session_is_being_started_is_sent_once_it_runs(
    typing: Typing, tmp_path: Path
) -> None:
    early = typing.sender.early
    one, link = held(tmp_path)
    one.run.rebuilt, one.run.link, there = anyio.Event(), None, one.run.link
    one.change(state=State.STARTING)
    early.call(one, lambda: typing.sender.type_text(ASKER, one, "ls"))
    typing.clock.move(1)
    assert link.sent == []
    one.run.link = there
    one.change(state=State.RUNNING)
    one.run.rebuilt.set()
    typing.clock.move(0.1)
    assert link.typed == "ls"


@pytest.mark.requirement("N-141")
def test_what_was_typed_into_a_terminal_that_does_not_come_back_is_told(
    typing: Typing, tmp_path: Path
) -> None:
    early = typing.sender.early
    one, link = held(tmp_path)
    one.run.rebuilt = anyio.Event()
    early.call(one, lambda: typing.sender.type_text(ASKER, one, "ls"))
    typing.clock.move(KEPT_SECONDS + 1)
    assert link.sent == []
    assert typing.told == ["one is not there again yet; what was typed was not sent."]


def test_a_released_key_is_sent_only_to_who_asked_for_it(typing: Typing, tmp_path: Path) -> None:
    one, link = held(tmp_path)
    typing.sender.press(ASKER, one, "a", text="a", action="release")
    assert link.sent == []
    typing.sender.press(ASKER, one, "c", mods=4)
    assert link.typed == "\x03"


def test_the_mouse_is_sent_only_to_who_asked_for_it(typing: Typing, tmp_path: Path) -> None:
    one, link = held(tmp_path)
    typing.sender.point(one, (2, 1), button=0, action="press")
    assert link.sent == []
    two, link = held(tmp_path, b"\x1b[?1000h\x1b[?1006h")
    typing.sender.point(two, (2, 1), button=0, action="press")
    typing.sender.point(two, (2, 1), button=0, action="release")
    assert link.typed == "\x1b[<0;3;2M\x1b[<0;3;2m"
    old, link = held(tmp_path, b"\x1b[?1000h")
    typing.sender.point(old, (2, 1), button=0, action="press")
    typing.sender.point(old, (150, 1), button=0, action="press")
    sent = [(one.text, one.raw) for one in link.sent if isinstance(one, protocol.SendInput)]
    assert sent == [('\x1b[M #"', False), ('\x1b[M ·"', True)]


def test_keys_by_name_are_pressed_all_or_none(typing: Typing, tmp_path: Path) -> None:
    one, link = held(tmp_path)
    with pytest.raises(Refusal, match="no key"):
        typing.sender.press_named(ASKER, one, ("enter", "nokey"))
    assert link.sent == []
    typing.sender.press_named(ASKER, one, ("ctrl+u", "enter"))
    assert link.typed == "\x15\r"


def test_enter_comes_apart_and_before_whatever_is_typed_next(
    typing: Typing, tmp_path: Path
) -> None:
    one, link = held(tmp_path)
    typing.sender.send_text(ASKER, one, "make", enter=True)
    assert link.typed == "make" and typing.sender.owes_enter(one)
    typing.clock.move(0.1)
    assert link.typed == "make\r"
    typing.sender.send_text(ASKER, one, "a", enter=True)
    typing.sender.type_text(ASKER, one, "b")
    assert link.typed == "make\ra\rb"


def test_lines_are_pasted_and_bracketed_where_that_is_wanted(
    typing: Typing, tmp_path: Path
) -> None:
    one, link = held(tmp_path, b"\x1b[?2004h")
    typing.sender.send_text(ASKER, one, "a\nb", enter=False)
    assert link.typed.startswith("\x1b[200~a") and link.typed.endswith("b\x1b[201~")


def test_what_a_worker_does_not_take_is_told(typing: Typing, tmp_path: Path) -> None:
    one, link = held(tmp_path)
    link.takes_input = False
    typing.sender.type_text(ASKER, one, "x")
    assert link.sent == [] and "one does not read what is typed" in typing.told[0]


# --- sending


@pytest.mark.parametrize(
    ("stands", "sentence"),
    [(Open(MENU), "one asks: Do it?"), (Open(None, "half a thought"), "“half a thought”")],
)
async def test_nothing_is_sent_over_a_question_or_a_draft(
    typing: Typing, tmp_path: Path, stands: Open, sentence: str
) -> None:
    one, link = held(tmp_path)
    sending = Sending(typing.seeing(stands))
    with pytest.raises(Refusal) as caught:
        await sending.send(ASKER, one, "hello")
    assert sentence in caught.value.in_language(ASKER.words) and link.sent == []


async def test_an_answer_to_a_line_passes_and_force_does_always(
    typing: Typing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(monkeypatch)
    one, link = held(tmp_path)
    await Sending(typing.seeing(Open(LINE))).send(ASKER, one, "y")
    await Sending(typing.seeing(Open(MENU))).send(ASKER, one, "1", enter=False, force=True)
    assert link.typed == "y\r1"


@pytest.mark.parametrize("echoed", [True, False])
async def test_a_text_is_taken_when_it_shows(
    typing: Typing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, echoed: bool
) -> None:
    quick(monkeypatch)
    one, link = held(tmp_path)

    def echo(_message: Any) -> None:
        assert one.run.screen is not None
        if echoed:
            one.run.screen.feed(b"hello there")
            one.run.offset += 11

    link._on_send = echo
    sending = Sending(typing.seeing(Open()))
    sent = await sending.send(ASKER, one, "hello there", enter=False)
    assert sent.taken is (True if echoed else None)


# --- answering


def answering(typing: Typing, stands: Open, *, goes: bool = True) -> Answering:
    return Answering(typing.seeing(stands, goes=goes))


async def test_a_choice_is_one_key_and_its_question_goes(
    typing: Typing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(monkeypatch)
    one, link = held(tmp_path)
    sent = await answering(typing, Open(MENU)).answer(ASKER, one, "1", question="q1")
    assert (sent.choice.label, sent.by_line, sent.taken) == ("Yes", False, True)
    assert link.typed == "1"
    two, link = held(tmp_path)
    await answering(typing, Open(MENU)).answer(ASKER, two, "escape")
    assert link.typed == "\x1b"


@pytest.mark.parametrize(
    ("stands", "choice", "question", "sentence"),
    [
        (Open(), "1", "", "asks nothing"),
        (Open(MENU), "1", "q0", "asks something else by now"),
        (Open(MENU), "7", "", "none of its choices: 1, escape"),
    ],
)
async def test_what_does_not_stand_there_is_not_answered(
    typing: Typing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    stands: Open, choice: str, question: str, sentence: str,
) -> None:  # fmt: skip
    quick(monkeypatch)
    one, link = held(tmp_path)
    with pytest.raises(Refusal) as caught:
        await answering(typing, stands).answer(ASKER, one, choice, question=question)
    assert sentence in caught.value.in_language(ASKER.words) and link.sent == []


async def test_the_same_line_is_not_answered_twice_before_it_was_taken(
    typing: Typing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(monkeypatch)
    one, link = held(tmp_path)
    answers = answering(typing, Open(LINE), goes=False)
    assert not (await answers.answer(ASKER, one, "y")).taken
    before = link.typed
    with pytest.raises(Refusal, match="has not taken the last answer"):
        await answers.answer(ASKER, one, "y")
    assert link.typed == before


@pytest.mark.skipif(sys.platform != "linux", reason="what the kernel keeps is asked for on Linux")
def test_an_echo_that_comes_late_is_no_sign_that_a_line_was_read() -> None:
    """The program throws the line away; only then its echo reaches the screen."""
    ours, terminal = os.openpty()
    shown: list[SimpleNamespace] = []
    with subprocess.Popen(["sleep", "60"], stdin=terminal) as reader:
        session: Any = SimpleNamespace(
            info=SimpleNamespace(is_local=True, pid=reader.pid),
            run=SimpleNamespace(offset=0, screen=SimpleNamespace(screen=lambda: shown)),
        )
        sender: Any = SimpleNamespace(owes_enter=lambda _session: False)
        kept = _Kept(sender, session, "a-word", reads=False)
        os.write(ours, b"a-word\r")
        until(lambda: kept.look() and kept.unread)
        tty.setraw(terminal)
        shown.append(SimpleNamespace(text="a-word"))
        kept.look()
        assert kept.thrown_away
        reader.kill()
    os.close(ours)
    os.close(terminal)
