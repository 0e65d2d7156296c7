"""A quick check whether a line can hold a secret: two microseconds, where the search takes fifty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Final, NamedTuple, TypeVar

from nagomi_tui.masking.plain import is_scrambled
from nagomi_tui.text.patterns import lazy

T = TypeVar("T")

_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}

_RUN: Final = b"a" * 20
"""Known key formats and tokens hold at least 20 consecutive characters of this class."""

_ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_TABLE: Final = bytes(ord("a") if code in _ALPHABET else ord(" ") for code in range(256))
_RUNS: Final = lazy(r"[A-Za-z0-9_-]{20,}")
_PIECE: Final = lazy(r"[A-Z]?[a-z]*(?:[A-Z][a-z]{2,})*[A-Z]*[0-9]*")
"""A piece of a long name of words and numbers; in what is drawn by chance letters, capitals and digits
change more often. Pieces are matched one by one: in a row of them each may be read in two ways."""
_KEYS: Final = lazy(r"sk-|A[KS]IA|AC[0-9]")
_HEX: Final = lazy(r"[0-9a-f-]+")
"""Hashes and UUIDs, which no format of keys looks like."""

_SIGNED: Final = lazy(r"[!$^&*~#?%](?<=[A-Za-z0-9].)[A-Za-z0-9]")
"""A sign within a word, where names of things have none."""
_PAIR: Final = lazy(
    r":(?=[^\s:/]{0,16}[0-9])(?=[^\s:/]{0,16}[a-z])(?=[^\s:/]{0,16}[A-Z])[^\s:/]{8}"
)
"""A password behind a user's name, as one word."""
_NUMBERED: Final = lazy(r"[A-Z][a-z]{2,12}[-_.]?[0-9]{2}")
"""A word with a capital and a number behind it; a quick look."""
MADE_UP: Final = lazy(
    r"(?<![^\s\"'`:=,(/%|>])(?![A-Za-z]*(?:[Ii]nt|[Ss]ha|[Ff]loat|[Bb]its?|[Bb]ase|[Uu]tf|[Aa]es|[Rr]sa|[Aa]uth|[Ff]ilesx|-Sha)[0-9])"
    r"(?:[A-Z]?[a-z]{3,12}(?:[-_.]?[A-Z][a-z]{2,12}){1,3}[-_.]?[0-9]{2,4}|[a-z]{3,12}(?:[-_.][a-z]{3,12}){0,2}[-_.][A-Z][a-z]{2,12}[-_.]?[0-9]{2,4}"
    r"|[A-Z][a-z]{3,12}[0-9]{2,4}(?=[!@#$%&*]))[!?@#$%&*]{0,2}(?![^\s\"'`,;.)@|<&\\}\]])"
)
"""Words with capitals and a number behind them: nothing else than passwords is written so."""
_MIXED: Final = lazy(r"[A-Z][0-9]|[0-9][A-Z]|[A-Z][a-z]{1,2}[0-9]|[0-9][a-z]{1,2}[A-Z]")
"""Capitals beside digits; a quick look at words drawn by chance."""
_WORDS: Final = lazy(r"[A-Za-z0-9+/_.~%-]{10,}")
_HASH: Final = lazy(
    r"\$(?:[15-9y]|gy|apr1|md5|sha1|bcrypt-sha256|2[abxy]?|argon2[a-z]{1,2})\$|SHA-[0-9]{1,3}\$[0-9]|\{(?:S?SHA|S?MD5|CRYPT|PBKDF2|PLAIN|CLEARTEXT)"
)
_LOGIN: Final = lazy(r":[^\s:@]{4,128}@|@[\w.-]{1,128}(?::| [/|] )[^\s:/]{6}")
_OPTION: Final = lazy(r"[ \"']-(?:[a-z]{0,2}[pwacxunkb](?![a-z-])|h?p\S|-user|-pass)")

