"""Finds a secret by what is said around it, whatever stands between its name and itself.

A name that says secret, in any language, leads to the first made-up word behind the colon, arrow, dash or verb
that joins the two; a user's name leads to the password beside it; and a prompt to all that is typed there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.masking.names import Holds, listed
from nagomi_tui.masking.plain import (
    any_within,
    is_hex,
    is_made,
    is_plain,
    is_sentence,
    is_strong,
    is_wordy,
    looks_random,
)
from nagomi_tui.masking.values import REDACTED, read_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nagomi_tui.masking.values import Span

NAME: Final = (
    r"(?:pass(?:word|phrase|code|wd|wort)|(?<![a-z])p(?:wd|sswd)(?![a-z])|kennwort|kode(?:ord|wort)|zugangs(?:daten|code|schlüssel)|senha"
    r"|(?<![a-z])(?:heslo|clave|parola|sandi|jeton|şifre|sifre)(?![a-z])|wachtwoord|adgangskode|salasana|jelszó|lösenord|hasło|contraseñ[ae]|mot de passe|mật khẩu"
    r"|chiave segreta|chave secreta|(?:clé|clef) (?:secrète|api|d'api)|geheim(?:nis|er schlüssel)"
    r"|пароль|токен|секрет|κωδικ|סיסמ|كلمة المرور|รหัสผ่าน|पासवर्ड|비밀번호|암호|토큰|密[码碼钥鑰]|口令|令牌"
    r"|(?<![a-z_-])(?:secret|(?:api|access|auth|private|secret|signing|encryption|recovery|license|master|admin|client|deploy|registration|join|setup|bootstrap)[ _-]?(?:key|secret|token)|token|credentials?)(?![a-z])"
    r"|パスワード|パスフレーズ|トークン|シークレット|秘密鍵|合言葉|暗証番号)"
)
"""Words that say secret, in text of small letters."""

_TAIL: Final = (
    r"(?:[a-z0-9_]{0,24})[\"'`*_~)\]»”」』]{0,4}(?:\s?[(\[（][^()\[\]（）]{0,80}[)\]）])?"
)
_JOINS: Final = r"(?:\s{0,4}(?:[:：=＝→⇒»›▸➜]|=>|->|::|>)(?!/)|\s(?:[-–—~|]|is|was|ist|war|lautet|lauten|est|es|é|è|reads|becomes|equals|to|now|jest|это|är|är:|er|on)(?=\s))"
_NAME: Final = re.compile(NAME)
_GIVEN: Final = re.compile(
    rf"{_TAIL}([^:：=＝→⇒»›.!?;{{}}<>|]{{0,60}}?){_JOINS}[\s*_`]{{0,8}}(?=\S)"
)
"""What may stand between a name and its value."""
_WITHIN: Final = frozenset(":/.")
"""Signs before what is a part of a path, an address or a chain."""
_LAST: Final = re.compile(r"[\"'`»”」』)\]}.,;!*_]*(?:\s*$|\s+[(#–—|│║-]|,\s|\.\s|\s{2,})")
_NOT_GIVEN: Final = listed(
    "file files path folder url uri endpoint length policy policies type algorithm hash hashed version count check checks checked scan scanned "
    "rotation manager store expires expired until line column error errors failed invalid id ids name names format fingerprint "
    "public usage used window limit limits budget via algorithm test tests class function method page link docs documentation see read reading "
    "from loaded saved written reset-link hint last scope scopes permission permissions role branch commit detected found in matching matches required "
    "must should needs cannot"
)
"""Words between a name and a colon that say the value is about the secret."""
_WORDS: Final = re.compile(r"[^\W\d_]+")

_PROMPT: Final = re.compile(
    rf"^[\s?✔✓◆◇│┃❯>*•]*(?:(?:please|enter|type|paste|input|provide|confirm|repeat|re-enter|current|old|new|your|the|[a-z0-9]{{2,12}})\s){{0,3}}(?:{NAME})"
    r"[^:：?›»…=]{0,16}(?:for|of|to|von|für|de|for key)\s[^:：›»…=]{1,80}(?:[:：›»…]|\?)\s{1,4}(?=\S)"
)
"""A line in which a program asks somebody for a secret; all behind it was typed."""

_USER: Final = re.compile(
    r"(?<![a-z])(?:user(?:name)?s?|log-?in|account|superuser|credentials?|creds|admin(?:istrator)?|root|logins?|zugangsdaten|identifiants?|logged in as|sign in as|ログイン(?:情報)?|アカウント)"
    r"[\"'`*)]{0,2}(?:\s?[:：=]\s{0,3}|\s(?:is|are|as|with|-)?\s{0,3})[\"'`(]?([\w.@+\\-]{1,64})[\"'`]?\s?(?:/|:|\||,|;)\s?[\"'`]?(?=[^\s/:])"
)
"""A user's name, and behind it the password."""

