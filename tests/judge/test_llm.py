"""The program that asks a model: whatever a server does, it ends with an answer or a fault."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.agent import judge_question
from tests.helpers.llm_server import LlmServer, fails, llm_server, says, sends, waits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.helpers.llm_server import Handler


@pytest.fixture(scope="module")
def server() -> Iterator[LlmServer]:
    with llm_server() as serving:
        yield serving


def asked(url: str, **changed: object) -> judge_question.Asked:
    values = {"model": "m", "key": "a-key", "timeout": 20.0, "system": "s", "content": "c"}
    return judge_question.Asked(url=url, **(values | changed))  # type: ignore[arg-type]


@pytest.mark.requirement("N-80", "F-20")
def test_a_question_goes_by_the_messages_api(server: LlmServer) -> None:
    server.way = says("an answer")
    assert judge_question.ask(asked(server.url)) == "an answer"
    path, headers, body = server.asked[-1]
    assert path == "/v1/messages" and "a-key" in str(headers)
    assert (body["model"], body["system"]) == ("m", "s")
    assert body["messages"] == [{"role": "user", "content": "c"}]


def refuses_above(most: int, way: Callable[[Handler], None]) -> Callable[[Handler], None]:
    """A server whose model takes so many characters of a question."""

    def answer(handler: Handler) -> None:
        content = handler.server.asked[-1][2]["messages"][0]["content"]
        if len(content) <= most:
            way(handler)
        else:
            error = {
                "type": "invalid_request_error",
                "message": "prompt is too long: 9 > 1 maximum",
            }
            handler.reply(400, json.dumps({"type": "error", "error": error}).encode())

    return answer


@pytest.mark.requirement("F-15", "SB-7")
def test_a_log_that_is_too_long_for_the_model_goes_again_with_its_newest_lines(
    server: LlmServer,
) -> None:
    content = json.dumps(
        {"cmd": "make", "log": [f"line {number} of many" for number in range(120)]}
    )
    before = len(server.asked)
    server.way = refuses_above(int(len(content) * 0.7), says("an answer"))
    assert judge_question.ask(asked(server.url, content=content)) == "an answer"
    sent = [json.loads(body["messages"][0]["content"]) for _, _, body in server.asked[before:]]
    assert len(sent) == 3 and all(one["cmd"] == "make" for one in sent)
    assert [one["log"][-1] for one in sent] == ["line 119 of many"] * 3
    server.way = refuses_above(0, says("never"))
    with pytest.raises(judge_question._Fault, match="HTTP 400"):
        judge_question.ask(asked(server.url, content=content))


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
@pytest.mark.requirement("N-84")
def test_what_a_server_does_wrong_is_a_fault(
    server: LlmServer, way: Callable[[Handler], None], fault: str
) -> None:
    server.way = way
    before = len(server.asked)
    with pytest.raises(judge_question._Fault, match=fault):
        judge_question.ask(asked(server.url))
    assert len(server.asked) == before + 1


@pytest.mark.requirement("N-84")
def test_a_silent_server_and_none_at_all_are_faults(server: LlmServer) -> None:
    server.way = waits(server)
    with pytest.raises(judge_question._Fault, match="no answer in time"):
        judge_question.ask(asked(server.url, timeout=0.3))
    with pytest.raises(judge_question._Fault, match="no connection"):
        judge_question.ask(asked("http://127.0.0.1:1"))


@pytest.mark.requirement("N-80")
def test_the_program_reads_one_question_and_writes_one_answer(server: LlmServer) -> None:
    server.way = says("日本語")
    question = json.dumps({"url": server.url, "model": "m", "key": "", "timeout": 90,
                           "system": "s", "content": "c"})  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-P", "-m", "nagomi_tui.agent.judge_question"],
        input=question.encode(), capture_output=True, timeout=100, env=dict(os.environ),
    )  # fmt: skip
    assert json.loads(done.stdout) == {"text": "日本語"} and not done.stderr
