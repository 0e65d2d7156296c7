"""Programs for services, network settings and other state of the machine."""

from __future__ import annotations

import re
from typing import Final

from nagomi_tui.shell import options
from nagomi_tui.shell.options import Analyser, Check, Options, Tool, checks, plain
from nagomi_tui.shell.words import Word, Writes, named

_FLAGS: Final = "--user --system --no-pager -q --quiet -a --all -l --full --no-legend --legend= --plain -h --help"
_UNITS: Final = (
    f"{_FLAGS} --failed -t= --type= --state= -n= --lines= -o= --output= -M= --machine= -p= --property= -P= --value --reverse "
    "--after --before --with-dependencies --show-types -r --recursive --no-ask-password --timestamp= --runtime --json= -T "
    "--show-transaction --monitor --adjust-cursor"
)
_RESOLVED: Final = Options(
    "-4 -6 -i= -p= -t= -c= --no-pager --legend= --interface= --protocol= --type= --class= --json= --cname= --cache= "
    "--search= --raw?",
    most=1,
)
_TOOLS: Final = {
    "systemctl": Tool(
        plain("status, show, cat, list-units, list-unit-files, list-timers, list-sockets, list-dependencies, "
              "list-jobs, list-machines, list-automounts, list-paths, is-active, is-enabled, is-failed, "
              "is-system-running, get-default, show-environment, help") | {"": Options()},
        before=_UNITS, always=_UNITS,
    ),
    "loginctl": Tool(plain("list-sessions, list-users, list-seats, session-status, user-status, seat-status, "
                           "show-session, show-user, show-seat") | {"": Options()}, before=_FLAGS, always=_UNITS),
    "timedatectl": Tool(plain("status, show, list-timezones, timesync-status, show-timesync") | {"": Options()},
                        before=_FLAGS, always=_UNITS),
    "localectl": Tool(plain("status, list-locales, list-keymaps") | {"": Options()}, before=_FLAGS, always=_UNITS),
    "hostnamectl": Tool(plain("status", Options("--no-pager --json= -a --all -l --full", most=0)) | {"": Options()}, before="--no-pager --static --pretty --json="),
    "resolvectl": Tool(plain("status, query, statistics, dns, domain", _RESOLVED) | {"": Options()},
                       before=_FLAGS),
    "networkctl": Tool(plain("list, status, lldp") | {"": Options()}, before=_FLAGS, always=_UNITS),
    "launchctl": Tool(plain("list, print, blame, print-disabled, managerpid, version", Options(""))),
    "defaults": Tool(plain("read, read-type, domains, find", Options("-g -globalDomain -app", single_dash=True)),
                     before="-currentHost"),
    "sw_vers": Tool({"": Options()}, before="-productVersion -productName -buildVersion --productVersion"),
    "tmux": Tool(plain("list-sessions, ls, list-windows, lsw, list-panes, lsp, list-clients, has-session, has, "
                       "list-buffers, list-commands, show-buffer", Options("-a -s -F= -f= -t= -b="))
                 | plain("show-options, show", Options("-A -g -H -p -q -s -v -w -t="))
                 | {"list-keys": Options("-1 -a -N -P= -T=")}
                 | plain("display-message, display", Options("-[aplv] -[tcF]=", most=1, needs="-p")),
                 before="-L= -S=", alone="-V"),
}  # fmt: skip

_TABLES: Final = {
    "journalctl": Options("-u= -n? -p= -o= -NUM -S=* -U=* -b? -g=* -t= -M= -D= -c= -F= -T= -f -r -e -x -k -a -q -m -N -l -h -i= "
                          "--unit= --user-unit= --lines? --priority= --output= --since=* --until=* --boot? --grep=* --identifier= "
                          "--machine= --directory= --cursor= --after-cursor= --field= --facility= --file= --root= --image= "
                          "--namespace= --output-fields= --case-sensitive? --follow --reverse --pager-end --catalog --dmesg "
                          "--all --quiet --merge --fields --no-full --full --no-tail --no-hostname --no-pager --system --user "
                          "--utc --list-boots --list-invocations --disk-usage --header --verify --list-catalog --dump-catalog --show-cursor "
                          "--exclude-identifier= --truncate-newline --version --help"),
    "dmesg": Options("-l= -f= -F= -s= -H -T -t -k -u -x -w -W -r -d -e -L? -P -S -p -J -V -h --level= --facility= --file= "
                     "--buffer-size= --since=* --until=* --time-format= --human --ctime --notime --kernel --userspace "
                     "--decode --follow --follow-new --raw --show-delta --reltime --color? --nopager --noescape --json "
                     "--force-prefix --syslog --kmsg-file= -K= --version --help"),
    "mount": Options("-l -v -t= -V --version", most=0),
    "swapon": Options("--show? -s --summary --noheadings --bytes", most=0),
    "sysctl": Options("-a -A -X -n -N -e -q -b -d -r= -V -h --all --names --values --ignore --quiet --deprecated --pattern= --binary "
                      "--version --help"),
    "ifconfig": Options("-a -s -v -l", most=1),
    "route": Options("-n -e -v -4 -6 -C -F", most=0),
    "arp": Options("-a -n -e -v -i= -N", most=1),
    "ss": Options("-f= -A= -a -l -t -u -w -x -n -r -p -e -m -o -i -s -4 -6 -0 -b -E -H -O -T -N= -Z -z -M -S -h -V -d -B -t "
                  "--family= --query= --socket= --all --listening --tcp --udp --raw --unix --numeric --resolve --processes "
                  "--extended --memory --options --info --summary --ipv4 --ipv6 --packet --bpf --events --no-header "
                  "--oneline --threads --net= --context --contexts --mptcp --sctp --dccp --vsock --tipc --tos --cgroup "
                  "--inet-sockopt --no-queues --version --help"),
    # GNU's `-I` and BSD's differ, and so does `-r`, whose value is a file to one and a number to the other.
    "date": Options("-d=* -f= -r= -u -R -I? -j --date=* --file= --reference= --utc --universal --rfc-email --iso-8601? "
                    "--rfc-3339= --rfc-2822 --debug --resolution --help --version"),
    "hostname": Options("-f -d -i -I -s -A -a -v --fqdn --long --short --domain --ip-address --all-ip-addresses "
                        "--all-fqdns --alias --version --help", most=0),
    "crontab": Options("-l -u=", most=0),
    "stty": Options("-[ag] --all --save --version --help", most=1),
    "nvidia-smi": Options("-L -q -d= -i= --query-gpu= --query-compute-apps= --query-apps= --format= -x --version --help -l? --loop?",
                          most=4, single_dash=True),
}  # fmt: skip


