"""Tools by which the model reads what git tells of a folder: what has changed, and its history."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Final

from msgspec import Meta

from nagomi_tui.agent.tools.files import FileReader, PathOf
from nagomi_tui.agent.tools.folders import SECRET_GLOBS
from nagomi_tui.agent.tools.granted import Granted
from nagomi_tui.agent.tools.interface import MAX_OUTPUT, Given, Output, ToolFault
from nagomi_tui.review.git import SETTINGS
from nagomi_tui.system.git import GitFault, environment, run_git
from nagomi_tui.text.words import Said, translatable

_SINCE: Final = translatable("Since {base} in {folder}.")
_COMMITS: Final = translatable("Commits in {folder}.")
_GONE: Final = translatable("{path} is not there any more.")
_NO_GIT: Final = translatable("git could not be asked.")
_REFUSED: Final = translatable("git refused.")
_REVISION: Final = r"^(?!-)[\w./@{}~^:+, -]*$"
_SECONDS: Final = 10.0
_SAFE: Final = ("--no-color", "--no-ext-diff", "--no-textconv")

Revision = Annotated[
    str,
    Meta(
        max_length=200, pattern=_REVISION, description="A commit, branch or tag; or a range a..b."
    ),
]


class DiffGiven(Given, frozen=True, kw_only=True):
    """A folder or file in a repository, and what it is compared with."""

    path: PathOf
    base: Revision = "HEAD"
    only_names: Annotated[bool, Meta(description="Files and counts of lines alone.")] = False


class LogGiven(Given, frozen=True, kw_only=True):
    """A folder or file in a repository, and which of its commits to tell."""

    path: PathOf
    revision: Revision = "HEAD"
    count: Annotated[int, Meta(ge=1, le=200)] = 20
    since: Annotated[
        str,
        Meta(
            max_length=60, pattern=r"^[\w :.+,-]*$", description="Such as `2 hours ago`, `13:00`."
        ),
    ] = ""
    patch: Annotated[bool, Meta(description="With what each commit changed.")] = False


class GitDiff(FileReader[DiffGiven]):
    """Tells what has changed in a folder since a commit, and which files are new."""

    name: ClassVar = "git_diff"
    description: ClassVar = (
        "Show what has changed in a folder or file since a commit (HEAD by default), committed or not, "
        "with the names of new files. Files that may hold secrets are left out; secrets are masked."
    )
    given: ClassVar = DiffGiven
    seconds: ClassVar = 3 * _SECONDS

    def read_files(self, given: DiffGiven) -> Output:
        """Return the short status, and then the difference."""
        folder, paths = _place(self._granted, given.path)
        status = _git(
            folder, "status", "--short", "--branch", "--untracked-files=normal", "--", *paths
        )
        how = ("--stat",) if given.only_names else ()
        base = given.base or "HEAD"
        diff = _git(folder, "diff", *_SAFE, *how, "--end-of-options", base, "--", *paths)
        return Output(Said(_SINCE, {"base": base, "folder": folder}), f"{status}\n{diff}".strip())


class GitLog(FileReader[LogGiven]):
    """Tells the commits that changed a folder."""

    name: ClassVar = "git_log"
    description: ClassVar = (
        "Tell the commits that changed a folder or file, the newest first: id, time, author, subject, "
        "files; with `patch` also what they changed."
    )
    given: ClassVar = LogGiven
    seconds: ClassVar = 2 * _SECONDS

    def read_files(self, given: LogGiven) -> Output:
        folder, paths = _place(self._granted, given.path)
        since = (f"--since={given.since}",) if given.since else ()
        how = ("--patch",) if given.patch else ("--stat",)
        told = _git(
            folder, "log", *_SAFE, *how, f"--max-count={given.count}", *since, "--date=iso-local",
            "--format=%h %ad %an: %s", "--end-of-options", given.revision or "HEAD", "--", *paths,
        )  # fmt: skip
        return Output(Said(_COMMITS, {"folder": folder}), told.strip())


def _place(granted: Granted, path: str) -> tuple[Path, tuple[str, ...]]:
    """Return the folder to run git in, and the paths to look at, without those of secrets.

    Raises:
        ToolFault: nothing there may be read.
    """
    place = granted.place(path)
    if not place.path.exists():
        raise ToolFault(Said(_GONE, {"path": place.path}))
    folder = place.path if place.path.is_dir() else place.path.parent
    if not place.path.is_dir():
        granted.check_secrets(place)
        return folder, (f":(literal){place.path.name}",)
    return folder, (".", *(f":(exclude,icase,glob)**/{glob}" for glob in SECRET_GLOBS))


def _git(folder: Path, *command: str) -> str:
    """Return what git prints, with no program run that the repository names, cut to its beginning.

    Raises:
        ToolFault: git refuses, is not there, or takes too long.
    """
    return _run(folder, *_without_filters(folder), *command)


def _without_filters(folder: Path) -> list[str]:
    """Return settings that switch off the programs by which the repository would filter files."""
    found = _run(folder, "config", "--name-only", "--get-regexp", _FILTERS, codes=(0, 1))
    names = [name for name in found.splitlines() if "=" not in name]
    return [part for name in names for part in ("-c", f"{name}={_OFF[name.rpartition('.')[2]]}")]


_FILTERS: Final = r"^filter\..*\.(clean|smudge|process|required)$"
_OFF: Final = {"clean": "", "smudge": "", "process": "", "required": "false"}


def _run(folder: Path, *command: str, codes: tuple[int, ...] = (0,)) -> str:
    env = environment()
    del env["GIT_LITERAL_PATHSPECS"]
    try:
        code, out, fault = run_git(
            command, cwd=folder, env=env, settings=SETTINGS, seconds=_SECONDS, most=4 * MAX_OUTPUT
        )
    except GitFault as exc:
        raise ToolFault(Said(_NO_GIT, {}), str(exc)) from exc
    if code not in codes:
        raise ToolFault(Said(_REFUSED, {}), fault or f"exit code {code}")
    return out.decode("utf-8", "replace")
