"""Small files of the state and configuration folder, and lines between our own programs."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from nagomi_tui import event
from nagomi_tui.commands.start import wire
from nagomi_tui.orchestrator.runtime import crash_marker as mark
from nagomi_tui.settings import store
from nagomi_tui.system import folders
from tests.golden.databases import FIRST

_GOLDEN = Path(__file__).parent


def test_settings_with_nothing_at_its_default_are_read_and_written(nagomi_home: Path) -> None:
    golden = (_GOLDEN / "settings.json").read_bytes()
    answers = json.loads((_GOLDEN / "answers.json").read_bytes())
    assert {f".{name}" for name in json.loads(golden)} == {*answers["settings"]} - {""}
    path = nagomi_home / "config" / "settings.json"
    path.parent.mkdir(mode=0o700)
    path.write_bytes(golden)
    loaded = store.load()
    assert (loaded.faults, loaded.strangers) == ((), {})
    path.unlink()
    store.save(loaded.settings)
    assert path.read_bytes() == golden


def test_places_of_sockets_are_found_and_kept(nagomi_home: Path) -> None:
    kept = nagomi_home / "state" / "sockets"
    kept.parent.mkdir(mode=0o700)
    kept.write_bytes(b"/tmp/nagomi-0/0123456789ab\n/srv/state/run\n")
    assert folders.recorded() == ["/tmp/nagomi-0/0123456789ab", "/srv/state/run"]
    assert folders.sockets() == "/tmp/nagomi-0/0123456789ab"
    folders.record("/srv/other/run")
    assert kept.read_bytes() == b"/srv/other/run\n/tmp/nagomi-0/0123456789ab\n/srv/state/run\n"


def test_the_crash_marker_has_its_bytes(tmp_path: Path) -> None:
    session, nobody = FIRST.encode(), bytes(36)
    marker = mark.CrashMarker(tmp_path / "feeding")
    marker.enter(session, mark.FEED)
    marker.enter_aside(session)
    written = b"f" + session + nobody + b"\0\x01" + session + b"\0" + (1).to_bytes(8, "little")
    assert (tmp_path / "feeding").read_bytes() == written
    assert (mark.FILE_NAME, mark.RESTORE, mark.OTHER) == ("feeding", b"r", b"o")


@pytest.mark.parametrize(("phase", "restoring"), [(b"f", False), (b"r", True), (b"o", False)])
def test_a_crash_marker_tells_whom_to_distrust(
    phase: bytes, restoring: bool, tmp_path: Path
) -> None:
    path = tmp_path / "feeding"
    path.write_bytes(phase + FIRST.encode() + bytes(83))
    assert mark.CrashMarker(path).judge("crashed") == (FIRST, restoring)
    assert path.read_bytes() == bytes(1) + FIRST.encode() + FIRST.encode() + bytes(47)


def test_a_hook_s_event_is_handed_on_in_the_same_words(tmp_path: Path) -> None:
    given, told = (_GOLDEN / "hook_event.ndjson").read_bytes().splitlines(keepends=True)
    path = tmp_path / "front"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(20)
        env = {"NAGOMI_SESSION_ID": FIRST, "NAGOMI_SOCKET": str(path)}
        command = [sys.executable, "-IS", event.__file__, "claude", "4714"]
        subprocess.run(command, input=given, env=env, check=True, timeout=20)
        peer, _ = listener.accept()
        with peer, peer.makefile("rb") as lines:
            line = lines.read()
    said = {**json.loads(line), "at": json.loads(told)["at"]}
    assert json.dumps(said).encode() + b"\n" == told


def test_the_zygote_is_asked_in_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        monkeypatch.delenv(name)
    monkeypatch.setenv("LANG", "ja_JP.UTF-8")
    monkeypatch.setenv("EMPTY", "")
    monkeypatch.setattr(sys, "argv", ["/usr/bin/nagomi", "unread"])
    body = b"\0".join(
        [os.fsencode(wire.build()), b"18", b"/usr/bin/nagomi", b"LANG=ja_JP.UTF-8", b"EMPTY="]
    )
    asked = len(body).to_bytes(4, "big") + body
    assert wire.request(0o22) == asked
    assert wire.length(asked[:4]) == len(asked) and wire.body(asked) == body
    read = wire.Request(b"build\x0018\0/usr/bin/nagomi\0LANG=C\0EMPTY=\0A=b=c")
    assert (read.build, read.umask, read.program) == ("build", 0o22, "/usr/bin/nagomi")
    assert read.env == {"LANG": "C", "EMPTY": "", "A": "b=c"}
    words = (wire.READY, wire.GO, wire.STOP, wire.ANEW, wire.END, wire.FDS)
    assert words == (b"r", b"\0", b"z", b"a", b"x", 4)
