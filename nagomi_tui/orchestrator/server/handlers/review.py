"""The request by which others than the front end read a review: agents, programs, other machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.api import messages
from nagomi_tui.masking import mask, mask_lines
from nagomi_tui.orchestrator.history.reviews import read
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.server.handlers.table import Group
from nagomi_tui.orchestrator.sessions.table import naming
from nagomi_tui.review.review import ELSEWHERE

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.server.handlers.table import Asker
    from nagomi_tui.orchestrator.sessions.table import SessionFinder

_MOST_FILES = 1000


class ReviewRequests(Group):
    """Reads what has changed where sessions of this machine work."""

    def __init__(self, finder: SessionFinder) -> None:
        self._finder = finder

    async def review(self, client: Asker, request: messages.ReviewSession) -> messages.Reviewed:
        """Say what has changed, and what the user has to say of it."""
        session = await self._finder.find(request.session)
        if not session.info.is_local:
            raise Refusal("refused", ELSEWHERE, name=session.info.name, hand=session.info.worker_id)
        found = await read(
            session.info.here, session.session_id, request.since or None, request.path
        )
        loaded, notes = found.page.loaded, found.page.notes
        files = loaded.changes.files
        return messages.Reviewed(
            **naming(session),
            root=mask(str(loaded.place.root)),
            since=loaded.since,
            against=mask(loaded.against.name),
            added=loaded.changes.added,
            removed=loaded.changes.removed,
            files=tuple(
                messages.ReviewedFile(
                    path=mask(one.name),
                    status=one.status,
                    kind=one.kind,
                    added=one.added,
                    removed=one.removed,
                )  # fmt: skip
                for one in files[:_MOST_FILES]
            ),
            lines=found.shown.lines,
            left_out=found.shown.left_out,
            comments=tuple(
                messages.ReviewComment(
                    place=mask(one.place),
                    side=one.side,
                    lines=tuple(mask_lines(one.lines)),
                    text="\n".join(mask_lines(one.text.split("\n"))),
                    standing=one.standing,
                )  # fmt: skip
                for one in notes.comments
            ),
        )
