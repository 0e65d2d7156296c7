"""An agent's own signals, hooks and screen against each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from nagomi_tui.judge import loading
from nagomi_tui.judge.agent_rules import judge_agent
from nagomi_tui.judge.evidence import Evidence, Foreground, Key, Says, Source, Typed, View, Wait
from nagomi_tui.judge.known import Known
from nagomi_tui.judge.resolver import in_agent, resolve
from nagomi_tui.judge.screen_rules import FIELD_GONE
from nagomi_tui.judge.verdict import State

STATUS, TITLE, HOOK = Source.STATUS, Source.TITLE, Source.HOOK
PROGRESS, SCREEN = Source.PROGRESS, Source.SCREEN
BUSY, RUNNING, THINKING = Says.BUSY, Says.RUNNING, Says.THINKING
WAITS, REST, CUT = Says.WAITS, Says.REST, Says.INTERRUPTED
WELL, BADLY = Says.SUCCEEDED, Says.FAILED

Told = list[tuple[float, Source, Says]]

TABLE: list[tuple[str, Told, float, State]] = [
    ("codex works", [(1, STATUS, BUSY)], 2, State.THINKING),
    ("codex runs a tool", [(1, STATUS, BUSY), (1, HOOK, RUNNING)], 2, State.RUNNING),
    ("codex asks", [(1, STATUS, BUSY), (2, STATUS, WAITS)], 3, State.ATTENTION),
    ("codex asks beside its turns", [(1, STATUS, REST), (2, SCREEN, WAITS)], 3, State.ATTENTION),
    ("codex failed, no hook tells", [(1, HOOK, THINKING), (1, STATUS, BUSY), (2, STATUS, BADLY)], 3, State.FAILURE),
    ("done stays while the user types", [(1, STATUS, BUSY), (2, STATUS, WELL), (3, STATUS, REST)], 4, State.SUCCESS),
    ("codex was interrupted", [(1, STATUS, BUSY), (2, STATUS, REST)], 4, State.UNKNOWN),
    ("claude spins", [(1, TITLE, BUSY)], 2, State.THINKING),
    ("claude spins over a tool", [(1, TITLE, BUSY), (1, HOOK, RUNNING), (2, TITLE, BUSY)], 3, State.RUNNING),
    ("the screen knows the tool", [(1, TITLE, BUSY), (2, SCREEN, RUNNING), (2, TITLE, BUSY)], 3, State.RUNNING),
    ("a dialog by hook", [(1, TITLE, BUSY), (2, HOOK, WAITS), (2.1, TITLE, REST)], 3, State.ATTENTION),
    ("a dialog by screen", [(1, TITLE, BUSY), (2, TITLE, REST), (2, SCREEN, WAITS)], 3, State.ATTENTION),
    ("a dialog by progress", [(1, TITLE, BUSY), (1, PROGRESS, BUSY), (2, TITLE, REST)], 3, State.ATTENTION),
    ("progress rests at a dialog by screen", [(1, TITLE, BUSY), (1, PROGRESS, BUSY), (2, TITLE, REST), (2, PROGRESS, REST), (2.2, SCREEN, WAITS)], 3, State.ATTENTION),
    ("progress rests at a dialog by hook", [(1, TITLE, BUSY), (1, PROGRESS, BUSY), (2, HOOK, WAITS), (2, TITLE, REST), (2.1, PROGRESS, REST)], 3, State.ATTENTION),
    ("refused after it: the box is back", [(2, HOOK, WAITS), (2, PROGRESS, REST), (2, TITLE, REST), (2, SCREEN, WAITS), (5, SCREEN, CUT)], 6, State.UNKNOWN),
    ("a dialog at rest, opened by the user", [(1, TITLE, BUSY), (2, TITLE, REST), (2, PROGRESS, REST), (5, SCREEN, WAITS)], 6, State.ATTENTION),
    ("allowed: it spins again", [(1, HOOK, RUNNING), (2, HOOK, WAITS), (2, TITLE, REST), (5, TITLE, BUSY)], 6, State.RUNNING),
    ("refused: progress ends", [(1, PROGRESS, BUSY), (2, HOOK, WAITS), (2, TITLE, REST), (5, PROGRESS, REST)], 6, State.UNKNOWN),
    ("refused: the box is back", [(2, HOOK, WAITS), (2, TITLE, REST), (2, SCREEN, WAITS), (5, SCREEN, CUT)], 6, State.UNKNOWN),
    ("Escape fires no hook", [(1, HOOK, THINKING), (1, TITLE, BUSY), (4, TITLE, REST)], 6, State.UNKNOWN),
    ("the hook of its end may be late", [(1, HOOK, THINKING), (1, TITLE, BUSY), (4, TITLE, REST)], 4.1, State.THINKING),
    ("the turn ended well", [(1, HOOK, THINKING), (1, TITLE, BUSY), (4, HOOK, WELL), (4, TITLE, REST)], 6, State.SUCCESS),
    ("the API failed", [(1, TITLE, BUSY), (4, TITLE, REST), (4, HOOK, BADLY)], 6, State.FAILURE),
    ("a Stop hook sends it back", [(1, TITLE, BUSY), (4, HOOK, WELL), (5, TITLE, BUSY)], 6, State.THINKING),
    ("no hooks: the screen tells the end", [(1, TITLE, BUSY), (4, TITLE, REST), (4, SCREEN, WELL)], 6, State.SUCCESS),
    ("no hooks, no screen", [(1, TITLE, BUSY), (4, TITLE, REST)], 6, State.SUCCESS),
    ("no hooks: at rest since it began", [(1, TITLE, REST)], 3, State.UNKNOWN),
    ("at rest from the start", [(1, TITLE, REST)], 6, State.UNKNOWN),
    ("hooks alone", [(1, HOOK, THINKING)], 2, State.THINKING),
    ("hooks alone ask", [(1, HOOK, WAITS)], 2, State.ATTENTION),
    ("a screen corrects hooks after a while", [(1, HOOK, RUNNING), (3, SCREEN, REST)], 4, State.UNKNOWN),
    ("but not at once", [(1, HOOK, RUNNING), (3, SCREEN, REST)], 3.3, State.RUNNING),
    ("the screen alone works", [(1, SCREEN, THINKING)], 2, State.THINKING),
    ("the screen alone asks", [(1, SCREEN, WAITS)], 2, State.ATTENTION),
    ("the screen alone rests", [(1, SCREEN, REST)], 2, State.UNKNOWN),
    ("codex asks, at once", [(1, STATUS, BUSY), (2, STATUS, WAITS)], 2.5, State.ATTENTION),
    ("its turn began behind the dialog", [(1, SCREEN, WAITS), (2, STATUS, WELL)], 3, State.SUCCESS),
    ("dialog and status of one moment", [(2, STATUS, REST), (2, SCREEN, WAITS)], 3, State.UNKNOWN),
    ("a screen at rest says nothing more", [(1, STATUS, WELL), (2, SCREEN, REST)], 3, State.SUCCESS),
    ("the title calls", [(1, TITLE, WAITS)], 2, State.ATTENTION),
    ("a dialog while it spins", [(1, TITLE, BUSY), (2, HOOK, WAITS)], 3, State.ATTENTION),
    ("one more frame of the spinner", [(1, TITLE, BUSY), (2, HOOK, WAITS), (2.2, TITLE, BUSY)], 3, State.ATTENTION),
    ("allowed: it spins on", [(1, TITLE, BUSY), (2, HOOK, WAITS), (2.3, TITLE, BUSY)], 3, State.RUNNING),
    ("it spins beside a dialog", [(1, TITLE, BUSY), (2, SCREEN, WAITS)], 3, State.THINKING),
    ("the hook thinks, whatever the screen shows", [(1, TITLE, BUSY), (1, HOOK, THINKING), (2, SCREEN, RUNNING)], 3, State.THINKING),
    ("the hook rests, the screen knows", [(1, TITLE, BUSY), (1, HOOK, REST), (2, SCREEN, RUNNING)], 3, State.RUNNING),
    ("the screen works on", [(1, HOOK, RUNNING), (1, TITLE, BUSY), (3, TITLE, REST), (4, SCREEN, RUNNING)], 6, State.RUNNING),
    ("a hook behind the title", [(1, TITLE, BUSY), (3, TITLE, REST), (3.5, HOOK, RUNNING)], 4.4, State.RUNNING),
    ("for a second", [(1, TITLE, BUSY), (3, TITLE, REST), (3.5, HOOK, RUNNING)], 4.5, State.UNKNOWN),
    ("a hook of the title's moment", [(1, TITLE, BUSY), (3, HOOK, RUNNING), (3, TITLE, REST)], 3.5, State.UNKNOWN),
    ("progress of the hook's moment", [(1, PROGRESS, BUSY), (2, HOOK, WAITS), (2, TITLE, REST), (2.3, PROGRESS, REST)], 3, State.ATTENTION),
    ("the dialog still stands there", [(1, PROGRESS, BUSY), (2, HOOK, WAITS), (2, TITLE, REST), (2.2, SCREEN, WAITS), (5, PROGRESS, REST)], 6, State.ATTENTION),
    ("the dialog is not drawn yet", [(2, HOOK, WAITS), (2, TITLE, REST), (2, SCREEN, REST)], 3, State.ATTENTION),
    ("the screen works behind a dialog", [(2, HOOK, WAITS), (2, TITLE, REST), (3, SCREEN, RUNNING)], 4, State.ATTENTION),
    ("no late hook after an interruption", [(1, HOOK, THINKING), (1, TITLE, BUSY), (4, TITLE, REST), (4, SCREEN, CUT)], 4.1, State.UNKNOWN),
    ("the screen tells the end before its hook", [(1, HOOK, THINKING), (1, TITLE, BUSY), (4, TITLE, REST), (4, SCREEN, BADLY)], 4.3, State.FAILURE),
    ("too late for its hook", [(1, HOOK, THINKING), (1, TITLE, BUSY), (4, TITLE, REST)], 4.2, State.UNKNOWN),
    ("its first title", [(1, PROGRESS, BUSY), (2, TITLE, REST), (3, PROGRESS, REST)], 4, State.UNKNOWN),
    ("a screen that shows no end", [(1, TITLE, BUSY), (4, TITLE, REST), (4, SCREEN, REST)], 6, State.UNKNOWN),
    ("hook and screen of one moment", [(3, HOOK, RUNNING), (3, SCREEN, REST)], 6, State.RUNNING),
    ("a screen corrects hooks", [(1, HOOK, RUNNING), (3, SCREEN, REST)], 3.6, State.UNKNOWN),
    ("and tells the end", [(1, HOOK, RUNNING), (3, SCREEN, WELL)], 4, State.SUCCESS),
    ("an interruption at once", [(1, HOOK, RUNNING), (3, SCREEN, CUT)], 3.1, State.UNKNOWN),
    ("hooks know the tool", [(1, HOOK, RUNNING), (3, SCREEN, THINKING)], 4, State.RUNNING),
    ("hooks know the end", [(1, HOOK, WELL), (3, SCREEN, BADLY)], 4, State.SUCCESS),
    ("it goes on after its end", [(1, HOOK, WELL), (3, SCREEN, RUNNING)], 4, State.THINKING),
    ("allowed: the screen works", [(1, HOOK, WAITS), (3, SCREEN, RUNNING)], 4, State.RUNNING),
    ("allowed, perhaps", [(1, HOOK, WAITS), (3, SCREEN, RUNNING)], 3.3, State.ATTENTION),
    ("hooks work, the screen asks", [(1, HOOK, RUNNING), (3, SCREEN, WAITS)], 4, State.ATTENTION),
    ("a dialog behind the end", [(1, HOOK, WELL), (3, SCREEN, WAITS)], 4, State.SUCCESS),
    ("answered: the dialog is gone", [(1, HOOK, WAITS), (2, SCREEN, WAITS), (3, SCREEN, REST)], 3.1, State.UNKNOWN),
    ("answered: it worked meanwhile", [(1, HOOK, WAITS), (2, SCREEN, THINKING), (3, SCREEN, REST)], 3.1, State.UNKNOWN),
    ("it worked before it asked", [(1, SCREEN, THINKING), (2, HOOK, WAITS), (3, SCREEN, REST)], 3.1, State.ATTENTION),
    ("it worked until it asked", [(2, SCREEN, THINKING), (2, HOOK, WAITS), (3, SCREEN, REST)], 3.1, State.ATTENTION),
    ("the screen was at rest all along", [(1, HOOK, WAITS), (3, SCREEN, REST)], 3.1, State.ATTENTION),
    ("a dialog of no hook is gone", [(1, HOOK, RUNNING), (2, SCREEN, WAITS), (3, SCREEN, REST)], 3.1, State.RUNNING),
    ("the screen alone fails", [(1, SCREEN, THINKING), (2, SCREEN, BADLY)], 3, State.FAILURE),
    ("the screen shows the end of a turn before", [(1, SCREEN, BADLY)], 2, State.UNKNOWN),
    ("a resumed conversation had failed", [(1, TITLE, REST), (1, SCREEN, BADLY)], 3, State.UNKNOWN),
    ("it asks while a shell of it runs", [(1, STATUS, BUSY), (3, SCREEN, WAITS)], 4, State.ATTENTION),
    ("allowed: the dialog is still drawn", [(1, STATUS, WAITS), (1, SCREEN, WAITS), (3, STATUS, BUSY)], 4, State.THINKING),
    ("the screen alone comes to rest", [(1, SCREEN, THINKING), (3, SCREEN, REST)], 4, State.SUCCESS),
    ("the screen alone is broken off", [(1, SCREEN, THINKING), (3, SCREEN, CUT)], 4, State.UNKNOWN),
    ("the screen alone asked", [(1, SCREEN, WAITS), (3, SCREEN, REST)], 4, State.UNKNOWN),
    ("the screen comes late", [(1, PROGRESS, BUSY), (3, SCREEN, REST)], 4, State.UNKNOWN),
]  # fmt: skip


def known_of(told: Told, now: float) -> Known:
    known = Known(command="agent", agent=True)
    for at, source, says in told:
        known.take(Evidence(source=source, says=says, at=float(at)))
    known.now = now
    return known


@pytest.mark.parametrize(
    ("told", "now", "state"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
@pytest.mark.requirement("X-20")
def test_sources_correct_each_other(told: Told, now: float, state: State) -> None:
    finding = judge_agent(known_of(told, now))
    assert finding is not None
    assert finding.state is state
    assert finding.because


@pytest.mark.parametrize(
    ("told", "now", "state"),
    [
        ([], 3.5, State.THINKING),
        ([], 5.0, State.ATTENTION),
        ([(2, HOOK, RUNNING)], 5.0, State.ATTENTION),
        ([(3, HOOK, WELL)], 5.0, State.SUCCESS),
    ],
)
def test_what_takes_the_place_of_the_field_asks_though_the_title_rests(
    told: Told, now: float, state: State
) -> None:
    known = known_of([(1, TITLE, BUSY), *told], now)
    known.take(Evidence(source=SCREEN, says=BUSY, at=3.0, rule=FIELD_GONE))
    known.take(Evidence(source=TITLE, says=REST, at=3.0))
    finding = judge_agent(known)
    assert finding is not None and finding.state is state


@pytest.mark.parametrize(
    ("told", "now", "state"),
    [
        ([], 9.9, State.THINKING),
        ([], 10.0, State.UNKNOWN),
        ([Typed(5.5, Key.ESCAPE)], 6.5, State.UNKNOWN),
    ],
    ids=["slow to draw", "it never spun", "broken off"],
)
@pytest.mark.parametrize("source", [TITLE, SCREEN])
def test_an_agent_may_be_slow_to_draw_that_a_turn_has_begun(
    source: Source, told: list[Typed], now: float, state: State
) -> None:
    known = known_of([(1, source, BUSY), (3, source, REST)], 5.0)
    known.take(Typed(5.0, Key.ENTER))
    known.take(Evidence(source=HOOK, says=THINKING, at=5.2))
    if source is SCREEN:
        known.take(Evidence(source=SCREEN, says=BUSY, at=5.3, rule=FIELD_GONE))
        known.take(Evidence(source=SCREEN, says=REST, at=5.4))
    for event in told:
        known.take(event)
    known.now = now
    finding = judge_agent(known)
    assert finding is not None and finding.state is state


@pytest.mark.parametrize(
    ("seen", "told", "now", "state"),
    [
        (2.9, [], 3.5, State.THINKING),
        (2.9, [], 4.1, State.SUCCESS),
        (3.0, [], 3.5, State.SUCCESS),
        (3.2, [(3.2, SCREEN, THINKING)], 3.5, State.THINKING),
        (3.2, [(3.2, SCREEN, WAITS)], 3.5, State.ATTENTION),
    ],
    ids=["not looked at yet", "nothing more is drawn", "looked at", "half drawn", "it asks"],
)
def test_a_title_that_rests_ends_no_turn_before_the_screen_was_looked_at(
    seen: float, told: Told, now: float, state: State
) -> None:
    """A dialog may have come: Qwen Code's title tells of it by another sign."""
    known = known_of([(1, TITLE, BUSY), (3, TITLE, REST), *told], now)
    known.view = View(at=seen, rows=("",))
    finding = judge_agent(known)
    assert finding is not None and finding.state is state


