"""Finds secrets by the name before them: `name=value`, `"name": "value"`, arguments of calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from nagomi_tui.masking import wrapped
from nagomi_tui.masking.names import Holds, counts, holds, is_number, switches
from nagomi_tui.masking.plain import (
    WORDS,
    is_given,
    is_hex,
    is_made,
    is_plain,
    is_plain_value,
    is_said,
    is_sentence,
    is_uuid,
    is_wordy,
    looks_random,
)
from nagomi_tui.masking.values import REDACTED, Span, Value, read_rest, read_value
from nagomi_tui.text.patterns import lazy

_NAME_CHARACTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_NAME_REACH: Final = 48

_TERM: Final = (
    r"(?:(?:api|access|private|secret|account|licen[sc]e|signing|auth|encryption|seed|recovery|service|app|application|aes|hmac|client|shared|master|deploy|session|admin|join|write)"
    r"[ ]?(?:key|phrase)|pass(?:w|[ _]?phrase|code)|pass(?=[\"'\\\]]{0,3}\s{0,8}[:=])|pwd|secret|token"
    r"|cred(?=s|ent)|key|auth|sessionid|sessid|\.sid|otp|mnemonic|passwort|psk|salt|_pat(?![a-z])|_session(?=[\"']?[:=])|session(?<![a-z]session)(?=[\"']?\s{0,3}[:=])|pw(?<![a-z]pw)(?=[\"']?\s{0,3}[:=：＝])|sonar\.login"
    r"|p(?<![a-z]p)in(?:[ -]?code)?(?=[\"']?\s{0,3}[:=：＝])|[mcskwajhştg](?<![a-z].)(?:(?<=m)ot[ _-]?de[ _-]?passe|(?<=c)ontrase[ñn]a|(?<=s)enha|(?<=k)ennwort|(?<=w)achtwoord|(?<=a)dgangskode|(?<=s)alasana|(?<=j)elszó|(?<=h)eslo|(?<=ş)ifre|(?<=c)lave|(?<=t)kn"
    r"|(?<=c)hiave segreta|(?<=c)have secreta|(?<=c)lave secreta|(?<=c)lé secrète|(?<=g)eheim|(?<=m)ật khẩu)|privkey|pepper(?=\s?[=:])|secret[ ]id(?=\s{0,12}[:=])|key[ ](?:content|material|value)(?=\s{0,40}[:=])"
    r"|パスワード|パスフレーズ|トークン|シークレット|キー|秘密鍵|暗証番号|合言葉|密[码碼钥]|口令|令牌|비밀번호|암호|토큰|пароль|токен|секрет|lösenord|hasło|κωδικός|סיסמה|รหัสผ่าน)"
)
_ASSIGNED: Final = lazy(
    r"(?=[._acdeghjklmoprstw\u0080-\uffff])"  # a quick look
    + _TERM
    + r"[a-z0-9_\-]{0,48}+(?:\.(?:stdout|value|result|plaintext|content|default))?"
    r"(?:\\{0,3}[\"'`])?(?:\]|\[[0-9]{0,3}\])?(?: [\[(][^\[\]()]{0,24}[\])])?[ \t\u3000]{0,40}+"
    r"(?::=|=>|<-|[?+]?=(?![=~>])|:(?![:=])|[：＝])[ \t\u3000]{0,40}+",
)
_JOINT: Final = lazy(r"<-|[:=：＝](?<!::)(?<!==)(?![:=]*[ \t\u3000]*$)(?!:|=(?!>))")
"""What may join a name to its value; of all that cost little this tells best that there is none."""
_REACH: Final = 240
_END_OF_NAME: Final = lazy(
    r"(?:\.(?:stdout|value|result|plaintext|content|default))?(?:\\{0,3}[\"'`])?\]?(?: [\[(][^\[\]()]{0,24}[\])])?[ \t\u3000]*(?::=|=>|<-|[?+]?=|[:：＝])[ \t\u3000]*$"
)
_VARIABLE: Final = lazy(r"[A-Z][A-Z0-9_]*")
_PARSED: Final = lazy(
    r"(?i)(?:unexpected|invalid|unknown|bad|illegal|expected|reserved|next|per|each) $"
)
_REFUSED: Final = lazy(r"(?i)(?:invalid|wrong|bad|weak|incorrect) $")
_YAML_LEAD: Final = lazy(r"[\s\-+|>│┃*#]*[\"']?")
_SPOKEN_LEAD: Final = lazy(r"[\s\-+|>│┃*#]*(?:[\w.-]{1,20}:? ){1,3}")
"""One to three words before a name, as programs and people set there."""
_SOME_WORDS: Final = lazy(r"\w+(?: [\w'-]+){1,6}")
_EXPECTING: Final = lazy(_TERM + r"[^:：=|>]{0,80}[\"']?\s?[:：=]\s?[|>]?[-+]?\s*$")
_LONGEST: Final = 200
_COMMAND: Final = lazy(
    r"\s-|[|&;=<>/$`(]|^\S+ (?:sudo|env|psql|pg_\w+|mysql\w*|mariadb\w*|redis-cli|mongo\w*|ssh\w*|docker|podman|make|npm|npx"
    r"|yarn|pnpm|python[0-9.]*|node|go|cargo|pytest|bash|sh|terraform|ansible\S*|curl|git|kubectl|helm|restic|borg|uv|java"
    r"|ruby|rails|php|artisan|deno|bun|dotnet|gradle|mvn|vault|aws|gcloud|az|rclone|duplicity|openssl|gpg|rsync|scp|sftp)\b"
)
"""What follows a variable that is set for one command."""
_PUBLIC: Final = lazy(r"fingerprint|sha[0-9]|public|digest|commit|checksum|identifier|x509|serial")
_CHANGED: Final = lazy(r"[\"'] -> [\"']([^\"']++)")
_ASCII: Final = lazy(r"[!-~]+")
_BYTES: Final = lazy(r" bytes\b")
_MORE: Final = lazy(r" [a-z]{2,20}(?:[ ,.]|$)")
_SUBJECT: Final = lazy(r" [A-Z][a-z]+ ")
"""The first word of a commit's subject."""
_KEYS: Final = lazy(r"(?<![ァ-ー])キー\s?[:：]\s?$")
"""A key of the keyboard, as Japanese names it."""
_ALONE: Final = lazy(r"\s*(?:- |export |set )?[\w.\-\[\]/]*")
"""What stands before the last part of a name that begins its line."""
_DIGITS: Final = lazy(r"[0-9]{4,8}")
_SOURCES: Final = lazy(r"(?:files|compat|systemd|sss|ldap|nis|db|winbind)(?: (?:\[[^\]]*\]|\w+))*")
_PHRASE: Final = lazy(r"(?:[a-z]{3,8} ){11}|[0-9]")
_PART: Final = lazy(r";(?:[\w ]{1,40}=|\s*[\"']|\s*$)")
_LOGIN_PAIR: Final = lazy(r"[\w.@\\-]{1,32}:([^\s/:]{6,128})")
"""A user and a password, as stand behind `credentials:`."""


