"""The review on screen: a real repository, driven by keys and the mouse."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest
from textual import events

from nagomi_tui.api.messages import Create, Send
from nagomi_tui.hands import registry
from nagomi_tui.hands.hand import Hand
from nagomi_tui.review.review import Page, Review
from nagomi_tui.settings.model import Settings
from nagomi_tui.system.git import GitFault
from nagomi_tui.view.review import screen as review_screen
from nagomi_tui.view.review.app import ReviewApp, editor
from tests.helpers.app_pilot import visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session
from tests.helpers.repository import git, repository
from tests.helpers.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from textual.pilot import Pilot

    from nagomi_tui.review.snapshots import Since

CODE = "".join(f"line_{number} = {number}\n" for number in range(1, 61))
SIZES = [(80, 24), (120, 36), (200, 50)]


class Reader:
    """A review that is open, and its user."""

    def __init__(self, app: ReviewApp, pilot: Pilot[Any], posted: list[str]) -> None:
        self.app = app
        self.pilot = pilot
        self.posted = posted
        self.fault = ""
        """What is in the way of the next sending."""

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause(0)

    async def type(self, text: str) -> None:
        await self.press(*("space" if char == " " else char for char in text))

    def type_at_once(self, text: str) -> None:
        """Type characters that arrive together, as over a slow line."""
        for char in text:
            self.app.post_message(events.Key("space" if char == " " else char, char))

    def text(self) -> str:
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    async def until(self, fits: Callable[[], object]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not fits():
            assert time.monotonic() < deadline, f"it did not happen in time:\n{self.text()}"
            await asyncio.sleep(0.01)
            await self.pilot.pause(0)

    async def sees(self, *texts: str) -> None:
        await self.until(lambda: all(text in self.text() for text in texts))

    async def misses(self, text: str) -> None:
        await self.until(lambda: text not in self.text())

    async def goes_to(self, text: str) -> None:
        """Move the cursor down to the row that shows this."""
        for _ in range(200):
            if any(
                line.lstrip(" │").startswith("▌") and text in line for line in self._diff_lines()
            ):
                return
            await self.press("j")
        raise AssertionError(f"no row with {text}:\n{self.text()}")

    def _diff_lines(self) -> list[str]:
        left = self.app.review_screen.diff.region.x
        return [strip.crop(left).text for strip in self.app.screen._compositor.render_strips()]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = repository(tmp_path / "project", code=CODE, other="kept\n")
    git(made, "config", "user.name", "Test")
    git(made, "config", "user.email", "test@example.org")
    text = CODE.replace("line_20 = 20", "line_20 = twenty").replace("line_50 = 50\n", "")
    (made / "code").write_text(text)
    (made / "fresh.py").write_text("def greet() -> str:\n    return 'hello'\n")
    return made


@pytest.fixture(autouse=True)
def _readable_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review_screen, "BEHIND_SECONDS", 0.0)


@asynccontextmanager
async def reading(
    root: Path, size: tuple[int, int] = (120, 36), *, session: str = "", language: str = "en"
) -> AsyncIterator[Reader]:
    posted: list[str] = []
    here: Reader | None = None

    def post(text: str) -> str:
        assert here is not None
        if not here.fault:
            posted.append(text)
        return here.fault

    app = ReviewApp(Review(root, session), Settings(language=language), name="claude", post=post)
    async with app.run_test(size=size) as pilot:
        here = Reader(app, pilot, posted)
        yield here


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("language", "said"), [("en", "Review of claude"), ("ja", "claude のレビュー")]
)
async def test_title_files_and_changes(
    root: Path, size: tuple[int, int], language: str, said: str
) -> None:
    async with reading(root, size, language=language) as here:
        commit = git(root, "rev-parse", "--short=7", "HEAD").strip()
        await here.sees(said, f"main@{commit}", "+3 −2", "line_20 = twenty", "line_20 = 20")
        await here.press("G")
        await here.sees("return 'hello'")


@pytest.mark.parametrize("keys", ["D", "rD", "1D", "jjd"])
async def test_nothing_is_discarded_before_it_could_be_read(
    root: Path, keys: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The leader and "D" twice discarded a file of which nothing had been seen yet."""
    monkeypatch.setattr(review_screen, "BEHIND_SECONDS", 1000.0)
    before = git(root, "status", "--porcelain")
    async with reading(root) as here:
        await here.sees("line_20 = twenty")
        await here.type(keys)
        await here.press("slash")
        here.type_at_once("greet")
        await here.sees("greet", "line_20 = twenty")
        await here.until(lambda: not here.app.review_screen._busy)
        assert git(root, "status", "--porcelain") == before


