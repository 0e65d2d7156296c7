"""Comments on lines of a change, and which files were seen: kept, found again, put into one message."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from nagomi_tui.review.model import Changes, FileChange, Hunk, Side, anchored, shown_path
from nagomi_tui.review.snapshots import Snapshots
from nagomi_tui.system import files
from nagomi_tui.system.decoding import from_json
from nagomi_tui.system.git import GitFault
from nagomi_tui.text.cells import printable, printable_lines
from nagomi_tui.text.words import translatable

Standing = Literal["draft", "open", "touched", "lost"]
"""`draft` until it is sent, `open` until its lines change after that, then `touched`; `lost` if its
lines are gone before it was sent."""
AROUND: Final = 3
"""Lines above and below that are kept with a comment, to find its place again."""
_MOST_BYTES: Final = 16 * 1024 * 1024


class Comment(msgspec.Struct, kw_only=True):
    """What the user has to say of some lines."""

    number: int
    path: bytes
    side: Side
    """Whether it is on lines as they are now, or on those that are gone."""
    first: int
    """Number of its first line, from 1; where it was last seen if it is lost."""
    lines: list[str]
    before: list[str]
    after: list[str]
    hunk: str
    """The hunk that it was written in."""
    text: str
    at: float
    sent_at: float = 0.0
    sent_to: str = ""
    """Name of the session that it was sent to."""
    standing: Standing = "draft"

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1

    @property
    def place(self) -> str:
        """Its place as it can be shown, such as `src/a.py:12-14`."""
        lines = f"{self.first}-{self.last}" if len(self.lines) > 1 else f"{self.first}"
        return f"{shown_path(self.path)}:{lines}"


class Seen(msgspec.Struct):
    """A file that the user has seen as it was then."""

    path: bytes
    key: str


class Put(msgspec.Struct):
    """A file as it was before it was discarded, to be put back."""

    path: bytes
    mode: str
    """Empty where there was no file."""
    blob: str
    """The object that holds its content."""
    left: str
    """Digest of what the discarding has left there."""


class Discarded(msgspec.Struct):
    """One discarding, of one file or of both names of a renamed one."""

    what: str
    at: float
    files: list[Put]


class Notes(msgspec.Struct):
    """What is kept on one working folder."""

    comments: list[Comment] = msgspec.field(default_factory=list)
    seen: list[Seen] = msgspec.field(default_factory=list)
    discarded: list[Discarded] = msgspec.field(default_factory=list)


class Notebook:
    """The notes on one working folder, in a file of our state folder.

    Whatever changes them raises what `change` does.
    """

    def __init__(self, snapshots: Snapshots) -> None:
        self._snapshots = snapshots
        self._path: Path = snapshots.shadow.folder.with_suffix(".json")

    def read(self) -> Notes:
        """Return the notes; empty ones where there are none.

        Raises:
            GitFault: the file is broken.
            OSError: it cannot be read.
        """
        try:
            data = files.read(self._path, _MOST_BYTES)
        except FileNotFoundError:
            return Notes()
        try:
            return from_json(data, Notes)
        except (msgspec.MsgspecError, UnicodeDecodeError) as exc:
            sentence = translatable(
                "The comments in {file} cannot be read: {reason}. Move the file away to begin anew."
            )
            raise GitFault(str(exc), sentence, file=self._path, reason=exc) from exc

    def change(self, change: Callable[[Notes], object]) -> Notes:
        """Read the notes, change them, and write them whole; return them.

        Raises:
            GitFault: they cannot be read, or another process holds them for too long.
            OSError: they cannot be written.
        """
        with self._snapshots.locked():
            notes = self.read()
            change(notes)
            files.write(self._path, msgspec.json.encode(notes))
        return notes

    # --- comments

    def add(self, one: FileChange, hunk: Hunk, side: Side, lines: range, text: str) -> Notes:
        """Comment on lines of a hunk, by their positions in it; those of the other side are left out.

        Raises:
            GitFault: there is none of these lines on this side, or as `change`.
            OSError: as `change`.
        """
        column = 1 if side == "new" else 0
        rows = [
            (numbers[column], line[1:])
            for numbers, line in zip(hunk.numbers(), hunk.lines, strict=True)
        ]
        wanted = [(n, text) for at, (n, text) in enumerate(rows) if n and at in lines]
        if not wanted:
            raise GitFault("no line", "There is no line to comment on here.")
        first, last = wanted[0][0], wanted[-1][0]
        path = one.path if side == "new" else one.old_path
        comment = Comment(
            number=0, path=path, side=side, first=first,
            lines=[line for _, line in wanted],
            before=[line for n, line in rows if n and first - AROUND <= n < first],
            after=[line for n, line in rows if last < n <= last + AROUND],
            hunk=hunk.text(), text=text.strip(), at=time.time(),
        )  # fmt: skip

        def add(notes: Notes) -> None:
            comment.number = max((old.number for old in notes.comments), default=0) + 1
            notes.comments.append(comment)

        return self.change(add)

    def edit(self, number: int, text: str) -> Notes:
        """Give a comment another text, or remove it if that is empty; one that was sent is a draft again."""

        def edit(notes: Notes) -> None:
            for one in notes.comments:
                if one.number == number and text.strip() != one.text:
                    one.text, one.sent_at = text.strip(), 0.0
                    one.standing = "lost" if one.standing == "lost" else "draft"
            notes.comments = [one for one in notes.comments if one.text]

        return self.change(edit)

    def sent(self, numbers: Sequence[int], name: str) -> Notes:
        """Note that comments were sent to the session of this name."""

        def mark(notes: Notes) -> None:
            for one in notes.comments:
                if one.number in numbers:
                    one.sent_at, one.sent_to, one.standing = time.time(), name, "open"

        return self.change(mark)

    def mark_seen(self, one: FileChange, *, seen: bool) -> Notes:
        """Note that a file was seen as it is now, or take that back."""

        def mark(notes: Notes) -> None:
            notes.seen = [old for old in notes.seen if old.path != one.path]
            if seen:
                notes.seen.append(Seen(one.path, one.key))

        return self.change(mark)

    def anchor(self, changes: Changes) -> Notes:
        """Find the lines of all comments again in the files as they are now, and return the notes."""
        if not self.read().comments:
            return self.read()
        return self.change(lambda notes: _anchor(self._snapshots, changes, notes.comments))


def _anchor(snapshots: Snapshots, changes: Changes, comments: Sequence[Comment]) -> None:
    trees = {"new": changes.after, "old": changes.before}
    names = [f"{trees[one.side]}:".encode() + one.path for one in comments]
    named = [name if b"\n" not in name else b"?" for name in names]
    for one, data in zip(comments, snapshots.contents(*named), strict=True):
        lines = data.decode("utf-8", "replace").split("\n") if data is not None else []
        first = anchored(lines, one.lines, one.first, one.before, one.after)
        if first:
            one.first = first
        around = bool(first) and _around(lines, one)
        if one.sent_at:
            if one.standing != "touched" and not around:
                one.standing = "touched"
        elif not first:
            one.standing = "lost"
        else:
            one.standing = "draft"


def _around(lines: Sequence[str], one: Comment) -> bool:
    """Tell whether the lines next to a comment's are those that stood there."""
    above = list(lines[max(0, one.first - 1 - len(one.before)) : one.first - 1])
    below = list(lines[one.last : one.last + len(one.after)])
    return above == one.before and below == one.after


