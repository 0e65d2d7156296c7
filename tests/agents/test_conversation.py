"""Which conversation a session has, and the command that goes on with exactly that one."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from nagomi_tui.agents.agent import Agent, Resume
from nagomi_tui.agents.registry import AGENTS
from nagomi_tui.agents.resume import Conversation, heard, resuming
from nagomi_tui.orchestrator.sessions.store import Record

ID = "0b5c2d3e-1111-4222-8333-444455556666"
OTHER = "ffffffff-1111-4222-8333-444455556666"
CLAUDE = Conversation(agent="claude", id=ID, cwd="/w")
CODEX = Conversation(agent="codex", id=ID, cwd="/w")


def event(name: str, session_id: str = ID, **fields: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": session_id, "cwd": "/w", **fields}


def after(*events: dict[str, Any], now: Conversation | None = None) -> Conversation | None:
    for given in events:
        now = heard(now, "claude", given)
    return now


def test_a_conversation_begins_with_its_first_prompt() -> None:
    """A start alone leaves nothing that `claude --resume` would find."""
    assert after(event("SessionStart", source="startup")) is None
    assert after(event("SessionStart", source="startup"), event("UserPromptSubmit")) == CLAUDE
    assert after(event("SessionStart", OTHER, source="startup"), now=CLAUDE) is None


@pytest.mark.parametrize(
    "quiet",
    [
        event("SessionStart", source="resume"),
        event("SessionStart", source="compact"),
        event("SessionStart", source="startup"),
        event("SessionEnd", reason="other"),
        event("SessionEnd", OTHER, reason="other"),
        event("UserPromptSubmit", OTHER, agent_id="a subagent's"),
        event("UserPromptSubmit", "x; rm -rf ~"),
        event("UserPromptSubmit", "--dangerously-skip-permissions"),
        {"hook_event_name": "UserPromptSubmit"},
        {"hook_event_name": 1, "session_id": ["?"]},
    ],
)
def test_the_conversation_stays(quiet: dict[str, Any]) -> None:
    assert after(quiet, now=CLAUDE) == CLAUDE


def test_after_clear_the_next_prompt_begins_another() -> None:
    cleared = after(
        event("SessionEnd", reason="clear"),
        event("SessionStart", OTHER, source="clear"),
        now=CLAUDE,
    )
    assert cleared is None
    assert after(event("UserPromptSubmit", OTHER), now=cleared) == msgspec.structs.replace(
        CLAUDE, id=OTHER
    )


def test_an_agent_s_conversation_is_its_own() -> None:
    said = event("UserPromptSubmit")
    assert heard(CODEX, "claude", said) == CLAUDE
    assert heard(CLAUDE, "aider", said) == CLAUDE
    assert heard(None, "aider", said) is None


def test_a_conversation_may_tell_no_folder() -> None:
    for cwd in (None, 7):
        begun = heard(None, "claude", event("UserPromptSubmit") | {"cwd": cwd})
        assert begun == Conversation(agent="claude", id=ID, cwd="")


def test_another_one_that_the_user_chose_is_the_one() -> None:
    chosen = after(event("SessionStart", OTHER, source="resume"), now=CLAUDE)
    assert chosen is not None and chosen.id == OTHER


@pytest.mark.parametrize(
    ("cmd", "resumed"),
    [
        ("claude", f"claude --resume {ID}"),
        ("/opt/bin/claude", f"/opt/bin/claude --resume {ID}"),
        ("claude 'fix (it); now'", f"claude --resume {ID}"),
        ("claude --model opus 'do it'", f"claude --resume {ID} --model opus"),
        (
            "claude --add-dir ~/a '/b c' --verbose fix",
            f"claude --resume {ID} --add-dir ~/a '/b c' --verbose",
        ),
        ("claude --model=opus -c", f"claude --resume {ID} --model=opus"),
        (f"claude --resume {OTHER} --fork-session", f"claude --resume {ID}"),
        ("claude --model", f"claude --resume {ID} --model"),
        ("claude --resume one two", f"claude --resume {ID}"),
        ("claude --add-dir a b", f"claude --resume {ID} --add-dir a b"),
        ("claude -r --ide", f"claude --resume {ID} --ide"),
        (f"claude --session-id {OTHER} hello", f"claude --resume {ID}"),
        ('claude --append-system-prompt "$P" -- -x', f'claude --resume {ID} --append-system-prompt "$P"'),
    ],
)  # fmt: skip
def test_claude_goes_on_with_that_conversation(cmd: str, resumed: str) -> None:
    assert resuming(cmd, CLAUDE) == resumed


@pytest.mark.parametrize(
    ("cmd", "resumed"),
    [
        ("codex", f"codex resume {ID}"),
        ("codex --no-daemon -m gpt-5 'do it'", f"codex resume --no-daemon -m gpt-5 {ID}"),
        ("codex resume --last", f"codex resume {ID}"),
        (f"codex resume {OTHER} go", f"codex resume {ID}"),
        ("codex -i a.png b.png -C /w", f"codex resume -C /w {ID}"),
        ("codex -c 'model=\"o3\"' fix", f"codex resume -c 'model=\"o3\"' {ID}"),
    ],
)
def test_codex_goes_on_with_that_conversation(cmd: str, resumed: str) -> None:
    assert resuming(cmd, CODEX) == resumed


@pytest.mark.parametrize(
    ("cmd", "resumed"),
    [
        ("any -m small 'do it'", f"any --session {ID} -m small"),
        (f"/opt/any --session {OTHER}", f"/opt/any --session {ID}"),
        ("any serve", None),
        ("claude", None),
    ],
)
def test_one_entry_is_all_that_an_agent_needs(
    monkeypatch: pytest.MonkeyPatch, cmd: str, resumed: str | None
) -> None:
    option = frozenset(["--session"])
    resume = Resume(
        ("--session",),
        one=option | {"-m"},
        dropped=option,
        elsewhere=frozenset(["serve"]),
    )
    monkeypatch.setitem(AGENTS, "any", Agent("any", "Any agent", resume=resume))
    conversation = heard(None, "any", event("UserPromptSubmit"))
    assert conversation == Conversation(agent="any", id=ID, cwd="/w")
    assert resuming(cmd, conversation) == resumed


@pytest.mark.parametrize("agent", ["aider", "unheard-of"])
def test_an_agent_without_conversations_is_started_as_it_is(agent: str) -> None:
    assert heard(CLAUDE, agent, event("UserPromptSubmit", OTHER)) == CLAUDE
    assert resuming(agent, Conversation(agent=agent, id=ID)) is None


@pytest.mark.parametrize(
    "cmd",
    [
        "bash", "cd x && claude", "claude -p hello", "claude | tee log", "npx claude", "codex",
        "claude --worktree", "claude --bg", "", "make claude",
    ],
)  # fmt: skip
def test_another_command_is_started_as_it_is(cmd: str) -> None:
    assert resuming(cmd, CLAUDE) is None


def test_without_a_conversation_nothing_is_resumed() -> None:
    assert resuming("claude", None) is None
    assert resuming("codex exec x", CODEX) is None


def test_a_record_of_before_has_none_and_one_of_now_keeps_it() -> None:
    old = b'{"session":{"session_id":"s","number":1,"name":"n","cmd":"claude","cwd":"/"}}'
    record = msgspec.json.decode(old, type=Record)
    assert record.conversation is None
    kept = msgspec.structs.replace(record, conversation=CLAUDE).masked().saved()
    assert msgspec.json.decode(msgspec.json.encode(kept), type=Record).conversation == CLAUDE


@pytest.mark.parametrize(
    ("cmd", "resumed"),
    [
        ("gemini -m x 'do it'", f"gemini --resume {ID} -m x"),
        ("gemini -i 'do it' --yolo", f"gemini --resume {ID} --yolo"),
        ("gemini -p 'do it'", None),
        ("qwen --approval-mode default -c", f"qwen --resume {ID} --approval-mode default"),
        ("copilot --model x --resume=y", f"copilot --session-id {ID} --model x"),
        ("copilot --add-dir a b -p 'do it'", None),
        ("opencode -m p/x --agent build", f"opencode -s {ID} -m p/x --agent build"),
        ("opencode run 'do it'", None),
        ("cline --auto-approve false 'do it'", f"cline --id {ID} --auto-approve false"),
        ("aider --model x", None),
    ],
)
def test_others_go_on_with_that_conversation(cmd: str, resumed: str | None) -> None:
    agent = Conversation(agent=cmd.split()[0], id=ID, cwd="/w")
    assert resuming(cmd, agent) == resumed
