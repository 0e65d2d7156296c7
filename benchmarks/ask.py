"""What `nagomi ask` takes beside its model: of the command, and of the agent's part alone.

The model is a server on this machine that answers at once.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.multiplexers import Nagomi
from nagomi_tui import paths
from nagomi_tui.api import messages
from nagomi_worker.wire import trust
from tests.helpers.model_server import model_server, says

if TYPE_CHECKING:
    from collections.abc import Callable

_SESSIONS = 6


def main(arguments: list[str]) -> None:
    """Run `ask [rounds=10]`."""
    options = dict(one.split("=", 1) for one in arguments)
    rounds = int(options.get("rounds", "10"))
    with model_server() as server:
        server.script(*[says("All is quiet.")] * (2 * rounds + 3))
        nagomi = Nagomi(["sleep 1000"] * _SESSIONS, attach=False)
        try:
            values = {"llm_consent": True, "agent_url": server.url, "agent_model": "mame"}
            nagomi.connection.request(messages.Settings(id=0, values=values))
            argv = [*nagomi.attach_argv(), "ask", "What is going on?"]
            first = _seconds(lambda: _run(argv, nagomi.env))
            print(f"the first question, which starts the agent: {first * 1000:.0f} ms", flush=True)
            bare = [sys.executable, "-I", "-c", "pass"]
            _tell("an idle Python", rounds, lambda: _run(bare, nagomi.env))
            _tell("nagomi ask", rounds, lambda: _run(argv, nagomi.env))
            place = str(paths.socket_folder() / "api")
            _tell("POST /api/ask on the Unix socket", rounds, lambda: _post(place))
        finally:
            nagomi.close()


def _run(argv: list[str], env: dict[str, str]) -> object:
    return subprocess.run(argv, env=env, check=True, stdout=subprocess.DEVNULL)


def _post(place: str) -> None:
    connection = http.client.HTTPConnection("localhost")
    connection.sock = trust.connect(place, 10)
    body = json.dumps({"question": "What is going on?"})
    connection.request("POST", "/api/ask", body, {"Content-Type": "application/json"})
    assert connection.getresponse().status == 200
    connection.close()


def _seconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def _tell(name: str, rounds: int, act: Callable[[], object]) -> None:
    took = sorted(_seconds(act) * 1000 for _ in range(rounds))
    print(f"{name:34} {median(took):.0f} ms (best {took[0]:.0f}, worst {took[-1]:.0f})", flush=True)
