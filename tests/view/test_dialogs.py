"""Dialogs: new session, rename, questions, help, palette, settings; each kept from losing words."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from textual.widgets import Input, OptionList, TextArea

from nagomi_tui.api.messages import (
    Create,
    HandStanding,
    ListHands,
    Quit,
    Remove,
    Rename,
    Restart,
    Settings,
    Stop,
)
from nagomi_tui.sessions.session import Condition, State
from nagomi_tui.settings.model import Settings as SettingValues
from nagomi_tui.view.dialogs import dialog
from nagomi_tui.view.dialogs.completion import fitting, installed, offered
from nagomi_tui.view.dialogs.help import PageDialog
from nagomi_tui.view.dialogs.new_session import NewSession
from tests.helpers.app_pilot import Visit, visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session

if TYPE_CHECKING:
    from pathlib import Path

ONE = session(1, "one")


def closed(here: Visit) -> bool:
    return len(here.app.screen_stack) == 1


async def test_each_dialog_takes_keys_also_one_that_has_nothing_to_list() -> None:
    """Keys are held until something in a dialog has them."""
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            for key in "TNocRq:?s":
                await here.leader(key)
                await here.until(lambda: not closed(here) and here.app.screen.focused is not None)
                await here.press("escape")
                await here.until(lambda: closed(here))


async def test_a_new_session_is_started_named_and_focused() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.leader("c")
            await here.sees("New session", "claude", "make test")
            await here.type("make")
            await here.until(lambda: here.app.screen.query_one("#name", Input).value == "work-make")
            await here.press("down", "enter", "enter")
            await here.until(lambda: server.told(Create))
            asked = server.told(Create)[0]
            assert (asked.cmd, asked.cwd, asked.name) == ("make test", "/srv/work", "")
            assert (asked.cols, asked.rows) == (58, 26)
            await here.until(lambda: closed(here) and here.app.parts.state.current.number == 2)


async def test_a_recent_command_with_brackets_is_offered_as_it_is() -> None:
    with FakeOrchestrator(ONE) as server:
        server.recent = ("echo [red] '[x]'",)
        async with visit(server) as here:
            await here.leader("c")
            await here.sees("  echo [red] '[x]'")


@pytest.mark.slow
@pytest.mark.parametrize(("moves", "guard"), [(0, ""), (1, "strict"), (2, "hook"), (3, "")])
@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
@pytest.mark.requirement("F-10")
async def test_an_agent_is_guarded_by_a_switch(
    size: tuple[int, int], moves: int, guard: str
) -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, size) as here:
            await here.leader("c")
            await here.sees("New session")
            await here.misses("discuss first")
            await here.type("claude -c")
            await here.sees("discuss first", "Start")
            await here.press("tab", "tab", "tab", "tab", *["right"] * moves, "enter")
            await here.until(lambda: server.told(Create))
            asked = server.told(Create)[0]
            assert asked.env == ({"NAGOMI_GUARD": guard} if guard else {})


async def test_what_is_refused_is_said_and_nothing_typed_is_lost() -> None:
    with FakeOrchestrator(ONE) as server:
        server.refusals[Create] = "The folder /nowhere does not exist."
        async with visit(server) as here:
            await here.leader("c")
            await here.sees("New session")
            await here.type("htop")
            await here.press("tab")
            here.app.screen.query_one("#cwd", Input).value = "/nowhere"
            await here.sees("nowhere-htop")
            here.app.screen.query_one("#name", Input).value = "mine"
            await here.pilot.pause()
            await here.press("enter")
            await here.sees("The folder /nowhere does not exist.", "htop", "/nowhere", "mine")
            assert server.told(Create)[0].name == "mine"
            await here.press("escape")
            await here.until(lambda: closed(here))


async def test_a_dialog_has_its_height_from_the_first_frame_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heights: set[int] = set()
    monkeypatch.setattr(
        dialog.DialogBox, "on_resize", lambda self: heights.add(self.outer_size.height)
    )
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (80, 24)) as here:
            await here.leader("c")
            await here.sees("Enter to start")
            assert len(heights) == 1


async def test_where_a_hand_s_ssh_wants_to_ask_logging_in_is_offered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dialog, "SETTLE_SECONDS", 0.0)
    with FakeOrchestrator(ONE) as server:
        server.refusals[Create] = "big lets nobody in without a password."
        server.codes[Create] = "login"
        async with visit(server, (120, 40)) as here:
            await here.leader("c")
            await here.sees("New session")
            here.app.screen.query_one("#worker", Input).value = "big"
            await here.press("enter")
            await here.sees("Log in to big?", "big lets nobody in without a password.")
            await here.press("n")
            await here.sees("New session", "big lets nobody in without a password.")
            await here.press("enter")
            await here.sees("Log in to big?")
            server.refusals.clear()
            await here.press("y")
            await here.until(lambda: closed(here))
            *_, asked = server.told(Create)
            assert asked.cmd.endswith("-m nagomi_tui hands login big")
            assert (asked.name, asked.worker_id) == ("login-big", "local")


@pytest.mark.parametrize("code", [0, 1])
async def test_what_was_asked_for_begins_once_its_hand_was_logged_in_to(
    code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialog, "SETTLE_SECONDS", 0.0)
    with FakeOrchestrator(ONE) as server:
        server.refusals[Create] = "big lets nobody in without a password."
        server.codes[Create] = "login"
        async with visit(server, (120, 40)) as here:
            await here.leader("c")
            await here.sees("New session")
            here.app.screen.query_one("#worker", Input).value = "big"
            await here.type("make test")
            await here.press("enter")
            await here.sees("Log in to big?")
            server.refusals.clear()
            await here.press("y")
            await here.until(lambda: closed(here))
            *_, login = server.sessions.values()
            assert login.name == "login-big"
            server.change(login.session_id, state=State.EXITED, exit_code=code)
            if code == 0:
                await here.until(lambda: server.told(Create)[-1].worker_id == "big")
                assert server.told(Create)[-1].cmd == "make test"
                server.change(login.session_id, name="login-again")
            await here.pilot.pause(0.3)
            began = [one.worker_id for one in server.told(Create)]
            assert began == ["big", "local", *(["big"] if code == 0 else [])]


async def test_environment_agent_and_worker_are_asked_on_demand() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 40)) as here:
            await here.leader("c")
            await here.sees("New session")
            dialog = here.app.screen
            assert isinstance(dialog, NewSession)
            await here.type("claude")
            await here.pilot.click("#more")
            await here.sees("Environment", "Worker")
            dialog.query_one("#env", TextArea).text = "A=1\nnonsense"
            await here.pilot.click("#start")
            await here.sees("“nonsense” is not of the form NAME=value.")
            dialog.query_one("#env", TextArea).text = "A=1\nB=x=y\n"
            await here.pilot.click("#start")
            await here.until(lambda: server.told(Create))
            asked = server.told(Create)[0]
            assert (asked.env, asked.agent, asked.worker_id) == (
                {"A": "1", "B": "x=y"}, "claude", "local",
            )  # fmt: skip


async def test_going_to_the_offered_commands_moves_nothing() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.leader("c")
            await here.sees("New session", "claude")
            offered = here.app.screen.query_one("#cmd-list")
            before = offered.region
            await here.press("down")
            await here.until(lambda: offered.has_focus)
            await here.pilot.pause(0.1)
            assert offered.region == before


async def test_the_dialog_for_new_sessions_keeps_still_and_fits_a_small_screen() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (80, 24)) as here:
            await here.leader("c")
            await here.sees("New session", "make test")
            dialog = here.app.screen
            kept = [dialog.query_one(name) for name in (".box", "#cmd", "#cwd", "#name", "#start")]
            places = {tuple(one.region for one in kept)}
            for text in ("clau", "de", "\t", "/", "etc/nowhere", "\t"):
                await (here.press("tab") if text == "\t" else here.type(text))
                await here.pilot.pause(0.05)
                places.add(tuple(one.region for one in kept))
            server.refusals[Create] = (
                "That is refused, in a sentence that takes two lines here. " * 2
            )
            await here.press("enter")
            await here.sees("That is refused")
            places.add(tuple(one.region for one in kept))
            assert len(places) == 1
            await here.pilot.click("#more")
            await here.sees("Environment", "Agent profile", "Character", "Start")
            assert dialog.query_one(".box").max_scroll_y == 0


async def test_a_folder_on_a_hand_is_asked_for_as_it_was_typed(tmp_path: Path) -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 40)) as here:
            await here.leader("c")
            await here.sees("New session")
            dialog = here.app.screen
            await here.until(lambda: server.told(ListHands))
            await here.pilot.click("#more")
            dialog.query_one("#worker", Input).value = "big"
            folder = dialog.query_one("#cwd", Input)
            folder.focus()
            await here.pilot.pause()
            folder.value = f"{tmp_path.parent}/"
            await here.pilot.pause()
            assert not dialog.query_one("#cwd-list").has_class("-open")
            folder.value = "~/src"
            await here.pilot.click("#start")
            await here.until(lambda: server.told(Create))
            asked = server.told(Create)[0]
            assert (asked.cmd, asked.cwd, asked.worker_id) == ("", "~/src", "big")


async def test_a_dialog_says_on_which_hand_a_session_begins() -> None:
    far = session(1, "one", worker_id="big", cwd="~")
    with FakeOrchestrator(far) as server:
        async with visit(server, (80, 24)) as here:
            await here.leader("c")
            await here.sees("New session", "Folder on big", "your shell there", "big-sh")
            dialog = here.app.screen
            dialog.query_one("#worker", Input).value = "local"
            await here.misses("on big")
            await here.misses("your shell there")


async def test_the_hands_that_are_offered_are_seen_on_a_small_screen() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (80, 24)) as here:
            await here.leader("c")
            await here.sees("New session", "make test")
            dialog = here.app.screen
            assert isinstance(dialog, NewSession)
            await here.until(lambda: server.told(ListHands))
            dialog.offer_hands(
                tuple(
                    HandStanding(name=name, kind="ssh", command=(), reached=False)
                    for name in ("big", "huge")
                )
            )
            await here.pilot.click("#more")
            await here.until(lambda: dialog.has_class("-more"))
            dialog.query_one("#worker", Input).focus()
            await here.press("end", "ctrl+u")
            await here.sees("big  ", "huge  ")


async def test_folders_are_completed(tmp_path: Path) -> None:
    (tmp_path / "alpha").mkdir()
    (tmp_path / "albatros").mkdir()
    (tmp_path / "file").write_text("")

    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.leader("c")
            await here.sees("New session")
            field = here.app.screen.query_one("#cwd", Input)
            field.focus()
            await here.pilot.pause()
            field.value = f"{tmp_path}/al"
            options = here.app.screen.query_one("#cwd-list")
            await here.until(lambda: options.has_class("-open"))
            await here.press("down", "down", "enter")
            assert field.value == f"{tmp_path}/alpha/"


async def test_rename_keeps_the_dialog_open_when_it_is_refused() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.leader("R")
            await here.sees("Rename")
            here.app.screen.query_one(Input).value = " "
            await here.press("enter")
            await here.sees("A name needs at least one character.")
            here.app.screen.query_one(Input).value = "zwei"
            await here.press("enter")
            await here.sees("1 zwei")
            assert server.told(Rename)[0].name == "zwei"


@pytest.mark.requirement("N-86")
async def test_restart_asks_for_a_command_that_was_stored_without_its_secret() -> None:
    stored = session(1, "one", cmd="x --token=***REDACTED***", cmd_masked=True, state=State.SAVED)

    with FakeOrchestrator(stored) as server:
        server.refusals[Restart] = "The command still holds it."
        async with visit(server) as here:
            await here.leader("r")
            await here.sees("The command held a secret", "x --token=***REDACTED***")
            await here.press("enter")
            await here.sees("The command still holds it.")
            del server.refusals[Restart]
            here.app.screen.query_one(Input).value = "x --token=abc"
            await here.press("enter")
            await here.until(lambda: closed(here))
            assert server.told(Restart)[-1].cmd == "x --token=abc"


async def test_stop_asks_and_n_escape_or_y_answer() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            for key in ("n", "escape"):
                await here.leader("x")
                await here.sees("Stop this session?")
                await here.press(key)
                await here.until(lambda: closed(here))
            assert not server.told(Stop)
            await here.leader("x")
            await here.press("y")
            await here.sees("It was stopped.")
            await here.leader("r")
            await here.until(lambda: server.told(Restart))
            await here.leader("F")
            await here.until(lambda: len(server.told(Restart)) == 2)
            assert [told.fresh for told in server.told(Restart)] == [False, True]


async def test_restart_of_a_running_session_asks_first_and_remove_explains() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.leader("X")
            await here.sees("one still runs; stop it first (Ctrl+] x).")
            await here.leader("r")
            await here.sees("Start again?")
            await here.press("enter")
            await here.until(lambda: closed(here))
            assert not server.told(Restart)
            await here.leader("r")
            await here.sees("Start again?")
            await here.press("y")
            await here.until(lambda: server.told(Restart))
            server.change(ONE.session_id, state=State.EXITED, exit_code=0)
            await here.sees("It has ended.")
            await here.leader("X")
            await here.until(lambda: server.told(Remove))


@pytest.mark.parametrize("key", ["q", "x", "r", "F"])
async def test_enter_confirms_nothing_that_destroys(key: str) -> None:
    with FakeOrchestrator(ONE, session(2, "two")) as server:
        async with visit(server) as here:
            await here.leader(key)
            await here.sees("Not now (n)")
            await here.press("enter")
            await here.until(lambda: closed(here))
            assert not {type(one) for one in server.heard} & {Quit, Stop, Restart}


async def test_quit_says_that_it_stops_everything() -> None:
    with FakeOrchestrator(ONE, session(2, "two")) as server:
        async with visit(server) as here:
            await here.leader("q")
            await here.sees("This stops all 2 running sessions.", "Ctrl+] d")
            await here.press("n")
            assert not server.told(Quit)
            await here.leader("q")
            await here.press("y")
            await here.until(lambda: server.told(Quit))


async def test_help_lists_all_keys_and_filters_them() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.leader("?")
            await here.sees("Start a new session")
            await here.type("zoom")
            await here.misses("Start a new session")
            await here.sees("Hide or show the thin line", "Show one session on the whole screen")
            await here.type("qqq")
            await here.sees("Nothing fits.")
            await here.press("escape")
            await here.until(lambda: closed(here))


async def test_the_palette_finds_actions_and_sessions() -> None:
    with FakeOrchestrator(ONE, session(2, "docs-codex")) as server:
        async with visit(server) as here:
            await here.leader(":")
            await here.sees("docs-codex", "Start a new session")
            await here.type("dcx")
            await here.press("enter")
            await here.until(lambda: here.app.parts.state.current.number == 2)
            await here.leader("space")
            await here.type("whole screen")
            await here.press("enter")
            await here.until(lambda: here.app.parts.state.zoomed)


async def test_letters_here_and_there_count_only_where_nothing_has_the_word() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.leader(":")
            await here.type("theme")
            await here.sees("theme")
            await here.misses("Give the session another name")


async def test_the_palette_finds_a_setting_and_opens_it() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.leader(":")
            await here.type("quiet_hours")
            await here.sees("quiet_hours")
            await here.press("enter")
            await here.until(lambda: here.app.screen.query("#filter"))
            assert here.app.screen.query_one("#filter", Input).value == "quiet_hours"


@pytest.mark.parametrize(
    ("word", "first"),
    [
        ("quiet", "quiet_hours"),
        ("theme", "theme"),
        ("mute", "No sound for an hour"),
        ("nagomi mask", "≡ nagomi mask"),
        ("looking back", "≡ Looking back, copying"),
        ("privacy", "≡ What is kept, and what leaves the machine"),
        ("earlyoom", "≡ When a session calls you"),
    ],
)
async def test_what_is_looked_for_by_a_word_comes_before_letters_here_and_there(
    word: str, first: str
) -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.leader(":")
            await here.type(word)
            options = here.app.screen.query_one(OptionList)
            await here.until(lambda: 0 < options.option_count < 40)
            assert first in str(options.get_option_at_index(0).prompt)


@pytest.mark.parametrize(("size", "language"), [((80, 24), "en"), ((120, 30), "ja")])
async def test_the_palette_opens_a_page_at_the_section_that_was_found(
    size: tuple[int, int], language: str
) -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, size, NAGOMI_LANG=language) as here:
            await here.leader(":")
            await here.type("nagomi trace")
            await here.sees("≡ nagomi trace")
            await here.press("enter")
            await here.until(lambda: isinstance(here.app.screen, PageDialog))
            at = {
                "en": "record what the judge of a session sees",
                "ja": "つくりの判定が見ているもの",
            }
            await here.sees(at[language])
            await here.press("home")
            await here.misses(at[language])
            await here.press("escape")
            await here.until(lambda: closed(here))


async def test_tab_completes_a_folder_before_it_leaves_the_field(tmp_path: Path) -> None:
    for name in ("project-one", "project-two", "other"):
        (tmp_path / name).mkdir()
    with FakeOrchestrator(session(1, "one", cwd=str(tmp_path))) as server:
        async with visit(server) as here:
            await here.leader("c")
            await here.until(lambda: here.app.screen.query("#cwd"))
            folder = here.app.screen.query_one("#cwd", Input)
            folder.focus()
            folder.value = ""
            await here.type(f"{tmp_path}/pro")
            await here.until(lambda: here.app.screen.query_one("#cwd-list").display)
            await here.press("tab")
            assert folder.value == f"{tmp_path}/project-" and folder.has_focus
            await here.type("t")
            await here.press("tab")
            assert folder.value.rstrip("/") == f"{tmp_path}/project-two" and folder.has_focus
            await here.press("tab")
            await here.until(lambda: not folder.has_focus)


@pytest.mark.parametrize(
    ("agent", "cmd"),
    [("claude", "claude 'fix it; now'"), ("gemini", "gemini --prompt-interactive 'fix it; now'")],
)
async def test_an_agent_is_given_its_first_message(agent: str, cmd: str) -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (80, 24)) as here:
            await here.leader("c")
            await here.until(lambda: here.app.screen.query("#message"))
            await here.type(agent)
            await here.sees("First message", "Start")
            assert here.app.screen.query_one(".box").max_scroll_y == 0
            here.app.screen.query_one("#message", Input).focus()
            await here.type("fix it; now")
            await here.press("enter")
            await here.until(lambda: server.told(Create))
            assert server.told(Create)[0].cmd == cmd


async def test_the_palette_shows_and_finds_sessions_by_state_question_and_folder() -> None:
    asks = session(
        2, "deploy", cwd="/srv/kotatsu", summary="Proceed? [y/N]", phase=Condition.ATTENTION
    )
    with FakeOrchestrator(ONE, asks) as server:
        async with visit(server, (80, 24)) as here:
            for words in ("proceed", "waits for", "kotatsu"):
                await here.leader(":")
                await here.sees("◆ 2 deploy  waits for you: Proceed? [y/N]", "/srv/kotatsu")
                await here.type(words)
                await here.press("enter")
                await here.until(lambda: here.app.parts.state.current.number == 2)
                await here.leader("1")


async def test_settings_change_at_once_and_switch_the_language() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 40)) as here:
            await here.leader("s")
            await here.sees("Language of all words", "theme")
            here.app.screen.query_one("#language").focus()
            await here.press("left")
            await here.until(lambda: server.told(Settings))
            assert server.told(Settings)[0].values == {"language": "ja"}
            await here.press("escape")
            await here.sees("みんなの様子", "新しいつくり", "設定")


@pytest.mark.parametrize("turns", [1, 4])
async def test_a_language_that_comes_while_the_settings_are_closed_is_spoken(turns: int) -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (120, 40)) as here:
            await here.leader("s")
            await here.sees("Language of all words", "theme")
            here.app.screen.action_close()  # type: ignore[attr-defined]
            for _ in range(turns):
                await asyncio.sleep(0)
            here.app.parts.preferences.adopt(SettingValues(language="ja"))
            await here.sees("みんなの様子", "新しいつくり")


async def test_an_answer_that_comes_after_its_dialog_was_closed_changes_nothing() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.leader("c")
            await here.sees("New session")
            answers = []
            here.app.screen._submit = lambda request, then: answers.append(then)  # type: ignore[attr-defined]
            await here.press("enter", "enter")
            await here.until(lambda: answers)
            await here.leader("z")
            answers[0]("")
            answers[0]("too late")
            await here.until(lambda: here.app.parts.state.zoomed and closed(here))
            assert len(answers) == 1


def test_commands_that_differ_in_an_id_are_offered_once_and_no_other_is_lost() -> None:
    recent = (
        "claude --resume 0192f1aa-7b3c-4d2e-9f00-000000000001", "ssh server2", "make test",
        "claude --resume 0192f1aa-7b3c-4d2e-9f00-000000000002", "ssh server1", "make  test",
    )  # fmt: skip
    known = offered(recent, ("claude", "codex"))
    assert fitting("", known, 9) == [recent[0], "ssh server2", "make test", "ssh server1", "codex"]
    assert fitting("server1", known) == ["ssh server1"]
    assert fitting("000000002", known) == [recent[3]]


def test_agents_on_the_path_are_offered_beside_what_was_started(tmp_path: Path) -> None:
    assert offered(("claude -c",), ("claude", "codex")) == ("claude -c", "codex")
    program = tmp_path / "codex"
    program.write_text("")
    program.chmod(0o755)
    assert installed(["claude", "codex"], str(tmp_path)) == ("codex",)
