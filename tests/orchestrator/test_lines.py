"""Lines by number: what copy mode reads beyond the view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nagomi_tui.api import messages
from tests.helpers.workplace import create, plain, wait_for

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection


def lines(connection: Connection, session: str, start: int, stop: int) -> dict[str, Any]:
    request = messages.Lines(id=0, session=session, start=start, stop=stop)
    return plain(connection.request(request, timeout=10))


def text(row: list[Any]) -> str:
    return "".join(run[0] for run in row[1])


def test_lines_come_with_units_and_wrapped_flags(connection: Connection) -> None:
    cmd = "sh -c 'seq 1200; echo 日本; echo 12345678901234567890123; echo READY; exec cat'"
    session = create(connection, cmd, cols=20, rows=10)
    wait_for(connection, session, "READY")
    found = lines(connection, session, 0, 5000)
    assert (found["start"], found["first_line"], len(found["rows"])) == (0, 0, 1000)
    assert [text(row) for row in found["rows"][:3]] == ["1", "2", "3"]
    rest = lines(connection, session, 1200, 5000)["rows"]
    assert rest[0] == [False, [["日本", 2]]]
    assert rest[1] == [True, [["12345678901234567890", 1]]]
    assert rest[2] == [False, [["123", 1]]]
    assert found["last_line"] - found["screen_line"] == 9
    assert lines(connection, session, 9000, 9100)["rows"] == []
    assert lines(connection, session, -50, 2)["start"] == 0
