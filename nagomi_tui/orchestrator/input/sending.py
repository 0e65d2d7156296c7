"""Types texts into sessions unless a question or draft is open, and checks that they arrive.

The kernel echoes what is typed while a program starts up, and keeps it until the program reads. One that
opens its screen or asks for a password throws it away first, as `tcsetattr` does with TCSAFLUSH. So
an echo tells little: it is looked at whether what the kernel keeps is read.
"""

from __future__ import annotations

import os
import stat
import struct
import time
from typing import Final, NamedTuple

import anyio

from nagomi_tui.api.messages import Sent
from nagomi_tui.judge.evidence import Wait
from nagomi_tui.judge.questions import Question
from nagomi_tui.judge.verdict import shorten
from nagomi_tui.orchestrator.input.sender import InputSender, Open
from nagomi_tui.orchestrator.runtime.requests import Refusal, Requester
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.sessions.table import naming
from nagomi_tui.system.platforms import LINUX
from nagomi_tui.text.words import translatable

_TAKEN_SECONDS: Final = 2.0
_LOOK_PAUSE: Final = 0.05
_READ_SECONDS: Final = 5.0
"""Seconds for a program that starts up to read what was typed."""
_ECHO_SECONDS: Final = 0.3
"""Seconds for the Enter to reach the terminal of a program that echoes nothing."""
_SURE_AFTER: Final = 0.5
"""Seconds after Enter from which an empty input field means that the text was taken."""
_PASTED: Final = "[pasted"
"""How agents show a long paste in their input field."""
_SAMPLE: Final = 24
"""Characters of a text that are looked for on the screen."""


class _Order(NamedTuple):
    """The text to be typed, and whether Enter follows."""

    text: str
    enter: bool


class Sending:
    """Sends texts to sessions: from the prompt of a front end, or from `nagomi send`."""

    def __init__(self, sender: InputSender) -> None:
        self._sender, self._asking = sender, sender.asking

    async def send(
        self,
        who: Requester,
        session: SessionRuntime,
        text: str,
        *,
        enter: bool = True,
        force: bool = False,
        once: str = "",
    ) -> Sent:
        """Type a text, followed by Enter if wanted, and return whether it was taken.

        With `force` it is typed even if a question or draft is open. Of a text that is named `once`
        only what was not typed yet is typed.

        Raises:
            Refusal: a question or a draft is open; nothing was sent.
        """
        order = _Order(text, enter)
        found = await self._asking.look(session)
        if not force and not (once and once in session.run.inputs.parts):
            self._check_free(session, found, order)
        manifest = self._asking.manifest_of(session)
        pause = manifest.input.enter_pause if manifest and manifest.input else None
        hidden, began = session.info.secret, time.monotonic()
        kept = self._kept(session, order)
        offset = session.run.offset
        self._sender.send_text(who, session, text, enter=enter, pause=pause, once=once)
        taken = await self._taken(session, order, found, kept, offset, pause or 0.0)
        hidden = hidden or self._asking.was_unseen(session, began)
        return Sent(**naming(session), taken=taken, hidden=hidden)

    async def tell_agent(self, who: Requester, session: SessionRuntime, text: str) -> bool:
        """Type for the user what they would have to write after an approval; tell whether it was taken.

        It goes into the input of the agent in front.
        """
        if not session.running:
            return False
        found = await self._asking.look(session)
        rules = self._asking.manifest_of(session)
        if rules is None or rules.kind != "agent" or found.draft != "":
            return False
        try:
            sent = await self.send(who, session, text)
        except Refusal:
            return False
        return sent.taken is not False

    def _check_free(self, session: SessionRuntime, found: Open, order: _Order) -> None:
        question = found.question
        if question is not None and not _answers(question, order):
            sentence = translatable(
                "{name} asks: {question} Nothing was sent; `nagomi answer` answers it, "
                "and `--force` sends all the same."
            )
            raise Refusal("refused", sentence, name=session.info.name, question=question.text)
        if found.draft:
            sentence = translatable(
                "A draft stands in the input of {name}: “{draft}”. Nothing was sent; "
                "`--force` sends all the same."
            )
            draft = shorten(" ".join(found.draft.split()), 60)
            raise Refusal("refused", sentence, name=session.info.name, draft=draft)

    def _kept(self, session: SessionRuntime, order: _Order) -> _Kept:
        """Return what watches over a text that is about to be typed."""
        first = next(iter(order.text.strip().splitlines()), "")
        seen = self._asking.foreground(session)
        reads = seen is not None and seen.wait is Wait.READ
        return _Kept(self._sender, session, "".join(first.split())[:_SAMPLE], reads=reads)

    async def _taken(
        self,
        session: SessionRuntime,
        order: _Order,
        found: Open,
        kept: _Kept,
        offset: int,
        pause: float,
    ) -> bool | None:
        """Return whether a text has arrived; None if the screen cannot tell."""
        if not order.text.strip():
            return None
        sample, seen = kept.sample, False
        began = time.monotonic()
        while session.running:
            patience = _READ_SECONDS if kept.unread else _TAKEN_SECONDS
            if time.monotonic() > began + patience + pause:
                break
            await anyio.sleep(_LOOK_PAUSE)
            if kept.look():
                continue
            if session.run.offset == offset or session.run.backlog:
                continue
            seen = seen or _times_shown(session, sample) > 0
            rest = time.monotonic() - began - pause
            if found.draft is None:
                taken = seen or order.enter
                if order.enter and self._has_field(session):
                    # A field may have appeared by now, as in an agent that was still starting.
                    taken = rest > _SURE_AFTER and not self._stands_in_field(session, sample)
            else:
                taken = self._input_took(session, order, sample, seen=seen, rest=rest)
            if taken and not (kept.untold and found.draft is None):
                return not kept.thrown_away
        if kept.unread or kept.thrown_away or kept.untold:
            return False
        if found.draft is None:
            if order.enter and self._stands_in_field(session, sample):
                return False
            return None if session.running else True
        return False

    def _has_field(self, session: SessionRuntime) -> bool:
        manifest = self._asking.manifest_of(session)
        return manifest is not None and manifest.input is not None

    def _stands_in_field(self, session: SessionRuntime, sample: str) -> bool:
        """Return whether an agent's input field holds a text that was typed."""
        held = "".join((self._asking.read(session).draft or "").split())
        return sample in held or _PASTED in held.lower()

    def _input_took(
        self, session: SessionRuntime, order: _Order, sample: str, *, seen: bool, rest: float
    ) -> bool:
        """Return whether an agent's input field holds the text, or with Enter is empty again."""
        if not order.enter:
            return self._stands_in_field(session, sample)
        if self._sender.owes_enter(session) or self._asking.read(session).draft:
            return False
        return seen or rest > _SURE_AFTER


