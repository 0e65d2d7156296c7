"""The real Claude Code and Codex from npm, talking to a model server of ours on this machine.

`.ci/run` installs them in folders outside the tree and names them in `NAGOMI_TEST_CLIENTS` and,
for the newest Claude Code, `NAGOMI_TEST_CLAUDE_NEW`; tests that need one are skipped where there
is none.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.helpers.client_answers import Step as Step
from tests.helpers.client_answers import api_of, fault, stream, tool_count, whole

if TYPE_CHECKING:
    from pathlib import Path

FOLDER: Final = "NAGOMI_TEST_CLIENTS"
"""Names the folder that holds the clients' programs, such as `…/node_modules/.bin`."""

NEW_CLAUDE: Final = "NAGOMI_TEST_CLAUDE_NEW"
"""Names the folder that holds the newest Claude Code, which npm takes only with Node 22."""

NODE: Final = "NAGOMI_TEST_NODE"
"""Names the folder of such a Node, where it is not the first on PATH anyway."""

KEY: Final = "sk-ant-fake-key-for-local-tests-0000000000"

AGENTS: Final = "NAGOMI_TEST_AGENTS"
"""Names the folders of other agents' programs, with colons between; they need such a Node, too."""

_SUGGESTS: Final = "Reply with ONLY the suggestion"
"""What an agent asks for beside its main loop, with all of its tools."""

_PLACE, _NEW_PLACE, _NODE_PLACE, _AGENTS_PLACE = (
    os.environ.get(name, "") for name in (FOLDER, NEW_CLAUDE, NODE, AGENTS)
)
"""Read at once, since tests run without the developer's environment."""

_QUIET: Final = {
    name: "1"
    for name in (
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL",
        "DISABLE_AUTOUPDATER", "DISABLE_BUG_COMMAND", "DISABLE_ERROR_REPORTING", "DISABLE_GROWTHBOOK",
        "DISABLE_INSTALLATION_CHECKS", "DISABLE_TELEMETRY", "DO_NOT_TRACK",
    )
}  # fmt: skip


def found(name: str) -> str | None:
    """Return the path of a client, or None where it is not installed."""
    places = os.pathsep.join(filter(None, (_PLACE, _AGENTS_PLACE)))
    return shutil.which(name, path=places) if places else shutil.which(name)


def with_node(env: dict[str, str]) -> dict[str, str]:
    """Return an environment in which the agent finds the Node of the tests."""
    return {**env, "PATH": os.pathsep.join(filter(None, (_NODE_PLACE, os.environ["PATH"])))}


def program(name: str) -> str:
    """Return the path of a client, or skip the test that needs it."""
    path = found(name)
    if not path:
        pytest.skip(f"{name} is not installed; {FOLDER} or {AGENTS} may name its folder")
    return path


@dataclass
class ModelServer:
    """Answers the main loop's requests with one step after the other, then with `over`.

    It speaks the Messages, Responses, chat completions and Gemini's API. Side requests, such as for
    the session's title, are answered with `side`: those with less than `least_tools`.
    """

    steps: list[Step] = field(default_factory=list)
    over: Step = field(default_factory=lambda: Step("That was all."))
    side: Step = field(default_factory=lambda: Step("ok"))
    least_tools: int = 2
    requests: list[dict[str, Any]] = field(default_factory=list)
    """Bodies of the main loop's requests, those that could be read."""
    moments: list[tuple[float, str]] = field(default_factory=list)
    """When the main loop `asked` and was `answered`, by the monotonic clock."""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def port(self) -> int:
        """Port on 127.0.0.1."""
        return int(self._server.server_address[1])

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        for step in self.steps:
            if step.gate:
                step.gate.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def next(self, body: dict[str, Any]) -> Step:
        """Return the answer to a request; the main loop's are those with tools."""
        if tool_count(body) < self.least_tools or _SUGGESTS in json.dumps(body)[-4000:]:
            return self.side
        with self._lock:
            self.requests.append(body)
            self.moments.append((time.monotonic(), "asked"))
            return self.steps.pop(0) if self.steps else self.over


