"""Masking goes along a stream: key blocks, cuts, wrapped rows, colours, and what must always hold."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nagomi_tui.masking import (
    REDACTED,
    Masker,
    MaskState,
    mask,
    mask_line,
    mask_lines,
    mask_styled,
)
from tests.helpers.examples import examples

R = REDACTED
BODY = [
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7" + "VJTUt9Us",
    "8cKjMzEfYyjiWA4R4" + "/M2bS1==",
]
KINDS = ["", "RSA ", "EC ", "OPENSSH ", "DSA ", "ENCRYPTED ", "ANY FUTURE "]


def _block(kind: str, *, tail: str = "") -> list[str]:
    label = f"{kind}PRIVATE" + f" KEY{tail}-----"
    return [f"-----BEGIN {label}", *BODY, f"-----END {label}"]


PGP = _block("PGP ", tail=" BLOCK")


@pytest.mark.parametrize("block", [*map(_block, KINDS), PGP])
@pytest.mark.requirement("N-87", "NB-3")
def test_block_of_every_kind_is_masked_line_by_line(block: list[str]) -> None:
    lines = ["before", *block, "after"]
    assert Masker().lines(lines) == ["before", block[0], R, R, block[-1], "after"]


@pytest.mark.requirement("NB-3")
def test_block_with_headers_indent_and_line_numbers() -> None:
    first, *_, last = _block("RSA ")
    lines = [
        f"    {first}",
        "    Proc-Type: 4,ENCRYPTED",
        "",
        f"  2  {BODY[0]}",
        "    Ab=",
        f"    {last}",
    ]
    masked = Masker().lines(lines)
    assert masked == [f"    {first}", f"    {R}", "", f"  {R}", f"    {R}", f"    {last}"]


@pytest.mark.requirement("NB-3")
def test_block_begun_in_an_earlier_call_goes_on_from_its_state() -> None:
    first, *body, last = _block("EC ")
    begun = Masker()
    begun.line(first)
    assert begun.state != Masker().state
    resumed = Masker(begun.state)
    assert resumed.lines([*body, last, "token=abc"]) == [R, R, last, f"token={R}"]
    assert resumed.state == MaskState()


@pytest.mark.requirement("NB-3")
def test_end_without_a_beginning_masks_what_stands_above() -> None:
    *_, last = _block("RSA ")
    assert mask_lines(["log line here", *BODY, last, "after"]) == [
        "log line here",
        R,
        R,
        last,
        "after",
    ]


@pytest.mark.requirement("NB-3")
def test_block_that_never_ends_gives_the_stream_back() -> None:
    first, *body, _ = _block("RSA ")
    prose = [f"line {number} says nothing of keys" for number in range(10)]
    masked = Masker().lines([first, *body, *prose])
    assert masked[1:3] == [R, R]
    assert masked[-6:] == prose[-6:]


@pytest.mark.requirement("NB-3")
def test_speaking_of_a_block_costs_one_line_at_most() -> None:
    lines = [
        'if text.startswith("-----BEGIN PRIVATE' + ' KEY-----"): then go',
        "one line",
        "two lines",
    ]
    assert Masker().lines(lines)[2] == "two lines"


@pytest.mark.requirement("N-87")
def test_block_on_one_line_keeps_name_and_marks() -> None:
    first, *_, last = _block("")
    line = f'"private_key": "{first}\\n{BODY[0]}\\n{last}\\n",'
    assert mask_line(line) == f'"private_key": "{first}{R}{last}\\n",'


def test_putty_key_is_masked_by_its_count() -> None:
    lines = ["Private-Lines: 2", *BODY, "Private-MAC: 00"]
    assert Masker().lines(lines) == ["Private-Lines: 2", R, R, "Private-MAC: 00"]


@pytest.mark.requirement("N-91")
def test_value_on_the_line_after_its_name() -> None:
    value = "aB3dE5fG" + "7hI9jK1l"
    other = f"{value} names a branch of the tree"
    assert Masker().lines(["Your API key:", "", f"  {value}", other]) == [
        "Your API key:",
        "",
        f"  {R}",
        other,
    ]
    assert Masker().lines(["Password:", "Welcome"]) == ["Password:", "Welcome"]


@pytest.mark.requirement("NB-4")
def test_secret_wrapped_over_rows_is_one() -> None:
    rows = ["export TOKEN=abcdef", "ghijkl && echo done", "next"]
    assert Masker().rows(rows) == [f"export TOKEN={R}", " && echo done", "next"]
    assert "".join(Masker().rows(rows)) == mask_line("".join(rows))


@pytest.mark.requirement("NB-4")
def test_secret_split_by_colours_is_one() -> None:
    key = "sk-" + "ant-api03-" + "aB3dE5fG7hI9" * 2
    line = f"\x1b[1mkey\x1b[0m {key[:3]}\x1b[31m{key[3:]}\x1b[0m end"
    masked = mask_styled(Masker(), line)
    assert re.sub(r"\x1b\[[0-9]*m", "", masked) == f"key {R} end"
    assert masked.count("\x1b[") == line.count("\x1b[")


@pytest.mark.requirement("NB-4")
def test_cursor_step_stands_for_a_blank_and_titles_are_masked() -> None:
    assert mask_styled(Masker(), "token=abc\x1b[2Cdone") == f"token={R}\x1b[2Cdone"
    assert mask_styled(Masker(), "\x1b]0;token=abc\x07x") == f"\x1b]0;token={R}\x07x"


FRAGMENTS = st.sampled_from(
    ["token", "password", "=", ": ", " ", '"', "'", "\\", "abc", "hunter2", "--", "-p ", "Bearer ",
     "Authorization: ", "cookie: a=b;", "://u:p@h", "eyJhbGciOiJIUzI1NiJ9.", "sk-", "gh" + "p_",
     "aB3dE5fG7hI9jK1lM2nO4pQ6", R, "***", ",", ";", "&", "{", "}", "(", ")", "$X", "key", "\r",
     "日本", "İ", "-----BEGIN RSA PRIVATE" + " KEY-----", "-----END RSA PRIVATE" + " KEY-----", "curl -u a:b",
     "| ", " | ", "│", "  ", "PASSWORD  NAME", "id,password", "machine h ", "login me ", "password hunter2",
     "password: |", "    deep", "priv:", "0a:1b:2c:", "recovery codes:", "ab12-cd34", "パスワードは「", "」です",
     "kind: Secret", "data:", "  a: YWJjZGVmZ2g=", "$ wg genkey", "WIFI:S:a;P:x1y2;", "  ⎿  ", " │", "https://u:", "send \"a1b2\"",
     "Private Keys", "expect assword", "aB3/dE5+" * 8, "ghp" + "_aB3dE5", "AWS_SECRET_ACC", "ESS_KEY=a1b2c3d4e5f6",
     "define('PASSWORD', '", "')", "->", "name=\"password\">", "</value>", "eyJhdXRocyI6eyJwYXNzd29yZCI6Imh1bnRlcjIifX0="]
)  # fmt: skip
LINES = st.one_of(
    st.lists(FRAGMENTS, max_size=14).map("".join),
    st.text(max_size=80).map(lambda text: text.replace("\n", " ")),
)


@examples(300)
@given(st.lists(LINES, max_size=12))
@example(["id,password", "define('PASSWORD', ': token"])
@example(["$ wg genkey", "token://u:p@h"])
@example(["https://u:token", "aB3/dE5+" * 8])
@example(["日本password: |password: |", "eyJhdXRocyI6eyJwYXNzd29yZCI6Imh1bnRlcjIifX0="])
@example(
    ["tokeneyJhdXRocyI6eyJwYXNzd29yZCI6Imh1bnRlcjIifX0=aB3dE5fG7hI9jK1lM2nO4pQ6\rtoken://u:p@h"]
)
@example(
    [
        "-----BEGIN RSA PRIVATE KEY-----token",
        "0",
        "PASSWORD  NAME-----BEGIN RSA PRIVATE KEY-----token",
    ]
)
@example(
    [
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY----------BEGIN RSA PRIVATE KEY-----",
    ]
)
@example(["id,password", "id,passwordcurl -u a:b"])
@example(["-----BEGIN RSA PRIVATE KEY-----", "$X-----BEGIN RSA PRIVATE KEY-----"])
@example(["aB3/dE5+" * 8 + "=" + "aB3/dE5+" * 8 + "=password: |token"])
@example(["tokenpassword: |"] * 2 + ["eyJhdXRocyI6eyJwYXNzd29yZCI6Imh1bnRlcjIifX0="])
@example(["-----BEGIN RSA PRIVATE KEY-----token", "token", "-----BEGIN RSA PRIVATE KEY-----token"])
@pytest.mark.requirement("N-93")
def test_masking_twice_is_once_and_keeps_every_line(lines: list[str]) -> None:
    once = Masker().lines(lines)
    assert len(once) == len(lines)
    assert Masker().lines(once) == once
    assert mask_lines(mask_lines(lines)) == mask_lines(lines)


@examples(200)
@given(st.lists(LINES, max_size=12), st.integers(0, 12))
@example(["", "Authorization: PASSWORD  NAMEtoken", "Authorization: "], 2)
@pytest.mark.requirement("NB-3")
def test_longer_stream_never_unmasks_and_may_be_resumed(lines: list[str], cut: int) -> None:
    whole = Masker().lines(lines)
    first = Masker()
    masked = first.lines(lines[:cut])
    # The row below may tell that the end of one is of its secret, which is masked there then.
    for begun, row in zip(masked, whole, strict=False):
        assert row == begun or begun.startswith(row.rpartition(R)[0])
    resumed = Masker(first.state)
    for line in lines[cut:]:
        masked.append(resumed.line(line))
        resumed.cover(masked)
    assert masked == whole


@examples(200)
@given(LINES, st.lists(st.integers(0, 100), max_size=4))
@example("aB3/dE5+" * 8, [])
@example(f"https://u:{R}{R}", [])
@example("https://u:abc0a:1b:2c:0a:1b:2c:", [])
@pytest.mark.requirement("NB-4")
def test_rows_joined_are_the_line_masked(line: str, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(line)) for cut in cuts), len(line)]
    rows = [line[start:end] for start, end in zip(edges, edges[1:], strict=False)]
    masked = Masker().rows(rows)
    assert len(masked) == len(rows)
    assert "".join(masked) == mask_line(line)


@examples(200)
@given(st.text())
def test_any_text_is_masked_without_a_fault(text: str) -> None:
    assert mask(text).count("\n") == text.count("\n")


HOSTILE = [
    "a", "token", "token=", 'token="', "password: ", "eyJ", "eyJaaaaaaa.", ".", "-", " -p", "://a:b",
    "-----BEGIN ", "sk-", "cookie: a=b;", "\\", ")", "a,", "--a", "{", "1", "token ", "authorization: ",
    "|", "a|", "| password ", ",", "password,", "  ", "A  ", "password for ", "define('", "'password', '", "set_token('",
    "eyJhdXRocyI6", "LS0tLS1CRUdJTi", "fm2_a", "machine h login a ", "name=\"a\">", "hooks/", "$6$a", "$argon2id$",
    "AKIAA1B2C3D4E5F6G7H8 ", "uid=a;", "echo a", "パスワードは「", "パスワードは", "reg_sz", "-> ", "from-literal=a=", "0a:",
    "│ ", "a.", "a|", "kind: Secret", "data:", "wifi:s:a;", "a/b:", "hook/a1/", "ey", "://a:", "a1-", "x\\", "''a", "$ cat ", "true /",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE)
def test_time_grows_with_the_length_of_a_line_and_no_faster(unit: str) -> None:
    def spent(size: int) -> float:
        line = "key=" + unit * (size // len(unit))
        began = time.process_time()
        mask_line(line)
        return time.process_time() - began

    spent(2_000)
    short = min(spent(20_000) for _ in range(3))
    # Ten times the length would take a hundred times as long if any search ran back.
    assert any(spent(200_000) < 40 * short + 0.05 for _ in range(3))
