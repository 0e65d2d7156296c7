"""Sessions that say a little at a time are read together; a key's echo does not wait for that."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.helpers.worker import Link

TALK = """
import sys, time
for n in range(300):
    sys.stdout.write(f"line {n}\\n")
    sys.stdout.flush()
    time.sleep(0.001)
"""


def test_a_slow_talker_makes_fewer_messages_than_writes(link: Link) -> None:
    link.run("a", shlex.join([sys.executable, "-c", TALK]))
    assert link.text("a").replace("\r", "") == "".join(f"line {n}\n" for n in range(300))
    assert len(link.outputs("a")) < 200


def test_what_was_just_typed_into_is_read_at_once(link: Link) -> None:
    link.start("a", "cat")
    for word in ("one", "two", "three"):
        before = len(link.outputs("a"))
        link.type("a", word)
        link.wait_text("a", word)
        assert len(link.outputs("a")) > before
