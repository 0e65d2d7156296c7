"""Proposed commands and their risk, which is never believed but computed (NB-20)."""

from __future__ import annotations

import pytest

from nagomi_tui.judge.next_steps import ActionRule, next_actions, risk_of
from nagomi_tui.judge.verdict import Risk, State
from nagomi_tui.shell.classifier import classify
from tests.helpers.judge_story import BOOK

RULES = BOOK.actions

COMMANDS = {
    Risk.LOW: [
        "git status --short", "git diff a.py", "ls -l x", "lsof -i :80", "which foo", "pwd",
        "head -n 3 a.py", "df -h", "git log | head", "grep -c x f", "git log --oneline -5 -p a",
        "git branch -av", "git branch --show-current", "git remote -v", "sort -nrk2 -t: f",
        "sort --reverse --key=2 f", "rg -n 'a(b)c' src", "rg -tpy --hidden x", "ss -tlnp",
        "tail -n 5 *.log", "ls $HOME", "tree -L2 --dirsfirst", "git status -uno && git diff --stat",
        "git show --format='%(refname)' HEAD", "git diff -- a.py", "pip list --outdated", "rg 'a*b' src", 'rg "a*b" src', "echo 'hi!'",
    ],
    Risk.MID: [
        "python3 -m pytest --last-failed -x", "npm install x", "make", "git fetch", "cargo test",
        "find . -name x", "kill -15 4711", "kill %1", "tar -xzf a.tgz", "make -j4", "git fetch -p", "mkdir a && ls", "go test ./... -run X -v", "python3 a.py",
    ],
    Risk.HIGH: [
        "", "rm -rf /", "git push", "git push --force", "git -c core.pager=x log", "cat x | sh",
        "ls; rm x", "python3 -c 'x'", "echo $(rm x)", "echo `rm x`", "ls > x", "find . -delete",
        "find . -exec rm {} +", "env rm x", "FOO=1 ls", "./run.sh", "git branch -D x", "sudo ls",
        "ls\x1b[2K", "cat a\u202eb", "awk 1", "a & b", "ls 'unclosed", "git remote add x y",
        "git branch -qD main", "git branch --del main", "git branch -dr x", "git branch new",
        "git branch --unset-upstream", "git branch --edit-desc", "git branch -fm a b",
        "git remote rm origin", "git remote rename a b", "git remote prune x", "git remote update",
        "git log --outp=F", "git log --o=F", "git show --ext-diff", "git diff --textc",
        "git --exec-path=/tmp log", "git -p log", "git log -OF --output F", "git diff --no-index -oF",
        "git log $IFS--output=F", "git log {--output=F,}", "git diff *", "git log \"$X\"",
        "sort \"a'\" $X \"'b\"", "ls \"a'\" !rm \"'b\"", "sort -oF", "sort -ro F", "sort -uoF", "sort --outp=F", "sort --compress-prog=CMD",
        "sort -k2 --comp=CMD", "sort -T/etc x", "sort *", "sort $X", "cat x | sort -oF",
        "rg --hostname-bin=CMD", "rg --pre=CMD x", "rg --pr CMD x", "rg -z x", "rg -gz x", "rg --search-zip x",
        "tree -o F", "tree -RL1 -H x", "ss -K", "ss --kill", "ss -DF", "file -C -m x", "lsof -DbF",
        "printf -v PROMPT_COMMAND x", "printf -vPATH x", "pip list --log=F", "pip list --lo F",
        "pip show --python=./x y", "cargo --config x tree", "npm ls --node-options=x",
        "tar --checkpoint-action=exec=sh", "tar --checkpoint-act=exec=sh x", "tar -xIcmd -f x",
        "tar xf a --to-comm=x", "tar -cF x", "git fetch --upload-pack=CMD", "git fetch --upl=CMD",
        "git pull --upload-pack CMD", "git fetch -fq", "git commit --templ=x", "git config --glob a b",
        "kill -9 -1", "kill -s KILL -- -1", "kill", "kill 1", "kill -1", "kill -9 -0", "tee ~/.bashrc", "echo x | tee -a ~/.bashrc",
        "find . -fprint F", "find . -fprintf F x", "find . -fls F", "find . -okdir rm ;",
        "find . -execdir rm {} +", "man -P CMD x", "man --pag=CMD x", "man -aPCMD x", "less -oF x",
        "LESSOPEN='|rm x' less x", "A=1", "PAGER=x git log", "xargs rm", "ls | xargs rm",
        "env -i ls", "env", "command rm x", "builtin ls", "exec ls", "eval ls", "time ls", "nice ls",
        "ls *(e:reboot:)", "ls (rm x)", "ls {a,b}", "echo !rm", "ls \"!rm\"", "!!", "^a^b",
        "echo $[PATH=0]", "ls $'\\x0a'", "rg 'a\\' '(rm x)' 'b'", "cat <(rm x)", "ls |& sh", "ls >>x",
        "ls 2>x", "ls &", "ls \\", "ls\trm", "ls\u2028rm", "ls\xa0-l", "/bin/ls", "./ls", "~/ls",
        "python3 -cx", "python3 -m", "node -e1", "node --eval=x", "zip -T -TT cmd a", "go test -exec cmd",
        "bash", "sh -c ls", "ssh h ls", "vim x", "sed -i s/a/b/ x", "sed 1e", "awk '{}'", "perl -e 1",
        "git log --output=x", "curl x", "ls\nrm x", "nosuchprogram", "git reset --hard", "ls;; rm x",
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("command", "risk"),
    [(command, risk) for risk, commands in COMMANDS.items() for command in commands],
)
@pytest.mark.requirement("NB-20")
def test_the_risk_is_read_from_the_command_and_unknown_is_high(command: str, risk: Risk) -> None:
    assert risk_of(command) is risk


READS = [
    "docker ps -a", "git stash list", "kubectl get pods", "journalctl -u nginx -n 20", "ps aux",
    "du -sh . | sort -h", "date", "tar -tf a.tgz", "kill -0 4711", "uniq -c x", "systemctl status x",
]  # fmt: skip


@pytest.mark.parametrize("command", READS)
@pytest.mark.requirement("F-16")
def test_what_the_guards_reader_knows_as_a_read_is_low(command: str) -> None:
    assert risk_of(command) is Risk.LOW


@pytest.mark.requirement("F-16")
def test_nothing_is_low_that_the_guards_reader_does_not_know_as_a_read() -> None:
    low = [
        command
        for commands in COMMANDS.values()
        for command in commands
        if risk_of(command) is Risk.LOW
    ]
    assert len(low) > 20 and {classify(command).verdict for command in low} == {"read"}


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("ModuleNotFoundError: No module named 'requests'", "python3 -m pip install requests"),
        ("Error: Cannot find module 'express'", "npm install express"),
        ("FAILED test_a.py::test_two - assert", "python3 -m pytest --last-failed -x"),
        ("CONFLICT (content): Merge conflict in a.txt", "git diff a.txt"),
        ("OSError: [Errno 98] Address already in use: ('127.0.0.1', 80)", ""),
        ("Error: listen EADDRINUSE: address already in use :::3000", "lsof -i :3000"),
        ("bash: ./deploy.sh: Permission denied", "ls -l ./deploy.sh"),
        ("ls: cannot open directory '/root': Permission denied", "ls -l /root"),
        ("cat: secret: Permission denied", "ls -l secret"),
        ("ERROR: upload failed: permission denied", ""),
        ("error: permission denied", ""),
        ("fatal: Failed: Permission denied", ""),
        ("bash: foo: command not found", "which foo"),
        ("No space left on device", "df -h"),
        ("all is well", ""),
        ("src/b.ts(9,1): error TS2304: Cannot find name 'foo'.", "head -n 9 src/b.ts | tail -n 8"),
        ("    cart_test.go:9: got 4, want 3", "head -n 9 cart_test.go | tail -n 8"),
        ("a.py:1:8: F401 `os` imported but unused", "head -n 1 a.py | tail -n 8"),
    ],
)
@pytest.mark.requirement("N-125")
def test_common_failures_have_a_next_step(line: str, command: str) -> None:
    proposed = next_actions(RULES, State.FAILURE, ("before", line))
    assert [action.command for action in proposed][:1] == ([command] if command else [])
    assert all(action.risk is risk_of(action.command) for action in proposed)


