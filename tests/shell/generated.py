"""`make commands`: draw commands from a grammar, and run those called reads in a closed room.

    python -m tests.shell.generated [--count 2000] [--drawn 10000000] [--seed N] [--from PART]

With `--drawn` so many are classified, in parts, and `--count` of those called reads are run, as many of
each part. A part follows from the seed and its number, so that a run which was broken off goes on
with both. It is a room without a network, processes of others or a file that could be written outside of it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

PART: Final = 100_000
"""Commands that are drawn from one seed."""

RULES: Final = {
    "line": ["<list>", "<list>", "<list>; <list>", "<looped>", "<looped>", "<sets>; ls", "<sets>; cat a", "<qualified>", "<loop>", "<if>", "( <list> )", "{ <list>; }", "<define>",
             "<assign>; <list>", "cat <<E\n<text> <sub>\nE\n<list>", "cat <<'E'\n$(<write>)\nE\n<list>"],
    "list": ["<pipe>", "<pipe>", "<pipe> && <pipe>", "<pipe> || <pipe>", "! <pipe>", "<pipe>\n<pipe>"],
    "pipe": ["<command>", "<command>", "<command> | <command>", "<command> |& <command>", "<command> | xargs <xargs>"],
    "command": ["<read>", "<read>", "<read>", "<read>", "<read> <redirect>", "<read> <redirect>", "<env><read>",
                "<wrap> <read>", "<wrap> <write>", "<write>", "[ <word> <op> <word> ]", "[[ <word> <op> <word> ]]",
                "echo $((<sum>))", "(( <sum> ))", "bash -c '<plain>'", "sh -c \"<plain>\""],
    "loop": ["for v in <words>; do <list>; done", "while read -r v; do <list>; done < <file>",
             "for v in <words>; do <command> <redirect>; done", "find . -name '*' | while read v; do <list>; done"],
    "if": ["if <pipe>; then <list>; fi", "if <pipe>; then <list>; else <list>; fi",
           "case <word> in a*) <list>;; *) <list>;; esac"],
    "define": ["f() { <list>; }; f <word>", "f() { <list>; }; <wrap> f", "cat() { <list>; }; cat <file>"],
    "assign": ["v=<word>", "v=<option>", "v=<sub>", "v='<option> <file>'", "v=(<words>)", "<name>=<word>"],
    "name": ["LANG", "FOO", "GIT_PAGER", "PATH", "IFS", "LESSOPEN", "HOME", "PAGER"],
    "env": ["<name>=<word> ", "v=<word> "],
    "plain": ["<reader> <file>", "rm <file>", "ls | sort", "echo $v", "cat <file> > <new>"],
    "read": ["<reader> <file>", "<reader> <option> <file>", "<reader> <word>", "sort <sorting> <file>",
             "sed <sedding> <file>", "awk <awking> <file>", "find <finding>", "uniq <word> <word>", "git <gitting>",
             "grep <word> <file>", "tee <target>", "date <dating>", "printf '%s\\n' <words>", "echo <words>",
             "test <word> <op> <word>", "<reader> <op> <word>", "tar <tarring>", "xxd <xxding>", "read -r v", "read <word> < <file>", "python3 <python>", "python3 <python>", "sort <eater> <sorting> <file>", "xargs <eater> <write> < a"],
    "reader": ["cat", "ls", "head", "tail", "wc", "nl", "cut -c1-3", "tac", "rev", "stat", "file", "od", "md5sum", "diff a",
               "base64", "strings", "basename", "realpath", "/bin/cat", "\\cat", "c'a't", "command cat", "sort", "uniq",
               "less", "more", "cmp a", "comm a", "join a", "paste", "du", "tree", "shuf"],
    "wrap": ["env", "timeout 5", "nice -n 1", "command", "stdbuf -oL", "time", "nohup", "env FOO=1", "env -i", "exec",
             "setsid", "builtin", "xargs", "xargs -n 1", "env -u X", "ionice -c3", "timeout -k 1 1"],
    "write": ["rm <file>", "touch <new>", "mkdir <new>", "mv <file> <new>", "cp <file> <new>", "ln -s a <new>",
              "chmod 000 <file>", "truncate -s0 <file>", "sed -i s/a/b/ <file>", "tee <new>", "dd if=a of=<new>"],
    "redirect": ["> <target>", ">> <target>", "2> <target>", "< <file>", "2>&1", "&> <target>", ">| <target>",
                 "<<< <word>", "1>&2", "3<> <target>", "> >(<plain>)", "< <(<command>)"],
    "target": ["/dev/null", "/dev/null", "<new>", "<file>", "\"$v\"", "/dev/stderr", "$v", "/dev/null<new>"],
    "option": ["-o", "-n", "-i", "-o<new>", "--output=<new>", "--outp=<new>", "-r", "-c", "-u", "--", "-", "-w", "-d", "-e",
               "-O", "-t", "-x", "-zo<new>", "-delete", "-C", "--files-with-matches", "-", "-*", "-?", "--out*", "-[do]*"],
    "sorting": ["-o <new>", "-u", "-ro <new>", "-k 1", "--output <new>", "-k -o <new>", "-S -o <new>", "$v", "-t , -k 2n", "--"],
    "sedding": ["-n 1p", "-n '<sedscript>'", "'<sedscript>'", "-e '<sedscript>' -e p", "-i 1d", "-ni p", "-E 's/(.)/\\1/w<new>'",
                "-n \"$v\"", "-s p", "--in-place p"],
    "sedscript": ["w <new>", "s/a/b/w <new>", "s/a/b/gw <new>", "/a/w <new>", "1,2{p;w <new>\n}", "s/.*/touch <new>/e", "1e touch <new>",
                  "s/[/]/b/;w <new>", "y/a/b/;p", "$!N;P;D", "/a/,/b/p", "s|a|b|p", "a w <new>", "r a", "s,x\\,y,w <new>,", "/a/I,+1p",
                  ":a;N;$!ba;s/\\n/ /g", "\\,a,w <new>", "s/a/\\\n/;w <new>"],
    "awking": ["'<awkscript>'", "-F: '<awkscript>'", "-v x=1 '<awkscript>'", "\"$v\"", "-f a"],
    "awkscript": ["{print $1}", "{print > \"<new>\"}", "{print $1 > $2}", "$1 > 2", "{print | \"cat > <new>\"}", "BEGIN{system(\"touch <new>\")}",
                  "/a|b/", "{x = $1 / 2; print x > \"<new>\"}", "{if ($1 > 1) print}", "{print ($1 > 1)}", "{print(1)>\"<new>\"}",
                  "{if(1)/\"/;print > \"<new>\"}#\"", "{\"touch <new>\" | getline}", "{printf \"%s\", $0 >> \"<new>\"}", "{print $1 / 1 \"/\" > \"<new>\"}"],
    "finding": [". -name 'a*'", ". -delete", ". -exec <reader> {} \\;", ". -exec rm {} +", ". -fprint <new>", ". -fls <new>",
                ". -exec sh -c 'cat {}' \\;", ". -type f -print0", "$v", ". -execdir cat {} +", ". -exec env -u + touch <new> \\;",
                "<words> -newer a", ". -printf '%p\\n'", ". -ok rm {} \\;", ". -exec touch <new> {} +"],
    "gitting": ["status", "log", "init <new>", "diff --no-index a b", "diff --no-index --output=<new> a b", "--version", "-c core.pager=<word> log",
                "diff --outp=<new> --no-index a b", "config --file <new> a.b c", "config --file a --list", "hash-object a", "var -l"],
    "dating": ["+%s", "-u", "-d now", "-s now", "-f a", "-r a"],
    "tarring": ["tf c.tar", "xf c.tar", "cf <new> a", "-tf c.tar --to-command=cat", "xOf c.tar", "-tf c.tar --checkpoint=1 --checkpoint-action=exec='touch <new>'",
                "tvf c.tar a", "rf c.tar a", "-tf c.tar -I 'touch <new>'", "xOf c.tar a", "txf c.tar"],
    "xxding": ["a", "a <new>", "-r a <new>", "-l 3 a", "-p a", "-c 4 a <new>"],
    "xargs": ["--replace cat {}", "-i rm {}", "--max-lines touch", "-l cat", "-e rm", "--eof cat", "<eater> cat", "cat", "rm", "-n1 echo", "-I{} cat {}", "-I{} touch {}x", "sort", "sh -c 'cat \"$@\"' _", "-I{} sh -c 'touch {}x'", "-0 wc", "touch", "-n 1 tee"],
    "eater": ["-n", "-I", "-k", "-t", "-l", "-e", "-i", "-S", "-d", "-P", "-a", "-s", "--key", "--parallel", "--check", "--delimiter"],
    "python": ["-c '<pyline>'", "-c '<pyline>'", "-c '<pyline>; <pyline>'", "-c '<pyline>; <pyline>'", "-I -c '<pyline>'",
               "-P -c 'import <pymodule>; <pyline>'", "-m json.tool a <new>", "-m json.tool j"],
    "pyline": ["print(<pyvalue>)", "x = <pyvalue>", "x.<pymethod>(<pyvalue>)", "<pyvalue>.<pymethod>(<pyvalue>)", "import <pymodule>",
               "from pathlib import Path", "[<pyvalue> for y in <pyvalue>]", "x(<pyvalue>)", "import <pymodule> as x", "x = lambda y: <pyvalue>",
               "print(<pyvalue>, file=<pyvalue>)", "import os, sys, json"],
    "pyvalue": ["open(\"a\")", "open(\"n\", \"w\")", "open(\"n\", <pyvalue>)", "\"n\"", "\"w\"", "\"a\"", "x", "y", "os", "sys.stdout", "sys.path", "1", "open",
                "Path(\"a\")", "Path(<pyvalue>)", "os.<pymethod>", "os.environ", "type(<pyvalue>)", "getattr(<pyvalue>, \"write\")", "[<pyvalue>]",
                "[<pyvalue>][0]", "<pyvalue>.<pymethod>", "<pyvalue>.<pymethod>(<pyvalue>)", "map(<pyvalue>, <pyvalue>)", "list(<pyvalue>)",
                "str.<pymethod>", "json.load(<pyvalue>)", "json.dumps(<pyvalue>)", "__import__(\"os\")"],
    "pymethod": ["write", "read", "replace", "remove", "unlink", "rename", "touch", "path", "join", "system", "write_text", "read_text", "strip",
                 "split", "copy", "open", "mkdir", "update", "__class__", "append", "pop", "format", "listdir", "writelines"],
    "pymodule": ["os", "sys", "json", "pathlib", "shutil", "re", "io", "csv", "subprocess", "os.path", "operator", "functools"],
    "words": ["<word>", "<word> <word>", "*", "a b", "{a,<option>}", "$v", "\"$@\"", "\"${v[@]}\"", "<sub>", "{1..3}"],
    "printed": ["git rev-parse <echoed>", "realpath <echoed>", "pwd", "basename <echoed>", "dirname <echoed>", "printf '%s\\n' <echoed>",
                "find . -name '<glob>'", "find . -print0", "git rev-parse --show-toplevel", "which <reader>", "wc -l a", "wc <option>",
                "stat -c %s <word>", "date <echoed>", "seq <option> 3", "grep -c b <word>", "ls", "cat <file>", "echo <echoed>", "command -v <echoed>",
                "git log -1 --format=%H", "git rev-list <option> HEAD", "git hash-object a", "id -u", "uname -s", "readlink -f <echoed>"],
    "echoed": ["'x -o<new>'", "./-o<new>", "'a\n-delete'", "-o<new>", "'/dev/null --output=<new>'", "a-delete", "HEAD", "x", "\"$v\"", "--help"],
    "glob": ["*", "[-x]*", "-*", "*o*"],
    "filter": ["tail -c 8", "head -1", "tail -1", "tac -s/", "cut -c3-", "tr / '\n'", "rev", "sort", "uniq", "wc -l", "grep -o -- '-.*'", "sed 's/^..//'",
               "sort -r", "head -c 3", "grep -A0 --group-separator=-delete .", "tr -d ' '", "paste -s -d' '", "nl", "xargs -n1 echo", "awk '{print $2}'"],
    "taken": ["sort", "find", "find .", "sed -n", "uniq", "tree", "less", "git diff --no-index a", "shuf", "rg x", "sort a", "file", "xxd"],
    "looped": ["<printed> | while read -r v; do <taken> \"$v\"; done", "while IFS= read -r v; do <taken> $v; done < <(<printed>)",
               "<printed> | <filter> | while read v; do <taken> \"$v\"; done", "for v in $(<printed>); do <taken> \"$v\"; done",
               "for v in \"$(<printed>)\"; do <taken> $v; done", "<printed> | xargs -I{} <taken> {}", "<printed> | <filter> | xargs <taken>",
               "<printed> | xargs -0 <taken>", "<printed> | xargs <taken> <fed>", "<printed> | xargs -a a <taken>", "<printed> | while read v; do <taken> $v; done <fed>", "<printed> | { exec <fed>; xargs <taken>; }", "<printed> | xargs -d a <taken>", "git log a..$(<printed>)", "v=$(<printed>); git log a..$v",
               "<taken> \"$(<printed>)<word>\"", "<taken> $(<printed>)<glob>", "<taken> $v<glob>", "find <echoed> -exec bash -n {} \\;", "mapfile -t v < <(<printed>); <taken> \"${v[@]}\"", "v=$(<printed>); <taken> <vars>",
               "v=\"$(<printed>)\"; w=$v; <taken> \"$w\" $w", "v=(<words>); <taken> <vars>", "f() { <taken> <args>; }; f <echoed>", "IFS=$'\\n'; for v in $(<printed>); do <taken> <vars>; done",
               "pwd() { echo <echoed>; }; <taken> \"$(pwd)\"", "for v in <echoed> a; do <taken> <vars>; done"],
    "fed": ["< a", "<<< '-on a'", "<<E\n-on\nE", "2>/dev/null", "< <(echo -on)"],
    "args": ["\"$1\"", "$1", "\"$@\"", "$*", "\"$FUNCNAME\"", "\"$_\"", "$#"],
    "vars": ["$v", "\"$v\"", "${v%x}", "\"${v#./}\"", "\"${v##*/}\"", "\"${v:1}\"", "\"${v[@]}\"", "\"${v[1]}\"", "$v:t", "\"$v:t\"", "${v:-<echoed>}", "$=v", "$~v", "${v/x/}",
             "\"$v\"x", "x\"$v\"", "./$v", "-- $v"],
    "sets": ["printf '<count>%n' <assigned>", "printf '%d' v", "declare <assigned>\\=1", "export <assigned>\\=1", "<last> echo $((<filled>))", "<last> [[ <filled> -eq 1 ]]",
             "<last> echo ${w[<filled>]}", "f() { <given>; }; f '<asg>'", "<last> v=<filled>; echo $((v))", "read -t <quoted> v < a", "<last> echo $(( ${<filled>} ))", "f() { local <flag> v=$1; (( v )); }; f '<asg>'",
             "v=<asg>; <given>", "<filled>=/dev/null; <last> ls > $<filled>", "v=/dev/null; <changed>; ls > $v", "v=/dev/null; <changed>; ls > \"${v}\"",
             "echo ${v[<asg>]}", "echo \"${v[<asg>]}\"", "[[ '<asg>' -eq 1 ]]", "[[ <asg> -lt 1 ]]", "[[ \"$v\" -eq 1 ]]", "v='<asg>'; echo $((v))", "v='<asg>'; [[ v -eq 1 ]]",
             "echo ${v:<asg>}", "echo ${v:0:<asg>}", "declare <flag> v='<asg>'", "v[<asg>]=1", "v=([<asg>]=1)", "test <testing> '<asg>'", "read 'v[<asg>]' < a", "printf -v 'v[<asg>]' x",
             "echo {PATH}</dev/null", "ls {PATH}>/dev/null", "echo $v[<asg>]", "echo \"$v[<asg>]\"", "echo $#v[<asg>]", "v='<asg>'; echo $v[v]", "(( <asg> ))", "echo $((<asg>))", "echo $[<asg>]",
             "<special>='<asg>'", "for <special> in '<asg>'; do ls; done", "printf '%d' '<asg>'", "break '<asg>'", "cat <<E\n$v[<asg>]\nE", "[[ -n $v[<asg>] ]]", "case $v[<asg>] in a) ls;; esac",
             "v=<asg>; declare <flag> v", "[ '<asg>' -eq 1 ]", "local <flag> v='<asg>'", "unset 'v[<asg>]'", "a5='<asg>'; n=5; [[ a$n -eq 1 ]]", "v='<asg>'; echo ${w[v]}"],
    "count": ["1", "1%s", ""],
    "assigned": ["PATH", "v", "PATH"],
    "last": [": <asg>;", "[[ <asg> =~ .* ]];", "[[ <asg> =~ (.*) ]];", "set -- <asg>;", "read <<< '<asg>';", "mapfile -t <<< '<asg>';", "[[ n =~ n ]];", ": n;"],
    "filled": ["_", "BASH_REMATCH", "BASH_REMATCH[0]", "MATCH", "match", "1", "@", "REPLY", "MAPFILE", "argv", "v", "FUNCNAME", "status", "PIPESTATUS"],
    "given": ["echo $(($1))", "echo $((${1}))", "[[ $1 -eq 1 ]]", "[[ ${1} -eq 1 ]]", "echo ${w[$1]}", "echo ${w[${1}]}", "echo ${w:$1}", "echo ${w:${1}}", "(( ${1:-0} ))", "echo $((argv))", "echo $((v))", "[[ v -eq 1 ]]", "[[ '$v' -eq 1 ]]", "(( $v ))", "echo ${w[v]}", "test \"$1\" -eq 1", "printf %d \"$1\"", "break $1"],
    "quoted": ["'<asg>'", "\"$(echo <asg>)\"", "$v"],
    "changed": ["read v <<< n", "v=n", "printf -v v n", "f() { v=n; }; f", "for v in n; do :; done", "declare v\\=n", "v[0]=n", ": ${v:=n}", "unset v", "(( v = 1 ))", "echo ${w[v=1]}", "mapfile v <<< n", "ls {v}>/dev/null", "select v in n; do :; done <<< 1", "v+=n", "local v=n", "[[ n =~ n ]]"],
    "asg": ["PATH=1", "PATH=1", "PATH+=1", "x,PATH=1", "PATH=10", "v", "1", "v=1", "w[$(touch <new>)]"],
    "flag": ["-i", "-F", "-E", "-a", "-A", "-r", "-g", "-Z 3", "-L 3", "+x", "-n", "-p", "-U", "-T"],
    "testing": ["-v", "-t", "1 -eq", "-n"],
    "special": ["COLUMNS", "SECONDS", "RANDOM", "UID", "SHLVL", "LINENO", "functions[ls]", "status", "OPTIND", "FUNCNEST", "commands[ls]", "aliases[ls]"],
    "qualified": ["ls ${v:-*<qual>}", "ls ${v:+a<qual>}", "v=a; ls ${v:+a<qual>}", "ls \"${v:-a<qual>}\"", "ls *<qual>", "v='a<qual>'; ls $~v", "v='a<qual>'; ls $v", "ls ${v-a<qual>}", "for v in ${x:-a<qual>}; do ls; done",
                  "cat < ${v:-a<qual>}", "echo ${(e)v}", "cat =(<write>)", "ls ${v:-=(<write>)}", "v='$(<write>)'; echo ${(e)v}", "ls ${v#a<qual>}", "a=(${v:-a<qual>})", "[[ -e a<qual> ]]", "<write> &| ls", "ls &| <write>",
                  "noglob <write>", "- <write>", "repeat 1 <write>", "f() <write>; f", "for x (a) <write>", "ls a(e#touch n#)"],
    "qual": ["(e#touch n#)", "(e:'touch n':)", "(.)", "(+touch)", "(e{touch n})", "(N)"],
    "word": ["a", "b", "'a b'", "\"$v\"", "$v", "<sub>", "\"<sub>\"", "*", "x\\ y", "${v:-a}", "${v:-<option>}", "$'\\x2do'", "<option>", "1", "$((<sum>))", "<(<command>)"],
    "sub": ["$(<printed>)", "\"$(<printed>)\"", "$(<printed> | <filter>)", "\"$(<printed> | <filter>)\"", "$(<command>)", "`<plain>`", "$(cat a)", "$(echo <option>)", "$(<write>)", "$(wc -l < a)"],
    "sum": ["1+1", "v+1", "a[$(<write>)]", "a[1]", "$(wc -l < a)", "v>1", "v=1", "v['$(touch <new>)']"],
    "op": ["=", "==", "!=", "-eq", "-nt", ">", "<", "=~", "-ef"],
    "file": ["a", "b", "./a", "'d/e f'", "-o", "\"$v\"", "*", "d/*", "none", "a b"],
    "new": ["n", "./n", "d/n", "n1", "'n 2'"],
    "text": ["x", "$v", "`cat a`", "\\$(rm a)", "it's"],
}  # fmt: skip
_NAMED: Final = re.compile(r"<([a-z]+)>")


def draw(numbers: random.Random, rule: str = "line", depth: int = 0) -> str:
    """Return a command; deep in it, the first and simplest form of each part is taken."""
    forms = RULES[rule]
    form = numbers.choice(forms) if depth < 12 else forms[0]
    return _NAMED.sub(
        lambda match: draw(numbers, match[1], depth + 1) if match[1] in RULES else match[0], form
    )


def run_all(commands: list[str], shell: str = "bash") -> list[str]:
    """Run commands in a room without a network, and return those that changed what is in it."""
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--net", "--ipc", "--mount-proc",
         sys.executable, "-I", __file__, "room", shell],
        input=json.dumps(commands), capture_output=True, text=True, check=True,
    )  # fmt: skip
    changed: list[str] = json.loads(done.stdout)
    return changed


def run_everywhere(commands: list[str]) -> list[str]:
    """Run commands with each shell that clients use and that is installed."""
    shells = [shell for shell in ("bash", "zsh") if shutil.which(shell)]
    return list(dict.fromkeys(one for shell in shells for one in run_all(commands, shell)))


def _make_room() -> Path:
    """Make all that is mounted read-only, but for a room that holds a few files."""
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "room", "/tmp"], check=True)
    for line in reversed(Path("/proc/self/mountinfo").read_text().splitlines()):
        place = line.split()[4].encode().decode("unicode_escape")
        if place != "/tmp" and not place.startswith(("/proc", "/dev")):
            subprocess.run(["mount", "-o", "remount,bind,ro", place], capture_output=True)
    try:
        Path(__file__).with_name("written").touch()
    except OSError:
        room = Path("/tmp/w -delete")
        room.mkdir()
        return room
    raise SystemExit("the room is not closed")


def _fill(room: Path) -> None:
    (room / "d").mkdir(exist_ok=True)
    for name in (
        "a",
        "b",
        "-o",
        "--output=e",
        "-delete",
        "x y",
        "d/e f",
        "d/-i",
        "x\n-delete",
        "d/x\n-on",
    ):
        (room / name).write_text("b 2 x\na 1 y\n")
    for folder in ("1", "10"):
        # What is run if a command sets PATH.
        (room / folder).mkdir(exist_ok=True)
        for name in ("ls", "cat"):
            (room / folder / name).write_text("#!/bin/sh\n: > n\n")
            (room / folder / name).chmod(0o755)
    if not (room / ".git").exists():
        made = "git init -q && git add a && git -c user.name=x -c user.email=x commit -qm x"
        subprocess.run(["sh", "-c", made], cwd=room, check=True)
    (room / "a b").write_text("a\n")
    (room / "j").write_text("{}")
    subprocess.run(["tar", "cf", "c.tar", "a", "d"], cwd=room, check=True)


def _state(room: Path) -> list[object]:
    """Return what is there; its last digests tell what it holds."""
    found: list[object] = []
    for path in sorted(room.rglob("*")):
        if path.name == ".git" or path.match(".git/index"):
            continue  # `git status` refreshes it.
        status = path.lstat()
        text = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found.append((str(path), status.st_mode, status.st_mtime_ns, hashlib.md5(text).hexdigest()))
    return found


def _room(shell: str) -> None:
    """Run commands with a shell that reads no file of its user."""
    room = _make_room()
    _fill(room)
    before = _state(room)
    changed = []
    for command in json.load(sys.stdin):
        environment = {"PATH": os.environ["PATH"], "HOME": str(room), "LC_ALL": "C.UTF-8"}
        running = subprocess.Popen(
            [shell, "-c", command], cwd=room, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            running.wait(2)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, 9)
            running.wait()
        if _state(room) != before:
            changed.append(command)
            _fill(room)
            before = _state(room)
    json.dump(changed, sys.stdout)


def reads(count: int, seed: int) -> tuple[int, list[str]]:
    """Return how many commands were drawn to find so many that are called reads, and these."""
    from nagomi_tui.shell.classifier import classify

    numbers = random.Random(seed)
    found: list[str] = []
    drawn = 0
    while len(found) < count:
        command = draw(numbers)
        drawn += 1
        if classify(command).verdict == "read":
            found.append(command)
    return drawn, found


def reads_of_part(seed: int, number: int, drawn: int, count: int) -> tuple[int, list[str]]:
    """Return how many of one part's commands are called reads, and `count` of these by chance."""
    from nagomi_tui.shell.classifier import classify

    numbers, choices = random.Random(f"{seed}.{number}"), random.Random(f"{seed}.{number}.run")
    found: list[str] = []
    called = 0
    for _ in range(drawn):
        command = draw(numbers)
        if classify(command).verdict != "read":
            continue
        called += 1
        # Each read has the same chance to be among those that are kept.
        if len(found) < count:
            found.append(command)
        elif (at := choices.randrange(called)) < count:
            found[at] = command
    return called, found


