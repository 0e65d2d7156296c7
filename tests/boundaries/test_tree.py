"""What the tree may hold, and whether the documents speak of things that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.helpers.tree import ROOT, tracked_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

_SELF: Final = Path(__file__).resolve()

# Built from halves, so that this file does not hold what it looks for.
_MACHINE: Final = ("/" + "work/main", "/" + "work/shared", "/" + "root/", "/home/" + "runner")
_URL: Final = re.compile(r"//([A-Za-z0-9.-]+)")
_WIDGET: Final = re.compile(
    r"^class (\w+)\((?!NamedTuple|Protocol|Enum|Handlers).+\):$", re.MULTILINE
)
_REGISTRIES: Final = re.compile(r"(^|\.)(pypi|pythonhosted|npmjs|npmmirror)\.|artifactory|nexus")


def _texts() -> Iterator[tuple[Path, str]]:
    """Everything that is tracked, but for this file."""
    return ((path, text) for path, text in tracked_texts() if ROOT / path != _SELF)


def test_no_path_of_a_machine_is_in_the_tree() -> None:
    found = [f"{path}: {mark}" for path, text in _texts() for mark in _MACHINE if mark in text]
    assert found == []


def test_no_registry_host_is_in_the_tree() -> None:
    found = [
        f"{path}: {host}"
        for path, text in _texts()
        for host in _URL.findall(text)
        if _REGISTRIES.search(host)
    ]
    assert found == []


def test_no_two_widgets_share_the_name_by_which_styles_find_them() -> None:
    """The field of a review was called as the area of the chat's prompt, and hid that for good."""
    texts = [text for path, text in _texts() if path.is_relative_to("nagomi_tui/view")]
    named = [one for text in texts for one in _WIDGET.findall(text)]
    assert len(named) > 80
    assert sorted({one for one in named if named.count(one) > 1}) == []


def test_locks_are_hashed_and_name_no_index() -> None:
    for name in ("requirements.txt", "requirements-dev.txt"):
        text = (ROOT / name).read_text()
        pins = len(re.findall(r"^\S+==", text, re.MULTILINE))
        hashed = len(re.findall(r"^\S+==.*\\\n\s+--hash=sha256:", text, re.MULTILINE))
        assert pins == hashed > 5
        assert "index-url" not in text


_REQUIREMENTS: Final = ROOT / "docs/design/requirements.md"
_DESIGN: Final = sorted({*ROOT.glob("docs/design/*.md")} - {_REQUIREMENTS})


@pytest.mark.parametrize("page", [ROOT / "ARCHITECTURE.md", *_DESIGN], ids=lambda page: page.name)
@pytest.mark.requirement("N-109")
def test_paths_named_in_architecture_exist(page: Path) -> None:
    named = {
        word.rstrip("/")
        for word in re.findall(r"`([\w./<>-]+)`", page.read_text("utf-8"))
        if "/" in word or word.endswith((".py", ".toml"))
    }
    assert len(named) > 3
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("document", ["README.md", "README.ja.md"])
@pytest.mark.requirement("N-110")
def test_make_targets_named_in_documents_exist(document: str) -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z]+)\b", (ROOT / document).read_text()))
    assert {"run", "test"} <= named
    assert named <= targets


@pytest.mark.parametrize("document", ["README.md", "README.ja.md"])
def test_pictures_and_files_linked_in_documents_exist(document: str) -> None:
    text = (ROOT / document).read_text()
    links = re.findall(r"\]\(([^)#:]+)\)|<img [^>]*src=\"([^\":]+)\"", text)
    named = {first or second for first, second in links}
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
