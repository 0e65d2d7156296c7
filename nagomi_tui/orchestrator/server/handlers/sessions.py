"""Requests about the list of sessions, and the life of each."""

from __future__ import annotations

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.lifecycle.changing import Changing
from nagomi_tui.orchestrator.lifecycle.creating import Creating
from nagomi_tui.orchestrator.server.dispatch import Asker, Group
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.sessions.table import SessionTable, naming


class SessionRequests(Group):
    """Handles requests that list, create, change, stop and remove sessions."""

    def __init__(self, sessions: SessionTable, *, creating: Creating, changing: Changing) -> None:
        self._sessions = sessions
        self._creating = creating
        self._changing = changing

    async def list_all(self, client: Asker, request: messages.ListSessions) -> messages.SessionList:
        for session in self._sessions.all:
            session.note_times()
        infos = self._sessions.infos
        return messages.SessionList(sessions=tuple(messages.whole(info) for info in infos))

    async def find(self, client: Asker, request: messages.Find) -> messages.SessionFound:
        session = await self._sessions.find(request.session)
        session.note_times()
        return messages.SessionFound(**naming(session), session=messages.whole(session.info))

    async def create(self, client: Asker, request: messages.Create) -> messages.SessionNamed:
        """Start a new session."""
        await self._sessions.all_known()
        return _named(await self._creating.create(client.requester, request))

    async def stop(self, client: Asker, request: messages.Stop) -> messages.SessionNamed:
        """End a session's whole process tree."""
        session = await self._sessions.find(request.session)
        await self._changing.stop(session)
        return _named(session)

    async def restart(self, client: Asker, request: messages.Restart) -> messages.Restarted:
        """Start a session's command again."""
        session = await self._sessions.find(request.session)
        resumed = await self._changing.restart(
            client.requester, session, request.cmd, fresh=request.fresh
        )
        return messages.Restarted(**naming(session), resumed=resumed)

    async def rename(self, client: Asker, request: messages.Rename) -> messages.SessionNamed:
        """Give a session another name."""
        session = await self._sessions.find(request.session)
        self._changing.rename(session, request.name)
        return _named(session)

    async def set_character(self, client: Asker, request: messages.Dress) -> messages.SessionNamed:
        """Give a session another character."""
        session = await self._sessions.find(request.session)
        self._changing.set_character(session, request.character)
        return _named(session)

    async def keep_size(self, client: Asker, request: messages.KeepSize) -> messages.SessionNamed:
        """Bind a session's size, or have it take that of its view again."""
        session = await self._sessions.find(request.session)
        self._changing.keep_size(session, request.keep)
        return _named(session)

    async def reorder(self, client: Asker, request: messages.Reorder) -> messages.SessionNamed:
        """Move a session to another place."""
        session = await self._sessions.find(request.session)
        self._sessions.move(session, request.number)
        return _named(session)

    async def renumber(self, client: Asker, request: messages.Renumber) -> messages.Nothing:
        """Number all sessions by their places."""
        await self._sessions.all_known()
        self._sessions.renumber()
        return messages.Nothing()

    async def remove(self, client: Asker, request: messages.Remove) -> messages.SessionNamed:
        """Take an ended session off the list."""
        session = await self._sessions.find(request.session)
        await self._changing.remove(session, history=request.history)
        return _named(session)


def _named(session: SessionRuntime) -> messages.SessionNamed:
    return messages.SessionNamed(**naming(session))