def claude(home: Path, cwd: Path, port: int) -> tuple[str, dict[str, str]]:
    """Return the command and environment of a Claude Code that asks only our server."""
    path = program("claude")
    return path, _claude_env(home, cwd, port)


def found_newest_claude() -> str | None:
    """Return the path of the newest Claude Code, or None where it is not installed."""
    return shutil.which("claude", path=_NEW_PLACE) if _NEW_PLACE else None


def newest_claude(home: Path, cwd: Path, port: int) -> tuple[str, dict[str, str]]:
    """Return the same of the newest Claude Code, which asks for permission only if it is told to."""
    path = found_newest_claude()
    if path is None:
        pytest.skip(f"the newest claude is not installed; {NEW_CLAUDE} may name its folder")
    env = _claude_env(home, cwd, port)
    return f"{path} --permission-mode default", with_node(env)


def _claude_env(home: Path, cwd: Path, port: int) -> dict[str, str]:
    home.mkdir(parents=True, exist_ok=True)
    settings = {
        "hasCompletedOnboarding": True,
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
        "projects": {str(cwd): {"hasTrustDialogAccepted": True, "projectOnboardingSeenCount": 4}},
        "numStartups": 20,
        "officialMarketplaceAutoInstallAttempted": True,
    }
    (home / ".claude.json").write_text(json.dumps(settings))
    return {
        "HOME": str(home),
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "ANTHROPIC_API_KEY": KEY,
        **_QUIET,
    }


def codex(home: Path, cwd: Path, port: int) -> tuple[str, dict[str, str]]:
    """Return the command and environment of a Codex that asks only our server."""
    path = program("codex")
    folder = home / ".codex"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(
        'model = "gpt-5"\nmodel_provider = "ours"\ncheck_for_update_on_startup = false\n'
        "[analytics]\nenabled = false\n[feedback]\nenabled = false\n"
        f'[model_providers.ours]\nname = "ours"\nbase_url = "http://127.0.0.1:{port}/v1"\n'
        'wire_api = "responses"\nenv_key = "OUR_KEY"\nrequest_max_retries = 1\n'
        f'stream_max_retries = 1\n[projects."{cwd}"]\ntrust_level = "trusted"\n'
    )
    env = {"HOME": str(home), "CODEX_HOME": str(folder), "OUR_KEY": "sk-fake", "DO_NOT_TRACK": "1"}
    # Its background service would outlive the test.
    return f"{path} --no-daemon", with_node(env)


def _handler_for(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._whole(200, {})

        def do_GET(self) -> None:
            self._whole(200, {"data": [], "has_more": False})

        def do_POST(self) -> None:
            body = _decoded(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
            path = self.path.partition("?")[0]
            if path.endswith("/count_tokens"):
                self._whole(200, {"input_tokens": 1200})
            elif path.endswith(":countTokens"):
                self._whole(200, {"totalTokens": 1200})
            elif api := api_of(path):
                # An agent that was broken off does not wait for its answer.
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    self._answer(body, api, path)
            else:
                self._whole(404, {"type": "error", "error": {"type": "not_found_error"}})

        def _answer(self, body: dict[str, Any], api: str, path: str) -> None:
            step = server.next(body)
            time.sleep(step.seconds)
            if step.gate is not None:
                step.gate.wait(60)
            self._tell(step, body, api, path)
            if step is not server.side:
                server.moments.append((time.monotonic(), "answered"))

        def _tell(self, step: Step, body: dict[str, Any], api: str, path: str) -> None:
            if step.error:
                self._whole(step.error, fault(api, step.error))
                return
            model = str(body.get("model", ""))
            streamed = "stream" in path if api == "gemini" else body.get("stream")
            if api != "responses" and not streamed:
                self._whole(200, whole(api, step, model))
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            for event in stream(api, step, model):
                self.wfile.write(event.encode())
                self.wfile.flush()
            self.close_connection = True

        def _whole(self, status: int, value: dict[str, Any]) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def log_message(self, format: str, *values: object) -> None:
            """Say nothing."""

    return Handler


def _decoded(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data or b"{}")
    except ValueError:
        return {"tools": ["unread", "unread"]}
    return found if isinstance(found, dict) else {}
