"""Why a model's server gave no answer, and which requests are tried again."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from email.utils import parsedate_to_datetime
from typing import Any, Final

import anyio

from nagomi_tui.agent.providers import interface as llm
from nagomi_tui.text.patterns import lazy
from nagomi_tui.text.words import Words, translatable

_MESSAGE_LIMIT: Final = 400

_KINDS: Final[dict[str, llm.Cause]] = {
    "authentication_error": "key",
    "invalid_api_key": "key",
    "rate_limit_error": "rate",
    "rate_limit_exceeded": "rate",
    "overloaded_error": "overloaded",
    "api_error": "overloaded",
    "server_error": "overloaded",
    "unavailable_error": "overloaded",
    "timeout_error": "late",
    "permission_error": "refused",
    "not_found_error": "refused",
    "billing_error": "refused",
    "insufficient_quota": "refused",
}
"""Causes by the server's error type; `insufficient_quota` comes with 429, but no retry helps."""

_STATUSES: Final[dict[int, llm.Cause]] = {
    401: "key", 408: "late", 409: "overloaded", 425: "overloaded", 429: "rate", 504: "late",
}  # fmt: skip

_TRANSPORT: Final[dict[str, llm.Cause]] = {
    "ConnectError": "offline",
    "ConnectTimeout": "offline",
    "TimeoutException": "late",
    "TransportError": "broken",
    "DecodingError": "garbled",
}
"""Causes by the class names of HTTP client errors, as SDK versions use different HTTP clients."""


def cause_of(status: int, kind: str, *messages: str, kinds: Sequence[str] = ()) -> llm.Cause:
    """Return why a server gave no answer, from its status, its messages, and the error's type.

    `kinds` are further names that the server gives the error.
    """
    if says_too_long(status, [kind, *kinds], messages):
        return "overflow"
    if (cause := _KINDS.get(kind)) is not None:
        return cause
    if (cause := _STATUSES.get(status)) is not None:
        return cause
    if status >= 500:
        return "overloaded"
    return "refused" if status >= 400 else "other"


def fault_of(exc: Exception, key: str) -> llm.ModelFault:
    """Return the fault for an error of an SDK, or of a layer below it.

    The fault's message has neither the key nor control characters in it.
    """
    if isinstance(exc, llm.ModelFault):
        return exc
    if (status := getattr(exc, "status_code", None)) is not None or hasattr(exc, "body"):
        told = _told(exc, status or 0, key)
        if told is not None:
            return told
    names = _names(exc)
    if cause := next((_TRANSPORT[name] for name in names if name in _TRANSPORT), None):
        return llm.ModelFault(cause, shown(str(exc), key))
    if "APIConnectionError" in names:
        return llm.ModelFault("offline", shown(str(exc), key))
    return llm.ModelFault("garbled", shown(f"{type(exc).__name__}: {exc}", key))


def _told(exc: Any, status: int, key: str) -> llm.ModelFault | None:
    """Return the fault that the server reported; None if the server was not reached."""
    body = getattr(exc, "body", None)
    if status == 0 and not isinstance(body, dict):
        return None
    kinds = [said for name, said in _sayings(body) if name in _KIND_NAMES]
    texts = [said for name, said in _sayings(body) if name in _TEXT_NAMES]
    kind = next((one for name in ("code", "type") for one in _named(body, name)), "")
    message = (texts or [str(body or exc)])[0]
    # A gateway's own message may say nothing, and hold that of the server behind it.
    cause = cause_of(status, kind or next(iter(kinds), ""), *(texts or [message]), kinds=kinds)
    return llm.ModelFault(
        cause, shown(message, key), status=status, kind=kind, retry_after=_wait_of(exc)
    )


_KIND_NAMES: Final = frozenset(["code", "type", "status", "error_type", "__type", "reason", "name"])
_TEXT_NAMES: Final = frozenset(
    ["message", "msg", "error", "detail", "details", "description", "title", "raw", "errors", ""]
)
"""Fields that hold a server's own words; others may repeat what was sent to it."""
_DEEPEST: Final = 6


