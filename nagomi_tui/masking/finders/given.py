"""Finds a secret by what is said around it, whatever stands between its name and itself.

A name that says secret, in any language, leads to the first made-up word behind the colon, arrow, dash or verb
that joins the two; a user's name leads to the password beside it; and a prompt to all that is typed there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from nagomi_tui.masking import plain
from nagomi_tui.masking.gate import MADE_UP, is_name
from nagomi_tui.masking.names import Holds, listed
from nagomi_tui.masking.values import REDACTED, Span, read_value
from nagomi_tui.text.patterns import lazy

_KEY: Final = r"[ _-]?(?:key|secret|token)(?![a-z])"
_ASCII: Final = (
    rf"p(?:ass(?:word|phrase|code|wd|wort)|(?<![a-z]p)(?:wd?|sswd|arola|in code)(?![a-z])|rivate{_KEY})"
    rf"|s(?:ecret(?<!_secret)(?<!libsecret)(?![a-z_-])|enha|alasana|(?<![a-z]s)andi(?![a-z])|(?:ecret|igning|etup){_KEY})"
    rf"|token(?<!_token)(?![a-z_-])|a(?:(?:pi|ccess|uth|dmin){_KEY}|dgangskode)|encryption{_KEY}|re(?:covery|gistration){_KEY}"
    rf"|license{_KEY}|m(?:aster{_KEY}|dp(?![a-z])|ot de passe)|deploy{_KEY}|j(?:oin{_KEY}|eton(?<![a-z]jeton)(?![a-z]))|bootstrap{_KEY}"
    rf"|c(?:lient{_KEY}|red(?:ential)?s?(?![a-z_-])|lave(?<![a-z]clave)(?![a-z])|hiave segreta|have secreta)"
    r"|identified|k(?:ennwort|ode(?:ord|wort))|zugangs(?:daten|code)|geheimnis|wachtwoord|heslo(?<![a-z]heslo)(?![a-z])"
)
_BEYOND: Final = (
    "jelszó|lösenord|hasło|contraseñ[ae]|şifre|mật khẩu|(?:clé|clef) (?:secrète|api|d'api)|geheimer schlüssel|zugangsschlüssel"
    "|пароль|токен|секрет|κωδικ|סיסמ|كلمة المرور|รหัสผ่าน|पासवर्ड|비밀번호|비번|암호|토큰|密[码碼钥鑰]|口令|令牌"
    "|パスワード|パスフレーズ|トークン|シークレット|秘密鍵|合言葉|暗証番号"
)
NAME: Final = f"(?:{_ASCII}|{_BEYOND})"
"""Words that say secret, in text of small letters."""

_TAIL: Final = (
    r"(?:[a-z0-9_]{0,24})[\"'`*_~)\]»”」』]{0,4}(?:\s?[(\[（][^()\[\]（）]{0,80}[)\]）])?"
)
_VERBS_OF: Final = listed(
    "is was ist war lautet lauten est es je adalah é è reads becomes equals to now by jest है это är är: er on"
)
"""Words that join a name to its value."""
_JOINS: Final = (
    r"(?:[为為是は]?\s{0,4}(?:[:：=＝→⇒»›▸➜]|=>|->|::|>)(?!/)(?:\sit(?:'s|\sis|\swas)(?=\s))?"
    rf"|\s(?:[-–—~|]|{'|'.join(sorted(_VERBS_OF))}"
    r")(?:\s(?:now|still|jetzt|currently|le|la))?(?=\s)|[为為是은는](?=\s?[!-~]))"
)
_NAME: Final = lazy(rf"(?=[abcdeghijklmprstwz\u0080-\uffff]){NAME}")
_OF_KEYS: Final = lazy(r"key|secret|token|cred|identified|jeton|トークン|シークレット|鍵|ключ")
"""Names of what is drawn by chance, where words that are joined are the name of a thing."""
_ASCII_NAME: Final = lazy(_ASCII)
_IDENTIFIER: Final = lazy(r"[A-Za-z0-9_-]")
_GIVEN: Final = lazy(
    rf"{_TAIL}((?:[^:：=＝→⇒»›.!?;{{}}<>|]|[.;](?=\s(?:the )?(?:new one|it) )){{0,60}}?){_JOINS}[\s*_`]{{0,8}}(?=\S)"
)
"""What may stand between a name and its value."""
_GIVEN_LATER: Final = lazy(
    rf"{_TAIL}([^:：=→!?;{{}}<>|]{{0,80}}?):[\s*_`]{{1,8}}(?:it(?:'s|\sis|\swas)\s[*_`]{{0,3}})?(?=\S)"
)
_WITHIN: Final = frozenset(":/.")
"""Signs before what is a part of a path, an address or a chain."""
_LAST: Final = lazy(
    r"\\?[\"'`»”」』)\]}.,;!*_]*(?:\s*$|\s+[(#–—|│║-]|,\s|\.\s|\s{2,}|\s(?:if|for|and|but|now|when|wenn|für|und|por|para|pour)\s|\s입니다)"
)
_NOT_GIVEN: Final = listed(
    "file files path folder url uri endpoint length policy policies type algorithm hash hashed version count check checks checked scan scanned "
    "rotation manager store expires expired until line column error errors failed invalid id ids name names format fingerprint "
    "public usage used window limit limits budget via algorithm test tests class function method page link docs documentation see read reading "
    "from loaded saved written reset-link hint last scope scopes permission permissions role branch commit detected found in matching matches required "
    "must should needs cannot フィンガープリント 指紋"
)
"""Words between a name and a colon that say the value is about the secret."""
_WORDS: Final = lazy(r"[^\W\d_]+")

_QUOTED_WORDS: Final = lazy(r"[\"'`“「]([a-zA-Z0-9]{2,12}(?:[ -][a-zA-Z0-9]{1,12}){2,7})[\"'`”」]")
_SOME_WORDS: Final = lazy(r"\w{2,20}(?:[ -]\w{1,20}){1,5}(?=\s*$)")
_PROMPT: Final = lazy(
    rf"^[\s?✔✓◆◇│┃❯>*•]*(?:[\w.-]{{2,20}}: )?(?:(?:please|enter|type|paste|input|provide|confirm|repeat|re-enter|current|old|new|your|the|[a-z0-9]{{1,12}})\s){{0,4}}(?:{NAME})"
    r"(?:\? [›»]|[^:：?›»…=]{0,16}\b(?:for|of|to|from|on|and|von|für|de|for key)\s[^:：›»…=]{1,80}(?:[:：›»…]|\?))\s{1,4}(?=\S)"
)
"""A line in which a program asks somebody for a secret; all behind it was typed."""

_USER: Final = lazy(
    r"(?<![a-z])(?:user(?:name)?s?|u(?=[\"']\s?:)|wi-?fi|wlan|ssid|hotspot|log[- ]?in(?:_\w{1,12})?|account|superuser|credentials?|creds|admin(?:istrator)?|root|logins?|zugangsdaten|identifiants?|logged in as|sign in as|logg(?:ed|ing) in with|ログイン(?:情報)?|アカウント)"
    r"[\"'`*)]{0,2}(?:\s?[:：=]\s{0,3}|\s(?:is|are|as|with|-)?\s{0,3})[\"'`(]?([\w.@+\\-]{1,64})[\"'`]?(?:\s?(?:/|:|\||,|;)| and| with|\s{1,12}(?=(?:key|pass\w{0,6}|pwd?|psk)[\"']?\s?[:=]))\s?[\"'`]?(?P<named>[\"']{0,2}(?:key|pass|pwd?|p)[\"']?\s?[:=]\s?)?(?=[^\s/:])"
)
"""A user's name, and behind it the password."""
_TWO: Final = lazy(
    r"(?<![a-z])(?:(?:basic)?_?auth(?:_?basic)?|basic)[\"']?\s?[:=,]\s?(?:[\[({]\s?)?[\"']?[\w.@+-]{1,64}[\"']?(?:,\s?|\s(?=\S{6,}\s*$))"
)
_MAIL_AND: Final = lazy(
    r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}[\"'`]? [/|] [\"'`]?(?=\S)"
)
"""A user's name under what is short for a login, or an address of mail, and behind either the password."""

