"""A real sshd of the test's own: own keys, own port on loopback, ended by process id."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"


class Host:
    """This machine, over ssh."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder, self._port = folder, port

    def argv(self, command: str, *, terminal: bool = True) -> list[str]:
        """Return the ssh command that runs `command` there."""
        options = [
            f"-i{self._folder}/user", f"-p{self._port}", "-oStrictHostKeyChecking=no",
            "-oUserKnownHostsFile=/dev/null", "-oLogLevel=ERROR", "-oBatchMode=yes",
        ]  # fmt: skip
        return [
            "ssh", *(["-tt"] if terminal else []), *options,
            f"{getpass.getuser()}@127.0.0.1", command,
        ]  # fmt: skip


@contextmanager
def host(folder: Path) -> Iterator[Host]:
    """Run sshd in `folder`; skip where there is none."""
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
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (folder / "config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\n"
        f"AuthorizedKeysFile {folder}/keys\nPidFile {folder}/pid\nStrictModes no\n"
        "PermitRootLogin yes\nUsePAM no\nPasswordAuthentication no\n"
    )
    log = (folder / "log").open("wb")
    server = subprocess.Popen([SSHD, "-D", "-e", "-f", str(folder / "config")], stderr=log)
    try:
        _await_port(port)
        yield Host(folder, port)
    finally:
        server.terminate()
        with suppress(subprocess.TimeoutExpired):
            server.wait(5)
        log.close()


def _await_port(port: int) -> None:
    deadline = time.monotonic() + 10
    while True:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        assert time.monotonic() < deadline, "sshd does not listen"
        time.sleep(0.05)
