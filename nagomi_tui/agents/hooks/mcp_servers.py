"""How `nagomi mcp` stands among the MCP servers that an agent starts, and how it is put there."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any, Final, NamedTuple

from nagomi_tui.agents import registry
from nagomi_tui.agents.agent import McpServers
from nagomi_tui.agents.hooks import json_text
from nagomi_tui.agents.hooks.formats import BROKEN, Status, Unfit, read_json
from nagomi_tui.agents.hooks.plan import HookSet, home_of
from nagomi_tui.text.words import translatable

NAME: Final = "nagomi"
"""The server's name in the agents' files."""
_WORDS: Final = ["-m", "nagomi_tui", "mcp"]
"""How each of our servers is started, of whatever version and place."""
_VARIABLES: Final = ["NAGOMI_HOME", "NAGOMI_SESSION_ID"]
_NOT_AS_EXPECTED: Final = translatable(
    "{path} does not hold MCP servers as expected. Nothing was changed."
)


class Server(NamedTuple):
    """The entry for our MCP server in a table of a file."""

    form: str
    """`json_server` or `toml_server`."""
    table: str
    entry: dict[str, Any]

    def status(self, text: str) -> Status:
        found = _servers(text, self.form, self.table).get(NAME)
        if found is None:
            return "absent"
        if not _is_ours(found):
            return "foreign"
        same = all(found.get(key) == value for key, value in self.entry.items())
        return "installed" if same else "outdated"

    def put_into(self, text: str) -> tuple[str, list[json_text.Edit]]:
        put = _with_toml if self.form == "toml_server" else _with_json
        return put(text, self.table, self.entry)


class ServedAgent(HookSet, frozen=True):
    """A coding agent that can start `nagomi mcp`, and its entry for that."""

    name: str
    title: str
    facts: McpServers

    def path(self, *, project: bool) -> Path:
        """Return the file that holds the servers, of the user or of the project in this folder."""
        if project:
            return Path.cwd() / self.facts.project_file
        return home_of(self.facts) / self.facts.file

    @property
    def content(self) -> Server:
        """Our entry: this installation's own interpreter, since an agent may know no other path."""
        variables = {self.facts.env_vars: _VARIABLES} if self.facts.env_vars else {}
        entry = {"command": sys.executable, "args": ["-P", *_WORDS], **variables}
        form = "toml_server" if self.facts.file.endswith(".toml") else "json_server"
        return Server(form, self.facts.table, entry)


AGENTS: Final = {
    name: ServedAgent(name, agent.title, agent.mcp)
    for name, agent in registry.AGENTS.items()
    if agent.mcp
}
_TABLES: Final = {
    form: [agent.facts.table for agent in AGENTS.values() if agent.form == form]
    for form in ("json_server", "toml_server")
}


def without_json(text: str) -> str:
    """Return a JSON file's text without our server."""
    for table in _TABLES["json_server"]:
        found = _servers(text, "json_server", table)
        if _is_ours(found.get(NAME)):
            top = json_text.parse(text)
            servers = top.get(table)
            assert servers is not None
            if len(found) > 1:
                return json_text.apply(text, json_text.removed(servers, [_number(servers, NAME)]))[
                    0
                ]
            return json_text.apply(text, json_text.removed(top, [_number(top, table)]))[0]
    return text


def without_toml(text: str) -> str:
    """Return a TOML file's text without our server."""
    for table in _TABLES["toml_server"]:
        if _is_ours(_servers(text, "toml_server", table).get(NAME)):
            wanted = tomllib.loads(text)
            del wanted[table][NAME]
            if not wanted[table]:
                del wanted[table]
            return _checked(json_text.apply(text, _tables(text, table))[0], wanted)
    return text


def _with_json(text: str, table: str, server: dict[str, Any]) -> tuple[str, list[json_text.Edit]]:
    entry = f'"{NAME}": {json.dumps(server)}'
    _servers(text, "json_server", table)
    top = read_json(text)
    servers = top.get(table) if top else None
    if servers is None:
        return json_text.with_object(text, top, table, [entry])
    return json_text.apply(text, [json_text.added(text, servers, [entry])])


def _with_toml(text: str, table: str, server: dict[str, Any]) -> tuple[str, list[json_text.Edit]]:
    wanted = _toml(text)
    wanted.setdefault(table, {})[NAME] = server
    line = json_text.newline(text)
    # Strings and lists of strings are the same in JSON, but for what neither path nor name holds.
    keys = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in server.items()]
    gap = "" if not text else line if text.endswith("\n") else line * 2
    block = line.join([f"[{table}.{NAME}]", *keys, ""])
    after, back = json_text.apply(text, [json_text.Edit(len(text), len(text), gap + block)])
    return _checked(after, wanted), back


def _checked(text: str, wanted: dict[str, Any]) -> str:
    """Return the text, if it says what it is meant to say.

    Raises:
        Unfit: it does not; nothing is known of how to change this file.
    """
    try:
        if tomllib.loads(text) == wanted:
            return text
    except tomllib.TOMLDecodeError:
        pass
    raise Unfit(_NOT_AS_EXPECTED)


def _tables(text: str, table: str) -> list[json_text.Edit]:
    """Return the edits that take our table out, with those below it and a blank line before it."""
    ours = re.compile(rf"\s*\[{re.escape(table)}\.{NAME}[.\]]")
    edits: list[json_text.Edit] = []
    at, before, begins = 0, "", -1
    for line in [*text.splitlines(keepends=True), "["]:
        if line.lstrip().startswith("["):
            if begins >= 0:
                edits.append(json_text.Edit(begins, at, ""))
            begins = -1
            if ours.match(line):
                begins = at if before.strip() or edits else at - len(before)
        at, before = at + len(line), line
    return edits


def _servers(text: str, form: str, table: str) -> dict[str, Any]:
    """Return the servers that a file names."""
    top = _toml(text) if form == "toml_server" else _json(text)
    found = top.get(table, {})
    if not isinstance(found, dict):
        raise Unfit(_NOT_AS_EXPECTED)
    return found


def _json(text: str) -> dict[str, Any]:
    if (found := read_json(text)) is None:
        return {}
    top = json_text.plain(found)
    if not isinstance(top, dict):
        raise Unfit(_NOT_AS_EXPECTED)
    return top


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as exc:
        raise Unfit(BROKEN, reason=exc) from exc


def _number(container: json_text.Node, key: str) -> int:
    return [name for name, _, _ in container.members or ()].index(key)


def _is_ours(server: Any) -> bool:
    arguments = server.get("args") if isinstance(server, dict) else None
    return isinstance(arguments, list) and arguments[-len(_WORDS) :] == _WORDS