_SPOKEN: Final = lazy(
    r"(?:^(?:\S{0,60}[>»$#]\s{0,2}|/|\S{1,20} \+|hello [23] |\*{0,2}\s{0,2}|[a-z]?[0-9]{1,4} |\. )|[\"'])(?:auth|pass|identify|authenticate|login|unlock|unseal)\s+(?P<user>[\w.@-]{1,64}\s+)?(?=[^\s\\\"']{6,}(?:\s*$|\\r|[\"']|\s\+))"
)
"""What is said to a server that asks who one is."""

_KEY_IS: Final = lazy(
    r"key(?<![\w-]key)(?<!cache key)(?<!primary key)(?<!public key)(?<!host key)(?<!sort key)(?<!partition key)(?<!from key)(?<!idempotency key)"
    r"(?: (?:for|of|to|on|in) [^:=.!?;]{1,40})?(?: is |: ?|\s?(?:→|[-=]>)\s?)[\"'`]?([a-z0-9_+/-]{24,}={0,2})(?![\w./:-])"
)
"""A key of which only the form tells that it is none of a table or a cache."""
_SHORT: Final = lazy(r"p(?<![a-z]p)(?:sk|ass)(?![a-z])|pw(?![a-z-])")
_EAP: Final = lazy(r"(?<![a-z])(?:eap|xauth)(?![a-z])")
_CALLED: Final = lazy(
    r"(?=[abcdefhjklnpsw])(?:connect|log_?in|sign_?in|log_?on|auth\w{0,12}|credentials?|(?<![a-z])pdo|superuser|(?:create|add|new)_?user|bcrypt\.|dial|keychain|basic|wifi\.begin|client|wallet|hmac\.new|createhmac|createcipher|keyspec|aes\.new|(?:key|secret)(?![a-z]).{0,40}(?:buffer\.from|decodestring|fromhex|hex\.decode|unhexlify)|bind|fernet|(?:en|de|\b)crypt|jwt\.encode|bot|sp_addlogin)\w{0,12}\s?(?:\(|(?=[\"']))"
)
"""Calls that are given a password, whatever their arguments are called."""
_LOGS_IN_BY: Final = lazy(
    r"(?:log_?[io]n|sign_?in|credentials?|auth|superuser|(?:create|add|new)_?user|connect(?:ion)?|pdo|mysqli|wifi\.begin)\w{0,14}(?:::\w{1,12})?\s?\([^()]*,\s{0,8}(?:some\(|[bnr@])?[\"']$"
)
_GAP: Final = lazy(
    r"[\"'`*_)\]]{0,3}(?:\s?[\s:：=＝>→.,{\[(|–—~-]*\s?|\s(?:is|are|was|by|as|to|be|enc|cipher|plain|hex|ascii|md5|sha|-[a-z]+|[0-9])\s)[\"'`({\[]{0,3}"
)
"""What leads from a name to its value where no verb or sign joins them for certain."""
_QUOTES: Final = frozenset("'\"")
_LED: Final = lazy(
    r"(?:\b(?:to|is|as|was|be|with|using|use|by|ist|est|es)\s|[:=→]\s?)[\"'`*(]{0,2}\Z"
)
"""What stands before a value whose name comes behind it."""
_FAR: Final = 120
_WORD: Final = lazy(
    r"(?<![^\s\"'`(\[「『“‘:：=,>{|])(?![a-z]+(?:[\s,;\"'`)\]|}<]|$))[^\s\\\"'`()<>\[\]{}「」『』“”,;|=\u3040-\u30ff\u4e00-\u9fff]{8,72}(?![^\s\\\"'`)\]」』”’,;.|}<\u3040-\u30ff\u4e00-\u9fff])"
)
_BEFORE: Final = 48
_BEHIND: Final = 24
_CODES: Final = lazy(
    r"(?:\b(?:your (?:[\w.-]{1,20} ){0,3}code|m?tan|\w{0,20}(?:bestätigungs|sicherheits|zugangs|einmal|verificatie|bekräftelse)-?(?:code|kod|passwort|kennwort)"
    r"|c[óo]digo (?:de )?(?:verificaci[óo]n|verifica[çc][ãa]o|seguridad|segurança|acesso|acceso|confirma[çc]\w+)|code (?:de |d')?(?:vérification|sécurité|confirmation|connexion|accès)"
    r"|codice (?:di )?(?:verifica|sicurezza|conferma)|код(?: подтверждения)?)|(?:mfa|2fa|totp|verification|authentication|authenticator) code (?:for|of|from) [^\s]{1,80}(?=:)|(?<![a-z])(?:pairing|set-?up|pin|puk)[ -]?(?:pin-)?(?:code|passkey)?(?: for [\w ]{1,30})?|pinコード|验证码|驗證碼|校验码|动态码|인증\s?(?:번호|코드))"
    r"[\s\"'\[({:：是为為は-]{0,6}(?:(?:is|lautet|ist|est(?: le)?|es|é|è|är)[\s:\"']{1,3})?([0-9]{4,8}|[0-9]{3}[ -][0-9]{3}|[0-9]{3}-[0-9]{2}-[0-9]{3}|[0-9]{4}-?[0-9]{3}-?[0-9]{4})(?![0-9.,%/])"
)
_DIGITS: Final = lazy(r"[0-9]{3}")
_CODED: Final = (
    "cod",
    "kennwort",
    "passwort",
    "passkey",
    "tan",
    "pin",
    "puk",
    "otp",
    "2fa",
    "authenticator",
)
_BASE32: Final = lazy(r"(?<!\w)(?=[A-Z]*[2-7])[A-Z2-7]{16,64}(?!\w)")
"""A key that programs for one-time codes are given."""
_CODE_GIVEN: Final = lazy(
    r"(?:verification|security|log-?in|sign-?in|one[- ]time|authenticat\w{2,3}|confirmation|2fa|mfa|sms|access|backup|recovery|scratch|pairing|device|activation|invit\w{1,5}|unlock|guard|set-?up|door"
    r"|gate|alarm|link|registration|join|reset|rescue|emergency|transfer|enrol\w{0,6}|redeem|gift|voucher) (?:pass)?codes?(?: (?:is|was|=)[:：]?|[\"'`*]{0,3}[:：=→])[\s\"'`*]{1,4}((?=[a-z-]*[0-9])(?:[a-z0-9]{5,8}|[a-z0-9]{3,8}(?:-[a-z0-9]{2,8}){1,6})|[a-z]{3,10}(?:-[a-z]{3,10}){2,5}|(?=[a-z-]*[0-9])[0-9a-z-]{4,20}(?:[ ,;/]{1,3}(?=[a-z-]*[0-9])[0-9a-z-]{4,20}){1,15})(?![\w.:/-])"
)
"""Codes of letters and digits, or of groups of them."""
_ARGUMENT: Final = lazy(r"\s-[A-Za-z][ =]([A-Za-z0-9_+/-]{40,}={0,2})(?=\s|$)")
_REACH: Final = 400
"""Characters in which a value ends that somebody says or types."""
_SIMPLE: Final = lazy(r"(?!\$|\S+@[\w-]+\.[a-z])[^\s\"'`<>(){}\[\]|/\\;,=:*]{6,40}")
"""A word without signs of code, and no address of mail."""
_SHORT_SUM: Final = 16
_JOINING: Final = frozenset(":=：＝>?&|→")
_LONG: Final = 40
_BRIEF: Final = 20
"""Letters and digits below which a word drawn by chance must be one that cannot be said."""
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
    "wifi",
    "wi-fi",
    "wlan",
    "ssid",
    '"u"',
)
_VERBS: Final = ("auth ", "pass ", "identify ", "authenticate ", "login ", "unlock ", "unseal ")
"""What each of these lines holds; a quick look."""
_UP_TO_END: Final = lazy(r"[^\s\\\"']+")
_PAIR: Final = lazy(
    r"(?<![\w:/@.+-])([A-Za-z][\w.+-]{1,40}(?:@[\w.-]{3,64})?):([^\s:\\\"'`/,;()\[\]{}<>|=]{8,40})(?=[\"'`]|\s|$)"
)
"""A login as one word: `user:password`."""
_PAIRED: Final = lazy(r":[^\s:\\\"'`/,;()\[\]{}<>|=]{8}")

