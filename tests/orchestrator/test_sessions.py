"""Sessions are made, typed into, read, stopped, started again, renamed and removed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.judge.verdict import State as Judged
from nagomi_tui.sessions.session import Condition
from tests.helpers.workplace import alive, create, only, plain, session, text_of, until, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place


@pytest.fixture
def place(shared_place: Place) -> Place:
    """Most of this breaks no workplace."""
    return shared_place


def ask(connection: Connection, request: messages.Request[Any]) -> dict[str, Any]:
    return plain(connection.request(request, timeout=30))


def refused(connection: Connection, request: messages.Request[Any]) -> tuple[str, str]:
    with pytest.raises(RequestFailed) as caught:
        ask(connection, request)
    return caught.value.code, caught.value.message


@pytest.mark.requirement("N-130")
def test_input_goes_in_and_output_comes_out(connection: Connection) -> None:
    session_id = create(connection, "cat")
    ask(connection, messages.Send(id=0, session=session_id, text="こんにちは"))
    until(lambda: text_of(connection, session_id).count("こんにちは") == 2)


def test_an_exit_code_is_kept(connection: Connection) -> None:
    session_id = create(connection, "sh -c 'exit 7'")
    ended = ask(connection, messages.Wait(id=0, session=session_id, timeout=10))
    assert (ended["reason"], ended["exit_code"]) == ("exit", 7)
    found = session(connection, session_id)
    assert (found["state"], found["phase"], found["waits"]) == ("exited", "error", True)


def test_a_stopped_session_is_no_failure_and_starts_again(
    place: Place, connection: Connection
) -> None:
    session_id = create(connection, "sh -c 'echo run $$; exec sleep 1000'")
    wait_for(connection, session_id, r"run \d+")
    before = session(connection, session_id)["pid"]
    ask(connection, messages.Stop(id=0, session=session_id))
    assert not alive(before)
    assert session(connection, session_id)["phase"] == "idle"
    ask(connection, messages.Restart(id=0, session=session_id))
    wait_for(connection, session_id, r"run \d+")
    after = session(connection, session_id)
    assert after["state"] == "running" and after["pid"] != before
    assert f"run {before}" not in text_of(connection, session_id, history=True)


def test_a_running_session_is_restarted_in_its_place(connection: Connection) -> None:
    first = create(connection, "sleep 1000")
    create(connection, "sleep 1000")
    before = session(connection, first)["pid"]
    ask(connection, messages.Restart(id=0, session="1"))
    found = session(connection, first)
    assert found["number"] == 1 and found["pid"] != before and not alive(before)


def test_only_an_ended_session_is_removed(connection: Connection) -> None:
    session_id = create(connection, "sleep 1000", name="nap")
    assert refused(connection, messages.Remove(id=0, session="nap")) == (
        "refused",
        "nap still runs; stop it first.",
    )
    ask(connection, messages.Stop(id=0, session=session_id))
    ask(connection, messages.Remove(id=0, session=session_id))
    assert ask(connection, messages.ListSessions(id=0))["sessions"] == []


@pytest.mark.requirement("N-12")
def test_sessions_are_renamed_and_reordered(connection: Connection) -> None:
    for name in ("one", "two", "three"):
        create(connection, "sleep 1000", name=name)
    ask(connection, messages.Rename(id=0, session="two", name="zwei"))
    ask(connection, messages.Reorder(id=0, session="three", number=1))
    listed = ask(connection, messages.ListSessions(id=0))["sessions"]
    assert [(s["number"], s["name"]) for s in listed] == [(3, "three"), (1, "one"), (2, "zwei")]
    assert [s["place"] for s in listed] == [1, 2, 3]
    assert refused(connection, messages.Rename(id=0, session="one", name="zwei")) == (
        "refused",
        "Another session is called zwei.",
    )


def _numbers(connection: Connection) -> dict[str, int]:
    listed = ask(connection, messages.ListSessions(id=0))["sessions"]
    return {s["name"]: s["number"] for s in listed}


def test_numbers_stay_with_their_sessions_and_are_not_given_again(connection: Connection) -> None:
    ids = {name: create(connection, "sleep 1000", name=name) for name in ("a", "b", "c")}
    for name in ("a", "c"):
        ask(connection, messages.Stop(id=0, session=ids[name]))
        ask(connection, messages.Remove(id=0, session=ids[name]))
    assert _numbers(connection) == {"b": 2}
    with pytest.raises(RequestFailed):
        create(connection, "no-such-command-at-all", name="never")
    create(connection, "sleep 1000", name="d")
    assert _numbers(connection) == {"b": 2, "d": 4}


def test_by_wish_all_are_numbered_by_their_order(connection: Connection) -> None:
    for name in ("a", "b", "c"):
        create(connection, "sleep 1000", name=name)
    ask(connection, messages.Reorder(id=0, session="c", number=1))
    ask(connection, messages.Stop(id=0, session="a"))
    ask(connection, messages.Remove(id=0, session="a"))
    ask(connection, messages.Renumber(id=0))
    assert _numbers(connection) == {"c": 1, "b": 2}
    create(connection, "sleep 1000", name="d")
    assert _numbers(connection) == {"c": 1, "b": 2, "d": 3}


def test_names_are_proposed_and_unique(connection: Connection, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    for _ in range(2):
        create(connection, "sleep 1000", cwd=str(tmp_path / "shop"))
    listed = ask(connection, messages.ListSessions(id=0))["sessions"]
    assert [s["name"] for s in listed] == ["shop-sleep", "shop-sleep-2"]


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ({"cmd": "no-such-command-at-all"}, "no-such-command-at-all was not found"),
        ({"cmd": "cat", "cwd": "/no/such/folder"}, "/no/such/folder does not exist"),
        ({"cmd": "cat", "cwd": "/etc/passwd"}, "/etc/passwd is not a folder"),
        ({"cmd": "cat", "cwd": "here"}, "here is not an absolute path"),
        ({"cmd": "cat", "cols": 10_000}, "10000×30 cells cannot be made"),
        ({"cmd": "cat", "rows": 0}, "120×0 cells cannot be made"),
        ({"cmd": "cat", "worker_id": "mars"}, "no hand `mars`"),
        ({"cmd": "cat 'open"}, "quote that is not closed"),
    ],
)
def test_what_cannot_be_started_is_one_sentence_and_leaves_nothing(
    connection: Connection, order: dict[str, Any], said: str
) -> None:
    code, message = refused(connection, messages.Create(id=0, **({"cwd": "/tmp"} | order)))
    assert code == "bad_request"
    assert said in message and "\n" not in message and "Traceback" not in message
    assert ask(connection, messages.ListSessions(id=0))["sessions"] == []


def test_without_a_command_the_shell_is_started(connection: Connection) -> None:
    session_id = create(connection, "   ")
    assert session(connection, session_id)["cmd"].endswith("sh")


def test_a_session_is_named_in_several_ways(connection: Connection) -> None:
    first = create(connection, "sleep 1000", name="shop-claude")
    create(connection, "sleep 1000", name="shop-bash")
    for text in ("1", "shop-claude", "shop-c", first, first[:8]):
        assert ask(connection, messages.Find(id=0, session=text))["session_id"] == first
    assert refused(connection, messages.Find(id=0, session="shop")) == (
        "ambiguous",
        "`shop` could be shop-claude, shop-bash.",
    )
    code, message = refused(connection, messages.Find(id=0, session="shop-clude"))
    assert code == "not_found" and "shop-claude" in message


def test_sentences_come_in_the_client_s_language(place: Place) -> None:
    with place.connect(env={"LANG": "ja_JP.UTF-8", "PATH": "/bin"}) as japanese:
        code, message = refused(japanese, messages.Find(id=0, session="x"))
        assert code == "not_found" and "x" in message


def test_the_environment_is_the_asker_s_without_its_terminal(place: Place) -> None:
    env = {"PATH": "/usr/bin:/bin", "TMUX": "x", "KITTY_PID": "1", "LINES": "5", "MINE": "yes"}
    with place.connect(env=env) as connection:
        session_id = create(connection, "env", env={"ADDED": "here"})
        ask(connection, messages.Wait(id=0, session=session_id, timeout=10))
        got = dict(
            line.split("=", 1) for line in text_of(connection, session_id).split("\n") if line
        )
    assert got["NAGOMI_SESSION_ID"] == session_id
    assert (got["TERM"], got["COLORTERM"]) == ("xterm-256color", "truecolor")
    assert (got["MINE"], got["ADDED"]) == ("yes", "here")
    assert not {"TMUX", "KITTY_PID", "LINES", "COLUMNS", "NAGOMI_DAEMON"} & set(got)


def test_values_of_the_environment_are_never_on_disk(fresh_place: Place) -> None:
    with fresh_place.connect() as connection:
        session_id = create(connection, "sleep 1000", env={"TOKEN_NAME": "the-very-secret"})
        ask(connection, messages.Stop(id=0, session=session_id))
    fresh_place.end()
    files = (path for path in (fresh_place.home / "state").iterdir() if path.is_file())
    kept = b"".join(path.read_bytes() for path in files)
    assert b"TOKEN_NAME" in kept and b"the-very-secret" not in kept


@pytest.mark.requirement("N-13", "N-119")
def test_sessions_share_a_bounded_pool_of_workers(place: Place, connection: Connection) -> None:
    for _ in range(5):
        create(connection, "sleep 1000")
    workers = ask(connection, messages.Status(id=0))["workers"]
    assert sorted(worker["sessions"] for worker in workers) == [1, 2, 2]


def test_a_large_input_arrives_whole(connection: Connection, tmp_path: Path) -> None:
    wanted = "".join(f"{number:06d} {'x' * 72}\n" for number in range(13_000))
    session_id = create(
        connection,
        f"sh -c 'stty raw -echo; echo go; head -c {len(wanted)} > got'",
        cwd=str(tmp_path),
    )
    wait_for(connection, session_id, "go")
    connection.send(messages.TypeText(session=session_id, text=wanted))
    ask(connection, messages.Wait(id=0, session=session_id, timeout=30))
    assert (tmp_path / "got").read_text() == wanted


def test_a_line_that_is_no_message_does_not_end_the_connection(
    place: Place, connection: Connection
) -> None:
    for line in (b"not json\n", b'{"type":"create","id":5}\n', b'{"type":"wat","id":6}\n', b"[]\n"):
        connection._peer.sendall(line)
    assert ask(connection, messages.Ping(id=0)) == {}
    answers = [m for m in connection.pushed(0.5) if isinstance(m, messages.Failed)]
    assert [(answer.id, answer.code) for answer in answers] == [
        (5, "bad_request"),
        (6, "bad_request"),
    ]


def test_settings_are_changed_told_and_kept(fresh_place: Place) -> None:
    with fresh_place.connect() as connection, fresh_place.connect(front_end=True) as front_end:
        ask(connection, messages.Settings(id=0, values={"silence_timeout": 5}))
        ask(front_end, messages.Ping(id=0))
        told = only([m for m in front_end.pushed(1) if isinstance(m, messages.SettingsChanged)])
        assert told.settings["silence_timeout"] == 5
        assert refused(connection, messages.Settings(id=0, values={"silence_timout": 5})) == (
            "bad_request",
            "There is no setting `silence_timout`; did you mean `silence_timeout`?",
        )
    fresh_place.kill(fresh_place.orchestrator)
    with fresh_place.connect() as later:
        assert later.welcome.settings["silence_timeout"] == 5


def test_quit_ends_everything(fresh_place: Place) -> None:
    with fresh_place.connect() as connection:
        session_id = create(connection, "sleep 1000")
        pid = session(connection, session_id)["pid"]
        ask(connection, messages.Quit(id=0))
    until(lambda: not fresh_place.pids())
    assert not alive(pid)
    fresh_place.start()
    with fresh_place.connect() as later:
        assert not any(found.waits for found in later.welcome.sessions)
        [found] = later.welcome.sessions
        assert found.condition in (Condition.STOPPED, Condition.SAVED)


def test_a_correction_of_what_has_ended_or_was_lost_survives_quit(fresh_place: Place) -> None:
    def stands(connection: Connection, session_id: str) -> Condition:
        listed = connection.request(messages.ListSessions(id=0), timeout=30).sessions
        return only([one for one in listed if one.session_id == session_id]).condition

    with fresh_place.connect() as connection:
        ended, lost = create(connection, "sh -c 'exit 5'"), create(connection, "cat")
        until(lambda: stands(connection, ended) is Condition.ENDED_EARLY)
        for worker in fresh_place.workers:
            fresh_place.kill(worker)
        until(lambda: stands(connection, lost) is Condition.LOST)
        refusal = refused(connection, messages.Correct(id=0, session=ended, state=Judged.RUNNING))
        assert refusal[0] == "refused"
        for each in (ended, lost):
            ask(connection, messages.Correct(id=0, session=each, state=Judged.SUCCESS))
            assert stands(connection, each) is Condition.ENDED_WELL
        ask(connection, messages.Quit(id=0))
    until(lambda: not fresh_place.pids())
    fresh_place.start()
    with fresh_place.connect() as later:
        assert {one.condition for one in later.welcome.sessions} == {Condition.ENDED_WELL}
        assert not any(one.waits for one in later.welcome.sessions)


@pytest.mark.requirement("N-62")
def test_each_session_has_a_character(fresh_place: Place) -> None:
    with fresh_place.connect() as connection:
        first = create(connection, "cat")
        second = create(connection, "cat", character="koneko")
        ask(connection, messages.Settings(id=0, values={"character": "koneko"}))
        third = create(connection, "cat")
        told = [session(connection, name)["character_id"] for name in (first, second, third)]
        assert told == ["mochi", "koneko", "koneko"]