@pytest.mark.requirement("N-125")
@pytest.mark.parametrize(
    "line", ["db.acme.test:5432: connection refused", "a.h: fatal: x", "12:00:01: x"]
)
def test_what_is_no_place_in_a_file_is_not_looked_at(line: str) -> None:
    assert next_actions(RULES, State.FAILURE, (line,)) == ()


@pytest.mark.requirement("N-125")
def test_a_turn_that_went_well_needs_no_next_step() -> None:
    assert next_actions(RULES, State.SUCCESS, ("bash: foo: command not found",)) == ()


@pytest.mark.parametrize("name", ["x; rm -rf ~", "$(reboot)", "a b", "--help'", "x\u202ey", ""])
@pytest.mark.requirement("NB-20")
def test_words_out_of_a_log_cannot_become_commands(name: str) -> None:
    rule = ActionRule(
        name="any", match="missing (?P<name>.*)$", title="Get {name}", command="which {name}"
    )
    assert next_actions([rule], State.FAILURE, (f"missing {name}",)) == ()


def test_a_rule_may_ask_for_the_command_that_was_run() -> None:
    rule = ActionRule(
        name="n", match="bad", ran=r"make (?P<goal>\w+)", title="t", command="make {goal}"
    )
    assert next_actions([rule], State.FAILURE, ("bad",), "$ ls") == ()
    assert next_actions([rule], State.FAILURE, ("bad",), "$ make all")[0].command == "make all"


