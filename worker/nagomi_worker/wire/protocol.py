"""The protocol between orchestrator and worker: every message, its coding, and how faults are told.

The first nine messages are fixed (N-96 to N-108). Everything else is added as new types, and as
optional fields that are left out when they hold their default; both sides ignore a `type` that they
do not know, so either may be the older one. The lines of two types, `raw` and `packed`, are followed
by bytes that are no line: they are sent only to a side whose `hello` names them.

Offsets count the raw bytes that a session's PTY has printed from its start. An `offset` in a
message is the position *after* the bytes that the message is about.
"""

from __future__ import annotations

import sys
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from nagomi_worker.wire.framing import CHUNK_BYTES as CHUNK_BYTES
from nagomi_worker.wire.messages import PACKED_MOST as PACKED_MOST
from nagomi_worker.wire.messages import RAW_CHUNKS as RAW_CHUNKS
from nagomi_worker.wire.messages import Answered as Answered
from nagomi_worker.wire.messages import Asked as Asked
from nagomi_worker.wire.messages import AskHost as AskHost
from nagomi_worker.wire.messages import Folders as Folders
from nagomi_worker.wire.messages import Guard, Left, SessionState, Writer
from nagomi_worker.wire.messages import Hook as Hook
from nagomi_worker.wire.messages import Host as Host
from nagomi_worker.wire.messages import ListFolders as ListFolders
from nagomi_worker.wire.messages import Locate as Locate
from nagomi_worker.wire.messages import Located as Located
from nagomi_worker.wire.messages import Message as Message
from nagomi_worker.wire.messages import Packed as Packed
from nagomi_worker.wire.messages import Raw as Raw
from nagomi_worker.wire.messages import Received as Received
from nagomi_worker.wire.messages import Typed as Typed


class BadMessage(ValueError):
    """A line is not a message: not JSON, without `type`, or with a field of the wrong type."""


class StreamLost(BadMessage):
    """A `raw` or `packed` has unusable sizes, so where the next line begins is unknown."""


class _Typed(msgspec.Struct):
    type: str


_typed = msgspec.json.Decoder(_Typed)


def explain(
    line: bytes, known: frozenset[str], exc: Exception, *, lost: tuple[str, ...] = ()
) -> None:
    """Return if the line is of an unknown type only; else raise what is wrong with it.

    After a broken message of a type in `lost` it is not known where the next one begins.
    """
    try:
        kind = _typed.decode(line).type
    except msgspec.ValidationError as untyped:
        raise BadMessage(f"a message without a usable `type`: {untyped}") from exc
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise BadMessage(f"a line that is not JSON: {broken}") from exc
    if kind in known:
        fault = StreamLost if kind in lost else BadMessage
        raise fault(f"a `{kind}` message that does not fit: {exc}") from exc


VERSION: Final = 1
"""Increased when a message is added; messages are never removed or changed."""

CAPABILITIES: Final = (
    *("ack", "attach", "checkpoint"),
    *(("guard",) if sys.platform == "linux" else ()),
    "inherit",
    *(("inside",) if sys.platform != "win32" else ()),
    "light",
    *(("look",) if sys.platform != "win32" else ()),
    "packed",
    *(("plain",) if getattr(msgspec, "PLAIN", False) else ()),
    *("raw", "rest", "resume", "signal"),
)
"""With `plain`, it is the slower worker that does without compiled modules. With `inside`, programs
of sessions that inherit its environment reach the workplace through it. With `resume` it takes
numbered input, and takes up its output where a line has broken. `packed` is named by an
orchestrator only on a line that may be slow: it is sent `packed` then, and sends `received`."""


# --- orchestrator to worker, fixed


class StartSession(Message, frozen=True, kw_only=True, tag="start_session"):
    """Start `cmd` on a new PTY. `env` is the whole environment of the child.

    With `inherit` it is added to the worker's own environment instead, a login shell runs `cmd`,
    and `~` in `cwd` is the home folder: the orchestrator runs on another machine. That and `guard`
    are only sent to a worker with the capability of the same name: an older one would ignore them.
    With `marks` a shell there is started so that it marks its prompts and commands (OSC 133).
    """

    session_id: str
    cmd: str
    cwd: str | None
    env: dict[str, str]
    cols: int
    rows: int
    guard: Guard | None = None
    inherit: bool = False
    marks: bool = False


class SendInput(Message, frozen=True, kw_only=True, tag="send_input"):
    """Type `text` into the session, all of it.

    `reply_offset` is set on a terminal's reply to a query and is the offset after that query: the
    worker drops the reply if it has already written one with the same or a later offset.

    `number` counts the input of a session from 1. It is only sent to a worker with the capability
    `resume`, which answers with `typed`, and drops input whose number it has had: what was on its
    way when a line broke is sent again.

    `part` names a piece of a text that a client may send again; the worker lists the last ones in
    its `sessions`, so that an orchestrator that is started anew does not type them twice.

    `raw` says that each character stands for one byte, as in old reports of the mouse.
    """

    session_id: str
    text: str
    reply_offset: int | None = None
    number: int | None = None
    part: str = ""
    raw: bool = False


