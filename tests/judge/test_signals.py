"""What programs say of themselves in OSC sequences, read through the real engines."""

from __future__ import annotations

import base64

import pytest

from nagomi_tui.judge.evidence import WORK_LEFT, Evidence, Says, Source, Wait
from nagomi_tui.judge.senses.processes import ProcessReader, Sample, is_reply
from nagomi_tui.judge.senses.signals import HEARTBEAT, SignalReader, is_agents_own
from nagomi_tui.terminal.choose import open_engine
from nagomi_tui.text.rows import ScreenEvent
from nagomi_worker.pty.activity import TICKS, Process, Task


def heard(*outputs: str) -> list[Evidence]:
    engine, reader = open_engine(80, 24), SignalReader()
    found = []
    for at, text in enumerate(outputs):
        engine.feed(text.encode())
        found += [reader.read(event, float(at)) for event in engine.take_events()]
    engine.close()
    return [said for said in found if said is not None]


def osc(body: str) -> str:
    return f"\x1b]{body}\x07"


@pytest.mark.parametrize("mark", "⠋⠐◐◓")
def test_a_spinner_in_the_title_is_a_heartbeat(mark: str) -> None:
    (said,) = heard(osc(f"0;{mark} folder"))
    assert (said.source, said.says, said.expires) == (Source.TITLE, Says.BUSY, HEARTBEAT)


def test_a_quick_spinner_is_heard_a_few_times_a_second() -> None:
    reader = SignalReader()
    frames = [reader.read(ScreenEvent("title", "⠋ at work"), at / 20) for at in range(20)]
    assert sum(said is not None for said in frames) == 4
    assert reader.read(ScreenEvent("title", "folder"), 1.0) is not None
    assert reader.read(ScreenEvent("title", "⠙ at work"), 1.05) is not None


def test_titles_rest_by_their_mark_or_by_losing_the_spinner() -> None:
    told = heard(osc("0;✳ Claude Code"), osc("0;user@box"), osc("0;⠋ box"), osc("2;box"), osc("0;"))
    assert [said.says for said in told] == [Says.REST, Says.BUSY, Says.REST]


@pytest.mark.parametrize(
    ("body", "source", "says"),
    [
        ("9;4;3;", Source.PROGRESS, Says.BUSY),
        ("9;4;1;40", Source.PROGRESS, Says.BUSY),
        ("9;4;0;", Source.PROGRESS, Says.REST),
        ("9;4;2;", Source.PROGRESS, Says.FAILED),
        ("7501;state=working:app=codex", Source.STATUS, Says.BUSY),
        ("7501;state=blocked:app=codex:kind=permission", Source.STATUS, Says.WAITS),
        ("7501;state=done", Source.STATUS, Says.SUCCEEDED),
        ("7501;state=error", Source.STATUS, Says.FAILED),
        ("133;C", Source.SHELL, Says.RUNNING),
        ("133;D;0", Source.SHELL, Says.SUCCEEDED),
        ("133;D;2;aid=7", Source.SHELL, Says.FAILED),
        ("133;D;130", Source.SHELL, Says.INTERRUPTED),
        ("133;A", Source.SHELL, Says.REST),
        ("777;notify;Claude Code;Claude needs your permission", Source.NOTICE, Says.CALLS),
        ("9;build done", Source.NOTICE, Says.CALLS),
    ],
)
def test_sequences_become_evidence(body: str, source: Source, says: Says) -> None:
    (said,) = heard(osc(body))
    assert (said.source, said.says) == (source, says)


@pytest.mark.parametrize(
    "body", ["7501;?", "7501;state=clear", "7501;state=dancing", "133;Z", "0;plain"]
)
def test_what_tells_nothing_is_no_evidence(body: str) -> None:
    assert heard(osc(body)) == []


def test_a_prompt_after_a_command_keeps_the_commands_end() -> None:
    told = heard(osc("133;A"), osc("133;C"), osc("133;D;1") + osc("133;A") + osc("133;B"))
    assert [said.says for said in told] == [Says.REST, Says.RUNNING, Says.FAILED]


def test_a_turn_begins_when_a_program_at_rest_begins_to_work() -> None:
    told = heard(*(osc(f"7501;state={word}") for word in ("idle", "working", "blocked", "working")))
    assert [said.begins for said in told] == [False, True, False, False]


@pytest.mark.parametrize(
    ("kind", "own"),
    [("title", True), ("bell", True), ("status", True), ("command", False), ("cwd", False)],
)
def test_a_signal_is_the_programs_own_or_a_mark_of_the_shell(kind: str, own: bool) -> None:
    assert is_agents_own(ScreenEvent(kind)) is own


