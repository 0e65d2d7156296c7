"""The judge's program asks by chat completions, too, as local servers speak them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.agent import judge_question
from tests.helpers.model_server import ModelServer, fails, model_server, says, sends

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.helpers.model_script import Step


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as serving:
        yield serving


def asked(server: ModelServer) -> judge_question.Asked:
    return judge_question.Asked(
        provider="openai", url=server.chat_url, model="mame", key="a-key", timeout=20.0,
        system="s", content="c",
    )  # fmt: skip


@pytest.mark.requirement("F-15")
def test_a_question_goes_by_chat_completions_unstreamed(server: ModelServer) -> None:
    server.script(says("日本語"))
    assert judge_question.ask(asked(server)) == "日本語"
    (seen,) = server.asked
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == "Bearer a-key"
    assert seen.messages == [
        {"role": "system", "content": "s"}, {"role": "user", "content": "c"},
    ]  # fmt: skip
    assert (seen.body["model"], seen.body["max_tokens"]) == ("mame", 2000)
    assert not seen.body.get("stream")


@pytest.mark.parametrize(
    ("step", "fault"),
    [
        (fails(401, "invalid_request_error", code="invalid_api_key"), judge_question.WRONG_KEY),
        (fails(529), "HTTP 529"),
        (sends(b"", 307, location="http://127.0.0.1:1/"), "HTTP 307"),
        (sends(b'{"choices": []}'), "garbled"),
        (sends(b'{"choices": [{"message": "none"}]}'), "garbled"),
        (sends(b'{"choices": "' + b"x" * 10_000_000 + b'"}'), "too long"),
        (says("no", stop_reason="refusal"), "refused"),
        (says("{", stop_reason="max_tokens"), "cut off"),
    ],
    ids=["key", "overloaded", "elsewhere", "empty", "other", "long", "refused", "cut"],
)
@pytest.mark.requirement("F-15")
def test_what_such_a_server_does_wrong_is_a_fault(
    server: ModelServer, step: Step, fault: str
) -> None:
    server.otherwise = step
    with pytest.raises(judge_question._Fault, match=fault):
        judge_question.ask(asked(server))
    assert len(server.asked) == 1
