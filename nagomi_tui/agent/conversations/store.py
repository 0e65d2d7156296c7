"""All conversations of an agent, found by id or label, and their index."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias
from uuid import uuid4

from nagomi_tui.agent.conversations import records, replay
from nagomi_tui.agent.conversations.conversation import Conversation, Keeper
from nagomi_tui.agent.conversations.entries import (
    Ambiguous,
    BadName,
    Entry,
    NoConversation,
    NotWritten,
    changed,
    entry_of,
    iso,
)
from nagomi_tui.agent.conversations.files import PATIENCE, Lock
from nagomi_tui.agent.providers.interface import Clock, Mask, Message
from nagomi_tui.system import files

_PLAIN: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
_BESIDE: Final = ".meta"
"""An id must not end like this, as its file would be named like another's side-car."""


def is_plain(name: str) -> bool:
    """Tell whether a name is safe in a path (SB-18)."""
    return bool(_PLAIN.fullmatch(name)) and ".." not in name and not name.endswith(_BESIDE)


def checked(name: str) -> str:
    """Return the name.

    Raises:
        BadName: it is not safe in a path.
    """
    if not is_plain(name):
        raise BadName(name)
    return name


Kept: TypeAlias = dict[str, Any]
"""The index's entries as JSON, by conversation id."""
_LIMIT: Final = 64 * 1024 * 1024


class Index:
    """`sessions.json` of one agent."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "sessions.json"
        self._transcripts = folder / "sessions"

    def read(self) -> Kept:
        """Return the index, with entries added for files that had none.

        Raises:
            NotWritten: there is an index, but it cannot be read.
        """
        kept = self._load()
        if kept is not None and not self._missing(kept):
            return kept
        with contextlib.suppress(NotWritten):  # a full disk: the next read rebuilds it
            with self.changing() as mended:
                pass
            return mended
        return self._with_all(kept or {})

    @contextlib.contextmanager
    def changing(self) -> Iterator[Kept]:
        """Lock the index, and write it when the block ends, unless by an exception.

        Read values to change inside the block, not before, so that no concurrent change is lost
        (WB-7).

        Raises:
            Busy: another process holds the lock for longer than `locks.PATIENCE`.
            NotWritten: the disk refused; the old index is still there.
        """
        lock = Lock(self._path, patience=PATIENCE)
        try:
            kept = self._load()
            if kept is None:
                self._put_aside()
            kept = self._with_all(kept or {})
            yield kept
            self._write(kept)
        finally:
            lock.release()

    def _write(self, kept: Kept) -> None:
        text = json.dumps(kept, indent=2, ensure_ascii=False)
        try:
            files.write(self._path, text.encode("utf-8", "replace"))
        except OSError as exc:
            raise NotWritten(self._path, exc.strerror or str(exc)) from exc

    def _load(self) -> Kept | None:
        """Return the file's content; None if the file is missing or broken."""
        try:
            kept = json.loads(files.read(self._path, _LIMIT))
        except (FileNotFoundError, ValueError, RecursionError):
            return None
        except OSError as exc:
            raise NotWritten(self._path, exc.strerror or str(exc)) from exc
        return kept if isinstance(kept, dict) else None

    def _put_aside(self) -> None:
        """Rename a broken index, so that it is kept."""
        with contextlib.suppress(OSError):
            os.replace(self._path, self._path.with_suffix(".broken"))

    def _missing(self, kept: Kept) -> list[str]:
        """Return the ids of conversations that have a file and no entry."""
        return [id for id in self._ids() if not isinstance(kept.get(id), dict)]

    def _ids(self) -> list[str]:
        """Return the ids of all transcripts; side-cars are left out."""
        names = (path.name.removesuffix(".jsonl") for path in self._transcripts.glob("*.jsonl"))
        return sorted(name for name in names if is_plain(name))

    def _with_all(self, kept: Kept) -> Kept:
        made = {id: self._made_again(id) for id in self._missing(kept)}
        return {**kept, **made}

    def _made_again(self, id: str) -> dict[str, Any]:
        try:
            return replay.entry(self._transcripts / f"{id}.jsonl")
        except OSError:
            return changed({}, {"label": "", "message_count": 0})


