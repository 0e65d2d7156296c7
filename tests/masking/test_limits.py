"""How long, how near and how random something must be to count as a secret."""

from __future__ import annotations

import base64
import time

import pytest

from nagomi_tui.masking import REDACTED, Masker, mask, mask_growing, mask_line
from nagomi_tui.masking.blocks import looks_like_key
from nagomi_tui.masking.names import Holds, holds
from nagomi_tui.masking.plain import (
    decoded,
    is_login,
    is_plain,
    is_sentence,
    is_wordy,
    looks_random,
)
from nagomi_tui.masking.values import merged, read_rest, read_value, replaced, without

R = REDACTED
# Values are put together here, so that no scanner takes this file for a leak.
MIXED = "aB3dE5fG7hI9" + "jK1lM2nO4pQ6"
HEX = "a" * 22 + "1b"
PERHAPS, SECRET, PASSWORD = Holds.PERHAPS, Holds.SECRET, Holds.PASSWORD


@pytest.mark.parametrize(
    ("word", "random"),
    [
        ("a0a0a0a0", True),
        ("a0a0a0a", False),
        ("aaa0aaaaa", True),
        ("aaaa0aaaaa", False),
        ("aAaAaAaAaaaaaaaa", True),
        ("aAaAaAaAaaaaaaa", False),
        ("aaaAAaaaAAaaaAAaaaAA", True),
        ("aaaAAaaaAAaaaAAaaaAAA", False),
        ("a_a_a_a_a_a_a_a_", False),
        ("ab-cd-0a0a0a0a", True),
        ("abc-0a0a0a0a", True),
        ("abc-def-0a0a0a0a", False),
        ("Abc-DEF-0a0a0a0a", False),
        ("aBc-dEf-0a0a0a0a", True),
        ("12345678901234", False),
        ("550e8400-e29b-41d4-a716-446655440000", False),
    ],
)
@pytest.mark.requirement("NB-1")
def test_what_changes_in_kind_as_often_as_chance_does_looks_random(word: str, random: bool) -> None:
    assert looks_random(word) is random


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        ("token" + " " * 48 + "{}", True),
        ("token" + " " * 49 + "{}", False),
        ("{} " + "." * 23 + "token", True),
        ("{} " + "." * 24 + "token", False),
        ("{}  token", False),  # of another column
        ("key" + " " * 12 + "{}", True),
        ("key" + " " * 13 + "{}", False),
        ("{} key", False),
    ],
)
@pytest.mark.requirement("N-91")
def test_a_random_word_is_a_secret_near_a_word_that_names_one(line: str, masked: bool) -> None:
    word = MIXED[:18].lower()
    assert mask_line(line.format(word)) == line.format(R if masked else word)


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        (f"the token of it {HEX}", True),
        (f"the token of it {HEX[1:]}", False),
        (f"token{' ' * 24}{HEX}", True),
        (f"token{' ' * 25}{HEX}", False),
        (f"{HEX} token", False),
        ("the token of it " + "1" * 30, False),
        (f"the token of it sha256 {HEX}", False),
        (f"sha256 of token is here, and {HEX}", True),
    ],
)
@pytest.mark.requirement("N-91")
def test_a_hexadecimal_word_is_a_secret_only_close_behind_such_a_word(
    line: str, masked: bool
) -> None:
    assert (mask_line(line) != line) is masked


NAMES = {
    Holds.NOTHING: [
        "PWD", "OLDPWD", "token_type", "publicKey", "public_token", "show_password", "salt", "phrase",
        "some_phrase", "key", "max_tokens", "tokenizer", "tokenized", "passwordless", "x", "123", "",
    ],
    Holds.PERHAPS: ["pass", "tokens", "my_tokens", "cache_key", "sort_keys", "salt_auth", "sid"],
    Holds.SECRET: ["token", "token2", "api_keys", "clientKey", "secrets", "MY_SECRET", "トークン"],
    Holds.PASSWORD: [
        "pwd", "DB_PASS", "dbpass2", "psk", "wifi.psk", "AUTH_SALT", "seed_phrase", "PassPhrase",
        "recovery phrase", "パスワード",
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "strength"), [(name, strength) for strength, names in NAMES.items() for name in names]
)
@pytest.mark.requirement("NB-2")
def test_how_sure_a_name_is(name: str, strength: Holds) -> None:
    assert holds(name) is strength


