"""What the specification says of reading and writing, rule by rule."""

from __future__ import annotations

import shlex

import pytest

from nagomi_tui.shell.classifier import classify
from nagomi_tui.shell.patterns import Patterns

READERS = shlex.split("""
cat less more head tail wc nl tac rev grep egrep fgrep rg ripgrep ag ack sort uniq cut paste join comm
column tr expand unexpand fold fmt pr shuf tsort diff cmp sdiff md5sum sha1sum sha256sum sha512sum cksum
sum od hexdump xxd strings file readelf objdump nm ls dir vdir pwd which type whereis locate find basename
dirname readlink realpath stat whoami id groups users who w last lastlog hostname uname arch lsb_release
hostnamectl date cal uptime df du free vmstat iostat ps pgrep pidof top htop iotop atop lsof jobs pstree
fuser netstat ss ifconfig route arp ping traceroute tracepath mtr nslookup dig host whois printenv env set
export alias history echo printf yes seq jot test true false bc expr factor units jq yq xmllint bat fd
fzf tree ncdu exa lsd tldr cheat
""")

WRITERS = shlex.split("""
rm rmdir unlink shred mv rename cp install dd mkdir mkfifo mknod mktemp touch truncate chmod chown chgrp
ln link symlink setfacl setfattr chattr useradd userdel usermod groupadd groupdel passwd chpasswd
systemctl service apt apt-get dpkg snap yum dnf rpm pip pip3 npm yarn gem cargo make cmake ninja meson
su at batch kill pkill killall tee
""")


def reads(command: str) -> bool:
    return classify(command).verdict == "read"


@pytest.mark.requirement("D-19", "DC-25")
def test_more_than_seventy_programs_are_known_to_read() -> None:
    assert len(READERS) > 130
    assert [name for name in READERS if not reads(name)] == []
    # These do, if they are told so or nothing else.
    kept = ["ip addr", "awk 1", "sed p", "gawk 1", "mawk 1", "gsed p", "fc -l", "[ a = b ]"]
    kept += ["dc -e '2 3 + p'", "xsltproc --nowrite a b", "xmlstarlet sel -t f"]
    assert [command for command in kept if not reads(command)] == []
    # An editor keeps a file of its own beside what it shows, and a stylesheet writes where it likes.
    assert not reads("vimdiff a b") and not reads("xsltproc a b")


@pytest.mark.requirement("DC-26")
def test_writers_write() -> None:
    assert [name for name in WRITERS if reads(f"{name} x")] == []
    assert [name for name in WRITERS if reads(f"sudo {name} x")] == []


@pytest.mark.requirement("DC-27")
def test_some_tools_read_by_certain_commands_only() -> None:
    for name in ("pip", "pip3"):
        assert all(reads(f"{name} {one}") for one in ("show x", "list", "freeze", "check", "help"))
        assert not reads(f"{name} install x") and not reads(f"{name} uninstall x")
    for name in ("npm", "yarn"):
        assert all(reads(f"{name} {one}") for one in ("list", "ls", "view x", "show x", "help"))
        assert not any(reads(f"{name} {one}") for one in ("install", "run x", "add x", "exec x"))
    assert reads("python -c 'print(1)'") and not reads("python -c 'import x'")
    assert not reads("python3 -m http.server")


@pytest.mark.parametrize(
    "command",
    ["echo x>f", "echo x >> f", "ls &>f", "ls &>>f", "ls 2>f", "ls >|f", ">f", "ls 3<>f", "ls >&f",
     "ls 1>&2 >f", "{ ls; } >f", "for x in a; do ls; done >f", "(ls)>f", "f() { ls; } >g; f",
     "cat <<E >f\nx\nE", "[ a > b ]", "[ a >b ]", "test a > b"],
)  # fmt: skip
@pytest.mark.requirement("D-20", "DC-28")
def test_a_redirection_to_a_file_writes(command: str) -> None:
    assert not reads(command)


