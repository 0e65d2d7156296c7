"""The review of a folder on a hand: the program that runs there, and what passes between it and us.

It is sent there with what it imports, and is run by the Python there (`nagomi_tui.hands.bringing`).
What it does, and keeps, is what a review does here; comments and trees are in the state folder there.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from nagomi_tui.review.comments import Notes
from nagomi_tui.review.model import Changes, FileChange, Side
from nagomi_tui.review.review import Page, Review
from nagomi_tui.review.snapshots import Against, Loaded, Place, Since, Snapshots, find
from nagomi_tui.system.decoding import from_json
from nagomi_tui.system.git import GitFault
from nagomi_tui.system.paths import PlaceError
from nagomi_tui.system.platforms import LINUX, WINDOWS
from nagomi_tui.text.words import translatable

ORDER_BYTES: Final = 16 * 1024 * 1024
"""Most bytes of an order, which is one line of JSON."""
ANSWER_BYTES: Final = 256 * 1024 * 1024
"""Most bytes of an answer, which is JSON too; it goes compressed, behind a line with its size."""
Verb = Literal[
    "load", "again", "whole", "comment", "edit", "sent", "seen", "discard", "undo", "commit", "turn"
]


class Order(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One thing that is to be done there; `load` and `turn` are for a folder, all else goes on from it."""

    do: Verb
    folder: bytes = b""
    session_id: str = ""
    since: Since | None = None
    """As `Review.load` takes it."""
    turn: int = 0
    path: bytes = b""
    """A file of what was loaded, by its name now."""
    hunk: int = -1
    """The position of a hunk in that file; -1 for none."""
    side: str = "new"
    first: int = 0
    end: int = 0
    text: str = ""
    number: int = 0
    numbers: list[int] = msgspec.field(default_factory=list)
    paths: list[bytes] = msgspec.field(default_factory=list)
    seen: bool = False


class FarPage(msgspec.Struct, kw_only=True):
    """A `Page` as it passes."""

    since: Since
    tree: str
    name: str
    at: float
    changes: Changes
    root: bytes
    branch: str
    head: str
    left_out: int
    under_way: str
    notes: Notes


class FarFault(msgspec.Struct):
    """Why it was not done: a sentence of the catalog, its values, and the reason in plain words."""

    told: str
    sentence: str
    values: dict[str, str]


class Answer(msgspec.Struct, kw_only=True):
    """What an order has come to."""

    page: FarPage | None = None
    notes: Notes | None = None
    one: FileChange | None = None
    text: str = ""
    fault: FarFault | None = None


def packed(page: Page) -> FarPage:
    """Return a page as it passes."""
    loaded = page.loaded
    return FarPage(
        since=loaded.since, tree=loaded.against.tree, name=loaded.against.name,
        at=loaded.against.at, changes=loaded.changes, root=os.fsencode(loaded.place.root),
        branch=loaded.place.branch, head=loaded.place.head, left_out=loaded.left_out,
        under_way=loaded.under_way, notes=page.notes,
    )  # fmt: skip


def unpacked(one: FarPage) -> Page:
    """Return the page again; its repository is none that could be looked at here."""
    place = Place(Path(os.fsdecode(one.root)), Path(), Path(), "", one.head, one.branch)
    against = Against(one.tree, one.name, one.at)
    loaded = Loaded(one.since, against, one.changes, place, one.left_out, one.under_way)
    return Page(loaded, one.notes)


class Reviewer:
    """Carries out orders, one after the other, on the review of one folder."""

    def __init__(self) -> None:
        self._review: Review | None = None

    def answer(self, line: bytes) -> Answer:
        """Carry out one order, and return what it has come to."""
        try:
            return self._done(from_json(line, Order))
        except (GitFault, PlaceError) as exc:
            values = {name: str(value) for name, value in exc.values.items()}
            return Answer(fault=FarFault(str(exc), exc.sentence, values))
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as exc:
            sentence = translatable("git says: {reason}")
            reason = getattr(exc, "strerror", None) or str(exc)
            return Answer(fault=FarFault(str(exc), sentence, {"reason": str(reason)}))

    def _done(self, order: Order) -> Answer:
        folder = os.path.expanduser(os.fsdecode(order.folder) or "~")
        if order.do == "turn":
            Snapshots(find(folder)).mark_turn(order.session_id, order.turn)
            return Answer()
        if order.do == "load":
            self._review = Review(folder, order.session_id)
            return _paged(self._review.load(order.since))
        review = self._review
        if review is None or review.page is None:
            raise GitFault("not loaded")
        if order.do in ("again", "undo", "commit"):
            return self._whole_folder(review, order)
        if order.do in ("edit", "sent"):
            done = (
                review.edit(order.number, order.text)
                if order.do == "edit"
                else review.sent(order.numbers, order.text)
            )
            return Answer(notes=done)
        return self._of_file(review, order, review.page.loaded.changes)

    def _whole_folder(self, review: Review, order: Order) -> Answer:
        if order.do == "again":
            return _paged(review.again())
        if order.do == "undo":
            text, page = review.undo()
        else:
            assert review.page is not None
            found = [review.page.loaded.changes.find(path) for path in order.paths]
            text, page = review.commit([one for one in found if one is not None], order.text)
        return Answer(text=text, page=packed(page))

    def _of_file(self, review: Review, order: Order, changes: Changes) -> Answer:
        one = changes.find(order.path)
        if one is None:
            raise GitFault("no such file")
        if order.do == "whole":
            whole = review.whole(one)
            changes.files[changes.files.index(one)] = whole
            return Answer(one=whole)
        if order.do == "seen":
            return Answer(notes=review.mark_seen(one, seen=order.seen))
        hunk = one.hunks[order.hunk] if 0 <= order.hunk < len(one.hunks) else None
        if order.do == "discard":
            return _paged(review.discard(one, hunk))
        if hunk is None:
            raise GitFault("no such hunk")
        side: Side = "old" if order.side == "old" else "new"
        lines = range(order.first, order.end)
        return Answer(notes=review.comment(one, hunk, side, lines, order.text))


def _paged(page: Page) -> Answer:
    return Answer(page=packed(page))


def framed(answer: Answer) -> bytes:
    """Return an answer as it is written: a line with its size, then its JSON, compressed."""
    data = zlib.compress(msgspec.json.encode(answer), 1)
    return f"{len(data)}\n".encode() + data


def main(*, program: Sequence[str] = ()) -> int:
    """Answer the orders on stdin until it ends; nothing else gets to stdout."""
    if not LINUX and not WINDOWS:  # where a library would name the state folder
        os.environ.setdefault("NAGOMI_HOME", os.path.expanduser("~/.local/share/nagomi/review"))
    reviewer, nowhere = Reviewer(), os.open(os.devnull, os.O_RDWR)
    with open(os.dup(0), "rb") as orders, open(os.dup(1), "wb") as answers:
        for number in (0, 1):
            os.dup2(nowhere, number)
        while (line := orders.readline(ORDER_BYTES)).endswith(b"\n"):
            answers.write(framed(reviewer.answer(line)))
            answers.flush()
    return 0
