"""Plain `nagomi` on a real terminal: tmux is the outer one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.system.console import READ_SECONDS
from nagomi_tui.text.key_names import BEHIND_SECONDS
from tests.helpers.command import NAGOMI, Commands, workplace
from tests.helpers.outer import Outer
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow


@pytest.fixture
def own() -> Iterator[Commands]:
    """A workplace in which nothing runs yet."""
    with workplace() as commands:
        yield commands


def _terminal(nagomi: Commands, *arguments: str) -> Outer:
    env = {**nagomi.env, "TERM": "xterm-256color", "PS1": "shell$ "}
    return Outer([*NAGOMI, *arguments], env, cols=100, rows=30)


@pytest.mark.requirement("N-111", "N-128")
def test_plain_nagomi_opens_with_a_shell_and_says_how_to_come_back(own: Commands) -> None:
    with _terminal(own) as outer:
        outer.wait("shell$")
        assert [session["number"] for session in own.json("ls")] == [1]
        outer.keys("C-]", "d")
        outer.wait("[left")
        assert "Everything runs on" in outer.screen()
    assert own.json("ls")[0]["state"] == "running"


def test_the_detach_command_makes_front_ends_leave(own: Commands) -> None:
    with _terminal(own) as outer:
        outer.wait("shell$")
        own.ok("detach")
        outer.wait("[left")
        assert "Everything runs on" in outer.screen()


def test_two_plain_nagomi_at_the_same_moment_open_one_shell(own: Commands) -> None:
    with _terminal(own) as one, _terminal(own) as other:
        until(lambda: "shell$" in one.screen() and "shell$" in other.screen())
        assert len(own.json("ls")) == 1


def test_coming_back_finds_what_was_there(own: Commands) -> None:
    own.new("echo was here; exec cat")
    for _ in range(2):
        with _terminal(own) as outer:
            outer.wait("was here")
    assert len(own.json("ls")) == 1


@pytest.mark.parametrize(("answer", "left"), [("n", 1), ("y", 0)])
def test_quit_asks_on_a_terminal(own: Commands, answer: str, left: int) -> None:
    own.new("cat")
    with _terminal(own, "quit") as outer:
        outer.wait("[y/N]")
        time.sleep(READ_SECONDS)  # a yes that comes at once is none
        outer.keys(answer, "Enter")
        outer.wait("[left")
    assert len(own.json("ls")) == left


def test_a_terminal_that_cannot_place_text_is_refused(own: Commands) -> None:
    env = {**own.env, "TERM": "dumb"}
    with Outer([*NAGOMI], env, cols=100, rows=30) as outer:
        outer.wait("[left")
        assert "TERM is `dumb`" in outer.screen()


def test_the_first_nagomi_of_a_home_welcomes_its_user_once(own: Commands) -> None:
    own.env["NAGOMI_WELCOME"] = "1"
    with _terminal(own) as outer:
        outer.wait("Begin")
        outer.keys("C-]")
        outer.wait("✓ Ctrl+] arrives")
        outer.keys("Escape")
        outer.wait("✓ Ctrl+] arrives")
        time.sleep(BEHIND_SECONDS * 2)
        outer.keys("Escape")
        outer.wait(lambda shown: "this dialog" not in shown and "shell$" in shown)
        outer.type("echo seen-$((40+2))")
        outer.keys("Enter")
        outer.wait("seen-42")
    with _terminal(own) as outer:
        outer.wait("seen-42")
        assert "Begin" not in outer.screen()


def test_attach_opens_with_the_session_that_is_named_in_front(own: Commands) -> None:
    for name in ("one", "two"):
        own.ok("new", "--name", name, "--", "cat")
    with _terminal(own, "attach", "two") as outer:
        outer.wait("keys → two")
        outer.keys("C-]", "d")
        outer.wait("[left")
    assert own.run("attach").returncode == 1
