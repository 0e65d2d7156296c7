"""Where a session runs: in a worker of this machine, or on a hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.words import translatable
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nagomi_tui.hands.hand import Hand
    from nagomi_tui.orchestrator.hands.reaching import FarWorkers
    from nagomi_tui.orchestrator.sessions.roles import Managed
    from nagomi_tui.orchestrator.workers.link import WorkerLink
    from nagomi_tui.orchestrator.workers.pool import Workers

_CAPABILITY: Final = "inherit"


class FarEnvironment(Protocol):
    """What sessions on hands get beside the environment there."""

    def far_env(self, passed: Mapping[str, str], added: Mapping[str, str]) -> dict[str, str]:
        """Return it, with the variables that the hand names and those that were asked for."""


class Placing:
    """Chooses the worker of a session, and words what one on a hand is told."""

    def __init__(self, workers: Workers, hands: FarWorkers, surroundings: FarEnvironment) -> None:
        self._workers = workers
        self._hands = hands
        self._surroundings = surroundings

    async def hand(self, name: str) -> Hand:
        """Return the hand of this name.

        Raises:
            Refusal: there is none; the sentence names the nearest.
        """
        return await self._hands.hand(name)

    async def choose(self, session: Managed, size: int, *, able: str = "") -> WorkerLink:
        """Return the worker that gets a session, with `size` workers of this machine.

        One of this machine has the capability `able`, where it can have that.

        Raises:
            Refusal: none can be started, or reached.
        """
        if session.info.is_local:
            return await self._workers.choose(size, able=able)
        return await self._hands.reach(session.info.worker_id)

    async def far_order(
        self,
        session: Managed,
        env: Mapping[str, str],
        added: Mapping[str, str],
        cmd: str,
        *,
        marks: bool,
    ) -> protocol.StartSession:
        """Return the order to start `cmd` on the session's hand, which must be there.

        With `marks` a shell marks its prompts and commands. Of the environment `env` of whoever asks it gets what the hand names, and `added`.

        Raises:
            Refusal: the hand cannot be reached, is of an older version, or is full.
        """
        hand = await self.hand(session.info.worker_id)
        link = await self._hands.reach(hand.name)
        if _CAPABILITY not in link.capabilities:
            sentence = translatable(
                "The worker on {name} is of an older version; upgrade it there."
            )
            raise Refusal("refused", sentence, name=hand.name)
        if hand.most and len(link.sessions - {session.session_id}) >= hand.most:
            sentence = translatable("{name} holds {most} sessions, and may not hold more.")
            raise Refusal("refused", sentence, name=hand.name, most=hand.most)
        return protocol.StartSession(
            session_id=session.session_id,
            cmd=cmd,
            cwd=session.info.cwd,
            env=self._surroundings.far_env(
                {name: env[name] for name in hand.env if name in env}, added
            ),
            cols=session.info.cols,
            rows=session.info.rows,
            inherit=True,
            marks=marks,
        )
