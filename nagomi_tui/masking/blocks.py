"""Secrets of several lines: private keys, and values that a line announces for the next ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from nagomi_tui.masking.finders import tables
from nagomi_tui.masking.finders.given import NAME
from nagomi_tui.masking.finders.pairs import expects
from nagomi_tui.masking.gate import lowered
from nagomi_tui.masking.names import Holds, holds
from nagomi_tui.masking.plain import (
    decoded,
    is_hex,
    is_made,
    is_plain,
    is_said,
    is_wordy,
    looks_random,
)
from nagomi_tui.masking.values import REDACTED, Span, bare_span, read_value
from nagomi_tui.masking.wrapped import Before, Cut, body
from nagomi_tui.text.patterns import lazy

Kind = Literal[
    "value", "text", "bytes", "base64", "codes", "netrc", "table", "keys", "send", "printed",
    "shown", "named", "words", "secret", "data", "public", "within", "tagged", "section",
]  # fmt: skip


class Ahead(msgspec.Struct, frozen=True):
    """What is expected of the next line."""

    kind: Kind
    indent: int = 0
    """Indentation of the name whose value follows below it, indented more; -1 where it is sure."""
    table: tables.Header | None = None


_TEXT: Final = lazy(r"(\s*(?:- )?)[\"']?([\w.-]{2,60})[\"']?\s?:\s?[|>][-+]?[0-9]?\s*")
_BYTES: Final = lazy(
    r"\s*(?:priv|privateexponent|prime[0-9]?|exponent[0-9]|coefficient|private-key|x):\s*"
)
_SOME_BYTES: Final = lazy(r"\s*(?:[0-9a-f]{2}:){0,40}[0-9a-f]{2}:?\s*", re.IGNORECASE)
_KEYS: Final = lazy(r"\W*(?:private|secret|signing|api|recovery) ?keys?\W*", re.IGNORECASE)
_A_KEY: Final = lazy(r"\s*(?:\([0-9]+\)|[0-9]+[.):]|[-*•])?\s*((?:0x)?[A-Za-z0-9+/=_-]{20,})\s*")
_RULED: Final = lazy(r"\s*[=\-─━~*]*\s*")
_ASKS: Final = lazy(r"expect\b.{0,20}(?:ssword|ssphrase|sscode|PIN|oken|ssw)")
_SEND: Final = lazy(r"\s*send(?:_user)?(?: --)? \"((?:[^\"\\]|\\[^rn]){3,200})(?:\\[rn]){0,2}\"")
_PRINTS: Final = lazy(
    r"(?:kubectl|oc) .*\bsecrets?\b.*(?:jsonpath|template)|\b(?:kubectl|oc) create token|\boc whoami (?:-t|--show-token)"
    r"|\bwg gen(?:key|psk)|\bopenssl rand|(?:^|[$#%>❯(] ?)(?:go)?pass (?:show )?(?:-\w+ )*[\w-]+/|\bvault (?:kv get|read) .*-field|\bop (?:read|item get)\b"
    r"|\bget-secret-value\b|\bget-parameters?\b.*decrypt|\bsecrets versions access\b|\bprint-(?:access|identity)-token"
    r"|\bkeyvault secret show|\bget-access-token|\bget-login-password|\bgh auth token|\bpwgen\b|\bfind-(?:generic|internet)-password"
    r"|\bsecret-tool lookup|\bnmcli .*(?:-s\b|--show-secrets).*psk|\bdoppler secrets get|\bbw (?:get password|generate|unlock --raw)|\bkeyring get|\bheroku config:get"
    r"|\bconsul keygen|\brails secret|\bkey:generate --show|\bkubeadm token|\bjoin-token\b.*-q|\blpass show|\bkeepassxc-cli\b"
    r"|\bterraform output .*(?:password|secret|token|key)|\b(?:pulumi config get|chamber read|credstash get) .*(?:password|secret|token|key)"
    r"|\bcat .*(?:/secrets?/|password|passwd\.txt|token|secret|credential|\.pass\b|api_?key)"
    r"|\b(?:echo|printenv|print) \"?\$?\{?\w*(?:PASS(?:WORD|WD|PHRASE)?|TOKEN|SECRET|API_?KEY|ACCESS_KEY|PRIVATE_KEY)\w*\}?\"?\s*\)?$"
    r"|\bgpg2? .*(?:-d\b|--decrypt)|\bsecrets\.token_\w+|/dev/u?random\b|\bhead -c|\bage-keygen\b|\bsops .*extract|\bmkpasswd\b|\bapg\b|\bdiceware\b"
    r"|\bjq -r .*\.(?:\w*_)?(?:token|password|secret|api_?key)|\bgit config .*(?:token|password)|\byq .*\.(?:token|password|secret)"
    r"|\bgrep .*(?:PASS|TOKEN|SECRET|KEY).*\|\s?(?:cut|awk|sed|tr|head|tail|base64)\b|\brandomBytes\b|\brandom_bytes\b"
)
_OPENS: Final = lazy(
    r"\b(?:ansible-vault|sops|eyaml|age|gpg2?) (?:[^\s|;]{1,40} ){0,3}(?:view|edit|-d|--decrypt|decrypt) [^|;]{0,80}\.(?:ya?ml|json|env|ini|toml|conf)\b"
)
"""A command that shows a file which was encrypted: each name in it has a secret for its value."""
_COMMAND: Final = lazy(
    r"[\s│┃|⎿└⏺●•]*(?:[^\s$#%>❯➜»]{0,60}[$#%>❯➜»]\s*|(?:Bash|Ran|Run|Shell)\b\(?\s?)?(?:sudo |time )?"
    r"(?:kubectl|oc|wg|openssl|g?o?pass|vault|op|aws|gcloud|az|gh|pwgen|security|secret-tool|doppler|bw|keyring|heroku"
    r"|consul|nmcli|ansible-vault|eyaml|age|gpg2?|(?:bin/|bundle exec )?rails|php|kubeadm|docker|lpass|keepassxc-cli|terraform|pulumi|chamber|credstash|cat"
    r"|echo|printenv|print|python3?|head|age-keygen|sops|mkpasswd|apg|diceware|jq|git|yq|curl|tr|base64|grep|node|ruby)\b"
)
_REACH: Final = 400
"""Characters of a command that are looked at."""
_PROMPTED: Final = lazy(
    r"(?:[\s│┃|⎿└⏺●•]*(?:Bash|Ran|Run|Shell|PowerShell|Execute)\b[( ]\s?|[^$#%>❯➜»λ]{0,80}[$#%>❯➜»λ]{1,3}\s|\((?:gdb|lldb|[Pp]db|dlv)\) |In \[[0-9]+\]: )(?=\S)"
)
"""A prompt, or what agents set before a command."""
_SIGNS: Final = lazy(r"[$#%>❯➜»λ⏺●•\]]")
_SHOWS: Final = lazy(
    r"(?i:^|[\s|;&(\"'])(?i:select|echo|printenv|printf?|cat|bat|less|head|tail|type|get|show|read|reveal|view|fetch|access|lookup"
    r"|decrypt|export|dump|output|generate|gen|new|create|issue|mint|rotate|reset|issue)(?:[-_:]\w+)*(?:\s|$)|\$env:|\bGet-\w"
)
"""What a command does that prints a secret, if it names one."""
_NAMES: Final = lazy(r"[A-Za-z_][\w.-]*")
_VERB: Final = lazy(r"\b(?:show|get|print|reveal|read|display)[-_:](?=[a-z])")
_SOURCE: Final = lazy(r"\.(?:py|[jt]sx?|go|rs|java|rb|cc?|h|cpp|cs|md|html|css|sh|php|lock|log)$")
_ASKED: Final = lazy(
    r"(?!ls|cd|rm|mkdir|touch|find|grep|vim?|nano|mv|cp|chmod|stat|file|wc|du)(?:[\w./-]+ ){1,3}"
    r"(?:[\w-]{1,20}:)?(?:token|password|passphrase|secret|api-?key)(?: -.*)?$"
)
"""A program that is asked for a secret by its subcommand alone."""
_EXPRESSION: Final = lazy(
    r"(?:(?:node|deno|python3?|ruby|perl|php) -\w+ )?[\"']?(?:print|puts|p|console\.log)?[\w.\[\]()\"'$:>-]*?[.\[(\"'$>](\w{3,60})[\"'\])]{0,4}"
)
"""What is evaluated at a prompt, with the name of a secret at its end."""
_NAMED: Final = lazy(
    r"[\s-]*(?:[\"']?(?:[nN]ame|[kK]ey|NAME|KEY)[\"']?\s?[:=]\s?[\"']?([\w.\-]{2,60})[\"']?,?|<(?:key|name)>([\w.\- ]{2,60})</(?:key|name)>)\s*"
)
_PHRASE: Final = lazy(
    r"(?:(?:recovery|seed|secret|backup|mnemonic) (?:phrase|words?)|mnemonic)(?: [^:：]{0,40})?\W{0,3}[:：]\s*$"
)
_TITLE: Final = lazy(r"\W*(?:your )?(?:(?:secret )?recovery|seed|backup|mnemonic|secret) phrase\W*")
_SOME_WORDS: Final = lazy(r"\s*(?:(?:[0-9]{1,2}[.):]?\s{1,4})?[a-z]{3,}+\s{0,8})+[\"']?")
"""Words of a phrase from which a wallet is made again, numbered or not."""
_A_WORD: Final = lazy(r"\s*[0-9]{1,2}[.):]?\s{1,4}[a-z]{3,8}\s*")
_LETTERS: Final = lazy(r"[a-z]+")
_CUT_PHRASE: Final = lazy(
    rf"(?i)(?:phrase|mnemonic|seed|words)[\"']?\s?[:=]\s?[\"']?{re.escape(REDACTED)}\s*$"
)
"""A phrase that a program wraps may go on in the next row."""
_ADDRESS: Final = lazy(r"(?!base64:)[a-z][a-z0-9+]{1,20}://")
_ALONE: Final = lazy(r"\s*((?:var\.)?[a-z_][\w-]{3,60})\s*")
"""The name of what is asked for in the next line."""
_NAME_ALONE: Final = lazy(r"\s*(?:/[\w./-]+|[0-9]+\) \"[\w.-]{1,60}\")\s*")
"""The name of what was asked for, above its value."""
_BULLET: Final = lazy(r"\s*[-*•]\s+")
_RESULT: Final = lazy(r"(?:\$[0-9]+ =|=>|[0-9]+\)|Out\[[0-9]+\]:|=)\s+")
_WITHIN: Final = lazy(
    r"(\s*)(?:[\w-]+ )?[\"']?([\w.-]{2,60})[\"']?(?: [\"'][\w.-]{1,60}[\"'])?\s{0,4}[:=]?\s{0,4}\{\s*"
)
_TAG: Final = lazy(r"\s*<([a-z][\w:.-]{2,40})>\s*")
_USER: Final = lazy(r"\s*[\w.@+-]{2,40}\s*")
"""A user's name, as stands above the password in files for programs."""
_SET: Final = lazy(
    r"\s*(?:-\s+|[\"']?[\w.@-]{1,64}[\"']?\s?[=:]\s?)[\"']?([^\s\"']{6,200})[\"']?\s*"
)
_SECTION: Final = lazy(
    r"(\s*)(?:\[{1,2}(?:[\w.-]{0,24}[._-])?(?:users|admins|accounts|logins|auth|credentials|passwords|secrets|tokens|keys)\]{1,2}"
    r"|[\"']?(?:[\w.-]{0,24}[._-])?(?:credentials|creds|passwords|secrets|tokens)[\"']?\s?(?::|[:=]?\s?\{))\s*",
    re.IGNORECASE,
)
"""Heads of sections and of maps in which each name has a secret for its value."""
_FIELD: Final = lazy(r".*\b(?:name|key|id)=[\"']([\w.-]{2,60})[\"']\s*")
_HEREDOC: Final = lazy(r"([A-Za-z_]\w{0,60})=[^=]{0,80}<<[-~]?\s?[\"'\\]?\w+[\"']?\s*$")
_PATIENT: Final = 20
"""Lines after which the end of a tag is not waited for any more."""
_VALUE: Final = lazy(
    r"\s*(?:[\"']?(?:[vV]alue|VALUE|[dD]efault|plaintext|content|current|result|Enter a value)[\"']?\s{0,8}[:=]\s?|<(?:string|value|data)>)(?=\S)"
)
"""A name and its value in lines of their own."""
_JSON_VALUE: Final = lazy(
    r"\s*\"(?i:value|secret_?(?:string|value|data)?|plaintext|payload|data|(?:random)?password|token|key|current)\"\s?:\s?\"([^\"]{4,4000})\""
)
_JSON: Final = lazy(r"\s*(?:[{\[]|\"[\w.-]+\"\s?:.*)\s*")
"""What a command prints as JSON before the value."""
_SUMMED: Final = lazy(r"\bgit (?!config|credential)|sum\b|\bmd5\b|\bdocker\b|\bpodman\b")
"""Commands that print hashes and the names of things."""
_FAILS: Final = lazy(
    r"(?i)\b(?:error|not|no|cannot|failed|denied|unable|usage)\b|[~\]:/@ ]\S*[$#%❯>]$"
)
_SECRET_KIND: Final = lazy(r"\s*[\"']?kind[\"']?:\s*[\"']?(?:Sealed)?Secret(?:List)?[\"']?,?\s*")
_DATA: Final = lazy(r"(\s*)[\"']?(data|stringData)[\"']?:\s*\{?\s*")
_ENTRY: Final = lazy(r"(\s+)[\"']?[\w.\-/]{1,100}[\"']?:\s+[\"']?(?=[^\"'\s])")
_CODED: Final = lazy(
    r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"
)
_KEY_BODY: Final = lazy(
    r"\s*(?=\S*[0-9+/])(?=\S*[A-Z])(?=\S*[a-z])[A-Za-z0-9+/]{64}(?:[A-Za-z0-9+/]{6}(?:[A-Za-z0-9+/]{6})?)?\s*"
)
_PICTURE: Final = lazy(
    r"\s*(?:iVBOR|R0lGOD|UEsDB|H4sI|JVBERi|/9j/|UklGR|PHN2Zy|PD94bWw|T2dnUw|SUQz)"
)
_PUBLIC: Final = lazy(r"-----BEGIN (?!.*(?:PRIVATE|SECRET))")
_NETRC: Final = lazy(
    r"\s*(?:default|(?:machine|login|account|port|password)\s+\S+)"
    r"(?:\s+(?:login|account|port|password)\s+\S+){0,5}\s*"
)
_NETRC_PASSWORD: Final = lazy(r"(?:^|\s)password\s+(\S+)")
_BASE64: Final = lazy(r"\s*(?:[A-Za-z0-9+/]{60,76}|[A-Za-z0-9+/]{1,75}=)={0,2}\s*")
_LAST_ROW: Final = lazy(r"\s*(?=\S*[0-9+/A-Z])[A-Za-z0-9+/]{4,76}={0,2}\s*")
_SOME_BASE64: Final = lazy(
    r"\s*[A-Za-z0-9+/]{1,76}={0,2}\s*|\s*=[A-Za-z0-9+/]{4}\s*|[A-Z][\w-]+: .*|\s*"
)
_WIDE: Final = 64
_ENCODED: Final = lazy(r"\s*LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,}\s*")
_CODES: Final = lazy(r"(?:recovery|backup|scratch|emergency|one-time) codes?\b")
_CODE: Final = r"(?=[a-z0-9-]*[0-9-])[a-z0-9]{4,12}(?:-[a-z0-9]{4,12}){0,5}"
_SOME_CODES: Final = lazy(
    rf"\s*(?:[0-9]{{1,2}}[.)]\s+)?({_CODE}(?:\s+{_CODE}){{0,3}})\s*", re.IGNORECASE
)
_ASKS_CODE: Final = lazy(
    r"(?:enter|type|input|provide|paste).{0,30}(?:code|otp|pin)\b.{0,60}[:：]\s*$|(?:認証|確認|検証)(?:コード|番号)[^:：]{0,30}[:：]\s*$"
)
_SURELY: Final = lazy(
    r"passw|passphrase|passcode|pwd|kennwort|パスワード|パスフレーズ|\b(?:enter|paste|copy|save|store|shown|once|new|generated|created|initial|temporary)\b"
)
"""What makes a line that ends in a name and a colon announce the secret itself."""
_ANNOUNCED: Final = lazy(
    rf"(?=[abcdeghijklmprstwz\u0080-\uffff])(?:{NAME}(?: [^:=]{{0,60}})? (?:reset|generated|created|rotated|issued|changed|regenerated|updated|set)\b[^:=]{{0,40}}[.!:]?\s*$"
    rf"|(?:generated|created|here(?:'s| is)|copy|save|store|below is|this is)\b[^:=]{{0,30}}{NAME}[^:=]{{0,60}}[.!:…]?\s*$|{NAME}は[^:=]{{0,8}}(?:次の(?:通り|とおり)|以下|下記|こちら)[^:=]{{0,8}}$)"
)
"""A line that says that a secret was made, which stands in the next one."""
_TELLS: Final = (
    "次の", "以下", "下記", "set", "ated", "issued", "changed", "here", "copy", "save", "store", "elow is", "his is",
)  # fmt: skip
"""What is in each line that announces one; a quick look."""
_LABELLED: Final = lazy(
    r"\s*(?:(?:[-*•>│┃║|]|C:)\s+)?(?:(?:new |your |the )?(?:value|key|token|secret|password|result|output)\s?[:=]\s*|string\([0-9]+\)\s)?",
    re.IGNORECASE,
)
_SILENT: Final = lazy(
    r"(?:ba|z|fi|da|k)?sh|ls|l[la]|cd|rm|mkdir|touch|find|fd|grep|rg|ag|ack|n?vim?|nano|emacs|code|mv|cp|ln|chmod|chown|stat|file|wc|du|df|git|hg|svn"
    r"|npm|npx|yarn|pnpm|pip3?|uv|cargo|go|make|cmake|ninja|pytest|tox|ruff|mypy|node|python[0-9.]*|docker|podman|kubectl|helm|tar|zip|unzip|diff|patch"
    r"|ssh|scp|rsync|curl|wget|apt|brew|dnf|systemctl|journalctl|ps|kill|which|whereis|man|watch|time|sed|awk|sort|uniq|cut|tr|tee|xargs|sha[0-9]+sum|md5sum|cksum|exit"
)
"""Programs that name a secret and print none."""
_OPEN: Final = frozenset(":：=|>-+0123456789")
"""Last characters of lines after which a value may follow."""