_SIGNED: Final = lazy(r"[!$^&*~#?%](?<=[A-Za-z0-9].)[A-Za-z0-9]")
_CHANCE: Final = lazy(
    r"(?<![^\s\"'`(\[{:：=＝>|,;&?│┃])(?=[A-Za-z0-9+/_.~%-]{10})(?<!base64,)(?!AAAA|MI[GI]|Qm|I[0-9a-f]{40}|eyJ2ZXJ|sourceM|sha[0-9]{1,3}-|iVBOR|R0lGOD|UEsDB|H4sI|JVBERi|UklGR|PHN2Z|PD94b|//|[~.]{0,2}/\w)"
    r"(?=[a-z0-9+/_.~%-]*[A-Z])(?=[A-Z0-9+/_.~%-]*[a-z])(?=[A-Za-z+/_.~%-]*[0-9])[A-Za-z0-9+/_.~%-]{10,4000}(?<![.~])={0,2}(?![^\s\"'`)\],;:.}<>&|│┃\\])"
)
"""A long word of letters of both cases and digits, as keys are."""
_SHAPED: Final = lazy(
    r".*\.[A-Za-z]{2,8}[0-9]?|[a-z0-9]+\.[A-Z]\w*|(?i:ed|x|curve)(?:25519|448)\w*|.*[0-9]\.[0-9].*|(?:[A-Za-z]+[0-9.]*[-_.]{1,2}){2,12}[A-Za-z0-9]*|[0-9a-f]{16,}-[A-Z]{3}|.*(?:/[a-z]{2,}|\b[a-z]{2,}/){2}.*|.*%(?:2[0-9A-F]|3A).*"
)
"""Files, attributes, decimals, words that are joined, paths and words of addresses."""
_NAMED_THING: Final = lazy(
    r"(?i)(?:id(?:[-_][0-9])?|peer|blob|nonce|state|etag|hash|digest|(?:sha|(?<![A-Za-z])(?:md|h))[0-9-]*|rev|revision|version|cursor|trace|span|request|req|run|job|build|message|msg|event|object|file|doc"
    r"|video|node|cid|ref|sum|checksum|fingerprint|signature|sig|public(?:[ _-]?key)?|pub(?:key)?|integrity|base64|image|data|dnskey(?: [0-9]+){3}|[\"'](?:n|x|y|kid|x5[ct])|page|list|next|after|before|tag|name|branch|class|func\w*|ssh-\w+|w/)"
    r"[\"'`]?\s{0,3}[=:(\[]?\s{0,3}[\"'`]?$|[0-9]{14} [0-9]{1,5} \S+ $"
)
"""What stands before the number of a thing, a sum, or the signature of a zone."""
_LOGS_IN: Final = lazy(
    r"(?:auth|login|user|cred|proxy|basic|account)[a-z_-]*[\"']?[\s=:]{1,4}[\"']?$|\s-[a-z]\s[\"']?$"
)
_SPEAKS: Final = lazy(r"(?<![a-z])(?:log-?in|password|creds|credentials|auth)(?![a-z])")
_ROOTS: Final = listed("admin root administrator superuser sysadmin")
_TWO_WORDS: Final = lazy(
    r"\s*(?:(?:[a-z]{2,8}> )?user\s+\w[\w.@-]{0,63}|(?:[a-z]+://\S+|[a-z0-9-]+(?:\.[a-z0-9-]+)+)\s+(?!ssh-|ecdsa)\w[\w.@-]{0,63})\s+(?=\"[^\"]+\"\s*$|'[^']+'\s*$|\S{6,}\s*$)"
)
"""A user and a password behind a host, or each other."""
_CONNECT: Final = lazy(
    r"(?:connect|conn|target|catalog|auxiliary)\s+[\w.$-]{1,40}/([^\s/@]{4,64})@"
)
_ENTERED: Final = lazy(
    r"\s(?:login|auth|authenticate|import[a-z_-]*|activate|register|join)\s+(?:--?\S+\s+){0,2}[\"']?([a-z0-9_+/-]{32,}={0,2})[\"']?(?=\s|$)"
)
"""A key that is given to a subcommand which proves who one is."""
_DRAWN: Final = 32
_SUM: Final = lazy(
    r"(?i)(?:sha|md|h|blake\w?)[0-9]+$|(?:^|[_-])(?:id|ref|rev|tag|hash|etag|digest|trace|span|commit|version)$"
)


