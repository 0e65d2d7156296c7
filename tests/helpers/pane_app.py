"""A small app of four panes, run by tests under a real terminal: `pane_app ADDRESS PAINTER`.

Its orchestrator tells it what to do by notices, and hears what happened by `seen` messages.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import sys
import termios
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import App, ComposeResult
from textual.containers import Grid
from textual.screen import ModalScreen
from textual.widgets import Input, Label

from nagomi_tui.api.messages import Goodbye, Hello, Notice, Seen, ToClient
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.common.textual_private import placed
from nagomi_tui.view.driver.driver import NagomiDriver, driver_of
from nagomi_tui.view.pane.pane import TerminalPane

if TYPE_CHECKING:
    from textual import events

SESSIONS = [f"{n}" * 8 for n in range(1, 5)]


class Dialog(ModalScreen[None]):
    CSS = "Dialog { align: center middle; } Input { width: 30; } Label { width: 30; }"

    def compose(self) -> ComposeResult:
        yield Label("a dialog")
        yield Input(id="answer")


class PaneApp(App[None]):
    CSS = """
    Grid { grid-size: 2; height: 1fr; }
    #bar { height: 1; }
    Grid.big TerminalPane:first-child { column-span: 2; }
    """
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, address: Path, painter: str) -> None:
        super().__init__(driver_class=NagomiDriver)
        self.link = Link(Hello(version="0", front_end=True), address=address)
        self.painter = painter
        self.animation_level = "none"

    def compose(self) -> ComposeResult:
        with Grid():
            for session in SESSIONS:
                yield TerminalPane(self.link, session, fps=30)
        yield Label("bar", id="bar")

    def on_mount(self) -> None:
        driver = driver_of(self)
        assert driver is not None
        driver.set_painter(self.painter)
        driver.routed.on_leader = self.leader
        driver.routed.on_leader_pending = lambda pending: self.report("pending", pending)
        self.link.on_message = self.heard
        self.link.on_connected = lambda up: self.report("connected", up)
        self.link.start(asyncio.get_running_loop())
        driver.routed.resume()

    def on_unmount(self) -> None:
        self.link.stop()

    def report(self, *what: object) -> None:
        self.link.send(Seen(session=json.dumps(what)))

    def leader(self, key: str) -> None:
        self.report("leader", key)
        driver = driver_of(self)
        assert driver is not None
        if key == "c":
            driver.keys_to(None)
            self.run_worker(self.open_dialog())
        else:
            driver.routed.resume()

    async def open_dialog(self) -> None:
        dialog = Dialog()
        await self.push_screen(dialog)
        dialog.query_one(Input).focus()
        driver = driver_of(self)
        assert driver is not None
        driver.routed.resume()

    def on_key(self, event: events.Key) -> None:
        self.report("key", event.key, event.character)

    def on_paste(self, event: events.Paste) -> None:
        self.report("paste", len(event.text))

    def on_terminal_pane_clicked(self, event: TerminalPane.Clicked) -> None:
        self.report("clicked", event.pane.session_id, event.x, event.y, event.double)

    def on_input_changed(self, event: Input.Changed) -> None:
        self.report("input", event.value)

    def heard(self, message: ToClient) -> None:
        if isinstance(message, Goodbye):
            self.exit()
        elif isinstance(message, Notice):
            command, _, rest = message.text.partition(" ")
            getattr(self, f"do_{command}")(rest)

    def do_keys(self, session: str) -> None:
        driver = driver_of(self)
        assert driver is not None
        driver.keys_to(session or None)
        self.report("keys", session)

    def do_toast(self, text: str) -> None:
        self.notify(text, timeout=600)

    def do_untoast(self, _rest: str) -> None:
        self.clear_notifications()

    def do_dialog(self, _rest: str) -> None:
        self.push_screen(Dialog())

    def do_pop(self, _rest: str) -> None:
        self.pop_screen()

    def do_theme(self, name: str) -> None:
        self.theme = name

    def do_big(self, _rest: str) -> None:
        self.query_one(Grid).toggle_class("big")

    def do_bar(self, text: str) -> None:
        self.query_one("#bar", Label).update(text)

    def do_crash(self, _rest: str) -> None:
        raise RuntimeError("crashed on purpose")

    def do_look(self, tag: str) -> None:
        """Report what Textual thinks is on the screen, and where the panes are."""
        strips = self.screen._compositor.render_strips()
        driver = driver_of(self)
        assert driver is not None
        places = [
            (pane.session_id, *placed(pane), pane.buffer.terminal.exposed_at is not None)
            for pane in self.screen_stack[0].query(TerminalPane)
        ]
        frames = driver.frame_writer.frames if driver.frame_writer else -1
        self.report("look", tag, [strip.text for strip in strips], places, frames)


if __name__ == "__main__":
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    PaneApp(Path(sys.argv[1]), sys.argv[2]).run()
