"""Puts the parts of the orchestrator together; no other module knows all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from nagomi_tui import paths
from nagomi_tui.orchestrator.alerts.alerts import Alerts
from nagomi_tui.orchestrator.alerts.utterances import Utterances
from nagomi_tui.orchestrator.guard.callers import Callers
from nagomi_tui.orchestrator.guard.go_ahead import GoAhead
from nagomi_tui.orchestrator.guard.steering import Steering
from nagomi_tui.orchestrator.guard.strict import StrictMode
from nagomi_tui.orchestrator.guard.watch import GuardWatch
from nagomi_tui.orchestrator.history.transcripts import Transcripts
from nagomi_tui.orchestrator.input.answering import Answering
from nagomi_tui.orchestrator.input.asking import Asking
from nagomi_tui.orchestrator.input.sender import InputSender
from nagomi_tui.orchestrator.input.sending import Sending
from nagomi_tui.orchestrator.judging.advisor import Advisor
from nagomi_tui.orchestrator.judging.correcting import Correcting
from nagomi_tui.orchestrator.judging.hooks import Hooks
from nagomi_tui.orchestrator.judging.judges import Judges
from nagomi_tui.orchestrator.judging.misreading import Misreading
from nagomi_tui.orchestrator.judging.outcomes import Outcomes
from nagomi_tui.orchestrator.judging.phases import Phases
from nagomi_tui.orchestrator.judging.reasons import Reasons
from nagomi_tui.orchestrator.judging.rules import Rules
from nagomi_tui.orchestrator.judging.traces import Traces
from nagomi_tui.orchestrator.judging.turns import Turns
from nagomi_tui.orchestrator.lifecycle import program_folder
from nagomi_tui.orchestrator.lifecycle.acting import Acting
from nagomi_tui.orchestrator.lifecycle.adoption import Adoption, Rebuild
from nagomi_tui.orchestrator.lifecycle.creating import Creating
from nagomi_tui.orchestrator.lifecycle.environment import Surroundings
from nagomi_tui.orchestrator.lifecycle.joining import Joining
from nagomi_tui.orchestrator.lifecycle.launcher import Launcher
from nagomi_tui.orchestrator.lifecycle.orphans import Orphans
from nagomi_tui.orchestrator.lifecycle.probing import Probing
from nagomi_tui.orchestrator.lifecycle.recalling import Recalling
from nagomi_tui.orchestrator.lifecycle.recent import RecentCommands
from nagomi_tui.orchestrator.lifecycle.removing import Removing
from nagomi_tui.orchestrator.lifecycle.renaming import Renaming
from nagomi_tui.orchestrator.lifecycle.restarting import Restarting
from nagomi_tui.orchestrator.lifecycle.stopping import Stopping
from nagomi_tui.orchestrator.lifecycle.worker_events import WorkerEvents
from nagomi_tui.orchestrator.output.checkpoints import Checkpoints
from nagomi_tui.orchestrator.output.command_states import CommandStates
from nagomi_tui.orchestrator.output.drawing import Drawing
from nagomi_tui.orchestrator.output.feeder import Feeder
from nagomi_tui.orchestrator.output.intake import Intake
from nagomi_tui.orchestrator.output.rebuilding import Rebuilding
from nagomi_tui.orchestrator.resident.settings_watch import SettingsWatch
from nagomi_tui.orchestrator.runtime.alarms import Alarms
from nagomi_tui.orchestrator.runtime.crash_marker import FILE_NAME, CrashMarker
from nagomi_tui.orchestrator.runtime.current_settings import CurrentSettings
from nagomi_tui.orchestrator.runtime.throttle import Throttle
from nagomi_tui.orchestrator.server.absence import Absence
from nagomi_tui.orchestrator.server.agent import ResidentAgent
from nagomi_tui.orchestrator.server.agent_thoughts import AgentThoughts
from nagomi_tui.orchestrator.server.front_ends import FrontEnds
from nagomi_tui.orchestrator.server.greeting import Greeting
from nagomi_tui.orchestrator.server.handlers.guard import GuardRequests
from nagomi_tui.orchestrator.server.handlers.history import HistoryRequests
from nagomi_tui.orchestrator.server.handlers.judge import JudgeRequests
from nagomi_tui.orchestrator.server.handlers.programs import ProgramMessages
from nagomi_tui.orchestrator.server.handlers.sessions import SessionRequests
from nagomi_tui.orchestrator.server.handlers.talk import TalkRequests
from nagomi_tui.orchestrator.server.handlers.typing import TypingMessages
from nagomi_tui.orchestrator.server.handlers.viewing import ViewingMessages
from nagomi_tui.orchestrator.server.handlers.workplace import WorkplaceRequests
from nagomi_tui.orchestrator.server.lines import ClientLines
from nagomi_tui.orchestrator.server.origin import ClientOrigin
from nagomi_tui.orchestrator.server.requests import Requests
from nagomi_tui.orchestrator.server.settings_change import SettingsChange
from nagomi_tui.orchestrator.server.status import Status
from nagomi_tui.orchestrator.server.unanswered import UnansweredMessages
from nagomi_tui.orchestrator.server.welcome import WelcomeMaker
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.branch_watch import BranchWatch
from nagomi_tui.orchestrator.sessions.finder import SessionFinder
from nagomi_tui.orchestrator.sessions.publisher import Publisher
from nagomi_tui.orchestrator.sessions.store import Store
from nagomi_tui.orchestrator.sessions.table import SessionTable
from nagomi_tui.orchestrator.terminals.screens import ScreenMaker
from nagomi_tui.orchestrator.views.frame_scheduler import FrameScheduler
from nagomi_tui.orchestrator.views.session_views import SessionViews
from nagomi_tui.orchestrator.views.showing import Showing
from nagomi_tui.orchestrator.views.sizes import Sizes
from nagomi_tui.orchestrator.workers.pool import Workers

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

    from nagomi_tui.orchestrator.judging.judged import Judged
    from nagomi_tui.orchestrator.resident.heartbeat import Heartbeat
    from nagomi_tui.orchestrator.runtime.lifetime import Lifetime
    from nagomi_tui.orchestrator.server.client import Client
    from nagomi_tui.orchestrator.sessions.finished_turn import TurnListener
    from nagomi_tui.orchestrator.sessions.roles import Named
    from nagomi_tui.settings.model import Settings


class Part(Protocol):
    """A part that runs for as long as the orchestrator does."""

    async def run(self) -> None:
        """Run for ever."""


class Composition:
    """Every part, made with what it needs; attributes are what `Orchestrator` runs and asks."""

    def __init__(self, tasks: TaskGroup, lifetime: Lifetime, heartbeat: Heartbeat) -> None:
        state = paths.make_private(paths.state_folder())
        self.settings = settings = CurrentSettings()
        self.alarms = alarms = Alarms()
        self.marker = CrashMarker(state / FILE_NAME)
        throttle = Throttle(alarms)

        clients: set[Client] = set()
        self._audience = audience = Audience(clients)
        self.store = store = Store(state / "sessions.db", on_fault=audience.tell_fault)
        publisher = Publisher(audience.broadcast, store, throttle)
        self.sessions = sessions = SessionTable(store, publisher)
        self.recent = recent = RecentCommands(store)
        views = SessionViews()
        self.branches = BranchWatch(sessions, publisher.publish, views.is_shown)
        strict = StrictMode(settings, audience.tell)
        self.guard = guard = GuardWatch(lambda: sessions.all, publisher.publish_soon, strict.follow)
        self.settings_watch = SettingsWatch(settings, audience)

        turn_listeners: list[TurnListener] = []
        self._screens = screens = ScreenMaker(self.marker)
        scheduler = FrameScheduler(views)
        self.transcripts = transcripts = Transcripts(
            paths.history_file(), settings, on_fault=audience.tell_fault
        )
        traces = Traces(alarms, audience.tell)
        judged: dict[Named, Judged] = {}
        phases = Phases(
            judged,
            settings,
            publisher.publish_soon,
            alarms,
            is_focused=audience.is_focused,
        )
        self.rules = rules = Rules(judged, settings, audience.tell)
        turns = Turns(settings, throttle, turn_listeners)
        misreading = Misreading(settings, audience.tell, traces)
        outcomes = Outcomes(judged, phases, turns, publisher, traces, misreading)
        judges = Judges(judged, rules, outcomes, phases=phases, alarms=alarms, traces=traces)
        advisor = Advisor(settings, audience, publisher, judged)
        alerts = Alerts(settings, audience, sessions.get, alarms=alarms, store=store)
        turn_listeners += [
            audience.turn_over,
            alerts.turn_over,
            transcripts.turn_over,
            advisor.turn_over,
        ]
        settings.on_change = self._apply

        self.checkpoints = checkpoints = Checkpoints(alarms, screens, scheduler)
        rebuilding = Rebuilding(
            screens,
            checkpoints,
            judges,
            scheduler=scheduler,
            publisher=publisher,
            tell=audience.tell,
        )
        utterances = Utterances(
            audience.front_ends,
            publisher.publish_soon,
            throttle,
            phases,
            lets_ring=alerts.sounding.lets_ring,
        )
        drawing = Drawing(
            screens,
            rebuilding,
            judges,
            scheduler=scheduler,
            checkpoints=checkpoints,
            transcripts=transcripts,
            utterances=utterances,
        )
        states = CommandStates(
            audience.tell,
            publisher,
            judges,
            phases=phases,
            screens=screens,
            transcripts=transcripts,
            throttle=throttle,
        )
        self.feeder = feeder = Feeder(Intake(drawing, rebuilding, states, judges, strict).take)

        self.recalling = Recalling(sessions, audience.tell)
        orphans = Orphans(sessions, phases, publisher.publish, audience.tell)
        self.adoption = Adoption(
            sessions,
            Joining(traces, phases, publisher.publish),
            Rebuild(feeder, alarms),
            orphans=orphans,
            lifetime=lifetime,
            is_shown=views.is_shown,
        )
        events = WorkerEvents(sessions, feeder, self.adoption, orphans)
        self.workers = workers = Workers(tasks, events)
        surroundings = Surroundings(paths.make_socket_folder(), program_folder.folder(state))
        sender = InputSender(alarms, judges, audience.tell)
        sizes = Sizes(views, scheduler, publisher.publish, transcripts=transcripts, traces=traces)
        showing = Showing(clients, views, scheduler, sizes=sizes, sender=sender, phases=phases)
        probing = Probing()
        launcher = Launcher(
            settings,
            workers,
            publisher.publish,
            surroundings=surroundings,
            probing=probing,
            strict=strict,
        )
        creating = Creating(
            settings, sessions, launcher, probing=probing, judges=judges, recent=recent
        )
        stopping = Stopping(judges)
        restarting = Restarting(
            stopping,
            launcher,
            publisher.publish,
            probing=probing,
            transcripts=transcripts,
            judges=judges,
            phases=phases,
        )

        agent = ResidentAgent(audience, heartbeat.want_agent)
        thoughts = AgentThoughts(sessions.get, audience, alerts=alerts, store=store)
        absence = Absence(store, thoughts)
        self.greeting = greeting = Greeting(
            WelcomeMaker(settings, lambda: sessions.infos, recent, absence),
            audience,
            absence,
            origin=ClientOrigin(surroundings, screens, sessions.screens),
            alerts=alerts,
            agent=agent,
            thoughts=thoughts,
        )
        status = Status(
            lifetime,
            sessions,
            audience.front_ends,
            workers=workers,
            supervisor_pid=lambda: heartbeat.supervisor_pid,
        )
        asking, reasons = Asking(judged), Reasons(judged)
        sending = Sending(sender, asking)
        callers = Callers(lambda: heartbeat.supervisor_pid)
        finder = SessionFinder(sessions, lifetime)
        requests = Requests(
            SessionRequests(
                sessions,
                finder,
                creating=creating,
                stopping=stopping,
                restarting=restarting,
                renaming=Renaming(sessions, publisher.publish, transcripts),
                removing=Removing(sessions, transcripts, showing=showing, judges=judges),
            ),
            TalkRequests(finder, sending=sending, sender=sender, feeder=feeder),
            HistoryRequests(finder),
            JudgeRequests(
                finder,
                reasons,
                answering=Answering(sender, asking, reasons),
                acting=Acting(sender, creating, asking),
                correcting=Correcting(judged, judges, traces),
                advisor=advisor,
                traces=traces,
            ),
            WorkplaceRequests(
                SettingsChange(settings, audience.broadcast),
                audience,
                lifetime=lifetime,
                status=status,
                alerts=alerts,
                agent=agent,
            ),
            GuardRequests(
                finder,
                Steering(guard),
                callers=callers,
                go_ahead=GoAhead(sending, asking),
            ),
        )
        unanswered = UnansweredMessages(
            TypingMessages(sessions.get, showing, sender),
            ViewingMessages(sessions.get, showing, alerts.notifying.seen),
            ProgramMessages(
                greeting,
                Hooks(sessions, publisher.keep, judges),
                guard,
                agent=agent,
                thoughts=thoughts,
            ),
        )
        self.front_ends = FrontEnds(
            clients,
            audience,
            greeting=greeting,
            lines=ClientLines(requests, unanswered, throttle),
            showing=showing,
            lifetime=lifetime,
        )
        self.at_once: tuple[Part, ...] = (
            heartbeat, alarms, feeder, scheduler, store, transcripts, advisor, alerts, agent,
        )  # fmt: skip
        """Parts that run from the beginning, before settings and sessions are known."""

    def _apply(self, before: Settings, now: Settings) -> None:
        if now.keep_transcripts is not before.keep_transcripts:
            self.transcripts.pass_over(self.sessions.all)
        self._screens.engine, self._screens.history = now.engine, now.history_lines
        self.rules.apply(now)
        self._audience.speak(now.language)
