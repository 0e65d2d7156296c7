"""What the kernel holds of a project, by its settings."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.guard.decide.documents import BlockedActions, Config
from nagomi_tui.guard.files.held import held, linked_outside
from nagomi_tui.guard.files.project import Project
from tests.helpers.confined import guarding_worker, need_namespaces, project, start_shell

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.requirement("DB-30")
def test_allowed_paths_stay_writable_but_for_what_controls_the_guard(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "project"
    for name in ("docs", ".claude/hooks", ".git/hooks", "sessions/tasks"):
        (root / name).mkdir(parents=True)
    inner = root / ".git/modules/libs/one"
    for folder in (inner, inner / "modules/two"):
        folder.mkdir(parents=True)
        for name in ("HEAD", "config"):
            (folder / name).touch()
    names = ("docs/", "./docs", ".claude/hooks", "sessions", "../project", "/etc", "missing", ".")
    config = Config(blocked_actions=BlockedActions(discussion_allowed_paths=names))
    found = held(Project(root), config, ours=(), sockets=(), env={"HOME": str(tmp_path / "home")})
    assert found.open == (str(root / "sessions/tasks"), str(root / "docs"))
    of_submodules = {
        str(inner / name) for name in ("config", "hooks", "modules/two/config", "modules/two/hooks")
    }
    assert of_submodules < set(found.shut)


def test_outside_all_is_read_only_but_caches_and_what_agents_keep(tmp_path: Path) -> None:
    """What has programs run is shut in both modes; what is missing is made, since nothing else can be held."""
    home, root = tmp_path.resolve() / "home", tmp_path.resolve() / "project"
    for folder in (root, home / ".claude/plugins", home / ".codex", home / "work"):
        folder.mkdir(parents=True)
    config = Config(blocked_actions=BlockedActions(discussion_allowed_paths=("~/work", "docs")))
    ours = [home / ".config/nagomi", root, tmp_path / "program"]
    for folder in ours:
        folder.mkdir(parents=True, exist_ok=True)
    for name in (".gemini", ".cache"):
        (home / name).mkdir()
    (home / ".cache/prompt.zsh").write_text("date\n")
    (home / ".claude/statusline.sh").write_text("date\n")
    for name, text in (("local/claude", "#!/bin/sh\n"), ("todos/x", "{}")):
        (home / ".claude" / name).parent.mkdir()
        (home / ".claude" / name).write_text(text)
        (home / ".claude" / name).chmod(0o700)
    (home / "scripts").mkdir()
    (home / ".claude/shell-snapshots").symlink_to(home / "scripts")
    env = {"HOME": str(home)}
    found = held(Project(root), config, ours=ours[:1], sockets=(), env=env)
    outside = [one for one in found.shut if not one.startswith(f"{root}/")]
    names = (
        "settings.json", "settings.local.json", "plugins", "skills", "hooks", "CLAUDE.md", "statusline.sh",
        "local",
    )  # fmt: skip
    assert {str(home / ".claude" / name) for name in names} <= set(outside)
    assert str(home / ".claude/todos") not in outside
    names = ("hooks.json", "config.toml", ".env", "prompts")
    assert {str(home / ".codex" / name) for name in names} <= set(outside)
    # What a client's shells run of its own is another one in each session; a link there leads nowhere.
    own = {
        str(home / name) for name in (".claude/session-env", ".codex/shell_snapshots", ".codex/tmp")
    }
    assert own <= set(found.hidden) & set(found.open) and own.isdisjoint(outside)
    link = str(home / ".claude/shell-snapshots")
    assert link not in found.hidden and str(home / "scripts") in outside
    caches = (home / ".cache/nagomi/bin", home / ".cache/prompt.zsh")
    assert {str(one) for one in (ours[0], *caches)} <= set(outside)
    assert (home / ".claude/settings.json").read_text() == "{}\n"
    assert found.elsewhere is not None
    kept = (".cache", ".claude", ".codex", "work")
    assert {str(home / name) for name in kept} <= set(found.elsewhere)
    others = (home, home / ".claude.json", home / ".gemini")
    assert set(map(str, others)).isdisjoint(found.elsewhere)
    begun = held(Project(root), config, ours=(), sockets=(), env=env, started="gemini")
    assert begun.elsewhere is not None and str(home / ".gemini") in begun.elsewhere
    # One that is made by itself can be changed in implementation; installed in a project it cannot.
    own = held(Project(root), config, ours=ours, sockets=(), env=env)
    assert str(root) not in own.shut and str(ours[2]) in own.shut
    assert str(ours[2]) in held(Project(tmp_path), config, ours=[ours[2]], sockets=(), env=env).shut


@pytest.mark.requirement("DB-30")
def test_a_commit_works_in_a_worktree_and_nothing_of_another_can_be_written() -> None:
    need_namespaces()
    with project() as main, guarding_worker() as (link, _):
        git = [
            "git",
            "-C",
            str(main),
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@y",
            "-c",
            "safe.directory=*",
        ]
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-qm", "first"], check=True)
        own, other = (main.parent / "trees" / name for name in ("own", "other"))
        for tree in (own, other):
            subprocess.run([*git, "worktree", "add", "-q", "-b", tree.name, str(tree)], check=True)
        subprocess.run(["chown", "-R", "--reference", str(main), str(main.parent)], check=True)
        env = {"HOME": str(main.parent / "home")}
        found = held(Project(own), Config(), ours=(), sockets=(), env=env)
        shell = start_shell(link, own, held=found.held, shut=found.shut, open=found.open)
        commit = "git add src && git -c user.name=x -c user.email=x@y commit -qm mine"
        assert shell.run("echo x > src/code").code != 0 and shell.run(commit).code != 0
        shell.hold(writable=True)
        assert shell.run(f"echo x > src/code && {commit}").code == 0
        assert "mine" in shell.run("git --no-pager log --oneline").text
        admin = main / ".git/worktrees/other"
        for path in (
            main / "src/code", main / "new", other / "src/code", other / "new", admin / "HEAD",
            admin / "index", admin / "new", main / ".git/HEAD", main / ".git/index",
            main / ".git/worktrees/new", main / ".git/nagomi/pending.json", main / ".git/config",
        ):  # fmt: skip
            assert not shell.can_write(str(path)), path
        assert shell.run(f"rm -rf {other}").code != 0 and (other / "src/code").exists()
        assert shell.run(f"mv {other} {other}-away").code != 0
        assert shell.run("git worktree remove --force ../other").code != 0
        shell.hold(writable=False)
        assert shell.run("echo y > src/code").code != 0 and shell.run(commit).code != 0


def test_a_project_that_was_named_by_a_link_is_known_by_it(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "real/project"
    (root / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    env = {"HOME": str(tmp_path / "home")}
    for named, wanted in (("link/project/sub", "link/project"), ("real/project/sub", "")):
        place = str(tmp_path.resolve() / named)
        found = held(Project(root), Config(), ours=(), sockets=(), env=env, place=place)
        assert found.place == (str(tmp_path.resolve() / wanted) if wanted else "")


def test_files_that_have_another_name_outside_are_counted(tmp_path: Path) -> None:
    root, store = tmp_path / "project", tmp_path / "store"
    for folder in (root / "sub", store):
        folder.mkdir(parents=True)
    for name in ("one", "two", "three"):
        (root / name).touch()
    (root / "sub/own").hardlink_to(root / "one")
    assert linked_outside(str(root)) == 0
    (store / "two").hardlink_to(root / "two")
    (store / "one").hardlink_to(root / "sub/own")
    assert linked_outside(str(root)) == 2