def test_a_spinner_is_heard_again_after_a_quarter_of_a_second() -> None:
    reader = SignalReader()
    frames = [reader.read(ScreenEvent("title", "⠋ at work"), at) for at in (1.0, 1.24, 1.25)]
    assert [said is not None for said in frames] == [True, False, True]


def test_a_command_that_is_gone_takes_its_status_with_it() -> None:
    told = heard(osc("7501;state=working"), osc("133;A"), osc("7501;state=clear"))
    assert [said.source for said in told] == [Source.STATUS, Source.SHELL]


@pytest.mark.requirement("NB-18")
def test_an_end_by_the_users_keys_is_an_interruption_and_one_by_term_is_none() -> None:
    told = heard(*(osc(f"133;D;{code}") for code in ("130", "143", "144", "148", "", "x")))
    assert [said.says for said in told] == [
        Says.INTERRUPTED, Says.FAILED, Says.FAILED, *[Says.INTERRUPTED] * 3
    ]  # fmt: skip


def states(*reports: str) -> list[tuple[str, bool]]:
    """Return what is said of the whole program, and whether that still holds."""
    told = heard(*(osc(f"7501;state={report}") for report in reports))
    return [(said.says, said.expires is None) for said in told]


def test_work_that_is_left_to_run_does_not_keep_a_turn_from_its_end() -> None:
    """Claude Code calls itself working for as long as a shell of its own runs: `1 shell still running`."""
    left = "working:msg=" + base64.b64encode(b"1 shell still running").decode()
    assert states("working", left, "idle", "working") == [
        ("busy", True), ("succeeded", True), ("rest", True), ("busy", True),
    ]  # fmt: skip
    (said,) = heard(osc(f"7501;state={left}"))
    assert (said.kind, said.text, said.begins) == (WORK_LEFT, "1 shell still running", False)


def test_a_part_that_is_blocked_needs_the_user_and_another_one_changes_nothing() -> None:
    assert states("working", "working:id=a", "done:id=a", "blocked:id=b/c:kind=question") == [
        ("busy", True), ("busy", True), ("busy", True), ("waits", True)
    ]  # fmt: skip
    assert states("blocked:id=a/b", "done", "clear:id=a")[-1] == ("succeeded", True)
    assert states("done:id=a", "working:id=b", "clear:id=b") == [
        ("succeeded", True), ("busy", True), ("succeeded", True)
    ]  # fmt: skip


def test_a_part_is_taken_back_with_its_own_parts_and_no_other() -> None:
    assert states("blocked:id=a", "working:id=ab", "clear:id=a")[-1] == ("busy", True)
    assert states("blocked:id=ab", "working:id=a", "clear:id=a")[-1] == ("waits", True)


def test_the_programs_own_word_goes_before_its_parts_unless_one_is_blocked() -> None:
    assert states("working:id=a", "done")[-1] == ("succeeded", True)
    assert states("done", "blocked:id=a")[-1] == ("waits", True)
    assert states("error:id=a", "done:id=b")[-1] == ("failed", True)


def test_no_more_than_64_parts_are_kept() -> None:
    many = [f"done:id={number}" for number in range(64)]
    assert states(*many, "blocked:id=64")[-1] == ("succeeded", True)
    assert states(*many[:63], "blocked:id=64")[-1] == ("waits", True)
    assert states(*many, "blocked:id=0")[-1] == ("waits", True)


def test_what_was_taken_back_holds_no_longer() -> None:
    assert states("working", "clear") == [("busy", True), ("rest", False)]
    assert states("working", "blocked:id=a", "clear", "clear") == [
        ("busy", True), ("waits", True), ("rest", False)
    ]  # fmt: skip


def test_a_status_may_tell_in_words_what_it_is_about() -> None:
    (said,) = heard(osc("7501;state=blocked:kind=auth:msg=UnVuIC9sb2dpbiDigK4bWzFtbm93"))
    assert (said.kind, said.rule, said.text) == ("auth", "message", "Run /login   [1mnow")
    (said,) = heard(osc("7501;state=blocked:kind=question:msg=%%%"))
    assert (said.kind, said.rule) == ("question", "status")
    (said,) = heard(
        osc("7501;state=blocked:kind=question:msg=YW5zd2VyOiBXaGljaCBvbmU/IChhIMK3IGIp")
    )
    assert said.text == "Which one? (a · b)"


def test_a_turn_begins_again_behind_a_missing_login() -> None:
    told = heard(
        *(osc(f"7501;state={word}") for word in ("working", "blocked:kind=auth", "working"))
    )
    assert [said.begins for said in told] == [True, False, True]


def look(*processes: Process, icanon: bool = True, shell: bool = False) -> Sample:
    return Sample(t=1.0, fg=7, shell=shell, icanon=icanon, echo=icanon, procs=processes)


