"""Commands that only read, and the options with which they still do.

What is not named here may write, delete, send or start something. Long options count by their
whole name: programs take any unambiguous beginning, so that half a name may mean another one.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

_COUNT: Final = re.compile(r"-\d+")


class Reads(msgspec.Struct, frozen=True):
    """The options with which a command only reads."""

    letters: str = ""
    """Short options; several may stand in one word."""
    valued: str = ""
    """Short options that take what follows them in their word."""
    names: frozenset[str] = frozenset()
    operands: bool = True
    """It may be given something that is no option."""

    def allows(self, words: list[str]) -> bool:
        """Tell whether a command with these words behind it only reads."""
        return all(self._allows(word) for word in words)

    def _allows(self, word: str) -> bool:
        if word == "--" or _COUNT.fullmatch(word):
            return True
        if word.startswith("--"):
            return word[2:].partition("=")[0] in self.names
        if word.startswith("-") and word != "-":
            return self._allows_cluster(word[1:])
        return self.operands

    def _allows_cluster(self, letters: str) -> bool:
        for letter in letters:
            if letter in self.valued:
                return True
            if letter not in self.letters:
                return False
        return True


def named(text: str) -> frozenset[str]:
    """Return the names that a text lists, parted by blanks."""
    return frozenset(text.split())


ANY: Final = named(
    "ls cat head tail grep egrep fgrep wc which whereis type stat du df pwd echo whoami id uname ps "
    "netstat nproc free uptime printenv basename dirname realpath readlink diff cmp md5sum "
    "sha256sum jq cut tr column true false test"
)
"""None of their options does more than read."""

WITH: Final = {
    "sort": Reads(
        "bdfghiMnRrVcCmsuz",
        "kt",
        named(
            "reverse numeric-sort general-numeric-sort human-numeric-sort version-sort month-sort "
            "random-sort key field-separator unique ignore-case ignore-leading-blanks "
            "dictionary-order stable check zero-terminated"
        ),
    ),
    "rg": Reads(
        "iSsvwxclnNoFPUqHILau0.p",
        "eABCgtTmMr",
        named(
            "ignore-case smart-case case-sensitive fixed-strings word-regexp line-regexp regexp "
            "count files files-with-matches files-without-match line-number no-line-number "
            "only-matching invert-match hidden no-ignore follow glob iglob type type-not type-list "
            "max-count max-depth context after-context before-context multiline pcre2 json stats "
            "sort sortr color heading no-heading column trim vimgrep replace quiet text version"
        ),
    ),
    "tree": Reads(
        "adfipshugDFnCAQNqrtcUlxJXS",
        "LPI",
        named("dirsfirst noreport du prune gitignore filelimit matchdirs ignore-case"),
    ),
    "ss": Reads(
        "tuxwlnapeimosO46rHb",
        "",
        named(
            "tcp udp unix raw listening numeric all processes extended memory info options summary "
            "ipv4 ipv6 resolve no-header oneline"
        ),
    ),
    "file": Reads("biLhk", "", named("brief mime mime-type mime-encoding dereference")),
    "lsof": Reads("PntaUlRbVwO", "ipucsFd"),
    "pgrep": Reads("afilnovwxc", "uUgGPst", named("full list-name list-full exact newest oldest")),
    "printf": Reads(),
}

_SHOWN: Final = named(
    "stat shortstat numstat name-only name-status oneline graph all decorate patch no-patch cached "
    "staged color no-color word-diff summary since until after before author committer grep "
    "max-count skip follow abbrev-commit pretty format first-parent merges no-merges reverse "
    "ignore-all-space ignore-space-change ignore-blank-lines unified check no-ext-diff no-textconv "
    "no-renames find-renames date branches tags remotes left-right cherry-pick exit-code quiet "
    "diff-filter topo-order date-order relative no-pager merge-base"
)
_DIFFS: Final = Reads("pusiwbzRaEqcm1", "nUSGLMC", _SHOWN)

BY_SUBCOMMAND: Final = {
    "git": {
        "status": Reads(
            "sbvz",
            "u",
            named(
                "short branch porcelain long verbose untracked-files ignored show-stash column "
                "ahead-behind no-ahead-behind renames no-renames"
            ),
        ),
        "log": _DIFFS,
        "diff": _DIFFS,
        "show": _DIFFS,
        "branch": Reads(
            "avrqi",
            "",
            named(
                "all remotes verbose show-current list contains no-contains merged no-merged "
                "points-at sort format column no-column color no-color abbrev no-abbrev"
            ),
            operands=False,
        ),
        "blame": Reads("wsletfnpcb", "LMC", named("date since abbrev porcelain show-email")),
        "remote": Reads("v", "", named("verbose"), operands=False),
        "describe": Reads(
            "", "", named("tags all always dirty long abbrev match contains exact-match")
        ),
        "rev-parse": Reads(
            "q",
            "",
            named(
                "short abbrev-ref show-toplevel show-prefix git-dir git-common-dir verify quiet "
                "is-inside-work-tree is-bare-repository symbolic-full-name"
            ),
        ),
        "ls-files": Reads(
            "cdmosuktvzi",
            "",
            named(
                "cached deleted modified others stage ignored unmerged exclude-standard full-name "
                "error-unmatch directory"
            ),
        ),
    },
    "npm": dict.fromkeys(
        ("ls", "list", "outdated", "view"),
        Reads("aglp", "", named("json all global depth long parseable omit")),
    ),
    "pip": dict.fromkeys(
        ("list", "show", "freeze", "check"),
        Reads(
            "oulevqf",
            "",
            named("outdated uptodate local user format not-required editable files verbose pre"),
        ),
    ),
    "docker": dict.fromkeys(
        ("ps", "images", "logs", "inspect"),
        Reads(
            "aqflst",
            "n",
            named(
                "all quiet no-trunc format follow filter last latest size tail since until "
                "timestamps details type digests"
            ),
        ),
    ),
}