def find_pairs(text: str, low: str) -> Iterator[Span]:
    """Yield where the values of names stand that hold a secret; `low` is `text` in lower case."""
    if "{" in text:
        yield from _nested(text, low)
    joint = _JOINT.search(text)
    at = max(0, joint.start() - _REACH) if joint else len(text)
    while found := _ASSIGNED.search(low, at):
        at = found.end()
        if numbers := _NUMBERS.match(low, at):
            if holds(_name(text, found)[1].partition("[")[0]):
                yield numbers.span(1)
        elif listed := _LISTED.match(text, at):
            yield from _items(text, listed.end(), holds(_name(text, found)[1]))
        value = _value(text, found)
        if value:
            yield value.start, value.end
            at = value.end
            if value.quoted and (changed := _CHANGED.match(text, at)):
                yield changed.span(1)


def _items(text: str, at: int, strength: Holds) -> Iterator[Span]:
    """Yield the strings of a list under the name of secrets."""
    while strength >= Holds.SECRET and (item := _ITEM.match(text, at)):
        at = item.end()
        named = "." in item[2] and all(map(str.isidentifier, item[2].split(".")))
        long = strength is Holds.PASSWORD or len(item[2]) >= _LEAST_ITEM
        said = long and is_said(item[2]) and not named and not is_wordy(item[2])
        if said or looks_random(item[2]):
            yield item.span(2)