def _sayings(body: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield the texts in an error's body with their fields' names, JSON within texts included."""
    if depth > _DEEPEST:
        return
    if isinstance(body, dict):
        for key, value in body.items():
            yield from _sayings(value, str(key), depth + 1)
    elif isinstance(body, list):
        for value in body[:20]:
            yield from _sayings(value, name, depth + 1)
    elif isinstance(body, str) and body and not body.isdigit():
        inner = _json(body) if name in _TEXT_NAMES else None
        if inner is None:
            yield name, body
        else:
            yield from _sayings(inner, name, depth + 1)


def _json(text: str) -> Any:
    """Return the object or list in a JSON text; None for any other text."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _named(body: Any, name: str) -> Iterator[str]:
    """Yield the error's own names of one kind, without those of what stands around it."""
    error = body.get("error", body) if isinstance(body, dict) else {}
    found = error.get(name) if isinstance(error, dict) else None
    if isinstance(found, str) and found and not found.isdigit():
        yield found


def _names(exc: BaseException | None) -> list[str]:
    """Return the class names of an error, its base classes and the errors that caused it."""
    found: list[str] = []
    for _ in range(8):
        if exc is None:
            break
        found += [kind.__name__ for kind in type(exc).__mro__]
        exc = exc.__cause__
    return found


def _wait_of(exc: Any) -> float | None:
    """Return the server's `Retry-After` in seconds, also where it is a date; None without one."""
    headers = getattr(getattr(exc, "response", None), "headers", {})
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    return _until(headers.get("retry-after", ""), headers.get("date", ""))


def _until(then: str, now: str) -> float | None:
    """Return the seconds between two dates of the server, whose clock may differ from ours."""
    try:
        return max(0.0, (parsedate_to_datetime(then) - parsedate_to_datetime(now)).total_seconds())
    except (TypeError, ValueError):
        return None


def shown(text: str, key: str = "") -> str:
    """Return a server's message for display: without the key, on one line, and shortened."""
    text = text.replace(key, "•••") if key else text
    text = "".join(char if char.isprintable() else " " for char in text).strip()
    return text if len(text) <= _MESSAGE_LIMIT else text[:_MESSAGE_LIMIT] + "…"


_WHY: Final[dict[str, str]] = {
    "rate": translatable("the server takes no more requests for now"),
    "overloaded": translatable("the server is overloaded or down"),
    "offline": translatable("the server cannot be reached"),
    "broken": translatable("the connection broke"),
    "key": translatable("no key that the server takes"),
    "late": translatable("the model did not answer in time"),
    "overflow": translatable("too long for the model"),
}
_NO_ANSWER: Final = translatable("the model gave no answer")


def reason_of(cause: str, words: Words) -> str:
    """Return a few words on why there was no answer; `cause` is a `Cause`."""
    return words.gettext(_WHY.get(cause, _NO_ANSWER))


AGAIN: Final[frozenset[llm.Cause]] = frozenset({"rate", "overloaded", "offline", "broken"})
WAITS: Final = (1.0, 3.0, 9.0)
"""Seconds before each retry, if the server names none."""
LONGEST: Final = 60.0
"""Seconds. If the server names a longer wait, there is no retry: the user decides."""
LONGEST_UNSEEN: Final = 10.0
"""Seconds of the longest wait where nobody sees it: of questions, and of what the loop asks."""


class ProviderAround:
    """A provider that adds something to the requests of another one."""

    def __init__(self, provider: llm.Provider) -> None:
        self._provider = provider

    @property
    def model(self) -> str:
        """The model's name."""
        return self._provider.model

    async def count(self, request: llm.ModelRequest) -> int | None:
        """Return how many tokens a request has; None if the server cannot tell."""
        return await self._provider.count(request)

    async def window(self) -> int | None:
        """Return the most tokens of a request by the server's own account; None without one."""
        return await self._provider.window()

    async def close(self) -> None:
        """Close the connections to the server."""
        await self._provider.close()


class Retrying(ProviderAround):
    """A provider whose requests are retried, unless a part of the answer was already delivered."""

    async def ask(self, request: llm.ModelRequest) -> AsyncGenerator[llm.ModelEvent]:
        """Stream an answer; the last event is `Answered`. Before each retry comes a `Progress`.

        Raises:
            ModelFault: there is no answer, or it broke off.
        """
        for own_wait in (*WAITS, None):
            begun = False
            try:
                async with aclosing(self._provider.ask(request)) as events:
                    async for event in events:
                        begun = True
                        yield event
                return
            except llm.ModelFault as fault:
                unseen = request.route in ("ask", "loop")
                wait = _wait(fault, own_wait, LONGEST_UNSEEN if unseen else LONGEST)
                if begun or wait is None:
                    raise
                caught = fault
            yield llm.Progress(kind="retry", seconds=wait, cause=caught.cause)
            await anyio.sleep(wait)


def _wait(fault: llm.ModelFault, own: float | None, longest: float) -> float | None:
    """Return the seconds before the next retry; None for no retry."""
    if own is None or fault.cause not in AGAIN:
        return None
    wait = own if fault.retry_after is None else fault.retry_after
    return wait if 0 <= wait <= longest else None


# --- whether a request is too long for the model (S-20, SB-8)

# Servers use one HTTP status for everything they refuse, and each has words of its own, so what is
# read is how a sentence is built: something of the request (a prompt, an input, the context) is more
# than some limit. The single words occur in many other errors: a limit of tokens per minute, an answer
# that was asked to be too long, a tool's name of too many characters, a token that has expired.
_NEVER: Final = frozenset({401, 402, 403, 404, 408, 409, 429})
_TOO_LARGE: Final = 413
_LONGEST: Final = 4000
"""Characters of a text that are read; what is wrong is said at the beginning."""

_NOISE: Final = lazy(
    r"https?://\S+"
    r"|\(?\b(?:request|trace|log)[\s_-]?id\b[^)\n]*\)?"
    r"|\b(?:auth\w*|access|bearer|api|refresh|jwt|csrf|id|security|session)[\s_-]tokens?\b"
    r"|(?<=\d)[,_](?=\d{3})"
)
"""What looks like a limit or a token and is none; and the separators within numbers."""
_QUOTES: Final = str.maketrans("", "", "`'\"*")
_SENTENCE: Final = lazy(r"(?<=[.;!?。])\s+|\n+")

_OTHER_LIMIT: Final = lazy(
    r"rate[\s_-]?limit|\brate exceeded|\btoday\b|\bresets? (?:in|at)\b|in the last \d|\bper[\s_-]?(?:second|sec|minute|min|hour|day|week|month|user)\b"
    r"|/\s?(?:sec|min|minute|hour|day|month)\b|\b[tr]p[smhd]\b|\bqps\b|\bquota|throttl"
    r"|too many (?:concurrent )?requests|concurren|\bcredits?\b|balance|billing|payment"
    r"|deadline|tim(?:e|ed)[\s-]?out|expired|unauthori[sz]ed|please wait|\bwait (?:before|for|a)\b"
    r"|retry[\s-]?after|(?:re)?try(?:ing)?(?: again)? (?:in \d|later)|overloaded|(?:at|over|insufficient) capacity"
    r"|high (?:demand|load|traffic)|usage limit|\b(?:hourly|daily|weekly|monthly)\b"
    r"|(?:out of|more|system|gpu|host|enough) memory|vram|safety|moderation|\bpolicy|flagged|blocked|harmful"
    r"|频率|限流|余额|速率|レート制限"
)
"""A limit of something else: requests or tokens in a time, money, memory, what may be said."""

_MORE: Final = (
    r"(?:exceed\w*|surpass\w*|overflow\w*|over the|too (?:long|large|big|many|high|much)"
    r"|(?:long|larg|great|bigg|high)er than|more (?:\w+ )?than|above|beyond|past the"
    r"|outside (?:of )?the|out of (?:context|range|room|space)|\bnot fit|n.?t fit|no longer fits?"
    r"|(?:was|is|been|limit) (?:reached|hit|full)|reached (?:the|its)|exhausted|used up|(?:long|larg|bigg)er (?:context|window)|r[au]n out of|violat\w*"
    r"|insufficient|not enough"
    r"|(?:must|should|can|may|cannot|can ?not|could)\b[^.;]{0,25}?(?:at most|no more|less|fewer|smaller|shorter"
    r"|under|below|within|up to|between|<|≤|\[)|expected max\w*"
    r"|supports? (?:only|at most|up to|a max)|only supports?|(?:allows?|accepts?) (?:only|at most|up to)"
    r"|(?:reduce|shorten|trim|decrease|shrink) (?:the |your )?"
    r"(?:\w+ ){0,2}?(?:length|size|number|amount|prompts?|inputs?|context|messages|conversation|history|tokens?)"
    r"|\bmax(?:imum)?\b[^.;]{0,40}?(?:\bis|\bare|\bof|=|:|allowed)\s*:?\s*\d"
    r"|\bsize limit\b|[\w)]\s*>=?\s*(?:\d|n_ctx|max_)|超|过长|過長|長すぎ|초과|너무)"
)
_ROOM: Final = (
    r"(?:context[\s_-]*(?:window|length|size|limit|capacity|budget|len\b)"
    r"|(?:max|maximum)[\s_-]*(?:model|seq|sequence|input|prompt|context|messages?|requests?)[\s_-]*(?:len|length|size|tokens?)\b"
    r"|\bn_ctx\b|\bkv[\s_-]?cache\b|\bmodels? window\b|上下文|コンテキスト|컨텍스트)"
)
"""Names of the model's room: with more than that, nothing is unclear."""
_CONTEXT: Final = lazy(
    r"(?:exceed\w*|too (?:long|large|big) for|overflow\w*|longer than|larger than|greater than|out of|"
    r"fit (?:in|into|within)|beyond)[^.;]{0,40}\bcontext\b"
    r"|(?:longer|larger|bigger) context\b|\bcontext\b[^.;]{0,25}(?:exceed\w*|overflow\w*|exhausted|\bfull\b|too (?:long|large|big))"
)
_INPUT: Final = lazy(
    r"(?<![a-z_])(?:inputs?|prompts?|messages|message|conversation|history|context|total|chat|query"
    r"|request(?:ed)?|payload|body|sequence|text|content|model token|(?:input|prompt|total)_tokens)(?![a-z_])"
    r"|提示|输入|入力|消息|メッセージ|プロンプト|입력|프롬프트"
)
_MEASURE: Final = lazy(
    r"token|length|\blong|\bsize|character|\bchars?\b|bytes|\blimit|max|context|large|big|much"
    r"|长度|长|字符|長|文字|토큰|길이"
)
_TOKENS: Final = lazy(r"(?<![\w.])tokens?\b")
_LIMIT: Final = lazy(r"\d|limit|max|model")
_MUCH: Final = lazy(_MORE)
_ROOMS: Final = lazy(_ROOM)

_ANSWER: Final = lazy(
    r"\bmax_(?!input|prompt|context|seq|total|model)(?:\w+_)?tokens|max_?output_?tokens|maxtokens|(?:output|completion|generated|response|answer|reply)"
    r"[\s_-](?:tokens?|length|size)|maximum tokens? (?:you|value|to generate)|new tokens"
)
_ASKED: Final = lazy(
    r"\b(?:inputs?|prompts?|messages|history|conversation|input_tokens|prompt_tokens|total)\b"
    r"|\bin the messages|context (?:limit|length|window) (?:exceeded|of|is|\()|this model context|exceeded? (?:this|the) model"
)
"""Beside the answer's length, something of the request, or the room of both."""
_ELSE: Final = lazy(
    r"\btool\w*|\bfunction\w*|schema|\bname\b|\w+_(?:id|key|name)\b|metadata|header|cookie|\bur[il]s?\b"
    r"|image|pixel|audio|video|\bfiles?\b|attachment|\bpdf|\bpages?\b|\bstop\b|stop_sequence|embedding"
    r"|batch|temperature|top_[pk]|penalty|logit|budget_tokens|thinking|nesting|depth|cache_control"
    r"|breakpoint|dimension|vocab|enum\b|disk|allowance|\byour (?:\w+ )?(?:plan|account|organi[sz]ation|tier|project|key)\b|exceeded your|upgrade"
)
"""Something else that can be too long or too many."""


def says_too_long(status: int, kinds: Iterable[str], texts: Iterable[str]) -> bool:
    """Tell whether a server's error says that the request does not fit into the model's context.

    `kinds` are the error's types and codes, `texts` what it says in words.
    """
    named = [_words_of(kind) for kind in kinds]
    said = [_plain(text) for text in texts]
    if status in _NEVER or any(words & _OTHER_KINDS for words in named):
        return False
    if any(_OTHER_LIMIT.search(text) for text in said):
        return False
    if any(_is_kind(words, status) for words in named):
        return True
    sentences = [part for text in said for part in _SENTENCE.split(text) if part]
    if any(map(_is_too_long, sentences)) or any(map(_counts_too_many, said)):
        return True
    return status == _TOO_LARGE and not any(map(_ELSE.search, said))


_OTHER_KINDS: Final = frozenset([
    "rate", "ratelimit", "quota", "throttling", "throttled", "throttle", "billing",
    "authentication", "permission", "timeout", "deadline", "output", "unauthorized", "forbidden"
])  # fmt: skip
_ROOM_KINDS: Final = frozenset(["context", "prompt", "input", "window", "conversation", "ctx"])
_MORE_KINDS: Final = frozenset(
    ["exceed", "exceeded", "exceeds", "overflow", "overflowed", "long", "large", "full", "above"]
)
_WHOLE_KINDS: Final = frozenset(
    ["request", "payload", "entity", "content", "body", "message", "messages"]
)


def _is_kind(words: frozenset[str], status: int) -> bool:
    """Tell whether an error's type or code, as words, names an overflow."""
    if words & _ROOM_KINDS and words & _MORE_KINDS:
        return True
    if words & _WHOLE_KINDS and "too" in words and words & _MORE_KINDS:
        return True
    tokens = words & {"token", "tokens"} and (words & _MORE_KINDS or {"limit", "reached"} <= words)
    return bool(tokens) and status in (0, 200, 400, _TOO_LARGE, 422)


def _words_of(kind: str) -> frozenset[str]:
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind)
    return frozenset(re.findall(r"[a-z]+", apart.lower()))


