"""`git`: its commands that only read, and with which options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.guard.shell.options import Options, check
from nagomi_tui.guard.shell.programs.subcommands import Tool, plain, see
from nagomi_tui.guard.shell.verdict import Writes

if TYPE_CHECKING:
    from nagomi_tui.guard.shell.programs.interface import Analyser, Check
    from nagomi_tui.guard.shell.words import Word

_SHOWN: Final = Options(
    "", "", "", "output ext-diff textconv show-signature",
    long_flags="oneline stat name-only name-status graph all patch no-patch follow cached staged numstat shortstat "
    "reverse no-merges merges decorate summary quiet no-color color patch-with-stat no-ext-diff first-parent",
)  # fmt: skip
_LISTS: Final = (
    "--contains --no-contains --merged --no-merged --points-at --sort --format --column --no-column "
    "--color --no-color -i --ignore-case "
)
_BRANCH: Final = Options(
    "",
    "contains no-contains merged no-merged points-at sort format",
    only=_LISTS
    + "-a --all -r --remotes -v -l --list --show-current --abbrev --no-abbrev -q --verbose",
)
_TAG: Final = Options(
    "",
    "contains no-contains merged no-merged points-at sort format",
    only=_LISTS + "-l --list -n -0 -1 -2 -3 -4 -5 -6 -7 -8 -9",
)
_CONFIG: Final = Options(
    "f",
    "file blob type default",
    only="--get --get-all --get-regexp --get-urlmatch -l --list --show-origin --show-scope --name-only -z "
    "--null --global --local --system --worktree --type --bool --int --path --includes --no-includes "
    "-f --file --blob --default --get-color --get-colorbool",
)
_ASKS: Final = ("--get", "--get-all", "--get-regexp", "--get-urlmatch", "-l", "--list", "--get-color",
                "--get-colorbool")  # fmt: skip

_TOOL: Final = Tool(
    {
        **plain("status, ls-files, ls-tree, rev-parse, describe, for-each-ref, merge-base, name-rev, show-ref, "
                "show-branch, count-objects, check-ignore, check-attr, check-ref-format, check-mailmap, patch-id, "
                "var, version, get-tar-commit-id, column, verify-pack"),
        **plain("rev-list, blame, annotate, cherry, diff-pairs, last-modified", _SHOWN),
        **plain("log, diff, show, shortlog, whatchanged, diff-tree, diff-index, diff-files, range-diff, "
                "stash show, stash list, reflog show, reflog exists, reflog list", _SHOWN),
        **plain("grep", Options("ABCefm", "max-depth max-count", "O", "open-files-in-pager textconv")),
        **plain("cat-file", Options("", "", "", "filters textconv")),
        **plain("ls-remote", Options("", "", "u", "upload-pack exec")),
        **plain("fsck", Options("", "", "", "lost-found")),
        **plain("archive", Options("", "format prefix", "o", "output remote exec")),
        **plain("hash-object", Options("t", "path", "w", "")),
        **plain("symbolic-ref", Options("m", "", "dm", "delete", most=1)),
        **plain("branch", _BRANCH), **plain("tag", _TAG), **plain("config", _CONFIG),
        **plain("config list, config get", Options("f", "file blob type default", only=_CONFIG.only or "")),
        **plain("remote, remote get-url, remote show", Options(only="-v --verbose -n --all --push")),
        **plain("worktree list, notes list, notes show, bundle verify, bundle list-heads, bisect log, "
                "submodule status, submodule summary, rerere status, rerere diff, rerere remaining, "
                "sparse-checkout list, lfs ls-files, lfs status, lfs env, lfs version"),
        **plain("submodule", Options(most=0, only="--quiet --cached")),
        **plain("format-patch", Options("o", "", "o", "output-directory output show-signature ext-diff")),
        **plain("apply", Options("pC", "exclude include directory", only="--check --stat --numstat --summary -p -v -R "
                                 "--reverse --verbose --cached --index --ignore-whitespace --recount")),
        **plain("clean", Options("e", "exclude", only="-n --dry-run -d -x -X -e --exclude -q")),
        **plain("interpret-trailers", Options("", "", "", "in-place")),
        **plain("reflog", _SHOWN), **plain("help", Options("", "", "w", "web")),
    },
    flags="--no-pager -P -p --paginate --no-optional-locks --literal-pathspecs --no-replace-objects "
    "--no-lazy-fetch --glob-pathspecs --noglob-pathspecs --icase-pathspecs --bare --no-advice",
    values="-C --git-dir --work-tree --namespace",
    alone="--version --help -v -h --exec-path --html-path --man-path --info-path",
)  # fmt: skip

_PLAIN_SETTINGS: Final = ("color.", "column.", "advice.", "i18n.", "status.", "log.date", "log.decorate",
                          "log.abbrev", "core.quotepath", "core.pager=cat", "diff.renames", "diff.algorithm",
                          "diff.context", "diff.noprefix", "diff.mnemonicprefix", "diff.renamelimit",
                          "diff.colormoved", "safe.directory", "core.abbrev", "grep.", "blame.", "user.name=",
                          "user.email=", "core.filemode", "core.autocrlf", "pager.log=cat", "pager.diff=cat",
                          "pager.show=cat", "pager.branch=cat", "pager.log=false", "pager.diff=false",
                          "pager.show=false", "pager.branch=false", "core.longpaths", "merge.renamelimit",
                          "tag.sort", "branch.sort", "versionsort.")  # fmt: skip


def _git(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    rest = _without_settings(words)
    command, given = see(name, rest, _TOOL)
    more = _MORE.get(command)
    if more is not None:
        more(given, head)


def _without_settings(words: list[Word]) -> list[Word]:
    """Return the words without `-c key=value` before the command.

    Raises:
        Writes: a setting may run a program.
    """
    kept: list[Word] = []
    rest = list(words)
    while rest and rest[0].text.startswith("-"):
        word = rest.pop(0)
        if word.text == "-c" and rest:
            setting = rest.pop(0)
            if setting.splits or not _is_plain(setting.text.lower()):
                raise Writes("a setting of git that may run a program", setting.at)
            continue
        kept.append(word)
        if word.text in _TOOL.values.split() and rest:
            kept.append(rest.pop(0))
    return kept + rest


def _is_plain(setting: str) -> bool:
    return any(
        setting == plain if plain.endswith(("=cat", "=false")) else setting.startswith(plain)
        for plain in _PLAIN_SETTINGS
    )


def _listed(words: list[Word], head: Word, table: Options, lists: tuple[str, ...]) -> None:
    given = check("git", words, table)
    if given.operands and not given.has(*lists):
        raise Writes("git makes what it is given a name for", given.operands[0].at)


_SELECTS: Final = (
    "--list",
    "--contains",
    "--no-contains",
    "--merged",
    "--no-merged",
    "--points-at",
)


def _branch(words: list[Word], head: Word) -> None:
    _shown(words, head)
    _listed(words, head, _BRANCH, (*_SELECTS, "-l"))


def _tag(words: list[Word], head: Word) -> None:
    _shown(words, head)
    _listed(words, head, _TAG, (*_SELECTS, "-l", "-n"))


def _config(words: list[Word], head: Word) -> None:
    given = check("git config", words, _CONFIG)
    if given.has(*_ASKS):
        return
    if len(given.operands) != 1 or given.operands[0].splits or "." not in given.operands[0].text:
        raise Writes("git config sets", head.at)


def _remote(words: list[Word], head: Word) -> None:
    if any(not word.text.startswith("-") for word in words):
        raise Writes("git remote changes", head.at)


def _reflog(words: list[Word], head: Word) -> None:
    for word in words:
        if not word.text.startswith("-") and (not word.known or word.text in _REFLOG_CHANGES):
            raise Writes("git reflog changes", word.at)


_REFLOG_CHANGES: Final = frozenset(["expire", "delete", "drop", "write"])


def _ls_remote(words: list[Word], head: Word) -> None:
    for word in words:
        if "::" in word.text or "\0" in word.text:
            raise Writes("an address that may run a program", word.at)


def _format_patch(words: list[Word], head: Word) -> None:
    named = [word.text for word in words]
    if "--stdout" not in named or any(text.startswith("--no-s") for text in named):
        raise Writes("git format-patch writes files", head.at)


def _apply(words: list[Word], head: Word) -> None:
    if not any(word.text in ("--check", "--stat", "--numstat", "--summary") for word in words):
        raise Writes("git apply changes files", head.at)


def _clean(words: list[Word], head: Word) -> None:
    given = check("git clean", words, _TOOL.commands["clean"])
    if not given.has("-n", "--dry-run"):
        raise Writes("git clean deletes", head.at)


def _shown(words: list[Word], head: Word) -> None:
    """Refuse `%G` in a format, for which git runs a program that checks signatures."""
    for word in words:
        if "%G" in word.text or "%(signature" in word.text:
            raise Writes("a format that runs a program", word.at)


_MORE: Final = {
    "branch": _branch, "tag": _tag, "config": _config, "remote": _remote, "reflog": _reflog,
    "ls-remote": _ls_remote, "format-patch": _format_patch, "apply": _apply, "clean": _clean,
    "remote show": _ls_remote,
    **dict.fromkeys(("log", "show", "stash list", "whatchanged", "shortlog", "for-each-ref", "rev-list"), _shown),
}  # fmt: skip

CHECKS: Final[dict[str, Check]] = {"git": _git}
