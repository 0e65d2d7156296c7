"""Brings the packed worker to where none is installed, over the line on which it then speaks.

A word of the protocol is a line: `nagomi-far KIND JSON` from there, an order as JSON to there.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import socket
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

import anyio
import anyio.to_thread
import msgspec

import nagomi_tui
import nagomi_worker
from nagomi_tui import event
from nagomi_tui.hands.faults import last_of, lines_of
from nagomi_tui.hands.hand import BadHand
from nagomi_tui.system import paths
from nagomi_tui.system.decoding import from_json
from nagomi_tui.text.words import translatable

MARK: Final = b"nagomi-far "
"""How each line begins that is said from there before the worker runs."""

_PYTHONS: Final = (
    '"$HOME"/.local/share/nagomi/python/bin/python3',
    *("python3", "python3.14", "python3.13", "python3.12", "python3.11"),
    *("/usr/local/bin/python3", "/opt/homebrew/bin/python3"),
    *('"$HOME"/.local/bin/python3*', '"$HOME"/.local/share/uv/python/*/bin/python3'),
    *('"$HOME"/.pyenv/versions/*/bin/python3', '"$HOME"/*conda*/bin/python3'),
    *("/opt/*/bin/python3", "/usr/bin/python3.1[1-9]"),
)
_FIND: Final = (
    "for p in {pythons}; do "
    'v=$("$p" -I -S -c "import sys;print(sys.version_info[0]*100+sys.version_info[1])"'
    " </dev/null 2>/dev/null); "
    'case "$v" in '
    "31[1-9]|3[2-9]?) {found};; "
    '[23]??) n="$n $v";; '
    "esac; done;"
)
_RUN: Final = 'exec "$p" -I -S -c "import sys;exec(sys.stdin.buffer.read({size}))"'


def find_python(found: str) -> str:
    """Return words of the shell that do `found` with `$p`, the first Python that a worker runs on.

    Without one, `$n` holds the versions that are there, such as 309.
    """
    return _FIND.format(pythons=" ".join(_PYTHONS), found=found)


@cache
def far_program() -> bytes:
    """Return the program that must be sent first, before anything else."""
    return Path(__file__).with_name("far_side.py").read_bytes()


def far_command() -> tuple[str, ...]:
    """Return the words to be run there.

    The script has no newline, backslash, single quote or exclamation mark: `shlex.join` makes of it
    what every login shell hands on unharmed, csh and fish included.
    """
    run = _RUN.format(size=len(far_program()))
    script = f"n=; {find_python(run)} echo; echo nagomi-far none $n"
    return ("/bin/sh", "-c", script)


_NOISE_BYTES: Final = 1024 * 1024
"""Bytes that a login may print before the first line of ours."""
_PIECE: Final = 65536
_LINES: Final = 3

_FAULTS: Final = {
    "room": translatable(
        "There is no room for the worker there: {said}. Free some space, "
        "or name another folder there with XDG_CACHE_HOME."
    ),
    "place": translatable(
        "No folder there can be written by you alone: {said}. Name one there with XDG_CACHE_HOME."
    ),
    "damaged": translatable(
        "The worker did not arrive as it was sent ({said}). "
        "Something on the way changes bytes; take it out of the command."
    ),
    "python": translatable(
        "The Python {python} there lacks a part: {said}. Install all of Python there."
    ),
}


class Patience(NamedTuple):
    """Seconds of silence after which we give up."""

    opening: float = 60.0
    """Until the far side has said what it is."""
    sending: float = 60.0
    """Until it takes more of what is sent."""
    starting: float = 60.0
    """Until the worker runs, or it has said why not."""


PATIENT: Final = Patience()


class Running(NamedTuple):
    """What runs there."""

    python: str
    system: str
    machine: str
    plain: bool
    """It runs without compiled modules, and slower."""
    sent: int
    """Bytes that were sent because no cache there had them."""


class Ended(BadHand):
    """The line ended before a worker ran; `said` are its last lines, and stderr may tell more."""

    def __init__(self, message: str, said: Sequence[str], **values: object) -> None:
        super().__init__(message, **values)
        self.said = said


class _Facts(msgspec.Struct):
    """What the far side says of itself."""

    python: str
    suffix: str
    system: str
    machine: str
    terminal: bool
    packs: tuple[str, ...]


class _Failed(msgspec.Struct):
    why: str
    said: str


class _Started(msgspec.Struct):
    plain: bool


async def bring(
    connection: socket.socket,
    arguments: Sequence[str],
    *,
    progress: Callable[[int, int], None] = lambda sent, all_of: None,
    patience: Patience = PATIENT,
    program: str = "",
) -> Running:
    """Have the worker run at the other end of `connection` with these arguments.

    In its place it may be the `program` of a review (`REVIEW`). The next byte from `connection`, which does not block, is the worker's own first one. `progress`
    hears how many bytes of how many were sent.

    Raises:
        BadHand: none can run there; an `Ended` if the line ended without a word of ours.
    """
    far = _Far(connection, patience)
    await far.send(far_program())
    facts = far.decoded(await far.hear("facts", within=patience.opening), _Facts)
    far.python = facts.python
    if facts.terminal:
        raise BadHand(
            "A terminal is in between, which changes bytes. Leave `-t` out of the command, "
            "and `RequestTTY` out of ssh's configuration for this host."
        )
    # It takes a second to compress.
    pack = await anyio.to_thread.run_sync(pack_for, facts.suffix, program)
    module = ("--module", program) if program else ()
    order = {"pack": pack.name, "size": 0, "arguments": [*module, *arguments]}
    sent, said = 0, MARK
    if pack.name in facts.packs:
        await far.send(_line(order))
        said = await far.hear("missing", "running", within=patience.starting)
    if not said.startswith(b"running"):
        sent = len(pack.data)
        await far.send(_line(order | {"size": sent}))
        await far.send(pack.data, progress)
        said = await far.hear("running", within=patience.starting)
    plain = far.decoded(said, _Started).plain
    return Running(facts.python, facts.system, facts.machine, plain, sent)


def _line(order: dict[str, Any]) -> bytes:
    return json.dumps(order).encode() + b"\n"


class _Far:
    """The far side, as long as it speaks in lines of ours."""

    def __init__(self, connection: socket.socket, patience: Patience) -> None:
        self._socket = connection
        self._patience = patience
        self._noise = b""
        """The last that it has said and that was not for us."""
        self.python = ""

    async def send(
        self, data: bytes, progress: Callable[[int, int], None] = lambda sent, all_of: None
    ) -> None:
        """Send all of it; an end of the line is told by what is heard next."""
        sent = 0
        while sent < len(data):
            with anyio.move_on_after(self._patience.sending) as waiting:
                await anyio.wait_writable(self._socket)
            if waiting.cancelled_caught:
                self._silent(self._patience.sending)
            try:
                sent += self._socket.send(data[sent : sent + _PIECE])
            except BlockingIOError:
                continue
            except OSError:
                return
            progress(sent, len(data))

    async def hear(self, *kinds: str, within: float) -> bytes:
        """Return the next line of ours, without its mark: it is of one of these kinds.

        Raises:
            BadHand: it is another one, or none comes.
        """
        with anyio.move_on_after(within):
            said = await self._next()
            kind, _, rest = said.partition(b" ")
            if kind.decode("utf-8", "replace") in kinds:
                return said
            self._refuse(kind, rest)
        self._silent(within)

    def decoded(self, said: bytes, kind: type[Any]) -> Any:
        """Return what stands in a line of ours."""
        try:
            return from_json(said.partition(b" ")[2], kind)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self._note(b"\n" + said)
            self._misunderstood()

    async def _next(self) -> bytes:
        """Return the next line of ours; what others print before it is noted."""
        held, skipped = b"", 0
        while skipped < _NOISE_BYTES:
            seen = await self._peek()
            whole = held + seen
            at = whole.find(MARK)
            self._note(seen if at < 0 else seen[: max(0, at - len(held))])
            if end := whole.find(b"\n", at) + 1 if at >= 0 else 0:
                # What follows is left in the socket: it may be the worker's already.
                self._socket.recv(end - len(held))
                return whole[at + len(MARK) : end].rstrip()
            if not seen:
                self._end()
            self._socket.recv(len(seen))
            skipped += len(seen)
            held = whole if at >= 0 else whole[-len(MARK) :]
        raise BadHand("What logs in there prints without end: {said}", said=self._told())

    async def _peek(self) -> bytes:
        while True:
            await anyio.wait_readable(self._socket)
            try:
                return self._socket.recv(_PIECE, socket.MSG_PEEK)
            except BlockingIOError:
                continue
            except OSError:
                return b""

    def _refuse(self, kind: bytes, rest: bytes) -> NoReturn:
        if kind == b"none":
            _complain_of_pythons(rest)
        if kind == b"failed":
            fault: _Failed = self.decoded(b"failed " + rest, _Failed)
            if sentence := _FAULTS.get(fault.why):
                raise BadHand(sentence, said=fault.said, python=self.python)
        self._note(b"\n" + kind + b" " + rest)
        self._misunderstood()

    def _misunderstood(self) -> NoReturn:
        raise BadHand(
            "What answers there is not what nagomi has sent: {said}",
            said=self._told(),
        )

    def _silent(self, seconds: float) -> NoReturn:
        if not self._told():
            sentence = translatable("Nothing was heard from there for {seconds} seconds.")
            raise BadHand(sentence, seconds=round(seconds))
        sentence = translatable("Nothing more was heard from there for {seconds} seconds: {said}")
        raise BadHand(sentence, seconds=round(seconds), said=self._told())

    def _end(self) -> NoReturn:
        lines = lines_of(self._noise)
        if not lines:
            raise Ended(translatable("The line ended before a worker ran there."), lines)
        sentence = translatable("The line ended before a worker ran there: {told}")
        raise Ended(sentence, lines, told=self._told())

    def _note(self, data: bytes) -> None:
        self._noise = last_of(self._noise + data)

    def _told(self) -> str:
        return " / ".join(lines_of(self._noise)[-_LINES:])


def _complain_of_pythons(found: bytes) -> NoReturn:
    """Say what Python is there, from words as `309` for 3.9."""
    versions = [int(word) for word in found.split() if word.isdigit() and len(word) < 5]
    if not versions:
        raise BadHand(
            "There is no Python there. Install Python 3.11 or newer; where uv is there, "
            "`nagomi hands install` has that bring one."
        )
    major, minor = divmod(max(versions), 100)
    sentence = translatable(
        "The newest Python there is {version}; the worker needs 3.11 or newer. "
        "Install one beside it, such as python3.11; where uv is there, `nagomi hands install` has that "
        "bring one."
    )
    raise BadHand(sentence, version=f"{major}.{minor}")


SUFFIX: Final = EXTENSION_SUFFIXES[0]
"""Tells our Python's version, our processor, system and C library, as `.cpython-311-x86_64-…` does."""

