"""The screen of a review: files beside their changes, comments, and what is done by keys."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeVar

from textual import events
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, Static, TextArea

from nagomi_tui.review.comments import is_seen, message, to_send
from nagomi_tui.review.model import FileChange, Side
from nagomi_tui.review.review import Page, Review
from nagomi_tui.review.snapshots import SOURCES, Since
from nagomi_tui.system import deadlines
from nagomi_tui.text.cells import printable, short_folder
from nagomi_tui.text.key_names import BEHIND_SECONDS
from nagomi_tui.text.words import translatable
from nagomi_tui.view.common.timers import from_git
from nagomi_tui.view.common.translate import tr, tr_count
from nagomi_tui.view.common.widgets import ActionAsked, Chip
from nagomi_tui.view.review.diff import DiffView
from nagomi_tui.view.review.files import FileList, summary

if TYPE_CHECKING:
    Send = Callable[[str, Callable[[str], None]], None]
    """Sends a text to the session; the function is called with what is wrong, or an empty text."""

_Value = TypeVar("_Value")
_SECONDS: Final = 150.0
"""Longer than any step of a review may take by itself."""
_LIST_FROM: Final = 100
"""Columns from which the list of files is shown at first."""
_PROGRESS_SECONDS: Final = 0.25
_PROGRESS_FROM: Final = 1000
"""Changed files from which it is said how far they are read."""
SINCE: Final = {
    "uncommitted": translatable("uncommitted"),
    "turn": translatable("last turn"),
    "base": translatable("since the base"),
}
_KEYS: Final = translatable(
    "n p hunk · N P file · c comment · S send · m seen · d D discard · u undo · w commit · o open · "
    "/ search · q close"
)

_NO_LINE: Final = translatable("Go to a line to comment on; v selects several.")


class MultilineField(TextArea):
    """Some lines of text: Enter is for done, Ctrl+J or Shift+Enter begin a new line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "done", show=False, priority=True),
        Binding("ctrl+j,shift+enter,alt+enter", "line", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    MultilineField, MultilineField:focus {
        height: 6; border: round $primary; background: $background; color: $foreground;
        padding: 0 1; background-tint: $background 0%; display: none;
    }
    MultilineField.-open { display: block; }
    """

    class Done(Message):
        """It is written."""

    def action_done(self) -> None:
        self.post_message(self.Done())

    def action_line(self) -> None:
        """Begin a new line."""
        self.insert("\n")


class ReviewScreen(ModalScreen[None], inherit_bindings=False):
    """Shows what has changed in a working folder, over the whole terminal."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", show=False),
        Binding("1", "since('uncommitted')", show=False),
        Binding("2", "since('turn')", show=False),
        Binding("3", "since('base')", show=False),
        Binding("c", "comment", show=False),
        Binding("x", "remove_comment", show=False),
        Binding("S", "send", show=False),
        Binding("m", "seen", show=False),
        Binding("d", "discard(False)", show=False),
        Binding("D", "discard(True)", show=False),
        Binding("u", "undo", show=False),
        Binding("w", "commit", show=False),
        Binding("o", "open", show=False),
        Binding("r", "reload", show=False),
        Binding("f", "files", show=False),
        Binding("slash", "search", show=False),
    ]
    DEFAULT_CSS = """
    ReviewScreen { background: $background; layout: vertical; }
    ReviewScreen #title { height: 1; background: $surface; color: $foreground; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    ReviewScreen #since { height: 1; background: $background; padding: 0 1; color: $muted; }
    ReviewScreen #since Chip { padding: 0 1; color: $muted; }
    ReviewScreen #since Chip.-on { color: $primary; text-style: bold; }
    ReviewScreen #body { height: 1fr; }
    ReviewScreen FileList { display: none; }
    ReviewScreen.-files FileList { display: block; }
    ReviewScreen Input, ReviewScreen Input:ansi, ReviewScreen Input:focus {
        height: 1; border: none; padding: 0 1; background: $surface; color: $foreground; display: none;
    }
    ReviewScreen Input.-open { display: block; }
    ReviewScreen #said { height: auto; max-height: 3; padding: 0 1; display: none; color: $foreground; }
    ReviewScreen #said.-open { display: block; }
    ReviewScreen #said.-fault { color: $error; }
    ReviewScreen #keys { height: auto; max-height: 4; padding: 0 1; color: $muted; background: $surface; }
    """

    def __init__(
        self,
        review: Review,
        *,
        name: str,
        since: Since | None = None,
        send: Send | None,
        edit: Callable[[Path, int], None] | None,
    ) -> None:
        """`name` is that of the session; `edit` opens a file at a line."""
        super().__init__()
        self._review = review
        self._called = name
        self._since = since
        self._send = send
        self._edit = edit
        self._writing: Literal["", "comment", "edit", "commit"] = ""
        self._refusal = ""
        """Why nothing can be done with what is written."""
        self._number = 0
        """The comment that is edited."""
        self._busy = False
        self._waiting: list[tuple[Callable[[], Any], Callable[[Any], object]]] = []
        """What is to be done away from the event loop, and what with its result."""
        self._list_wanted: bool | None = None
        self._readable_at = float("inf")
        """When the changes can have been read; nothing is discarded before."""

    def compose(self) -> ComposeResult:
        yield Static(id="title")
        with Horizontal(id="since"):
            for number, since in enumerate(SOURCES, 1):
                chip = Chip(f"since-{since}", id=f"since-{since}")
                chip.update(f"{number} {tr(SINCE[since])}")
                yield chip
        with Horizontal(id="body"):
            yield FileList()
            yield DiffView()
        yield Static(id="said")
        yield MultilineField(id="writing", soft_wrap=True)
        yield Input(id="needle", placeholder=tr("Search …"))
        yield Static(tr(_KEYS), id="keys")

    def on_mount(self) -> None:
        self.diff.focus()
        self._show_title()
        self.set_interval(_PROGRESS_SECONDS, self._show_progress)
        self._do(lambda: self._review.load(self._since), self._show)

    def on_unmount(self) -> None:
        """Have the line to a hand end, which may take a moment."""
        with contextlib.suppress(TimeoutError):
            deadlines.begin(self._review.close)

    def on_resize(self, event: events.Resize) -> None:
        """Show the list of files where there is room."""
        wanted = self._list_wanted
        self.set_class(event.size.width >= _LIST_FROM if wanted is None else wanted, "-files")

    @property
    def diff(self) -> DiffView:
        return self.query_one(DiffView)

    # --- what is shown

    @property
    def _is_whole(self) -> bool:
        """Whether its parts are there: it opens without them, and loses them one by one as it closes."""
        return self.display and bool(self.query("#since Chip")) and bool(self.query(DiffView))

    def _show(self, page: Page) -> None:
        if not self._is_whole:
            return
        if self._readable_at == float("inf"):
            self._readable_at = time.monotonic() + BEHIND_SECONDS
        self._show_title()
        self.diff.show(page.loaded.changes.files, page.notes)
        self._show_files()
        if not page.loaded.changes.files and not page.notes.comments:
            self._say(tr("Nothing has changed."))

    def _show_files(self) -> None:
        if (page := self._review.page) is not None:
            row = self.diff.row
            current = row.file if row is not None else -1
            self.query_one(FileList).show(page.loaded.changes.files, page.notes, current)

    def _show_notes(self, _: object = None) -> None:
        if (page := self._review.page) is not None and self._is_whole:
            self.diff.show(self.diff.files, page.notes)
            self._show_files()
            self._show_title()

    def _show_title(self) -> None:
        page = self._review.page
        parts = [tr("Review of {name}", name=self._called) if self._called else tr("Review")]
        if page is None:
            parts.append(tr("looking …"))
        else:
            loaded = page.loaded
            if loaded.since == "turn":
                parts.append(tr("since the last turn"))
            elif loaded.against.name:
                parts.append(tr("vs {name}", name=loaded.against.name))
            parts.append(summary(loaded.changes.files))
            waiting = len(to_send(page.notes))
            if waiting:
                parts.append(tr_count("{count} comment", "{count} comments", waiting))
            if loaded.under_way:
                parts.append(tr("in the middle of a {what}", what=loaded.under_way))
            if loaded.left_out:
                parts.append(
                    tr_count(
                        "{count} untracked file left out",
                        "{count} untracked files left out",
                        loaded.left_out,
                    )
                )
            unread = sum(not one.loaded for one in loaded.changes.files)
            if unread:
                parts.append(tr_count("{count} not read yet", "{count} not read yet", unread))
            parts.append(short_folder(str(loaded.place.root), os.path.expanduser("~")))
            for since in SOURCES:
                self.query_one(f"#since-{since}").set_class(since == loaded.since, "-on")
        self.query_one("#title", Static).update(Content(" · ".join(map(printable, parts))))

    def _show_progress(self) -> None:
        """Say how far many files are read."""
        done, all_of = self._review.progress
        if not self._busy or all_of < _PROGRESS_FROM:
            return
        text = tr("looking … {done} of {count} files · Esc stops", done=done, count=all_of)
        self.query_one("#title", Static).update(Content(text))

    def complain(self, sentence: str) -> None:
        self._say(sentence, fault=True)

    def _say(self, text: str, *, fault: bool = False) -> None:
        said = self.query_one("#said", Static)
        said.update(text)
        said.set_class(bool(text), "-open")
        said.set_class(fault, "-fault")

    # --- doing things away from the event loop

    def _do(
        self, work: Callable[[], _Value], then: Callable[[_Value], object], *, quiet: bool = False
    ) -> None:
        """Do something that blocks, one thing at a time, and then something with its result."""
        self._waiting.append((work, then))
        if self._busy:
            return
        self._busy = True
        if not quiet:
            self._say("")
        self.run_worker(self._all_done())

    async def _all_done(self) -> None:
        """Do all that waits, one after the other."""
        try:
            while self._waiting and self.display:
                await from_git(self, *self._waiting.pop(0), self._fail, seconds=_SECONDS)
        finally:
            self._busy = False

    def _fail(self, sentence: str) -> None:
        self._waiting.clear()
        if self._is_whole:
            self._say(sentence, fault=True)
            self._show_title()

    # --- moving about

    def on_diff_view_moved(self, event: DiffView.Moved) -> None:
        """Mark the file with the cursor in the list."""
        row = self.diff.row
        self.query_one(FileList).mark(row.file if row is not None else -1)

    def on_diff_view_wanted(self, event: DiffView.Wanted) -> None:
        """Read a file that was not read at first."""
        one = event.one

        def show(whole: FileChange) -> None:
            files = list(self.diff.files)
            at = next((at for at, old in enumerate(files) if old is one), None)
            page = self._review.page
            if at is None or page is None:
                return
            if whole.kind == "large" or not whole.hunks:
                whole.kind = "binary"
            whole.loaded = True
            files[at] = page.loaded.changes.files[at] = whole
            self.diff.show(files, page.notes)
            self.diff.unfold(whole)
            self._show_files()

        self._do(lambda: self._review.whole(one), show)

    def on_file_list_chosen(self, event: FileList.Chosen) -> None:
        self.diff.go_to_file(event.number)

    def on_action_asked(self, event: ActionAsked) -> None:
        """Compare with something else, where its name was clicked."""
        event.stop()
        for since in SOURCES:
            if event.action == f"since-{since}":
                self.action_since(since)

    def action_since(self, since: Since) -> None:
        self._readable_at = float("inf")
        self._do(lambda: self._review.load(since), self._show)

    def action_reload(self) -> None:
        self._readable_at = float("inf")
        self._do(self._review.again, self._show)

    def action_files(self) -> None:
        self._list_wanted = not self.has_class("-files")
        self.set_class(self._list_wanted, "-files")

    def action_leave(self) -> None:
        """Close what is written, the search, the selection; else the review."""
        needle = self.query_one("#needle", Input)
        if self._writing:
            self._close_writing()
        elif needle.has_class("-open"):
            needle.remove_class("-open")
            self.diff.search("")
            self.diff.focus()
        elif self.diff.selected_from is not None:
            self.diff.action_select()
        elif self.is_current:
            self.dismiss(None)

    # --- searching

    def action_search(self) -> None:
        needle = self.query_one("#needle", Input)
        needle.add_class("-open")
        needle.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Go to the first place, as one types."""
        event.stop()
        self._search(event.value, here=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._search(event.value)

    def on_key(self, event: events.Key) -> None:
        """From the line of the search, up and down go through what was found."""
        if self.focused is self.query_one("#needle", Input) and event.key in ("up", "down"):
            event.stop()
            self._search(self.diff.needle, by=-1 if event.key == "up" else 1)

    def _search(self, text: str, by: int = 1, *, here: bool = False) -> None:
        found = self.diff.search(text, by, here=here)
        self._say("" if found else tr("Nothing fits."))

    # --- comments

    def action_comment(self) -> None:
        """Write a comment on the selected lines, or edit the one with the cursor."""
        if (comment := self.diff.comment) is not None:
            self._number = comment.number
            self._write("edit", tr("Comment on {place}", place=comment.place), comment.text)
        elif (selected := self.diff.commented()) is not None:
            one = self.diff.files[selected[0]]
            self._write("comment", tr("Comment on {place}", place=one.name))
        else:
            self._write("comment", refusal=tr(_NO_LINE))

    def action_remove_comment(self) -> None:
        if (comment := self.diff.comment) is not None:
            self._do(lambda: self._review.edit(comment.number, ""), self._show_notes)

    def action_send(self) -> None:
        """Send all comments that were not sent to the agent, as one message."""
        page = self._review.page
        waiting = to_send(page.notes) if page else []
        if not waiting:
            self._say(tr("There is no comment to send; c writes one."))
            return
        if self._send is None:
            self._say(
                tr("No session is known here; `nagomi diff SESSION` sends comments to it."),
                fault=True,
            )
            return
        numbers = [one.number for one in waiting]

        def sent(fault: str) -> None:
            if not self.display:
                return
            if fault:
                self._say(fault, fault=True)
                return
            comments = tr_count("{count} comment", "{count} comments", len(numbers))
            self._say(tr("Sent to {name}: {comments}.", name=self._called, comments=comments))
            self._do(lambda: self._review.sent(numbers, self._called), self._show_notes, quiet=True)

        self._send(message(waiting, tr), sent)

    def _write(
        self, what: Literal["comment", "edit", "commit"], title: str = "", text: str = "",
        *, refusal: str = "",
    ) -> None:  # fmt: skip
        """Open the field, also where a `refusal` says why nothing can be done with what is written.

        Else what is typed right behind the key would be commands.
        """
        self._writing, self._refusal = what, refusal
        writing = self.query_one(MultilineField)
        writing.text = text
        writing.border_title = printable(title or refusal)
        writing.border_subtitle = (
            tr("Esc to close") if refusal else tr("Enter: done · Ctrl+J: new line · Esc: not now")
        )
        writing.add_class("-open")
        writing.move_cursor(writing.document.end)
        writing.focus()

    def _close_writing(self) -> None:
        self._writing = ""
        self.query_one(MultilineField).remove_class("-open")
        self.diff.focus()

    def on_multiline_field_done(self, event: MultilineField.Done) -> None:
        """Do what was written for."""
        event.stop()
        what, text = self._writing, self.query_one(MultilineField).text
        selected = self.diff.commented()
        gone = what == "comment" and selected is None and text.strip()
        if refusal := self._refusal or (tr(_NO_LINE) if gone else ""):
            self._say(refusal, fault=True)
            return
        self._close_writing()
        if what == "edit":
            self._do(lambda: self._review.edit(self._number, text), self._show_notes)
        elif not text.strip():
            return
        elif what == "commit":
            self._commit(text)
        elif selected is not None:
            file, at, lines = selected
            one = self.diff.files[file]
            hunk = one.hunks[at]
            removed = all(hunk.lines[line][:1] in "-\\" for line in lines)
            side: Side = "old" if removed else "new"
            self._do(lambda: self._review.comment(one, hunk, side, lines, text), self._show_notes)

    # --- what is done to files

    def action_seen(self) -> None:
        """Mark the file as seen and go to the next one, or take that back."""
        one, page = self.diff.file, self._review.page
        if one is None or page is None:
            return
        seen = not is_seen(page.notes, one)

        def done(_: object) -> None:
            self._show_notes()
            if seen:
                self.diff.action_jump_file(1)

        self._do(lambda: self._review.mark_seen(one, seen=seen), done)

    def action_discard(self, whole: bool) -> None:
        """Discard the hunk with the cursor, or the whole file."""
        one, row = self.diff.file, self.diff.row
        if time.monotonic() < self._readable_at:
            raise SkipAction  # what is typed right behind it is for nobody, either
        if one is None or row is None:
            return
        hunk = one.hunks[row.hunk] if not whole and 0 <= row.hunk < len(one.hunks) else None
        if not whole and (hunk is None or self.diff.comment is not None):
            self._say(tr("Go to a hunk to discard it; D discards the whole file."))
            return

        def done(page: Page) -> None:
            self._show(page)
            self._say(tr("Discarded in {name}; u takes it back.", name=one.name))

        self._do(lambda: self._review.discard(one, hunk), done)

    def action_undo(self) -> None:
        """Take the last discarding back."""

        def done(found: tuple[str, Page]) -> None:
            self._show(found[1])
            self._say(tr("{name} is as it was before it was discarded.", name=found[0]))

        self._do(self._review.undo, done)

    def action_commit(self) -> None:
        """Write a message and commit the files that were seen, or all if none was."""
        page = self._review.page
        if page is None or not page.loaded.changes.files:
            self._write("commit", refusal=tr("Nothing has changed."))
            return
        if page.loaded.since != "uncommitted":
            refusal = tr("1 shows what is not committed; there it can be committed.")
            self._write("commit", refusal=refusal)
            return
        chosen, count = self._to_commit(page), len(page.loaded.changes.files)
        if len(chosen) == count:
            title = tr_count("Commit {count} file", "Commit all {count} files", count)
        else:
            title = tr_count(
                "Commit {count} file that you have seen",
                "Commit {count} files that you have seen",
                len(chosen),
            )
        self._write("commit", title)

    def _to_commit(self, page: Page) -> list[FileChange]:
        files = page.loaded.changes.files
        return [one for one in files if is_seen(page.notes, one)] or list(files)

    def _commit(self, text: str) -> None:
        page = self._review.page
        if page is None:
            return
        chosen = self._to_commit(page)

        def done(found: tuple[str, Page]) -> None:
            self._show(found[1])
            self._say(tr("Committed as {commit}.", commit=found[0][:9]))

        self._do(lambda: self._review.commit(chosen, text.strip()), done)

    def action_open(self) -> None:
        """Open the file at the line with the cursor."""
        one = self.diff.file
        if one is None or self._edit is None:
            return
        if one.status == "D":
            self._say(tr("{name} was removed.", name=one.name))
            return
        self._edit(self._review.place_of(one), self.diff.line_number())