def in_parts(drawn: int, count: int, seed: int, first: int = 0) -> tuple[list[int], list[str]]:
    """Classify and run part for part; return how many were drawn, called reads and run, and the faults."""
    parts = -(-drawn // PART)
    figures, changed, began = [0, 0, 0], [], time.monotonic()
    for number in range(first, parts):
        size = min(PART, drawn - number * PART)
        share = count * (number + 1) // parts - count * number // parts
        called, found = reads_of_part(seed, number, size, share)
        faults = run_everywhere(found)
        for command in faults:
            print(f"part {number + 1} changed something: {command!r}", file=sys.stderr)
        changed += faults
        figures = [old + new for old, new in zip(figures, (size, called, len(found)), strict=True)]
        rate = figures[0] / (time.monotonic() - began)
        left = (drawn - (number + 1) * PART) / rate
        print(
            f"part {number + 1} of {parts}: {_told(figures, changed)}, {rate:,.0f} a second; "
            f"{max(0, left) / 60:.0f} min left; to go on later: --seed {seed} --from {number + 1}",
            file=sys.stderr, flush=True,
        )  # fmt: skip
    return figures, changed


def _told(figures: list[int], changed: list[str]) -> str:
    drawn, called, ran = figures
    return f"{drawn:,} drawn, {called:,} read, {ran:,} run, {len(changed)} changed something"


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--drawn", type=int, default=0)
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="PART")
    arguments = parser.parse_args()
    if arguments.drawn:
        figures, changed = in_parts(
            arguments.drawn, arguments.count, arguments.seed, arguments.first
        )
    else:
        drawn, found = reads(arguments.count, arguments.seed)
        figures, changed = [drawn, len(found), len(found)], run_everywhere(found)
    print(f"seed {arguments.seed}: {_told(figures, changed)}")
    for command in changed:
        print(repr(command))
    return 1 if changed else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["room"]:
        _room(sys.argv[2])
    else:
        raise SystemExit(_main())