class Resize(Message, frozen=True, kw_only=True, tag="resize"):
    """Set the size of the session's PTY, in cells."""

    session_id: str
    cols: int
    rows: int


class StopSession(Message, frozen=True, kw_only=True, tag="stop_session"):
    """End the session's whole process tree: HUP, then TERM, then KILL, with pauses between."""

    session_id: str


class Ping(Message, frozen=True, kw_only=True, tag="ping"):
    """Ask for a `pong` (X-15)."""


# --- worker to orchestrator, fixed


class Output(Message, frozen=True, kw_only=True, tag="output"):
    """A chunk of the session's output: at most 4096 raw bytes, never cut inside a character.

    Bytes that are not UTF-8 become U+FFFD. `offset` is the position after this chunk.
    """

    session_id: str
    stream: Literal["stdout", "stderr"]
    chunk: str
    offset: int | None = None


class Phase(Message, frozen=True, kw_only=True, tag="phase"):
    """How the session stands at this point of its output.

    With `activity`, `detail` is a `pty.activity.Activity` as JSON: what its foreground processes do.
    With `ending` the worker ends itself, and so the session: what ends in it now has not failed.
    """

    session_id: str
    phase: str
    detail: str | None = None


class Exit(Message, frozen=True, kw_only=True, tag="exit"):
    """The command has ended; if a signal killed it, `exit_code` is 128 + `signal`.

    With `stopped` the worker has ended it: it was told to, or is ending itself.
    """

    session_id: str
    exit_code: int
    signal: int | None = None
    left: tuple[Left, ...] = ()
    stopped: bool = False


class Error(Message, frozen=True, kw_only=True, tag="error"):
    """Something failed; `message` is a sentence, and the session goes on if `recoverable`.

    `session_id` is empty where no session is concerned, as for a line that is not JSON. With
    `sentence` the message can be translated: it is that sentence, with `values` in the place of
    its `{name}`s.
    """

    session_id: str
    message: str
    recoverable: bool
    sentence: str = ""
    values: dict[str, str] | None = None


# --- extensions, both ways


class Hello(Message, frozen=True, kw_only=True, tag="hello"):
    """The first line of each side; a worker's socket accepts no peer without it.

    Without `ack` in `capabilities` there is no credit limit.
    """

    version: int
    capabilities: tuple[str, ...]
    pid: int


class Checkpoint(Message, frozen=True, kw_only=True, tag="checkpoint"):
    """An engine's state after `offset`, in base64, for the worker to keep and send back.

    Long data comes in several messages; `more` is true on all but the last. After a full
    checkpoint the worker's ring keeps only later output. A `light` one has the screens but no
    history, and all output is kept; it is only sent to a worker with the capability `light`.
    `keep_from` is the offset of an earlier light one: output before it is not needed any more.
    """

    session_id: str
    offset: int
    cols: int
    rows: int
    engine_version: str
    data: str
    more: bool = False
    light: bool = False
    keep_from: int | None = None


# --- extensions, orchestrator to worker


class Attach(Message, frozen=True, kw_only=True, tag="attach"):
    """Ask for a session's state and output: `attached`, the checkpoint, then everything after it.

    With `offset`, a worker with the capability `resume` sends no checkpoint, and the output after
    that offset only, where it still has all of this; `attached` tells whether it does.
    """

    session_id: str
    offset: int | None = None


class Ack(Message, frozen=True, kw_only=True, tag="ack"):
    """The output up to `offset` was processed; the worker may send that much more."""

    session_id: str
    offset: int


class Signal(Message, frozen=True, kw_only=True, tag="signal"):
    """Send a signal by name (`"INT"`) to the session's foreground process group."""

    session_id: str
    signal: str


class Hold(Message, frozen=True, kw_only=True, tag="hold"):
    """Make what a session's `guard` names writable or read-only; `held` tells when it is."""

    session_id: str
    writable: bool
    number: int = 0
    """The `held` that answers bears the same."""


class Rest(Message, frozen=True, kw_only=True, tag="rest"):
    """Read the session each `seconds` only while it prints little and is not typed into.

    For sessions that are drawn seldom, where many print. It is a second at most.
    """

    session_id: str
    seconds: Annotated[float, msgspec.Meta(ge=0)]


class ListSessions(Message, frozen=True, kw_only=True, tag="list_sessions"):
    """Ask for `sessions`."""


