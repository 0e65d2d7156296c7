"""What each address answers, on a Unix socket before a real workplace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.helpers.http_api import Served, asked, served
from tests.helpers.waiting import until
from tests.helpers.workplace import workplace

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def api(clean_machine: None) -> Iterator[Served]:
    with workplace(), served(port=None) as found:
        yield found


def _started(api: Served, cmd: str, **more: str) -> str:
    made = api.post("/api/sessions", {"cmd": cmd, "cwd": "/tmp", **more})
    assert made.status == 201, made
    return str(made.json["session_id"])


@pytest.mark.requirement("MC-3")
def test_the_mode_is_told_and_changed_with_its_steps(api: Served) -> None:
    told = api.get("/api/mode")
    assert (told.status, told.headers["content-type"]) == (200, "application/json")
    assert {"mode", "description", "features", "loopPaused", "steps"} <= set(told.json)
    assert told.json["features"]["loop_runs"] is False
    assert (told.json["mode"], told.json["loopPaused"]) == ("calm", True)
    changed = api.post("/api/mode", {"mode": "reserved"})
    assert (changed.status, changed.json["mode"]) == (200, "reserved")
    assert changed.json["steps"] == [{"name": "mode", "ok": True, "text": "It was calm."}]
    assert api.get("/api/mode").json["loopPaused"] is False


@pytest.mark.parametrize("body", [{"mode": "silent"}, {}, {"mode": 3}, {"mode": ""}, [], None])
@pytest.mark.requirement("MC-3")
def test_another_mode_is_refused_with_those_there_are(api: Served, body: object) -> None:
    refused = api.post("/api/mode", body)
    assert refused.status == 400
    assert refused.error == "Invalid mode. Valid: calm, reserved, autonomous"


@pytest.mark.requirement("MC-5")
def test_a_question_is_answered(api: Served) -> None:
    answered = api.post("/api/ask", {"question": "what is going on?"})
    assert answered.status == 200
    told = {"ok": True, "answer": "what is going on?!", "contextAge": 0.5, "notes": []}
    assert answered.json == told


@pytest.mark.parametrize("body", [{}, {"question": ""}, {"question": " \n"}, {"question": 5}, None])
@pytest.mark.requirement("MC-5")
def test_no_question_is_refused(api: Served, body: object) -> None:
    refused = api.post("/api/ask", body)
    assert (refused.status, refused.error) == (400, "question is required")


@pytest.mark.requirement("MC-5")
def test_an_ask_that_failed_says_why(api: Served) -> None:
    failed = api.post("/api/ask", {"question": "why"})
    assert (failed.status, failed.error) == (500, "Ask failed")
    assert failed.json["reason"] == "The model's key is missing."


def test_a_session_is_started_talked_with_read_and_stopped(api: Served) -> None:
    made = _started(api, "cat", name="talk")
    assert made in [one["session_id"] for one in api.get("/api/sessions").json["sessions"]]
    assert api.get("/api/sessions/talk").json["session"]["cmd"] == "cat"
    assert api.post(f"/api/sessions/{made}/input", {"text": "日本語"}).json["name"] == "talk"
    until(lambda: api.get("/api/sessions/talk/screen").json["text"].count("日本語") == 2)
    assert api.post("/api/sessions/talk/keys", {"keys": ["a", "Enter"]}).status == 200
    until(lambda: "\na\na" in api.get("/api/sessions/talk/history?ansi=true").json["text"])
    assert api.get("/api/sessions/talk/why").json["session"] == made
    assert api.post("/api/sessions/talk/stop").status == 200
    until(lambda: api.get("/api/sessions/talk").json["session"]["state"] == "exited")
    assert api.post("/api/sessions/talk/input", {"text": "x"}).status == 409
    assert api.post("/api/sessions/talk/restart", {"fresh": True}).json["resumed"] is False


def test_a_question_of_a_session_is_answered_and_told_as_next(api: Served) -> None:
    made = _started(api, "bash -c 'read -p \"Go on? [y/N] \" x; echo got $x; exec cat'")
    until(lambda: (api.get("/api/next").json["session"] or {}).get("session_id") == made)
    answered = api.post(f"/api/sessions/{made}/answer", {"choice": "y"})
    assert (answered.status, answered.json["choice"]["key"]) == (200, "y")
    until(lambda: "got y" in api.get(f"/api/sessions/{made}/screen").json["text"])


def test_what_was_printed_is_found(api: Served) -> None:
    _started(api, "sh -c 'echo password=hunter22; exec cat'", name="secretive")
    found = until(lambda: api.get("/api/history?q=PASSWORD&session=secretive").json["lines"])
    assert [line["line"] for line in found] == ["password=***REDACTED***"]
    assert api.get("/api/history?q=password&since=99999999999").json["lines"] == []


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/sessions/nobody", 404),
        ("/api/sessions/nobody/screen", 404),
        ("/api/nothing", 404),
        ("/api/sessions/", 404),
        ("/api/history?limit=0", 422),
        ("/api/history?limit=many", 400),
        ("/api/history?limit=1&limit=2", 400),
        ("/api/history?colour=red", 400),
        ("/api/mode?x=1", 400),
        ("/api/ask", 405),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(api: Served, path: str, status: int) -> None:
    refused = api.get(path)
    assert refused.status == status
    assert refused.error.strip() and refused.json["code"]
    if status == 405:
        assert refused.headers["allow"] == "POST"


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "POST"])
def test_a_method_that_an_address_lacks_is_named_with_those_it_has(
    api: Served, method: str
) -> None:
    refused = asked(api.unix(), method, "/api/next", headers={})
    assert (refused.status, set(refused.headers["allow"].split(", "))) == (405, {"GET", "HEAD"})
    assert method in refused.error


def test_where_it_is_served_is_told(api: Served) -> None:
    told = api.get("/api").json
    assert (told["base"], told["fault"]) == ("", "")
    document = api.get("/api/openapi.json").json
    assert document["openapi"].startswith("3.1")
    assert {"/api/ask", "/api/events", "/api/sessions/{session}/why"} <= set(document["paths"])
