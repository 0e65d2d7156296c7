"""Every message on the front-end socket: one JSON object a line, like the worker protocol.

A client says `hello` first and gets `welcome`. A request carries an `id` of the client's own
and is answered by `done` or `failed` with the same `id`; the hot messages (`type_text`, `press`,
`paste`, `point`, `focus`, `taken`) and `hook` have none and are not answered.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

import msgspec

from nagomi_tui.core.judge.verdict import State as VerdictState
from nagomi_tui.core.judge.verdict import Verdict
from nagomi_tui.core.screen import Cursor, Modes, Style
from nagomi_tui.core.session import Session

LINE_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of the longest line on this socket."""

PASTE_LIMIT: Final = 8 * 1024 * 1024
"""Bytes of the longest paste in one message."""


class Message(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=True
):
    """One line; `type` is its tag."""


class Request(Message, frozen=True, kw_only=True):
    """A message that is answered by `done` or `failed` with the same `id`."""

    id: int


# --- from a client


class Hello(Message, frozen=True, kw_only=True, tag="hello"):
    """First line of a client. Only a front end counts as attached."""

    version: str
    front_end: bool = False
    env: dict[str, str] = {}
    """The client's environment: what a new session and a restart get, and what is refreshed."""
    cols: int = 0
    rows: int = 0
    foreground: int = -1
    """`0xRRGGBB` of the outer terminal's colours where it told them; -1 where it did not."""
    background: int = -1


class Create(Request, frozen=True, kw_only=True, tag="create"):
    """Start a session; `done.result` is `{"session_id": …, "number": …, "name": …}`."""

    cmd: str
    cwd: str
    env: dict[str, str] = {}
    """Added to the client's environment."""
    name: str = ""
    agent: str = ""
    character: str = ""
    """Id of the session's character; without it the setting says which."""
    worker_id: str = "local"
    cols: int = 120
    rows: int = 30


class Stop(Request, frozen=True, kw_only=True, tag="stop"):
    """End the session's process tree; answered when none of it is left."""

    session: str


class Restart(Request, frozen=True, kw_only=True, tag="restart"):
    """Stop the session if it runs, and start its command again under the same id.

    An agent goes on with the conversation that its hooks told of (`done.result.resumed`), unless
    it is to begin `fresh`.
    """

    session: str
    cmd: str = ""
    """Start this instead: needed where the command held a secret, which no record keeps."""
    fresh: bool = False


class Rename(Request, frozen=True, kw_only=True, tag="rename"):
    """Give the session another name."""

    session: str
    name: str


class Reorder(Request, frozen=True, kw_only=True, tag="reorder"):
    """Move the session to place `number` (1 is first); the others make room."""

    session: str
    number: int


class Remove(Request, frozen=True, kw_only=True, tag="remove"):
    """Take an ended session off the list, with its record."""

    session: str
    history: bool = False
    """What it printed, too."""


class ListSessions(Request, frozen=True, kw_only=True, tag="list"):
    """Ask for all sessions; `done.result` is `{"sessions": [Session, …]}`."""


class Find(Request, frozen=True, kw_only=True, tag="find"):
    """Ask which session a user means by a number, name, id or unique prefix."""

    session: str


class Capture(Request, frozen=True, kw_only=True, tag="capture"):
    """Ask for a session's text; `done.result` is `{"text": …}`."""

    session: str
    history: bool = False
    ansi: bool = False


class Why(Request, frozen=True, kw_only=True, tag="why"):
    """Ask how a session stands and why.

    `done.result` is `{"verdict": Verdict, "phase": …, "since": epoch seconds, "age_s": …,
    "rule": …, "meaning": [sentence, …], "evidence_detail": [{"source", "says", "age_s", "rule",
    "text"}, …], "turn": …, "session": id, "name": …}`, all of it masked, in the client's words.
    """

    session: str


class Send(Request, frozen=True, kw_only=True, tag="send"):
    """Type text as a user would (bracketed when the child asked for it), then Enter if asked.

    Refused while a question with choices stands open or a draft in the agent's own input, unless
    `force`. `done.result["taken"]` is true, false, or null where nobody can tell.
    """

    session: str
    text: str
    enter: bool = True
    force: bool = False


class Asks(Request, frozen=True, kw_only=True, tag="asks"):
    """Ask how a session stands, and what stands open on its screen.

    `done.result` is that of `Why` with `"question": Question | null` and `"draft": str`.
    """

    session: str


