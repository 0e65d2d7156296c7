"""Which programs only print, even to an agent that may type into what runs.

Such an agent runs a command in a terminal, where a program may open a pager or ask a question, and
keys in a pager run programs and write files. Codex sets `PAGER`, `GIT_PAGER` and `GH_PAGER` to `cat`,
and no other variable that names a pager; so a program passes only if it is known to open none, or
what keeps it from that is in the command. Where output goes into a pipe, there is no terminal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nagomi_tui.shell.words import Word, Writes, named

_KEYLESS: Final = named("""
[ ag addr2line apk apt-cache apt-mark ar arch arp asdf awk base32 base64 basename basenc black builtin bun bunzip2 busybox bzcat bzgrep bzip2
cal cargo cat cd cksum cloc cmp col colordiff column comm command conda crc32 crontab curl cut dash date defaults df diff diff3 diffstat difft
dig dir dirname dmesg docker docker-compose du echo egrep env exa exec expand expr eza factor false fc-list fc-match fd fdfind
fgrep ffprobe file find findmnt flake8 fmt fold free fuser gawk gcat gcut gem getcap getconf getent getfacl getfattr ggrep gh ghead git
gls go gofmt greadlink grealpath grep groups gsed gsort gstat gtail gtimeout gtr gunzip gwc gxargs gzcat gzip hadolint hd head helm hexdump host
hostname iconv id identify ifconfig infocmp ionice iostat ip ipcs jobs join jot jq kill ksh kubectl last lastlog launchctl ldd locale locate
logname look ls lsattr lsblk lsb_release lscpu lsd lsipc lslocks lsmem lsmod lsns lsof lspci lsusb lz4cat mamba mapfile mawk md5 md5sum
modinfo mount mpstat nagomi namei nawk nc ncal netstat nice nl nm node npm nproc numfmt nvidia-smi nvm objdump od openssl pacman paste
pathchk pg_dump pgrep pidof pidstat ping ping6 pip pip3 pipx pkg-config pmap pnpm podman poetry popd pr printenv printf ps pstree pushd pwd
pyenv pyflakes python python3 read readarray readelf readlink realpath redis-cli rev rg ripgrep route rpm ruff rustup sar scc sdiff
sed sensors seq sessions set setsid sh sha1sum sha224sum sha256sum sha384sum sha512sum shasum shellcheck shopt shuf size sleep snap sort
ss ssh ssh-add ssh-keygen stat stdbuf strace strings sum sw_vers swapon sysctl tac tail tar tee terraform test time timeout tmux toe tokei tput tr
tracepath traceroute tree true ts tsort tty type ul ulimit umask uname unexpand uniq unzip uptime users uv vdir vmstat w wait wc wget
whereis which who whoami whois xargs xdpyinfo xmllint xmlstarlet xsltproc xxd xz xzcat xzgrep yamllint yarn yes yq zcat zcmp zdiff zegrep
zfgrep zgrep zipinfo zsh zstd zstdcat zstdgrep bash acpi 7z bsdtar
: break caller compgen continue declare dirs enable exit fc hash help history logout return shift times trap alias bind
""")
"""Programs that open no pager and take no keys, or whose pager is named by a variable that Codex sets."""
_PAGERLESS: Final = {
    **dict.fromkeys(
        ("systemctl", "journalctl", "loginctl", "timedatectl", "localectl", "hostnamectl", "networkctl", "resolvectl",
         "dpkg", "dpkg-query"),
        ("--no-pager",),
    ),
    "aws": ("--no-cli-pager",),
    "ack": (), "apt": (), "apropos": (), "brew": (), "dnf": (), "dpkg-deb": (), "flatpak": (), "glab": (), "mariadb": (),
    "mysql": (), "psql": (), "service": (), "whatis": (), "yum": (),
}  # fmt: skip
"""Programs that open no pager if they have one of these options, or no terminal to write to."""
_OPENS: Final = {
    "git": {"help"}, "npm": {"help"}, "cargo": {"help"}, "uv": {"help"}, "pip": {"help"}, "pip3": {"help"}, "gem": {"help"},
    "go": {"doc", "help"}, "rustup": {"doc", "help"}, "openssl": {"s_client"}, "poetry": {"help"}, "yarn": {"help"},
    "dmesg": {"-H", "--human"}, "gh": {"watch"},
}  # fmt: skip
"""Words by which a program of the first list does so."""


def see_keyless(name: str, words: Sequence[Word], head: Word, *, is_piped: bool) -> None:
    """Check that a program takes no keys; `words` are its arguments."""
    texts = [word.text for word in words]
    told = set(texts)
    if name in _KEYLESS and _OPENS.get(name, set()).isdisjoint(told):
        return
    options = texts[: texts.index("--")] if "--" in told else texts
    if name in _PAGERLESS and (is_piped or not set(_PAGERLESS[name]).isdisjoint(options)):
        return
    if told in ({"--version"}, {"-V"}, {"-v"}, {"version"}, {"-version"}):
        return
    raise Writes(f"{name} may do what is typed into it", head.at)
