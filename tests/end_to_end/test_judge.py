"""The judge at work on real programs in a real workplace."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.api import messages
from nagomi_tui.judge.verdict import State
from nagomi_tui.orchestrator.judging.corrections import kept
from nagomi_tui.system import paths
from tests.helpers.workplace import (
    PATIENCE,
    Place,
    create,
    plain,
    session,
    text_of,
    until,
    wait_for,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.api.client import Connection

pytestmark = pytest.mark.slow

SHELL = "bash --norc --noprofile -i"


class Watcher:
    """Keeps what a front end is told of sessions."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.phases: dict[str, list[str]] = {}
        self.turns: dict[str, list[messages.TurnCompleted]] = {}

    def look(self) -> None:
        for message in self.connection.pushed(0.05):
            if isinstance(message, messages.SessionChanged):
                shown = self.phases.setdefault(message.session.session_id, [])
                if shown[-1:] != [message.session.phase]:
                    shown.append(message.session.phase)
            elif isinstance(message, messages.TurnCompleted):
                self.turns.setdefault(message.session, []).append(message)

    def turn(self, session_id: str, state: str, number: int = 1) -> messages.TurnCompleted:
        """Wait for the end of a turn in a state."""

        def found() -> messages.TurnCompleted | None:
            self.look()
            ended = self.turns.get(session_id, [])
            return next((t for t in ended if t.verdict.state == state and t.turn >= number), None)

        turn: messages.TurnCompleted = until(found)
        return turn

    def comes_to(self, session_id: str, phase: str) -> None:
        """Wait until a session is shown in a phase."""

        def there() -> bool:
            self.look()
            return self.phases.get(session_id, [])[-1:] == [phase]

        until(there)

    def start(self, cmd: str, **more: Any) -> str:
        return create(self.connection, cmd, **more)

    def type(self, session_id: str, text: str) -> None:
        self.connection.send(messages.TypeText(session=session_id, text=text))

    def shell(self) -> str:
        """Start a shell and wait for its prompt."""
        session_id = self.start(SHELL)
        self.comes_to(session_id, "idle")
        return session_id

    def why(self, session_id: str) -> dict[str, Any]:
        asked = messages.Why(id=0, session=session_id)
        return plain(self.connection.request(asked, timeout=PATIENCE))


