"""Recognises the errors that say that a request is too long for the model (S-20, SB-8).

Servers use one HTTP status for everything they refuse, and each has words of its own, so what is read
is how a sentence is built: something of the request (a prompt, an input, the context) is more than
some limit. The single words occur in many other errors: a limit of tokens per minute, an answer that
was asked to be too long, a tool's name of too many characters, a token that has expired.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_NEVER: Final = frozenset({401, 402, 403, 404, 408, 409, 429})
_TOO_LARGE: Final = 413
_LONGEST: Final = 4000
"""Characters of a text that are read; what is wrong is said at the beginning."""

_NOISE: Final = re.compile(
    r"https?://\S+"
    r"|\(?\b(?:request|trace|log)[\s_-]?id\b[^)\n]*\)?"
    r"|\b(?:auth\w*|access|bearer|api|refresh|jwt|csrf|id|security|session)[\s_-]tokens?\b"
    r"|(?<=\d)[,_](?=\d{3})"
)
"""What looks like a limit or a token and is none; and the separators within numbers."""
_QUOTES: Final = str.maketrans("", "", "`'\"*")
_SENTENCE: Final = re.compile(r"(?<=[.;!?。])\s+|\n+")

_OTHER_LIMIT: Final = re.compile(
    r"rate[\s_-]?limit|\bper[\s_-]?(?:second|sec|minute|min|hour|day|week|month|user)\b"
    r"|/\s?(?:sec|min|minute|hour|day|month)\b|\b[tr]p[smhd]\b|\bqps\b|\bquota|throttl"
    r"|too many (?:concurrent )?requests|concurren|\bcredits?\b|balance|billing|payment"
    r"|deadline|tim(?:e|ed)[\s-]?out|expired|unauthori[sz]ed|please wait|\bwait (?:before|for|a)\b"
    r"|retry[\s-]?after|try again (?:in \d|later)|overloaded|(?:at|over|insufficient) capacity"
    r"|high (?:demand|load|traffic)|usage limit|\b(?:hourly|daily|weekly|monthly)\b"
    r"|(?:out of|more|system|gpu|host|enough) memory|vram|safety|moderation|\bpolicy|flagged|blocked|harmful"
    r"|频率|限流|余额|速率|レート制限"
)
"""A limit of something else: requests or tokens in a time, money, memory, what may be said."""

_MORE: Final = (
    r"(?:exceed\w*|surpass\w*|overflow\w*|over the|too (?:long|large|big|many|high|much)"
    r"|(?:long|larg|great|bigg|high)er than|more (?:\w+ )?than|above|beyond|past the"
    r"|outside (?:of )?the|out of (?:context|range|room|space)|\bnot fit|n.?t fit|no longer fits?"
    r"|(?:was|is|been|limit) (?:reached|hit|full)|reached (?:the|its)|exhausted|r[au]n out of|violat\w*"
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
    r"|(?:max|maximum)[\s_-]*(?:model|seq|sequence|input|prompt|context)[\s_-]*(?:len|length|size|tokens?)\b"
    r"|\bn_ctx\b|上下文|コンテキスト|컨텍스트)"
)
"""Names of the model's room: with more than that, nothing is unclear."""
_CONTEXT: Final = re.compile(
    r"(?:exceed\w*|too (?:long|large|big) for|overflow\w*|longer than|larger than|greater than|out of|"
    r"fit (?:in|into|within)|beyond)[^.;]{0,40}\bcontext\b"
    r"|\bcontext\b[^.;]{0,25}(?:exceed\w*|overflow\w*|exhausted|\bfull\b|too (?:long|large|big))"
)
_INPUT: Final = re.compile(
    r"(?<![a-z_])(?:inputs?|prompts?|messages|message|conversation|history|context|total|chat|query"
    r"|request(?:ed)?|payload|body|sequence|text|content|model token|(?:input|prompt|total)_tokens)(?![a-z_])"
    r"|提示|输入|入力|消息|メッセージ|プロンプト|입력|프롬프트"
)
_MEASURE: Final = re.compile(
    r"token|length|\blong|\bsize|character|\bchars?\b|bytes|\blimit|max|context|large|big|much"
    r"|长度|长|字符|長|文字|토큰|길이"
)
_TOKENS: Final = re.compile(r"(?<![\w.])tokens?\b")
_LIMIT: Final = re.compile(r"\d|limit|max|model")
_MUCH: Final = re.compile(_MORE)
_ROOMS: Final = re.compile(_ROOM)

_ANSWER: Final = re.compile(
    r"\bmax_(?:\w+_)?tokens|max_?output_?tokens|maxtokens|(?:output|completion|generated|response|answer|reply)"
    r"[\s_-](?:tokens?|length|size)|maximum tokens? (?:you|value|to generate)|new tokens"
)
_ASKED: Final = re.compile(
    r"\b(?:inputs?|prompts?|messages|history|conversation|input_tokens|prompt_tokens|total)\b"
    r"|\bin the messages|context (?:limit|length|window) (?:exceeded|of|is|\()|this model context|exceeded? (?:this|the) model"
)
"""Beside the answer's length, something of the request, or the room of both."""
_ELSE: Final = re.compile(
    r"\btool\w*|\bfunction\w*|schema|\bname\b|\w+_(?:id|key|name)\b|metadata|header|cookie|\bur[il]s?\b"
    r"|image|pixel|audio|video|\bfiles?\b|attachment|\bpdf|\bpages?\b|\bstop\b|stop_sequence|embedding"
    r"|batch|temperature|top_[pk]|penalty|logit|budget_tokens|thinking|nesting|depth|cache_control"
    r"|breakpoint|dimension|enum\b|disk|allowance|\byour (?:\w+ )?(?:plan|account|organi[sz]ation|tier|project|key)\b|exceeded your|upgrade"
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
    if any(map(_is_too_long, sentences)):
        return True
    return status == _TOO_LARGE and not any(map(_ELSE.search, said))


_OTHER_KINDS: Final = frozenset(
    [
        "rate",
        "ratelimit",
        "quota",
        "throttling",
        "throttled",
        "throttle",
        "billing",
        "authentication",
        "permission",
        "timeout",
        "deadline",
        "output",
        "unauthorized",
        "forbidden",
    ]
)
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
