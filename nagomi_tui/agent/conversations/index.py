"""The index of an agent's conversations, which can be rebuilt from their files (SB-11)."""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from nagomi_tui import files
from nagomi_tui.agent.conversations import transcripts
from nagomi_tui.agent.conversations.entries import changed
from nagomi_tui.agent.conversations.faults import NotWritten
from nagomi_tui.agent.conversations.locks import PATIENCE, Lock
from nagomi_tui.agent.conversations.names import is_plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
            return transcripts.entry(self._transcripts / f"{id}.jsonl")
        except OSError:
            return changed({}, {"label": "", "message_count": 0})
