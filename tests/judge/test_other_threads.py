"""Programs whose terminal another thread reads than their first: so do those in Go and Java."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from nagomi_tui.judge.judge import Judge
from nagomi_tui.judge.replay import Printing
from nagomi_tui.judge.senses.observer import Observer
from nagomi_tui.judge.senses.processes import ProcessReader, sample_of
from nagomi_tui.judge.verdict import State
from nagomi_tui.terminal.choose import open_engine
from tests.helpers.bare_terminal import BareTerminal
from tests.helpers.judge_story import BOOK
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc is read")

GO = """package main
import ("bufio"; "fmt"; "os"; "time")
func main() {
    done := make(chan string)
    go func() {
        fmt.Print("var.region\\n  Where to?\\n\\n  Enter a value: ")
        line, _ := bufio.NewReader(os.Stdin).ReadString('\\n')
        done <- line
    }()
    for { select { case <-done: time.Sleep(time.Hour); case <-time.After(time.Millisecond * 50): } }
}
"""
JAVA = """class Ask { public static void main(String[] args) throws Exception {
    System.out.print("  Enter a value: "); System.out.flush();
    new java.util.Scanner(System.in).nextLine(); Thread.sleep(3600000); } }
"""
PYTHON = """import os, threading, time
def ask():
    os.write(1, b"  Enter a value: ")
    os.read(0, 100)
    time.sleep(3600)
one = threading.Thread(target=ask)
one.start()
one.join()
"""
POLLS = """import os, select, time, tty
os.write(1, "SHOWN".encode())
MODE
poll = select.KIND()
poll.register(FILE, select.EPOLLIN)
WAIT
os.read(0, 100)
time.sleep(3600)
"""
EPOLL, POLL, SELECT = (
    "poll.poll()",
    "poll.poll(None)",
    "select.select([FILE, os.pipe()[0]], [], [])",
)
RAW = "tty.setcbreak(0)"
ASKING = {
    "epoll": ("Projektname: ", EPOLL, ""),
    "select": ("请输入项目名称：", SELECT, ""),
    "poll": ("Remote host: ", POLL, ""),
    "epoll, on a line of its own": ("Drop the index? [Y|n]\\n", EPOLL, ""),
    "epoll, for a key": ("Supprimer tout ? (o/n)\\n", EPOLL, RAW),
    "epoll, for any key": ("Press any key to continue...\\n", EPOLL, RAW),
}
PEER = "os.pipe()[0]"
SERVING = {
    "a server with hot keys": ("\\n  ➜  press h + enter to show help\\n", EPOLL, "", "0"),
    "a server with raw hot keys": (" › Press Enter to trigger a test run.\\n", EPOLL, RAW, "0"),
    "one that says how it ends": ("Ready? Press Ctrl+C to stop\\n", EPOLL, "", "0"),
    "one that waits for its peer": ("Connecting to database: ", EPOLL, "", PEER),
    "one that waits for its peer by select": ("Linking: ", SELECT, "", PEER),
    "one that waits for its peer by poll": ("Linking: ", POLL, "", PEER),
}
QUIET = PYTHON.replace('os.write(1, b"  Enter a value: ")', 'os.write(1, b"serving at :80\\n")')


def program(kind: str, folder: Path) -> list[str]:
    """Return a command that asks in a thread beside its first one, in this language."""
    if kind == "python":
        return [sys.executable, "-I", "-c", PYTHON]
    if kind == "java":
        (folder / "Ask.java").write_text(JAVA)
        return [needed("java"), str(folder / "Ask.java")]
    (folder / "ask.go").write_text(GO)
    env = {**os.environ, "GOCACHE": str(folder / "cache"), "GOFLAGS": "-mod=mod"}
    build = [needed("go"), "build", "-o", str(folder / "ask"), str(folder / "ask.go")]
    subprocess.run(build, check=True, env=env)
    return [str(folder / "ask")]


def needed(name: str) -> str:
    if (found := shutil.which(name)) is None:
        pytest.skip(f"{name} is not installed")
    return found


class Watched:
    """A program on a real terminal, before a real engine, with the worker's looks at its threads."""

    def __init__(self, terminal: BareTerminal) -> None:
        from nagomi_worker.pty.activity_linux import look

        self._terminal, self._look = terminal, look
        self._engine = open_engine(80, 24)
        self.judge = Judge("bash run", BOOK, at=0.0)
        self._observer = Observer(self._engine, self._tell)
        self._printing = Printing(self._engine, self._observer)
        self._reader = ProcessReader()
        self._at = 0.0
        os.set_blocking(terminal.fd, False)

    def state(self) -> State:
        """Look, read what came before that, and let half a second go by on the judge's clock."""
        self._at += 0.5
        seen = self._look(self._terminal.fd, self._terminal.pid)
        with contextlib.suppress(BlockingIOError):
            data = os.read(self._terminal.fd, 65536)
            self._printing.print(data, self._at)
        self._observer.refresh(self._at, last=True)
        if seen is not None:
            sample = sample_of(msgspec.json.encode(seen).decode(), self._at)
            if sample and (told := self._reader.read(sample)) is not None:
                self._tell(told)
        self.judge.tick(self._at + 0.4)
        return self.judge.shown.state

    @property
    def reads_aside(self) -> bool:
        seen = self.judge.known.foreground
        return seen is not None and seen.aside

    def view_holds(self, words: str) -> bool:
        """Tell whether the program has printed this, and sleeps since."""
        seen, view = self.judge.known.foreground, self.judge.known.view
        shown = view is not None and words in view.cursor_line
        return shown and seen is not None and not seen.busy

    @property
    def polls(self) -> bool:
        """Tell whether it was seen to wait for several files, after it has printed something."""
        self.state()
        seen, view = self.judge.known.foreground, self.judge.known.view
        return seen is not None and seen.polls and view is not None and any(view.rows)

    def _tell(self, event: object) -> None:
        self.judge.feed(event)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "kind",
    [
        "python",
        pytest.param("java", marks=pytest.mark.slow),
        pytest.param("go", marks=pytest.mark.slow),
    ],
)
def test_a_question_is_one_whichever_thread_reads_the_answer(kind: str, tmp_path: Path) -> None:
    with BareTerminal(program(kind, tmp_path), os.environ) as terminal:
        watched = Watched(terminal)
        assert until(lambda: watched.state() is State.ATTENTION, patience=90)
        assert watched.judge.shown.finding.rule == "reads-after-a-question"
        os.write(terminal.fd, b"east\n")
        assert until(lambda: watched.state() is State.RUNNING)


