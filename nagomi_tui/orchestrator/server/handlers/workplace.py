"""Handles requests about the workplace, its settings, its reminders and its hands."""

from __future__ import annotations

import os
import sys
import time
from functools import partial
from threading import BoundedSemaphore
from time import monotonic
from typing import Any, Final

import anyio
import msgspec

from nagomi_tui import __version__
from nagomi_tui.api import messages
from nagomi_tui.orchestrator.calling.alerts import Alerts
from nagomi_tui.orchestrator.hands import FarWorkers, Reach
from nagomi_tui.orchestrator.runtime.requests import CurrentSettings, Lifetime, Refusal
from nagomi_tui.orchestrator.server.agent import ResidentAgent
from nagomi_tui.orchestrator.server.dispatch import Asker, Group
from nagomi_tui.orchestrator.server.reminders import Reminders, condition_of, standing
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.table import SessionTable
from nagomi_tui.orchestrator.workers.pool import Workers
from nagomi_tui.settings import store
from nagomi_tui.settings.checks import BadSetting, changed
from nagomi_tui.system import deadlines, paths
from nagomi_tui.text.words import translatable
from nagomi_worker.wire.protocol import Host

_SAVE_SECONDS: Final = 10.0
_LENGTH: Final = 100
"""Characters of what a machine says of itself that are told."""


