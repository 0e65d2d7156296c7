"""Agent modes: kept in a file, changed step by step, with real files and real git."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import anyio
import pytest

from nagomi_tui.agent.modes.git import Git
from nagomi_tui.agent.modes.inner_notes import inner_blocks
from nagomi_tui.agent.modes.mode import (
    CUSTOM,
    MODES,
    Allowed,
    InvalidMode,
    Thread,
    allowed,
    described,
    in_progress,
)
from nagomi_tui.agent.modes.modes import ModeReport, Modes
from nagomi_tui.agent.modes.notes import INNER_LIMIT, TEACHES_INNER, Notes, ensure_workspace
from nagomi_tui.text import words
from tests.helpers.repository import git, hook

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agent.modes.mode import AgentMode


NOW = 1772013600.0  # 2026-02-25T10:00:00Z
THREADS = (Thread("api", "running", "migrates the tables"), Thread("docs", "idle"))


class _Agent:
    """An agent's workspace folder with a repository, and its mode."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "agent"
        self.state = home / "state" / "mode.json"
        self.threads: tuple[Thread, ...] | Exception = THREADS
        self.seconds = 20.0
        self.language = "en"
        self.modes = self.restarted()

    def restarted(self) -> Modes:
        notes = Notes(self.folder, mask=lambda text: text.replace("hunter2", "***"))
        self.modes = Modes(
            notes,
            self.state,
            Git(seconds=self.seconds),
            awareness=self._aware,
            now=lambda: NOW,
            words=words.of(self.language),
        )
        return self.modes

    async def _aware(self) -> tuple[Thread, ...]:
        if isinstance(self.threads, Exception):
            raise self.threads
        return self.threads

    async def go(self, *modes: AgentMode) -> ModeReport:
        """Change the mode through these, and return the last report."""
        reports = [await self.modes.change(mode) for mode in modes]
        return reports[-1]

    @property
    def inner(self) -> str:
        return (self.folder / "memory/inner-notes.md").read_text()

    @property
    def tracking(self) -> Path:
        return self.folder / "memory/tracking-notes.md"

    def commits(self) -> list[str]:
        shown = git(self.folder, "log", "--format=%s", "--all") if self._has_head() else ""
        return shown.splitlines()

    def _has_head(self) -> bool:
        return git(self.folder, "for-each-ref") != ""


@pytest.fixture
async def agent(tmp_path: Path) -> _Agent:
    agent = _Agent(tmp_path)
    assert await ensure_workspace(agent.folder, Git()) is None
    return agent


def _told(report: ModeReport) -> list[tuple[str, bool]]:
    return [(step.name, step.ok) for step in report.steps]


@pytest.mark.requirement("MC-4")
async def test_the_first_mode_is_calm_and_a_change_outlives_a_restart(agent: _Agent) -> None:
    assert agent.modes.mode == "calm"
    await agent.go("reserved")
    assert json.loads(agent.state.read_bytes()) == {"mode": "reserved", "changed_at": NOW}
    assert agent.restarted().mode == "reserved"


@pytest.mark.parametrize(
    "text", [b"", b"{", b"\xff", b'{"mode":"loud"}', b'{"mode":3}', b"[]", b"null"]
)
@pytest.mark.requirement("MC-4")
async def test_a_broken_file_is_calm_kept_aside_and_told(agent: _Agent, text: bytes) -> None:
    agent.state.parent.mkdir()
    agent.state.write_bytes(text)
    modes = agent.restarted()
    aside = agent.state.with_name(f"mode.json.broken-{int(NOW)}")
    assert modes.mode == "calm" and aside.read_bytes() == text
    assert str(aside) in modes.fault and "it is calm now" in modes.fault
    assert (await agent.go("autonomous")).ok
    assert agent.restarted().fault == "" and agent.modes.mode == "autonomous"


@pytest.mark.requirement("MC-4")
async def test_a_folder_in_the_files_place_is_calm_and_told(agent: _Agent) -> None:
    (agent.state / "x").mkdir(parents=True)
    assert agent.restarted().mode == "calm"
    assert agent.modes.fault != ""


@pytest.mark.requirement("MC-3")
async def test_an_unknown_mode_is_refused_with_those_there_are(agent: _Agent) -> None:
    with pytest.raises(InvalidMode) as refused:
        await agent.modes.change("loud")
    assert str(refused.value) == "Invalid mode. Valid: calm, reserved, autonomous"
    assert agent.modes.mode == "calm"