async def test_how_far_many_files_are_read_is_said_and_esc_stops_it(root: Path) -> None:
    slow, stopped = Event(), Event()

    class Slow(Review):
        def load(self, since: Since | None = None) -> Page:
            self._note_progress(4000, 50000)
            slow.wait(PATIENCE)
            with contextlib.suppress(GitFault):
                self._note_progress(8000, 50000)
                return super().load(since)
            stopped.set()
            raise GitFault("closed")

    app = ReviewApp(Slow(root), Settings())
    async with app.run_test(size=(100, 30)) as pilot:
        here = Reader(app, pilot, [])
        await here.sees("looking … 4000 of 50000 files · Esc stops")
        await here.press("escape")
        await here.until(lambda: not app.is_running or len(app.screen_stack) < 2)
        slow.set()
        await asyncio.to_thread(stopped.wait, PATIENCE)
        assert stopped.is_set()


async def test_files_stand_beside_where_there_is_room(root: Path) -> None:
    async with reading(root, (120, 30)) as here:
        await here.sees("A fresh.py")
        assert here.app.review_screen.query_one("FileList").display
        await here.press("f")
        assert not here.app.review_screen.query_one("FileList").display
    async with reading(root, (80, 24)) as here:
        await here.sees("line_20")
        assert not here.app.review_screen.query_one("FileList").display
        await here.press("f")
        await here.sees("A fresh.py")


async def test_hunks_files_and_folding(root: Path) -> None:
    async with reading(root) as here:
        await here.sees("line_20 = twenty")
        await here.press("n")
        await here.goes_to("@@ -17,7 +17,7 @@")
        await here.press("n")
        await here.goes_to("@@ -47,7 +47,6 @@")
        await here.press("p", "N")
        await here.goes_to("fresh.py")
        await here.press("P", "z")
        await here.misses("line_20 = twenty")
        await here.press("Z")
        await here.misses("return 'hello'")
        await here.press("Z")
        await here.sees("line_20 = twenty", "return 'hello'")


async def test_a_search_goes_through_all_changes(root: Path) -> None:
    async with reading(root) as here:
        await here.sees("line_20 = twenty")
        await here.press("slash")
        await here.type("HELLO")
        await here.goes_to("return 'hello'")
        await here.press("escape")
        await here.press("slash")
        await here.type("nowhere")
        await here.sees("Nothing fits.")


async def test_the_source_is_chosen_by_keys_and_the_mouse(root: Path) -> None:
    snapshots = Review(root)
    snapshots.load()
    snapshots._git.mark_turn("s-1", 1)
    (root / "fresh.py").write_text("later = 1\n")
    async with reading(root, session="s-1") as here:
        await here.sees("line_20 = twenty")
        await here.press("2")
        await here.sees("since the last turn", "1 file +1 −2", "later = 1")
        await here.press("3")
        await here.sees("It is not known where this branch has left another one.")
        await here.pilot.click("#since-uncommitted")
        await here.sees("vs main@", "line_20 = twenty")
    async with reading(root, session="s-2") as here:
        await here.press("2")
        await here.sees("No turn of an agent has begun here")


async def test_without_changes_the_base_is_shown(root: Path) -> None:
    git(root, "switch", "-qc", "topic")
    git(root, "add", ".")
    git(root, "commit", "-qm", "topic")
    async with reading(root) as here:
        await here.sees("vs main@", "line_20 = twenty")


async def test_comments_are_written_sent_and_shown_as_touched(root: Path) -> None:
    async with reading(root) as here:
        await here.sees("line_20 = twenty")
        await here.press("S")
        await here.sees("There is no comment to send")
        await here.goes_to("+line_20 = twenty")
        await here.press("c")
        await here.type("use a number")
        await here.press("enter")
        await here.sees("code:20  not sent", "use a number", "1 comment")
        await here.goes_to("line_21 = 21")
        await here.press("v", "j", "j", "c")
        await here.type("two")
        await here.press("ctrl+j")
        await here.type("lines")
        await here.press("enter")
        await here.sees("code:21-23  not sent")
        here.fault = "claude asks something."
        await here.press("S")
        await here.sees("claude asks something.", "code:20  not sent")
        here.fault = ""
        await here.press("S")
        await here.sees("Sent to claude", "code:20  open · claude", "code:21-23  open · claude")
        (told,) = here.posted
        assert "1. code:20\n   > line_20 = twenty\n   use a number" in told
        assert "   > line_23 = 23\n   two\n   lines" in told
        text = (root / "code").read_text()
        (root / "code").write_text("new\n" + text.replace("twenty", "20 + 0"))
        await here.press("r")
        await here.sees("code:20  touched", "code:22-24")


