"""Copies one small file through the command of a hand, whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, NamedTuple

from nagomi_tui.hands import faults, master
from nagomi_tui.hands.hand import BadHand, Hand, not_started
from nagomi_tui.system import files
from nagomi_tui.system.children import OWN_GROUP
from nagomi_tui.text.words import translatable

LIMIT: Final = 64 * 1024 * 1024
"""Most bytes of a file that is copied."""
_PIECE: Final = 64 * 1024
_BANNER: Final = 1024 * 1024
"""Most bytes that a login may print before the far side speaks."""
_END_SECONDS: Final = 5.0

# Like the words that bring a worker, these have no newline, backslash, single quote or exclamation
# mark, so that `shlex.join` makes of them what every login shell hands on unharmed.
_PATH: Final = (
    'case "$2" in "~") f=$HOME;; "~/"*) f=$HOME/${2#??};; /*) f=$2;; *) f=$HOME/$2;; esac; '
    "say() { echo; echo $m $*; }; m=$1; "
    'sum() { if command -v sha256sum >/dev/null 2>&1; then sha256sum <"$1"; '
    'elif command -v shasum >/dev/null 2>&1; then shasum -a 256 <"$1"; else echo none; fi; }; '
)
_READ: Final = (
    _PATH + 'if [ -d "$f" ]; then say folder; exit; fi; '
    'if [ -e "$f" ]; then :; else say none; exit; fi; '
    'if [ -f "$f" ]; then :; else say special; exit; fi; '
    'if [ -r "$f" ]; then :; else say denied; exit; fi; '
    's=$(wc -c <"$f"); s=$((s)); if [ $s -gt $3 ]; then say large $s; exit; fi; '
    'x=0; if [ -x "$f" ]; then x=1; fi; say $s $x $(sum "$f"); cat "$f"; say end'
)
_WRITE: Final = (
    _PATH + 'umask 077; if [ -d "$f" ]; then f=${f%/}/$3; fi; '
    'if [ -d "$f" ]; then say folder; exit; fi; '
    'if [ -e "$f" ]; then if [ -f "$f" ]; then :; else say special; exit; fi; '
    "if [ $6 = 0 ]; then say exists; exit; fi; fi; "
    'if [ -d "${f%/*}/" ]; then :; else say nofolder; exit; fi; '
    't=$f.nagomi-$1; trap "" HUP PIPE; if ( : >"$t" ) 2>/dev/null; then :; else say denied; exit; fi; say ready; '
    'e=$(LC_ALL=C head -c $4 2>&1 >"$t"); n=$(wc -c <"$t"); n=$((n)); set -- "$1" "$2" "$3" "$4" "$5" "$6" $(sum "$t"); '
    "if [ $n -eq $4 ] && { [ $7 = $5 ] || [ $7 = none ]; }; then :; "
    'else rm -f "$t"; case $e in *"o space"*|*uota*) say full;; *) say short;; esac; exit; fi; '
    'chmod $8 "$t" 2>/dev/null; '
    'if [ $6 = 1 ]; then mv -f "$t" "$f" && say done; '
    'elif ln "$t" "$f" 2>/dev/null; then rm -f "$t"; say done; '
    'elif [ -e "$f" ]; then rm -f "$t"; say exists; '
    'else mv "$t" "$f" && say done; fi; rm -f "$t"'
)

_ERRORS: Final = {
    errno.EISDIR: "folder",
    errno.ENOENT: "none",
    errno.EFBIG: "large",
    errno.ENOSPC: "full",
}
"""What the system says here, in the words of the far side."""


class End(NamedTuple):
    """One end of a copy: a file on a hand, or of this machine where there is none."""

    hand: Hand | None
    path: str

    def __str__(self) -> str:
        return f"{self.hand.name}:{self.path}" if self.hand else self.path


class Copied(NamedTuple):
    """What is in a file, and whether it can be executed."""

    data: bytes
    runs: bool


def fetch(end: End, progress: Callable[[int, int], None]) -> Copied:
    """Read a whole file; `progress` hears how many bytes are there, and of how many.

    Raises:
        BadHand: it cannot be read, or is not what it was any more; the sentence says why.
    """
    if end.hand is None:
        try:
            data = files.read(end.path, LIMIT)
            return Copied(data, os.access(end.path, os.X_OK))
        except OSError as exc:
            raise _refused(end, exc) from exc
    with _there(end.hand, _READ, end.path, str(LIMIT)) as line:
        told = line.answer()
        if not (told and told[0].isdecimal() and len(told[0]) <= 9 and int(told[0]) <= LIMIT):
            raise _not_done(end, told, line)
        size = int(told[0])
        data = line.take(size, lambda done: progress(done, size))
        if len(data) < size:
            raise line.fault()
        if line.answer() != ["end"] or not _is_sum(data, told[2:]):
            raise BadHand("{path} was changed while it was copied; copy it again.", path=end)
    return Copied(data, told[1:2] == ["1"])


def put(
    end: End, copied: Copied, *, name: str, force: bool, progress: Callable[[int, int], None]
) -> None:
    """Write a whole file, or none; one that is there is replaced with `force` only.

    In a folder it is called `name`.

    Raises:
        BadHand: it cannot be written; the sentence says why.
    """
    if end.hand is None:
        _put_here(end, copied, name=name, force=force)
        return
    size = len(copied.data)
    total = hashlib.sha256(copied.data).hexdigest()
    words = (name, str(size), total, str(int(force)))
    # Behind a checksum that the far side has made stands its file's name; the mode comes first.
    script = _WRITE.replace("$8", "700" if copied.runs else "600")
    with _there(end.hand, script, end.path, *words) as line:
        if (told := line.answer()) != ["ready"]:
            raise _not_done(end, told, line)
        line.give(copied.data, lambda done: progress(done, size))
        if (told := line.answer()) != ["done"]:
            raise _not_done(end, told, line)


def _put_here(end: End, copied: Copied, *, name: str, force: bool) -> None:
    path = Path(end.path)
    if path.is_dir():
        path /= name
    if not path.parent.is_dir() or end.path.endswith("/") and path.name != name:
        raise _not_done(end, ["nofolder"])
    if not force and os.path.lexists(path):
        raise _not_done(End(None, str(path)), ["exists"])
    mode = 0o700 if copied.runs else 0o600
    try:
        if force:
            files.write(path, copied.data, mode=mode)
            return
        with tempfile.TemporaryDirectory(prefix=".nagomi-", dir=path.parent) as folder:
            spare = Path(folder, "copy")
            files.write(spare, copied.data, mode=mode)
            os.link(spare, path)
    except FileExistsError as exc:
        raise _not_done(End(None, str(path)), ["exists"]) from exc
    except OSError as exc:
        raise _refused(end, exc) from exc


class _Line:
    """One run of a script there, which answers in lines that begin with a mark."""

    def __init__(self, hand: Hand, process: subprocess.Popen[bytes], stderr: IO[bytes]) -> None:
        self.mark = ""
        self._hand = hand
        self._process = process
        self._stderr = stderr
        self._ahead = b""

    def answer(self) -> list[str]:
        """Return the words of the next line that begins with the mark; none at the end."""
        sign = f"\n{self.mark} ".encode()
        while (at := self._ahead.find(sign)) < 0 or b"\n" not in self._ahead[at + len(sign) :]:
            if len(self._ahead) > _BANNER or not (piece := self._read()):
                return []
            self._ahead += piece
        line, _, self._ahead = self._ahead[at + len(sign) :].partition(b"\n")
        return line.decode(errors="replace").split()

    def take(self, size: int, progress: Callable[[int], None]) -> bytes:
        """Return the next bytes; fewer where the line ends."""
        found = bytearray()
        while len(found) < size and (piece := self._ahead or self._read()):
            rest = size - len(found)
            self._ahead = piece[rest:]
            found += piece[:rest]
            progress(len(found))
        return bytes(found)

    def give(self, data: bytes, progress: Callable[[int], None]) -> None:
        """Send bytes, and end what is sent; a line that ends is noticed by its answer."""
        assert self._process.stdin is not None
        try:
            for at in range(0, len(data), _PIECE):
                self._process.stdin.write(data[at : at + _PIECE])
                self._process.stdin.flush()
                progress(min(len(data), at + _PIECE))
        except OSError:
            pass

    def fault(self) -> BadHand:
        """Return why the line has ended."""
        return faults.of_ended(self._hand, self._process, self._stderr)

    def _read(self) -> bytes:
        assert self._process.stdout is not None
        return os.read(self._process.stdout.fileno(), _PIECE)


@contextmanager
def _there(hand: Hand, script: str, *words: str) -> Iterator[_Line]:
    """Run a script on the hand; it is ended when it is not needed any more."""
    mark = f"nagomi-{secrets.token_hex(8)}"
    argv = master.through(hand).there(["/bin/sh", "-c", script, "sh", mark, *words])
    with tempfile.TemporaryFile() as stderr:
        try:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                **OWN_GROUP,  # Ctrl+C ends us, and we end it in order
            )
        except OSError as exc:
            raise not_started(argv[0], exc) from exc
        line = _Line(hand, process, stderr)
        line.mark = mark
        try:
            yield line
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        try:
            if stream is not None:
                stream.close()
        except OSError:  # what was not sent yet
            pass
    for end in (process.terminate, process.kill):
        try:
            process.wait(_END_SECONDS)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            end()
    process.wait()


def _is_sum(data: bytes, told: list[str]) -> bool:
    """Tell whether a checksum fits; where the far side can make none, the size must do."""
    return told[:1] == ["none"] or told[:1] == [hashlib.sha256(data).hexdigest()]


def _refused(end: End, exc: OSError) -> BadHand:
    if known := _ERRORS.get(exc.errno or 0):
        return _not_done(end, [known])
    reason = exc.strerror or str(exc)
    return BadHand("{path}: {reason}.", path=end, reason=reason)


def _not_done(end: End, told: list[str], line: _Line | None = None) -> BadHand:
    """Return what the far side has refused, as a sentence."""
    sentences = {
        "folder": translatable("{path} is a folder; only single files are copied."),
        "none": translatable("There is no file {path}."),
        "nofolder": translatable("There is no folder for {path}."),
        "special": translatable("{path} is no regular file."),
        "denied": translatable("{path} may not be read or written."),
        "large": translatable("{path} is too large: at most {most} MiB are copied."),
        "exists": translatable("{path} is there already; `--force` replaces it."),
        "full": translatable("There is no room for {path}."),
        "short": translatable("{path} did not arrive whole, and was not kept."),
    }
    if (sentence := sentences.get(told[0] if told else "")) is None:
        if line is not None:
            return line.fault()
        sentence = sentences["short"]
    return BadHand(sentence, path=end, most=LIMIT // 1024**2)
