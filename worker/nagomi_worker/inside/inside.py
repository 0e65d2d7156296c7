"""What there is of nagomi for the programs of sessions that inherit the worker's environment."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from nagomi_worker.inside import given
from nagomi_worker.inside.desk import Desk
from nagomi_worker.inside.door import Door
from nagomi_worker.inside.places import Places

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from nagomi_worker.inside.interface import Watching
    from nagomi_worker.sessions.delivery import Delivery
    from nagomi_worker.sessions.session import Session

_log = logging.getLogger(__name__)


class Inside:
    """The socket for programs of sessions, who hears them, and where sessions are."""

    def __init__(
        self,
        loop: Watching,
        delivery: Delivery,
        sessions: Mapping[str, Session],
        path: Path | None,
    ) -> None:
        """`path` is the worker's own socket; a worker without one has none for programs."""
        self.desk = Desk(loop, delivery, sessions)
        self.places = Places(loop, delivery)
        self._path = path
        # Programs trust a socket only below two folders that are this user's alone.
        self._door = Door(loop, path.parent / "in" / path.name, self.desk) if path else None

    def variables(self) -> dict[str, str]:
        """Return the variables by which programs of a session find the socket; none if there is none."""
        if self._door is None or self._path is None or sys.platform == "win32":
            return {}
        try:
            return given.variables(self._door.open(), self._path.parent)
        except OSError as exc:
            _log.warning("programs of sessions cannot reach the workplace: %s", exc)
            return {}

    def attached(self, session: Session) -> None:
        """Tell the peer of a session what it has missed."""
        self.desk.attached(session)
        self.places.forget(session)

    def close(self) -> None:
        """End the socket."""
        if self._door is not None:
            self._door.close()