@pytest.mark.parametrize(
    "command",
    ["ls 2>&1", "ls >/dev/null", "ls &>/dev/null", "ls 2>/dev/null >&2", "cat <f", "cat <<<x",
     "[[ a > b ]]", "(( 1 > 2 ))", "awk '$1 > 2'", "echo 'a > b'", "cat <<E\na > b\nE", "ls 2>&-"],
)  # fmt: skip
@pytest.mark.requirement("D-20", "DC-28")
def test_others_do_not(command: str) -> None:
    assert reads(command)


@pytest.mark.requirement("D-21", "DC-29")
def test_options_by_which_readers_write() -> None:
    for command in ("sed -i s/a/b/ f", "sed -n 'w f'", "awk '{print > \"f\"}' g", "find . -delete",
                    "awk '{print | \"sh\"}'", "awk '{print >> \"f\"}'", "awk 'BEGIN{printf(\"x\") > \"f\"}'",
                    "find . -exec rm {} +", "xargs sed -i s/a/b/", "sort -uo f g"):  # fmt: skip
        assert not reads(command), command


@pytest.mark.requirement("D-22", "D-56")
def test_each_part_is_judged() -> None:
    for mark in (";", "&&", "||", "|", "|&", "&", "\n"):
        assert not reads(f"ls {mark} rm x"), mark
        assert not reads(f"rm x {mark} ls"), mark
        assert reads(f"ls {mark} cat"), mark


@pytest.mark.requirement("D-23")
def test_patterns_of_the_user_count_by_words_and_writes_come_first() -> None:
    patterns = Patterns(reads=["pytest", "make -n", "git"], writes=["git push", "cat secret"])

    def verdict(command: str) -> str:
        return classify(command, patterns).verdict

    assert verdict("pytest -q") == verdict("timeout 5 pytest") == verdict("make -n x") == "read"
    assert verdict("make") == verdict("pytest-x") == verdict("cat secret") == "write"
    assert (
        verdict("git push") == verdict("env git push -f") == verdict("/bin/cat secret") == "write"
    )
    assert verdict("git fetch") == verdict("cat secrets") == "read"
    assert verdict("pytest > f") == verdict("pytest $(rm x)") == verdict("pytest; rm x") == "write"


@pytest.mark.requirement("D-24")
def test_combinations_that_delete() -> None:
    for command in ("find . -delete", "find . | xargs rm", "find . -name x -exec rm {} \\;",
                    "find . -print0 | xargs -0 -I{} rm {}", "ls | while read f; do rm $f; done"):  # fmt: skip
        assert not reads(command), command


@pytest.mark.parametrize(
    "command",
    ["echo $(rm x)", "echo `rm x`", "cat <(rm x)", "echo >(rm x)", "(rm x)", "{ rm x; }", "! rm x",
     "if rm x; then ls; fi", "for f in $(rm x); do ls; done", "while rm x; do ls; done", "f() { rm x; }; f",
     "case $(rm x) in a) ls;; esac", "case a in a) rm x;; esac", "env rm x", "nice -n 5 rm x", "ionice rm x",
     "timeout 5 rm x", "stdbuf -oL rm x", "command rm x", "builtin rm x", "exec rm x", "setsid rm x",
     "xargs rm", "watch rm x", "strace rm x", "sudo rm x", "time rm x", "nohup rm x", "/usr/bin/env rm x",
     "bash -c 'rm x'", "bash -lc 'ls; rm x'", "echo \"$(rm x)\"", "a=$(rm x)", "[[ $(rm x) ]]",
     "cat <<E\n$(rm x)\nE", "cat <<< $(rm x)", "echo ${a:-$(rm x)}", "echo $((a[$(rm x)]))"],
)  # fmt: skip
@pytest.mark.requirement("DC-30")
def test_what_is_nested_or_wrapped_is_seen(command: str) -> None:
    assert not reads(command)
    harmless = command.replace("rm", "cat")
    assert reads(harmless) or "$((" in command or command.startswith(("nohup", "sudo"))


