"""The kernel holds a guarded session's project: nothing in there can write until we let it.

The worker runs as an ordinary user, and the session's shell tries what an agent could.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from nagomi_worker.confine import mount_table
from nagomi_worker.wire import protocol
from tests.helpers.confined import (
    NAME,
    guard_of,
    guarding_worker,
    need_namespaces,
    project,
    start_shell,
)
from tests.helpers.waiting import until
from tests.helpers.worker import start_order

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

    from tests.helpers.confined import Shell
    from tests.helpers.worker import Link

FLIPS = 20


@pytest.fixture
def folder() -> Iterator[Path]:
    need_namespaces()
    with project() as made:
        yield made


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[Link, subprocess.Popen[bytes]]]:
    """One worker for all tests here; each starts sessions of its own."""
    need_namespaces()
    with guarding_worker() as found:
        yield found


@pytest.fixture
def link(running: tuple[Link, subprocess.Popen[bytes]], folder: Path) -> Iterator[Link]:
    """The connection, with nothing left on it of the test before; its sessions are stopped."""
    link = running[0]
    link.heard.clear()
    yield link
    names = {one.session_id for one in link.heard if isinstance(one, protocol.Started)}
    for name in names:
        link.send(protocol.StopSession(session_id=name))
        link.wait_until(lambda name=name: _exits(link, name), "its end")
        until(lambda name=name: _is_forgotten(link, name), "it is forgotten")


def _is_forgotten(link: Link, name: str) -> bool:
    """Forget a session; the worker refuses while anything of it still ends."""
    before = len(link.heard)
    link.send(protocol.Forget(session_id=name), protocol.ListSessions())
    listed = link.wait(protocol.Sessions, after=before).sessions
    return name not in {one.session_id for one in listed}


@pytest.fixture
def shell(link: Link, folder: Path) -> Shell:
    return start_shell(link, folder)


WRITES = [
    "echo x > new",
    "echo x >> src/code",
    "rm src/code",
    "mv src other",
    "mkdir made",
    "chmod 777 src/code",
    "touch src/code",
    "ln src/code linked",
    "ln -s src/code linked",
    "truncate -s 0 src/code",
    'python3 -c \'open("new", "w")\'',
    "git config user.name x",
    "git init -q --bare inner",
    "ln src/code /tmp/linked-$$",
]


def test_nothing_of_the_project_can_be_written_in_discussion(shell: Shell) -> None:
    before = _contents(shell.project)
    assert [command for command in WRITES if shell.run(command).code == 0] == []
    assert _contents(shell.project) == before
    assert shell.run("cat src/code").text == "before\n"


ESCAPES = [
    'mount -o remount,bind,rw "$PWD"',
    'umount -l "$PWD"',
    'unshare -Urm mount -o remount,bind,rw "$PWD"',
    'unshare -Urm umount -l "$PWD"',
    "unshare -Urm sh -c 'mount -t tmpfs none \"$PWD/..\" && false'",
    "nsenter -t $PPID -U -m true",
    "nsenter -t $PPID -m true",
    'echo x > "/proc/$PPID/root$PWD/new"',
    'echo x > "/proc/1/root$PWD/new"',
    'echo x > "/proc/$PPID/cwd$PWD/new"',
    "readlink /proc/$PPID/fd/0",
    "cat /proc/$PPID/environ",
    "sudo -n true",
]


def test_no_way_leads_out_of_discussion(shell: Shell) -> None:
    before = _contents(shell.project)
    assert [command for command in ESCAPES if shell.run(command).code == 0] == []
    assert not shell.can_write("new")
    assert _contents(shell.project) == before


@pytest.mark.parametrize("writable", [False, True], ids=["discussion", "implementation"])
def test_no_other_folder_comes_to_stand_at_a_path_that_is_held(
    link: Link, folder: Path, writable: bool
) -> None:
    """Neither the project, nor what is shut elsewhere, nor a folder above them can be moved away."""
    settings = folder.parent / "config/nagomi"
    settings.mkdir(parents=True)
    (folder.parent / "sub").mkdir()
    _give_to(folder, settings.parent, settings, folder.parent / "sub")
    project = folder.rename(folder.parent / "sub" / folder.name)
    shut = (*guard_of(project).shut, str(settings))
    shell = start_shell(link, project, shut=shut)
    if writable:
        shell.hold(writable=True)
    for path in (project, project.parent, settings, settings.parent, folder.parent):
        for command in (
            "mv {0} {0}_",
            "mv -T {0} {0}_",
            'python3 -c \'import os; os.rename("{0}", "{0}_")\'',
        ):
            assert shell.run(command.format(path)).code != 0, command.format(path)
        assert shell.run(f"rm -rf {path}").code != 0
    assert shell.run(f"ln -sfn /tmp {project.parent}; mkdir {project.parent}_").code == 0
    assert shell.run(f"cd / && mv -T --exchange {project.parent} {project.parent}_").code != 0
    assert (project / "src/code").exists() is not writable
    assert not shell.can_write(str(settings / "settings.json"))


def test_a_project_that_is_moved_outside_is_told_and_read_only(link: Link, folder: Path) -> None:
    """The agent goes on in the folder that it began in; whoever comes by its path finds another."""
    shell = start_shell(link, folder)
    shell.hold(writable=True)
    away = folder.rename(folder.parent / "away")
    told = link.wait_until(lambda: [one for one in _held(link) if one.moved], "it is told")
    assert (told[-1].moved, told[-1].writable) == (str(folder), False)
    assert not shell.can_write("src/code")
    folder.mkdir()
    _give_to(away, folder)
    assert shell.hold(writable=True).moved == str(folder)
    assert not shell.can_write("src/code")
    assert not list(folder.iterdir()), "nothing is made in what stands at its path now"
    folder.rmdir()
    away.rename(folder)
    link.wait_until(lambda: _held(link)[-1].writable, "it has come back")
    assert shell.can_write("src/code")


def test_a_project_that_comes_back_while_it_is_mounted_again_is_writable(
    link: Link, folder: Path
) -> None:
    shell = start_shell(link, folder)
    for number in range(12):  # a look may fall between any two steps
        away = folder.rename(folder.parent / "away")
        for step in (folder.mkdir, folder.rmdir):
            shell.hold(writable=True)
            link.wait_until(lambda: _held(link)[-1].moved, "it is told")
            step()
        away.rename(folder)
        shell.hold(writable=True)
        link.wait_until(lambda: _held(link)[-1].writable, "it has come back")
        assert shell.can_write(f"src/{number}")


def test_a_link_that_leads_elsewhere_than_to_the_project_is_told(link: Link, folder: Path) -> None:
    way = folder.parent / "way"
    way.symlink_to(folder)
    shell = start_shell(link, folder, place=str(way))
    assert shell.hold(writable=False).moved == ""
    way.unlink()
    way.symlink_to(folder.parent)
    assert shell.hold(writable=True).moved == str(way)
    assert not shell.can_write("src/code")


def test_all_else_is_read_only_in_discussion_but_what_is_named(link: Link, folder: Path) -> None:
    """Which is so for what is mounted later, too."""
    home, cache = folder.parent / "home", folder.parent / "home/.cache"
    cache.mkdir(parents=True)
    (home / ".bashrc").write_text("before\n")
    _give_to(folder, home, cache, home / ".bashrc")
    shell = start_shell(link, folder, elsewhere=(str(cache), "/var/tmp"))
    for path in (home / ".bashrc", home / "new", folder.parent / "new", Path("/tmp/nagomi-new")):
        assert not shell.can_write(str(path))
    assert shell.can_write(str(cache / "one"))
    assert shell.run("echo x > /dev/null; f=$(mktemp -p /var/tmp) && rm $f").code == 0
    assert not shell.can_write("src/code")
    shell.hold(writable=True)
    assert shell.can_write(str(home / ".bashrc"))
    shell.run(f"exec 8>>{home}/open")
    assert not shell.hold(writable=False).waits, "a file that is open elsewhere keeps nothing open"
    assert not shell.can_write("src/code")
    shell.run("exec 8>&-")
    until(lambda: not shell.can_write(str(home / ".bashrc")), "all else follows")


def test_the_worker_makes_it_writable_and_read_only_again(shell: Shell) -> None:
    for number in range(FLIPS):
        assert shell.hold(writable=True) == protocol.Held(session_id=NAME, writable=True, number=7)
        assert shell.can_write(f"src/{number}")
        assert shell.hold(writable=False) == protocol.Held(
            session_id=NAME, writable=False, number=7
        )
        assert not shell.can_write(f"src/{number}")
    assert len(list((shell.project / "src").iterdir())) == FLIPS + 1


SHUT = [".claude/settings.json", ".codex/hooks.json", "sessions/sessions-state.json",
        ".git/config", ".git/hooks/pre-commit"]  # fmt: skip


def test_what_switches_the_guard_stays_read_only(shell: Shell) -> None:
    shell.hold(writable=True)
    assert shell.can_write("src/code")
    assert [path for path in SHUT if shell.can_write(path)] == []
    for top in (".claude", ".codex", "sessions", ".git"):
        assert shell.run(f"mv {top} away").code != 0
        assert shell.run(f"rmdir {top}").code != 0
        assert (shell.project / top).is_dir()


def test_git_works_in_implementation_and_only_reads_in_discussion(shell: Shell) -> None:
    commit = "git add src && git -c user.name=x -c user.email=x@y commit -qm all"
    assert shell.run(commit).code != 0
    assert shell.run("git status --short").code == 0
    shell.hold(writable=True)
    assert shell.run(commit).code == 0
    shell.hold(writable=False)
    assert "all" in shell.run("git --no-pager log --oneline").text


def test_tasks_can_be_written_in_both_modes(shell: Shell) -> None:
    assert shell.can_write("sessions/tasks/one.md")
    shell.hold(writable=True)
    assert shell.can_write("sessions/tasks/one.md")
    assert not shell.can_write("sessions/other")


def test_a_place_that_was_moved_away_is_not_open_any_more(link: Link, folder: Path) -> None:
    (folder / "docs/plans").mkdir()
    (folder / "docs/plans").chmod(0o777)
    shell = start_shell(link, folder, open=(str(folder / "docs/plans"),))
    assert shell.can_write("docs/plans/new")
    shell.hold(writable=True)
    assert shell.run("mv docs docs2 && ln -s src docs && mkdir -p src/plans").code == 0
    shell.hold(writable=False)
    assert not shell.can_write("docs2/plans/new")
    assert not shell.can_write("docs/plans/new")
    assert not shell.can_write("src/plans/new")


def test_our_own_folders_are_empty_inside(link: Link, folder: Path, tmp_path: Path) -> None:
    hidden = folder.parent / "run"
    hidden.mkdir()
    (hidden / "front").touch()
    shell = start_shell(link, folder, hidden=(str(hidden),))
    assert shell.run(f"ls -A {hidden}").text == ""
    assert not shell.can_write(str(hidden / "front"))
    assert (hidden / "front").exists()


def test_open_writers_are_told_and_the_kernel_is_asked_again(shell: Shell) -> None:
    shell.hold(writable=True)
    assert shell.run("exec 7>>src/log; exec 8< src/code").code == 0
    told = shell.hold(writable=False)
    assert told.writable and told.waits
    (writer,) = told.writers
    assert (writer.command, writer.path) == ("sh", str(shell.project / "src/log"))
    before = len(shell.link.heard)
    assert shell.run("exec 7>&-").code == 0
    freed = shell.link.wait_until(
        lambda: [one for one in shell.link.heard[before:] if _is_held(one)], "it is read-only"
    )
    assert freed
    assert not shell.can_write("src/log")


def test_the_mode_holds_when_the_holder_is_killed(
    running: tuple[Link, subprocess.Popen[bytes]], shell: Shell
) -> None:
    _, process = running
    for writable in (True, False, True, False):
        (holder,) = _holders(process.pid)
        assert shell.run(f"kill -9 {holder}").code == 0
        until(lambda holder=holder: _holders(process.pid) not in ([], [holder]), "another holder")
        shell.hold(writable=writable)
        shell.link.wait_until(
            lambda writable=writable: _last_held(shell.link).writable is writable, "it is so"
        )
        assert shell.can_write("src/code") is writable


def test_a_replaced_file_is_held_again(shell: Shell) -> None:
    shell.hold(writable=True)
    config = shell.project / ".git/config"
    other = shell.project / "config.new"
    other.write_text(config.read_text())
    os.chown(other, config.stat().st_uid, config.stat().st_gid)
    os.replace(other, config)
    until(lambda: not shell.can_write(".git/config"), "it is held again")
    assert shell.can_write("src/code")


def test_when_the_command_has_ended_what_is_left_cannot_write(link: Link, folder: Path) -> None:
    shell = start_shell(link, folder)
    shell.hold(writable=True)
    late = "while ! [ -e ../go ]; do sleep 0.02; done; touch late ; touch ../done"
    shell.run(f"(trap '' HUP; {late}) > /dev/null 2>&1 &")
    link.type(NAME, "exit\n")
    link.wait(protocol.Exit, NAME)
    link.wait_until(lambda: link.heard[-1:] and _is_held(_last_held(link)), "it is read-only")
    (folder.parent / "go").touch()
    until((folder.parent / "done").exists)
    assert not (folder / "late").exists()


def test_each_session_has_a_mode_of_its_own(link: Link, folder: Path) -> None:
    one, two = start_shell(link, folder, f"{NAME}-one"), start_shell(link, folder, f"{NAME}-two")
    one.hold(writable=True)
    assert one.can_write("src/code")
    assert not two.can_write("src/code")
    link.send(protocol.ListSessions())
    listed = link.wait(protocol.Sessions).sessions
    assert [(state.session_id, state.writable) for state in listed] == [
        (f"{NAME}-one", True),
        (f"{NAME}-two", False),
    ]


def test_a_session_without_a_guard_is_as_ever(link: Link, folder: Path) -> None:
    link.run(f"{NAME}-free", "sh -c 'echo x > new; cat /proc/self/uid_map'", cwd=str(folder))
    assert (folder / "new").exists()
    link.send(protocol.Hold(session_id=f"{NAME}-free", writable=True), protocol.ListSessions())
    assert "holds nothing" in link.wait(protocol.Error, f"{NAME}-free").message
    assert link.wait(protocol.Sessions).sessions[0].writable is None


def test_no_folder_of_ours_is_left_behind(link: Link, folder: Path) -> None:
    shell = start_shell(link, folder)
    assert (folder / ".codex").is_dir()
    link.type(NAME, "exit\n")
    link.wait(protocol.Exit, NAME)
    link.send(protocol.Forget(session_id=NAME), protocol.Ping())
    link.wait(protocol.Pong)
    assert not (shell.project / ".codex").exists()


def test_where_namespaces_are_refused_nothing_starts_and_the_sentence_says_so(
    folder: Path,
) -> None:
    shut = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"'
    with guarding_worker("unshare", "-Urm", "sh", "-c", shut, "sh") as (link, _):
        link.send(start_order(NAME, "touch started", cwd=str(folder), guard=guard_of(folder)))
        told = link.wait(protocol.Error, NAME)
        assert "Strict mode is off" in told.message
        assert told.sentence.format(**told.values or {}) == told.message
        assert "user.max_user_namespaces" in told.message
        assert not (folder / "started").exists()
        assert not (folder / ".codex").exists()


TABLE = rb"""21 1 8:1 / / rw - ext4 /dev/sda1 rw
30 21 8:1 /home/me/my\040work /mnt/work rw shared:1 - ext4 /dev/sda1 rw
31 21 8:2 / /home rw - ext4 /dev/sdb1 rw
"""


def test_another_way_to_a_folder_is_found_by_its_file_system() -> None:
    mounts = mount_table.parse(TABLE)
    assert list(mount_table.other_ways(mounts, "/mnt/work/src")) == ["/home/me/my work/src"]
    assert list(mount_table.other_ways(mounts, "/home/me")) == []
    assert [one.path for one in mount_table.below(mounts, ["/mnt"])] == ["/mnt/work"]


COVERED = rb"""1 1 0:2 / / rw - rootfs rootfs rw
21 1 8:1 / / rw - ext4 /dev/sda1 rw
30 21 8:2 / /opt/data rw - ext4 /dev/sdb1 rw
31 30 8:3 / /opt/data/in rw - ext4 /dev/sdc1 rw
32 21 8:1 /other /opt rw - ext4 /dev/sda1 rw
33 32 8:4 / /opt/new rw - ext4 /dev/sdd1 rw
34 33 8:5 / /opt/new rw - ext4 /dev/sde1 rw
35 21 8:6 / /optional rw - ext4 /dev/sdf1 rw
"""


def test_a_mount_below_another_one_is_not_found_at_its_path() -> None:
    found = mount_table.reachable(mount_table.parse(COVERED))
    assert [one.number for one in found] == [21, 32, 34, 35]


def test_mounts_with_flags_and_below_others_are_held_in_discussion(folder: Path) -> None:
    """As where a home is a mount of its own, or a folder is mounted over one with mounts in it."""
    for name in ("flags", "over/in", "below/in"):
        (folder.parent / name).mkdir(mode=0o777, parents=True)
    _give_to(folder, *(folder.parent / name for name in ("flags", "over", "below", "below/in")))
    flags = "nosuid,nodev,noexec,noatime"
    script = f"""
        mount -t tmpfs -o {flags} none "$0/flags"
        mount --bind "$0/below/in" "$0/below/in"
        mount --bind "$0/over" "$0/below"
        exec "$@"
    """
    with guarding_worker("unshare", "-Urm", "sh", "-ec", script, str(folder.parent)) as (link, _):
        shell = start_shell(link, folder, elsewhere=())
        places = [str(folder.parent / name / "new") for name in ("flags", "below", "over")]
        assert [path for path in places if shell.can_write(path)] == []
        shell.hold(writable=True)
        assert [path for path in places if shell.can_write(path)] == places
        shell.hold(writable=False)
        assert [path for path in places if shell.can_write(path)] == []


def test_another_way_to_the_project_is_shut_too(folder: Path) -> None:
    way = folder.parent / "way"
    way.mkdir(mode=0o777)
    script = 'mount --bind "$0" "$1" && shift && exec "$@"'
    before = ("unshare", "-Urm", "sh", "-c", script, str(folder), str(way))
    with guarding_worker(*before) as (link, _):
        shell = start_shell(link, folder)
        assert not shell.can_write(str(way / "new"))
        shell.hold(writable=True)
        assert shell.can_write("new")
        assert not shell.can_write(str(way / "new"))


def _contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }


def _exits(link: Link, name: str) -> list[protocol.FromWorker]:
    return [one for one in link.heard if isinstance(one, protocol.Exit) and one.session_id == name]


def _is_held(message: object) -> bool:
    return isinstance(message, protocol.Held) and not message.writable


def _last_held(link: Link) -> protocol.Held:
    return _held(link)[-1]


def _held(link: Link) -> list[protocol.Held]:
    return [one for one in link.heard if isinstance(one, protocol.Held)]


def _give_to(like: Path, *paths: Path) -> None:
    """Have files belong to whom another one belongs to."""
    owner = like.stat()
    for path in paths:
        os.chown(path, owner.st_uid, owner.st_gid)


def _holders(worker: int) -> list[int]:
    """Return the forks of a worker that are no session's."""
    found = []
    for child in psutil.Process(worker).children():
        with contextlib.suppress(psutil.NoSuchProcess):
            if child.status() != psutil.STATUS_ZOMBIE and "nagomi_worker" in child.cmdline():
                found.append(child.pid)
    return found
