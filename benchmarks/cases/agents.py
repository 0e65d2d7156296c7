"""Cases of `judge_live` with real agents, those that are installed, against a model server of ours.

Each is run with nagomi's hooks in the agent's settings and without them. The truth is the server's
log: a request is thinking, an answer that asks for a tool is running, the last one ends the turn.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from benchmarks.cases.programs import Case, Stage
from tests.helpers import clients, more_clients
from tests.helpers.clients import ModelServer, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SETTLED: Final = 0.7
"""Seconds after its prompt is shown: then the agent takes keys."""
PAUSE: Final = 0.5
"""Seconds between a text and its Enter: Codex takes what comes sooner for a paste."""

_ENTER: Final = "\r"
_ESCAPE: Final = "\x1b"
_INTERRUPT: Final = "\x03"
YES: Final = "(yes)"
"""Stands in scripts for the agent's key that allows what it asks."""
AGAIN: Final = "(again)"
"""Stands in scripts for the second Escape of an agent that one does not interrupt."""
_DIALOG: Final = r"Do you want to|Would you like to run|Enter to select|Allow execution|Allow once|Approve  |Run shell command"
_LIKE_A_DIALOG: Final = """It asked me this:

Do you want to proceed?
❯ 1. Yes
  2. No

› 1. Yes, proceed (y)
  2. No (esc)

Press enter to confirm or esc to cancel. Would you like to run the following command?"""
_QUESTION: Final = {
    "question": "Which database?", "header": "Database", "multiSelect": False,
    "options": [{"label": "SQLite", "description": "One file"},
                {"label": "Postgres", "description": "A server"}],
}  # fmt: skip


@dataclass(frozen=True)
class Agent:
    """How an agent is started, and how it is asked for a tool that takes long, or for leave."""

    name: str
    prepare: Callable[[Path, Path, int], tuple[str, dict[str, str]]]
    ready: str
    """What its screen shows when it takes keys."""
    sleeps: tuple[str, dict[str, Any]]
    asks: tuple[str, dict[str, Any]]
    fails: tuple[str, dict[str, Any]]
    flags: str = ""
    """What it is started with where hooks are installed."""
    label: str = ""
    """What its cases are called after, if not after its name."""
    found: Callable[[], str | None] | None = None
    """Tells whether it is installed, where its name alone does not."""
    least_tools: int = 2
    """Fewest tools that a request of its main loop offers."""
    yes: str = _ENTER
    """The key that allows what it asks."""
    again: str = ""
    """The second key that interrupts it, if one is not enough."""

    @property
    def is_there(self) -> bool:
        """Whether it is installed."""
        return bool(self.found() if self.found else clients.found(self.name))


CLAUDE: Final = Agent(
    "claude", clients.claude, r"for shortcuts",
    sleeps=("Bash", {"command": "sleep 4", "description": "Wait"}),
    asks=("Bash", {"command": "sleep 2; touch done", "description": "Make it"}),
    fails=("Bash", {"command": "ls /nothing/here", "description": "Look"}),
)  # fmt: skip
CODEX: Final = Agent(
    "codex", clients.codex, r"for shortcuts",
    sleeps=("exec_command", {"cmd": "sleep 4; touch done"}),
    asks=("exec_command", {"cmd": "sleep 2; touch done", "justification": "to make it",
                           "sandbox_permissions": "require_escalated"}),
    fails=("exec_command", {"cmd": "ls /nothing/here"}),
    flags=" --dangerously-bypass-hook-trust",
)  # fmt: skip


NEWEST_CLAUDE: Final = replace(
    CLAUDE, prepare=clients.newest_claude, label="newest claude", found=clients.found_newest_claude
)


