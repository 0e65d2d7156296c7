"""The pull requests of worktrees' branches, as `gh` or `glab` tells them, if the user wants them asked.

They ask a server in the user's name, so that this is asked rarely, waits for a few seconds at most,
and a fault of theirs, such as that nobody is logged in, only means that nothing is known.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

import msgspec

from nagomi_tui.system import files
from nagomi_tui.system.children import OWN_GROUP, end_group
from nagomi_tui.system.decoding import from_builtins
from nagomi_tui.text.words import translatable
from nagomi_tui.worktrees import git
from nagomi_tui.worktrees.journal import as_bytes, folder_of
from nagomi_tui.worktrees.repository import Repository

_SECONDS: Final = 10.0
_RARELY: Final = 300.0
"""Seconds for which an answer counts, also that there is none."""
_MOST: Final = 100
_GH: Final = (
    "gh", "pr", "list", "--state", "all", "--limit", str(_MOST), "--json",
    "number,state,isDraft,headRefName,isCrossRepository,mergeable,statusCheckRollup,url",
)  # fmt: skip
_GLAB: Final = ("glab", "mr", "list", "--all", "--per-page", str(_MOST), "--output", "json")
_ENVIRONMENT: Final = {
    "GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "GLAB_CHECK_UPDATE": "false",
    "NO_PROMPT": "1", "NO_COLOR": "1", "CLICOLOR": "0", "GIT_TERMINAL_PROMPT": "0",
}  # fmt: skip
_WELL: Final = frozenset({"SUCCESS", "NEUTRAL", "SKIPPED"})
_UNDER_WAY: Final = frozenset({"PENDING", "EXPECTED", ""})


class PullRequest(msgspec.Struct, frozen=True):
    """A pull request, or a merge request, of a branch."""

    number: int
    branch: str
    state: str
    """`open`, `draft`, `merged` or `closed`."""
    checks: str = ""
    """`passed`, `failed` or `running`; empty if there are none, or nothing tells."""
    conflicts: bool | None = None
    """Whether it conflicts with its target; None if nobody has looked yet."""
    url: str = ""
    foreign: bool = False
    """Whether its branch is in another repository, such as a fork."""


WORDS: Final = {
    "open": translatable("not merged"),
    "draft": translatable("draft"),
    "merged": translatable("merged"),
    "closed": translatable("closed"),
    "passed": translatable("checks passed"),
    "failed": translatable("checks failed"),
    "running": translatable("checks run"),
}


class _Kept(msgspec.Struct, frozen=True):
    asked_at: float
    found: tuple[PullRequest, ...]


def pull_requests(repository: Repository) -> dict[str, PullRequest]:
    """Return the pull requests by their branches, the open or else the newest one of each."""
    path = folder_of(repository.common) / "requests.json"
    with suppress(OSError, ValueError, msgspec.ValidationError):
        kept = from_builtins(json.loads(files.read(path)), _Kept)
        if 0 <= time.time() - kept.asked_at < _RARELY:
            return _by_branch(kept.found)
    found = tuple(_asked(repository))
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        files.write(path, as_bytes(_Kept(time.time(), found)))
    return _by_branch(found)


def _by_branch(found: Iterable[PullRequest]) -> dict[str, PullRequest]:
    ranked = sorted(
        found, key=lambda one: (one.state in ("open", "draft"), not one.foreign, one.number)
    )
    return {one.branch: one for one in ranked}


def _asked(repository: Repository) -> list[PullRequest]:
    urls = git.answer(repository.common, "config", "--get-regexp", r"^remote\..*\.url$")
    if not urls:
        return []
    both = ((_GLAB, _of_gitlab), (_GH, _of_github))
    for command, read in both if "gitlab" in urls else reversed(both):
        if shutil.which(command[0]):
            found = []
            with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
                for row in json.loads(_output(command, os.fspath(repository.place))):
                    found.append(read(row))
            return found
    return []


def _output(command: tuple[str, ...], folder: str) -> bytes:
    """Return what a program prints.

    Raises:
        OSError: it fails, or does not answer in time.
    """
    with subprocess.Popen(
        command, cwd=folder, env=os.environ | _ENVIRONMENT, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **OWN_GROUP,
    ) as process:  # fmt: skip
        try:
            out, _ = process.communicate(timeout=_SECONDS)
        except BaseException as exc:
            end_group(process)
            if isinstance(exc, subprocess.TimeoutExpired):
                raise OSError("no answer in time") from exc
            raise
    if process.returncode:
        raise OSError(f"exit code {process.returncode}")
    return out


def _of_github(row: dict[str, Any]) -> PullRequest:
    state = str(row["state"]).lower()
    mergeable = {"MERGEABLE": False, "CONFLICTING": True}.get(row.get("mergeable") or "")
    return PullRequest(
        int(row["number"]), str(row["headRefName"]),
        "draft" if state == "open" and row.get("isDraft") else state,
        _checks(row.get("statusCheckRollup") or ()),
        mergeable if state == "open" else None, str(row.get("url") or ""),
        bool(row.get("isCrossRepository")),
    )  # fmt: skip


def _checks(rollup: Iterable[dict[str, Any]]) -> str:
    """Return how checks have gone: a run has status and conclusion, a commit's status a state."""
    ends = [str(one.get("conclusion") or one.get("state") or "").upper() for one in rollup]
    if any(end not in _WELL | _UNDER_WAY for end in ends):
        return "failed"
    if any(end in _UNDER_WAY for end in ends):
        return "running"
    return "passed" if ends else ""


def _of_gitlab(row: dict[str, Any]) -> PullRequest:
    state = {"opened": "open", "locked": "open"}.get(str(row["state"]), str(row["state"]))
    pipeline = str((row.get("head_pipeline") or row.get("pipeline") or {}).get("status") or "")
    checks = {"success": "passed", "failed": "failed", "canceled": "failed", "skipped": "", "": ""}
    conflicts = row.get("has_conflicts")
    return PullRequest(
        int(row["iid"]), str(row["source_branch"]),
        "draft" if state == "open" and row.get("draft") else state,
        checks.get(pipeline, "running"),
        bool(conflicts) if state == "open" and conflicts is not None else None,
        str(row.get("web_url") or ""),
        row.get("source_project_id") != row.get("target_project_id"),
    )  # fmt: skip
