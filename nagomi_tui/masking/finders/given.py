"""Finds a secret by what is said around it, whatever stands between its name and itself.

A name that says secret, in any language, leads to the first made-up word behind the colon, arrow, dash or verb
that joins the two; a user's name leads to the password beside it; and a prompt to all that is typed there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.masking.names import Holds, listed
from nagomi_tui.masking.plain import is_hex, is_made, is_plain, is_sentence
from nagomi_tui.masking.values import REDACTED, read_value

if TYPE_CHECKING:
    from collections.abc import Iterator

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
_GIVEN: Final = re.compile(
    rf"(?<![:/.]){NAME}{_TAIL}([^:：=＝→⇒»›.!?;{{}}<>|]{{0,60}}?){_JOINS}[\s*_`]{{0,8}}(?=\S)"
)
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
    r"[\"'`*)]{0,2}\s?(?:[:：=-]|is|are|as|with)?\s{0,3}[\"'`(]?([\w.@+\\-]{1,64})[\"'`]?\s?(?:/|:|\||,|;)\s?[\"'`]?(?=[^\s/:])"
)
"""A user's name, and behind it the password."""

_SPOKEN: Final = re.compile(
    r"^(?:\S{0,60}[>»$#]\s{0,2}|\*{0,2}\s{0,2})(?:auth|pass|identify|authenticate|login|unlock|unseal)\s+(?:[\w.@-]{1,32}\s+)?(?=\S{6,}\s*$)"
)
"""What is said to a server that asks who one is."""

_REACH: Final = 400
"""Characters in which a value ends that somebody says or types."""
_SHORT_SUM: Final = 16
_SUMS: Final = (40, 64)
"""Lengths of hashes, which stand beside any word."""

_OPTIONS: Final = re.compile(r"\s-(?:p|pw|P|w|W|a)(?:\s|=)?(?=[^\s=-])")
_USER_OPTION: Final = re.compile(
    r"\s(?:-[uUDl](?:\s|=)?[\w.@\\=,-]|--?user(?:name)?[ =]|--login[ =]|[\w.-]{1,32}@[\w.-]+(?:\s|$))"
)
_NO_LOGIN: Final = re.compile(
    r"\b(?:docker|podman|ssh|scp|rsync|ps|journalctl|nmap|tar|mkdir|cp|install|useradd|id|git|sudo)\b"
)


def find_given(text: str, low: str) -> Iterator[Span]:
    """Yield where a value stands that the words before it say is a secret."""
    at = 0
    while found := _GIVEN.search(low, at):
        at = found.end()
        if _NOT_GIVEN.isdisjoint(_WORDS.findall(found[1])) and (span := _made(text, at)):
            yield span
            at = span[1]
    if (asked := _PROMPT.match(low)) and (span := _typed(text, asked.end())):
        yield span


def find_beside_user(text: str, low: str) -> Iterator[Span]:
    """Yield where a password stands beside a user's name."""
    for found in _USER.finditer(low):
        span = _made(text, found.end())
        if span and is_made(text[slice(*span)]):
            yield span
    if (spoken := _SPOKEN.match(low)) and (span := _made(text, spoken.end())):
        yield span
    if " -" in text and not _NO_LOGIN.search(low) and _USER_OPTION.search(text):
        for found in _OPTIONS.finditer(text):
            value = read_value(text, found.end())
            if value and is_made(text[value.start : value.end]):
                yield value.start, value.end


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
