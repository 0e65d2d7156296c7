"""`python -m nagomi_tui.agent.judge_question`: asks a model once, in a process of its own.

Importing the client takes a second, and the answer cannot be trusted: in its own process neither
does harm. The question comes on stdin, the answer goes to stdout, each as one JSON object; the
starting process ends this one when it takes too long.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from typing import Final

import anyio
import msgspec

from nagomi_tui.agent.providers.faults import ProviderAround
from nagomi_tui.agent.providers.interface import Cause, ModelEvent, ModelFault, ModelRequest
from nagomi_tui.agent.providers.stream import TOO_LONG, WHOLE, Adapter
from nagomi_tui.system.decoding import from_json

WRONG_KEY: Final = "HTTP 401"
"""The fault of a key that the server does not take."""
_TOKENS: Final = 2000
_FAULTS: Final[dict[Cause, str]] = {
    "late": "no answer in time",
    "offline": "no connection",
    "broken": "no connection",
    "garbled": "the answer is garbled",
}
_KINDS: Final = {TOO_LONG: "the answer is too long"}


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One question; times are in seconds."""

    provider: str = "anthropic"
    url: str
    model: str
    key: str
    timeout: float
    system: str
    content: str


class Answered(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The model's text, or a few words on why there is none."""

    text: str = ""
    fault: str = ""


class _Fault(Exception):
    """There is no answer; the message says why, and holds nothing of what was sent."""


def main() -> int:
    """Read the question, ask, write the answer."""
    asked = from_json(sys.stdin.buffer.read(), Asked)
    try:
        answered = Answered(text=ask(asked))
    except _Fault as exc:
        answered = Answered(fault=str(exc))
    sys.stdout.buffer.write(msgspec.json.encode(answered))
    return 0


def ask(asked: Asked) -> str:
    """Return the text of a model's answer.

    Raises:
        _Fault: it could not be had.
    """
    return anyio.run(_ask, asked)


async def _ask(asked: Asked) -> str:
    """Ask through the guard that all requests of the agent go through, too (F-15)."""
    from nagomi_tui.agent.context.window import guarded
    from nagomi_tui.agent.providers.choose import adapter
    from nagomi_tui.agent.providers.interface import Answered, ModelFault, ModelRequest, text_of
    from nagomi_tui.agent.providers.keys import NO_KEY, Key
    from nagomi_tui.agent.providers.models import model_of
    from nagomi_tui.judge.advice import fewer_lines

    model = adapter(asked.provider, asked.model, Key(asked.key or NO_KEY), url=asked.url)
    said = {"role": "user", "content": asked.content}
    request = ModelRequest(system=asked.system, messages=[said], max_tokens=_TOKENS)
    whole = _Whole(model, anyio.current_time() + asked.timeout)
    guard = guarded(whole, model_of(asked.model).limit, fewer_lines)
    try:
        (answer,) = [event async for event in guard.ask(request) if isinstance(event, Answered)]
    except ModelFault as fault:
        raise _Fault(_words(fault)) from fault
    finally:
        await model.close()
    if answer.stop_reason == "refusal":
        raise _Fault("the model refused")
    if answer.stop_reason not in (*WHOLE, ""):
        raise _Fault("the answer is cut off")
    return text_of(answer.content)


class _Whole(ProviderAround):
    """A provider whose answers come in one piece, all before one deadline."""

    def __init__(self, adapter: Adapter, deadline: float) -> None:
        super().__init__(adapter)
        self._adapter = adapter
        self._deadline = deadline

    async def ask(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield the answer as the only event.

        Raises:
            ModelFault: there is none, or none in time.
        """
        from nagomi_tui.agent.providers.interface import Answered, Usage

        left = max(0.0, self._deadline - anyio.current_time())
        answer = await self._adapter.ask_whole(request, seconds=left)
        yield Answered([{"type": "text", "text": answer.text}], answer.stop_reason, Usage())

    async def count(self, request: ModelRequest) -> int | None:
        """Tell nothing: a single question is worth no second request."""
        return None


def _words(fault: ModelFault) -> str:
    """Say what went wrong; a server's own words may repeat what was sent."""
    if fault.status:
        return f"HTTP {fault.status}"
    return _KINDS.get(fault.kind) or _FAULTS.get(fault.cause, "no answer")


if __name__ == "__main__":
    sys.exit(main())
