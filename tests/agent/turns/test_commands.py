"""Slash commands: their exact lines, and that none but `/compact` asks a model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import anyio
import pytest

from nagomi_tui.agent.tools.granted import Granted, ToolContext
from nagomi_tui.agent.tools.interface import Workplace
from nagomi_tui.agent.turns import slash_commands
from nagomi_tui.agent.turns.library import all_tools
from nagomi_tui.agent.turns.open_conversation import ContextUse
from nagomi_tui.api import messages
from nagomi_tui.text import words
from tests.helpers.agent_desk import Desk, entry
from tests.helpers.workplace import PATIENCE, create

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agent.talk.events import Reply
    from tests.helpers.workplace import Place


def answer(desk: Desk, line: str) -> Reply:
    assert slash_commands.is_command(line)
    return anyio.run(slash_commands.answer, desk, line)


def three() -> Desk:
    return Desk(
        entry("aaa111aaa111", "my-project", messages=12, last="2026-01-02T03:04:05"),
        entry("aaa222aaa222", "my-notes", messages=2, last="2026-01-03T03:04:05"),
        entry("bbb333bbb333", "", last="2026-01-01T03:04:05"),
    )


@pytest.mark.requirement("S-26")
def test_new_begins_a_conversation_with_a_label() -> None:
    desk = Desk()
    reply = answer(desk, "/new my project")
    assert reply.status is not None
    assert (reply.status.label, desk.current.label) == ("my project", "my project")
    assert reply.lines == (f"Begun: {desk.current.id} (my project)",)


@pytest.mark.requirement("SC-4")
def test_a_conversation_needs_no_label() -> None:
    desk = Desk()
    assert answer(desk, "/new").lines == (f"Begun: {desk.current.id}",)


@pytest.mark.requirement("S-27", "SB-15")
def test_switch_goes_by_the_beginning_of_a_label() -> None:
    desk = three()
    reply = answer(desk, "/switch my-p")
    assert reply.lines == ("Now in aaa111aaa111 (my-project); messages: 12.",)
    assert reply.status is not None and reply.status.conversation == "aaa111aaa111"


def test_switching_back_and_forth_ends_where_it_began() -> None:
    desk = three()
    for name in ("my-notes", "aaa111"):
        answer(desk, f"/switch {name}")
    assert desk.current.id == "aaa111aaa111"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/switch", "Usage: /switch <session_id>"),
        ("/switch nothing", "Session not found: nothing"),
        (
            "/switch my-",
            "Ambiguous prefix, matches: aaa222aaa222 (my-notes), aaa111aaa111 (my-project)",
        ),
    ],
)
@pytest.mark.requirement("SC-4")
def test_switch_says_what_is_wrong(line: str, said: str) -> None:
    desk = three()
    reply = answer(desk, line)
    assert (reply.lines, reply.failed, desk.current.id) == ((said,), True, "aaa111aaa111")


@pytest.mark.requirement("SB-15")
def test_the_whole_name_wins() -> None:
    desk = Desk(entry("aaaaaaaaaaaa", "my"), entry("bbbbbbbbbbbb", "my-p"))
    answer(desk, "/switch my-p")
    assert not answer(desk, "/switch my").failed
    assert desk.current.label == "my"


@pytest.mark.requirement("SC-5")
def test_a_list_has_the_latest_first_and_marks_the_current() -> None:
    assert answer(three(), "/list").lines == (
        "    aaa222aaa222 (my-notes)  msgs=2  last=2026-01-03T03:04:05",
        "    aaa111aaa111 (my-project)  msgs=12  last=2026-01-02T03:04:05 <-- current",
        "    bbb333bbb333  msgs=0  last=2026-01-01T03:04:05",
    )


@pytest.mark.parametrize(
    ("tokens", "bar"),
    [
        (1_234, "\x1b[32m[------------------------------] 0.7%\x1b[39m"),
        (45_000, "\x1b[32m[#######-----------------------] 25.0%\x1b[39m"),
        (90_000, "\x1b[33m[###############---------------] 50.0%\x1b[39m"),
        (144_000, "\x1b[31m[########################------] 80.0%\x1b[39m"),
        (360_000, "\x1b[31m[##############################] 200.0%\x1b[39m"),
    ],
)
@pytest.mark.requirement("S-28", "SC-6")
def test_context_shows_numbers_a_bar_and_messages(tokens: int, bar: str) -> None:
    desk = Desk()
    desk.contents = ContextUse(tokens=tokens, limit=180_000, messages=7)
    assert answer(desk, "/context").lines == (
        f"Context usage: ~{tokens:,} / 180,000 tokens",
        bar,
        "Messages: 7",
    )


@pytest.mark.requirement("S-29")
def test_compact_is_the_one_command_that_asks_a_model() -> None:
    desk = Desk()
    assert answer(desk, "/compact").lines[0].startswith("Summed up: 6 → 4 messages")
    assert desk.asked == 1


@pytest.mark.requirement("S-29", "SC-4")
def test_a_short_history_is_not_summed_up() -> None:
    desk = Desk()
    desk.contents = ContextUse(tokens=10, limit=180_000, messages=4)
    assert answer(desk, "/compact").lines == ("Too few messages to compact (need > 4).",)
    assert desk.asked == 0


@pytest.mark.requirement("W-6")
def test_no_other_command_asks_a_model() -> None:
    desk = Desk()
    for command in slash_commands.COMMANDS:
        if command.name != "compact":
            answer(desk, f"/{command.name}")
    assert desk.asked == 0


@pytest.mark.requirement("SC-4")
def test_help_names_every_command_in_both_languages() -> None:
    for language in ("en", "ja"):
        shown = "\n".join(answer(Desk(language=language), "/help").lines)
        assert [one.name for one in slash_commands.COMMANDS if f"/{one.name}" not in shown] == [
            "exit"
        ]


@pytest.mark.parametrize(
    "line",
    ["/context", "/compact", "/list", "/switch", "/switch zzz", "/switch a", "/retry"],
)
def test_in_japanese_a_reply_is_japanese(line: str) -> None:
    reply = answer(Desk(language="ja"), line)
    said = [text for text in reply.lines if "#" not in text and "---" not in text]
    assert said
    assert [text for text in said if not re.search("[ぁ-んァ-ヶ一-龠]", text)] == []


def test_what_each_tool_does_is_told_in_the_language_of_the_user(tmp_path: Path) -> None:
    granted = Granted(tmp_path, [], hidden=[])
    tools = all_tools(ToolContext(Workplace({}), granted, str, lambda: 0.0, words.of("ja")))
    assert [tool.name for tool in tools if tool.name not in slash_commands.TOOLS] == []
    said = [words.of("ja").gettext(sentence) for sentence in slash_commands.TOOLS.values()]
    assert [one for one in said if not re.search("[ぁ-んァ-ヶ一-龠]", one)] == []


@pytest.mark.parametrize("line", ["quit", " EXIT ", "ｑｕｉｔ"])
@pytest.mark.requirement("SC-4")
def test_a_bare_word_ends_it(line: str) -> None:
    assert slash_commands.is_end(line)
    assert answer(Desk(), "/quit").ends


@pytest.mark.parametrize("line", ["how do I quit vim?", "exit code 3", "quitting"])
@pytest.mark.requirement("SB-21")
def test_the_same_words_in_a_sentence_do_not(line: str) -> None:
    assert not slash_commands.is_end(line)
    assert not slash_commands.is_command(line)


@pytest.mark.parametrize(
    ("line", "near"), [("/swich my-p", "/switch"), ("/lst", "/list"), ("/ｈｅｌ", "/help")]
)
@pytest.mark.requirement("SB-21")
def test_an_unknown_command_is_told_with_the_nearest(line: str, near: str) -> None:
    reply = answer(Desk(), line)
    assert reply.failed
    assert f"Was {near} meant?" in reply.lines[0]


@pytest.mark.requirement("SB-21")
def test_where_none_is_near_the_help_is_named() -> None:
    assert answer(Desk(), "/xyzzy").lines == ("There is no command /xyzzy; /help lists all.",)


@pytest.mark.parametrize("text", ["/etc/hosts is odd", "//note", "/new\nline", "1/2", ""])
def test_a_path_or_a_text_of_several_lines_is_no_command(text: str) -> None:
    assert not slash_commands.is_command(text)


@pytest.mark.parametrize("line", ["／ｌｉｓｔ", "  /list", "/LIST", "／ｌｉｓｔ　"])
def test_an_input_method_s_letters_are_read_as_plain_ones(line: str) -> None:
    assert "<-- current" in "".join(answer(Desk(), line).lines)


def test_a_label_stays_as_it_was_typed() -> None:
    desk = Desk()
    answer(desk, "／ｎｅｗ　企画　Ａ①")
    assert desk.current.label == "企画　Ａ①"


def test_a_conversation_that_is_held_elsewhere_is_refused_in_a_sentence() -> None:
    desk = three()
    desk.busy = "bbb333bbb333"
    reply = answer(desk, "/switch bbb")
    assert (reply.lines, reply.failed) == (("another program holds that conversation.",), True)


@pytest.mark.requirement("W-27", "W-28", "W-29")
def test_work_mode_is_answered_verbatim_and_shown_in_the_status() -> None:
    desk = Desk(language="ja")
    reply = answer(desk, "／ｗｏｒｋ　５")
    assert reply.lines == ("了解しました。以後5ターン、仕事モードで進めます。",)
    assert reply.status is not None and reply.status.turns_left == 5
    assert answer(desk, "/work status").lines == ("仕事モード残り：5ターン。解除は /normal です。",)
    reply = answer(desk, "/normal")
    assert reply.lines == ("了解しました。会話モードに戻します。",)
    assert reply.status is not None and reply.status.turns_left == 0
    assert [one.turns_left for one in desk.stored] == [5, 0]


@pytest.mark.requirement("W-8", "W-14")
def test_wrong_words_behind_them_are_answered_with_the_usage() -> None:
    desk = Desk(language="ja")
    assert answer(desk, "/work ５０００").lines[1].startswith("使い方: ")
    assert answer(desk, "/normal please").lines[0].startswith("使い方: ")
    assert desk.stored == []


def test_the_mode_is_shown_changed_and_checked() -> None:
    desk = Desk()
    assert answer(desk, "/mode").lines == ("calm: Answers when it is spoken to, and does no more.",)
    assert answer(desk, "/mode Reserved").lines == ("mode: reserved",)
    assert answer(desk, "/mode loud").lines == ("Usage: /mode [calm|reserved|autonomous]",)
    assert answer(Desk(language="ja"), "/mode loud").lines[0].startswith("使い方: /mode [")
    assert desk.mode == "reserved"


def test_the_latest_message_is_said_again() -> None:
    desk = Desk()
    assert answer(desk, "/retry").failed
    desk.said = "what is going on?"
    assert answer(desk, "/retry").say == "what is going on?"


def test_cost_is_told_as_far_as_it_is_known() -> None:
    desk = Desk()
    assert answer(desk, "/cost").lines == (
        "Tokens: 1,200 in, 34 out; from the cache 1,000.",
        "$0.0123",
        "Today:",
        "  conversations: 3 requests, 4,200 tokens, $0.0210",
        "  summaries: 1 requests, 900 tokens, ?",
        "Together $0.0210 of at most $2 a day.",
        "What 1 of the requests cost is not known; as with the dearest model that is: $0.0000.",
    )
    desk.usage = type(desk.usage)()
    assert answer(desk, "/cost").lines[1] == "What this model costs is not known."


def test_tools_tell_which_of_them_act() -> None:
    assert answer(Desk(), "/tools").lines == (
        "  read_file        reads a file (reads)",
        "  write_file       writes a file (asks first)",
        "  send_to_session  types a text into a session (allowed here)",
    )


def test_grants_are_listed_and_taken_back() -> None:
    desk = Desk()
    assert answer(desk, "/grants").lines[:2] == (
        "  1 all texts to 20 coder (send_to_session)",
        "  2 all changes of a.md (write_file: asked again, since a text from outside was read)",
    )
    assert answer(desk, "/grants off 7").failed and answer(desk, "/grants what").failed
    assert "all changes of a.md" in answer(desk, "/grants off １").lines[0]
    assert answer(desk, "/grants off").lines == ("Nothing is granted; each act is asked for.",)


def test_reminders_are_set_listed_and_cancelled(
    module_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NAGOMI_HOME", str(module_place.home))
    with module_place.connect() as connection:
        create(connection, "cat", name="kettle")
        desk = Desk()
        assert answer(desk, "/remind").lines == (
            "No reminder is open; `/remind 20m stretch` sets one.",
        )
        assert answer(desk, "/remind at 23:59 don't forget").lines[0].endswith("don't forget")
        watches = answer(desk, '/remind when kettle says "tea is" sip it')
        assert watches.lines == ("Reminder 2: when 1 kettle says `tea is`: sip it",)
        kept = connection.request(messages.ListReminders(id=0), timeout=PATIENCE).open
        assert {one.reminder.conversation for one in kept} == {desk.current.id}
        listed = answer(desk, "/remind").lines
        assert [line.strip()[:2] for line in listed[:2]] == ["2:", "1:"] and len(listed) == 3
        for line in ("/remind soonish tea", "/remind off tea", "/remind off 7"):
            assert answer(desk, line).failed, line
        nobody = answer(desk, "/remind when nobody fails")
        assert nobody.failed and "nobody" in nobody.lines[0]
        assert answer(desk, "/remind off ２").lines[0].startswith("Cancelled: reminder 2: ")
        assert answer(desk, "/remind off").lines[0].startswith("Cancelled: reminder 1: ")
        assert answer(desk, "/remind off").lines[0].startswith("No reminder is open")


def test_lines_are_completed_by_commands_labels_and_modes() -> None:
    desk = three()
    assert slash_commands.completions(desk, "/co") == ("/context", "/compact", "/cost")
    assert slash_commands.completions(desk, "/switch my-p") == ("/switch my-project",)
    assert slash_commands.completions(desk, "/mode r") == ("/mode reserved",)
    assert slash_commands.completions(desk, "/switch ") == (
        "/switch my-notes",
        "/switch my-project",
        "/switch bbb333bbb333",
    )
