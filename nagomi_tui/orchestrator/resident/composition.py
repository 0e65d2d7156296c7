"""Puts the parts of the orchestrator together and runs them until it leaves."""

from __future__ import annotations

import logging
import signal
import sys
from typing import TYPE_CHECKING, Final

import anyio
import anyio.to_thread

from nagomi_tui import paths, words
from nagomi_tui.core.masking import REDACTED
from nagomi_tui.orchestrator import supervisor
from nagomi_tui.orchestrator.input.sender import Hands
from nagomi_tui.orchestrator.lifecycle.adoption import Adoption
from nagomi_tui.orchestrator.lifecycle.intake import Intake
from nagomi_tui.orchestrator.lifecycle.life import Life
from nagomi_tui.orchestrator.resident.heartbeat import Heart
from nagomi_tui.orchestrator.resident.settings_watch import SettingsWatch
from nagomi_tui.orchestrator.resident.workplace import Workplace
from nagomi_tui.orchestrator.runtime import former_places
from nagomi_tui.orchestrator.runtime.log import mask_old
from nagomi_tui.orchestrator.runtime.pulse import next_pulse
from nagomi_tui.orchestrator.server.front_ends import FrontEnds
from nagomi_tui.orchestrator.server.requests import Requests
from nagomi_tui.orchestrator.terminals.checkpoints import Checkpoints
from nagomi_tui.orchestrator.terminals.feeder import Feeder
from nagomi_tui.orchestrator.terminals.screens import load_engines
from nagomi_tui.orchestrator.views.showing import Showing
from nagomi_tui.orchestrator.workers.pool import Workers

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

    from nagomi_tui.orchestrator.sessions.live import Live

_log = logging.getLogger(__name__)
REACH_SECONDS: Final = 3.0
"""How soon a deleted socket is made anew; less than a start waits for it."""
BRANCH_SECONDS: Final = 5.0
FORGIVE_SECONDS: Final = 30.0
_QUIT_SECONDS: Final = 20.0


class Orchestrator:
    """One life of the resident process."""

    def __init__(self, *, pipe: int, after: str) -> None:
        self._place = Workplace()
        self._settings = SettingsWatch(self._place)
        self._after = after
        self._heart = Heart(self._place, pipe)
        self._checkpoints = Checkpoints(self._place)
        self._feeder = Feeder(Intake(self._place, self._checkpoints).take)
        self._adoption = Adoption(self._place, self._feeder)

    async def run(self) -> str:
        """Serve until asked to leave; return why we leave."""
        place = self._place
        async with anyio.create_task_group() as tasks:
            workers = Workers(tasks, self._adoption)
            front_ends = self._front_ends(workers)
            self._recall()
            for part in (
                self._heart,
                place.alarms,
                self._feeder,
                place.painter,
                place.store,
                place.transcripts,
                place.advisor,
                place.calling,
            ):
                tasks.start_soon(part.run)
            tasks.start_soon(self._checkpoints.run, self._feeder)
            tasks.start_soon(_watch_signals, place)
            await front_ends.listen(tasks)
            # No file that others may have put there is read before this.
            await self._settings.begin()
            place.known.set()
            tasks.start_soon(self._settings.doubt, place.settings)
            # The list of sessions is there at once; loading a native library takes longer.
            await anyio.to_thread.run_sync(_load)
            await place.judges.load()
            former_places.lead_on()
            former_places.tidy()
            await workers.adopt()
            tasks.start_soon(self._join, workers)
            tasks.start_soon(_warm_up, workers, place)
            tasks.start_soon(self._keep_reachable, front_ends, tasks)
            tasks.start_soon(self._watch_branches)
            tasks.start_soon(self._settings.run)
            place.alarms.after(FORGIVE_SECONDS, "forgive", place.mark.forgive)
            await place.leaving.wait()
            await self._leave(front_ends, workers)
            tasks.cancel_scope.cancel()
        place.store.close()
        return place.leave_reason

    def say_goodbye(self, word: bytes) -> None:
        """Tell the supervisor that we leave on purpose."""
        self._heart.say(word)

    def _front_ends(self, workers: Workers) -> FrontEnds:
        place = self._place
        life, hands = Life(place, workers), Hands(place)
        showing = Showing(place, hands)
        requests = Requests(place, self._feeder, life=life, hands=hands, workers=workers)
        return FrontEnds(place, requests=requests, hands=hands, showing=showing)

    def _recall(self) -> None:
        """Take in the records."""
        place = self._place
        records = place.store.open()
        if place.store.migrated:
            mask_old(paths.log_file())
        recent = place.store.fact("recent", list[str]) or ()
        place.recent = tuple(cmd for cmd in recent if REDACTED not in cmd)
        place.left_at = place.store.fact("left_at", float)
        place.numbers.last = place.store.fact("last_number", int) or 0
        self._adoption.recall(records, place.mark.judge(self._after))

    async def _leave(self, front_ends: FrontEnds, workers: Workers) -> None:
        place = self._place
        if place.leave_reason == "quit":
            for live in place.lives:
                live.stopped = live.stopped or live.running
            with anyio.move_on_after(_QUIT_SECONDS):
                await workers.end()
        else:
            for live in place.lives:
                self._checkpoints.take(live)
        await place.transcripts.close(place.lives)
        await front_ends.close(place.leave_reason)
        for link in workers.links:
            await link.drain()

    async def _keep_reachable(self, front_ends: FrontEnds, tasks: TaskGroup) -> None:
        while True:
            await next_pulse(REACH_SECONDS)
            try:
                await front_ends.keep_reachable(tasks)
            except OSError as exc:
                _log.warning("the socket cannot be made again: %s", exc)

    async def _join(self, workers: Workers) -> None:
        """Take over what workers hold, and go on to look for those that cannot be reached."""
        await self._adoption.join(workers)
        while True:
            await next_pulse(REACH_SECONDS)
            try:
                await workers.search()
            except OSError as exc:
                _log.warning("workers could not be looked for: %s", exc)
            self._adoption.look_for_missing()

    async def _watch_branches(self) -> None:
        """Look at git's files of all sessions once, then of those that are shown."""
        for live in self._place.lives:
            await self._look_at_branch(live)
        while True:
            await next_pulse(BRANCH_SECONDS)
            for live in self._place.lives:
                if live.views:
                    await self._look_at_branch(live)

    async def _look_at_branch(self, live: Live) -> None:
        if live.branch is not None and await live.branch.look():
            live.change(branch=live.branch.name)
            self._place.publish(live)


def _load() -> None:
    """Load what an upgrade may swap under us, and what no file may be free for later."""
    load_engines()
    for language in words.LANGUAGES:
        words.of(language)


async def _warm_up(workers: Workers, place: Workplace) -> None:
    """Have a worker ready before the first session is asked for."""
    if not workers.links:
        try:
            await workers.choose(place.settings.pool_size)
        except Exception as exc:
            _log.warning("no worker yet: %s", exc)


async def _watch_signals(place: Workplace) -> None:
    """Leave in order when asked to end: sessions run on."""
    if sys.platform == "win32":
        return
    with anyio.open_signal_receiver(signal.SIGTERM) as signals:
        async for _ in signals:
            place.leave("terminate")


def goodbye_word(reason: str) -> bytes:
    """The last word to the supervisor."""
    return {"quit": supervisor.QUIT, "reload": supervisor.RELOAD}.get(reason, supervisor.BEAT)