class _Terminal(NamedTuple):
    """What the kernel holds for the programs of a terminal."""

    unread: int
    """Bytes that were typed and that a program could read."""
    modes: tuple[bool, bool]
    """Whether it takes whole lines, and echoes."""


class _Kept:
    """Watches whether a program reads what was typed, or the kernel throws it away.

    That is told of sessions on this machine, on Linux. It is made before anything is typed.
    """

    def __init__(
        self, sender: InputSender, session: SessionRuntime, sample: str, *, reads: bool
    ) -> None:
        self._sender, self._session, self.sample = sender, session, sample
        self._reads = reads
        """Somebody waits for the line, and gets it, whatever they make of the terminal then."""
        before = _terminal(session)
        lines = before is not None and before.modes[0] and not reads
        self._before = before if lines else None
        """The terminal in line mode, while nobody was seen to read from it."""
        self._entered_at: tuple[float, int] | None = None
        self._emptied_at: float | None = None
        """When it was seen to lie there no more."""
        self._modes: tuple[bool, bool] | None = None
        self._begun = self._times = self._shown()
        self.unread = False
        """Nobody has read it so far."""
        self.thrown_away = False
        """It is gone, and the program that is there now does not seem to have read it."""
        self._gone: _Terminal | None = None
        """The terminal as it was before, while the text was gone at the first look and its mode stays."""
        self.untold = False
        """It was gone at the first look, and then the terminal's mode: read, or thrown away."""

    def look(self) -> bool:
        """Look once; return whether a later look can tell more."""
        if self._sender.owes_enter(self._session):
            return True
        if (found := _terminal(self._session)) is None:
            return False
        now, offset = time.monotonic(), self._session.run.offset
        if self._entered_at is None:
            self._entered_at = (now, offset)
            self._gone = None if found.unread else self._before
        waits = now < self._entered_at[0] + _ECHO_SECONDS
        if self._gone and self._gone.modes != found.modes:
            self._gone, self.untold = None, True
        if found.unread:
            self.unread, self._modes, self._emptied_at = True, found.modes, None
            # The kernel has echoed it, where it does; that may not have come here yet.
            self._times = max(self._shown(), self._begun + found.modes[1])
            return True
        if self.unread and self._modes != found.modes:
            # A shell that reads such a line echoes it once more behind its prompt.
            self.thrown_away = not self._reads and self._shown() <= self._times
            self.unread = False
            return self.thrown_away
        self._emptied_at = self._emptied_at or now
        if self.unread and now < self._emptied_at + _ECHO_SECONDS:
            return True
        if self.untold and self._before is not None:
            self.untold = self._shown() <= self._begun + self._before.modes[1]
            return self.untold
        self.unread = False
        # The kernel throws it away before it changes the mode, and waits for all output in between.
        return waits and (self._gone is not None or offset == self._entered_at[1])

    def _shown(self) -> int:
        return _times_shown(self._session, self.sample)


if LINUX:
    # At once, since a process that is out of descriptors cannot load them.
    import fcntl
    import termios

    def _terminal(session: SessionRuntime) -> _Terminal | None:
        """Return how the terminal of a session's first process is; None where that cannot be told."""
        if not session.info.is_local or session.info.pid is None:
            return None
        path = f"/proc/{session.info.pid}/fd/0"
        try:
            if not stat.S_ISCHR(os.stat(path).st_mode):
                return None
            fd = os.open(path, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            modes: int = termios.tcgetattr(fd)[3]
            (unread,) = struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0" * 4))
        except (OSError, termios.error):
            return None
        finally:
            os.close(fd)
        return _Terminal(unread, (bool(modes & termios.ICANON), bool(modes & termios.ECHO)))

else:

    def _terminal(session: SessionRuntime) -> _Terminal | None:
        """Return nothing: it cannot be told here how a terminal is."""
        return None


def _answers(question: Question, order: _Order) -> bool:
    """Return whether the text is one of the answers that a program reading a line offers."""
    return question.by_line and order.enter and question.choice(order.text.strip()) is not None


def _times_shown(session: SessionRuntime, sample: str) -> int:
    """Return how often a text stands on the screen, whatever blanks are in it."""
    screen = session.run.screen
    rows = screen.screen() if screen is not None else ()
    return "".join("".join(row.text.split()) for row in rows).count(sample)
