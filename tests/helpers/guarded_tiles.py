"""Real agents under the guard in four tiles, each with a project and a model of its own."""

from __future__ import annotations

import json
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tests.helpers.attacker import UNASKED
from tests.helpers.clients import ModelServer, Step, claude, codex, newest_claude
from tests.helpers.waiting import in_time, until
from tests.helpers.workplace import create, session, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.outer import Outer

    Start = Callable[[Path, Path, int], tuple[str, dict[str, str]]]

_CLAUDE_IS_READY: Final = "accept edits on"
AGENTS: Final[dict[str, tuple[Start, str]]] = {
    "claude": (claude, _CLAUDE_IS_READY),
    "newest": (newest_claude, _CLAUDE_IS_READY),
    "codex": (codex, "Ask Codex"),
    "another": (newest_claude, _CLAUDE_IS_READY),
}
"""Who works in each tile, and what its screen shows when it takes a prompt."""
TODOS: Final = ("make it", "tidy up")
_SENTENCE: Final = "Write the files."


@dataclass
class Tile:
    """A guarded agent and its project; its model writes early, when it may, and once it was stopped."""

    number: int
    root: Path
    server: ModelServer
    ready: str
    stopped: threading.Event
    session_id: str

    def files(self) -> set[str]:
        """Return what the agent has written in the project."""
        return {path.name for path in self.root.glob("*.txt")}

    def refused(self, name: str) -> bool:
        """Tell whether the model was told that it may not write this file."""
        results = json.dumps(self.server.requests[-1:])
        return f"{name}.txt" in results and "[DAIC" in results


@contextmanager
def guarded_tiles(connection: Connection, folder: Path) -> Iterator[list[Tile]]:
    """Start each agent in a guarded project of its own."""
    with ExitStack() as servers:
        tiles = []
        for number, (name, (agent, ready)) in enumerate(AGENTS.items(), 1):
            root, stopped = folder / name, threading.Event()
            root.mkdir()
            server = servers.enter_context(_model(agent, root, stopped))
            command, env = agent(folder / f"{name}-home", root, server.port)
            command = command.removesuffix(" --permission-mode default")
            unasked = " ".join(UNASKED[:2]) if agent is codex else "--permission-mode acceptEdits"
            env |= {"NAGOMI_GUARD": "hook"}
            made = create(connection, f"{command} {unasked}", str(root), env=env, name=name)
            tiles.append(Tile(number, root, server, ready, stopped, made))
        yield tiles


def _model(agent: Start, root: Path, stopped: threading.Event) -> ModelServer:
    def write(name: str) -> tuple[str, dict[str, str]]:
        if agent is codex:
            return "exec_command", {"cmd": f"touch {name}.txt"}
        return "Write", {"file_path": str(root / f"{name}.txt"), "content": "x\n"}

    return ModelServer(
        [
            Step("", (write("early"),)),
            Step("I propose:\n" + "\n".join(f"- {todo}" for todo in TODOS)),
            Step("", (write("made"),)),
            Step("", (write("late"),), gate=stopped),
            Step("I was stopped."),
        ]
    )


def guard(connection: Connection, tile: Tile) -> dict[str, Any]:
    """Return how a tile's guard stands."""
    standing: dict[str, Any] = session(connection, tile.session_id)["guard"]
    return standing


def leader(front_end: Outer, *keys: str) -> None:
    """Press keys, each after the leader."""
    for key in keys:
        front_end.keys("C-]")
        front_end.keys(key)


def ask(front_end: Outer, connection: Connection, tile: Tile) -> None:
    """Go to a tile, and type a prompt there.

    What comes before the agent reads keys is lost, and behind quick keys Enter may only end a line.
    """
    until(lambda: tile.ready in text_of(connection, tile.session_id))
    leader(front_end, str(tile.number))

    def asked() -> bool:
        if _SENTENCE not in text_of(connection, tile.session_id):
            front_end.keys("C-u")
            front_end.type(_SENTENCE)
            in_time(lambda: _SENTENCE in text_of(connection, tile.session_id))
        front_end.keys("Enter")
        return in_time(lambda: tile.server.requests)

    until(asked)


def approve(front_end: Outer, connection: Connection, tile: Tile) -> None:
    """Approve what a tile's agent proposes, in the guard's dialog."""
    until(lambda: guard(connection, tile)["proposed"] == len(TODOS))
    leader(front_end, str(tile.number), "G")
    front_end.wait(f"[x] +   {TODOS[-1]}")
    front_end.keys("a")
    until(lambda: guard(connection, tile)["mode"] == "implementation")
