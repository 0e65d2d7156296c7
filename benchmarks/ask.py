"""What `nagomi ask` takes beside its model, and a key's echo while the agent's answer streams.

The model is a server on this machine that answers at once, or for a minute.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.echo import measure
from benchmarks.tools.multiplexers import Nagomi, load_program
from nagomi_tui.api import messages
from nagomi_tui.system import paths
from nagomi_worker.wire import trust
from tests.helpers.model_server import model_server, says

if TYPE_CHECKING:
    from collections.abc import Callable

_SESSIONS = 6
_LONG = "The tests of the parser fail, since a comma is missing in line 12.\n\n" * 400


def main(arguments: list[str]) -> None:
    """Run `ask [rounds=10]`, or `ask keys=400`, which types beside an answer that streams."""
    options = dict(one.split("=", 1) for one in arguments)
    if "keys" in options:
        beside_stream(int(options["keys"]))
        return
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


def beside_stream(keys: int) -> None:
    """Print the echo beside a tile with `nagomi chat`: at rest, and while an answer streams there."""
    with model_server() as server:
        server.script(says(_LONG, pause=0.02))
        chat = f"{sys.executable} -m nagomi_tui chat"
        nagomi = Nagomi([f"{load_program()} echo", chat])
        try:
            values = {"llm_consent": True, "agent_url": server.url, "agent_model": "mame"}
            nagomi.connection.request(messages.Settings(id=0, values=values))
            time.sleep(3)
            rest = measure(nagomi, keys)
            order = messages.Send(id=0, session="2", text="What is wrong?", force=True)
            nagomi.connection.request(order)
            server.wait_asked(1)
            before = _printed(nagomi)
            streams = measure(nagomi, keys)
            lines = _printed(nagomi) - before
        finally:
            nagomi.close()
    print(f"  at rest           {rest.line()}")
    print(f"  while it streams  {streams.line()}, {lines} lines meanwhile")
    ratios = (streams.p50 / rest.p50, streams.p95 / rest.p95, streams.p99 / rest.p99)
    print(f"  ratio             {ratios[0]:7.2f} {ratios[1]:7.2f} {ratios[2]:7.2f}", flush=True)


def _printed(nagomi: Nagomi) -> int:
    told = nagomi.connection.request(messages.Capture(id=0, session="2", history=True))
    return len(told.text.splitlines())


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