_GATHERED: Final = lazy(
    r"(?:[\w.-]{1,60}\s{0,20}\||\[[\w./-]{1,120}\]|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]{5,20}(?:Z|[+-][0-9:]{4,6})?"
    r"|[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} [\w.-]{1,64} [\w.@/-]{1,64}(?:\[[0-9]+\])?:)(?:\s|$)"
)
"""What stands before each line where the output of programs is gathered: the program, or the time."""

_LABEL: Final = 40
"""Characters of a line that is nothing but what a value is called."""
_SUM: Final = 24
"""Hexadecimal characters that are a key where one was announced."""


def awaited(text: str, ahead: Ahead) -> list[Span]:
    """Return where the secrets stand that an earlier line announced.

    What is masked in part is none, or masking twice would mask more.
    """
    first = 0 if ahead.table else gathered(text)
    text = text[first:]
    return [
        (first + start, first + end)
        for start, end in _awaited(text, ahead)
        if REDACTED not in text[start:end]
    ]


def gathered(text: str) -> int:
    """Return where a line of gathered output begins behind what is set before it; a row of a table may look alike."""
    found = _GATHERED.match(text)
    return found.end() if found else 0


def _awaited(text: str, ahead: Ahead) -> list[Span]:
    match ahead.kind:
        case "value":
            return _value(text, sure=ahead.indent < 0)
        case "text":
            return _text(text, ahead.indent)
        case "bytes":
            return bare_span(text) if _SOME_BYTES.fullmatch(text) else []
        case "base64":
            return bare_span(text) if _BASE64.fullmatch(text) or _LAST_ROW.fullmatch(text) else []
        case "codes":
            return [found.span(1)] if (found := _SOME_CODES.fullmatch(text)) else []
        case "netrc":
            netrc = _NETRC.fullmatch(lowered(text)) is not None
            return [found.span(1) for found in _NETRC_PASSWORD.finditer(text)] if netrc else []
        case "table":
            return tables.find_cells(text, ahead.table) if ahead.table else []
        case "keys":
            key = _A_KEY.fullmatch(text)
            return [key.span(1)] if key and _is_key(key[1]) else []
        case "send":
            return [found.span(1)] if (found := _SEND.match(text)) else []
        case "printed":
            return _printed(text)
        case "shown":
            return _shown(text)
        case "section":
            return (
                [found.span(1)]
                if (found := _SET.fullmatch(text))
                and _indent(text) > ahead.indent
                and (
                    is_made(found[1], quoted=True, sure=True)
                    or (len(found[1]) >= _SUM and is_hex(found[1]))
                )
                else []
            )
        case "words":
            return bare_span(text) if _are_words(text) else []
        case "named":
            return _given(text, sure=ahead.indent < 0)
        case "data" | "secret":
            entry = _ENTRY.match(text)
            if not entry or len(entry[1]) <= ahead.indent or ahead.indent < 0:
                return []
            value = text[entry.end() :].rstrip().rstrip(",").rstrip("\"'")
            kept = _is_kept(value, sure=ahead.kind == "secret")
            return [(entry.end(), entry.end() + len(value))] if kept else []
        case "public":
            return []
        case "within":
            return _given(text, sure=True)
        case "tagged":
            return _value(text, sure=True)


