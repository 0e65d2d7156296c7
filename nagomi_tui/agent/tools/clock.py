"""The tool `get_current_time`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from nagomi_tui.agent.tools.interface import Given, Output, Reader

if TYPE_CHECKING:
    from nagomi_tui.agent.common.values import Clock


class NothingGiven(Given, frozen=True, kw_only=True):
    """No input."""


class GetCurrentTime(Reader[NothingGiven]):
    """Tells the date, the time and the weekday, in the local time zone and in UTC."""

    name: ClassVar = "get_current_time"
    description: ClassVar = "Tell date, time and weekday, here and in UTC."
    given: ClassVar = NothingGiven

    def __init__(self, now: Clock) -> None:
        self._now = now

    async def read(self, given: NothingGiven) -> Output:
        """Return local time and UTC in ISO 8601, to the second."""
        moment = datetime.fromtimestamp(self._now(), UTC)
        here = moment.astimezone()
        return Output(
            f"{here.isoformat(timespec='seconds')} ({here:%A}, {here.tzname()}); "
            f"UTC {moment.isoformat(timespec='seconds')}"
        )