@pytest.fixture
def place(module_place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """The workplace of all tests here; they start sessions of their own."""
    monkeypatch.setenv("NAGOMI_HOME", str(module_place.home))
    return module_place


@pytest.fixture
def watcher(place: Place) -> Iterator[Watcher]:
    with place.connect(front_end=True) as connection:
        yield Watcher(connection)


@pytest.mark.requirement("N-68", "N-71", "N-74", "N-75", "N-123")
def test_turns_end_as_their_commands_do(watcher: Watcher) -> None:
    good = watcher.start("sh -c 'echo done; exit 0'")
    bad = watcher.start("sh -c 'echo nothing to see; exit 3'")
    silent = watcher.start("sh -c 'sleep 1.2'")
    crash = watcher.start("sh -c 'kill -SEGV $$'")
    wordless = watcher.start("sh -c 'exit 4'")
    assert watcher.turn(good, "success").verdict.confidence == 1.0
    failed = watcher.turn(bad, "failure")
    assert failed.verdict.evidence == ("exit: exit 3",)
    assert not failed.quiet
    watcher.turn(crash, "failure")
    assert watcher.turn(wordless, "failure").verdict.summary == "It failed (4)."
    watcher.turn(silent, "success")
    assert "attention" not in watcher.phases[silent]
    assert "running" in watcher.phases[silent]


@pytest.mark.requirement("N-70")
def test_a_silent_command_is_still_running(watcher: Watcher) -> None:
    shell = watcher.shell()
    watcher.type(shell, "sleep 4.5\r")
    watcher.comes_to(shell, "running")
    watcher.turn(shell, "success")
    assert watcher.phases[shell][-2:] == ["running", "success"]


@pytest.mark.parametrize(
    ("cmd", "summary"),
    [
        ("""bash -c 'read -p "Overwrite? [y/N] " x'""", "Overwrite? [y/N]"),
        ("""bash -c 'read -s -p "Password: " x'""", "Password:"),
        ("python3 -c 'import getpass; getpass.getpass()'", "Password:"),
    ],
)
@pytest.mark.requirement("N-67", "N-85")
def test_a_question_is_a_call_until_it_is_answered(
    watcher: Watcher, cmd: str, summary: str
) -> None:
    asks = watcher.start(cmd)
    call = watcher.turn(asks, "attention")
    assert call.verdict.summary == summary
    told = session(watcher.connection, asks)
    assert told["waits"] and told["summary"] == summary
    watcher.connection.send(messages.Seen(session=asks))
    watcher.type(asks, "y\r")
    watcher.comes_to(asks, "success")
    assert watcher.phases[asks].count("attention") == 1


@pytest.mark.parametrize("cmd", ["python3 -q -i", "less -R /etc/passwd", "cat"])
def test_what_waits_for_keys_of_its_own_does_not_call(watcher: Watcher, cmd: str) -> None:
    rests = watcher.start(cmd)
    watcher.comes_to(rests, "idle")
    assert "attention" not in watcher.phases[rests]
    assert not session(watcher.connection, rests)["waits"]


def test_a_server_at_rest_is_running(watcher: Watcher) -> None:
    server = watcher.start("python3 -u -m http.server 0 --bind 127.0.0.1")
    wait_for(watcher.connection, server, "Serving HTTP")
    until(lambda: watcher.why(server)["rule"] == "process-works")
    assert watcher.why(server)["phase"] == "running"


@pytest.mark.requirement("NB-18")
def test_what_the_user_breaks_off_is_no_failure(watcher: Watcher) -> None:
    shell = watcher.shell()
    watcher.type(shell, "sleep 60\r")
    watcher.comes_to(shell, "running")
    watcher.type(shell, "\x03")
    assert watcher.turn(shell, "unknown").quiet
    stopped = watcher.start("sleep 60")
    watcher.comes_to(stopped, "running")
    watcher.connection.request(messages.Stop(id=0, session=stopped), timeout=PATIENCE)
    assert watcher.turn(stopped, "unknown").quiet
    assert watcher.phases[stopped][-1] == "idle"


@pytest.mark.parametrize("cmd", ["bash", "zsh"])
@pytest.mark.requirement("N-68")
def test_enter_at_an_empty_prompt_repeats_no_call(
    watcher: Watcher, tmp_path: Path, cmd: str
) -> None:
    """Their prompts are drawn anew each time, on two lines, as prompt programs do."""
    if not shutil.which(cmd):
        pytest.skip(f"{cmd} is not installed")
    draws = "PS1=$'\\nat work\\n❯ '"
    (tmp_path / ".bashrc").write_text(f"draw() {{ {draws}; }}; PROMPT_COMMAND=draw\n")
    (tmp_path / ".zshrc").write_text(f"precmd() {{ {draws}; }}\n")
    home = {"HOME": str(tmp_path), "ZDOTDIR": str(tmp_path)}
    shell = watcher.start(cmd, cwd=str(tmp_path), env=home)
    wait_for(watcher.connection, shell, "❯")
    watcher.type(shell, "false\r")
    watcher.turn(shell, "failure")
    watcher.type(shell, "\r")
    until(lambda: text_of(watcher.connection, shell).count("❯") == 3)
    shown = time.monotonic()
    until(lambda: (watcher.look(), time.monotonic() > shown + 0.6)[1])
    watcher.type(shell, "true\r")
    watcher.turn(shell, "success")
    assert [turn.verdict.state for turn in watcher.turns[shell]] == ["failure", "success"]


HARMLESS = (
    "0 errors, 0 warnings", "5 passed, 0 failed", "error_handler.py updated", "--timeout 30",
    "no error", "Found 0 exceptions",
)  # fmt: skip


@pytest.mark.requirement("NB-5")
def test_harmless_words_call_nobody(watcher: Watcher) -> None:
    """They stand at a prompt, in a log that goes quiet, and in what the user types."""
    shell = watcher.shell()
    lines = "; ".join(f"echo '{line}'" for line in HARMLESS)
    log = watcher.start(f'sh -c "{lines}; exec sleep 60"')
    watcher.type(shell, f"{lines}\r")
    watcher.turn(shell, "success")
    watcher.type(shell, ": fix the error\r")
    watcher.turn(shell, "success", number=2)
    watcher.type(shell, "printf 'fatal: old\\n'; false\r")
    until(lambda: (watcher.look(), len(watcher.turns[shell]) == 3)[1])
    watcher.type(shell, "echo fine\r")
    watcher.turn(shell, "success", number=4)
    until(lambda: watcher.why(log)["rule"] == "process-works")
    for each in (shell, log):
        assert "attention" not in watcher.phases[each]


@pytest.mark.parametrize(
    "line", ["fatal: bad", "npm ERR! code 1", "Killed", "エラーが発生しました"]
)
@pytest.mark.requirement("NB-5")
def test_words_of_failure_tell_where_no_status_does(watcher: Watcher, line: str) -> None:
    plain = watcher.start("sh -i", env={"PS1": "# "})
    watcher.comes_to(plain, "idle")
    watcher.type(plain, f"printf '%s\\n' '{line}' \r")
    assert watcher.turn(plain, "failure").verdict.summary == line


def test_why_tells_the_rule_the_evidence_and_no_secret(watcher: Watcher) -> None:
    key = "sk-ant-api03-" + "a1B2" * 20
    told = watcher.start(f"sh -c 'echo fatal: token={key} refused; exit 1'")
    turn = watcher.turn(told, "failure")
    found = watcher.why(told)
    assert (found["rule"], found["phase"], found["turn"]) == ("exit-code", "error", 1)
    assert found["evidence_detail"][0]["text"] == "exit 1"
    assert found["verdict"]["state"] == "failure"
    assert set(found["verdict"]) == {
        "state", "confidence", "summary", "evidence", "next_actions",
    }  # fmt: skip
    whole = f"{found}{turn}{session(watcher.connection, told)['summary']}"
    assert "REDACTED" in whole
    assert key not in whole


@pytest.mark.requirement("N-15", "NB-15")
def test_a_new_orchestrator_goes_on_without_calling_again(place: Place) -> None:
    with place.connect(front_end=True) as before:
        first = Watcher(before)
        asks = first.start("""bash -c 'read -p "Go on? [y/N] " x'""")
        first.turn(asks, "attention")
        shell = first.shell()
        first.type(shell, "true\r")
        first.turn(shell, "success")
        place.kill(place.orchestrator)
    with place.connect(front_end=True) as after:
        second = Watcher(after)
        until(lambda: second.why(asks)["rule"] == "reads-after-a-question")
        deadline = time.monotonic() + 1.5
        while time.monotonic() < deadline:
            second.look()
        assert second.turns == {}
        assert [session(after, each)["phase"] for each in (asks, shell)] == ["attention", "success"]
        second.type(asks, "y\r")
        second.turn(asks, "success")


@pytest.mark.requirement("N-15")
def test_a_command_that_ends_while_the_orchestrator_is_dead_is_told(place: Place) -> None:
    with place.connect(front_end=True) as before:
        first = Watcher(before)
        shell = first.start("bash")
        first.comes_to(shell, "idle")
        first.type(shell, "sleep 1; false\r")
        first.comes_to(shell, "running")
        place.kill(place.orchestrator)
    with place.connect(front_end=True) as after:
        Watcher(after).turn(shell, "failure")
        assert session(after, shell)["phase"] == "error"
        assert time.time() - session(after, shell)["phase_since"] < 10


def test_a_correction_outlives_the_orchestrator_until_the_turn_ends(place: Place) -> None:
    with place.connect(front_end=True) as before:
        first = Watcher(before)
        asks = first.start("""bash -c 'read -p "Go on? [y/N] " x; sleep 60'""")
        first.turn(asks, "attention")
        ended = first.start("false")
        first.turn(ended, "failure")
        trace = before.request(messages.Trace(id=0, session=asks, action="on"), timeout=PATIENCE)
        for each, state in ((asks, State.UNKNOWN), (ended, State.SUCCESS)):
            before.request(messages.Correct(id=0, session=each, state=state), timeout=PATIENCE)
        place.kill(place.orchestrator)
    said = {one.session_id: one for one in kept(paths.corrections_file())}
    assert (said[asks].trace, said[asks].rule) == (trace.path, "reads-after-a-question")
    assert {"process", "screen"} >= {ground.source for ground in said[asks].known} >= {"process"}
    assert "you-said" in Path(trace.path).read_text()
    with place.connect(front_end=True) as after:
        second = Watcher(after)
        until(lambda: second.why(asks)["rule"] == "you-said")
        assert [session(after, each)["phase"] for each in (asks, ended)] == ["idle", "success"]
        second.type(asks, "y\r")
        second.comes_to(asks, "running")


def test_states_are_told_in_the_language_of_whoever_listens(place: Place) -> None:
    with (
        place.connect(front_end=True, env={"NAGOMI_LANG": "ja", "PATH": "/usr/bin:/bin"}) as ja,
        place.connect(front_end=True, env={"NAGOMI_LANG": "en", "PATH": "/usr/bin:/bin"}) as en,
    ):
        watchers = Watcher(ja), Watcher(en)
        ended = watchers[0].start("true")
        told = [each.turn(ended, "success").verdict.summary for each in watchers]
    assert told[0] == "終わりました。"
    assert told[1] == "It has ended."