def _are_words(text: str) -> bool:
    """Tell whether a line may be of 4 to 24 words of 3 to 8 letters each, with blanks or none between, or of one with its number."""
    if _A_WORD.fullmatch(text):
        return True
    if _SOME_WORDS.fullmatch(text) is None:
        return False
    sizes = [len(letters) for letters in _LETTERS.findall(text)]
    return sum(size // 3 for size in sizes) >= 4 and sum(-(-size // 8) for size in sizes) <= 24


def begins_encoded(text: str) -> bool:
    """Tell whether a line is the first of a private key in base64 that goes on in the next."""
    return (
        "LS0tLS1CRUdJTi" in text
        and _ENCODED.fullmatch(text) is not None
        and "PRIVATE" in decoded(text.strip())
    )


def body_of(text: str, above: str) -> Ahead | None:
    """Return what goes on in the next lines where this one is of a body of base64 without a beginning.

    It may be a private key's, but not below what begins a public one, or a picture.
    """
    if len(text) < _WIDE or _KEY_BODY.fullmatch(text) is None:
        return None
    public = _PUBLIC.search(above) or _PICTURE.match(text)
    return Ahead("public" if public else "base64")


def told(text: str, before: Ahead | None, *, named: bool = True) -> Ahead | None:
    """Return what a line, masked, and what was awaited before it say of the next one.

    A line in which no name of a secret stands is no header of a table.
    """
    if "-----" in text and _PUBLIC.search(text) and "-----END" not in text:
        return Ahead("public")
    if before and before.table and not before.table.ruled:
        table = tables.ruled(text, before.table)
        return Ahead("table", table=table) if table else told(text, None, named=named)
    if before and before.kind == "secret" and before.indent < 0 and (data := _DATA.fullmatch(text)):
        return Ahead("secret", len(data[1]))
    if before and before.kind == "tagged":
        left = before.indent - 1
        return Ahead("tagged", left) if left > 0 and "</" not in text else None
    if before and _goes_on(text if before.table else text[gathered(text) :], before):
        return before
    if (
        before
        and before.kind in ("printed", "shown")
        and not before.indent
        and _USER.fullmatch(text)
    ):
        return Ahead(before.kind, 1)
    if "{" in text and (within := _WITHIN.fullmatch(text)) and holds(within[2]) >= Holds.SECRET:
        return Ahead("within", len(within[1]))
    if ">" in text and (tag := _TAG.fullmatch(text)) and holds(tag[1]) >= Holds.SECRET:
        return Ahead("tagged", _PATIENT)
    if ("]" in text or ":" in text or "{" in text) and (section := _SECTION.fullmatch(text)):
        return Ahead("section", -1 if "[" in text else len(section[1]))
    if text.rstrip()[-1:] in _OPEN and (ahead := _opened(text)):
        return ahead
    if "=" in text and text.rstrip()[-1:] in "\"'" and (field := _FIELD.fullmatch(text)):
        return Ahead("value", -1) if holds(field[1]) >= Holds.SECRET else None
    if "<<" in text and (field := _HEREDOC.search(text[-200:])):
        return Ahead("value", -1) if holds(field[1]) >= Holds.SECRET else None
    if "code" in text and _CODES.search(lowered(text)):
        return Ahead("codes")
    if _KEYS.fullmatch(text):
        return Ahead("keys")
    if REDACTED in text and _CUT_PHRASE.search(text):
        return Ahead("words")
    if "hrase" in text and _TITLE.fullmatch(lowered(text)):
        return Ahead("words")
    if "expect" in text and _ASKS.search(text) and "send" not in text:
        return Ahead("send")
    if "ecret" in text and _SECRET_KIND.fullmatch(text):
        return Ahead("secret", -1)
    if "ata" in text and (data := _DATA.fullmatch(text)):
        return Ahead("secret" if data[2] == "stringData" else "data", len(data[1]))
    if "334 " in text[:8] and "assw" in decoded(text.partition("334 ")[2].rstrip()):
        return Ahead("value", -1)
    if _COMMAND.match(text) and _OPENS.search(text[:_REACH]):
        return Ahead("section", -1)
    if named and text.startswith("# ") and (table := tables.header(text)):
        return Ahead("table", table=table)
    if kind := _prints(text):
        return Ahead(kind)
    if named and _announces(lowered(text)) and not ("  " in text and text.isupper()):
        return Ahead("value", -1)
    if ("ame" in text or "ey" in text) and (entry := _NAMED.fullmatch(text)):
        kind_of = holds(entry[1] or entry[2])
        if kind_of >= Holds.SECRET or (kind_of and (entry[1] or "").isupper()):
            return Ahead("named", -1 if kind_of is Holds.PASSWORD else 0)
    if named and (alone := _ALONE.fullmatch(text)) and holds(alone[1]) >= Holds.SECRET:
        return Ahead("named", -1)
    if ("machine" in text or "login" in text) and _NETRC.fullmatch(text):
        return Ahead("netrc")
    table = (tables.header(text) or tables.selected(text)) if named else None
    return Ahead("table", table=table) if table else None


def _prints(text: str) -> Literal["printed", "shown", "value"] | None:
    """Tell whether a line is a command that prints a secret: it shows something, and names one."""
    if _COMMAND.match(text) and _PRINTS.search(text[slice(*body(text))][:_REACH]):
        return "printed"
    prompt = _PROMPTED.match(text) if text[:1] == "(" or _SIGNS.search(text) else None
    if prompt is None:
        return None
    said = text[prompt.end() :][:_REACH]
    if _SUMMED.search(said) or tables.selected(text):
        return None
    if _ASKED.match(said):
        return "shown"
    if (named := _EXPRESSION.fullmatch(said.rstrip())) and holds(named[1]) >= Holds.SECRET:
        return "shown"
    program = said.partition(" ")[0].rpartition("/")[2]
    if not _SHOWS.search(said) and (not program.islower() or _SILENT.fullmatch(program)):
        return None
    names = [name for name in _NAMES.findall(_VERB.sub("", said)) if not _SOURCE.search(name)]
    strength = max(map(holds, names), default=Holds.NOTHING)
    if strength is Holds.PERHAPS:
        return "value"
    return "shown" if strength >= Holds.SECRET else None


def _announces(low: str) -> bool:
    """Tell whether a line says that a secret was made, which stands in the next one."""
    return any(map(low.__contains__, _TELLS)) and _ANNOUNCED.search(low) is not None


def _opened(text: str) -> Ahead | None:
    """Return what a line announces that ends in a name and a colon, or the like."""
    if found := _TEXT.fullmatch(text):
        return Ahead("text", len(found[1])) if holds(found[2]) >= Holds.SECRET else None
    low = lowered(text)
    if text.rstrip()[-1] in ":：":
        if _BYTES.fullmatch(low):
            return Ahead("bytes")
        if ("phrase" in low or "mnemonic" in low or " words" in low) and _PHRASE.search(low):
            return Ahead("words")
        if _ASKS_CODE.search(low):
            return Ahead("codes")
    if not expects(low) or _CODES.search(low):
        return None
    sure = _SURELY.search(low) or (len(low) < _LABEL and " " in low.strip() and ":" in low[-3:])
    return Ahead("value", -1 if sure else 0)


def _goes_on(text: str, before: Ahead) -> bool:
    match before.kind:
        case "value":
            return not text.strip() or (REDACTED in text and _BULLET.match(text) is not None)
        case "text":
            return not text.strip() or _indent(text) > before.indent
        case "bytes":
            bare = text.strip()
            return bare == REDACTED or bool(
                _SOME_BYTES.fullmatch(bare) or _BYTES.fullmatch(lowered(text))
            )
        case "base64":
            return text.strip() == REDACTED
        case "words":
            return text.strip() in ("", REDACTED)
        case "codes":
            bare = text.strip()
            return not bare or bare.endswith(REDACTED) or _SOME_CODES.fullmatch(bare) is not None
        case "netrc":
            return _NETRC.fullmatch(lowered(text)) is not None
        case "keys":
            return REDACTED in text or _RULED.fullmatch(text) is not None
        case "send":
            return not text.strip() or text.lstrip().startswith("#")
        case "shown" if _NAME_ALONE.fullmatch(text) or _RULED.fullmatch(text):
            return True
        case "shown" if text[:1] == " " and holds(text.strip()) >= Holds.SECRET:
            return True
        case "printed" | "shown" if _JSON.fullmatch(text):
            return True
        case "printed" | "shown" | "named":
            return not text.strip()
        case "section":
            named = bool(text.strip()) and not text.lstrip().startswith("[")
            return named and _indent(text) > before.indent
        case "secret" | "data":
            return _is_within(text, before)
        case "within":
            return _indent(text) > before.indent
        case "tagged":
            return False
        case "public":
            return _SOME_BASE64.fullmatch(text) is not None
        case "table":
            return before.table is not None and tables.belongs(text, before.table)


def _value(text: str, *, sure: bool) -> list[Span]:
    """Return the only word of a line whose name stood before it, if it looks like a secret."""
    lead = (_LABELLED if sure else _BULLET).match(text)
    bare = text[lead.end() if lead else 0 :].strip("\"',;`│┃║| \t\r\xa0\u3000")
    if len(bare) < 8 - 2 * sure or len(bare.split()) != 1:
        return []
    made = sure and is_made(bare) and not is_hex(bare)
    if not made and not looks_random(bare) and not (len(bare) >= _SUM and is_hex(bare)):
        return []
    start = text.index(bare, lead.end() if lead else 0)
    return [(start, start + len(bare))]


def _text(text: str, indent: int) -> list[Span]:
    bare = text.strip()
    if _indent(text) <= indent or bare.startswith("-----"):
        return []
    plain = is_plain(bare, strength=Holds.PASSWORD, quoted=False, name="")
    return [] if plain else bare_span(text)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _printed(text: str) -> list[Span]:
    """Return the only word that a command prints which tells a secret."""
    if field := _JSON_VALUE.match(text):
        return [field.span(1)] if is_said(field[1]) or looks_random(field[1]) else []
    first, last = body(text)
    if result := _RESULT.match(text, first, last):
        first = result.end()
    if last - first > 2 and text[first] in "\"'" and text[first] == text[last - 1]:
        first, last = first + 1, last - 1
    word = text[first:last]
    if len(word) < 6 or len(word.split()) > 1 or _FAILS.search(word) or _ADDRESS.match(word):
        return []
    if word[:1] in "/~." and not looks_random(word):
        return []
    secret = is_said(word) or looks_random(word) or len(word) >= _SUM
    return (
        [(first, last)]
        if secret and not is_plain(word, strength=Holds.PASSWORD, quoted=True, name="")
        else []
    )


def _shown(text: str) -> list[Span]:
    """Return the only word that a command prints which names a secret, unless it is a name itself."""
    first, last = body(text)
    if result := _RESULT.match(text, first, last):
        first = result.end()
    word = text[first:last]
    if len(word) > 5 and word[0] in "\"'" and word[-1] == word[0] and "/" not in word:
        plain = is_plain(word[1:-1], strength=Holds.PASSWORD, quoted=True, name="")
        plain = plain or " " in word or holds(word[1:-1]) > Holds.NOTHING
        return [] if plain else [(first + 1, last - 1)]
    if "/" in word and not looks_random(word):
        return []
    return [] if is_wordy(word) else _printed(text)


def _given(text: str, *, sure: bool) -> list[Span]:
    """Return the value whose name stands in the line above."""
    found = _VALUE.match(text)
    value = read_value(text, found.end()) if found else None
    if value is None:
        return []
    end = value.end
    if not value.quoted:
        end = text.find("</", value.start) if "</" in text else len(text.rstrip())
    word = text[value.start : end]
    plain = is_plain(word, strength=Holds.PASSWORD, quoted=value.quoted, name="")
    return [(value.start, end)] if not plain and (sure or is_said(word)) else []


def _is_key(word: str) -> bool:
    return looks_random(word) or is_hex(word)


def _is_kept(value: str, *, sure: bool) -> bool:
    """Tell whether a value of a manifest's data is a secret: all are in a Secret, base64 elsewhere."""
    if is_plain(value, strength=Holds.PASSWORD, quoted=True, name="") or value in "|>{[":
        return False
    coded = len(value) >= 8 and _CODED.fullmatch(value) is not None
    return (sure and len(value) > 3) or (coded and (value.endswith("=") or looks_random(value)))


def _is_within(text: str, before: Ahead) -> bool:
    """Tell whether a line still belongs to a Secret, or to the data of one."""
    if before.indent < 0:
        return not text.startswith("---") and _SECRET_KIND.fullmatch(text) is None
    return not text.strip() or _indent(text) > before.indent


_KIND: Final = r"[A-Z0-9 ]{0,40}?(?:(?:PRIVATE|SECRET) KEY(?: BLOCK)?|SEED|JWT|OpenVPN Static key V[0-9]) ?-{4,6}"
_BEGIN: Final = lazy(rf"-{{4,6}} ?BEGIN {_KIND}")
_END: Final = lazy(rf"-{{4,6}} ?END {_KIND}")
_CLOSES: Final = lazy(
    rf"{_END.pattern}|-{{4,6}} ?END[A-Z0-9 ]{{0,40}}-{{0,3}}$|^(?!\W{{0,20}}BEGIN)\W{{0,20}}[A-Z0-9 ]{{0,40}}-{{4,6}}"
)
"""The END of a block, or what a row's end left of it."""
_COUNTED: Final = lazy(r"\s*Private-Lines: ([0-9]{1,4})\s*")
_BODY: Final = lazy(r"\W*(?:[0-9]+\W+)?[A-Za-z0-9+/=]{16,}\W*")
_MERE: Final = lazy(
    r"\W*(?:[0-9]+\W+)?(?=\S*[0-9+/])(?=\S*[A-Z])(?=\S*[a-z])[A-Za-z0-9+/=]{40,}\W*"
)
_LINE: Final = 40
_LAST: Final = lazy(r"\W*(?:[0-9]+\W+)?[A-Za-z0-9+/=]{1,80}\W*")
_ENCRYPTED: Final = lazy(r"ENC\[AES256_GCM,[^\]]*\]")
"""A value that sops has encrypted."""
_MATERIAL: Final = lazy(
    r"[A-Za-z0-9+/=]{16}|^\W*[A-Za-z0-9+/=]{1,80}\W*$|^[A-Za-z-]{3,20}: \S|\\[nr]"
)

_PATIENCE: Final = 4
"""Consecutive lines without key material that end a block whose END is missing."""

_LONGEST: Final = 4000
"""Lines after which a block counts as cut off; a key of 8192 bits takes a hundred."""


class MaskState(msgspec.Struct, frozen=True):
    """What masking remembers from one line to the next; equal states mask alike."""

    block: int = 0
    """Lines that may still follow in a private key block; 0 outside of one."""
    strange: int = 0
    """Consecutive lines in the block that did not look like key material."""
    counted: bool = False
    """The block said how many lines it has, as PuTTY's do."""
    ahead: Ahead | None = None
    """What the lines before said of the next one."""
    cut: Cut | None = None
    """The last row ended within a secret, or may have."""
    before: Before | None = None
    """The end of the last row, to be read together with the next one."""


CLEAR: Final = MaskState()
IN_BLOCK: Final = MaskState(block=_LONGEST)
"""A private key goes on in the next line."""


class Reading(msgspec.Struct, frozen=True):
    """What a line holds of private key blocks."""

    spans: list[Span]
    state: MaskState
    whole: bool = False
    """The line is within a block from end to end."""


def read(text: str, state: MaskState, above: str = "") -> Reading:
    """Read one line for private keys, given what was remembered before it and the end of a full row above it."""
    if not state.block:
        return _outside(text, 0, [], begun=_torn(text, above))
    if not state.counted:
        end = _CLOSES.search(text)
        begun = _BEGIN.search(text) if "BEGIN" in text else None
        if end and (begun is None or begun.start() > end.start() and _END.match(text, end.start())):
            return _outside(text, end.end(), _filled(text, 0, end.start()))
        if begun:
            return _outside(text, begun.start(), _filled(text, 0, begun.start()))
    return Reading(_filled(text, 0, len(text)), _after(text, state), whole=True)


def body_above(texts: Sequence[str], last: int) -> int:
    """Return how many lines above line `last` belong to a key that ends there, its BEGIN cut off."""
    if _BEGIN.search(texts[last]):
        return 0
    count = 0
    while count < last:
        text = texts[last - count - 1]
        shape = _BODY if count else _LAST
        if REDACTED in text or marks(text) or shape.fullmatch(text) is None:
            break
        count += 1
    return count


def orphaned(texts: Sequence[str]) -> int:
    """Return how many lines at the beginning may belong to a key whose BEGIN is not there."""
    count = 0
    while count < len(texts) and _BODY.fullmatch(texts[count]):
        count += 1
    ended = count + 1 < len(texts) and ends(texts[count + 1]) and _LAST.fullmatch(texts[count])
    return count + bool(ended)


def looks_like_key(text: str) -> bool:
    """Tell whether a line is nothing but material of a key, to be covered where none was begun."""
    return len(text) >= _LINE and _MERE.fullmatch(text) is not None


def covered(text: str) -> str:
    """Return a line masked whole, less the white space around it."""
    bare = text.strip()
    return text.replace(bare, REDACTED, 1) if bare else text


def marks(text: str) -> list[Span]:
    """Return where blocks begin and end in the line, and what is encrypted; masked text must show it as before."""
    if "ENC[AES256_GCM," in text:
        return [found.span() for found in _ENCRYPTED.finditer(text)]
    if not any(kind in text for kind in (" KEY", "SEED", "JWT", " key")) or "----" not in text:
        return []
    return [found.span() for mark in (_BEGIN, _END) for found in mark.finditer(text)]


def ends(text: str) -> bool:
    """Tell whether a private key block ends in the line."""
    return "END" in text and _END.search(text) is not None


def _torn(text: str, above: str) -> int:
    """Return where a block begins in a line, of whose BEGIN a part stands in the row above; 0 if none does."""
    first = body(text)[0]
    start = above.find("--") if "--" in text else -1
    for joint in ("", " ") if start >= 0 else ():
        torn = above[start:] + joint
        found = _BEGIN.search(torn + text[first:])
        if found and found.start() < len(torn) < found.end():
            return found.end() - len(torn) + first
    return 0


def _begins(text: str, at: int) -> int:
    found = _BEGIN.search(text, at) if "BEGIN" in text else None
    return found.end() if found else 0


def _outside(text: str, at: int, spans: list[Span], *, begun: int = 0) -> Reading:
    while begun := begun or _begins(text, at):
        end = _END.search(text, begun)
        if end is None:
            spans += _filled(text, begun, len(text))
            return Reading(spans, MaskState(block=_LONGEST, strange=_doubt(text[begun:])))
        spans += _filled(text, begun, end.start())
        at, begun = end.end(), 0
    counted = "Private-Lines" in text and _COUNTED.fullmatch(text)
    if counted and int(counted[1]):
        return Reading(spans, MaskState(block=int(counted[1]), counted=True))
    return Reading(spans, CLEAR)


def _doubt(rest: str) -> int:
    """Return how strange it is what follows a BEGIN: prose and code only speak of a key."""
    bare = rest.strip()
    if not re.search(r"[A-Za-z]", bare) or _is_material(bare):
        return 0
    return _PATIENCE - 1


def _after(text: str, state: MaskState) -> MaskState:
    left = state.block - 1
    bare = text.strip()
    strange = state.strange
    if bare and not state.counted:
        strange = 0 if _is_material(bare) else strange + 1
    if left <= 0 or strange >= _PATIENCE:
        return CLEAR
    return msgspec.structs.replace(state, block=left, strange=strange)


def _is_material(bare: str) -> bool:
    """Tell whether a line looks like part of a key.

    A masked one does not, or a stream masked twice would lose more the second time.
    """
    return bare != REDACTED and _MATERIAL.search(bare) is not None


def _filled(text: str, start: int, end: int) -> list[Span]:
    """Return the span of what stands there, less the white space around it."""
    return [(start + first, start + last) for first, last in bare_span(text[start:end])]
