"""Makes the agent's library with the real files, settings and git."""

from __future__ import annotations

import logging
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nagomi_tui import paths
from nagomi_tui.agent.conversations.store import Conversations
from nagomi_tui.agent.modes.git import Git
from nagomi_tui.agent.modes.modes import Modes
from nagomi_tui.agent.modes.notes import Notes
from nagomi_tui.agent.modes.workspace import ensure_workspace
from nagomi_tui.agent.turns.awareness import self_awareness
from nagomi_tui.agent.turns.library import Library
from nagomi_tui.agent.turns.models import Models
from nagomi_tui.agent.turns.questions import QuestionContext, Questions
from nagomi_tui.agent.turns.toolboxes import Toolboxes
from nagomi_tui.core.masking import mask

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nagomi_tui.agent.tools.workplace import Workplace
    from nagomi_tui.settings.model import Settings
    from nagomi_tui.words import Words

_log = logging.getLogger(__name__)
MODE_FILE = "agent-mode.json"
"""The name of the file with the agent's mode, in the state folder."""


def agent_folder(settings: Settings) -> Path:
    """Return the agent's workspace folder: that of the settings, or `agent` in the state folder."""
    named = settings.agent_folder.strip()
    return Path(named).expanduser() if named else paths.state_folder() / "agent"


async def make_library(
    settings: Callable[[], Settings],
    environment: Mapping[str, str],
    words: Words,
    workplace: Workplace,
) -> Library:
    """Return the library of this workplace's agent, and make its folder if that is missing.

    Raises:
        OSError: the agent's folder cannot be made.
        ConversationFault: the folder for conversations cannot be made.
    """
    folder, git = agent_folder(settings()), Git(environment)
    paths.make_private(folder)
    if fault := await ensure_workspace(folder, git):
        _log.warning("the agent's folder has no repository: %s", fault)

    awareness = partial(self_awareness, workplace, mask)
    modes = Modes(
        Notes(folder, mask=mask),
        paths.state_folder() / MODE_FILE,
        git,
        awareness=awareness,
        now=time.time,
        words=words,
    )
    models = Models(settings, environment)
    known = QuestionContext(folder, awareness, modes)
    return Library(
        settings,
        models,
        modes,
        conversations=Conversations(folder, now=time.time, mask=mask),
        toolboxes=Toolboxes(
            folder,
            workplace,
            hidden=(paths.state_folder(), paths.config_folder()),
            mask=mask,
            now=time.time,
        ),
        questions=Questions(settings, models, known, mask=mask, now=time.time),
        mask=mask,
    )
