"""All tools of the resident agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nagomi_tui.agent.tools.clock import GetCurrentTime
from nagomi_tui.agent.tools.file_actors import EditFile, WriteFile
from nagomi_tui.agent.tools.file_readers import ListDirectory, ReadFile, SearchFiles
from nagomi_tui.agent.tools.session_actors import SendToSession, StartSession, StopSession
from nagomi_tui.agent.tools.session_readers import (
    ListSessions,
    ReadSession,
    SearchHistory,
    WhySession,
)

if TYPE_CHECKING:
    from nagomi_tui.agent.common.values import Clock, Mask
    from nagomi_tui.agent.tools.granted import Granted
    from nagomi_tui.agent.tools.interface import Actor, Reader
    from nagomi_tui.agent.tools.workplace import Workplace
    from nagomi_tui.words import Words


def all_tools(
    workplace: Workplace, granted: Granted, *, mask: Mask, now: Clock, words: Words
) -> tuple[Reader[Any] | Actor[Any], ...]:
    """Return the tools for a `Toolbox`; `words` puts their questions into the user's language."""
    return (
        ListSessions(workplace, now),
        ReadSession(workplace, mask),
        SearchHistory(workplace, now),
        WhySession(workplace),
        ReadFile(granted, mask),
        ListDirectory(granted),
        SearchFiles(granted, mask),
        GetCurrentTime(now),
        SendToSession(workplace, words),
        StartSession(workplace, granted, words),
        StopSession(workplace, words),
        WriteFile(granted, words),
        EditFile(granted, words),
    )
