"""After a flood, however it was read, the end of it is there: each line, its colours, and what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from tests.helpers.workplace import create, session, text_of, until, wait_for

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

_LAST = 500_000


@pytest.fixture(scope="module")
def colored(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A command that prints so many coloured lines as fast as they are read."""
    path = tmp_path_factory.mktemp("flood") / "colored"
    path.write_text("".join(f"\x1b[3{n % 8}m#{n}#\x1b[0m\n" for n in range(1, _LAST + 1)))
    return f"cat {path} {path}"


def flood(connection: Connection, *commands: str) -> str:
    """Start it without a key of its own, and wait for its end."""
    script = "; ".join((*commands, "echo over", "exec cat"))
    made = create(connection, "sh", env={"ENV": ""})
    connection.send(messages.TypeText(session=made, text=f"{script}\n"))
    wait_for(connection, made, "^over$")
    return made


def assert_whole(connection: Connection, made: str) -> None:
    lines = text_of(connection, made, history=True).splitlines()
    found = [line for line in lines if line.startswith("#")]
    assert len(found) >= 20_000 - 2
    assert found == [f"#{number}#" for number in range(_LAST + 1 - len(found), _LAST + 1)]


@pytest.mark.parametrize("front_end", [True, False])
@pytest.mark.requirement("N-36")
def test_the_last_lines_of_a_flood_are_whole(place: Place, colored: str, front_end: bool) -> None:
    with place.connect(front_end=front_end) as connection:
        made = flood(connection, colored, r"printf '\033[36m'")
        assert_whole(connection, made)
        connection.send(messages.TypeText(session=made, text="echo of a key\n"))
        wait_for(connection, made, "echo of a key")


def test_what_is_said_within_a_flood_is_heard(place: Place, colored: str) -> None:
    with place.connect() as connection:
        made = flood(connection, colored, r"printf '\033]0;in between\007'", colored)
        assert session(connection, made)["title"] == "in between"
        assert_whole(connection, made)


def test_a_flood_is_whole_beside_one_that_prints_a_little(place: Place, colored: str) -> None:
    with place.connect() as connection:
        beside = create(connection, "sh -c 'while sleep 0.05; do date +%N; done'")
        made = flood(connection, colored)
        assert_whole(connection, made)
        before = text_of(connection, beside)
        until(lambda: text_of(connection, beside) != before)
