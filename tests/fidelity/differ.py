"""Finds the smallest part of a stream that two terminals show differently, and whether we know it.

`python -m tests.fidelity.differ SEEDS [KIND …]` looks at many more streams than the suite does.
"""

from __future__ import annotations

import re
import sys
import time
from typing import TYPE_CHECKING, Final

from tests.fidelity.known import CROWDED, HALF, KNOWN, PENDING, Difference
from tests.fidelity.peers import COLS, Pair, inside, pair
from tests.fidelity.streams import KINDS, stream

if TYPE_CHECKING:
    from tests.fidelity.streams import Pieces

_STEP: Final = re.compile(
    rb"\x1b\[[0-9;?]*[@-~]|\x1b.|[\x00-\x7f]|[\xc0-\xff][\x80-\xbf]*", re.DOTALL
)

_ERASE: Final = re.compile(rb"\x1b\[\d*X")
_WIDE: Final = re.compile(rb"[\xe2-\xf0]")


def differs(peers: Pair, pieces: Pieces) -> bool:
    """Tell whether the two show other things."""
    ours, theirs = peers.show(b"".join(pieces))
    return ours != theirs._replace(cursor=inside(theirs.cursor))


def shrink(peers: Pair, pieces: Pieces) -> list[int]:
    """Return the places of pieces that differ by themselves, none of which can be left out."""
    kept = list(range(len(pieces)))
    size = len(kept)
    while size >= 1:
        at = 0
        while at < len(kept):
            fewer = kept[:at] + kept[at + size :]
            if differs(peers, [pieces[place] for place in fewer]):
                kept = fewer
            else:
                at += size
        size //= 2
    return kept


def unexplained(peers: Pair, pieces: Pieces, seen: set[str] | None = None) -> bytes | None:
    """Return a smallest difference that is not on the list, or None.

    A known one is taken out of the stream, since others may stand behind it.
    """
    while differs(peers, pieces):
        places = shrink(peers, pieces)
        smallest = [pieces[place] for place in places]
        known = _known(peers, smallest)
        if known is None:
            return b"".join(smallest)
        if seen is not None:
            seen.add(known.name)
        fewer = [piece for piece in pieces if not known.takes(piece)]
        if len(fewer) == len(pieces):
            last = places[-1]
            fewer = pieces[:last] + pieces[last + 1 :]
        pieces = fewer
    return None


def _known(peers: Pair, smallest: Pieces) -> Difference | None:
    data = b"".join(smallest)
    found = next((known for known in KNOWN if known.sign(data)), None)
    return found or _known_place(peers, data)


def _known_place(peers: Pair, data: bytes) -> Difference | None:
    """Return the difference that begins where the cursor comes by on the way, if it is known."""
    for step in _STEP.finditer(data[:-1]):
        ours, theirs = peers.show(data[: step.end()])
        row, column = theirs.cursor
        cells = (*ours.rows[row - 1], *[" "] * (COLS + 1))
        following = data[step.end() :]
        if column > COLS:
            return PENDING
        if cells[column - 1] == "" or (cells[column] == "" and _ERASE.match(following)):
            return HALF
        if column == COLS and _WIDE.match(following):
            return CROWDED
    return None


def main() -> int:
    """Print every smallest difference that is not on the list."""
    count, kinds = int(sys.argv[1]), sys.argv[2:] or list(KINDS)
    bad = 0
    with pair() as peers:
        for kind in kinds:
            started, seen = time.monotonic(), set[str]()
            for seed in range(count):
                if found := unexplained(peers, stream(kind, seed), seen):
                    bad += 1
                    print(f"{kind}-{seed}: {found!r}", flush=True)
                    for shown in peers.show(found):
                        print(
                            "   ",
                            shown.cursor,
                            [(y, "".join(r)) for y, r in enumerate(shown.rows) if r],
                        )
            print(
                f"{kind}: {count} streams, {time.monotonic() - started:.1f} s, known: {sorted(seen)}",
                flush=True,
            )
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