_NAMES: Final = lazy(
    r"p(?:ass(?!(?:ed|es|ing|ive|enger|age|able)(?![a-z]))|hrase(?:(?<=(?:seed|very|cret|onic|ckup|pass)[ _-]phrase)|(?<=assphrase))|sk|w|in(?:[:=：]| is | for |[ -]code| [0-9]{4})|riv(?:key|ate-|atee|:)|epper|arola|uk[ :]|airing code|do\()"
    r"|s(?:sword|ecret|ig(?:=|nature=|ning)|alt(?![a-z])|erial|aml|ess(?:\w{0,12}(?:[\"'\])]{0,3}\s{0,3}[:=|]|[\"'\])]{1,3}\s?,)|[-_](?=\w{12}))|onar\.|enha|andi|alasana|eed-----|etuser|uperuser\()"
    r"|k(?:ey(?!(?:board|word|frame|stroke|press)s?(?![a-z]))(?<!monkey)(?<!turkey)|ennwort|ode(?:ord|wort))"
    r"|a(?:uth(?!ors?(?![a-z])|ored|orit)|pp_?id=|dgangskode)"
    r"|c(?:red(?!its?(?![a-z])|ibl[ey])|ontrasen|ookie|ipher|lave|hiave|lient\(|o(?:mmunity |dice|nn(?:ect)?(?:\(| [\w.$-]+/)"
    r"|de(?:(?<=(?:ion|ery|kup|tch|ncy|ity|ime|gle|tup|ing|ice|ite|ock|ard|ess|tor|set|oin|oor|ate) code)|(?<=(?:in|fa) code)|(?<=[a-z]code)|(?<=[a-z]-code)| to (?:sign|log|verif|confirm))))"
    r"|t(?:oken|kn|an(?::| is))|l(?:icen|og(?:in[ (]|(?:ging|ged)? in ))|m(?:nemonic|dp|ot[ _-]de|c alias)|w(?:ifi(?::|\.begin)|allet\(|g gen|achtwoord)|h(?:mac|eslo)|j(?:wt|eton)"
    r"|b(?:earer|ind\(|crypt\.)|fernet|zugang|geheim|\.sid|_pat(?![a-z])"
)
"""What names secrets, in small letters; a word that only begins or ends alike is none.

One pass over the line, since each word looked for by itself would be one; words that begin alike stand together, since
the first letter decides. A word that begins with one of the letters
that most words begin with, or with any, costs more here than by itself: see `_has_name`.
"""
_RANDOM: Final = lazy(r"[u_]random|rand(?:om)?[_.(\"' ](?:$|[^a-z]|pass|key|-|[0-9])")
_CODE: Final = lazy(r"(?:enter|use|type)(?: the| this)? code|your (?:[\w.-]{1,20} ){0,3}code")
_OTHERS: Final = lazy(
    r"(?=[abchjlmpsv\u0080-\uffff])(?:パス|トークン|シークレット|(?:api|アクセス|接続|暗号化?)キー|キー\s?[:：=＝]|鍵|暗証|(?:認証|確認|検証|ログイン|本人確認|セキュリティ|pin|ワンタイム|バックアップ|リカバリー|復旧|復元)(?:コード|番号)|合言葉|密|口令|令牌|비밀번호|암호|토큰|비번|contraseñ|парол|ключ|токен|секрет|lösenord|hasło"
    "|jelszó|şifre|κωδικ|验证码|驗證碼|校验码|动态码|인증|código|vérif|accès|sécurité|bestätig|код |סיסמ|المرور|รหัสผ่าน|पासवर्ड|mật khẩu|clé |schlüssel)"
)
"""Words for secrets that are not in ASCII; a look at the first letter spares most places the others."""
_COMMAND: Final = lazy(
    r"ansible-vault|334 ugfz|<<<(?!<)|-(?:----begin|basic\.|field|ap )|:(?:\*:|54[0-9]{2}:|//\S{1,200} \w[\w.@-]{0,63}\s[\"'])|\\\\|/(?:login |rp )|\+login |\[(?:users|admins|accounts|logins)\]"
    r"|\t(?:true|false)\t|s(?:end |qlplus |udo -s|ops |ecurestring|eed: [\"1])|machine |addlogin|add_user |net user |r(?:man |dp /)|obscure |op (?:read|item) "
    r"|wallet |whoami -|un(?:seal|lock) |c(?:rypt(?: |ion )|reateuser )|diceware|gpg2? |head -c|config:get|bw (?:get|gen|unlock)"
)
"""Words of commands and files which are given a secret."""
_BESIDE: Final = lazy(
    r"(?:user|login|admin|wi-?fi|wlan|ssid)\w{0,8}\W{1,4}(?:[\w.@+-]{1,64} ?[/:|,;] ?(?=\S{6}|p))|^\s*(?:[a-z]{2,8}> )?user\s+\S+\s+\S{6,}\s*$"
)
_BESIDES: Final = ("user", "login", "admin", "wifi", "wi-fi", "wlan", "ssid")


_UNJOINED: Final = lazy(r"[^ !#-&)-9;@-_a-{}]")


def has_joint(text: str) -> bool:
    """Tell whether a sign may join a name to its value: `: = < > | " ' ( ? ~`, a dash, or one beyond ASCII.

    A line without one gives secrets by words alone.
    """
    return _UNJOINED.search(text) is not None or " - " in text


def grouped(
    marked: Iterable[tuple[str, T]], *parts: str
) -> tuple[tuple[str, Sequence[tuple[str, T]]], ...]:
    """Return what has marks in groups: where a part is not, none of the marks is that it is in."""
    groups: dict[str, list[tuple[str, T]]] = {}
    for mark, one in marked:
        part = next((part for part in parts if part in mark), mark)
        groups.setdefault(part, []).append((mark, one))
    return tuple(groups.items())


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