@pytest.mark.parametrize(
    "name",
    ["PATH", "LD_PRELOAD", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "EDITOR", "BASH_ENV", "PROMPT_COMMAND",
     "IFS", "LESSOPEN", "TAR_OPTIONS", "MANPAGER", "RIPGREP_CONFIG_PATH", "GIT_CONFIG_COUNT", "PYTHONSTARTUP",
     "NODE_OPTIONS", "ENV", "SHELLOPTS", "GIT_SSH_COMMAND", "KUBECTL_EXTERNAL_DIFF"],
)  # fmt: skip
@pytest.mark.requirement("DC-30")
def test_variables_that_change_programs_are_not_set(name: str) -> None:
    assert (
        not reads(f"{name}=x ls") and not reads(f"env {name}=x ls") and not reads(f"{name}=x; ls")
    )
    assert not reads(f"for {name} in x; do ls; done")
    assert name == "IFS" or not reads(f"read {name}")


@pytest.mark.requirement("DC-30")
def test_what_is_too_long_or_cannot_be_parsed_writes() -> None:
    assert reads("echo " + "x" * 9_000) and not reads("echo " + "x" * 10_000)
    assert not reads("ls (") and not reads("ls )") and not reads("if ls") and not reads("ls <")
    assert not reads("( " * 200 + "ls" + " )" * 200)
    assert not reads("$(" * 100 + "ls" + ")" * 100)
    doubled = "; ".join(f'a{one}="$a{one - 1}$a{one - 1}"' for one in range(1, 60))
    for use in ('ls "$a59"', "ls $a59", 'wc -l < "$a59"', "echo $((a59))"):
        assert not reads(f"a0=x; {doubled}; {use}")
    assert reads("cat a" + " | cat" * 1_500)


@pytest.mark.requirement("DC-30")
def test_the_place_in_the_command_is_named() -> None:
    found = classify("echo 'あ' && rm x")
    assert found.at == 12 and "rm" in found.reason


@pytest.mark.requirement("DC-30")
def test_of_other_shells_only_a_short_list_reads() -> None:
    def told(command: str) -> str:
        return classify(command, shell="powershell").verdict

    reads = ["Get-ChildItem -Recurse", "Get-Content 'a b.txt' | Select-String foo", "git status", "ls",
             "Get-ChildItem C:\\x | Measure-Object", "git log --oneline | Select-Object -First 3"]  # fmt: skip
    writes = ["Remove-Item x", "Get-Content x > y", "Get-Content $(rm x)", "ls; rm x", "iex 'x'", "git push",
              "Get-Process | Stop-Process", "Get-Content \"$(rm x)\"", "ls\nRemove-Item x",  "ls\rRemove-Item x", "& x", "curl x",
              "Get-ChildItem | ForEach-Object { rm $_ }", "Set-Content x y", "", "git log | rm",
              'Get-Content "a\u201d; ri b; \u201c"', "Get-Content 'a\u2019; ri b; \u2018'", "Get-Content \u2018a\u2019"]  # fmt: skip
    assert [command for command in reads if told(command) != "read"] == []
    assert [command for command in writes if told(command) != "write"] == []
    assert classify("git log -3", shell="fish").verdict == "read"
    for command in ("ls (rm x)", "ls; rm x", "rm x", "echo $x", "ls > f", "set fish_user_paths .", "set -x PATH .",
                    "set -e fish_greeting", "alias ls rm", "help set", "read PATH"):  # fmt: skip
        assert classify(command, shell="fish").verdict == "write"


@pytest.mark.requirement("D-46", "X-12")
def test_what_nobody_knows_runs_only_where_the_user_lets_it() -> None:
    """What is known to write stays a write."""
    loose = Patterns(lets_unknown=True)
    for command in ("frobnicate --list", "timeout 5 frobnicate | wc -l"):
        assert classify(command).verdict == "write"
        assert classify(command, loose).verdict == "read"
    for command in ("./frobnicate", "frobnicate > x", "rm x", "git push", "$(echo rm) x"):
        assert classify(command, loose).verdict == "write", command


def test_what_reads_by_one_option_needs_it_as_an_option() -> None:
    """Behind `--` a word is a file, and another option's value is none either."""
    for written in (
        "git apply {} -- p.diff",
        "ruff format {} -- src/a.py",
        "ruff format -q {} -- src",
    ):
        told = "--check" if "git" in written else "--diff"
        assert reads(written.format(told))
        assert not reads(f"{written.format('')} {told}")
        assert not reads(written.format("").replace("-- ", "") + f" -- {told}")
    assert reads("rpm -qa") and reads("rpm -q --qf '%{NAME}\\n' x")
    assert not reads("rpm --queryformat x -i x.rpm")
    assert reads("ar t a.a") and not reads("ar --p ./x.so t a.a") and not reads("7z --l a.zip")


