"""Which values are no secret, which look drawn by chance, and what base64 hides."""

from __future__ import annotations

import binascii
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Set
from typing import Final

from nagomi_tui.masking.names import Holds, counts, ends_plainly, is_key, listed
from nagomi_tui.masking.values import REDACTED, Span, Value
from nagomi_tui.text.patterns import lazy

_SEPARATORS: Final = lazy(r"[_+/.\-=]+")
_UUID: Final = lazy(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEX: Final = lazy(r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)")


def _kind(code: int) -> int:
    """Return a letter for the kind of a character: a, A, 0, or a blank for what is none."""
    char = chr(code)
    if not char.isascii() or not char.isalnum():
        return ord(" ")
    return ord("0" if char.isdigit() else "a" if char.islower() else "A")


_KINDS: Final = bytes(_kind(code) for code in range(256))
_CHANGES: Final = (b"aA", b"a0", b"A0", b"0a", b"0A")
"""Neighbours of two kinds; a capital followed by a small letter is how any name begins."""


_SIGNS: Final = b"!#$%&*+@^~"
_WRITTEN: Final = bytes(
    code if chr(code).isspace() else ord("0") if code in _SIGNS else _kind(code)
    for code in range(256)
)
_OTHERS: Final = bytes(code for code in range(33, 127) if _WRITTEN[code] == ord(" "))
_MIXED: Final = lazy(rb"0(?:(?<=[aA]0)|(?=[aA]))|A(?:(?<=aA)|(?=Aa|a{9}))")
_SMALL: Final = b"a" * 10
_JOINED: Final = lazy(r"[-._][A-Za-z][a-z]{2}")


def has_long_word(text: str) -> bool:
    """Tell whether a word of a line is so long that it may be taken for drawn by chance."""
    return max(map(len, text.split()), default=0) >= _LONG


def has_odd_word(text: str) -> bool:
    """Tell whether a word of a line may be made up: long, joined, of several kinds of signs, or not to be said."""
    kinds = text.encode("ascii", "replace").translate(_WRITTEN, _OTHERS)
    return (
        _MIXED.search(kinds) is not None
        or _JOINED.search(text) is not None
        or has_long_word(text)
        or (_SMALL in kinds and any(len(_ODD.findall(word)) > 3 for word in text.split()))
    )


def is_uuid(word: str) -> bool:
    """Tell whether the word is a UUID, which names a thing and opens nothing."""
    return len(word) == 36 and _UUID.fullmatch(word) is not None


def is_date(word: str) -> bool:
    """Tell whether the word is a date, with or without a time."""
    return _DATE.fullmatch(word) is not None


def is_hex(word: str) -> bool:
    """Tell whether the word is hexadecimal, as the sums and hashes of plain logs are."""
    return _HEX.fullmatch(word) is not None


def looks_random(word: str) -> bool:
    """Tell whether letters, capitals and digits change as often as they do by chance.

    In random text of 62 characters two neighbours in three differ in kind; in names such as
    `useOAuth2Client` about one in six does.
    """
    sample = word[:256]
    kinds = sample.encode("ascii", "replace").translate(_KINDS).replace(b" ", b"")
    if len(kinds) < 8 or kinds.isdigit() or is_uuid(sample) or is_wordy(sample):
        return False
    changes = sum(kinds.count(change) for change in _CHANGES)
    if b"0" in kinds:
        return changes * 4 >= len(kinds) - 1
    return len(kinds) >= 16 and changes * 5 >= len(kinds)


def is_wordy(word: str) -> bool:
    """Tell whether two parts or more are plain words, as in paths and kebab-case names."""
    plain = letters = 0
    for part in _SEPARATORS.split(word):
        if len(part) > 2 and part.isalpha() and _has_one_case(part):
            plain += 1
            letters += len(part)
    return plain >= 2 and (letters * 3 >= len(word) or not ("+" in word or word[-1] == "="))


def _has_one_case(part: str) -> bool:
    return part.islower() or part.isupper() or part.istitle()


# JSON begins with `{"`, `{ ` or `{` and a line end, a key with `-----BEGIN`.
_CANDIDATE: Final = lazy(r"(?<![A-Za-z0-9+/])(?:ey|ew|LS0tLS1CRUdJTi)[A-Za-z0-9+/]{22,}+={0,2}")
_LOGIN: Final = lazy(rb"[ -~]{1,64}:[ -~]{3,200}")
_LONGEST: Final = 65536


def find_encoded(text: str, find: Callable[[str], list[Span]]) -> Iterator[Span]:
    """Yield the words of base64 in which `find` sees a secret."""
    if "ey" not in text and "ew" not in text and "LS0tLS1CRUdJTi" not in text:
        return
    for found in _CANDIDATE.finditer(text):
        said = decoded(found[0][:_LONGEST])
        if "PRIVATE KEY" in said or any(find(line) for line in said.splitlines()):
            yield found.span()


def decoded(word: str) -> str:
    """Return what a word of base64 says, as far as it goes; nothing where it is none."""
    bare = word.rstrip("=")
    bare = bare[: len(bare) - (len(bare) % 4 == 1)]
    try:
        return binascii.a2b_base64(bare + "=" * (-len(bare) % 4)).decode("utf-8", "replace")
    except ValueError:  # no base64, or no ASCII
        return ""


def is_login(word: str) -> bool:
    """Tell whether a word is `user:password` in base64, as registries and Basic take it."""
    return len(word) >= 8 and _LOGIN.fullmatch(decoded(word).encode()) is not None


WORDS: Final[Set[str]] = listed(
    "none null nil undefined true false yes no on off str string int integer float number bool "
    "boolean bytes object any optional self this await new async lambda function return not and or "
    "is are was were has have had will would can cannot could must should may might of to "
    "from in on at by as if it its for with this invalid required "
    "missing expired incorrect wrong empty unset unknown unexpected optional changed updated "
    "please accepted rejected denied failed failure ok okay success successful valid "
    "revoked refreshed received sent found created deleted verified verification authentication "
    "option options flag flags argument arguments parameter parameters value values name field "
    "latest stable default disabled enabled hidden redacted masked filtered removed omitted "
    "secretstr sensitive todo tbd n/a basic bearer digest oauth oauth2 env environment prompt "
    "typeof void let const var def class import static final public private protected "
    "error errors warning punc eof eol end type types text file stdin uuid json yaml "
    "expires limit exceeded length mismatch match matches does did do inherit password passwort "
    "shift see passphrase secret token changed sent generated issued stored kept "
    "erforderlich notwendig ungültig falsch fehlt vergessen geändert abgelaufen requis requise obligatoire incorrecte invalide "
    "incorrecta incorrecto requerida requerido obligatoria obligatorio inválida inválido necesaria obbligatoria errata неверный"
)
"""Words that stand after a colon in messages, code and help; nobody's secret."""

_UNSET: Final = lazy(r"(?i)none|null|nil|undefined|true|false|value|string|x{3,}")
"""What stands for no value, or for any."""
_SELVES: Final[Set[str]] = listed("password passwords passwort passwörter passphrase")
_METAVARS: Final = listed("STRING TEXT VALUE FILE PATH KEY ENV NAME STR URL ARG VAR ID INT")
_TERM: Final = lazy(r"(?i)pass|pwd|secret|token|key|cred|auth|cookie")
_DOTS: Final = lazy(r"[01]|[*•●.…_#\-]{3,}|[xX]{3,}|[?]+|\*{4,}\S{0,4}|\*{4,}")
_PLACEHOLDER: Final = lazy(
    r"\$(?:[A-Za-z_][A-Za-z0-9_]*|\{[^}]*\}?|\(.*|[0-9@*#?])(?:/?)|%[A-Za-z_]+%|%\(?[A-Za-z_]*\)?[sdr]"
    r"|\$?\{\{.*|\{[A-Za-z0-9_.!:()\[\]]*\}|<[^<>]*>?|\[[A-Za-z _-]*\]?|\([a-z0-9 _-]*\)?|`[^`]*`"
    r"|!(?:secret|Ref|Sub|GetAtt|ENV|env|vault|reference)\b.*|\*[a-z_]\w*"
    r"|(?:file|op|vault|env|secret|ref\+\w+|keyring|keychain|awssm|gcpsm)://.*|arn:aws.*|@[\w./-]+"
    r"|(?i:your|my|the)[_-][A-Za-z_-]+|[A-Za-z_-]+[_-]here"
    r"|(?i:change[-_]?(?:me|it|this)|replace[-_]?(?:me|this)|placeholder|(?:insert|put|enter|replace)[-_][A-Za-z_-]+)"
    r"|https?://.*|\{|-{4,5} ?BEGIN.*|arn:.*"
    r"|[A-Za-z0-9_-]{0,16}(?:\.{3,}|…)[A-Za-z0-9]{0,4}|[A-Za-z]{0,8}[A-Za-z0-9_-]{0,12}[-_](?:[xX]{4,}|\*{3,})[A-Za-z0-9]{0,4}"
    r"|(?:[A-Z_]{3,40}=)?[\w./-]+:(?:latest|[0-9]+)|&(?:'\w+ )?(?:mut )?(?:str|String|\[u8\]|[A-Z]\w+)"
)
_TYPE: Final = lazy(
    r"[A-Z][A-Za-z]*?(?:String|Str|Signal|Buffer|Bytes|Source|Field|Array|List|Map|Provider|Schema|Type|Object|Value|Token|Option"
    r"|Request|Response|Error|Exception|Handler|Manager|Service|Client|Context|Ref|Params|Props|Event|Node|Result|Model)s?"
)
"""What a name is declared as, in languages that write the type behind a colon."""
_CLASSES: Final = lazy(r"[A-Z][a-z]{1,30}(?:\.[A-Z][a-z]{1,30}){1,5}")
"""Classes within classes; people make up passwords and secrets alike, but no tokens."""
_CMDLET: Final = lazy(r"(?:Read|Get|New|Import|Select|ConvertTo|ConvertFrom|Unprotect)-[A-Z]\w+")
_DATE: Final = lazy(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+(?:Z|[+-][0-9:]+)?)?")
_WORDS: Final = lazy(r"[a-z]{3,}(?:-[a-z]{3,})+")
_SUFFIXED: Final = lazy(rf"{_WORDS.pattern}(?:-[a-z0-9]{{5}})?")
_KEBAB: Final = lazy(r"[a-z]{2,}(?:-[a-z]{2,}|-[a-z]?[0-9]{1,4})+")
_CALL: Final = lazy(
    r"[&*$]?([A-Za-z_](?:[A-Za-z0-9_.:]|->){0,80})!?(?:\[|\(|<[A-Za-z])|[{\[][\"'{\\]"
)
_CLOSED: Final = lazy(r"\)[A-Za-z0-9]")
"""What no code has behind a bracket."""
_FUNCTION: Final = lazy(r"[a-z]\w{0,11}(?:\.[a-z]\w{0,14}){1,2}")
"""A function of a module, as code names it."""
_CHAIN: Final = lazy(r"[A-Za-z_]\w{0,60}(?:(?:\.|->|\?\.|::)[A-Za-z_]\w{0,60}){1,6}[?!]?")
_ROOTS: Final = listed(
    "self cls this os sys process env config cfg conf settings args opts options ctx context "
    "request req response resp res app data params props state user client session form event "
    "secrets var local module std import input output body payload inputs github steps vars "
    "import.meta auth creds credentials account account_info current_user"
)
_DECLARED: Final = listed(
    "impl dyn ref mut out inout keyof readonly unique &'a &'static &self &mut"
)
"""Words of languages that stand before a type."""
_VERSION: Final = lazy(
    r"(?:[\^~v=]|[<>]=?)?\s?(?:[0-9]:)?[0-9]+(?:\.[0-9x*]+){1,3}(?:[-+.~][0-9A-Za-z.]{1,20}){0,4}"
)
_RANGE: Final = lazy(
    r"[\^~=]?=?[0-9]{1,3}(?:\.[0-9]{1,3}){2}(?:-(?:alpha|beta|rc|dev|next|canary)[.-]?[0-9]{0,3})?"
)
"""The version of a package, which may be named after passwords."""
_RIGHTS: Final = listed("read write admin all full")
_SCOPE: Final = lazy(r"[a-z]{2,20}(?:[.:][a-z]{2,20}){1,3}")
"""What may be done, the scopes of editors' colours, and names of caches' keys."""
_IDENTIFIER: Final = lazy(r"[A-Za-z_]+")
_PATH: Final = lazy(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\][A-Za-z0-9_.\-]+(?:[/\\][A-Za-z0-9_.\-]*)+")
_NUMBER: Final = lazy(r"[+-]?[0-9][0-9,._]*(?:[kKmM%]|ms|s)?(?:/[0-9]+[kKmM]?)?")
_COLOUR: Final = lazy(r"#(?:[0-9a-fA-F]{3}){1,2}")
_COUNT: Final = lazy(r"[0-9]{1,3}(?:[,.][0-9]{3})+|[0-9.,]+[kKmMbB%]")
_SAID: Final = lazy(r"(?=.*[A-Za-z])(?=.*[0-9!#$%&*+@^~]).{6,}", re.DOTALL)
_RANDOM: Final = 12
_LONG: Final = 16
_COUNTED_LENGTH: Final = 6
_PARTS: Final = lazy(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ODD: Final = lazy(r"(?=[jvwxzq][bcdfghjkmnpqtvwxz]|[bcdfghjklmnpqrtvwxz][jqvxz]|q[^u])")
"""Neighbours that stand in next to no word."""
_VOWEL: Final = lazy(r"[aeiouAEIOU]")
_THING: Final = lazy(
    r"[A-Z]{2,}(?:-[A-Z0-9]{1,8})+|[A-Z]{2,}[-_]?[0-9]{1,4}(?:[-/_][A-Z0-9-]+)*"
    r"|(?i:sha|md|aes|rsa|ed|ecdsa|ecdh|x|base|utf|pkcs#?|oauth|http|tls|ssl|argon|scrypt|pbkdf|bcrypt|curve|secp|ipv|python|py|java|go|node|es|win|line|col|page|step|gen|top)[-_]?[0-9][\w.-]{0,12}"
    r"|[\w@+-]+(?:\.[\w+-]+)*\.[a-z]{1,5}[0-9]?|[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+|[\w.+-]+@(?![0-9]{3,}$)[\w.-]+"
    r"|[#@]?[0-9][0-9.,:/x×%~-]*[A-Za-z%]{0,5}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"
    r"|(?:[A-Z]{2,8}:)?[~.]{0,2}[/\\].*|[A-Za-z]:\\.*|.*(?:[(){}<>\[\]|=]|://|::|&&|\.\.\.).*|[\w.-]+(?:/[\w.-]+)+|\$\w+.*|[$€£¥][0-9.,]+\w?|[A-Za-z]+[*&#@+!~^$%]+|\w+:[.<>^]?[0-9.]*[dfsxgn%]|[*&#@+!~^$%]+[A-Za-z]+"
)
"""Forms of names, numbers, files, calls and algorithms, which people do not make up."""
_COUNTED: Final = lazy(r"[A-Z]?[a-z]{1,11}[0-9]|[0-9][A-Z]?[a-z]{3,11}|[A-Z]{1,12}[0-9]")
"""A word and a digit, likewise, but for where a password stands."""
_NAMED_ALIKE: Final = lazy(
    r"[a-z0-9]+(?:[-_][a-z]+)*[-_][a-z]{0,3}[0-9]{1,4}|[a-z]{2,}(?:-[a-z]{2,})+[0-9]|[a-z0-9]+(?:_[a-z0-9]+)+"
)
"""Words and a number joined, as both machines and passwords are called: where it stands decides."""
_ENDS_IN_SIGN: Final = lazy(r"(?=[a-z]*[A-Z])[A-Za-z]{6,40}[#$%&*@+~^!?]{1,2}")
"""Words and a sign behind them, where a password stands."""
_PHRASE: Final = lazy(
    r"[A-Za-z][a-z]{2,11}(?:([-._])[A-Za-z][a-z]{2,11})(?:\1[A-Za-z][a-z]{2,11}){1,7}"
)
_SIGNED: Final = lazy(r"[A-Za-z0-9][!$^&*~#?%][A-Za-z0-9]")
_ENCODED: Final = lazy(
    r"%[0-9A-Fa-f]{2}|%[-0-9.]*[a-z]|&[a-z#0-9]+;|\.[a-z]{2,5}[#?]|^[\w.+-]+@[\w.-]+$|^[0-9:]+\.[0-9.]"
)
"""Addresses, versions and what is encoded for them."""
_PUT_TOGETHER: Final = lazy(
    r"\$?[A-Za-z_][\w.:]*(?:[$#*&?%](?:[A-Za-z_][\w.:-]*|[0-9.]+)|[~^][0-9]+|![A-Z]{1,3}[0-9]+)+|[0-9.]+[*%^&]\w+"
)
"""Names that a sign joins: methods, inner classes, products, cells of a table, ancestors of a commit."""
_COMBINATION: Final = lazy(
    r"(?i:(?:(?:ctrl|control|shift|alt|cmd|meta|super|option|win|esc)[+-])+(?:(?<=\+)\w+|\w|f[0-9]{1,2}|enter|tab|space|up|down|left|right|delete|backspace))"
)
"""Keys that are pressed together."""
_ALGORITHM: Final = lazy(
    r"(?i:sha|md|aes|rsa|ed|ecdsa|base|argon|scrypt|pbkdf|bcrypt|scram-sha|hmac-sha|[hre]s)[-_]?[0-9]{1,4}[a-z]{0,3}(?:-[a-z0-9]{2,6})?"
)
_VERSIONED: Final = lazy(
    r"[A-Za-z][\w+]*(?:[-_.][A-Za-z]+)*[-_@/:]v?[0-9]+(?:[.-][0-9]+)+(?:[-.+]?[a-z]+[0-9]*)?|[\w./-]+\.[a-z]{1,5}:[0-9]+(?::[0-9]+)?"
)
"""A program and its version, a file and its line."""
_RELEASE: Final = lazy(
    r"[A-Za-z]+-v?[0-9]{1,2}|[A-Za-z]+(?:-[A-Z][a-z]+)+-v[0-9]|(?:[A-Z][a-z]+|[a-z]+[A-Z]{1,2})[-+][A-Z0-9]"
)
"""A system, a plan, a key combination."""
_NUMBERED: Final = lazy(
    r"(?:toolu|msg|ses|req|chatcmpl|run|call|resp|thread|asst|file|evt|wrkspc|org|job|build|wf|node|pod|i|vol|ami|snap|subnet|vpc)[_-]"
)
"""How numbers of requests, jobs and machines begin."""
_LEET: Final = lazy(r"(?:^|[^a-z])[a-z]{2,}[013457][a-z]{3,}")
"""A digit that stands for a letter."""
_STANDS_IN: Final = lazy(r"[A-Za-z][013457][a-z]")
_INNER: Final = lazy(r"[A-Za-z0-9][!#$%&*+@^~][A-Za-z0-9]")
_SENTENCE: Final = lazy(r"[^\W\d_][^\W\d_'’,]*(?: [^\W\d_][^\W\d_'’,]*)+[.!?…]?")
_HEAD: Final = 240
"""A longer value is judged by its beginning: code is told apart by then."""


def is_plain(value: str, *, strength: Holds, quoted: bool, name: str) -> bool:
    """Tell whether the value of a name that may hold a secret is none."""
    if value.startswith(REDACTED):
        return True
    head = value[:_HEAD]
    if len(head) < 4 and not any(char.isalnum() for char in head):
        return True
    if head.lower() in WORDS or head in _DECLARED or _DOTS.fullmatch(head):
        return True
    if _PLACEHOLDER.fullmatch(head) or (not quoted and _is_code(head, name)):
        return True
    if not quoted and (_TYPE.fullmatch(head) or _CMDLET.fullmatch(head)):
        return True
    if not quoted and name.lower().endswith("token") and _CLASSES.fullmatch(head):
        return True
    if strength is Holds.SECRET and _names_itself(head, name):
        return True
    if _COMBINATION.fullmatch(head) or _ALGORITHM.fullmatch(head):
        return True
    if strength is not Holds.PASSWORD and (quoted or ":" in head) and _SCOPE.fullmatch(head):
        return True
    if head.isdigit() and len(head) < 6 and name.lower().endswith(("words", "phrases")):
        return True
    if strength is Holds.PASSWORD and _RANGE.fullmatch(head):
        return True
    if strength is Holds.PASSWORD:
        return name.lower() == "pwd" and _PATH.fullmatch(head) is not None
    return _is_thing(head, strength, name)


def is_given(value: str) -> bool:
    """Tell whether the value of a variable is a number or a word that stands for nothing else."""
    if not value.isalnum() or (value.isalpha() and value.isupper()):
        return False
    return _UNSET.fullmatch(value) is None and _PLACEHOLDER.fullmatch(value) is None


def is_plain_value(text: str, value: Value, *, strength: Holds, name: str) -> bool:
    """Tell whether a value that stands in a text is plain."""
    word = text[value.start : value.end]
    return is_plain(word, strength=strength, quoted=value.quoted, name=name)


def is_said(word: str) -> bool:
    """Tell a password in running text from a word: it has digits or signs among its letters."""
    head = word[:_HEAD]
    made = " " not in word and (_SAID.match(head) or is_jumbled(head) or is_unsaid(head))
    return bool(made) and not _VERSIONED.fullmatch(head)


def is_release(word: str) -> bool:
    """Tell whether the word is a system, a plan or a key combination with its number."""
    return _RELEASE.fullmatch(word) is not None


def is_jumbled(word: str) -> bool:
    """Tell whether letters of both cases stand together as in no name: most of its parts cannot be said."""
    if len(word) < _RANDOM - 2 or not word.isalpha() or word.islower() or word.isupper():
        return False
    parts = _PARTS.findall(word)
    return sum(len(_ODD.findall(part.lower())) for part in parts) >= 2 or _are_unsaid(parts)


def _are_unsaid(parts: list[str]) -> bool:
    """Tell whether most parts of a word have no vowel or are single letters."""
    unsaid = sum(_VOWEL.search(part) is None or len(part) == 1 for part in parts)
    return unsaid >= 3 and unsaid * 2 >= len(parts)


def is_scrambled(word: str) -> bool:
    """Tell whether small letters, capitals and digits stand together as they only do by chance."""
    parts = _PARTS.findall(word)
    letters = "".join(parts)
    small = sum(map(str.islower, letters))
    return (
        _RANDOM - 2 <= len(word) < 2 * len(letters)
        and 2 <= small <= len(letters) - 2
        and not ("/" in word or "_" in word)
        and _are_unsaid(parts)
        and looks_random(word)
    )


def is_torn(word: str) -> bool:
    """Tell whether a word may be a piece of what was drawn by chance: letters of both cases which cannot be said."""
    parts = _PARTS.findall(word)
    unsaid = sum(_VOWEL.search(part) is None or len(part) == 1 for part in parts)
    mixed = sum(map(str.islower, word)) > 1 and not word.islower()
    return mixed and 1 < unsaid > len(parts) // 2 and len(set(word)) * 3 > len(word)


def is_unsaid(word: str) -> bool:
    """Tell whether small letters stand together as in no word of any language."""
    return (
        len(word) >= _RANDOM - 2
        and word.isalpha()
        and word.islower()
        and len(_ODD.findall(word)) > 3
    )


def is_numbered(word: str) -> bool:
    """Tell whether the word is the number of a request, a job or a machine."""
    return _NUMBERED.match(word) is not None


def any_within(places: list[int], first: int, last: int) -> bool:
    """Tell whether one of the places, in order, is between the first and the last."""
    index = bisect_left(places, first)
    return index < len(places) and places[index] <= last


def is_path(word: str) -> bool:
    """Tell whether the word is the path of a file, and not one that chance made look so."""
    return _PATH.fullmatch(word[:_HEAD]) is not None and not looks_random(word.replace("/", ""))


def is_phrase(word: str) -> bool:
    """Tell whether a word is put together of three others or more, none of which speaks of secrets."""
    found = _PHRASE.fullmatch(word[:_HEAD])
    return (
        found is not None
        and not _TERM.search(word)
        and WORDS.isdisjoint(word.lower().split(found[1]))
    )


def is_made(word: str, *, quoted: bool = False, sure: bool = False) -> bool:
    """Tell whether somebody or something made a word up: it has digits or signs, and no form that things have.

    In quotes it is no attribute or file that a program names, if letters of both cases and digits are in it;
    where a password is `sure` to stand, words that are joined are one.
    """
    head = word[:_HEAD]
    if sure and (is_phrase(head) or _ENDS_IN_SIGN.fullmatch(head)):
        return True
    if not is_said(head) or is_plain(head, strength=Holds.PASSWORD, quoted=False, name=""):
        return False
    if is_uuid(head) or is_date(head) or _VERSION.fullmatch(head):
        return False
    if _RELEASE.fullmatch(head) and not (sure and len(head) > _COUNTED_LENGTH):
        return False
    if looks_random(head) and len(head) >= _RANDOM:
        return "://" not in head
    counted = _COUNTED.fullmatch(head) is not None and not (sure and len(head) > _COUNTED_LENGTH)
    if not sure and _NAMED_ALIKE.fullmatch(head):
        return False
    if counted or _THING.fullmatch(head):
        mixed = quoted and any(map(str.isdigit, head)) and not (head.islower() or head.isupper())
        return bool(_CHAIN.fullmatch(head)) and (mixed or _LEET.search(head) is not None)
    if any(char.isdigit() for char in head) or is_jumbled(head) or is_unsaid(head):
        return True
    return (
        not (head.islower() or head[1:].islower() or head.isupper())
        and _INNER.search(head) is not None
    )


def is_signed(word: str) -> bool:
    """Tell whether small letters, capitals, digits and a sign stand in a word as only in a password."""
    if len(word) > 40 or "/" in word or _ENCODED.search(word):
        return False
    if not is_mixed(word) or not _SIGNED.search(word):
        return False
    return not _PUT_TOGETHER.fullmatch(word) or _STANDS_IN.search(word) is not None


def is_mixed(word: str) -> bool:
    """Tell whether small letters, capitals and digits stand in a word, as people make passwords up."""
    return (
        len(word) > 7
        and any(map(str.isdigit, word))
        and any(map(str.isupper, word))
        and any(map(str.islower, word))
    )


def is_strong(word: str) -> bool:
    """Tell whether a word by itself looks like a password or key: drawn by chance, or of three kinds of signs."""
    if not is_made(word) or is_wordy(word):
        return False
    if len(word) >= 10 and (looks_random(word) or is_jumbled(word)):
        return True
    kinds = sum(any(map(kind, word)) for kind in (str.islower, str.isupper, str.isdigit))
    return kinds >= 2 and _INNER.search(word) is not None and any(map(str.isdigit, word))


def is_sentence(value: str, strength: Holds = Holds.SECRET) -> bool:
    """Tell whether the value is a message: of words only, one of them such as messages have.

    A pass phrase is of words too, so what stands for a password must speak of passwords.
    """
    head = value[:_HEAD]
    if " " not in head or not _SENTENCE.fullmatch(head):
        return False
    words = head.lower().strip(".!?…").split()
    return not (_SELVES if strength is Holds.PASSWORD else WORDS).isdisjoint(words)


def _is_thing(head: str, strength: Holds, name: str) -> bool:
    """Tell whether the value is a number, a date, a colour, a path or, under an unsure name, not random."""
    if _DATE.fullmatch(head) or _VERSION.fullmatch(head) or (name and _is_label(head, name)):
        return True
    if _NUMBER.fullmatch(head):
        if _COUNT.fullmatch(head):
            return True
        return not _is_one_time_code(head, name) and _is_amount(head, strength, name)
    if _PATH.fullmatch(head) and not looks_random(head.replace("/", "")):
        return True
    if head in _RIGHTS or _COLOUR.fullmatch(head):
        return True
    if strength is Holds.PERHAPS and not _is_one_time_code(head, name):
        return not (_looks_kept(head, name) or (is_uuid(head) and is_key(name)))
    return False


def _is_label(head: str, name: str) -> bool:
    """Tell whether the value is a name of words and numbers, and its own name does not deny it."""
    if name.lower().endswith(("key", "secrets")):
        return (_WORDS if name[-1] in "yY" else _SUFFIXED).fullmatch(head) is not None
    word = "_" in name and name.islower() and head.isalpha() and head.islower()
    return ends_plainly(name) and (word or _KEBAB.fullmatch(head) is not None)


def _is_amount(head: str, strength: Holds, name: str) -> bool:
    """Tell whether a number counts or measures; so do one digit, and decimals."""
    if strength is Holds.PERHAPS or len(head) < 2:
        return True
    return len(head) < 6 and (counts(name) or not head.isdigit())


def _is_one_time_code(head: str, name: str) -> bool:
    return "otp" in name.lower() and head.isdigit() and 5 < len(head) < 9


def _looks_kept(head: str, name: str) -> bool:
    """Tell whether the value under an unsure name is one that people keep: random enough."""
    if name.lower() == "auth" and is_login(head):
        return True
    if name.isupper() and name.endswith("_AUTH"):
        return is_said(head)
    if name.lower() == "pass":
        made = not head.isdigit() and (not head.isalpha() or is_jumbled(head))
        return len(head) >= 6 and made and (name != "PASS" or is_made(head.replace(" ", "")))
    if head.endswith("=") and len(head) >= 40 and " " not in head:
        return True
    return len(head) >= 12 and (
        looks_random(head) or (head.isalnum() and len(_ODD.findall(head)) > 3)
    )


def _is_code(head: str, name: str) -> bool:
    """Tell whether an unquoted value is an expression: a call, an attribute, a variable."""
    call = None if _CLOSED.search(head) else _CALL.match(head)
    if call and not (call[1] and not _FUNCTION.fullmatch(call[1]) and looks_random(call[1])):
        return True
    if _CHAIN.fullmatch(head):
        parts = re.split(r"\.|->|\?\.|::", head)
        if parts[0] in _ROOTS or _TYPE.fullmatch(parts[0]):
            return True
        named = _TERM.search(parts[-1]) or (len(parts) > 2 and _TERM.search(parts[0]))
        return bool(named) and not looks_random(head)
    if not _IDENTIFIER.fullmatch(head):
        return False
    if head.isupper():
        return head in _METAVARS or (bool(_TERM.search(head)) and len(head) < 40)
    return _names_itself(head, name) or (_is_joined(head) and bool(_TERM.search(head)))


def _names_itself(head: str, name: str) -> bool:
    """Tell whether the value is the variable of that name, as in `password=password`."""
    bare = name.strip("_")
    return head.lower() == bare.lower() or (bare.islower() and bare.endswith(f"_{head}"))


def _is_joined(head: str) -> bool:
    """Tell whether the word is put together of words, as variables and types are."""
    return "_" in head or (not head.islower() and not head.isupper())
