"""Runs next actions: at a shell's prompt, or in a new session in the same folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.api.messages import Acted
from nagomi_tui.core.judge.steps.risk import risk_of
from nagomi_tui.core.judge.verdict import Risk
from nagomi_tui.core.text.plain import visible
from nagomi_tui.orchestrator.lifecycle.spec import SessionSpec
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.input.asking import Asking
    from nagomi_tui.orchestrator.input.sender import InputSender
    from nagomi_tui.orchestrator.lifecycle.creating import Creating
    from nagomi_tui.orchestrator.runtime.requester import Requester
    from nagomi_tui.orchestrator.sessions.roles import Typable


class Acting:
    """Runs next steps for the user; the risk of each command is computed again."""

    def __init__(
        self,
        sender: InputSender,
        creating: Creating,
        asking: Asking,
    ) -> None:
        self._sender = sender
        self._asking = asking
        self._creating = creating

    async def act(
        self,
        who: Requester,
        session: Typable,
        command: str,
        *,
        sure: bool = False,
        anew: bool = False,
        only_here: bool = False,
    ) -> Acted:
        """Run a command at the shell's prompt, or `anew` in a session in the same folder.

        A session that has ended is followed by a new one, unless it may run `only_here`.

        Raises:
            Refusal: it is risky and the user is not `sure`, or a program is in front.
        """
        given, command = command, command.strip()
        if not command or not command.isprintable():
            sentence = translatable("This command cannot be run from here: {command}")
            raise Refusal("bad_request", sentence, command=visible(given))
        risk = risk_of(command)
        if risk is not Risk.LOW and not sure:
            sentence = translatable("`{command}` does more than read; it was not run.")
            raise Refusal("risky", sentence, command=visible(command))
        anew = anew or not (session.running or only_here)
        if not anew:
            await self._asking.look(session)
            if not self._asking.at_prompt(session):
                sentence = translatable(
                    "{name} is not at a shell's prompt; the command can run in a new session."
                )
                raise Refusal("busy", sentence, name=session.info.name)
            self._sender.send_text(who, session, command, enter=True)
            return Acted(session_id=session.session_id, risk=risk, new=False)
        made = await self._creating.create(
            who,
            SessionSpec(
                cmd=command,
                cwd=session.info.here,
                worker_id=session.info.worker_id,
                cols=session.info.cols,
                rows=session.info.rows,
            ),
        )
        return Acted(session_id=made.session_id, risk=risk, new=True)
