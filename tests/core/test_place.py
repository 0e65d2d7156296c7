"""On which hand a session begins, by its folder."""

from __future__ import annotations

import pytest

from nagomi_tui.core.session.place import beginning_of

HANDS = {
    "big": {"/home/me/src": "~/code", "/home/me/src/app": ""},
    "win": {"C:\\src": "/mnt/c/src"},
    "none": {},
}


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
