"""A program that tells a conversation's story again and again, and dies each time a step later.

The steps are system calls that change files: write (before it, and in its middle), rename, truncate,
synchronize; dying behind one is dying before the next. For each of them a child is forked that kills
itself there, in a folder `N` of its own, where a file `done` tells what it had been promised by then.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nagomi_tui.agent.conversations.records import CallResult
from tests.helpers.conversations import store, text, use

if TYPE_CHECKING:
    from collections.abc import Callable

_write = os.write


class Fate:
    """Kills this process at a step."""

    def __init__(self, at: int) -> None:
        self._left = at

    def step(self) -> None:
        """Die if the time has come."""
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1

    def write(self, fd: int, data: Any) -> int:
        """Write in two halves, and perhaps die before either."""
        self.step()
        half = _write(fd, bytes(data[: len(data) // 2]))
        self.step()
        return half + _write(fd, bytes(data[half:]))

    def before(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a call that may not even begin."""

        def called(*arguments: Any, **named: Any) -> Any:
            self.step()
            return call(*arguments, **named)

        return called


def story(folder: Path, promise: Callable[[str], None]) -> None:
    """Tell all that a conversation can do; a promise is made when a method has returned."""
    conversations = store(folder)
    id = conversations.create("tale").id
    promise("created")
    with conversations.open(id) as conversation:
        conversation.append_user("first question")
        promise("first question")
        conversation.append_assistant([text("first look"), use("t1"), use("t2")])
        promise("first look")
        conversation.append_tool_results(
            [CallResult("t1", "result 1"), CallResult("t2", "result 2")]
        )
        promise("result 2")
        conversation.append_assistant([text("first answer")])
        promise("first answer")
        conversation.change(work_overlay_turns_left=4)
        promise("overlay")
        conversation.append_user("unlucky")
        promise("unlucky")
        conversation.fail_turn()
        conversation.append_user("second question")
        promise("second question")
        conversation.append_assistant([text("second answer")])
        promise("second answer")
        conversation.compact("the summary", 4)
        promise("compacted")
    promise("closed")


def _die(at: int, folder: Path) -> None:
    folder.mkdir()
    done = os.open(folder / "done", os.O_WRONLY | os.O_CREAT, 0o600)
    fate = Fate(at)
    os.write = fate.write
    for name in ("replace", "fsync", "ftruncate"):
        setattr(os, name, fate.before(getattr(os, name)))
    story(folder, lambda what: _write(done, what.encode() + b"\n") and None)


def main(folder: Path) -> int:
    """Fork a child for each step, until one comes to the end; print how many died."""
    at = 0
    while True:
        pid = os.fork()
        if pid == 0:
            try:
                _die(at, folder / str(at))
            except BaseException as exc:
                _write(2, repr(exc).encode())
                os._exit(1)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if status != -signal.SIGKILL:
            print(at)
            return status
        at += 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
