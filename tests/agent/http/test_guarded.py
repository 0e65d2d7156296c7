"""Whoever asks over HTTP, with the token or on the Unix socket, lifts no guard (DB-5)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.guard.decide.documents import Mode, State
from nagomi_tui.guard.files.state import read_state
from tests.helpers.http_api import Served, served
from tests.helpers.waiting import until
from tests.helpers.workplace import workplace
from tests.orchestrator.test_guard import guarded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nagomi_tui.guard.files.project import Project


@pytest.fixture(scope="module")
def api(clean_machine: None) -> Iterator[Served]:
    with workplace(), served() as found:
        yield found


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return guarded(tmp_path_factory.mktemp("guarded") / "p", State())


@pytest.fixture(scope="module")
def session(api: Served, project: Project) -> str:
    """A session in which `cat` runs under an agent's name, in discussion."""
    made = api.post("/api/sessions", {"cmd": "./claude", "cwd": str(project.root)})
    name = str(made.json["session_id"])
    until(lambda: api.get(f"/api/sessions/{name}").json["session"]["guard"])
    return name


@pytest.mark.parametrize("by_tcp", [True, False])
@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("input", {"text": "yert"}),
        ("input", {"text": "yert", "force": True}),
        ("input", {"text": "ye", "enter": False}),
        ("input", {"text": "!touch x"}),
        ("keys", {"keys": ["y", "e", "r", "t", "Enter"]}),
        ("answer", {"choice": "y"}),
        ("answer", {"text": "yert"}),
    ],
)
@pytest.mark.requirement("DB-5")
def test_nobody_elevates_over_http(
    api: Served, session: str, project: Project, action: str, body: dict[str, Any], by_tcp: bool
) -> None:
    path = f"/api/sessions/{session}/{action}"
    if by_tcp:
        refused = api.by_tcp("POST", path, json.dumps(body).encode())
    else:
        refused = api.post(path, body)
    assert 400 <= refused.status < 500, refused
    assert read_state(project).state.mode is Mode.DISCUSSION
    assert "yert" not in api.get(f"/api/sessions/{session}/screen").json["text"]


@pytest.mark.parametrize("name", ["approve", "guard", "guard/approve", "guard/mode"])
@pytest.mark.requirement("DB-5")
def test_no_address_approves(api: Served, session: str, name: str) -> None:
    body = json.dumps({"todos": ["write"], "mode": "implementation"}).encode()
    assert api.by_tcp("POST", f"/api/sessions/{session}/{name}", body).status == 404


@pytest.mark.requirement("DB-5")
def test_a_session_begun_over_http_is_a_program_s(api: Served, tmp_path: Path) -> None:
    made = api.post("/api/sessions", {"cmd": "cat", "cwd": str(tmp_path)}).json["session_id"]
    assert api.get(f"/api/sessions/{made}").json["session"]["by_program"]
