"""`python -m nagomi_tui.judging.llm`: asks a model once, in a process of its own.

Importing the client takes a second, and the answer cannot be trusted: in its own process neither
does harm. The question comes on stdin, the answer goes to stdout, each as one JSON object; the
starting process ends this one when it takes too long.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

PUBLIC_URL: Final = "https://api.anthropic.com"
BODY_LIMIT: Final = 1024 * 1024
"""Most bytes of a response's body."""
_TOKENS: Final = 2000


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One question; times are in seconds."""

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


class _Block(msgspec.Struct):
    type: str
    text: str = ""


class _Message(msgspec.Struct):
    content: list[_Block]
    stop_reason: str | None = None


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
    import anthropic

    # A key must not follow a redirection to somebody else.
    transport = anthropic.DefaultHttpxClient(follow_redirects=False)
    client = anthropic.Anthropic(
        api_key=asked.key or "none",
        base_url=asked.url or PUBLIC_URL,
        timeout=asked.timeout,
        max_retries=0,
        http_client=transport,
    )
    try:
        with client.messages.with_streaming_response.create(
            model=asked.model,
            max_tokens=_TOKENS,
            system=asked.system,
            messages=[{"role": "user", "content": asked.content}],
        ) as response:
            return _text(_body(response.iter_bytes()))
    except anthropic.APIStatusError as exc:
        raise _Fault(f"HTTP {exc.status_code}") from exc
    except anthropic.APITimeoutError as exc:
        raise _Fault("no answer in time") from exc
    except anthropic.APIConnectionError as exc:
        raise _Fault("no connection") from exc
    except anthropic.AnthropicError as exc:
        raise _Fault(type(exc).__name__) from exc


def _body(pieces: Iterable[bytes]) -> bytes:
    body = b""
    for piece in pieces:
        body += piece
        if len(body) > BODY_LIMIT:
            raise _Fault("the answer is too long")
    return body


def _text(body: bytes) -> str:
    try:
        message: Any = msgspec.json.decode(body, type=_Message)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as exc:
        raise _Fault("the answer is garbled") from exc
    if message.stop_reason == "refusal":
        raise _Fault("the model refused")
    if message.stop_reason == "max_tokens":
        raise _Fault("the answer is cut off")
    return "".join(block.text for block in message.content if block.type == "text")


if __name__ == "__main__":
    sys.exit(main())
