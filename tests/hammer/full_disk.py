"""Fills a disk under a workplace: `python -m tests.hammer.full_disk` in a mount namespace of its own.

Prints what it saw, and ends with an assertion where something does not hold.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from nagomi_tui.api import messages as m
from tests.hammer.counting import consecutive, counting
from tests.hammer.sockets import all_echo, echoing
from tests.hammer.vitals import states, well
from tests.helpers.waiting import until
from tests.helpers.workplace import Place, create, workplace


def main() -> None:
    """Fill the state folder, work, make room, and look what is kept."""
    home = Path(tempfile.mkdtemp(prefix="ng", dir="/tmp"))
    state = home / "state"
    state.mkdir(mode=0o700)
    mounted = ["mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", str(state)]
    subprocess.run(mounted, check=True)
    try:
        with workplace(home=home, start=False) as place:
            _start_full(place, state)
            _work(place, state)
    finally:
        subprocess.run(["umount", "--lazy", str(state)], check=False)


def _start_full(place: Place, state: Path) -> None:
    fill(state / "filler")
    place.start()
    with place.connect() as connection:
        first = create(connection, "cat", name="first")
    all_echo(place, [first], "first")
    (state / "filler").unlink()


def _work(place: Place, state: Path) -> None:
    with place.connect() as connection:
        names = echoing(connection, 2)
    fill(state / "filler")
    with place.connect(front_end=True, env={"NAGOMI_LANG": "en", **os.environ}) as connection:
        counted = counting(connection, 1)
        create(connection, "cat", name="on-a-full-disk")
        all_echo(place, names, "full")
        told = until(lambda: [one for one in connection.pushed(1) if isinstance(one, m.Notice)])
    print(f"told: {told[0].text[:80]}")
    place.kill(place.orchestrator)
    all_echo(place, names, "again")
    assert len(states(place)) == 5
    (state / "filler").unlink()
    with place.connect() as connection:
        create(connection, "cat", name="with-room")
        consecutive(connection, counted[0])
    until(lambda: _is_kept(place, state), "records are written again", patience=45)
    print(well(place))


def fill(path: Path) -> None:
    """Write until nothing goes in any more."""
    with path.open("wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            while True:
                try:
                    file.write(b"x" * size)
                except OSError:
                    break


def _is_kept(place: Place, state: Path) -> bool:
    stored = b"".join(path.read_bytes() for path in state.glob("sessions.db*"))
    return b"with-room" in stored


if __name__ == "__main__":
    main()
