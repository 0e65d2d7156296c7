"""Which programs only read, and with which options."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from nagomi_tui.shell.options import Check

_FAMILIES: Final = (
    ("readers", ""),  # the most used programs
    ("builtins", ""),
    ("search", "find fd fdfind"),
    ("editors", "sed gsed awk gawk mawk nawk"),
    ("git", "git"),
    ("wrappers", "env nohup time timeout gtimeout nice ionice stdbuf command builtin exec setsid xargs gxargs watch "
     "strace sudo doas busybox bash sh dash zsh ksh"),
    ("hosting", "docker docker-compose podman kubectl helm gh glab aws gcloud az"),
    ("packages", "pip pip3 uv poetry pipx conda mamba npm pnpm yarn bun cargo rustup go gofmt brew gem apt "
     "apt-cache apt-mark dpkg dpkg-query dpkg-deb rpm dnf yum pacman apk snap flatpak pyenv asdf mise nvm "
     "node terraform"),
    ("python", "python python3"),
    ("system", "systemctl journalctl service loginctl timedatectl localectl resolvectl networkctl hostnamectl "
     "launchctl sysctl dmesg mount swapon ip ifconfig route arp ss date hostname crontab stty nvidia-smi tmux "
     "defaults sw_vers"),
    ("network", "whois curl wget openssl ssh ssh-keygen ssh-add"),
    ("documents", "tar unzip zipinfo gzip gunzip bzip2 xz zstd 7z ar jar bsdtar jq yq xmlstarlet xmllint xsltproc dc ruff black base64 base32 iconv"),
    ("databases", "sqlite3 psql pg_dump pg_isready mysql mariadb redis-cli"),
    ("versions", "sessions nagomi"),
)  # fmt: skip


@cache
def _family(name: str) -> dict[str, Check]:
    checks: dict[str, Check] = import_module(f"{__name__}.{name}").CHECKS
    return checks


@cache
def _homes() -> dict[str, str]:
    return {name: family for family, names in _FAMILIES for name in names.split()}


def look_up(name: str) -> Check | None:
    """Return the check of a program's arguments; None for an unknown program."""
    family = _homes().get(name)
    if family is not None:
        return _family(family)[name]
    return (
        _family("readers").get(name)
        or _family("builtins").get(name)
        or _family("versions").get(name)
    )
