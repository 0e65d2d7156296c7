"""What a real model answers to questions about a room of six sessions, for a person to read.

`python -m benchmarks answers url=http://127.0.0.1:8000/v1 model=NAME` with a server that speaks chat
completions, such as `python -m llama_cpp.server --model FILE.gguf --n_ctx 8192`. Room and questions
are those of the test that looks at what such requests hold.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from nagomi_tui.api import messages
from tests.agent.resident.test_questions import PROGRAMS, QUESTIONS
from tests.helpers.repository import repository
from tests.helpers.workplace import create, until, workplace

_SECONDS = 300
_WAYS = {"chat": ["chat", "-p"], "ask": ["ask"]}


def main(arguments: list[str]) -> None:
    """Run `answers url=URL model=NAME [window=8000] [ways=ask,chat] [most=20]`, and print Markdown."""
    options = dict(one.split("=", 1) for one in arguments)
    if "url" not in options:
        print("answers: not asked, it takes the url= of a model's server and its model=")
        return
    values = {
        "llm_consent": True, "agent_provider": "openai", "agent_url": options["url"],
        "agent_model": options.get("model", "local"),
        "agent_context_limit": int(options.get("window", "8000")),
    }  # fmt: skip
    questions = QUESTIONS[: int(options.get("most", len(QUESTIONS)))]
    with tempfile.TemporaryDirectory() as folder, workplace() as place, place.connect() as found:
        found.request(messages.Settings(id=0, values=values))
        here = repository(Path(folder) / "kotatsu", **{"heater.py": "HOURS = 1\n"})
        (here / "heater.py").write_text("HOURS = 2\n")
        for name, command in PROGRAMS.items():
            create(found, command, name=name, cwd=str(here))
        until(lambda: _calls(found.request(messages.ListSessions(id=0))) == 3)
        env = {**os.environ, "NAGOMI_HOME": str(place.home)}
        for way in options.get("ways", "ask,chat").split(","):
            for asked in questions:
                for language, question in zip(("en", "ja"), asked[:2], strict=True):
                    _tell(way, question, {**env, "NAGOMI_LANG": language})


def _calls(told: messages.SessionList) -> int:
    return sum(one.phase in ("attention", "error") for one in told.sessions)


def _tell(way: str, question: str, env: dict[str, str]) -> None:
    argv = [sys.executable, "-m", "nagomi_tui", *_WAYS[way], question]
    began = time.monotonic()
    try:
        done = subprocess.run(
            argv, env=env, capture_output=True, text=True, timeout=_SECONDS, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        said, code = f"{done.stdout}{done.stderr}".strip(), str(done.returncode)
    except subprocess.TimeoutExpired:
        said, code = "", "none in time"
    took = time.monotonic() - began
    answer = "\n".join(f"> {line}" for line in said.splitlines())
    print(f"**{way}: {question}** ({took:.0f} s, exit code {code})\n\n{answer}\n", flush=True)
