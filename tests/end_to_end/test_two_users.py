"""Two users on one machine: nothing of the one is read or believed by the other, both ways."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from nagomi_tui import event
from tests.helpers.users import (
    STRANGER,
    VICTIM,
    command,
    environment,
    folder_of,
    interpreter,
    need_users,
    python,
)
from tests.helpers.waiting import until
from tests.helpers.workplace import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("users")]

_SECRET: Final = "taken-by-another-user"
_TRAP: Final = """
import json, os, socket, sys
root, owner, digest, heard, kind = sys.argv[1:]
folder = os.path.join(root, f"nagomi-{owner}")
real = os.path.join(root, "elsewhere") if kind == "link" else folder
os.makedirs(os.path.join(real, digest))
os.chmod(real, 0o755)
os.chmod(os.path.join(real, digest), 0o777)
if kind == "link":
    os.symlink(real, folder)
names = ("front", "zygote", "w-01234567")
listening = []
for name in names:
    one = socket.socket(socket.AF_UNIX)
    one.bind(os.path.join(real, digest, name))
    os.chmod(os.path.join(real, digest, name), 0o777)
    one.listen(64)
    listening.append(one)
welcome = {"type": "welcome", "version": "9", "pid": 1, "sessions": [], "settings": {}}
open(os.path.join(root, "ready"), "w").close()
import selectors
selector = selectors.DefaultSelector()
for one in listening:
    selector.register(one, selectors.EVENT_READ, True)
while True:
    for key, _ in selector.select():
        if key.data:
            peer = key.fileobj.accept()[0]
            try:
                peer.sendall(json.dumps(welcome).encode() + b"\\n" + b"r")
            except OSError:
                pass
            selector.register(peer, selectors.EVENT_READ, False)
            continue
        try:
            data = key.fileobj.recv(65536)
        except OSError:
            data = b""
        if data:
            with open(heard, "ab") as file:
                file.write(data)
        else:
            selector.unregister(key.fileobj)
            key.fileobj.close()
"""
"""A stranger's listeners where a victim's sockets would be; what they hear is kept."""

_TRY: Final = """
import socket, sys
for path in sys.argv[1:]:
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(10)
    try:
        peer.connect(path)
    except OSError as exc:
        print(path, "connect", exc.errno)
        continue
    try:
        peer.sendall(b'{"type":"hello","version":"1","capabilities":[],"pid":0}\\n')
        print(path, "heard", len(peer.recv(65536)))
    except OSError:
        print(path, "heard", 0)
"""


@pytest.fixture(scope="module")
def users() -> None:
    need_users()


class User:
    """A user with a home, who runs nagomi."""

    def __init__(self, uid: int, home: Path, **env: str) -> None:
        self.uid = uid
        self.home = home
        self.env = environment(HOME=str(home), NAGOMI_HOME=str(home), **env)

    def run(self, *words: str, by: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        """Run a command of nagomi to its end, perhaps by another program."""
        line = command(self.uid, *by, interpreter(), "-m", "nagomi_tui", *words)
        done = subprocess.run(
            line, cwd="/", env=self.env, capture_output=True, text=True, timeout=60, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def ok(self, *words: str, by: tuple[str, ...] = ()) -> str:
        """Run a command that must succeed."""
        done = self.run(*words, by=by)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def sockets(self) -> list[Path]:
        """Return every socket of the workplace."""
        return [path for path in (self.home / "state/run").iterdir() if path.is_socket()]


@contextmanager
def victim(**env: str) -> Iterator[User]:
    with folder_of(VICTIM) as home:
        try:
            yield User(VICTIM, home, **env)
        finally:
            Place(home).end()


@contextmanager
def trapped(user: User, kind: str) -> Iterator[Path]:
    """Have a stranger listen in the temporary folder before the user's nagomi does."""
    with folder_of(STRANGER, 0o1777) as root, folder_of(STRANGER) as own:
        heard = own / "heard"
        state = str(Path(user.env["NAGOMI_HOME"]) / "state")
        digest = hashlib.sha256(os.fsencode(state)).hexdigest()[:12]
        trap = subprocess.Popen(
            python(STRANGER, "-c", _TRAP, str(root), str(user.uid), digest, str(heard), kind)
        )
        try:
            until((root / "ready").exists)
            user.env["TMPDIR"] = str(root)
            yield root
            time.sleep(0.1)
            assert not heard.exists(), heard.read_bytes()[:400]
        finally:
            trap.kill()
            trap.wait()


def move_far(user: User) -> None:
    """Give the workplace a path that is too long for sockets, so that they are temporary ones."""
    user.env["NAGOMI_HOME"] = str(user.home / ("x" * 60) / ("y" * 60))


