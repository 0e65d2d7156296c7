"""Commands that the user has named as reads or writes, checked before our own tables."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, Protocol

from nagomi_tui.shell.folders import Asked
from nagomi_tui.shell.words import Word, named

_WRITERS: Final = named("""
. apt apt-get autopep8 black eval exec git-lfs isort open prettier source split trap ufw unlink zypper
alias ansible ansible-playbook apk apt-key at atrm autoconf automake batch bundle busybox bzip2 cabal
chattr chcon chgrp chmod chown chpasswd clang cmake composer conda cp cpio crontab csh csplit
dash dd debootstrap dnf dotnet dpkg-reconfigure ed elixir emacs erl ex expect fallocate fdisk fish flock
g++ gcc gem ghc gpg gradle groff groupadd groupdel gunzip gzip halt helm insmod install iptables java
javac jshell julia kill killall ksh kubectl ld link ln logrotate losetup lua luajit lvcreate lz4 m4
make mkdir mkfifo mkfs mknod mktemp modprobe mount mv mvn nano nft ninja npx nvim octave osascript pacman
parallel parted passwd patch pax php pip pipx pkill pnpm poetry poweroff pnpx psql mysql R Rscript rake
reboot redis-cli rename renice rm rmdir rmmod rsync rustc rustup sbt scala scp screen script setfacl
sftp sgdisk shred shutdown snap socat sponge ssh ssh-copy-id ssh-keygen strip su sudo doas swapoff
swapon swift systemd-run tclsh tee telnet terraform tmux touch truncate tune2fs umount unison unlink
unlzma unxz unzip useradd userdel usermod uv uvx vi vim vimdiff visudo wipefs xdg-open xz yarn zip zsh zstd
""")
"""Programs that write, start others or take scripts, where what is not known may run."""


class Folder(Protocol):
    """Looks into the folder where a command would run."""

    def objection(self, asked: Asked, moves: Sequence[str]) -> str:
        """Return what makes a program do more than it is known for; empty if nothing there does.

        `moves` are the folders that the command changes to.
        """


class Patterns:
    """Commands that the user has named, each as the words that a command begins with.

    With `lets_unknown`, programs of which nothing is known count as reads. `folder` looks where the
    command would run; without it, nothing there is taken to change what a program does.
    """

    def __init__(
        self,
        reads: Sequence[str] = (),
        writes: Sequence[str] = (),
        *,
        lets_unknown: bool = False,
        held: bool = False,
        keyed: bool = False,
        shells: Collection[str] = (),
        folder: Folder | None = None,
    ) -> None:
        self._lets_unknown = lets_unknown or held
        self.held = held
        """The kernel lets the command write to temporary folders and caches only."""
        self.keyed = keyed
        """The agent may type into what runs, so that a pager or a question does what the agent says."""
        self.shells = shells
        """What may run the command besides bash and zsh: `sh` and `powershell`."""
        self._folder = folder
        self.looks = folder is not None and not isinstance(folder, _Unknown)
        """Whether it can be looked into the folder where the command would run."""
        self._reads = [tuple(line.split()) for line in reads if line.split()]
        self._writes = [tuple(line.split()) for line in writes if line.split()]

    @property
    def given(self) -> bool:
        """Whether the user has named any command."""
        return bool(self._reads or self._writes)

    def objection(self, asked: Asked, moves: Sequence[str]) -> str:
        """Return what the folder has a program do, as `Folder.objection`."""
        return self._folder.objection(asked, moves) if self._folder is not None else ""

    def lets(self, program: str) -> bool:
        """Whether a program may run that is in none of our tables."""
        return self._lets_unknown and program not in _WRITERS

    def writes(self, words: Sequence[Word]) -> bool:
        """Whether these words begin with a command that the user has named a write."""
        head = words[0]._replace(text=words[0].text.rpartition("/")[2])
        return _begins(words, self._writes) or _begins([head, *words[1:]], self._writes)

    def reads(self, words: Sequence[Word]) -> bool:
        """Whether these words begin with a command that the user has named a read."""
        return _begins(words, self._reads)


def _begins(words: Sequence[Word], lines: Sequence[tuple[str, ...]]) -> bool:
    texts = [word.text for word in words]
    return any(tuple(texts[: len(line)]) == line for line in lines)


class _Unknown:
    """A folder of which nobody knows which one it is."""

    def objection(self, asked: Asked, moves: Sequence[str]) -> str:
        return f"{asked.program} looks into its folder, which is not known" if asked.files else ""


ANYWHERE: Final = Patterns(folder=_Unknown())
"""For commands of which nobody knows in which folder they will run."""
