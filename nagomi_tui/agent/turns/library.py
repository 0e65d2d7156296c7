"""What all conversations of the agent share: settings, stores, tools, models."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from nagomi_tui.agent.conversations.store import Conversations
from nagomi_tui.agent.modes.git import Git
from nagomi_tui.agent.modes.mode import AgentMode
from nagomi_tui.agent.modes.modes import ModeReport, Modes
from nagomi_tui.agent.modes.notes import Notes, ensure_workspace
from nagomi_tui.agent.overlay import directive
from nagomi_tui.agent.providers.interface import Clock, Mask
from nagomi_tui.agent.providers.models import SPENT_FILE, Ledger
from nagomi_tui.agent.talk.events import Choice, Question
from nagomi_tui.agent.tools import files
from nagomi_tui.agent.tools.folders import FOLDERS_FILE, FolderConsent, Folders, may_hold_secrets
from nagomi_tui.agent.tools.git_readers import GitDiff, GitLog
from nagomi_tui.agent.tools.granted import ContextActor, ContextReader, Granted, ToolContext
from nagomi_tui.agent.tools.interface import Actor, Plan, Reader, ToolFault, Workplace
from nagomi_tui.agent.tools.session_readers import GetCurrentTime
from nagomi_tui.agent.tools.toolbox import Toolbox
from nagomi_tui.agent.tools.verbs import verb_tools
from nagomi_tui.agent.turns.models import Models
from nagomi_tui.agent.turns.prompts import chat_prompt, persona_of
from nagomi_tui.agent.turns.questions import QuestionContext, Questions, self_awareness
from nagomi_tui.agent.turns.room import Room
from nagomi_tui.agent.turns.unasked import Unasked
from nagomi_tui.api import messages
from nagomi_tui.masking import mask
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import paths
from nagomi_tui.text.words import Said, Words


@dataclass(eq=False)
class Library:
    """Gives conversations and questions what they need; settings are read at each use.

    `mask` returns a text with its secrets masked.
    """

    settings: Callable[[], Settings]
    models: Models
    modes: Modes
    _: KW_ONLY
    conversations: Conversations
    toolboxes: Toolboxes
    questions: Questions
    unasked: Unasked
    workplace: Workplace
    room: Room
    mask: Mask

    def __post_init__(self) -> None:
        self.on_mode: list[Callable[[AgentMode], Awaitable[None]]] = []
        """Functions called in this order with the new mode after each change."""

    async def change_mode(self, to: str) -> ModeReport:
        """Change the agent's mode, and call the functions in `on_mode` if it has changed.

        Raises:
            InvalidMode: there is no such mode.
        """
        before, report = self.modes.mode, await self.modes.change(to)
        if self.modes.mode != before:
            for hear in self.on_mode:
                await hear(self.modes.mode)
        return report

    async def agree(self) -> bool:
        """Store that the user agrees to use the model; False where no workplace keeps settings."""
        try:
            await self.workplace.request(messages.Settings(id=0, values={"llm_consent": True}))
        except ToolFault:
            return False
        return True

    def chat_prompt(self, language: str) -> str:
        """Return the system prompt of a conversation."""
        return chat_prompt(persona_of(self.settings(), language), self.modes.mode)

    def directive(self) -> str:
        """Return the work overlay's directive, with the names from the settings (X-23)."""
        return directive(self.settings().agent_name, self.settings().agent_user)


_TOOLS: Final[tuple[type[ContextReader[Any] | ContextActor[Any]], ...]] = (
    files.ReadFile, files.ListDirectory, files.SearchFiles, GitDiff, GitLog, GetCurrentTime,
    files.WriteFile, files.EditFile, files.Remember, files.Forget,
)  # fmt: skip


def all_tools(context: ToolContext) -> tuple[Reader[Any] | Actor[Any], ...]:
    return (*verb_tools(context), *(tool(context) for tool in _TOOLS))


@dataclass(eq=False)
class Toolboxes:
    """Makes a toolbox for each conversation; all use the same workplace.

    `folder` is the agent's workspace; granting a folder grants no `hidden` one below it.
    """

    folder: Path
    workplace: Workplace
    _: KW_ONLY
    hidden: Sequence[Path]
    remembered: Folders
    """The folders that the user has granted for good."""
    mask: Mask
    now: Clock

    def make(
        self,
        ask_user: Callable[[Question], Awaitable[Choice]],
        folders: Sequence[Path],
        words: Words,
        sessions_env: Mapping[str, str],
        acted: Callable[[Plan], Awaitable[None]],
        conversation: Callable[[], str] = str,
    ) -> Toolbox:
        """Return the tools of one conversation, which may use these folders.

        `acted` is called with what is done by a grant of the user's. Sessions that they start get
        the environment `sessions_env`; if that is empty, the default. `conversation` returns its id.
        """
        granted = Granted(
            self.folder,
            folders,
            hidden=self.hidden,
            read=self.remembered.all,
            is_secret=may_hold_secrets,
        )
        workplace = self.workplace.seen_from(sessions_env) if sessions_env else self.workplace
        tools = all_tools(ToolContext(workplace, granted, self.mask, self.now, words, conversation))
        asks = FolderConsent(granted, self.remembered, workplace, words, ask_user)
        return Toolbox(
            tools, ask_user=ask_user, mask=self.mask, acted=acted, words=words, folders=asks
        )


_log = logging.getLogger(__name__)
MODE_FILE = "agent-mode.json"
"""The name of the file with the agent's mode, in the state folder."""


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
    folder, git = paths.agent_folder(settings().agent_folder), Git(environment)
    paths.make_private(folder)
    if fault := await ensure_workspace(folder, git):
        why = Said(fault.sentence, fault.values)
        _log.warning("the agent's folder has no repository: %s", why)

    awareness = partial(self_awareness, workplace, mask)
    modes = Modes(
        Notes(folder, mask=mask),
        paths.state_folder() / MODE_FILE,
        git,
        awareness=awareness,
        now=time.time,
        words=words,
    )
    models = Models(settings, environment, Ledger(paths.state_folder() / SPENT_FILE))
    known = QuestionContext(folder, awareness, modes)
    conversations = Conversations(
        folder, now=time.time, mask=mask, mask_user=lambda: settings().mask_own_words
    )
    unasked = Unasked(conversations, mask=mask, now=time.time)
    return Library(
        settings,
        models,
        modes,
        conversations=conversations,
        unasked=unasked,
        room=Room(workplace, known, modes, unasked, mask=mask),
        toolboxes=Toolboxes(
            folder,
            workplace,
            hidden=(paths.state_folder(), paths.config_folder()),
            remembered=Folders(paths.state_folder() / FOLDERS_FILE),
            mask=mask,
            now=time.time,
        ),
        questions=Questions(settings, models, known, mask=mask, now=time.time),
        workplace=workplace,
        mask=mask,
    )
