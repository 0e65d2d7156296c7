"""By which rule a program in the foreground, and a shell at its prompt, is judged."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from nagomi_tui.judge.evidence import (
    Evidence,
    Foreground,
    Key,
    Says,
    Source,
    Turn,
    Typed,
    View,
    Wait,
)
from nagomi_tui.judge.judge import Judge
from nagomi_tui.judge.known import Known
from nagomi_tui.judge.program_rules import at_prompt, judge_end, judge_program, judge_shell
from nagomi_tui.judge.resolver import resolve
from nagomi_tui.judge.verdict import State
from tests.helpers.drawn import Drawn
from tests.helpers.judge_story import BOOK

SILENCE = BOOK.profile.silence_seconds
QUESTION = (0, "Your name ")


def view(*rows: str, lines: tuple[str, ...] = (), **more: Any) -> View:
    """A screen with its cursor behind the last of these rows."""
    shown = {"cursor_y": len(rows) - 1, "cursor_x": len(rows[-1]), "lines": lines or rows}
    return View(at=0.0, rows=rows, **shown | more)


def process(wait: Wait = Wait.NOTHING, at: float = 0.0, **more: Any) -> Foreground:
    return Foreground(at=at, **{"command": "job", "leader": False, "wait": wait} | more)


def said(source: Source, says: Says, at: float = 0.0, text: str = "") -> Evidence:
    return Evidence(source=source, says=says, at=at, text=text)


def known(*events: Evidence, **fields: Any) -> Known:
    made = Known(command="job", **fields)
    for event in events:
        made.take(event)
    return made


PLAIN = view("hello", "working on it")


@pytest.mark.parametrize(
    ("fields", "rule", "until"),
    [
        ({"view": view("Continue? [y/N] "), "now": 0.3}, "screen-asks", None),
        ({"view": view("Continue? [y/N] "), "now": 0.2}, "output", 0.3),
        ({"view": PLAIN, "now": 0.2}, "output", 0.3),
        ({"view": PLAIN, "now": 0.5}, "output", 0.8),
        ({"view": PLAIN, "now": 0.8}, "output", SILENCE),
        ({"view": PLAIN, "now": SILENCE}, "silence", None),
        ({"view": None, "now": SILENCE}, "silence", None),
        ({"view": view("x", alt_screen=True), "now": 0.8}, "full-screen-is-still", None),
        ({"view": view("x", alt_screen=True), "now": 0.7}, "output", 0.8),
        ({"view": view(">>> "), "now": 0.8}, "at-its-own-prompt", None),
        ({"view": view(">>> "), "now": 0.7}, "output", 0.8),
        ({"view": PLAIN, "question": QUESTION, "now": SILENCE}, "still-after-a-question", None),
        ({"view": PLAIN, "question": QUESTION, "now": SILENCE - 0.1}, "output", SILENCE),
        ({"view": PLAIN, "turn": Turn(started_at=2.0), "now": SILENCE}, "output", 2.0 + SILENCE),
        ({"view": PLAIN, "turn": Turn(1, 2.0), "changed_at": 1.0, "now": 3.0}, "input-was-sent", 2.0 + SILENCE),
        ({"view": PLAIN, "turn": Turn(1, 2.0), "changed_at": 2.0, "now": 2.5}, "input-was-sent", 2.8),
        ({"view": PLAIN, "turn": Turn(1, 2.0), "changed_at": 2.1, "now": 2.2}, "output", 2.4),
        ({"view": PLAIN, "turn": Turn(0, 2.0), "changed_at": 2.0, "now": 2.5}, "output", 2.8),
        ({"view": view("a", "cannot", "b"), "now": SILENCE}, "text-is-suspicious", None),
    ],
)  # fmt: skip
@pytest.mark.requirement("N-69", "N-70", "N-77")
def test_where_nobody_sees_the_processes_screen_and_silence_tell(
    fields: dict[str, Any], rule: str, until: float | None
) -> None:
    finding = judge_program(known(**fields), BOOK)
    assert finding.rule == rule
    assert finding.until == (None if until is None else pytest.approx(until))
    assert finding.confirmed == (rule not in ("silence", "text-is-suspicious"))


def test_a_shell_that_has_not_come_back_runs_its_command() -> None:
    finding = judge_program(known(said(Source.EDITOR, Says.RUNNING), view=PLAIN, now=60.0), BOOK)
    assert (finding.rule, finding.state) == ("shell-has-not-come-back", State.RUNNING)
    finding = judge_program(known(said(Source.EDITOR, Says.REST), view=PLAIN, now=60.0), BOOK)
    assert finding.rule == "silence"


@pytest.mark.parametrize(("command_at", "rule"), [(1.05, "process-works"), (1.2, "output")])
def test_a_look_at_the_processes_of_before_the_command_tells_nothing(
    command_at: float, rule: str
) -> None:
    turn = Turn(number=1, command_at=command_at)
    seen = process(at=1.0)
    finding = judge_program(
        known(view=PLAIN, foreground=seen, turn=turn, changed_at=1.3, now=1.4), BOOK
    )
    assert finding.rule == rule


def test_a_question_is_not_stale_by_silence_where_a_process_was_seen() -> None:
    turn = Turn(number=1, command_at=5.0)
    fields: dict[str, Any] = {"view": PLAIN, "question": QUESTION, "turn": turn, "now": 60.0}
    assert judge_program(known(foreground=process(at=1.0), **fields), BOOK).rule == "silence"
    assert judge_program(known(**fields), BOOK).rule == "still-after-a-question"


@pytest.mark.parametrize(
    ("seen", "fields", "rule"),
    [
        (process(), {"view": PLAIN}, "process-works"),
        (process(echo=False), {"view": PLAIN}, "reads-a-secret"),
        (process(echo=False, canonical=False), {"view": PLAIN}, "process-works"),
        (process(Wait.READ), {"view": PLAIN, "question": QUESTION}, "reads-after-a-question"),
        (process(Wait.READ), {"view": PLAIN, "changed_at": 0.1}, "output-since"),
        (process(Wait.READ), {"view": PLAIN, "changed_at": 0.05}, "reads-after-a-line"),
        (process(Wait.READ), {"view": view(">>> ")}, "at-its-own-prompt"),
        (process(Wait.READ), {"view": view("frob [default]» ")}, "at-its-own-prompt"),
        (process(Wait.READ), {"view": view("kv:/users$ ")}, "at-a-shell-prompt"),
        (process(Wait.READ), {"view": view("Enter a price» ")}, "reads-after-a-line"),
        (process(Wait.READ), {"now": 0.3}, "process-works"),
        (process(Wait.READ), {"now": 2.0}, "reads-the-terminal"),
        (process(Wait.READ), {"view": view("hello", "  ")}, "reads-but-asked-nothing"),
        (process(Wait.READ, canonical=False), {"view": PLAIN}, "awaits-events"),
        (process(Wait.KEYS), {}, "full-screen-awaits-keys"),
        (process(Wait.KEYS), {"view": view("x", alt_screen=True)}, "full-screen-awaits-keys"),
        (process(Wait.KEYS), {"view": view(">>> ")}, "at-its-own-prompt"),
        (process(Wait.KEYS), {"view": view("Which?", "❯ a", "  b")}, "shows-a-menu"),
        (process(Wait.KEYS), {"view": view("diff> ")}, "at-its-own-prompt"),
        (process(Wait.KEYS, canonical=False), {"view": view("job 1.47 (5-Feb)", "job:  ")}, "at-its-own-prompt"),
        (process(Wait.KEYS, canonical=False), {"view": view("job: its name: "), "question": (0, "job: its name: ")}, "awaits-keys-after-a-question"),
        (process(Wait.KEYS), {"view": PLAIN, "question": QUESTION}, "awaits-keys-after-a-question"),
        (process(Wait.KEYS), {"view": view("user@box:~$ ")}, "at-a-shell-prompt"),
        (process(Wait.KEYS), {"view": PLAIN}, "awaits-events"),
        (process(Wait.KEYS), {"view": view("? Sure › no / yes", " ")}, "awaits-keys-after-a-question"),
        (process(Wait.KEYS), {"view": view("job :~> "), "question": (0, "job :~> ")}, "at-its-own-prompt"),
        (process(Wait.KEYS), {"view": view("Which?", "", "> a", "  b", alt_screen=True)}, "shows-a-menu"),
        (process(Wait.KEYS), {"view": view("Files:", "> a", "  b", alt_screen=True)}, "full-screen-awaits-keys"),
        (process(Wait.KEYS), {"view": view("Choose one:", "", "alice", "bob", alt_screen=True, lit=((2, "⟦alice⟧"),))}, "screen-asks"),
        (process(Wait.KEYS), {"view": view("┌ Select type ┐", "│ gpt │", "│ dos │", "└────┘", "Select a type, 'Q' quits.", alt_screen=True, lit=((1, "⟦gpt⟧"),))}, "screen-asks"),
        (process(Wait.KEYS), {"view": view("a text", 'Warning: "log" exists; Overwrite, Append, or Quit? ', alt_screen=True)}, "screen-asks"),
        (process(Wait.KEYS), {"view": view("a text", "replace it (y/n/a/q/l/^E/^Y)?      1,1  Top", cursor_x=29, alt_screen=True)}, "screen-asks"),
        (process(Wait.KEYS), {"view": view("It is damaged.", "    Press any key to continue....", alt_screen=True)}, "screen-asks"),
        (process(Wait.KEYS), {"view": view("Do you want to save the data?", *"abcdefghijk".replace("", "xx ").split(), cursor_y=0, cursor_x=29, alt_screen=True)}, "screen-asks"),
        (process(Wait.KEYS), {"view": view("xx", "is it so?", *"abcdefghijk".replace("", "xx ").split(), cursor_y=1, cursor_x=9, alt_screen=True)}, "full-screen-awaits-keys"),
        (process(Wait.KEYS), {"view": view("panel", "  ┌─ Neu ──────┐", "  │ Name:      │", "  │ [ Ja ]     │", "  └────────────┘", alt_screen=True)}, "screen-asks"),
        (process(Wait.KEYS, canonical=False), {"view": view("", "  ┌────────────┐", "  │ Ihr Name   │", "  │ <Weiter >  │", "  └────────────┘")}, "awaits-keys-after-a-question"),
        (process(Wait.KEYS), {"view": view("panel", "  ┌─ Neu ──────┐", "  │ [x] eins   │", "  │ [ ] zwei   │", "  └────────────┘", alt_screen=True)}, "full-screen-awaits-keys"),
        (process(Wait.KEYS), {"view": view("app", " ╭─ Search ───╮", " │ Query:     │", " │▔▔▔▔▔▔▔     │", " │ text       │", " │▁▁▁▁▁▁▁     │", " ╰────────────╯", alt_screen=True)}, "full-screen-awaits-keys"),
        (process(Wait.KEYS), {"view": view("┌─ left ─┐┌─ right ─┐", "│ a      ││ [ Go ]  │", "└────────┘└─────────┘", alt_screen=True)}, "full-screen-awaits-keys"),
        (process(Wait.KEYS, others=("less",)), {"view": view("a text", "上書きしますか？", alt_screen=True)}, "screen-asks"),
        (process(Wait.KEYS), {"view": view("a text", "who asks in it?", ":", alt_screen=True)}, "full-screen-awaits-keys"),
        (process(Wait.KEYS), {"view": view("a text", "/what is it?", alt_screen=True), "written": "/"}, "full-screen-awaits-keys"),
        (process(Wait.KEYS), {"view": view("What name?", "▔" * 30, "", "▁" * 30, alt_screen=True)}, "screen-asks"),
        (process(Wait.KEYS), {"view": view("What name?", "alice", "bob", alt_screen=True)}, "full-screen-awaits-keys"),
        (process(Wait.KEYS), {"view": view("What name?", *"abcdefghi".replace("", "xx ").split(), alt_screen=True, lit=((2, "⟦xx⟧"),))}, "full-screen-awaits-keys"),
        (process(Wait.READ, canonical=False), {"view": view("$ job", "Delete which", "> a", "  b", command="$ job")}, "shows-a-menu"),
        (process(polls=True), {"view": PLAIN, "question": (0, "Reset it? [y/N] "), "now": 0.3}, "reads-after-a-question"),
        (process(polls=True), {"view": PLAIN, "question": (0, "Fetching: "), "now": 9.0}, "process-works"),
        (process(polls=True), {"view": view("* "), "now": 0.3}, "at-its-own-prompt"),
        (process(polls=True), {"view": PLAIN, "question": (0, "Go on? [Y/n] (auto in 27 s) "), "changed_at": 8.9, "now": 9.0}, "reads-after-a-question"),
        (process(polls=True), {"view": PLAIN, "question": (0, "Fetched [12/30] "), "changed_at": 8.9, "now": 9.0}, "process-works"),
        (process(Wait.READ), {"view": view("scheme@(guile-user) [1]> ")}, "at-its-own-prompt"),
        (process(Wait.READ), {"view": view("Overwrite(y/n)> ")}, "reads-after-a-line"),
        (process(Wait.READ), {"view": view("zz", "?", "", lines=("zz", "?", ""))}, "reads-but-asked-nothing"),
        (process(Wait.READ), {"view": view("Which region?", "us", "-> ", cursor_y=2, lines=("Which region?", "us", "-> "))}, "reads-after-a-question"),
        (process(Wait.READ), {"view": view("For an introduction type: /help intro", "", lines=("For an introduction type: /help intro", ""), cursor_y=1)}, "reads-but-asked-nothing"),
        (process(sleeps=True, canonical=False), {"view": view("panel", "     ╭─────────────────╮", "     │ Überschreiben?  │", "     │ < Ja > < Nein > │", "     ╰─────────────────╯", alt_screen=True), "now": 2.0}, "screen-asks"),
        (process(sleeps=True, canonical=False), {"view": view("panel", "     ╭─────────────────╮", "     │ Überschreiben?  │", "     │ < Ja > < Nein > │", "     ╰─────────────────╯", alt_screen=True), "now": 2.0, "changed_at": 1.9}, "process-works"),
        (process(canonical=False), {"view": view("panel", "     ╭─────────────────╮", "     │ Überschreiben?  │", "     │ < Ja > < Nein > │", "     ╰─────────────────╯", alt_screen=True), "now": 2.0}, "process-works"),
        (process(sleeps=True, canonical=False), {"view": view("panel", "     ╭─────────────────╮", "     │ Lädt 40 Prozent │", "     │ <  Abbrechen  > │", "     ╰─────────────────╯", alt_screen=True), "now": 2.0}, "process-works"),
        (process(Wait.READ, canonical=False), {"view": view("$ job", "     ┌─────────────────┐", "     │ Speichern?      │", "     │   Ja      Nein  │", "     └─────────────────┘", "")}, "awaits-keys-after-a-question"),
        (process(Wait.READ, canonical=False), {"view": view("$ job", "     ┌─────────────────┐", "     │ Name      Größe │", "     │ a.txt     12 kB │", "     └─────────────────┘", "")}, "awaits-events"),
        (process(Wait.READ, canonical=False, others=("less",)), {"view": view("$ less x", "It may be binary.  See it anyway? ")}, "screen-asks"),
        (process(Wait.READ, canonical=False, others=("less",)), {"view": view("who asks in it? ", *"~~~~", cursor_y=0, cursor_x=16), "drawn": True}, "full-screen-awaits-keys"),
        (process(Wait.KEYS, others=("emacs",)), {"view": view("a text", "Save it? (y, n, !, ., q, C-r, C-f, d or C-h) ", alt_screen=True)}, "screen-asks"),
        (process(Wait.READ), {"view": view("n) New", "s) Set a password", "q) Quit", "n/s/q> ")}, "reads-after-a-line"),
        (process(Wait.READ), {"view": view("Welche Frucht?", "  1) Apfel", "  2) Birne", "")}, "reads-after-a-question"),
        (process(Wait.READ), {"view": view("Zwei Sorten gibt es", "  1) Apfel", "  2) Birne", "")}, "reads-but-asked-nothing"),
        (process(Wait.READ), {"view": view("Bitte eine Zahl eingeben.", "")}, "reads-after-a-question"),
        (process(Wait.READ), {"view": view("Eingegeben wurde eine Zahl.", "")}, "reads-but-asked-nothing"),
        (process(Wait.READ), {"view": view("A pulse was seen.", "")}, "reads-but-asked-nothing"),
        (process(polls=True), {"view": view("hello", ""), "now": 0.3}, "process-works"),
    ],
)  # fmt: skip
def test_what_a_process_waits_for_and_what_it_wrote_tell_a_call_from_work(
    seen: Foreground, fields: dict[str, Any], rule: str
) -> None:
    assert judge_program(known(foreground=seen, **fields), BOOK).rule == rule


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ("Press any key to continue...", State.ATTENTION),
        ("Beliebige Taste drücken . . .", State.ATTENTION),
        ("按任意键继续...", State.ATTENTION),
        ("続行するには何かキーを押してください . . .", State.ATTENTION),
        ("Press any key to stop the server", State.RUNNING),
        ("Press r to reload", State.RUNNING),
        ("Listening on port 80", State.RUNNING),
    ],
)
def test_a_key_is_asked_for_above_an_empty_line_by_what_only_reads(line: str, state: State) -> None:
    seen = process(Wait.READ, canonical=False)
    shown = view(line, "", lines=(line,))
    assert judge_program(known(foreground=seen, view=shown, now=2.0), BOOK).state is state


@pytest.mark.parametrize(
    ("told", "rule"),
    [
        (said(Source.SCREEN, Says.WAITS), "screen-asks"),
        (said(Source.SCREEN, Says.REST), "awaits-events"),
        (said(Source.NOTICE, Says.CALLS, 2.1, "look here"), "it-notified"),
        (said(Source.NOTICE, Says.CALLS, 2.0, "look here"), "awaits-events"),
        (said(Source.NOTICE, Says.CALLS, 2.1), "awaits-events"),
    ],
)
def test_a_program_that_awaits_keys_calls_by_its_screen_or_a_notice_of_this_turn(
    told: Evidence, rule: str
) -> None:
    turn = Turn(number=1, started_at=2.0)
    finding = judge_program(
        known(told, view=PLAIN, foreground=process(Wait.KEYS, at=2.0), turn=turn), BOOK
    )
    assert finding.rule == rule


@pytest.mark.parametrize(
    ("rows", "told", "asked"),
    [
        (("┌──────────┐", "│ Choose a mirror │", "│ 1 Tokyo │", "│ <Ok> <Cancel> │"), "┌──────────┐", "Choose a mirror"),
        (("  Please enter the passphrase", "  Bob <bob@example.com>", "  <OK>  <Cancel>"), "Bob <bob@example.com>", "Please enter the passphrase"),
        (("│ Create account │", "│ Name: [      ] │", "│ < OK > │"), "│ Name: [      ] │", "Create account"),
        (("Delete it?", "<Yes> <No>"), "<Yes> <No>", "Delete it?"),
        ((" panel", "  ┌──── Löschen ────┐", "  │ Datei           │", '  │ "a b.txt"?      │', "  │ <  Ja > <Nein>  │", "  │                 │", "  └─────────────────┘"), "", 'Datei "a b.txt"?'),
        ((" panel", "  ╔═══ Kopie ═══╗", "  ║             ║", "  ║  [ Gut ]    ║", "  ╚═════════════╝"), "", "Kopie"),
        ((" panel", "  ┌───| Konflikt |───┐", "  │ Was bleibt       │", "  │ <Meins> <Deins>  │", "  └──────────────────┘"), "", "Was bleibt"),
        ((" panel", "    █▀▀▀▀▀▀▀▀▀▀█", "    █ Verwerfen█", "    █▔▔▔▔▔     █", "    █ Ja   Nein█", "    █▁▁▁▁▁     █", "    █▄▄▄▄▄▄▄▄▄▄█"), "", "Verwerfen"),
        ((" panel", "    ▊▔▔▔▔▔▔▔▔▔▔▎", "    ▊ Verwerfen▎", "    ▊ ▊▔▔▔▔▎   ▎", "    ▊ ▊ Ja ▎   ▎", "    ▊ ▊▁▁▁▁▎   ▎", "    ▊▁▁▁▁▁▁▁▁▁▁▎"), "", "Verwerfen"),
        ((" 項目", "  +---- 確認 ----+", "  | 消しますか   |", "  | [はい][戻る] |", "  +--------------+"), "", "消しますか"),
    ],
)  # fmt: skip
def test_a_dialog_is_told_by_what_it_asks_and_not_by_its_frame_or_buttons(
    rows: tuple[str, ...], told: str, asked: str
) -> None:
    shown = [said(Source.SCREEN, Says.WAITS, text=told)] if told else []
    full = known(*shown, view=view(*rows, alt_screen=True), foreground=process(Wait.KEYS))
    finding = judge_program(full, BOOK)
    assert (finding.rule, finding.because[-1].text) == ("screen-asks", asked)


@pytest.mark.parametrize(
    ("lit", "rule"), [((), "full-screen-awaits-keys"), (((3, "| ⟦[ Yes ]⟧ |"),), "screen-asks")]
)
def test_a_box_in_a_text_that_is_shown_asks_only_where_a_button_is_lit(
    lit: tuple[tuple[int, str], ...], rule: str
) -> None:
    shown = view(
        "text", "  +----------+", "  | Quit it? |", "  | [ Yes ]  |", "  +----------+", lit=lit
    )
    pager = process(Wait.KEYS, others=("less",))
    full = msgspec.structs.replace(shown, alt_screen=True)
    assert judge_program(known(view=full, foreground=pager), BOOK).rule == rule


@pytest.mark.parametrize(
    ("name", "rows", "state"),
    [
        ("vim", ("# ask", "? Which tool? (Use arrow keys)", "❯ npm", "  yarn", '"a.md" 4L'), State.UNKNOWN),
        ("less", ("Enter to confirm, or", "↑↓ move, enter select", ":"), State.UNKNOWN),
        ("kak", ("◆  Install it?", "│  ● Yes / ○ No", "└", "a.md 1:1"), State.UNKNOWN),
        ("wizard", ("? Which tool? (Use arrow keys)", "❯ npm", "  yarn"), State.ATTENTION),
        ("nano", ("Save modified buffer?", " Y Yes", " N No           ^C Cancel"), State.ATTENTION),
    ],
)  # fmt: skip
def test_a_menu_in_a_text_that_is_shown_asks_nothing(
    name: str, rows: tuple[str, ...], state: State
) -> None:
    judge = Judge(name, BOOK, at=0.0)
    judge.feed(view(*rows, alt_screen=True))
    judge.feed(process(Wait.KEYS, at=0.1, others=(name,), canonical=False))
    judge.tick(4.0)
    assert judge.shown.state is state


@pytest.mark.parametrize(
    "steps", [("Find: what is that?",), ("Find: ", "Find: wh", "Find: what is that?")]
)
def test_what_is_pasted_behind_a_new_prompt_asks_nothing(steps: tuple[str, ...]) -> None:
    judge = Judge("micro", BOOK, at=0.0)
    rows = ("a text", "a status", "")
    judge.feed(view(*rows, alt_screen=True))
    judge.feed(process(Wait.KEYS, at=0.1, others=("micro",), canonical=False))
    judge.feed(Typed(at=1.0, key=Key.TEXT, count=14))
    for at, step in enumerate(steps):
        later = view("a text", "a status", step, alt_screen=True)
        judge.feed(msgspec.structs.replace(later, at=1.1 + at / 10))
    judge.tick(4.0)
    assert judge.shown.state is State.UNKNOWN


_TODO = (
    "pick 1a2b3c4 Fix the error of a failed build",
    "",
    "# Rebase 0d9e8f7..1a2b3c4 onto 0d9e8f7 (1 command)",
    "#",
    "~",
)


@pytest.mark.parametrize(
    ("others", "rows", "told"),
    [
        (("git", "vim"), (*_TODO, '".git/rebase-merge/git-rebase-todo" 25L, 1012B'),
         "git-rebase-todo · Rebase 0d9e8f7..1a2b3c4 onto 0d9e8f7 (1 command)"),
        (("git", "editor"), ("  GNU nano 7.2      /x/.git/COMMIT_EDITMSG     ", "", "# Please enter the commit message", "^G Help"),
         "COMMIT_EDITMSG · Please enter the commit message"),
        (("crontab", "vi"), ("  1 # Edit this file to introduce tasks", "~"), "Edit this file to introduce tasks"),
        (("bash", "deploy.sh", "fzf"), ("  error.log", "> ok.log", "  2/2 ────────", "Which log> "), "Which log"),
        (("bash", "deploy.sh", "fzf"), ("> ", "  2/2 ────────", "  Choose a branch", "> main", "  failed"), "Choose a branch"),
        (("deploy.sh", "fzf"), ("  error.log", "> ok.log", "  2/2", "> "), "deploy.sh"),
    ],
)  # fmt: skip
@pytest.mark.requirement("N-78")
def test_an_editor_or_a_finder_that_a_program_opened_is_told_by_what_it_is_for(
    others: tuple[str, ...], rows: tuple[str, ...], told: str
) -> None:
    seen = process(Wait.KEYS, canonical=False, command=others[-1], others=others)
    found = judge_program(known(view=view(*rows, alt_screen=True), foreground=seen), BOOK)
    assert (found.state, found.because[-1].text) == (State.ATTENTION, told)


def test_a_line_editor_without_a_prompt_rests_where_it_begins_to_read() -> None:
    drawn = Drawn("bc")
    drawn.prints("\x1b[?2004h", 2.0)
    assert (drawn.state, drawn.why[-1]) == (State.UNKNOWN, "at-its-own-prompt")
    for _ in range(2):
        drawn.prints("1+1", 0.3)
        drawn.presses()
        drawn.prints("\r\n\x1b[?2004l\r2\r\n\x1b[?2004h", 2.0)
        assert (drawn.state, drawn.why[-1]) == (State.UNKNOWN, "at-its-own-prompt")
    drawn.presses()
    drawn.prints("\r\n\x1b[?2004l", 3.0)
    assert drawn.state is State.RUNNING, "it counts, and reads no line"


def test_a_draft_of_the_answer_does_not_hide_what_a_line_editor_asks() -> None:
    drawn = Drawn("wizard")
    drawn.prints("\x1b[?2004hFolder: /tmp", 2.0)
    assert drawn.state is State.ATTENTION
    drawn.presses()
    drawn.prints("\r\n\x1b[?2004lat 10 percent", 3.0)
    assert drawn.state is State.RUNNING, "it works, and reads no line"


def ended(*lines: str, **more: Any) -> Known:
    """A shell whose prompt is back under what a command printed."""
    shown = view("$ make", *lines, "$ ", lines=(*lines, "$ "), command=more.pop("typed", "$ make"))
    told = said(Source.EDITOR, Says.REST, more.pop("at", 3.0))
    return known(told, view=shown, turn=more.pop("turn", Turn(1, 1.0, command_at=1.0)), **more)


@pytest.mark.parametrize(
    ("end", "state", "rule"),
    [
        (ended("done"), State.SUCCESS, "prompt-is-back"),
        (ended(), State.SUCCESS, "prompt-is-back"),
        (ended(typed="$ "), State.UNKNOWN, "nothing-was-entered"),
        (ended("done", typed="$ "), State.SUCCESS, "prompt-is-back"),
        (ended(typed=""), State.SUCCESS, "prompt-is-back"),
        (ended("error: bad"), State.FAILURE, "text-says-failed"),
        (ended("error: bad", "cannot"), State.FAILURE, "text-says-failed"),
        (ended("cannot"), State.ATTENTION, "text-is-suspicious"),
        (ended("^C"), State.UNKNOWN, "interrupted"),
        (ended("x", turn=Turn(1, 1.0, interrupted_at=2.0, interrupted_by=Key.INTERRUPT)), State.UNKNOWN, "interrupted"),
        (ended("x", turn=Turn(1, 1.0, interrupted_at=2.0, interrupted_by=Key.ESCAPE)), State.SUCCESS, "prompt-is-back"),
        (ended("x", typed="$ timeout 2 make"), State.FAILURE, "time-limit-reached"),
        (ended("x", typed="$ timeout 2 make", at=2.9), State.SUCCESS, "prompt-is-back"),
    ],
)  # fmt: skip
@pytest.mark.requirement("N-76", "N-78", "NB-18")
def test_an_end_without_a_status_is_read_from_the_lines(
    end: Known, state: State, rule: str
) -> None:
    finding = judge_end(end, BOOK)
    assert (finding.state, finding.rule) == (state, rule)


def test_the_line_of_the_cursor_is_no_output() -> None:
    on_it = view("x", "error: bad", lines=("x", "error: bad"))
    assert judge_end(known(view=on_it), BOOK).rule == "prompt-is-back"
    above = view("error: bad", "x", lines=("error: bad",))
    assert judge_end(known(view=above), BOOK).rule == "text-says-failed"
    outside = view("x", cursor_y=1, lines=("error: bad",))
    assert judge_end(known(view=outside), BOOK).rule == "text-says-failed"


PROMPT = view("user@box:~$ ")


@pytest.mark.parametrize(
    ("told", "fields", "found"),
    [
        ([], {}, False),
        ([], {"view": PROMPT}, True),
        ([], {"view": PLAIN}, False),
        ([], {"foreground": process(Wait.READ, leader=True)}, True),
        ([], {"foreground": process(leader=True)}, False),
        ([], {"foreground": process(Wait.READ)}, False),
        ([], {"foreground": process(Wait.READ, leader=True), "view": view("Go on? [y/N] ")}, False),
        ([], {"foreground": process(Wait.READ, at=1.0, leader=True), "turn": Turn(command_at=1.0)}, False),
        ([], {"foreground": process(Wait.READ, at=1.1, leader=True), "turn": Turn(command_at=1.0)}, True),
        ([said(Source.EDITOR, Says.REST)], {}, True),
        ([said(Source.EDITOR, Says.RUNNING)], {}, False),
        ([said(Source.EDITOR, Says.REST)], {"view": PROMPT}, True),
        ([said(Source.EDITOR, Says.REST)], {"view": PLAIN}, True),
        ([said(Source.EDITOR, Says.REST)], {"view": view("x", alt_screen=True)}, False),
        ([said(Source.EDITOR, Says.REST)], {"view": view(">>> ")}, False),
        ([said(Source.EDITOR, Says.REST)], {"view": view("> ")}, True),
        ([said(Source.EDITOR, Says.REST)], {"foreground": process(at=0.05), "view": PROMPT}, True),
        ([said(Source.EDITOR, Says.REST)], {"foreground": process(at=0.1), "view": PROMPT}, False),
        ([said(Source.EDITOR, Says.REST)], {"foreground": process(at=0.1, leader=True)}, True),
        ([said(Source.EDITOR, Says.REST)], {"foreground": process(at=0.1, leader=True), "view": view("Go on? (y/n) "), "question": (0, "Go on? (y/n) ")}, False),
        ([said(Source.EDITOR, Says.REST)], {"foreground": process(at=0.1, leader=True), "view": view("Go on? (y/n) "), "question": (0, "Go on? (y/n) "), "asked_at": 9.0}, True),
        ([said(Source.EDITOR, Says.RUNNING)], {"foreground": process(at=0.1, leader=True)}, False),
        ([said(Source.EDITOR, Says.RUNNING)], {"foreground": process(Wait.KEYS, at=0.1, leader=True, canonical=False)}, True),
        ([said(Source.EDITOR, Says.RUNNING)], {"foreground": process(Wait.READ, at=0.1, leader=True)}, False),
        ([said(Source.EDITOR, Says.RUNNING)], {"foreground": process(at=0.1, leader=True, canonical=False)}, False),
    ],
)  # fmt: skip
def test_whether_the_shell_has_the_terminal(
    told: list[Evidence], fields: dict[str, Any], found: bool
) -> None:
    assert at_prompt(known(*told, **fields), BOOK) is found


@pytest.mark.parametrize(
    ("told", "fields", "rule"),
    [
        ([said(Source.SHELL, Says.RUNNING)], {"view": PROMPT}, None),
        ([said(Source.SHELL, Says.REST)], {"view": PLAIN}, "shell-rest"),
        ([said(Source.SHELL, Says.FAILED)], {"view": PLAIN}, "shell-failed"),
        ([], {"view": PLAIN}, None),
        ([], {"view": PROMPT}, "prompt-is-shown"),
        ([], {"view": PROMPT, "turn": Turn(command_at=1.0)}, "prompt-is-back"),
        ([said(Source.EDITOR, Says.REST)], {"view": view("> "), "turn": Turn(command_at=1.0)}, "command-goes-on"),
        ([said(Source.EDITOR, Says.REST)], {"turn": Turn(command_at=1.0)}, "prompt-is-back"),
    ],
)  # fmt: skip
def test_a_shell_is_judged_by_its_marks_or_by_its_prompt(
    told: list[Evidence], fields: dict[str, Any], rule: str | None
) -> None:
    finding = judge_shell(known(*told, **fields), BOOK)
    assert (finding and finding.rule) == rule


def test_left_of_a_cursor_below_the_rows_are_blanks() -> None:
    assert View(at=0.0, rows=("x",), cursor_x=2, cursor_y=1).cursor_line == "  "
    assert View(at=0.0, rows=("x y",), cursor_x=2).cursor_line == "x "


@pytest.mark.parametrize(
    ("says", "rule"),
    [
        (Says.REST, "shell-rest"),
        (Says.SUCCEEDED, "shell-succeeded"),
        (Says.FAILED, "shell-failed"),
        (Says.INTERRUPTED, "shell-interrupted"),
    ],
)
def test_any_program_that_marks_its_prompts_is_judged_as_a_shell_is(says: Says, rule: str) -> None:
    marks = [said(Source.SHELL, Says.RUNNING), said(Source.SHELL, says, 1.0)]
    assert resolve(known(*marks, view=PLAIN, now=2.0), BOOK).rule == rule
    at_work = resolve(known(marks[0], view=view("Continue? [y/N] "), now=2.0), BOOK)
    assert at_work.rule == "screen-asks"


def test_the_marks_of_an_agent_s_commands_do_not_speak_for_it() -> None:
    marks = said(Source.SHELL, Says.FAILED)
    assert resolve(known(marks, view=PLAIN, agent=True), BOOK).rule != "shell-failed"


@pytest.mark.parametrize(
    ("at", "alt_screen", "agent", "rule"),
    [
        (3.4, True, False, "full-screen-awaits-keys"),
        (3.5, True, False, "process-works"),
        (3.4, True, True, "process-works"),
        (3.4, False, False, "process-works"),
    ],
)
def test_a_full_screen_that_draws_itself_anew_goes_on_to_await_keys(
    at: float, alt_screen: bool, agent: bool, rule: str
) -> None:
    made = known(view=view("x", alt_screen=alt_screen))
    for seen in (process(Wait.KEYS, 1.0), process(Wait.NOTHING, at)):
        made.take(msgspec.structs.replace(seen, canonical=False, echo=False))
    assert judge_program(made, BOOK, agent=agent).rule == rule


@pytest.mark.parametrize(
    ("printed", "state"),
    [
        (("is it there?", "is it there?", ""), State.UNKNOWN),
        (("what now?", "     1\tWHAT NOW?", ""), State.UNKNOWN),
        (("hello", "What is your name?", ""), State.ATTENTION),
        (("name", "What is your name?", ""), State.ATTENTION),
    ],
)
def test_what_a_filter_prints_of_what_was_typed_asks_nothing(
    printed: tuple[str, ...], state: State
) -> None:
    judge = Judge("cat", BOOK, at=0.0)
    judge.feed(view(*printed, lines=printed[-2:]))
    judge.feed(process(Wait.READ, at=0.1))
    judge.tick(4.0)
    assert judge.shown.state is state


def test_what_is_typed_at_a_prompt_is_no_question_of_the_program() -> None:
    judge = Judge("job", BOOK, at=0.0)
    judge.feed(view("vm# "))
    judge.feed(process(Wait.KEYS, at=0.1, command="zsh", leader=True, canonical=False, echo=False))
    judge.feed(Typed(at=1.0, key=Key.TEXT, count=24))
    typed = view('vm# echo "what now? [y/n]"')
    judge.feed(msgspec.structs.replace(typed, at=1.1))
    judge.tick(4.0)
    assert judge.shown.state is State.UNKNOWN