# --- the message

_HEAD: Final = translatable(
    "Review of your changes: {count} comments. Work through all of them, one after the other, then say "
    "for each number what you did, or why you did not."
)
_HEAD_ONE: Final = translatable(
    "Review of your changes: 1 comment. Work on it, then say what you did, or why you did not."
)
_GONE: Final = translatable("(removed lines)")
_QUOTED: Final = 12
"""Most lines of a comment's code that are quoted."""


def message(comments: Sequence[Comment], say: Callable[..., str]) -> str:
    """Return one text for the agent with all comments: place, quoted lines, and what is to be done."""
    count = len(comments)
    parts = [say(_HEAD_ONE) if count == 1 else say(_HEAD, count=count)]
    for at, one in enumerate(sorted(comments, key=lambda one: (one.path, one.first)), 1):
        gone = f" {say(_GONE)}" if one.side == "old" else ""
        quoted = [f"   > {printable(line)}" for line in one.lines[:_QUOTED]]
        if len(one.lines) > _QUOTED:
            quoted.append("   > …")
        text = [f"   {line}" for line in printable_lines(one.text).split("\n")]
        parts.append("\n".join([f"{at}. {one.place}{gone}", *quoted, *text]))
    return "\n\n".join(parts)


def to_send(notes: Notes) -> list[Comment]:
    """Return the comments that were not sent yet, also those whose lines are lost."""
    return [one for one in notes.comments if not one.sent_at]


def is_seen(notes: Notes, one: FileChange) -> bool:
    """Tell whether the user has seen a file as it is now."""
    return any(old.path == one.path and old.key == one.key for old in notes.seen)
