"""The glance that decides whether a line is searched sees every kind of line that may hold a secret."""

from __future__ import annotations

from itertools import product

import pytest

from nagomi_tui.masking import Masker, line
from nagomi_tui.masking.gate import Look, look_at, lowered

NAMING = [
    "pass", "token", "key", "secret", "auth", "pwd", "cookie", "cred", "bearer", "session=", "sess-0a1b2c3d4e5f", "sig=", "signature=",
    "seed phrase", "mnemonic", "psk", "otp", ".sid", "identified",
    "pin: 1", "pin=1", "pin is 1", "pin code", "login 1",
    "verification code", "recovery code", "backup code", "batch code", "emergency code",
    "security code", "login code", "one-time code", "mfa code",
    "priv:", "private-", "privatee",
    "パス", "トークン", "シークレット", "キー：", "鍵", "暗証", "合言葉", "密码", "비밀번호", "contraseña",
]  # fmt: skip


@pytest.mark.parametrize("word", NAMING)
@pytest.mark.requirement("N-89")
def test_each_word_that_names_secrets_is_seen_by_itself(word: str) -> None:
    for text in (word, f"x{word}x", f"日 {word.upper()} 1"):
        look = look_at(text)
        assert look is not None
        assert (look.named, look.url, look.run) == (True, False, False)
        assert look.low == lowered(text)


@pytest.mark.parametrize(
    ("text", "run", "url"),
    [
        ("aaaaaaaaaa" + "aB3aaaaaaa", True, False),
        ("glpat-" + "lYWEKlqqLkZYAlxZnS", True, False),
        ("sk-" + "only-words-of-a-test-0000", True, False),
        ("日" + "aB3dE_-" * 4 + "!", True, False),
        ("Q~", True, False),
        *((f"${kind}$x", True, False) for kind in ("1", "5", "6", "7", "y", "gy", "2", "2b", "argon2id")),
        ("x@y://", False, True),
        ("x@y:thin:", False, True),
        ("hook://", False, True),
    ],
)  # fmt: skip
@pytest.mark.requirement("N-86")
def test_runs_hashes_and_addresses_are_seen(text: str, run: bool, url: bool) -> None:
    look = look_at(text)
    assert look is not None
    assert (look.named, look.run, look.url) == (False, run, url)


BESIDES = ("user", "login", "admin", "wi-fi", "wlan", "ssid")


@pytest.mark.parametrize(
    "text", ["x -p y", 'x "-p y"', "machine x", "echo x | y", "net user x", "add_user x", "rdp /x", "op item x", "bw get x", "a <<< b", *(f"{word}: x / 123456" for word in BESIDES)]
)  # fmt: skip
@pytest.mark.requirement("NB-2")
def test_commands_are_seen_though_their_words_were_seen_apart(text: str) -> None:
    for word in text.split():
        look_at(word)
    assert look_at(text) == Look(lowered(text), named=False, run=False, url=False)


@pytest.mark.parametrize(
    "text",
    [
        "", "all is well", "a" * 20, "a_long_name_of_many_words_2", "Words-And-Numbers-Of-A-Name-12", "0123456789abcdef" * 4, "aaaaaaaaaa.aaaaaaaaaa", "x@y", "://", ":thin:", "hook", "exit code 0",
        "private", "privilege", "passed", "authors", "keyboards", "the session", "design", "credits", "at random", "user x", "rdp", "logins", "machines", "$x$", "a-b", "日本語",
    ],
)  # fmt: skip
def test_a_plain_line_is_spared_the_search(text: str) -> None:
    assert look_at(text) is None


@pytest.mark.parametrize(("text", "low"), [("ABZ", "abz"), ("İABZ", "İabz"), ("ÄB", "äb")])
def test_every_character_of_the_lowered_line_is_at_its_old_place(text: str, low: str) -> None:
    assert lowered(text) == low


WORDS = ("token", "secret is", "login as", "user bob", "password", "mot de passe", "x -p", "seed")
VALUES = (
    "hunter2x", "7hunter", "Hunter!", "QzXkVbWqPr", "Qzxjvkqwrt", "JSONqzxjvkw", "qzxjvkwpbtrn", "wpwpwpwpwpwp", "correct-horse-battery",
    "482913", "0123456789abcdef", "1234-5678-9012-3456", "main.rs", "(x-9)", "src/main.rs", "--abc123", "日本語1234x",
)  # fmt: skip
SIGNS = (" ", ": ", " - ", "\t", "は")


def test_lines_that_are_spared_a_search_hold_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [f"{word}{sign}{value}" for word in WORDS for sign in SIGNS for value in VALUES]
    said += [f"12:30 {a} {b}" for a, b in product(VALUES, WORDS)]
    masked = [Masker().line(text) for text in said]
    monkeypatch.setattr(line, "has_joint", lambda text: True)
    monkeypatch.setattr(line, "has_odd_word", lambda text: True)
    assert [Masker().line(text) for text in said] == masked
