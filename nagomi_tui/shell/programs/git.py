"""`git`: its commands that only read, and with which options."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from nagomi_tui.shell.options import Analyser, Check, Options, Tool, arities, check, plain, see
from nagomi_tui.shell.words import Word, Writes, named

_DIFF: Final = (
    "-p -u -s -z -a -R -w -b -r -t -m -c -q -v -i -E -F -P -g -1 -2 -3 -0 -U? -S=* -G=* -O= -M? -C? -B? -D -X? -l= -I=* -n= "
    "-L= -NUM --patch --no-patch --raw --patch-with-raw --patch-with-stat --minimal --patience --histogram --numstat "
    "--shortstat --summary --name-only --name-status --check --full-index --binary --no-prefix --default-prefix --text "
    "--ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines --exit-code "
    "--quiet --pickaxe-all --pickaxe-regex --no-renames --rename-empty --no-rename-empty --no-ext-diff --no-textconv "
    "--ita-invisible-in-index --ita-visible-in-index --indent-heuristic --no-indent-heuristic --color? --no-color "
    "--color-moved? --no-color-moved --color-moved-ws= --no-color-moved-ws --compact-summary --cumulative --cc "
    "--combined-all-paths --no-diff-merges --diff-merges= --dd --remerge-diff --merge-base --cached --staged --no-index "
    "--base --ours --theirs --unified? --inter-hunk-context= --diff-algorithm= --diff-filter= --find-renames? "
    "--find-copies? --find-copies-harder --break-rewrites? --irreversible-delete --relative? --no-relative --submodule? "
    "--ignore-submodules? --src-prefix= --dst-prefix= --line-prefix= --anchored= --find-object= --skip-to= --rotate-to= "
    "--ignore-matching-lines=* --word-diff? --word-diff-regex=* --color-words? --ws-error-highlight= --abbrev? --stat? "
    "--stat-width= --stat-name-width= --stat-count= --stat-graph-width= --dirstat? --dirstat-by-file? --function-context "
    "-W --no-function-context --full-history --max-depth="
)
_SHOWN: Final = Options(
    _DIFF
    + " --oneline --graph --no-graph --all --reverse --follow --merges --no-merges --first-parent --decorate? --no-decorate "
    "--decorate-refs= --decorate-refs-exclude= --clear-decorations --abbrev-commit --no-abbrev-commit --no-abbrev "
    "--topo-order --date-order --author-date-order --left-right --left-only --right-only --cherry-pick --cherry-mark "
    "--cherry --boundary --simplify-by-decoration --simplify-merges --dense --sparse --show-pulls --ancestry-path? "
    "--no-walk? --do-walk --walk-reflogs --reflog --parents --children --relative-date --full-diff --log-size --all-match "
    "--invert-grep --regexp-ignore-case --basic-regexp --extended-regexp --fixed-strings --perl-regexp --source "
    "--use-mailmap --no-use-mailmap --mailmap --no-mailmap --notes? --no-notes --show-notes? --ignore-missing --count "
    "--root --no-commit-id --stdin --expand-tabs? --no-expand-tabs --since=* --after=* --until=* --before=* --author=* "
    "--committer=* --grep=* --grep-reflog=* --max-count= --skip= --max-age= --min-age= --min-parents? --max-parents? "
    "--no-min-parents --no-max-parents --branches? --tags? --remotes? --glob= --exclude= --exclude-hidden= --pretty? "
    "--format? --date= --encoding= --always --bisect --merge --show-linear-break? --numbered --summary --email --group= "
    "-e -h --format-patch --creation-factor= --no-dual-color --dual-color --left-only --objects --objects-edge "
    "--disk-usage? --use-bitmap-index --timestamp --header --no-object-names --object-names --filter= --in-commit-order "
    "--unpacked --no-commit-header --commit-header --missing= --exclude-promisor-objects --since-as-filter=* "
    "--include-untracked --only-untracked --pickaxe-grep --cherry"
)
_BLAME: Final = Options(
    "-L= -l -t -f -n -s -e -w -p -c -b -k -M? -C? -S= --root --incremental --porcelain --line-porcelain --show-name "
    "--show-number --show-email --show-stats --score-debug --progress --no-progress --minimal --contents= --abbrev? --date= "
    "--since=* --ignore-rev= --ignore-revs-file= --color-lines --color-by-age --reverse --first-parent --encoding= "
    "--indent-heuristic --diff-algorithm="
)
_LISTS: Final = (
    "--contains= --no-contains= --merged= --no-merged= --points-at= --sort= --no-sort --format= --column? --no-column "
    "--color? --no-color -i --ignore-case --omit-empty -q --quiet "
)
_BRANCH: Final = Options(
    _LISTS + "-a --all -r --remotes -v -l --list --show-current --abbrev? --no-abbrev --verbose"
)
_TAG: Final = Options(_LISTS + "-l --list -n? -NUM")
_CONFIG: Final = Options(
    "--get --get-all --get-regexp --get-urlmatch -l --list --show-origin --show-scope --name-only -z "
    "--null --global --local --system --worktree --type= --bool --int --path --bool-or-int --expiry-date --includes "
    "--no-includes -f= --file= --blob= --default= --get-color --get-colorbool --all --regexp --value= --fixed-value --url= "
    "--show-names --no-show-names"
)
_ASKS: Final = ("--get", "--get-all", "--get-regexp", "--get-urlmatch", "-l", "--list", "--get-color",
                "--get-colorbool")  # fmt: skip
_GREP: Final = Options(
    "-A= -B= -C= -e=* -f= -m= -a -i -I -r -w -v -h -H -E -G -P -F -n -l -L -z -o -c -q -p -W -NUM --max-depth= "
    "--max-count= --after-context= --before-context= --context= --text --ignore-case --word-regexp --invert-match "
    "--full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches "
    "--name-only --files-without-match --null --only-matching --count --color? --no-color --break --heading "
    "--show-function --function-context --threads= --and --or --not --all-match --quiet --cached --untracked --no-index "
    "--no-exclude-standard --exclude-standard --recurse-submodules --recursive --no-recursive --parent-basename="
)

_PLUMBING: Final = {
    "status": Options("-s -b -v -u? -z --short --branch --long --verbose --porcelain? --show-stash --no-show-stash --ahead-behind "
                      "--no-ahead-behind --untracked-files? --ignored? --ignore-submodules? --column? --no-column --renames "
                      "--no-renames --find-renames?"),
    "ls-files": Options("-c -d -m -o -i -s -u -k -z -t -v -f -x= -X= --cached --deleted --modified --others --ignored --stage "
                        "--directory --no-empty-directory --unmerged --killed --exclude= --exclude-from= --exclude-per-directory= "
                        "--exclude-standard --error-unmatch --with-tree= --full-name --recurse-submodules --abbrev? --debug --eol "
                        "--sparse --deduplicate --format= --resolve-undo"),
    "ls-tree": Options("-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format="),
    "rev-parse": Options("-q --quiet --verify --sq --short? --symbolic --symbolic-full-name --abbrev-ref? --all --branches? --tags? "
                         "--remotes? --glob? --exclude? --exclude-hidden? --disambiguate? --git-dir --absolute-git-dir "
                         "--git-common-dir --git-path= --show-toplevel --show-prefix --show-cdup --show-superproject-working-tree "
                         "--is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository "
                         "--shared-index-path --show-object-format? --show-ref-format --since? --until? --after? --before? --not "
                         "--revs-only --no-revs --flags --no-flags --local-env-vars --path-format? --resolve-git-dir= --default= "
                         "--prefix= --end-of-options --sq-quote", single_dash=True),
    "describe": Options("--tags --all --always --long --dirty? --broken? --abbrev? --candidates= --exact-match --debug --match= "
                        "--exclude= --first-parent --contains"),
    "for-each-ref": Options("-s -p --count= --shell --perl --python --tcl --sort= --format= --color? --points-at= --merged= "
                            "--no-merged= --contains= --no-contains= --ignore-case --omit-empty --exclude= --stdin "
                            "--include-root-refs --start-after="),
    "merge-base": Options("-a --all --octopus --independent --is-ancestor --fork-point"),
    "name-rev": Options("--tags --refs= --exclude= --all --stdin --annotate-stdin --name-only --no-undefined --always --undefined"),
    "show-ref": Options("-d -s -q --head --dereference --hash? --verify --exists --abbrev? --quiet --tags --branches --heads "
                        "--exclude-existing?"),
    "show-branch": Options("-r -a -g? --remotes --all --current --topo-order --date-order --sparse --more? --list --merge-base "
                           "--independent --topics --reflog? --color? --no-color --no-name --sha1-name"),
    "count-objects": Options("-v -H --verbose --human-readable"),
    "check-ignore": Options("-q -v -n -z --quiet --verbose --non-matching --stdin --no-index"),
    "check-attr": Options("-a -z --all --cached --stdin --source="),
    "check-ref-format": Options("--branch --normalize --allow-onelevel --no-allow-onelevel --refspec-pattern --print"),
    "check-mailmap": Options("--stdin --mailmap-file= --mailmap-blob="),
    "patch-id": Options("--stable --unstable --verbatim"), "var": Options("-l"), "version": Options("--build-options"),
    "column": Options("--command= --mode? --raw-mode= --width= --indent= --nl= --padding="),
    "verify-pack": Options("-v -s --verbose --stat-only --object-format="),
    "worktree list": Options("-v -z --verbose --porcelain --expire="), "bundle verify": Options("-q --quiet"),
    "submodule status": Options("-q --quiet --cached --recursive"),
    "submodule summary": Options("-q -n= --quiet --cached --files --summary-limit="),
    "lfs ls-files": Options("-l -s -d -a -n -j -I= -X= --long --size --debug --all --deleted --name-only --json --include= --exclude="),
    "lfs status": Options("-p -j --porcelain --json"),
    **plain("get-tar-commit-id, notes list, notes show, bundle list-heads, bisect log, rerere status, rerere diff, "
            "rerere remaining, sparse-checkout list, lfs env, lfs version", Options("")),
}  # fmt: skip

_TOOL: Final = Tool(
    {
        **_PLUMBING,
        **plain("rev-list, cherry, diff-pairs, last-modified", _SHOWN),
        **plain("blame, annotate", _BLAME),
        **plain("shortlog", _SHOWN._replace(known=f"{_SHOWN.known} -n -s -w? --committer?")),
        **plain("log, diff, show, whatchanged, diff-tree, diff-index, diff-files, range-diff, "
                "stash show, stash list, reflog show, reflog exists, reflog list", _SHOWN),
        **plain("grep", _GREP),
        **plain("cat-file", Options("-t -s -e -p -Z -z --batch? --batch-check? --batch-command? --batch-all-objects --buffer "
                                    "--follow-symlinks --unordered --allow-unknown-type --use-mailmap --no-use-mailmap "
                                    "--mailmap --no-mailmap --path= --filter?")),
        **plain("ls-remote", Options("-h -t -b -q --heads --branches --tags --refs --quiet --exit-code --get-url --sort= --symref")),
        **plain("fsck", Options("-v --tags --root --unreachable --cache --no-reflogs --reflogs --full --no-full --strict "
                                "--connectivity-only --dangling --no-dangling --progress --no-progress --name-objects "
                                "--verbose --references --no-references")),
        **plain("archive", Options("-l -v -NUM --format= --prefix= --list --verbose --worktree-attributes --mtime=")),
        **plain("hash-object", Options("-t= --stdin --stdin-paths --path= --no-filters --literally")),
        **plain("symbolic-ref", Options("-q --quiet --short --recurse --no-recurse", most=1)),
        **plain("branch", _BRANCH), **plain("tag", _TAG), **plain("config, config list, config get", _CONFIG),
        **plain("remote, remote get-url, remote show", Options("-v --verbose -n --all --push")),
        **plain("submodule", Options("--quiet --cached", most=0)),
        **plain("format-patch", Options(_DIFF + " --stdout -k -n -N --numbered --no-numbered --signoff --cover-letter "
                                        "--no-cover-letter --subject-prefix= --rfc? --thread? --no-thread --attach? --inline? "
                                        "--in-reply-to= --to= --cc= --from? --base= --root --start-number= --reroll-count= "
                                        "--keep-subject --zero-commit --signature= --no-signature --no-binary "
                                        "--ignore-if-in-upstream --notes? --interdiff= --range-diff= --creation-factor=")
                ._replace(needs="--stdout")),
        **plain("apply", Options("--check --stat --numstat --summary -p= -C= -v -R --reverse --verbose --cached --index "
                                 "--ignore-whitespace --recount --exclude= --include= --directory= --whitespace=")),
        **plain("clean", Options("-n --dry-run -d -x -X -e= --exclude= -q --quiet")),
        **plain("interpret-trailers", Options("--trim-empty --where= --if-exists= --if-missing= --only-trailers --only-input "
                                              "--unfold --parse --no-divider --trailer=")),
        **plain("reflog", _SHOWN), **plain("help", Options("-a -g -c -i -m -v --all --guides --config --info --man --verbose --no-external-commands "
                                          "--no-aliases --user-interfaces --developer-interfaces")),
    },
    before="--no-pager -P -p --paginate --no-optional-locks --literal-pathspecs --no-replace-objects "
    "--no-lazy-fetch --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-advice "
    "-C= --git-dir= --work-tree= --namespace=",
    alone="--version --help -v -h --exec-path --html-path --man-path --info-path",
)  # fmt: skip

COMMANDS: Final = frozenset(name.split()[0] for name in _TOOL.commands)
"""The commands that are known here, of which an old git may have one only by a repository's alias."""
_SETTINGS: Final = named("""
color.ui color.diff color.status color.branch color.grep color.interactive color.decorate color.advice color.remote
column.ui column.branch column.tag column.status i18n.logoutputencoding i18n.commitencoding log.date log.decorate
log.abbrevcommit log.follow log.mailmap log.graphcolors core.quotepath core.abbrev core.filemode core.autocrlf core.eol
core.safecrlf core.ignorecase core.longpaths core.precomposeunicode core.untrackedcache core.preloadindex
core.commitgraph core.whitespace core.symlinks status.short status.branch status.showuntrackedfiles status.relativepaths
status.submodulesummary status.renames status.renamelimit status.aheadbehind status.showstash diff.renames diff.algorithm
diff.context diff.interhunkcontext diff.noprefix diff.mnemonicprefix diff.renamelimit diff.colormoved diff.colormovedws
diff.wserrorhighlight diff.wordregex diff.indentheuristic diff.ignoresubmodules diff.relative
diff.statgraphwidth diff.statnamewidth diff.dirstat diff.suppressblankempty diff.autorefreshindex grep.linenumber
grep.column grep.patterntype grep.extendedregexp grep.threads grep.fullname grep.fallbacktonoindex blame.coloring
blame.date blame.showemail blame.showroot blame.blankboundary blame.ignorerevsfile blame.markignoredlines
blame.markunblamablelines safe.directory user.name user.email merge.renamelimit tag.sort branch.sort
versionsort.suffix submodule.recurse index.threads gc.auto maintenance.auto protocol.version
""")
"""The settings that `git -c` may set, in small letters: only how something is shown or compared."""
_BOOLEANS: Final = named("true false yes no on off 0 1")
_PAGERS: Final = named("core.pager pager.log pager.diff pager.show pager.branch pager.tag pager.blame pager.grep pager.status "
                       "pager.reflog pager.config pager.stash")  # fmt: skip


