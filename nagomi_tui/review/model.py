"""What has changed, as values: files, hunks and lines, read from what `git diff-tree` prints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, Literal

import msgspec

from nagomi_tui.text.cells import printable

Kind = Literal["text", "binary", "large", "submodule"]
Side = Literal["new", "old"]

LARGE_BYTES: Final = 1024 * 1024
"""Bytes from which a file's content is not shown until it is asked for."""
PLACEHOLDER: Final = "nagomi: large file, "
"""In a snapshot, how the content begins that stands for that of a file too large to keep."""
LARGE_LINES: Final = 5000
"""Changed lines from which a file is folded at first."""
_NO_FILE: Final = "000000"
_SUBMODULE: Final = "160000"
_LINK: Final = "120000"
_HUNK: Final = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")


class Hunk(msgspec.Struct):
    """Lines that have changed, with those around them, as in a unified diff."""

    old: int
    """Number of its first line in the earlier file, from 1."""
    old_count: int
    new: int
    new_count: int
    heading: str
    """What git shows of the function that it is in."""
    lines: list[str]
    """Each with its sign before it: a blank, `+` or `-`; `\\` tells that no line end follows."""

    def text(self) -> str:
        """Return it as in a unified diff."""
        head = f"@@ -{self.old},{self.old_count} +{self.new},{self.new_count} @@ {self.heading}"
        return "\n".join([head.rstrip(), *self.lines])

    def numbers(self) -> Iterator[tuple[int, int]]:
        """Yield for each line its numbers in the earlier and the later file; 0 where it is in neither."""
        old, new = self.old, self.new
        for line in self.lines:
            sign = line[:1]
            if sign == "-":
                yield old, 0
                old += 1
            elif sign == "+":
                yield 0, new
                new += 1
            elif sign == "\\":
                yield 0, 0
            else:
                yield old, new
                old, new = old + 1, new + 1


class FileChange(msgspec.Struct, kw_only=True):
    """A file that was added, changed, renamed or removed."""

    path: bytes
    """Its name now, relative to the repository, as the file system has it."""
    old_path: bytes
    status: str
    """`A` for added, `D` removed, `M` changed, `R` renamed, `C` copied, `T` of another type."""
    old_mode: str
    new_mode: str
    before: str
    """Object id of its content before; zeros where it did not exist."""
    after: str
    added: int = 0
    removed: int = 0
    kind: Kind = "text"
    hunks: list[Hunk] = msgspec.field(default_factory=list)
    loaded: bool = True
    """Whether its hunks were read; they are asked for later where there was too much."""

    @property
    def name(self) -> str:
        """Its name as it can be shown."""
        return shown_path(self.path)

    @property
    def folds(self) -> bool:
        """Whether its content is hidden at first."""
        return self.kind != "text" or not self.loaded or self.added + self.removed > LARGE_LINES

    @property
    def mode_change(self) -> str:
        """Both modes where they differ, such as `100644 → 100755`; empty else."""
        if _NO_FILE in (self.old_mode, self.new_mode) or self.old_mode == self.new_mode:
            return ""
        return f"{self.old_mode} → {self.new_mode}"

    @property
    def is_link(self) -> bool:
        return _LINK in (self.old_mode, self.new_mode)

    @property
    def key(self) -> str:
        """What tells whether it has become another since it was seen."""
        return f"{self.after}:{self.new_mode}"


class Changes(msgspec.Struct, kw_only=True):
    """The difference between two trees."""

    before: str
    """Object id of the earlier tree."""
    after: str
    files: list[FileChange]

    @property
    def added(self) -> int:
        """How many lines were added in all files."""
        return sum(one.added for one in self.files)

    @property
    def removed(self) -> int:
        """How many lines were removed in all files."""
        return sum(one.removed for one in self.files)

    def find(self, path: bytes) -> FileChange | None:
        """Return the file that has this name now; None if it has not changed."""
        return next((one for one in self.files if one.path == path), None)


def shown_path(path: bytes) -> str:
    """Return a path as text; bytes that are not UTF-8 become escapes such as `\\xff`."""
    return printable(path.decode("utf-8", "backslashreplace"))


def parsed(told: bytes, *, cut: bool = False) -> list[FileChange]:
    """Return the files in what `git diff-tree -r -z --raw` has printed, with `--numstat` or `-p` or both.

    Where the output was `cut`, the last file with hunks and those after it are not loaded.
    """
    files, at = _raw(told)
    if told[at : at + 1].isdigit() or told[at : at + 1] == b"-":
        at = _counted(files, told, at)
    if files and at < len(told):
        _read_patches(files, told[at:].lstrip(b"\0").decode("utf-8", "replace"), cut=cut)
    elif cut:
        for one in files:
            one.loaded = False
    return files


