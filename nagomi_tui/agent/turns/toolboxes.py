"""Makes the tools of a conversation, which may use the folders granted to that conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.agent.tools.everything import all_tools
from nagomi_tui.agent.tools.granted import Granted
from nagomi_tui.agent.tools.toolbox import Toolbox

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from nagomi_tui.agent.common.values import Clock, Mask
    from nagomi_tui.agent.talk.events import Choice, Question
    from nagomi_tui.agent.tools.workplace import Workplace
    from nagomi_tui.words import Words


class Toolboxes:
    """Makes a toolbox for each conversation; all use the same workplace."""

    def __init__(
        self,
        folder: Path,
        workplace: Workplace,
        *,
        hidden: Sequence[Path],
        mask: Mask,
        now: Clock,
    ) -> None:
        """`folder` is the agent's workspace; granting a folder grants no `hidden` one below it."""
        self._folder = folder
        self._workplace = workplace
        self._hidden = hidden
        self._mask = mask
        self._now = now

    def make(
        self,
        ask_user: Callable[[Question], Awaitable[Choice]],
        folders: Sequence[Path],
        words: Words,
        sessions_env: Mapping[str, str],
    ) -> Toolbox:
        """Return the tools of one conversation, which may use these folders.

        Sessions that they start get the environment `sessions_env`; if that is empty, the default.
        """
        granted = Granted(self._folder, folders, hidden=self._hidden)
        workplace = self._workplace.seen_from(sessions_env) if sessions_env else self._workplace
        tools = all_tools(workplace, granted, mask=self._mask, now=self._now, words=words)
        return Toolbox(tools, ask_user=ask_user, mask=self._mask)
