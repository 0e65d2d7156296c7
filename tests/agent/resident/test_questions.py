"""Twenty questions over one room, each in two languages: what the model is sent has what answers them.

The scripted model reads as a model would that has the room before it. Each request is looked through
for the lines that answer the question, for a secret that stands on a screen, and for its size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from nagomi_tui.agent.context.sizes import tokens_in
from nagomi_tui.agent.turns.room import MOST_TOKENS
from nagomi_tui.api import messages
from nagomi_tui.masking import REDACTED
from nagomi_tui.system import paths
from tests.agent.resident.test_room import ASKS, SECRET, room_of, stands
from tests.agent.resident.test_talking import agent
from tests.helpers.agent_library import said
from tests.helpers.model_server import calls, says
from tests.helpers.repository import repository
from tests.helpers.workplace import PATIENCE, create, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.model_server import ModelServer

pytestmark = pytest.mark.slow

PROGRAMS: Final = {
    "deploy": ASKS,
    "coder": "bash -c 'echo Update src/app.py; echo Added 3 lines, removed 1; exec sleep 1000'",
    "tests": "bash -c 'echo FAILED tests/test_pay.py::test_refund - 3 != 4; echo 1 failed; exit 1'",
    "build": "bash -c 'echo step 3 of 9: compile; exec sleep 1000'",
    "import": "bash -c 'echo ERROR: relation users does not exist; exit 2'",
    "server": f"bash -c 'echo Listening on :8080; echo token {SECRET}; exec sleep 1000'",
}
"""The sessions from number 1 on, by their names."""
Read = tuple[str, dict[str, Any]]
LAST: Final = "read_session"
BOTH: Final[tuple[Read, ...]] = (
    (LAST, {"session": "3", "last": 20}),
    (LAST, {"session": "5", "last": 20}),
)
QUESTIONS: Final[tuple[tuple[str, str, tuple[Read, ...], tuple[str, ...]], ...]] = (
    (
        "What is going on?", "今どうなってる?", (),
        ("deploy: waits for the user", "Continue?", "tests: failed", "import: failed", "build"),
    ),
    ("Who needs me?", "誰が待ってる?", (), ("1 deploy: waits for the user", "y:", "n:")),
    (
        "What failed, and why?", "何が失敗した? なぜ?", BOTH,
        ("test_refund - 3 != 4", "relation users does not exist"),
    ),
    (
        "What has the coder changed since lunch?", "お昼からコーダーは何を変えた?",
        (("search_history", {"text": "Update", "session": "coder", "hours": 6}),),
        ("src/app.py",),
    ),
    (
        "Is anything stuck?", "止まっているものは?",
        (("why_session", {"session": "build"}),),
        ("build: ",),
    ),
    ("Compare 3 and 5", "3 と 5 を比べて", BOTH, ("1 failed", "ERROR: relation users")),
    (
        "Where does the server listen?", "サーバーはどこで待ち受けている?",
        ((LAST, {"session": "server"}),),
        (":8080",),
    ),
    (
        "How far is the build?", "ビルドはどこまで進んだ?",
        ((LAST, {"session": "build", "last": 5}),),
        ("step 3 of 9",),
    ),
    (
        "Tell me when the build is done", "ビルドが終わったら教えて",
        (("remind", {"when": "build is done", "words": "the build"}),),
        ("The reminder is set", "build"),
    ),
    (
        "What does deploy ask, and what can I answer?", "deploy は何を聞いている? 答えは?", (),
        ("Continue? [y/N] (y: y, n: N, enter)",),
    ),
    (
        "Since when has the import failed?", "import はいつから失敗している?", (),
        ("5 import: failed, for ",),
    ),
    (
        "Which commands run here, and where?", "どのコマンドがどこで動いている?",
        (("list_sessions", {}),),
        ("step 3 of 9: compile; exec sleep 1000", "kotatsu", '"exit_code":2'),
    ),
    (
        "Was there an error of the database today?", "今日データベースのエラーはあった?",
        (("search_history", {"text": "relation", "hours": 24}),),
        ("import: ERROR: relation users does not exist",),
    ),
    (
        "How do you know that the tests failed?", "テストが失敗したとなぜ分かる?",
        (("why_session", {"session": "3"}),),
        ("tests: failure, certainty", "rule exit-code", "evidence from exit"),
    ),
    (
        "What will you remind me of?", "何を知らせてくれる予定?",
        (("list_reminders", {}),),
        ("build is done", "<reminders>"),
    ),
    ("What have I left to do?", "やり残したことは?", (), ("- [ ] Peel a mikan",)),
    (
        "Is a token on the screen of the server?", "サーバーの画面にトークンはある?",
        ((LAST, {"session": "server"}),),
        (REDACTED,),
    ),
    (
        "What has the coder not committed yet?", "コーダーがまだコミットしていないものは?",
        (("git_diff", {"path": "kotatsu"}),),
        ("+HOURS = 2", "-HOURS = 1"),
    ),
    (
        "Which branches are worked on, and by whom?", "どのブランチで誰が作業している?",
        (("list_worktrees", {"folder": "kotatsu"}),),
        ('"branch":"main"', '"sessions":[1,2,4,6]'),
    ),
    ("What do I drink?", "わたしは何を飲む?", (), ("green tea",)),
)  # fmt: skip


@pytest.mark.timeout(240)
async def test_what_is_sent_answers_the_question(
    connection: Connection, server: ModelServer, tmp_path: Path
) -> None:
    here = repository(tmp_path / "kotatsu", **{"heater.py": "HOURS = 1\n"})
    (here / "heater.py").write_text("HOURS = 2\n")
    for name, command in PROGRAMS.items():
        made = create(connection, command, name=name, cwd=str(here))
        if name in ("coder", "build", "server"):
            wait_for(connection, made, "Added|compile|8080")
        else:
            stands(connection, made, "attention" if name == "deploy" else "error")
    lacking = []
    async with agent(connection) as found:
        await found.open(new="room")
        memory = paths.state_folder() / "agent" / "memory" / "MEMORY.md"
        memory.write_text("- The user drinks green tea.\n")
        (memory.parent.parent / "NEXT.md").write_text("# Next\n- [ ] Peel a mikan\n")
        for english, japanese, reads, lines in QUESTIONS:
            for question in (english, japanese):
                talk = await found.open(new=question)
                server.script(
                    *(calls(tool, in_folder(given, here)) for tool, given in reads),
                    says("So it is."),
                )
                await said(talk, question, "once")
                # The newest request: the room, and what the tools have told in this turn.
                asked = server.asked[-1]
                at = max(
                    at for at, one in enumerate(asked.messages) if question in str(one["content"])
                )
                sent = str(asked.messages[at:])
                lacking += [(question, line) for line in lines if line not in sent]
                assert SECRET not in str(asked.body) and SECRET[-20:] not in str(asked.body)
                assert tokens_in(sent) <= MOST_TOKENS + 2000
    assert lacking == []
    reminders = connection.request(messages.ListReminders(id=0), timeout=PATIENCE)
    assert "build" in str(reminders)
    assert room_of(server)


def in_folder(given: dict[str, Any], here: Path) -> dict[str, Any]:
    """Return a tool's input with the folder where the sessions work for its name."""
    return {name: str(here) if one == here.name else one for name, one in given.items()}
