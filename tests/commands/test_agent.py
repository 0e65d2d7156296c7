"""ask, mode and api: by the real agent, against a model server of ours."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.system.outcome import Exit
from tests.helpers.model_server import model_server, says
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from tests.helpers.command import Commands

pytestmark = pytest.mark.slow


def _set(nagomi: Commands, **values: Any) -> None:
    """Write settings by hand, and wait until they hold."""
    folder = nagomi.home / "config"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = folder / "settings.json"
    before = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps(before | values))


def _get(address: str, token: str) -> int:
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as exc:
        exc.close()
        return exc.code
    except OSError:  # it does not listen, or ends while it is asked
        return 0


def test_without_a_workplace_each_says_so(nagomi: Commands) -> None:
    for command in (["ask", "hello"], ["mode"], ["api", "url"], ["api", "off"]):
        assert "is not running" in nagomi.fails(Exit.NOBODY, *command)


@pytest.mark.requirement("MC-3")
def test_the_mode_is_printed_and_changed_step_by_step(nagomi: Commands) -> None:
    nagomi.new("cat")
    told = nagomi.ok("mode")
    assert told.startswith("calm: Answers when it is spoken to, and does no more.")
    assert "12 of 12 requests and 60,000 of 60,000 tokens are left" in told
    assert "Today in all: $0.0000." in told
    assert "reserved" in nagomi.ok("mode", "reserved")
    told = nagomi.json("mode", "autonomous")
    assert (told["mode"], told["loopPaused"]) == ("autonomous", False)
    assert told["description"] == "Fully autonomous — default mode"
    assert [step["name"] for step in told["steps"]][-1] == "mode"
    assert "only calm, reserved, autonomous" in nagomi.fails(Exit.USAGE, "mode", "silent")
    assert nagomi.json("mode", "calm")["mode"] == "calm"


@pytest.mark.requirement("MC-5")
def test_a_question_without_words_or_consent_is_refused(nagomi: Commands) -> None:
    nagomi.new("cat")
    assert "question is required" in nagomi.fails(Exit.USAGE, "ask", " ")
    assert "llm_consent" in nagomi.fails(Exit.FAILED, "ask", "what is going on?")


@pytest.mark.requirement("MC-5")
def test_a_question_is_answered_by_the_model_that_is_set(nagomi: Commands) -> None:
    nagomi.new("cat", name="kettle")
    with model_server() as server:
        _set(
            nagomi,
            llm_consent=True,
            agent_url=server.url,
            agent_key_command="echo a-key-of-tests",
        )
        server.script(*[says("All is quiet.")] * 50)
        until(lambda: nagomi.run("ask", "what", "is going on?").stdout == "All is quiet.\n")
        told = nagomi.json("ask", "and now?")
        assert (told["ok"], told["answer"]) == (True, "All is quiet.")
        assert 0 <= told["contextAge"] < 20
        assert "kettle" in json.dumps(server.asked[-1].body)
        _set(nagomi, llm_consent=False)


@pytest.mark.requirement("MB-16")
def test_http_is_switched_on_and_off_and_asks_for_its_token(nagomi: Commands) -> None:
    nagomi.new("cat")
    assert "nagomi api on" in nagomi.fails(Exit.FAILED, "api", "url")
    base = nagomi.ok("api", "on").strip()
    assert base.startswith("http://127.0.0.1:") and nagomi.ok("api", "url").strip() == base
    token = nagomi.ok("api", "token").strip()
    assert _get(f"{base}/api/sessions", token) == 200
    assert _get(f"{base}/api/sessions", "no" + token) == 401
    file = nagomi.home / "state" / "api.token"
    assert os.stat(file).st_mode & 0o777 == 0o600

    until(lambda: "api" in (nagomi.home / "state" / "agent.needed").read_text())
    nagomi.ok("api", "off")
    until(lambda: _get(f"{base}/api/sessions", token) == 0)
    assert nagomi.ok("api", "on").strip() == base
    nagomi.ok("api", "off")