class WorkplaceRequests(Group):
    """Tells of the workplace, its reminders and hands, changes its settings, and ends it."""

    def __init__(
        self,
        settings: CurrentSettings,
        sessions: SessionTable,
        audience: Audience,
        *,
        lifetime: Lifetime,
        workers: Workers,
        alerts: Alerts,
        agent: ResidentAgent,
        reminders: Reminders,
        hands: FarWorkers,
    ) -> None:
        self._settings = settings
        self._sessions = sessions
        self._audience = audience
        self._lifetime = lifetime
        self._workers = workers
        self._alerts = alerts
        self._agent = agent
        self._reminders = reminders
        self._hands = hands
        self._saving = anyio.Lock()
        self._slots = BoundedSemaphore()

    async def ping(self, client: Asker, request: messages.Ping) -> messages.Nothing:
        """Say that we are there."""
        return messages.Nothing()

    async def status(self, client: Asker, request: messages.Status) -> messages.WorkplaceStatus:
        """Say how the resident processes stand."""
        infos, started_at = self._sessions.infos, self._lifetime.started_at
        return messages.WorkplaceStatus(
            version=__version__,
            python=sys.version.split()[0],
            orchestrator=messages.OrchestratorStatus(pid=os.getpid(), started_at=started_at),
            supervisor=messages.ProcessStatus(pid=self._lifetime.supervisor_pid),
            workers=tuple(
                messages.WorkerStatus(name=link.name, pid=link.pid, sessions=len(link.sessions))
                for link in self._workers.links
            ),
            sessions=len(infos),
            front_ends=len(self._audience.front_ends()),
            engines=tuple(sorted({info.engine for info in infos if info.engine})),
            folders=messages.Folders(
                config=str(paths.config_folder()),
                state=str(paths.state_folder()),
                sockets=str(paths.socket_folder()),
                log=str(paths.log_file()),
            ),
            uptime=time.time() - started_at,
        )

    async def settings(self, client: Asker, request: messages.Settings) -> messages.SettingValues:
        """Set these values, if there are any, and return all settings.

        Changes are made one after the other.

        Raises:
            Refusal: a value is not valid, or the file cannot be written; nothing was changed.
        """
        if request.values:
            async with self._saving:
                await self._save(request.values)
        return self._values()

    async def _save(self, values: messages.SettingValues) -> None:
        try:
            wanted = changed(self._settings(), values)
            await deadlines.run(
                partial(store.save, wanted), seconds=_SAVE_SECONDS, slots=self._slots
            )
        except BadSetting as exc:
            raise Refusal("bad_request", exc.message, **exc.values) from exc
        except OSError as exc:
            sentence = translatable("The settings cannot be written: {reason}.")
            reason = exc.strerror or str(exc).rstrip(".") or "their folder does not answer"
            raise Refusal("refused", sentence, reason=reason) from exc
        self._settings.apply(wanted)
        self._audience.broadcast(messages.SettingsChanged(settings=self._values()))

    def _values(self) -> messages.SettingValues:
        values: messages.SettingValues = msgspec.to_builtins(self._settings())
        return values

    async def reload(self, client: Asker, request: messages.Reload) -> messages.Nothing:
        """Let the installed version take over."""
        self._lifetime.leave("reload")
        return messages.Nothing()

    async def quit(self, client: Asker, request: messages.Quit) -> messages.Nothing:
        """End everything."""
        self._lifetime.leave("quit")
        return messages.Nothing()

    async def detach_all(self, client: Asker, request: messages.DetachAll) -> messages.Detached:
        """Ask every front end to leave."""
        self._audience.broadcast(messages.Goodbye(reason="detach"), front_ends=True)
        return messages.Detached(front_ends=len(self._audience.front_ends()))

    async def sound(self, client: Asker, request: messages.Sound) -> messages.SoundStanding:
        """Play a sound or be mute, and say how sound stands."""
        return await self._alerts.sound(
            client.requester,
            request.do,
            kind=request.kind,
            seconds=request.seconds,
            session=client.focus.session_id if client.focus else "",
        )

    async def start_agent(
        self, client: Asker, request: messages.StartAgent
    ) -> messages.AgentAddress:
        """Have the resident agent run."""
        return await self._agent.start()

    async def agent_mode(self, client: Asker, request: messages.AgentMode) -> messages.Nothing:
        """Have the resident agent go over to a mode."""
        await self._agent.change(request.mode)
        return messages.Nothing()

    # --- reminders

    async def remind(self, client: Asker, request: messages.Remind) -> messages.ReminderStanding:
        """Set a reminder, and tell how it was understood."""
        named = condition_of(request.when, time.time()).session
        session = await self._sessions.find(named) if named else None
        return standing(await self._reminders.add(request, session), client.requester.words)

    async def list_reminders(
        self, client: Asker, request: messages.ListReminders
    ) -> messages.ReminderList:
        open_ones, told = await self._reminders.all()
        words = client.requester.words
        return messages.ReminderList(
            open=tuple(standing(one, words) for one in open_ones),
            told=tuple(standing(one, words) for one in told),
        )

    async def cancel_reminder(
        self, client: Asker, request: messages.CancelReminder
    ) -> messages.ReminderStanding:
        return standing(await self._reminders.cancel(request.number), client.requester.words)

    # --- hands

    async def list_hands(self, client: Asker, request: messages.ListHands) -> messages.HandList:
        await self._hands.look()
        return messages.HandList(hands=tuple(_standing(reach, client) for reach in self._hands.all))

    async def reach_hand(self, client: Asker, request: messages.ReachHand) -> messages.HandStanding:
        """Reach for a hand, and return how it stands then."""
        began = monotonic()
        reach = await self._hands.tested(request.name)
        return _standing(reach, client, seconds=monotonic() - began)

    async def folders(self, client: Asker, request: messages.FindFolders) -> messages.FarFolders:
        """Return folders there, for the completion of what is typed."""
        found = await self._hands.folders(request.name, request.path)
        return messages.FarFolders(folders=found)


def _standing(reach: Reach, client: Asker, *, seconds: float = 0.0) -> messages.HandStanding:
    link, fault = reach.link, reach.fault
    told = link.host if link else None
    return messages.HandStanding(
        name=reach.hand.name,
        kind=reach.hand.kind,
        command=reach.hand.command,
        reached=link is not None,
        pid=link.pid if link else 0,
        sessions=len(link.sessions) if link else 0,
        fault=client.requester.words.say(fault.message, **fault.values) if fault else "",
        seconds=round(seconds, 3),
        plain=link is not None and reach.plain,
        folders=reach.hand.folders,
        **(_of_host(told) if told else {}),
    )


def _of_host(host: Host) -> dict[str, Any]:
    """Return what a machine says of itself, which nobody has checked, in fields of a standing."""
    return {
        "host": host.name[:_LENGTH],
        "system": host.system[:_LENGTH],
        "cores": host.cores,
        "load": host.load,
        "memory_mb": host.memory_mb,
        "free_mb": host.free_mb,
    }