def test_an_agent_that_gives_no_sign_is_judged_like_any_program() -> None:
    assert judge_agent(known_of([], 2.0)) is None


@pytest.mark.parametrize(
    ("before", "told", "now", "state"),
    [
        (BUSY, [(2.1, SCREEN, BADLY)], 2.2, State.FAILURE),
        (BUSY, [(2.1, HOOK, BADLY)], 2.2, State.FAILURE),
        (BUSY, [], 2.5, State.THINKING),
        (BUSY, [], 3.0, State.ATTENTION),
        (REST, [], 2.1, State.ATTENTION),
        (BUSY, [(2.1, SCREEN, THINKING), (2.1, HOOK, WELL)], 4, State.ATTENTION),
    ],
    ids=["by screen", "by hook", "not seen yet", "it waits", "at the start", "no failure is told"],
)
def test_a_missing_login_fails_the_turn_or_is_asked_for(
    before: Says, told: Told, now: float, state: State
) -> None:
    known = known_of([(1, STATUS, before)], 1.0)
    known.take(Evidence(source=STATUS, says=WAITS, at=2.0, kind="auth"))
    for at, source, says in told:
        known.take(Evidence(source=source, says=says, at=at))
    known.now = now
    finding = judge_agent(known)
    assert finding is not None and finding.state is state