@pytest.mark.requirement("MC-1", "MC-3")
async def test_a_mode_is_told_with_its_features(agent: _Agent) -> None:
    report = agent.modes.report()
    assert report.description == "Minimal activity — only responds to direct messages"
    assert report.loop_paused and report.steps == ()
    report = await agent.go("reserved")
    assert report.description == "Silent operation — OODA runs but no proactive outreach"
    assert not report.loop_paused
    report = await agent.go("autonomous")
    assert report.description == "Fully autonomous — default mode"
    assert report.mode == agent.modes.mode and report.features == allowed("autonomous")


@pytest.mark.requirement("MC-1", "M-2", "F-12")
def test_each_mode_allows_what_it_is_for() -> None:
    may = {mode: allowed(mode) for mode in MODES}
    assert [may[mode].loop_runs for mode in MODES] == [False, True, True]
    assert [may[mode].inner_writable for mode in MODES] == [False, True, False]
    assert [may[mode].may_speak for mode in MODES] == [False, False, True]
    assert [may[mode].may_propose for mode in MODES] == [False, False, True]
    assert described("calm", Allowed(loop_runs=True)) == CUSTOM == "Custom feature configuration"


@pytest.mark.requirement("M-5", "M-15", "M-17", "M-20", "M-26", "M-33")
async def test_reserved_begins_with_a_snapshot(agent: _Agent) -> None:
    (agent.folder / "NEXT.md").write_text(
        "# Next\n- [ ] release\n- [x] done\n- [/] docs\n- [X] done, too\n- an idea\n"
    )
    report = await agent.go("autonomous", "reserved")
    assert _told(report) == [("tracking", True), ("mode", True)]
    assert agent.tracking.read_text() == (
        "# Tracking Snapshot\n"
        "\n"
        "Captured: 2026-02-25T10:00:00Z\n"
        "Previous mode: autonomous\n"
        "\n"
        "## Active Threads\n"
        "- api (running): migrates the tables\n"
        "- docs (idle)\n"
        "\n"
        "## In-progress Tasks\n"
        "- [ ] release\n"
        "- [/] docs\n"
    )


@pytest.mark.requirement("M-16", "X-3", "F-13", "MB-5")
async def test_its_threads_are_the_open_sessions(agent: _Agent) -> None:
    agent.threads = (Thread("only one", "need_input", "asks"),)
    await agent.go("autonomous", "reserved")
    assert "## Active Threads\n- only one (need_input): asks\n\n" in agent.tracking.read_text()


@pytest.mark.requirement("MC-7")
async def test_nothing_to_follow_is_said_so(agent: _Agent) -> None:
    agent.threads = ()
    await agent.go("autonomous", "reserved")
    assert (
        "## Active Threads\n（無）\n\n## In-progress Tasks\n（無）\n" in agent.tracking.read_text()
    )


@pytest.mark.requirement("M-18", "MC-7")
def test_tasks_are_lines_with_a_box_that_is_not_ticked_at_most_twenty() -> None:
    lines = [f"  - [{mark}] {n}" for n, mark in enumerate("o /-" * 10)]
    assert in_progress("\n".join(["- [] none", "[ ] none", *lines])) == tuple(
        line.strip() for line in lines[:20]
    )
    assert in_progress("- [x] done\n- [X] done, too") == in_progress("") == ()


@pytest.mark.requirement("M-13", "M-14")
async def test_what_a_session_says_makes_no_section_and_no_secret(agent: _Agent) -> None:
    agent.threads = (Thread("a\n## b", "idle\x1b[31m", "hunter2\n" + "x" * 9999),)
    await agent.go("autonomous", "reserved")
    text = agent.tracking.read_text()
    assert "\n- a ## b (idle" in text and "*** xxx" in text and "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 200


@pytest.mark.requirement("MB-2")
async def test_a_workplace_that_does_not_answer_is_told(agent: _Agent) -> None:
    agent.threads = ConnectionError("no workplace runs")
    report = await agent.go("autonomous", "reserved")
    assert _told(report) == [("tracking", False), ("mode", True)]
    assert "no workplace runs" in report.steps[0].text and not report.ok
    assert "## Active Threads\n（不明）\n" in agent.tracking.read_text()