def _git(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    rest = _without_settings(words)
    command, given = see(name, rest, _TOOL)
    for word in rest:
        if word.text.startswith("--submodule=") and word.text[12:] not in ("short", "log"):
            raise Writes("git runs in what once was a submodule", word.at)
    if command not in _NO_FORMATS:
        _shown(given, head)
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
    before = arities(_TOOL.before)
    while rest and rest[0].text.startswith("-"):
        word = rest.pop(0)
        if word.text == "-c" and rest:
            setting = rest.pop(0)
            if setting.splits or not _is_plain(setting.text):
                raise Writes("a setting of git that may run a program", setting.at)
            continue
        kept.append(word)
        if before.get(word.text) == "=" and rest:
            kept.append(rest.pop(0))
    return kept + rest


def _is_plain(setting: str) -> bool:
    """Whether a setting only tells how something is shown; one of a pager only if that is `cat` or none."""
    key, sign, value = setting.partition("=")
    key = key.lower()
    if key.startswith("advice.") and key.count(".") == 1:
        return not sign or value in _BOOLEANS
    if key in _PAGERS:
        return bool(sign) and value in ("cat", "false")
    if key in ("tag.sort", "branch.sort"):
        return plain_format(value, sorts=True)
    return key in _SETTINGS


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
    _listed(words, head, _BRANCH, _SELECTS)  # Older ones make a branch by `-l`.


def _tag(words: list[Word], head: Word) -> None:
    _listed(words, head, _TAG, (*_SELECTS, "-l", "-n"))


def _config(words: list[Word], head: Word) -> None:
    given = check("git config", words, _CONFIG)
    if given.has(*_ASKS):
        return
    if (
        len(given.operands) != 1
        or not given.operands[0].single
        or "." not in given.operands[0].text
    ):
        raise Writes("git config sets", head.at)


def _remote(words: list[Word], head: Word) -> None:
    if any(not word.text.startswith("-") for word in words):
        raise Writes("git remote changes", head.at)


def _reflog(words: list[Word], head: Word) -> None:
    """Allow operands that no command of `git reflog` has for its name."""
    for word in check("git reflog", words, _SHOWN).operands:
        if not re.fullmatch(r"[\w./-]*[A-Z/@~^][\w./@{}~^-]*", word.text):
            raise Writes("git reflog that may change: write git reflog show", word.at)


def _ls_remote(words: list[Word], head: Word) -> None:
    for word in words:
        if word.text[:1] != "-" and not _REMOTE.fullmatch(word.text):
            raise Writes("an address that may run a program", word.at)


_REMOTE: Final = re.compile(
    r"(?:(?:https?|git|ssh|file)://(?!-))?(?:[\w.~+-]+@(?!-))?[\w.~/*?^{}+-]+(?::(?![:-])[\w.~/@+-]*)?"
)
"""A name of a repository or of something in one, or an address that git knows by itself."""


def _apply(words: list[Word], head: Word) -> None:
    given = check("git apply", words, _TOOL.commands["apply"])
    if not given.has("--check", "--stat", "--numstat", "--summary"):
        raise Writes("git apply changes files", head.at)


def _clean(words: list[Word], head: Word) -> None:
    given = check("git clean", words, _TOOL.commands["clean"])
    if not given.has("-n", "--dry-run"):
        raise Writes("git clean deletes", head.at)


def _shown(words: list[Word], head: Word) -> None:
    """Check the formats of what is shown: by some of their parts git runs a program that checks signatures."""
    for before, word in pairwise([head, *words]):
        name, sign, value = word.text.partition("=")
        if not (sign and name in _FORMATTED):
            name, value = before.text, word.text
        if name in _FORMATTED and not plain_format(value, sorts=name == "--sort"):
            raise Writes("a format that may run a program", word.at)


def plain_format(text: str, *, sorts: bool) -> bool:
    """Whether a format, or what git sorts by, is known to show no more than what is there."""
    if sorts:
        return (
            _FIELD.fullmatch(text.lstrip("-*").removeprefix("version:").removeprefix("v:"))
            is not None
        )
    known = (
        not text
        or text in _STYLES
        or "%" in text
        or text.startswith(("format:", "tformat:", "trailer:"))
    )
    return known and "\0" not in text and "%" not in _SHOWS.sub("", text)


_FORMATTED: Final = named("--format --pretty --group --sort")
_STYLES: Final = named(
    "oneline short medium full fuller reference email mboxrd raw tar zip tgz tar.gz author committer"
)
_FIELD: Final = re.compile(
    r"(?:refname|objecttype|objectsize|objectname|objectmode|deltabase|tree|parent|numparent|object|type|tag|upstream|push|"
    r"symref|flag|worktreepath|HEAD|(?:author|committer|tagger|creator)(?:name|email|date)?|subject|body|contents|raw|trailers|"
    r"describe|ahead-behind|is-base|path|stage|eolinfo|eolattr|rest|color|align|if|then|else|end|decorate)(?::[^)]*)?"
)
"""Fields of references and files; what they say of signatures is none of them."""
_SHOWS: Final = re.compile(
    rf"%(?:[-+ ]?(?:[HhTtPpdDSefsbBNmn]|[ac][nNeElLdDrtiIsh]|g[dDnNeEs])|[n%]|x[0-9A-Fa-f]{{2}}|[0-9A-Fa-f]{{2}}|C(?:\([^)]*\)|[a-z]+)"
    rf"|w\([^)]*\)|[<>|]+\([^)]*\)|[-+ ]?\(\*?{_FIELD.pattern}\))"
)
"""What a format may have in it; to others git may answer by running a program."""


_MORE: Final = {
    "branch": _branch, "tag": _tag, "config": _config, "remote": _remote, "reflog": _reflog,
    "ls-remote": _ls_remote, "apply": _apply, "clean": _clean,
    "remote show": _ls_remote,
}  # fmt: skip

_NO_FORMATS: Final = named(
    "grep config cat-file check-ignore check-attr check-ref-format hash-object apply clean var help"
)
"""Commands of which no word is a format of what is shown."""

CHECKS: Final[dict[str, Check]] = {"git": _git}
