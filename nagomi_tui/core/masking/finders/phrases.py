"""Finds named secrets that no `=` or `:` joins to their name: tags, Dockerfiles, sentences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from nagomi_tui.core.masking.names import Holds, holds
from nagomi_tui.core.masking.plain import is_plain, is_said
from nagomi_tui.core.masking.values import Value, read_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.core.masking.spans import Span


class Phrase(NamedTuple):
    """A way to give a secret: a literal in it, what leads to the value, and where it is used.

    The lead has the name as its first group; a second group is the value where it stands within.
    """

    mark: str
    lead: re.Pattern[str]
    used: str
    said: bool = False
    """Running text: a plain word there is no secret."""
    sure: bool = False
    """What it leads to is a secret whatever the name says."""


PHRASES: Final = (
    Phrase(
        "</",
        re.compile(r"<([a-z][a-z0-9_:.\-]{1,60}+)(?: [^<>]{0,80})?>([^<>]{1,400})</"),
        "XML elements",
    ),
    Phrase(
        "</",
        re.compile(
            r"name=[\"']([a-z0-9_.:\-]{2,80}+)[\"'](?: [^<>]{0,80})?>(?:<value>)?([^<>]{1,400})</"
        ),
        "XML elements with the name as an attribute",
    ),
    Phrase(
        "value",
        re.compile(
            r"(?:key|name)[\"']?\s?[:=]\s?[\"']([a-z0-9_.\-]{2,60}+)[\"'][,;]?\s{0,4}"
            r"[\"']?value[\"']?\s?[:=]\s?"
        ),
        "XML attributes and JSON objects of a name and a value",
    ),
    Phrase(
        "env ",
        re.compile(r"(?:^|\s)env ([a-z][a-z0-9_]{2,60}+) (?=[^\s=])"),
        "Dockerfiles of old",
    ),
    Phrase(
        "set",
        re.compile(
            r"(?:config set|\bsetx|\bsetenv|\bset -g?x|\bset -xg) ([^\s=]{2,80}+)[ =](?=\S)"
        ),
        "npm and other configuration, fish, csh, Windows",
    ),
    Phrase(
        " is",
        re.compile(r"((?:pass(?:word|phrase|code)|pin code|secret|token)) is(?: now)?:? (?=\S)"),
        "sentences",
        said=True,
    ),
    Phrase(
        "pass",
        re.compile(
            r"(pass(?:word|phrase|code))(?: (?:is|was|has been))?(?: (?:now )?(?:generated|created|set))?"
            r" (?:for|of) [^:]{1,80}(?::|(?<= to)|(?<= is))\s{1,4}(?=\S)"
        ),
        "passwords for somebody",
        said=True,
    ),
    Phrase(
        "password",
        re.compile(
            r"(?:with|and|using|to|temporary|initial|generated)(?: the)? (password):? (?=\S)"
        ),
        "sentences that end in a password",
        said=True,
    ),
    Phrase(
        "password",
        re.compile(
            r"(password)(?: for \S{1,40})?(?: was| has been)? (?:set|changed|reset|updated) to:? (?=\S)"
        ),
        "passwords that were set",
        said=True,
    ),
    Phrase(
        " ",
        re.compile(r"\b(password|secret|key) [05789] (?=\S{6,}\s*$)"),
        "configuration of routers",
        said=True,
        sure=True,
    ),
    Phrase(
        "パスワード",
        re.compile(r"(パスワード)[\s　]{1,4}([!-~]{6,80})$"),
        "lines of a name and a value in Japanese",
        said=True,
    ),
    Phrase(
        "passw",
        re.compile(r"^\s*([\w.\-]{0,40}passw[a-z]{0,5})\s{1,40}(?=\S+\s*$)"),
        "lines of a name and a value",
        said=True,
    ),
    Phrase("psk", re.compile(r"^\s*([\w.\-]{0,40}psk)\s{1,40}(?=\S+\s*$)"), "the same", said=True),
    Phrase(
        "password ",
        re.compile(
            r"^\s*(?:machine\s+\S+|default|login\s+\S+)(?:\s+(?:login|account|port)\s+\S+){0,3}"
            r"\s+(password)\s+(?=\S)"
        ),
        "entries of a .netrc",
        said=True,
    ),
    Phrase(
        "password ",
        re.compile(r"(?<=\s)(password) (?=[\"'][^\"'\s]+[\"'])"),
        "statements of SQL",
        said=True,
    ),
    Phrase(
        "code",
        re.compile(
            r"(?:verification|security|login|sign-in|one-time|authentication|confirmation|2fa|mfa) "
            r"(?:pass)?(code)(?: is)?:? ([0-9][0-9 \-]{2,9}[0-9])(?![0-9])"
        ),
        "codes sent to prove who one is",
        sure=True,
    ),
    Phrase("unseal", re.compile(r"(unseal key) [0-9]{1,2}: (?=\S)"), "Vault", sure=True),
    Phrase(
        "literal",
        re.compile(r"--(from-literal)[ =][\"']?[\w.\-]{1,80}=(?=\S)"),
        "kubectl create secret",
        sure=True,
    ),
    Phrase(
        "reg_", re.compile(r"([\w.\-]{2,60}+)\s{2,8}reg_(?:expand_|multi_)?sz\s{2,8}"), "reg query"
    ),
    Phrase(
        '"kty"',
        re.compile(r"[\"'](k|d|p|q|dp|dq|qi)[\"']\s?:\s?[\"'](?=[\w-]{10})"),
        "private keys in JSON",
        sure=True,
    ),
    Phrase("key=", re.compile(r"^(key)=(?=[0-9a-f]{32,64}$)"), "openssl enc -P", sure=True),
    Phrase(
        "d",
        re.compile(r"^\s*[\"']?(d)[\"']?: [\"'](?=[\w-]{43,}[\"'],?\s*$)"),
        "private keys in JSON over several lines",
        sure=True,
    ),
    Phrase("={", re.compile(r"uid=[^;]{0,80};\s?(pwd)=\{([^{}]{1,200})\}"), "ODBC", sure=True),
    Phrase(
        ":thin:",
        re.compile(r":(thin):[\w$#.\-]{1,64}/([^\s@\"'/]{1,80})@"),
        "JDBC of Oracle",
        sure=True,
    ),
    Phrase(
        "@",
        re.compile(r"(?:^|\s)[\w.-]{1,64}/([\w.-]{1,64}):([^\s@:/]{4,128})@(?!sha256)[\w.-]+"),
        "impacket",
        said=True,
        sure=True,
    ),
    Phrase(
        "wifi:",
        re.compile(r"wifi:(?:[a-z]:(?:[^;\\]|\\.){0,64};){0,4}(p):((?:[^;\\]|\\.){1,128});"),
        "codes for wireless networks",
        sure=True,
    ),
    Phrase(
        "/",
        re.compile(
            r"^\s*(?:#httponly_)?[\w.-]{1,120}\s+(?:true|false)\s+/\S*\s+(?:true|false)\s+[0-9]{1,12}\s+"
            r"([^\s=]{1,80})\s+(\S{4,})\s*$"
        ),
        "cookies as browsers and curl keep them in files",
        sure=True,
    ),
    Phrase(
        ":",
        re.compile(
            r"^\s*(?:[a-z][\w.-]{0,80}|\*|[0-9.]{7,15}):(?:[0-9]{4,5}|\*):(?:[\w-]{1,63}|\*):([\w.@-]{1,63}|\*)"
            r":(?=\S{4,200}\s*$)"
        ),
        "lines of a .pgpass",
        said=True,
        sure=True,
    ),
    Phrase(
        "send",
        re.compile(
            r"(assword|passphrase|passcode|\bpin\b)[^{]{0,40}\{\s*send(?:_user)?(?: --)? (?=[\"'])"
        ),
        "answers of expect in its line",
        sure=True,
    ),
    Phrase(
        "key",
        re.compile(
            r"(set-?up key|secret key|manual key):?\s+((?:[a-z2-7]{4} ){3,}[a-z2-7]{1,4}|[a-z2-7]{16,64})(?![a-z0-9])"
        ),
        "keys of authenticators",
        sure=True,
    ),
    Phrase(
        "pass ",
        re.compile(r"^(?:ftp> |> |c: |quote )?(pass) (?=\S+\s*$)"),
        "FTP, POP3",
        said=True,
        sure=True,
    ),
    Phrase("identify", re.compile(r"^\s*/?(identify) (?=\S+\s*$)"), "IRC", said=True, sure=True),
    Phrase(
        "コード",
        re.compile(
            r"((?:認証|確認|検証|ログイン|本人確認|セキュリティ|ワンタイム|バックアップ|リカバリー|復旧|復元)コード)"
            r"\s?[はを：:]?\s?[「『]?([0-9][0-9 -]{2,9}[0-9]|(?=[a-z-]*[0-9])[a-z0-9-]{6,40})(?![0-9])"
        ),
        "codes in Japanese",
        sure=True,
    ),
    Phrase(
        "パ",
        re.compile(
            r"(パスワード|パスフレーズ|パスコード)[はを][:：]?\s?[「『\"'“]([!-~]{4,80}?)[」』\"'”]"
        ),
        "sentences in Japanese",
        said=True,
    ),
    Phrase("暗証番号", re.compile(r"(暗証番号)は[:：]?\s?([0-9]{4,12})"), "numbers in Japanese"),
    Phrase(
        "は",
        re.compile(
            r"(パスワード|パスフレーズ|トークン|シークレット|apiキー|秘密鍵)は[:：]?\s?"
            r"([!-~]{4,200}?)\s?(?:です|でした|に変更|に設定|。|$)"
        ),
        "sentences in Japanese without quotes",
        said=True,
    ),
)


def find_phrases(text: str, low: str) -> Iterator[Span]:
    """Yield where secrets stand that are given in a phrase; `low` is `text` in lower case."""
    for phrase in PHRASES:
        if phrase.mark in low:
            for found in phrase.lead.finditer(low):
                value = _value(text, found, phrase)
                if value:
                    yield value.start, value.end


def _value(text: str, found: re.Match[str], phrase: Phrase) -> Value | None:
    name = text[found.start(1) : found.end(1)]
    strength = Holds.PASSWORD if phrase.sure else holds(name)
    if strength < Holds.SECRET:
        return None
    if found.re.groups > 1:
        value: Value | None = Value(*found.span(2), quoted=True)
    else:
        value = read_value(text, found.end())
    if value is None:
        return None
    word = text[value.start : value.end]
    if is_plain(word, strength=strength, quoted=value.quoted, name=name):
        return None
    return value if not phrase.said or is_said(word) else None
