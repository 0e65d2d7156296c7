"""The program that asks a model: whatever a server does, it ends with an answer or a fault."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.judging import llm
from tests.helpers.llm_server import LlmServer, fails, llm_server, says, sends, waits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.helpers.llm_server import Handler


@pytest.fixture(scope="module")
def server() -> Iterator[LlmServer]:
    with llm_server() as serving:
        yield serving


def asked(url: str, **changed: object) -> llm.Asked:
    values = {"model": "m", "key": "a-key", "timeout": 20.0, "system": "s", "content": "c"}
    return llm.Asked(url=url, **(values | changed))  # type: ignore[arg-type]


def test_n80_f20_a_question_goes_by_the_messages_api(server: LlmServer) -> None:
    server.way = says("an answer")
    assert llm.ask(asked(server.url)) == "an answer"
    path, headers, body = server.asked[-1]
    assert path == "/v1/messages" and "a-key" in str(headers)
    assert (body["model"], body["system"]) == ("m", "s")
    assert body["messages"] == [{"role": "user", "content": "c"}]


BIG = b'{"content": [{"type": "text", "text": "' + b"x" * 10_000_000 + b'"}]}'


@pytest.mark.parametrize(
    ("way", "fault"),
    [
        *((fails(code), f"HTTP {code}") for code in (400, 401, 403, 404, 429, 500, 529)),
        (sends(b"<html>no</html>"), "garbled"),
        (sends(b""), "garbled"),
        (sends(b'{"more":' + b"[" * 100_000), "garbled"),
        (sends(b"\xff\xfe{"), "garbled"),
        (sends(b'{"content": "none"}'), "garbled"),
        (sends(BIG), "too long"),
        (sends(gzip.compress(BIG), **{"Content-Encoding": "gzip"}), "too long"),
        (sends(b"", 302, Location="http://127.0.0.1:1/"), "HTTP 302"),
        (says("no", stop_reason="refusal"), "refused"),
        (says("{", stop_reason="max_tokens"), "cut off"),
        (lambda handler: handler.connection.close(), "no connection"),
    ],
)
def test_n84_what_a_server_does_wrong_is_a_fault(
    server: LlmServer, way: Callable[[Handler], None], fault: str
) -> None:
    server.way = way
    before = len(server.asked)
    with pytest.raises(llm._Fault, match=fault):
        llm.ask(asked(server.url))
    assert len(server.asked) == before + 1


def test_n84_a_silent_server_and_none_at_all_are_faults(server: LlmServer) -> None:
    server.way = waits(server)
    with pytest.raises(llm._Fault, match="no answer in time"):
        llm.ask(asked(server.url, timeout=0.3))
    with pytest.raises(llm._Fault, match="no connection"):
        llm.ask(asked("http://127.0.0.1:1"))


def test_n80_the_program_reads_one_question_and_writes_one_answer(server: LlmServer) -> None:
    server.way = says("日本語")
    question = json.dumps({"url": server.url, "model": "m", "key": "", "timeout": 20,
                           "system": "s", "content": "c"})  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-P", "-m", "nagomi_tui.judging.llm"],
        input=question.encode(), capture_output=True, timeout=60, env=dict(os.environ),
    )  # fmt: skip
    assert json.loads(done.stdout) == {"text": "日本語"} and not done.stderr
