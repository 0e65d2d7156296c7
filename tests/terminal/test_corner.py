"""A cluster that grows wide in the last cell, under a scroll region, crashes no session."""

from __future__ import annotations

import subprocess
import sys

import pytest

from nagomi_tui.terminal.ghostty.corner import joiners

_FEED = """
import sys
from nagomi_tui.terminal.ghostty.engine import GhosttyEngine
engine = GhosttyEngine(80, 24)
engine.feed(sys.argv[1].encode())
print(engine.screen()[23].text[-1:].isprintable(), engine.screen()[0].text)
"""


@pytest.mark.parametrize(
    "cluster",
    ["x\u200d\u093f", "x\u0301\u093f", "क्षि", "❤\u200d🔥", "\u1780\u17d2\u1780", "x\u0301\u302e"],
)
def test_what_joins_a_cluster_in_the_last_cell_under_a_scroll_region(cluster: str) -> None:
    text = f"\x1b[1;10r\x1b[24;80H{cluster}\x1b[Hgoes on"
    done = subprocess.run([sys.executable, "-c", _FEED, text], capture_output=True, check=False)
    assert (done.returncode, done.stdout.split()[-2:]) == (0, [b"goes", b"on"])


def test_joiners_are_found_where_they_are() -> None:
    data = "plain कि 日本 क्षि 한국 😀 👩\u200d🔥 ☝\u200d🔥".encode()
    assert [data[a:b].decode() for a, b in joiners(data)] == [
        "\u093f",
        "\u094d",
        "\u093f",
        "\u200d",
    ]  # the joiner behind a wide emoji changes no width
    assert not (joiners(b"\xe0\xa4 cut \xf0\x91"))