def find_given(text: str, low: str, *, joined: bool) -> Iterator[Span]:
    """Yield where a value stands that the words around it say is a secret."""
    finder = _ASCII_NAME if low.isascii() else _NAME
    names = [found.span() for found in finder.finditer(low)]
    at = 0
    for first, last in names if joined or not _VERBS_OF.isdisjoint(low.split()) else ():
        if first < at or low[first - 1 : first] in _WITHIN:
            continue
        name, place = low[first:last], last
        sure = _OF_KEYS.search(name) is None and not _IDENTIFIER.match(low, last)
        for first_join in (True, False, False):
            found = _GIVEN.match(low, place) or _GIVEN_LATER.match(low, place)
            if not found or not _NOT_GIVEN.isdisjoint(_WORDS.findall(low, last, found.end(1))):
                break
            place = found.end()
            span = _made(text, place, sure=sure)
            if not span and text[place - 1] != "=":
                span = _phrase(text, name, place)
            if span and (first_join or _SIMPLE.fullmatch(text, *span)):
                yield span
                at = span[1]
                break
            place -= text[place - 1] == " "
    for found in _KEY_IS.finditer(low) if "key" in low else ():
        key = text[slice(*found.span(1))]
        drawn = plain.looks_random(key) and not plain.is_uuid(key)
        if drawn or (plain.is_hex(key) and not key.isdigit()) or _GROUPS.fullmatch(key):
            yield found.span(1)
    if names and joined and (asked := _PROMPT.match(low)) and (span := _typed(text, asked.end())):
        yield span
    if ("(" in text or "sp_add" in low) and ("'" in text or '"' in text):
        names += [found.span() for found in _CALLED.finditer(low)]
    names += [found.span() for found in _SHORT.finditer(low)]
    if "eap" in low or "xauth" in low:
        names += [found.span() for found in _EAP.finditer(low)]
    if names:
        yield from _near(text, low, names)


