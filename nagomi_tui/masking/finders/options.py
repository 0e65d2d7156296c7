"""Finds secrets in options of commands, in HTTP headers and in cookies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from nagomi_tui.masking import plain
from nagomi_tui.masking.gate import grouped
from nagomi_tui.masking.names import Holds, holds, listed
from nagomi_tui.masking.values import Span, Value, read_value
from nagomi_tui.text.patterns import lazy

_SEPARATED: Final = (
    r"\\{0,3}[\"'`]?\]?[ \t]{0,8}(?::|=>|=(?!=)"
    r"|(?<=[\"']),(?=\s?[\"'](?:bearer|basic|token|digest|apikey|bot) ))[ \t]{0,8}(?:\\{0,3}[fbr]?[\"'`])?"
)
_AUTHORIZATION: Final = lazy(rf"authorization{_SEPARATED}")
_SCHEME: Final = lazy(r"([A-Za-z][\w-]{1,30})[ \t]+(?=\S)")
_ONE_WORD: Final = listed("bearer basic token apikey api-key key ssws negotiate bot jwt")
_CREDENTIALS: Final = lazy(r"[^\s\"'`,;\\<>]++")
_REST: Final = lazy(r"[^\"'`\r\n\\]++")
_PARAMETERS: Final = lazy(r"[^'`\r\n]++")
_BEARER: Final = lazy(r"bearer[ \t]{1,4}([a-z0-9._~+/=\-]{8,}+)")
_COOKIE: Final = lazy(rf"(?:set-)?cookie[0-9s]?{_SEPARATED}")
_CRUMB: Final = lazy(r"[ \t]{0,4}([!#$%&*+.^_|~A-Za-z0-9\-\[\]]{1,80}+)=([^\s;,\"'`\\]*+)[ \t]?;?")

_ALONE: Final = lazy(r"[A-Za-z0-9_+/-]{16,200}(?![^\s\"'])")
"""A cookie without a name, as nodes of Erlang have it."""
_TASTE: Final = lazy(
    r"(?i)(?:\w*_)?(?:theme|lang(?:uage)?|locale|i18n\w*|colou?r[-_]?(?:mode|scheme)?|dark[-_]?mode|mode|\w*consent|tz|timezone"
    r"|currency|country|region|layout|sidebar\w*|view|font\w*|seen\w*|banner\w*|variant|gdpr|units?|path|domain|expires)"
)
"""Cookies that hold what a user likes, and open nothing."""


def find_headers(text: str, low: str) -> Iterator[Span]:
    """Yield where credentials and cookie values stand; `low` is `text` in lower case."""
    if "authorization" in low:
        yield from _authorizations(text, low)
    if "bearer" in low:
        for found in _BEARER.finditer(low):
            if _is_credential(text[found.start(1) : found.end(1)]):
                yield found.span(1)
    if "cookie" in low:
        yield from _cookies(text, low)


def _authorizations(text: str, low: str) -> Iterator[Span]:
    for found in _AUTHORIZATION.finditer(low):
        at = found.end()
        scheme = _SCHEME.match(text, at)
        pattern = _CREDENTIALS
        if scheme:
            at = scheme.end()
            if scheme[1].lower() not in _ONE_WORD:
                pattern = _PARAMETERS if "=" in text[at : at + 80] else _REST
        value = pattern.match(text, at)
        if value and not _is_template(value[0].rstrip()):
            yield at, at + len(value[0].rstrip())


def _is_template(value: str) -> bool:
    return plain.is_plain(value, strength=Holds.PASSWORD, quoted=False, name="authorization")


def _is_credential(word: str) -> bool:
    """Tell a credential after a bare `Bearer` from prose such as `bearer authentication`."""
    return (
        word.lower() not in plain.WORDS
        and (len(word) >= 24 or plain.looks_random(word))
        and any(char.isdigit() for char in word)
    )


def _cookies(text: str, low: str) -> Iterator[Span]:
    for found in _COOKIE.finditer(low):
        only_first = found[0].startswith("set-")
        at = found.end()
        while crumb := _CRUMB.match(text, at):
            at = crumb.end()
            if crumb[2] and not _is_template(crumb[2]) and not _TASTE.fullmatch(crumb[1]):
                yield crumb.span(2)
            if only_first:
                break
        else:
            alone = _ALONE.match(text, at)
            if alone and (plain.looks_random(alone[0]) or alone[0].isupper()):
                yield alone.span()


def find_given_cookies(text: str, at: int) -> Iterator[Span]:
    """Yield the values of the cookies that a command line gives at `at`."""
    value = read_value(text, at)
    if value is None:
        return
    at = value.start
    while at < value.end and (crumb := _CRUMB.match(text, at, value.end)):
        at = crumb.end()
        if crumb[2] and not _is_template(crumb[2]):
            yield crumb.span(2)


_LONG: Final = lazy(r"-(?<![\w-]-)-?([a-z][a-z0-9_.\-]{1,48}+)([ \t]{1,8})(?=[^\s-])")
_DRAWN: Final = 24
_GROUPS: Final = lazy(r"[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,12}){3,6}")
"""What an option named for a key is given that may be one: long hexadecimal, groups in capitals, drawn by chance."""
_HELP: Final = lazy(r"[ \t]{2,}\S")


class Command(NamedTuple):
    """A command and its option for a secret, told from the same letter elsewhere."""

    word: str
    option: str
    login: bool = False
    """The value is `user:password`, and only the password is a secret."""


_ASKING: Final = listed("mongo cqlsh sqlcmd isql ipmitool mosquitto_ keychain doveadm ssh-keygen")
"""Programs that are given a password behind `-p` or `-P`, with a user or without."""
COMMANDS: Final = (
    *(Command(word, r"-p[ =](?=[^\s-])") for word in ("docker login", "az login")),
    Command("freerdp", r"/p:"),
    *(Command(word, r"-p(?=[^\s-])") for word in ("mysql", "mariadb", "mongo", "unrar", "bcp ")),
    *(Command(word, r"-p[ =](?=[^\s-])") for word in _ASKING),
    *(Command("snmp", option) for option in (r"-a[ ]", r"-x[ ]", r"-c[ ]")),
    *(Command("ldap", option) for option in (r"-w[ ]", r"-w(?=[^\s-])")),
    Command("sshpass", r"-p[ ]?"),
    Command("redis-cli", r"-a[ ]"),
    *(Command(word, rf"(?<={word} )") for word in ("requirepass", "masterauth", "wireless-key")),
    Command("ssh-keygen", r"-n[ ]"),
    Command("zip", r"-p[ ](?=\S+ \S)"),
    Command("lftp", r"-u[ ][\w.\-]{1,64},"),
    Command("net user", r"[\w.\-\\]{1,64} (?=[^\s/*])"),
    Command("passwd", r"-[a-z]*b[a-z]* \S{1,200} [\w.\-]{1,64} "),
    Command("rabbitmqctl", r"(?:add_user|change_password) [\w.\-]{1,64} "),
    Command("openssl enc", r"-k[ ]"),
    Command("nmcli", r"(?:password|psk|wifi-sec\.psk|802-11-wireless-security\.psk) (?!con)"),
    Command("convertto-securestring", r"(?:-string )?(?=[\"'])|-asplaintext (?=[^\s-])"),
    Command("7z", r"-p(?=\S)"),
    *(
        Command(word, r"(?:-[a-z]*u|--user|--proxy-user)[ =]?", login=True)
        for word in ("curl", "etcdctl")
    ),
    Command("smbclient", r"-u[ ]?[^\s%]{1,64}%"),
    Command("secret set", r"(?:-b[ =]?|--body[ =])"),
    Command("openssl", r"-pass(?:in|out)? pass:"),
    Command("aws configure set", r"(?:aws_secret_access_key|aws_session_token) "),
    Command("with password", r"(?<=with password )(?=[\"'])"),
    Command("identified by", r"(?<=identified by )(?=[\"'])"),
    Command("set password", r"(?<=set password )(?:for \S{1,80} )?= ?"),
    Command("snyk auth", r"(?=\S{20})"),
    Command("ocommunity", r"(?<=community )(?=\S{4})"),
    Command("setcookie", r"(?<=setcookie )(?=\S{6})"),
    Command("snmp-server community", r"(?=\S)"),
    Command("pre-shared-key", r"(?:local |remote |address \S+ key )?(?=\S{6})"),
    Command("vault login", r"(?=[^\s-][^\s=]{15,}(?:\s|$))"),
    Command("net use", r"\\\\\S+ (?=[^\s/*])|/user:\S+ (?=[^\s/*])"),
    Command("authtoken", r"(?<=authtoken )(?=\S{16})"),
    Command("sqlplus", r"[\w.$#]{1,64}/(?=[^\s@/]+)"),
    Command("nickserv identify", r"(?:[\w-]{1,32} )?(?=\S+$)"),
    Command("auth plain", r"(?=[a-z0-9+/]{12,}={0,2}$)"),
    Command("quote pass", r"(?=\S)"),
    Command("secrets set", r"\S+?="),
    Command("walletpassphrase", r"(?=[\"'])"),
    Command("acl setuser", r">"),
    Command("mc alias set", r"\S+ \S+ \S+ (?=\S{8})"),
    Command("rclone obscure", r"(?<=obscure )(?=[^\s-])"),
    Command("snmp-server user", r"(?:md5|sha[0-9-]*) "),
    Command("snmp-server user", r"priv (?:aes|des|3des)(?: [0-9]+)? "),
    Command("unseal", r"(?<=unseal )(?=\S{20})"),
    Command("unlock", r"(?<=unlock )(?=[\"'])"),
    Command(
        "config ",
        r"(?:http-basic|gitlab-token|github-oauth|bearer)\.\S+ (?:[\w.@-]{1,64} )?(?=\S{8,}\s*$)",
    ),
    Command("securestring", r"--value[ =]"),
    Command("secret:create", r"--value[ =]"),
    Command("bw unlock", r"(?=\S{6,}$)"),
    Command("qpdf --encrypt", r"(?<=encrypt )(?=[^\s-])"),
    Command("qpdf --encrypt", r"(?<=encrypt )[^\s-]\S* (?=[^\s-])"),
)
"""Commands, and statements of SQL and configuration, whose next word is a secret."""

_PARTS: Final = ("pass", "auth", "set", "lock", "-", "sql", "ser", "log")
_PLAIN: Final = grouped(
    ((one.word, one) for one in COMMANDS if not one.option.startswith(("-", "(?:-"))), *_PARTS
)
_DASHED: Final = grouped(
    ((one.word, one) for one in COMMANDS if one.option.startswith(("-", "(?:-"))), *_PARTS
)
"""The commands by their word: those whose secret stands behind an option, and the others."""
_REACH: Final = 200
_END: Final = lazy(r"[|;&\n]")
_PIPED: Final = lazy(
    r"(?:echo|printf|yes)(?: -[ne])*(?: [\"']?%s(?:\\n)?[\"']?)? (?:(?=[^|]{1,300}\|(?:[^|]{1,200}password-stdin"
    r"|\s?sudo (?:-[a-z]+ )*-[a-z]*s\b))|[\"']?[\w.\-]{1,40}:(?=[^|]{1,200}\|[^|]{0,60}chpasswd)"
    r"|(?=[^|]{1,300}\|\s?(?:kinit|gpg |cryptsetup|passwd|wrangler secret|gh secret|fly secrets|vercel env|runas|su\b))"
    r"|(?<=<\(echo )(?=[^\s-])|(?<=<\(echo -n )|(?<=<\(printf ))"
)
_PERHAPS_PIPED: Final = lazy(
    r"(?:echo|printf)(?: -[ne])*(?: [\"']?%s(?:\\n)?[\"']?)? (?=[^|]{1,300}\|"
    r"(?!\s?(?:grep|sed|awk|tee|cut|wc|tr |base64|jq|cat|sort|head|tail|xargs))[^|]{0,80}"
    r"(?:passw|passphrase|secret|login|\bauth|unlock|unseal|token|credential|-key\b))"
)
"""What is echoed into a program that is told of a secret: one, if it looks so."""
_ASKED: Final = lazy(
    r"\s(?:-(?P<asks>pw?|P|w|W)\s|-(?:[a-z]?p|P|w|W|a)(?:\s|=)?|/(?P<asked>r?p(?:w|ass)?):|/r?p(?:w|ass)? |-(?P<key>[AkKsSxXH])(?:\s|=))(?=[^\s=/-])"
)
"""Options that are given passwords by most programs, and others of one letter that are given keys."""
_USER: Final = lazy(
    r"\s(?:/(?:r|u)?u(?:ser)?[: ]|-[a-z]?[uUDla](?:\s|=)?[\w.@\\=,]|--?user(?:name)?[ =]|--login[ =]|[\w.-]{1,32}@[\w.-]+(?:\s|$))"
)
_KEPT_IN: Final = lazy(r"keychain|keystore|passw|\.pfx|\.p12|\.jks|crypt")
"""What a password opens, named in a command."""
_NO_LOGIN: Final = lazy(
    r"\b(?:docker|podman|ssh|scp|rsync|ps|journalctl|nmap|tar|mkdir|cp|install|useradd|id|git|sudo|env)\b"
)
_PROMPTS: Final = lazy(r"mysql|mariadb")
"""Programs that ask for the password themselves; the word behind the option names something else."""
_COOKIES: Final = lazy(r"(?:--cookie|-b)[ =](?=\S)")


def find_options(text: str, low: str) -> Iterator[Span]:
    """Yield where values of options stand that are secrets; `low` is `text` in lower case."""
    for found in _LONG.finditer(low) if "-" in low else ():
        name = text[found.start(1) : found.end(1)]
        value = _option_value(text, found, holds(name), name)
        if value:
            yield value.start, value.end
    for part, commands in (*_PLAIN, *_DASHED) if " -" in low or '"-' in low else _PLAIN:
        for word, command in commands if part in low else ():
            if word in low:
                yield from _given(text, low, command)
    if " -" in low or " /" in low:
        yield from _asked(text, low)
    if "|" in low or "<(echo" in low:
        yield from _piped(text, low)
    if "curl" in low:
        for found in _COOKIES.finditer(low):
            yield from find_given_cookies(text, found.end())


def _asked(text: str, low: str) -> Iterator[Span]:
    """Yield what options of one letter are given: any word beside a user's name, else what was made up."""
    if not (options := list(_ASKED.finditer(text))):
        return
    user = _USER.search(text)
    sure = bool(user or _KEPT_IN.search(low))
    asks = user and not _PROMPTS.search(low)
    for found in options:
        value = read_value(text, found.end())
        if value is None or _NO_LOGIN.search(low, low.rfind(";", 0, value.start) + 1, value.start):
            continue
        said, key = text[value.start : value.end], found["key"] is not None
        if value.quoted and not key:
            said = said.replace(" ", "")
        made = plain.is_made(said, sure=sure and not key) and (sure or plain.is_mixed(said))
        if asks and (found["asks"] or found["asked"]) and not (said.isdigit() or said.isupper()):
            made = made or not plain.is_plain(said, strength=Holds.SECRET, quoted=False, name="")
        if made and not (key and plain.is_numbered(said)):
            yield value.start, value.end


