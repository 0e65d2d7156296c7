"""What users type, press, paste and point at, on its way to the child."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.text.screen import Modes
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.terminal.keys import encode_key, parse_key
from nagomi_tui.terminal.mouse import encode_focus, encode_mouse
from nagomi_tui.terminal.paste import encode_paste
from nagomi_tui.words import mark
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from nagomi_tui.api import messages
    from nagomi_tui.orchestrator.judging.judges import Judges
    from nagomi_tui.orchestrator.runtime.alarms import Alarms
    from nagomi_tui.orchestrator.runtime.requester import Requester
    from nagomi_tui.orchestrator.sessions.audience import Tell
    from nagomi_tui.orchestrator.sessions.live import Live

_PIECE: Final = 64 * 1024
"""Characters in one `send_input`: six bytes each at worst, well below the limit of a line."""
ENTER_PAUSE: Final = 0.06
"""A program that tells a paste from typing by its speed sees Enter as a key of its own."""


class Hands:
    """Types into sessions; keeps what was typed in its order."""

    def __init__(self, alarms: Alarms, judges: Judges, tell: Tell) -> None:
        self._alarms = alarms
        self._judges = judges
        self._tell = tell
        self._enters: set[Live] = set()

    def type_text(self, who: Requester | None, live: Live, text: str) -> None:
        """Send text exactly as it is."""
        self._owed_enter(live)
        self._send(live, text)
        # The worker goes on meanwhile; nothing that it answers is taken in before this is noted.
        self._noted(who, live, text)

    def press(self, who: Requester | None, live: Live, press: messages.Press) -> None:
        """Send a key, encoded for the child's modes at this moment."""
        data = encode_key(press.key, press.mods, press.text, press.action, modes_of(live))
        if data:
            self.type_text(who, live, data.decode("utf-8", "replace"))

    def press_named(self, who: Requester, live: Live, names: tuple[str, ...]) -> None:
        """Press keys by name, one after the other.

        Raises:
            Refusal: one has no such name; nothing was pressed then.
        """
        keys = [_parsed(name) for name in names]
        for key, mods in keys:
            data = encode_key(key, mods, "", "press", modes_of(live))
            self.type_text(who, live, data.decode("utf-8", "replace"))

    def paste(self, who: Requester | None, live: Live, text: str) -> None:
        """Send pasted text, bracketed where the child asked for it."""
        self.type_text(who, live, encode_paste(text, modes_of(live).bracketed_paste))

    def say(
        self,
        who: Requester,
        live: Live,
        text: str,
        *,
        enter: bool,
        pause: float | None = None,
    ) -> None:
        """Type a text as a user would; one of several lines is pasted, and Enter comes apart."""
        if "\n" in text or "\r" in text:
            self.paste(who, live, text)
        elif text:
            self.type_text(who, live, text)
        if not enter:
            return
        self._enters.add(live)
        if text:
            pause = ENTER_PAUSE if pause is None else pause
            self._alarms.after(pause, (live, "enter"), lambda: self._owed_enter(live))
        else:
            self._owed_enter(live)

    def owes_enter(self, live: Live) -> bool:
        """Tell whether the Enter behind a text is still to come."""
        return live in self._enters

    def point(self, live: Live, at: messages.Point) -> None:
        """Send the mouse where the child asked for it."""
        data = encode_mouse(at.x, at.y, at.button, at.action, at.mods, modes_of(live))
        if data:
            live.run.warm()
            self._send(live, data.decode("latin-1"))

    def focus(self, live: Live, gained: bool) -> None:
        """Tell the child that it has the keys now, where it asked for that."""
        if data := encode_focus(gained, modes_of(live)):
            self._send(live, data.decode("ascii"))

    # --- steps

    def _owed_enter(self, live: Live) -> None:
        if live in self._enters:
            self._enters.discard(live)
            self._alarms.cancel((live, "enter"))
            data = encode_key("enter", 0, "", "press", modes_of(live)).decode("ascii")
            self._noted(None, live, "\r", keep_text=True)
            self._send(live, data)

    def _noted(
        self, who: Requester | None, live: Live, text: str, *, keep_text: bool = False
    ) -> None:
        """Take down that it was typed into: when, what, and where the cursor stood."""
        run = live.run
        now = time.time()
        run.warm()
        run.typed_at = run.seen_at = now
        if who is not None:
            live.typed_by = who.identity
        if not keep_text and not live.info.secret:
            run.typed_text = text[-4096:] if len(text) > 1 else (run.typed_text + text)[-4096:]
        if run.screen is not None and not keep_text:
            run.turn_line = run.screen.bounds[1] + run.screen.cursor.y
        if "\r" in text or "\n" in text:
            run.called_at = None
        self._judges.typed(live, text)

    def _send(self, live: Live, text: str) -> None:
        run = live.run
        if run.link is None or not live.running:
            return
        if not run.link.takes_input:
            sentence = mark("{name} does not read what is typed; the rest was not sent.")
            self._tell("error", sentence, name=live.info.name)
            return
        for at in range(0, len(text), _PIECE):
            piece = text[at : at + _PIECE]
            run.link.send(protocol.SendInput(session_id=live.session_id, text=piece))


def modes_of(live: Live) -> Modes:
    """What the child has asked of its terminal; nothing while it is being rebuilt."""
    return live.run.screen.modes if live.run.screen is not None else Modes()


def _parsed(name: str) -> tuple[str, int]:
    try:
        return parse_key(name)
    except ValueError as exc:
        raise Refusal("bad_request", mark("There is no key `{name}`."), name=name) from exc
