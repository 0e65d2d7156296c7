"""The work overlay: its commands, state and place in a request; its text lies in `config/`."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from threading import Lock
from typing import Final, Literal, TypeAlias

import msgspec

from nagomi_tui.agent.providers.interface import Block, Message, ModelRequest, Route, results_of
from nagomi_tui.system import files, paths
from nagomi_tui.system.decoding import from_builtins
from nagomi_tui.text.cells import printable

DEFAULT_WORK_OVERLAY_TURNS: Final = 8
MOST_TURNS: Final = 50

Kind: TypeAlias = Literal["on", "off", "status", ""]

_NUMBER: Final = re.compile("[0-9]{1,2}")


class WorkCommand(msgspec.Struct, frozen=True):
    """What a line asks of the overlay; `ok` is false where it is no command of the overlay."""

    kind: Kind = ""
    turns: int = 0
    ok: bool = False
    usage: bool = False
    """The line is malformed, so the answer shows the usage after the status (X-11)."""


def work_command(text: str) -> WorkCommand:
    """Read a line, in which full-width characters and capitals count as plain ones (WB-5)."""
    words = unicodedata.normalize("NFKC", text).casefold().split()
    match words:
        case ["/normal"] | ["/work", "off"]:
            return WorkCommand("off", ok=True)
        case ["/work"]:
            return WorkCommand("on", DEFAULT_WORK_OVERLAY_TURNS, ok=True)
        case ["/work", "status"]:
            return WorkCommand("status", ok=True)
        case ["/work", number] if turns := _turns(number):
            return WorkCommand("on", turns, ok=True)
        case ["/work", *_]:
            return WorkCommand("status", ok=True, usage=True)
        case _:
            return WorkCommand()


def _turns(number: str) -> int:
    """Return a number from 1 to 50; 0 for anything else (WB-6)."""
    turns = int(number) if _NUMBER.fullmatch(number) else 0
    return turns if turns <= MOST_TURNS else 0


NAME_LENGTH: Final = 40
"""The longest name in the directive, in characters."""


class _Shipped(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The overlay's text, with the names that it has without any in the settings."""

    agent: str
    user: str
    directive: str


@cache
def _shipped() -> _Shipped:
    text = files.read_text(paths.shipped("config") / "agent" / "work_overlay.toml")
    return from_builtins(tomllib.loads(text), _Shipped)


def directive(agent: str = "", user: str = "") -> str:
    """Return the directive with these names; an empty name keeps the shipped one (X-23)."""
    text = _shipped()
    return text.directive.format(agent=_name(agent) or text.agent, user=_name(user) or text.user)


def _name(name: str) -> str:
    return " ".join(printable(name).split())[:NAME_LENGTH]


def with_directive(messages: Sequence[Message], directive: str) -> list[Message]:
    """Return the messages with the directive as a separate message before the user's last one.

    The directive is added to one request only and never stored (WB-4). Tool results in the user's
    last message stay before it: adapters merge consecutive messages of one role, and servers
    require tool results first in the merged one. An empty directive changes nothing.
    """
    if not directive:
        return list(messages)
    at = next((i for i in reversed(range(len(messages))) if _said(messages[i])), len(messages))
    before, current = list(messages[:at]), list(messages[at : at + 1])
    if current and (results := results_of(current[0])):
        before.append({**current[0], "content": results})
        current = [{**current[0], "content": _said(current[0])}]
    inserted: Message = {"role": "user", "content": directive}
    return [*before, inserted, *current, *messages[at + 1 :]]


def overlaid(request: ModelRequest, directive: str, room: str = "") -> ModelRequest:
    """Return a request with the directive added, as the last step before sending it (WB-2).

    So is `room`, how all stood when the user's message came; the directive stands behind it, next to
    that message (W-20). Shorten or summarise a request before this call, so that every retry has
    both and no summary contains them.
    """
    told = with_directive(with_directive(request.messages, room), directive)
    return msgspec.structs.replace(request, messages=told)


def _said(message: Message) -> str | list[Block]:
    """Return what the user said in a message: its content without tool results."""
    if message["role"] != "user":
        return []
    content: str | list[Block] = message["content"]
    if isinstance(content, str):
        return content
    return [block for block in content if block.get("type") != "tool_result"]


