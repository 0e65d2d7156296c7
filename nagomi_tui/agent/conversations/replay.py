"""Reads a transcript back as alternating messages."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, Final

from nagomi_tui.agent.conversations import files, records
from nagomi_tui.agent.conversations import records as notes
from nagomi_tui.agent.conversations.entries import Faults, changed, iso
from nagomi_tui.agent.providers.interface import Block, Message

INTERRUPTED: Final = "[No result: the tool was interrupted.]"
"""The result for a tool call that has none (SB-14)."""
UNASKED: Final = "[unasked,"
"""The beginning of what the assistant said of its own accord."""
BEGUN: Final = "[The assistant spoke first.]"
"""A user's message put before that, where a conversation begins with it."""
UNREADABLE: Final = "[The beginning of this conversation could not be read.]"
"""A user's message put before a leading answer, since a request must begin with the user."""


class _Said:
    """A message under construction: a user's record, or an assistant's with its tool calls."""

    __slots__ = ("blocks", "at", "recorded", "results", "role", "uses")

    def __init__(self, role: str, blocks: str | list[Block], at: int, *, recorded: bool) -> None:
        self.role = role
        self.blocks = blocks
        self.at = at
        self.recorded = recorded
        self.uses: dict[str, str] = {}
        """Recorded ids of tool calls, with the ids to send, which are unique in a request."""
        self.results: dict[str, Block] = {}


class Replay:
    """Takes a transcript's lines one by one; `messages` can be called at any time."""

    def __init__(self) -> None:
        self._said: list[_Said] = []
        self._assistant: _Said | None = None
        self._open = False
        """Whether there was no user's message since the assistant's last one."""
        self._ids: set[str] = set()
        self._placed: list[tuple[Message, int]] | None = None
        """A cache of `placed`; None after a change."""
        self._garbled = self._unknown = self._stray = 0

    @property
    def faults(self) -> Faults:
        """The counts of faulty lines."""
        return Faults(garbled=self._garbled, unknown=self._unknown, stray=self._stray)

    def read(self, data: bytes, start: int, failed: Container[int] = ()) -> None:
        """Take lines whose first byte is at offset `start`, but skip those at offsets in `failed`.

        Only a newline ends a line (SB-22). A last line without a newline is taken, too.
        """
        at = start
        with _uncollected():
            for line in data.split(b"\n"):
                if line and at not in failed:
                    self.take(line, at)
                at += len(line) + 1

    def take(self, line: bytes, at: int) -> None:
        """Take the line at the offset `at` of the file; count it if it is broken (SB-20)."""
        record = records.parsed(line)
        sound = record is not None and records.is_sound(record)
        if sound and record is not None:
            self.add(record, at)
        elif sound is None:
            self._unknown += 1
        else:
            self._garbled += 1

    def add(self, record: records.Record, at: int) -> None:
        """Take a valid record."""
        self._placed = None
        kind = record["type"]
        if kind == "user":
            self._add_user(record["content"], at)
        elif kind == "assistant":
            self._add_assistant(record["content"], at)
        elif kind == "tool_use":
            self._add_use(record["tool_use_id"], record, at)
        else:
            self._add_result(record)

    def withdraw(self) -> int | None:
        """Drop an unanswered last message of the user's; return its offset, None without one."""
        if not self._said or self._said[-1].role != "user":
            return None
        said, self._placed = self._said.pop(), None
        self._open = bool(self._said) and self._said[-1] is self._assistant
        return said.at

    def _add_user(self, content: str | list[Block], at: int) -> None:
        """Take a user's message, in which other programs may have put tool results."""
        if not isinstance(content, str):
            for block in content:
                if block["type"] == "tool_result":
                    self._add_result(block)
            content = [block for block in content if _is_of_user(block)]
        self._said.append(_Said("user", content, at, recorded=True))
        self._open = False

    def _add_assistant(self, content: str | list[Block], at: int) -> None:
        blocks = [_text(content)] if isinstance(content, str) else content
        said = self._begin_assistant(at, recorded=True)
        for block in blocks:
            if block["type"] == "tool_use":
                self._add_use(block["id"], block, at)
            elif _says_something(block):
                said.blocks.append(block)  # type: ignore[union-attr]

    def _begin_assistant(self, at: int, *, recorded: bool) -> _Said:
        said = _Said("assistant", [], at, recorded=recorded)
        self._said.append(said)
        self._assistant, self._open = said, True
        return said

    def _add_use(self, id: str, use: dict[str, Any], at: int) -> None:
        """Add a tool call to its answer once (S-15), in either layout of the records (SB-1).

        The original's layout has results between the calls of one answer. The calls still stay
        together if the answer has its own record (SB-2).
        """
        said = self._assistant if self._open else None
        if said and id in said.uses:
            return
        if said is None or (said.results and not said.recorded):
            said = self._begin_assistant(at, recorded=False)
        said.uses[id] = sent = self._unique(id)
        block = {"type": "tool_use", "id": sent, "name": use["name"], "input": use["input"]}
        said.blocks.append(block)  # type: ignore[union-attr]

    def _unique(self, id: str) -> str:
        """Return an id that no earlier call in the request has, as some servers repeat ids."""
        number, unique = 1, id
        while unique in self._ids:
            number += 1
            unique = f"{id}_{number}"
        self._ids.add(unique)
        return unique

    def _add_result(self, record: records.Record) -> None:
        id, said = record.get("tool_use_id"), self._assistant
        if not isinstance(id, str) or said is None or id not in said.uses:
            self._stray += 1
        elif id not in said.results:
            said.results[id] = _result(said.uses[id], record)

    def messages(self) -> list[Message]:
        """Return alternating messages, a user's first, with a result for every tool call.

        The blocks in them are shared: do not change them.
        """
        return [_copy(message) for message, _ in self.placed()]

    def placed(self) -> list[tuple[Message, int]]:
        """Return the messages, each with the file offset where its records begin."""
        if self._placed is None:
            with _uncollected():
                self._placed = self._build()
        return self._placed

    def _build(self) -> list[tuple[Message, int]]:
        out: list[tuple[Message, int]] = []
        for said in self._said:
            _put(out, said.role, said.blocks, said.at)
            if said.uses:
                _put(out, "user", _results(said), said.at)
        if out and out[0][0]["role"] != "user":
            first = _blocks(out[0][0]["content"])[0].get("text", "")
            why = BEGUN if str(first).startswith(UNASKED) else UNREADABLE
            out.insert(0, ({"role": "user", "content": why}, out[0][1]))
        return out


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Pause garbage collection while many lasting objects are made, which halves the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def begins_turn(message: Message) -> bool:
    """Tell whether a message is a user's without tool results, before which to cut (SB-3)."""
    content = message["content"]
    return message["role"] == "user" and (
        isinstance(content, str) or not any(one["type"] == "tool_result" for one in content)
    )