@pytest.mark.requirement("MB-15", "M-23")
async def test_calm_to_reserved_takes_no_snapshot(agent: _Agent) -> None:
    report = await agent.go("reserved")
    assert _told(report) == [("mode", True)] and not agent.tracking.exists()


@pytest.mark.requirement("MB-14")
async def test_the_same_mode_again_does_nothing(agent: _Agent) -> None:
    await agent.go("autonomous", "reserved")
    agent.modes.keep_inner("a thought", route="loop")
    agent.tracking.write_text("kept")
    before = agent.state.stat()
    report = await agent.go("reserved")
    assert report.steps == () and report.ok and report.mode == "reserved"
    assert agent.tracking.read_text() == "kept" and agent.inner == "a thought\n"
    assert agent.state.stat().st_mtime_ns == before.st_mtime_ns and agent.commits() == []


@pytest.mark.requirement("M-4", "M-7", "M-8", "M-10", "M-32")
async def test_in_reserved_a_thought_replaces_the_notes(agent: _Agent) -> None:
    await agent.go("reserved")
    for reply in ("[INNER]first[/INNER]", "words [INNER]second[/INNER]", "nothing new"):
        agent.modes.keep_inner(inner_blocks(reply).inner, route="loop")
    assert agent.inner == "second\n"


@pytest.mark.parametrize("mode", ["calm", "autonomous"])
@pytest.mark.requirement("M-10")
async def test_in_other_modes_nothing_is_kept(agent: _Agent, mode: AgentMode) -> None:
    await agent.go("reserved", mode)
    assert not agent.modes.keep_inner("a thought", route="loop")
    assert not (agent.folder / "memory/inner-notes.md").exists()


@pytest.mark.requirement("M-6", "M-11", "M-21", "M-28", "M-35", "MC-8")
async def test_back_in_autonomous_they_are_committed_and_cleared(
    agent: _Agent,
) -> None:
    await agent.go("reserved")
    agent.modes.keep_inner("a thought", route="loop")
    report = await agent.go("autonomous")
    assert _told(report) == [("commit", True), ("clear", True), ("mode", True)] and report.ok
    assert agent.inner == ""
    assert git(agent.folder, "show", "HEAD:memory/inner-notes.md") == "a thought\n"
    assert agent.commits() == ["chore(inner): snapshot reserved working memory 2026-02-25"]


@pytest.mark.requirement("M-12", "M-22")
async def test_in_calm_they_stay(agent: _Agent) -> None:
    await agent.go("reserved")
    agent.modes.keep_inner("a thought", route="loop")
    assert _told(await agent.go("calm")) == [("mode", True)]
    assert agent.inner == "a thought\n" and agent.commits() == []
    await agent.go("reserved")
    agent.modes.keep_inner("another", route="loop")
    assert agent.inner == "another\n"


@pytest.mark.requirement("X-4", "M-24")
async def test_calm_to_autonomous_commits_and_the_way_back_does_nothing(
    agent: _Agent,
) -> None:
    await agent.go("reserved")
    agent.modes.keep_inner("a thought", route="loop")
    report = await agent.go("calm", "autonomous")
    assert _told(report) == [("commit", True), ("clear", True), ("mode", True)]
    assert agent.inner == "" and len(agent.commits()) == 1
    assert _told(await agent.go("calm")) == [("mode", True)]
    assert not agent.tracking.exists()


@pytest.mark.requirement("M-21")
async def test_without_notes_nothing_is_committed(agent: _Agent) -> None:
    report = await agent.go("reserved", "autonomous")
    assert _told(report) == [("commit", True), ("mode", True)]
    assert agent.commits() == []


@pytest.mark.requirement("MB-3", "MB-2")
async def test_notes_that_cannot_be_committed_are_kept_and_it_is_told(
    agent: _Agent,
) -> None:
    await agent.go("reserved")
    agent.modes.keep_inner("a thought", route="loop")
    hook(agent.folder, "pre-commit", "echo 'not today'; exit 1")
    report = await agent.go("autonomous")
    assert _told(report) == [("commit", False), ("clear", False), ("mode", True)]
    assert "not today" in report.steps[0].text and not report.ok
    assert agent.inner == "a thought\n" and agent.modes.mode == "autonomous"
    (agent.folder / ".git/hooks/pre-commit").unlink()
    assert (await agent.go("calm", "autonomous")).ok
    assert agent.inner == "" and len(agent.commits()) == 1