def _plain(text: str) -> str:
    """Return a text in lower case, without quotes, addresses and what only looks like a limit."""
    return _NOISE.sub("", text[:_LONGEST].lower().replace("’", "'")).translate(_QUOTES)


def _counts_too_many(text: str) -> bool:
    """Tell whether a text compares a number of tokens with one that is about as large, in any words.

    A negative number of tokens for the answer says the same: so many are missing.
    """
    if _MISSING.search(text):
        return True
    counts = {int(found) for found in _COUNT.findall(text)}
    return (
        len(counts) > 1
        and _ANY_TOKENS.search(text) is not None
        and not any(other.search(text) for other in (_ELSE, _LEAST))
        and (not _ANSWER.search(text) or _ASKED.search(text) is not None)
    )


_MISSING: Final = lazy(r"\bmax_?\w*tokens?\b[^.;]{0,60}(?<![\w.])-\d")
_COUNT: Final = lazy(r"(?<![\w.$-])\d{3,8}(?![\w%]|\.\d)")
_ANY_TOKENS: Final = lazy(
    r"(?<![a-z])(?:tokens|token[ _-](?:count|limit|length|number))(?![a-z])|токен|トークン|토큰|jetons?\b|词元"
)
_LEAST: Final = lazy(r"\bat least\b|\bminimum\b|\bfewer than the\b|\btoo (?:few|short|small)\b")


def _is_too_long(sentence: str) -> bool:
    if any(
        _is_kind(_words_of(word), 400)
        for word in re.findall(r"\b\w*(?:exceeded|too_l)\w*", sentence)
    ):
        return True
    if not _MUCH.search(sentence):
        return False
    if _ANSWER.search(sentence) and not _ASKED.search(sentence):
        return False
    if _CONTEXT.search(sentence) or _ROOMS.search(sentence):
        return True
    if _ELSE.search(sentence):
        return False
    if _INPUT.search(sentence):
        return _MEASURE.search(sentence) is not None
    return _TOKENS.search(sentence) is not None and _LIMIT.search(sentence) is not None