def _raw(told: bytes) -> tuple[list[FileChange], int]:
    files, at = [], 0
    while told[at : at + 1] == b":":
        head, at = _until_nul(told, at)
        path, at = _until_nul(told, at)
        old_mode, new_mode, before, after, status = head[1:].decode("ascii").split(" ")
        old_path = path
        if status[0] in "RC":
            path, at = _until_nul(told, at)
        kind: Kind = "submodule" if _SUBMODULE in (old_mode, new_mode) else "text"
        files.append(
            FileChange(
                path=path,
                old_path=old_path,
                status=status[0],
                old_mode=old_mode,
                new_mode=new_mode,
                before=before,
                after=after,
                kind=kind,
            )  # fmt: skip
        )
    return files, at


def _counted(files: Sequence[FileChange], told: bytes, at: int) -> int:
    """Take in the numbers of lines; return where they end."""
    for one in files:
        if at >= len(told):
            one.loaded = False
            continue
        head, at = _until_nul(told, at)
        added, removed, path = head.split(b"\t", 2)
        if not path:  # renamed: both names follow
            _, at = _until_nul(told, at)
            _, at = _until_nul(told, at)
        if added == b"-":
            one.kind = "binary"
        else:
            one.added, one.removed = int(added), int(removed)
    return at


def _until_nul(told: bytes, at: int) -> tuple[bytes, int]:
    end = told.find(b"\0", at)
    end = len(told) if end < 0 else end
    return told[at:end], end + 1


def _read_patches(files: Sequence[FileChange], text: str, *, cut: bool) -> None:
    """Give each file its hunks. Git prints a patch for each, in their order; two for another type."""
    lines = text.split("\n")
    order = [one for one in files for _ in range(2 if one.status == "T" else 1)]
    position, at = -1, 0
    current: FileChange | None = None
    while at < len(lines):
        line = lines[at]
        if line.startswith("diff --git "):
            position += 1
            current = order[position] if position < len(order) else None
        elif line.startswith("@@ ") and current is not None:
            hunk, at = _hunk(lines, at)
            if hunk is not None:
                current.hunks.append(hunk)
            continue
        elif line.startswith("Binary files ") and current is not None:
            current.kind = "binary"
        at += 1
    if cut:
        for one in order[max(0, position) :]:
            one.hunks.clear()
            one.loaded = False
    for one in files:
        signs = [line[:1] for hunk in one.hunks for line in hunk.lines]
        one.added, one.removed = signs.count("+") or one.added, signs.count("-") or one.removed
        if one.kind == "text" and _is_placeholder(one):
            one.kind, one.added, one.removed = "large", 0, 0
            one.hunks.clear()


def from_patch(lines: Sequence[str]) -> list[FileChange]:
    """Return the files of a diff that was printed for people, perhaps masked or cut off."""
    files: list[FileChange] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("diff --git "):
            before, _, after = line.removeprefix("diff --git a/").partition(" b/")
            files.append(_named(before.encode(), after.encode()))
        elif not files:
            continue
        elif line.startswith("@@ ") and (found := _HUNK.match(line)):
            old, old_count, new, new_count, heading = found.groups()
            counts = int(old_count or 1), int(new_count or 1)
            files[-1].hunks.append(Hunk(int(old), counts[0], int(new), counts[1], heading, []))
        elif line.startswith("new file mode "):
            files[-1].status = "A"
        elif line.startswith("deleted file mode "):
            files[-1].status = "D"
        elif line.startswith("rename "):
            files[-1].status = "R"
        elif line.startswith(("old mode ", "new mode ")):
            name = line.partition(" mode ")
            setattr(files[-1], f"{name[0]}_mode", name[2])
        elif line.startswith(("Binary files ", "Large files ", "GIT binary patch")):
            files[-1].kind = "large" if line.startswith("L") else "binary"
        elif line[:1] in ("+", "-", " ", "\\") and not line.startswith(("+++ ", "--- ")):
            _add_line(files[-1], line)
    return files


def _named(before: bytes, after: bytes) -> FileChange:
    return FileChange(
        path=after, old_path=before, status="M", old_mode="", new_mode="", before="", after=""
    )


def _add_line(one: FileChange, line: str) -> None:
    if not one.hunks:
        one.hunks.append(Hunk(1, 0, 1, 0, "", []))
    one.hunks[-1].lines.append(line)
    one.added += line[0] == "+"
    one.removed += line[0] == "-"


def _is_placeholder(one: FileChange) -> bool:
    sides = [line for hunk in one.hunks[:1] for line in hunk.lines[:3]]
    return any(line[1:].startswith(PLACEHOLDER) and line[:1] in "+-" for line in sides)


