"""Requests about the workplace as a whole: how it stands, its settings, its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from nagomi_tui.api import messages

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.alerts.alerts import Alerts
    from nagomi_tui.orchestrator.runtime.lifetime import Lifetime
    from nagomi_tui.orchestrator.server.agent import ResidentAgent
    from nagomi_tui.orchestrator.server.handlers.table import Asker, Handlers
    from nagomi_tui.orchestrator.server.settings_change import SettingsChange
    from nagomi_tui.orchestrator.server.status import Status
    from nagomi_tui.orchestrator.sessions.audience import Audience


class WorkplaceRequests:
    """Tells of the workplace, changes its settings, and ends it."""

    def __init__(
        self,
        settings: SettingsChange,
        audience: Audience,
        *,
        lifetime: Lifetime,
        status: Status,
        alerts: Alerts,
        agent: ResidentAgent,
    ) -> None:
        self._settings = settings
        self._audience = audience
        self._lifetime = lifetime
        self._status = status
        self._alerts = alerts
        self._agent = agent

    async def ping(self, client: Asker, request: messages.Ping) -> messages.Nothing:
        """Say that we are there."""
        return messages.Nothing()

    async def status(self, client: Asker, request: messages.Status) -> messages.WorkplaceStatus:
        """Say how the resident processes stand."""
        return self._status.told()

    async def settings(self, client: Asker, request: messages.Settings) -> messages.SettingValues:
        """Change settings, and return all of them."""
        return await self._settings.change(request.values)

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

    HANDLERS: ClassVar[Handlers] = {
        messages.Ping: ping,
        messages.Status: status,
        messages.Settings: settings,
        messages.Reload: reload,
        messages.Quit: quit,
        messages.DetachAll: detach_all,
        messages.Sound: sound,
        messages.StartAgent: start_agent,
        messages.AgentMode: agent_mode,
    }