class Answer(Request, frozen=True, kw_only=True, tag="answer"):
    """Send exactly the key of one choice, if this question still stands on the screen.

    Without `question` the one that stands there now is meant. `done.result` is `{"choice": …,
    "by_line": bool, "taken": bool}`: `taken` is false where the question still stands as before.
    """

    session: str
    choice: str
    question: str = ""


class NextWaiting(Request, frozen=True, kw_only=True, tag="next_waiting"):
    """Ask which session has waited longest for the user; `done.result["session"]` may be null."""


class Act(Request, frozen=True, kw_only=True, tag="act"):
    """Run a next action: typed at the shell's prompt, or as a new session in the same folder.

    The risk is computed from the command; without `sure` a high one fails with the code `risky`.
    With a program in front it fails with the code `busy`, unless `anew` asks for a new session.
    `done.result` is `{"session_id": …, "risk": …, "new": bool}`.
    """

    session: str
    command: str
    sure: bool = False
    anew: bool = False


class Correct(Request, frozen=True, kw_only=True, tag="correct"):
    """The user says how the session stands; this is shown for the rest of the turn, and kept."""

    session: str
    state: VerdictState


class Keys(Request, frozen=True, kw_only=True, tag="keys"):
    """Press named keys one after the other, such as `ctrl+c` or `Enter`."""

    session: str
    keys: tuple[str, ...]


class Wait(Request, frozen=True, kw_only=True, tag="wait"):
    """Answered when the session has ended, was silent, or printed a line that matches.

    `done.result` is `{"reason": "exit"|"silence"|"output"|"timeout", "exit_code": int|null,
    "line": str}`. Times are in seconds.
    """

    session: str
    until: Literal["exit", "silence", "output"] = "exit"
    pattern: str = ""
    silence: float = 3.5
    timeout: float | None = None


class Status(Request, frozen=True, kw_only=True, tag="status"):
    """Ask how the resident processes stand; `done.result` holds pids, versions and folders."""


class Reload(Request, frozen=True, kw_only=True, tag="reload"):
    """Replace the orchestrator by the installed version; sessions run on."""


class Quit(Request, frozen=True, kw_only=True, tag="quit"):
    """Stop all sessions, workers and the orchestrator."""


class Settings(Request, frozen=True, kw_only=True, tag="settings"):
    """Change settings by key; `done.result` is all of them. Nothing changes with no values."""

    values: dict[str, Any] = {}


class DetachAll(Request, frozen=True, kw_only=True, tag="detach_all"):
    """Ask every front end to leave; all sessions run on."""


class TypeText(Message, frozen=True, kw_only=True, tag="type_text"):
    """Send text to the child exactly as it is."""

    session: str
    text: str


class Press(Message, frozen=True, kw_only=True, tag="press"):
    """A key, to be encoded for the child's modes.

    `key` is a name in the style of `up`, `f5`, `enter`, `a`; `mods` adds shift 1, alt 2, ctrl 4,
    super 8 (kitty's bits); `text` is what the key types, where the terminal told it.
    """

    session: str
    key: str
    mods: int = 0
    text: str = ""
    action: Literal["press", "repeat", "release"] = "press"


class Paste(Message, frozen=True, kw_only=True, tag="paste"):
    """Pasted text: bracketed when the child asked for it, its end marks taken out."""

    session: str
    text: str


class Point(Message, frozen=True, kw_only=True, tag="point"):
    """The mouse over a session: cell from the screen's top left, encoded if the child asked.

    `button` is 0 left, 1 middle, 2 right, 4 wheel up, 5 wheel down, 3 none (motion).
    """

    session: str
    x: int
    y: int
    button: int
    action: Literal["press", "release", "move"]
    mods: int = 0


class Focus(Message, frozen=True, kw_only=True, tag="focus"):
    """The session that gets this front end's keys now, or none."""

    session: str = ""


class Seen(Message, frozen=True, kw_only=True, tag="seen"):
    """The user has looked at the session: it no longer waits."""

    session: str


class Looking(Message, frozen=True, kw_only=True, tag="looking"):
    """The session in front of this front end's user, or none while another window has the focus.

    `told` says that the terminal tells of its focus; without that one cannot be sure.
    """

    session: str = ""
    told: bool = False


