"""Hands as values and in their file: what `nagomi hands` makes, and what is wrong in a sentence."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.cli import main
from nagomi_tui.hands import faults, presets, registry
from nagomi_tui.hands.hand import BadHand, Hand
from tests.helpers.command import Commands

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("words", "name", "argv"),
    [
        (["ssh", "me@big", "-p2222"], "me@big", "-p2222 -- me@big"),
        (["wsl", "Debian", "-u", "me"], "Debian", "wsl.exe -d Debian -u me --exec"),
        (["docker", "web", "-u", "me"], "web", "docker exec -i -u me web"),
        (["podman", "web"], "web", "podman exec -i web"),
        (["kubectl", "pod/web", "--context=c"], "web", "kubectl exec -i pod/web --context=c --"),
        (["devcontainer", "/srv/app/"], "app", "devcontainer exec --workspace-folder /srv/app/"),
        (["slurm", "", "-p", "gpu"], "slurm", "srun --quiet --unbuffered -p gpu"),
        (["command", "chroot", "/jail"], "chroot", "chroot /jail"),
        (["command", "", "/bin/chroot", "/jail"], "chroot", "chroot /jail"),
    ],
)
@pytest.mark.requirement("N-127")
def test_a_preset_makes_the_command(words: list[str], name: str, argv: str) -> None:
    kind, target, *options = words
    made = presets.command(kind, target, options)
    assert " ".join(made).endswith(argv)
    assert presets.name_for(kind, target, options) == name
    words_there = Hand(name=name, kind=kind, command=made).there(["sh", "-c", "a b"])
    assert words_there[len(made) :] == (["sh -c 'a b'"] if kind == "ssh" else ["sh", "-c", "a b"])


def test_ssh_asks_nobody_and_notices_a_dead_line() -> None:
    made = presets.command("ssh", "big")
    assert {"-T", "BatchMode=yes", "ServerAliveInterval=15"} <= set(made)


def test_the_list_shows_a_command_as_it_would_be_typed(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["ssh", "big", "--", "-p", "22"], ["docker", "web"]):
        assert main(["hands", "add", words[0], words[1], "--yes", *words[2:]]) == 0
    capsys.readouterr()
    assert main(["hands"]) == 0
    big, web = capsys.readouterr().out.splitlines()
    assert big.endswith("  ssh -p 22 big") and web.endswith("  docker exec -i web")
    assert len(big) < 40


def test_an_empty_list_says_how_a_hand_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hands"]) == 0
    assert "`nagomi hands add`" in capsys.readouterr().out


def test_hands_are_added_renamed_and_removed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hands", "add", "ssh", "big", "--folder", "~/src", "--yes"]) == 0
    assert main(["hands", "add", "kubectl", "web", "-n", "prod", "--name", "pod", "--yes"]) == 0
    order = ["hands", "add", "ssh", "far", "--yes", "--name", "port", "--", "-p", "2222", "--yes"]
    assert main(order) == 0
    assert registry.load().meant("port").command[-5:] == ("-p", "2222", "--yes", "--", "far")
    assert main(["hands", "add", "command", "--yes", "--", "chroot", "/jail"]) == 0
    assert registry.load().meant("chroot").command == ("chroot", "/jail")
    assert main(["hands", "remove", "port", "--yes"]) == 0
    assert main(["hands", "remove", "chroot", "--yes"]) == 0
    first, second = registry.load().all
    assert (first.name, first.folder, second.command[-2:]) == (
        "big",
        "~/src",
        ("--namespace=prod", "--"),
    )
    assert first.mark == first.id != second.mark
    assert main(["hands", "rename", "big", "huge"]) == 0
    assert registry.load().meant("huge").mark == first.mark
    assert main(["hands", "remove", "pod", "--yes"]) == 0
    capsys.readouterr()
    assert main(["hands", "list", "--json"]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)] == ["huge"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add", "ssh", "--yes"], "Say where"),
        (["add", "ssh", "big", "--name", "local", "--yes"], "this machine"),
        (["add", "ssh", "big", "--name", "two words", "--yes"], "no name for a hand"),
        (["add", "ssh", "known", "--yes"], "already"),
        (["add", "ssh", "big", "--env", "A=B", "--yes"], "no name of a variable"),
        (["add", "ssh", "big", "-n", "prod", "--yes"], "kubectl only"),
        (["add", "ssh", "big", "--program", "it's", "--yes"], "quotation mark"),
        (["remove", "knwon", "--yes"], "did you mean `known`"),
        (["rename", "other", "new"], "There is no hand `other`"),
        (["rename", "known", "local"], "this machine"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.add(Hand(name="known", command=("ssh", "known")))
    before = registry.hands_file().read_bytes()
    assert main(["hands", *arguments]) == 2
    assert words in capsys.readouterr().err
    assert registry.hands_file().read_bytes() == before


def test_one_bad_hand_in_the_file_is_named_and_the_others_count() -> None:
    registry.add(Hand(name="good", command=("ssh", "good")))
    path = registry.hands_file()
    told = json.loads(path.read_text())
    told["hands"] += [{"name": "bad"}, {"name": "good", "command": ["x"]}, 7]
    path.write_text(json.dumps(told))
    found = registry.load()
    assert [hand.name for hand in found.all] == ["good"]
    assert [
        next(word for word in ("hand 2", "two hands", "hand 4") if word in str(fault))
        for fault in found.faults
    ] == ["hand 2", "two hands", "hand 4"]
    with pytest.raises(BadHand):  # to write it again would lose them
        registry.remove("good")
    path.write_text("nonsense")
    with pytest.raises(BadHand, match="could not be understood"):
        registry.load()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Host key verification failed.", "not known to ssh"),
        ("me@big: Permission denied (publickey,password).", "ssh-copy-id big"),
        ("ssh: Could not resolve hostname big: Name or service not known", "no host of that name"),
        ("ssh: connect to host big port 22: Connection refused", "does not answer"),
        ("sh: 1: nagomi-worker: not found", "no nagomi-worker behind h"),
        ("bash: line 1: python3: command not found", "no such Python behind h"),
        ("/usr/bin/python3: No module named nagomi_worker", "has no nagomi_worker"),
        ("Error response from daemon: No such container: web", "not there, or not running"),
        ("a b c", "h was not reached: a b c"),
        ("", "ended with 7 and said nothing"),
    ],
)
def test_why_a_hand_was_not_reached_is_one_sentence(said: str, words: str) -> None:
    hand = Hand(name="h", kind="ssh", command=("ssh", "big"))
    fault = str(faults.sentence_of(hand, ["Welcome", said] if said else [], 7))
    assert words in fault and "\n" not in fault


@pytest.mark.requirement("N-112")
def test_setup_says_why_a_hand_is_not_reached(nagomi_home: Path) -> None:
    nagomi = Commands(nagomi_home, os.environ)
    try:
        done = nagomi.run("setup", "--wsl", "Debian", "--yes")
        assert (done.returncode, registry.load().meant("Debian").kind) == (1, "wsl")
        assert "no program `wsl.exe` here" in done.stderr
        assert "no program `wsl.exe`" in nagomi.run("hands", "test", "Debian").stderr
        listed = nagomi.ok("hands", "list")
        told = nagomi.run("doctor").stdout
        assert "Hand Debian" in told and "no program `wsl.exe` here" in told
        assert "Debian  away" in listed and "wsl.exe -d Debian --" in listed
    finally:
        nagomi.ok("quit", "--yes")