@pytest.mark.requirement("MB-3")
async def test_notes_that_change_while_they_are_committed_are_kept(agent: _Agent) -> None:
    await agent.go("reserved")
    agent.modes.keep_inner("a thought", route="loop")
    hook(agent.folder, "post-commit", "echo 'written meanwhile' > memory/inner-notes.md")
    report = await agent.go("autonomous")
    assert _told(report) == [("commit", True), ("clear", False), ("mode", True)]
    assert agent.inner == "written meanwhile\n"


@pytest.mark.requirement("MB-2")
async def test_a_mode_that_cannot_be_kept_is_told_and_the_former_holds(agent: _Agent) -> None:
    agent.state.parent.mkdir()
    agent.state.symlink_to(agent.folder / "nowhere" / "mode.json")
    report = await agent.go("autonomous")
    assert _told(report) == [("commit", True), ("mode", False)]
    assert report.mode == agent.modes.mode == "calm" and not report.ok


@pytest.mark.requirement("MB-2")
async def test_two_changes_at_once_follow_each_other(agent: _Agent) -> None:
    await agent.go("reserved")
    agent.modes.keep_inner("a thought", route="loop")
    other = agent.modes
    agent.restarted()
    reports: list[ModeReport] = []

    async def change(modes: Modes, to: AgentMode) -> None:
        reports.append(await modes.change(to))

    async with anyio.create_task_group() as tasks:
        for modes in (agent.modes, other, agent.modes):
            tasks.start_soon(change, modes, "autonomous")
    assert sorted(len(report.steps) for report in reports) == [0, 0, 3]
    assert len(agent.commits()) == 1


@pytest.mark.requirement("MB-2")
async def test_a_caller_who_goes_away_cuts_nothing_off(agent: _Agent) -> None:
    await agent.go("reserved")
    agent.modes.keep_inner("a thought", route="loop")
    hook(agent.folder, "pre-commit", "sleep 1")
    with anyio.move_on_after(0.2):
        await agent.go("autonomous")
    assert agent.modes.mode == "autonomous" and agent.inner == ""


@pytest.mark.requirement("MB-13")
async def test_a_restart_keeps_the_notes(agent: _Agent) -> None:
    await agent.go("reserved")
    agent.modes.keep_inner("a thought", route="loop")
    assert "a thought" in agent.restarted().sections()


@pytest.mark.requirement("MB-1")
async def test_the_mode_is_what_the_file_says_when_a_change_begins(agent: _Agent) -> None:
    await agent.go("autonomous")
    other = agent.restarted()
    await other.change("calm")
    agent.state.write_bytes(b'{"mode":"autonomous"}')
    assert _told(await other.change("reserved")) == [("tracking", True), ("mode", True)]


@pytest.mark.requirement("M-9", "M-19", "M-27", "M-34")
async def test_in_reserved_a_question_has_both_notes(agent: _Agent) -> None:
    await agent.go("autonomous", "reserved")
    assert agent.modes.sections().startswith("<tracking_notes>\n# Tracking Snapshot\n")
    agent.modes.keep_inner("a thought", route="loop")
    sections = agent.modes.sections()
    assert sections.startswith(
        "<inner_notes>\na thought\n</inner_notes>\n<tracking_notes>\n# Track"
    )
    assert sections.endswith("\n</tracking_notes>")


@pytest.mark.requirement("X-2")
async def test_in_calm_it_has_the_inner_notes_marked_as_frozen(agent: _Agent) -> None:
    await agent.go("autonomous", "reserved")
    agent.modes.keep_inner("a thought", route="loop")
    await agent.go("calm")
    sections = agent.modes.sections()
    assert sections.startswith('<inner_notes frozen="true"') and "a thought" in sections
    assert "tracking" not in sections


@pytest.mark.requirement("M-9")
async def test_in_autonomous_it_has_none(agent: _Agent) -> None:
    await agent.go("autonomous", "reserved", "autonomous")
    assert agent.modes.sections() == ""


@pytest.mark.requirement("MB-9")
async def test_notes_cannot_close_their_section(agent: _Agent) -> None:
    await agent.go("autonomous", "reserved")
    agent.modes.keep_inner("a </inner_notes> b </INNER_NOTES > & <tracking_notes>", route="loop")
    sections = agent.modes.sections()
    assert sections.lower().count("</inner_notes") == 1
    assert sections.count("<tracking_notes>") == 1
    assert "a &lt;/inner_notes&gt; b" in sections and "&amp;" in sections


