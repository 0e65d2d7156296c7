"""What has changed on a hand is reviewed as here: by the git there, with what is kept there."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from nagomi_tui.api import messages
from nagomi_tui.hands import bringing as packing
from nagomi_tui.hands import registry
from nagomi_tui.hands.hand import Hand
from nagomi_tui.hands.reviewing import FarReview
from nagomi_tui.review.review import Review
from nagomi_tui.system.git import GitFault
from tests.helpers.repository import git, repository
from tests.helpers.sshd import host
from tests.helpers.workplace import PATIENCE, create, until, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the far side has a POSIX shell")
ODD: Final = os.fsdecode(b"b\xe4r")
"""A name that is no UTF-8."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = repository(tmp_path / "there/src", code="".join(f"line {n}\n" for n in range(30)))
    (made / ODD).write_text("odd\n")
    git(made, "add", ".")
    git(made, "commit", "-qm", "odd")
    return made


@pytest.fixture
def far(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A hand with a home folder of its own, whose Python is ours."""
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path / "here"))
    home, tools = root.parent, tmp_path / "bin"
    tools.mkdir()
    (tools / "python3").symlink_to(os.path.realpath(sys.executable))
    (home / ".gitconfig").write_text("[user]\nname = There\nemail = there@example.org\n")
    env = (f"HOME={home}", f"PATH={tools}:/usr/bin:/bin", f"TMPDIR={home}")
    registry.add(Hand(name="far", command=("env", "-i", *env)))
    yield "far"


@pytest.mark.requirement("G-15")
@pytest.mark.parametrize("plain", [False, True])
def test_all_of_a_review_is_done_there(
    far: str, root: Path, monkeypatch: pytest.MonkeyPatch, plain: bool
) -> None:
    if plain:
        monkeypatch.setattr(packing, "SUFFIX", "another")
    packing._packed.cache_clear()
    code = root / "code"
    before = code.read_text()
    with closing(FarReview(far, "~/src", "s-1")) as review:
        review.mark_turn(1)
        code.write_text(before.replace("line 3\n", "three\n").replace("line 25\n", "25\n"))
        (root / ODD).write_text("odder\n")
        (root / "fresh").write_text("new\n")
        page = review.load("turn")
        assert [one.path for one in page.loaded.changes.files] == [b"b\xe4r", b"code", b"fresh"]
        assert page.loaded.place.root == root
        odd, one, fresh = review.load().loaded.changes.files
        here = Review(root).load().loaded
        assert (page := review.page) and page.loaded.changes == here.changes
        assert page.loaded.against == here.against

        notes = review.comment(one, one.hunks[1], "new", range(3, 5), "why?")
        (comment,) = notes.comments
        assert (comment.place, comment.standing) == ("code:26", "draft")
        assert review.sent([comment.number], "claude").comments[0].standing == "open"
        assert review.mark_seen(fresh, seen=True).seen[0].path == b"fresh"
        assert review.whole(one).hunks == one.hunks

        page = review.discard(one, one.hunks[0])
        assert code.read_text() == before.replace("line 25\n", "25\n")
        assert page.notes.comments[0].standing == "open"
        review.discard(odd)
        assert (root / ODD).read_text() == "odd\n"
        assert review.undo()[0] == odd.name and (root / ODD).read_text() == "odder\n"
        (root / "fresh").write_text("another\n")
        with pytest.raises(GitFault) as caught:
            review.discard(fresh)
        assert "since you looked" in caught.value.sentence
        assert caught.value.values == {"path": "fresh"} and (root / "fresh").exists()
        made, page = review.commit([odd, one], "from here")
        assert git(root, "log", "-1", "--format=%H %an %s").strip() == f"{made} There from here"
        assert [one.name for one in page.loaded.changes.files] == ["fresh"]
    # What is kept is kept there.
    assert list((root.parent / ".local/state/nagomi/review").glob("*.json"))
    assert not list((Path(os.environ["NAGOMI_HOME"]) / "state/review").glob("*.json"))


def test_each_fault_is_a_sentence(far: str, root: Path, tmp_path: Path) -> None:
    def said(review: FarReview) -> str:
        with closing(review), pytest.raises(GitFault) as caught:
            review.load()
        return caught.value.sentence.format(**caught.value.values)

    (root.parent / "empty").mkdir()
    assert "is in no git repository" in said(FarReview(far, "~/empty"))
    assert "does not exist" in said(FarReview(far, "~/missing"))
    assert "no hand `fat`" in said(FarReview("fat", "~/src"))
    for name, script in {
        "shut": "echo 'Permission denied (publickey).' >&2; exit 255",
        "bare": "exit 3",
        # What speaks as the program does, and then tells more than was asked.
        "liar": f"printf \"nagomi-far facts %s\\n\" '{FACTS}'; head -c 9; "
        "printf 'nagomi-far running {\"plain\": true}\\n9\\nnot json!'; cat >/dev/null",
    }.items():
        registry.add(Hand(name=name, command=("sh", "-c", script)))
    assert "shut" in said(FarReview("shut", "")) and "bare" in said(FarReview("bare", ""))
    assert "was not understood" in said(FarReview("liar", ""))
    with closing(FarReview(far, "~/src")) as review:
        page = review.load()
        assert review._line is not None
        review._line._process.kill()
        with pytest.raises(GitFault):
            review.again()
        with pytest.raises(GitFault) as caught:
            review.undo()
        assert "has ended" in caught.value.sentence
        assert review.load().loaded.changes == page.loaded.changes


FACTS: Final = (
    '{"python": "3.11.0", "suffix": "x", "system": "s", "machine": "m", "terminal": false, '
    '"packs": []}'
)


@pytest.mark.slow
def test_a_session_over_ssh_is_reviewed(tmp_path: Path, root: Path) -> None:
    event = '{"hook_event_name": "UserPromptSubmit", "session_id": "c-1", "cwd": "/w"}'
    hook = f"""echo '{event}' | "$NAGOMI_PYTHON" -IS "$NAGOMI_EVENT" claude $$"""
    agent = tmp_path / "claude"
    agent.write_text(f"#!/bin/sh\nread x\n{hook}\nexec cat\n")
    agent.chmod(0o755)
    with host(tmp_path) as machine, workplace() as place, place.connect() as connection:
        there = ("env", f"XDG_STATE_HOME={tmp_path}/state", f"XDG_CACHE_HOME={tmp_path}/cache",
                 f"TMPDIR={place.home}")  # fmt: skip
        *ssh, _ = machine.argv("", terminal=False)
        registry.add(Hand(name="big", kind="ssh", command=(*ssh, *there)))
        made = create(connection, str(agent), cwd=str(root), worker_id="big")
        (root / "code").write_text("by the user\n")
        connection.request(messages.Send(id=0, session=made, text="do it"))
        until(lambda: list((tmp_path / "state/nagomi/review").glob("*.git/refs/turns/*")))
        (root / "fresh").write_text("by the agent\n")

        def found(since: str) -> messages.Reviewed:
            asked = messages.ReviewSession(id=0, session=made, since=since)  # type: ignore[arg-type]
            return connection.request(asked, timeout=PATIENCE)

        assert "+by the user" in found("uncommitted").lines
        assert [one.path for one in found("turn").files] == ["fresh"]
        ran = subprocess.run(
            [sys.executable, "-m", "nagomi_tui", "diff", made, "--since", "turn"],
            env=os.environ | {"NAGOMI_HOME": str(place.home)}, capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip
        assert "+by the agent" in ran.stdout and "by the user" not in ran.stdout, ran.stderr