def find_beside_user(text: str, low: str) -> Iterator[Span]:
    """Yield where a password stands beside a user's name."""
    for found in _USER.finditer(low) if any(map(low.__contains__, _USERS)) else ():
        sure = found["named"] is not None or found[0].endswith("/ ")
        span = _made(text, found.end(), sure=sure)
        if span and plain.is_made(text[slice(*span)], sure=sure):
            yield span
    two = [*_TWO.finditer(low)] if "auth" in low else []
    if "@" in low and (" / " in low or " | " in low):
        two += _MAIL_AND.finditer(low)
    for found in two:
        value = read_value(text, found.end())
        if value and plain.is_made(text[value.start : value.end], quoted=value.quoted):
            yield value.start, value.end
    for spoken in _SPOKEN.finditer(low) if any(map(low.__contains__, _VERBS)) else ():
        word = _UP_TO_END.match(text, spoken.end())
        if word and plain.is_made(word[0], sure=True):
            yield word.span()
    for pair in _PAIR.finditer(text) if _PAIRED.search(text) else ():
        if _SUM.search(pair[1]):
            continue
        told = (
            "@" in pair[1]
            or pair[1].lower() in _ROOTS
            or _LOGS_IN.search(low, max(0, pair.start() - _BEHIND), pair.start())
            or _SPEAKS.search(low, pair.end(), pair.end() + _BEFORE)
        )
        if plain.is_hex(pair[2]):
            if told and len(pair[2]) >= _DRAWN:
                yield pair.span(2)
        elif plain.is_strong(pair[2]) or (told and plain.is_made(pair[2], sure="@" not in pair[1])):
            yield pair.span(2)
    if "@" in low and "/" in low:
        yield from (found.span(1) for found in _CONNECT.finditer(low))
    if beside := _TWO_WORDS.match(low):
        value = read_value(text, beside.end())
        user = "user" in beside[0].split()[:2]
        said = text[value.start : value.end].replace(" ", "") if value else ""
        if value and plain.is_made(said, quoted=value.quoted, sure=user):
            yield value.start, value.end