_SPOKEN: Final = re.compile(
    r"(?:^(?:\S{0,60}[>»$#]\s{0,2}|\*{0,2}\s{0,2}|[a-z]?[0-9]{1,4} )|[\"'])(?:auth|pass|identify|authenticate|login|unlock|unseal)\s+(?:[\w.@-]{1,64}\s+)?(?=[^\s\\\"']{6,}(?:\s*$|\\r|[\"']))"
)
"""What is said to a server that asks who one is."""

_SHORT: Final = re.compile(r"p(?<![a-z]p)(?:sk|ass)(?![a-z])|eap(?![a-z])|xauth|pw(?![a-z-])")
_CALLED: Final = re.compile(
    r"(?:connect|log_?in|sign_?in|log_?on|auth\w{0,12}|credentials?|(?<![a-z])pdo|dial|keychain|basic\w{0,12})\w{0,12}\s?\("
)
"""Calls that are given a password, whatever their arguments are called."""
_QUOTES: Final = frozenset("'\"")
_FAR: Final = 120
_WORD: Final = re.compile(
    r"(?<![^\s\"'`(\[「『“‘:：=,>{|])[^\s\\\"'`()<>\[\]{}「」『』“”,;|=\u3040-\u30ff\u4e00-\u9fff]{8,72}(?![^\s\\\"'`)\]」』”’,;.|}<\u3040-\u30ff\u4e00-\u9fff])"
)
_BEFORE: Final = 48
_BEHIND: Final = 24
_CODES: Final = re.compile(
    r"(?:\b(?:your (?:[\w.-]{1,20} ){0,3}code|m?tan|\w{0,20}(?:bestätigungs|sicherheits|zugangs|einmal|verificatie|bekräftelse)-?(?:code|kod|passwort)"
    r"|c[óo]digo (?:de )?(?:verificaci[óo]n|verifica[çc][ãa]o|seguridad|segurança|acesso|acceso|confirma[çc]\w+)|code (?:de |d')?(?:vérification|sécurité|confirmation|connexion|accès)"
    r"|codice (?:di )?(?:verifica|sicurezza|conferma)|код(?: подтверждения)?)|(?:mfa|2fa|totp|verification|authentication|authenticator) code (?:for|of|from) [^\s]{1,80}(?=:)|pinコード|验证码|驗證碼|校验码|动态码|인증\s?(?:번호|코드))"
    r"[\s\"'\[({:：是为為は-]{0,6}(?:(?:is|lautet|ist|est|es|é|è|är)[\s:\"']{1,3})?([0-9]{4,8}|[0-9]{3}[ -][0-9]{3})(?![0-9.,%/])"
)
_ARGUMENT: Final = re.compile(r"\s-[A-Za-z][ =]([A-Za-z0-9_+/-]{40,}={0,2})(?=\s|$)")
_REACH: Final = 400
"""Characters in which a value ends that somebody says or types."""
_SHORT_SUM: Final = 16
_SUMS: Final = (40, 64)
"""Lengths of hashes, which stand beside any word."""

_USERS: Final = (
    "user",
    "log",
    "account",
    "cred",
    "admin",
    "root",
    "ログイン",
    "アカウント",
    "zugang",
    "identif",
    "sign in",
)
_VERBS: Final = ("auth ", "pass ", "identify ", "authenticate ", "login ", "unlock ", "unseal ")
"""What each of these lines holds; a quick look."""
_UP_TO_END: Final = re.compile(r"[^\s\\\"']+")
_PAIR: Final = re.compile(
    r"(?<![\w:/@.+-])([A-Za-z][\w.+-]{1,40}(?:@[\w.-]{3,64})?):([^\s:\\\"'`/,;()\[\]{}<>|=]{8,40})(?=[\"'`]|\s|$)"
)
"""A login as one word: `user:password`."""

_SUM: Final = re.compile(
    r"(?i)(?:sha|md|h|blake\w?)[0-9]+$|(?:^|[_-])(?:id|ref|rev|tag|hash|etag|digest|trace|span|commit|version)$"
)
_OPTIONS: Final = re.compile(r"\s(?:-(?:p|pw|P|w|W|a)(?:\s|=)?|/r?p(?:w|ass)?[: ])(?=[^\s=/-])")
_USER_OPTION: Final = re.compile(
    r"\s(?:/(?:r|u)?u(?:ser)?[: ]|-[uUDl](?:\s|=)?[\w.@\\=,-]|--?user(?:name)?[ =]|--login[ =]|[\w.-]{1,32}@[\w.-]+(?:\s|$))"
)
_NO_LOGIN: Final = re.compile(
    r"\b(?:docker|podman|ssh|scp|rsync|ps|journalctl|nmap|tar|mkdir|cp|install|useradd|id|git|sudo)\b"
)


