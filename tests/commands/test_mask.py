"""`nagomi mask` passes a stream through, masked, byte for byte where there is no secret."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest

MASK = [sys.executable, "-m", "nagomi_tui", "mask"]
R = b"***REDACTED***"


def _masked(data: bytes, *options: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*MASK, *options], input=data, capture_output=True, timeout=60)


@pytest.mark.requirement("N-86")
def test_filter_masks_and_keeps_every_other_byte() -> None:
    data = b"\xff\x00 plain\r\npassword=hunter2\r\n\nlast token=abc"
    done = _masked(data)
    assert done.stdout == b"\xff\x00 plain\r\npassword=" + R + b"\r\n\nlast token=" + R
    assert (done.returncode, done.stderr) == (0, b"")


def test_filter_leaves_binary_data_unchanged() -> None:
    data = bytes(range(256)) * 300
    assert _masked(data).stdout == data


@pytest.mark.requirement("NB-3")
def test_filter_remembers_a_private_key_over_lines() -> None:
    label = b"RSA PRIVATE" + b" KEY-----"
    data = b"-----BEGIN " + label + b"\nMIIBOgIBAAJBAKj3\nab\n-----END " + label + b"\nx\n"
    assert _masked(data).stdout.split(b"\n")[1:3] == [R, R]


def test_check_tells_by_its_exit_code_whether_something_was_masked() -> None:
    assert _masked(b"token=abc\n", "--check").returncode == 1
    assert _masked(b"nothing here\n", "--check").returncode == 0
    assert _masked(b"token=abc\n").returncode == 0


def test_filter_hands_on_a_line_before_the_input_ends() -> None:
    with subprocess.Popen(MASK, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(b"token=abc\n")
        child.stdin.flush()
        assert child.stdout.readline() == b"token=" + R + b"\n"
        child.stdin.close()
        assert child.wait(timeout=30) == 0


def test_filter_ends_quietly_when_its_reader_goes_away() -> None:
    reading, writing = os.pipe()
    with subprocess.Popen(
        MASK, stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.PIPE
    ) as child:
        os.close(writing)
        os.close(reading)
        _, errors = child.communicate(b"plain line\n" * 10_000, timeout=30)
    assert (child.returncode, errors) == (141, b"")


KEYS = {
    "RSA": ["openssl", "genpkey", "-algorithm", "RSA", "-text"],
    "Ed25519": ["openssl", "genpkey", "-algorithm", "ed25519", "-text"],
    "EC": ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-text"],
}  # fmt: skip


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.requirement("N-87")
def test_keys_that_openssl_prints_are_masked_in_every_form(kind: str) -> None:
    printed = subprocess.run(KEYS[kind], capture_output=True, check=True, timeout=60).stdout
    masked = _masked(printed).stdout
    assert masked.count(b"\n") == printed.count(b"\n")
    private = re.search(rb"(?:priv|privateExponent):\n((?: +[0-9a-f:]+\n)+)", printed)
    assert private is not None
    material = [*private[1].split(), *re.findall(rb"(?m)^[A-Za-z0-9+/=]{20,}$", printed)]
    assert (
        len(material) >= 3 and [part for part in material if len(part) > 8 and part in masked] == []
    )


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="there is no sqlite3 program")
@pytest.mark.parametrize(
    "form", ["-column", "-box", "-table", "-markdown", "-line", "-csv", "-list"]
)
@pytest.mark.requirement("N-89")
def test_columns_of_passwords_are_masked_in_every_form(form: str) -> None:
    rows = "create table u(name, password); insert into u values('al', 'hunter2x'), ('bo', 'Zebra#42'); "
    command = ["sqlite3", "-header", form, ":memory:", rows + "select * from u"]
    printed = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
    masked = _masked(printed).stdout
    assert (masked.count(R), b"hunter2x" in masked, b"Zebra" in masked) == (2, False, False)
    assert b"al" in masked and b"bo" in masked