_GROUPS: Final = lazy(
    r"(?<![\w.+-])(?=[\w-]{0,24}[0-9])(?=[0-9-]{0,14}[A-Za-z])(?:[A-Z0-9]{2,6}(?:-[A-Z0-9]{4,6}){3,6}|[a-z0-9]{4}(?:-[a-z0-9]{4}){3,5})(?![\w-])|(?<![\w.+-])[0-9]{6}(?:-[0-9]{6}){5,7}(?![\w-])"
)
"""Groups of letters and digits as in keys of licences, of streams and for recovery."""
_STANDARD: Final = str.maketrans("-_", "+/")
_MIXED_GROUP: Final = lazy(r"[A-Za-z][0-9]|[0-9][A-Za-z]")


def find_strong(text: str, *, run: bool, long: bool) -> Iterator[Span]:
    """Yield the words that only a password or a key looks like, whatever stands around them.

    People set signs, digits and letters of both cases side by side in nothing else; and a long word of letters
    and digits drawn by chance is no name of a thing unless a word before it says so.
    """
    for found in _WORD.finditer(text) if _SIGNED.search(text) else ():
        word = found[0].rstrip(".,:;!?")
        if plain.is_signed(word):
            yield found.start(), found.start() + len(word)
    for found in MADE_UP.finditer(text) if run else ():
        yield found.span()
    for found in _GROUPS.finditer(text) if "-" in text else ():
        if found[0][0:6].isdigit() or len(_MIXED_GROUP.findall(found[0])) > 2:
            yield found.span()
    for found in _CHANCE.finditer(text) if run or long else ():
        above = text[max(0, found.start() - _BEFORE) : found.start()]
        if above.strip() and not _NAMED_THING.search(above) and _is_drawn(found[0], above):
            yield found.span()


