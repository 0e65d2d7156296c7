"""The review of a folder on a hand: done there by git and by what is sent there, shown here."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import tempfile
import threading
import zlib
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Final

import anyio
import msgspec

from nagomi_tui.api.launch import resident_env
from nagomi_tui.hands import faults, master, registry
from nagomi_tui.hands.bringing import REVIEW, Ended, bring, far_command
from nagomi_tui.hands.hand import BadHand, Hand, not_started
from nagomi_tui.review.comments import Notes
from nagomi_tui.review.far import ANSWER_BYTES, Answer, Order, unpacked
from nagomi_tui.review.model import FileChange, Hunk, Side
from nagomi_tui.review.review import Page, Review
from nagomi_tui.review.snapshots import Since
from nagomi_tui.system.children import NOWHERE, OWN_GROUP, end_group
from nagomi_tui.system.decoding import from_json
from nagomi_tui.system.git import GitFault
from nagomi_tui.system.platforms import WINDOWS
from nagomi_tui.text.words import names_only, translatable

_SECONDS: Final = 140.0
"""How long an answer may take, a commit with its hooks included."""
_END_SECONDS: Final = 2.0
_HEAD_BYTES: Final = 32
_PIECE: Final = 1 << 18


def review_of(folder: Path | str, session_id: str, hand: str) -> Review:
    """Return the review of a session's folder, here or on the hand of this name."""
    return FarReview(hand, folder, session_id) if hand else Review(folder, session_id)


class FarReview(Review):
    """The review of a folder on a hand; its owner ends the line there with `close`."""

    def __init__(self, hand: str, folder: Path | str, session_id: str = "") -> None:
        super().__init__(folder, session_id)
        self._hand = hand
        self._line: _Line | None = None
        self._lock = threading.Lock()

    def load(self, since: Since | None = None) -> Page:
        """Look at the files as they are now; see `Review.load`."""
        order = Order(do="load", folder=os.fsencode(self._folder), since=since)
        order.session_id = self._session_id
        return self._paged(order)

    def mark_turn(self, turn: int) -> None:
        """Keep the files as they are now: a turn of the session begins."""
        folder = os.fsencode(self._folder)
        self._ask(Order(do="turn", folder=folder, session_id=self._session_id, turn=turn))

    def whole(self, one: FileChange) -> FileChange:
        """Return a file with its content, however large it is."""
        return self._ask(Order(do="whole", path=one.path)).one or one

    def comment(self, one: FileChange, hunk: Hunk, side: Side, lines: range, text: str) -> Notes:
        """Add a comment; see `Notebook.add`."""
        order = Order(do="comment", path=one.path, hunk=one.hunks.index(hunk), side=side, text=text)
        order.first, order.end = lines.start, lines.stop
        return self._with_notes(order)

    def edit(self, number: int, text: str) -> Notes:
        """Give a comment another text, or remove it; see `Notebook.edit`."""
        return self._with_notes(Order(do="edit", number=number, text=text))

    def sent(self, numbers: Sequence[int], name: str) -> Notes:
        """Note that comments were sent; see `Notebook.sent`."""
        return self._with_notes(Order(do="sent", numbers=list(numbers), text=name))

    def mark_seen(self, one: FileChange, *, seen: bool) -> Notes:
        """Note that a file was seen; see `Notebook.mark_seen`."""
        return self._with_notes(Order(do="seen", path=one.path, seen=seen))

    def discard(self, one: FileChange, hunk: Hunk | None = None) -> Page:
        """Discard a file or a hunk there, and look again; see `review.discard`."""
        at = -1 if hunk is None else one.hunks.index(hunk)
        return self._paged(Order(do="discard", path=one.path, hunk=at))

    def undo(self) -> tuple[str, Page]:
        """Take the last discarding back, and look again; see `review.undo`."""
        return self._told(Order(do="undo"))

    def commit(self, files: Sequence[FileChange], message: str) -> tuple[str, Page]:
        """Commit files there, and look again; see `review.commit`."""
        paths = [one.path for one in files]
        return self._told(Order(do="commit", paths=paths, text=message))

    def close(self) -> None:
        """End the line; nothing is asked any more."""
        self._closed = True
        if self._line is not None:
            self._line.close()

    # --- steps

    def _paged(self, order: Order) -> Page:
        return self._told(order)[1]

    def _told(self, order: Order) -> tuple[str, Page]:
        answer = self._ask(order)
        if answer.page is None:
            raise _misunderstood(self._hand)
        self.page = unpacked(answer.page)
        return answer.text, self.page

    def _with_notes(self, order: Order) -> Notes:
        answer = self._ask(order)
        if answer.notes is None:
            raise _misunderstood(self._hand)
        return self._noted(answer.notes)

    def _ask(self, order: Order) -> Answer:
        with self._lock:
            if self._line is None or self._line.ended:
                if order.do not in ("load", "turn"):
                    sentence = translatable("The line to {hand} has ended; look again (r).")
                    raise GitFault("line", sentence, hand=self._hand)
                self._line = _Line(_hand(self._hand))
            if self._closed:
                self._line.close()
            answer = self._line.ask(order)
        if answer.fault is not None:
            sentence, values = answer.fault.sentence, answer.fault.values
            if not names_only(sentence, values):
                raise GitFault(answer.fault.told)
            raise GitFault(answer.fault.told, sentence, **values)
        return answer


