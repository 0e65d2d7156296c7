"""The workers on hands: reached, lost and found again."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import Final, TypeVar

import anyio
from anyio.abc import TaskGroup

from nagomi_tui.hands import registry
from nagomi_tui.hands.hand import BadHand, Hand, NotLoggedIn
from nagomi_tui.hands.line import open_line
from nagomi_tui.orchestrator.adoption import Adoption
from nagomi_tui.orchestrator.runtime.requests import Code, Refusal
from nagomi_tui.orchestrator.runtime.timers import REACH_SECONDS, next_pulse
from nagomi_tui.orchestrator.sessions.audience import Tell
from nagomi_tui.orchestrator.workers.link import Heard, WorkerLink
from nagomi_tui.system import deadlines, sockets
from nagomi_worker.wire import protocol

_Value = TypeVar("_Value")
_log = logging.getLogger(__name__)
_GREET_SECONDS: Final = 20.0
_READ_SECONDS: Final = 2.0
_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 60.0
_PING_SECONDS: Final = 20.0
_SILENT_SECONDS: Final = 65.0
"""Seconds without a word, three pings among them, after which a line counts as broken."""
_END_SECONDS: Final = 10.0


class Reach:
    """One hand, and the line to it."""

    def __init__(self, hand: Hand) -> None:
        self.hand = hand
        self.link: WorkerLink | None = None
        """Its worker, once that has told what it holds."""
        self.plain = False
        """Whether it was reached without compiled modules there."""
        self.raw = True
        """Whether its worker may send output as bytes; not where it garbled those once."""
        self.fault: BadHand | None = None
        """Why it was not reached last."""
        self.wake = anyio.Event()
        """Set to have it tried at once."""
        self.tried = anyio.Event()
        """Set, once, when the next try is over."""
        self.scope = anyio.CancelScope()

    @property
    def worker(self) -> str:
        return worker_of(self.hand)

    def note(self, fault: BadHand | None) -> None:
        """Note how a try has gone, and wake who waits for that."""
        self.fault = fault
        tried, self.tried = self.tried, anyio.Event()
        tried.set()


def worker_of(hand: Hand) -> str:
    """Return the name of a hand's worker, which stays when the hand gets another name."""
    return f"far-{hand.mark}"