def find_given(text: str, low: str) -> Iterator[Span]:
    """Yield where a value stands that the words around it say is a secret."""
    names = [found.span() for found in _NAME.finditer(low)]
    at = 0
    for first, last in names:
        found = (
            _GIVEN.match(low, last)
            if first >= at and low[first - 1 : first] not in _WITHIN
            else None
        )
        if (
            found
            and _NOT_GIVEN.isdisjoint(_WORDS.findall(found[1]))
            and (span := _made(text, found.end()))
        ):
            yield span
            at = span[1]
    if names and (asked := _PROMPT.match(low)) and (span := _typed(text, asked.end())):
        yield span
    if "(" in text and ("'" in text or '"' in text):
        names += [found.span() for found in _CALLED.finditer(low)]
    names += [found.span() for found in _SHORT.finditer(low)]
    if names:
        yield from _strong(text, names)


def find_beside_user(text: str, low: str) -> Iterator[Span]:
    """Yield where a password stands beside a user's name."""
    for found in _USER.finditer(low) if any(word in low for word in _USERS) else ():
        span = _made(text, found.end())
        if span and is_made(text[slice(*span)]):
            yield span
    for spoken in _SPOKEN.finditer(low) if any(word in low for word in _VERBS) else ():
        word = _UP_TO_END.match(text, spoken.end())
        if word and is_made(word[0]):
            yield word.span()
    for pair in _PAIR.finditer(text) if ":" in text else ():
        if _SUM.search(pair[1]) or is_hex(pair[2]):
            continue
        if is_strong(pair[2]) or ("@" in pair[1] and is_made(pair[2])):
            yield pair.span(2)
    if (" -" in text or " /" in text) and not _NO_LOGIN.search(low) and _USER_OPTION.search(text):
        for found in _OPTIONS.finditer(text):
            value = read_value(text, found.end())
            if value and is_made(text[value.start : value.end]):
                yield value.start, value.end


def find_codes(text: str, low: str) -> Iterator[Span]:
    """Yield the codes of a few digits by which one proves who one is."""
    if low.isascii() and "code" not in low and "tan" not in low and "cod" not in low:
        return
    for found in _CODES.finditer(low):
        yield found.span(1)


def find_arguments(text: str) -> Iterator[Span]:
    """Yield long words drawn by chance that are given to an option of one letter, which names nothing."""
    for found in _ARGUMENT.finditer(text):
        word = found[1]
        if looks_random(word) and not (is_hex(word) or word.islower() or word.isupper()):
            yield found.span(1)


def _strong(text: str, names: Sequence[Span]) -> Iterator[Span]:
    """Yield the words that only a password or key looks like, near a word that says secret."""
    starts, ends = sorted(first for first, _ in names), sorted(last for _, last in names)
    for found in _WORD.finditer(text, max(0, starts[0] - _FAR)):
        start, end = found.span()
        end -= len(found[0]) - len(found[0].rstrip(".,:;!?"))
        word = text[start:end]
        if word.islower() and word.isalpha():
            continue
        quoted = text[start - 1 : start] in _QUOTES and text[end : end + 1] in _QUOTES
        near = any_within(ends, start - _BEFORE, start) or (
            quoted and any_within(starts, end, end + _BEHIND)
        )
        if not near or is_hex(word) or REDACTED in word:
            continue
        if is_strong(word) or (quoted and is_made(word) and not is_wordy(word)):
            yield start, end


def _made(text: str, at: int) -> Span | None:
    """Return the word that begins at `at` if it was made up, and ends what is said."""
    near = text[at : at + _REACH]
    value = read_value(near, 0)
    if value is None or value.end >= _REACH or not _LAST.match(near, value.end):
        return None
    word = near[value.start : value.end]
    if is_hex(word) and (len(word) < _SHORT_SUM or len(word) in _SUMS) and not word.isdigit():
        return None
    return (at + value.start, at + value.end) if is_made(word) else None


def _typed(text: str, at: int) -> Span | None:
    """Return all that was typed behind a prompt, unless it is a message."""
    end = len(text.rstrip())
    said = text[at:end]
    if (
        REDACTED in said
        or is_sentence(said, Holds.SECRET)
        or not any(char.isdigit() or not char.isalnum() and char != " " for char in said)
    ):
        return None
    return None if is_plain(said, strength=Holds.PASSWORD, quoted=True, name="") else (at, end)
