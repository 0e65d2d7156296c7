"""A cluster that grows wide in the last cell, under a scroll region, crashes no session."""

from __future__ import annotations

import subprocess
import sys

import pytest

from nagomi_tui.terminal.ghostty.corner import joiners
from nagomi_tui.terminal.ghostty.engine import GhosttyEngine

_FEED = """
import sys
from nagomi_tui.terminal.ghostty.engine import GhosttyEngine
engine = GhosttyEngine(80, 24)
for text in sys.argv[1:]:
    engine.feed(text.encode())
print(engine.screen()[23].text[-1:].isprintable(), engine.screen()[0].text)
"""


CLUSTERS = pytest.mark.parametrize(
    "cluster",
    ["x\u200d\u093f", "x\u0301\u093f", "क्षि", "❤\u200d🔥", "\u1780\u17d2\u1780", "x\u0301\u302e"],
)


@CLUSTERS
def test_what_joins_a_cluster_in_the_last_cell_under_a_scroll_region(cluster: str) -> None:
    text = f"\x1b[1;10r\x1b[24;80H{cluster}\x1b[Hgoes on"
    done = subprocess.run([sys.executable, "-c", _FEED, text], capture_output=True, check=False)
    assert (done.returncode, done.stdout.split()[-2:]) == (0, [b"goes", b"on"])


@CLUSTERS
def test_what_does_so_in_long_text_after_a_region_was_set(cluster: str) -> None:
    long = f"{'x' * 79}{cluster}" * 20
    texts = (long, "\x1b[1;10r\x1b[24;1H", long, "\x1b[H\x1b[Kgoes on")
    done = subprocess.run([sys.executable, "-c", _FEED, *texts], capture_output=True, check=False)
    assert (done.returncode, done.stdout.split()[-2:]) == (0, [b"goes", b"on"])


@pytest.mark.parametrize("cut", range(5))
def test_a_cluster_in_the_last_cell_is_whole_where_the_screen_scrolls(cut: int) -> None:
    family = "👨\u200d👩\u200d👧\u200d👦"
    engine = GhosttyEngine(80, 24)
    engine.feed(f"\x1b[24;79H{family[:cut]}".encode())
    engine.feed(family[cut:].encode())
    assert engine.screen()[23].text.endswith(family)
    assert engine.take_replies() == b""


def test_what_is_asked_of_the_terminal_spoils_nothing_that_is_begun() -> None:
    """A title and a character that come in two pieces, the second of them long."""
    for begun, rest in (
        (b"\x1b]2;it ", b"goes on\x07"),
        (b"\x1b[m" + "日".encode()[:1], "日".encode()[1:]),
    ):
        engine = GhosttyEngine(80, 24)
        engine.feed("日本\r\n".encode() * 400 + begun)
        engine.feed(rest + "日本\r\n".encode() * 400)
        assert {row.text for row in engine.lines(0, 2000)} <= {"日本", "日日本", ""}
        assert engine.take_replies() == b""


def test_joiners_are_found_where_they_are() -> None:
    data = "plain कि 日本 क्षि 한국 😀 👩\u200d🔥 ☝\u200d🔥".encode()
    assert [data[a:b].decode() for a, b in joiners(data)] == [
        "\u093f",
        "\u094d",
        "\u093f",
        "\u200d",
    ]  # the joiner behind a wide emoji changes no width
    assert not (joiners(b"\xe0\xa4 cut \xf0\x91"))
