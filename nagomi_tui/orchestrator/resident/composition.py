"""Puts the parts of the orchestrator together; no other module knows all of them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from anyio.abc import TaskGroup

from nagomi_tui.orchestrator.adoption import Adoption
from nagomi_tui.orchestrator.calling.alerts import Alerts
from nagomi_tui.orchestrator.calling.program_events import ProgramEvents
from nagomi_tui.orchestrator.guard.guards import Guards
from nagomi_tui.orchestrator.hands import FarWorkers
from nagomi_tui.orchestrator.history.reviews import TurnTrees
from nagomi_tui.orchestrator.history.searching import LastLines
from nagomi_tui.orchestrator.history.transcripts import Transcripts
from nagomi_tui.orchestrator.input.sender import InputSender
from nagomi_tui.orchestrator.judging.advisor import Advisor
from nagomi_tui.orchestrator.judging.hooks import Hooks
from nagomi_tui.orchestrator.judging.judges import Judges
from nagomi_tui.orchestrator.lifecycle import environment
from nagomi_tui.orchestrator.lifecycle.changing import Changing
from nagomi_tui.orchestrator.lifecycle.creating import Creating, NextSteps
from nagomi_tui.orchestrator.lifecycle.launcher import Launcher
from nagomi_tui.orchestrator.output.checkpoints import Checkpoints
from nagomi_tui.orchestrator.output.feeder import Feeder
from nagomi_tui.orchestrator.output.intake import Intake
from nagomi_tui.orchestrator.resident.heartbeat import Heartbeat
from nagomi_tui.orchestrator.resident.settings_watch import SettingsWatch
from nagomi_tui.orchestrator.runtime.crash_marker import FILE_NAME, CrashMarker
from nagomi_tui.orchestrator.runtime.requests import CurrentSettings, Lifetime
from nagomi_tui.orchestrator.runtime.timers import Alarms, JumpWatch
from nagomi_tui.orchestrator.server.agent import ResidentAgent
from nagomi_tui.orchestrator.server.dispatch import Dispatch
from nagomi_tui.orchestrator.server.front_ends import FrontEnds
from nagomi_tui.orchestrator.server.greeting import Greeting
from nagomi_tui.orchestrator.server.handlers.front_end import ClientMessages
from nagomi_tui.orchestrator.server.handlers.guard import GuardRequests
from nagomi_tui.orchestrator.server.handlers.judge import JudgeRequests
from nagomi_tui.orchestrator.server.handlers.sessions import SessionRequests
from nagomi_tui.orchestrator.server.handlers.talk import TalkRequests
from nagomi_tui.orchestrator.server.handlers.workplace import WorkplaceRequests
from nagomi_tui.orchestrator.server.handlers.worktrees import RepositoryRequests
from nagomi_tui.orchestrator.server.reminders import FILE as REMINDERS
from nagomi_tui.orchestrator.server.reminders import Reminders
from nagomi_tui.orchestrator.server.remote_requests import RemoteRequests
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.folders import FolderWatch
from nagomi_tui.orchestrator.sessions.screens import ScreenMaker
from nagomi_tui.orchestrator.sessions.session import SessionRuntime, TurnListener
from nagomi_tui.orchestrator.sessions.store import Store
from nagomi_tui.orchestrator.sessions.table import SessionTable
from nagomi_tui.orchestrator.sessions.worktrees import WorktreeWatch
from nagomi_tui.orchestrator.views.scheduler import FrameScheduler
from nagomi_tui.orchestrator.views.showing import Showing
from nagomi_tui.orchestrator.workers.link import WorkerLink, WorkerMessage
from nagomi_tui.orchestrator.workers.pool import Workers
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import paths

_log = logging.getLogger(__name__)


class Composition:
    """Every part, made with what it needs; attributes are what `Orchestrator` runs and asks."""

    def __init__(self, tasks: TaskGroup, lifetime: Lifetime, heartbeat: Heartbeat) -> None:
        self._tasks, self._lifetime, self._heartbeat = tasks, lifetime, heartbeat
        self._state = paths.make_private(paths.state_folder())
        self._make_sessions()
        self._make_judging()
        self._make_output()
        self._make_lifecycle()
        self._make_greeting()
        self._make_front_ends()
        self.at_once: tuple[Callable[[], Coroutine[Any, Any, None]], ...] = (
            heartbeat.run, self.alarms.run, self.feeder.run, self._scheduler.run, self.store.run,
            self.transcripts.run, self._alerts.run, self._agent.run, self._last_lines.run,
            self._reminders.run, self._turn_trees.run,
        )  # fmt: skip
        """Parts that run from the beginning, before settings and sessions are known."""

    def _make_sessions(self) -> None:
        """Make settings and timers, and the list of sessions with all that keeps and publishes it."""
        self.settings = CurrentSettings()
        self.alarms = Alarms()
        self._clock = JumpWatch()
        self.marker = CrashMarker(self._state / FILE_NAME)
        self.store = Store(
            self._state / "sessions.db", on_fault=lambda fault: self._audience.tell_fault(fault)
        )
        audience = self._audience = Audience(set(), self.store, self.alarms)
        self.settings_watch = SettingsWatch(self.settings, audience)
        self.sessions = SessionTable(self.store, audience, self._lifetime)
        self._scheduler = FrameScheduler()
        is_shown = self._scheduler.is_shown
        self.folders = FolderWatch(self.sessions, audience.publish, is_shown)
        self.worktrees = WorktreeWatch(self.sessions, audience, is_shown, self.settings)
        self.guards = Guards(lambda: self.sessions.all, self.settings, audience, self._lifetime)

    def _show_phase(self, session: SessionRuntime) -> None:
        """Tell of a new phase; small views show another part of who asks than of who is done."""
        self._audience.publish_soon(session)
        self._scheduler.touch(session)

    def _make_judging(self) -> None:
        """Make what judges sessions, and what hears of finished turns, in its order."""
        self._turn_listeners: list[TurnListener] = []
        self._screens = ScreenMaker(self.marker)
        self.transcripts = Transcripts(
            paths.history_file(), self.settings, on_fault=self._audience.tell_fault
        )
        self._last_lines = LastLines(
            self.transcripts, self._screens, self.sessions, self._scheduler.start_over
        )
        self._turn_trees = TurnTrees(self.settings)
        self.judges = Judges(
            self.settings, self._audience, self.alarms, trees=self._turn_trees,
            listeners=self._turn_listeners, show_phase=self._show_phase,
        )  # fmt: skip
        self._hooks = Hooks(self.sessions, self._audience.keep, self.judges)
        self._advisor = Advisor(self._tasks, self.settings, self._audience, self.judges.active)
        self._alerts = Alerts(
            self._tasks, self.settings, self._audience, self.sessions.get,
            alarms=self.alarms, store=self.store,
        )  # fmt: skip
        self._turn_listeners += [
            self._audience.turn_over, self._alerts.turn_over, self.transcripts.turn_over,
            self._advisor.turn_over,
        ]  # fmt: skip
        self.settings.on_change = self._apply

    def _make_output(self) -> None:
        """Make the workers with all that their messages go through, and what finds sessions there."""
        self.checkpoints = Checkpoints(self.alarms, self._screens, self._scheduler)
        program_events = ProgramEvents(
            self._audience,
            self.alarms,
            self.judges.phases,
            alerts=self._alerts,
            folders=self.folders,
        )
        intake = Intake(
            self._screens, self.checkpoints, self.judges, scheduler=self._scheduler,
            audience=self._audience, alarms=self.alarms,
            transcripts=self.transcripts, program_events=program_events, strict=self.guards.strict,
            hooks=self._hooks, asked=lambda asked: self._remote_requests.asked(asked),
        )  # fmt: skip
        self.feeder = Feeder(intake.take, intake.leave_out, self._scheduler.is_scrolled)
        self.adoption = Adoption(
            self.sessions, self.feeder, judges=self.judges,
            audience=self._audience, alarms=self.alarms, lifetime=self._lifetime,
            is_shown=self._scheduler.is_shown, fit=lambda session: self._showing.fit(session),
        )  # fmt: skip
        self._surroundings = environment.Surroundings(
            paths.make_socket_folder(), environment.folder(self._state)
        )
        self.workers = Workers(
            self._tasks, self._heard, lost=self.adoption.lose, found_again=self.adoption.found_again
        )
        self.hands = FarWorkers(
            self._tasks,
            self._heard,
            self.adoption,
            self._surroundings.for_hands,
            self._audience.tell,
        )

    def _make_lifecycle(self) -> None:
        """Make what begins and ends sessions, types into them, and shows them."""
        self._sender = InputSender(self.alarms, self.judges, self._audience.tell)
        self._showing = Showing(
            self._audience, self._scheduler, alarms=self.alarms, sender=self._sender,
            judges=self.judges, transcripts=self.transcripts,
        )  # fmt: skip
        launcher = Launcher(
            self.settings, self.workers, self.hands, self._audience,
            surroundings=self._surroundings, strict=self.guards.strict, proves=self.guards.gate.proves,
        )  # fmt: skip
        self._creating = Creating(
            self.settings, self.sessions, launcher,
            hands=self.hands, judges=self.judges, store=self.store,
        )  # fmt: skip
        self._changing = Changing(
            self.sessions, launcher, self._audience, transcripts=self.transcripts,
            showing=self._showing, judges=self.judges,
        )  # fmt: skip
        self._steps = NextSteps(
            self._tasks, self.settings, self.sessions, self._creating, sender=self._sender,
            judges=self.judges, tell=self._audience.tell,
        )  # fmt: skip
        self._turn_listeners.append(self._steps.turn_over)

    def _make_greeting(self) -> None:
        """Make what welcomes clients, and the resident agent among them."""
        self._agent = ResidentAgent(
            self.sessions.get, self._audience, alerts=self._alerts, store=self.store,
            want=self._heartbeat.want_agent,
        )  # fmt: skip
        self._reminders = Reminders(
            self._tasks, self._state / REMINDERS, self.sessions, self.settings,
            audience=self._audience, alerts=self._alerts,
            agent=self._agent, adopted=self._lifetime.sessions_adopted,
        )  # fmt: skip
        self._turn_listeners.append(self._reminders.turn_over)
        self.greeting = Greeting(
            self.settings, self.sessions, self._audience, creating=self._creating,
            store=self.store, surroundings=self._surroundings, screens=self._screens,
            alerts=self._alerts, agent=self._agent,
        )  # fmt: skip

    def _make_dispatch(self) -> Dispatch:
        """Return what carries out clients' messages, with their use cases."""
        sessions = self.sessions
        return Dispatch(
            self.alarms,
            self.look_at_clock,
            SessionRequests(sessions, creating=self._creating, changing=self._changing),
            TalkRequests(
                sessions, sender=self._sender, feeder=self.feeder, gate=self.guards.gate,
                last_lines=self._last_lines,
            ),
            JudgeRequests(
                sessions, self.judges, guards=self.guards, sender=self._sender,
                steps=self._steps, advisor=self._advisor,
            ),
            WorkplaceRequests(
                self.settings, sessions, self._audience, lifetime=self._lifetime,
                workers=self.workers, alerts=self._alerts, agent=self._agent,
                reminders=self._reminders, hands=self.hands,
            ),
            GuardRequests(sessions, self.guards, self._sender),
            RepositoryRequests(sessions),
            ClientMessages(
                sessions.get, self._showing, sender=self._sender,
                last_lines=self._last_lines, alerts=self._alerts, greeting=self.greeting,
                hooks=self._hooks, guards=self.guards,
                agent=self._agent, reminders=self._reminders,
            ),
        )  # fmt: skip

    def _make_front_ends(self) -> None:
        """Make the socket for front ends and commands, and what answers programs on hands."""
        dispatch = self._make_dispatch()
        self._remote_requests = RemoteRequests(
            self._tasks, dispatch, self.sessions,
            hands=self.hands, language=lambda: self.settings().language,
        )  # fmt: skip
        self.front_ends = FrontEnds(
            self._audience,
            greeting=self.greeting,
            dispatch=dispatch,
            showing=self._showing,
            lifetime=self._lifetime,
        )

    def _heard(self, link: WorkerLink, said: Sequence[WorkerMessage]) -> None:
        self.look_at_clock()
        self.feeder.heard(self.sessions.get, link, said)

    def look_at_clock(self) -> None:
        """Have all times of day that are held go along with a clock that was set."""
        if not (seconds := self._clock.look()):
            return
        _log.warning("the system's clock was set by %.1f s", seconds)
        self._lifetime.started_at += seconds
        self.judges.move_times(seconds)
        self._alerts.sounding.move_times(seconds)
        for session in self.sessions.all:
            session.move_times(seconds)
            self._audience.publish(session)

    def _apply(self, before: Settings, now: Settings) -> None:
        if now.keep_transcripts is not before.keep_transcripts:
            self.transcripts.pass_over(self.sessions.all)
        self._screens.engine, self._screens.history = now.engine, now.history_lines
        self._screens.keeps_history = now.clear_keeps_lines
        for session in self.sessions.all:
            if session.run.screen is not None:
                session.run.screen.keep_history(now.clear_keeps_lines)
        self.judges.rules.apply(now)
        self._audience.speak(now.language)