_NESTED: Final = lazy(
    r"(?:auth|tokens?|secrets?|credentials?|creds|passwords?|http-basic|bearer)[\"']?\s{0,2}(?::|=>?)\s{0,2}\{(?=.{0,200}[\"'][^\"']{8})"
)
"""A name of secrets, and an object under it."""
_FIELD: Final = lazy(
    r"[\s,{}]{0,8}[\"']?([\w.@:/-]{1,80})[\"']?\s{0,2}(?::|=>?)\s{0,2}(?:[\"']([^\"']{1,400})[\"']|(?=\{)|[\w.-]{1,40})"
)
_ABOUT: Final = lazy(
    r"(?i).*(?:id|name|type|url|uri|host|e?mail|user|login|at|path|file|hash|algorithm|scopes?|server|provider|kind|version)"
)
"""Fields that say something of a secret."""


def _nested(text: str, low: str) -> Iterator[Span]:
    """Yield the values of fields of an object whose name says that secrets are in it."""
    at = 0
    for found in _NESTED.finditer(low):
        if found.start() < at:
            continue  # it was read with the object around it
        at = found.end()
        while field := _FIELD.match(text, at):
            at = field.end()
            word = field[2]
            kept = word and (
                is_made(word, quoted=True) or (len(word) >= _LEAST_HEX and is_hex(word))
            )
            if kept and not _ABOUT.fullmatch(field[1]):
                yield field.span(2)


_LEAST_HEX: Final = 32


def expects(low: str) -> bool:
    """Tell whether the line ends in a name whose value is still to come on the next one."""
    return low.rstrip().endswith((":", "：", "=", "|", ">", "|-", ">-")) and bool(
        _EXPECTING.search(low[-120:]) and not _PUBLIC.search(low[-120:])
    )


def _value(text: str, found: re.Match[str]) -> Value | None:
    if text.startswith(REDACTED, found.end()) or text.startswith(REDACTED, found.end() + 1):
        return None
    start, name = _name(text, found)
    strength = holds(name)
    if name.lower().endswith(("secret_id", "secretid", "secret-id", "secret id")):
        value = read_value(text, found.end())
        return value if value and is_uuid(text[value.start : value.end]) else None
    if strength is Holds.NOTHING or _is_selector(text, start, found):
        return None
    if text[start - 1 : start] == "{" and found[0].endswith("=> "):
        return None  # a file that git says was renamed
    if strength is Holds.SECRET and _PARSED.search(text[max(0, start - 12) : start]):
        strength = Holds.PERHAPS
    if found[0].endswith(" :") and text.startswith("'", found.end()):
        return None  # a variable of psql
    value = read_value(text, found.end())
    follows = found[0].endswith(":") and strength is not Holds.PASSWORD
    said = text[value.start : value.end] if value else ""
    if (
        value
        and said.isdigit()
        and (follows or (len(said) < 4 and found[0].rstrip().endswith('":')))
    ):
        return None
    if (
        value
        and _REFUSED.search(text[max(0, start - 12) : start])
        and text[value.start : value.end].isalpha()
    ):
        return None
    if found[0].endswith(":") and follows and said.isalpha() and said.islower():
        return None  # a subcommand: secret:create
    if value and not value.quoted and text[start - 1 : start] == ";":
        value = _part(text, value)
    if value and not value.quoted and found[0].endswith("="):
        value = _quoted_pair(text, start, value) or _variable(text, start, value, strength)
    if value is None:
        return None
    if text.startswith("${", start - 2) and (
        text[value.start] in "?}"
        or (text[value.start] in "-=+" and not is_said(said.strip("-=+}")))
    ):
        return None
    if value.quoted and found[0].endswith("="):
        value = _quoted_line(text, start, value)
    if value.quoted and text[value.start - 1] == "`" and found[0].endswith("="):
        return None if " " in text[value.start : value.end] else value
    if not name.isascii() and not value.quoted:
        return _japanese(text, value)
    if is_number(name):
        return value if _DIGITS.fullmatch(text, value.start, value.end) else None
    if strength is Holds.PERHAPS and (login := _LOGIN_PAIR.fullmatch(text, value.start, value.end)):
        return Value(*login.span(1), quoted=True) if is_said(login[1]) else None
    plain = is_plain_value(text, value, strength=strength, name=name)
    plain = plain or _is_told(text, value, strength) or _is_prose(text, value, strength, found)
    if plain and not (strength >= Holds.SECRET and _is_set(text, value, name, found)):
        return None
    if strength is Holds.PASSWORD and not value.quoted and _is_spoken(text, start, value, found):
        return read_rest(text, value.start)
    if strength is Holds.PASSWORD and not value.quoted and _is_yaml(text, start, found):
        rest = read_rest(text, value.start)
        said = text[rest.start : rest.end] if rest else ""
        prose = (name == "passwd" and _is_words(said)) or (
            name == "mnemonic" and not _PHRASE.search(said)
        )
        return None if prose else rest
    return value