def _more(name: str, ready: str, tool: str, **more: Any) -> Agent:
    """Return an agent that has one tool for commands of the shell."""

    def call(command: str) -> tuple[str, dict[str, Any]]:
        given = {"command": command, "description": "Do it", "is_background": False}
        return tool, {"commands": [command]} if tool == "run_commands" else given

    prepare = getattr(more_clients, name)
    return Agent(
        name, prepare, ready, sleeps=call("sleep 4"), asks=call("sleep 2; touch done"),
        fails=call("ls /nothing/here"), **more,
    )  # fmt: skip


GEMINI: Final = _more("gemini", "Type your message", "run_shell_command")
QWEN: Final = _more("qwen", "Type your message", "run_shell_command")
OPENCODE: Final = _more("opencode", "Ask anything", "bash", again=_ESCAPE)
COPILOT: Final = _more("copilot", "/ commands", "bash", again=_ESCAPE)
CLINE: Final = _more("cline", "What can I do for you", "run_commands", yes="y")
AIDER: Final = _more("aider", r"(?m)^(?:diff)?>", "none", least_tools=0)
MORE: Final = (GEMINI, QWEN, OPENCODE, COPILOT, CLINE)
EVERY: Final = (CLAUDE, NEWEST_CLAUDE, CODEX, *MORE, AIDER)


@dataclass(frozen=True)
class Script:
    """What an agent is asked and what its model answers.

    `typed` and `truth` are as in a case.
    """

    name: str
    steps: Callable[[Agent], list[Step]]
    truth: tuple[tuple[float | str, str], ...]
    typed: tuple[tuple[float, str], ...] = ()
    seconds: float = 12.0
    agents: tuple[Agent, ...] = (CLAUDE, NEWEST_CLAUDE, CODEX)


def _asked(at: float, *more: tuple[float, str]) -> tuple[tuple[float, str], ...]:
    return ((at, "please do it"), (at + PAUSE, _ENTER), *more)


_BEGIN: Final = ((SETTLED, "idle"), ("key 1", ""), ("asked 1", "thinking"))
_NEVER: Final = 60.0

