"""Lines of the front-end socket that are none of its messages."""

from __future__ import annotations

from typing import Final

import pytest

from nagomi_tui.api import messages

DEEP: Final = b'{"type":"ping","id":1,"more":' + b"[" * 100_000


@pytest.mark.parametrize("line", [b"", b"[]", b"\xff", b'{"type":"fly"}', DEEP])
def test_what_is_no_message_is_a_named_error(line: bytes) -> None:
    with pytest.raises(messages.BadMessage, match="on the front-end socket"):
        messages.decode_from_client(line)
    with pytest.raises(messages.BadMessage, match="from the orchestrator"):
        messages.decode_to_client(line)
