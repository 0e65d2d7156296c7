"""A real sshd of the test's own: own keys, own port on loopback, ended by process id."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pytest

from tests.helpers.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"


class Host:
    """This machine, over ssh."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder, self.port = folder, port

    def argv(self, command: str, *, terminal: bool = True) -> list[str]:
        """Return the ssh command that runs `command` there."""
        options = [
            f"-i{self._folder}/user", f"-p{self.port}", "-oStrictHostKeyChecking=no",
            "-oUserKnownHostsFile=/dev/null", "-oLogLevel=ERROR", "-oBatchMode=yes",
        ]  # fmt: skip
        return [
            "ssh", *(["-tt"] if terminal else []), *options,
            f"{getpass.getuser()}@127.0.0.1", command,
        ]  # fmt: skip


@contextmanager
def host(folder: Path, *, password: str = "") -> Iterator[Host]:
    """Run sshd in `folder`; skip where there is none.

    With a password, that is the user's in what sshd sees of this machine, which only root can have.
    """
    if not Path(SSHD).exists():
        pytest.skip("there is no sshd on this machine")
    for name in ("host", "user"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True
        )
    (folder / "keys").write_text((folder / "user.pub").read_text())
    (folder / "keys").chmod(0o600)
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    with (folder / "log").open("wb") as log:
        server, port = _started(folder, log, _knowing(folder, password) if password else [])
        try:
            yield Host(folder, port)
        finally:
            server.terminate()
            with suppress(subprocess.TimeoutExpired):
                server.wait(5)


def _knowing(folder: Path, password: str) -> list[str]:
    """Return words before sshd that give it a password file of its own; skip where that cannot be."""
    if os.getuid() or not (shutil.which("unshare") and shutil.which("openssl")):
        pytest.skip("only root can give a user of this machine a password, by unshare and openssl")
    made = subprocess.run(
        ["openssl", "passwd", "-6", "-stdin"], input=password.encode(), stdout=subprocess.PIPE
    )
    users = Path("/etc/shadow").read_text().splitlines()
    known = [user for user in users if not user.startswith("root:")]
    shadow = folder / "shadow"
    shadow.write_text("\n".join([f"root:{made.stdout.decode().strip()}:20000::::::", *known, ""]))
    shadow.chmod(0o600)
    script = f'mount --bind {shadow} /etc/shadow && exec "$@"'
    words = ["unshare", "--mount", "sh", "-c", script, "sh"]
    if subprocess.run([*words, "true"], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("this machine lets nobody mount")
    return words


def _started(folder: Path, log: BinaryIO, before: list[str]) -> tuple[subprocess.Popen[bytes], int]:
    """Start it on a free port; where somebody else was quicker to take that one, on another."""
    while True:
        port = _free_port()
        (folder / "config").write_text(
            f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\n"
            f"AuthorizedKeysFile {folder}/keys\nPidFile {folder}/pid\nStrictModes no\n"
            "PermitRootLogin yes\nUsePAM no\n"
            f"PasswordAuthentication {'yes' if before else 'no'}\n"
        )
        words = [*before, SSHD, "-D", "-e", "-f", str(folder / "config")]
        server = subprocess.Popen(words, stderr=log)
        until(lambda: (folder / "pid").exists() or server.poll() is not None, "sshd")  # noqa: B023
        if server.returncode is None:
            return server, port
        said = (folder / "log").read_text()
        assert "Address already in use" in said, said


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
