"""Puts the agent's process together and runs it, with its pipes to the supervisor and its masked log."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final, Literal, TypeAlias

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from nagomi_tui.agent.http.api import Api, ApiFiles
from nagomi_tui.agent.http.bodies import Answered, ApiServices, AskFailed
from nagomi_tui.agent.http.events import EventLog
from nagomi_tui.agent.modes.mode import START, AgentMode
from nagomi_tui.agent.modes.modes import Allowance
from nagomi_tui.agent.modes.notes import NEXT
from nagomi_tui.agent.providers.interface import ModelFault
from nagomi_tui.agent.resident.loop import Budget, KeptRecord, Loop, Thinking
from nagomi_tui.agent.resident.loop_workplace import (
    LibraryModel,
    LoopWorkplace,
    wakes,
    watch,
)
from nagomi_tui.agent.resident.orchestrator_link import ModeOrders, OrchestratorLink, ToldReminders
from nagomi_tui.agent.resident.server import Server
from nagomi_tui.agent.tools.interface import Workplace
from nagomi_tui.agent.turns import models
from nagomi_tui.agent.turns.library import Library, make_library
from nagomi_tui.api import messages
from nagomi_tui.masking import mask
from nagomi_tui.settings import store
from nagomi_tui.settings.checks import fitting
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import files, paths
from nagomi_tui.system.environment import env_of_text
from nagomi_tui.system.platforms import WINDOWS
from nagomi_tui.text.words import Words, language_from, of


async def answer(library: Library, words: Words, question: str) -> Answered:
    """Answer a single question, beside all conversations.

    Raises:
        AskFailed: there is no answer.
    """
    try:
        found = await library.questions.ask(question, words.language)
    except ModelFault as fault:
        raise AskFailed(models.asking_sentence_of(fault, words)) from fault
    return Answered(ok=True, answer=found.answer, context_age=found.context_age, notes=found.notes)


_log = logging.getLogger(__name__)
Reason: TypeAlias = Literal["mode", "api"]


def need(reason: Reason, on: bool) -> None:
    """Add or remove a reason; without any reason there is no file."""
    path = paths.agent_needed_file()
    try:
        before = set(files.read(path).decode(errors="replace").split())
    except OSError:
        before = set()
    now = before | {reason} if on else before - {reason}
    try:
        if now != before and now:
            files.write(path, "".join(f"{one}\n" for one in sorted(now)).encode())
        elif not now:
            path.unlink(missing_ok=True)
    except OSError as exc:
        _log.warning("%s cannot be written: %s", path, exc)


_PLAIN: Final = frozenset(
    ["HOME", "LANG", "LANGUAGE", "LOGNAME", "NAGOMI_HOME", "NAGOMI_LANG", "PATH", "SHELL", "TMPDIR",
     "TZ", "USER"]
)  # fmt: skip
_PLAIN_BEGINNINGS: Final = ("LC_", "XDG_")


def plain(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what any program needs, and no key: who the user is, where programs are, the language."""
    return {
        name: value
        for name, value in environment.items()
        if name in _PLAIN or name.startswith(_PLAIN_BEGINNINGS)
    }


LOOP_FILE: Final = "agent-loop.json"
"""Name of the loop's record in the state folder."""