@pytest.mark.parametrize(
    ("told", "now", "until"),
    [
        ([(1, HOOK, THINKING), (1, TITLE, BUSY), (4, TITLE, REST)], 4.1, 4.2),
        ([(1, HOOK, THINKING), (1, TITLE, BUSY)], 4.1, None),
    ],
)
def test_who_may_yet_tell_is_waited_for(told: Told, now: float, until: float | None) -> None:
    finding = judge_agent(known_of(told, now))
    assert finding is not None and finding.until == until


def test_a_screen_that_may_yet_fail_for_a_login_is_waited_for() -> None:
    known = known_of([(1, STATUS, BUSY)], 1.0)
    known.take(Evidence(source=STATUS, says=WAITS, at=2.0, kind="auth"))
    finding = judge_agent(known)
    assert finding is not None and finding.until == 3.0


@pytest.mark.parametrize(
    ("told", "rule"),
    [
        ([(1, HOOK, REST)], "not-begun"),
        ([(1, HOOK, THINKING), (1, TITLE, BUSY), (4, TITLE, REST)], "interrupted"),
        ([(1, TITLE, REST)], "at-rest"),
    ],
)
def test_it_tells_why_it_is_at_rest(told: Told, rule: str) -> None:
    finding = judge_agent(known_of(told, 9.0))
    assert finding is not None and finding.rule == rule


