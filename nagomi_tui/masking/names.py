"""Which names of variables, fields and columns hold a secret."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import Final

from nagomi_tui.text.patterns import lazy


def listed(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


class Holds(IntEnum):
    """How sure a name is that its value is a secret."""

    NOTHING = 0
    PERHAPS = 1
    """Only a value that looks drawn by chance is one."""
    SECRET = 2
    PASSWORD = 3
    """Whatever stands there is one, blanks and digits included."""


_SPLIT: Final = lazy(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\x00-\x7f]+")

_PASSWORDS: Final = (
    "passw", "passphrase", "passcode", "pwd", "mnemonic", "requirepass",
    "masterauth",
    "presharedkey", "パスワード", "パスフレーズ", "暗証番号", "合言葉", "密码", "密碼", "口令", "비밀번호", "암호", "contraseña", "contrasena", "haslo", "losenord", "jelszo", "sifre", "passord",
    "motdepasse", "пароль", "lösenord", "hasło", "kennwort", "senha", "wachtwoord", "adgangskode", "salasana", "jelszó",
    "heslo", "şifre", "mậtkhẩu", "κωδικός", "סיסמה", "รหัสผ่าน",
)  # fmt: skip
_SECRETS: Final = (
    "secret", "token", "apikey", "accesskey", "secretkey", "privatekey", "accountkey", "authkey",
    "sharedaccesskey", "sharedaccesssignature", "clientkey", "masterkey", "credential",
    "phpsessid", "sonarlogin", "jsessionid", "トークン", "シークレット", "キー", "秘密鍵", "密钥", "令牌", "토큰",
    "токен", "секрет", "chiavesegreta", "chavesecreta", "clavesecreta", "clésecrète", "geheim",
)  # fmt: skip
_KEY_OF: Final = listed(
    "api access secret private account shared encryption encrypt signing master auth subscription "
    "storage app application consumer service deploy license licence webhook functions write admin "
    "root aes hmac rsa client openai anthropic claude gemini google stripe azure aws gcp github "
    "gitlab radio setup session jwt integration server ingest bearer refresh security"
)
"""What makes a `…_key` a secret; a `cache_key` or `primary_key` is none."""

_PERHAPS: Final = listed("credentials creds tokens auth otp totp sessionid sid bearer pass session")
_HARMLESS: Final = listed(
    "type types name names id ids url uri urls endpoint path file files filename dir folder length "
    "len size count counts limit limits budget usage used expiry expires expiration ttl age field "
    "policy hint label format version status state error errors manager provider store storage ref "
    "reference arn kind class env var index position rotation required enabled set valid strength "
    "min max prompt reset created updated at date time in seconds minutes stdin stdout helper "
    "source algorithm alg method mode scope scopes audience issuer rate per mask masking iterator "
    "fingerprint header param parameter placeholder text input form page screen title message "
    "description example total left remaining number num cost price window context sep separator "
    "changed lastchanged callback handler fn func function backend exists present public mgr response request "
    "santa project bucket region day on until since after before by namespace owner team engine plugin driver "
    "server host port domain confirmation confirm santas rotation schedule encryption hashing hasher encoder timeout svc"
)
_OTHERS: Final = listed(
    "secretary secretaries secretariat secretarial secretly passwordless kpasswd chpasswd gpasswd libsecret"
)
"""Words that only begin as the name of a secret does."""

_SALTED: Final = listed(
    "auth hash signing secret password secure encryption crypt key session jwt cookie"
)
_KEYS: Final = listed(
    "monkey turkey donkey jockey whiskey hockey hotkey passkey pubkey publickey primarykey foreignkey cachekey sortkey "
    "rowkey partitionkey hashkey lookupkey routekey groupkey objectkey rangekey mapkey hostkey getkey setkey haskey bykey onkey keykey idempotencykey"
)
"""Words that end in `key` and open nothing."""
_KEYS_ABROAD: Final = ("schlüssel", "ключ", "clé")
_PASSES: Final = listed(
    "bypass compass getpass trespass surpass overpass underpass onepass multipass"
)
"""Words that end in what is short for a password."""
_SHOWN: Final = listed(
    "forgot forgotten enter invalid missing wrong incorrect show hide toggle remember has is existing"
)
"""What stands before the name in labels and switches."""
_SWITCHES: Final = listed(
    "use no not skip disable enable require requires allow with without need ask check verify"
)
_PAGED: Final = listed("page next continuation cursor sync resume pagination")
"""What makes a token one that only says where a list goes on."""
_MATTER: Final = listed("value content contents material plaintext")
"""Words behind a name that say what it holds: `Key Content`."""
_COUNTED: Final = listed(
    "max min num n total input output prompt completion cached reasoning thinking context used"
)


@lru_cache(maxsize=1024)
def holds(name: str) -> Holds:
    """Return how sure the name is; it comes in its own case, as `clientSecret` or `DB_PASS`."""
    if name in ("PWD", "OLDPWD"):
        return Holds.NOTHING
    words = [word.lower() for word in _SPLIT.findall(name)]
    while words and words[-1].isdigit():
        words.pop()
    if len(words) > 1 and words[-1] in _MATTER:
        words.pop()
        if words == ["key"]:
            return Holds.SECRET
    if words[-2:] == ["session", "id"] and name.lower().endswith("sessionid"):
        return Holds.PERHAPS
    if not words or words[-1] in _HARMLESS or "public" in words:
        return Holds.NOTHING
    if words[0] in _SHOWN or _OTHERS.intersection(words):
        return Holds.NOTHING
    return _judged(words)


def counts(name: str) -> bool:
    """Tell whether a number under this name is how many there are: `secrets`, `total_token`."""
    words = [word.lower() for word in _SPLIT.findall(name)]
    return name.lower().endswith("s") or not _COUNTED.isdisjoint(words)


def ends_plainly(name: str) -> bool:
    """Tell whether a name only begins with what is secret: `secret_project`."""
    words = [word.lower() for word in _SPLIT.findall(name) if not word.isdigit()]
    last = "".join(words[-1:])
    return (
        bool(last)
        and name.isascii()
        and not any(word in last for word in (*_SECRETS, *_PASSWORDS, "key", "pass"))
    )


def is_key(name: str) -> bool:
    """Tell whether the name is one of a key, and not of one that finds things or tells them apart."""
    words = [word.lower() for word in _SPLIT.findall(name)]
    return name.lower().endswith("key") and _KEYS.isdisjoint((words[-1], "".join(words[-2:])))


def switches(name: str) -> bool:
    """Tell whether it switches something on or off: `REQUIRE_PASSWORD`."""
    return name.lower().partition("_")[0] in _SWITCHES


def is_number(name: str) -> bool:
    """Tell whether what the name holds is a number of a few digits: `PIN`."""
    return name.lower().endswith(("pin", "pin code", "pincode", "pin_code", "pin-code"))


def _judged(words: list[str]) -> Holds:
    last, joined = words[-1], "".join(words)
    if any(word in joined for word in _PASSWORDS) or (
        last.endswith("pass") and joined != "pass" and last not in _PASSES
    ):
        return Holds.PASSWORD
    if last == "pin" or words[-2:] == ["pin", "code"]:
        return Holds.PASSWORD
    if last == "psk" or (last == "salt" and _SALTED.intersection(words)):
        return Holds.PASSWORD
    if last == "phrase" and words[-2:-1] in (["pass"], ["seed"], ["recovery"], ["secret"]):
        return Holds.PASSWORD
    if last.endswith("pw"):
        return Holds.PASSWORD
    if last in ("tkn", "clave", "totp", "pepper", "privkey"):
        return Holds.SECRET
    if last == "token" and _PAGED.intersection(words):
        return Holds.NOTHING
    if last == "key" and words[0] in ("gpg", "pgp"):
        return Holds.NOTHING
    if last == "pat" and len(words) > 1:
        return Holds.SECRET
    if last in ("key", "keys") and len(words) > 1:
        return Holds.SECRET if _KEY_OF.intersection(words) else Holds.PERHAPS
    if last == "tokens" and _COUNTED.intersection(words):
        return Holds.NOTHING
    if (
        last in _PERHAPS
        or (last.endswith("key") and last not in _KEYS and len(last) > 4)
        or joined.endswith(_KEYS_ABROAD)
    ):
        return Holds.PERHAPS
    if last.startswith("token") and last != "token":
        return Holds.NOTHING  # tokenizer, tokenize, tokenized
    if any(word in joined for word in _SECRETS):
        return Holds.SECRET
    return Holds.PERHAPS if "key" in words[:-1] else Holds.NOTHING