class Conversations:
    """The conversations in FOLDER/.sessions/agents/AGENT_ID/; the folders are created if missing.

    Secrets are masked before storing: always in tool results, and in the user's messages while
    `mask_user` says so (X-24). Every method may raise `NotWritten`; those that write, also `Busy`.
    """

    def __init__(
        self,
        folder: Path,
        agent_id: str = "default",
        *,
        now: Clock,
        mask: Mask,
        mask_user: Callable[[], bool] = lambda: True,
    ) -> None:
        """Create the folders if they are missing.

        Raises:
            BadName: the agent's id is not safe in a path.
        """
        self._folder = folder / ".sessions" / "agents" / checked(agent_id)
        self._now = now

        def own(text: str) -> str:
            return mask(text) if mask_user() else text

        self._keeper = Keeper(now, mask, own, self.entry, self._change)
        self._index = Index(self._folder)
        try:
            (self._folder / "sessions").mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as exc:
            raise NotWritten(self._folder, exc.strerror or str(exc)) from exc

    def entries(self) -> tuple[Entry, ...]:
        """Return all conversations, the most recently used first."""
        kept = self._index.read()
        found = [entry_of(id, one) for id, one in kept.items() if is_plain(id)]
        return tuple(sorted(found, key=lambda entry: entry.last_active, reverse=True))

    def entry(self, id: str) -> Entry:
        """Return a conversation by its id.

        Raises:
            NoConversation: there is none.
        """
        kept = self._index.read()
        if id not in kept or not is_plain(id):
            raise NoConversation(id)
        return entry_of(id, kept[id])

    def read(self, id: str) -> list[Message]:
        """Return the messages of a conversation, which may be open elsewhere.

        Raises:
            BadName: the id is not safe in a path.
            OSError: its file cannot be read.
        """
        return replay.since_compaction(self._transcript(id))[1].messages()

    def find(self, name: str) -> Entry:
        """Return a conversation by its id or label, or by the beginning of either (SB-15, S-27).

        Raises:
            NoConversation: none has such a name.
            Ambiguous: several names begin so, and none is equal.
        """
        return meant(self.entries(), name)

    def latest(self) -> Entry:
        """Return the most recently used conversation, or create the first one (SC-3)."""
        return next(iter(self.entries()), None) or self.create("initial")

    def create(self, label: str = "") -> Entry:
        id = uuid4().hex[:12]
        at = iso(self._now())
        fields = {"label": label, "created_at": at, "last_active": at, "message_count": 0}
        path = self._transcript(id)
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except OSError as exc:
            raise NotWritten(path, exc.strerror or str(exc)) from exc
        return self._change(id, lambda _: fields, None)

    def open(self, id: str) -> Conversation:
        """Open a conversation for this process alone (SB-19).

        Raises:
            NoConversation: there is none.
            Busy: another process, or another part of this one, has it open.
        """
        self.entry(id)
        path = self._transcript(id)
        lock = Lock(path)
        try:
            return Conversation(id, path, self._keeper, lock)
        except BaseException:
            lock.release()
            raise

    def change(self, id: str, **fields: object) -> Entry:
        """Change fields of the index, even while another process has the conversation open (WB-7).

        Raises:
            NoConversation: there is none.
            ValueError: there is no such field, or the value does not fit.
        """
        self.entry(id)
        return self._change(id, lambda _: fields, None)

    def _change(
        self, id: str, fields: Callable[[Entry], Mapping[str, object]], note: records.Note | None
    ) -> Entry:
        """Change an entry under the lock; note fields unknown to the transcript in the side-car."""
        with self._index.changing() as kept:
            wanted = dict(fields(entry_of(id, kept.get(id))))
            kept[id] = changed(kept.get(id), wanted)
            said = {name: one for name, one in wanted.items() if name in _UNSAID}
            transcript = self._transcript(id)
            if note is not None:
                records.add(transcript, note)
            elif said:
                records.add(transcript, records.Changed(fields=said, ts=self._now()))
            return entry_of(id, kept[id])

    def _transcript(self, id: str) -> Path:
        return self._folder / "sessions" / f"{checked(id)}.jsonl"


_UNSAID = ("label", "created_at", "work_overlay_turns_left", "work_overlay_directive")
"""Fields that cannot be rebuilt from a transcript."""


def meant(entries: Sequence[Entry], name: str) -> Entry:
    """Return the conversation that a name means; an equal id or label wins over prefixes (SB-15).

    Raises:
        NoConversation: none has such a name.
        Ambiguous: several names begin so, and none is equal.
    """
    for fits in (_is_named, _begins):
        found = tuple(entry for entry in entries if name and fits(entry, name))
        if len(found) > 1:
            raise Ambiguous(name, found)
        if found:
            return found[0]
    raise NoConversation(name)


def _is_named(entry: Entry, name: str) -> bool:
    return name in (entry.id, entry.label)


def _begins(entry: Entry, name: str) -> bool:
    return entry.id.startswith(name) or entry.label.startswith(name)