def _part(text: str, value: Value) -> Value:
    """Return the value of a connection string, in which blanks may stand up to the semicolon."""
    end = text.find(";", value.end)
    said = text[value.end : end]
    if end < 0 or not said.startswith(" ") or "=" in said or not _PART.match(text, end):
        return value
    return Value(value.start, end, quoted=False)


def _is_words(said: str) -> bool:
    """Tell whether the value speaks of passwords, or says where they are looked up."""
    return is_sentence(said) or _SOURCES.fullmatch(said) is not None


def _quoted_pair(text: str, start: int, value: Value) -> Value | None:
    """Return the value of a pair that stands in quotes, name and all: `"PASSWORD=two words"`."""
    quote = text[start - 1 : start]
    if not quote or quote not in "\"'":
        return None
    end = text.find(quote, value.start, value.start + _LONGEST)
    if end < 0 and len(text) <= value.start + _LONGEST:
        end = wrapped.ends(text)  # It goes on in the next row.
    if end <= value.start or text[end - 1] == "\\":
        return None
    return Value(value.start, end, quoted=False)


def _variable(text: str, start: int, value: Value, strength: Holds) -> Value:
    """Return the value of a variable alone on its line, as `printenv` shows it, blanks included."""
    if strength is not Holds.PASSWORD or not _ALONE.fullmatch(text, 0, start):
        return value
    rest = read_rest(text, value.start)
    said = text[rest.start : rest.end] if rest else ""
    return rest if rest and " " in said and not _COMMAND.search(said) else value


def _quoted_line(text: str, start: int, value: Value) -> Value:
    """Return the value of a variable alone on its line up to the last quote, with those within."""
    line = text.rstrip()
    if line[-1:] != text[value.start - 1] or len(line) - 1 <= value.end:
        return value
    if text[value.end + 1].isspace():
        return value  # A command follows, with quotes of its own.
    within = text[value.start : len(line) - 1]
    if "=" in within or not _ALONE.fullmatch(text, 0, start):
        return value
    return Value(value.start, len(line) - 1, quoted=True)


def _is_set(text: str, value: Value, name: str, found: re.Match[str]) -> bool:
    """Tell whether a variable of the environment, which neither counts nor switches, is given a value."""
    if not found[0].endswith("=") or _VARIABLE.fullmatch(name) is None:
        return False
    return not counts(name) and not switches(name) and is_given(text[value.start : value.end])


def _is_selector(text: str, start: int, found: re.Match[str]) -> bool:
    """Tell whether the name is a value itself, as in `input[type="password"]:focus`, or of an ARN."""
    word = max(text.rfind(char, max(0, start - _NAME_REACH), start) for char in " \t\"'=")
    if text.startswith("arn:", word + 1):
        return True
    return "]" in found[0] and text[max(0, start - 2) : start].rstrip("\"'").endswith("=")


def _japanese(text: str, value: Value) -> Value | None:
    """Return what is no Japanese of a value, since words follow it without a blank."""
    given = _ASCII.match(text, value.start, value.end)
    if (
        given is None
        or len(given[0]) < 4
        or (given[0].isalpha() and _KEYS.search(text, 0, value.start))
    ):
        return None
    plain = is_plain(given[0], strength=Holds.SECRET, quoted=False, name="")
    return None if plain else Value(*given.span(), quoted=False)


def _is_told(text: str, value: Value, strength: Holds) -> bool:
    """Tell whether the value only speaks of the secret: its size, or a sentence of a catalog."""
    word = text[value.start : value.end]
    if value.quoted:
        return is_sentence(word, strength)
    return word.isdigit() and _BYTES.match(text, value.end) is not None


