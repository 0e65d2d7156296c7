"""One open conversation: its messages, its transcript and its export as Markdown."""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

import msgspec

from nagomi_tui.agent.conversations import entries, records, replay
from nagomi_tui.agent.conversations import records as notes
from nagomi_tui.agent.conversations.files import Lines, Lock
from nagomi_tui.agent.providers.interface import Block, Clock, Mask, Message, ToolCall


def written(entry: entries.Entry, messages: list[Message]) -> str:
    head = f"# {entry.label or entry.id}\n\n{entry.id}, {entry.created_at} – {entry.last_active}"
    return "\n\n".join([head, *(part for one in messages for part in _parts(one))]) + "\n"


def _parts(message: Message) -> list[str]:
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    shown = [text for block in blocks if (text := _shown(block))]
    if any(block["type"] == "tool_result" for block in blocks):
        return shown
    return [f"## {message['role'].capitalize()}", *shown]


def _shown(block: Block) -> str:
    kind = block["type"]
    if kind == "text":
        return str(block.get("text", ""))
    if kind == "tool_use":
        given = json.dumps(block["input"], ensure_ascii=False, indent=2)
        return f"**{block['name']}**\n\n{_fenced(given, 'json')}"
    if kind == "tool_result":
        return _fenced(_text_of(block.get("content", "")))
    return ""


