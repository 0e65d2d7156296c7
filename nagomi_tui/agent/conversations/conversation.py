"""One conversation that this process holds open: appended to, replayed, summed up."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.agent.conversations import markdown, notes, records, transcripts
from nagomi_tui.agent.conversations.entries import iso
from nagomi_tui.agent.conversations.faults import Busy, NotWritten
from nagomi_tui.agent.conversations.lines import Lines
from nagomi_tui.agent.conversations.replay import begins_turn
from nagomi_tui.agent.providers.interface import ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path
    from types import TracebackType

    from nagomi_tui.agent.common.values import Block, Clock, Mask, Message
    from nagomi_tui.agent.conversations.entries import Entry
    from nagomi_tui.agent.conversations.faults import Faults
    from nagomi_tui.agent.conversations.locks import Lock
    from nagomi_tui.agent.conversations.notes import Note
    from nagomi_tui.agent.conversations.records import CallResult, Record

SUMMARY: Final = "[Previous conversation summary]\n"
UNDERSTOOD: Final = "Understood, I have the context."
"""What stands in the place of history that was summed up (S-25)."""


class Keeper:
    """What a conversation needs of the folder that it is in."""

    def __init__(
        self,
        now: Clock,
        mask: Mask,
        mask_user: Mask,
        entry: Callable[[str], Entry],
        change: Callable[[str, Callable[[Entry], Mapping[str, object]], Note | None], Entry],
    ) -> None:
        self.now = now
        self.mask = mask
        self.mask_user = mask_user
        self.entry = entry
        self.change = change


class Conversation:
    """A conversation under its lock; leaving it as a context manager closes it.

    What was appended is in the file when the method returns, and on the disk when the turn has
    ended: with an answer that uses no tool, a failure, or the end. All that writes raises
    `NotWritten` where the disk does not take it; what was there before is still there then.
    """

    def __init__(self, id: str, path: Path, keeper: Keeper, lock: Lock) -> None:
        self.id = id
        self._path = path
        self._keeper = keeper
        self._lock = lock
        self._lines = Lines(path)
        self._reading = threading.RLock()
        """Writes may come from another thread than whoever reads what was said."""
        self._unsaved = False
        self._spoken = False
        """The user has said something since this process opened it."""
        try:
            self._compaction, self._replay = transcripts.since_compaction(path)
        except OSError as exc:
            self._lines.close()
            raise NotWritten(path, exc.strerror or str(exc)) from exc
        self._recount()

    def __enter__(self) -> Conversation:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def entry(self) -> Entry:
        """What the index says of it now; others may change it."""
        return self._keeper.entry(self.id)

    @property
    def faults(self) -> Faults:
        """What is wrong in the part of the file that was read."""
        found = self._replay.faults
        if not self._lines.torn or records.parsed(self._lines.torn) is not None:
            return found
        return msgspec.structs.replace(found, garbled=max(found.garbled - 1, 0), torn=1)

    def messages(self) -> list[Message]:
        """Return what the next request needs: alternating, after the newest compaction.

        The list is the caller's; the blocks in it are not to be changed.
        """
        with self._reading:
            return [*self._summary(), *self._replay.messages()]

    def total(self) -> int:
        """Return how many messages were ever said, those that were summed up too."""
        with self._reading:
            before = self._compaction.messages if self._compaction else 0
            return before + len(self._replay.placed())

    def _summary(self) -> list[Message]:
        if self._compaction is None:
            return []
        understood = {"type": "text", "text": UNDERSTOOD}
        return [
            {"role": "user", "content": SUMMARY + self._compaction.summary},
            {"role": "assistant", "content": [understood]},
        ]

    def append_user(self, text: str) -> None:
        """Add what the user said, masked unless that was switched off (X-24)."""
        self._append([records.user(self._keeper.mask_user(text), self._keeper.now())])
        self._spoken = True
        self._save()

    def append_assistant(self, blocks: list[Block]) -> None:
        """Add an answer: its text and thinking, then the tools it uses, in one write (SB-1, SB-2).

        An answer that uses none ends the turn.
        """
        ts = self._keeper.now()
        uses = [block for block in blocks if block.get("type") == "tool_use"]
        calls = [ToolCall(use["id"], use["name"], use["input"]) for use in uses]
        self._append([records.assistant(blocks, ts), *(records.tool_use(c, ts) for c in calls)])
        if not uses:
            self._save(on_disk=True)

    def append_tool_uses(self, calls: Iterable[ToolCall]) -> None:
        """Add the tools that the answer uses, but those that came with it already."""
        ts = self._keeper.now()
        wanted = [call for call in calls if not self._replay.has_use(call.id)]
        # Each answer has a record of its own, so that it is known which uses belong together.
        answer = [] if self._replay.answers else [records.assistant([], ts)]
        if wanted:
            self._append([*answer, *(records.tool_use(call, ts) for call in wanted)])

    def append_tool_results(self, results: Iterable[CallResult]) -> None:
        """Add what the tools came to, masked."""
        ts = self._keeper.now()
        self._append([records.tool_result(self._masked(result), ts) for result in results])

    def fail_turn(self) -> None:
        """End a turn without an answer; what the user said is no part of the history then (SB-13).

        Where tools were used in it already, it stays: they have done what they did.
        """
        with self._reading:
            at = self._replay.withdraw() if self._spoken else None
        self._spoken = False
        if at is not None:
            with contextlib.suppress(NotWritten, Busy):  # else it is joined to what comes next
                self._note(notes.Failed(offset=at, ts=self._keeper.now()))
        self._save(on_disk=True)

    def compact(self, summary: str, upto: int) -> None:
        """Let a summary stand for the first `upto` of `messages()`, from now on and for ever (X-6).

        The transcript is not touched.

        Raises:
            ValueError: the next message is not one with which a turn begins (SB-3).
        """
        placed = self._replay.placed()
        at = upto - len(self._summary())
        if at < 0 or upto < 1 or at > len(placed):
            raise ValueError(f"there are no {upto} messages to be summed up")
        if at < len(placed) and not begins_turn(placed[at][0]):
            raise ValueError(f"no turn begins at message {upto}")
        offset = placed[at][1] if at < len(placed) else self._lines.size
        before = self._compaction.messages if self._compaction else 0
        made = notes.Compaction(
            summary=summary, offset=offset, messages=before + at, ts=self._keeper.now()
        )
        self._note(made, summary=summary)
        found = transcripts.since_compaction(self._path)
        with self._reading:
            self._compaction, self._replay = found

    def change(self, **fields: object) -> Entry:
        """Change fields of the index, and return the entry as it is now.

        Raises:
            ValueError: there is no such field, or the value does not fit.
            Busy: another process holds the index for seconds.
        """
        return self._keeper.change(self.id, lambda _: fields, None)

    def update(self, fields: Callable[[Entry], Mapping[str, object]]) -> Entry:
        """Change fields by what they are at this moment, as others may have changed them (WB-7)."""
        return self._keeper.change(self.id, fields, None)

    def export(self) -> str:
        """Return all that was ever said as Markdown."""
        return markdown.written(self.entry, transcripts.whole(self._path).messages())

    def close(self) -> None:
        """Have everything on the disk, and let others open it."""
        try:
            if self._unsaved:
                self._save(on_disk=True)
        finally:
            self._lines.close()
            self._lock.release()

    def _append(self, added: list[Record]) -> None:
        """Write records at once, then read them as they will be read from the file."""
        if not added:
            return
        data = records.encoded(added)
        at = self._lines.append(data)
        self._unsaved = True
        with self._reading:
            self._replay.read(data, at)

    def _masked(self, result: CallResult) -> CallResult:
        content, mask = result.content, self._keeper.mask
        if isinstance(content, str):
            return msgspec.structs.replace(result, content=mask(content))
        masked = [
            {**block, "text": mask(block["text"])} if isinstance(block.get("text"), str) else block
            for block in content
        ]
        return msgspec.structs.replace(result, content=masked)

    def _note(self, note: Note, **fields: object) -> None:
        self._keeper.change(self.id, lambda _: fields, note)

    def _save(self, *, on_disk: bool = False) -> None:
        """Tell the index of the time and the count; nothing else of it is touched (WB-7)."""
        if on_disk:
            self._lines.sync()
            self._unsaved = False
        self._count(last_active=iso(self._keeper.now()))

    def _recount(self) -> None:
        """Put the index right, if the last process was killed before it could."""
        if self.entry.message_count != self.total():
            self._count()

    def _count(self, **fields: object) -> None:
        """Write the count; what was said is safe without the index, so it may fail."""
        with contextlib.suppress(NotWritten, Busy):
            self.change(message_count=self.total(), **fields)