class Note(Message, frozen=True, kw_only=True, tag="note"):
    """Keep `text`, instead of an earlier one, and list it in `sessions`.

    The worker gives no meaning to it.
    """

    session_id: str
    text: str


class Forget(Message, frozen=True, kw_only=True, tag="forget"):
    """Drop all that is kept of a session that has ended."""

    session_id: str


class Quit(Message, frozen=True, kw_only=True, tag="quit"):
    """Stop every session, then end."""


# --- extensions, worker to orchestrator


class Pong(Message, frozen=True, kw_only=True, tag="pong"):
    """The answer to `ping` (X-15)."""


class Started(Message, frozen=True, kw_only=True, tag="started"):
    """The session's command was started as the process `pid`."""

    session_id: str
    pid: int


class Held(Message, frozen=True, kw_only=True, tag="held"):
    """Whether what a session's `guard` names can be written now.

    With `waits` it is to be read-only and cannot be yet, because files there are open for writing;
    `writers` are some that have. The worker tries again until it is, and says so.
    """

    session_id: str
    writable: bool
    waits: bool = False
    writers: tuple[Writer, ...] = ()
    number: int = 0
    """The number of the latest `hold`."""
    moved: str = ""
    """A path at which another folder stands now than the one that is held, which is read-only then."""


class Sessions(Message, frozen=True, kw_only=True, tag="sessions"):
    """Every session that this worker holds, ended ones included until they are forgotten."""

    sessions: tuple[SessionState, ...]


class Attached(Message, frozen=True, kw_only=True, tag="attached"):
    """The answer to `attach`, before the replay.

    Replayed output runs from `first_offset` to `next_offset`; what lies between the checkpoint
    and `first_offset` was dropped, and an `output` of one line, at `first_offset`, says so.
    Queries at or before `reply_offset` have been answered; bytes after `fresh_offset` are younger
    than two seconds. `cols` and `rows` are the PTY's size now; a replay that begins with another
    size has a `resized` before its output. `lights` are the offsets of the light checkpoints
    within the replayed output. Output after `unheard_offset` may have been seen by nobody, because
    the last orchestrator hung or was gone; None says that all was seen. `resumed` says that the
    output goes on at the offset that was asked for.
    """

    session_id: str
    first_offset: int
    next_offset: int
    reply_offset: int
    fresh_offset: int
    cols: int
    rows: int
    lights: tuple[int, ...] = ()
    unheard_offset: int | None = None
    resumed: bool = False


class Resized(Message, frozen=True, kw_only=True, tag="resized"):
    """In a replay: the PTY got this size at this offset."""

    session_id: str
    offset: int
    cols: int
    rows: int


ToWorker: TypeAlias = (
    StartSession | SendInput | Resize | StopSession | Ping
    | Hello | Checkpoint | Attach | Ack | Received | Signal | Hold | Rest | ListSessions | Note
    | Locate | Answered | Forget | AskHost | ListFolders | Quit
)  # fmt: skip
FromWorker: TypeAlias = (
    Output | Phase | Exit | Error
    | Hello | Checkpoint | Pong | Started | Held | Sessions | Attached | Typed | Raw | Packed
    | Resized | Hook | Asked | Located
    | Host | Folders
)  # fmt: skip


_encoder = msgspec.json.Encoder()
_to_worker: msgspec.json.Decoder[ToWorker] = msgspec.json.Decoder(ToWorker)
_from_worker: msgspec.json.Decoder[FromWorker] = msgspec.json.Decoder(FromWorker)
_TO_WORKER_TYPES: Final = frozenset(str(kind.__struct_config__.tag) for kind in ToWorker.__args__)
_FROM_WORKER_TYPES: Final = frozenset(
    str(kind.__struct_config__.tag) for kind in FromWorker.__args__
)
_SIZED_TYPES: Final = (str(Raw.__struct_config__.tag), str(Packed.__struct_config__.tag))


def encode(*messages: Message) -> bytes:
    """Return each message as one line, newline included."""
    return _encoder.encode_lines(messages)


def decode_to_worker(line: bytes) -> ToWorker | None:
    """Return a message from the orchestrator, or None if its type is unknown (N-99).

    Raises:
        BadMessage: the line is not a message to a worker; the stream may go on.
    """
    try:
        return _to_worker.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        explain(line, _TO_WORKER_TYPES, exc)
        return None


def decode_from_worker(line: bytes) -> FromWorker | None:
    """Return a message from a worker, or None if its type is unknown (N-99).

    Raises:
        StreamLost: it is a `raw` or `packed` without usable sizes.
        BadMessage: the line is not a message from a worker; the stream may go on.
    """
    try:
        return _from_worker.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        explain(line, _FROM_WORKER_TYPES, exc, lost=_SIZED_TYPES)
        return None
