"""The messages on the agent's socket, and how they are written as lines.

A client sends `hello` and gets `welcome`. It may then ask a single question (`ask`), read or change
the agent's mode (`mode`), or open a conversation (`open`). In the open conversation it runs turns
(`say`) and slash commands (`command`), and asks for completions (`complete`). Each of these carries
an `id` that the client chooses and the answers repeat. The events of a turn or a question come as
`told` lines, the last of which has the event `turn_ended`; everything else has a single answer:
`opened`, `replied` or `completed`. `failed` can come in place of any of them.

`cancel` and `choose` have no answer. When the connection ends, the running turn is cancelled, and
its text so far is kept. Later versions only add messages and fields.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final, TypeAlias, TypeVar

import anyio
import msgspec
from anyio.abc import ByteStream

from nagomi_tui.agent.talk.events import Choice, Exchange, Reply, Status, TurnEvent
from nagomi_tui.system.decoding import decoder
from nagomi_worker.wire.framing import LineSplitter, LineTooLong

PROTOCOL: Final = 5
"""The version of this protocol; each addition raises it."""
LINE_LIMIT: Final = 4 * 1024 * 1024
"""The longest line, in bytes."""


class Message(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=True
):
    """A message: one line on the socket."""


# --- from a client


class Hello(Message, frozen=True, kw_only=True, tag="hello"):
    """The first message of a client."""

    version: str
    protocol: int = 0
    language: str = ""
    """`ja` or `en`; if empty, the language of the settings."""
    env: dict[str, str] = {}
    """Environment variables of the client that the agent needs, such as the model's key."""
    sessions_env: dict[str, str] = {}
    """The environment of sessions started for this client; empty for the default."""


class Open(Message, frozen=True, kw_only=True, tag="open"):
    """Open a conversation: a new one, the one that is named, or else the latest."""

    id: int
    conversation: str = ""
    """The id or label of a conversation, or the beginning of either; may be empty."""
    new: str | None = None
    """The label of a new conversation, which may be empty; None for no new conversation."""
    folders: tuple[str, ...] = ()
    """Folders that the conversation's tools may use beside the agent's workspace folder."""


class Say(Message, frozen=True, kw_only=True, tag="say"):
    """Run a turn in the open conversation."""

    id: int
    text: str


class Ask(Message, frozen=True, kw_only=True, tag="ask"):
    """Ask a single question, outside of any conversation."""

    id: int
    question: str


class Cancel(Message, frozen=True, kw_only=True, tag="cancel"):
    """Cancel the turn or question with this `id`; the text so far is kept."""

    id: int


class Choose(Message, frozen=True, kw_only=True, tag="choose"):
    """Answer a question of the running turn; `question` is its id."""

    question: str
    choice: Choice


class Command(Message, frozen=True, kw_only=True, tag="command"):
    """Carry out a slash command in the open conversation."""

    id: int
    line: str


class Complete(Message, frozen=True, kw_only=True, tag="complete"):
    """Ask for whole lines that complete the beginning of a slash command."""

    id: int
    line: str


class Mode(Message, frozen=True, kw_only=True, tag="mode"):
    """Change the agent's mode to `to`, or only ask for it if `to` is empty.

    The first line of the reply is the mode, and each further line tells a step of the change.
    """

    id: int
    to: str = ""


# --- to a client


class Welcome(Message, frozen=True, kw_only=True, tag="welcome"):
    """The first message of the agent."""

    version: str
    pid: int
    protocol: int = 0
    mode: str = "calm"


class Opened(Message, frozen=True, kw_only=True, tag="opened"):
    """The conversation is open; `notice` has sentences on it, one a line, or is empty."""

    id: int
    status: Status
    notice: str = ""
    last: Exchange | None = None
    """The last words in it."""


class Told(Message, frozen=True, kw_only=True, tag="told"):
    """The next event of a turn or question; the last one of a turn carries the new state."""

    id: int
    event: TurnEvent
    status: Status | None = None


class Replied(Message, frozen=True, kw_only=True, tag="replied"):
    """The answer to `command` and `mode`."""

    id: int
    reply: Reply


class Completed(Message, frozen=True, kw_only=True, tag="completed"):
    """The answer to `complete`: whole lines."""

    id: int
    lines: tuple[str, ...] = ()


class Unasked(Message, frozen=True, kw_only=True, tag="unasked"):
    """The agent said something of its own accord in the open conversation."""

    text: str
    id: int = 0


class Greeting(Message, frozen=True, kw_only=True, tag="greeting"):
    """How all stands as a conversation is opened; no model is asked for it."""

    lines: tuple[str, ...]
    keys: tuple[str, ...] = ()
    """For the keys 1, 2, 3 …, what each begins to say for the user; they stand in the lines."""
    id: int = 0


class Stands(Message, frozen=True, kw_only=True, tag="stands"):
    """The new state of the open conversation, as something else has changed it: the agent's mode."""

    status: Status
    id: int = 0


class Failed(Message, frozen=True, kw_only=True, tag="failed"):
    """An order was refused; `message` is a sentence for the user.

    `id` is that of the order, or 0 if the order has none.
    """

    id: int
    message: str


FromClient: TypeAlias = Hello | Open | Say | Ask | Cancel | Choose | Command | Complete | Mode
ToClient: TypeAlias = (
    Welcome | Opened | Told | Replied | Completed | Unasked | Greeting | Stands | Failed
)

_Kind = TypeVar("_Kind")
_encoder: Final = msgspec.json.Encoder()
_from_client: Final[msgspec.json.Decoder[FromClient]] = decoder(FromClient)
_to_client: Final[msgspec.json.Decoder[ToClient]] = decoder(ToClient)


class BadMessage(ValueError):
    """A line is not a valid message of this protocol."""


def encode(message: Message) -> bytes:
    """Return the message as one line, newline included."""
    return _encoder.encode(message) + b"\n"


def decode_from_client(line: bytes) -> FromClient:
    """Return the message in a client's line.

    Raises:
        BadMessage: the line is not a valid message from a client.
    """
    return _decoded(_from_client, line)


def decode_to_client(line: bytes) -> ToClient:
    """Return the message in a line of the agent.

    Raises:
        BadMessage: the line is not a valid message from the agent.
    """
    return _decoded(_to_client, line)


def _decoded(decoder: msgspec.json.Decoder[_Kind], line: bytes) -> _Kind:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise BadMessage(f"a line on the agent's socket does not fit: {exc}") from exc


GONE: Final = (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError)
_SEND_SECONDS: Final = 30.0


class Gone(ConnectionError):
    """The other end has closed the connection, or has not read for too long."""


class Line:
    """A connection that carries one message a line; many tasks may send at the same time."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._sending = anyio.Lock()

    async def send(self, message: Message) -> None:
        """Send a message; once begun, it is sent whole even if the caller is cancelled.

        Raises:
            Gone: the connection is closed, or the other end did not read the message in 30 s.
        """
        try:
            async with self._sending:
                with anyio.fail_after(_SEND_SECONDS, shield=True):
                    await self._stream.send(encode(message))
        except (*GONE, TimeoutError) as exc:
            raise Gone(str(exc)) from exc

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield whole lines until the connection ends; lines over `LINE_LIMIT` are left out."""
        splitter = LineSplitter(LINE_LIMIT)
        try:
            async for data in self._stream:
                for line in splitter.feed(data):
                    if not isinstance(line, LineTooLong):
                        yield line
        except GONE:
            return
