"""What is kept of a session on disk, and the tables that hold it."""

from __future__ import annotations

from typing import Final

import msgspec

from nagomi_tui.core.judge.verdict import Advice
from nagomi_tui.core.judge.verdict import State as Judged
from nagomi_tui.core.masking import mask
from nagomi_tui.core.session.conversation import Conversation
from nagomi_tui.core.session.session import Session, State

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS sessions (
    session_id TEXT PRIMARY KEY,
    place INTEGER NOT NULL,
    record BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
"""
MASKED_SINCE: Final = 2
"""Databases of an older `user_version` may hold secrets."""

_WORDED: Final = ("name", "title", "summary", "branch")


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One session's record: never a value of its environment, only the names of variables."""

    session: Session
    env_names: tuple[str, ...] = ()
    seen_at: float = 0.0
    stopped: bool = False
    corrected: Judged | None = None
    """The state that its user has given after its end."""
    advice: Advice | None = None
    """What the LLM judge has said of its last turn."""
    worker: str = ""
    """Name of the socket of the worker that holds it."""
    conversation: Conversation | None = None
    """The agent's conversation in it, which a restart goes on with."""
    strict: bool = False
    """The kernel holds its project, and does after a restart."""
    guarded: bool = False
    """Its agent is given the guard's hooks at its start, and at a restart."""

    def masked(self) -> Record:
        """Return the record with its secrets masked, as it may be stored (N-86)."""
        session = self.session
        worded = {name: mask(text) for name in _WORDED if (text := getattr(session, name))}
        cmd = mask(session.cmd)
        hidden = session.cmd_masked or cmd != session.cmd
        return msgspec.structs.replace(
            self,
            session=msgspec.structs.replace(session, cmd=cmd, cmd_masked=hidden, **worded),
            advice=_masked(self.advice),
        )

    def saved(self) -> Record:
        """Return the record of a session that no worker holds any more: it can be started again."""
        ended = self.session.state in (State.EXITED, State.LOST)
        return msgspec.structs.replace(
            self,
            worker="",
            session=msgspec.structs.replace(
                self.session,
                state=self.session.state if ended else State.SAVED,
                pid=None,
                away_since=None,
                waits=self.session.waits and ended,
            ),
        )


def _masked(advice: Advice | None) -> Advice | None:
    """Return advice without secrets; a step whose command holds one is left out."""
    if advice is None:
        return None
    said = advice.verdict
    verdict = msgspec.structs.replace(
        said,
        summary=mask(said.summary),
        evidence=tuple(map(mask, said.evidence)),
        next_actions=tuple(
            msgspec.structs.replace(step, title=mask(step.title))
            for step in said.next_actions
            if mask(step.command) == step.command
        ),
    )
    return msgspec.structs.replace(advice, verdict=verdict)