def _hand(name: str) -> Hand:
    try:
        return registry.load().meant(name)
    except BadHand as exc:
        raise _as_git_fault(exc) from exc


def _as_git_fault(exc: BadHand) -> GitFault:
    return GitFault(str(exc), exc.message, **exc.values)


def _misunderstood(hand: str) -> GitFault:
    sentence = translatable("What {hand} answered was not understood; look again (r).")
    return GitFault("misunderstood", sentence, hand=hand)


class _Line:
    """One run of the program there; each order waits for its answer."""

    def __init__(self, hand: Hand) -> None:
        """Start it; where no cache there has it, it is sent.

        Raises:
            GitFault: it does not run; the sentence says why.
        """
        self.ended = False
        self._hand = hand
        self._ours, theirs = socket.socketpair()
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (held to the end)
        try:
            self._process = _started(hand, theirs, self._stderr)
            self._ours.setblocking(False)
            anyio.run(partial(bring, self._ours, ("--stdio",), program=REVIEW))
        except Ended as exc:
            fault = self._fault(exc.said)
            self.close()
            raise _as_git_fault(fault) from exc
        except BadHand as exc:
            self.close()
            raise _as_git_fault(exc) from exc
        self._ours.setblocking(True)
        self._ours.settimeout(_SECONDS)

    def ask(self, order: Order) -> Answer:
        """Have something done there, and return what it has come to.

        Raises:
            GitFault: there is no answer, or none that can be understood.
        """
        try:
            self._ours.sendall(msgspec.json.encode(order) + b"\n")
            return from_json(self._answer(), Answer)
        except TimeoutError as exc:
            self.close()
            sentence = translatable("{hand} did not answer within {seconds:g} seconds.")
            raise GitFault("late", sentence, hand=self._hand.name, seconds=_SECONDS) from exc
        except (OSError, EOFError) as exc:
            fault = self._fault()
            self.close()
            raise _as_git_fault(fault) from exc
        except (msgspec.MsgspecError, UnicodeDecodeError, zlib.error, ValueError) as exc:
            self.close()
            raise _misunderstood(self._hand.name) from exc

    def close(self) -> None:
        """End the program: it sees the end of its input first, and is killed if it stays."""
        self.ended = True
        with suppress(OSError):
            self._ours.shutdown(socket.SHUT_RDWR)  # whoever waits for an answer wakes up
        self._ours.close()
        process: subprocess.Popen[bytes] | None = getattr(self, "_process", None)
        if process is None:
            return
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            end_group(process)
            process.wait()
        self._stderr.close()

    def _answer(self) -> bytes:
        head = b""
        while not head.endswith(b"\n"):
            head += self._exactly(1)
            if len(head) > _HEAD_BYTES:
                raise ValueError("no size")
        size = int(head)
        if not 0 < size <= ANSWER_BYTES:
            raise ValueError("too large")
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(self._exactly(size), ANSWER_BYTES)
        if not unpacking.eof:
            raise ValueError("too large, or cut off")
        return data

    def _exactly(self, size: int) -> bytes:
        found = bytearray()
        while len(found) < size:
            piece = self._ours.recv(min(size - len(found), _PIECE))
            if not piece:
                raise EOFError
            found += piece
        return bytes(found)

    def _fault(self, also: Sequence[str] = ()) -> BadHand:
        """Return why the line has ended."""
        return faults.of_ended(self._hand, self._process, self._stderr, also)


def _started(hand: Hand, theirs: socket.socket, stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start the hand's command with a socket as its stdin and stdout; where it cannot be, pipes to it."""
    argv = master.through(hand).there(far_command())
    end = subprocess.PIPE if WINDOWS else theirs.fileno()
    try:
        process = subprocess.Popen(
            argv, stdin=end, stdout=end, stderr=stderr, cwd=NOWHERE, env=resident_env(),
            **OWN_GROUP,
        )  # fmt: skip
    except OSError as exc:
        theirs.close()
        raise not_started(argv[0], exc) from exc
    if not WINDOWS:
        theirs.close()
        return process
    from nagomi_worker import bridge

    assert process.stdin is not None and process.stdout is not None
    for carry in (
        partial(bridge.carry_in, process.stdout.fileno(), theirs),
        partial(bridge.carry_out, theirs, process.stdin.fileno()),
    ):
        threading.Thread(target=carry, daemon=True).start()
    return process


def editor_there(path: Path, line: int) -> str:
    """Return the line for a shell there that opens a file in the user's editor there."""
    script = f'exec ${{VISUAL:-${{EDITOR:-vi}}}} +{line} "$1"'
    return shlex.join(["sh", "-c", script, "sh", str(path)])
