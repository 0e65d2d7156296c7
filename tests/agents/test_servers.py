"""`nagomi mcp` among the MCP servers of an agent: beside all others, and out without a trace."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.agents.hooks import files
from nagomi_tui.agents.hooks.formats import Unfit
from nagomi_tui.agents.hooks.mcp_servers import AGENTS

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agents.hooks.mcp_servers import ServedAgent

JSON, TOML = AGENTS["claude"], AGENTS["codex"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own."""
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path / "nagomi"))
    for agent in (JSON, TOML):
        monkeypatch.setenv(agent.facts.home_variable, str(tmp_path))
    return tmp_path


def servers(agent: ServedAgent) -> dict[str, Any]:
    text = agent.path(project=False).read_text("utf-8-sig")
    top = tomllib.loads(text) if agent is TOML else json.loads(text)
    found: dict[str, Any] = top[agent.facts.table]
    return found


def install(agent: ServedAgent) -> None:
    files.carry_out(files.install(agent, project=False))


def remove(agent: ServedAgent) -> None:
    files.carry_out(files.remove(agent, project=False))


OTHERS = '{"numStartups": 3, "mcpServers": {"db": {"command": "db", "args": []}}, "z": 1}'
CODEX = """\
model = "o"  # mine

[mcp_servers.db]
command = "db"

[projects."/a"]
trust_level = "trusted"
"""


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        *((JSON, text) for text in (
            None, "", "{}", '{"mcpServers": {}}', OTHERS, '{\n\t"a": 1,\n\t"mcpServers": {\n\t}\n}\n',
        )),
        *((TOML, text) for text in (
            None, "", "a = 1", CODEX, CODEX.replace("\n", "\r\n"), CODEX + "\n\n",
        )),
    ],
)  # fmt: skip
def test_in_and_out_leaves_not_a_byte(agent: ServedAgent, text: str | None) -> None:
    path = agent.path(project=False)
    if text is not None:
        path.write_bytes(text.encode())
    install(agent)
    assert servers(agent)["nagomi"] == agent.content.entry
    assert files.status(agent, project=False) == "installed"
    assert files.install(agent, project=False).is_none
    remove(agent)
    assert (path.read_bytes().decode() if path.exists() else None) == text
    assert files.left() == []


def test_after_others_wrote_too_only_ours_goes() -> None:
    """As when the agent saves its file anew, in its own format."""
    JSON.path(project=False).write_text(OTHERS)
    install(JSON)
    saved = json.loads(JSON.path(project=False).read_text()) | {"numStartups": 4}
    saved["mcpServers"]["nagomi"] |= {"type": "stdio", "env": {}}
    JSON.path(project=False).write_text(json.dumps(saved, indent=2))
    assert files.status(JSON, project=False) == "installed"
    remove(JSON)
    assert json.loads(JSON.path(project=False).read_text()) == json.loads(OTHERS) | {
        "numStartups": 4
    }


@pytest.mark.parametrize(
    "below", ["", '\n[mcp_servers.nagomi.tools.list_sessions]\napproval_mode = "approve"\n']
)
def test_a_toml_file_that_others_wrote_into_loses_our_tables_alone(below: str) -> None:
    path = TOML.path(project=False)
    path.write_text(CODEX)
    install(TOML)
    later = '\n[projects."/b"]\ntrust_level = "trusted"\n'
    path.write_text(f"{path.read_text()}{below}{later}")
    remove(TOML)
    assert tomllib.loads(path.read_text()) == tomllib.loads(CODEX + later)
    assert path.read_text().startswith(CODEX)


@pytest.mark.parametrize("agent", [JSON, TOML])
def test_one_of_another_version_is_replaced_and_the_users_own_stays(agent: ServedAgent) -> None:
    path = agent.path(project=False)
    old, own = {"command": "/old/python", "args": ["-m", "nagomi_tui", "mcp"]}, {"command": "mine"}
    for entry, standing, after in ((old, "outdated", agent.content.entry), (own, "foreign", own)):
        table = "".join(f"{key} = {json.dumps(value)}\n" for key, value in entry.items())
        text = (
            f"[mcp_servers.nagomi]\n{table}"
            if agent is TOML
            else json.dumps({"mcpServers": {"nagomi": entry}})
        )
        path.write_text(text)
        assert files.status(agent, project=False) == standing
        install(agent)
        assert servers(agent)["nagomi"] == after
        remove(agent)
        assert ("nagomi" in path.read_text()) == (standing == "foreign")


@pytest.mark.parametrize(
    ("agent", "text"),
    [(JSON, "{"), (JSON, '{"mcpServers": []}'), (JSON, "[]"), (TOML, "a ="), (TOML, "mcp_servers = 1"),
     (TOML, "mcp_servers = { db = { command = 'x' } }")],
)  # fmt: skip
def test_a_file_that_is_not_as_expected_is_left_alone(agent: ServedAgent, text: str) -> None:
    path = agent.path(project=False)
    path.write_text(text)
    with pytest.raises(Unfit):
        files.install(agent, project=False)
    assert path.read_text() == text