FAR_FILE = """
import os, socket
server = socket.create_server(("127.0.0.1", 0))
peer = socket.create_connection(server.getsockname())
os.write(1, b"Name of the volume: ")
os.dup2(FILE, NUMBER)
os.read(NUMBER, 1)
"""


@pytest.mark.parametrize("number", [9, 40])
@pytest.mark.parametrize(("file", "asks"), [("0", True), ("peer.fileno()", False)])
def test_who_reads_is_told_by_the_file_and_not_by_its_number(
    number: int, file: str, asks: bool
) -> None:
    """tcsh has its terminal at 16, and a reader of a socket sleeps where one of a terminal does."""
    script = FAR_FILE.replace("FILE", file).replace("NUMBER", str(number))
    with BareTerminal([sys.executable, "-I", "-c", script], os.environ) as terminal:
        watched = Watched(terminal)
        assert until(lambda: bool(watched.state()) and watched.view_holds("volume"))
        states = {watched.state() for _ in range(4)}
        assert (State.ATTENTION in states) is asks


def test_a_thread_that_reads_beside_the_work_asks_nothing() -> None:
    with BareTerminal([sys.executable, "-I", "-c", QUIET], os.environ) as terminal:
        watched = Watched(terminal)
        assert until(lambda: watched.state() is State.RUNNING and watched.reads_aside)
        for _ in range(12):
            assert watched.state() is State.RUNNING, watched.judge.shown


def polling(shown: str, wait: str, mode: str, file: str = "0") -> list[str]:
    """Return a program that waits for input with one of these calls."""
    code = POLLS.replace("SHOWN", shown).replace("MODE", mode).replace("WAIT", wait)
    code = code.replace("KIND", "poll" if wait == POLL else "epoll")
    return [sys.executable, "-I", "-c", code.replace("FILE", file)]


@pytest.mark.parametrize(("shown", "wait", "mode"), ASKING.values(), ids=ASKING)
def test_what_waits_until_the_terminal_can_be_read_asks(shown: str, wait: str, mode: str) -> None:
    with BareTerminal(polling(shown, wait, mode), os.environ) as terminal:
        watched = Watched(terminal)
        assert until(lambda: watched.state() is State.ATTENTION, patience=90)


@pytest.mark.parametrize(("shown", "wait", "mode", "file"), SERVING.values(), ids=SERVING)
def test_what_only_listens_beside_its_work_asks_nothing(
    shown: str, wait: str, mode: str, file: str
) -> None:
    with BareTerminal(polling(shown, wait, mode, file), os.environ) as terminal:
        watched = Watched(terminal)
        assert until(lambda: watched.polls)
        for _ in range(8):
            assert watched.state() is State.RUNNING, watched.judge.shown
