"""Each part of masking finds by itself what it found when `parts.json.xz` was last written.

What one part misses in a line another may find, so a text masked as before tells little of a part.
`python -m tests.masking.test_parts` writes the file anew after a change that was wanted, and tells
what is found in another way than before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import Any, get_args
from zlib import crc32

import pytest

from nagomi_tui.masking import blocks, gate, names, plain, values, wrapped
from nagomi_tui.masking.finders import given, known, options, pairs, phrases, tables
from nagomi_tui.masking.line import find
from nagomi_tui.masking.names import Holds
from tests.helpers.corpora import cut, samples
from tests.helpers.kept import read_kept, write_kept
from tests.masking.test_as_before import FILES

KEPT = Path(__file__).with_name("parts.json.xz")
WIDTH = 40

_PIECES = re.compile(r"[\s\"'`=,;()<>{}|\[\]]+")
_NAMES = re.compile(r"[A-Za-z_][\w.-]*(?: [a-z]\w*)?")
_WORDS = re.compile(r"[A-Za-z]+")
_STARTS = re.compile(r"[:=(,]\s*|(?<=\s)(?=\S)")


ALPHABETS = (
    ascii_letters + digits, ascii_lowercase + digits, ascii_uppercase + digits, "0123456789abcdef", ascii_letters, "bcdfghjkmpqtvwxz", digits,
    f"{ascii_letters}{digits}+/", f"{ascii_letters}{digits}_-", f"{ascii_letters}{digits}!#$%&*@^", "aeiou.bdt", "Aeiou-bdt",
)  # fmt: skip
WORDS = (
    "correct-horse-battery-staple-of-old",
    "SecretValueOfTheApplication",
    "hunter-2-Kumo",
    "user@host.example:8080",
    "kubernetes_namespace_12",
)
LEADS = (
    "", "password: ", "token=", "api key is ", "cache_key: ", "Authorization: Bearer ", "Cookie: a=", "run -p ", "run --key ", "admin / ", "https://me:", "| secret | ",
    "otp: ", "setup code is ", "export PASSWORD=", "secrets: ['", "credentials: me:", 'set("token", "', "auth: ", "Kumo12#x ", "sk-", "wallet -a ", "pass=a ",
)  # fmt: skip


PIECES = (
    "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----", "BODY", "LAST", "BODY",
    "Private-Lines: 2", "plain words of a log", "***REDACTED***", "",
)  # fmt: skip
ABOVE = (
    "<secret_token>", "<password>", '<field name="api_token"', '<field name="password"', "API_TOKEN=$(cat <<EOF", "DB_PASSWORD=$(cat <<'EOF'", "334 UGFzc3dvcmQ6",
    "backup words:", "mnemonic:", "seed phrase:", "recovery codes:", "your phrase: ***REDACTED***", "expect \"Password:\"", "kind: Secret", "stringData:", "data:", "[users]",
    "credentials {", "secret_token {", "password {", "name: db_password", "KEY=cache_key", "api_token", "db_password", "Password", "machine host login me", "login me",
    "Enter the code sent to you:", "A new password of forty characters is:", "api key:", "new token:", "Your secret key", "$ pass show web/login", "$ echo $API_TOKEN",
    "(gdb) p password", "> get password", "id  password", "NAME  SECRET", "--  --------", "id | token | at", "select id, token, at from users;",
)  # fmt: skip


@cache
def _blocks_of_keys() -> list[list[str]]:
    """Return lines as in and around private keys, in many orders, some of them cut off."""
    chance = Random(2)
    body = "".join(chance.choices(f"{ascii_letters}{digits}+/", k=64))
    filled = {"BODY": body, "LAST": f"{body[:30]}=="}
    texts = [chance.choices(PIECES, k=chance.randrange(2, 12)) for _ in range(600)]
    return [[filled.get(line, line) for line in text] for text in texts]


@cache
def _announcing() -> list[str]:
    """Return lines that announce a secret, and below each some in which it may stand."""
    chance = Random(3)
    return ["\n".join([above, *chance.sample(_below(), 3)]) for above in ABOVE for _ in range(24)]


def _below() -> list[str]:
    begun = ("", "  ", "    ", "value: ", "- ", "password ", "1. ", "token = ", "  a: ")
    return [
        f"{lead}{word}"
        for lead in begun
        for word in (
            "Hunter2x",
            "hunter2!",
            "aGVsbG8gd29ybGQ=",
            "abandon ability able about",
            "abcd-1234",
            "</",
            "0x12",
            "",
        )
    ]


def _orphaned() -> list[object]:
    return [
        [blocks.orphaned(lines), *(blocks.body_above(lines, at) for at in range(len(lines)))]
        for lines in _blocks_of_keys()
    ]


@cache
def _borders() -> list[str]:
    """Return words of each kind of signs at all lengths, since most borders are of length."""
    chance = Random(1)
    whole = [*WORDS, *("".join(chance.choices(signs, k=64)) for signs in ALPHABETS)]
    cut = {word[:size] for word in whole for size in range(1, len(word) + 1)}
    return sorted(cut | {f"{word}=" for word in cut if len(word) % 4 == 3})


@cache
def _texts() -> list[str]:
    """Return the texts of the corpora, and others of which each line says something of the next."""
    corpora = [sample.text for name in FILES for sample in samples(name)]
    return [*corpora, *_announcing(), *map("\n".join, _blocks_of_keys())]


@cache
def _lines() -> list[str]:
    """Return each line of the corpora, and its beginning up to a place that its text decides.

    Beside these lines in which words of each length follow what leads to a secret.
    """
    whole = list(dict.fromkeys(line for text in _texts() for line in text.split("\n")))
    begun = [line[: 1 + crc32(line.encode()) % max(len(line), 1)] for line in whole]
    bordering = [f"{lead}{word}" for lead in LEADS for word in _borders()]
    return whole + begun + bordering[::3] + [f'{line}", 7)' for line in bordering[1::9]]


@cache
def _words() -> list[str]:
    """Return each word of the corpora, and its beginning up to a place that the word decides."""
    found = {word for line in _lines() for word in (*line.split(), *_PIECES.split(line)) if word}
    return sorted(found.union(_borders()))


@cache
def _names() -> list[str]:
    found = {name for text in _texts() for name in _NAMES.findall(text)}
    words = {word for name in found for word in _WORDS.findall(name)}
    return sorted(found | words | set(map(str.upper, found)))


@cache
def _rows() -> list[list[str]]:
    return [cut(text, WIDTH) for text in _texts()]


def _of_words(judge: Callable[[str], object]) -> Callable[[], list[object]]:
    return lambda: [judge(word) for word in _words()]


def _of_names(judge: Callable[[str], object]) -> Callable[[], list[object]]:
    return lambda: [judge(name) for name in _names()]


def _of_lines(finder: Callable[[str], object]) -> Callable[[], list[object]]:
    return lambda: [finder(line) for line in _lines()]


def _of_low(finder: Callable[[str, str], Iterable[object]]) -> Callable[[], list[object]]:
    return lambda: [[*finder(line, gate.lowered(line))] for line in _lines()]


def _plain(*, strength: Holds, quoted: bool, name: str) -> Callable[[], list[object]]:
    return _of_words(lambda word: plain.is_plain(word, strength=strength, quoted=quoted, name=name))


def _awaited(kind: blocks.Kind) -> list[object]:
    """Find what a line of each kind announces, as the name above is indented."""
    aheads = [blocks.Ahead(kind, indent) for indent in (-1, 0, 2)]
    return [[blocks.awaited(line, ahead) for ahead in aheads] for line in _lines()]


def _told() -> list[object]:
    """Tell what each line says of the next one, after one of each kind in turn."""
    kinds: tuple[blocks.Kind, ...] = get_args(blocks.Kind)
    found: list[object] = []
    for number, line in enumerate(_lines()):
        before = blocks.Ahead(kinds[number % len(kinds)], number % 4 - 1)
        found.append(
            [(ahead := blocks.told(line, last)) and repr(ahead) for last in (None, before)]
        )
    return found


def _announced() -> list[object]:
    """Go along each text by what its lines announce."""
    found: list[object] = []
    for text in _texts():
        ahead = None
        for line in text.split("\n"):
            found.append(blocks.awaited(line, ahead) if ahead else [])
            ahead = blocks.told(line, ahead)
    return found


def _blocks() -> list[object]:
    found: list[object] = []
    for text in _texts():
        state = blocks.CLEAR
        for line in text.split("\n"):
            reading = blocks.read(line, state)
            state = reading.state
            found.append([reading.spans, reading.whole, state.block, state.strange])
    return found


def _read() -> list[object]:
    return [
        [values.read_value(line, start.end()) for start in _STARTS.finditer(line)]
        for line in _lines()
    ]


CUTS = (
    wrapped.Cut(WIDTH), wrapped.Cut(WIDTH, sure=True), wrapped.Cut(30, indent=2),
    wrapped.Cut(WIDTH, address=True), wrapped.Cut(WIDTH, quote='"'), wrapped.Cut(38, quote="'", indent=4),
)  # fmt: skip


def _resumed() -> list[object]:
    return [
        [wrapped.resumed(row, before) for before in CUTS] for rows in _rows() for row in rows[1:]
    ]


def _joined() -> list[object]:
    found: list[object] = []
    for rows in _rows():
        before = None
        for above, below in pairwise(rows):
            before = wrapped.before_of(above, before)
            joined = wrapped.find_joined(below, before, find) if before else None
            told = before and (len(before.text), before.edge, before.joined, before.indent)
            found.append([told, before and before.is_open(), joined])
    return found


def _cut() -> list[object]:
    found: list[object] = []
    for row in (row for rows in _rows() for row in rows):
        first, last = wrapped.body(row)
        spans = [(max(first, last - 9), last)]
        ended = [wrapped.cut(row, spans, short=short, full=None) for short in (False, True)]
        found.append(
            [
                wrapped.ends_in_token(row),
                *(
                    one and [one.edge, one.sure, one.address, one.quote, one.indent]
                    for one in ended
                ),
            ]
        )
    return found


def _rows_of_tables() -> list[object]:
    found: list[object] = []
    for text in _texts():
        head = None
        for line in text.split("\n"):
            head = tables.header(line) or tables.selected(line) or head
            if head:
                table = head if head.ruled else tables.ruled(line, head) or head
                cells = tables.find_cells(line, table)
                found.append([repr(table), tables.belongs(line, table), cells])
    return found


PARTS: dict[str, Callable[[], list[Any]]] = {
    "holds": _of_names(lambda name: int(names.holds(name))),
    **{
        judge.__name__: _of_names(judge)
        for judge in (names.counts, names.ends_plainly, names.switches, names.is_number)
    },
    "is_key": _of_names(lambda name: "key" in name.lower() and names.is_key(name)),
    **{
        judge.__name__: _of_words(judge)
        for judge in (
            plain.has_odd_word, plain.has_long_word, plain.is_date, plain.is_given, plain.is_hex, plain.is_jumbled, plain.is_login, plain.is_made,
            plain.is_mixed, plain.is_numbered, plain.is_path, plain.is_phrase, plain.is_release, plain.is_said, plain.is_scrambled,
            plain.is_signed, plain.is_strong, plain.is_torn, plain.is_unsaid, plain.is_uuid, plain.is_wordy, plain.looks_random,
            gate.is_name, gate.has_joint, known.find_begun, wrapped.goes_on_below, wrapped.may_be_given,
        )
    },
    "is_made quoted": _of_words(lambda word: plain.is_made(word, quoted=True)),
    "is_made surely": _of_words(lambda word: plain.is_made(word, sure=True)),
    "is_plain as a password": _plain(strength=Holds.PASSWORD, quoted=False, name="password"),
    "is_plain as a token": _plain(strength=Holds.SECRET, quoted=False, name="access_token"),
    "is_plain as a key": _plain(strength=Holds.PERHAPS, quoted=True, name="cache_key"),
    "is_plain as a code": _plain(strength=Holds.PERHAPS, quoted=True, name="otp"),
    "is_plain as a login": _plain(strength=Holds.PERHAPS, quoted=False, name="auth"),
    "is_plain as a setting": _plain(strength=Holds.PERHAPS, quoted=False, name="PROXY_AUTH"),
    "is_plain as what is short": _plain(strength=Holds.PERHAPS, quoted=False, name="PASS"),
    "is_plain as what is shorter": _plain(strength=Holds.PERHAPS, quoted=True, name="pass"),
    "is_plain as some": _plain(strength=Holds.SECRET, quoted=True, name="secrets"),
    "is_plain as of a project": _plain(strength=Holds.SECRET, quoted=True, name="secret_project"),
    "is_piece": _of_words(lambda word: [wrapped.is_piece(word, alone=alone) for alone in (True, False)]),
    "is_sentence": _of_lines(lambda line: [plain.is_sentence(line, how) for how in (Holds.SECRET, Holds.PASSWORD)]),
    "look_at": _of_lines(lambda line: (look := gate.look_at(line)) and [look.named, look.run, look.url]),
    "find": _of_lines(find),
    "find_codes": _of_low(given.find_codes),
    "find_given": _of_low(lambda line, low: given.find_given(line, low, joined=True)),
    "find_given alone": _of_low(lambda line, low: given.find_given(line, low, joined=False)),
    "find_beside_user": _of_low(given.find_beside_user),
    "find_arguments": _of_low(given.find_arguments),
    "find_strong": _of_lines(lambda line: [*given.find_strong(line, run=True, long=True)]),
    "find_strong of short": _of_lines(lambda line: [*given.find_strong(line, run=False, long=False)]),
    "find_pairs": _of_low(pairs.find_pairs),
    "find_calls": _of_low(pairs.find_calls),
    "find_defaults": _of_low(pairs.find_defaults),
    "find_beside_key_id": _of_lines(lambda line: [*pairs.find_beside_key_id(line)]),
    "expects": _of_lines(lambda line: pairs.expects(gate.lowered(line))),
    "find_options": _of_low(options.find_options),
    "find_headers": _of_low(options.find_headers),
    "find_phrases": _of_low(lambda line, low: phrases.find_phrases(line, low, joined=True)),
    "find_phrases alone": _of_low(lambda line, low: phrases.find_phrases(line, low, joined=False)),
    "find_near": _of_low(phrases.find_near),
    "find_known": _of_lines(lambda line: [*known.find_known(line)]),
    "find_jwts": _of_lines(lambda line: [*known.find_jwts(line)]),
    "find_cut": _of_lines(lambda line: known.find_cut(line, len(line))),
    "find_urls": _of_low(known.find_urls),
    "find_encoded": _of_lines(lambda line: [*plain.find_encoded(line, find)]),
    "find_rows": _of_lines(lambda line: [*tables.find_rows(line)]),
    "find_inserted": _of_low(tables.find_inserted),
    "find_cells": _rows_of_tables,
    "header": _of_lines(lambda line: (head := tables.header(line)) and repr(head)),
    "selected": _of_lines(lambda line: (head := tables.selected(line)) and repr(head)),
    "read_value": _read,
    "body_of": _of_lines(lambda line: (ahead := blocks.body_of(line, "")) and repr(ahead)),
    "marks": _of_lines(blocks.marks),
    "looks_like_key": _of_lines(blocks.looks_like_key),
    "orphaned": _orphaned,
    "read": _blocks,
    "told": _told,
    "announced": _announced,
    **{f"awaited {kind}": partial(_awaited, kind) for kind in get_args(blocks.Kind)},
    "resumed": _resumed,
    "find_joined": _joined,
    "cut": _cut,
}  # fmt: skip


def _found(part: str) -> dict[str, object]:
    """Return by its number what a part finds, where it is not nothing."""
    found = PARTS[part]()
    kept: dict[str, object] = json.loads(
        json.dumps({number: one for number, one in enumerate(found) if _is_some(one)})
    )
    return kept


def _is_some(found: object) -> bool:
    return any(found) if isinstance(found, list) else bool(found)


@cache
def _kept() -> dict[str, dict[str, object]]:
    kept: dict[str, dict[str, object]] = read_kept(KEPT)
    return kept


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.requirement("N-86")
def test_each_part_finds_what_it_found_before(part: str) -> None:
    assert _changes(_kept()[part], _found(part)) == []


def _changes(
    before: dict[str, object], after: dict[str, object]
) -> list[tuple[str, object, object]]:
    both = sorted(before.keys() | after.keys(), key=int)
    changed = ((number, before.get(number), after.get(number)) for number in both)
    return [(number, was, now) for number, was, now in changed if was != now]


def _write() -> None:
    before = _kept() if KEPT.exists() else {}
    after = {part: _found(part) for part in PARTS}
    for part, found in after.items():
        for number, was, now in _changes(before.get(part, found), found):
            print(f"{part}, {number}: {was} → {now}")
    write_kept(KEPT, after)


if __name__ == "__main__":
    _write()