def test_of_programs_that_share_a_name_only_the_known_options_read() -> None:
    """Of some names there are several programs; what one has alone may run programs and write files."""
    for name in ("grep", "egrep", "zgrep", "ggrep"):
        known = (
            "-rn --include='*.py' x .",
            "-A3 -B 2 -e -x f",
            "-oP '(?<=a)b' f",
            "-m1 -- --x f",
            "-5 x f",
            '"$x" f',
        )
        assert [told for told in known if not reads(f"{name} {told}")] == []
        others = (
            "--filter='*:sh' x f",
            "--pager=vi x",
            "--view=vi x",
            "--save-config=f x",
            "-Q x",
            "---f x",
            "-r --format-open=x y",
            "-1Q x f",
            "-A1 -5Qx f",
            "--pager=$x y f",
            '"$x--filter=*:sh" y',
            "-e x --filte=*:sh f",
        )
        assert [told for told in others if reads(f"{name} {told}")] == []
    known = ("base32 -d f", "zdiff -u a.gz b.gz", "ls -lah@ --color=auto", "ps -eo pid,args --sort=-rss", "df -hT", "cut -d, -f1-3 f",
             "nslookup -type=mx example.com", "tail -n +5 -f f", "head -$n f", "cat \"$pkg-lock.json\"", "diff -ru --exclude='*.o' a b", "echo --- -x", "pgrep -fl x")  # fmt: skip
    assert [command for command in known if not reads(command)] == []
    # A BSD writes by the first, loads a library by the next ones, and hands the last ones to a shell.
    others = ("base32 -o out f", "base32 -oout f", 'base32 "$x" f', "w --libxo=encoder=x", "df --libxo=@../x", "zdiff '-x`x`' a b",
              "cat --unheard-of f", "ls --col f", "tokei --unheard=of", "mtr -@ x")  # fmt: skip
    assert [command for command in others if reads(command)] == []


def test_what_a_service_calls_getting_only_reads_where_that_is_known() -> None:
    asks = (
        "lambda get-function --function-name f",
        "iam get-role --role-name r",
        "ec2 describe-instances",
        "ssm get-parameters --names a",
    )
    assert [told for told in asks if not reads(f"aws {told}")] == []
    acts = (
        "sts get-session-token",
        "kms get-parameters-for-import",
        "lambda get-x o",
        "ec2 get-console-screenshot",
        "x describe-y",
    )
    assert [told for told in acts if reads(f"aws {told}")] == []
    for path in (
        "/healthz",
        "/metrics",
        "/apis/apps/v1/namespaces/d/deployments",
        "/api/v1/pods?limit=5",
        "/api/v1/namespaces/d/pods/p/log",
    ):
        assert reads(f"kubectl get --raw '{path}'")
    for path in (
        "/api/v1/nodes/n/proxy/run/d/p/c",
        "/api/v1/namespaces/d/services/x/proxy/stop",
        "/api/v1/namespaces/d/pods/p/exec?command=sh",
    ):
        assert not reads(f"kubectl get --raw '{path}'") and not reads(
            f"kubectl get --raw={path.partition('?')[0]}"
        )


