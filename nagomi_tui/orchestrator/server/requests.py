"""What each request of a client does, and what it is answered."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import anyio
import msgspec

from nagomi_tui import paths
from nagomi_tui.api import messages
from nagomi_tui.aside import Aside
from nagomi_tui.core.session.waiting import next_in_need
from nagomi_tui.orchestrator.judging import reasons
from nagomi_tui.orchestrator.lifecycle.spec import SessionSpec
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.orchestrator.sessions import reading, waiting
from nagomi_tui.settings import loading
from nagomi_tui.settings.checks import BadSetting, changed
from nagomi_tui.words import mark

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nagomi_tui.orchestrator.alerts.alerts import Alerts
    from nagomi_tui.orchestrator.input.answering import Answering
    from nagomi_tui.orchestrator.input.sender import Hands
    from nagomi_tui.orchestrator.input.sending import Sending
    from nagomi_tui.orchestrator.judging.advisor import Advisor
    from nagomi_tui.orchestrator.judging.correcting import Correcting
    from nagomi_tui.orchestrator.judging.judged import Judged
    from nagomi_tui.orchestrator.judging.traces import Traces
    from nagomi_tui.orchestrator.lifecycle.acting import Acting
    from nagomi_tui.orchestrator.lifecycle.life import Life
    from nagomi_tui.orchestrator.output.feeder import Feeder
    from nagomi_tui.orchestrator.runtime.current_settings import CurrentSettings
    from nagomi_tui.orchestrator.runtime.lifetime import Lifetime
    from nagomi_tui.orchestrator.server.client import Client
    from nagomi_tui.orchestrator.server.status import Status
    from nagomi_tui.orchestrator.sessions.audience import Audience
    from nagomi_tui.orchestrator.sessions.live import Live
    from nagomi_tui.orchestrator.sessions.table import SessionTable

_log = logging.getLogger(__name__)
Result = dict[str, Any]
_SAVE_SECONDS: Final = 10.0


class Requests:
    """Answers requests; each is answered once, a fault in our own code too."""

    def __init__(
        self,
        settings: CurrentSettings,
        audience: Audience,
        sessions: SessionTable,
        *,
        lifetime: Lifetime,
        status: Status,
        feeder: Feeder,
        life: Life,
        hands: Hands,
        judged: Mapping[Live, Judged],
        answering: Answering,
        sending: Sending,
        acting: Acting,
        correcting: Correcting,
        traces: Traces,
        advisor: Advisor,
        alerts: Alerts,
    ) -> None:
        self._current = settings
        self._audience = audience
        self._sessions = sessions
        self._lifetime = lifetime
        self._status = status
        self._judged = judged
        self._traces = traces
        self._advisor = advisor
        self._alerts = alerts
        self._feeder = feeder
        self._life = life
        self._hands = hands
        self._answering = answering
        self._sending = sending
        self._acting = acting
        self._correcting = correcting
        self._saving = anyio.Lock()
        self._aside = Aside()

    async def answer(self, client: Client, request: messages.Request[Any]) -> None:
        """Carry out a request and answer it."""
        try:
            result = await self._carry_out(client, request)
        except Refusal as exc:
            client.fail(request, exc)
        except Exception:
            _log.exception("a request failed: %s", type(request).__name__)
            sentence = mark("nagomi had a fault of its own; {log} says more.")
            client.fail(request, Refusal("internal", sentence, log=paths.log_file()))
        else:
            client.send(messages.Done(id=request.id, result=result))

    async def _carry_out(self, client: Client, request: messages.Request[Any]) -> Result:
        match request:
            case messages.Create():
                await self._lifetime.sessions_adopted.wait()
                return _named(await self._life.create(client.requester, _spec(request)))
            case messages.ListSessions():
                return {"sessions": [_plain(session) for session in self._sessions.infos]}
            case messages.NextWaiting():
                found = next_in_need(self._sessions.infos)
                return {"session": None if found is None else _plain(found)}
            case messages.Renumber():
                await self._lifetime.sessions_adopted.wait()
                self._sessions.renumber()
                return {}
            case messages.Status():
                return self._status.told()
            case messages.Settings():
                return await self._settings(request)
            case messages.Reload() | messages.Quit():
                self._lifetime.leave("reload" if isinstance(request, messages.Reload) else "quit")
                return {}
            case messages.DetachAll():
                self._audience.broadcast(messages.Goodbye(reason="detach"), front_ends=True)
                return {"front_ends": len(self._audience.front_ends)}
            case messages.Sound():
                return await self._sound(client, request)
            case messages.Ping():
                return {}
            case _:
                return await self._of_session(client, request)

    async def _of_session(self, client: Client, request: messages.Request[Any]) -> Result:
        await self._lifetime.sessions_adopted.wait()
        live = self._sessions.meant(getattr(request, "session", ""))
        who = client.requester
        match request:
            case messages.Find():
                return {**_named(live), "session": _plain(live.info)}
            case messages.Stop():
                await self._life.stop(live)
            case messages.Restart():
                resumed = await self._life.restart(who, live, request.cmd, fresh=request.fresh)
                return {**_named(live), "resumed": resumed}
            case messages.Remove():
                await self._life.remove(live, history=request.history)
            case messages.Rename():
                self._life.rename(live, request.name)
            case messages.Reorder():
                self._sessions.move(live, request.number)
            case messages.Capture():
                text = await reading.capture(
                    self._feeder, live, history=request.history, colored=request.ansi
                )
                return {**_named(live), "text": text}
            case messages.Search():
                return {
                    "matches": await reading.search(self._feeder, live, request.text, request.limit)
                }
            case messages.Lines():
                return await reading.lines(live, request.start, request.stop)
            case messages.Trace():
                return {**_named(live), **self._traces.switch(live, request.action)}
            case messages.AskJudge():
                return {**_named(live), **await self._advisor.ask(live)}
            case messages.Why():
                return reasons.why(live, self._judged.get(live), who.words)
            case messages.Wait():
                return await waiting.wait(
                    live,
                    request.until,
                    pattern=request.pattern,
                    silence=request.silence,
                    timeout=request.timeout,
                )
            case messages.Send():
                sent = await self._sending.send(
                    who, _typable(live), request.text, enter=request.enter, force=request.force
                )
                return {**_named(live), **sent}
            case messages.Asks():
                return {**_named(live), **await self._answering.asks(who, live)}
            case messages.Answer():
                return await self._answering.answer(
                    who, _typable(live), request.choice, question=request.question
                )
            case messages.Act():
                return await self._acting.act(
                    who, live, request.command, sure=request.sure, anew=request.anew
                )
            case messages.Correct():
                await self._correcting.correct(live, request.state)
            case messages.Keys():
                self._hands.press_named(who, _typable(live), request.keys)
            case _:
                raise Refusal("bad_request", mark("This nagomi does not know that request."))
        return _named(live)

    async def _sound(self, client: Client, request: messages.Sound) -> Result:
        return await self._alerts.sound(
            client.requester,
            request.do,
            kind=request.kind,
            seconds=request.seconds,
            session=client.focus.session_id if client.focus else "",
        )

    async def _settings(self, request: messages.Settings) -> Result:
        if request.values:
            async with self._saving:
                await self._save(request.values)
        return _plain(self._current())

    async def _save(self, values: dict[str, Any]) -> None:
        try:
            wanted = changed(self._current(), values)
            await self._aside.run(partial(loading.save, wanted), seconds=_SAVE_SECONDS)
        except BadSetting as exc:
            raise Refusal("bad_request", exc.message, **exc.values) from exc
        except OSError as exc:
            sentence = mark("The settings cannot be written: {reason}.")
            reason = exc.strerror or str(exc) or "their folder does not answer"
            raise Refusal("refused", sentence, reason=reason) from exc
        self._current.apply(wanted)
        self._audience.broadcast(messages.SettingsChanged(settings=_plain(wanted)))


def _typable(live: Live) -> Live:
    if not live.running:
        raise Refusal(
            "refused", mark("{name} has ended; nothing can be typed into it."), name=live.info.name
        )
    return live


def _spec(request: messages.Create) -> SessionSpec:
    return SessionSpec(
        cmd=request.cmd,
        cwd=request.cwd,
        env=request.env,
        name=request.name,
        agent=request.agent,
        character=request.character,
        worker_id=request.worker_id,
        cols=request.cols,
        rows=request.rows,
    )


def _named(live: Live) -> Result:
    return {"session_id": live.session_id, "number": live.info.number, "name": live.info.name}


def _plain(value: msgspec.Struct) -> Result:
    """Return all fields, those at their default too."""
    plain: Result = msgspec.to_builtins(msgspec.structs.asdict(value))
    return plain