@pytest.mark.parametrize(("pressed", "state"), [(2.5, State.UNKNOWN), (2.4, State.SUCCESS)])
@pytest.mark.parametrize("source", [TITLE, SCREEN])
@pytest.mark.requirement("NB-18")
def test_a_key_shortly_before_the_rest_broke_the_turn_off(
    source: Source, pressed: float, state: State
) -> None:
    known = known_of([(1, source, BUSY)], 2.0)
    known.take(Typed(pressed, Key.ESCAPE))
    known.take(Evidence(source=source, says=REST, at=4.0))
    finding = judge_agent(known)
    assert finding is not None and finding.state is state


@pytest.mark.requirement("NB-18")
def test_no_hook_is_waited_for_once_the_user_broke_the_turn_off() -> None:
    known = known_of([(1, HOOK, THINKING), (1, TITLE, BUSY)], 3.9)
    known.take(Typed(3.9, Key.INTERRUPT))
    known.take(Evidence(source=TITLE, says=REST, at=4.0))
    finding = judge_agent(known)
    assert finding is not None and finding.state is State.UNKNOWN


@pytest.mark.parametrize(
    ("says", "state"),
    [
        (BUSY, State.THINKING),
        (WAITS, State.ATTENTION),
        (WELL, State.SUCCESS),
        (BADLY, State.FAILURE),
    ],
)
def test_any_program_that_tells_its_status_is_believed(says: Says, state: State) -> None:
    book = loading.load(Path("/nonexistent")).book
    known = Known(command="anything --at all")
    known.take(Foreground(at=1.0, command="anything", leader=True))
    known.take(Evidence(source=STATUS, says=says, at=1.0))
    assert resolve(known, book).state is state