def _is_drawn(word: str, above: str) -> bool:
    """Tell whether a long word is drawn by chance, and neither a thing's name nor what base64 says in letters.

    Without a sign that joins it to a name, whatever the name, it is longer or has no other signs in it.
    """
    joined = above.rstrip(" \t\"'`({[")[-1:] in _JOINING
    if len(word) < _BRIEF:  # and neither in an address nor the name of a test's case
        within = above[-1] == "[" or "://" in above.rpartition(" ")[2]
        return not within and plain.is_scrambled(word) and plain.is_made(word)
    if not (joined or len(word) >= _LONG or word.isalnum() or word.endswith("=")):
        return False
    if not plain.looks_random(word) or plain.is_numbered(word) or is_name(word):
        return False
    if _SHAPED.fullmatch(word):
        return False
    return not word.endswith("=") or "\ufffd" in plain.decoded(word.translate(_STANDARD))


def find_codes(text: str, low: str) -> Iterator[Span]:
    """Yield the codes of a few digits by which one proves who one is."""
    if low.isascii() and not any(map(low.__contains__, _CODED)):
        return
    for found in _CODES.finditer(low) if _DIGITS.search(low) else ():
        yield found.span(1)
    if "otp" in low or "2fa" in low or "authenticator" in low:
        yield from (found.span() for found in _BASE32.finditer(text))
    for found in _CODE_GIVEN.finditer(low) if "code" in low else ():
        code = text[slice(*found.span(1))]
        if code.isdigit() or not code.isalnum() or not code.islower():
            yield found.span(1)


def find_arguments(text: str, low: str) -> Iterator[Span]:
    """Yield long words that are given to a subcommand which proves who one is, or an option of one letter."""
    for entered in _ENTERED.finditer(low):
        key = text[entered.start(1) : entered.end(1)]
        if plain.is_hex(key) or plain.looks_random(key):
            yield entered.span(1)
    for found in _ARGUMENT.finditer(text):
        word = found[1]
        if plain.looks_random(word) and not (
            plain.is_hex(word) or word.islower() or word.isupper()
        ):
            yield found.span(1)


