"""Words that names in the folder decide about: what a pattern matches, tags, and a database's files."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from typing import TYPE_CHECKING, Final

import pytest

from nagomi_tui.guard.files.folder import Here
from nagomi_tui.shell.classifier import classify
from nagomi_tui.shell.patterns import Patterns

if TYPE_CHECKING:
    from pathlib import Path


def reads(command: str, folder: Path) -> bool:
    return classify(command, Patterns(folder=Here(str(folder)))).verdict == "read"


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


PATTERNS = ["rg foo *.py", "sort -u *", "sed -n 1,5p *.md", "for f in *; do rg foo \"$f\"; done", "git diff *.py",
            "bash -c 'sort *'", "cd . && sort *.txt"]  # fmt: skip


@pytest.mark.parametrize("command", PATTERNS)
@pytest.mark.requirement("DC-30")
def test_a_pattern_is_read_where_no_file_is_an_option(command: str, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").touch()
    assert reads(command, tmp_path)
    (tmp_path / "--pre=x.py").touch()
    assert not reads(command, tmp_path)
    assert classify(command).verdict == "write"


@pytest.mark.requirement("DC-30")
def test_a_pattern_is_looked_for_where_the_command_goes(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "-ox").touch()
    assert reads("sort *", tmp_path) and reads("sort sub/*", tmp_path)
    assert not reads("cd sub && sort *", tmp_path)
    assert not reads("for f in *; do sort $f; done", tmp_path)  # A name with a blank is two words.
    assert not reads("cd nowhere; sort *", tmp_path)


NAMES = ["git log $(git describe --tags --abbrev=0)..HEAD", 'git diff "$(git describe --tags)"', "t=$(git describe); git log $t",
         "git log $(git branch --show-current)", "git -C . log $(git -C . describe --tags)..HEAD"]  # fmt: skip


@pytest.mark.parametrize("command", NAMES)
@pytest.mark.requirement("DC-30")
def test_names_that_git_prints_are_read_where_none_is_an_option(
    command: str, tmp_path: Path
) -> None:
    assert reads(command, tmp_path)  # There is no repository, and git prints nothing.
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "x")
    git(tmp_path, "tag", "-a", "v1", "-m", "x")
    assert reads(command, tmp_path)
    git(tmp_path, "update-ref", "refs/tags/--output=x", "HEAD")
    assert not reads(command, tmp_path)


@pytest.mark.requirement("DC-30")
def test_a_tag_has_a_name_of_its_own_that_git_prints(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "x")
    commit = git(tmp_path, "rev-parse", "HEAD")
    text = f"object {commit}\ntype commit\ntag --output=x\ntagger a <a@example.org> 1 +0000\n\nx\n"
    made = subprocess.run(
        ["git", "hash-object", "-t", "tag", "-w", "--stdin", "--literally"],
        cwd=tmp_path, input=text, check=True, capture_output=True, text=True,
    )  # fmt: skip
    git(tmp_path, "update-ref", "refs/tags/v1", made.stdout.strip())
    assert git(tmp_path, "describe").startswith("--output=x")
    assert not reads(NAMES[0], tmp_path)


@pytest.mark.requirement("DC-30")
def test_a_branch_that_is_not_born_may_be_an_option(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    assert reads("git log $(git branch --show-current)", tmp_path)
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/--output=x\n")
    assert git(tmp_path, "branch", "--show-current") == "--output=x"
    assert not reads("git log $(git branch --show-current)", tmp_path)


ASKED = ["sqlite3 a.db 'select * from t'", "sqlite3 a.db .tables", 'sqlite3 a.db ".schema t"', "sqlite3 -header a.db 'pragma table_info(t)'",
         "sqlite3 -readonly a.db 'select count(*) from t;'", "sqlite3 a.db 'with x as (select 1) select * from x'"]  # fmt: skip


@pytest.mark.parametrize("command", ASKED)
@pytest.mark.requirement("DC-30")
def test_a_database_that_is_there_and_keeps_no_log_is_read(command: str, tmp_path: Path) -> None:
    assert not reads(command, tmp_path)  # It would be made.
    database = sqlite3.connect(tmp_path / "a.db")
    database.execute("create table t (a)")
    database.close()
    assert reads(command, tmp_path)
    if shutil.which("sqlite3") is not None:
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True, capture_output=True)
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    database = sqlite3.connect(tmp_path / "a.db")
    database.execute("pragma journal_mode = wal")
    database.execute("insert into t values (1)")
    assert not reads(command, tmp_path)
    database.close()
    assert not reads(command, tmp_path)


CALLING: Final = ["create view v as select edit('x', 'touch RAN; :') as a", 'create view v as select "EDIT"(\'x\') as a', "create view v as select edit/*x*/('x') as a",
           "create view v as select load_extension('./x.so') as a", "create view v(a) as select total_of(1)",
           "create view v as select 1 as a -- edit"]  # fmt: skip


@pytest.mark.parametrize("view", CALLING)
@pytest.mark.requirement("DC-30")
def test_a_view_that_may_run_a_program_is_not_asked(view: str, tmp_path: Path) -> None:
    """`sqlite3` has a function `edit`, which runs the editor that it is given."""
    database = sqlite3.connect(tmp_path / "a.db")
    database.execute(
        "create table t (a varchar(9) default (datetime('now')), check (length(a) > 1))"
    )
    database.execute("create view w(n) as select count(*) from t join t as o using (a)")
    database.commit()
    assert reads("sqlite3 a.db 'select * from w'", tmp_path)
    database.execute(view)
    database.close()
    assert not reads("sqlite3 a.db 'select * from v'", tmp_path)
    assert not reads("sqlite3 -readonly a.db 'with x as (select 1) select * from x, v'", tmp_path)


@pytest.mark.requirement("DC-30")
def test_a_file_of_json_that_leads_to_a_program_is_run_by_node(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": 1}')
    (tmp_path / "b.json").symlink_to("a.json")
    (tmp_path / "x.js").write_text("")
    (tmp_path / "c.json").symlink_to("x.js")
    told = [reads(f"node -p 'require(\"./{name}.json\").a'", tmp_path) for name in "abc"]
    assert told == [True, True, False]


@pytest.mark.requirement("DC-30")
def test_what_another_program_left_unfinished_is_not_rolled_back(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "a.db").execute("create table t (a)").connection.close()
    (tmp_path / "a.db-journal").touch()
    assert not reads(ASKED[0], tmp_path)


@pytest.mark.parametrize(
    "command",
    ["sqlite3 a.db 'delete from t'", "sqlite3 a.db 'pragma journal_mode = wal'", "sqlite3 a.db", "sqlite3 a.db '.save b'",
     "sqlite3 a.db \"select writefile('x', 1)\"", "sqlite3 a.db 'select 1' '.shell x'", "sqlite3 a.db 'pragma user_version(5)'",
     "sqlite3 a.db 'select 1; drop table t'", "sqlite3 a.db < x.sql", "sqlite3 'file:a.db?vfs=x' 'select 1'", "sqlite3 a.db .dump"],
)  # fmt: skip
@pytest.mark.requirement("DC-30")
def test_sql_that_does_more_than_ask_writes(command: str, tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "a.db").execute("create table t (a)").connection.close()
    assert not reads(command, tmp_path) and not reads(
        command.replace("a.db", "-readonly a.db"), tmp_path
    )
