"""A quick check whether a line can hold a secret: a microsecond, where the search takes twenty."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}

_RUN: Final = b"a" * 20
"""Known key formats and tokens hold at least 20 consecutive characters of this class."""

_ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_TABLE: Final = bytes(ord("a") if code in _ALPHABET else ord(" ") for code in range(256))

_HASH: Final = re.compile(
    r"\$(?:[15-9y]|gy|apr1|md5|sha1|bcrypt-sha256|2[abxy]?|argon2[a-z]{1,2})\$|\{(?:S?SHA|S?MD5|CRYPT|PBKDF2)"
)
_LOGIN: Final = re.compile(r":[^\s:@]{4,128}@|@[\w.-]{1,128}:[^\s:/]{6}")
_OPTION: Final = re.compile(r" --?[a-z]")
_CODE: Final = re.compile(
    r"(?:ion|ery|kup|tch|ncy|ity|in|ime|fa|gle) code|code to (?:sign|log|verif|confirm)|(?:enter|use|type)(?: the| this)? code|your (?:[\w.-]{1,20} ){1,3}code|(?:ngs|its|nmal|atie)-?code"
)
_PIN: Final = re.compile(r"pin(?:[:=：]| is | code| [0-9]{4})")
_SESSION: Final = re.compile(r"sess\w{0,12}[\"'\])]{0,3}\s{0,3}[:=|,]|sess[-_]")
_BESIDE: Final = re.compile(
    r"(?:user|login|admin)\w{0,8}\W{1,4}(?:[\w.@+-]{1,64} ?[/:|] ?(?=\S{6}))"
)
_SPOKEN: Final = re.compile(r"(?:> |\"|^[a-z]?[0-9]{1,4} )(?:auth|login|identify) ")
_RANDOM: Final = re.compile(r"[u_]random|random[_.(\"']|random (?:pass|key)")
_WEAK: Final = re.compile(
    r"pass(?:ed|es|ing|ive|enger|age|able)(?![a-z])|authors?(?![a-z])|authored|key(?:board|word|frame|stroke|press)s?(?![a-z])"
    r"|(?:dis|en)?credits?(?![a-z])|incredibl[ey]|monkey|turkey"
)
"""Words that only hold the name of a secret."""
_OTHERS: Final = (
    "パス", "トークン", "シークレット", "キー", "鍵", "暗証", "認証", "番号", "コード", "合言葉", "密", "口令", "令牌",
    "비밀번호", "암호", "토큰", "contraseñ", "парол", "токен", "секрет", "lösenord", "hasło", "jelszó", "şifre", "κωδικ",
    "验证码", "驗證碼", "校验码", "动态码", "인증", "código", "vérif", "sécurité", "bestätig", "код ", "סיסמ", "كلمة المرور", "รหัสผ่าน", "पासवर्ड", "mật khẩu", "clé ", "schlüssel",
)  # fmt: skip
"""Words for secrets that are not in ASCII."""


def lowered(text: str) -> str:
    """Return the text in lower case with every character at its old place."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return text.translate(_LOWER)


class Look(NamedTuple):
    """The result of the quick check."""

    low: str
    """The line in lower case, with every character at its old place."""
    named: bool
    """It holds a word that names secrets."""
    run: bool
    """It holds a long run of characters that keys are made of."""
    url: bool
    """It holds an address that may carry a password or be a secret itself."""


def look_at(text: str) -> Look | None:
    """Check a line quickly; None if it cannot hold a secret."""
    low = lowered(text)
    named, run, url = _has_word(low), _has_run(text), _has_url(text)
    return Look(low, named, run, url) if named or run or url or _has_command(low) else None


def _has_word(low: str) -> bool:
    """Tell whether the line holds a word that names secrets."""
    if _has_common(low) and (not _WEAK.search(low) or _has_common(_WEAK.sub(" ", low))):
        return True
    # Written out: a loop over the words would cost three times as much.
    return (
        "token" in low
        or "secret" in low
        or "cookie" in low
        or "bearer" in low
        or "phrase" in low
        or "mnemonic" in low
        or "psk" in low
        or "pw" in low
        or ("code" in low and _CODE.search(low) is not None)
        or ("priv" in low and ("priv:" in low or "private-" in low or "privatee" in low))
        or "otp" in low
        or ("sess" in low and _SESSION.search(low) is not None)
        or ("sig" in low and ("sig=" in low or "signature=" in low or "signing" in low))
        or (
            "rand" in low
            and ("rand " in low or "random" in low and _RANDOM.search(low) is not None)
        )
        or ("pin" in low and _PIN.search(low) is not None)
        or ("login" in low and ("login " in low or "login(" in low))
        or "licen" in low
        or "jwt" in low
        or "hmac" in low
        or "cipher" in low
        or ".sid" in low
        or "identif" in low
        or "_pat" in low
        or "wifi:" in low
        or "sonar." in low
        or "community " in low
        or "kennwort" in low
        or "senha" in low
        or "wachtwoord" in low
        or ("cla" in low and "clave" in low)
        or "chiave" in low
        or "tkn" in low
        or ("tan" in low and ("tan:" in low or "tan is" in low))
        or "codice" in low
        or "privkey" in low
        or "connect(" in low
        or "pdo(" in low
        or "pepper" in low
        or "eap " in low
        or "seed-----" in low
        or "wg gen" in low
        or ("data" in low and ("data:" in low or 'data":' in low))
        or (not low.isascii() and any(word in low for word in _OTHERS))
    )


def _has_common(low: str) -> bool:
    """Tell whether the line holds a name of secrets that stands in many words of a language, too."""
    return "pass" in low or "assw" in low or "key" in low or "auth" in low or "cred" in low


def _has_url(text: str) -> bool:
    """Tell whether the line holds an address that may carry a password or be a secret itself."""
    return (
        "@" in text and ("://" in text or ":thin:" in text or _LOGIN.search(text) is not None)
    ) or ("hook" in text and "/" in text)


def _has_command(low: str) -> bool:
    """Tell whether the line may be a command with options, or one of a `.netrc`."""
    return (
        (" -" in low and _OPTION.search(low) is not None)
        or "-----begin" in low
        or "machine " in low
        or "send " in low
        or "\\\\" in low
        or ":*:" in low
        or ":54" in low
        or ("\t" in low and ("\ttrue\t" in low or "\tfalse\t" in low))
        or ("  /" in low and ("true" in low or "false" in low))
        or "sqlplus " in low
        or ("user " in low and ("net user " in low or "add_user " in low))
        or "rdp /" in low
        or ("echo " in low and "|" in low)
        or "obscure " in low
        or "wallet " in low
        or 'seed: "' in low
        or "authentication " in low
        or "unseal " in low
        or "unlock " in low
        or "-basic." in low
        or "/rp " in low
        or (("user" in low or "login" in low or "admin" in low) and _BESIDE.search(low) is not None)
        or (
            ("auth " in low or "login " in low or "identify " in low)
            and _SPOKEN.search(low) is not None
        )
    )


def _has_run(text: str) -> bool:
    """Tell whether the line holds a long run of characters that keys are made of."""
    return (
        _RUN in text.encode("ascii", "replace").translate(_TABLE)
        or "Q~" in text
        or (("$" in text or "{" in text) and _HASH.search(text) is not None)
    )