COMMANDS: Final = (
    ("ls",), ("ls", "--json"), ("new", "cat"), ("send", "1", _SECRET), ("capture", "1"),
    ("reload",), ("quit", "--yes"), ("why", "1"),
)  # fmt: skip


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_who_listens_in_the_users_place_hears_nothing(kind: str) -> None:
    with victim(A_SECRET=_SECRET) as user:
        move_far(user)
        with trapped(user, kind) as root:
            for words in COMMANDS:
                done = user.run(*words)
                assert done.returncode == 1, (words, done)
                assert str(root) in done.stderr and str(STRANGER) in done.stderr, words
                assert "NAGOMI_HOME" in done.stderr and done.stderr.count("\n") == 1
            told = json.loads(user.run("doctor", "--json").stdout)
            found = {check["key"]: check for check in told["checks"]}["socket_folder"]
            assert found["result"] == "missing" and str(STRANGER) in found["meaning"]
            assert not told["usable"]


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_the_hook_program_tells_a_stranger_nothing(kind: str) -> None:
    with victim() as user, trapped(user, kind) as root:
        front = next(root.rglob("front"))
        folder = root / f"nagomi-{VICTIM}" / front.parent.name
        env = {"NAGOMI_SESSION_ID": "s", "NAGOMI_SOCKET": str(folder / "front")}
        said = json.dumps({"hook_event_name": "Stop", "cwd": _SECRET}).encode()
        done = subprocess.run(
            python(VICTIM, "-IS", event.__file__, "claude"), env=env, input=said,
            capture_output=True, check=False, timeout=20,
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_front_end_and_the_zygote_s_client_tell_a_stranger_nothing() -> None:
    with victim(A_SECRET=_SECRET, NAGOMI_ZYGOTE="1") as user:
        move_far(user)
        with trapped(user, "folder") as root:
            line = command(VICTIM, interpreter(), "-m", "nagomi_tui")
            done = subprocess.run(
                ["script", "-qec", " ".join(line), "/dev/null"], cwd="/", env=user.env,
                capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
            )  # fmt: skip
            assert done.returncode == 1
            assert f"{root}/nagomi-{VICTIM} belongs to {STRANGER}" in done.stdout


def test_a_stranger_in_the_temporary_folder_stops_nobody() -> None:
    """Where the sockets can lie in the state folder, nobody goes to the temporary one."""
    with victim(A_SECRET=_SECRET) as user, trapped(user, "folder"):
        user.ok("new", "--name", "safe", "cat")
        user.ok("send", "safe", "hello")
        assert "safe" in user.ok("ls")
        assert json.loads(user.ok("doctor", "--json"))["usable"]
        orchestrator = Place(user.home).orchestrator
        Place(user.home).kill(orchestrator)
        until(lambda: "safe" in user.run("ls").stdout)


def test_another_user_reaches_nothing_of_a_workplace() -> None:
    with victim() as user:
        user.ok("new", "--name", "mine", "cat")
        until(lambda: len(user.sockets()) >= 2)
        names = [str(path) for path in user.sockets()]
        assert tried(STRANGER, names) == {name: ["connect", "13"] for name in names}
        looked = subprocess.run(
            command(STRANGER, "find", str(user.home)), capture_output=True, text=True, check=False
        )
        assert looked.stdout.splitlines() == [str(user.home)]


@pytest.mark.parametrize("uid", [STRANGER, 0])
def test_who_gets_through_the_folders_is_not_let_in(uid: int) -> None:
    """Neither another user past open folders, nor root, whom no folder stops."""
    with victim() as user:
        user.ok("new", "--name", "mine", "cat")
        until(lambda: len(user.sockets()) >= 2)
        names = user.sockets()
        for path in {*names, *(folder for name in names for folder in list(name.parents)[:3])}:
            path.chmod(0o777)
        assert tried(uid, list(map(str, names))) == {str(name): ["heard", "0"] for name in names}
        refused = user.run("ls")
        assert refused.returncode == 1 and "chmod 700" in refused.stderr
        user.ok("new", "cat")  # what is open to others is closed by a start
        (user.home / "state" / "run").chmod(0o700)
        assert "mine" in user.ok("ls")


def test_root_is_told_whose_workplace_it_is() -> None:
    with victim() as user:
        user.ok("new", "--name", "mine", "cat")
        for words in (("ls",), ("new", "cat"), ("send", "mine", _SECRET)):
            done = User(0, user.home).run(*words)
            assert done.returncode == 1
            assert f"belongs to {VICTIM}, and you are root" in done.stderr
        assert [one["name"] for one in json.loads(user.ok("ls", "--json"))] == ["mine"]


def test_root_of_a_namespace_is_the_user_outside() -> None:
    """Each side sees the other by its own numbers: 0 here is 54321 there."""
    with victim() as user:
        user.ok("new", "--name", "mine", "cat")
        inside = ("unshare", "--user", "--map-root-user")
        if subprocess.run(command(VICTIM, *inside, "true"), check=False).returncode:
            pytest.skip("user namespaces are not allowed here")
        assert "mine" in user.ok("ls", by=inside)
        user.ok("send", "mine", "from inside", by=inside)
        unnamed = user.run("ls", by=("unshare", "--user"))
        assert unnamed.returncode == 1 and "belongs to" in unnamed.stderr


def tried(uid: int, paths: list[str]) -> dict[str, list[str]]:
    """Return what a user gets who connects to these sockets."""
    done = subprocess.run(
        python(uid, "-c", _TRY, *paths), cwd="/", capture_output=True, text=True, check=True
    )
    told: dict[str, Any] = {}
    for line in done.stdout.splitlines():
        path, *rest = line.split(" ")
        told[path] = rest
    return told