def test_what_is_shown_and_sent_has_a_known_form() -> None:
    for read, write in (
        ("git log --format='%h %an %ar %C(auto)%d%n%<(20,trunc)%s%x09%(trailers:key=A)'", "git log --format='%h %G?'"),
        ("git log --pretty=oneline", "git log --pretty=mine"), ("git log -S'%GX' --date=format:%G", "git log --pretty='%-GK'"),
        ("git branch --format='%(refname:short) %(committerdate:format:%Y)'", "git branch --format='%(signature:grade)'"),
        ("git for-each-ref --sort=-version:refname --format='%(*objectname)%00'", "git for-each-ref --sort=signature:grade"),
        ("git tag --sort=-creatordate", "git tag --sort=-*signature"), ("git -c tag.sort=v:refname tag", "git -c tag.sort=signature tag"),
        ("git shortlog -s --group=trailer:reviewed-by", "git shortlog -s --group=format:%GS"),
        ("git archive --format=tar HEAD", "git archive --format=mine HEAD"),
        ("curl -H 'Accept: a' -H 'X-Request-Id: 1' http://h", "curl -H 'X-HTTP-Method-Override: DELETE' http://h"),
        ("curl -H 'PRIVATE-TOKEN: a' http://h", "curl -H 'X-Rewrite-Url: /x' http://h"), ("curl -G -d q=a@b http://h", "curl -G -d @f http://h"),
        ("gh api -H 'X-GitHub-Api-Version: 1' x", "gh api -H 'X-Unheard-Of: 1' x"), ("curl -G --data-urlencode q=a http://h", "curl -G --data-urlencode q@f http://h"),
        ("echo ${x@Q} ${x//a/b} ${x:0:3} ${!x[@]} ${x^^}", "echo ${x@P}"), ("[ -f a -a ! -d b ]", "[[ -Y a ]]"),
        ("xmlstarlet ed -d //a f", "xmlstarlet ed -L -d //a f"), ("zipinfo -1 a.zip", "zipinfo -q a.zip"), ("readelf -hS f", "readelf --unheard-of f"),
        ("strings -n 8 f", "strings --plugin=x f"), ("popd", "popd 'x[y]'"), ("ruff rule E501", "ruff config --config f"), ("pacman -Qi x", "pacman -Qr x"),
        ("uv tool list", "uv tool unheard"), ("show() { ls; }; show", "a:b() { ls; }; a:b"), ("my-f() { ls; }; my-f", "repeat() { ls; }; repeat"),
        ("git ls-remote git@h.example:a/b.git 'refs/heads/*'", "git ls-remote ssh://-oProxyCommand=x/y"), ("git ls-remote origin", "git ls-remote foo::x"),
        ("brew info jq", "brew info ./x.rb"), ("aws sts get-caller-identity --cli-read-timeout 5", "aws sts get-caller-identity --cli-auto-prompt"),
        ("stty size", "stty sane"), ("pg_isready -h db", "pg_isready -d 'host=h options=x'"), ("jar tf a.jar", "jar xf a.jar"), ("ldconfig -p", "ldconfig"),
        ("pdftotext a.pdf -", "pdftotext a.pdf"), ("tmux display-message -p '#S'", "tmux display-message -p '#(touch x)'"),
        ("seq 3 | xargs -I{} sed -n '{}p' f", "cat g | xargs -I{} sed -n '{}p' f"), ("nagomi doctor", "nagomi uninstall"), ("ls 2>&-", "tee /dev''/stdout >&-"),
        ("echo a→b 日本語 ✓", "ls\u2007x"), ("echo '\u2007'", "ls\u180ex"), ("echo a", "ls \u200bx"),
    ):  # fmt: skip
        assert reads(read), read
        assert not reads(write), write


def test_a_word_that_a_program_may_take_for_a_command_or_a_folder_is_not_passed_on() -> None:
    for read, write in (
        ("git reflog HEAD@{1}", "git reflog x"), ("git branch --list x", "git branch -l x"), ("uv python find 3.12", "uv python find x"),
        ("uv python list", "uv python list x"), ("npm owner ls x", "npm owner ls git+file:../x"), ("npm outdated x", "npm outdated ../x"),
    ):  # fmt: skip
        assert reads(read) and not reads(write)