READS = Process(8, "deploy.sh", "S", 0, "wait_woken", "0 0x0")
POLLS = Process(9, "python3", "S", 0, "poll_schedule_timeout.constprop.0", "270 0x1")
SLEEPS = Process(10, "sleep", "S", 0, "hrtimer_nanosleep", "230 0x0")
WAITS = Process(11, "bash", "S", 0, "do_wait", "61 0xffffffff")


@pytest.mark.parametrize(
    ("sample", "command", "wait"),
    [
        (look(READS), "deploy.sh", Wait.READ),
        (look(WAITS, READS), "deploy.sh", Wait.READ),
        (look(WAITS, SLEEPS), "bash", Wait.NOTHING),
        (look(POLLS, icanon=False), "python3", Wait.KEYS),
        (look(POLLS), "python3", Wait.NOTHING),
        (look(SLEEPS, icanon=False), "sleep", Wait.NOTHING),
        (look(Process(9, "node", "R", 0, "0", "running"), icanon=False), "node", Wait.NOTHING),
    ],
)
def test_processes_tell_who_waits_for_what(sample: Sample, command: str, wait: Wait) -> None:
    seen = ProcessReader().read(sample)
    assert seen is not None
    assert (seen.command, seen.wait) == (command, wait)


def test_a_group_that_has_gone_tells_nothing() -> None:
    assert ProcessReader().read(look(Process(3, "x", "Z"))) is None
    assert ProcessReader().read(Sample(t=0, fg=0, shell=False, icanon=True, echo=True)) is None


def test_processor_time_between_two_looks_is_work() -> None:
    reader = ProcessReader()
    quiet = Process(9, "vim", "S", 100, "poll_schedule_timeout", "7 0x1")
    works = Process(9, "vim", "S", 140, "poll_schedule_timeout", "7 0x1")
    waits = [reader.read(look(item, icanon=False)).wait for item in (quiet, works, works)]  # type: ignore[union-attr]
    assert waits == [Wait.KEYS, Wait.NOTHING, Wait.KEYS]


@pytest.mark.parametrize(("more", "works"), [(TICKS - 1, False), (TICKS, True)])
def test_a_few_ticks_of_processor_time_are_no_work(more: int, works: bool) -> None:
    reader = ProcessReader()
    for ticks in (100, 100 + more):
        seen = reader.read(look(Process(9, "vim", "S", ticks, "poll_schedule_timeout", "7 0x1")))
    assert seen is not None and seen.busy is works and seen.polls is not works


@pytest.mark.parametrize(
    ("wchan", "tasks", "wait"),
    [
        ("futex_wait_queue", (), Wait.KEYS),
        ("hrtimer_nanosleep", (Task("ep_poll"),), Wait.KEYS),
        ("hrtimer_nanosleep", (Task("futex"),), Wait.NOTHING),
        ("unix_stream_read_generic", (), Wait.KEYS),
        ("do_wait", (), Wait.NOTHING),
    ],
)
def test_in_a_raw_terminal_who_waits_for_events_waits_for_keys(
    wchan: str, tasks: tuple[Task, ...], wait: Wait
) -> None:
    seen = ProcessReader().read(look(Process(9, "x", "S", 0, wchan, tasks=tasks), icanon=False))
    assert seen is not None and seen.wait is wait


def test_a_thread_reads_aside_where_no_first_one_does() -> None:
    aside = Process(9, "java", "S", 0, "futex", tasks=(Task("wait_woken", "0 0x0"),))
    seen = [
        ProcessReader().read(look(*processes)) for processes in ((aside,), (aside, READS), (READS,))
    ]
    assert [one and (one.command, one.aside, one.wait) for one in seen] == [
        ("java", True, Wait.READ), ("deploy.sh", False, Wait.READ), ("deploy.sh", False, Wait.READ),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("\x1b[?62;22c", True), ("\x1b[12;40R", True), ("\x1b]11;rgb:0/0/0\x1b\\", True),
        ("\x1b[?1u", True), ("\x1b[A", False), ("x", False), ("\x1b", False), ("\r", False),
    ],
)  # fmt: skip
def test_what_a_terminal_answers_is_nothing_that_was_typed(text: str, reply: bool) -> None:
    assert is_reply(text) is reply


@pytest.mark.parametrize(("icanon", "watches"), [(True, False), (False, True)])
def test_a_thread_beside_the_first_may_watch_the_terminal_all_the_time(
    icanon: bool, watches: bool
) -> None:
    beam = Process(9, "beam.smp", "S", wchan="futex", tasks=(Task("ep_poll", watches=True),))
    seen = ProcessReader().read(look(beam, icanon=icanon))
    assert seen is not None
    assert (seen.watches, seen.polls) == (watches, True)
