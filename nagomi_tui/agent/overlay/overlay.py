"""The state of the work overlay, how it changes, and the fixed answers to its commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.agent.overlay.command import MOST_TURNS
from nagomi_tui.agent.overlay.directive import WORK_OVERLAY_DIRECTIVE

if TYPE_CHECKING:
    from nagomi_tui.agent.common.values import Route
    from nagomi_tui.agent.overlay.command import WorkCommand

USAGE: Final = "使い方: /work [N] | /work status | /work off"

_ON: Final = "了解しました。以後{turns}ターン、仕事モードで進めます。"
_LEFT: Final = "仕事モード残り：{turns}ターン。解除は /normal です。"
_OFF: Final = "了解しました。会話モードに戻します。"
_IS_OFF: Final = "現在は会話モードです。仕事モードは /work で有効にできます。"


class Overlay(
    msgspec.Struct,
    frozen=True,
    omit_defaults=True,
    rename={
        "turns_left": "work_overlay_turns_left",
        "directive": "work_overlay_directive",
    },
):
    """The turns left and the directive, encoded under their names in the conversation index."""

    turns_left: int = 0
    directive: str = ""

    @property
    def active(self) -> bool:
        """Whether a chat turn is sent with the directive (W-21)."""
        return self.turns_left > 0 and self.directive != ""

    def used(self) -> Overlay:
        """Return the overlay after one more turn; the last turn clears the directive (W-24)."""
        if self.turns_left <= 1:
            return Overlay()
        return Overlay(self.turns_left - 1, self.directive)

    def fields(self) -> dict[str, int | str]:
        """Return both fields under their stored names, including those with default values."""
        return {
            "work_overlay_turns_left": self.turns_left,
            "work_overlay_directive": self.directive,
        }


def restored(turns_left: int, directive: str, current: str = WORK_OVERLAY_DIRECTIVE) -> Overlay:
    """Return a stored overlay with its directive replaced by the current one (WB-8)."""
    if turns_left <= 0 or not directive:
        return Overlay()
    return Overlay(min(turns_left, MOST_TURNS), current)


def changed(
    overlay: Overlay, command: WorkCommand, current: str = WORK_OVERLAY_DIRECTIVE
) -> Overlay:
    """Return the overlay after a command; `status` changes nothing (W-16, W-17)."""
    if command.kind == "on":
        return Overlay(command.turns, current)
    return Overlay() if command.kind == "off" else overlay


def replies(overlay: Overlay, command: WorkCommand) -> tuple[str, ...]:
    """Return the lines that answer a command, given the overlay after it (W-27 to W-29)."""
    if command.kind == "on":
        return (_ON.format(turns=command.turns),)
    if command.kind == "off":
        return (_OFF,)
    status = _LEFT.format(turns=overlay.turns_left) if overlay.active else _IS_OFF
    return (status, USAGE) if command.usage else (status,)


def directive_for(route: Route, overlay: Overlay) -> str:
    """Return the directive for a request of this route; empty outside chat (W-21, F-17)."""
    return overlay.directive if route == "chat" and overlay.active else ""


def after_turn(overlay: Overlay, *, route: Route, answer: str, done: bool) -> Overlay:
    """Return the overlay after a turn.

    Only a chat turn counts, and only if it completed with an answer that is not blank (WB-3). It
    counts once, however many tools it used (X-10).
    """
    counts = route == "chat" and done and answer.strip() != ""
    return overlay.used() if counts else overlay