SCRIPTS: Final = (
    Script("a plain turn", lambda _: [Step("It is forty-two.", seconds=3)],
           (*_BEGIN, ("answered 1", "success")), _asked(1.5), 9, EVERY),
    Script("two turns", lambda _: [Step("First.", seconds=2), Step("Second.", seconds=2)],
           (*_BEGIN, ("answered 1", "success"), ("key 3", ""), ("asked 2", "thinking"), ("answered 2", "success")),
           (*_asked(1.5), *_asked(6.5)), 13),
    Script("a long tool", lambda agent: [Step("I wait.", (agent.sleeps,), seconds=1.5), Step("Done.", seconds=1.5)],
           (*_BEGIN, ("answered 1", "running"), ("done", ""), ("asked 2", "thinking"), ("answered 2", "success")), _asked(1.5), 14),
    Script("a permission", lambda agent: [Step("I make it.", (agent.asks,), seconds=1.5), Step("Made.", seconds=1.5)],
           (*_BEGIN, ("answered 1", ""), ("shown", "attention"), ("key 3", "running"), ("done", ""), ("asked 2", "thinking"), ("answered 2", "success")),
           _asked(1.5, (7, _ENTER)), 14),
    Script("leave for a tool", lambda agent: [Step("I make it.", (agent.asks,), seconds=1.5), Step("Made.", seconds=1.5)],
           (*_BEGIN, ("answered 1", ""), ("shown", "attention"), ("key 3", "running"), ("done", ""), ("asked 2", "thinking"), ("answered 2", "success")),
           _asked(1.5, (9, YES)), 18, MORE),
    Script("an interruption", lambda _: [Step("never said", seconds=_NEVER)],
           (*_BEGIN, ("key 3", ""), (9, "idle")), _asked(1.5, (7, _ESCAPE), (7.4, AGAIN)), 12, MORE),
    Script("a permission refused", lambda agent: [Step("I make it.", (agent.asks,), seconds=1.5), Step("No?", seconds=1)],
           (*_BEGIN, ("answered 1", ""), ("shown", "attention"), ("key 3", "idle")), _asked(1.5, (7, _ESCAPE)), 11),
    Script("a choice", lambda _: [Step("", (("AskUserQuestion", {"questions": [_QUESTION]}),), seconds=1.5),
                                  Step("Chosen.", seconds=2)],
           (*_BEGIN, ("answered 1", ""), ("shown", "attention"), ("key 3", ""), ("asked 2", "thinking"), ("answered 2", "success")),
           _asked(1.5, (7, "2")), 12, (CLAUDE, NEWEST_CLAUDE)),
    Script("an answer like a dialog", lambda _: [Step(_LIKE_A_DIALOG, seconds=2)],
           (*_BEGIN, ("answered 1", "success")), _asked(1.5), 9, (CLAUDE, NEWEST_CLAUDE, CODEX, *MORE)),
    Script("a tool that fails", lambda agent: [Step("I look.", (agent.fails,), seconds=1.5),
                                               Step("fatal: error: it failed, as it should.", seconds=2)],
           (*_BEGIN, ("answered 1", ""), ("asked 2", "thinking"), ("answered 2", "success")), _asked(1.5), 10),
    Script("the API refuses", lambda _: [Step(error=400, seconds=2) for _ in range(9)],
           (*_BEGIN, ("answered last", "error")), _asked(1.5), 11, EVERY),
    Script("the API is overloaded", lambda _: [Step(error=529, seconds=0.5) for _ in range(12)],
           (*_BEGIN, ("answered last", "error")), _asked(1.5), 18),
    Script("Esc while it thinks", lambda _: [Step("never said", seconds=_NEVER)],
           (*_BEGIN, ("key 3", "idle")), _asked(1.5, (5, _ESCAPE)), 9),
    Script("Esc during a tool", lambda agent: [Step("I wait.", (agent.sleeps,), seconds=1)],
           (*_BEGIN, ("answered 1", "running"), ("key 3", "idle")), _asked(1.5, (5, _ESCAPE)), 9),
    Script("Ctrl-C while it thinks", lambda _: [Step("never said", seconds=_NEVER)],
           (*_BEGIN, ("key 3", "idle")), _asked(1.5, (5, _INTERRUPT)), 9),
)  # fmt: skip


def cases() -> list[Case]:
    """Return each script with each agent that is installed, with hooks and without."""
    return [
        Case(
            f"{agent.label or agent.name}{'' if hooks else ' without hooks'}: {script.name}",
            agent.name,
            script.truth,
            tuple(_typed(script, agent)),
            script.seconds,
            ready=agent.ready,
            shows=_DIALOG,
            set_up=partial(_set_up, script, agent, hooks),
        )
        for agent in EVERY
        if agent.is_there
        for hooks in (True, False)
        for script in SCRIPTS
        if agent in script.agents
    ]


def _typed(script: Script, agent: Agent) -> Iterator[tuple[float, str]]:
    """Yield when which text is typed, in the agent's own keys."""
    keys = {YES: agent.yes, AGAIN: agent.again}
    for at, text in script.typed:
        if key := keys.get(text, text):
            yield at, key


def _set_up(script: Script, agent: Agent, hooks: bool, folder: Path) -> Stage:
    """Give the agent a home and a server of its own."""
    home, work = folder / "home", folder / "work"
    work.mkdir(parents=True)
    server = ModelServer(script.steps(agent), least_tools=agent.least_tools).__enter__()
    command, env = agent.prepare(home, work, server.port)
    env["CLAUDE_CODE_MAX_RETRIES"] = "2"
    if hooks:
        install = [sys.executable, "-P", "-m", "nagomi_tui", "hooks", "install", "--yes"]
        whole = {**os.environ, **env}
        subprocess.run(
            [*install, "--agent", agent.name], env=whole, check=True, capture_output=True
        )
        command += agent.flags
    return Stage(command, env, str(work), server)