def _piped(text: str, low: str) -> Iterator[Span]:
    """Yield what is echoed into a program that reads a password there."""
    for found in _PIPED.finditer(low):
        value = read_value(text, found.end())
        if value and (span := _secret(text, value, login=False)):
            yield span
    for found in _PERHAPS_PIPED.finditer(low):
        value = read_value(text, found.end())
        said = text[value.start : value.end] if value else ""
        if value and (plain.is_said(said) or plain.is_phrase(said)):
            yield from filter(None, [_secret(text, value, login=False)])


def _option_value(text: str, found: re.Match[str], strength: Holds, name: str) -> Value | None:
    """Return the value after an option; a help text has a word for it, or columns of prose."""
    value = read_value(text, found.end()) if strength or name == "key" else None
    if value and strength < Holds.SECRET and name != "pass":
        word = text[value.start : value.end]
        drawn = (plain.is_hex(word) and len(word) >= _DRAWN) or (
            len(word) >= 20 and _GROUPS.fullmatch(word)
        )
        return value if drawn or (len(word) >= _DRAWN and plain.looks_random(word)) else None
    if (
        value is None
        or text.startswith("id=", value.start)
        or plain.is_plain_value(text, value, strength=strength, name=name)
    ):
        return None
    word = text[value.start : value.end]
    if strength is Holds.PERHAPS and not plain.is_made(word, sure=True) and "user" not in text:
        return None
    in_columns = len(found[2]) > 1 or _HELP.match(text, value.end) is not None
    return None if in_columns and not value.quoted and word.isalpha() else value


