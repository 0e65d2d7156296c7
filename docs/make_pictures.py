"""Make the README's pictures: a real workplace with real programs, seen in a terminal of its own.

`python docs/make_pictures.py [NAME ...]`, from anywhere; needs tmux, vim, htop and git, and the
fonts that `pictures.py` names; `claude` needs Claude Code, which talks to a server of ours on this
machine. All that it starts ends with it, also when it fails.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from picture_front_end import DOCS, PROGRAM, DemoWorkplace, demo_workplace, newcomer
from pictures import picture, save

from tests.helpers import clients
from tests.helpers.clients import ModelServer, Step
from tests.helpers.guarded_tiles import approve, ask, guarded_tiles
from tests.helpers.model_server import calls, model_server, says
from tests.helpers.workplace import session, text_of, until, wait_for

Scene: TypeAlias = Callable[[DemoWorkplace, str], None]
_TESTS: Final = "pytest -q --no-header --color=yes --tb=short -p no:cacheprovider"


def furnish(here: DemoWorkplace) -> None:
    """Start the programs that the pictures show."""
    here.start("vim kotatsu/timer.py", "timer.py", until_seen="QUIET_MINUTES")
    here.start(_TESTS, "tests", until_seen="1 failed")
    here.start("make build", "build", until_seen="warming")
    shell = here.start("bash", "shell", typed="clear; ls -w 56; git log --oneline --graph -6")
    wait_for(here.connection, shell, "Begin with")
    here.start("python3 serve.py", "server", until_seen="mikan")
    here.start("sh ask.sh", "deploy", until_seen="y/N")
    here.start("python3 -q", "python", typed="from kotatsu.heater import LEVELS; LEVELS")
    here.command("send", "python", "sum(len(level) for level in LEVELS)")
    pids = ",".join(str(pid) for pid in here.place.pids())
    here.start(f"htop -p {pids}", "htop", until_seen="Load average")


def after(*keys: str, cols: int, rows: int) -> Scene:
    """A scene that only needs some keys after the leader."""

    def scene(here: DemoWorkplace, name: str) -> None:
        with here.front_end(cols, rows) as front_end:
            front_end.leader(*keys)
            front_end.draw(name)

    return scene


def run_view(here: DemoWorkplace, name: str) -> None:
    """The run view with one tile enlarged, and a session that waits."""
    with here.front_end(160, 45) as front_end:
        front_end.mouse(20, 8)
        front_end.draw(name)


def small_chat(here: DemoWorkplace, name: str) -> None:
    """The chat view in a small terminal, with the teapot."""
    here.set(character="kyusu")
    here.start("bash", "茶", typed="clear; echo 'お茶がはいりました'; ls", until_seen="README")
    with here.front_end(80, 24) as front_end:
        front_end.leader("9", "v")
        front_end.draw(name)
    here.command("stop", "茶")
    here.command("remove", "茶")
    here.set(character="mochi")


def copy_mode(here: DemoWorkplace, name: str) -> None:
    """Copy mode with a search."""
    with here.front_end(124, 18) as front_end:
        front_end.leader("2", "z", "/")
        front_end.type("timer")
        front_end.keys("Enter")
        front_end.type("n")
        front_end.draw(name)


def settings_view(here: DemoWorkplace, name: str) -> None:
    """The settings: a character shows itself."""
    cols, rows = (80, 24) if here.language == "ja" else (200, 50)
    with here.front_end(cols, rows) as front_end:
        front_end.leader("s")
        front_end.wait("theme")
        front_end.keys("NPage")
        front_end.draw(name)


def menu(here: DemoWorkplace, name: str) -> None:
    """The keys after the leader."""
    with here.front_end(100, 30) as front_end:
        front_end.leader("4")
        front_end.keys("C-]")
        front_end.draw(name)


def clear_colours(here: DemoWorkplace, name: str) -> None:
    """The high contrast and badges that everyone can tell apart."""
    here.set(high_contrast=True, colorblind=True)
    with here.front_end(120, 32) as front_end:
        front_end.leader("6")
        front_end.draw(name)
    here.set(high_contrast=False, colorblind=False)


def called(here: DemoWorkplace, name: str) -> None:
    """Two sessions call while the user is elsewhere."""
    with here.front_end(110, 30) as front_end:
        front_end.leader("1", "z")
        here.start("sh -c 'sleep 1; cat nothing'", "notes")
        here.start("sh ask.sh", "stove", until_seen="y/N")
        front_end.wait("sessions call you" if here.language == "en" else "呼んでいます")
        front_end.draw(name)
    here.command("stop", "stove")
    for one in ("notes", "stove"):
        here.command("remove", one)


_SAYS: Final = (
    "I looked at `tests/test_timer.py`. The failing test starts a timer that has been quiet for"
    " **29** minutes and lets one more pass: then `SleepTimer` rightly turns the heater off.\n\n"
    "So the test is wrong, not the timer. It should say that somebody moves:"
)
_OLD: Final = "    timer = SleepTimer(Heater(), quiet_for=29)\n    timer.minute()\n"
_NEW: Final = _OLD.replace(
    "    timer.minute", '    timer.heater.turn("cosy")\n    timer.moved()\n    timer.minute'
)


_PROPOSES: Final = (
    "The test is wrong, not the timer: nobody moves in it for a minute. What I would do:\n\n"
)


def claude(here: DemoWorkplace, name: str) -> None:
    """Claude Code at work beside the test that failed."""
    test = f"{here.folder}/tests/test_timer.py"
    steps = [
        Step("I will look at the test first.", (("Read", {"file_path": test}),)),
        Step(_SAYS, (("Edit", {"file_path": test, "old_string": _OLD, "new_string": _NEW}),)),
        Step(
            "Mended: somebody moves, and a minute later it is still warm. The timer is as it was."
        ),
    ]
    with ModelServer(steps) as server:
        path, env = clients.claude(here.home / "agent", here.home / "kotatsu", server.port)
        agent = here.start(f"{path} --permission-mode acceptEdits", "claude", **env)
        until(lambda: "accept edits" in text_of(here.connection, agent))
        here.command("send", "claude", "Why does test_timer fail? Mend it.")
        until(lambda: "it is still warm" in text_of(here.connection, agent))
        number = str(session(here.connection, agent)["number"])
        here.start(_TESTS, "tests after it", until_seen="4 passed")
        with here.front_end(150, 42) as front_end:
            front_end.keys("C-]", *number)
            front_end.leader("v")
            front_end.wait("it is still warm")
            front_end.type("Thank you! Now let the cat count twice.")
            front_end.draw(name)
        here.command("stop", "claude")
        for name_of in ("claude", "tests after it"):
            here.command("remove", name_of)


_TELLS: Final = (
    "Two of your sessions want something:\n\n"
    "- **deploy** asks whether to go on (`[y/N]`).\n"
    "- **tests** failed: the heater is off where `test_timer` wants it cosy.\n\n"
    "The server and `build` go on. Shall I look at the test?"
)


def agent(here: DemoWorkplace, name: str) -> None:
    """The resident agent, asked what is going on, in a lane beside the run of tests."""
    with model_server() as server:
        server.script(says("I look around.") + calls("list_sessions", {}), says(_TELLS))
        here.set(llm_consent=True, agent_url=server.url, agent_model="mame")
        with here.front_end(130, 36) as front_end:
            front_end.leader("2", "v", "t")
            front_end.wait("Ask about your sessions")
            front_end.type("What is going on?")
            front_end.keys("Enter")
            front_end.wait("Shall I look at the test?")
            front_end.draw(name)
        here.set(llm_consent=False, agent_url="")


def review(here: DemoWorkplace, name: str) -> None:
    """What has changed in the folder, with a comment on a line."""
    folder = Path(here.folder)
    test = folder / "tests/test_timer.py"
    before = test.read_text()
    test.write_text(before.replace(_OLD, _NEW))
    (folder / "kotatsu/cat.py").write_text(
        'class Cat:\n    """Counts as two."""\n\n    count = 2\n'
    )
    here.start("bash", "cat", typed="clear")
    with here.front_end(130, 34) as front_end:
        front_end.keys("C-]", "9")
        front_end.leader("D")
        front_end.wait("timer.moved()")
        front_end.type("Nnjjjjjc")
        front_end.wait("Comment on")
        front_end.type("Why both? One of them is enough.")
        front_end.keys("Enter")
        front_end.wait("1 comment")
        front_end.draw(name)
    here.command("stop", "cat")
    here.command("remove", "cat")
    test.write_text(before)
    (folder / "kotatsu/cat.py").unlink()


def worktrees(here: DemoWorkplace, name: str) -> None:
    """The worktrees of the folder's repository: two agents' work that meets, and one that is behind."""
    folder = Path(here.folder)
    test = "tests/test_timer.py"
    places = {branch: folder.parent / f"kotatsu.worktrees/{branch}" for branch in ("cosy", "cat")}

    def git(*words: str, cwd: Path = folder) -> None:
        who = ("-c", "user.name=mochi", "-c", "user.email=mochi@example.org")
        subprocess.run(["git", *who, *words], cwd=cwd, check=True, capture_output=True)

    for branch, place in places.items():
        git("worktree", "add", "-q", "-b", branch, str(place))
        before = (place / test).read_text()
        (place / test).write_text(before.replace(_OLD, _NEW if branch == "cosy" else "    pass\n"))
        if branch == "cosy":
            git("commit", "-qam", "Wait for a minute", cwd=place)
        here.start("bash", branch, typed=f"cd {place}; clear")
    with here.front_end(110, 28) as front_end:
        front_end.leader("W")
        front_end.wait("conflict in")
        front_end.keys("Down")
        front_end.draw(name)
    for branch, place in places.items():
        here.command("stop", branch)
        here.command("remove", branch)
        git("worktree", "remove", "--force", str(place))
        git("branch", "-D", branch)


def guard(here: DemoWorkplace, name: str) -> None:
    """A guarded agent at work: its todos, and what has changed."""
    test = f"{here.folder}/tests/test_timer.py"
    gate = threading.Event()
    todos = ("Wait for a minute in `test_timer`", "Count the cat twice", "Run all tests")
    steps = [
        Step(_PROPOSES + "\n".join(f"{n}. {todo}" for n, todo in enumerate(todos, 1))),
        Step("", tuple(("TaskCreate", {"subject": one, "description": one}) for one in todos)),
        Step("", (("Read", {"file_path": test}),)),
        Step("", (("Edit", {"file_path": test, "old_string": _OLD, "new_string": _NEW}),)),
        Step("", (_task(1, "completed"), _task(2, "in_progress"))),
        Step("", (_task(2, "completed"),), gate=gate),
    ]
    with ModelServer(steps) as server:
        path, env = clients.claude(here.home / "agent", here.home / "kotatsu", server.port)
        agent = here.start(
            f"{path} --permission-mode acceptEdits", "claude", NAGOMI_GUARD="hook", **env
        )
        until(lambda: "accept edits" in text_of(here.connection, agent))
        number = str(session(here.connection, agent)["number"])
        with here.front_end(120, 32) as front_end:
            front_end.keys("C-]", *number)
            front_end.leader("v")
            front_end.type("Why does test_timer fail? Mend it.")
            front_end.keys("Enter")
            front_end.wait("discuss ?3")
            front_end.leader("G")
            front_end.wait("[x] +   Run all tests")  # the lane behind tells it, too
            front_end.type("a")
            front_end.wait("implement 1/3")
            front_end.leader("G")
            front_end.draw(name)
        gate.set()
        here.command("stop", "claude")
        here.command("remove", "claude")


def _task(number: int, status: str) -> tuple[str, dict[str, str]]:
    return "TaskUpdate", {"taskId": str(number), "status": status}


def guard_tiles() -> None:
    """Four guarded agents, of which two may write."""
    with demo_workplace("dark", "en") as here, guarded_tiles(here.connection, here.home) as tiles:
        with here.front_end(200, 60, until_seen="another") as front_end:
            for tile in tiles:
                ask(front_end, here.connection, tile)
            for tile in tiles[1:3]:
                approve(front_end, here.connection, tile)
                until(lambda at=tile: at.files())
            front_end.draw("guard-tiles")
        for tile in tiles:
            tile.stopped.set()


def character(name: str) -> None:
    """A character with all its faces, on both backgrounds."""
    theme = "dark" if name == "koneko" else "light"
    shown = subprocess.run(
        [*PROGRAM, "characters", "--preview", name, "--colors", "truecolor"],
        env=os.environ | {"COLUMNS": "104", "NAGOMI_LANG": "ja" if theme == "light" else "en"},
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    save(picture(shown, 104, theme), DOCS / f"{name}.png")
    sys.stdout.write(f"docs/{name}.png\n")


def welcome(theme: str, language: str, size: tuple[int, int], name: str) -> None:
    """The welcome, which a newcomer sees first."""
    with newcomer(theme, language, *size) as front_end:
        front_end.draw(name)


DARK: Final = {
    "run": run_view, "narrow": after("4", cols=60, rows=22), "copy": copy_mode,
    "judge": after("6", "y", cols=200, rows=50),
    "menu": menu, "called": called, "settings": settings_view, "claude": claude, "agent": agent,
    "guard": guard, "review": review, "worktrees": worktrees,
}  # fmt: skip
LIGHT_JA: Final = {
    "run-light-ja": run_view, "chat-light-ja": small_chat,
    "judge-light-ja": after("2", "y", cols=80, rows=24),
    "help-light-ja": after("4", "?", cols=80, rows=24), "settings-light-ja": settings_view,
    "zoom-light-ja": after("1", "z", cols=80, rows=24), "clear-light-ja": clear_colours,
}  # fmt: skip
CHARACTERS: Final = ("mochi", "koneko", "kyusu")


def main() -> None:
    wanted = set(sys.argv[1:])
    os.environ.pop("NAGOMI_SESSION_ID", None)
    for theme, language, scenes in (("dark", "en", DARK), ("light", "ja", LIGHT_JA)):
        chosen = {name: scene for name, scene in scenes.items() if not wanted or name in wanted}
        if chosen:
            with demo_workplace(theme, language) as here:
                furnish(here)
                for name, scene in chosen.items():
                    scene(here, name)
    if not wanted or "guard-tiles" in wanted:
        guard_tiles()
    for name in CHARACTERS:
        if not wanted or name in wanted:
            character(name)
    if not wanted or "welcome" in wanted:
        welcome("dark", "en", (110, 34), "welcome")
    if not wanted or "welcome-light-ja" in wanted:
        welcome("light", "ja", (80, 24), "welcome-light-ja")


if __name__ == "__main__":
    main()
