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
POLLS = """import os, select, time
os.write(1, b"  Enter a value: ")
poll = select.epoll()
poll.register(0, select.EPOLLIN)
poll.poll()
os.read(0, 100)
time.sleep(3600)
"""
QUIET = PYTHON.replace('os.write(1, b"  Enter a value: ")', 'os.write(1, b"serving at :80\\n")')


def program(kind: str, folder: Path) -> list[str]:
    """Return a command that asks in a thread beside its first one, in this language."""
    if kind == "python":
        return [sys.executable, "-I", "-c", PYTHON]
    if kind == "one that waits for several files":
        return [sys.executable, "-I", "-c", POLLS]
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

    def _tell(self, event: object) -> None:
        self.judge.feed(event)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "kind",
    [
        "python",
        "one that waits for several files",
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


def test_a_thread_that_reads_beside_the_work_asks_nothing() -> None:
    with BareTerminal([sys.executable, "-I", "-c", QUIET], os.environ) as terminal:
        watched = Watched(terminal)
        assert until(lambda: watched.state() is State.RUNNING and watched.reads_aside)
        for _ in range(12):
            assert watched.state() is State.RUNNING, watched.judge.shown