def _table(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    given = options.check(name, words, _TABLES[name])
    if name == "ifconfig" and given.options and given.operands and not given.has("-v"):
        raise Writes("ifconfig sets all interfaces", head.at)
    if name == "date":
        for word in given.operands:
            if not word.text.startswith("+"):
                raise Writes("date sets the clock", word.at)
    elif name == "sysctl" and any("=" in word.text or not word.known for word in given.operands):
        raise Writes("sysctl sets", head.at)
    elif name == "stty" and any(word.text not in ("size", "speed") for word in given.operands):
        raise Writes("stty sets", head.at)
    elif name == "crontab" and not given.has("-l"):
        raise Writes("crontab that does not list", head.at)
    elif (
        name == "nvidia-smi"
        and given.operands
        and given.operands[0].text not in ("topo", "nvlink", "pmon", "dmon")
    ):
        raise Writes("nvidia-smi sets", head.at)


def _service(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    named = [word.text for word in words]
    if named != ["--status-all"] and not (
        len(named) == 2 and named[1] == "status" and re.fullmatch(r"[\w@][\w@.-]*", named[0])
    ):
        raise Writes("service that starts or stops", head.at)


_IP_OPTIONS: Final = named(
    "-br -brief -j -json -p -pretty -4 -6 -s -stats -statistics -d -details -c -color "
    "-color=always -color=never -o -oneline -h -human -r -resolve -t -N -c=never"
)
_IP_OBJECTS: Final = re.compile(
    "link|l|li|address|addr|addre|a|ad|route|r|ro|rou|rule|ru|neigh|neighbor|neighbour|n|maddress|maddr|mroute|tunnel|tuntap|netns|"
    "vrf|xfrm|nexthop|mptcp"
)
_IP_READS: Final = named("show sh sho list ls lst get")


def _ip(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    rest = list(words)
    while rest and rest[0].text.startswith("-"):
        word = rest.pop(0)
        if word.text == "-V" and not rest:
            return
        if word.text not in _IP_OPTIONS:
            raise Writes("an option of ip that is not known", word.at)
    if not rest or not _IP_OBJECTS.fullmatch(rest[0].text):
        raise Writes("ip that is not known to only read", head.at)
    if len(rest) == 1:
        return
    if rest[1].text not in _IP_READS or not rest[1].single:
        raise Writes("ip sets", rest[1].at)


def _macos_route(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    named = [word.text for word in words if word.text != "-n"]
    if named[:1] == ["get"]:
        return
    _table(analysis, name, words, head)


CHECKS: Final[dict[str, Check]] = {
    **checks(_TOOLS),
    **dict.fromkeys(_TABLES, _table),
    "service": _service,
    "ip": _ip,
    "route": _macos_route,
}


def _tmux(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Refuse formats that may run a command, and `capture-pane` without `-p`."""
    if any(
        "#(" in word.text
        or _expands(word.text)
        or not word.known
        or word.text == ";"
        or word.text.endswith(";")
        for word in words
    ):
        raise Writes("tmux may run a command", head.at)
    if words and words[0].text in ("capture-pane", "capturep"):
        given = options.check(
            "tmux capture-pane", words[1:], Options("-p -t= -S=* -E=* -e -J -N -a -q -T -C -P")
        )
        if not given.has("-p"):
            raise Writes("tmux keeps what it captures", head.at)
        return
    _LISTS(analysis, name, words, head)


def _expands(text: str) -> bool:
    """Whether a format may take what a variable holds for another format, as `#{E:…}` does."""
    before = ""
    while before != text:
        before, text = text, _FORMAT.sub("x", text)
    return "#{" in text


_FORMAT: Final = re.compile(
    r"#\{(?:(?:[bdnqtw]|=[/|]?-?\d+|p-?\d+)(?:;(?:[bdnqtw]|=-?\d+|p-?\d+))*:)?[@\w-]+\}"
    r"|#\{\?[@\w-]+(?:,[^#{},]*)+\}|#\{(?:[=!]=|[<>]=?|&&|\|\||m):[^#{}]*\}"
)
"""Formats without a modifier that expands a value once more."""

_LISTS: Final = CHECKS["tmux"]
CHECKS["tmux"] = _tmux