class Sound(Request, frozen=True, kw_only=True, tag="sound"):
    """Ask how sound stands, try the one of `kind`, or have none for `seconds` (0 ends that).

    `done.result` is `{"way": …, "why": str, "muted_until": float|null, "quiet": bool}`; `way` is
    the name of what plays, `bell`, or `off`, and `why` a sentence where it is not what one expects.
    """

    do: Literal["status", "test", "mute"] = "status"
    kind: Literal["failure", "attention", "success"] = "attention"
    seconds: float = 0.0


class Hook(Message, frozen=True, kw_only=True, tag="hook"):
    """An event of the agent in a session, from the program that its hooks run.

    It comes on a connection of its own, without a hello, and is not answered.
    """

    session: str
    agent: str
    payload: dict[str, Any]
    """What the agent told its hook, as far as `nagomi_tui/event.py` hands it on."""
    at: float
    """Seconds since the epoch."""
    pid: int = 0
    """The agent's process, or 0."""


class View(Message, frozen=True, kw_only=True, tag="view"):
    """Show a session in a view of this front end; frames of `view` follow until `unview`.

    A view smaller than the screen shows the part around the cursor, or from `left` and `top`.
    `line` fixes the first line shown by its number; without it the view follows the tail.
    `own_size` makes the session's PTY take the view's size (zoom, lane); looking never resizes.
    `fps` bounds the frames a second; a view whose session was typed into is served at once.
    """

    view: int
    session: str
    cols: int
    rows: int
    line: int | None = None
    left: int | None = None
    top: int | None = None
    own_size: bool = False
    fps: int = 10


class Unview(Message, frozen=True, kw_only=True, tag="unview"):
    """Stop the frames of a view."""

    view: int


class Taken(Message, frozen=True, kw_only=True, tag="taken"):
    """A frame was shown; at most two are on their way to a front end for each view."""

    view: int
    frame: int


class AskJudge(Request, frozen=True, kw_only=True, tag="ask_judge"):
    """Ask the LLM judge about a session (判定して, N-81), if the user has switched it on.

    `done.result` is `{"verdict": …, "source": "llm"|"rules", "reason": …}`: with `rules` it gave
    none, `reason` says why, and the verdict is nagomi's own.
    """

    session: str


class Trace(Request, frozen=True, kw_only=True, tag="trace"):
    """Switch the record of what a session's judge sees; `done.result` tells how it stands.

    It is `{"on": bool, "path": str, "seconds": float}`.
    """

    session: str
    action: Literal["on", "off", "status"] = "status"


class Search(Request, frozen=True, kw_only=True, tag="search"):
    """Find text in a session; `done.result` is `{"matches": [[line, column, cells], …]}`."""

    session: str
    text: str
    limit: int = 1000


class Lines(Request, frozen=True, kw_only=True, tag="lines"):
    """Ask for lines by number, at most 1000; those not kept are left out.

    `done.result` is `{"start": …, "rows": [[wrapped, [[text, unit], …]], …], "first_line": …,
    "screen_line": …, "last_line": …}` with text and unit as in a run.
    """

    session: str
    start: int
    stop: int


class Ping(Request, frozen=True, kw_only=True, tag="ping"):
    """Ask for `done`."""


# --- to a client


class Welcome(Message, frozen=True, kw_only=True, tag="welcome"):
    """The orchestrator's first line."""

    version: str
    pid: int
    sessions: tuple[Session, ...]
    settings: dict[str, Any]
    recent: tuple[str, ...] = ()
    """Commands started lately, newest first."""
    digest: tuple[tuple[str, str], ...] = ()
    """Name and outcome (`finished`, `failed`, `waits` or `lost`) since the last front end left."""


class Done(Message, frozen=True, kw_only=True, tag="done"):
    """The answer to a request that was carried out."""

    id: int
    result: dict[str, Any] = {}


class Failed(Message, frozen=True, kw_only=True, tag="failed"):
    """The answer to a request that was not carried out; `message` is a sentence for the user.

    `code` is `not_found`, `ambiguous`, `refused`, `risky`, `busy`, `bad_request` or `internal`.
    """

    id: int
    message: str
    code: str = "refused"


class SessionChanged(Message, frozen=True, kw_only=True, tag="session"):
    """A session is new or has changed."""

    session: Session


class SessionRemoved(Message, frozen=True, kw_only=True, tag="removed"):
    """A session is off the list."""

    session_id: str