async def test_on_the_head_of_a_hunk_a_comment_is_on_what_it_changes(root: Path) -> None:
    async with reading(root) as here:
        await here.sees("line_20 = twenty")
        await here.press("n", "c")
        await here.type("why?")
        await here.press("enter")
        await here.sees("not sent", "1 comment")
        await here.press("S")
        await here.sees("Sent to claude")
        (told,) = here.posted
        assert "   > line_20 = twenty\n   why?" in told


@pytest.mark.parametrize(
    ("since", "keys", "said"),
    [
        ("base", "w", "not committed; there"),
        ("", "Gc", "Go to a line"),
        ("", "Gjc", "Go to a line"),
    ],
)
async def test_words_behind_a_key_that_is_refused_are_no_commands(
    root: Path, since: str, keys: str, said: str
) -> None:
    (root / "other").write_bytes(b"\0\1")
    git(root, "checkout", "-qb", "topic")
    async with reading(root) as here:
        await here.sees("line_20 = twenty")
        if since:
            await here.press("3")
            review = here.app.review_screen._review
            await here.until(lambda: review.page and review.page.loaded.since == since)
        before = git(root, "status", "--porcelain"), git(root, "rev-parse", "HEAD")
        here.type_at_once(f"{keys}Drop xdwq")
        await here.sees("Drop xdwq")
        await here.press("enter")
        await here.sees(said, "Drop xdwq")
        await here.press("escape")
        await here.misses("Drop xdwq")
        assert here.app.review_screen.is_current
        assert before == (git(root, "status", "--porcelain"), git(root, "rev-parse", "HEAD"))


async def test_a_comment_is_edited_removed_and_outlives_the_review(root: Path) -> None:
    async with reading(root) as here:
        await here.sees("line_20 = twenty")
        await here.goes_to("-line_20 = 20")
        await here.press("c")
        await here.type("why")
        await here.press("enter")
        await here.sees("code:20  not sent")
    async with reading(root) as here:
        await here.sees("code:20  not sent")
        await here.goes_to("code:20")
        await here.press("c")
        await here.type(" not")
        await here.press("enter")
        await here.sees("why not")
        await here.goes_to("why not")
        await here.press("x")
        await here.misses("why not")
        # What is typed ahead behind c at a file's head is words, and no command such as w.
        await here.press("g", "c")
        await here.type("why was it")
        await here.press("enter")
        await here.sees("why was it", "code:20  not sent")


async def test_a_hunk_is_discarded_and_taken_back(root: Path) -> None:
    async with reading(root) as here:
        await here.sees("line_20 = twenty")
        await here.goes_to("+line_20 = twenty")
        await here.press("d")
        await here.sees("Discarded in code")
        text = (root / "code").read_text()
        assert "line_20 = 20\n" in text and "line_50" not in text
        await here.press("u")
        await here.sees("is as it was before", "line_20 = twenty")
        await here.press("G", "D")
        await here.until(lambda: not (root / "fresh.py").exists())
        await here.press("u")
        await here.until(lambda: (root / "fresh.py").exists())


async def test_files_that_were_seen_are_committed(root: Path) -> None:
    async with reading(root) as here:
        await here.sees("line_20 = twenty")
        await here.press("m")
        await here.sees("✓ seen")
        await here.goes_to("fresh.py")
        await here.press("w")
        await here.sees("Commit 1 file that you have seen")
        await here.type("Change it")
        await here.press("enter")
        await here.sees("Committed as")
        assert git(root, "show", "--format=%s", "--name-only").split() == ["Change", "it", "code"]
        assert git(root, "status", "--porcelain") == "?? fresh.py\n"


async def test_the_mouse_folds_selects_and_goes_to_files(root: Path) -> None:
    async with reading(root) as here:
        await here.sees("line_20 = twenty")
        diff = here.app.review_screen.diff
        await here.pilot.mouse_down(diff, offset=(20, 3))
        await here.pilot.hover(diff, offset=(20, 5))
        await here.pilot.mouse_up(diff, offset=(20, 5))
        selected = diff.selection()
        assert selected is not None
        await here.pilot.click(diff, offset=(5, 0))
        await here.misses("line_20 = twenty")
        await here.pilot.click("FileList", offset=(5, 1))
        await here.goes_to("fresh.py")


async def test_a_large_file_is_read_when_it_is_asked_for(root: Path) -> None:
    (root / "code").write_text(CODE)
    (root / "fresh.py").unlink()
    (root / "large").write_text("a long line of text\n" * 100_000)
    async with reading(root) as here:
        await here.sees("a large file: Enter shows its content")
        await here.press("enter")
        await here.sees("a long line of text")


async def test_faults_are_sentences(tmp_path: Path, root: Path) -> None:
    async with reading(tmp_path) as here:
        await here.sees("is in no git repository")
    async with reading(root) as here:
        await here.sees("line_20 = twenty")
        (root / "code").write_text("other\n")
        await here.press("D")
        await here.sees("has changed since you looked at it")


