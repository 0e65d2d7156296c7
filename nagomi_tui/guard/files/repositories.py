"""Whether the settings of a git repository have git run something when it only reads.

Its settings are not part of what is cloned; but a folder may hold a whole repository, or be one
without a work tree, and then git goes by what that says. Only settings that are known to run nothing
pass; the system's and the user's own are theirs.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.shell.words import named
from nagomi_tui.system import files

if TYPE_CHECKING:
    from collections.abc import Iterator

_LARGEST: Final = 1024 * 1024
_DEEPEST: Final = 4
"""Levels of submodules that are looked into; deeper ones count."""
_PLAIN: Final = named("""
core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode
core.symlinks core.autocrlf core.eol core.safecrlf core.quotepath core.excludesfile core.abbrev core.compression
core.untrackedcache core.preloadindex core.commentchar core.longpaths core.protecthfs core.protectntfs core.sparsecheckout
core.sparsecheckoutcone core.multipackindex core.commitgraph core.bigfilethreshold core.checkstat core.trustctime
core.whitespace core.attributesfile core.worktree core.editor core.splitindex core.sharedrepository core.fscache
log.date log.decorate log.abbrevcommit log.follow log.mailmap diff.renames diff.algorithm diff.colormoved diff.context
diff.noprefix diff.mnemonicprefix diff.submodule diff.wserrorhighlight diff.indentheuristic diff.interhunkcontext
diff.ignoresubmodules diff.renamelimit diff.relative diff.statgraphwidth diff.orderfile diff.tool diff.guitool
extensions.objectformat extensions.worktreeconfig extensions.partialclone extensions.refstorage extensions.noop
extensions.preciousobjects extensions.relativeworktrees extensions.compatobjectformat gpg.format
gpg.ssh.allowedsignersfile lfs.repositoryformatversion lfs.url lfs.locksverify protocol.version user.name user.email
user.signingkey user.useconfigonly rerere.enabled rerere.autoupdate blame.ignorerevsfile merge.conflictstyle merge.ff
merge.renames merge.renamelimit merge.tool merge.log merge.directoryrenames tag.sort tag.gpgsign commit.gpgsign
commit.template commit.verbose grep.linenumber grep.patterntype
""")
_SECTIONS: Final = named("""
branch color column advice status pull push fetch rebase init gc pack index feature maintenance apply i18n clone sequence
difftool mergetool gui gitk gitflow vscode github gh url svn-remote versionsort receive
sendemail gitreview magit forge hub stgit
""")
"""Sections of which no setting has git run anything while it reads."""
_LFS: Final = frozenset(
    {"git-lfs clean -- %f", "git-lfs smudge -- %f", "git-lfs filter-process", "git-lfs smudge --skip -- %f",
     "git-lfs filter-process --skip"}
)  # fmt: skip
_BOOLEANS: Final = frozenset({"", "true", "false", "yes", "no", "on", "off", "0", "1"})
_REMOTE: Final = named("""
url fetch push pushurl tagopt mirror prune prunetags promisor partialclonefilter skipdefaultupdate skipfetchall gh-resolved
followremotehead
""")
_NAMES: Final = frozenset({"lfs", "whatchanged", "last-modified", "diff-pairs", "annotate"})
"""Commands of ours that a git may not have built in, so that an alias takes their place."""
_SECTION: Final = re.compile(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\\n]|\\.)*)")?\s*\](.*)')
_LINE: Final = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?")


def cause(place: str) -> str:
    """Return the settings or the hook by which git runs something in a folder; empty if there is none."""
    return _cause(place, network=False)


def cause_over_network(place: str) -> str:
    """Return the same for a command that asks another machine."""
    return _cause(place, network=True)


def cause_inside(folder: str) -> str:
    """Return the same for the folder of a repository itself."""
    return _of_repository(folder, os.path.dirname(folder), network=False, depth=0)


def _cause(place: str, *, network: bool) -> str:
    while True:
        if found := _repository(place):
            if cause := _of_repository(found, place, network=network, depth=0):
                return cause
            if os.path.lexists(os.path.join(found, "HEAD")):
                return ""  # Git looks no further than at what is a repository.
        higher = os.path.dirname(place)
        if higher == place:
            return ""
        place = higher


def _repository(place: str) -> str:
    """Return the folder of the repository that git may find in a folder; empty if there is none."""
    path = os.path.join(place, ".git")
    if os.path.isfile(path):
        text = files.read_text(path, _LARGEST)
        return os.path.join(place, text.removeprefix("gitdir:").strip())
    if os.path.lexists(path):
        return path
    is_bare = os.path.lexists(os.path.join(place, "HEAD")) and any(
        os.path.lexists(os.path.join(place, name)) for name in ("objects", "commondir")
    )
    return place if is_bare else ""


def _of_repository(folder: str, work: str, *, network: bool, depth: int) -> str:
    """Look into the folder of a repository, of which `work` is the tree."""
    if depth > _DEEPEST:
        return folder
    common = os.path.join(folder, "commondir")
    shared = folder
    if os.path.isfile(common):
        shared = os.path.join(folder, files.read_text(common, _LARGEST).strip())
    settings: list[tuple[str, str]] = []
    for path in (os.path.join(shared, "config"), os.path.join(folder, "config.worktree")):
        if os.path.lexists(path):
            try:
                own = list(_settings(files.read_text(path, _LARGEST)))
            except (OSError, ValueError):
                return path
            lazy = any(key.endswith((".promisor", ".partialclone")) for key, _ in own)
            if not all(_is_plain(key, value, network=network or lazy) for key, value in own):
                return path
            settings += own
    hooks = [value for key, value in settings if key == "core.hookspath"]
    for one in ("hooks", *hooks):
        for base in (shared, folder, work, os.path.dirname(os.path.realpath(shared))):
            hook = os.path.join(base, os.path.expanduser(one.strip('"')), "post-index-change")
            if os.path.lexists(hook):
                return hook
    return _of_modules(shared, work, network=network, depth=depth)


def _of_modules(folder: str, work: str, *, network: bool, depth: int) -> str:
    """Look into the repositories of submodules, which git asks for their status."""
    found = []
    for place, names, held in os.walk(os.path.join(folder, "modules")):
        if "config" in held and "HEAD" in held:
            names[:] = [name for name in names if name == "modules"]
            found.append(place)
    listed = os.path.join(work, ".gitmodules")
    if os.path.isfile(listed):
        for key, path in _settings(files.read_text(listed, _LARGEST)):
            if key.endswith(".path"):
                found.append(os.path.join(work, path.strip('"'), ".git"))
    for place in found:
        if os.path.isdir(place):
            tree = os.path.dirname(place)
            if cause := _of_repository(place, tree, network=network, depth=depth + 1):
                return cause
    return ""


def _settings(text: str) -> Iterator[tuple[str, str]]:
    """Yield the settings of a file, by their keys in small letters.

    Raises:
        ValueError: a line is not understood.
    """
    section = ""
    for line in text.split("\n"):
        rest = line.strip(" \t\r")
        if match := _SECTION.fullmatch(rest):
            middle = f".{match[2].lower()}" if match[2] is not None else ""
            section, rest = match[1].lower() + middle, match[3].strip()
        if not rest or rest[0] in "#;":
            continue
        found = _LINE.fullmatch(rest)
        if found is None or not section or rest.endswith("\\"):
            raise ValueError("a setting of git that is not understood")
        yield f"{section}.{found[1].lower()}", (found[2] or "").strip()


def _is_plain(key: str, value: str, *, network: bool) -> bool:
    """Whether git runs nothing for a setting while it reads."""
    section, _, rest = key.partition(".")
    last = key.rpartition(".")[2]
    if key in _PLAIN or section in _SECTIONS:
        return True
    if key == "core.fsmonitor" or section == "pager":
        return value.lower() in _BOOLEANS
    if key == "core.hookspath":
        return True  # Which hooks are there is looked at.
    if key in ("core.pager", "core.sshcommand", "core.askpass") or section in ("credential", "ssh"):
        return value == "cat" or key != "core.pager" and not network
    if section == "remote":
        return last in _REMOTE
    if section in ("http", "lfs"):
        return last in (
            "extraheader",
            "sslverify",
            "proxy",
            "version",
            "postbuffer",
            "access",
            "locksverify",
        )
    if section == "submodule":
        return last in (
            "url",
            "active",
            "branch",
            "ignore",
            "update",
            "recurse",
            "fetchrecursesubmodules",
        )
    if section == "alias":
        return rest not in _NAMES
    if section in ("pretty", "format"):
        return "%G" not in value and "%(signature" not in value
    if section == "filter":
        return value.strip('"') in _LFS or last == "required"
    if section == "diff":
        return key.count(".") > 1 and last in (
            "xfuncname",
            "funcname",
            "wordregex",
            "binary",
            "algorithm",
            "cachetextconv",
        )
    return False