def _text_of(content: str | list[Block]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text", f"[{block['type']}]")) for block in content)


def _fenced(text: str, language: str = "") -> str:
    """Put text between fences that are longer than any in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


SUMMARY: Final = "[Previous conversation summary]\n"
UNDERSTOOD: Final = "Understood, I have the context."
"""The assistant's message after a summary that replaces history (S-25)."""
UNASKED: Final = replay.UNASKED


def summed_up(summary: str) -> list[Message]:
    """Return the two messages that replace the summarised ones (S-25)."""
    return [
        {"role": "user", "content": SUMMARY + summary},
        {"role": "assistant", "content": [{"type": "text", "text": UNDERSTOOD}]},
    ]


@dataclass(eq=False)
class Keeper:
    """What a conversation needs from the store of its folder."""

    now: Clock
    mask: Mask
    mask_user: Mask
    entry: Callable[[str], entries.Entry]
    change: Callable[
        [str, Callable[[entries.Entry], Mapping[str, object]], notes.Note | None], entries.Entry
    ]


class Conversation:
    """A conversation under its lock; leaving it as a context manager closes it.

    Appended records are in the file when the method returns. They are synced to the disk when the
    turn ends: by an answer without tool calls, by a failure, or by `close`. Methods that write
    raise `NotWritten` if the disk refuses, and keep what the file held before.
    """

    def __init__(self, id: str, path: Path, keeper: Keeper, lock: Lock) -> None:
        self.id = id
        self._path = path
        self._keeper = keeper
        self._lock = lock
        self._lines = Lines(path)
        self._entry = keeper.entry(id)
        self._reading = threading.RLock()
        """Held by every access to the replay, as one thread may write while another reads."""
        self._unsaved = False
        self._spoken = False
        """Whether the user has said something since this process opened the conversation."""
        try:
            self._forget_lost()
            self._compaction, self._replay = replay.since_compaction(path)
        except OSError as exc:
            self._lines.close()
            raise entries.NotWritten(path, exc.strerror or str(exc)) from exc
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
    def entry(self) -> entries.Entry:
        """The conversation's entry in the index now, which other processes may change.

        Once it is gone, as with the folder, it is what it was last.
        """
        with contextlib.suppress(entries.NoConversation):
            self._entry = self._keeper.entry(self.id)
        return self._entry

    @property
    def faults(self) -> entries.Faults:
        """The faults found in the part of the transcript that was read."""
        found = self._replay.faults
        if not self._lines.torn or records.parsed(self._lines.torn) is not None:
            return found
        return msgspec.structs.replace(found, garbled=max(found.garbled - 1, 0), torn=1)

    def messages(self) -> list[Message]:
        """Return the messages for the next request: alternating, and after the newest compaction.

        The list is a copy, but its blocks are shared: do not change them.
        """
        with self._reading:
            return [*self._summary(), *self._replay.messages()]

    def total(self) -> int:
        """Return the number of all messages, including those replaced by summaries."""
        with self._reading:
            before = self._compaction.messages if self._compaction else 0
            return before + len(self._replay.placed())

    def _summary(self) -> list[Message]:
        return summed_up(self._compaction.summary) if self._compaction else []

    def append_user(self, text: str) -> None:
        """Append the user's message, masked unless masking is switched off (X-24)."""
        self._append([records.user(self._keeper.mask_user(text), self._keeper.now())])
        self._spoken = True
        self._save()

    def append_assistant(self, blocks: list[Block]) -> None:
        """Append an answer in one write: its text and thinking, then its tool calls (SB-1, SB-2).

        An answer without tool calls ends the turn.
        """
        ts = self._keeper.now()
        uses = [block for block in blocks if block.get("type") == "tool_use"]
        calls = [ToolCall(use["id"], use["name"], use["input"]) for use in uses]
        self._append([records.assistant(blocks, ts), *(records.tool_use(c, ts) for c in calls)])
        if not uses:
            self._save(on_disk=True)

    def append_unasked(self, text: str) -> None:
        """Append what the assistant said of its own accord, between turns; `text` is marked as such."""
        block = {"type": "text", "text": text}
        self._append([records.assistant([block], self._keeper.now())])
        self._save(on_disk=True)

    def append_tool_results(self, results: Iterable[notes.CallResult]) -> None:
        """Append the results of tools, masked."""
        ts = self._keeper.now()
        self._append([records.tool_result(self._masked(result), ts) for result in results])

    def fail_turn(self) -> None:
        """End a turn without an answer, and take the user's message out of the history (SB-13).

        If tools were already used in the turn, its messages stay, since the tools had effects.
        """
        with self._reading:
            at = self._replay.withdraw() if self._spoken else None
        self._spoken = False
        if at is not None:
            with contextlib.suppress(entries.NotWritten, entries.Busy):  # else merged with the next
                self._note(notes.Failed(offset=at, ts=self._keeper.now()))
        self._save(on_disk=True)

    def compact(self, summary: str, upto: int) -> None:
        """Replace the first `upto` of `messages()` by a summary, permanently (X-6).

        The transcript itself is not changed.

        Raises:
            ValueError: the first message to keep does not begin a turn (SB-3).
        """
        placed = self._replay.placed()
        at = upto - len(self._summary())
        if at < 0 or upto < 1 or at > len(placed):
            raise ValueError(f"there are no {upto} messages to be summed up")
        if at < len(placed) and not replay.begins_turn(placed[at][0]):
            raise ValueError(f"no turn begins at message {upto}")
        offset = placed[at][1] if at < len(placed) else self._lines.size
        before = self._compaction.messages if self._compaction else 0
        made = notes.Compaction(
            summary=summary, offset=offset, messages=before + at, ts=self._keeper.now()
        )
        self._note(made, summary=summary)
        found = replay.since_compaction(self._path)
        with self._reading:
            self._compaction, self._replay = found

    def change(self, **fields: object) -> entries.Entry:
        """Change fields of the index, and return the entry as it is now.

        Raises:
            ValueError: there is no such field, or the value does not fit.
            Busy: another process holds the index for longer than `locks.PATIENCE`.
        """
        return self._keeper.change(self.id, lambda _: fields, None)

    def update(self, fields: Callable[[entries.Entry], Mapping[str, object]]) -> entries.Entry:
        """Change fields by a function of the entry as it is under the index's lock (WB-7)."""
        return self._keeper.change(self.id, fields, None)

    def export(self) -> str:
        """Return the whole transcript as Markdown."""
        return written(self.entry, replay.whole(self._path).messages())

    def close(self) -> None:
        """Sync everything to the disk, and release the lock."""
        try:
            if self._unsaved:
                self._save(on_disk=True)
        finally:
            self._lines.close()
            self._lock.release()

    def _append(self, added: list[notes.Record]) -> None:
        """Append records in one write, then replay them as if read from the file."""
        if not added:
            return
        data = records.encoded(added)
        at = self._lines.append(data)
        self._unsaved = True
        with self._reading:
            self._replay.read(data, at)

    def _masked(self, result: notes.CallResult) -> notes.CallResult:
        content, mask = result.content, self._keeper.mask
        if isinstance(content, str):
            return msgspec.structs.replace(result, content=mask(content))
        masked = [
            {**block, "text": mask(block["text"])} if isinstance(block.get("text"), str) else block
            for block in content
        ]
        return msgspec.structs.replace(result, content=masked)

    def _note(self, note: notes.Note, **fields: object) -> None:
        self._keeper.change(self.id, lambda _: fields, note)

    def _forget_lost(self) -> None:
        """Void notes about what the transcript has lost, as new records will take its place."""
        noted, size = notes.read(self._path), self._lines.size
        if noted != noted.within(size):
            with contextlib.suppress(
                entries.NotWritten, entries.Busy
            ):  # appending fails for the same causes
                self._note(notes.Shortened(size=size, ts=self._keeper.now()))

    def _save(self, *, on_disk: bool = False) -> None:
        """Update only the time and the message count in the index (WB-7)."""
        if on_disk:
            self._lines.sync()
            self._unsaved = False
        self._count(last_active=entries.iso(self._keeper.now()))

    def _recount(self) -> None:
        """Correct the count in the index, which is too low if the last process was killed."""
        if self.entry.message_count != self.total():
            self._count()

    def _count(self, **fields: object) -> None:
        """Write the count; a failure is ignored, as the transcript can restore the index."""
        with contextlib.suppress(entries.NotWritten, entries.Busy):
            self.change(message_count=self.total(), **fields)
