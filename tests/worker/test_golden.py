"""A golden line for each message: what was said once is understood and said so for ever."""

from __future__ import annotations

from pathlib import Path

import pytest

from nagomi_worker.wire import protocol

_GOLDEN = Path(__file__).parent.parent / "golden"


def _lines(name: str) -> list[bytes]:
    return (_GOLDEN / f"{name}.ndjson").read_bytes().splitlines(keepends=True)


def _types(name: str) -> set[str]:
    return {str(kind.__struct_config__.tag) for kind in getattr(protocol, name).__args__}


@pytest.mark.parametrize("line", [*_lines("to_worker_fixed"), *_lines("to_worker_extensions")])
@pytest.mark.requirement("N-100", "N-104")
def test_orders_are_decoded_and_encoded_byte_for_byte(line: bytes) -> None:
    message = protocol.decode_to_worker(line)
    assert message is not None
    assert protocol.encode(message) == line


@pytest.mark.parametrize("line", [*_lines("from_worker_fixed"), *_lines("from_worker_extensions")])
@pytest.mark.requirement("N-105", "N-108")
def test_reports_are_decoded_and_encoded_byte_for_byte(line: bytes) -> None:
    message = protocol.decode_from_worker(line)
    assert message is not None
    assert protocol.encode(message) == line


@pytest.mark.requirement("N-116", "X-1", "F-2")
def test_every_message_has_a_golden_line() -> None:
    for direction, union in (("to_worker", "ToWorker"), ("from_worker", "FromWorker")):
        lines = _lines(f"{direction}_fixed") + _lines(f"{direction}_extensions")
        said = {line.split(b'"')[3].decode() for line in lines}
        assert said == _types(union)
