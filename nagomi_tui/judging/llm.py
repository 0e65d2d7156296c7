"""`python -m nagomi_tui.judging.llm`: asks a model once, in a process of its own.

Importing the client takes a second, and the answer cannot be trusted: in its own process neither
does harm. The question comes on stdin, the answer goes to stdout, each as one JSON object; the
starting process ends this one when it takes too long.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import anyio
import msgspec

from nagomi_tui.agent.providers.whole import TOO_LONG

if TYPE_CHECKING:
    from nagomi_tui.agent.providers.interface import Cause, ModelFault

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
_ENDINGS: Final = {"refusal": "the model refused", "max_tokens": "the answer is cut off"}


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
    asked = msgspec.json.decode(sys.stdin.buffer.read(), type=Asked)
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
    from nagomi_tui.agent.providers.choose import adapter
    from nagomi_tui.agent.providers.interface import ModelFault, ModelRequest
    from nagomi_tui.agent.providers.keys import NO_KEY, GivenKey

    model = adapter(asked.provider, asked.model, GivenKey(asked.key or NO_KEY), url=asked.url)
    said = {"role": "user", "content": asked.content}
    request = ModelRequest(system=asked.system, messages=[said], max_tokens=_TOKENS)
    try:
        answer = await model.ask_whole(request, seconds=asked.timeout)
    except ModelFault as fault:
        raise _Fault(_words(fault)) from fault
    finally:
        await model.close()
    if ending := _ENDINGS.get(answer.stop_reason):
        raise _Fault(ending)
    return answer.text


def _words(fault: ModelFault) -> str:
    """Say what went wrong; a server's own words may repeat what was sent."""
    if fault.status:
        return f"HTTP {fault.status}"
    return _KINDS.get(fault.kind) or _FAULTS.get(fault.cause, "no answer")


if __name__ == "__main__":
    sys.exit(main())