async def test_colours_of_words_and_languages_come_after_the_first_frame(root: Path) -> None:
    async with reading(root) as here:
        await here.sees("return 'hello'")
        here.app.theme = "nagomi-dark"
        diff = here.app.review_screen.diff
        await here.until(lambda: not diff._painter.has_work)
        await here.press("G")
        await here.until(lambda: not diff._painter.has_work)
        strips = here.app.screen._compositor.render_strips()
        (line,) = [strip for strip in strips if "def greet" in strip.text]
        colors = {part.text: part.style.color for part in line if part.style}
        assert colors["def"] != colors["greet"]
        await here.press("g")
        strips = here.app.screen._compositor.render_strips()
        (line,) = [strip for strip in strips if "twenty" in strip.text]
        grounds = {part.text: part.style.bgcolor for part in line if part.style}
        assert grounds["twenty"] != next(
            ground for text, ground in grounds.items() if "line_20" in text
        )


@pytest.mark.parametrize(
    ("wanted", "command"),
    [
        ("", ["vi", "+12", "/x/a b"]),
        ("nvim -u NONE", ["nvim", "-u", "NONE", "+12", "/x/a b"]),
        ("/usr/bin/code --wait", ["/usr/bin/code", "--wait", "--goto", "/x/a b:12"]),
        ("hx", ["hx", "/x/a b:12"]),
    ],
)
def test_editors_are_told_the_line(
    wanted: str, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pathlib import Path

    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", wanted)
    assert editor(Path("/x/a b"), 12) == command


async def test_names_of_any_bytes_are_shown(root: Path) -> None:
    (root / os.fsdecode(b"\xffodd\x1b[31m")).write_text("\x1b[31mred\x07\n")
    async with reading(root) as here:
        await here.sees("\\xffodd")
        await here.press("G")
        assert "\x1b" not in here.text()


@pytest.mark.parametrize("size", SIZES)
async def test_the_leader_opens_the_review_of_the_session_in_front(
    root: Path, size: tuple[int, int]
) -> None:
    with FakeOrchestrator(session(1, "one", cwd=str(root)), session(2, "two")) as server:
        async with visit(server, size) as here:
            await here.leader("D")
            await here.sees("Review of one", "line_20 = twenty")
            await here.press("n", "j", "j", "j", "j", "j", "c")
            await here.type("better")
            await here.press("enter")
            await here.sees("code:20  not sent")
            await here.press("S")
            await here.until(lambda: server.told(Send))
            (told,) = server.told(Send)
            assert told.session == session(1, "one").session_id
            assert "code:20" in told.text and "better" in told.text
            await here.press("q")
            await here.misses("Review of one")


async def test_a_session_on_a_hand_is_reviewed_there(root: Path, tmp_path: Path) -> None:
    tools, home = tmp_path / "bin", tmp_path / "home"
    tools.mkdir()
    home.mkdir()
    (tools / "python3").symlink_to(os.path.realpath(sys.executable))
    env = (f"HOME={home}", f"PATH={tools}:/usr/bin:/bin", f"TMPDIR={home}", "EDITOR=nano")
    registry.add(Hand(name="far", command=("env", "-i", *env)))
    with FakeOrchestrator(session(1, "one", cwd=str(root), worker_id="far")) as server:
        async with visit(server) as here:
            await here.leader("D")
            await here.sees("line_20 = twenty")
            await here.press("n", "j", "j", "j", "j", "j", "c")
            await here.press(*"better", "enter")
            await here.sees("better")
            await here.press("S")
            await here.until(lambda: server.told(Send))
            assert "better" in server.told(Send)[0].text
            await here.sees("open")
            await here.press("o")
            await here.until(lambda: server.told(Create))
            (told,) = server.told(Create)
            assert (told.worker_id, told.cwd) == ("far", str(root))
            ran = subprocess.run(
                ["sh", "-c", told.cmd.replace("exec", "echo")],
                env={"EDITOR": "nano"}, capture_output=True, text=True,
            )  # fmt: skip
            assert ran.stdout == f"nano +20 {root}/code\n"
    assert list((home / ".local/state/nagomi/review").glob("*.json"))


async def test_the_editor_opens_in_a_session_of_its_own(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "nano")
    monkeypatch.delenv("VISUAL", raising=False)
    with FakeOrchestrator(session(1, "one", cwd=str(root))) as server:
        async with visit(server) as here:
            await here.leader("D")
            await here.sees("line_20 = twenty")
            await here.press("n", "j", "j", "j", "j", "j", "o")
            await here.until(lambda: server.told(Create))
            (told,) = server.told(Create)
            assert (told.cmd, told.cwd) == (f"nano +20 {root}/code", str(root))
            await here.misses("Review of one")