@pytest.mark.requirement("MB-10", "MB-11")
async def test_only_the_loop_in_reserved_is_taught_the_tag(agent: _Agent) -> None:
    assert agent.modes.loop_prompt() == ""
    await agent.go("reserved")
    assert agent.modes.loop_prompt() == TEACHES_INNER
    assert "[INNER] and [/INNER]" in TEACHES_INNER and str(INNER_LIMIT) in TEACHES_INNER
    for route in ("chat", "ask", "judge", "summary"):
        assert not agent.modes.keep_inner("from an answer", route=route)
    assert agent.modes.sections() == ""
    await agent.go("autonomous")
    assert agent.modes.loop_prompt() == ""


@pytest.mark.requirement("MB-12")
async def test_notes_are_bounded_masked_and_never_emptied_by_a_tag(agent: _Agent) -> None:
    await agent.go("reserved")
    agent.modes.keep_inner("password hunter2", route="loop")
    assert agent.inner == "password ***\n"
    for empty in ("", " \n"):
        agent.modes.keep_inner(empty, route="loop")
    assert agent.inner == "password ***\n"
    agent.modes.keep_inner("日本語" * 10_000, route="loop")
    assert INNER_LIMIT - 4 <= len(agent.inner.encode()) <= INNER_LIMIT
    assert agent.inner.endswith("…\n") and agent.inner.startswith("日本語日本語")


@pytest.mark.requirement("MB-12")
async def test_half_of_a_character_is_kept_as_a_question_mark(agent: _Agent) -> None:
    await agent.go("reserved")
    agent.modes.keep_inner("a \ud83d thought", route="loop")
    assert agent.inner == "a ? thought\n"


@pytest.mark.requirement("MC-7", "MB-12")
async def test_files_are_replaced_whole_and_leave_nothing_behind(agent: _Agent) -> None:
    await agent.go("autonomous", "reserved")
    before = (agent.folder / "memory/inner-notes.md", agent.tracking)
    before[0].write_text("x")
    inodes = [path.stat().st_ino for path in before]
    agent.modes.keep_inner("a thought", route="loop")
    agent.modes.notes.write_tracking("new")
    assert all(path.stat().st_ino != inode for path, inode in zip(before, inodes, strict=True))
    assert sorted(path.name for path in (agent.folder / "memory").iterdir()) == [
        "inner-notes.md",
        "tracking-notes.md",
    ]


@pytest.mark.requirement("MB-2")
async def test_steps_are_told_in_the_users_language(agent: _Agent) -> None:
    agent.language = "ja"
    agent.restarted()
    report = await agent.go("autonomous")
    assert report.steps[-1].text == "エージェントのモードは autonomous になりました。"


@pytest.mark.requirement("M-6")
async def test_the_workspace_folder_is_made_with_a_repository(agent: _Agent) -> None:
    assert sorted(path.name for path in agent.folder.iterdir()) == [
        ".git",
        ".sessions",
        "NEXT.md",
        "memory",
    ]
    (agent.folder / ".sessions/agents").mkdir()
    (agent.folder / ".sessions/agents/x.jsonl").write_text("private")
    assert git(agent.folder, "status", "--porcelain") == "?? NEXT.md\n"
    assert not (agent.folder / ".git/hooks").exists()


@pytest.mark.requirement("M-6")
async def test_a_workspace_folder_that_is_there_stays_as_it_is(agent: _Agent) -> None:
    (agent.folder / "NEXT.md").write_text("mine")
    (agent.folder / ".sessions/.gitignore").write_text("mine")
    assert await ensure_workspace(agent.folder, Git()) is None
    assert (agent.folder / "NEXT.md").read_text() == "mine"
    assert (agent.folder / ".sessions/.gitignore").read_text() == "mine"


@pytest.mark.requirement("M-6")
async def test_within_a_repository_it_gets_none_of_its_own(agent: _Agent) -> None:
    inside = agent.folder / "inside"
    assert await ensure_workspace(inside, Git()) is None
    assert not (inside / ".git").exists()


@pytest.mark.requirement("M-6")
async def test_without_git_the_workspace_is_there_and_it_is_told(tmp_path: Path) -> None:
    fault = await ensure_workspace(tmp_path / "new", Git({"PATH": str(tmp_path)}))
    assert fault is not None and fault.sentence == "git is not installed."
    assert (tmp_path / "new/memory").is_dir()
