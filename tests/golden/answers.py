"""What a running workplace answers each request, asked in plain JSON, and the shape of it."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from nagomi_tui import __version__
from nagomi_tui.api.client import NotServed, open_socket
from nagomi_tui.hands import registry
from nagomi_tui.hands.hand import Hand
from nagomi_tui.review.git import Shadow
from tests.helpers.bare_terminal import BareTerminal
from tests.helpers.guard_hook import install_hook
from tests.helpers.repository import git, repository
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

Shapes = dict[str, dict[str, list[str]]]
"""By `type` of the request: the types that were found at each place of its answers."""

_ASKING: Final = "bash -c \"read -p 'Go on? [y/N] ' answer; sleep 600\""
_NOBODY_JUDGES: Final = {
    "llm_judge": True, "llm_consent": True, "llm_url": "http://127.0.0.1:9/v1", "llm_model": "x",
}  # fmt: skip
"""Nobody listens there, so that the answer is that of the rules."""
_PROPOSED: Final = {
    "todos": {"active": [{"content": "read", "status": "completed"}]},
    "metadata": {"nagomi": {"proposal": ["write"]}},
}
"""The state of a guarded project."""
_TYPES: Final = {
    str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null",
    list: "array", dict: "object",
}  # fmt: skip


class Plain:
    """A client that knows nothing of ours but the socket; keeps the shapes of what it is told."""

    def __init__(self, shapes: Shapes, *, after: int = 0) -> None:
        """Connect to an orchestrator that is another process than `after`."""
        self.shapes = shapes
        self._id = 0
        self._after = after
        welcome = until(self._greeted)
        self.pid = welcome["pid"]
        self._keep("hello", welcome)

    def tell(self, **message: Any) -> None:
        """Send a message."""
        self._peer.sendall(json.dumps(message).encode() + b"\n")

    def ask(self, kind: str, **fields: Any) -> Any:
        """Send a request, keep the shape of what it is answered, and return the result."""
        self._id += 1
        self.tell(type=kind, id=self._id, **fields)
        answers = map(json.loads, self._lines)
        answer = next(found for found in answers if found.get("id") == self._id)
        if answer["type"] == "failed":
            self._keep("failed", answer)
            return None
        self._keep(kind, answer.get("result", {}))
        return answer.get("result", {})

    def close(self) -> None:
        """End the connection."""
        self._lines.close()
        self._peer.close()

    def _greeted(self) -> Any:
        """Connect and say hello; return None while the orchestrator is being replaced."""
        try:
            self._peer = open_socket()
        except NotServed:
            return None
        self._peer.settimeout(30)
        self._lines = self._peer.makefile("rb")
        env = {"PATH": os.environ["PATH"], "NAGOMI_HOME": os.environ["NAGOMI_HOME"]}
        try:
            self.tell(type="hello", version=__version__, env=env)
            welcome = json.loads(self._lines.readline() or b"{}")
        except OSError:
            welcome = {}
        if welcome.get("pid", self._after) != self._after:
            return welcome
        self.close()
        return None

    def _keep(self, kind: str, value: Any) -> None:
        found = self.shapes.setdefault(kind, {})
        for place, name in places(value, ""):
            found[place] = sorted({*found.get(place, ()), name})


def story() -> Shapes:
    """Ask everything of the workplace, which is closed then; return the shapes of all answers."""
    shapes: Shapes = {}
    with closing(Plain(shapes)) as client:
        client.ask("ping")
        client.ask("next_waiting")
        client.ask("print", command="next")
        made = client.ask("create", cmd="cat", cwd="/tmp", name="cat")["session_id"]
        asking = client.ask("create", cmd=_ASKING, cwd="/tmp")["session_id"]
        _talk(client, made)
        _judge(client, asking)
        with TemporaryDirectory() as folder:
            _guard(client, Path(folder))
        _manage(client, made, asking)
        _reach(client)
    with closing(Plain(shapes)) as client:
        client.ask("reload")
    with closing(Plain(shapes, after=client.pid)) as client:
        client.ask("quit")
    return shapes


def places(value: Any, place: str) -> Iterator[tuple[str, str]]:
    """Yield each place in a value, such as `.sessions[].name`, and the type of what is there."""
    yield place, _TYPES[type(value)]
    if isinstance(value, list):
        for item in value:
            yield from places(item, f"{place}[]")
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, f"{place}.{key}")


# --- chapters


def _reach(client: Plain) -> None:
    """Have a hand whose worker runs on this machine."""
    there = ("env", f"TMPDIR={os.environ['NAGOMI_HOME']}", sys.executable, "-P", "-m")
    registry.add(Hand(name="there", command=("env",), program=(*there, "nagomi_worker")))
    client.ask("reach_hand", name="there")
    client.ask("list_hands")
    client.ask("find_folders", name="there", path="/us")


def _talk(client: Plain, made: str) -> None:
    client.ask("send", session=made, text="日本語 words")
    client.ask("keys", session=made, keys=["Enter"])
    client.ask("wait", session=made, until="output", pattern="words", timeout=20)
    client.ask("wait", session=made, until="exit", timeout=0.1)
    client.ask("wait", session=made, until="silence", silence=0.1)
    client.ask("capture", session=made)
    client.ask("search", session=made, text="words")
    client.ask("lines", session=made, start=0, stop=10)
    until(lambda: client.ask("search_history", text="words")["lines"])
    client.ask("trace", session=made)
    client.ask("trace", session=made, action="on")
    client.ask("trace", session=made, action="off")
    client.ask("sound")
    client.ask("find", session="cat")
    client.ask("find", session="nobody")


def _judge(client: Plain, asking: str) -> None:
    until(lambda: client.ask("asks", session=asking)["question"])
    until(lambda: client.ask("next_waiting")["session"])
    until(lambda: client.ask("why", session=asking)["evidence_detail"])
    until(lambda: client.ask("asks", session=asking)["evidence_detail"])
    client.ask("settings", values=_NOBODY_JUDGES)
    client.ask("ask_judge", session=asking)
    client.ask("correct", session=asking, state="success")
    client.ask("answer", session=asking, choice="y")
    until(lambda: not client.ask("asks", session=asking)["question"])
    client.ask("act", session=asking, command="pwd", anew=True)


def _guard(client: Plain, folder: Path) -> None:
    repository(folder, README="first")
    (folder / "README").write_text("changed")
    (folder / "sessions").mkdir()
    (folder / "sessions/sessions-state.json").write_text(json.dumps(_PROPOSED))
    (folder / "claude").symlink_to("/bin/cat")
    install_hook(folder)
    made = client.ask("create", cmd="./claude", cwd=str(folder))["session_id"]
    client.ask("guard_show", session=made)
    client.ask("guard_diff", session=made)
    client.ask("review", session=made)
    _undo(client, made, folder)
    client.shapes["guard_approve"] = _alone("guard_approve", session=made, todos=["write"])
    client.ask("guard_discuss", session=made)
    until(lambda: client.ask("guard_stop")["sessions"])
    client.ask("stop", session=made)


def _worktrees(client: Plain, folder: Path) -> None:
    root = repository(folder / "root", README="first\n")
    for name in ("one", "other"):
        git(root, "worktree", "add", "-q", "-b", name, str(folder / name))
        (folder / name / "README").write_text(f"{name}\n")
    client.ask("create", cmd="sleep 600", cwd=str(folder / "one"), name="tree")
    client.ask("list_worktrees", folder=str(root))
    git(folder / "one", "commit", "-qam", "one")
    client.ask("merge_worktree", folder=str(folder / "one"))
    git(folder / "other", "commit", "-qam", "other")
    client.ask("merge_worktree", folder=str(folder / "other"))
    client.ask("stop", session="tree")
    client.ask("remove", session="tree")


def _undo(client: Plain, made: str, folder: Path) -> None:
    until((Shadow(folder.resolve(), folder / ".git").folder / "baseline").exists)
    (folder / "README").write_text("changed again")
    told = {"agent": "claude", "payload": {"hook_event_name": "Stop"}, "at": time.time()}
    client.tell(type="hook", session=made, **told)
    until(lambda: client.ask("guard_noticed", session=made)["change"])
    client.shapes["guard_undo"] = _alone("guard_undo", session=made)


def _alone(kind: str, **fields: Any) -> dict[str, list[str]]:
    """Ask as a user does, at a terminal of their own; return the shape of the answer."""
    lines = (
        "import json; from tests.golden.answers import Plain",
        f"client = Plain({{}}); client.ask({kind!r}, **{fields!r})",
        f"print('told', json.dumps(client.shapes[{kind!r}]))",
    )
    with BareTerminal([sys.executable, "-c", "\n".join(lines)], os.environ) as terminal:
        terminal.wait(b"}\r\n")
        told = terminal.got.partition(b"told ")[2]
    found: dict[str, list[str]] = json.loads(told)
    return found


def _manage(client: Plain, made: str, asking: str) -> None:
    client.ask("status")
    client.ask("settings")
    with TemporaryDirectory() as folder:
        _worktrees(client, Path(folder))
    client.ask("remind", when="cat fails twice", words="look")
    client.ask("remind", when="cat is quiet for 1s")
    until(lambda: client.ask("list_reminders")["told"])
    client.ask("cancel_reminder", number=1)
    client.ask("rename", session=made, name="和み")
    client.ask("dress", session=made, character="koneko")
    client.ask("keep_size", session=made)
    client.ask("reorder", session=made, number=2)
    client.ask("renumber")
    client.ask("stop", session=asking)
    client.ask("wait", session=asking)
    client.ask("list")
    client.ask("remove", session=asking, history=True)
    client.ask("restart", session=made)
    client.ask("start_agent")
    client.ask("agent_mode", mode="calm")
    client.ask("detach_all")