REVIEW: Final = "nagomi_tui.review.far"
"""The program that is run there to review what has changed."""
_REVIEW_FOLDERS: Final = ("review", "worktrees", "agents", "system", "text")
_COMPILED: Final = ("msgspec", "psutil")
_GIVEN: Final = "nagomi_worker/inside/given"
_LEVEL: Final = 9


class Pack(NamedTuple):
    """The worker as bytes to be sent."""

    name: str
    data: bytes


def pack_for(suffix: str, program: str = "") -> Pack:
    """Return the worker for a Python whose compiled modules end in `suffix`.

    Where ours end alike, those that the worker uses go with it. For a `program` of ours, what that
    imports goes with it.
    """
    return _packed(suffix == SUFFIX, bool(program))


@cache
def _packed(with_compiled: bool, with_review: bool = False) -> Pack:
    files = dict(_sources(Path(nagomi_worker.__file__).parent, "nagomi_worker"))
    if with_review:
        ours = Path(nagomi_tui.__file__).parent
        files["nagomi_tui/__init__.py"] = Path(nagomi_tui.__file__).read_bytes()
        for name in _REVIEW_FOLDERS:
            files.update(_sources(ours / name, f"nagomi_tui/{name}"))
    files.update(_sources(_folder_of("ptyprocess"), "ptyprocess"))
    files.update(_given())
    if with_compiled:
        for name in _COMPILED:
            files.update(_sources(_folder_of(name), f"compiled/{name}"))
    return pack(files)


def pack(files: dict[str, bytes]) -> Pack:
    """Pack files by their paths, which are relative and separated by `/`."""
    lines = [
        f"{hashlib.sha256(data).hexdigest()} {len(data)} {path}\n"
        for path, data in sorted(files.items())
    ]
    manifest = "".join(lines).encode()
    content = b"".join((manifest, b"\n", *(files[path] for path in sorted(files))))
    return Pack(hashlib.sha256(manifest).hexdigest(), zlib.compress(content, _LEVEL))


def _sources(folder: Path, place: str) -> Iterator[tuple[str, bytes]]:
    for path in folder.rglob("*"):
        if path.suffix in (".py", ".so"):
            yield f"{place}/{path.relative_to(folder).as_posix()}", path.read_bytes()


def _given() -> Iterator[tuple[str, bytes]]:
    """Yield what sessions there are given: the program of hooks, and the files of shells."""
    yield f"{_GIVEN}/event.py", Path(event.__file__).read_bytes()
    shells = paths.shipped("config") / "shell"
    for path in shells.rglob("*"):
        if path.is_file():
            yield f"{_GIVEN}/shell/{path.relative_to(shells).as_posix()}", path.read_bytes()


def _folder_of(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])