def test_a_program_of_awk_passes_if_each_part_of_it_is_known() -> None:
    computes = r"""
{print $1, $NF}
BEGIN{FS=":"; OFS="\t"} NR>1 && $3 ~ /^a.*b$/ {c[$1]++; s+=$2} END{for (k in c) printf "%s %d\n", k, c[k] > "/dev/stderr"; print s/NR}
NR==FNR{a[$1]=$2;next} ($1 in a){print $0, a[$1]}
!seen[$0]++
/start/,/end/
/start/{f=1} f; /end/{f=0}
{gsub(/[ \t]+$/, ""); print}
{sub("x","y",$2)}1
{split($0, a, ","); n=0; for (i=1;i<=length(a);i++) n+=a[i]; print n, (n>3 ? "big" : "small")}
function max(a, b) { return a > b ? a : b } { m = max(m, $1) } END { print m }
{while ((getline line < "f.txt") > 0) print line}
{while ((getline line < f) > 0) n++} END {print n}
length > 80
length($0) > 80 {print FILENAME ":" FNR ": " length}
{if ($1 > 2) {print "a"} else if ($1 < 1) print "b"; else print "c"}
BEGIN { do { i++ } while (i < 5); print i }
{print ($1 > 2)}
{print -1 " " -1; print !x, $(NF-1), $NF--}
{printf("%5.2f %s\n", $1*100/$2, toupper(substr($3,1,1)) substr($3,2))}
BEGIN{OFS=","}{$1=$1}1
($1,$2) in a
{a[$1,$2]=1} END{for (k in a) {split(k, p, SUBSEP); print p[1]}}
$0 ~ "^" x "$" {print; exit}
END{exit !found}
{print > "/dev/stderr"}
NF
{ n = split($0, w, /[^a-z]+/); for (i = n; i > 0; i--) printf "%s%s", w[i], (i > 1 ? " " : "\n") }
BEGIN { printf "%s", strftime("%Y", systime()) }
{delete a; delete b[1]; nextfile}
$2>=10&&$2<=20||$3!="x"
{x = x (x == "" ? "" : ",") $1} END {print x}
{t[$1] = t[$1] " " $2}
{ $3 = ""; print $0 }
{match($0, /a+/, m); print m[0], RSTART, RLENGTH}
BEGIN{while (i++ < 3) print i}
{s = $1; gsub(/"/, "\\\"", s); print "\"" s "\""}
{print length(), NR % 2 == 0 ? "even" : "odd"}
"""
    does_more = r"""
{print > "out"}
{print $1 > $2}
{print > ("/dev/" "stdout")}
BEGIN{system("touch x")}
BEGIN{system ("touch x")}
BEGIN{"touch x" | getline}
BEGIN{print "x" | "sh"}
BEGIN{print |& "sh"}
BEGIN{f="/inet/tcp/0/h/80"; getline x < f}
BEGIN{getline x < ("/inet" "/tcp/0/h/80")}
BEGIN{getline x < "/in" "et/tcp/0/h/80"}
BEGIN{SYMTAB["f"]="/inet/tcp/0/h/80"; getline x < f}
BEGIN{split("/inet/tcp/0/h/80", ARGV, ",")}
BEGIN{ARGV[1]="/inet/tcp/0/h/80"}
BEGIN{sub(/.*/,"/inet/tcp/0/h/80",ARGV[1])}
BEGIN{for (ARGV[1] in a);}
BEGIN{getline ARGV[1] < "f"}
function g(f) {getline x < f} BEGIN{g("/inet/tcp/0/h/80")}
{@f()}
@load "filefuncs"
@include "x"
BEGIN{chdir("x")}
BEGIN{unheard($1)}
BEGIN{for (f in a) getline x < f}
{print "a" print "b" > "f"}
{print a, b >> "f"}
{printf "%s", a > "f"}
{print (a)(b) > "f"}
{print(1)>"f"}
BEGIN{f++; getline x < f}
BEGIN{getline f < "list"; getline x < f}
BEGIN { printf "x" > "/dev/stdout" "x" }
BEGIN{$0="/inet/tcp/0/h/80"; getline x < $1}
BEGIN{getline system("touch x")}
BEGIN{split("a", b, system("touch x"))}
{
BEGIN{print; if (1) {
function f(
BEGIN{system ("touch x")}
BEGIN{x = chdir ("x")}
"""
    programs = [f"awk {shlex.quote(one)} f" for one in computes.strip().splitlines()]
    assert [command for command in programs if not reads(command)] == []
    programs = [f"awk {shlex.quote(one)} f" for one in does_more.strip().splitlines()]
    programs += [
        "awk '{getline x < f}' f=/inet/tcp/0/h/80",
        "awk -v f='\57inet/x' '{getline x < f}'",
        "awk -v \"f=$x\" '{getline x < f}'",
    ]
    assert [command for command in programs if reads(command)] == []
    assert reads("awk -v f=a.txt 'BEGIN{while ((getline x < f) > 0) print x}'") and reads(
        'awk -v "n=$x" 1 "$f"'
    )


