"""Whatever names, folders, programs and files hold: it does not reach the user's terminal."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.helpers.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.helpers.command import Commands

pytestmark = pytest.mark.slow

EVIL = "a\x1b]0;t\x07\x9b31m\u202eb\u2066\u200f\u061c\u2028c\x85\x7f"
BAD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
ASKS = (
    r"printf 'x\033]2;\xe2\x80\xaee\302\233\007Go \xe2\x80\xae\302\233on? [y/N] '; read a; sleep 60"
)


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="ng", dir="/tmp"))
    yield made
    shutil.rmtree(made, ignore_errors=True)


def told(nagomi: Commands, *arguments: str | bytes, **options: str) -> str:
    """Run a command however it ends, and return all that it said."""
    done = nagomi.run(*arguments, env=options)
    said = done.stdout + done.stderr
    assert said and not BAD.search(said), (arguments, said)
    return said


def test_a_session_s_words(nagomi: Commands, folder: Path) -> None:
    evil = folder / EVIL
    evil.mkdir()
    (evil / ".git").mkdir()
    (evil / ".git" / "HEAD").write_text(f"ref: refs/heads/{EVIL}\n")
    said = told(nagomi, "new", "--name", EVIL, "--cwd", str(evil), "--", "bash", "-c", ASKS)
    number = said.split()[0]
    until(lambda: nagomi.json("answer", number))
    for command in ("ls", "next"):
        told(nagomi, command)
    for command in ("why", "answer", "act", "capture"):
        nagomi.run(command, number)
        assert not BAD.search(nagomi.run(command, number).stdout)
    nagomi.ok("rename", number, EVIL + "2")
    told(nagomi, "ls")
    told(nagomi, "answer", number, EVIL)
    told(nagomi, "send", number, EVIL)
    nagomi.ok("correct", number, "failure")
    told(nagomi, "judge", "corrections")
    nagomi.ok("stop", number)
    told(nagomi, "send", number, "x")
    (kept,) = [one for one in nagomi.json("ls") if one["number"] == int(number)]
    assert kept["cwd"] == str(evil), "JSON says what is there"


@pytest.mark.parametrize(
    "arguments",
    [
        ("send", EVIL, "x"),
        ("why", EVIL),
        ("new", "--cwd", f"/tmp/{EVIL}", "--", "cat"),
        ("new", "--character", EVIL, "--", "cat"),
        ("new", "--agent", EVIL, "--worker", EVIL, "--", "cat"),
        ("new", "--size", EVIL, "--", "cat"),
        ("new", "--env", EVIL, "--", "cat"),
        ("new", "--", f"/no/{EVIL}"),
        ("wait", ".", "--until", EVIL),
        ("wait", ".", "--until", "output", f"({EVIL}"),
        ("keys", ".", EVIL),
        ("history", "--since", EVIL),
        ("history", "--session", EVIL),
        ("characters", "--preview", EVIL),
        ("judge", "replay", EVIL),
        ("judge", "score", EVIL),
        ("sound", "test", EVIL),
        ("sound", "mute", EVIL),
        ("hooks", "show", "--agent", EVIL),
        ("correct", ".", EVIL),
        (EVIL,),
        ("ls", f"--{EVIL}"),
    ],
    ids=lambda given: " ".join(given).replace(EVIL, "EVIL"),
)
def test_the_sentences_of_faults(nagomi: Commands, arguments: tuple[str, ...]) -> None:
    number = nagomi.new("cat")
    told(nagomi, *(number if one == "." else one for one in arguments))


def test_what_was_printed_is_found_plain(nagomi: Commands) -> None:
    number = nagomi.new(
        "bash", "-c", r"printf 'needle \xe2\x80\xae \302\233 end\n'; sleep 1", name=EVIL
    )
    nagomi.ok("wait", number)
    said = until(lambda: nagomi.run("history", "needle").stdout)
    assert not BAD.search(said)


def test_links_of_a_capture_cannot_leave_their_sequence(nagomi: Commands) -> None:
    target = r"http://x/\xe2\x80\xae\302\233\302\235"
    number = nagomi.new(
        "bash", "-c", rf"printf '\033]8;;{target}\033\\\\link\033]8;;\033\\\\'; sleep 60"
    )
    said = until(lambda: "link" in (text := nagomi.ok("capture", number, "--ansi")) and text)
    assert "\x1b]8;;http://x/\x1b\\" in said
    assert not re.search("[\x80-\x9f\u202e]", said)


def test_files_of_the_user_s_own(nagomi: Commands) -> None:
    settings, characters = (
        nagomi.home / "config" / "settings.json",
        nagomi.home / "config/characters",
    )
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(json.dumps({EVIL: 1, "language": EVIL, "leader": EVIL}))
    (settings.parent / "keymap.toml").write_text(f"[keys]\n{json.dumps(EVIL)} = 'x'\n")
    (characters / EVIL).mkdir(parents=True)
    (characters / EVIL / "character.toml").write_text(f"id = {json.dumps(EVIL)}\n")
    try:
        told(nagomi, "doctor", TERM=EVIL, LANG=EVIL, SHELL=EVIL)
        told(nagomi, "characters")
    finally:
        settings.unlink()
        shutil.rmtree(characters)
        (settings.parent / "keymap.toml").unlink()
