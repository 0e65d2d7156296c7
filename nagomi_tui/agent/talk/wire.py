"""Every message on the agent's own socket: one JSON object a line, told apart by `type`.

A client says `hello` and gets `welcome`. It may then ask (`ask`), change the mode (`mode`), or open
a conversation (`open`), in which it says something (`say`) or commands (`command`). Each of these
carries an `id` of the client's own: a turn is told by `told` lines with it, of which the last one
holds `turn_ended`, everything else is answered once, by `opened`, `replied`, `completed` or `failed`.
`cancel` and `choose` are not answered. When the connection ends, so does the running turn; what came
of it is kept. Messages and fields are only ever added.
"""

from __future__ import annotations

from typing import Final, TypeAlias, TypeVar

import msgspec

from nagomi_tui.agent.talk.events import Choice, Reply, Status, TurnEvent

PROTOCOL: Final = 2
"""Version of what is said on this socket. Each addition raises it."""
LINE_LIMIT: Final = 4 * 1024 * 1024
"""The longest line, in bytes."""


class Message(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=True
):
    """One line."""


# --- from a client


class Hello(Message, frozen=True, kw_only=True, tag="hello"):
    """First line of a client."""

    version: str
    protocol: int = 0
    language: str = ""
    """`ja` or `en`; empty goes by the settings."""
    env: dict[str, str] = {}
    """The client's variables that the agent needs, such as the one with the model's key."""
    sessions_env: dict[str, str] = {}
    """The environment of sessions that are started for this client; a plain one where it is empty."""


class Open(Message, frozen=True, kw_only=True, tag="open"):
    """Open a conversation: the one that is meant, a new one, or the latest."""

    id: int
    conversation: str = ""
    """Its id or label, or the beginning of either."""
    new: str | None = None
    """Label of a new one; may be empty."""
    folders: tuple[str, ...] = ()
    """Folders that its tools may see beside the agent's own."""


class Say(Message, frozen=True, kw_only=True, tag="say"):
    """Run a turn in the open conversation."""

    id: int
    text: str


class Ask(Message, frozen=True, kw_only=True, tag="ask"):
    """Ask a question beside all conversations."""

    id: int
    question: str


class Cancel(Message, frozen=True, kw_only=True, tag="cancel"):
    """End the turn or question with this `id`; what came is kept."""

    id: int


class Choose(Message, frozen=True, kw_only=True, tag="choose"):
    """Answer a question of the running turn."""

    question: str
    choice: Choice


class Command(Message, frozen=True, kw_only=True, tag="command"):
    """Carry out a line that begins with `/` in the open conversation."""

    id: int
    line: str


class Complete(Message, frozen=True, kw_only=True, tag="complete"):
    """Ask what could follow a line that begins with `/`."""

    id: int
    line: str


class Mode(Message, frozen=True, kw_only=True, tag="mode"):
    """Ask for the agent's mode, or change it; the steps are the lines of the reply."""

    id: int
    to: str = ""


# --- to a client


class Welcome(Message, frozen=True, kw_only=True, tag="welcome"):
    """The agent's first line."""

    version: str
    pid: int
    protocol: int = 0
    mode: str = "calm"


class Opened(Message, frozen=True, kw_only=True, tag="opened"):
    """The conversation is open; `notice` has sentences about it, such as what was garbled."""

    id: int
    status: Status
    notice: str = ""


class Told(Message, frozen=True, kw_only=True, tag="told"):
    """The next event of a turn; with the last one comes what stands beside the prompt then."""

    id: int
    event: TurnEvent
    status: Status | None = None


class Replied(Message, frozen=True, kw_only=True, tag="replied"):
    """The answer to a command or about the mode."""

    id: int
    reply: Reply


class Completed(Message, frozen=True, kw_only=True, tag="completed"):
    """What could follow."""

    id: int
    lines: tuple[str, ...] = ()


class Failed(Message, frozen=True, kw_only=True, tag="failed"):
    """It was not done; `message` is a sentence for the user. `id` is 0 for what has none."""

    id: int
    message: str


FromClient: TypeAlias = Hello | Open | Say | Ask | Cancel | Choose | Command | Complete | Mode
ToClient: TypeAlias = Welcome | Opened | Told | Replied | Completed | Failed

_Kind = TypeVar("_Kind")
_encoder: Final = msgspec.json.Encoder()
_from_client: Final[msgspec.json.Decoder[FromClient]] = msgspec.json.Decoder(FromClient)
_to_client: Final[msgspec.json.Decoder[ToClient]] = msgspec.json.Decoder(ToClient)


class BadMessage(ValueError):
    """A line is no message of this socket."""


def encode(message: Message) -> bytes:
    """Return the message as one line, newline included."""
    return _encoder.encode(message) + b"\n"


def decode_from_client(line: bytes) -> FromClient:
    """Return what a client said.

    Raises:
        BadMessage: the line is no such message.
    """
    return _decoded(_from_client, line)


def decode_to_client(line: bytes) -> ToClient:
    """Return what the agent said.

    Raises:
        BadMessage: the line is no such message.
    """
    return _decoded(_to_client, line)


def _decoded(decoder: msgspec.json.Decoder[_Kind], line: bytes) -> _Kind:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise BadMessage(f"a line on the agent's socket does not fit: {exc}") from exc