@pytest.mark.parametrize(
    ("value", "strength", "name", "plain"),
    [
        ("!?!", PASSWORD, "password", True),
        ("!?!!", PASSWORD, "password", False),
        ("!a!", PASSWORD, "password", False),
        ("required", PASSWORD, "password", True),
        ("/home/me/x", PASSWORD, "pwd", True),
        ("/home/me/x", PASSWORD, "password", False),
        ("home", PASSWORD, "pwd", False),
        ("12345", SECRET, "token", False),
        ("12", SECRET, "API_KEY", False),
        ("7", SECRET, "token", True),
        ("12345", SECRET, "secrets", True),
        ("1.25", SECRET, "token", True),
        ("123456", SECRET, "token", False),
        ("1,234,567", SECRET, "token", True),
        ("123456", PERHAPS, "sid", True),
        ("12345", PERHAPS, "otp", True),
        ("123456", PERHAPS, "otp", False),
        ("12345678", PERHAPS, "otp", False),
        ("123456789", PERHAPS, "otp", True),
        ("abc123", PERHAPS, "otp", True),
        ("/run/secrets/x", SECRET, "token", True),
        ("/run/aB3dE5f/G7hI9jK1", SECRET, "token", False),
        ("550e8400-e29b-41d4-a716-446655440000", PERHAPS, "sid", True),
        ("550e8400-e29b-41d4-a716-446655440000", SECRET, "token", False),
        (MIXED[:12], PERHAPS, "sid", False),
        (MIXED[:11], PERHAPS, "sid", True),
        ("lowercaseword", PERHAPS, "sid", True),
        ("abc12!", PERHAPS, "pass", False),
        ("abc1!", PERHAPS, "pass", True),
        ("abcdef", PERHAPS, "pass", True),
        ("YTpiY2Q=", PERHAPS, "auth", False),
        ("YTpiY2Q=", PERHAPS, "sid", True),
    ],
)
@pytest.mark.requirement("NB-1", "NB-2")
def test_a_value_counts_by_how_sure_its_name_is(
    value: str, strength: Holds, name: str, plain: bool
) -> None:
    assert is_plain(value, strength=strength, quoted=True, name=name) is plain


@pytest.mark.parametrize(
    ("value", "name", "plain"),
    [
        ("get_it(x", "token", True),
        ("self.it", "token", True),
        ("foo.token", "token", True),
        ("foo.bar", "token", False),
        (f"foo.x{MIXED}token", "token", False),
        ("FILE", "token", True),
        ("X_TOKEN", "token", True),
        ("X_THING", "token", False),
        ("A" * 34 + "TOKEN", "token", True),
        ("A" * 35 + "TOKEN", "token", False),
        ("token", "token", True),
        ("token", "_Token_", True),
        ("thing", "my_thing", True),
        ("thing", "MY_THING", False),
        ("thing", "mything", False),
        ("x_token", "x", True),
        ("myToken", "x", True),
        ("mytoken", "x", False),
        ("x_thing", "x", False),
        ("Mything9", "x", False),
    ],
)
@pytest.mark.requirement("NB-2")
def test_an_unquoted_value_may_be_code(value: str, name: str, plain: bool) -> None:
    assert is_plain(value, strength=SECRET, quoted=False, name=name) is plain


def test_a_sentence_is_of_words_one_of_which_messages_have() -> None:
    assert is_sentence("is required.")
    assert not is_sentence("required")
    assert not is_sentence("is r3quired")
    assert not is_sentence("correct horse battery")
    assert not is_sentence("is required.", PASSWORD)
    assert is_sentence("your password here", PASSWORD)