@dataclass(eq=False)
class FarWorkers:
    """The hands, and the connections to their workers.

    `env` returns what the commands of hands get beside our own environment.
    """

    tasks: TaskGroup
    heard: Heard
    owner: Adoption
    env: Callable[[], Mapping[str, str]]
    tell: Tell

    def __post_init__(self) -> None:
        self._reaches: dict[str, Reach] = {}
        """By the names of their workers."""
        self._stamp: object = None
        self._slots = BoundedSemaphore()
        self._looking = anyio.Lock()
        self._ending = False
        self._one_less = anyio.Event()

    @property
    def all(self) -> tuple[Reach, ...]:
        return tuple(self._reaches.values())

    @property
    def links(self) -> tuple[WorkerLink, ...]:
        return tuple(each.link for each in self.all if each.link is not None)

    async def run(self) -> None:
        """Read the file of hands whenever it has changed, for ever."""
        while True:
            await self.look()
            await next_pulse(REACH_SECONDS)

    async def look(self) -> None:
        """Read the file of hands if it has changed; one that cannot be read changes nothing."""
        async with self._looking:
            try:
                stamp = await self._aside(registry.stamp)
                if stamp == self._stamp:
                    return
                hands = await self._aside(registry.load)
            except TimeoutError:
                return
            except BadHand as exc:
                self._stamp = stamp
                self.tell("error", exc.message, **exc.values)
                return
            self._stamp = stamp
            for fault in hands.faults:
                self.tell("error", fault.message, **fault.values)
            self._take({worker_of(hand): hand for hand in hands.all}, whole=not hands.faults)

    async def _aside(self, work: Callable[[], _Value]) -> _Value:
        return await deadlines.run(work, seconds=_READ_SECONDS, slots=self._slots)

    def _take(self, found: Mapping[str, Hand], *, whole: bool) -> None:
        """Begin with new hands, and go by others' new names and commands."""
        for worker in [worker for worker in self._reaches if worker not in found and whole]:
            self._reaches.pop(worker).scope.cancel()
        for worker, hand in found.items():
            if (reach := self._reaches.get(worker)) is None:
                self._reaches[worker] = reach = Reach(hand)
                self.tasks.start_soon(self._keep, reach)
            elif reach.hand != hand:
                reach.hand = hand
                reach.wake.set()
            self.owner.renamed(worker, hand.name)
        if whole:
            self.owner.forgotten(found)

    async def hand(self, name: str) -> Hand:
        """Return the hand that is called so.

        Raises:
            Refusal: there is none.
        """
        return (await self._meant(name, or_local=True)).hand

    async def tested(self, name: str) -> Reach:
        """Return a hand, which is tried at once if it is away.

        Raises:
            Refusal: there is no such hand.
        """
        reach = await self._meant(name)
        if reach.link is None:
            tried = reach.tried
            reach.wake.set()
            await tried.wait()
        return reach

    async def reach(self, name: str) -> WorkerLink:
        """Return the worker of a hand, which is tried at once if it is away.

        Raises:
            Refusal: there is no such hand, or it cannot be reached; the sentence says why.
        """
        reach = await self.tested(name)
        if reach.link is not None:
            return reach.link
        fault = reach.fault or _silence(reach)
        code: Code = "login" if isinstance(fault, NotLoggedIn) else "refused"
        raise Refusal(code, fault.message, **fault.values)

    async def folders(self, name: str, path: str) -> tuple[str, ...]:
        """Return the folders on a hand that begin so; none while it is away, which is not changed.

        Raises:
            Refusal: there is no such hand.
        """
        link = (await self._meant(name)).link
        return await link.folders(path) if link is not None else ()

    async def end(self) -> None:
        """End every far worker that is connected, and reach for none any more."""
        self._ending = True
        for link in self.links:
            link.send(protocol.Quit())
        with anyio.move_on_after(_END_SECONDS):
            while self.links:
                await self._one_less.wait()

    async def _meant(self, name: str, *, or_local: bool = False) -> Reach:
        await self.look()
        for reach in self.all:
            if reach.hand.name == name:
                return reach
        known = [each.hand.name for each in self.all]
        fault = registry.unknown(name, known, or_local=or_local)
        raise Refusal("bad_request", fault.message, **fault.values)

    async def _keep(self, reach: Reach) -> None:
        """Reach the hand while a session of it is known, or somebody asks for it."""
        pause = _FIRST_PAUSE
        with reach.scope:
            while not self._ending:
                if not (reach.wake.is_set() or self.owner.wants(reach.worker)):
                    await _set_within(reach.wake, REACH_SECONDS)
                    continue
                reach.wake = anyio.Event()
                pause = _FIRST_PAUSE if await self._serve(reach) else pause
                await _set_within(reach.wake, pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
        reach.note(_silence(reach))

    async def _serve(self, reach: Reach) -> bool:
        """Serve the hand until its line breaks; tell whether it was reached at all."""
        try:
            line = await open_line(reach.hand, self.env(), self.tasks)
        except BadHand as exc:
            reach.note(exc)
            return False
        except OSError as exc:
            _log.warning("the hand %s: %s", reach.hand.name, exc)
            reach.note(_silence(reach))
            return False
        reach.plain = line.plain
        stream = await sockets.stream_of(line.socket)
        link = WorkerLink(
            reach.worker, stream, self.heard, raw=reach.raw, worker_id=reach.hand.name
        )
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._attend, reach, link, tasks.cancel_scope)
                await link.run()
                tasks.cancel_scope.cancel()
            reach.raw = reach.raw and not link.garbled
            fault = await line.fault()
        finally:
            reached, reach.link = reach.link is not None, None
            ended, self._one_less = self._one_less, anyio.Event()
            ended.set()
            self.owner.away(link)
            await line.close()
        _log.info("the line to %s has ended: %s", reach.hand.name, fault)
        reach.note(fault)
        return reached

    async def _attend(self, reach: Reach, link: WorkerLink, line: anyio.CancelScope) -> None:
        """Take over what the worker holds, and give up the line when it has been silent for long."""
        await _set_within(link.greeted, _GREET_SECONDS)
        link.ask_host()
        if link.greeted.is_set() and not link.closed and await self.owner.reached(link):
            reach.link = link
            reach.note(None)
            while time.monotonic() - link.heard_at < _SILENT_SECONDS:
                link.send(protocol.Ping())
                await anyio.sleep(_PING_SECONDS)
                link.ask_host()
        _log.warning("the worker of %s is silent", link.worker_id)
        line.cancel()


def _silence(reach: Reach) -> BadHand:
    return BadHand("{name} does not answer.", name=reach.hand.name)


async def _set_within(event: anyio.Event, seconds: float) -> None:
    with anyio.move_on_after(seconds):
        await event.wait()