class AgentProcess:
    """One life of the agent."""

    def __init__(self, lifeline: Lifeline) -> None:
        self._lifeline = lifeline
        self._settings = Settings()
        self._events = EventLog()
        self._orders = ModeOrders()
        self._reminders = ToldReminders()
        # The agent's own environment may hold its key, which is nothing to the sessions it starts.
        self._plain = env_of_text(plain(os.environ))
        self._workplace = Workplace(self._plain)
        self._loop: Loop | None = None

    async def run(self) -> None:
        """Serve until the supervisor or the workplace ends, or a signal comes."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._lifeline.beat)
            for end in (self._lifeline.await_end, _await_signal):
                tasks.start_soon(_until, end, tasks)
            self._settings = (await anyio.to_thread.run_sync(store.load)).settings
            words = of(language_from(os.environ, self._settings.language))
            library = await make_library(lambda: self._settings, os.environ, words, self._workplace)
            try:
                await self._serve(library, tasks)
            finally:
                await library.models.close()

    async def _serve(self, library: Library, tasks: TaskGroup) -> None:
        orchestrator = OrchestratorLink(library.modes.mode, self._pushed, self._plain)
        services = ApiServices(
            request=orchestrator.request,
            mode=library.modes.report,
            change_mode=library.change_mode,
            ask=lambda question: answer(library, of(self._language()), question),
            events=self._events,
        )
        self._api = Api(services, ApiFiles.of_workplace())
        self._switch_api()

        async def mode_changed(mode: AgentMode) -> None:
            need("mode", mode != START)
            orchestrator.tell(mode=mode)
            tell_notes()
            if self._loop is not None:
                self._loop.wake()

        def tell_notes() -> None:
            notes = library.modes.notes
            try:
                orchestrator.tell(inner=notes.inner(), tracking=notes.tracking())
            except OSError as exc:
                _log.warning("the agent's notes cannot be read: %s", exc)

        tell_notes()
        library.modes.on_inner = tell_notes
        library.on_mode.append(mode_changed)
        library.models.on_asking = lambda asking: orchestrator.tell(thinking=asking)
        tasks.start_soon(orchestrator.keep_told)
        tasks.start_soon(self._orders.run, library, orchestrator)
        tasks.start_soon(self._reminders.run, library, orchestrator)
        await tasks.start(
            Server(library, orchestrator.speak, partial(_tell_turns, orchestrator)).run
        )
        await tasks.start(self._api.run)
        tasks.start_soon(self._think, library, orchestrator)
        await orchestrator.run()
        tasks.cancel_scope.cancel()

    async def _think(self, library: Library, orchestrator: OrchestratorLink) -> None:
        """Run the loop, once the orchestrator was connected to."""
        await orchestrator.greeted.wait()
        kept = KeptRecord(paths.state_folder() / LOOP_FILE)
        library.modes.allowance = lambda: self._allowance(library, kept)
        thinking = Thinking(
            LibraryModel(library), library.modes, kept, now=time.time, mask=library.mask
        )
        workplace = LoopWorkplace(library, self._workplace, orchestrator, self._language)
        self._loop = loop = Loop(
            workplace, thinking, consent=lambda: self._settings.llm_consent, budget=self._budget
        )
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch, library.modes.notes.folder / NEXT, loop.wake)
            loop.workplace_came()
            await loop.run()

    def _budget(self) -> Budget:
        return Budget(
            requests=self._settings.agent_requests_per_hour,
            tokens=self._settings.agent_tokens_per_hour,
        )

    def _allowance(self, library: Library, kept: KeptRecord) -> Allowance:
        budget, today = self._budget(), library.models.ledger.today()
        left = kept.record.spent.left(budget, time.time())
        return Allowance(
            requests=budget.requests,
            requests_left=left.requests,
            tokens=budget.tokens,
            tokens_left=left.tokens,
            whole_at=left.whole_at,
            free_at=left.free_at,
            cost_today=today.cost,
            unpriced=today.unpriced,
            assumed_today=today.assumed,
            cost_per_day=library.models.day_limit(),
            fault=kept.record.fault,
            again_at=kept.record.not_before,
        )

    def _language(self) -> str:
        return language_from(os.environ, self._settings.language)

    def _pushed(self, message: messages.ToClient) -> None:
        """Take in what the orchestrator tells."""
        self._events.tell(message)
        if isinstance(message, messages.AgentOrder):
            self._orders.take(message)
        if isinstance(message, messages.Reminded):
            self._reminders.take(message)
        if self._loop is not None and wakes(message):
            self._loop.wake()
        if isinstance(message, messages.Welcome):
            # It may be another orchestrator, and not all was heard of what the one before did.
            self._events.gap()
            if self._loop is not None:
                self._loop.workplace_came()
        if isinstance(message, messages.Welcome | messages.SettingsChanged):
            self._settings = fitting(message.settings)
            self._switch_api()

    def _switch_api(self) -> None:
        need("api", self._settings.api_on)
        self._api.switch(self._settings.api_port if self._settings.api_on else None)


def _tell_turns(orchestrator: OrchestratorLink, left: int) -> None:
    orchestrator.tell(work_turns=left)


async def _until(wait: Callable[[], Awaitable[None]], tasks: TaskGroup) -> None:
    """End all tasks when one of them has ended."""
    await wait()
    tasks.cancel_scope.cancel()


async def _await_signal() -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            return


_BEAT_SECONDS: Final = 1.0
_READ_BYTES: Final = 512


class Lifeline:
    """Standard input and output, replaced for all other code of the process."""

    def __init__(self) -> None:
        self._in, self._out = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1):
            os.dup2(nothing, standard)
        os.close(nothing)
        if not WINDOWS:
            os.set_blocking(self._out, False)

    async def await_end(self) -> None:
        """Return when the supervisor closes the pipe, or is dead."""
        if WINDOWS:
            await self._await_end_by_thread()
            return
        while True:
            await anyio.wait_readable(self._in)
            if not os.read(self._in, _READ_BYTES):
                return

    async def _await_end_by_thread(self) -> None:
        """Read in a thread, since Windows cannot wait for a pipe; the process may end before it."""
        over = anyio.Event()
        loop = asyncio.get_running_loop()

        def read() -> None:
            with contextlib.suppress(OSError):
                while os.read(self._in, _READ_BYTES):
                    pass
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(over.set)

        threading.Thread(target=read, daemon=True).start()
        await over.wait()

    async def beat(self) -> None:
        """Send heartbeats for ever, without waiting for a supervisor that does not read."""
        while True:
            try:
                os.write(self._out, b".")
            except BlockingIOError:
                pass
            except OSError:
                return
            await anyio.sleep(_BEAT_SECONDS)


_FORMAT: Final = "%(asctime)s agent %(process)d %(levelname)s %(name)s: %(message)s"


class _Masked(logging.Formatter):
    """Masks a record when it is whole: a traceback may quote a secret."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text, masked."""
        return mask(super().format(record))


def keep_log() -> None:
    """Write what went wrong to stderr; libraries say only what is serious."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Masked(_FORMAT))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("nagomi_tui").setLevel(logging.INFO)
    logging.raiseExceptions = False