_PART: Final = lazy(
    r"\n(?:phrase|khẩu|[\"']?-(?:[a-z]{0,2}[pwacxunkb](?![a-z-])|h?p[^\n]|-user|-pass)|(?:true|false|334)\n)|\W(?:op|bw|mc|wg|log(?:ged|ging)?)\n"
    r"|-(?:field|ap\n|basic\.|----begin)|/rp\n|@[\w.-]*[:\n]|:(?://|[^:@\n]{4,}@|thin:|\*:|54[0-9]{2}:)|\\\\|\[(?:users|admins|accounts|logins)\]|<<<|_random"
    r"|a(?:dmin|dd(?:login|_user)|nsible-vault)|c(?:o(?:de|nn(?:ect)?\n|mmunity\n|nfig:get)|rypt(?:ion)?\n|reateuser\n|lé\n)|d(?:ata\"?:|iceware)"
    r"|e(?:ap|cho)\n|gpg|h(?:ook|c-ping)|i(?:dentif|ntegration/)|login|m(?:achine|ot|ật)\n|net\n|o(?:tp|bscure)|p(?:in|uk|airing)\n"
    r"|r(?:dp\n|man\n|and(?:om)?(?:\n|[_.(\"'](?:[^a-z]|pass|key)))|s(?:e(?:nd\n|curestring|ed:\n|ss\w{0,12}[\"'\])]{0,3}\n)|(?:qlplus|udo|ops)\n)"
    r"|tan\n|u(?:ser|random|n(?:seal|lock)\n)|ssid|w(?:allet\n|hoami\n|i-?fi|lan)|キー\n|код\n"
)
"""The word by which a pattern of several words, or one beside the names, is told; in text of one word a line."""
_SIGN: Final = lazy(rf"{_SIGNED.pattern}|{_PAIR.pattern}|{_HASH.pattern}|Q~|:::")
_PLAIN: Final[set[str]] = set()
"""Words of the lines before that tell of no secret, so that most lines cost a look into a set."""
_MOST: Final = 32768
_LONGEST: Final = 64


def look_at(text: str) -> Look | None:
    """Check a line quickly; None if it cannot hold a secret."""
    words = text.split()
    if _PLAIN.issuperset(words):
        return None
    new = set(words) - _PLAIN
    joined = "\n".join(new)
    return None if _are_plain(new, joined) else _looked(text, joined)


def _are_plain(new: Set[str], joined: str) -> bool:
    """Tell whether none of the words, also given `joined`, can be a part of what tells of a secret."""
    low = f"\n{joined}\n".lower()
    if (
        _NAMES.search(low)
        or _PART.search(low)
        or _NUMBERED.search(joined)
        or _has_run(joined)
        or (not low.isascii() and _OTHERS.search(low))
    ):
        return False
    if len(_PLAIN) > _MOST:
        _PLAIN.clear()
    _PLAIN.update(new if len(joined) < _LONGEST else (word for word in new if len(word) < _LONGEST))
    return True


def _looked(text: str, new: str) -> Look | None:
    """Check a line by all that tells of a secret; words that are not `new` are in no key."""
    low = text.lower()
    if len(low) != len(text):
        low = lowered(text)
    named, run = _has_name(low), _has_run(new)
    url = _has_url(text)
    return Look(low, named, run, url) if named or run or url or _has_command(low) else None


def _has_name(low: str) -> bool:
    """Tell whether the line holds a word that names secrets."""
    return (
        _NAMES.search(low) is not None
        or "otp" in low
        or "identif" in low
        or "eap " in low
        or "data:" in low
        or 'data":' in low
        or ("rand" in low and _RANDOM.search(low) is not None)
        or (" code" in low and _CODE.search(low) is not None)
        or (not low.isascii() and _OTHERS.search(low) is not None)
    )


def is_named(word: str, at: int) -> bool:
    """Tell whether a name of secrets stands across a place in a word."""
    return any(found.start() < at < found.end() for found in _NAMES.finditer(word.lower()))


def _has_url(text: str) -> bool:
    """Tell whether the line holds an address that may carry a password or be a secret itself."""
    return (
        "@" in text and ("://" in text or ":thin:" in text or _LOGIN.search(text) is not None)
    ) or ("/" in text and ("hook" in text or "hc-ping" in text or "integration/" in text))


def _has_command(low: str) -> bool:
    """Tell whether the line may be a command with options, or one of a `.netrc`."""
    return (
        ((" -" in low or '"-' in low) and _OPTION.search(low) is not None)
        or ("  /" in low and ("true" in low or "false" in low))
        or ("echo " in low and "|" in low)
        or _COMMAND.search(low) is not None
        or (any(map(low.__contains__, _BESIDES)) and _BESIDE.search(low) is not None)
    )


def _has_run(text: str) -> bool:
    """Tell whether the line holds a long run of characters that keys are made of."""
    return (
        _has_long(text)
        or _SIGN.search(text) is not None
        or (_NUMBERED.search(text) is not None and MADE_UP.search(text) is not None)
        or (_MIXED.search(text) is not None and any(map(is_scrambled, _WORDS.findall(text))))
    )


def _has_long(text: str) -> bool:
    """Tell whether a long run is neither a name of words, nor a hash."""
    return _RUN in text.encode("ascii", "replace").translate(_TABLE) and any(
        not (is_name(run) or _HEX.fullmatch(run)) for run in _RUNS.findall(text)
    )


def is_name(run: str) -> bool:
    """Tell whether a run consists of words and numbers."""
    return not _KEYS.match(run) and all(map(_PIECE.fullmatch, run.replace("_", "-").split("-")))