LINES = [
    # A bare `Bearer` carries a long word, or a random one, with a digit in it.
    ("got Bearer abcdefghijklmnopqrstuvw1", f"got Bearer {R}"),
    ("got Bearer abcdefghijklmnopqrstuv1", None),
    ("got Bearer a0a0a0a0", f"got Bearer {R}"),
    ("got Bearer abcdefghijklmnopqrstuvwxyzabc", None),
    ("Cookie: a=; sid=abc1", f"Cookie: a=; sid={R}"),
    ("Cookie: sid=$SID", None),
    # The user of an address is a key from sixteen random characters on.
    (f"https://{MIXED[:16]}@host/1", f"https://{R}@host/1"),
    (f"https://{MIXED[:15]}@host/1", None),
    ("https://550e8400-e29b-41d4-a716-446655440000@host/1", None),
    (f"https://h/cb?code={MIXED}&state=x", f"https://h/cb?code={R}&state=x"),
    (f"https://h/cb?credential={MIXED}&x=1", f"https://h/cb?credential={R}&x=1"),
    (f"https://h/cb?sig={MIXED}", f"https://h/cb?sig={R}"),
    # Help texts have a word for the value, in columns.
    ("x --password hunterxx -v", f"x --password {R} -v"),
    ("  --password hunterxx   what is asked for", None),
    ("  --password   hunterxx", None),
    ("  --password   hunter2", f"  --password   {R}"),
    ("  --password 'hunterxx'   behind", f"  --password '{R}'   behind"),
    ("x --sid hunter2", None),
    # What a function is given beside a name is a key if it is long and of both cases.
    ('put("api_token", "AbcdefghiJ")', f'put("api_token", "{R}")'),
    ('put("api_token", "AbcdefghJ")', None),
    ('put("api_token", "abcdefghijkl")', None),
    ('put("api_token", "ABCDEFGHIJKL")', None),
    ('find("api_token", "AbcdefghiJ")', None),
    ('find("password", "hunter2")', f'find("password", "{R}")'),
    ('find("password", "hunter")', None),
    ("| client_secret | Kumo#4711 |", f"| client_secret | {R} |"),
    ("| sid | Kumo#4711 |", None),
    ("| password | varchar(10) |", None),
    ("| password | hunter |", None),
    ("token=,", None),
    ("token=''", None),
]


@pytest.mark.parametrize(("line", "masked"), LINES)
@pytest.mark.requirement("N-86", "NB-1")
def test_lines_at_the_limit(line: str, masked: str | None) -> None:
    assert mask_line(line) == (masked or line)


STREAMS = [
    (["machine h", "password correct"], ["machine h", f"password {R}"]),
    (["login me", "password correct"], ["login me", f"password {R}"]),
    (["account x", "password correct"], None),
    (["Your token:", "a0a0a0a0"], ["Your token:", R]),
    (["Your token:", "a0a0a0a"], None),
    (["Your token:", "a0a0a0a0 a0a0a0a0"], None),
    (["Your token:", "", f"  '{MIXED}'"], ["Your token:", "", f"  '{R}'"]),
    (["Your token:", "words", MIXED], None),
    (["Your token:", "a" * 23 + "1"], ["Your token:", R]),
    (["Your token:", "a" * 22 + "1"], None),
    (["password: |", "  one x", "", "    two", "user: me"], ["password: |", f"  {R}", "", f"    {R}", "user: me"]),
    (["  password: |", "  same: depth", "    deeper"], None),
    (["sid: |", "  one x"], None),
    (["name  password", "----  --------", "al    Kumo4711"], ["name  password", "----  --------", f"al    {R}"]),
    (["name  password", "----  ----  --", "al    Kumo4711"], None),
    (["name|password", "al|Kumo", "bo|null", "cy|", "di|abc", "ed|two words"], ["name|password", f"al|{R}", "bo|null", "cy|", "di|abc", "ed|two words"]),
    (["name|token", "al|Kumo", "bo|Kumo4711"], ["name|token", "al|Kumo", f"bo|{R}"]),
    (["name|password", "al|Kumo|x", "bo|Kumo"], None),
    (["name,password", "al,Kumo4711"], ["name,password", f"al,{R}"]),
    (["name, password", "al, Kumo4711"], None),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "masked"), STREAMS)
@pytest.mark.requirement("N-86", "NB-1")
def test_what_a_line_announces_is_masked_in_the_next_ones(
    lines: list[str], masked: list[str] | None
) -> None:
    assert Masker().lines(lines) == (masked or lines)


def test_base64_is_read_as_far_as_it_goes() -> None:
    assert [decoded(word) for word in ("YWJj", "YWJjZ", "YWJjZA", "YWJjZA==")] == [
        "abc", "abc", "abcd", "abcd",
    ]  # fmt: skip
    assert is_login("bWU6aHVudGVyMg==")
    assert is_login("YTpiY2Q=")
    assert not is_login("YTpiYw==")
    assert not is_login("aHVudGVyMg==")
    assert not is_login("пароль-или-нет")


def test_a_line_of_key_material_is_long_and_nothing_else() -> None:
    assert looks_like_key("aB3/" * 10)
    assert not looks_like_key(("aB3/" * 10)[:39])
    assert not looks_like_key("a" * 50)
    assert not looks_like_key("aB3/" * 10 + " and words")


