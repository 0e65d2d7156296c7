"""Finds secrets by the words around them: `password is …`, random words near `token`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from nagomi_tui.masking import plain
from nagomi_tui.masking.gate import grouped, has_joint
from nagomi_tui.masking.names import Holds, holds
from nagomi_tui.masking.values import Span, Value, read_value
from nagomi_tui.text.patterns import lazy


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
    behind: bool = False
    """The value is the first group, and the name stands behind it."""
    joined: bool = False
    """It has a sign that joins in it, besides the mark."""


PHRASES: Final = (
    Phrase(
        "</",
        lazy(
            r"<([a-z][a-z0-9_:.\-]{1,60}+)(?: [^<>]{0,80})?>(?:<(?:value|plaintext|string)>)?([^<>]{1,400})</"
        ),
        "XML elements",
    ),
    Phrase(
        "</",
        lazy(
            r"(?:name|key|id)=[\"']([a-z0-9_.:\-]{2,80}+)[\"'](?: [^<>]{0,80})?>(?:<value>)?([^<>]{1,400})</"
        ),
        "XML elements with the name as an attribute",
    ),
    Phrase(
        "</key>",
        lazy(r"<key>([\w .-]{2,60})</key>\s{0,8}<(?:string|data)>([^<]{1,400})</"),
        "property lists in one line",
    ),
    Phrase(
        "value",
        lazy(
            r"(?:key|name)[\"']?\s?[:=]\s?[\"']([a-z0-9_.\-]{2,60}+)[\"'][,;]?\s{0,4}"
            r"[\"']?value[\"']?\s?[:=]\s?"
        ),
        "XML attributes and JSON objects of a name and a value",
        joined=True,
    ),
    Phrase(
        "set",
        lazy(r"(?:config set|\bsetx|\bsetenv|\bset -g?x|\bset -xg) ([^\s=]{2,80}+)[ =](?=\S)"),
        "npm and other configuration, fish, csh, Windows",
    ),
    Phrase(
        "pass",
        lazy(
            r"(pass(?:word|phrase|code))(?: (?:is|was|has been))?(?: (?:now )?(?:generated|created|set))?"
            r" (?:for|of) [^:]{1,80}(?::|(?<= to)|(?<= is))\s{1,4}(?=\S)"
        ),
        "passwords for somebody",
        said=True,
    ),
    Phrase(
        "password",
        lazy(r"(?:with|and|using|use|to|temporary|initial|generated)(?: the)? (password):? (?=\S)"),
        "sentences that end in a password",
        said=True,
    ),
    *(
        Phrase(
            f"{name} ",
            lazy(rf"({name}) [05789] (?=\S{{6,}}\s*$)"),
            "configuration of routers",
            said=True,
            sure=True,
        )
        for name in ("password", "secret", "key")
    ),
    Phrase(
        " ",
        lazy(
            r"^\s*((?:no )?(?:set|enable|username|tacacs|radius|neighbor|crypto|snmp|ip|ntp|standby|vrrp)\b.*\s"
            r"(?:password|secret|key|md5|community|key-string|(?<=[0-9] )authentication)|key-string|authentication-key|encrypted-password) (?:[0-9] |ascii-text )?"
            r"(?=\S{6,}(?: address .*)?\s*$)"
        ),
        "configuration of routers, without a digit before the value",
        said=True,
        sure=True,
    ),
    Phrase(
        ' "',
        lazy(
            r"(s(?<![a-z]s)(?:hared-?s)?ecret|p(?<![a-z]p)(?:assw(?:or)?d|wd|sk|assphrase|re-?shared[-_]?key|rivate[-_]?key)|a(?<![a-z]a)(?:pi|uth)[-_]?key|t(?<![a-z]t)oken|p(?<=[a-z]p)ass) (?=\"(?:[^\" ]{6,}|(?=[^\"]{0,80}[0-9])[^\"]{6,80})\"(?! (?:deleted|created|configured|unchanged|not|already|is|has|was|in|for|does))|(?<=psk )\"[^\"]{6,}\"\s*$|(?<=passphrase )\"[^\"]{6,}\"\s*$)"
        ),
        "configuration in which a blank stands before the value",
        said=True,
    ),
    Phrase(
        " (",
        lazy(
            r"(?<![^\s:(/])([!-~]{6,80}) \((password|passphrase|passcode|token|secret|api key|pin)\)"
        ),
        "values with their name behind them",
        said=True,
        behind=True,
    ),
    *(
        Phrase(
            mark,
            lazy(r"(?:^|[\s=\"'])[\w.-]{1,64}:([^\s:/]{4,128})@(tcp|unix)\("),
            "addresses of databases in Go",
            sure=True,
            behind=True,
        )
        for mark in ("@tcp(", "@unix(")
    ),
    Phrase(
        "'s",
        lazy(r"(pass(?:word|phrase|code))'s (?=[\"']?\S)"),
        "sentences that say what it is",
        said=True,
    ),
    Phrase(
        "パスワード",
        lazy(r"(パスワード)[\s　]{1,4}([!-~]{6,80})$"),
        "lines of a name and a value in Japanese",
        said=True,
    ),
    Phrase(
        "@",
        lazy(
            r"(?:^|[\s=\"'])(?!mailto|sip|xmpp|acct|npm|git)(?:[\w.-]{1,32}[/\\])?[\w.-]{1,64}:([^\s@:/\"']{6,128})@"
            r"((?:[0-9]{1,3}\.){3}[0-9]{1,3}|[a-z][\w-]*(?:\.[a-z][\w-]*)+|localhost)(?![\w.@-])"
        ),
        "a user and a password before a host, without a scheme",
        said=True,
        sure=True,
        behind=True,
    ),
    Phrase(
        "@",
        lazy(
            r"^\s*(?:\[?[\w.-]{1,80}\]?(?::[0-9]{1,5})?\s{1,8})?([\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}):([^\s/~:]{6,128})\s*$"
        ),
        "an address and its password, as in lists of logins",
        said=True,
        sure=True,
    ),
    Phrase(
        "password ",
        lazy(
            r"^\s*(?:machine\s+\S+|default|login\s+\S+)(?:\s+(?:login|account|port)\s+\S+){0,3}"
            r"\s+(password)\s+(?=\S+(?:\s+(?:account|macdef|machine)\s.*)?$)"
        ),
        "entries of a .netrc",
    ),
    Phrase(
        "password ",
        lazy(r"(?<=\s)(password) (?=[\"'](?:[^\"'\s]+|(?=[^\"']{0,80}[0-9])[^\"']{6,80})[\"'])"),
        "statements of SQL",
        said=True,
    ),
    Phrase(
        "code",
        lazy(
            r"(?:verification|security|login|sign-in|one-time|authentication|confirmation|2fa|mfa|sms|temporary|access|google) "
            r"((?:pass)?code|password|pin)(?: is)?:? ([0-9][0-9 \-]{2,9}[0-9])(?![0-9])"
        ),
        "codes sent to prove who one is",
        sure=True,
    ),
    Phrase(
        "one-time pass",
        lazy(r"one-time pass(word|code|phrase)(?: is)?:? ([0-9][0-9 \-]{2,9}[0-9])(?![0-9])"),
        "one-time passwords",
        sure=True,
    ),
    Phrase(
        " is your ",
        lazy(
            r"(?<![0-9])([0-9][0-9 -]{2,9}[0-9]) is your (?:[\w-]{1,20} ){0,4}(code|password|passcode|pin|otp)\b"
        ),
        "codes with their name behind them",
        sure=True,
        behind=True,
    ),
    Phrase(
        "code to ",
        lazy(
            r"(code) to (?:sign|log|verif|confirm)[\w ]{0,30}(?:: | is )([0-9][0-9 \-]{2,9}[0-9])(?![0-9])"
        ),
        "codes to sign in",
        sure=True,
    ),
    Phrase(
        "licen",
        lazy(
            r"(licen[cs]e|serial|activation)(?:[ _-]?(?:key|code|number))?[\"']?\s?[:=]?\s?[\"']?"
            r"((?:[a-z0-9]{4,6}-){3,7}[a-z0-9]{4,6})(?![a-z0-9-])"
        ),
        "keys of licences",
        sure=True,
    ),
    Phrase(
        "<<<",
        lazy(r"(pass|secret|token|login|auth|key|cred|sudo|crypt)[^<]{0,200}<<<\s?(?=\S)"),
        "what a shell gives a program to read",
        said=True,
        sure=True,
    ),
    Phrase(
        "pass",
        lazy(
            r"(?:^|[\s;|&$(])(?:\w{1,12}_?)?(passwd|passphrase)(?: [^\s|;&\"']{1,60}){1,5} (?=[\"'][^\"']{4,}[\"']\s*$|[^\s/\"'-]\S{5,}$)"
        ),
        "programs that are named for passwords, with one as their last argument",
        said=True,
        sure=True,
    ),
    Phrase(
        "ssword",
        lazy(r"(ssword)[^{};]{0,20}[\"'];?\s{0,4}send(?:_user)?(?: --)? (?=[\"'])"),
        "answers of expect in one line",
        joined=True,
        sure=True,
    ),
    Phrase(
        "'",
        lazy(
            r"(s(?<![a-z]s)(?:hared-?s)?ecret|p(?<![a-z]p)(?:assw(?:or)?d|wd|sk|assphrase)|k(?<=option k)ey|t(?<![a-z]t)oken|p(?<=[a-z]p)ass) (?='(?:[^' ]{6,}|(?=[^']{0,80}[0-9])[^']{6,80}|(?<=option key ')[^']{8,80}|(?<=option psk ')[^']{8,80}|(?<=option password ')[^']{6,80})'(?! (?:deleted|created|configured|unchanged|not|already|is|has|was|in|for|does)))"
        ),
        "the same in single quotes",
        said=True,
        sure=True,
    ),
    *(
        Phrase(
            mark,
            lazy(
                r"(pre-?shared-key|authentication-key|(?<= )(?:password|secret|key)) (?:ascii-text|hexadecimal|simple|[a-z]*-?cipher) (?=[\"']?\S)"
            ),
            "configuration of routers, with the form of a key before it",
            said=True,
            sure=True,
        )
        for mark in ("-key ", "cipher ")
    ),
    Phrase(
        "/",
        lazy(
            r"(?:user\w*|login|id)\s?/\s?(password|passwd|pass|pw)\s?[:：=]\s{0,4}\S{1,64}\s?/\s?(\S{4,128})"
        ),
        "a user and a password under one name",
        said=True,
        joined=True,
        sure=True,
    ),
    Phrase(
        "otp",
        lazy(r"(?<![a-z])(otp)(?: code)?(?: is|:)? ([0-9]{4,8})(?![0-9]|\.[0-9])"),
        "one-time codes in sentences",
        sure=True,
    ),
    Phrase(
        "pin",
        lazy(
            r"(?<![a-z])(pin)(?: code)?(?: (?:for|of|to) [^:]{1,30}?)?(?: is|:)? ([0-9]{4,8})(?![0-9]|\.[0-9])"
        ),
        "numbers in sentences",
        sure=True,
    ),
    Phrase(
        " code",
        lazy(r"\b(?:enter|use|type)(?: the| this)? (code):? ([0-9]{4,8})(?![0-9]|\.[0-9])"),
        "codes to be typed",
        sure=True,
    ),
    Phrase(
        "_p",
        lazy(r"(?<![\w-])([a-z]{1,20}_(?:pw|pass|password|pwd)) (?=[\"']?[^\s=:-]\S{5,})"),
        "words of a command before a password",
        said=True,
    ),
    *(
        Phrase(
            mark,
            lazy(
                r"(seed|mnemonic|wallet|recover\w*|restore|phrase)\W{1,4}(?:\w{1,10}\W{1,3})?[\"'“]?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?![a-z])"
            ),
            "words from which a wallet is made again",
            sure=True,
        )
        for mark in ("seed", "wallet", "recover")
    ),
    Phrase(
        "",
        lazy(
            r"(パスワード|パスフレーズ|パスコード|合言葉|暗証番号|トークン|apiキー|秘密鍵|パス(?<![ァ-ー]パス))[^\x00-\x7f:：「『]{0,8}"
            r"(?:[:：]\s?|[「『（])([!-~]{4,200})(?![!-~])"
        ),
        "names in Japanese with more behind them",
        said=True,
        sure=True,
    ),
    Phrase(
        "",
        lazy(r"(鍵)(?<!公開鍵)\s?[:：]\s?([a-z0-9+/=_-]{20,})"),
        "keys in Japanese",
        said=True,
        sure=True,
    ),
    Phrase(
        " as ",
        lazy(
            r"(?<![^\s\"'`(])([^\s\"'`]{6,80})[\"'`]? as (?:the |your |a |its )?(?:\w{1,12} ){0,2}(password|passphrase|passcode|token|pin)\b"
        ),
        "values with their name behind them in a sentence",
        said=True,
        behind=True,
    ),
    Phrase(
        "define ",
        lazy(r"#\s{0,4}define\s{1,8}(\w{2,60})\s{1,40}(?=[\"'])"),
        "constants of C",
        joined=True,
    ),
    Phrase(
        "literal",
        lazy(r"--(from-literal)[ =][\"']?[\w.\-]{1,80}=(?=\S)"),
        "kubectl create secret",
        joined=True,
        sure=True,
    ),
    Phrase("reg_", lazy(r"([\w.\-]{2,60}+)\s{2,8}reg_(?:expand_|multi_)?sz\s{2,8}"), "reg query"),
    Phrase("key=", lazy(r"^(key)=(?=[0-9a-f]{32,64}$)"), "openssl enc -P", sure=True),
    Phrase(
        "key",
        lazy(
            r"(?:(?<![a-z])(?:iv|aes|salt|tag|cipher|crypt|encrypt|hmac|nonce)[\w-]{0,10}[\s=:\"',(][^=:]{0,40}[=:]?[^=:]{0,70})(?<![a-z_-])(key)[\"']?\s?[=:]\s?[\"']?(?=(?:[0-9a-f]{2}){16,64}(?!\w))"
        ),
        "keys beside what is encrypted with them",
        sure=True,
    ),
    Phrase(
        " to ",
        lazy(
            r"(?:set|chang\w{1,3}|updat\w{1,3}|export\w{0,3}|put|add\w{0,3}) (?:\w{1,12} ){0,2}[\"'`]?([a-z0-9]{1,30}(?:[_.-][a-z0-9]{1,30}){1,4})[\"'`]? to (?=\S{6})"
        ),
        "variables that are set",
        said=True,
    ),
    *(
        Phrase(
            mark,
            lazy(r"(1)[.)]\s?([a-z]{3,8}(?:[\s,]{1,4}[0-9]{1,2}[.)]\s?[a-z]{3,8}){11,23})"),
            "numbered words from which a wallet is made again",
            sure=True,
        )
        for mark in ("1.", "1)")
    ),
    Phrase(
        "send",
        lazy(r"^\s*(send)(?:_user)?(?: --)? (?=\"[^\"\\ ]{6,60}\\[rn]\")"),
        "what expect types",
        joined=True,
        said=True,
        sure=True,
    ),
    Phrase(
        "$(",
        lazy(r"(?<![\w-])([a-z_]\w{1,40})=[\"']?\$\((?:echo|printf)(?: -\w+)* (?=\S)"),
        "variables that are echoed",
        said=True,
    ),
    Phrase(
        "createuser",
        lazy(r" (sha[0-9-]{0,4}|md5|aes[0-9-]{0,4}|des) (?=[\"']?[^\s\"']{8,64}[\"']?(?: |$))"),
        "users of SNMP",
        said=True,
        sure=True,
    ),
    Phrase(
        "%",
        lazy(r"\s(-u|--user[ =])\s?[\"']?[\w.\\/-]{1,64}%(?=[^\s%]{4,})"),
        "a user and a password of Windows' networks",
        sure=True,
    ),
    Phrase(
        ": ",
        lazy(r"^[\w.@%*\s-]{0,80}: (psk|rsa|ecdsa|xauth|eap|pin|pkcs12|ntlm) (?:\S{1,80} )?(?=\")"),
        "secrets of IPsec",
        sure=True,
    ),
    Phrase(
        "hmac-",
        lazy(r"(hmac-[a-z0-9]{3,8}):[\w.-]{1,64}:([a-z0-9+/]{16,}={0,2})"),
        "keys of name servers",
        sure=True,
    ),
    Phrase("={", lazy(r"uid=[^;]{0,80};\s?(pwd)=\{([^{}]{1,200})\}"), "ODBC", sure=True),
    Phrase(
        ":thin:",
        lazy(r":(thin):[\w$#.\-]{1,64}/([^\s@\"'/]{1,80})@"),
        "JDBC of Oracle",
        sure=True,
    ),
    Phrase(
        "wifi:",
        lazy(r"wifi:(?:[a-z]:(?:[^;\\]|\\.){0,64};){0,4}(p):((?:[^;\\]|\\.){1,128});"),
        "codes for wireless networks",
        sure=True,
    ),
    Phrase(
        "/",
        lazy(
            r"^\s*(?:#httponly_)?[\w.-]{1,120}\s+(?:true|false)\s+/\S*\s+(?:true|false)\s+[0-9]{1,12}\s+"
            r"([^\s=]{1,80})\s+(\S{4,})\s*$"
        ),
        "cookies as browsers and curl keep them in files",
        sure=True,
    ),
    Phrase(
        ":",
        lazy(
            r"^\s*(?:[a-z][\w.-]{0,80}|\*|[0-9.]{7,15}):(?:[0-9]{4,5}|\*):(?:[\w-]{1,63}|\*):([\w.@-]{1,63}|\*)"
            r":(?=\S{4,200}\s*$)"
        ),
        "lines of a .pgpass",
        said=True,
        sure=True,
    ),
    Phrase(
        "send",
        lazy(
            r"(assword|passphrase|passcode|\bpin\b)[^{]{0,40}\{\s*send(?:_user)?(?: --)? (?=[\"'])"
        ),
        "answers of expect in its line",
        joined=True,
        sure=True,
    ),
    Phrase(
        "key",
        lazy(
            r"(set-?up key|secret key|manual key|this key|following key|key manually|manual entry|(?:recovery|backup|emergency|security) key|(?:2fa|totp|mfa|otp) (?:seed|secret|key)):?\s+((?=[a-z ]{0,60}[0-9])(?:[a-z0-9]{4} ){3,}[a-z0-9]{1,4}|[a-z2-7]{16,64}|(?:[0-9]{4,6}-){3,9}[0-9]{4,6})(?![a-z0-9])"
        ),
        "keys of authenticators",
        sure=True,
    ),
    Phrase(
        "_",
        lazy(
            r"^\s*(?:env|arg|setenv|env:set|config:set|secret put)\s+([a-z_]\w{2,60})\s+(?=\S+\s*$)"
        ),
        "variables of images and shells",
    ),
    Phrase(
        "pass",
        lazy(r"(pass(?:word|phrase|code)) \((?=[^()\s]{6,80}\))"),
        "values in brackets behind their name",
        said=True,
    ),
    Phrase(
        "pass",
        lazy(r"(pass(?:word|wd|phrase|code))[\"'`\]]{1,3}\)?(?:\.\w{2,20}\(|,\s?)(?=[\"'])"),
        "what is typed into a field, and pairs in lists",
        said=True,
    ),
    Phrase(
        "pass",
        lazy(r"(?:\.|->|::|new )(pass(?:word|wd|phrase|code)?)\((?=[\"'][^\"' ]{6,80}[\"']\))"),
        "calls that are named for a password",
        said=True,
        sure=True,
    ),
    Phrase("identify", lazy(r"^\s*/?(identify) (?=\S+\s*$)"), "IRC", said=True, sure=True),
    Phrase(
        "",
        lazy(
            r"((?:認証|確認|検証|ログイン|本人確認|セキュリティ|ワンタイム(?:パスワード|パス)?|バックアップ|リカバリー|復旧|復元)(?:コード|番号)|ワンタイムパス(?:ワード)?)"
            r"\s?[はを：:]?\s?[「『]?([0-9][0-9 -]{2,9}[0-9]|(?=[a-z-]*[0-9])[a-z0-9-]{6,40})(?![0-9])"
        ),
        "codes in Japanese",
        sure=True,
    ),
    Phrase("暗証番号", lazy(r"(暗証番号)は[:：]?\s?([0-9]{4,12})"), "numbers in Japanese"),
    Phrase(
        "",
        lazy(
            r"(パスワード|パスフレーズ|合言葉|トークン|シークレット(?:キー)?|(?:api|[接続暗号化]{2,3})キー|秘密鍵|暗証番号)(?:は|が|を|も|として|に)[:：]?\s?"
            r"([!-~]{4,200}?)"
            r"(?=\s?(?:です|でした|だ(?:よ|った)?|でログイン|で入|と(?:入力|設定|し|なり|なっ|打)|に(?:変更|設定|更新|し|なり|決め|なって)|を(?:使|入力|入れ|設定)|。|、|」|$))"
        ),
        "sentences in Japanese without quotes",
        said=True,
    ),
)


def _all_of(lead: re.Pattern[str]) -> Callable[[str], Iterable[re.Match[str]]]:
    """Return what finds a lead in a line: once where it begins the line, which `finditer` tries everywhere."""
    if not lead.pattern.startswith("^"):
        return lambda low: lead.finditer(low)
    return lambda low: () if (found := lead.match(low)) is None else (found,)


_KANA: Final = lazy("[\u3040-\u30ff\u4e00-\u9fff]")
_PARTS: Final = ("pass", "code", " is", "key", "_", "-")
_ANY: Final = grouped(((one.mark, (one, _all_of(one.lead))) for one in PHRASES), *_PARTS)
_LATIN: Final = tuple(group for group in _ANY if not _KANA.search(group[0] or "鍵"))
_PLAIN: Final = grouped(
    (
        (mark, found)
        for _, group in _LATIN
        for mark, found in group
        if not (found[0].joined or has_joint(mark))
    ),
    *_PARTS,
)
"""All phrases, those of lines without Japanese, and of these the ones without a sign that joins."""


def find_phrases(text: str, low: str, *, joined: bool) -> Iterator[Span]:
    """Yield where secrets stand that are given in a phrase; `low` is `text` in lower case."""
    latin = low.isascii() or not _KANA.search(low)
    for part, group in (_LATIN if joined else _PLAIN) if latin else _ANY:
        if part in low:
            for mark, (phrase, all_of) in group:
                for found in all_of(low) if mark in low else ():
                    value = _value(text, found, phrase)
                    if value:
                        yield value.start, value.end


def _value(text: str, found: re.Match[str], phrase: Phrase) -> Value | None:
    named, given = (2, 1) if phrase.behind else (1, 2)
    name = text[slice(*found.span(named))]
    strength = Holds.PASSWORD if phrase.sure else holds(name)
    if strength is Holds.NOTHING:
        return None
    if found.re.groups > 1:
        value: Value | None = Value(*found.span(given), quoted=True)
    else:
        value = read_value(text, found.end())
    if value is None:
        return None
    word = text[value.start : value.end]
    if plain.is_plain(word, strength=strength, quoted=value.quoted, name=name):
        return None
    if value.quoted and not (phrase.said or phrase.sure) and plain.is_sentence(word, strength):
        return None
    if (
        not phrase.said
        or plain.is_said(word)
        or (strength is Holds.PASSWORD and plain.is_phrase(word))
    ):
        return None if phrase.said and plain.is_path(word) else value
    words = value.quoted and found.re.groups == 1 and " " in word
    return value if words and not plain.is_sentence(word) else None


_CANDIDATE: Final = lazy(
    r"(?<![A-Za-z0-9_+/.\-@*])(?=[A-Za-z0-9_+/.\-]{16})[A-Za-z0-9_+/][A-Za-z0-9_+/\-]*+"
    r"(?:\.[A-Za-z0-9][A-Za-z0-9_+/\-]*+)*"
)
_PADDING: Final = lazy(r"={0,2}")
_SHORTEST: Final = 16
_NEAR: Final = lazy(
    r"(?=[abcehjpst\u0080-\uffff])(?:(?:api|access|secret|private|auth|account|signing|encryption)[ _\-]?keys?|tokens?"
    r"|(?<!lib)secrets?|passwords?|passwd|passphrase|credentials?|bearer|apikey|authorization"
    r"|(?<![a-z])(?:jwt|(?:create)?hmac|cipher)[.a-z_(]*|パスワード|トークン|シークレット|秘密鍵|キー)(?![a-z])"
)
_CLOSE: Final = lazy(r"(?<![a-z])(?<!public[ _-])(?:key|o?auth[12]?|login|pwd|pass)(?![a-z])")
_SUM: Final = lazy(
    r"(?:sha[0-9]{0,3}|md5|digest|checksum|fingerprint|commit|revision|integrity|etag|hash|blob|tree"
    r"|ssh-[a-z0-9]+|nistp[0-9]+|base64|image|layer|request|trace|span|idempotency|h[0-9])\W[^=]{0,16}$|::\w+\[$"
)
_PUBLIC: Final = lazy(r"AAAA[BCE][0-9A-Za-z]")
_BEFORE: Final = 48
_AFTER: Final = 24
_CLOSELY: Final = 12
_IN_NAME: Final = lazy(r"[-.]\w")
"""What makes a word the first of a name, as in `secret-garden.epub`."""
_APART: Final = lazy(r"\s{2}")
_IS_KEY: Final = lazy(
    r"[\"'`]?\s{0,4}[(,–-]?\s?(?:private|secret|signing|api|encryption)[ _]key(?![a-z])"
)
_KEBAB: Final = lazy(
    r"(?:[a-z]{1,12}[0-9]{0,4}|[vx]?[0-9]{1,4}[a-z]?)(?:[-.](?:[a-z]{1,12}[0-9]{0,4}|[vx]?[0-9]{1,4}[a-z]?|[0-9a-f]{7,10})){2,12}"
)
"""Words, versions and dates that are written as one name."""
_LISTED: Final = lazy(r"(?:passwords?|secrets|tokens|keys|credentials)\W*\Z")
_SUMS: Final = (40, 64)
"""Lengths of the hashes of commits and files, which stand beside any word."""


def find_near(text: str, low: str) -> Iterator[Span]:
    """Yield where random words stand near a word that speaks of secrets."""
    context: _Context | None = None
    for found in _CANDIDATE.finditer(text):
        start, end = found.span()
        word = found[0]
        if end - start < _SHORTEST or not (plain.looks_random(word) or plain.is_hex(word)):
            continue
        context = context or _Context(low)
        if context.is_empty():
            return
        padding = _PADDING.match(text, end)
        span = (start, padding.end() if padding else end)
        if _is_secret(text[slice(*span)], span, context):
            yield span


class _Context:
    """Where in a line the words stand that speak of secrets."""

    def __init__(self, low: str) -> None:
        self.low = low
        words = [*_NEAR.finditer(low)]
        self._starts = [word.start() for word in words if not _IN_NAME.match(low, word.end())]
        self._ends = [word.end() for word in words]
        self._close = [word.end() for word in _CLOSE.finditer(low)]

    def is_empty(self) -> bool:
        """Tell whether the line has no such word."""
        return not (self._ends or self._close)

    def ends_before(self, at: int, reach: int) -> bool:
        """Tell whether a word that names secrets ends in so many characters before `at`."""
        return plain.any_within(self._ends, at - reach, at)

    def is_key(self, at: int) -> bool:
        """Tell whether it is said right behind the place that a private key stands there."""
        return _IS_KEY.match(self.low, at) is not None

    def is_around(self, span: Span) -> bool:
        """Tell whether a random word at that place is near enough to count as a secret."""
        start, end = span
        return (
            self.ends_before(start, _BEFORE)
            or (
                plain.any_within(self._starts, end, end + _AFTER)
                and not _APART.match(self.low, end)  # of another column
            )
            or plain.any_within(self._close, start - _CLOSELY, start)
        )


def _is_secret(word: str, span: Span, context: _Context) -> bool:
    start = span[0]
    if (
        not context.is_around(span)
        or plain.is_uuid(word)
        or plain.is_numbered(word)
        or _PUBLIC.match(word)
    ):
        return False
    if context.low.startswith("(", span[1]) or _KEBAB.fullmatch(word):
        return False
    if word[0] in "/~." and not any(len(part) >= _SHORTEST for part in word.split("/")):
        return False
    if plain.is_hex(word):
        if context.is_key(span[1]):
            return True
        if len(word) in _SUMS and _LISTED.search(context.low, max(0, start - 24), start):
            return False
        reach = _CLOSELY // 3 if len(word) in _SUMS else _AFTER
        named = len(word) >= 24 and not word.isdigit() and context.ends_before(start, reach)
    else:
        named = plain.looks_random(word)
    return named and _SUM.search(context.low[max(0, start - 64) : start]) is None
