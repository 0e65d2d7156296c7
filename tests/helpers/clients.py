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
import uuid
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from pathlib import Path

FOLDER: Final = "NAGOMI_TEST_CLIENTS"
"""Names the folder that holds the clients' programs, such as `…/node_modules/.bin`."""

NEW_CLAUDE: Final = "NAGOMI_TEST_CLAUDE_NEW"
"""Names the folder that holds the newest Claude Code, which npm takes only with Node 22."""

NODE: Final = "NAGOMI_TEST_NODE"
"""Names the folder of such a Node, where it is not the first on PATH anyway."""

_PLACE, _NEW_PLACE, _NODE_PLACE = (os.environ.get(name, "") for name in (FOLDER, NEW_CLAUDE, NODE))
"""Read at once, since tests run without the developer's environment."""

KEY: Final = "sk-ant-fake-key-for-local-tests-0000000000"

_QUIET: Final = {
    name: "1"
    for name in (
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL",
        "DISABLE_AUTOUPDATER", "DISABLE_BUG_COMMAND", "DISABLE_ERROR_REPORTING", "DISABLE_GROWTHBOOK",
        "DISABLE_INSTALLATION_CHECKS", "DISABLE_TELEMETRY", "DO_NOT_TRACK",
    )
}  # fmt: skip
_USAGE: Final = {"input_tokens": 1200, "output_tokens": 80}


def found(name: str) -> str | None:
    """Return the path of a client, or None where it is not installed."""
    return shutil.which(name, path=_PLACE) if _PLACE else shutil.which(name)


def program(name: str) -> str:
    """Return the path of a client, or skip the test that needs it."""
    path = found(name)
    if not path:
        pytest.skip(f"{name} is not installed; {FOLDER} may name the folder that holds it")
    return path


@dataclass(frozen=True)
class Step:
    """One answer of the model: words, then the tools that it asks for.

    The answer waits for `seconds` and for `gate`, and `error` is an HTTP status that is answered
    instead.
    """

    text: str = ""
    tools: tuple[tuple[str, dict[str, Any]], ...] = ()
    gate: threading.Event | None = None
    error: int = 0
    seconds: float = 0.0


@dataclass
class ModelServer:
    """Answers the main loop's requests with one step after the other, then with `over`.

    It speaks the Messages API and the Responses API, both streaming. Side requests, such as for
    the session's title, are answered with `side`.
    """

    steps: list[Step] = field(default_factory=list)
    over: Step = field(default_factory=lambda: Step("That was all."))
    side: Step = field(default_factory=lambda: Step("ok"))
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
        if len(body.get("tools", ())) < 2:
            return self.side
        with self._lock:
            self.requests.append(body)
            self.moments.append((time.monotonic(), "asked"))
            return self.steps.pop(0) if self.steps else self.over


def claude(home: Path, cwd: Path, port: int) -> tuple[str, dict[str, str]]:
    """Return the command and environment of a Claude Code that asks only our server."""
    path = program("claude")
    return path, _claude_env(home, cwd, port)


def newest_claude(home: Path, cwd: Path, port: int) -> tuple[str, dict[str, str]]:
    """Return the same of the newest Claude Code, which asks for permission only if it is told to."""
    path = shutil.which("claude", path=_NEW_PLACE) if _NEW_PLACE else None
    if path is None:
        pytest.skip(f"the newest claude is not installed; {NEW_CLAUDE} may name its folder")
    env = _claude_env(home, cwd, port)
    return f"{path} --permission-mode default", {
        **env,
        "PATH": os.pathsep.join(filter(None, (_NODE_PLACE, os.environ["PATH"]))),
    }


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
    return f"{path} --no-daemon", env


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
            elif path.endswith(("/messages", "/responses")):
                # An agent that was broken off does not wait for its answer.
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    self._answer(body, path.endswith("/messages"))
            else:
                self._whole(404, {"type": "error", "error": {"type": "not_found_error"}})

        def _answer(self, body: dict[str, Any], messages: bool) -> None:
            step = server.next(body)
            time.sleep(step.seconds)
            if step.gate is not None:
                step.gate.wait(60)
            self._tell(step, body, messages)
            if step is not server.side:
                server.moments.append((time.monotonic(), "answered"))

        def _tell(self, step: Step, body: dict[str, Any], messages: bool) -> None:
            if step.error:
                fault = {"type": "api_error", "message": "refused by the test"}
                self._whole(step.error, {"type": "error", "error": fault})
                return
            model = str(body.get("model", ""))
            if messages and not body.get("stream"):
                self._whole(
                    200, {**_message(model), "content": _blocks(step), "stop_reason": _stop(step)}
                )
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            for event in (
                _messages_events(step, model) if messages else _responses_events(step, model)
            ):
                line = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
                self.wfile.write(line.encode())
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


# --- the Messages API


def _blocks(step: Step) -> list[dict[str, Any]]:
    said = [{"type": "text", "text": step.text}] if step.text else []
    return said + [
        {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:16]}", "name": name, "input": given}
        for name, given in step.tools
    ]


def _stop(step: Step) -> str:
    return "tool_use" if step.tools else "end_turn"


def _message(model: str) -> dict[str, Any]:
    return {
        "id": f"msg_{uuid.uuid4().hex[:16]}", "type": "message", "role": "assistant", "model": model,
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": _USAGE,
    }  # fmt: skip


def _messages_events(step: Step, model: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [{"type": "message_start", "message": _message(model)}]
    for at, block in enumerate(_blocks(step)):
        if block["type"] == "text":
            start, delta = (
                {"type": "text", "text": ""},
                {"type": "text_delta", "text": block["text"]},
            )
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": at, "content_block": start},
            {"type": "content_block_delta", "index": at, "delta": delta},
            {"type": "content_block_stop", "index": at},
        ]
    ended = {"stop_reason": _stop(step), "stop_sequence": None}
    events.append({"type": "message_delta", "delta": ended, "usage": {"output_tokens": 80}})
    return [*events, {"type": "message_stop"}]


# --- the Responses API


def _items(step: Step) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if step.text:
        content = [{"type": "output_text", "text": step.text, "annotations": []}]
        items.append({
            "type": "message", "id": f"msg_{uuid.uuid4().hex[:12]}", "role": "assistant",
            "status": "completed", "content": content,
        })  # fmt: skip
    for name, given in step.tools:
        items.append({
            "type": "function_call", "id": f"fc_{uuid.uuid4().hex[:12]}", "name": name,
            "call_id": f"call_{uuid.uuid4().hex[:12]}", "arguments": json.dumps(given),
            "status": "completed",
        })  # fmt: skip
    return items


def _responses_events(step: Step, model: str) -> list[dict[str, Any]]:
    items = _items(step)
    base = {
        "id": f"resp_{uuid.uuid4().hex[:16]}", "object": "response", "created_at": 0, "model": model,
        "output": [], "usage": None, "status": "in_progress",
    }  # fmt: skip
    usage = {
        **_USAGE, "total_tokens": sum(_USAGE.values()),
        "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip
    events: list[dict[str, Any]] = [{"type": "response.created", "response": base}]
    for at, item in enumerate(items):
        events.append({"type": "response.output_item.added", "output_index": at, "item": item})
        if item["type"] == "message":
            events.append({
                "type": "response.output_text.delta", "item_id": item["id"], "output_index": at,
                "content_index": 0, "delta": step.text,
            })  # fmt: skip
        events.append({"type": "response.output_item.done", "output_index": at, "item": item})
    done = {**base, "status": "completed", "output": items, "usage": usage}
    return [*events, {"type": "response.completed", "response": done}]