def _hunk(lines: Sequence[str], at: int) -> tuple[Hunk | None, int]:
    """Return the hunk whose heading stands at this line, and where it ends; None if it is cut off."""
    found = _HUNK.match(lines[at])
    if found is None:
        return None, at + 1
    old, old_count, new, new_count, heading = found.groups()
    left_old, left_new = int(old_count or 1), int(new_count or 1)
    counts = left_old, left_new
    begin = at = at + 1
    while (left_old or left_new) and at < len(lines):
        sign = lines[at][:1]
        if sign == "+":
            left_new -= 1
        elif sign == "-":
            left_old -= 1
        elif sign != "\\":
            left_old, left_new = left_old - 1, left_new - 1
        at += 1
    if at < len(lines) and lines[at].startswith("\\"):
        at += 1
    if left_old > 0 or left_new > 0:
        return None, at
    body = [line or " " for line in lines[begin:at]]
    return Hunk(int(old), counts[0], int(new), counts[1], heading, body), at


# --- words that differ within a changed line

Span = tuple[int, int]
_WORDS: Final = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST: Final = 600
_LIKENESS: Final = 0.35
"""How alike two lines must be for one to be the other, changed."""


def word_marks(lines: Sequence[str]) -> dict[int, list[Span]]:
    """Return, by line of a hunk, which characters after the sign differ from the line's other side."""
    marks: dict[int, list[Span]] = {}
    at = 0
    while at < len(lines):
        if lines[at][:1] != "-":
            at += 1
            continue
        first = at
        while at < len(lines) and lines[at][:1] in ("-", "\\"):
            at += 1
        gone = [n for n in range(first, at) if lines[n][:1] == "-"]
        begin = at
        while at < len(lines) and lines[at][:1] in ("+", "\\"):
            at += 1
        come = [n for n in range(begin, at) if lines[n][:1] == "+"]
        for left, right in zip(gone, come, strict=False):
            pair = _marked(lines[left][1:], lines[right][1:])
            if pair is not None:
                marks[left], marks[right] = pair
    return marks


def _marked(before: str, after: str) -> tuple[list[Span], list[Span]] | None:
    if max(len(before), len(after)) > _LONGEST:
        return None
    left, right = _WORDS.findall(before), _WORDS.findall(after)
    matcher = SequenceMatcher(a=left, b=right, autojunk=False)
    if matcher.real_quick_ratio() < _LIKENESS or matcher.ratio() < _LIKENESS:
        return None
    starts_left, starts_right = _starts(left), _starts(right)
    gone, come = [], []
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag != "equal":
            if i < j:
                gone.append((starts_left[i], starts_left[j]))
            if k < m:
                come.append((starts_right[k], starts_right[m]))
    return gone, come


def _starts(words: Sequence[str]) -> list[int]:
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    return starts


# --- where lines are now


def anchored(
    lines: Sequence[str], wanted: Sequence[str], first: int, before: Sequence[str],
    after: Sequence[str],
) -> int:  # fmt: skip
    """Return the number, from 1, at which the `wanted` lines now begin in a file; 0 if they are gone.

    Of several places the one counts around which most of the lines `before` and `after` stand, then
    the one nearest to `first`.
    """
    if not wanted:
        return 0
    count = len(wanted)
    places = [
        at
        for at in range(len(lines) - count + 1)
        if lines[at] == wanted[0] and list(lines[at : at + count]) == list(wanted)
    ]

    def fit(at: int) -> tuple[int, int]:
        above = lines[max(0, at - len(before)) : at]
        below = lines[at + count : at + count + len(after)]
        same = sum(a == b for a, b in zip(reversed(above), reversed(before), strict=False))
        same += sum(a == b for a, b in zip(below, after, strict=False))
        return same, -abs(at + 1 - first)

    return max(places, key=fit) + 1 if places else 0


def as_unified(changes: Changes) -> Iterator[str]:
    """Yield the changes line by line, as `git diff` would print them; large content is only named."""
    for one in changes.files:
        old, new = shown_path(one.old_path), one.name
        yield f"diff --git a/{old} b/{new}"
        if one.status == "A":
            yield f"new file mode {one.new_mode}"
        elif one.status == "D":
            yield f"deleted file mode {one.old_mode}"
        elif one.mode_change:
            yield f"old mode {one.old_mode}"
            yield f"new mode {one.new_mode}"
        if one.status == "R":
            yield f"rename from {old}"
            yield f"rename to {new}"
        if one.kind == "submodule":
            yield f"Submodule {new} {one.before[:12]}..{one.after[:12]}"
        elif one.kind != "text":
            yield f"{'Binary' if one.kind == 'binary' else 'Large'} files a/{old} and b/{new} differ"
        elif one.hunks:
            yield "--- /dev/null" if one.status == "A" else f"--- a/{old}"
            yield "+++ /dev/null" if one.status == "D" else f"+++ b/{new}"
            for hunk in one.hunks:
                yield from hunk.text().split("\n")
        elif not one.loaded:
            yield f"(+{one.added} -{one.removed}, not shown)"
