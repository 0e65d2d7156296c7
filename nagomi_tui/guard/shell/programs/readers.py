"""Programs that only read, except with some of their options."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.guard.shell import options
from nagomi_tui.guard.shell.options import Options
from nagomi_tui.guard.shell.verdict import Writes
from nagomi_tui.guard.shell.words import named

if TYPE_CHECKING:
    from nagomi_tui.guard.shell.programs.interface import Analyser, Check
    from nagomi_tui.guard.shell.words import Word

_HARMLESS: Final = named(
    "cat head tail wc nl tac rev grep egrep fgrep zgrep zegrep zfgrep zcat bzcat xzcat "
    "gzcat cut paste join comm column tr expand unexpand fold fmt pr "
    "tsort diff cmp colordiff md5sum md5 sha1sum sha224sum sha256sum sha384sum "
    "sha512sum shasum b2sum cksum sum crc32 od hexdump hd ls dir vdir pwd which whereis "
    "locate basename dirname readlink realpath stat whoami id groups users who w last "
    "uname lsb_release cal ncal uptime df du free vmstat iostat mpstat "
    "nproc lscpu lsblk lsusb lspci lsmod lsns lsmem modinfo ps pgrep pidof pstree top "
    "htop iotop netstat nslookup dig host whois ping ping6 traceroute tracepath mtr "
    "printenv echo yes true false expr factor seq jot bc eza exa lsd numfmt getent "
    "getconf locale tty logname sleep findmnt getfacl getfattr lsattr getcap "
    "basenc base32 col pathchk tput shellcheck hadolint yamllint pyflakes tokei difft c++filt "
    "addr2line whatis apropos vdir gls gcat ghead gtail gwc gstat ggrep greadlink "
    "grealpath gcut gtr zcmp zdiff bzgrep xzgrep zstdgrep namei egrep acpi "
    "xdpyinfo fc-list fc-match infocmp toe lslocks lsipc ipcs pmap look ul"
)

_TABLES: Final = {
    "less": Options("pPtT", "", "oOk", "log-file LOG-FILE lesskey-file lesskey-src lesskey-content"),
    "more": Options(),
    "rg": Options("eABCgtTmMrfjdE", "", "", "pre pre-glob hostname-bin"),
    "ripgrep": Options("eABCgtTmMrfjdE", "", "", "pre pre-glob hostname-bin"),
    "ag": Options("", "", "", "pager"),
    "ack": Options("", "", "", "pager ackrc output env create-ackrc"),
    "sort": Options("kStTo", "key buffer-size field-separator parallel batch-size sort random-source",
                    "oT", "output compress-program temporary-directory"),
    "gsort": Options("kStTo", "key buffer-size field-separator parallel batch-size sort random-source",
                     "oT", "output compress-program temporary-directory"),
    "uniq": Options("fsw", "skip-fields skip-chars check-chars", most=1),
    "shuf": Options("nio", "head-count input-range random-source", "o", "output"),
    "sdiff": Options("wI", "", "o", "output diff-program"),
    "diff3": Options("L", "label", "", "diff-program"),
    "strings": Options("nteT"),
    "file": Options("efFPm", "", "C", "compile"),
    "xxd": Options("c cols g groupsize l len o off s seek n name R", most=1, single_dash=True,
                   long_bad=""),
    "tree": Options("", "filelimit charset", "oR", "output"),
    "sar": Options("", "", "o"), "pidstat": Options("", "", "e"), "sensors": Options("", "", "s", "set"),
    "arch": Options(only="--version --help", most=0),
    "zstdcat": Options("", "", "oz", "rm output-dir-flat output-dir-mirror compress trace"),
    "lz4cat": Options("", "", "z", "rm compress"),
    "readelf": Options(), "objdump": Options("", "", "", "plugin"), "nm": Options("", "", "", "plugin"),
    "size": Options("", "", "", "plugin"),
    "lastlog": Options("btu", "", "CSR", "clear set root"),
    "atop": Options("", "", "w", ""),
    "fuser": Options("", "", "kwKM", "kill"),
    "units": Options("f", "", "L", "log"),
    "bat": Options("lHmr", "", "", "pager generate-config-file"),
    "batcat": Options("lHmr", "", "", "pager generate-config-file"),
    "fzf": Options("fdnq", "filter delimiter nth", only="-f --filter -e --exact -i -d --delimiter -n --nth --no-sort"),
    "ncdu": Options("", "", "ofO", ""),
    "diffstat": Options("pwnr", only="-p -s -m -w -n -l -C -c -k -q -t -u -r"),
    "tldr": Options("", "", "uc", "update clear-cache"),
    "cheat": Options(only="-l --list -s --search -p --path -t --tag -d --directories -v --version"),
    "scc": Options("", "", "ofD", "output format-multi"),
    "namei": Options(),
    "flake8": Options("", "", "", "output-file tee config append-config enable-extensions"),
    "glow": Options("ws", "", "pt", "pager tui"),
    "identify": Options(only="-verbose -format -ping", single_dash=True, values="format"),
    "ffprobe": Options("v loglevel show_entries select_streams print_format of i", only="-v -loglevel -show_entries "
                       "-select_streams -print_format -of -i -show_format -show_streams -hide_banner -pretty "
                       "-show_chapters -show_packets -show_frames", single_dash=True),
}  # fmt: skip

_MAN: Final = Options(
    "sSLmMeRE", "", "PHTtXZCpr",
    "prompt pager html troff ditroff gxditview config-file preprocessor recode",
)  # fmt: skip
_CLOC: Final = Options(
    long_values="vcs exclude-dir include-lang exclude-lang",
    only="--json --csv --yaml --quiet --by-file --md --hide-rate --vcs --exclude-dir --include-lang "
    "--exclude-lang --version",
)
_BINUTILS: Final = frozenset({"strings", "readelf", "objdump", "nm", "size", "addr2line"})


def _table(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    options.check(name, words, _TABLES[name])
    if name == "identify" and any(re.search(r"^[|@\0]|:", word.text) for word in words):
        raise Writes("identify may run or delete what it is given", words[0].at)
    if name in _BINUTILS and any(word.text[:1] in ("@", "\0") for word in words):
        raise Writes(f"{name} takes options from a file", head.at)
    if name in ("less", "more") and any(
        word.text[:1] == "+" and not _is_place(word.text[1:]) for word in words
    ):
        raise Writes(f"{name} does what it is told to", head.at)
    if name == "less" and any(_keeps(word.text) for word in words):
        raise Writes("less may keep what it shows in a file", head.at)
    if name in ("bat", "batcat") and words[:1] and words[0].text in ("cache", "\0"):
        raise Writes("bat changes its cache", head.at)


def _keeps(text: str) -> bool:
    """Whether an option of `less` may hold another one, behind a number or a `$`, in any case."""
    if text.startswith("--"):
        return any(one.startswith(text[2:].partition("=")[0].lower()) for one in _KEEPING)
    return text.startswith("-") and not set("oOk").isdisjoint(text)


_KEEPING: Final = ("log-file", "lesskey-file", "lesskey-src", "lesskey-content")


def _is_place(text: str) -> bool:
    """Whether a `+` command of `less` only moves to a place in the file."""
    return text in ("F", "G", "g") or text.isdigit() or text[:1] == "/" and "\0" not in text


def _tee(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check the operands of `tee`, which it writes to."""
    for word in words:
        if word.text not in ("-a", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/fd/63"):
            raise Writes("tee writes to a file", word.at)


def _cloc(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check the value of `--vcs`, which is a command that lists files, unless it names one of these."""
    given = options.check(name, words, _CLOC)
    for value in given.values("--vcs"):
        if value.text not in ("git", "svn", "auto"):
            raise Writes("cloc runs a command", value.at)


def _man(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check the options of `man`, which runs its pager."""
    first = [word.text for word in words[:2]]
    rest = words[2:] if first == ["-P", "cat"] else words
    options.check(name, [word for word in rest if word.text != "--pager=cat"], _MAN)


def _ts(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Allow `ts` with formats only, since another program of that name runs its arguments."""
    for word in words:
        if not re.fullmatch(r"-[rims]+|[^\0-]*%[^\0]*", word.text):
            raise Writes("ts may run a command", word.at)


def _harmless(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    pass


def _ldd(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check the operands of `ldd`, which may run a program to ask what it needs."""
    for word in words:
        if (
            not re.match(r"/(?:usr|bin|lib)\w*/|--?[druv]|--version", word.text)
            or ".." in word.text
        ):
            raise Writes("ldd may run a program that is not the system's", word.at)


def _lsof(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check the options of `lsof`: `-D` may write a cache, others take values in their word."""
    for word in words:
        flags = word.text[1:].partition("D")
        if word.may_be_option and (
            not word.known or word.splits or (flags[1] and flags[0] in "abChlnNOPRtUvVwWX")
        ):
            raise Writes("lsof may make a cache", word.at)


CHECKS: Final[dict[str, Check]] = {
    **dict.fromkeys(_HARMLESS, _harmless),
    **dict.fromkeys(_TABLES, _table),
    "cloc": _cloc,
    "ldd": _ldd,
    "lsof": _lsof,
    "man": _man,
    "tee": _tee,
    "ts": _ts,
}
