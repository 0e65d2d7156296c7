"""Which paths file tools may touch, and what happens when links move while they do."""

from __future__ import annotations

import os
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.agent.tools import granted as opening
from nagomi_tui.agent.tools.granted import Granted, Place
from nagomi_tui.agent.tools.interface import ToolFault
from tests.helpers.toolboxes import User, box, use

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def spaces(tmp_path: Path) -> tuple[Path, Path]:
    """A workspace, and a folder beside it whose name begins alike and that holds a secret."""
    inside, outside = tmp_path / "ws", tmp_path / "ws-evil"
    inside.mkdir()
    outside.mkdir()
    (inside / "note").write_text("mine")
    (outside / "note").write_text("not yours")
    return inside, outside


@pytest.mark.requirement("SB-17")
def test_neither_prefix_nor_dots_nor_links_lead_out(spaces: tuple[Path, Path]) -> None:
    inside, outside = spaces
    (inside / "out").symlink_to(outside)
    (inside / "file").symlink_to(outside / "note")
    (inside / "loop").symlink_to("loop")
    (inside / "deep").mkdir()
    (inside / "deep" / "up").symlink_to("../..")
    tools, user = box(inside, User()), User()
    for path in (
        str(outside / "note"),
        "../ws-evil/note",
        "out/note",
        "file",
        "deep/up/ws-evil/note",
        f"{inside}-evil/note",
        "loop",
        "/etc/passwd",
        "/proc/self/environ",
        "/proc/self/cwd/README.md",
        "note\0",
    ):
        for name in ("read_file", "list_directory"):
            result = use(tools, name, path=path)
            assert not result.ok and "not yours" not in result.text, (name, path)
        written = use(box(inside, user), "write_file", path=path, text="mine now")
        assert not written.ok, path
    assert user.asked == []
    assert (outside / "note").read_text() == "not yours"


@pytest.mark.requirement("SB-17")
def test_what_lies_inside_is_read_by_any_way_to_it(spaces: tuple[Path, Path]) -> None:
    inside, _ = spaces
    (inside / "sub").mkdir()
    (inside / "sub" / "back").symlink_to("../note")
    for path in ("note", "./sub/../note", "sub/back", str(inside / "note")):
        result = use(box(inside, User()), "read_file", path=path)
        assert result.ok and "\nmine\n" in result.text, path


@pytest.mark.requirement("SB-17")
def test_a_granted_folder_opens_itself_only(spaces: tuple[Path, Path]) -> None:
    inside, outside = spaces
    other = outside.with_name("ws-evil-too")
    other.mkdir()
    (other / "note").write_text("not yours either")
    tools = box(inside, User(), granted=[outside])
    assert "not yours" in use(tools, "read_file", path=str(outside / "note")).text
    assert not use(tools, "read_file", path=str(other / "note")).ok


@pytest.mark.requirement("SB-17")
def test_a_workspace_behind_a_link_is_found(spaces: tuple[Path, Path]) -> None:
    inside, _ = spaces
    link = inside.with_name("link")
    link.symlink_to(inside)
    assert use(box(link, User()), "read_file", path=str(link / "note")).ok
    assert use(box(link, User()), "read_file", path=str(inside / "note")).ok


def test_hidden_folders_are_not_granted_by_one_above(tmp_path: Path) -> None:
    state = tmp_path / "state"
    agent = state / "agent"
    agent.mkdir(parents=True)
    (state / "token").write_text("t0ken")
    (agent / "NEXT.md").write_text("next")
    tools = box(agent, User(), granted=[tmp_path], hidden=[state])
    assert use(tools, "read_file", path="NEXT.md").ok
    assert not use(tools, "read_file", path=str(state / "token")).ok
    assert not use(tools, "read_file", path="../token").ok
    assert "t0ken" not in use(tools, "search_files", path=str(tmp_path), text="t0k").text


def test_a_hidden_folder_that_is_itself_granted_stays_hidden(tmp_path: Path) -> None:
    state, agent = tmp_path / "state", tmp_path / "agent"
    state.mkdir()
    agent.mkdir()
    (state / "token").write_text("t0ken")
    tools = box(agent, User(), granted=[state], hidden=[state])
    assert not use(tools, "read_file", path=str(state / "token")).ok


@pytest.mark.parametrize("path", [".git/hooks/pre-commit", "sub/.GIT/config", ".sessions/x.jsonl"])
def test_what_programs_keep_is_not_written(tmp_path: Path, path: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    user = User()
    result = use(box(tmp_path, user), "write_file", path=path, text="#!/bin/sh\ntouch /tmp/x\n")
    assert not result.ok and "kept by programs" in result.text and user.asked == []


def test_a_link_put_in_the_way_after_the_check_is_not_followed(spaces: tuple[Path, Path]) -> None:
    inside, outside = spaces
    (inside / "sub").mkdir()
    (inside / "sub" / "note").write_text("mine")
    granted = Granted(inside)
    folder, file = granted.place("sub/note"), granted.place("note")
    (inside / "sub").rename(inside / "was")
    (inside / "sub").symlink_to(outside)
    (inside / "note").unlink()
    (inside / "note").symlink_to(outside / "note")
    for place in (folder, file):
        with pytest.raises(OSError):
            opening.read(place)
        with pytest.raises(OSError):
            opening.write(place, b"mine now", None)
    with pytest.raises(OSError):
        opening.entries(granted.place("was")._replace(relative=folder.relative.parent))
    assert (outside / "note").read_text() == "not yours"
    assert sorted(path.name for path in outside.iterdir()) == ["note"]


def test_nothing_is_ever_read_through_a_folder_that_turns_into_a_link(
    spaces: tuple[Path, Path],
) -> None:
    inside, outside = spaces
    (inside / "a").mkdir()
    (inside / "a" / "note").write_text("mine")
    granted, ended = Granted(inside), threading.Event()

    def swap() -> None:
        while not ended.is_set():
            (inside / "a").rename(inside / "b")
            (inside / "a").symlink_to(outside)
            (inside / "a").unlink()
            (inside / "b").rename(inside / "a")
            time.sleep(0.001)

    swapping = threading.Thread(target=swap)
    swapping.start()
    seen: set[bytes] = set()
    ends = time.monotonic() + 1.5
    try:
        while time.monotonic() < ends:
            try:
                seen.add(opening.read(granted.place("a/note")).data)
            except (OSError, ToolFault):
                continue
    finally:
        ended.set()
        swapping.join()
    assert seen <= {b"mine"}


def test_fifos_sockets_devices_and_folders_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "socket"))
    began = time.monotonic()
    user = User()
    with listener:
        for name in ("fifo", "folder", "socket"):
            assert not use(box(tmp_path, user), "read_file", path=name).ok
            assert not use(box(tmp_path, user), "write_file", path=name, text="a").ok
        found = use(box(tmp_path, user), "search_files", text="a")
        assert found.ok and "0 files were looked through, 0 lines fit." in found.text
    assert not use(
        box(tmp_path, user, granted=[tmp_path.__class__("/dev")]), "read_file", path="/dev/zero"
    ).ok
    assert user.asked == [] and time.monotonic() - began < 30


def test_a_place_above_the_root_is_the_root(tmp_path: Path) -> None:
    place = Granted(tmp_path).place(".")
    assert place.above == place == Place(tmp_path, tmp_path.relative_to(tmp_path))
    with pytest.raises(IsADirectoryError):
        opening.read(place)