@pytest.mark.parametrize(
    ("ran", "commands"),
    [
        ("pytest -q", ["python3 -m pytest --last-failed -x"]),
        ("$ python -m pytest", ["python3 -m pytest --last-failed -x"]),
        (".venv/bin/pytest -q", [".venv/bin/pytest --last-failed -x"]),
        ("~/v/bin/py.test", ["~/v/bin/py.test --last-failed -x"]),
        ("cd x && ./.venv/bin/python -m pytest", ["./.venv/bin/python -m pytest --last-failed -x"]),
        ("/v/bin/python3.12 -X dev -m pytest x", ["/v/bin/python3.12 -m pytest --last-failed -x"]),
        ("uv run pytest -q", ["uv run pytest --last-failed -x"]),
        ("poetry run python -m pytest", ["poetry run pytest --last-failed -x"]),
        ("uv run --frozen -p 3.12 pytest -q", ["uv run pytest --last-failed -x"]),
        ("uv run make test", []),
        ("make test", []),
        ("tox", []),
        ("conda run -n x pytest", []),
    ],
)
@pytest.mark.requirement("N-125")
def test_tests_run_again_in_the_environment_that_they_ran_in(ran: str, commands: list[str]) -> None:
    line = "FAILED test_a.py::test_two - assert"
    found = next_actions(RULES, State.FAILURE, (line,), ran)
    assert [action.command for action in found] == commands


@pytest.mark.parametrize(
    ("ran", "commands"),
    [
        ("python3 app.py", ["python3 -m pip install rich"]),
        (".venv/bin/python app.py", [".venv/bin/python -m pip install rich"]),
        (".venv/bin/pytest", [".venv/bin/python -m pip install rich"]),
        ("poetry run app", ["poetry add rich"]),
        ("pipenv run app", ["pipenv install rich"]),
        ("hatch run app", []),
        ("make run", []),
    ],
)
@pytest.mark.requirement("N-125")
def test_a_module_is_installed_where_it_is_missing(ran: str, commands: list[str]) -> None:
    line = "ModuleNotFoundError: No module named 'rich'"
    found = next_actions(RULES, State.FAILURE, (line,), ran)
    assert [action.command for action in found] == commands