def test_spans_are_kept_whole_merged_and_without_what_must_stay() -> None:
    assert without([(0, 5)], [(0, 2)]) == [(2, 5)]
    assert without([(0, 5)], [(2, 3)]) == [(0, 2), (3, 5)]
    assert without([(0, 5)], [(0, 5)]) == []
    assert merged([(3, 5), (0, 3), (7, 8)]) == [(0, 5), (7, 8)]
    assert replaced(["ab", "cdef"], [(1, 2), (3, 5)]) == [f"a{R}", f"c{R}f"]
    assert replaced(["ab", "cdef"], [(1, 4)]) == [f"a{R}", "ef"]
    assert replaced(["ab", "cdef"], [(2, 3)]) == ["ab", f"{R}def"]


def test_a_value_ends_before_what_closes_or_parts_it() -> None:
    assert read_value(",", 0) is None
    assert read_value("a)", 0) == (0, 1, False)
    assert read_value("f(a)", 0) == (0, 4, False)
    assert read_value("a,b=c", 0) == (0, 1, False)
    assert read_value('""', 0) is None
    assert read_value('"a', 0) == (1, 2, True)
    assert read_rest("a b  # c", 0) == (0, 3, False)
    assert read_rest("a  ", 1) is None


def test_what_stands_behind_a_growing_line_stays_where_nothing_was_masked() -> None:
    assert mask_growing(["see hello2x"], ["rest2  │"]) == ["see hello2x", "rest2  │"]
    begun = "gh" + "p_" + "aB3dE5fG"
    assert mask_growing([f"> {begun}"], ["rest and", "more │"]) == [f"> {R}", " and", "more │"]


@pytest.mark.requirement("N-88")
def test_a_token_whose_header_begins_with_a_line_end_is_masked() -> None:
    parts = (b'{\n "alg": "HS256"}', b'{\n "sub": "1234567890"}', b"signature-here-x")
    token = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)
    assert token.startswith("ew") and "ey" not in token
    assert mask_line(f"x {token}") == f"x {R}"


@pytest.mark.parametrize("kind", ["AK", "AS"])
@pytest.mark.requirement("N-86")
def test_a_secret_key_beside_its_id_is_masked(kind: str) -> None:
    key_id, secret = kind + "IA" + "A1B2C3D4E5F6G7H8", MIXED + "zY9xW7vU5tS3rQ1p"
    assert secret[6:] not in mask_line(f"me,{key_id},{secret},x")
    unknown = f"me,{'a' * 20},{secret.lower()},x"
    assert mask_line(unknown) == unknown


@pytest.mark.parametrize(
    "part", ['"auth":{"a":"bcdefgh1",', "1. abandon ", "code: abc1-def2 ", "Open-Door-77"]
)
@pytest.mark.requirement("N-92")
def test_a_line_costs_no_more_than_its_length(part: str) -> None:
    def seconds(times: int) -> float:
        began = time.process_time()
        mask_line(part * times)
        return time.process_time() - began

    seconds(10)
    assert seconds(8000) < 40 * max(seconds(800), 0.002)


@pytest.mark.requirement("N-92")
def test_letters_where_a_phrase_is_awaited_are_read_in_one_way() -> None:
    began = time.process_time()
    mask("Recovery phrase:\n" + "b" * 80 + "1")
    assert time.process_time() - began < 2
    assert mask("Recovery phrase:\n" + "b" * 12) == f"Recovery phrase:\n{R}"
    phrases = {"abc " * 3: False, "abc " * 4: True, "abcdefgh " * 24: True, "abcdefgh " * 25: False}
    for phrase, masked in phrases.items():
        assert (R in mask(f"Recovery phrase:\n{phrase}")) is masked


@pytest.mark.parametrize("part", ["-", "_", "A-", "Foo-", "FOO_"])
@pytest.mark.requirement("N-92")
def test_a_rule_or_a_name_before_a_token_is_read_in_one_way(part: str) -> None:
    """As a mode line of dashes has it that fills its row, to which a token is added on trial."""
    began = time.process_time()
    mask_line(f"{part * 26}{MIXED}")
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(("word", "wordy"), [("dash-port+x", True), (f"dash-port+{MIXED}", False)])
def test_two_words_are_a_third_of_a_wordy_word_with_signs_of_base64(word: str, wordy: bool) -> None:
    assert is_wordy(word) is wordy