class _Replies(msgspec.Struct, frozen=True):
    """What answers the overlay's commands, in one language (W-27 to W-29)."""

    usage: str
    on: str
    left: str
    off: str
    is_off: str


_REPLIES: Final = {
    "ja": _Replies(
        usage="使い方: /work [N] | /work status | /work off",
        on="了解しました。以後{turns}ターン、仕事モードで進めます。",
        left="仕事モード残り：{turns}ターン。解除は /normal です。",
        off="了解しました。会話モードに戻します。",
        is_off="現在は会話モードです。仕事モードは /work で有効にできます。",
    ),
    "en": _Replies(
        usage="Usage: /work [N] | /work status | /work off",
        on="Understood. Work mode is on; answers left: {turns}.",
        left="Work mode is on; answers left: {turns}. /normal ends it.",
        off="Understood. Back to talking.",
        is_off="This is plain talking. /work begins work mode.",
    ),
}


def usage(language: str = "ja") -> str:
    """Return how the overlay's command is used."""
    return _in(language).usage


def _in(language: str) -> _Replies:
    return _REPLIES.get(language, _REPLIES["en"])


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


def restored(turns_left: int, directive: str, current: str) -> Overlay:
    """Return a stored overlay with its directive replaced by the current one (WB-8)."""
    if turns_left <= 0 or not directive:
        return Overlay()
    return Overlay(min(turns_left, MOST_TURNS), current)


def changed(overlay: Overlay, command: WorkCommand, current: str) -> Overlay:
    """Return the overlay after a command; `status` changes nothing (W-16, W-17)."""
    if command.kind == "on":
        return Overlay(command.turns, current)
    return Overlay() if command.kind == "off" else overlay


def replies(overlay: Overlay, command: WorkCommand, language: str = "ja") -> tuple[str, ...]:
    """Return the lines that answer a command, given the overlay after it (W-27 to W-29)."""
    say = _in(language)
    if command.kind == "on":
        return (say.on.format(turns=command.turns),)
    if command.kind == "off":
        return (say.off,)
    status = say.left.format(turns=overlay.turns_left) if overlay.active else say.is_off
    return (status, say.usage) if command.usage else (status,)


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


class Began(msgspec.Struct, frozen=True):
    """The overlay, and the number of commands so far, when a turn began."""

    overlay: Overlay
    commands: int


class WorkMode:
    """Answers the overlay's commands, and gives the directive for each request of a turn.

    `save` must store the overlay's two fields and nothing else (WB-7). A turn may end in
    another thread than the one that carries out commands.
    """

    def __init__(
        self, stored: Overlay, save: Callable[[Overlay], object], current: str, language: str = "ja"
    ) -> None:
        """`current` is the directive, and `language` that of the replies."""
        self._language = language
        self._current = current
        self._save = save
        self._commands = 0
        self._changing = Lock()
        self.overlay = restored(stored.turns_left, stored.directive, current)

    def command(self, text: str) -> tuple[str, ...] | None:
        """Carry out a command and return the lines of its answer; None for any other text."""
        command = work_command(text)
        if not command.ok:
            return None
        if command.kind != "status":
            with self._changing:
                self._commands += 1
                self._change(changed(self.overlay, command, self._current))
        return replies(self.overlay, command, self._language)

    def begin(self) -> Began:
        """Return the state that a turn beginning now passes to `directive` and `end`."""
        return Began(self.overlay, self._commands)

    def directive(self, route: Route, began: Began) -> str:
        """Return the directive for a turn's requests, the same for every retry (WB-2)."""
        return directive_for(route, began.overlay)

    def end(self, began: Began, *, route: Route, answer: str, done: bool) -> None:
        """Count the turn and save the turns left, unless a command came during the turn (WB-7)."""
        with self._changing:
            if began.commands == self._commands:
                self._change(after_turn(self.overlay, route=route, answer=answer, done=done))

    def _change(self, overlay: Overlay) -> None:
        if overlay != self.overlay:
            self._save(overlay)
            self.overlay = overlay
