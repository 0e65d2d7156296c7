"""Whether the settings of a git repository have git run something when it only reads.

Its settings are not part of what is cloned; but a folder may hold a whole repository, or be one
without a work tree, and then git goes by what that says. Only settings that are known to run nothing
pass; the system's and the user's own are theirs.
"""

from __future__ import annotations

import glob
import os
import re
import struct
from collections.abc import Iterator
from typing import Final

from nagomi_tui.shell.words import named
from nagomi_tui.system import files

_LARGEST: Final = 1024 * 1024
_LARGEST_INDEX: Final = 64 * 1024 * 1024
_GITLINK: Final = b"\0\0\xe0\0"
"""The mode of an entry of the index that stands for a repository."""
_MOST: Final = 100
"""The most repositories within another that are looked into; more of them count."""
_PLAIN: Final = named("""
core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode
core.symlinks core.autocrlf core.eol core.safecrlf core.quotepath core.excludesfile core.abbrev core.compression
core.untrackedcache core.preloadindex core.commentchar core.longpaths core.protecthfs core.protectntfs core.sparsecheckout
core.sparsecheckoutcone core.multipackindex core.commitgraph core.bigfilethreshold core.checkstat core.trustctime
core.whitespace core.attributesfile core.worktree core.editor core.splitindex core.sharedrepository core.fscache
log.date log.decorate log.abbrevcommit log.follow log.mailmap diff.renames diff.algorithm diff.colormoved diff.context
diff.noprefix diff.mnemonicprefix diff.wserrorhighlight diff.indentheuristic diff.interhunkcontext
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
_HTTP: Final = named("extraheader sslverify proxy version postbuffer access locksverify")
_LAST: Final = {
    "remote": named(
        "url fetch push pushurl tagopt mirror prune prunetags promisor partialclonefilter skipdefaultupdate skipfetchall "
        "gh-resolved followremotehead"
    ),
    "http": _HTTP,
    "lfs": _HTTP,
    "submodule": named("url active branch ignore update recurse fetchrecursesubmodules"),
}
"""Settings of other sections that have git run nothing, by the last part of their names."""
_DRIVER: Final = named("xfuncname funcname wordregex binary algorithm cachetextconv")
"""Settings of a driver of `diff` by which no program runs."""
_SECTION: Final = re.compile(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\\n]|\\.)*)")?\s*\](.*)')
_LINE: Final = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?")


def cause_inside(folder: str) -> str:
    """Return by what git runs something in a repository's own folder, whose tree may be anywhere."""
    return _of_repository(folder, "", set(), network=False)


def cause(place: str, *, network: bool = False, apart: bool = False) -> str:
    """Return the settings or the hook by which git runs something in a folder; empty if there is none.

    With `network` a command asks another machine; `apart`, the repository is told to have its tree elsewhere.
    """
    while True:
        for found in _repositories(place):
            tree = "" if apart or found == place else place
            if found_cause := _of_repository(found, tree, set(), network=network):
                return found_cause
            if _is_repository(found):
                return ""  # Git looks no further.
        higher = os.path.dirname(place)
        if higher == place:
            return ""
        place = higher


def top(place: str) -> str:
    """Return the top folder of the repository around a folder; empty if there is none.

    Raises:
        ValueError: its settings may name another one.
    """
    while not (found := list(_repositories(place))):
        higher = os.path.dirname(place)
        if higher == place:
            return ""
        place = higher
    own = os.path.join(place, ".git")
    config = os.path.join(own, "config")
    if found != [own] or os.path.islink(own) or not (os.path.isdir(own) and _is_repository(own)):
        raise ValueError("a repository whose files are elsewhere")
    said = files.read_text(config, _LARGEST) if os.path.lexists(config) else ""
    if re.search("worktree|include", said, re.IGNORECASE) or os.path.lexists(f"{config}.worktree"):
        raise ValueError("a repository whose tree may be elsewhere")
    return place


def _repositories(place: str) -> Iterator[str]:
    """Yield the folders of repositories that git may find in a folder, in the order that it looks."""
    path = os.path.join(place, ".git")
    if os.path.isfile(path):
        # Blanks are part of the name, and only the ends of lines are not.
        text = files.read_text(path, _LARGEST).removeprefix("gitdir: ").rstrip("\r\n")
        yield os.path.join(place, text)
    elif os.path.lexists(path):
        yield path
    if os.path.lexists(os.path.join(place, "HEAD")) and any(
        os.path.lexists(os.path.join(place, name)) for name in ("objects", "commondir")
    ):
        yield place


def _is_repository(folder: str) -> bool:
    """Whether git surely takes a folder for a repository, and not the next one that it finds."""
    head, shared = os.path.join(folder, "HEAD"), _shared(folder)
    return (
        os.path.isfile(head)
        and bool(re.match(r"ref: refs/|[0-9a-f]{40}", files.read_text(head, _LARGEST)))
        and all(_is_open(os.path.join(shared, name)) for name in ("objects", "refs"))
    )


def _is_open(folder: str) -> bool:
    """Whether there is a folder that its owner may enter: without one, git goes on above."""
    return (
        os.path.isdir(folder)
        and bool(os.stat(folder).st_mode & 0o100)
        and os.access(folder, os.X_OK)
    )


def _shared(folder: str) -> str:
    """Return where the settings of a repository are, which several work trees may share."""
    common = os.path.join(folder, "commondir")
    if os.path.isfile(common):
        return os.path.join(folder, files.read_text(common, _LARGEST).rstrip("\r\n"))
    return folder


def _of_repository(folder: str, work: str, seen: set[str], *, network: bool) -> str:
    """Look into the folder of a repository, of which `work` is the tree; empty if that is not known."""
    if os.path.realpath(folder) in seen:
        return ""
    seen.add(os.path.realpath(folder))
    if len(seen) > _MOST:
        return folder
    shared = _shared(folder)
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
    trees = [value for key, value in settings if key == "core.worktree"]
    if trees and work:
        named = all(re.fullmatch(r"[\w./ +@-]+", value) for value in trees)
        work = os.path.realpath(os.path.join(folder, trees[-1])) if named else ""
    hooks = [value for key, value in settings if key == "core.hookspath"]
    if hooks and not work:
        return os.path.join(shared, "config")
    for one in ("hooks", *hooks):
        for base in (shared, folder, work, os.path.dirname(os.path.realpath(shared))):
            hook = os.path.join(base, os.path.expanduser(one.strip('"')), "post-index-change")
            if base and os.path.lexists(hook):
                return hook
    hashes = 32 if ("extensions.objectformat", "sha256") in settings else 20
    within = _gitlinks(folder, hashes)
    if within and not work:
        return os.path.join(folder, "index")
    for place, tree in _modules(shared, work, within):
        if cause := _of_repository(place, tree, seen, network=network):
            return cause
    return ""


def _modules(shared: str, work: str, within: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the repositories within another, which git asks for their status, with their trees."""
    for place, names, held in os.walk(os.path.join(shared, "modules")):
        if "config" in held and "HEAD" in held:
            names.clear()
            yield place, place
    listed = os.path.join(work, ".gitmodules")
    if work and os.path.isfile(listed):
        settings = _settings(files.read_text(listed, _LARGEST))
        within |= {path.strip('"') for key, path in settings if key.endswith(".path")}
    for tree in (os.path.join(work, path) for path in within):
        for place in _repositories(tree):
            yield place, tree


def _gitlinks(folder: str, hashes: int) -> set[str]:
    """Return the folders that a repository's index takes for repositories of their own.

    Raises:
        ValueError: the index is not understood.
    """
    found: set[str] = set()
    for path in (os.path.join(folder, "index"), *glob.glob(f"{glob.escape(folder)}/sharedindex.*")):
        if os.path.isfile(path):
            if os.path.getsize(path) > _LARGEST_INDEX:
                raise ValueError("an index of git that is too large")
            with open(path, "rb") as file:
                found.update(_links_of(file.read(), hashes))
    return found


def _links_of(index: bytes, hashes: int) -> Iterator[str]:
    """Yield the names of such folders; `hashes` is the length of a hash in the index."""
    if _GITLINK not in index:
        return
    version, count = struct.unpack_from(">II", index, 4)
    at, name = 12, b""
    for _ in range(count):
        (flags,) = struct.unpack_from(">H", index, at + 40 + hashes)
        begin = at + hashes + (44 if flags & 0x4000 else 42)
        if version == 4:
            cut = index[begin] & 0x7F
            while index[begin] & 0x80:
                begin += 1
                cut = (cut + 1 << 7) + (index[begin] & 0x7F)
            begin += 1
        end = index.index(b"\0", begin)
        name = (name[: len(name) - cut] if version == 4 else b"") + index[begin:end]
        if index[at + 24 : at + 28] == _GITLINK:
            yield os.fsdecode(name)
        at = end + 1 if version == 4 else at + (end - at + 8) // 8 * 8


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
    if section in ("pretty", "format") or key in ("tag.sort", "branch.sort"):
        from nagomi_tui.shell.programs.git import plain_format

        return plain_format(value.strip('"'), sorts=last == "sort")
    if key in _PLAIN or section in _SECTIONS:
        return True
    if key == "core.fsmonitor" or section == "pager":
        return value.lower() in _BOOLEANS
    if key == "diff.submodule":
        return value in ("short", "log")  # With `diff`, git runs in what once was a submodule.
    if key == "core.hookspath":
        return True  # Which hooks are there is looked at.
    if key in ("core.pager", "core.sshcommand", "core.askpass") or section in ("credential", "ssh"):
        return value == "cat" or key != "core.pager" and not network
    if section in _LAST:
        return last in _LAST[section]
    if section == "alias":
        from nagomi_tui.shell.programs.git import COMMANDS

        return rest.lower() not in COMMANDS
    if section == "filter":
        return value.strip('"') in _LFS or last == "required"
    if section == "diff":
        return key.count(".") > 1 and last in _DRIVER
    return False
