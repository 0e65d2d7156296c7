"""Reading where sessions work: asked once for each folder, remembered, taken back; git and secrets."""

from __future__ import annotations

import subprocess
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.agent.tools.folders import Folders, may_hold_secrets
from nagomi_tui.agent.tools.interface import Workplace
from nagomi_tui.agent.turns.library import Toolboxes
from nagomi_tui.api import messages
from nagomi_tui.masking import mask
from nagomi_tui.text.words import of
from tests.helpers.toolboxes import NOW, User, use
from tests.helpers.waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agent.tools.toolbox import Toolbox
    from tests.helpers.workplace import Place


def git(folder: Path, *arguments: str) -> None:
    names = ("-c", "user.name=Ren", "-c", "user.email=ren@example.org")
    subprocess.run(["git", *names, *arguments], cwd=folder, check=True, capture_output=True)


class Project:
    """A repository in which a session works, and the tools of a conversation beside it."""

    def __init__(self, place: Place, folder: Path) -> None:
        self.home = folder
        self.repo = folder / "repo"
        (self.repo / "src").mkdir(parents=True)
        (folder / "agent").mkdir()
        git(folder, "init", "-q", "repo")
        (self.repo / "src" / "app.py").write_text("one = 1\n")
        (self.repo / ".env").write_text("DATABASE_PASSWORD=hunter2hunter2\n")
        git(self.repo, "add", "-A")
        git(self.repo, "commit", "-qm", "Begin")
        (self.repo / "src" / "app.py").write_text("one = 2\n")
        (self.repo / ".env").write_text("DATABASE_PASSWORD=changed-hunter3\n")
        (self.repo / "new.txt").write_text("not yet known to git\n")
        with place.connect() as connection:
            order = messages.Create(id=0, cmd="cat", cwd=str(self.repo / "src"), name="coder")
            made = connection.request(order, timeout=PATIENCE)
        self.number = made.number
        self.folders = Folders(folder / "folders.json")

    def tools(self, user: User) -> Toolbox:
        boxes = Toolboxes(
            self.home / "agent",
            Workplace(),
            hidden=(self.home / "state",),
            remembered=self.folders,
            mask=mask,
            now=lambda: NOW,
        )
        return boxes.make(user.ask, (), of("en"), {}, user.note)


@pytest.fixture
def project(module_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("NAGOMI_HOME", str(module_place.home))
    return Project(module_place, tmp_path)


def test_a_folder_is_asked_for_once_and_remembered(project: Project) -> None:
    user, file = User("conversation"), str(project.repo / "src" / "app.py")
    found = use(project.tools(user), "read_file", path=file)
    assert found.ok and "one = 2" in found.text
    (asked,) = user.asked
    assert asked.title == f"Read in {project.repo}, where {project.number} coder works?"
    assert file in asked.detail and "remembered" in asked.scope
    user.choice = "no"
    later = project.tools(user)
    assert use(later, "list_directory", path=str(project.repo)).ok and len(user.asked) == 1
    written = use(later, "write_file", path=str(project.repo / "x"), text="x")
    assert not written.ok and "only read" in written.text and len(user.asked) == 1
    project.folders.remove(project.repo)
    assert not use(later, "read_file", path=file).ok and len(user.asked) == 2


def test_a_yes_for_once_is_that_of_one_conversation(project: Project) -> None:
    user, file = User("once"), str(project.repo / "src" / "app.py")
    one = project.tools(user)
    assert use(one, "read_file", path=file).ok and use(one, "git_log", path=str(project.repo)).ok
    assert len(user.asked) == 1 and project.folders.all() == ()
    assert use(project.tools(user), "read_file", path=file).ok and len(user.asked) == 2


def test_where_no_session_works_nothing_is_even_asked(project: Project) -> None:
    (project.home / "elsewhere").mkdir()
    (project.home / "elsewhere" / "a").write_text("x")
    (project.home / "state").mkdir()
    user = User("once")
    for path in (str(project.home / "elsewhere" / "a"), "/etc/passwd", str(project.home / "state")):
        refused = use(project.tools(user), "read_file", path=path)
        assert not refused.ok and user.asked == [], path


def test_links_lead_out_of_no_granted_folder(project: Project) -> None:
    (project.home / "outside").write_text("not yours")
    (project.repo / "link").symlink_to(project.home / "outside")
    (project.repo / "up").symlink_to(project.home)
    user = User("once")
    tools = project.tools(user)
    for path in ("link", "up/outside", "../outside"):
        result = use(tools, "read_file", path=str(project.repo / path))
        assert not result.ok and "not yours" not in result.text
    assert "not yours" not in use(tools, "search_files", path=str(project.repo), text="not").text


def test_a_file_with_secrets_is_asked_for_each_time_and_masked(project: Project) -> None:
    user = User("once")
    tools = project.tools(user)
    for _ in range(2):
        found = use(tools, "read_file", path=str(project.repo / ".env"))
        assert found.ok and "hunter" not in found.text
    assert [asked.risk for asked in user.asked] == ["", "high", "high"]
    assert user.asked[1].title == f"Read {project.repo / '.env'}, which may hold secrets?"
    assert user.asked[1].scope == "", "there is no yes for good"
    found = use(tools, "search_files", path=str(project.repo), text="DATABASE")
    assert "1 files that may hold secrets were left out" in found.text
    assert "DATABASE_PASSWORD" not in found.text and len(user.asked) == 3
    user.choice = "no"
    (project.repo / "plain").symlink_to(".env")
    assert not use(tools, "read_file", path=str(project.repo / "plain")).ok


@pytest.mark.parametrize("given", [{}, {"only_names": True}, {"base": "HEAD"}])
def test_a_difference_is_read_without_secrets(project: Project, given: dict[str, Any]) -> None:
    found = use(project.tools(User("once")), "git_diff", path=str(project.repo), **given)
    assert found.ok and "src/app.py" in found.text and "?? new.txt" in found.text
    assert ("+one = 2" in found.text) == ("only_names" not in given)
    assert "hunter" not in found.text and ".env" not in found.text


def test_the_history_is_read(project: Project) -> None:
    tools = project.tools(User("once"))
    found = use(tools, "git_log", path=str(project.repo), patch=True)
    assert found.ok and "Ren: Begin" in found.text and "+one = 1" in found.text
    assert "DATABASE" not in found.text
    below = use(tools, "git_log", path=str(project.repo / "src" / "app.py"))
    assert "Ren: Begin" in below.text


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("git_diff", {"base": "--output=/tmp/x"}),
        ("git_diff", {"base": "nobody"}),
        ("git_log", {"revision": "HEAD; touch x"}),
        ("git_log", {"since": "$(touch x)"}),
    ],
)
def test_what_git_could_take_for_something_else_is_refused(
    project: Project, name: str, given: dict[str, Any]
) -> None:
    result = use(project.tools(User("once")), name, path=str(project.repo), **given)
    assert not result.ok


