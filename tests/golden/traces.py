"""Records a trace with each kind of line in a running workplace."""

from __future__ import annotations

import json
import shlex
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nagomi_tui.api import messages
from tests.helpers.workplace import create, session, until, wait_for

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection

_HOOK: Final = {
    "hook_event_name": "Notification", "session_id": "c-1", "cwd": "/tmp",
    "message": "Claude needs your permission",
}  # fmt: skip
_SCRIPT: Final = (
    r"printf '\033]0;a title\007Continue? [y/N] '; read answer; "
    f'echo \'{json.dumps(_HOOK)}\' | "$NAGOMI_PYTHON" -IS "$NAGOMI_EVENT" claude $$; '
    "sleep 1; echo 'FAILED tests/test_a.py'; exit 3"
)


def record(connection: Connection, folder: Path) -> None:
    """Put the files of a trace into a folder: a question, its answer, a hook and a failure."""
    command = f"bash -c {shlex.quote(_SCRIPT)}"
    made = create(connection, command, name="golden", agent="claude")
    wait_for(connection, made, "Continue")
    path = Path(_switch(connection, made, "on").path)
    until(lambda: session(connection, made)["phase"] == "attention")
    time.sleep(2.5)
    view = messages.View(view=1, session=made, cols=90, rows=20, own_size=True)
    connection.send(view)
    time.sleep(0.5)
    connection.send(messages.TypeText(session=made, text="y"))
    connection.send(messages.TypeText(session=made, text="\r"))
    until(lambda: session(connection, made)["phase"] == "error")
    _switch(connection, made, "off")
    for kind in ("cast", "proc.jsonl", "hooks.jsonl"):
        shutil.copy(path.with_suffix(f".{kind}"), folder / f"trace.{kind}")


def _switch(connection: Connection, made: str, action: str) -> messages.TraceStanding:
    order = messages.Trace(id=0, session=made, action=action)  # type: ignore[arg-type]
    return connection.request(order, timeout=30)