@pytest.mark.parametrize(
    ("kind", "state"),
    [("", State.ATTENTION), ("answer", State.THINKING), ("tool", State.RUNNING)],
)
def test_a_question_in_the_text_of_one_that_reports_all_its_work_is_none(
    kind: str, state: State
) -> None:
    known = Known(command="anything", agent=True)
    known.take(Evidence(source=STATUS, says=BUSY, at=1.0, kind=kind))
    known.take(Evidence(source=SCREEN, says=WAITS, at=2.0))
    finding = judge_agent(known)
    assert finding is not None and finding.state is state
    known.take(Evidence(source=STATUS, says=WAITS, at=3.0, kind="permission"))
    finding = judge_agent(known)
    assert finding is not None and finding.state is State.ATTENTION


def test_a_password_is_asked_for_whatever_the_status_says() -> None:
    book = loading.load(Path("/nonexistent")).book
    known = Known(command="deploy")
    known.take(Evidence(source=STATUS, says=BUSY, at=1.0))
    known.take(Foreground(at=2.0, command="sudo", leader=False, wait=Wait.READ, echo=False))
    assert resolve(known, book).rule == "reads-a-secret"


def test_a_status_ends_with_the_program_that_told_it() -> None:
    known = Known(command="bash", shell=True)
    known.take(Evidence(source=STATUS, says=BUSY, at=1.0))
    known.take(Foreground(at=1.5, command="agent", leader=False, wait=Wait.KEYS))
    assert known.says(STATUS) is BUSY
    known.take(Foreground(at=2.0, command="bash", leader=True, wait=Wait.KEYS))
    assert known.says(STATUS) is None


