"""The steps on the notes that come before a mode change takes effect (M-20 to M-23, X-4)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import anyio
import msgspec

from nagomi_tui import files
from nagomi_tui.agent.modes.committing import commit_file
from nagomi_tui.agent.modes.git import GitFault
from nagomi_tui.agent.modes.notes import INNER, TRACKING
from nagomi_tui.agent.modes.snapshot import in_progress, snapshot, thread_lines
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nagomi_tui.agent.common.values import Clock
    from nagomi_tui.agent.modes.git import Git
    from nagomi_tui.agent.modes.mode import AgentMode
    from nagomi_tui.agent.modes.notes import Notes
    from nagomi_tui.agent.modes.snapshot import Awareness
    from nagomi_tui.words import Words

MESSAGE: Final = "chore(inner): snapshot reserved working memory {day}"
AWARENESS_SECONDS: Final = 10.0
"""The longest wait for the workplace's report on its sessions."""

_COMMITS: Final = frozenset[tuple["AgentMode", "AgentMode"]](
    [("reserved", "autonomous"), ("calm", "autonomous")]
)
_CAPTURES: Final = frozenset[tuple["AgentMode", "AgentMode"]]([("autonomous", "reserved")])


class Step(msgspec.Struct, frozen=True):
    """A step of a mode change: `tracking`, `commit`, `clear` or `mode`; `text` tells its result."""

    name: str
    ok: bool
    text: str


class Lifecycle:
    """Carries out the steps of a mode change; after an interruption they can be repeated."""

    def __init__(
        self,
        notes: Notes,
        git: Git,
        *,
        awareness: Callable[[], Awaitable[Awareness]],
        now: Clock,
        words: Words,
    ) -> None:
        self._notes = notes
        self._git = git
        self._awareness = awareness
        self._now = now
        self._words = words

    async def steps(self, previous: AgentMode, to: AgentMode) -> tuple[Step, ...]:
        """Carry out the steps of the change from one mode to another, and return their results.

        A failed step raises nothing: its result has `ok` False. Many changes have no steps.
        """
        if (previous, to) in _CAPTURES:
            return (await self._capture(previous),)
        return await self._commit_and_clear() if (previous, to) in _COMMITS else ()

    def step(self, name: str, ok: bool, sentence: str, **values: object) -> Step:
        """Return the result of a step, with `sentence` in the user's language."""
        return Step(name, ok, self._words.say(sentence, **values))

    async def _capture(self, previous: AgentMode) -> Step:
        threads, why = await self._threads()
        try:
            tasks = in_progress(self._notes.next_steps())
        except OSError as exc:
            tasks, why = None, str(exc)
        text = snapshot(threads, tasks, captured=self._now(), previous=previous)
        try:
            self._notes.write_tracking(text)
        except OSError as exc:
            sentence = translatable("The tracking notes could not be written: {reason}")
            return self.step("tracking", False, sentence, reason=exc)
        if why:
            sentence = translatable("The tracking notes are not complete: {reason}")
            return self.step("tracking", False, sentence, reason=why)
        sentence = translatable("What the agent was following is in {path}.")
        return self.step("tracking", True, sentence, path=TRACKING)

    async def _threads(self) -> tuple[tuple[str, ...] | None, str]:
        """Return a line for each active thread, and an empty reason.

        If the workplace does not report its sessions, return None and the reason.
        """
        try:
            with anyio.fail_after(AWARENESS_SECONDS):
                return thread_lines(await self._awareness()), ""
        except Exception as exc:  # no error may stop the mode change; the step reports it
            late = self._words.gettext(translatable("the workplace does not answer"))
            return None, str(exc) or late

    async def _commit_and_clear(self) -> tuple[Step, ...]:
        try:
            content = self._content()
        except OSError as exc:
            sentence = translatable("The inner notes cannot be read: {reason}")
            return (self.step("commit", False, sentence, reason=exc),)
        if not content.strip():
            sentence = translatable("There are no inner notes to commit.")
            return (self.step("commit", True, sentence),)
        committed = await self._commit(content)
        if committed.ok:
            return committed, self._clear(content)
        sentence = translatable("The inner notes are kept, since they are not committed.")
        return committed, self.step("clear", False, sentence)

    def _content(self) -> bytes:
        try:
            return files.read(self._notes.inner_path)
        except FileNotFoundError:
            return b""

    async def _commit(self, content: bytes) -> Step:
        message = MESSAGE.format(day=datetime.fromtimestamp(self._now(), UTC).date())
        try:
            done = await commit_file(self._git, self._notes.folder, INNER, content, message)
        except GitFault as fault:
            sentence = translatable("The inner notes were not committed. {reason}")
            reason = self._words.say(fault.sentence, **fault.values)
            return self.step("commit", False, sentence, reason=reason)
        sentence = (
            translatable("The inner notes are committed ({commit}).")
            if done.made
            else translatable("The inner notes were committed before ({commit}).")
        )
        return self.step("commit", True, sentence, commit=done.commit[:12])

    def _clear(self, committed: bytes) -> Step:
        """Empty the inner notes, if the file still has the content that was committed."""
        try:
            if self._content() != committed:
                sentence = translatable("The inner notes are kept, since they changed meanwhile.")
                return self.step("clear", False, sentence)
            files.write(self._notes.inner_path, b"")
        except OSError as exc:
            sentence = translatable("The inner notes could not be cleared: {reason}")
            return self.step("clear", False, sentence, reason=exc)
        return self.step("clear", True, translatable("The inner notes are cleared."))