def test_no_program_of_the_repository_runs(project: Project) -> None:
    trap = project.home / "trapped"
    script = project.home / "trap.sh"
    script.write_text(f"#!/bin/sh\ntouch {trap}\ncat\n")
    script.chmod(0o755)
    for setting in (
        "diff.external",
        "core.fsmonitor",
        "core.pager",
        "diff.x.textconv",
        "filter.x.clean",
    ):
        git(project.repo, "config", setting, str(script))
    (project.repo / ".gitattributes").write_text("*.py diff=x filter=x\n")
    tools = project.tools(User("once"))
    assert use(tools, "git_diff", path=str(project.repo)).ok
    assert use(tools, "git_log", path=str(project.repo), patch=True).ok
    assert not trap.exists()


def test_a_folder_that_has_vanished_is_said(project: Project) -> None:
    user = User("once")
    tools = project.tools(user)
    assert use(tools, "list_directory", path=str(project.repo)).ok
    project.repo.rename(project.home / "moved")
    for name, path in (("list_directory", ""), ("read_file", "src/app.py"), ("git_diff", "")):
        gone = use(tools, name, path=str(project.repo / path))
        assert not gone.ok
        assert "not there any more" in gone.text or "No such file" in gone.text, gone.text
    project.folders.add(project.repo)
    project.repo.symlink_to(project.home / "moved")
    user.choice = "no"
    asked = len(user.asked)
    assert not use(tools, "list_directory", path=str(project.repo)).ok
    assert len(user.asked) == asked + 1, "it is another folder now"


def test_huge_and_binary_files_are_told_in_a_sentence(project: Project) -> None:
    (project.repo / "big").write_bytes(b"x" * 3_000_000)
    (project.repo / "image").write_bytes(bytes(range(256)))
    tools = project.tools(User("once"))
    assert "has 3.0 MB" in use(tools, "read_file", path=str(project.repo / "big")).text
    assert "is not UTF-8 text" in use(tools, "read_file", path=str(project.repo / "image")).text
    git(project.repo, "add", "-A")
    assert len(use(tools, "git_diff", path=str(project.repo)).text) < 60_000


@pytest.mark.parametrize(
    ("path", "holds"),
    [
        ("/p/.env", True), ("/p/.env.local", True), ("/p/prod.env", True), ("/p/.ENV", True),
        ("/p/.env.example", False), ("/p/id_rsa", True), ("/p/id_rsa.pub", False),
        ("/p/server.key", True), ("/p/cert.pem", True), ("/home/u/.ssh/config", True),
        ("/home/u/.aws/config", True), ("/p/secrets.yaml", True), ("/p/db_password.txt", True),
        ("/p/terraform.tfstate", True), ("/p/service-account-prod.json", True),
        ("/p/keys.py", False), ("/p/environment.py", False), ("/p/README.md", False),
    ],
)  # fmt: skip
def test_which_files_may_hold_secrets(path: str, holds: bool) -> None:
    assert may_hold_secrets(PurePath(path)) is holds


@pytest.mark.parametrize("content", [b"", b"{", b'{"folders": 7}', b"\xff"])
def test_a_broken_list_grants_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "f").write_bytes(content)
    assert Folders(tmp_path / "f").all() == ()