def test_a_spinner_that_stopped_says_nothing_any_more() -> None:
    known = Known(command="agent", agent=True)
    known.take(Evidence(source=TITLE, says=BUSY, at=1.0, expires=6.0))
    known.now = 5.9
    assert judge_agent(known) is not None
    known.now = 6.0
    assert judge_agent(known) is None


@pytest.mark.requirement("NB-18")
def test_an_older_failure_on_the_screen_is_not_the_end_of_what_was_broken_off() -> None:
    """Escape takes the prompt back into the input; above it stands how the last turn ended."""
    known = known_of([(1, TITLE, BUSY), (1, SCREEN, THINKING)], 4.0)
    known.take(Typed(4.0, Key.ESCAPE))
    known.take(Evidence(source=TITLE, says=REST, at=4.2))
    known.take(Evidence(source=SCREEN, says=BADLY, at=4.3))
    known.take(Typed(6.0, Key.INTERRUPT))
    known.now = 7.0
    finding = judge_agent(known)
    assert finding is not None and finding.state is State.UNKNOWN
    known.take(Typed(8.0, Key.ENTER))
    known.now = 9.0
    finding = judge_agent(known)
    assert finding is not None and finding.state is State.UNKNOWN, "it has not taken it up yet"
    known.take(Evidence(source=TITLE, says=BUSY, at=9.1))
    known.take(Evidence(source=TITLE, says=REST, at=9.2))
    finding = judge_agent(known)
    assert finding is not None and finding.state is State.FAILURE


def test_what_a_shell_started_is_known_by_any_name_of_its_group() -> None:
    """Codex sits behind the node that started it."""
    book = loading.load(Path("/nonexistent")).book
    known = Known(command="bash", shell=True)
    known.take(Foreground(at=1.0, command="node", leader=False, others=("node", "codex")))
    assert in_agent(known, book)
    known.take(Foreground(at=2.0, command="node", leader=False, others=("node", "esbuild")))
    assert not in_agent(known, book)