def _is_prose(text: str, value: Value, strength: Holds, found: re.Match[str]) -> bool:
    """Tell whether a sentence follows the colon: a word of small letters, and another one."""
    word = text[value.start : value.end]
    if value.quoted or strength is Holds.PASSWORD or not found[0].rstrip().endswith(":"):
        return False
    if 7 <= len(word) <= 12 and is_hex(word):
        return _SUBJECT.match(text, value.end) is not None
    said = word.isalpha() and (word.islower() or word.istitle())
    return said and _MORE.match(text, value.end) is not None


def _name(text: str, found: re.Match[str]) -> tuple[int, str]:
    """Return where the whole name begins, and the name in its own case."""
    start = found.start()
    before = text[max(0, start - _NAME_REACH) : start]
    start -= len(before) - len(before.rstrip(_NAME_CHARACTERS))
    name = _END_OF_NAME.sub("", text[found.start() : found.end()])
    if start == found.start() and name.lower() == "key" and text[start - 1 : start] == ".":
        before = text[max(0, start - _NAME_REACH) : start - 1]
        start -= 1 + len(before) - len(before.rstrip(_NAME_CHARACTERS))
    return start, text[start : found.start()] + name


def _is_yaml(text: str, start: int, found: re.Match[str]) -> bool:
    """Tell whether the name begins its line and a colon ends it: a value may then hold blanks."""
    if not found[0].rstrip().endswith((":", "：")) or start > 120:
        return False
    return _YAML_LEAD.fullmatch(text[:start]) is not None


def _is_spoken(text: str, start: int, value: Value, found: re.Match[str]) -> bool:
    """Tell whether words stand before the name, and behind it some that are no sentence."""
    if not found[0].endswith(": ") or not _SPOKEN_LEAD.fullmatch(text, 0, min(start, _LONGEST)):
        return False
    rest = read_rest(text, value.start)
    said = text[rest.start : rest.end] if rest else ""
    return _SOME_WORDS.fullmatch(said) is not None and WORDS.isdisjoint(said.lower().split())


_NEXT: Final = lazy(r",\s{0,16}[\"']")
_QUOTED: Final = lazy(r"\(\s{0,4}[\"']")
_ARGUMENTS: Final = lazy(
    r"(?:([a-z_]{3,40})[ ]?\(\s{0,4})?([\"']?)([a-z_][a-z0-9_.\-]{1,60}+)\2,\s{0,16}(?=[\"'])"
)
_GIVES: Final = ("set", "put", "define", "add", "append", "insert", "header", "replace", "update")
"""How functions begin, and end, that take a name and a value."""

_SETTER: Final = lazy(
    r"(?:set|with|use|new|::)_?([a-z_]{0,40}?(?:pass(?:word|wd|phrase|code)?|secret|token|key|pwd))"
    r"(?:::new)?\(\s{0,4}(?=[\"'])"
)
_HELD: Final = lazy(
    r"(?<![a-z_.])((?:pydantic\.)?(?:secret(?:str|string|value|bytes|text)|password|sensitive(?:string|value)?|hidden|masked))"
    r"\(\s{0,4}b?(?=[\"'])"
)
"""A value printed as the object that holds it."""
_HASHED: Final = lazy(
    r"(?:password_(?:hash|verify)|(?:hash|check)_?password|hashpw|bcrypt\.hash\w{0,8}|generate_password_hash)\(\s{0,4}b?(?=[\"'])"
)
_NUMBERS: Final = lazy(
    r"[\[{(]\s?((?:0x[0-9a-f]{1,2}|[0-9]{1,3})(?:,\s?(?:0x[0-9a-f]{1,2}|[0-9]{1,3})){7,})"
)
"""The bytes of a key."""
_LEAST_ITEM: Final = 16
_LISTED: Final = lazy(r"\[\s{0,4}(?=[\"'])")
_ITEM: Final = lazy(r"\s{0,8}([\"'])([^\"']{4,400})\1\s{0,4},?")
_TYPED: Final = lazy(r"([a-z_]{0,40}(?:secret|token|key|password))::(?:new|from)\((?=[\"'])")
_LOGIN: Final = lazy(
    r"(?<![a-z])(?:auth|basicauth|httpbasicauth|set_?basic_?auth|credentials?|log_?in|sign_?in|log_?on|authenticate|plainauth|username_pw_set)\s?=?\s?\(\s{0,4}"
    r"(?:[\"'][^\"']{1,80}[\"']|[a-z_][\w.]{0,40}),\s{0,8}(?=[\"'])"
)
_KEY_ID: Final = lazy(r"A[KS]IA[A-Z0-9]{16}(?=[^A-Za-z0-9])")
_KEPT_BESIDE: Final = lazy(
    r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{39,}[A-Za-z0-9/+=]{1,3}(?![A-Za-z0-9/+])"
)
_AFTER_SID: Final = lazy(r"AC[0-9a-f]{32}\W{1,8}([0-9a-f]{32})(?![0-9a-f])")