class Frame(Message, frozen=True, kw_only=True, tag="frame"):
    """Rows of a view that changed since its last frame (all of them when `full`).

    A row is `[y, [[text, style, unit], …]]` with `style` an index into this frame's `styles`;
    cells after its last run are blank. The cursor is relative to the view; invisible outside it.
    `line` is the number of the view's first line, `first_line` and `last_line` bound what exists.
    """

    view: int
    frame: int
    session: str
    rows: tuple[tuple[int, tuple[tuple[str, int, int], ...]], ...]
    styles: tuple[Style, ...]
    full: bool
    cursor: Cursor
    modes: Modes
    line: int
    first_line: int
    last_line: int
    left: int
    top: int
    cols: int
    """Size of the session's own screen."""
    screen_rows: int


class Event(Message, frozen=True, kw_only=True, tag="event"):
    """The child rang, notified, or wants text on the clipboard: `kind` as in `ScreenEvent`."""

    session: str
    kind: str
    text: str = ""
    title: str = ""


class TurnCompleted(Message, frozen=True, kw_only=True, tag="turn_completed"):
    """A turn has come to its end, or stands still because it needs the user (N-68…N-71, N-85)."""

    session: str
    turn: int
    at: float
    verdict: Verdict
    quiet: bool = False
    """The user ended it, by Ctrl-C or by stopping the session: nothing calls (NB-18)."""


class Called(Message, frozen=True, kw_only=True, tag="called"):
    """Sessions call the user: several at once are one call. Texts are plain, and masked."""

    sessions: tuple[str, ...]
    kind: Literal["failure", "attention", "success"]
    """The strongest of them."""
    title: str
    body: str
    inside: bool = True
    """Show it in the room."""
    notice: bool = True
    """Have the terminal show it; without that the desktop does."""
    hushed: bool = False
    """Nothing may be heard now."""


class Speaking(Message, frozen=True, kw_only=True, tag="speaking"):
    """A sound for the session begins, and takes about `seconds`; or it has ended (N-47)."""

    session: str
    on: bool
    seconds: float = 0.0


class GoTo(Message, frozen=True, kw_only=True, tag="go_to"):
    """Go to the session: its notice was clicked."""

    session: str


class Advice(Message, frozen=True, kw_only=True, tag="advice"):
    """What the LLM judge says of a turn. It changes no state; its words are to be marked as such."""

    session: str
    turn: int
    at: float
    verdict: Verdict


class Notice(Message, frozen=True, kw_only=True, tag="notice"):
    """A sentence for the user from the orchestrator itself; `kind` is `info` or `error`."""

    kind: Literal["info", "error"]
    text: str


class SettingsChanged(Message, frozen=True, kw_only=True, tag="settings_changed"):
    """Settings as they are now."""

    settings: dict[str, Any]


class Goodbye(Message, frozen=True, kw_only=True, tag="goodbye"):
    """The orchestrator leaves: a front end comes back after `reload`, and ends after the others."""

    reason: Literal["reload", "quit", "detach"]


FromClient: TypeAlias = (
    Hello | Create | Stop | Restart | Rename | Reorder | Remove | ListSessions | Find | Capture
    | Send | Asks | Answer | NextWaiting | Act | Correct | Keys | Wait | Status | Reload | Quit
    | Settings | DetachAll | Search | Lines | Ping | AskJudge | Trace
    | TypeText | Press | Paste | Point | Focus | Seen | View | Unview | Taken | Looking | Sound
    | Hook | Why
)  # fmt: skip
ToClient: TypeAlias = (
    Welcome | Done | Failed | SessionChanged | SessionRemoved | Frame | Event | TurnCompleted
    | Advice | Called | Speaking | GoTo | Notice | SettingsChanged | Goodbye
)  # fmt: skip

_encoder = msgspec.json.Encoder()
_from_client: msgspec.json.Decoder[FromClient] = msgspec.json.Decoder(FromClient)
_to_client: msgspec.json.Decoder[ToClient] = msgspec.json.Decoder(ToClient)


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
    try:
        return _from_client.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise BadMessage(f"a line on the front-end socket does not fit: {exc}") from exc


def decode_to_client(line: bytes) -> ToClient:
    """Return what the orchestrator said.

    Raises:
        BadMessage: the line is no such message.
    """
    try:
        return _to_client.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise BadMessage(f"a line from the orchestrator does not fit: {exc}") from exc
