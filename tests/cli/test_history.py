"""`nagomi history`: what sessions printed, found while nagomi runs and when it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.helpers.waiting import until

if TYPE_CHECKING:
    from tests.helpers.command import Commands


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
    assert "nothing is stored" in nagomi.fails(3, "history", "--session", "nobody")
    assert "5 parsecs" in nagomi.fails(2, "history", "--since", "5 parsecs")
    nagomi.new("sh", "-c", "exec cat")
    assert nagomi.json("history", "other words")[0]["session"] == "other"