def _near(text: str, low: str, names: Sequence[Span]) -> Iterator[Span]:
    """Yield the words near one that says secret which look like its value, the less the nearer they stand."""
    starts, ends = sorted(first for first, _ in names), sorted(last for _, last in names)
    for found in _WORD.finditer(text, max(0, starts[0] - _FAR)):
        start, end = found.span()
        end -= len(found[0]) - len(found[0].rstrip(".,:;!?"))
        word = text[start:end]
        if word.islower() and word.isalpha():
            continue
        quoted = text[start - 1 : start] in _QUOTES and text[end : end + 1] in _QUOTES
        behind = plain.any_within(starts, end, end + _BEHIND)
        near = plain.any_within(ends, start - _BEFORE, start) or (
            behind
            and (
                quoted
                or (
                    "_" not in word
                    and plain.is_mixed(word)
                    and _LED.search(low, 0, start) is not None
                )
            )
        )
        if (
            not near
            or REDACTED in word
            or (plain.is_hex(word) and not (quoted and _is_passed(low, start)))
        ):
            continue
        made = plain.is_made(word, sure=low.endswith(("password ", "passphrase "), 0, start))
        if (
            (made and (_leads(low, ends, start) or plain.is_strong(word)))
            or (
                made
                and plain.is_mixed(word)
                and text[start - 1 : start] != "["
                and word[0] != "_"
                and plain.is_made(word)
            )
            or (quoted and plain.is_made(word, quoted=True, sure=_is_last(low, start)))
        ):
            yield start, end


def _leads(low: str, ends: Sequence[int], start: int) -> bool:
    """Tell whether next to nothing stands between a word that says secret and the place."""
    index = bisect_right(ends, start) - 1
    gap = low[ends[index] : start] if index >= 0 else ""
    return 0 < len(gap) <= _BEHIND and _GAP.fullmatch(gap) is not None


def _is_last(low: str, start: int) -> bool:
    """Tell whether a string is not the first argument of a call that logs somebody in."""
    return _LOGS_IN_BY.search(low, max(0, start - _FAR), start) is not None


def _is_passed(low: str, start: int) -> bool:
    """Tell whether the word is an argument of a call that is given keys."""
    return _CALLED.search(low, max(0, start - _BEFORE), start) is not None


def _made(text: str, at: int, *, sure: bool = False) -> Span | None:
    """Return the word that begins at `at` if it was made up, and ends what is said."""
    near = text[at : at + _REACH]
    value = read_value(near, 0)
    if value is None or value.end >= _REACH:
        return None
    if not _LAST.match(near, value.end) and not (
        value.quoted and plain.is_mixed(near[value.start : value.end])
    ):
        return None
    word = near[value.start : value.end]
    bare = word.rstrip("?!")
    if not (value.quoted or (bare.isalpha() and bare[1:].lower() != bare[1:])):
        word = bare
    end = value.start + len(word)
    if plain.is_hex(word) and (len(word) < _SHORT_SUM or len(word) in _SUMS) and not word.isdigit():
        return None
    if plain.is_uuid(word):
        return (at + value.start, at + end)
    if plain.is_made(word.replace(" ", "-"), quoted=value.quoted, sure=sure):
        return at + value.start, at + end
    given = plain.is_said(word) and _SIMPLE.fullmatch(word) and not plain.is_release(word)
    if given and not plain.is_plain(word, strength=Holds.PASSWORD, quoted=value.quoted, name=""):
        return at + value.start, at + end
    return None


def _phrase(text: str, name: str, at: int) -> Span | None:
    """Return the words up to the line's end where they are a pass phrase and no sentence."""
    if not name.startswith("pass"):
        return None
    if (quoted := _QUOTED_WORDS.match(text, at)) and not plain.is_sentence(quoted[1]):
        return quoted.span(1)
    said = _SOME_WORDS.match(text, at)
    if said is None or not plain.WORDS.isdisjoint(said[0].lower().split()):
        return None
    return (
        said.span()
        if plain.is_mixed(said[0]) and plain.is_made(said[0].replace(" ", "-"))
        else None
    )


def _typed(text: str, at: int) -> Span | None:
    """Return all that was typed behind a prompt, unless it is a message."""
    end = len(text.rstrip())
    said = text[at:end]
    if (
        REDACTED in said
        or plain.is_sentence(said, Holds.SECRET)
        or (
            not any(char.isdigit() or not char.isalnum() and char != " " for char in said)
            and (said.count(" ") < 2 or not plain.WORDS.isdisjoint(said.lower().split()))
        )
    ):
        return None
    return (
        None if plain.is_plain(said, strength=Holds.PASSWORD, quoted=True, name="") else (at, end)
    )
