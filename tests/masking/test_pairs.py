"""Secrets by the name before them: which values are found, and which names expect one below."""

from __future__ import annotations

import pytest

from nagomi_tui.masking import REDACTED
from nagomi_tui.masking.finders.pairs import expects, find_pairs

LONG = "x" * 130


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in find_pairs(text, text.lower())]


@pytest.mark.parametrize(
    "line", ["password:", "see the token:   ", "token: |", "token: >-", "private key ="]
)
def test_a_name_at_the_end_expects_its_value_on_the_next_line(line: str) -> None:
    assert expects(line)


@pytest.mark.parametrize(
    "line",
    [
        "password", "the text ends:", "token:x", "key fingerprint:", "public key:", "sha256 of the key:",
        "fingerprint of the key: sha256 | password is not here",
    ],
)  # fmt: skip
def test_no_name_no_mark_or_a_public_name_expects_nothing(line: str) -> None:
    assert not expects(line)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("password=hunter2x9", ["hunter2x9"]),
        ("my_db_password=hunter2x9", ["hunter2x9"]),
        ('"password" : "s3cr3tpw",', ["s3cr3tpw"]),
        ('password: "old9secret" -> "new9secret"', ["old9secret", "new9secret"]),
        ('password: "old9secret" - "x"', ["old9secret"]),
        ('password=abc9xyzq -> "kept"', ["abc9xyzq"]),
        ("token=aaaa1111bb token=cccc2222dd", ["aaaa1111bb", "cccc2222dd"]),
        ("token: 512000001", ["512000001"]),
        ("  password: correct horse battery", ["correct horse battery"]),
        ("say password: correct horse battery", ["correct horse battery"]),
        (LONG + " password: correct horse", ["correct"]),
        ("パスワード：abc12345です", ["abc12345"]),
        ("${token:-abcd1234efg}", ["-abcd1234efg"]),
        ("token: foobar99zz", ["foobar99zz"]),
        ("password: all is well now and then", ["all is well now and then"]),
        ("x=password: hunter2x9", ["hunter2x9"]),
        ("パスワード：ab1zです", ["ab1z"]),
    ],
)
def test_the_value_is_found_as_far_as_it_goes(text: str, values: list[str]) -> None:
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        f"password={REDACTED}", f'password="{REDACTED}"', f"password={REDACTED}zz9zz9zz9",
        "token: 5120 bytes", "token: 512000001 bytes", "Unexpected token: foobar99", "passwd: all is well now and then",
        'input[type="password"]:focus', 'token="please enter your token here"', "${token:?not set}",
        "パスワード：abcです", "パスワード：変更しました", "public_key=abcd9876zzzz",
    ],
)  # fmt: skip
def test_what_is_covered_already_or_no_value_is_left_alone(text: str) -> None:
    assert found(text) == []
