"""On which hand a session begins, by its folder."""

from __future__ import annotations

import pytest

from nagomi_tui.hands.hand import Hand
from nagomi_tui.sessions.places import COMMAND, beginning_of, plainly

HANDS = (
    Hand(name="big", command=("ssh",), folders={"/home/me/src": "~/code", "/home/me/src/app": ""}),
    Hand(name="win", command=("ssh",), folders={"C:\\src": "/mnt/c/src"}),
    Hand(name="none", command=("ssh",)),
)
WSL = tuple(Hand(name=name, command=("wsl.exe",), kind="wsl") for name in ("Ubuntu", "Debian"))


@pytest.mark.parametrize(
    ("folder", "begins"),
    [
        ("/home/me/src", ("big", "~/code")),
        ("/home/me/src/lib/x", ("big", "~/code/lib/x")),
        ("/home/me/src/app/deep", ("big", "")),
        ("/home/me/srcs", None),
        ("/home/me", None),
        ("C:\\src\\app", ("win", "/mnt/c/src/app")),
    ],
)
def test_the_nearest_folder_above_has_the_hand(folder: str, begins: tuple[str, str] | None) -> None:
    assert beginning_of(folder, HANDS) == begins


@pytest.mark.parametrize(
    ("folder", "begins"),
    [
        ("C:\\src\\app", ("win", "/mnt/c/src/app")),
        ("C:\\Users\\me", ("Ubuntu", "/mnt/c/Users/me")),
        ("D:\\", ("Ubuntu", "/mnt/d")),
        ("/home/me", None),
    ],
)
def test_a_drive_of_windows_belongs_to_the_first_hand_of_wsl(
    folder: str, begins: tuple[str, str] | None
) -> None:
    assert beginning_of(folder, (*HANDS, *WSL)) == begins


def test_the_shell_that_a_worker_chooses_is_called_as_any_shell() -> None:
    assert (plainly(COMMAND), plainly("make")) == ("sh -l", "make")