def find_calls(text: str, low: str) -> Iterator[Span]:
    """Yield where arguments stand that are secrets; `low` is `text` in lower case."""
    follows = _NEXT.search(text) is not None
    if follows:
        yield from _named(text, low)
    if follows or _QUOTED.search(text):
        for lead in (_SETTER, _HELD, _HASHED, _TYPED, _LOGIN):
            for found in lead.finditer(low):
                if value := _given(text, found):
                    yield value.start, value.end


_DEFAULT: Final = lazy(
    r"(?<![\w-])([a-z_][\w-]{1,60})[\"'`]?[\])]{0,2}\s{0,2}(?:or|\|\||\?\?)=?\s{0,2}(?=[\"'`])|\$\{([a-z_]\w{1,60}):[-=]"
)
"""A variable, and what stands for it where it is not set."""


def find_defaults(text: str, low: str) -> Iterator[Span]:
    """Yield what code takes where the variable of a secret is not set."""
    if not any(joint in low for joint in (" or ", "||", "??", ":-", ":=")):
        return
    for found in _DEFAULT.finditer(low):
        value = read_value(text, found.end())
        given = 1 if found[1] else 2
        if value is None or holds(text[slice(*found.span(given))]) < Holds.SECRET:
            continue
        word = text[value.start : value.end].rstrip("}")
        if is_said(word) and not _is_plain(word, Holds.PASSWORD, ""):
            yield value.start, value.start + len(word)


def find_beside_key_id(text: str) -> Iterator[Span]:
    """Yield the secrets that stand beside the id of their key, as in a CSV of AWS, or of an account."""
    if "AC" in text:
        yield from (found.span(1) for found in _AFTER_SID.finditer(text))
    if ("KIA" in text or "SIA" in text) and (known := _KEY_ID.search(text)):
        for found in _KEPT_BESIDE.finditer(text, known.end()):
            if looks_random(found[0]):
                yield found.span()


def _named(text: str, low: str) -> Iterator[Span]:
    """Yield values that follow their quoted name as the next argument."""
    for found in _ARGUMENTS.finditer(low):
        name = text[found.start(3) : found.end(3)]
        strength = holds(name)
        if strength is Holds.NOTHING or not (found[2] or name.rpartition(".")[2].isupper()):
            continue
        value = read_value(text, found.end())
        if value is None or not value.quoted:
            continue
        word = text[value.start : value.end]
        verb = (found[1] or "").lstrip("_")
        gives = verb.startswith(_GIVES) or verb.endswith(_GIVES)
        if gives:
            kept = strength is Holds.PASSWORD or _is_made(word)
        else:
            kept = strength is Holds.PASSWORD and is_said(word)
        if kept and not _is_plain(word, Holds.PASSWORD, name):
            yield value.start, value.end


def _is_made(word: str) -> bool:
    """Tell a key from the words that stand for one in tests: it is long, and not of one case."""
    head = word[:80]
    return is_said(head.replace(" ", "")) or (
        len(head) >= 10 and not (head.islower() or head.isupper())
    )


def _given(text: str, found: re.Match[str]) -> Value | None:
    """Return the quoted argument that the match leads to, if it may be a secret."""
    name = found[1] if found.re.groups and found.re.pattern != _HELD.pattern else "password"
    value = read_value(text, found.end())
    if holds(name) < Holds.SECRET or value is None or not value.quoted:
        return None
    plain = _is_plain(text[value.start : value.end], Holds.PASSWORD, name)
    return None if plain else value


def _is_plain(word: str, strength: Holds, name: str) -> bool:
    return is_plain(word, strength=strength, quoted=True, name=name) or is_sentence(word, strength)