def test_what_is_read_from_is_certain_to_be_a_file() -> None:
    """What is computed may be a name by which bash opens a connection, however it is spelled."""
    names = r"""
for f in *.md; do echo "$f: $(wc -l < "$f")"; done
find . -name '*.py' | while read -r f; do wc -l < "$f"; done
find src -type f | sort | head -5 | while IFS= read -r f; do n=$(wc -l < "$f"); echo "$n $f"; done
git diff --name-only HEAD | while read -r f; do wc -l < "$f"; done
while read -r f; do wc -l < "$f"; done < <(git ls-files)
f=README.md; wc -l < "$f"
d=src; wc -l < "$d/a.py"
wc -l < "./$x"
wc -l < "$LOG"
wc -l < "$HOME/x.txt"
f=$(ls -t | head -1); wc -l < "$f"
f=$(git rev-parse --show-toplevel)/README.md; wc -l < "$f"
while read -r l; do echo "$l"; done < "$FILE"
for i in 1 2 3; do wc -l < f$i.txt; done
grep -rl TODO src | while read -r f; do wc -l < "$f"; done
show() { wc -l < "$1"; }; show a.md
"""
    computed = r"""
p=$(rev <<< 9/1.0.0.721/pct/ved/); cat < "$p"
cat < "$(printf '\57dev\57t\143p/h/80')"
cat < "$(echo /v/x | tr v d)"
read p < f; cat < "$p"
cat f | while read p; do cat < "$p"; done
find . -printf '/d%sv/x' | while read p; do cat < "$p"; done
find . | tail -c 20 | while read p; do cat < "$p"; done
p=${x//a/b}; cat < "$p"
cat < "${p:-a}"
printf -v p '\57'; cat < "$p"
f() { cat < "$1"; }; f "$(rev <<< x)"
for p in /{d,x}ev/{t,u}{c,d}p/h/80; do cat < $p; done
cat < $(base64 -d <<< L2Rldi90Y3AvaC84MA==)
mapfile -t p < f; cat < "$p"
p=a; p+=$(rev <<< b); cat < "$p"
p=$(awk 'BEGIN{print "x"}'); cat < "$p"
git ls-files | sed 's/x/y/' | while read p; do cat < "$p"; done
p=$(ls | cut -c3-); cat < "$p"
cat < /dev/tcp/h/80
q=$(rev <<< ved/); p=$q/x/h/80; cat < "/$p"
f() { cat < "$1"; }; 'f' "$(rev <<< x)"
"""
    assert [command for command in names.strip().splitlines() if not reads(command)] == []
    assert [command for command in computed.strip().splitlines() if reads(command)] == []


def test_a_plain_sh_reads_only_what_it_is_known_to_read_as_bash_does() -> None:
    same = ("a=$(ls); for x in *.py; do [ -f \"$x\" ] && wc -l \"$x\"; done", "find . -name a{} -o -name @{u}..", "case a in b|c*) ls;; esac",
            "cat <<E\nx\nE", "if ! grep -q a f; then ls 2>&1 >/dev/null; fi", "f() { local x=1; echo $((x + 2 * 3)); }; f", "echo ${x:-a} ${x%%.*}")  # fmt: skip
    others = ("cat f{1,2}", "ls a{1..3}", "(( 1 < 2 ))", "[[ a < b ]]", "ls |& cat", "ls &>/dev/null", "cat <<< x", "cat <(ls)", "echo $'a'", "x+=1; ls",
              "echo $[1+1]", "echo ${a[0]}", "a=(x); ls", "function f { ls; }", "echo $((x++))", "echo $((2 ** 3))", "echo ${x@Q}", "ls 10>&1", "time ls")  # fmt: skip
    in_sh = Patterns(shells={"sh"})
    assert [one for one in same if classify(one, in_sh).verdict == "write"] == []
    assert [one for one in others if classify(one, in_sh).verdict == "read"] == []