def _given(text: str, low: str, command: Command) -> Iterator[Span]:
    """Yield the secret of each use of a command; every character is looked at once."""
    pattern = _behind_blank(command.option)
    at = low.find(command.word)
    while at >= 0:
        at += len(command.word)
        reach = _reach(low, at)
        end = reach
        for option in pattern.finditer(low, at, reach):
            value = read_value(text, option.end())
            if value and (span := _secret(text, value, login=command.login)):
                yield span
            end = value.end if value else end
        at = low.find(command.word, end)


@cache
def _behind_blank(option: str) -> re.Pattern[str]:
    """Return the pattern of an option; kept here, since `re` forgets the older of so many."""
    return re.compile(rf"(?<=[\s\"']){option}" if "-" in option[:4] else rf"(?<=\s){option}")


def _reach(low: str, at: int) -> int:
    stop = _END.search(low, at, at + _REACH)
    return stop.start() if stop else min(len(low), at + _REACH)


def _secret(text: str, value: Value, *, login: bool) -> Span | None:
    start = value.start
    if login:
        colon = text.find(":", start, value.end)
        if colon < 0:
            return None
        start = colon + 1
    word = text[start : value.end]
    if not word or plain.is_plain(word, strength=Holds.PASSWORD, quoted=value.quoted, name=""):
        return None
    return start, value.end
