"""`nagomi history`: what sessions printed, found while nagomi runs and when it does not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.helpers.waiting import until

if TYPE_CHECKING:
    from tests.helpers.command import Commands

pytestmark = pytest.mark.slow


def test_history_is_searched_with_and_without_nagomi_running(nagomi: Commands) -> None:
    assert nagomi.run("history").returncode == 1
    for name, text in (("talk", "日本語 token=abc"), ("other", "other words")):
        nagomi.new("sh", "-c", f"echo '{text}'; exec cat", name=name)
    until(lambda: "other words" in nagomi.run("history").stdout)
    until(lambda: "日本語" in nagomi.run("history").stdout)
    for running in (True, False):
        (found,) = nagomi.json("history", "本語")
        assert (found["session"], found["line"]) == ("talk", "日本語 token=***REDACTED***")
        assert nagomi.json("history", "--session", found["session_id"][:8]) == [found]
        if running:
            nagomi.ok("quit", "--yes")
    printed = nagomi.ok("history", "本語", "--session", "talk", "--since", "5m").split()
    assert printed[2:] == ["talk", "日本語", "token=***REDACTED***"]
    assert nagomi.run("history", "--since", "2099-01-01", "--json").stdout == "[]\n"
    assert "history --session other" in nagomi.fails(1, "history", "other", "--since", "2099-01-01")
    assert not nagomi.run("history", "nobody").stderr
    assert "nothing is stored" in nagomi.fails(3, "history", "--session", "nobody")
    assert "5 parsecs" in nagomi.fails(2, "history", "--since", "5 parsecs")
    nagomi.new("sh", "-c", "exec cat")
    assert nagomi.json("history", "other words")[0]["session"] == "other"


@pytest.mark.requirement("N-65", "N-66", "N-67")
def test_turns_are_listed_with_how_they_ended(nagomi: Commands) -> None:
    nagomi.new("sh", "-c", "sleep 1; echo 3 passed", name="first")
    nagomi.new("sh", "-c", "sleep 1; echo boom >&2; exit 3", name="second")

    def told_of() -> dict[str, Any]:
        found = json.loads(nagomi.run("history", "--turns", "--json").stdout)
        return {one["session"]: one for one in found if one["session"] in ("first", "second")}

    until(lambda: len(told_of()) == 2)
    told = told_of()
    assert told["first"]["verdict"]["state"] == "success"
    assert told["second"]["verdict"]["state"] == "failure"
    for one in told.values():
        assert 0.5 < one["ended"] - one["started"] < 40
        line = nagomi.ok("history", "--turns", "--session", one["session"]).strip()
        word = "done" if one["session"] == "first" else "failed"
        assert line.split()[2:4] == [one["session"], word]
        assert line.endswith(one["verdict"]["summary"])
    other = {"NAGOMI_LANG": "ja"}
    fixed = nagomi.run("history", "--turns", "--session", "first", env=other).stdout
    assert told["first"]["verdict"]["summary"] == "It has ended."
    assert fixed.endswith("終わりました。\n")
    nagomi.new("sh", "-c", "exit 7", name="third")
    until(lambda: "third" in nagomi.run("digest").stdout)
    listed = nagomi.run("digest", "--session", "third", env=other).stdout
    assert listed.endswith("つまずきました（7）。\n")
    summary = told["second"]["verdict"]["summary"]
    (found,) = nagomi.json("history", "--turns", summary.upper())
    assert found == told["second"]
    assert nagomi.run("history", "--turns", "--since", "2099-01-01", "--json").stdout == "[]\n"
    assert nagomi.run("history", "--turns", "no such words").returncode == 1


def test_a_damaged_history_is_told_and_begins_anew(nagomi: Commands) -> None:
    file = nagomi.home / "state" / "history.db"
    nagomi.new("sh", "-c", "for n in $(seq 3000); do echo line $n of many; done; exec cat")
    until(lambda: "line 3000" in nagomi.run("history", "line").stdout)
    nagomi.ok("quit", "--yes")
    with file.open("r+b") as damaged:
        for page in range(2, file.stat().st_size // 4096):
            damaged.seek(page * 4096)
            damaged.write(b"\xa5" * 4096)
    told = nagomi.fails(1, "history", "nowhere to be found")
    assert "malformed" in told or "damaged" in told
    nagomi.new("sh", "-c", "echo it goes on; exec cat")
    until(lambda: "it goes on" in nagomi.run("history").stdout)
    assert "history.broken-" in nagomi.fails(1, "history", "nowhere to be found")


def test_a_history_that_is_no_file_is_told(nagomi: Commands) -> None:
    nagomi.new("cat")
    nagomi.ok("quit", "--yes")
    state = nagomi.home / "state"
    for left in state.glob("history.*"):
        left.unlink()
    (state / "history.db").mkdir()
    assert "no regular file" in nagomi.fails(1, "history")