def _put(out: list[tuple[Message, int]], role: str, content: str | list[Block], at: int) -> None:
    """Add a message, or merge it into the last one if that has the same role (SB-13)."""
    if not (_says_something(_text(content)) if isinstance(content, str) else content):
        return
    if out and out[-1][0]["role"] == role:
        before, at = out.pop()
        content = _blocks(before["content"]) + _blocks(content)
    elif not isinstance(content, str):
        content = list(content)
    out.append(({"role": role, "content": content}, at))


def _copy(message: Message) -> Message:
    content = message["content"]
    return {**message, "content": content if isinstance(content, str) else list(content)}


def _blocks(content: str | list[Block]) -> list[Block]:
    return [_text(content)] if isinstance(content, str) else content


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _says_something(block: Block) -> bool:
    """Tell whether servers accept a block: its text must not be blank."""
    text = block.get("text")
    return block["type"] != "text" or (isinstance(text, str) and not text.isspace() and text != "")


def _is_of_user(block: Block) -> bool:
    return block["type"] != "tool_result" and _says_something(block)


def _results(said: _Said) -> list[Block]:
    """Return the results in recorded order (S-16), with an error for each call without one."""
    missing = (sent for id, sent in said.uses.items() if id not in said.results)
    return [*said.results.values(), *(_interrupted(sent) for sent in missing)]


def _result(sent: str, record: records.Record) -> Block:
    failed = {"is_error": True} if record.get("is_error") is True else {}
    content = record.get("content", "")
    return {"type": "tool_result", "tool_use_id": sent, "content": content, **failed}


def _interrupted(sent: str) -> Block:
    return _result(sent, {"content": INTERRUPTED, "is_error": True})


_LATEST: Final = 1e11
"""Seconds since the epoch (the year 5138); later times count as broken."""


def since_compaction(path: Path) -> tuple[notes.Compaction | None, Replay]:
    """Return the newest compaction and a replay of what follows; None and all without one.

    Raises:
        OSError: a file cannot be read.
    """
    noted = notes.read(path)
    compaction = noted.compaction
    replay = Replay()
    if compaction and compaction.offset > 0:
        data = files.read(path, compaction.offset - 1)
        if data.startswith(b"\n"):  # else the offset is of another file
            replay.read(data[1:], compaction.offset, noted.failed)
            return compaction, replay
    replay.read(files.read(path), 0, noted.failed)
    return None, replay


def whole(path: Path) -> Replay:
    """Return the replay of the whole transcript.

    Raises:
        OSError: a file cannot be read.
    """
    replay = Replay()
    replay.read(files.read(path), 0, notes.read(path).failed)
    return replay


def entry(path: Path) -> dict[str, Any]:
    """Return a conversation's index entry, rebuilt from its files alone.

    Raises:
        OSError: a file cannot be read.
    """
    noted, data = notes.read(path), files.read(path)
    replay = Replay()
    replay.read(data, 0, noted.failed)
    times = _times(data)
    spoken = path.stat().st_mtime
    found = {
        "label": "",
        "created_at": iso(times[0] if times else spoken),
        "last_active": iso(times[-1] if times else spoken),
        "message_count": len(replay.messages()),
        "summary": noted.compaction.summary if noted.compaction else "",
    }
    return changed({}, {**found, **noted.fields})


def _times(data: bytes) -> list[float]:
    """Return the first and last readable times, in seconds since the epoch; may be empty."""
    split = [line for line in data.split(b"\n") if line]
    return [at for at in (_first_time(split), _first_time(split[::-1])) if at is not None]


def _first_time(split: list[bytes]) -> float | None:
    for line in split:
        ts = (records.parsed(line) or {}).get("ts")
        if isinstance(ts, int | float) and 0 <= ts < _LATEST:
            return float(ts)
    return None
