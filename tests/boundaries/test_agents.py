"""An agent is known in one place: `nagomi_tui/agents`, with its rules in `config/agents`."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nagomi_tui.agents.agent import Agent, Guarded, Hooks, Resume
from nagomi_tui.agents.registry import AGENTS, WITH_HOOKS
from nagomi_tui.judge import loading
from nagomi_tui.judge.screen_rules import ANY
from tests.helpers.tree import ROOT, tracked_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMED: Final = re.compile(rf"(?<![a-z&])(?:{'|'.join(AGENTS)})(?![a-z])", re.IGNORECASE)
_PLACES: Final = (Path("nagomi_tui/agents"), Path("config/agents"))
_EXCEPTIONS: Final = {
    "nagomi_tui/masking/names.py": "words in the names of keys; makers and products are some",
    "config/models.toml": "names of models, with their prices",
    "nagomi_tui/guard/decide/protocols.py": "the name of a project's file, in a todo word for word",
    "nagomi_tui/settings/model.py": "the name of a model, which is asked for a judgement",
}


class _WithoutProse(ast.NodeTransformer):
    """Leaves out docstrings: they may say of which agent something was seen."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return ast.Pass() if isinstance(node.value, ast.Constant) else node


def _code() -> Iterator[tuple[Path, str]]:
    """Everything that runs or is read by what runs, but for the one place and translations."""
    for path, text in tracked_texts():
        if path.parts[0] not in ("nagomi_tui", "worker", "config") or path.suffix == ".po":
            continue
        if not any(path.is_relative_to(place) for place in _PLACES) and _NAMED.search(text):
            is_python = path.suffix == ".py"
            yield path, _without_prose(text) if is_python else text


def _without_prose(text: str) -> str:
    return ast.unparse(_WithoutProse().visit(ast.parse(text)))


def test_no_agent_is_named_outside_of_its_one_place() -> None:
    found = {
        str(path): line.strip()
        for path, text in _code()
        for line in text.splitlines()
        if _NAMED.search(line)
    }
    assert {path: line for path, line in found.items() if path not in _EXCEPTIONS} == {}
    assert _EXCEPTIONS.keys() - found.keys() == set(), "nothing is named there any more"


def test_prose_may_name_an_agent_and_code_may_not() -> None:
    text = '"""Codex does so."""\nx = 1  # so does codex\n'
    assert not _NAMED.search(_without_prose(text))
    for code in ('x = "codex"', 'x = f"{y} codex --help"', "from x import codex_words"):
        assert _NAMED.search(_without_prose(code))


def test_rules_and_registry_speak_of_the_same_agents() -> None:
    shipped = loading.load(Path("/nonexistent")).book.manifests
    ruled = {rules.name: rules for rules in shipped if rules.kind == "agent"}
    assert set(ruled.pop(ANY).commands) == set(AGENTS)
    assert ruled.keys() <= AGENTS.keys()
    assert [name for name, rules in ruled.items() if not rules.runs(f"/usr/bin/{name} x")] == []
    assert set(WITH_HOOKS) <= ruled.keys()


def test_what_agents_share_names_none_of_them_and_none_of_their_makers() -> None:
    text = (ROOT / "config" / "agents" / f"{ANY}.toml").read_text()
    makers = "anthropic|openai|google|github|microsoft|alibaba|mistral|moonshot|vibe|kimi|crush|amp"
    assert not _NAMED.search(text)
    assert not re.search(rf"(?<![a-z])(?:{makers})(?![a-z])", text, re.IGNORECASE)


def test_the_page_on_agents_explains_each_field() -> None:
    page = (ROOT / "docs" / "agents.md").read_text()
    rows = " ".join(row.split("|")[1] for row in page.splitlines() if row.startswith("| `"))
    fields = {name for kind in (Agent, Guarded, Hooks, Resume) for name in kind._fields}
    assert fields - set(re.findall(r"`(\w+)`", rows)) == set()
    named = set(re.findall(r"`((?:nagomi_tui|config|tests)/[\w./]+)`", page))
    assert {name for name in named if "NAME" not in name and not (ROOT / name).exists()} == set()
